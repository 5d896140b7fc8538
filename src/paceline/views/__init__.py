"""Views: the pictures of a world as data, each with its text twin; the page draws them and adds no number."""

from typing import Any

from paceline.pod import Replicas, Ring, TrainingJob, World
from paceline.views.lanes import lanes_of
from paceline.views.pod import ring_pod, training_pod
from paceline.views.replicas import replicas_view
from paceline.views.ring import ring_view

VIEWS: dict[str, tuple[str, ...]] = {"job": ("pod",), "replicas": ("replicas",), "ring": ("ring", "pod")}
"""The views each kind of world has."""


def views_of(world: World) -> dict[str, Any]:
    """Every view of a world by name."""
    if isinstance(world, TrainingJob):
        return {"pod": training_pod(world)}
    if isinstance(world, Replicas):
        return {"replicas": replicas_view(world)}
    if isinstance(world, Ring):
        return {"ring": ring_view(world)} | ({"pod": ring_pod(world)} if world.is_drawn else {})
    return {}


__all__ = ["VIEWS", "lanes_of", "views_of"]
