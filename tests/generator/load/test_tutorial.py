# SPDX-License-Identifier: Apache-2.0
"""The lessons of the tutorial run; each compares itself with a closed form."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).resolve().parents[3] / "generator/docs/tutorial"
LESSONS = sorted(path for path in TUTORIAL.iterdir() if path.is_dir())


@pytest.mark.compiles
@pytest.mark.slow
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_runs(lesson: Path) -> None:
    text = (lesson / "run.py").read_text()
    assert text.count("\nassert ") >= 1
    runpy.run_path(str(lesson / "run.py"))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_shows_its_files_and_has_exercises(lesson: Path) -> None:
    page = (lesson / "README.md").read_text()
    for file in lesson.glob("*.py"):
        assert f"{{literalinclude}} {file.name}\n" in page
    assert "\n## What you have learnt\n\n- " in page
    exercises = page.partition("\n## Exercises\n")[2]
    assert [line[:2] for line in exercises.splitlines() if line[:1].isdigit()] == ["1.", "2.", "3."]


def test_every_lesson_is_in_the_index() -> None:
    index = (TUTORIAL.parent / "index.md").read_text()
    for lesson in LESSONS:
        assert f"\ntutorial/{lesson.name}/README\n" in index
