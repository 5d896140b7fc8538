"""A GPU board over time, a tick a second: power warms it, heat lowers its clock, counters keep what happened."""

from dataclasses import dataclass

from paceline.errors import BadValue

TICK_US = 1_000_000
LARGEST_CLOCK_MHZ = 1980
IDLE_CLOCK_MHZ = 345
MEMORY_CLOCK_MHZ = 2619
"""SM and memory clocks of an H100 SXM as nvidia-smi prints them (captures of driver 580, read 2026-11-29)."""

NVLINKS, NVLINK_GB_PER_S = 18, 26.562
"""NVLink links of an H100 SXM and what `nvidia-smi nvlink -s` says each carries each way (read 2026-11-29)."""

POWER_LIMIT_W = 700
IDLE_W = 75.0
WAITING_W = 160.0
BUSY_W = 640.0
"""Board power: its limit is the product's; the others are what published DCGM traces of dense training show for idling,
spinning in a collective and computing at full clock (typical values, calibrated to no one machine, 2026-11-30)."""

AIR_CELSIUS = 30.0
CELSIUS_PER_W = 0.062
"""Inlet air and thermal resistance: 640 W settle at 70 C, as healthy DGX H100s show 60 to 75 C under load."""
SETTLING_S = 20.0
MEMORY_WARMER_CELSIUS, BUSY_PER_MEMORY_BUSY = 8, 3
"""HBM over the GPU, and time with a kernel resident over time with memory busy (typical, calibrated to no machine)."""
SLOWDOWN_CELSIUS = 87.0
RECOVERED_CELSIUS = 85.0
STEP_MHZ = 15
"""Clocks move in steps of 15 MHz; above 87 C the driver lowers them (SW thermal slowdown), below 85 C it raises."""


@dataclass(slots=True)
class GpuBoard:
    """One board's state; `cooling` is the share of its cooling that works, `slowdown_us` the time slowed by heat.

    `links_down` of its NVLINKS NVLink links are inactive.
    """

    temperature_celsius: float = AIR_CELSIUS + IDLE_W * CELSIUS_PER_W
    clock_mhz: int = IDLE_CLOCK_MHZ
    power_w: float = IDLE_W
    utilization_percent: int = 0
    cooling: float = 1.0
    computing: float = 0.0
    slowdown_us: int = 0
    corrected_errors: int = 0
    uncorrected_errors: int = 0
    links_down: int = 0

    @property
    def link_share(self) -> float:
        """Its NVLink bandwidth over the rated one."""
        return 1 - self.links_down / NVLINKS

    @property
    def clock_share(self) -> float:
        """Its clock under load over the rated one."""
        return self.clock_mhz / LARGEST_CLOCK_MHZ if self.utilization_percent else 1.0

    @property
    def memory_celsius(self) -> int:
        """Its memory's temperature as tools print it."""
        return round(self.temperature_celsius) + MEMORY_WARMER_CELSIUS

    @property
    def memory_utilization_percent(self) -> int:
        """The share of time its memory is read or written."""
        return self.utilization_percent // BUSY_PER_MEMORY_BUSY

    @property
    def is_slowed(self) -> bool:
        """Whether heat holds its clock down now."""
        return self.utilization_percent > 0 and self.clock_mhz < LARGEST_CLOCK_MHZ

    def tick(self, computing: float) -> None:
        """One second in which it computes for that share of the time and otherwise waits in a collective; 0 is idle."""
        if not 0 <= computing <= 1:
            raise BadValue(f"a GPU computing {computing} of the time", "a share lies between 0 and 1")
        self.computing = computing
        if computing == 0:
            self.utilization_percent, self.clock_mhz = 0, IDLE_CLOCK_MHZ
            watts = IDLE_W
        else:
            if not self.utilization_percent:
                self.clock_mhz = LARGEST_CLOCK_MHZ
            # A kernel is resident also while it waits in a collective: utilization says nothing of who is slow.
            self.utilization_percent = 100
            self._govern()
            busy = WAITING_W + (BUSY_W - WAITING_W) * self.clock_mhz / LARGEST_CLOCK_MHZ
            watts = computing * busy + (1 - computing) * WAITING_W
        self.power_w = watts
        settles_at = AIR_CELSIUS + watts * CELSIUS_PER_W / self.cooling
        self.temperature_celsius += (settles_at - self.temperature_celsius) / SETTLING_S

    def _govern(self) -> None:
        over = self.temperature_celsius - SLOWDOWN_CELSIUS
        if over > 0:
            steps = 1 + int(over)
            self.clock_mhz = max(IDLE_CLOCK_MHZ, self.clock_mhz - STEP_MHZ * steps)
        elif self.temperature_celsius < RECOVERED_CELSIUS and self.clock_mhz < LARGEST_CLOCK_MHZ:
            self.clock_mhz += STEP_MHZ
        if self.clock_mhz < LARGEST_CLOCK_MHZ:
            self.slowdown_us += TICK_US


def cooling_for(clock_share: float) -> float:
    """The share of cooling with which a board under full load ends near that share of its clock."""
    busy = WAITING_W + (BUSY_W - WAITING_W) * clock_share
    return min(1.0, busy * CELSIUS_PER_W / (SLOWDOWN_CELSIUS - 1 - AIR_CELSIUS))
