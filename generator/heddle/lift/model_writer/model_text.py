# SPDX-License-Identifier: Apache-2.0
"""The model.py of recovered kernels: names, order and comments from the source."""

from __future__ import annotations

import keyword
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import heddle
from heddle.ir import nodes as ir
from heddle.ir.text import expression
from heddle.ir.visit import expressions, statements, walk
from heddle.lift.model_writer.expressions import Printer
from heddle.lift.model_writer.python_text import ENCODING, identifier, in_docstring, licence, quoted
from heddle.lift.polynomial import Polynomial
from heddle.lift.recovered import Recovered

_AXES = "xyz"
_TYPES = {
    ir.F64: "double", ir.F32: "float", ir.F16: "half", ir.I32: "int32", ir.I64: "int64", ir.U8: "uint8",
    ir.U32: "uint32", ir.BOOL: "bool",
}  # fmt: skip
_IMPORTED = frozenset(
    "heddle sympy Assignment If Module Reduce Scan While Field Dense bit_and block_coordinates block_extents "
    "fields parameters remainder shift_left Max Min Abs sqrt exp log sin cos tanh floor sign Eq Ne And Or "
    "Not Piecewise evaluate symbols statements Rows Schedule Threads as_written".split()
)
WIDTH = 108
_NO_BREAK = chr(0xA0)


def _import(names: list[str]) -> list[str]:
    """What a model takes from Heddle: in one line, or a name per line."""
    line = f"from heddle import {', '.join(names)}"
    return [line] if len(line) <= WIDTH else ["from heddle import (", *(f"    {n}," for n in names), ")"]


@dataclass(frozen=True)
class Reals:
    """What `real` stands for: a precision of a module, and the types of its fields and of its arithmetic."""

    precision: str
    storage: ir.Scalar
    arithmetic: ir.Scalar


def candidates(kernels: Sequence[Recovered]) -> list[Reals]:
    """The precisions in which a model can say what the source computes, the likeliest first."""
    types = {field.type for recovered in kernels for field in recovered.kernel.fields}
    types |= {node.type for recovered in kernels for node in expressions(recovered.kernel.body)}
    found = {scalar for scalar in types if isinstance(scalar, ir.Scalar) and scalar.is_float}
    double = Reals("f64", ir.F64, ir.F64)
    single = Reals("f32", ir.F32, ir.F32)
    mixed = Reals("f32/f64", ir.F32, ir.F64)
    if ir.F64 not in found and found:
        return [single]
    return [double] if found <= {ir.F64} else [mixed, single, double]


@dataclass(frozen=True)
class Origin:
    """The file that was lifted, and the line that says under what licence it stands, if there is one."""

    file: str
    licence: str = ""


def model_text(
    name: str, kernels: Sequence[Recovered], reals: Reals, source: Origin, rounding: Sequence[str] = ()
) -> str:
    """A model file with one module. rounding: where the model's differs."""
    return _Writer(name, kernels, reals, source, rounding).text()


