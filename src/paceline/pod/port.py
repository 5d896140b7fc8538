"""A network port over time: the bytes that pass, the errors a bad cable gathers, the times it had to retrain."""

from dataclasses import dataclass

RATED_GBIT = 400
ERRORS_PER_LOST_GBIT = 2
"""Symbol errors a second for each Gb/s that retransmission costs: that many and no more reads as a cable gone bad, not
as a link that is down (a choice; published cases print from dozens to tens of thousands)."""
SECONDS_PER_RECOVERY = 90
BYTES_PER_PACKET = 4096


@dataclass(slots=True)
class Port:
    """One end of a cable; `share` is what is left of its rate, 0 where the link is down."""

    share: float = 1.0
    sent_bytes: int = 0
    received_bytes: int = 0
    downed: int = 0
    bad_us: int = 0
    error_micros: int = 0

    @property
    def is_up(self) -> bool:
        """Whether the link is there at all."""
        return self.share > 0

    @property
    def rate_gbit(self) -> int:
        """The rate it has trained at: a cable that loses half or more of its speed comes back at a lower rate."""
        if not self.is_up:
            return 0
        for lower in (100, 200):
            if self.share * RATED_GBIT <= lower:
                return lower
        return RATED_GBIT

    @property
    def sent_packets(self) -> int:
        """Packets of the path MTU."""
        return -(-self.sent_bytes // BYTES_PER_PACKET)

    @property
    def received_packets(self) -> int:
        """Packets of the path MTU."""
        return -(-self.received_bytes // BYTES_PER_PACKET)

    @property
    def symbol_errors(self) -> int:
        """Errors counted so far."""
        return self.error_micros // 10**6

    @property
    def recoveries(self) -> int:
        """Times it had to retrain."""
        return self.bad_us // (SECONDS_PER_RECOVERY * 10**6)

    def carry(self, bytes_each_way: int, microseconds: int) -> None:
        """Traffic for a while; errors are counted where they are received, and only while something is."""
        if not self.is_up:
            return
        self.sent_bytes += bytes_each_way
        self.received_bytes += bytes_each_way
        if self.share < 1 and bytes_each_way:
            self.error_micros += int(ERRORS_PER_LOST_GBIT * RATED_GBIT * (1 - self.share)) * microseconds
            self.bad_us += microseconds

    def break_to(self, share: float) -> None:
        """The cable keeps this share of its rate; at 0 it is gone, at 1 it is new, and counters stay as in life."""
        if share == 0 and self.is_up:
            self.downed += 1
        self.share = share

    def clear(self) -> None:
        """Counters to zero, as perfquery -R does."""
        self.sent_bytes = self.received_bytes = self.downed = self.bad_us = self.error_micros = 0
