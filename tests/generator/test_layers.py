# SPDX-License-Identifier: Apache-2.0
"""Who may import whom, read from the sources: packages by a table, modules without a circle."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import heddle
import pytest

PACKAGE = Path(heddle.__file__).parent
ROOT = PACKAGE.parents[1]
EVERYONE = {"errors"}
ALLOWED = {
    "errors": set(),
    "colours": set(),
    "python_errors": set(),
    "slow_models": set(),
    "resources": set(),
    "machine": set(),
    "garbage_collection": set(),
    # The bottom: nodes and facts about them.
    "ir": {"ir"},
    # What users write.
    "model": {"model", "ir", "sympy"},
    "lbm": {"lbm", "model", "sympy"},
    "solvers": {"solvers", "model", "sympy"},
    "atmosphere": {"atmosphere", "model", "sympy"},
    "chemistry": {"chemistry", "model", "sympy"},
    "adjoints": {"adjoints", "model", "sympy"},
    # From the model to text.
    "passes": {"passes", "ir"},
    "halo": {"halo", "ir"},
    "emit": {"emit", "halo", "ir", "resources", "jinja2"},
    "pipeline": {"garbage_collection", "passes", "ir", "model"},
    "module": {"adjoints", "emit", "halo", "ir", "model", "pipeline", "solvers"},
    "leftovers": {"emit"},
    "build": {"emit", "halo", "ir", "leftovers", "model", "module", "python_errors", "resources"}
    | {"garbage_collection", "slow_models"},
    # Schedules that were explored, for a module.
    "explored_schedules": {"emit", "ir", "machine", "module"},
    # Kernels that run from Python: on top of what builds them.
    "python": {"python", "build", "emit", "explored_schedules", "ir", "module"},
    # Searches over kernels that run from Python.
    "explorer": {"explorer", "build", "chemistry", "emit", "explored_schedules", "ir", "lbm", "machine"}
    | {"model", "module", "python", "solvers"},
    # From text back to kernels.
    "lift": {"lift", "ir", "resources"},
    "roundtrip": {"roundtrip", "lift", "ir", "emit", "module", "resources"},
    # What is called from outside.
    "__init__": {"explorer", "ir", "model", "module", "python"},
    "commands": {"commands", "build", "emit", "explored_schedules", "explorer", "ir", "lift", "module"}
    | {"colours", "pipeline"}
    | {"resources", "roundtrip"},
    "__main__": {"build", "commands", "emit", "explored_schedules", "halo", "ir", "module", "python"}
    | {"colours", "resources"},
}
MORE = {
    # The edge where SymPy ends.
    "passes/from_sympy.py": {"sympy", "model"},
    # Arrays, for those who call kernels from Python.
    "python/zeros.py": {"numpy"},
    "python/doctor.py": {"colours"},
    "python/cell_list.py": {"numpy"},
    "python/domain.py": {"halo", "numpy"},
    "python/list_tables.py": {"numpy"},
    "python/in_jax.py": {"jax"},
    "python/jax_call.py": {"numpy", "resources"},
    "python/in_torch.py": {"torch"},
    # YAML, read where it is installed.
    "chemistry/located_yaml.py": {"ruamel"},
    # Passes as passes: races in a recovered kernel are refused as those of a model are, and a kernel of an
    # earlier level is lowered before it is compared.
    "lift/raise_accesses.py": {"passes"},
    "roundtrip/compare.py": {"passes"},
}
"""What single files may import beside the rest."""
BORROWS_NOTHING = "roundtrip/equivalence/"
"""The proof that two kernels are equal needs the kernel language alone."""

SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if path.read_text().strip())


def name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def part(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def modules_imported(path: Path) -> Iterator[str]:
    """The dotted names that a file imports, anywhere in it: under TYPE_CHECKING and within functions, too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)} imports relatively"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports(path: Path) -> Iterator[str]:
    """Top-level names of other packages, and the parts of heddle."""
    for imported in modules_imported(path):
        first, *rest = imported.split(".")
        if first == "heddle":
            yield from rest[:1]
        elif first not in sys.stdlib_module_names:
            yield first


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_imports(path: Path) -> None:
    allowed = ALLOWED[part(path)] | EVERYONE | MORE.get(name(path), set())
    if name(path).startswith(BORROWS_NOTHING):
        allowed = {"roundtrip", "ir"} | EVERYONE
    assert set(imports(path)) - {"__version__"} <= allowed


