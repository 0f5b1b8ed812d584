# SPDX-License-Identifier: Apache-2.0
"""Every diagnostic, word for word: the line of the model (marked `# here`), the reason, the hint.

The cases stand beside this file, by subject. The last test reads the generator's sources: an error that no
case provokes fails it.
"""

from __future__ import annotations

import ast
import inspect
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import heddle
import pytest
from errors import (
    adjoints,
    computations,
    declarations,
    dependences,
    exchanges,
    intermediates,
    lattices,
    levels,
    mechanisms,
    mistakes,
    names,
    poisson_problems,
    rounds,
    rows,
    schedules,
    schemes,
    spaces,
    staggered_grids,
)
from errors.cases import CASES, Case
from heddle import (
    KernelError,
)

SUBJECTS = (
    *(adjoints, computations, declarations, dependences, exchanges, intermediates, lattices, mistakes, names),
    *(levels, mechanisms, poisson_problems, rounds, rows, schedules, schemes, spaces, staggered_grids),
)


@pytest.mark.parametrize("name", CASES)
def test_words(name: str) -> None:
    case, message = CASES[name]
    with pytest.raises(KernelError) as caught:
        case()
    assert str(caught.value) == message.replace("{here}", _marked(case))


def test_every_file_of_cases_is_read() -> None:
    beside = {path.stem for path in Path(__file__).parent.glob("*.py")}
    assert {subject.__name__.removeprefix("errors.") for subject in SUBJECTS} == {
        name for name in beside if name != "cases" and not name.startswith("test_")
    }


def _marked(case: Case) -> str:
    """The place of the line marked `# here` in a case, or in the function that it uses."""
    source: Any = dependences.shifted if case is dependences.walls_that_others_reach else case
    lines, first = inspect.getsourcelines(source)
    marked = [first + i for i, line in enumerate(lines) if line.rstrip().endswith("# here")]
    return f"{Path(inspect.getfile(source)).name}:{marked[0]}" if marked else "nowhere"


PACKAGE = Path(heddle.__file__).parent
BESIDE_THE_PHYSICS = (
    "lbm/boundary/condition.py",
    "lbm/boundary/interpolated.py",
    "lbm/boundary/scalar.py",
    "lbm/collision/cumulant.py",
    "lbm/collision/entropic.py",
    "lbm/collision/moment_collision.py",
    "lbm/collision/central_moments.py",
    "lbm/collision/operator.py",
    "lbm/collision/population_operators.py",
    "lbm/collision/rheology.py",
    "lbm/equilibrium.py",
    "lbm/initial.py",
    "lbm/moment_storage/boundary.py",
    "lbm/moment_storage/storage.py",
    "lbm/scalar.py",
    "lbm/streaming/pattern.py",
    "lbm/streaming/access_pattern.py",
    "model/equations.py",
)
ON_THE_COMMAND_LINE = ("__main__.py", "build.py", "commands/check.py", "commands/new.py", "commands/usage.py")
DOCUMENTS = ("ir/json.py",)
"""ir/test_json.py provokes these."""
WITH_TESTS_OF_THEIR_OWN = (
    *("lift/", "roundtrip/", "commands/lift", "python/", "chemistry/"),
    *("explorer/", "commands/explore", "explored_schedules.py", "ir/schedule_text.py"),
    "emit/fortran_file.py",
)


def _raised() -> Iterator[tuple[str, int]]:
    """File and first line of every `raise KernelError`."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE))
        if name.startswith(WITH_TESTS_OF_THEIR_OWN):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            error = node.exc if isinstance(node, ast.Raise) else None
            if isinstance(error, ast.Call) and getattr(error.func, "id", "") == "KernelError":
                yield name, node.lineno


def test_every_error_has_a_case() -> None:
    seen: set[tuple[str, int]] = set()
    for case, _ in (*CASES.values(), *mistakes.MISTAKES):
        try:
            case()
        except KernelError as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            if Path(frame.filename).is_relative_to(PACKAGE):
                seen.add((str(Path(frame.filename).relative_to(PACKAGE)), frame.lineno or 0))
    elsewhere = (*BESIDE_THE_PHYSICS, *ON_THE_COMMAND_LINE, *DOCUMENTS)
    missing = [place for place in _raised() if place not in seen and place[0] not in elsewhere]
    assert not missing
