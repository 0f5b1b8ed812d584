# SPDX-License-Identifier: Apache-2.0
"""`heddle explore`: search for the fastest variant, precision and schedule of a model on this machine."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any

from heddle.build import module_in, names_of
from heddle.colours import coloured
from heddle.commands.usage import check_precision
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.explorer.exploration import Exploration, merge
from heddle.explorer.run import explore

ROWS = 12
"""Of each step, machine and size that are printed."""


def run(options: argparse.Namespace) -> int:
    """Exit code 0: candidates were timed, and none is wrong; else 1."""
    if (options.model is None) == (options.merge is None):
        raise KernelError(
            "heddle explore", "give a model, or --merge with folders.", "heddle explore --help shows examples"
        )
    busy = "" if options.merge or options.threads is not None or TARGETS[options.target].gpu else _busy()
    found = merge(options.merge, options.out, options.against) if options.merge else _searched(options)
    print(found.table(None if options.all else ROWS, partial(coloured, file=sys.stdout)))
    if found.untried:
        print(
            f"\nheddle: {options.budget:g} minutes were over; candidates left: {found.untried}.\n"
            "  Hint: the same command goes on where it stopped; what is compiled stays in the cache"
        )
    print(busy, end="")
    print(f"\nheddle: {options.out / 'report.html'}, and schedules.json, results.json beside it")
    return 0 if found.correct and not found.wrong else 1


def _busy() -> str:
    """What to say where other programs use the cores on which several threads are about to be timed."""
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    if load < cores:
        return ""
    return (
        f"\nheddle: other programs used this machine (load {load:.0f} on {cores} cores): times say little.\n"
        "  Hint: with --threads 1 they are those that a processor spent on one thread\n"
    )


def _searched(options: argparse.Namespace) -> Exploration:
    for precision in options.precisions or ():
        check_precision("--precisions", precision)
    names = names_of(options.model)
    variants: Any = names.get("variants")
    given: Any = names.get("values", {})
    accuracy: Any = names.get("accuracy")
    if not isinstance(given, dict) or not (accuracy is None or callable(accuracy)):
        raise KernelError(
            options.model.name,
            "`values` is no dictionary, or `accuracy` no function: heddle explore reads both from a model.",
            "values = {'alpha': 0.1}; def accuracy(kernels, precision): ...; or give them other names",
        )
    chosen: dict[str, Any] = (
        {"model": module_in(names, options.model, options.model.resolve().parent)}
        if variants is None
        else {"variants": variants}
    )
    return explore(
        **chosen,
        target=options.target,
        kernels=options.kernels,
        precisions=options.precisions,
        sizes=options.size,
        values=given | _numbers(options.set),
        accuracy=accuracy,
        search=options.search,
        seed=options.seed,
        budget=options.budget,
        samples=options.samples,
        limit=options.limit,
        jobs=options.jobs,
        threads=options.threads,
        out=options.out,
        name=options.name,
        against=options.against,
        counters=options.counters,
    )


def _numbers(words: Iterable[str]) -> dict[str, float]:
    """The values of --set."""
    found = {}
    for word in words:
        name, _, text = word.partition("=")
        try:
            found[name] = float(text)
        except ValueError:
            raise KernelError(
                "heddle explore", f"--set {word} gives no number.", "write --set alpha=0.1 omega=1.6"
            ) from None
    return found
