"""sinfo and scontrol: nodes and jobs as Slurm knows them, nodes kept from jobs and given back."""

from collections.abc import Sequence

from paceline.errors import BadInput
from paceline.formats import hostlist, scontrol_job, scontrol_node
from paceline.formats import scontrol as scontrol_format
from paceline.formats import sinfo as sinfo_format
from paceline.pod.batch_job import BatchJob
from paceline.pod.machine_room import HOSTS, ISO, MachineRoom
from paceline.pod.queue import PARTITION
from paceline.pod.tools.options import read_options
from paceline.shell import Call, Failed, Output, Steps
from paceline.shell.tools.moment import Moment

CORES, THREADS, MEMORY_MIB = 56, 2, 2_063_000
"""Of each of a DGX H100's two CPUs, and its memory."""
CPUS = 2 * CORES * THREADS
"""What Slurm counts on a host."""


def sinfo(room: MachineRoom, call: Call) -> Steps:
    """sinfo [-N | -R | -s]: nodes by state, a line a node, why nodes are drained, or all in one line."""
    options = read_options(
        call.args,
        {
            "-N": "nodes",
            "--Node": "nodes",
            "-R": "reasons",
            "--list-reasons": "reasons",
            "-s": "summary",
            "--summarize": "summary",
        },
        ("nodes", "reasons", "summary"),
    )
    states = {host: room.queue.node_state(host) for host in HOSTS}
    if options.get("nodes"):
        yield Output(
            sinfo_format.render_nodes([sinfo_format.NodeRow(host, PARTITION, states[host], True) for host in HOSTS])
        )
    elif options.get("summary"):
        kinds = list(states.values())
        allocated, idle = kinds.count("alloc"), kinds.count("idle")
        nodes = hostlist.render(HOSTS)
        row = sinfo_format.Summary(PARTITION, allocated, idle, len(HOSTS) - allocated - idle, nodes, is_default=True)
        yield Output(sinfo_format.render_summary([row]))
    elif options.get("reasons"):
        drained = sorted(room.queue.drained.items())
        reasons = [sinfo_format.Reason(why, "ops", _drained_at(room, host), host) for host, why in drained]
        yield Output(sinfo_format.render_reasons(reasons))
    else:
        yield Output(sinfo_format.render(sinfo_format.rows_of(PARTITION, states)))
    return 0


def scontrol(room: MachineRoom, call: Call) -> Steps:
    """scontrol show node|job|hostnames, update nodename=HOSTS state=drain|resume reason=TEXT: look and change."""
    if call.args[:1] == ("show",) and len(call.args) > 1:
        yield Output(scontrol_show(room, call, call.args[1:]))
        return 0
    if call.args[:1] != ("update",):
        raise Failed("here there are `show hostnames|node|job` and `update nodename=… state=drain|resume reason=…`")
    given = {key.lower(): value for key, _, value in (word.partition("=") for word in call.args[1:])}
    hosts = hostlist.parse(given.get("nodename", "")) if given.get("nodename") else ()
    state = given.get("state", "").lower()
    if not hosts or not set(hosts) <= set(HOSTS) or state not in ("drain", "resume", "idle"):
        raise Failed(
            "slurm_update error: Invalid node name specified"
            if not set(hosts) <= set(HOSTS)
            else "slurm_update error: Invalid node state specified"
        )
    if state == "drain" and not given.get("reason"):
        raise Failed("You must specify a reason when DRAINING a node. Request denied")
    for host in hosts:
        if state == "drain":
            room.queue.drain(host, given["reason"], call.now_us)
        else:
            room.queue.resume(host)
    room.start_jobs()
    return 0


def scontrol_show(room: MachineRoom, call: Call, words: Sequence[str]) -> str:
    """What `scontrol show` prints of hostnames, nodes and jobs."""
    what, names = words[0], list(words[1:])
    if what in ("hostnames", "hostname"):
        try:
            return scontrol_format.render_hostnames(
                hostlist.parse(names[0] if names else call.env.get("SLURM_JOB_NODELIST", ""))
            )
        except BadInput:
            raise Failed(scontrol_format.invalid_hostlist(names[0] if names else "").rstrip("\n")) from None
    if what in ("node", "nodes"):
        hosts = hostlist.parse(names[0]) if names else HOSTS
        for host in hosts:
            if host not in HOSTS:
                raise Failed(scontrol_format.no_node(host).rstrip("\n"))
        return scontrol_node.render(tuple(_node(room, host) for host in hosts))
    if what in ("job", "jobs"):
        jobs = [job for job in room.queue.known if not names or str(job.number) == names[0]]
        if names and not jobs:
            raise Failed(scontrol_format.NO_JOB)
        return scontrol_job.render(tuple(_job(call, job) for job in jobs))
    raise Failed(f"invalid entity: {what} for keyword:show; here there are hostnames, node and job")


def _drained_at(room: MachineRoom, host: str) -> str:
    return Moment.at(room.queue.drained_us[host]).shown(ISO)


def _node(room: MachineRoom, host: str) -> scontrol_node.Node:
    state = room.queue.node_state(host)
    busy = state in ("alloc", "drng")
    base = "ALLOCATED" if busy else "IDLE"
    why = room.queue.drained.get(host)
    return scontrol_node.Node(
        name=host, cores_per_socket=CORES, cpu_alloc=CPUS if busy else 0, cpu_tot=CPUS,
        state=f"{base}+DRAIN" if why else base, gres="gpu:h100:8", real_memory_mib=MEMORY_MIB, partitions=PARTITION,
        address=host, host_name=host,
        reason=scontrol_node.because(why, "ops", _drained_at(room, host)) if why else None,
    )  # fmt: skip


def _job(call: Call, job: BatchJob) -> scontrol_job.Job:
    def at(now_us: int, is_known: bool = True) -> str:
        return Moment.at(now_us).shown(ISO) if is_known else "Unknown"

    has_started = bool(job.hosts)
    end_us = job.ended_us if job.is_over else call.now_us
    return scontrol_job.Job(
        job_id=job.number, name=job.name, state=job.state, partition=PARTITION, num_nodes=job.nodes,
        num_tasks=job.nodes,
        num_cpus=job.nodes * CPUS, user=job.user, user_id=1000, group=job.user, group_id=1000,
        reason=job.reason or "None", exit_code=job.exit_code,
        run_time_s=(end_us - job.started_us) // 10**6 if has_started else 0, submit_time=at(job.submitted_us),
        start_time=at(job.started_us, has_started), end_time=at(job.ended_us, job.is_over),
        nodes=hostlist.render(job.hosts) if job.hosts else "",
        batch_host=job.hosts[0] if job.hosts else None, command=job.command, std_out=job.output, std_err=job.output,
        work_dir=job.work_dir, alloc_node="dgx-1:1", cpus_per_task=job.cpus_per_task,
        req_nodes=hostlist.render(job.wanted), exc_nodes=hostlist.render(job.excluded),
        tres_per_node="gres:gpu:8", time_limit_s=job.limit_us // 10**6 or None,
    )  # fmt: skip
