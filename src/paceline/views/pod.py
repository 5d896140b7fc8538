"""The pod view: dgx-1 with its GPUs, what each does and holds, the batch dealt out, and the ring's path."""

from typing import Any

from paceline.pod import Ring, TrainingJob
from paceline.units import show_rate

SERVER = "dgx-1"
GPUS = 8
_WORDS = {"idle": "no job yet", "running": "training", "paused": "paused", "done": "done", "failed": "out of memory"}


def training_pod(world: TrainingJob) -> dict[str, Any]:
    """A job on the GPUs of one server: state, memory and share of the batch a tile."""
    found = world.readings()
    gpus = world.settings.gpus
    memory = found["memory_bytes"]
    share = int(found["sequences_per_gpu"].value)
    micro_batch = int(found["micro_batch"].value)
    state = {"idle": "idle", "running": "working", "paused": "held", "done": "done", "failed": "idle"}[world.state]
    tiles = []
    for rank in range(GPUS):
        used = rank < gpus
        tiles.append(
            {
                "rank": rank,
                "state": state if used else "idle",
                "memory": memory.text if used else "",
                "memory_per_mille": round(1000 * memory.value / found["gpu_memory_bytes"].value) if used else 0,
                "sequences": share if used else 0,
            }
        )
    plural = "GPU" if gpus == 1 else "GPUs"
    words = (
        f"{SERVER}, {gpus} {plural}, {_WORDS[world.state]}: each takes {share:,} of {world.settings.global_batch:,} "
        f"sequences a step and holds the whole model in {memory.text} of {found['gpu_memory_bytes'].text}."
    )
    if gpus < GPUS:
        words += f" The other {GPUS - gpus} {'is' if GPUS - gpus == 1 else 'are'} idle."
    rows = [
        [str(tile["rank"]), _tile_words(world, bool(tile["sequences"])), str(tile["sequences"]), str(tile["memory"])]
        for tile in tiles
    ]
    return {
        "claim": found["step_s"].text,
        "claim_words": f"a step on {gpus} {plural}",
        "server": SERVER,
        "tiles": tiles,
        "batch": {
            "sequences": world.settings.global_batch,
            "micro_batch": micro_batch,
            "micro_batches": world.settings.global_batch // micro_batch,
            "words": f"One step: {world.settings.global_batch:,} sequences, {share:,} to a GPU, "
            f"{micro_batch} at a time",
        },
        "hops": [],
        "words": words,
        "twin": {
            "caption": f"GPUs of {SERVER}",
            "columns": ["Rank", "State", "Sequences a step", "Memory"],
            "rows": rows,
        },
    }


def _tile_words(world: TrainingJob, used: bool) -> str:
    return _WORDS[world.state] if used else "idle, no job"


def ring_pod(world: Ring) -> dict[str, Any]:
    """The ring's path over the GPUs of one server, the slowed link marked."""
    found = world.readings()
    link, slow = found["link_bytes_per_s"], found["slowest_bytes_per_s"]
    hops = []
    for sender in range(world.ranks):
        is_slow = sender == world.slow_sender
        text = f"{show_rate(slow.value)} of {link.text}" if is_slow else link.text
        hops.append({"sender": sender, "receiver": (sender + 1) % world.ranks, "slow": is_slow, "text": text})
    tiles = [
        {
            "rank": rank,
            "state": "working" if rank < world.ranks else "idle",
            "memory": "",
            "memory_per_mille": 0,
            "sequences": 0,
        }
        for rank in range(GPUS)
    ]
    words = f"The ring goes from each of {world.ranks} GPUs of {SERVER} to the next, and from the last to the first."
    if world.slow_sender >= 0:
        hop = hops[world.slow_sender]
        words += f" The link from {hop['sender']} to {hop['receiver']} runs at {hop['text']}."
    return {
        "claim": found["ring_time_s"].text,
        "claim_words": "for the whole ring, by the law",
        "server": SERVER,
        "tiles": tiles,
        "batch": None,
        "hops": hops,
        "words": words,
        "twin": {
            "caption": "Links of the ring",
            "columns": ["From", "To", "Speed"],
            "rows": [[f"GPU {hop['sender']}", f"GPU {hop['receiver']}", str(hop["text"])] for hop in hops],
        },
    }
