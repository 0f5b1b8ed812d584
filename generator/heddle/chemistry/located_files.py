# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that are spread over several files, JSON or YAML. A file may name others that lie in its folder
or below it; they are read as data, each once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from heddle.chemistry.located_json import parse_json, read_text
from heddle.chemistry.located_yaml import parse_yaml
from heddle.errors import KernelError, calling_place

MOST_FILES = 50
_BELOW = re.compile(r"(?!/)(?!.*\.\.)[\w./-]+")
_PARSERS = {".json": parse_json, ".yaml": parse_yaml, ".yml": parse_yaml}


class LocatedFiles:
    """The files of a mechanism."""

    def __init__(self) -> None:
        self.known: set[Path] = set()

    def root(self, path: Path, where: str = "") -> Any:
        """What a file holds. where: what names it; else it is the program. Raises KernelError for a file that
        is read twice, too many of them, and what is no JSON and no YAML."""
        parse = _PARSERS.get(path.suffix)
        if parse is None:
            raise KernelError(
                where or calling_place(),
                f"'{path.name}' is no format that is known.",
                "use a .json, a .yaml or a .def file",
            )
        if path.resolve() in self.known or len(self.known) >= MOST_FILES:
            raise KernelError(
                where,
                f"'{path.name}' is read twice, or there are more than {MOST_FILES} files.",
                "name each file once",
            )
        self.known.add(path.resolve())
        return parse(read_text(path), path.name)

    @staticmethod
    def beside(path: Path, name: str, where: str) -> Path:
        """The file of that name in the folder of another one, or below it."""
        if not _BELOW.fullmatch(name):
            raise KernelError(
                where,
                f"'{name}' is no file below the folder of this one.",
                "copy the files of a mechanism into one folder",
            )
        return path.parent / name
