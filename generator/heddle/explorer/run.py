# SPDX-License-Identifier: Apache-2.0
"""heddle.explore: which variant, precision and schedule is fastest here, and accurate enough."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from heddle import machine
from heddle.build import python_kernels
from heddle.emit.cost import cost
from heddle.emit.python_file import needed
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.explorer import hybrid
from heddle.explorer.built import Built, paced, resources, typed
from heddle.explorer.counters import required
from heddle.explorer.exploration import Exploration, earlier_results
from heddle.explorer.hybrid import Hybrid
from heddle.explorer.lists import dimensions, make_list
from heddle.explorer.memory import Values, library
from heddle.explorer.methods import Method, Variant, checked, module_of_variant
from heddle.explorer.progress import Progress
from heddle.explorer.results import Result, append, read, source_of
from heddle.explorer.schedules import arithmetic
from heddle.explorer.search import Point, Search, search
from heddle.explorer.sizes import extent as extent_of
from heddle.explorer.space import Candidate, space, steps
from heddle.explorer.trial import (
    Accuracy,
    Conditions,
    Known,
    Made,
    Own,
    measured,
    own_part,
    shared_parts,
    write_allocate,
)
from heddle.explorer.workers import Children, Outcome, in_child
from heddle.ir.schedule import Schedule
from heddle.ir.schedule_text import as_text
from heddle.ir.space import Sparse
from heddle.module import Module
from heddle.python.load import RUN_FROM_PYTHON, module_of


def explore(
    model: str | Path | Module | None = None,
    *,
    variants: Mapping[str, Variant] | None = None,
    target: str = "cpu",
    kernels: Sequence[str] | None = None,
    precisions: Sequence[str] | None = None,
    schedules: Iterable[Schedule] | None = None,
    sizes: Sequence[str | tuple[int, ...]] = ("memory",),
    values: Values | None = None,
    accuracy: Accuracy | None = None,
    search: str = "exhaustive",
    seed: int = 0,
    budget: float | None = None,
    samples: int = 15,
    limit: float = 300.0,
    jobs: int | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    name: str | None = None,
    quiet: bool = False,
    against: str | Path | None = None,
    counters: bool = False,
) -> Exploration:
    """Compile, check and time the variants, precisions and legal schedules of a model.

    model: a file that defines one Module (it is run: only those that you trust), or the Module. variants:
    in place of it, modules by names of your choice that do the same in different ways; see
    heddle.explorer.variants; or methods that solve a problem (heddle.explorer.methods), such as those of
    heddle.explorer.poisson_solvers. target: "cpu" or "cuda". kernels, precisions, schedules: in place of
    all that run from Python, those of the modules, and those that are tried by default. sizes: cells
    along x, y, z, as (128, 128, 64) or "128x128x64"; "cache" and "memory" fit the caches of this machine.
    values: of arguments by name, a number, or for fields a function of the shape with ghost layers; other
    fields hold random numbers between 0.005 and 0.015, other parameters one between 0.5 and 1. accuracy:
    called with the loaded kernels and a precision, returns an error, such as the distance from a known
    solution; by default the error of one update relative to f64. search, seed: see
    heddle.explorer.search. budget: minutes after which no more candidates are tried; the model's own
    schedule, which comes first, is tried in any case. samples: how often
    each is timed. limit: seconds for one candidate. jobs: compilers at a time, by default one for each
    core. threads: of OpenMP, by default all cores. out: a folder for results; those of an earlier run
    that still hold are found there. name: of the machine. quiet: no progress. against: a folder,
    results.jsonl or T4 file of an earlier search, with which results are compared. counters: count the
    bytes that memory moves, too, by ncu or perf, which takes some seconds for each candidate.

    A candidate is checked before it is timed: it has to give the bits of the reference target. It is timed
    as soon as it is compiled, beside a kernel that moves the same bytes, in turns; compilers stand still
    meanwhile. Raises KernelError where nothing can be explored.
    """
    chosen = _variants(model, variants)
    if target not in RUN_FROM_PYTHON or TARGETS[target].checked:
        raise KernelError("heddle.explore", f"'{target}' cannot be timed.", "use cpu or cuda")
    numbers = {"samples": samples, "limit": limit, "budget": budget, "jobs": jobs, "threads": threads}
    for option, value in numbers.items():
        if value is not None and not value > 0:
            raise KernelError("heddle.explore", f"{option}={value} is not positive.", "leave it out")
    _check_values(chosen, values or {})
    for one in chosen.values():  # before sizes, which depend on the dimensions of kernels
        if not isinstance(one, Method):
            steps(module_of_variant(one), kernels)
    library()  # NumPy, or what to install
    if counters:
        required(TARGETS[target].gpu is not None)
    if TARGETS[target].gpu is not None:
        library("cupy")  # imported once, before forks; it asks for no GPU until it is used
    earlier = None if against is None else earlier_results(against)
    setting = _Setting(
        target,
        name or machine.name(TARGETS[target].gpu is not None, threads),
        values or {},
        accuracy,
        limit,
        jobs or len(os.sched_getaffinity(0)),
        threads,
        None if out is None else Path(out),
        counters,
    )
    end = math.inf if budget is None else time.monotonic() + 60 * budget
    explorer = _Explorer(setting, Progress(quiet), earlier)
    for size in sizes:
        for module in [chosen] if _alike(chosen) else [{name: one} for name, one in chosen.items()]:
            extent = _extent(size, _modules(module), kernels, precisions, setting.gpu)
            found = space(module, target, extent[0], kernels, precisions, schedules)
            explorer.refused += list(found.refused)
            explorer.explore(found.candidates, extent, search, samples, seed, end)
    return explorer.done()


@dataclass(frozen=True)
class _Setting:
    """What stays the same for all candidates."""

    target: str
    machine: str
    values: Values
    accuracy: Accuracy | None
    limit: float
    jobs: int
    threads: int | None
    out: Path | None
    counters: bool

    @property
    def gpu(self) -> bool:
        return TARGETS[self.target].gpu is not None


def _variants(
    model: str | Path | Module | None, variants: Mapping[str, Variant] | None
) -> dict[str, Variant]:
    if (model is None) == (variants is None):
        raise KernelError(
            "heddle.explore",
            "give a model, or variants.",
            "heddle.explore('model.py'), or heddle.explore(variants={'pull': module, 'AA': other})",
        )
    if variants is None:
        assert model is not None
        return {"": module_of(model, None)}
    wrong = [name for name, module in variants.items() if not isinstance(module, (Module, Method, Hybrid))]
    if wrong or not variants:
        what = f"the variant '{wrong[0]}' is no Module." if wrong else "there are no variants."
        raise KernelError("heddle.explore", what, "variants={'pull': module, 'AA': other}")
    return {name: _checked(name, one) for name, one in variants.items()}


def _checked(name: str, variant: Variant) -> Variant:
    if isinstance(variant, Module):
        return module_of(variant, None)
    if isinstance(variant, Method):
        return replace(checked(name, variant), module=module_of(variant.module, None))
    return replace(hybrid.checked(name, variant), module=module_of(variant.module, None))


def _modules(variants: Mapping[str, Variant]) -> dict[str, Module]:
    return {name: module_of_variant(one) for name, one in variants.items()}


def _check_values(variants: Mapping[str, Variant], values: Values) -> None:
    """Raise KernelError for a value of something that no kernel takes: often its name was mistyped."""
    known = {
        argument.name
        for module in _modules(variants).values()
        for kernel in python_kernels(module)
        for argument, _ in needed(module.typed(kernel, module.precisions[0]))
        if argument.name != "cells"
    }
    known |= {
        space.name
        for module in _modules(variants).values()
        for kernel in python_kernels(module)
        if isinstance(space := module.kernels[kernel].space, Sparse)
    }
    for name in values:
        if name not in known:
            raise KernelError(
                "heddle.explore", f"no kernel takes '{name}'.", f"they take: {', '.join(sorted(known))}"
            )


def _alike(variants: Mapping[str, Variant]) -> bool:
    """Whether variants have the same number of dimensions, so that one size is for all."""
    return len({_dimensions(module) for module in _modules(variants).values()}) == 1


def _dimensions(module: Module) -> int:
    return max(dimensions(module.typed(name, module.precisions[0])) for name in module.kernels)


def _extent(
    size: str | tuple[int, ...],
    variants: Mapping[str, Module],
    kernels: Sequence[str] | None,
    precisions: Sequence[str] | None,
    gpu: bool,
) -> tuple[int, ...]:
    """Cells along x, y, z. What "memory" means: the variant with most bytes, in the first precision."""
    most, rank = 0.0, 1
    for module in variants.values():
        for name in module.kernels:
            if kernels is not None and not any(name.startswith(kernel) for kernel in kernels):
                continue
            typed = module.typed(name, (precisions or module.precisions)[0])
            rank = max(rank, dimensions(typed))
            most = max(most, sum(f.type.bytes * max(1, f.components) for f in typed.fields))
    text = size if isinstance(size, str) else "x".join(map(str, size))
    return extent_of(text, most, rank, gpu)


AHEAD = 2
"""Candidates for each compiler that are given before one of them is timed: enough to keep compilers busy, and
few, so that a search that learns from times does."""


@dataclass
class _Underway:
    """A candidate that was given, and is not timed yet. own: what came of compiling it; needs: what it shares
    with others and is not compiled yet."""

    candidate: Candidate
    samples: int
    own: Outcome[Own] | None = None
    needs: frozenset[Hashable] = frozenset()


@dataclass
class _Trying:
    """Candidates of one size, how they are searched, and which of them is first. under: those under way by
    their numbers; keys: of the results of those that were tried."""

    candidates: Sequence[Candidate]
    extent: tuple[int, ...]
    order: Search
    first: int
    pool: Children[Any]
    under: dict[int, _Underway] = field(default_factory=dict)
    keys: dict[int, str] = field(default_factory=dict)


class _Explorer:
    """One run: what is known, and what is asked of children."""

    def __init__(
        self, setting: _Setting, progress: Progress, earlier: tuple[Result, ...] | None = None
    ) -> None:
        self.setting, self.progress, self.earlier = setting, progress, earlier
        self.conditions = Conditions(
            setting.target, setting.values, setting.accuracy, setting.threads, setting.counters
        )
        self.known = {result.key: result for result in (read(setting.out) if setting.out else [])}
        self.found: dict[str, Result] = {}
        self.same: dict[str, Result] = {}
        self.texts: dict[str, str] = {}
        self.refused: list[Any] = []
        self.errors: dict[tuple[Any, ...], float] = {}
        self.streams: dict[tuple[Any, ...], str] = {}
        self.peaks: dict[str, float] = {}
        self.shared: dict[Hashable, Outcome[Any]] = {}
        self.begun = False
        """Whether the first candidate, a model's own schedule, was tried: a budget does not end before."""
        self.untried = 0

    def done(self) -> Exploration:
        result = Exploration(
            tuple(self.found.values()),
            tuple(self.refused),
            {**self.texts},
            self.setting.out,
            self.earlier,
            self.untried,
        )
        if self.setting.out:
            result.write(self.setting.out)
        self.progress.end(result)
        return result

    def explore(
        self,
        candidates: Sequence[Candidate],
        extent: tuple[int, ...],
        method: str,
        samples: int,
        seed: int,
        end: float,
    ) -> None:
        """Try candidates until the search is over, or the time is."""
        points = [
            Point((c.variant, c.step, c.precision), c.schedule, _prior(c, extent, self.setting.gpu))
            for c in candidates
        ]
        first = next((number for number, one in enumerate(candidates) if one.own), 0)
        order: Search = search(method, points, samples, seed, first)
        self.progress.total += len(candidates)
        with Children[Any](self.setting.jobs, self.setting.limit) as pool:
            trying = _Trying(candidates, extent, order, first, pool)
            left = True
            while left and time.monotonic() < end:
                left = self._turn(trying, AHEAD * self.setting.jobs, end)
            if left and not self.begun:  # all compilers for the first
                shared = shared_parts(candidates[first], self.setting.target).values()
                pool.keep({first, *(key for key, _ in shared)})
                trying.under = {number: one for number, one in trying.under.items() if number == first}
            while left and not self.begun:
                left = self._turn(trying, 1, math.inf)
        if left:
            self.untried += len(candidates) - len(trying.keys)
        keys = trying.keys
        of_candidates = dict.fromkeys(keys[number] for number in sorted(keys))
        others = {key: result for key, result in self.found.items() if key not in of_candidates}
        self.found = others | {key: self.found[key] for key in of_candidates}

    def _turn(self, trying: _Trying, ahead: int, until: float) -> bool:
        """Give candidates to compilers, so that `ahead` are under way; then time one that is ready, or wait
        for compilers, not beyond the time `until`. Returns whether there was one."""
        under = trying.under
        for number, count in trying.order.batch(ahead - len(under)):
            under[number] = _Underway(trying.candidates[number], count)
            trying.pool.add(number, partial(own_part, trying.candidates[number], self.setting.target))
        ready = [n for n, one in under.items() if one.own is not None and not one.needs]
        if ready:
            number = trying.first if trying.first in ready else ready[0]
            one = under.pop(number)
            assert one.own is not None
            result = self._result(one.candidate, one.own, trying.extent, one.samples, trying.pool)
            trying.order.tell(number, result.time / result.cells)
            self.progress.add(result)
            trying.keys[number] = result.key
            self.begun = self.begun or number == trying.first
        elif under:
            self.progress.say(f"compiling {len(under)}")
            self._compiled(trying.pool, under, trying.extent, until)
        return bool(ready or under)

    def _compiled(
        self, pool: Children[Any], under: Mapping[int, _Underway], extent: tuple[int, ...], until: float
    ) -> None:
        """Wait until one more part of a candidate is compiled, and ask for what that candidate then needs:
        what it shares with others, and no candidate before it needed."""
        done = pool.next(until)
        if done is None:
            return
        name, outcome = done
        if not isinstance(name, int):
            self.shared[name] = outcome
            for one in under.values():
                one.needs -= {name}
            return
        one = under[name]
        one.own = outcome
        if outcome.value is None or self._known(one.candidate, outcome, extent, one.samples):
            return
        parts = dict(shared_parts(one.candidate, self.setting.target).values())
        one.needs = frozenset(parts.keys() - self.shared.keys())
        for key, make in parts.items():
            if key in one.needs - pool.names():
                pool.add(key, make, soon=True)

    def _known(
        self, candidate: Candidate, own: Outcome[Own], extent: tuple[int, ...], samples: int
    ) -> Result | None:
        """What earlier runs, or candidates with the same text, have shown of a candidate."""
        assert own.value is not None
        content = self._content(own.value[0], extent, candidate)
        key, plain = self._key(content, candidate), self._plain(candidate, extent)
        known = self.found.get(key) or self.known.get(key)
        if known is not None and known.state == "correct" and len(known.seconds) < samples:
            known = None
        if known is not None and self._lacks_count(known, candidate):
            known = None
        if known is not None and known.state == "compile":  # what it shares with others may have failed
            known = None
        if known is None and self._lacks_count(self.same.get(content, plain), candidate):
            return None
        if known is None and len(self.same.get(content, plain).seconds) >= samples:
            known = self.same[content]
        if known is None:
            return None
        names = ("variant", "step", "schedule", "own", "rounds_alike")
        return replace(known, key=key, **{name: getattr(plain, name) for name in names})

    def _lacks_count(self, known: Result, candidate: Candidate) -> bool:
        """Whether bytes are to be counted that an earlier run did not count; not of solves and hybrids."""
        wanted = self.setting.counters and candidate.method is None and candidate.hybrid is None
        return wanted and known.state == "correct" and known.counted is None

    def _result(
        self,
        candidate: Candidate,
        outcome: Outcome[Own],
        extent: tuple[int, ...],
        samples: int,
        pool: Children[Any],
    ) -> Result:
        """What is known of a candidate, or what comes out now."""
        plain = self._plain(candidate, extent)
        if outcome.value is None:
            state = "timeout" if outcome.kind == "timeout" else "compile"
            return self._keep(replace(plain, state=state, why=outcome.why))
        own, costs = outcome.value
        content = self._content(own, extent, candidate)
        result = self._known(candidate, outcome, extent, samples)
        if result is None:
            result = replace(
                plain,
                key=self._key(content, candidate),
                compiler=own.compiler,
                generation=own.generation,
                compilation=own.compilation,
                object_bytes=own.object_bytes,
                lines=own.text.count("\n"),
                source=source_of(own.text),
                **resources(own, candidate.schedule),
                **costs,
            )
            if candidate.method is None:  # what a solve costs is counted when it runs
                read_first = write_allocate(candidate, extent, self.setting.gpu)
                result = replace(result, write_allocate=read_first)
            result = self._measured(candidate, own, result, samples, pool)
        if result.state == "correct":
            self.same[content] = result
        return self._keep(result, own.text)

    def _measured(
        self, candidate: Candidate, own: Built, result: Result, samples: int, pool: Children[Any]
    ) -> Result:
        """A result with what a child finds out. pool: of compilers, which would disturb it."""
        parts = {
            name: self.shared[key] for name, (key, _) in shared_parts(candidate, self.setting.target).items()
        }
        failed = next((part for part in parts.values() if part.value is None), None)
        if failed is not None:
            return replace(result, state="compile", why=failed.why)
        built: dict[str, Any] = {name: part.value for name, part in parts.items()}
        rounding = (candidate.variant, candidate.step, candidate.precision, arithmetic(candidate.schedule))
        moved = (candidate.variant, candidate.step, candidate.precision, result.extent)
        peak = self.peaks.get(candidate.precision, 0.0)
        before = Known(self.errors.get(rounding), self.streams.get(moved), peak)
        made = Made(own, **built, calls=bool(result.calls))
        kernels = typed(candidate.module)
        if candidate.hybrid is not None:  # once, for all that are forked
            hybrid.prepare(candidate.hybrid, kernels, result.extent, self.setting.values, self.setting.gpu)
        elif any(kernel.space.is_index_list for kernel in kernels):
            make_list(kernels, result.extent, self.setting.values, self.setting.gpu)
        task = partial(measured, candidate, made, result.extent, samples, self.conditions, before)
        with pool.paused():
            outcome = in_child(task, self.setting.limit)
        if outcome.value is None:
            state = "timeout" if outcome.kind == "timeout" else "runtime"
            return replace(result, state=state, why=outcome.why)
        found = outcome.value
        way = found.pop("stream_way", None)
        if way is not None:
            self.errors[rounding], self.streams[moved] = found["error"], way
            self.peaks[candidate.precision] = found["peak"]
        return replace(result, **found)

    def _key(self, content: str, candidate: Candidate) -> str:
        identity = (content, candidate.variant, candidate.step, as_text(candidate.schedule))
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:20]

    def _plain(self, candidate: Candidate, extent: tuple[int, ...]) -> Result:
        own = arithmetic(candidate.schedule) == arithmetic(candidate.arithmetic)
        return Result(
            key=hashlib.sha256(f"{self.setting.machine}{candidate.name}{extent}".encode()).hexdigest()[:20],
            machine=self.setting.machine,
            target=self.setting.target,
            module=candidate.module.name,
            variant=candidate.variant,
            step=candidate.step,
            precision=candidate.precision,
            schedule=candidate.schedule,
            extent=extent,
            state="correct",
            own=candidate.own,
            rounds_alike=own,
            timestamp=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _content(self, own: Built, extent: tuple[int, ...], candidate: Candidate) -> str:
        """A key of all that decides what is measured: files, flags, compiler, size, values, machine."""
        given = sorted((name, _named(value)) for name, value in self.setting.values.items())
        parts: list[object] = [
            own.key,
            extent,
            given,
            self.setting.machine,
            self.setting.target,
        ]
        accuracy = self.setting.accuracy
        parts.append(None if accuracy is None else _named(accuracy))
        if candidate.method is not None:
            parts.append(candidate.method.identity)
        if candidate.hybrid is not None:
            parts.append(candidate.hybrid.block)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]

    def _keep(self, result: Result, text: str = "") -> Result:
        self.found[result.key] = result
        if text:
            self.texts[result.source] = text
        if self.setting.out and self.known.get(result.key) != result:
            append(self.setting.out, result, text)
        return result


def _prior(candidate: Candidate, extent: tuple[int, ...], gpu: bool) -> float:
    """Bytes per update of a cell, as the cost line counts them, and what stores read first."""
    if candidate.method is not None:  # how many cycles it takes, no cost line says
        return 1.0
    moved = [cost(kernel, kernel) for kernel in paced(candidate)]
    mean = sum(one.bytes_read + one.bytes_written for one in moved) / len(moved)
    return max(1.0, mean + write_allocate(candidate, extent, gpu))


def _named(value: object) -> str:
    """A value of the user in a key; functions by their code."""
    code = getattr(value, "__code__", None)
    if code is None:
        return repr(value)
    return f"{getattr(value, '__qualname__', '')} {code.co_code.hex()} {code.co_consts!r}"
