"""What NCCL finds on some hosts of the pod, and says of it at the start with NCCL_DEBUG=INFO."""

from collections.abc import Collection, Mapping, Sequence

from paceline.formats import nccl_log
from paceline.formats.nccl_start import Start, start_up
from paceline.pod.port import Port

FIRST_PID = 41_000
"""The process of a host's first rank, as its tools number it."""
WITHOUT_IB = ("1", "true", "yes")


def transport_faults(environment: Mapping[str, str], fabric: Collection[str]) -> list[str]:
    """What the fabric or a job's own environment does to NCCL's transport, as a kind of fault."""
    if environment.get("NCCL_IB_DISABLE", "0").lower() in WITHOUT_IB or "socket-fallback" in fabric:
        return ["socket-fallback"]
    if environment.get("NCCL_NET_GDR_LEVEL", "").upper() in ("LOC", "0") or "no-gpu-direct" in fabric:
        return ["no-gpu-direct"]
    return []


def nccl_words(
    ports: Mapping[tuple[str, int], Port],
    hosts: Sequence[str],
    per_host: int,
    environment: Mapping[str, str],
    fabric: Collection[str],
) -> str:
    """The log of every rank, `per_host` on each host."""
    kinds = transport_faults(environment, fabric)
    start = Start(
        hosts=tuple(hosts),
        addresses=tuple(f"10.0.0.{10 + int(host.rpartition('-')[2])}" for host in hosts),
        gpus_per_server=per_host,
        pids=tuple(FIRST_PID + rank for rank in range(len(hosts) * per_host)),
        hcas=tuple(f"mlx5_{index}" for index in range(per_host)),
        network="Socket" if "socket-fallback" in kinds else "IB",
        gdrdma=not kinds,
        environment=tuple(
            (name, value)
            for name, value in sorted(environment.items())
            if name.startswith("NCCL_") and name != "NCCL_DEBUG"
        ),
        down=tuple((host, index) for host in hosts for index in range(per_host) if not ports[host, index].is_up),
    )
    return nccl_log.render(start_up(start))