def test_exceptions_are_used() -> None:
    for file, more in MORE.items():
        assert more <= set(imports(PACKAGE / file)) - ALLOWED[part(PACKAGE / file)], file


def test_ir_needs_only_the_standard_library() -> None:
    for path in SOURCES:
        if part(path) in ("ir", "errors"):
            assert set(imports(path)) <= {"ir", "errors"}


def test_only_the_edge_knows_sympy() -> None:
    knows = {name(path) for path in SOURCES if "sympy" in set(imports(path))}
    mathematics = ("adjoints/", "atmosphere/", "chemistry/", "model/", "lbm/", "solvers/")
    beyond = {file for file in knows if not file.startswith(mathematics)}
    assert beyond == {"passes/from_sympy.py"}


def graph() -> dict[str, set[str]]:
    """Which modules each module of heddle imports."""
    named = {
        ".".join(("heddle", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in SOURCES
    }
    found: dict[str, set[str]] = {}
    for module, path in named.items():
        wanted = set()
        for imported in modules_imported(path):
            parent = imported.rpartition(".")[0]
            wanted |= {imported if imported in named else parent} & named.keys()
        found[module] = wanted - {module}
    return found


def circle(edges: Mapping[str, set[str]]) -> list[str]:
    """Modules that import each other in a ring; none if there is no ring."""
    left = {module: set(wanted) for module, wanted in edges.items()}
    while free := [module for module, wanted in left.items() if not wanted & left.keys()]:
        for module in free:
            del left[module]
    if not left:
        return []
    way = [min(left)]
    while way[-1] not in way[:-1]:
        way.append(min(left[way[-1]] & left.keys()))
    return way[way.index(way[-1]) :]


def test_no_modules_import_each_other() -> None:
    edges = graph()
    assert not circle({module: wanted - {"heddle"} for module, wanted in edges.items()})
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_no_packages_import_each_other() -> None:
    """Parts of heddle, and the packages within lbm."""
    edges: dict[str, set[str]] = {}
    for path in SOURCES:
        edges.setdefault(part(path), set()).update(set(imports(path)) & ALLOWED.keys() - {part(path)})
    assert not circle(edges)
    within: dict[str, set[str]] = {}
    for module, wanted in graph().items():
        if module.startswith("heddle.lbm."):
            others = {_package(other) for other in wanted if other.startswith("heddle.lbm.")}
            within.setdefault(_package(module), set()).update(others - {_package(module)})
    assert not circle(within)


def _package(module: str) -> str:
    """The package of a module of lbm; modules that stand in lbm itself count alone."""
    return ".".join(module.split(".")[:3])


def test_every_source_has_its_licence() -> None:
    for path in SOURCES:
        assert path.read_text().startswith("# SPDX-License-Identifier: Apache-2.0\n"), path
    for folder in ("templates", "runtime/include/heddle/device", "runtime/include/heddle/adapters"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".j2", ".hpp"):
                assert "SPDX-License-Identifier: MIT-0" in path.read_text().splitlines()[0], path


ASKS_FOR_A_TARGET = re.compile(
    r"""target(\.name)? (==|!=|in|not in) \(?["']"""
    r"""|["'](reference|cpu|cuda|hip)["'] (not )?in |[!=]= ["'](reference|cpu|cuda|hip)["']"""
)


def test_targets_are_values() -> None:
    """No code asks for the name of a target: what differs is a fact of its value."""
    for path in SOURCES:
        found = ASKS_FOR_A_TARGET.search(path.read_text())
        assert found is None, f"{path}: {found and found[0]}"
    for mistake in ('"cuda" in targets', "target == 'cpu'", 'name == "cuda"', 'target in ("cpu", "cuda")'):
        assert ASKS_FOR_A_TARGET.search(mistake), mistake
