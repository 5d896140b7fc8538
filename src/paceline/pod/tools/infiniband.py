"""ibstat, perfquery and ibqueryerrors: the host's ports, and from any host those of all servers and leaves."""

from paceline.formats import ibqueryerrors as errors
from paceline.formats import ibstat as stat
from paceline.formats import perfquery as perf
from paceline.pod.machine_room import GPUS, HOSTS, MachineRoom
from paceline.pod.port import Port
from paceline.pod.tools.options import read_options
from paceline.shell import Call, Failed, Output, Steps

CA_TYPE, FIRMWARE = "MT4129", "28.39.2048"
"""ConnectX-7."""
LEAF_GUID, CA_GUID = 0x9C0591030045A000, 0x946DAE0300120000
SM_LID, FIRST_LEAF_LID = 1, 2


def _number(host: str) -> int:
    return HOSTS.index(host)


def lid_of(host: str, index: int) -> int:
    """A port's address on the fabric."""
    return 20 + _number(host) * GPUS + index


def guid_of(host: str, index: int) -> int:
    """A port's lasting name."""
    return CA_GUID + (_number(host) << 8) + index


def ibstat(room: MachineRoom, call: Call) -> Steps:
    """ibstat [-l] [CA]: this host's InfiniBand adapters, their state and rate."""
    options = read_options(call.args, {"-l": "list", "--list_of_cas": "list", "-s": "short"}, ("list", "short"))
    names = [f"mlx5_{index}" for index in range(GPUS)]
    if options.get("list"):
        yield Output("".join(f"{name}\n" for name in names))
        return 0
    wanted = options.words[:1] or tuple(names)
    if not set(wanted) <= set(names):
        raise Failed(f"'{wanted[0]}' IB device can't be found", 255)
    yield Output(stat.render([_ca(room, call.host, int(name[5:])) for name in wanted]))
    return 0


def _ca(room: MachineRoom, host: str, index: int) -> stat.Ca:
    port = room.ports[host, index]
    guid = guid_of(host, index)
    shown = stat.Port(
        1, "Active" if port.is_up else "Down", "LinkUp" if port.is_up else "Polling", float(port.rate_gbit or 10),
        lid_of(host, index) if port.is_up else 65535, 0, SM_LID if port.is_up else 0, 0xA651E848, guid, "InfiniBand",
    )  # fmt: skip
    return stat.Ca(f"mlx5_{index}", (shown,), CA_TYPE, FIRMWARE, "0", guid, guid)


def perfquery(room: MachineRoom, call: Call) -> Steps:
    """perfquery [-x] [-C CA | LID] [-r | -R]: the counters of a port, and with -r or -R their reset."""
    known = {"-x": "extended", "-C": "ca", "--Ca": "ca", "-P": "port", "-r": "reset", "-R": "resetonly"}
    options = read_options(call.args, known, ("extended", "reset", "resetonly"))
    host, index = call.host, 0
    if options.get("ca"):
        index = _index(options.get("ca"))
    elif options.words:
        host, index = _place(options.words[0])
    port = room.ports[host, index]
    if not options.get("resetonly"):
        extended = bool(options.get("extended"))
        cap_mask2 = 0x2 if extended else None
        yield Output(
            perf.render(
                [perf.Reading(f"Lid {lid_of(host, index)}", 1, _counters(port, extended), 0x5A00, cap_mask2, extended)]
            )
        )
    if options.get("reset") or options.get("resetonly"):
        port.clear()
    return 0


def _index(name: str) -> int:
    if name not in [f"mlx5_{index}" for index in range(GPUS)]:
        raise Failed(f"can't open UMAD port ({name}:0)", 255)
    return int(name[5:])


def _place(lid: str) -> tuple[str, int]:
    for host in HOSTS:
        for index in range(GPUS):
            if str(lid_of(host, index)) == lid:
                return host, index
    raise Failed(f"can't resolve destination port {lid}", 255)


def _counters(port: Port, extended: bool) -> tuple[tuple[str, int], ...]:
    words = port.sent_bytes // perf.BYTES_PER_WORD, port.received_bytes // perf.BYTES_PER_WORD
    values = {
        "PortSelect": 1, "PortXmitData": words[0], "PortRcvData": words[1], "PortXmitPkts": port.sent_packets,
        "PortRcvPkts": port.received_packets, "PortUnicastXmitPkts": port.sent_packets,
        "PortUnicastRcvPkts": port.received_packets, "SymbolErrorCounter": port.symbol_errors,
        "LinkErrorRecoveryCounter": port.recoveries, "LinkDownedCounter": port.downed, "CounterSelect": 0,
    }  # fmt: skip
    fields = perf.EXTENDED if extended else perf.CLASSIC
    # Classic counters stick at their largest value, as the hardware's do.
    return tuple((name, min(values.get(name, 0), (1 << bits) - 1)) for name, bits in fields.items())


def ibqueryerrors(room: MachineRoom, call: Call) -> Steps:
    """ibqueryerrors [-r]: the ports of the whole fabric that counted errors, on both ends of a cable."""
    read_options(call.args, {"-r": "report", "--report-port": "report"}, ("report",))
    nodes = []
    for index in range(GPUS):
        bad = [(host, room.leaf_ports[host, index]) for host in HOSTS]
        ports = tuple(
            errors.PortErrors(LEAF_GUID + index, 1 + _number(host), _counts(port))
            for host, port in bad
            if _counts(port)
        )
        if ports:
            nodes.append(errors.Node(f"leaf-{index}", ports, LEAF_GUID + index))
    for host in HOSTS:
        for index in range(GPUS):
            counts = _counts(room.ports[host, index])
            if counts:
                found = errors.PortErrors(guid_of(host, index), 1, counts)
                nodes.append(errors.Node(f"{host} mlx5_{index}", (found,)))
    total = GPUS + len(HOSTS) * GPUS
    yield Output(errors.render(errors.Report(tuple(nodes), total, 2 * len(HOSTS) * GPUS)))
    return 0


def _counts(port: Port) -> tuple[errors.Count, ...]:
    values = (
        ("SymbolErrorCounter", port.symbol_errors), ("LinkErrorRecoveryCounter", port.recoveries),
        ("LinkDownedCounter", port.downed),
    )  # fmt: skip
    return tuple(errors.Count(name, value, False) for name, value in values if value)
