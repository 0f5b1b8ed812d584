# SPDX-License-Identifier: Apache-2.0
"""Module: the kernels that belong together, and the files they become."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from heddle.adjoints.adjoint import adjoint_statements
from heddle.emit.names import own_clash, shared_name
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError, Place, calling_place
from heddle.halo.dense import Exchange, exchanges
from heddle.halo.pack import check_fields, list_pack_kernel, pack_kernel
from heddle.halo.sparse import ListExchange, WrittenOffsets, list_exchanges, written_offsets
from heddle.ir import nodes as ir
from heddle.ir import space as ir_spaces
from heddle.ir.cpp_names import why_no_name
from heddle.ir.default_schedule import Traits, chosen
from heddle.ir.schedule import Precision, Rows, Schedule, Threads, precision
from heddle.ir.stages import Request, Stages
from heddle.model.assignment import Statement, check_statements
from heddle.model.equations import Scalar, quantity
from heddle.model.expression import require_text
from heddle.model.spaces import (
    Cells,
    Dense,
    Sparse,
    check_kinds,
    check_space,
    declared_arguments,
    fields_read,
    ir_space,
    scheduled_space,
    statements_over_list,
)
from heddle.model.streaming_kernels import StreamingKernels
from heddle.model.traits import traits
from heddle.pipeline import check, lower, typed
from heddle.solvers.multigrid import solver_kernels
from heddle.solvers.relaxation import Equation


@dataclass(frozen=True)
class KernelModel:
    """A kernel as the user wrote it. schedule: with what Heddle chose where the model leaves it open. role:
    its role in a streaming pattern, else "". layer, ends: of a sweep over the cells at a face
    (StreamingKernels). order: the names of its arguments as the model declares them. adjoint_of: the kernel
    whose adjoint it is, else ""."""

    name: str
    statements: tuple[Statement, ...]
    space: ir_spaces.Dense | ir_spaces.Sparse
    schedule: Schedule
    about: str
    place: Place
    role: str = ""
    layer: ir_spaces.Layer | None = None
    ends: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    adjoint_of: str = ""

    @cached_property
    def traits(self) -> Traits:
        """What decides how it runs where its schedule is open."""
        return traits(self.statements, self.space, self.layer is not None)

    def typed(self, chosen: Precision) -> ir.Kernel:
        """The checked kernel in a precision."""
        return typed(self.name, self.statements, self.space, chosen, self.about, self.order)

    def closed(self, schedule: Schedule) -> Schedule:
        """A schedule with what Heddle chooses for the parts that it leaves open."""
        return chosen(schedule, self.traits)

    def scheduled(self, schedule: Schedule) -> KernelModel:
        """The same kernel with another schedule, of which parts may be open. Raises KernelError for one that
        its space does not take."""
        closed = self.closed(schedule)
        space = scheduled_space(self.name, self.space, closed, self.place)
        return replace(self, schedule=closed, space=space)


@dataclass(frozen=True)
class Tuned:
    """A schedule of a kernel in one precision. origin: of one from a file, for each target the machine on
    which it was the best."""

    schedule: Schedule
    origin: Mapping[str, str] = field(default_factory=dict)


def check_alike(name: str, one: KernelModel, other: KernelModel, place: Place) -> None:
    """Raise KernelError unless schedules of a kernel in two precisions compute the same, on arrays of the
    same layout."""
    a, b = one.schedule, other.schedule
    if option := a.computes_otherwise(b):
        mine, theirs = getattr(a, option), getattr(b, option)
        raise KernelError(
            place,
            f"the schedules of '{name}' have {option}={mine!r} in one precision and {option}={theirs!r} "
            "in another: part of what it computes.",
            f"give all of them the same {option}",
        )
    if (
        one.space != other.space
        or a.cpu.unchecked_entry != b.cpu.unchecked_entry
        or a.cpu.unit_stride != b.cpu.unit_stride
        or type(a.gpu) is not type(b.gpu)
    ):
        raise KernelError(
            place,
            f"the schedules of '{name}' need another layout of arrays in one precision than in another.",
            "let them differ in how cells are shared out: block, row_cells, coarsening, Rows(...)",
        )


@dataclass(frozen=True)
class PackModel:
    """A kernel that packs or unpacks what the kernels of a halo exchange.

    source, after: the kernel, and which of its exchanges, whose fields it is written for; ends: those of the
    halo; value_type: that of values in messages, or None for that of the fields.
    """

    name: str
    source: KernelModel
    after: bool
    ends: WrittenOffsets
    value_type: ir.Scalar | None
    unpack: bool
    about: str
    place: Place
    schedule: Schedule
    statements: tuple[Statement, ...] = ()

    @property
    def space(self) -> ir_spaces.PackRegions | ir_spaces.Sparse:
        if self.source.space.is_list:
            return ir_spaces.Sparse("elements", listed=True)
        return ir_spaces.PackRegions(self.source.space.dimensions)

    def typed(self, chosen: Precision) -> ir.Kernel:
        """The kernel in a precision."""
        fields = exchanges_of(self.source.typed(chosen), self.ends, self.place)[self.after].fields
        make = pack_kernel if self.source.space.is_box else list_pack_kernel
        return make(self.name, fields, self.value_type or fields[0].type, self.unpack, self.about)


@dataclass(frozen=True)
class Halo:
    """Kernels whose exchanges one pair of pack kernels serves: `name`_pack and `name`_unpack. ends: of what
    kernels over lists write (heddle.halo.sparse)."""

    name: str
    kernels: tuple[str, ...]
    value_type: ir.Scalar | None
    ends: WrittenOffsets


@dataclass
class Module:
    """Named kernels that are generated as one set of files.

    name: of the folder, the header and the C++ namespace. precisions: for which each kernel is generated
    ("f64", "f32", "f16", or "storage/arithmetic"). about: what the module computes. citation: where the
    method is published. remarks: warnings about the model's file, found when it is loaded. tuned: schedules
    by kernel and precision, of the model or of a file (heddle.explored_schedules), in place of the kernel's.
    """

    name: str
    precisions: Sequence[str] = ("f64", "f32")
    about: str = ""
    citation: str = ""
    kernels: dict[str, KernelModel | PackModel] = field(default_factory=dict)
    halos: dict[str, Halo] = field(default_factory=dict)
    solver: tuple[str, ...] = ()
    model: Path | None = None
    remarks: tuple[str, ...] = ()
    tuned: dict[tuple[str, str], Tuned] = field(default_factory=dict)
    _stages: dict[tuple[str, str, str], tuple[object, Stages]] = field(default_factory=dict, repr=False)
    _typed: dict[tuple[str, str], tuple[object, ir.Kernel]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        check_identifier(self.name, "module", calling_place())
        require_text(self.about, "about=")
        require_text(self.citation or "", "citation=")
        if isinstance(self.precisions, str) or not self.precisions:
            raise KernelError(
                calling_place(),
                f"'{self.name}' has the precisions {self.precisions!r}, which is not a tuple of at least "
                "one precision.",
                'write precisions=("f64",), with its comma, or ("f64", "f32")',
            )
        suffixes = [precision(text).suffix for text in self.precisions]
        twice = next((text for text in suffixes if suffixes.count(text) > 1), "")
        if twice:
            raise KernelError(
                calling_place(),
                f"'{self.name}' has the precision {twice} twice: {', '.join(self.precisions)}.",
                "name each precision once",
            )
        frame = sys._getframe(2)
        self.model = Path(frame.f_code.co_filename)

    def add(
        self,
        name: str,
        statements: Iterable[Statement] | StreamingKernels,
        space: Dense | Sparse | Cells | None = None,
        schedule: Schedule | Mapping[str, Schedule] | None = None,
        about: str = "",
    ) -> None:
        """Add a kernel. A streaming pattern with several steps adds one for each: `name_even`, `name_odd`.

        schedule: one, or one for each precision of the module: {"f32": Schedule(...), "f64": Schedule(...)}.
        These compute the same, on arrays of the same layout; how cells are shared out may differ. Raises
        KernelError for a model that Heddle cannot generate.
        """
        place = calling_place()
        check_kinds(statements, space, *(schedule.values() if isinstance(schedule, Mapping) else [schedule]))
        require_text(about, "about=")
        schedule = schedule or Schedule()
        if isinstance(statements, StreamingKernels):
            check_space(name, statements, space, place)
            if isinstance(space, Dense) and statements.between_walls:
                statements = statements.between_walls(space.walls)
            for suffix, collection in statements.steps.items():
                full = f"{name}_{suffix}" if suffix else name
                listed = isinstance(space, Sparse)
                chosen = statements_over_list(statements, suffix, full, place) if listed else collection
                self._add(full, tuple(chosen), space or Dense(), schedule, about, place, statements)
        else:
            self._add(name, tuple(statements), space or Dense(), schedule, about, place)

    def _add(
        self,
        name: str,
        statements: tuple[Statement, ...],
        space: Dense | Sparse | Cells,
        schedule: Schedule | Mapping[str, Schedule],
        about: str,
        place: Place,
        pattern: StreamingKernels | None = None,
        order: tuple[str, ...] = (),
    ) -> None:
        """pattern: what a streaming pattern made the statements for. order: the names of arguments that come
        first, before those that the model declares in an order of its own."""
        self._check_name(name, place)
        if not statements:
            raise KernelError(place, f"'{name}' has no statements.", "add at least one Assignment or Reduce")
        check_statements(statements, place)
        own_space = ir_space(name, statements, space, pattern, place)
        role, layer, ends = (pattern.role, pattern.layer, pattern.ends) if pattern else ("", None, ())
        if layer:
            about = " ".join([*([about] if about else []), _of_layer(layer.sides)])
        if pattern:
            order = pattern.populations
        order = tuple(dict.fromkeys((*order, *declared_arguments(statements))))
        by_precision = schedule if isinstance(schedule, Mapping) else {}
        if by_precision:
            self._check_precisions(name, by_precision, place)
            schedule = by_precision[self.precisions[0]]
        assert isinstance(schedule, Schedule)
        model = KernelModel(name, statements, own_space, schedule, about, place, role, layer, ends, order)
        self.kernels[name] = model = model.scheduled(schedule)
        for text, own in by_precision.items():
            other = model.scheduled(own)
            check_alike(name, model, other, place)
            self.tuned[name, text] = Tuned(other.schedule)

    def _check_precisions(self, name: str, schedules: Mapping[str, Schedule], place: Place) -> None:
        """Raise KernelError unless there is a schedule for each precision and no other."""
        if set(schedules) != set(self.precisions):
            given, own = (", ".join(map(repr, names)) for names in (schedules, self.precisions))
            raise KernelError(
                place,
                f"'{name}' has schedules for {given}, but '{self.name}' has the precisions {own}.",
                "give one schedule for each precision of the module, or one alone",
            )

    def _check_name(self, name: str, place: Place) -> None:
        """Raise KernelError where a new kernel cannot have this name."""
        check_identifier(name, "kernel", place)
        if name in self.kernels:
            raise KernelError(
                place, f"module '{self.name}' already has a kernel '{name}'.", "choose another name"
            )
        own = own_clash(name)
        if own:
            raise KernelError(
                place,
                f"'{name}' cannot be the name of a kernel: emitted files would use '{own}' for two things.",
                f"choose a longer name in small letters, such as '{name.lower()}_kernel'",
            )
        for other in self.kernels:
            shared = shared_name(name, other)
            if shared:
                raise KernelError(
                    place,
                    f"emitted files would use '{shared}' for '{name}' and for the kernel '{other}' of "
                    f"module '{self.name}'.",
                    "choose names that differ in more than case, underscores, the name of a target or "
                    "'parameters'",
                )

    def add_adjoint(
        self,
        kernel: str,
        name: str | None = None,
        *,
        of: str | Collection[str] | None = None,
        accumulate: str | Collection[str] = (),
        schedule: Schedule | None = None,
    ) -> None:
        """Add the adjoint of a kernel, by default as `kernel`_adjoint.

        A kernel computes v = F(u, p). Its adjoint takes v_bar and what it needs of u and p, and computes
        u_bar = (dF/du)^T v_bar for fields; for parameters it returns p_bar, the sum over all cells. For a
        Reduce to `total`, total_bar is a parameter. of: the fields and parameters u, p; by default all that
        are real. accumulate: fields whose adjoint is added to what u_bar holds. Choices (Piecewise, Min, Max,
        Abs) are differentiated in the branch that is taken.

        u_bar is gathered from the cells that read u: where v_bar in ghost layers is zero, what lies there
        contributes nothing; where v_bar and the fields that the adjoint reads are periodic, so is u_bar. If
        each component of u is read at one offset, as populations are, its adjoint is stored there instead,
        in ghost layers too: set u_bar to zero before, and fold its ghost layers afterwards
        (heddle.fold_periodic). A kernel that changes u in place has an adjoint that does so with u_bar, and
        takes u as it was before.

        Raises KernelError for what has no adjoint: kernels over lists or in colours, If, Scan, While, min
        and max over cells, reads at computed positions, floor and sign, whole numbers.
        """
        place = calling_place()
        model = self.kernels.get(kernel)
        if not isinstance(model, KernelModel):
            known = ", ".join(n for n, entry in self.kernels.items() if isinstance(entry, KernelModel))
            raise KernelError(
                place, f"'{self.name}' has no kernel '{kernel}' to differentiate.", f"choose one of: {known}"
            )
        check_kinds((), None, schedule)
        arguments = [field.name for field in self.typed(kernel, self.precisions[0]).fields]
        space = model.space
        if not isinstance(space, ir_spaces.Dense) or space.colours > 1:
            raise KernelError(
                place,
                f"'{kernel}' has no adjoint: it does not run over all cells of a box, in any order.",
                "differentiate a kernel over Dense(), without colours",
            )
        chosen = (of,) if isinstance(of, str) else of
        added = (accumulate,) if isinstance(accumulate, str) else accumulate
        made = adjoint_statements(kernel, model.statements, space.rank, space.links, chosen, added, place)
        pattern = StreamingKernels(
            {},
            space.links,
            populations=(*arguments, *made.arguments),
            layer=model.layer,
            ends=model.ends,
        )
        name = name or f"{kernel}_adjoint"
        self._add(
            name,
            tuple(made.statements),
            Dense(space.walls),
            schedule or Schedule(),
            made.about,
            place,
            pattern,
        )
        added_kernel = self.kernels[name]
        assert isinstance(added_kernel, KernelModel)
        self.kernels[name] = replace(added_kernel, adjoint_of=kernel)

    def add_solver(
        self,
        equation: Equation,
        schedule: Schedule | None = None,
        pointwise: Schedule | None = None,
        residual_scale: Scalar = 1,
    ) -> None:
        """Add the kernels of multigrid and conjugate gradients for an equation with a symmetric matrix, and
        to the sweeps the struct `Solver` that hands them to heddle::Multigrid and heddle::ConjugateGradient.

        schedule: of sweeps over two colours, of which those of coarse levels give each thread one cell, since
        there are few; its usual value holds for kernels that read the field. pointwise: of the other kernels.
        residual_scale: factor of the residual that counts when iterations end; made of profiles it differs
        from level to level.
        """
        place = calling_place()
        cells = 3 if equation.unknown.split else 1
        threads = Threads(block=(32, 4, 1), coarsening=cells, unit_stride=True)
        coloured = schedule or Schedule(gpu=threads, colours=2)
        if coloured.colours != 2:
            raise KernelError(place, "multigrid needs two colours.", "Schedule(colours=2)")
        found = solver_kernels(equation, quantity(residual_scale))
        for name, kernel in found.items():
            chosen = coloured if kernel.coloured else pointwise or Schedule(gpu=Threads(block=(32, 8, 1)))
            if kernel.coarse and isinstance(chosen.gpu, Threads):
                chosen = replace(chosen, gpu=replace(chosen.gpu, coarsening=1))
            if chosen.specialise is not None and chosen.specialise[0] not in fields_read(kernel.statements):
                chosen = replace(chosen, specialise=None)
            self._add(
                name, tuple(kernel.statements), Dense(), chosen, kernel.about, place, order=kernel.fields
            )
        self.solver = tuple(found)

    def add_halo(
        self,
        name: str = "halo",
        kernels: Sequence[str] | None = None,
        *,
        message_precision: str | None = None,
    ) -> None:
        """Add kernels that pack and unpack the halo of `kernels`. Their sweeps get `before()` and `after()`,
        from which heddle::HaloExchange is constructed.

        kernels: all dense, or all over whole lists. By default all dense ones so far, or, if there are none,
        those over lists. message_precision: "f32" or "f16" to send values in that precision; results then
        depend on the decomposition into blocks.
        """
        place = calling_place()
        scalar = precision(message_precision).storage if message_precision else None
        models = [k for k in self.kernels.values() if isinstance(k, KernelModel)]
        dense = [k.name for k in models if k.space.is_box]
        lists = [k.name for k in models if k.space.is_list and not k.space.listed]
        chosen = tuple((dense or lists) if kernels is None else kernels)
        known = lists if any(kernel in lists for kernel in chosen) else dense
        for kernel in chosen:
            if kernel not in known:
                what = "kernel over whole lists" if known is lists else "dense kernel"
                raise KernelError(
                    place,
                    f"'{kernel}' is not a {what} of '{self.name}'.",
                    "choose one of: " + ", ".join(known),
                )
            taken = [halo.name for halo in self.halos.values() if kernel in halo.kernels]
            if taken:
                raise KernelError(
                    place,
                    f"'{kernel}' already belongs to the halo '{taken[0]}'.",
                    "name each kernel in one add_halo only",
                )
        ends = self.ends
        first = self._first_exchange(name, chosen, ends, place)
        for unpack in (False, True):
            full = f"{name}_unpack" if unpack else f"{name}_pack"
            self._check_name(full, place)
            way = "from" if unpack else "to"
            each = "element by element" if known is lists else "box after box"
            about = f"Copies what crosses the borders of blocks {way} the message buffer, {each}."
            source = self.kernels[first.kernel]
            assert isinstance(source, KernelModel)
            self.kernels[full] = PackModel(
                full,
                source,
                first.direction == "after",
                ends,
                scalar,
                unpack,
                about,
                place,
                Schedule(Rows(), Threads()),
            )
        self.halos[name] = Halo(name, chosen, scalar, ends)

    @property
    def layers(self) -> dict[str, ir_spaces.Layer]:
        """Where kernels run that do not run over whole blocks."""
        return {k.name: k.layer for k in self.kernels.values() if isinstance(k, KernelModel) and k.layer}

    @property
    def ends(self) -> WrittenOffsets:
        """Where the kernels over whole lists so far write."""
        models = [k for k in self.kernels.values() if isinstance(k, KernelModel)]
        lists = [k for k in models if k.space.is_list and not k.space.listed]
        return written_offsets(model.typed(precision(self.precisions[0])) for model in lists)

    def _first_exchange(
        self, name: str, kernels: Sequence[str], ends: WrittenOffsets, place: Place
    ) -> Exchange | ListExchange:
        """The exchange that stands for all of a halo: they have fields of the same shapes."""
        found: list[Exchange | ListExchange] = []
        for kernel in kernels:
            model = self.kernels[kernel]
            assert isinstance(model, KernelModel)
            for exchange in exchanges_of(model.typed(precision(self.precisions[0])), ends, model.place):
                if exchange.fields:
                    found.append(exchange)
        if not found:
            raise KernelError(
                place,
                f"no kernel of '{name}' accesses cells outside its block, so nothing is exchanged.",
                "remove this add_halo, or name other kernels",
            )
        for exchange in found:
            check_fields(exchange.fields, place)
            if _shapes(exchange) != _shapes(found[0]):
                raise KernelError(
                    place,
                    f"'{exchange.kernel}' and '{found[0].kernel}' exchange different fields: "
                    f"{_shapes(exchange)} and {_shapes(found[0])}.",
                    "call add_halo once for each: add_halo(name, kernels=[...])",
                )
        return found[0]

    @property
    def links(self) -> tuple[ir_spaces.Link, ...]:
        """The rows of the neighbour table that the sparse kernels share."""
        tables: dict[tuple[ir_spaces.Link, ...], str] = {}
        for name, kernel in self.kernels.items():
            if kernel.space.is_list and kernel.space.links:
                tables.setdefault(kernel.space.links, name)
        if len(tables) > 1:
            first, other, *_ = tables.values()
            raise KernelError(
                self.kernels[other].place,
                f"'{first}' and '{other}' follow different links, but the lists of '{self.name}' share "
                "one neighbour table, that of one pattern and lattice.",
                "add the other kernel to a second module with its own list. Lists of the same cells "
                "number them identically, so fields can be shared",
            )
        return next(iter(tables), ())

    def alone(self, kernels: Sequence[str], chosen: str, schedule: Schedule, target: str) -> Module:
        """Some kernels as a module of their own, in one precision and with another schedule. Raises
        KernelError where they cannot run so on a target."""
        found: dict[str, KernelModel | PackModel] = {}
        for name in kernels:
            whole = self.kernels[name]
            assert isinstance(whole, KernelModel)
            found[name] = whole.scheduled(schedule)
        own = replace(
            self,
            precisions=(chosen,),
            kernels=found,
            halos={},
            solver=(),
            remarks=(),
            tuned={},
            _stages={},
            _typed={},
        )
        own.model = self.model
        for name, model in found.items():
            if model.space is self.kernels[name].space:  # what is typed does not depend on the rest of it
                own._typed[name, chosen] = model, self.typed(name, chosen)
            check(own.typed(name, chosen), Request(precision(chosen), model.schedule, TARGETS[target]))
        return own

    def typed(self, kernel: str, chosen: str) -> ir.Kernel:
        """A checked kernel in a precision; computed once."""
        entry = self.kernels[kernel]
        known = self._typed.get((kernel, chosen))
        if known is None or known[0] is not entry:
            known = self._typed[kernel, chosen] = entry, entry.typed(precision(chosen))
        return known[1]

    def schedule(self, kernel: str, chosen: str) -> Schedule:
        """That of a kernel in a precision."""
        tuned = self.tuned.get((kernel, chosen))
        return self.kernels[kernel].schedule if tuned is None else tuned.schedule

    def stages(self, kernel: str, chosen: str, target: str) -> Stages:
        """A kernel at every level, for one precision and target; computed once."""
        if kernel not in self.kernels:
            known = ", ".join(self.kernels)
            raise KernelError(self.name, f"the module has no kernel '{kernel}'.", f"choose one of: {known}")
        entry = self.kernels[kernel]
        made = self._stages.get((kernel, chosen, target))
        if made is None or made[0] is not entry:
            request = Request(precision(chosen), self.schedule(kernel, chosen), TARGETS[target])
            made = self._stages[kernel, chosen, target] = entry, lower(self.typed(kernel, chosen), request)
        return made[1]


def check_identifier(name: object, what: str, place: Place) -> None:
    """Raise KernelError unless C++ takes the name of a module or kernel. what: which of these."""
    reason = why_no_name(name) if isinstance(name, str) else "it is not a string"
    if reason:
        raise KernelError(
            place,
            f"{name!r} is not a valid {what} name: {reason}.",
            "use letters, digits and _, begin with a letter, and leave out words of C++, such as 'new'",
        )


def _of_layer(sides: tuple[str, ...]) -> str:
    where = f"side {sides[0]}" if len(sides) == 1 else "sides " + " and ".join(sides)
    return f"Over the layer of cells at {where} of the domain alone."


def exchanges_of(
    kernel: ir.Kernel, ends: WrittenOffsets, place: Place
) -> tuple[Exchange | ListExchange, Exchange | ListExchange]:
    """What a typed kernel exchanges before and after it. ends: as in list_exchanges."""
    if kernel.space.is_list:
        return list_exchanges(kernel, place, ends)
    return exchanges(kernel, place)


def _shapes(exchange: Exchange | ListExchange) -> str:
    return ", ".join(f"{f.type}({f.components}) {f.rank}D" for f in exchange.fields)
