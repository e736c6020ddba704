"""Which programs and cases the default run takes; `python -m tests.cuda` takes all.

`REACHING` reach, together, every line of adjit's parts for the GPU (`compiler.kernels`,
`compiler.codegen.cuda`, `runtime.cuda`) that all of them reach; of the others each eighth is taken.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")
SWITCH = "ADJIT_TESTS_OF_ALL_KERNELS"  # set by `python -m tests.cuda`
ALL = os.environ.get(SWITCH) == "1"
REACHING = frozenset(
    [
        "addition_of_named_tuples",
        "break_and_continue",
        "dot_of_columns",
        "draws_in_a_loop",
        "float_loop_variable",
        "in_order",
        "kernel_over_broadcast_axes",
        "kernel_that_writes_to_a_given_array",
        "lu_in_place_logdet",
        "mapped",
        "matrix_result",
        "name_bound_to_one_of_two_arrays",
        "negative_indices",
        "nested_dynamic_rotation",
        "same_array_twice_written",
        "seed_left_alone",
        "shadowed_builtin",
        "sign_times_logdet",
        "sorted_squares_with_ties",
        "stencil_in_slices",
        "stride_zero_input",
        "swap_of_memory_of_one_pass",
    ]
)


def selected(found: Mapping[str, T], each: int = 8) -> dict[str, T]:
    """Those of the default run, or all."""
    return {
        name: one
        for k, (name, one) in enumerate(found.items())
        if ALL or name in REACHING or (k + 1) % each == 0
    }
