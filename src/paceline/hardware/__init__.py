"""What a job runs on: GPUs, network cards, servers and the cluster they make, with every figure's source."""

from paceline.hardware.catalog import CATALOG, Catalog
from paceline.hardware.cluster import Cluster, Condition, Part
from paceline.hardware.gpu import Gpu
from paceline.hardware.nic import Nic
from paceline.hardware.server import Server

__all__ = ["CATALOG", "Catalog", "Cluster", "Condition", "Gpu", "Nic", "Part", "Server"]
