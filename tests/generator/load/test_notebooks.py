# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/python have the programs beside them, cell by cell, and their pictures. The
programs themselves run in test_examples. That Jupyter takes the notebooks was tried by hand (nbclient)."""

from __future__ import annotations

import importlib.util
import json
import struct
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples/python"


def _writer() -> Any:
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / ".ci/notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRITER = _writer()


@pytest.mark.parametrize("name", WRITER.TEXTS)
def test_a_notebook_is_its_program(name: str) -> None:
    picture = (EXAMPLES / f"{name}.png").read_bytes()
    written = (EXAMPLES / f"{name}.ipynb").read_text()
    assert written == WRITER.notebook(name, picture), "run: python .ci/notebooks.py"
    code = [cell for cell in json.loads(written)["cells"] if cell["cell_type"] == "code"]
    program = (EXAMPLES / f"{name}.py").read_text().partition("\n")[2]
    assert "\n\n".join("".join(cell["source"]) for cell in code) == program.rstrip("\n")
    assert len(program.splitlines()) <= 30


@pytest.mark.parametrize("name", WRITER.TEXTS)
def test_its_picture_has_something_to_see(name: str) -> None:
    """As large as Matplotlib draws it, and no empty frame: that takes 3 KiB."""
    picture = (EXAMPLES / f"{name}.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">2I", picture[16:24])
    assert min(width, height) > 250
    assert len(picture) > 9_000


def test_every_program_that_draws_has_one() -> None:
    drawing = {path.stem for path in EXAMPLES.glob("*.py") if "pyplot" in path.read_text()}
    assert drawing == set(WRITER.TEXTS) == {path.stem for path in EXAMPLES.glob("*.ipynb")}
