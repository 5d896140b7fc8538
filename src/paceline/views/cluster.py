"""The cluster view: up to four servers with their GPUs and NICs, the path of one ring, and which tier limits it."""

from typing import Any

from paceline.collective import Tiers
from paceline.pod import TrainingJob
from paceline.step import Run
from paceline.units import GB, show_percent, show_rate

MOST_SERVERS = 4
SLOT_SHARE = 0.9
"""Below so much of its label a NIC is held back by its slot, rather than a little short of a round number."""
_STATES = {"idle": "idle", "running": "working", "paused": "held", "done": "done", "failed": "refused"}
_WORDS = {"idle": "idle", "running": "training", "paused": "paused", "done": "done", "failed": "out of memory"}


def cluster(world: TrainingJob) -> dict[str, Any]:
    """The job's servers as they are, and the claim that fits what is wrong or slow."""
    run, found = world.run, world.readings()
    hardware = run.scenario.cluster
    shown = min(hardware.servers, MOST_SERVERS)
    slow = dict(run.slow_ranks)
    tiers = _tiers(run)
    servers = [_server(world, run, number, slow) for number in range(shown)]
    left = hardware.servers - shown
    hops = _hops(shown, hardware.gpus_per_server, hardware.nics_in_use) if not left else []
    state = _WORDS[world.state]
    plural = "GPU" if world.settings.gpus == 1 else "GPUs"
    where = f"{hardware.servers} servers" if hardware.servers > 1 else "dgx-1"
    words = f"{world.settings.gpus} {plural} of {where}, {state}"
    words += "." if world.state == "failed" else f"; a step takes {found['step_s'].text}."
    words += "".join(
        f" GPU {rank} runs at {show_percent(speed)} of its clock, and the others wait for it."
        for rank, speed in run.slow_ranks
    )
    limiting = next((tier for tier in tiers if tier["limits"]), None)
    if limiting:
        words += f" A ring over all of them moves {found['busbw_bytes_per_s'].text}: {_limits(limiting['name'])}."
    by_bandwidth = bool(limiting) and not slow
    return {
        "claim": found["busbw_bytes_per_s"].text if by_bandwidth else found["step_s"].text,
        "claim_words": f"busbw: {_limits(limiting['name'])}"
        if by_bandwidth and limiting
        else f"a step on {world.settings.gpus} {plural}",
        "servers": servers,
        "more": f"and {left} more {'server' if left == 1 else 'servers'} like these" if left > 0 else "",
        "hops": hops,
        "tiers": tiers,
        "batch": f"One step: {found['global_batch'].text} sequences, {found['sequences_per_gpu'].text} to a GPU, "
        f"{found['micro_batch'].text} at a time",
        "words": words,
        "twin": {
            "caption": "GPUs and the NIC each leaves by",
            "columns": ["Rank", "Host", "GPU", "State", "Clock", "NIC"],
            "rows": _rows(world, run, slow, shown),
        },
    }


def _limits(name: str) -> str:
    return f"{name} {'limits' if name == 'NVLink' or name.startswith('1 ') else 'limit'} it"


def _server(world: TrainingJob, run: Run, number: int, slow: dict[int, float]) -> dict[str, Any]:
    hardware = run.scenario.cluster
    tiles = []
    for local in range(hardware.gpus_per_server):
        rank = hardware.rank_of(number, local)
        tiles.append(
            {
                "rank": rank,
                "state": _STATES[world.state],
                "note": f"{show_percent(slow[rank])} clock" if rank in slow else "",
                "fault": rank in slow,
            }
        )
    rated = hardware.server.nic_effective_bytes_per_s
    nics = []
    for index in range(hardware.nics_in_use):
        share = hardware.share("nic", number, index) if hardware.servers > 1 else 1.0
        text = f"{show_rate(rated * share)} of {show_rate(rated)}" if share < 1 else ""
        nics.append({"index": index, "used": hardware.servers > 1, "fault": share < 1, "text": text})
    return {"name": hardware.host(number), "tiles": tiles, "nics": nics}


def _tiers(run: Run) -> list[dict[str, Any]]:
    hardware = run.scenario.cluster
    if hardware.world_size == 1:
        return []
    tiers = Tiers.of(hardware)
    limit = tiers.ring
    if hardware.servers == 1:
        return [{"name": "NVLink", "text": show_rate(limit.busbw_bytes_per_s), "limits": True}]
    in_server = tiers.nvlink_gb_per_s * tiers.gpus / max(1, tiers.gpus - 1)
    count = hardware.nics_in_use
    label, plural = hardware.server.nic.label, "" if count == 1 else "s"
    name = f"{count} NIC{plural} of {label}"
    if hardware.server.nic_effective_bytes_per_s < hardware.server.nic.unidirectional_bytes_per_s * SLOT_SHARE:
        name = f"{count} PCIe slot{plural} under NICs of {label}"
    name = {"nic": name, "host memory": f"{name}, staged in host memory", "sockets": "TCP sockets"}[tiers.network_name]
    nvlink = {"name": "NVLink", "text": show_rate(in_server * GB), "limits": limit.name == "nvlink"}
    network = {"name": name, "text": show_rate(tiers.network_gb_per_s * GB), "limits": limit.name != "nvlink"}
    return [nvlink, network] if tiers.gpus > 1 else [network]


def _hops(servers: int, gpus: int, nics: int) -> list[dict[str, Any]]:
    """One ring: along a server, by the NIC of its last GPU to the next server and back along it, and home.

    With one NIC a server the ring leaves and enters by that one.
    """
    order: list[int] = []
    for server in range(servers):
        along = range(gpus) if server % 2 == 0 or nics == 1 else range(gpus - 1, -1, -1)
        order += [server * gpus + local for local in along]
    hops = []
    for sender, receiver in zip(order, [*order[1:], order[0]], strict=True):
        if sender == receiver:
            continue
        crosses = sender // gpus != receiver // gpus
        hops.append(
            {
                "sender": sender,
                "receiver": receiver,
                "out": sender % gpus * nics // gpus if crosses else -1,
                "into": receiver % gpus * nics // gpus if crosses else -1,
                "slow": False,
            }
        )
    return hops


def _rows(world: TrainingJob, run: Run, slow: dict[int, float], shown: int) -> list[list[str]]:
    hardware = run.scenario.cluster
    each = hardware.gpus_per_server
    return [
        [
            str(rank), hardware.host(rank // each), str(rank % each), _WORDS[world.state],
            show_percent(slow.get(rank, 1.0)),
            f"NIC {rank % each * hardware.nics_in_use // each}" if hardware.servers > 1 else "none",
        ]
        for rank in range(shown * each)
    ]  # fmt: skip