class _Writer:
    def __init__(
        self, name: str, kernels: Sequence[Recovered], reals: Reals, source: Origin, rounding: Sequence[str]
    ) -> None:
        self.name, self.kernels, self.reals = name, kernels, reals
        self.source, self.licence = source.file, licence(source.licence)
        self.rounding = rounding
        self.heddle: set[str] = {"Assignment", "Module"}
        self.sympy: set[str] = {"evaluate"}

    def text(self) -> str:
        sections = [section for recovered in self.kernels for section in self.kernel(recovered)]
        module = self.module
        first, *rest = self.docstring()
        precision = self.reals.precision
        head = [
            *([f"# {self.licence}"] if self.licence else []),
            ENCODING,
            f'"""{in_docstring(first)}',
            *map(in_docstring, rest),
            '"""',
            "",
            *_import(sorted(self.heddle)),
            f"from sympy import {', '.join(sorted(self.sympy | self.symbols()))}",
            "",
            f"{module} = Module({quoted(self.name)}, precisions=({quoted(precision)},), "
            f"about={quoted(self.about())})",
            "# Cells one by one, as in the source, so that the proof follows. Schedule() may be faster.",
            "as_written = Schedule(cpu=Rows(), gpu=Threads())",
        ]
        return "\n".join([*head, *sections, ""])

    @property
    def module(self) -> str:
        """What Python calls the module: no field or value of a kernel has this name."""
        taken: set[str] = set()
        for each in self.kernels:
            taken |= {field.name for field in each.kernel.fields}
            taken |= {symbol.name for symbol in (*each.kernel.parameters, *_locals(each.kernel))}
        name = identifier(self.name, self.source, "name of the module")
        return f"{name}_module" if name in taken else self.python(name)

    def about(self) -> str:
        return f"Lifted from {self.source}."

    def symbols(self) -> set[str]:
        """`symbols`, where a kernel names values."""
        return {"symbols"} if any(_locals(recovered.kernel) for recovered in self.kernels) else set()

    def docstring(self) -> Iterator[str]:
        yield f"Lifted from {self.source} by heddle {heddle.__version__}."
        for recovered in self.kernels:
            yield ""
            yield from self.description(recovered)
        yield ""
        if self.rounding:
            yield "Rounding: not everywhere as in the source:"
            for note in self.rounding:
                yield from wrapped(note, "  - ")
        else:
            yield "Rounding: as in the source; `evaluate(False)` keeps the order of its operations."

    def description(self, recovered: Recovered) -> Iterator[str]:
        """Where a kernel comes from, and how the arrays of the source are its fields."""
        rank = len(recovered.extents)
        yield f"{recovered.kernel.name}: {recovered.place}"
        for axis in range(rank):
            begin = recovered.begins[axis]
            counter = recovered.counters[axis]
            yield f"  {_AXES[axis]} is {counter} from {begin}, n_{_AXES[axis]} = {recovered.extents[axis]}"
        for line, names in self.arrays(recovered).items():
            yield from wrapped(f"{', '.join(names)}: {line}", "  ")
        for name, value in recovered.finishes:
            yield from wrapped(f"From its outputs, the caller computes {name} = {expression(value)}", "  ")
        if recovered.assumptions:
            yield "  Assumed, since the source does not say it:"
            for assumption in recovered.assumptions:
                yield from wrapped(assumption, "  - ")

    @staticmethod
    def arrays(recovered: Recovered) -> dict[str, list[str]]:
        """How arrays lie in memory, and the fields that lie so."""
        result: dict[str, list[str]] = {}
        for field in recovered.kernel.fields:
            placement = recovered.placements.get(field.name)
            own = recovered.sources[field.name]
            name = field.name if field.name == own else f"{field.name} ({own} in the source)"
            if placement is None:
                result.setdefault("read at computed places", []).append(name)
                continue
            cell = ", ".join(str(o + b) for o, b in zip(placement.origin, recovered.begins, strict=True))
            line = f"first cell at ({cell})"
            if placement.rest != Polynomial():
                line += f" and {placement.rest} elements"
            line += f", strides ({', '.join(strides_text(placement.strides))})"
            if placement.size:
                line += f", components {placement.component_stride} apart"
            result.setdefault(line, []).append(name)
        return result

    # One kernel

    def python(self, name: str) -> str:
        """A name that Python takes and that hides nothing the model needs."""
        identifier(name, self.source)
        return name + "_" if keyword.iskeyword(name) or name in _IMPORTED else name

    def kernel(self, recovered: Recovered) -> Iterator[str]:
        kernel = recovered.kernel
        yield ""
        yield f"# {identifier(kernel.name, recovered.place, 'name of the kernel')}"
        yield from self.declarations(kernel)
        names = {f.name: self.python(f.name) for f in kernel.fields}
        names |= {s.name: self.python(s.name) for s in (*kernel.parameters, *_locals(kernel))}
        names |= {prefix + axis: prefix + axis for prefix in ("", "n_") for axis in _AXES}
        printer = Printer(names, recovered.place, self.reals.arithmetic == ir.F64)
        body = list(self.block(kernel.body, printer, "        "))
        self.sympy |= printer.sympy
        self.heddle |= printer.heddle
        yield "with evaluate(False):"
        yield "    statements = ["
        yield from body
        yield "    ]"
        about = quoted(f"Lifted from {recovered.place}.")
        self.heddle |= {"Rows", "Schedule", "Threads"}
        yield f"{self.module}.add({quoted(kernel.name)}, statements, about={about}, schedule=as_written)"

    def declarations(self, kernel: ir.Kernel) -> Iterator[str]:
        """Fields and parameters in the order of the source, which is that of the kernel's arguments; in one
        line those of a type that follow each other."""
        self.heddle.add("fields")

        def declared(field: ir.Field) -> tuple[str, int]:
            components = f"({field.components})" if field.components else ""
            kind = self.type(field.type, self.reals.storage)
            return f"{kind}{components}[{field.rank}D]", field.ghost_layers

        for (kind, ghosts), group in groupby(kernel.fields, declared):
            members = list(group)
            targets = ", ".join(self.python(field.name) for field in members)
            names = ", ".join(field.name for field in members)
            layers = "" if ghosts == 1 else f", ghost_layers={ghosts}"
            yield f"{targets} = fields({quoted(f'{names}: {kind}')}{layers})"
        scalar_types = groupby(kernel.parameters, lambda s: self.type(s.type, self.reals.arithmetic))
        for kind, scalars in scalar_types:
            listed = list(scalars)
            self.heddle.add("parameters")
            targets = ", ".join(self.python(symbol.name) for symbol in listed)
            names = ", ".join(symbol.name for symbol in listed)
            yield f"{targets} = parameters({quoted(f'{names}: {kind}')})"
        rank = kernel.space.dimensions if kernel.space.is_box else 0
        for prefix, function in (("", "block_coordinates"), ("n_", "block_extents")):
            own = {f"{prefix}{_AXES[axis]}" for axis in range(rank)}
            if any(isinstance(node, ir.Symbol) and node.name in own for node in walk(kernel.body)):
                self.heddle.add(function)
                listed_names = ", ".join(f"{prefix}{_AXES[axis]}" for axis in range(rank))
                yield f"{listed_names}{',' if rank == 1 else ''} = {function}({rank})"
        values = _locals(kernel)
        if values:
            targets = ", ".join(self.python(symbol.name) for symbol in values)
            names = " ".join(symbol.name for symbol in values)
            yield f"{targets} = symbols({quoted(names)}, real=True)"

    @staticmethod
    def type(scalar: object, real: ir.Scalar) -> str:
        assert isinstance(scalar, ir.Scalar)
        return "real" if scalar == real else _TYPES[scalar]

    def block(self, body: Sequence[ir.Statement], printer: Printer, indent: str) -> Iterator[str]:
        for statement in body:
            printer.place = getattr(statement, "place", printer.place)
            match statement:
                case ir.Let(symbol, value):
                    yield from self.call(indent, "Assignment", [printer.text(symbol), printer.text(value)])
                case ir.Store(ir.Access() as target, value):
                    stored = printer.stored(value, target.field)
                    yield from self.call(indent, "Assignment", [printer.text(target), stored])
                case ir.If(condition, inner):
                    self.heddle.add("If")
                    yield f"{indent}If({printer.text(condition)}, ["
                    yield from self.block(inner, printer, indent + "    ")
                    yield f"{indent}]),"
                case ir.Reduce(operation, output, value):
                    self.heddle.add("Reduce")
                    yield from self.call(
                        indent, "Reduce", [quoted(operation), quoted(output.name), printer.text(value)]
                    )
                case ir.Scan(axis, reverse, carried, initial, inner, update):
                    self.heddle.add("Scan")
                    start = self.mapping(carried, initial, printer)
                    following = self.mapping(carried, update, printer)
                    yield f"{indent}Scan({axis}, {start}, ["
                    yield from self.block(inner, printer, indent + "    ")
                    yield f"{indent}], {following}{', reverse=True' if reverse else ''}),"

                case ir.While(_, most, condition, carried, initial, inner, update):
                    self.heddle.add("While")
                    start = self.mapping(carried, initial, printer)
                    following = self.mapping(carried, update, printer)
                    yield f"{indent}While({printer.text(condition)}, {start}, ["
                    yield from self.block(inner, printer, indent + "    ")
                    yield f"{indent}], {following}, at_most={most}),"

    @staticmethod
    def mapping(symbols: Sequence[ir.Symbol], values: Sequence[ir.Expression], printer: Printer) -> str:
        pairs = (f"{printer.text(s)}: {printer.text(v)}" for s, v in zip(symbols, values, strict=True))
        return "{" + ", ".join(pairs) + "}"

    @staticmethod
    def call(indent: str, function: str, arguments: list[str]) -> Iterator[str]:
        """A statement in one line, or with its arguments below where that is too long."""
        line = f"{indent}{function}({', '.join(arguments)}),"
        if len(line) <= WIDTH:
            yield line
            return
        yield f"{indent}{function}("
        for argument in arguments:
            yield from wrapped_sum(argument, indent + "    ")
        yield f"{indent}),"


