# SPDX-License-Identifier: Apache-2.0
"""Which topic of the runtime includes which: design.md, section 4, read from sources and CMake files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

RUNTIME = Path(__file__).parents[2] / "runtime"
INCLUDE = RUNTIME / "include" / "heddle"
SOURCE = RUNTIME / "src"
SUFFIXES = {".h", ".hpp", ".cpp", ".cu", ".cuh"}

ORDER = "core grid sparse transport reduction halo graph hybrid io solvers poisson projection".split()
"""A topic may use those before it. In front of them all stands device, the headers of emitted kernels, and
beside it adapters, headers that other frameworks' programs take without the runtime."""
BESIDE = {
    "chemistry": "transport",
    "chemistry_cvode": "chemistry",
    "mpi": "transport",
    "program": "mpi",
    "geometry": "sparse",
    "plot": "core",
}
"""Topics beside that order, and the highest that each uses."""
GENERATED = re.compile(r"(fft|poisson_\w+|projection_\w+)\.(h|hpp)")
"""Headers that heddle_add_kernels writes into the build tree."""


def topics() -> list[str]:
    return sorted(path.parent.name for path in SOURCE.glob("*/CMakeLists.txt"))


def files() -> list[Path]:
    return sorted(path for path in RUNTIME.rglob("*") if path.suffix in SUFFIXES)


def topic(path: Path) -> str:
    return path.relative_to(INCLUDE if INCLUDE in path.parents else SOURCE).parts[0]


def includes(path: Path) -> Iterator[str]:
    yield from re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE)


@cache
def direct_links(name: str) -> frozenset[str]:
    """The topics that the CMakeLists.txt of a topic names."""
    text = (SOURCE / name / "CMakeLists.txt").read_text()
    assert re.search(rf"heddle_add_topic\(\s*{name}\b", text), f"{name} adds a library of another name"
    direct = {word for names in re.findall(r"\bLINK ([a-z ]+)", text) for word in names.split()}
    direct |= set(re.findall(rf"target_link_libraries\(heddle_{name} \w+ heddle::(\w+)\)", text))
    return frozenset(direct)


@cache
def links(name: str) -> frozenset[str]:
    """What a topic links, directly or through others."""
    direct = direct_links(name)
    return direct.union(*(links(below) for below in direct))


def test_every_topic_has_its_place() -> None:
    placed = [*ORDER, *BESIDE]
    assert topics() == sorted(placed)
    assert sorted(path.name for path in INCLUDE.iterdir()) == sorted([*placed, "adapters", "device"])


@pytest.mark.parametrize("name", topics())
def test_links_lead_down(name: str) -> None:
    if name in BESIDE:
        assert direct_links(name) <= {BESIDE[name]} | links(BESIDE[name])
    else:
        assert direct_links(name) <= set(ORDER[: ORDER.index(name)])


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(RUNTIME)))
def test_includes(path: Path) -> None:
    public = INCLUDE in path.parents
    for name in includes(path):
        if name.startswith("heddle/"):
            target = INCLUDE.parent / name
            assert target.is_file(), f"{name} does not exist"
            own = topic(path)
            allowed = {"device", own} | (set() if own in ("adapters", "device") else links(own))
            assert topic(target) in allowed, f"{name} is above {own}, or not linked by it"
        elif name.startswith("xla/"):  # of jaxlib, found when JAX is
            assert path.name == "xla.cpp"
        elif public:
            assert topic(path) == "device", f"the public header includes the private {name}"
            assert (path.parent / name).is_file()
        else:
            root = SOURCE / topic(path)
            found = [place for place in (path.parent, root) if (place / name).resolve().is_file()]
            assert found or GENERATED.fullmatch(name), f"{name} is not of this topic"
            assert all(root in (place / name).resolve().parents for place in found), (
                f"{name} is of another topic"
            )


def test_adapters_are_short() -> None:
    """Those of C++ and Fortran, and the modules for JAX and PyTorch."""
    python = RUNTIME.parent / "generator/heddle/python"
    found = [*(INCLUDE / "adapters").glob("*.hpp"), *(RUNTIME / "fortran").glob("*.f90")]
    found += [*python.glob("*jax*.py"), *python.glob("*torch*.py")]
    assert len(found) > 15
    for path in found:
        assert len(path.read_text().splitlines()) <= 150, path


def test_no_header_includes_itself_through_others() -> None:
    graph: dict[Path, list[Path]] = {}
    for path in files():
        found = []
        for name in includes(path):
            own = SOURCE / topic(path) if SOURCE in path.parents else path.parent
            for place in (INCLUDE.parent, path.parent, own):
                if (place / name).is_file():
                    found.append((place / name).resolve())
                    break
        graph[path.resolve()] = found
    done: set[Path] = set()
    for start in graph:
        trail: list[tuple[Path, Iterator[Path]]] = [(start, iter(graph[start]))]
        open_now = {start}
        while trail:
            here, rest = trail[-1]
            following = next(rest, None)
            if following is None:
                trail.pop()
                open_now.discard(here)
                done.add(here)
            elif following in open_now:
                circle = [str(path.relative_to(RUNTIME)) for path, _ in trail]
                pytest.fail(f"includes lead in a circle: {circle}")
            elif following not in done:
                trail.append((following, iter(graph[following])))
                open_now.add(following)


def test_guards_are_the_paths() -> None:
    for path in files():
        if path.suffix not in (".h", ".hpp", ".cuh") or topic(path) == "device":
            continue
        root, prefix = (INCLUDE, "HEDDLE_") if INCLUDE in path.parents else (SOURCE, "HEDDLE_SRC_")
        guard = prefix + re.sub(r"\W", "_", str(path.relative_to(root))).upper()
        assert f"#ifndef {guard}\n#define {guard}\n" in path.read_text(), path


def test_every_source_is_compiled() -> None:
    for name in topics():
        text = (SOURCE / name / "CMakeLists.txt").read_text()
        for path in (SOURCE / name).rglob("*"):
            if path.suffix in (".cpp", ".cu"):
                assert re.search(
                    rf"(?<![\w/]){re.escape(str(path.relative_to(SOURCE / name)))}(?!\w)", text
                ), path
