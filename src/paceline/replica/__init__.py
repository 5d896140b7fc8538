"""A real tiny model trained by real data parallelism: eight copies, eight shards, one averaged gradient."""

from paceline.replica.network import Network, Sample
from paceline.replica.training import Training

__all__ = ["Network", "Sample", "Training"]
