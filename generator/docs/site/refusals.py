# SPDX-License-Identifier: Apache-2.0
"""A page with the errors of models, made of the cases in tests/generator/errors: the message, and a model
that is refused with it. A test runs the cases, so that the page says what Heddle says."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parents[3] / "tests/generator/errors"
LINE = "model.py:7"
HEAD = """# Errors of models, with examples

Each message of Heddle about a model, by subject, with a line that is refused.
[A refused kernel](../refused_kernels.md) says how to find what is wrong. `p` and `q` are fields of real
values on a plane, `f` has three components, `k` holds integers; `t`, `a`, `b`, `c` are symbols, and
`kernel(...)` adds a kernel called `k` to a module.
"""


def page() -> str:
    """All cases, a heading per subject. tests/generator is in the path."""
    every = importlib.import_module("errors.cases").CASES
    text = HEAD
    for path in sorted(CASES.glob("*.py")):
        if path.stem == "cases" or path.stem.startswith("test_"):
            continue
        subject = importlib.import_module(f"errors.{path.stem}")
        title, _, rest = (subject.__doc__ or path.stem).partition("\n")
        text += f"\n## {title.rstrip('.')}\n\n{rest}\n"
        for name, (case, message) in every.items():
            if case.__module__ == subject.__name__:
                text += (
                    f"\n### {name.replace('_', ' ')}\n\n`````text\n{message.replace('{here}', LINE)}\n`````\n"
                )
                text += f"\n`````python\n{_body(case)}\n`````\n"
    return text


def _body(case: Callable[[], Any]) -> str:
    """The lines of a case below its first one, `def name() -> None:`."""
    source = re.split(r"^def .*?:\n", inspect.getsource(case), maxsplit=1, flags=re.MULTILINE)[1]
    return textwrap.dedent(source).rstrip().replace("  # here", "  # line 7")
