# SPDX-License-Identifier: Apache-2.0
"""Mechanisms from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heddle.chemistry.camp import is_camp, read_camp
from heddle.chemistry.kpp import read_kpp
from heddle.chemistry.located_files import LocatedFiles
from heddle.chemistry.mechanism import Mechanism
from heddle.chemistry.mechanism_configuration import Document


def read(path: str | Path, require_balanced: Sequence[str] = ()) -> Mechanism:
    """The mechanism in a file: `.json`, `.yaml` or `.yml`, Mechanism Configuration version 1, or version 0,
    which is that of CAMP (see heddle.chemistry.camp); `.def`, `.eqn` or `.kpp`, KPP (see
    heddle.chemistry.kpp). Nothing in it is executed. YAML needs the package ruamel.yaml:
    pip install 'heddle[yaml]'.

    require_balanced: elements of which no reaction may make or lose atoms, ("N",); see Mechanism.check.

    Raises KernelError with file and line for what has no meaning there.
    """
    result = _mechanism_of(Path(path))
    result.check(require_balanced)
    return result


def _mechanism_of(path: Path) -> Mechanism:
    if path.suffix in (".def", ".eqn", ".kpp"):
        return read_kpp(path)
    files = LocatedFiles()
    root = files.root(path)
    return read_camp(path, root, files) if is_camp(root) else Document(path, root, files).mechanism()
