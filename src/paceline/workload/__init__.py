"""The work: what is trained, in which pieces, in how much memory and how fast one GPU computes it."""

from paceline.workload.catalog import MODELS, Entry, find_model
from paceline.workload.efficiency import compute_efficiency
from paceline.workload.fit import Way, check_fits, largest_micro_batch, sharded_bytes, ways_to_fit
from paceline.workload.hugging_face import model_from_config
from paceline.workload.job import Job
from paceline.workload.memory import Bill, Line, memory_bill
from paceline.workload.model import Model, model_from_numbers
from paceline.workload.parameter import Parameter
from paceline.workload.precision import OPTIMIZERS, PRECISIONS, Precision

__all__ = [
    "MODELS",
    "OPTIMIZERS",
    "PRECISIONS",
    "Bill",
    "Entry",
    "Job",
    "Line",
    "Model",
    "Parameter",
    "Precision",
    "Way",
    "check_fits",
    "compute_efficiency",
    "find_model",
    "largest_micro_batch",
    "memory_bill",
    "model_from_config",
    "model_from_numbers",
    "sharded_bytes",
    "ways_to_fit",
]
