# SPDX-License-Identifier: Apache-2.0
"""What is generated from each loop of the corpus is read back and proved equal to the loop."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import lifted_functions, model
from heddle.adopt.from_source import module_of
from heddle.adopt.proof import proof
from heddle.build import files, write
from heddle.equivalence import Proof
from heddle.errors import KernelError
from heddle.lift.recover import recover
from test_corpus import LIFTED

NOT_STRUCTURAL = {"reduction_max", "reduction_min", "wrf_like_tendency"}
"""SymPy orders the operands of Max and Min, which counts for zeros and NaN; rounding is the same."""


@pytest.mark.parametrize("name", LIFTED)
@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_generated_text_does_what_the_loop_does(name: str, target: str, tmp_path: Path) -> None:
    for number, function in enumerate(lifted_functions(name)):
        kernels = recover(function)
        found = model(kernels, "lifted")
        try:
            write(files(module_of("lifted", found.text), [target]), tmp_path / str(number))
        except KernelError as error:
            if target == "cuda" and ("scan" in error.what or "reduces" in error.what):
                pytest.skip(f"no CUDA kernel: {error.what}")
            raise
        result = proof(function, kernels, target, tmp_path / str(number) / "lifted", found.precision)
        assert isinstance(result, Proof), result
        assert result.tier == ("algebraic" if name in NOT_STRUCTURAL else "structural"), result
        assert not result.rounding
        assert bool(found.rounding) == (name in NOT_STRUCTURAL)
