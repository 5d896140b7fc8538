"""What NCCL 2.28.9 logs at NCCL_DEBUG=INFO while a job's ranks find each other: rings, trees and transports.

The words and their order are those of public logs of 2.26.2 (two servers of 8 H100) and 2.28.9; addresses,
pointers and core numbers are made up from the rank. Real ranks interleave; here each phase goes rank by rank.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from paceline.errors import BadValue
from paceline.formats.nccl_log import Log, Record

DGX_H100_BUS_IDS = ("1b000", "43000", "52000", "61000", "9d000", "c3000", "d1000", "df000")
ONE_SERVER_CHANNELS = 24
NVLS_CHANNELS = 16
LONGEST_RING = 128
NETWORKS = ("IB", "Socket")
_LISTED = ("NCCL_SOCKET_IFNAME", "NCCL_IB_HCA")
"""Variables of which 2.28 says "set to" instead of "set by environment to"."""


@dataclass(frozen=True, slots=True)
class Start:
    """A job as NCCL sees it: its hosts with their IP addresses, the GPUs and InfiniBand ports of each.

    `network` is IB or Socket; `gdrdma` whether the ports reach GPU memory themselves; `environment` the NCCL
    variables set; `pids` each rank's process; `down` the hosts' ports, by index, whose links are down.
    """

    hosts: tuple[str, ...]
    addresses: tuple[str, ...]
    gpus_per_server: int
    pids: tuple[int, ...]
    hcas: tuple[str, ...]
    network: str = "IB"
    gdrdma: bool = True
    interface: str = "eth0"
    environment: tuple[tuple[str, str], ...] = ()
    nvls: bool = True
    down: tuple[tuple[str, int], ...] = ()
    version: str = "2.28.9+cuda12.9"
    driver: int = 12090

    def __post_init__(self) -> None:
        if not self.hosts or len(self.hosts) != len(self.addresses) or not 1 <= self.gpus_per_server <= 8:
            raise BadValue(
                f"{len(self.hosts)} servers of {self.gpus_per_server} GPUs", "each has an address, 1 to 8 GPUs"
            )
        if len(self.pids) != self.world_size:
            raise BadValue(f"{len(self.pids)} processes for {self.world_size} ranks", "each rank is one")
        if self.network not in NETWORKS:
            raise BadValue(f"network {self.network!r}", f"NCCL has {' and '.join(NETWORKS)} built in")
        if self.network == "IB" and (not self.hcas or self.gpus_per_server % len(self.hcas)):
            raise BadValue(f"{len(self.hcas)} ports for {self.gpus_per_server} GPUs", "each port serves as many GPUs")

    def device(self, server: int, port: int) -> int:
        """NCCL's number for a server's port, which counts links that are up: a lost one's traffic takes a neighbour."""
        host = self.hosts[server]
        up = [index for index in range(self.ports) if self.network != "IB" or (host, index) not in self.down]
        return up.index(min(up, key=lambda index: abs(index - port))) if up else 0

    @property
    def world_size(self) -> int:
        """The number of ranks, server by server."""
        return len(self.hosts) * self.gpus_per_server

    @property
    def ports(self) -> int:
        """Network devices of each server."""
        return len(self.hcas) if self.network == "IB" else 1

    @property
    def channels(self) -> int:
        """Rings NCCL makes: two for each port, or what NVLink carries in one server."""
        return 2 * self.ports if len(self.hosts) > 1 else ONE_SERVER_CHANNELS

    @property
    def crosses(self) -> bool:
        """Whether a ring enters a server by one rail and leaves by its neighbour, as NCCL does with even numbers."""
        return len(self.hosts) % 2 == 0 and self.ports % 2 == 0 and self.ports == self.gpus_per_server

    def port(self, channel: int) -> int:
        """The port by which a channel's ring enters the first server."""
        return channel % self.ports

    def ring(self, channel: int) -> tuple[int, ...]:
        """The ranks of a channel's ring, as it passes them."""
        gpus = self.gpus_per_server
        order: list[int] = []
        for server in range(len(self.hosts)):
            enters, step = self.port(channel) * gpus // self.ports, -1
            if self.crosses:
                turned = (channel + server) % 2
                enters, step = self.port(channel) // 2 * 2 + turned, 1 if turned else -1
            elif len(self.hosts) == 1 or self.network == "Socket":
                step = 1
            order += [server * gpus + (enters + step * index) % gpus for index in range(gpus)]
        return tuple(order)

    def tree(self, channel: int, rank: int) -> tuple[tuple[int, ...], int]:
        """A rank's children and parent in a channel's tree, -1 for none."""
        gpus, servers = self.gpus_per_server, len(self.hosts)
        server, local = divmod(rank, gpus)
        root = self.port(channel) * gpus // self.ports if servers > 1 else 0
        place = (local - root) % gpus
        children = [server * gpus + (local + 1) % gpus] if place < gpus - 1 else []
        parent = server * gpus + (local - 1) % gpus
        if place == 0:
            above, below = _double_tree(servers, server, mirrored=channel >= self.channels // 2)
            children += [other * gpus + local for other in below]
            parent = above * gpus + local if above >= 0 else -1
        return (*children, *[-1] * (3 - len(children))), parent


def _binary_tree(size: int, node: int) -> tuple[int, list[int]]:
    """A node's parent (-1) and children in NCCL's tree: leaves are odd, each level the next power of two."""
    bit = 1
    while bit < size and not node & bit:
        bit *= 2
    if node == 0:
        return -1, [bit // 2] if size > 1 else []
    parent = (node ^ bit) | (bit * 2)
    children = [node - bit // 2] if bit > 1 else []
    below = bit // 2
    while below and node + below >= size:
        below //= 2
    return parent if parent < size else node ^ bit, children + ([node + below] if below else [])


def _double_tree(size: int, node: int, mirrored: bool) -> tuple[int, list[int]]:
    """The same in the first of NCCL's two trees, or in the second, where the first one's leaves are inner nodes."""
    if not mirrored:
        return _binary_tree(size, node)
    if size % 2:
        parent, children = _binary_tree(size, (node - 1) % size)
        return (parent + 1) % size if parent >= 0 else -1, [(child + 1) % size for child in children]
    parent, children = _binary_tree(size, size - 1 - node)
    return size - 1 - parent if parent >= 0 else -1, [size - 1 - child for child in children]


def start_up(start: Start) -> Log:
    """The lines of every rank, from loading to connected rings."""
    ranks = range(start.world_size)
    phases = (_loading, _network, _beginning, _graph, _tuning)
    records = [_record(start, rank, text) for phase in phases for rank in ranks for text in phase(start, rank)]
    by_rank = _connections(start) if start.world_size > 1 else {}
    records += [_record(start, rank, text) for rank, texts in by_rank.items() for text in texts]
    return Log(tuple(records))


def _record(start: Start, rank: int, text: str) -> Record:
    server, local = divmod(rank, start.gpus_per_server)
    pid = start.pids[rank]
    return Record("INFO", text, start.hosts[server].partition(".")[0], pid, pid, local)


def _loading(start: Start, rank: int) -> Iterator[str]:
    yield "ENV/Plugin: Could not find: libnccl-env.so"
    for name, value in start.environment:
        if name == "NCCL_SOCKET_IFNAME":
            yield _variable(name, value)
    yield f"Bootstrap: Using {_interface(start, rank)}"
    yield f"cudaDriverVersion {start.driver}"
    yield f"NCCL version {start.version}"


def _network(start: Start, rank: int) -> Iterator[str]:
    yield "NET/Plugin: Could not find: libnccl-net.so"
    for name, value in start.environment:
        if name.startswith("NCCL_") and name not in ("NCCL_SOCKET_IFNAME", "NCCL_DEBUG", "NCCL_DEBUG_SUBSYS"):
            yield _variable(name, value)
    if start.network == "IB":
        host = start.hosts[rank // start.gpus_per_server]
        up = [name for index, name in enumerate(start.hcas) if (host, index) not in start.down]
        ports = " ".join(f"[{index}]{name}:1/IB" for index, name in enumerate(up))
        yield f"NET/IB : Using {ports} [RO]; OOB {_interface(start, rank)}"
    else:
        if ("NCCL_IB_DISABLE", "1") not in start.environment:
            yield "NET/IB : No device found."
        yield "Failed to initialize NET plugin IB"
        yield f"NET/Socket : Using [0]{_interface(start, rank)}"
    yield f"Initialized NET plugin {start.network}"
    yield f"Assigned NET plugin {start.network} to comm"
    yield f"Using network {start.network}"


def _variable(name: str, value: str) -> str:
    if name in _LISTED:
        return f"{name} set to {value}"
    return f"{name} set by environment to {value}{'.' if value.removeprefix('-').isdecimal() else ''}"


def _interface(start: Start, rank: int) -> str:
    return f"{start.interface}:{start.addresses[rank // start.gpus_per_server]}<0>"


def _pointer(start: Start, rank: int) -> str:
    return f"0x{0x55D000000000 + start.pids[rank] * 0x10000 + rank * 0x10:x}"


def _communicator(start: Start, rank: int) -> str:
    local = rank % start.gpus_per_server
    return (
        f"ncclCommInitRankConfig comm {_pointer(start, rank)} rank {rank} nranks {start.world_size} cudaDev {local}"
        f" nvmlDev {local} busId {DGX_H100_BUS_IDS[local]} commId 0x{0x9A3F00000000 + start.pids[0]:x}"
    )


def _beginning(start: Start, rank: int) -> Iterator[str]:
    yield f"{_communicator(start, rank)} - Init START"
    yield "RAS client listening socket at 127.0.0.1<28028>"


def _graph(start: Start, rank: int) -> Iterator[str]:
    servers, gpus, world = len(start.hosts), start.gpus_per_server, start.world_size
    local = rank % gpus
    cores = "0-55,112-167" if local < 4 else "56-111,168-223"
    yield (
        f"ncclTopoGetCpuAffinity: Affinity for GPU {local} is {cores}. (GPU affinity = {cores} ; CPU affinity = 0-223)."
    )
    nvls = f"{'' if start.nvls else 'not '}available on dev {local} (NVLS_NCHANNELS {NVLS_CHANNELS})"
    yield f"NVLS multicast support is {nvls}"
    yield (
        f"comm {_pointer(start, rank)} rank {rank} nRanks {world} nNodes {servers} localRanks {gpus}"
        f" localRank {local} MNNVL 0"
    )
    if start.nvls and servers > 1 and start.network == "IB":
        for head in range(gpus):
            yield f"NVLS Head {head:2d}:" + "".join(f" {server * gpus + head:2d}" for server in range(servers))
    if rank == 0:
        width = len(str(world - 1))
        for channel in range(start.channels):
            order = start.ring(channel)
            first = order.index(0)
            listed = "".join(f" {each:{width}d}" for each in (*order[first:], *order[:first]))
            said = f"Channel {channel:02d}/{start.channels:02d} :{listed}"
            yield said if len(said) <= LONGEST_RING else f"{said[: LONGEST_RING - 3]}..."
    trees = []
    for channel in range(start.channels):
        children, parent = start.tree(channel, rank)
        trees.append(f"[{channel}] {'/'.join(map(str, children))}->{rank}->{parent}")
    yield f"Trees {' '.join(trees)}"
    yield f"P2P Chunksize set to {131072 if servers > 1 else 524288}"
    yield "PROFILER/Plugin: Could not find: libnccl-profiler.so"
    yield "Check P2P Type isAllDirectP2p 1 directMode 0 isAllCudaP2p 1"


def _tuning(start: Start, rank: int) -> Iterator[str]:
    world, channels = start.world_size, start.channels
    nvls = NVLS_CHANNELS if start.nvls and (len(start.hosts) == 1 or start.network == "IB") else 0
    p2p, per_peer = (channels, 2) if len(start.hosts) > 1 else (32, 32)
    yield "TUNER/Plugin: Could not find: libnccl-tuner.so"
    yield f"threadThresholds 8/8/64 | {8 * world}/8/64 | 512 | 512"
    yield (
        f"{channels} coll channels, {channels} collnet channels, {nvls} nvls channels,"
        f" {p2p} p2p channels, {per_peer} p2p channels per peer"
    )
    if rank == 0:
        yield "CC Off, workFifoBytes 1048576"
    yield f"{_communicator(start, rank)} - Init COMPLETE"
    yield (
        f"Init timings - ncclCommInitRankConfig: rank {rank} nranks {world} total 2.01 (kernels 0.34, alloc 1.17,"
        " bootstrap 0.16, allgathers 0.01, topo 0.09, graphs 0.01, connections 0.22, rest 0.01)"
    )


def _connections(start: Start) -> dict[int, list[str]]:
    """What each rank says of its ring's two neighbours: receives from other servers, then what it sends."""
    gpus, over = start.gpus_per_server, f"NET/{start.network}"
    memory = "/GDRDMA" if start.network == "IB" and start.gdrdma else ""
    received: dict[int, list[str]] = {rank: [] for rank in range(start.world_size)}
    sent: dict[int, list[str]] = {rank: [] for rank in range(start.world_size)}
    proxied = False
    for channel in range(start.channels):
        order = start.ring(channel)
        for rank, after in pairwise((*order, order[0])):
            pair = f"Channel {channel:02d}/0 : {rank}[{rank % gpus}] -> {after}[{after % gpus}]"
            if rank // gpus == after // gpus:
                sent[rank].append(f"{pair} via P2P/CUMEM")
                continue
            port = after % gpus * start.ports // gpus
            proxy = ""
            if start.network == "IB" and rank % gpus * start.ports // gpus != port:
                proxy = f"({rank // gpus * gpus + port * gpus // start.ports})"
                proxied = True
            into, out = start.device(after // gpus, port), start.device(rank // gpus, port)
            received[after].append(f"{pair} [receive] via {over}/{into}{memory}")
            sent[rank].append(f"{pair} [send] via {over}/{out}{proxy}{memory}")
    crosses = len(start.hosts) > 1
    flags = f"PXN {int(proxied)} GDR {int(bool(memory) or not crosses)}"
    connected = f"Connected all rings, use ring {flags}"
    return {rank: [*received[rank], *sent[rank], connected] for rank in received}
