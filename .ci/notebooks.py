#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the notebooks of examples/python: the programs beside them, cell by cell, and what they draw.

    python .ci/notebooks.py [NAME]...

A paragraph of a program is a cell; imports belong to the first. Runs the programs (half a minute), with the
Heddle, NumPy and Matplotlib of the Python that runs this; needs no Jupyter. The test of the files is
tests/generator/load/test_notebooks.py.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "examples/python"
DOTS = 72
"""Of an inch of a picture: a notebook with one has 160 KiB at most."""
TEXTS = {
    "gray_scott": [
        "# Gray-Scott\n\nOne substance eats the other and decays; both diffuse. The model is mathematics, "
        "and `heddle.load` compiles its kernel once.",
        "Ghost layers are filled from the opposite side, so that the plane is periodic. Then comes a step.",
        "Spots and stripes. Other `feed` and `kill` give other patterns.",
    ],
    "cavity": [
        "# A lid-driven cavity\n\nLattice Boltzmann in a square box. Its upper wall moves.",
        "From rest to the steady flow. At walls populations come back; `lid` adds what the lid gives.",
        "The vortex, coloured by its speed over that of the lid.",
    ],
    "porous_flow": [
        "# Flow through a porous medium\n\nKernels over a list of cells: only pores are stored and computed.",
        "A mask says where pores are. A force drives the flow, and the discharge gives the permeability.",
        "The velocity along x; discs are white.",
    ],
}
"""What stands before each cell."""


def cells_of(name: str) -> list[str]:
    """The cells of a program, without its licence line."""
    text = (FOLDER / f"{name}.py").read_text().partition("\n")[2]
    imports, model, *others = (part.strip("\n") for part in re.split(r"\n\n+", text))
    return [f"{imports}\n\n{model}", *others]


def notebook(name: str, picture: bytes) -> str:
    """The notebook of a program, in version 4.5 of the format. picture: what its last cell draws, as PNG."""
    codes = cells_of(name)
    cells: list[dict[str, Any]] = []
    for number, (about, code) in enumerate(zip(TEXTS[name], codes, strict=True), 1):
        cells.append(_cell("markdown", f"about-{number}", about))
        cells.append(_cell("code", f"code-{number}", code) | {"execution_count": number, "outputs": []})
    shown = {"image/png": base64.b64encode(picture).decode(), "text/plain": ["<Figure>"]}
    cells[-1]["outputs"] = [{"output_type": "display_data", "data": shown, "metadata": {}}]
    about = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    whole = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, name: str, text: str) -> dict[str, Any]:
    return {"cell_type": kind, "id": name, "metadata": {}, "source": text.splitlines(keepends=True)}


def picture_of(name: str) -> bytes:
    """What a program draws, with few colours."""
    import matplotlib
    from matplotlib import pyplot
    from PIL import Image

    matplotlib.use("Agg")
    matplotlib.rcParams["savefig.dpi"] = DOTS
    with tempfile.TemporaryDirectory() as place:
        before = Path.cwd()
        os.chdir(place)
        try:
            exec(compile("\n\n".join(cells_of(name)), f"{name}.py", "exec"), {"__name__": "__main__"})
        finally:
            os.chdir(before)
            pyplot.close("all")
        with Image.open(Path(place) / f"{name}.png") as drawn:
            small = io.BytesIO()
            drawn.convert("RGB").quantize(128).save(small, "PNG", optimize=True)
    return small.getvalue()


def main(names: list[str]) -> int:
    """Write notebooks and, beside them, the pictures."""
    for name in names or TEXTS:
        drawn = picture_of(name)
        (FOLDER / f"{name}.png").write_bytes(drawn)
        (FOLDER / f"{name}.ipynb").write_text(notebook(name, drawn))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
