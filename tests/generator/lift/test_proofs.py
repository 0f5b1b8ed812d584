# SPDX-License-Identifier: Apache-2.0
"""What is generated from each loop of the corpus is read back and proved equal to the loop."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import lifted_functions, model
from heddle.build import files, write
from heddle.commands.lift_proof import proof
from heddle.commands.lifted_model import module_of
from heddle.errors import KernelError
from heddle.lift.raise_accesses import raise_accesses
from heddle.roundtrip.compare import Proof
from test_corpus import LIFTED

EXCHANGED = {"wrf_like_tendency"}
"""SymPy orders the operands of Max and Min, which counts for zeros and NaN; rounding is the same."""
REDUCED = {
    "cuda_atomic_sum", "cuda_block_max", "cuda_block_sum", "cuda_column_sums", "cuda_warp_sum",
    "omp_min_max", "reduction_max",
    "reduction_min", "reduction_sum_omp", "relaxation_with_residual", "returned_norm", "returned_ratio",
    "returned_sum",
}  # fmt: skip
"""Generated reductions combine tiles in a fixed order, the loops combine cell by cell."""
OVER_THE_REALS = {
    "cuda_block_sum", "cuda_column_sums", "cuda_warp_sum", "omp_min_max", "reduction_sum_omp", "returned_sum",
}  # fmt: skip
"""Those of them that are shown to collect the same; the others are refused."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(LIFTED) - REDUCED))
@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_generated_text_does_what_the_loop_does(name: str, target: str, tmp_path: Path) -> None:
    for number, function in enumerate(lifted_functions(name)):
        kernels = raise_accesses(function)
        found = model(kernels, "lifted")
        try:
            write(files(module_of("lifted", found.text), [target]), tmp_path / str(number))
        except KernelError as error:
            if target == "cuda" and ("scan" in error.what or "reduces" in error.what):
                pytest.skip(f"no CUDA kernel: {error.what}")
            raise
        result = proof(function, kernels, target, tmp_path / str(number) / "lifted", found.precision)
        assert isinstance(result, Proof), result
        assert result.tier == ("algebraic" if name in EXCHANGED else "structural"), result
        assert not result.rounding
        assert bool(found.rounding) == (name in EXCHANGED)


@pytest.mark.parametrize("name", sorted(REDUCED))
def test_generated_reductions_are_not_claimed_to_have_the_same_bits(name: str, tmp_path: Path) -> None:
    """The loop's own order against the fixed one: the same over the reals, or a refusal."""
    (function,) = lifted_functions(name)
    kernels = raise_accesses(function)
    found = model(kernels, "lifted")
    write(files(module_of("lifted", found.text), ["cpu"]), tmp_path)
    if name in OVER_THE_REALS:
        result = proof(function, kernels, "cpu", tmp_path / "lifted", found.precision)
        assert isinstance(result, Proof), result
        assert result.tier == "algebraic"
        assert result.rounding is None  # nothing was run
        return
    with pytest.raises(KernelError):
        proof(function, kernels, "cpu", tmp_path / "lifted", found.precision)
