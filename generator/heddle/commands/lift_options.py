# SPDX-License-Identifier: Apache-2.0
"""The options of `heddle lift`, apart from what they need, so that other commands start fast."""

from __future__ import annotations

import argparse
from pathlib import Path

from heddle.emit.targets import TARGETS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `heddle lift`; flags of the compiler follow after `--`."""
    parser.add_argument("source", type=Path, help="C++ or CUDA file; with --report, a file or a folder")
    parser.add_argument(
        "--function", nargs="+", help="what to lift: functions by name, or by name with parameter types"
    )
    parser.add_argument(
        "--line", type=int, help="lift only the loop nest of the function that begins at this line"
    )
    parser.add_argument(
        "--module", help="name of the module; default: the function's, or for several the file's"
    )
    parser.add_argument("-p", dest="database", type=Path, help="folder with compile_commands.json")
    parser.add_argument(
        "--out", type=Path, help="folder for model.py and the targets; default: print the model"
    )
    parser.add_argument(
        "--targets", nargs="+", choices=tuple(TARGETS), default=[], help="generate these, too"
    )
    parser.add_argument("--prove", action="store_true", help="compare what was generated with the loop")
    parser.add_argument("--report", action="store_true", help="say of each loop whether it can be lifted")
    parser.add_argument("--json", type=Path, help="with --report: write it for programs, too")
