# SPDX-License-Identifier: Apache-2.0
"""Records and files that somebody made to do harm: whatever stands in them, lifting runs none of it, and what
it cannot use it refuses."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from heddle.__main__ import main
from heddle.commands.lifted_model import adopted, module_of, origin
from heddle.errors import KernelError
from heddle.ir.json import from_json, to_json
from heddle.lift.front_end import read
from heddle.lift.kernels import lifted
from heddle.lift.model_writer.model_text import Origin
from heddle.lift.model_writer.python_text import licence, quoted, vetted
from heddle.lift.raise_accesses import raise_accesses

MARK = "PWNED"
RUN = f"__import__('pathlib').Path('{MARK}').touch()"
HOSTILE = (
    f'" + str({RUN}) + "',
    f"' + str({RUN}) + '",
    f'"""\n{RUN}\n"""',
    f"\\\n{RUN}\n#",
    f"x\r{RUN}",
    f"x\u2028{RUN}\n",
    f"coding:utf-7 +AAo-{RUN}+AAo-#",
    f"x={RUN}",
    f"{{{RUN}}}",
    "__import__",
    "lambda",
    "\udc80",
    "\x00",
    "",
    "a b",
    "real[1D]",
)
SOURCE = """// SPDX-License-Identifier: MIT
constexpr double half = 0.5;
inline double mean(double a, double b) { return half * (a + b); }
double relax(const double* __restrict__ u, double* __restrict__ v, const int* mask, int n, double w) {
  double worst = 0.0;
  for (int i = 1; i < n - 1; ++i) {
    double next = mean(u[i - 1], u[i + 1]);
    if (mask[i] > 0 && next > w) next = w;
    v[i] = u[i] + w * (next - u[i]);
    worst = worst > v[i] ? worst : v[i];
  }
  return worst;
}
void column(double* a, int nx, int nz) {
  for (int i = 0; i < nx; ++i)
    for (int k = 1; k < nz; ++k) a[i + k * nx] += a[i + (k - 1) * nx];
}
"""


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("record") / "input.cpp"
    path.write_text(SOURCE)
    return json.loads(to_json(read(path)))


def strings(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the strings of a document stand."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in entries:
        if isinstance(inner, str):
            yield (*path, key)
        elif isinstance(inner, (dict, list)):
            yield from strings(inner, (*path, key))


def lists(value: Any) -> Iterator[list[Any]]:
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, (dict, list)):
            yield from lists(inner)
    if isinstance(value, list) and value:
        yield value


def replaced(value: Any, old: str, new: str) -> Any:
    """A document with another text wherever one stands."""
    if isinstance(value, dict):
        return {key: replaced(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [replaced(inner, old, new) for inner in value]
    return new if value == old else value


def outcome(document: Any, file: str = "input.cpp", line: str = "") -> str:
    """Lift every function of a record, as far as it goes; the models, which have run."""
    texts = []
    try:
        unit = from_json(json.dumps(document))
        for function in unit.functions:
            try:
                found = adopted("model", raise_accesses(lifted(unit, function.key)), Origin(file, line))
            except KernelError:
                continue
            texts.append(found.text)
    except KernelError:
        return ""
    return "\n".join(texts)


def test_the_record_as_it_is_can_be_lifted(record: Any) -> None:
    assert outcome(record).count("Module(") == 2


def test_hostile_text_in_every_string_is_not_run(
    record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each place once, alone or with all that are equal to it, with a text drawn by a fixed seed."""
    monkeypatch.chdir(tmp_path)
    generator = random.Random(20)
    for path in strings(record):
        text = generator.choice(HOSTILE)
        *inside, last = path
        changed = copy.deepcopy(record)
        part = changed
        for key in inside:
            part = part[key]
        old, part[last] = part[last], text
        if generator.random() < 0.5:
            changed = replaced(record, old, text)
        outcome(changed)
        assert not Path(MARK).exists(), path


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_of_files_and_licences_are_not_run(
    record: Any, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert outcome(replaced(record, "input.cpp", text), text, text)
    outcome(record, f"{text}.cpp", f"SPDX-License-Identifier: {text}")
    assert not Path(MARK).exists()


def test_lists_of_another_length_are_refused(record: Any) -> None:
    """An operator with one operand, a loop without a step: a KernelError, never a trace."""
    generator = random.Random(16)
    count = len(list(lists(record)))
    for at in range(count):
        for longer in (False, True):
            changed = copy.deepcopy(record)
            found = list(lists(changed))[at]
            found.append(found[-1]) if longer else found.pop(generator.randrange(len(found)))
            outcome(changed)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("evil.cpp", f"// SPDX-License-Identifier: MIT coding:utf-7 +AAo-{RUN}+AAo-#\n"),
        (f'a"+str({RUN})+"b.cpp', ""),
        (f"a\n{RUN}\n.cpp", ""),
    ],
)
def test_a_hostile_file_is_lifted_without_running_it(name: str, head: str, tmp_path: Path) -> None:
    """The command as it is called, in a process of its own; and what it wrote, when it is built."""
    (tmp_path / name).write_text(head + SOURCE)
    for words in (
        ["lift", name, "--function", "column", "--out", "out", "--targets", "cpu"],
        ["build", "out/model.py", "--out", "again"],
    ):
        command = [sys.executable, "-m", "heddle", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert not (tmp_path / MARK).exists()


def test_a_module_name_is_no_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused before anything is read or written."""
    (tmp_path / "input.cpp").write_text(SOURCE)
    words = ["--function", "column", "--module", "../../x", "--out", str(tmp_path / "out")]
    assert main(["lift", str(tmp_path / "input.cpp"), *words]) == 1
    assert "'../../x' cannot be written in Python" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("// SPDX-License-Identifier: Apache-2.0", "SPDX-License-Identifier: Apache-2.0"),
        (
            "/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */",
            "SPDX-License-Identifier: (GPL-2.0-only OR MIT)",
        ),
        ("# SPDX-License-Identifier: MIT coding=utf-7", ""),
        ("# SPDX-License-Identifier: MIT\r# x", ""),
        ("# SPDX-License-Identifier: MIT coding", ""),
        ("no licence", ""),
    ],
)
def test_licences(line: str, found: str) -> None:
    assert licence(line) == found


def test_the_licence_is_that_of_the_first_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.cpp"
    path.write_text("\n/* SPDX-License-Identifier: MIT */\n")
    assert licence(origin(path).licence) == "SPDX-License-Identifier: MIT"
    path.write_text("\n" * 5 + "// SPDX-License-Identifier: MIT\n")
    assert not origin(path).licence


@pytest.mark.parametrize("text", [*HOSTILE, "plain", "it's", "both \" and '"])
def test_quoted_text_reads_back(text: str) -> None:
    literal = quoted(text)
    assert eval(literal, {"__builtins__": {}}) == text  # a literal and nothing else
    assert literal.isascii()
    assert "\n" not in literal


@pytest.mark.parametrize(
    "line",
    [
        RUN,
        "import os",
        "from os import system",
        "from sympy import sympify",
        "from heddle import *",
        "a = [x for x in ()]",
        "a = lambda: 0",
        "a.__class__",
        "open('x')",
        "evaluate.mro()",
        "def f(): pass",
        "x = f'{evaluate}'",
    ],
)
def test_what_no_model_needs_is_not_run(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"from sympy import evaluate\n{line}\n"
    with pytest.raises(KernelError, match="does not belong into a model"):
        vetted(text, "model")
    with pytest.raises(KernelError):
        module_of("model", text)
    assert not Path(MARK).exists()
