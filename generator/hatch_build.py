# SPDX-License-Identifier: Apache-2.0
"""What stands beside the package in a checkout stands inside it in a wheel and in a source distribution,
under heddle/data/ with the same names. A source distribution already has it there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ("templates", "runtime/cmake", "runtime/include/heddle/device")


class DataHook(BuildHookInterface[Any]):
    """Adds the folders to what is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if (root / "heddle" / "data").is_dir():
            return
        for folder in FOLDERS:
            source = root.parent / folder
            if not source.is_dir():
                raise FileNotFoundError(f"{source} is missing: build heddle in a checkout, or from an sdist")
            build_data["force_include"][str(source)] = f"heddle/data/{folder}"
