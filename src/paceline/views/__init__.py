"""Views: the pictures of a world as data, each with its text twin; the page draws them and adds no number."""

from collections.abc import Callable, Iterable
from typing import Any

from paceline.pod import Ring, World
from paceline.views.cluster import cluster
from paceline.views.code import code
from paceline.views.drill import drill
from paceline.views.lanes import lanes_of
from paceline.views.memory import memory
from paceline.views.pod import ring_pod, training_pod
from paceline.views.replicas import replicas_view
from paceline.views.ring import ring_view
from paceline.views.scaling import scaling, sweep
from paceline.views.timeline import ranks, timeline

VIEWS: dict[str, dict[str, Callable[[Any], dict[str, Any]]]] = {
    "job": {
        "pod": training_pod,
        "cluster": cluster,
        "timeline": timeline,
        "ranks": ranks,
        "scaling": scaling,
        "sweep": sweep,
        "memory": memory,
    },
    "replicas": {"replicas": replicas_view},
    "ring": {"ring": ring_view, "pod": ring_pod},
    "script": {"code": code},
    "drill": {"drill": drill},
}
"""The views each kind of world has."""


def views_of(world: World, names: Iterable[str]) -> dict[str, Any]:
    """The named views of a world; the ring's pod only where the ring is drawn."""
    known = VIEWS[world.kind]
    too_large = isinstance(world, Ring) and not world.is_drawn
    return {name: known[name](world) for name in names if not (too_large and name == "pod")}


__all__ = ["VIEWS", "lanes_of", "views_of"]
