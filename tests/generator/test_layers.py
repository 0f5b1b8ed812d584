# SPDX-License-Identifier: Apache-2.0
"""Who may import whom: the table of design.md, section 4, read from the sources."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import heddle
import pytest

PACKAGE = Path(heddle.__file__).parent
ROOT = PACKAGE.parents[1]
EVERYONE = {"errors"}
ALLOWED = {
    "errors": set(),
    "resources": set(),
    "symbolic": {"symbolic", "sympy"},
    "ir": {"ir"},
    "schedule": {"ir"},
    "passes": {"passes", "ir", "schedule"},
    "exchange": {"ir"},
    "list_exchange": {"exchange", "ir"},
    "pack": {"ir", "passes"},
    "emit": {
        "emit",
        "exchange",
        "list_exchange",
        "ir",
        "passes",
        "schedule",
        "pipeline",
        "resources",
        "jinja2",
    },
    "pipeline": {"passes", "ir", "schedule", "symbolic"},
    "spaces": {"ir", "schedule", "symbolic"},
    "module": {
        "exchange",
        "list_exchange",
        "pack",
        "symbolic",
        "ir",
        "passes",
        "emit",
        "schedule",
        "pipeline",
        "spaces",
    },
    "equivalence": {"equivalence", "ir", "passes", "schedule"},
    "walls_beside": {"module", "ir"},
    "build": {"module", "emit", "ir", "pipeline", "resources", "schedule", "walls_beside"},
    "fft": {"symbolic"},
    "lbm": {"symbolic"},
    "lift": {"lift", "ir", "passes", "resources"},
    "adopt": {
        *("adopt", "build", "emit", "equivalence", "ir", "lift", "module", "pipeline", "prove"),
        "schedule",
    },
    "prove": {"prove", "lift", "ir", "emit", "module", "passes", "resources", "schedule"},
    "poisson": {"symbolic"},
    "relaxation": {"symbolic"},
    "staggered": {"symbolic"},
    "__init__": {"module", "schedule", "spaces", "symbolic"},
    "check": {"build", "lift", "module", "prove"},
    "__main__": {
        "adopt",
        "exchange",
        "list_exchange",
        "module",
        "schedule",
        "build",
        "check",
        "ir",
        "resources",
    },
}
FREEZE = {"sympy", "symbolic"}
"""What only passes/freeze.py may import beside the rest."""
OFFSETS_TEXT = {"symbolic"}
"""passes/check_dependences.py writes offsets as the model does."""


def imports(path: Path) -> Iterator[str]:
    """Top-level names of other packages, and the parts of heddle."""
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            assert node.module is not None
            names = (
                [node.module] if node.module != "heddle" else [f"heddle.{alias.name}" for alias in node.names]
            )
        for name in names:
            parts = name.split(".")
            if parts[0] == "heddle":
                if len(parts) > 1:
                    yield parts[1]
            elif parts[0] not in sys.stdlib_module_names:
                yield parts[0]


def part(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if path.read_text().strip())


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports(path: Path) -> None:
    allowed = ALLOWED[part(path)] | EVERYONE
    extra = {"freeze.py": FREEZE, "check_dependences.py": OFFSETS_TEXT}.get(path.name, set())
    assert set(imports(path)) - {"__version__"} <= allowed | extra


def test_ir_needs_only_the_standard_library() -> None:
    for path in SOURCES:
        if part(path) in ("ir", "errors"):
            assert set(imports(path)) <= {"ir", "errors"}


def test_only_the_edge_knows_sympy() -> None:
    knows = {path.name for path in SOURCES if "sympy" in set(imports(path)) and part(path) != "symbolic"}
    assert knows == {"freeze.py"}


def test_every_source_has_its_licence() -> None:
    for path in SOURCES:
        assert path.read_text().startswith("# SPDX-License-Identifier: Apache-2.0\n"), path
    for folder, licence in (("templates", "MIT-0"), ("runtime/include/heddle/device", "MIT-0")):
        for path in (ROOT / folder).iterdir():
            if path.suffix in (".j2", ".hpp"):
                assert f"SPDX-License-Identifier: {licence}" in path.read_text().splitlines()[0], path


def test_targets_are_compared_in_no_other_place() -> None:
    """A target is a table: no code asks for its name."""
    for path in SOURCES:
        if path.name not in ("__main__.py", "build.py", "module.py", "module_files.py", "sweep_file.py"):
            assert not re.search(r"target(\.name)? == [\"']", path.read_text()), path
