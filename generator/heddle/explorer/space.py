# SPDX-License-Identifier: Apache-2.0
"""The space of a search: variants of a model, their kernels, precisions and legal schedules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from heddle.build import python_kernels
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.explored_schedules import STEPS
from heddle.explorer.hybrid import Hybrid
from heddle.explorer.methods import Method, Variant, module_of_variant
from heddle.explorer.schedules import tried
from heddle.ir.schedule import Schedule
from heddle.ir.schedule_text import as_text
from heddle.ir.space import Sparse
from heddle.module import KernelModel, Module

SOLVE = "solve"
"""The step of a method."""


@dataclass(frozen=True)
class Candidate:
    """One point of the space. kernels: those of `step`, which run one after the other; each run counts as one
    update. module: they alone, with this schedule, in this precision. own: whether it is the model's own
    schedule. method: where not one update is timed, but a solve. hybrid: where `kernels` run over blocks, and
    others of the module over a list beside them."""

    variant: str
    step: str
    kernels: tuple[str, ...]
    precision: str
    schedule: Schedule
    module: Module
    original: Module
    own: bool
    method: Method | None = None
    hybrid: Hybrid | None = None

    @property
    def name(self) -> str:
        """In one line."""
        variant = f"{self.variant} " if self.variant else ""
        return f"{variant}{self.step} {self.precision} {as_text(self.schedule)}"

    @property
    def arithmetic(self) -> Schedule:
        """The model's own schedule, which decides what is exact."""
        return self.original.kernels[self.kernels[0]].schedule


@dataclass(frozen=True)
class Refused:
    """A point that is not legal, and why."""

    variant: str
    step: str
    precision: str
    schedule: Schedule
    why: str


@dataclass(frozen=True)
class Space:
    """What a search chooses from."""

    candidates: tuple[Candidate, ...]
    refused: tuple[Refused, ...]


def space(
    variants: Mapping[str, Variant],
    target: str,
    nx: int,
    kernels: Sequence[str] | None = None,
    precisions: Sequence[str] | None = None,
    schedules: Iterable[Schedule] | None = None,
) -> Space:
    """All candidates. kernels: steps or kernels by name, by default all that run from Python. precisions: in
    place of the modules'. schedules: in place of those that are tried by default; of methods only some take
    them (Method.varied). nx: cells along x."""
    candidates: list[Candidate] = []
    refused: list[Refused] = []
    named = None if schedules is None else tuple(schedules)
    for variant, chosen in variants.items():
        if isinstance(chosen, Method):
            for one in _solves(variant, chosen, target, nx, precisions, named):
                if isinstance(one, Candidate):
                    candidates.append(one)
                else:
                    refused.append(one)
            continue
        module, hybrid = module_of_variant(chosen), chosen if isinstance(chosen, Hybrid) else None
        for step, names in steps(module, kernels).items():
            if hybrid is not None and not {*names} <= hybrid.listed.keys():
                continue
            first = module.kernels[names[0]]
            assert isinstance(first, KernelModel)
            gpu = TARGETS[target].gpu is not None
            listed = first.space.is_list
            for precision in precisions or module.precisions:
                own = module.schedule(names[0], precision)
                wanted = tried(own, gpu, nx, listed, first.traits.rounds) if named is None else named
                for schedule in dict.fromkeys(first.closed(schedule) for schedule in wanted):
                    try:
                        alone = (hybrid or module).alone(names, precision, schedule, target)
                    except KernelError as error:
                        refused.append(Refused(variant, step, precision, schedule, error.what))
                        continue
                    same = schedule == own
                    candidates.append(
                        Candidate(
                            variant, step, names, precision, schedule, alone, module, same, hybrid=hybrid
                        )
                    )
    if not candidates:
        why = f": {refused[0].why}" if refused else "."
        raise KernelError(
            "heddle.explore", f"no candidate is legal{why}", "give other schedules, precisions or kernels"
        )
    return Space(tuple(candidates), tuple(refused))


def _solves(
    variant: str,
    method: Method,
    target: str,
    nx: int,
    precisions: Sequence[str] | None,
    schedules: Sequence[Schedule] | None,
) -> Iterator[Candidate | Refused]:
    """A method in each precision, with the schedules that its kernels have; of its kernel that sets the pace
    also with others, where the method says so."""
    names = (method.pace, *(name for name in method.module.kernels if name != method.pace))
    pace = method.module.kernels[method.pace]
    assert isinstance(pace, KernelModel)
    for precision in precisions or method.module.precisions:
        own = method.module.schedule(method.pace, precision)
        wanted: Iterable[Schedule] = (own,)
        if method.varied:
            gpu = TARGETS[target].gpu is not None
            wanted = (
                own,
                *(tried(own, gpu, nx, rounds=pace.traits.rounds) if schedules is None else schedules),
            )
        for schedule in dict.fromkeys(pace.closed(one) for one in wanted):
            try:
                module = method.alone(precision, schedule, target)
            except KernelError as error:
                yield Refused(variant, SOLVE, precision, schedule, error.what)
                continue
            same = schedule == own
            yield Candidate(variant, SOLVE, names, precision, schedule, module, method.module, same, method)


def steps(module: Module, wanted: Sequence[str] | None) -> dict[str, tuple[str, ...]]:
    """The steps of a module: each kernel alone, but for those that alternate. wanted: some of them. Raises
    KernelError for one that is none, and for a module without any."""
    found: dict[str, tuple[str, ...]] = {}
    callable_ = [
        name
        for name in python_kernels(module)
        if not (isinstance(space := module.kernels[name].space, Sparse) and space.listed)
    ]
    for name, model in module.kernels.items():
        if name not in callable_ or not isinstance(model, KernelModel):
            continue
        step = next((name.removesuffix(f"_{end}") for end in STEPS if name.endswith(f"_{end}")), name)
        together = all(f"{step}_{end}" in callable_ for end in STEPS) and step not in ("", name)
        found.setdefault(step if together else name, ())
        found[step if together else name] += (name,)
    if wanted is None:
        chosen = found
    else:
        chosen = {step: names for step, names in found.items() if step in wanted or {*names} & {*wanted}}
    missing = [name for name in wanted or () if not any(name in (s, *n) for s, n in found.items())]
    if missing or not found:
        what = (
            f"'{missing[0]}' is no kernel that runs from Python."
            if missing
            else "no kernel runs from Python."
        )
        known = f"choose from: {', '.join(found)}" if found else "kernels over all cells of a box or list do"
        raise KernelError(module.name, what, known)
    return chosen


def distinct(candidates: Iterable[Candidate]) -> Iterator[tuple[str, str, str]]:
    """Variant, step and precision of all candidates, each once."""
    yield from dict.fromkeys((c.variant, c.step, c.precision) for c in candidates)
