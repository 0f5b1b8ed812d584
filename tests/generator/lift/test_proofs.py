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
from heddle.lift.front_end import read
from heddle.lift.kernels import lifted
from heddle.lift.raise_accesses import raise_accesses
from heddle.roundtrip.compare import Counterexample, Proof
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


HEAD = "void f(const double* __restrict__ a, double* __restrict__ b, int n) { for (int i = 0; i < n; ++i) "
COLOURED = "void f(double* a, int n) { for (int i = 1; i < n - 1; i += 2) a[i] = "
FIXED = "void f(double a[80]) { for (int i = 1; i < 79; ++i) a[i] = "
MISREAD = {
    "another value": (HEAD + "b[i] = 3 * a[i]; }", HEAD + "b[i] = 2 * a[i]; }"),
    "another condition": (
        HEAD + "if (a[i] > 0.5) b[i] = a[i]; }",
        HEAD + "if (a[i] > 0) b[i] = a[i]; }",
    ),
    "loops that are not alike": (
        COLOURED + "a[i - 1] + a[i + 1]; }",
        COLOURED + "a[i - 1] - a[i + 1]; }",
    ),
    "a box of fixed size": (FIXED + "2 * a[i]; }", FIXED + "3 * a[i]; }"),
}


@pytest.mark.parametrize("name", MISREAD)
def test_a_loop_that_was_misread_is_not_proved(name: str, tmp_path: Path) -> None:
    """The kernels of another loop stand in for a recovery that is wrong. The generated text says what they
    say, so the comparison over cells, which reads it as it reads the loop, finds nothing."""
    functions = []
    for number, text in enumerate(MISREAD[name]):
        path = tmp_path / f"input_{number}.cpp"
        path.write_text(text + "\n")
        functions.append(lifted(read(path), "f"))
    wrong = raise_accesses(functions[1])
    found = model(wrong, "lifted")
    write(files(module_of("lifted", found.text), ["cpu"]), tmp_path)
    result = proof(functions[0], wrong, "cpu", tmp_path / "lifted", found.precision)
    assert isinstance(result, Counterexample), result
    assert result.values  # what a run of both left in one element
    result = proof(functions[1], wrong, "cpu", tmp_path / "lifted", found.precision)
    assert isinstance(result, Proof)
    assert result.tier == "structural"
