"""`paceline plan`: what a job will take, what limits it, and what to change."""

import json
import math
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from paceline.app import plan_text
from paceline.errors import BadFile, BadInput, BadValue
from paceline.figures import figures
from paceline.records import Table
from paceline.scaling import sweep
from paceline.step import Run, Scenario, Settings, simulate
from paceline.units import parse_count
from paceline.workload import MODELS, Model, check_fits, find_model, model_from_config

LONGEST_DEFAULT_SEQ_LEN = 4096
LARGEST_FILE_BYTES = 10**6


class Count(click.ParamType[int]):
    """A whole positive count as people write it: 256, 262,144, 30B, 30e9."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The count, or a refusal that says how to write one."""
        option = param.opts[0] if param else "a count"
        if isinstance(value, int):
            return value
        try:
            count = parse_count(value)
        except BadInput as error:
            raise BadValue(
                f"{option} {error.given}", error.because, error.instead or "Write it as 256 or 30B."
            ) from None
        if not 1 <= count <= 10**18:
            raise BadValue(f"{option} {value[:40]!r}", "it lies between 1 and 10^18")
        return count


@click.command()
@click.option("--model", metavar="NAME|FILE", help="A model of the catalog, or a Hugging Face config.json.")
@click.option("--gpu", metavar="NAME", help="h100, h200, a100 or a100-40gb.")
@click.option("--gpus", type=Count(), metavar="N", help="World size, one rank a GPU.")
@click.option("--servers", type=Count(), metavar="N", help="Servers to spread them over.")
@click.option("--nics", type=Count(), metavar="N", help="Network cards of each server.")
@click.option("--global-batch", type=Count(), metavar="N", help="Sequences each step.")
@click.option("--micro-batch", type=Count(), metavar="N", help="Sequences at a time on a GPU, at most.")
@click.option("--seq-len", type=Count(), metavar="N", help="Tokens in a sequence; the model's context, 4,096 at most.")
@click.option("--tokens", type=Count(), metavar="N", help="Token budget, such as 30B.")
@click.option("--price", metavar="DOLLARS", help="Dollars for a GPU and hour.")
@click.option("--sweep", "show_sweep", is_flag=True, help="The same training on 1 to all GPUs, as a table.")
@click.option("--scenario", "scenario_file", metavar="FILE", help="A TOML file of these settings; options override it.")
@click.option("--json", "as_json", is_flag=True, help="Every figure, for programs.")
def plan(
    scenario_file: str | None, show_sweep: bool, as_json: bool, model: str | None, price: str | None, **options: Any
) -> None:
    """Predict a data-parallel training job: time, cost, efficiency, what limits it.

    Without options: the lesson's job, GPT-2 XL on 32 H100s.
    """
    settings = Settings()
    if scenario_file is not None:
        settings = settings.override(Table.read(read_text(scenario_file, "scenario"), scenario_file))
    given = {key: value for key, value in options.items() if value is not None}
    if model is not None or isinstance(settings.model, str):
        given["model"] = load_model(str(model if model is not None else settings.model))
    if price is not None:
        given["price"] = read_price(price)
    settings = replace(settings, **given)
    if not settings.seq_len and isinstance(settings.model, Model):
        settings = replace(settings, seq_len=min(settings.model.context, LONGEST_DEFAULT_SEQ_LEN))
    scenario = settings.scenario()
    check_fits(scenario.job, scenario.cluster.server.gpu.memory_bytes)
    run = simulate(scenario)
    if as_json:
        click.echo(json.dumps(as_data(run, settings, show_sweep), indent=2, sort_keys=True))
        return
    plan_text.show(run, sweep(scenario), show_sweep)


def load_model(name: str) -> Model:
    """The model of that catalog name, or of that config.json where the text is a path."""
    looks_like_path = name.endswith(".json") or "/" in name or "\\" in name or Path(name).exists()
    if name and looks_like_path and name not in MODELS:
        return model_from_config(read_text(name, "model"), name)
    return find_model(name)


def read_text(name: str, what: str) -> str:
    """The text of a user's file, or a refusal that says why it cannot be read."""
    path = Path(name)
    try:
        if path.is_dir():
            path = path / "config.json" if what == "model" else path
        if path.is_dir() or not path.is_file():
            raise BadFile(
                str(path) if name else "an empty name",
                "there is no such file" if not path.exists() else "this is no file",
            )
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise BadFile(name, "it is over 1 MB, far longer than such a file is")
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise BadFile(name, "this is not UTF-8 text") from None
    except (OSError, ValueError):
        raise BadFile(name, "it cannot be read") from None


def read_price(text: str) -> float:
    """Dollars for one GPU and hour, from 0."""
    try:
        value = float(text.removeprefix("$"))
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or not 0 <= value < 10**6:
        raise BadValue(f"--price {text[:40]!r}", "it is dollars for a GPU and hour, from 0 to a million", "Try 2.50.")
    return value


def as_data(run: Run, settings: Settings, with_sweep: bool) -> dict[str, Any]:
    """All that a run says, as plain values."""
    found = figures(run)
    rows = sweep(run.scenario).runs if with_sweep else ()
    return {
        "figures": {name: each.value for name, each in found.items()},
        "texts": {name: each.text for name, each in found.items()},
        "losses": [{"name": loss.name, "seconds": loss.seconds} for loss in run.losses],
        "memory_bill": [
            {"name": line.name, "bytes": line.bytes, "how": line.how} for line in run.scenario.job.memory_bill().lines
        ],
        "sweep": [{name: each.value for name, each in figures(row).items()} for row in rows],
        "validated": run.is_validated,
        "scenario": words(run.scenario, settings),
    }


def words(scenario: Scenario, settings: Settings) -> dict[str, Any]:
    """The settings a run was made from, by the names that a scenario file uses."""
    server = scenario.cluster.server
    given = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return given | {
        "model": scenario.job.model.name,
        "gpu": server.gpu.name,
        "servers": scenario.cluster.servers,
        "nics": server.nics,
        "nic": server.nic.name,
        "seq_len": scenario.job.seq_len,
    }
