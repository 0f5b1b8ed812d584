# SPDX-License-Identifier: Apache-2.0
"""No text of a model leaves the comment in which emitted files show it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sympy
from heddle import Assignment, Module, Section, fields
from heddle.build import files
from heddle.emit.files import comment_lines, comment_text

TEXTS = {
    "a second line": "One.\nint evil;",
    "a directive": "One.\r\n#error evil",
    "a form feed and a vertical tab": "One.\f#error evil\v#error evil",
    "line ends of Unicode": "One.\u2028int evil;\u2029int evil;\u0085int evil;",
    "a file separator": "One.\x1cint evil;",
    "a backslash at the end": "One. \\nabla u \\",
    "two backslashes at the end": "One. \\nabla u \\\\",
    "a backslash before spaces": "One. \\  ",
    "a backslash at the end of each line": "One. " + "\\nabla u \\\\ " * 40 + "\\",
    "a trigraph": "One. What??/",
    "the end of a block comment": "One. */ int evil; /*",
    "half a character": "One. \udc80",
    "a text that is read from right to left": "One. \u202e;live tni\u202c",
}


def emitted(text: str) -> dict[str, str]:
    """The files of a module that shows a text wherever it can."""
    u, v = fields("u, v: real[2D]")
    t = sympy.Symbol("t")
    module = Module("m", precisions=("f64",), about=text, citation=text)
    statements = [Assignment(t, 2 * u[1, 0]), Section(text), Assignment(v.here, t)]
    module.add("step", statements, about=text)
    module.add("rest", [Assignment(v.here, sympy.Symbol("a") * u.here), Section(text)])
    module.add_halo(kernels=["step"])
    module.model = Path(text.replace("/", "|")) / "model.py"
    return files(module, ["reference", "cpu", "cuda", "hip"])


def code(text: str) -> str:
    """What a compiler sees, which joins lines that end in a backslash, and may read trigraphs, before it
    looks for comments."""
    joined = re.sub(r"\\[ \t\f\v]*\n", "", text.replace("??/", "\\"))
    return re.sub(r"\s+", " ", re.sub(r"//.*?(\n|\Z)", "\n", joined))


@pytest.mark.parametrize("kind", TEXTS)
def test_code_is_the_same(kind: str) -> None:
    texts, plain = emitted(TEXTS[kind]), emitted("One.")
    assert texts.keys() == plain.keys()
    for name, text in texts.items():
        assert code(text) == code(plain[name]), name
        assert text.count("\n") < plain[name].count("\n") + 60


def test_comments_keep_their_words() -> None:
    texts = emitted("Flux: \\nabla u \\\\")
    assert "// Flux: \\nabla u\n" in texts["m/step.cpp"]
    assert "/// Flux: \\nabla u\n" in texts["m/m_sweeps.hpp"]
    assert comment_text("a ∂u/∂t = \\alpha\t∇²u") == "a ∂u/∂t = \\alpha ∇²u"
    assert comment_lines(["  one two", ""], 7) == ["  one", "  two", ""]
