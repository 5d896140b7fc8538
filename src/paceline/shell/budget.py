"""The bounds of a command line, so that whatever is typed ends: rounds, work, output, nesting."""

from dataclasses import dataclass

from paceline.errors import PacelineError

OUTPUT_PER_COMMAND = 200_000
OUTPUT_PER_LINE = 1_000_000
LONGEST_VALUE = 200_000
ROUNDS = 10_000
NESTING = 50
WORK = 200_000
"""In commands, expansions and hundreds of characters handled."""
CHARACTERS_PER_WORK = 100
TOO_MUCH_CODE = 141


class TooMuch(PacelineError):
    """A command line that would not end, or not soon; the whole line stops with exit code 141."""


@dataclass(slots=True)
class Budget:
    """What one command line, or one background job, may still use."""

    rounds_left: int = ROUNDS
    work_left: int = WORK
    output_left: int = OUTPUT_PER_LINE

    def work(self, characters: int = 0) -> None:
        """Count one piece of work that handles so many characters."""
        self.work_left -= 1 + characters // CHARACTERS_PER_WORK
        if self.work_left < 0:
            raise TooMuch("stopped: this line does more work than a line may here")

    def loop(self) -> None:
        """Count one round of a loop."""
        self.rounds_left -= 1
        if self.rounds_left < 0:
            raise TooMuch(f"stopped: more than {ROUNDS:,} rounds of loops in one line")

    def show(self, characters: int) -> None:
        """Count output of any command in the line."""
        self.work(characters)
        self.output_left -= characters
        if self.output_left < 0:
            raise TooMuch(f"stopped: more than {OUTPUT_PER_LINE:,} characters of output in one line")
