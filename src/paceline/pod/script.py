"""The world of a training script: its lines, four edits to it, and what each leads to on the GPUs of one server."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from paceline.errors import BadFile, BadValue
from paceline.figures import Figure, figures
from paceline.pod.comparison import run_of
from paceline.pod.knob import KNOBS
from paceline.pod.world import World
from paceline.records import Table

FOLDER = Path(__file__).parent.parent / "lessons" / "data-parallel" / "scripts"
EPOCHS = 3
"""As many as the script's loop has."""
NO_DEVICE, NO_SAMPLER, NO_EPOCH, WRAPPED_FIRST = 1, 2, 3, 4
REFUSED = (NO_DEVICE, WRAPPED_FIRST)


_figures = lru_cache(maxsize=8)(lambda settings: figures(run_of(settings)))


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines of the script and what stands in their place; `say` and `error` hold readings in braces.

    `stops` is the line at which the run ends, empty where it does not.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    say: str
    error: str
    stops: str


@dataclass(frozen=True, slots=True)
class TrainingScript:
    """The script's text, what its lines do in the pod, by line number from 1, and the edits."""

    file: str
    lines: tuple[str, ...]
    effects: Mapping[int, str]
    edits: tuple[Edit, ...]

    def edited(self, edit: int) -> tuple[tuple[str, ...], dict[int, str]]:
        """The lines with one edit (0 for none), and the lines it changed with what stood there."""
        if not edit:
            return self.lines, {}
        lines, was = list(self.lines), {}
        change = self.edits[edit - 1]
        for old, new in zip(change.old, change.new, strict=True):
            at = _line_of(self.lines, old)
            was[at] = self.lines[at - 1]
            lines[at - 1] = self.lines[at - 1].replace(old, new)
        return tuple(lines), was


def _line_of(lines: tuple[str, ...], code: str) -> int:
    found = [number for number, line in enumerate(lines, start=1) if line.strip() == code]
    if len(found) != 1:
        raise BadFile("script.toml", f"the script has {len(found)} lines {code!r}, and must have one")
    return found[0]


@lru_cache(maxsize=1)
def training_script() -> TrainingScript:
    """The lesson's script as its files say it."""
    table = Table.read((FOLDER / "script.toml").read_text(encoding="utf-8"), "script.toml")
    file = str(table.get("file", str))
    lines = tuple((FOLDER / file).read_text(encoding="utf-8").replace("\r\n", "\n").rstrip("\n").split("\n"))
    effects = {_line_of(lines, each["code"]): str(each["say"]) for each in table.get("line", list)}
    edits = tuple(
        Edit(tuple(each["old"]), tuple(each["new"]), each["say"], each.get("error", ""), each.get("stops", ""))
        for each in table.get("edit", list)
    )
    return TrainingScript(file, lines, effects, edits)


def shard(sequences_count: int, rank: int, world_size: int) -> tuple[int, ...]:
    """Places in the shuffled order that a rank takes, as torch's DistributedSampler deals them out."""
    return tuple(range(rank, sequences_count, world_size))


