"""Validation of arguments at the public entry points; inner code does not check them again.

Every error message names the parameter, the values it accepts and the value found. Private names
of scikit-learn are used in this subpackage only.
"""

from .arrays import array_namespace_of, to_numpy
from .chunks import check_chunk, name_features
from .errors import name_argument_in_errors, overflow_guard
from .frames import check_any_labels, check_any_rows, check_any_targets, take_rows
from .labels import (
    check_class_sizes,
    check_class_weight,
    check_classes,
    check_labelled_data,
    check_no_missing_label,
    class_factors,
    is_missing,
)
from .memory import check_matrix_memory, memory_bytes, readable_bytes
from .noisy import check_copy, check_noisy_data, check_noisy_query
from .parameters import (
    MAX_THREADS,
    check_at_most,
    check_choice,
    check_count,
    check_flag,
    check_grid,
    check_new_file,
    check_rate,
    check_real,
    check_verbose,
    is_word,
    scheduled_rate,
    seed_of,
)
from .targets import MAX_TARGET, check_target_sizes
from .training import check_query_data, check_rows, check_training_data, in_double
from .weights import check_contamination, check_known_contamination, check_weights
