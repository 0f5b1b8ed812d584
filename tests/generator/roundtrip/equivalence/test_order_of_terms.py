# SPDX-License-Identifier: Apache-2.0
"""A proof does not depend on the order of sets, which memory and hash seeds decide."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from heddle.build import load
from heddle.ir import nodes as ir
from heddle.module import KernelModel
from heddle.roundtrip import equivalence
from heddle.roundtrip.equivalence import Proof, equivalent
from heddle.roundtrip.equivalence.terms import Term, Terms
from models import in_rows

ROOT = Path(__file__).resolve().parents[4]
SEEDS = (1, 2, 3)


def kernels(model: str, name: str, targets: tuple[str, str]) -> tuple[ir.Kernel, ir.Kernel]:
    module = load(ROOT / model / "model.py")
    entry = module.kernels[name]
    if isinstance(entry, KernelModel):
        module.kernels[name] = entry.scheduled(in_rows(entry))
    first, second = (module.stages(name, module.precisions[0], target).lowered for target in targets)
    return first, second


def scattered(seed: int) -> Callable[[Term], int]:
    """A hash of terms with another order for each seed; terms stay equal only to themselves."""
    return lambda term: hash((seed, term.number, seed))


@pytest.mark.parametrize(
    ("model", "name", "targets"),
    [
        ("examples/column_physics", "kessler", ("cpu", "cuda")),  # falling rain: several arrays are carried
        ("examples/column_physics", "kessler", ("reference", "cpu")),
        ("tests/kernels/halo", "halo_unpack", ("cpu", "cuda")),  # boxes of a table
    ],
)
def test_the_same_terms_in_the_same_order(
    model: str, name: str, targets: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables: list[Terms] = []

    def kept() -> Terms:
        tables.append(Terms())
        return tables[-1]

    monkeypatch.setattr(equivalence, "Terms", kept)
    found: list[tuple[Any, list[Any]]] = []
    pair = kernels(model, name, targets)
    for seed in SEEDS:
        tables.clear()
        monkeypatch.setattr(Term, "__hash__", scattered(seed))
        result = equivalent(*pair)
        found.append((result, [list(table._table) for table in tables]))
    assert isinstance(found[0][0], Proof)
    assert found[0][0].tier == "structural"
    for result, terms in found[1:]:
        assert result == found[0][0]
        assert terms == found[0][1]
