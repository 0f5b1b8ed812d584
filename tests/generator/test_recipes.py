# SPDX-License-Identifier: Apache-2.0
"""The recipes of CONTRIBUTING.md suffice: in a copy of the generator, the example of each in recipes.py
changes exactly the files that the recipe names, and the tests that it names pass there.

Paths are read from the numbered steps; one that begins with "If" or "In the library" is not for everyone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from heddle.lift.front_end import heddle_lift
from recipes import RECIPES, ROOT, Recipe

COPIED = "generator/heddle templates runtime/include/heddle/device tests/generator tests/emulation".split()
STEP = re.compile(r"^\d+\. (.*?)(?=^\d+\. |^\S|\Z)", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w./<>-]+/[\w<>]+\.\w+)`")


def files_named(title: str) -> list[str]:
    """The files that the steps of a recipe name."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (section,) = re.findall(rf"^### {title}\n(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL)
    steps = [step for step in STEP.findall(section) if not step.startswith(("If ", "In the library"))]
    return [path for step in steps for path in FILE.findall(step)]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the generator, its tests and what both read."""
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("generator/pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


@pytest.mark.compiles
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_a_recipe_names_all_that_it_takes(recipe: Recipe, checkout: Path) -> None:
    named = {path.replace("<name>", recipe.name) for path in files_named(recipe.title)}
    assert named == set(recipe.changes)
    assert sum(not path.startswith("tests/") for path in named) == recipe.sources
    for path, change in recipe.changes.items():
        target = checkout / path
        if isinstance(change, str):
            assert not target.exists()
            target.parent.mkdir(exist_ok=True)
            target.write_text(change)
        else:
            text = target.read_text()
            for addition in change:
                text = addition(text)
            target.write_text(text)
    command = [sys.executable, "-m", "pytest", "-c", "generator/pyproject.toml", "--rootdir", "."]
    words = ["-k", recipe.words] if recipe.words else []
    environment = {name: value for name, value in os.environ.items() if name != "HEDDLE_TURN"}
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", *words, *recipe.tests],
        cwd=checkout,
        env=environment | {"PYTHONPATH": "generator", "HEDDLE_LIFT": str(heddle_lift().resolve())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]


def test_a_transport_takes_its_file_alone() -> None:
    """The file that the recipe shows registers itself in a program that adds it to the library as it is; the
    C++ test beside it (`runtime.ToyTransport`) sends messages through it."""
    files = files_named("Add a transport")
    assert "tests/runtime/transport/toy_transport.cpp" in files
    text = (ROOT / "tests/runtime/CMakeLists.txt").read_text()
    assert (
        "add_executable(test_toy_transport transport/toy_transport.cpp transport/toy_transport_test.cpp)"
        in text
    )
    assert "target_link_libraries(test_toy_transport PRIVATE heddle::runtime GTest" in text
    assert "gtest_discover_tests(test_toy_transport TEST_PREFIX runtime." in text
