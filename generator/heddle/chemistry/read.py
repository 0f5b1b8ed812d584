# SPDX-License-Identifier: Apache-2.0
"""Mechanisms from files."""

from __future__ import annotations

from pathlib import Path

from heddle.chemistry.located_json import parse_json, read_text
from heddle.chemistry.mechanism import Mechanism
from heddle.chemistry.mechanism_configuration import Document
from heddle.errors import KernelError, calling_place


def read(path: str | Path) -> Mechanism:
    """The mechanism in a file: `.json`, Mechanism Configuration version 1. Nothing in it is executed.

    Raises KernelError with file and line for what has no meaning there.
    """
    path = Path(path)
    if path.suffix != ".json":
        raise KernelError(calling_place(), f"'{path.name}' is no format that is known.", "use a .json file")
    return Document(path.name, parse_json(read_text(path), path.name)).mechanism()
