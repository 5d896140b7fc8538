"""What `nvidia-smi nvlink -s` of driver 580 prints, and the same read back: each GPU's NVLink links and their rates."""

import re
from dataclasses import dataclass

from paceline.errors import BadValue
from paceline.formats.line import lines_of, refusal, split

INACTIVE = "<inactive>"
_GPU = re.compile(r"GPU (\d{1,3}): (.+) \(UUID: (GPU-[0-9a-f-]{1,64})\)", re.ASCII)
_LINK = re.compile(r"\s+Link (\d{1,3}): (?:<inactive>|(\d{1,4}(?:\.\d{1,3})?) GB/s)", re.ASCII)
_NAME = re.compile(r"[^()]*[^()\s]")


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU and its links' rates in GB/s, each way; None for a link that is not active."""

    index: int
    name: str
    uuid: str
    links_gb_per_s: tuple[float | None, ...]

    def __post_init__(self) -> None:
        head = _GPU.fullmatch(f"GPU {self.index}: {self.name} (UUID: {self.uuid})")
        if head is None or not _NAME.fullmatch(self.name) or not self.name.isprintable() or self.name[0].isspace():
            raise BadValue(f"GPU {self.index} {self.name!r} {self.uuid!r}", "its head would not read back as written")
        for rate in self.links_gb_per_s:
            if rate is not None and not (0 <= rate < 10**4 and float(f"{rate:.3f}") == rate):
                raise BadValue(f"a link of {rate} GB/s", "rates are printed with three digits after the point")

    @property
    def inactive(self) -> tuple[int, ...]:
        """The links that are not active, by number."""
        return tuple(number for number, rate in enumerate(self.links_gb_per_s) if rate is None)


def render(gpus: tuple[Gpu, ...]) -> str:
    """The print of some GPUs."""
    lines = []
    for gpu in gpus:
        lines.append(f"GPU {gpu.index}: {gpu.name} (UUID: {gpu.uuid})")
        for number, rate in enumerate(gpu.links_gb_per_s):
            lines.append(f"\t Link {number}: {INACTIVE if rate is None else f'{rate:.3f} GB/s'}")
    return "".join(f"{line}\n" for line in lines)


def parse(text: str) -> tuple[Gpu, ...]:
    """The GPUs of such a print; refuses a line that is none of its own, with its place."""
    found: list[tuple[int, str, str, list[float | None]]] = []
    for number, line in enumerate(lines_of(text), 1):
        plain = split(line)[1].rstrip()
        if match := _GPU.fullmatch(plain.strip()):
            found.append((int(match[1]), match[2], match[3], []))
        elif (match := _LINK.fullmatch(plain)) and found and int(match[1]) == len(found[-1][3]):
            found[-1][3].append(float(match[2]) if match[2] else None)
        elif plain:
            raise refusal(number, line, "GPU N: its name and UUID, then Link 0, Link 1 and so on, each with its rate")
    if not found:
        raise refusal(1, text.partition("\n")[0], "GPU N: its name and UUID")
    return tuple(Gpu(index, name, uuid, tuple(links)) for index, name, uuid, links in found)
