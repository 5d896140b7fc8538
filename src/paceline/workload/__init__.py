"""The work: what is trained, in which pieces, in how much memory and how fast one GPU computes it."""

from paceline.workload.catalog import MODELS, Entry, find_model
from paceline.workload.critical_batch import learning_rate_ratio, tokens_ratio
from paceline.workload.efficiency import compute_efficiency
from paceline.workload.fit import Way, check_fits, largest_micro_batch, sharded_bytes, ways_to_fit
from paceline.workload.hugging_face import model_from_config
from paceline.workload.job import FIRST_BUCKET_BYTES, Job, share_of_batch
from paceline.workload.memory import Bill, Line, memory_bill
from paceline.workload.model import Model, model_from_numbers
from paceline.workload.parameter import Parameter
from paceline.workload.precision import OPTIMIZERS, PRECISIONS, Precision
from paceline.workload.sharding import divided_lines, sharded_bill

__all__ = [
    "FIRST_BUCKET_BYTES",
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
    "divided_lines",
    "find_model",
    "largest_micro_batch",
    "learning_rate_ratio",
    "memory_bill",
    "model_from_config",
    "model_from_numbers",
    "sharded_bill",
    "sharded_bytes",
    "share_of_batch",
    "tokens_ratio",
    "ways_to_fit",
]
