# SPDX-License-Identifier: Apache-2.0
"""Kernels over lists of cells in a package of `heddle build --python`: it has its own CellList, which is that
of Heddle, and needs NumPy when a list is made."""

from __future__ import annotations

import re
from pathlib import Path

from heddle.build import listed_kernels
from heddle.emit.python_file import list_tables, writes_links
from heddle.emit.targets import TARGETS
from heddle.ir.schedule import RUN_CELLS
from heddle.module import Module
from heddle.python import cell_list, zeros

_LINK = '''"""Links of cells to their neighbours."""

from __future__ import annotations

from typing import NamedTuple

RUN_CELLS = {run_cells}


class Link(NamedTuple):
    """A row of the table of neighbours: element `slot` of the cell at `offset`, or `wall_slot` of the own
    cell where no cell of the list is."""

    slot: int
    offset: tuple[int, ...]
    wall_slot: int

    @property
    def stores_solid(self) -> bool:
        """Whether the row leads to cells behind walls, too."""
        return self.wall_slot < 0
'''
_HOME = (
    (r"from heddle\.errors import", "from {module}._error import"),
    (r"from heddle\.ir\.(space|schedule) import", "from {module}._link import"),
    (r"from heddle\.python import list_tables", "from {module} import _list_tables as list_tables"),
    (r"from heddle\.python\.(list_tables|zeros) import", "from {module}._\\1 import"),
    (r"\bheddle\.(CellList|zeros)\b", "{module}.\\1"),
    (r"what heddle\.load gave for a model with kernels over a list, or its Module,", "this package,"),
    (r"what heddle\.load gave, the Module, or module\.links", "{module}, this package"),
)
"""What a package calls things: imports, and names in messages."""


def list_files(module: Module) -> dict[str, str]:
    """The files that make lists; none where no kernel needs them."""
    if not listed_kernels(module):
        return {}
    found = {"_link.py": _LINK.format(run_cells=RUN_CELLS)}
    folder = Path(cell_list.__file__).parent
    for name in ("cell_list", "list_tables", Path(zeros.__file__).stem):
        text = (folder / f"{name}.py").read_text().partition("\n")[2]  # without our licence: it is the user's
        for ours, theirs in _HOME:
            text = re.sub(ours, theirs.format(module=module.name), text)
        found[f"_{name}.py"] = text
    return found


def list_imports(module: Module) -> str:
    """The lines of __init__.py that import what `list_files` writes."""
    if not listed_kernels(module):
        return ""
    return (
        f"from {module.name}._cell_list import CellList, CellSelection, ListKernel\n"
        f"from {module.name}._link import Link\n"
    )


def list_functions(module: Module, target: str) -> list[str]:
    """The lines of __init__.py that define the links of the module, and a function for each kernel over a
    list."""
    names = listed_kernels(module)
    if not names:
        return []
    links = [f"    Link({link.slot}, {link.offset!r}, {link.wall_slot})," for link in module.links]
    lines = ["_LINKS = (", *links, ")", "", "", "def _links():", "    return _LINKS", "", ""]
    for name in names:
        kernel = module.typed(name, module.precisions[0])
        tables = list_tables(kernel, TARGETS[target].gpu is not None)
        own = "_LINKS" if kernel.space.links else "()"
        lines.append(f'{name} = ListKernel("{module.name}", "{name}", _kernels["{name}"], {tables!r},')
        lines.append(f"{' ' * len(name)}              {own}, {writes_links(kernel)})")
    return lines