def _locals(kernel: ir.Kernel) -> list[ir.Symbol]:
    """The values that a kernel names, in order."""
    found: dict[str, ir.Symbol] = {}
    for statement in statements(kernel.body):
        symbols = (
            (statement.symbol,)
            if isinstance(statement, ir.Let)
            else statement.carried
            if isinstance(statement, (ir.Scan, ir.While))
            else ()
        )
        for symbol in symbols:
            found.setdefault(symbol.name, symbol)
    return list(found.values())


def strides_text(strides: Sequence[Polynomial]) -> list[str]:
    """Strides, those that are multiples of the one before as products."""
    result: list[str] = []
    for axis, stride in enumerate(strides):
        text = str(stride)
        if axis and len(strides[axis - 1].terms) > 1:
            factor, rest = stride.divided(strides[axis - 1])
            if rest == Polynomial() and len(stride.terms) > 1:
                text = (
                    f"({strides[axis - 1]})*({factor})"
                    if len(factor.terms) > 1
                    else f"({strides[axis - 1]})*{factor}"
                )
        result.append(text)
    return result


def wrapped(text: str, mark: str) -> list[str]:
    """A line of the docstring."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark), break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def wrapped_sum(text: str, indent: str) -> list[str]:
    """An argument, broken at spaces; Python reads on to the closing parenthesis."""
    whole = re.sub(r"\[[^\]]*\]", lambda match: match[0].replace(" ", _NO_BREAK), text)
    lines = textwrap.wrap(
        whole + ",", WIDTH, initial_indent=indent, subsequent_indent=indent + "    ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace(_NO_BREAK, " ") for line in lines]