@dataclass(slots=True)
class Script(World):
    """Which edit is in, which line is looked at, and which edits were tried."""

    kind: ClassVar[str] = "script"
    knobs_known: ClassVar[tuple[str, ...]] = ("edit", "line")
    labels: ClassVar[Mapping[str, tuple[str, str]]] = {
        "processes": ("count", "Processes"),
        "gpus_busy": ("count", "GPUs computing"),
        "sequences_per_gpu": ("count", "Sequences per GPU"),
        "global_batch": ("count", "Global batch"),
        "distinct_sequences": ("count", "Sequences, distinct"),
        "orders_seen": ("count", "Orders seen"),
        "epochs": ("count", "Epochs"),
        "memory_bytes": ("GB", "Memory per process"),
        "memory_on_gpu_0": ("GB", "Memory on GPU 0"),
        "gpu_memory_bytes": ("GB", "A GPU holds"),
        "time_to_train_s": ("s", "Time to train"),
        "healthy_time_s": ("s", "As written"),
        "comm_s": ("s", "All-reduce"),
        "exposed_comm_s": ("s", "Exposed"),
        "parameters": ("large count", "Parameters"),
        "buckets": ("count", "Buckets"),
        "line": ("count", "Line"),
        "edit": ("count", "Edit"),
        "edits_tried": ("count", "Edits tried"),
        "mended": ("count", "Right again"),
    }

    edit: int = 0
    line: int = 13
    tried: tuple[int, ...] = ()

    @property
    def script(self) -> TrainingScript:
        """The script with its effects and edits."""
        return training_script()

    @property
    def state(self) -> str:
        """Nothing runs here: a script is read."""
        return "idle"

    def own_actions(self) -> tuple[str, ...]:
        """An edit is tried by running the script."""
        return ("start",)

    def own(self, name: str, action: Mapping[str, object]) -> None:
        """Run the script as it stands."""
        self.happened("script", "refused" if self.edit in REFUSED else "ran", edit=str(self.edit))
        if self.edit and self.edit not in self.tried:
            self.tried = tuple(sorted((*self.tried, self.edit)))

    def pass_time(self, microseconds: int) -> None:
        """Nothing."""

    def turn(self, name: str, value: int) -> None:
        """Put an edit in, or look at a line."""
        if name == "edit":
            self.edit = value
        elif value > len(self.script.lines):
            raise BadValue(f"line {value}", f"the script has {len(self.script.lines)}", "Choose one that it has.")
        else:
            self.line = value

    @property
    def knobs(self) -> dict[str, int]:
        """Where both stand."""
        return {"edit": self.edit, "line": self.line}

    def gpu_of(self, rank: int) -> int:
        """The GPU a process computes on; -1 for none."""
        if self.edit == WRAPPED_FIRST:
            return -1
        return 0 if self.edit == NO_DEVICE else rank

    def readings(self) -> dict[str, Figure]:
        """What the script as it stands does."""
        found = _figures(self.settings)
        processes = self.settings.gpus
        share = self.settings.global_batch // processes
        dealt = {
            place
            for rank in range(processes)
            for place in (
                range(share) if self.edit == NO_SAMPLER else shard(self.settings.global_batch, rank, processes)
            )
        }
        memory = int(found["memory_bytes"].value)
        time_s = found["time_to_train_s"].value
        on_gpu_0 = len([rank for rank in range(processes) if self.gpu_of(rank) == 0])
        values: dict[str, float | int] = {
            "processes": processes,
            "gpus_busy": 0 if self.edit in REFUSED else processes,
            "sequences_per_gpu": share,
            "global_batch": self.settings.global_batch,
            "distinct_sequences": len(dealt),
            "orders_seen": 1 if self.edit == NO_EPOCH else EPOCHS,
            "epochs": EPOCHS,
            "memory_bytes": memory,
            "memory_on_gpu_0": memory * on_gpu_0,
            "gpu_memory_bytes": found["gpu_memory_bytes"].value,
            "time_to_train_s": time_s * self.settings.global_batch / len(dealt),
            "healthy_time_s": time_s,
            "comm_s": found["comm_s"].value,
            "exposed_comm_s": found["exposed_comm_s"].value,
            "parameters": found["parameters"].value,
            "buckets": found["buckets"].value,
            "line": self.line,
            "edit": self.edit,
            "edits_tried": len(self.tried),
            "mended": int(len(self.tried) == len(self.script.edits) and not self.edit),
        }
        found_here = {name: self.reading(name, value) for name, value in values.items()}
        found_here["edit"] = replace(found_here["edit"], text=KNOBS["edit"].text(self.edit))
        if self.edit in REFUSED:
            found_here["time_to_train_s"] = replace(found_here["time_to_train_s"], text="never")
        return found_here

    def filled(self, *texts: str) -> tuple[str, ...]:
        """Texts of the script's file with the readings in their holes."""
        found = {name: reading.text for name, reading in self.readings().items()}
        return tuple(text.format_map(found) for text in texts)
