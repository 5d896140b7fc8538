"""The pod's calendar: its clock began on Monday 2 March 2026 at nine, UTC."""

from dataclasses import dataclass

EPOCH_S = 1_772_442_000
DAY_S = 86_400
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Moment:
    """A date and time of day."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    weekday: int
    seconds: int

    @classmethod
    def at(cls, now_us: int) -> "Moment":
        """The moment that a clock of the pod shows."""
        seconds = EPOCH_S + now_us // 10**6
        days, rest = divmod(seconds, DAY_S)
        # Days counted in years that begin in March, so that a leap day is the last of its year.
        era, of_era = divmod(days + 719_468, 146_097)
        year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
        of_year = of_era - (365 * year + year // 4 - year // 100)
        month = (5 * of_year + 2) // 153
        day = of_year - (153 * month + 2) // 5 + 1
        month = month + 3 if month < 10 else month - 9
        return cls(
            year + era * 400 + (month <= 2), month, day, rest // 3600, rest // 60 % 60, rest % 60, (days + 3) % 7,
            seconds,
        )  # fmt: skip

    def shown(self, layout: str) -> str:
        """The moment in a layout as `date` knows it; %X stands for itself where it is none of these."""
        fields = {
            "Y": f"{self.year}", "m": f"{self.month:02}", "d": f"{self.day:02}", "e": f"{self.day:>2}",
            "H": f"{self.hour:02}", "M": f"{self.minute:02}", "S": f"{self.second:02}", "s": f"{self.seconds}",
            "a": WEEKDAYS[self.weekday][:3], "A": WEEKDAYS[self.weekday], "b": MONTHS[self.month - 1][:3],
            "B": MONTHS[self.month - 1], "Z": "UTC", "z": "+0000", "n": "\n", "%": "%", "y": f"{self.year % 100:02}",
        }  # fmt: skip
        layout = layout.replace("%F", "%Y-%m-%d").replace("%T", "%H:%M:%S").replace("%R", "%H:%M")
        first, *pieces = layout.split("%")
        text, at = first, 0
        while at < len(pieces):
            piece = pieces[at]
            if piece:
                text += fields.get(piece[0], f"%{piece[0]}") + piece[1:]
            elif at + 1 < len(pieces):
                at += 1
                text += "%" + pieces[at]
            else:
                text += "%"
            at += 1
        return text
