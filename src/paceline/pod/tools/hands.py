"""remote-hands: the data centre's technician, who takes honest time and does what he is told, needed or not."""

from paceline.faults import KINDS
from paceline.pod.gpu_board import TICK_US
from paceline.pod.machine_room import GPUS, HOSTS, MachineRoom
from paceline.shell import Call, Failed, Output, Steps, Wait

CABLE_S, FAN_S = 20 * 60, 45 * 60
"""A ticket for a cable, and for a fan tray with the server out of its rack: what such tickets take at best."""
_PARTS = {"replace-cable": ("nic", CABLE_S, "mlx5_"), "replace-fan": ("gpu", FAN_S, "")}


def remote_hands(room: MachineRoom, call: Call) -> Steps:
    """remote-hands replace-cable HOST mlx5_N, replace-fan HOST GPU: send the data centre's technician."""
    usage = "usage: remote-hands replace-cable HOST mlx5_N, or replace-fan HOST GPU"
    if len(call.args) != 3 or call.args[0] not in _PARTS:
        raise Failed(usage, 2)
    what, host, place = call.args
    part, seconds, prefix = _PARTS[what]
    number = place.removeprefix(prefix)
    if host not in HOSTS or not number.isdigit() or len(number) > 2 or int(number) >= GPUS:
        raise Failed(f"there is no {host} {place}; {usage}", 2)
    if part == "gpu" and room.queue.running_on(host) is not None:
        raise Failed(f"{host} runs a job; drain it and cancel the job, or move it, before the server is opened")
    out_for_us = part == "gpu" and host not in room.queue.drained
    if out_for_us:
        room.queue.drain(host, f"remote-hands {what}", call.now_us)
    yield Output(f"ticket opened: {what} {host} {place}, about {seconds // 60} minutes\n")
    yield Wait(for_us=seconds * TICK_US)
    for fault in list(room.faults):
        if (HOSTS[fault.server], fault.index, KINDS[fault.kind].part) == (host, int(number), part):
            room.repair(fault)
    if out_for_us:
        room.queue.resume(host)
        room.start_jobs()
    yield Output(f"ticket closed: {what} {host} {place} done\n")
    return 0
