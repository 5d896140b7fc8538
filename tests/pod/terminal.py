"""A person at the prompt of a live pod, as the tests play them."""

from paceline.faults import Fault
from paceline.pod.live_pod import LivePod
from paceline.pod.machine_room import MachineRoom
from paceline.shell import Output, Session


class Terminal:
    """A person at the pod's prompt."""

    def __init__(self, *faults: Fault) -> None:
        room = MachineRoom()
        for fault in faults:
            room.strike(fault)
        self.pod = LivePod(room)
        self.session: Session = self.pod.session()

    def __call__(self, line: str) -> str:
        return "".join(event.text for event in self.pod.run(self.session, line) if isinstance(event, Output))

    def pace(self, number: int) -> str:
        """The last step time in a job's log."""
        return " ".join(self(f"grep ^step gpt-ddp-{number}.out | tail -n 1").split()[2:4])
