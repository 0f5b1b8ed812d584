# SPDX-License-Identifier: Apache-2.0
"""The lessons of the tutorial: their programs in Python and the answers to their exercises run, each compared
with something independent; what a page says that is emitted or printed, is. Programs in C++ are built and run
by tests/tutorial."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from heddle.build import files, load

TUTORIAL = Path(__file__).resolve().parents[3] / "generator/docs/tutorial"
LESSONS = sorted(path for path in TUTORIAL.iterdir() if path.is_dir())
PROGRAMS = sorted(path for name in ("run.py", "answers.py") for path in TUTORIAL.glob(f"*/{name}"))
EMITTED = re.compile(r"^```cpp emitted=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PARTS = ["What you will learn", "The mathematics", "The model", "What Heddle emits", "The program"]
PARTS += ["What to see", "Exercises", "Answers"]


def page(lesson: Path) -> str:
    return (lesson / "README.md").read_text()


def without_digits(text: str) -> str:
    """Text in which numbers of rounding errors, such as 1.4e-15, are alike."""
    return re.sub(r"\d(\.\d)?e-\d\d", "small", text)


@pytest.mark.compiles
@pytest.mark.slow
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: f"{program.parent.name}/{program.name}")
def test_a_program_runs(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.read_text().count("\nassert ") >= 1
    runpy.run_path(str(program))
    printed = without_digits(capsys.readouterr().out)
    if program.name == "run.py":
        (shown,) = PRINTED.findall(page(program.parent))
        assert without_digits(shown) == printed


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_has_its_parts(lesson: Path) -> None:
    text = page(lesson)
    for file in (path for path in lesson.iterdir() if path.suffix in {".py", ".cpp"}):
        assert f"{{literalinclude}} {file.name}\n" in text
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [title for title in titles if title != "The loop"] == PARTS
    exercises = text.partition("\n## Exercises\n")[2].partition("\n## ")[0]
    assert [line[:2] for line in exercises.splitlines() if line[:1].isdigit()] == ["1.", "2.", "3."]
    (answers,) = lesson.glob("answers.*")
    assert [
        f"{mark} {number}. " in answers.read_text().replace("2. and 3. ", "2. // 3. ")
        for number, mark in ((n, "#" if answers.suffix == ".py" else "//") for n in (1, 2, 3))
    ] == [True] * 3


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_what_a_lesson_says_is_emitted(lesson: Path) -> None:
    module = load(lesson / "model.py")
    texts = files(module, ["cpu"])
    excerpts = EMITTED.findall(page(lesson))
    assert excerpts
    for name, excerpt in excerpts:
        assert excerpt in texts[f"{module.name}/{name}"], name


def test_lessons_are_numbered_and_in_the_index() -> None:
    index = (TUTORIAL.parent / "index.md").read_text()
    order = re.findall(r"^tutorial/(\w+)/README$", index, re.MULTILINE)
    assert sorted(order) == [lesson.name for lesson in LESSONS]
    numbers = [re.findall(r"\A# (\d+)\. ", page(TUTORIAL / name)) for name in order]
    assert numbers == [[str(n)] for n in range(1, len(order) + 1)]
