# SPDX-License-Identifier: Apache-2.0
"""Pages that are generated from sources: the Python API, public C++ headers, the command line, errors."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import doxygen
import refusals

ROOT = Path(__file__).resolve().parents[3]
INCLUDE = ROOT / "runtime/include/heddle"
PYTHON = {
    "heddle": "",
    "heddle.load": "heddle.python.load",
    "heddle.lbm": "",
    "heddle.solvers": ". relaxation multigrid staggered poisson tridiagonal butterfly",
    "heddle.halo": ". dense sparse",
    "heddle.atmosphere": ". advection microphysics longwave nesting limiters",
    "heddle.chemistry": ". rate_laws",
}
"""Pages of the reference, and the modules on each: the page's own (.), those in it, or another one."""


def pages() -> dict[str, bytes]:
    """The content of each generated page, by its path in the site."""
    found = {"reference/python.md": _python_index()}
    for name, modules in PYTHON.items():
        found[f"reference/{name}.md"] = _python_page(name, modules)
    topics = sorted(path.name for path in INCLUDE.iterdir() if path.is_dir())
    found["reference/cpp.md"] = _cpp_index(topics)
    for topic in topics:
        found[f"reference/cpp/{topic}.md"] = _cpp_page(topic)
    found["reference/help.md"] = _help_page()
    found["reference/refusals.md"] = refusals.page()
    return {name: text.encode() for name, text in found.items()}


def _python_index() -> str:
    return (
        "# Python\n\nThe public names of the package, with their docstrings.\n\n"
        "```{toctree}\n:maxdepth: 1\n\n" + "".join(f"{name}\n" for name in PYTHON) + "```\n"
    )


def _python_page(name: str, modules: str) -> str:
    text = f"# {name}\n"
    for module in modules.split() or ["."]:
        full = name if module == "." else module if module.startswith("heddle") else f"{name}.{module}"
        if module != "." and modules.startswith("."):
            text += f"\n## {full}\n"
        text += f"\n```{{eval-rst}}\n.. automodule:: {full}\n```\n"
    return text


def _cpp_index(topics: list[str]) -> str:
    return (
        "# C++\n\nThe public headers of the runtime by topic: one folder and one CMake target each, "
        "`heddle::<topic>`. `device` is what emitted kernels include; it needs nothing of the rest.\n\n"
        + "".join(f"- [{topic}](cpp/{topic}.md)\n" for topic in topics)
    )


def _cpp_page(topic: str) -> str:
    text = f"---\norphan: true\n---\n\n# heddle::{topic}\n"
    for path in sorted((INCLUDE / topic).rglob("*.h*")):
        text += f"\n## heddle/{path.relative_to(INCLUDE)}\n"
        for declared in doxygen.headers()[f"heddle/{path.relative_to(INCLUDE)}"]:
            text += f"\n`````cpp\n{declared.text()}`````\n"
    return text


def _help_page() -> str:
    """What each command prints with --help."""
    os.environ["COLUMNS"] = "100"
    from heddle.__main__ import _parser

    parser = _parser()
    text = "# Options of the commands\n\nWhat `heddle <command> --help` prints.\n"
    text += f"\n`````text\n{parser.format_help()}`````\n"
    for name, command in _commands(parser).items():
        text += f"\n## heddle {name}\n\n`````text\n{command.format_help()}`````\n"
    return text


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(actions[0].choices)
