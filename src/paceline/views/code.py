"""The code view: a training script, what each line does in the pod, and where its processes compute."""

from typing import Any

from paceline.pod.script import NO_SAMPLER, REFUSED, Script, shard

_SHOWN = 3
NEVER = "Never reached: the run has ended before."


def code(world: Script) -> dict[str, Any]:
    """The script with its edit, the chosen line lit, and the processes."""
    script, found = world.script, world.readings()
    lines, was = script.edited(world.edit)
    # What a changed line did, it does no more: the consequence says what it does now.
    numbers = range(1, len(lines) + 1)
    effects = list(world.filled(*("" if number in was else script.effects.get(number, "") for number in numbers)))
    edit = script.edits[world.edit - 1] if world.edit else None
    if edit and edit.stops:
        end = next(number for number, line in enumerate(lines, start=1) if line.strip() == edit.stops)
        effects[end:] = [NEVER if effect else "" for effect in effects[end:]]
    consequence, error = world.filled(edit.say, edit.error) if edit else ("", "")
    effect = effects[world.line - 1]
    said = f"Line {world.line}: {effect}" if effect else f"Line {world.line} has no effect of its own in the pod."
    busy = found["gpus_busy"].text
    return {
        "claim": f"{busy} of {found['processes'].text}",
        "claim_words": "GPUs compute",
        "file": script.file,
        "text": "\n".join(lines),
        "effects": effects,
        "chosen": world.line,
        "changed": [{"line": line, "was": text} for line, text in sorted(was.items())],
        "processes": [_process(world, rank) for rank in range(world.settings.gpus)],
        "consequence": consequence,
        "error": error,
        "words": f"{said} {consequence}".strip(),
        "twin": {
            "caption": f"Lines of {script.file} and what they do in the pod",
            "columns": ["Line", "Code", "In the pod"],
            "rows": [
                [str(number), line.strip(), effects[number - 1]]
                for number, line in enumerate(lines, start=1)
                if effects[number - 1] or number in was
            ],
        },
    }


def _process(world: Script, rank: int) -> dict[str, Any]:
    gpu = world.gpu_of(rank)
    count, ranks = world.settings.global_batch, world.settings.gpus
    places = range(count // ranks) if world.edit == NO_SAMPLER else shard(count, rank, ranks)
    dealt = f"places {', '.join(str(place) for place in places[:_SHOWN])}, …"
    return {
        "rank": rank,
        "gpu": gpu,
        "text": "" if world.edit in REFUSED else dealt,
        "lit": bool(world.script.effects.get(world.line)),
        "moved": gpu != rank or world.edit == NO_SAMPLER,
    }
