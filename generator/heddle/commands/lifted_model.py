# SPDX-License-Identifier: Apache-2.0
"""A lifted function as a model file and its Module."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from heddle.build import load
from heddle.errors import KernelError
from heddle.ir.schedule import precision
from heddle.lift.model_writer.model_text import Origin, Reals, candidates, model_text
from heddle.lift.model_writer.python_text import vetted
from heddle.lift.model_writer.rounding import differences
from heddle.lift.recovered import Recovered
from heddle.module import Module


@dataclass(frozen=True)
class Adopted:
    """A model: its text, where its kernels round otherwise than the source, and the module's precision."""

    name: str
    text: str
    kernels: tuple[Recovered, ...]
    rounding: tuple[str, ...]
    precision: str


def adopted(name: str, kernels: Sequence[Recovered], source: Origin) -> Adopted:
    """The model of recovered kernels, in the precision that says best what the source does.

    The text is run, and each of its kernels compared with what was recovered; differences in rounding stand
    in the text.
    """
    best: Adopted | None = None
    problem: KernelError | None = None
    for reals in candidates(kernels):
        try:
            notes = _notes(name, kernels, reals, source)
        except KernelError as error:
            problem = problem or error
            continue
        if best is None or len(notes) < len(best.rounding):
            text = model_text(name, kernels, reals, source, notes)
            best = Adopted(name, text, tuple(kernels), tuple(notes), reals.precision)
        if not notes:
            break
    if best is None:
        assert problem is not None
        raise problem
    return best


def _notes(name: str, kernels: Sequence[Recovered], reals: Reals, source: Origin) -> list[str]:
    module = module_of(name, model_text(name, kernels, reals, source))
    chosen = precision(reals.precision)
    return [
        note
        for recovered in kernels
        for note in differences(recovered.kernel, module.kernels[recovered.kernel.name].typed(chosen))
    ]


def origin(path: Path) -> Origin:
    """What a model says of the file it was lifted from; its licence is that of the first lines."""
    head = path.read_text(encoding="utf-8", errors="replace").splitlines()[:5]
    return Origin(path.name, next((line for line in head if "SPDX-" in line), ""))


def module_of(name: str, text: str) -> Module:
    """Run the text of a model, once it is certain that it does no more than describe one."""
    vetted(text, name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        return load(path)
