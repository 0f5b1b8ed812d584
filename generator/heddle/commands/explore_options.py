# SPDX-License-Identifier: Apache-2.0
"""The options of `heddle explore`, apart from what they need, so that other commands start fast."""

from __future__ import annotations

import argparse
from pathlib import Path

EPILOG = "Example: heddle explore model.py --size 256x256 --precisions f64 f32 --set alpha=0.1 --budget 5"
ABOUT = """Compile the variants, precisions and legal schedules of a model, check each against the reference
target, and time it beside a kernel that moves the same bytes. A model is a Python program, and this command
runs it: use only models that you trust. Results of several machines are put together by --merge.

The model file defines one Module; or a dictionary `variants` of Modules that do the same in different
ways, by names. It may also define `values`, a dictionary of arguments by name, and `accuracy(kernels,
precision)`, which returns an error: heddle.explore says what these mean.
Exit code 0: candidates were timed, and none is wrong."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `heddle explore` takes."""
    parser.add_argument(
        "model", type=Path, nargs="?", help="Python file that defines one Module, or variants"
    )
    parser.add_argument("--target", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--kernels", nargs="+", help="some of the kernels; default: all")
    parser.add_argument("--precisions", nargs="+", help="default: those of the module")
    parser.add_argument(
        "--size", nargs="+", default=["memory"], help="256x256, cache, memory (default), or several of these"
    )
    parser.add_argument(
        "--set", nargs="+", default=[], metavar="NAME=NUMBER", help="values of parameters and fields"
    )
    parser.add_argument(
        "--search",
        default="exhaustive",
        help="exhaustive (default), random, halving, model, or kernel_tuner:STRATEGY where it is installed",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random search")
    parser.add_argument(
        "--budget", type=float, metavar="MINUTES", help="try no more candidates after that, but at least one"
    )
    parser.add_argument("--samples", type=int, default=15, help="how often each is timed (default: 15)")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one candidate (default: 300)")
    parser.add_argument("--jobs", type=int, help="compilers at a time; default: one for each core")
    parser.add_argument("--threads", type=int, help="of OpenMP; default: all cores")
    parser.add_argument("--name", help="of this machine; default: that of its processor or GPU")
    parser.add_argument(
        "--out", type=Path, default=Path("explored"), help="folder for results (default: explored)"
    )
    parser.add_argument(
        "--merge",
        nargs="+",
        type=Path,
        metavar="FOLDER",
        help="put results of folders, and of files in T4, together",
    )
    parser.add_argument(
        "--against",
        type=Path,
        metavar="EARLIER",
        help="say what changed since this folder, results.jsonl or T4 file",
    )
    parser.add_argument(
        "--counters", action="store_true", help="count the bytes that memory moves, by ncu or perf"
    )
    parser.add_argument("--all", action="store_true", help="print all rows of the table")
