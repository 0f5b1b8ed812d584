# SPDX-License-Identifier: Apache-2.0
"""What a sweep tells heddle::HaloExchange: what crosses before and after it, and how it is packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from heddle.emit.expression import type_text
from heddle.emit.lane_walls import lane_walls, lanes, walls
from heddle.emit.names import class_name
from heddle.halo.dense import Exchange, exchanges
from heddle.halo.sparse import HaloLink, ListExchange, WrittenOffsets, list_exchanges
from heddle.ir import nodes as ir
from heddle.ir.space import Link
from heddle.ir.target import Target, device_of


class Halo(Protocol):
    """What Module.add_halo has declared."""

    @property
    def name(self) -> str: ...

    @property
    def kernels(self) -> tuple[str, ...]: ...

    @property
    def value_type(self) -> ir.Scalar | None: ...

    @property
    def ends(self) -> WrittenOffsets: ...


TABLES = {"HaloRegion": "regions", "HaloLink": "links", "Link": "wall_links"}
"""Names of tables, by the type of their rows."""


@dataclass(frozen=True)
class SweepExchanges:
    """Tables among the members of a sweep class, and statements of its constructor that refer to them."""

    tables: tuple[str, ...]
    statements: tuple[str, ...]


def _offset(offset: Sequence[int]) -> str:
    full = [*offset, 0, 0][:3]
    return "{" + ", ".join(map(str, full)) + "}"


def link_text(link: Link) -> str:
    """A heddle::Link in braces."""
    return f"{{{link.slot}, {_offset(link.offset)}, {link.wall_slot}}}"


def pack_kernels(halo: Halo) -> list[dict[str, str]]:
    """The kernels that pack and unpack, and the structs that stand for them."""
    names = (f"{halo.name}_{way}" for way in ("pack", "unpack"))
    return [{"kernel": name, "title": class_name(name)} for name in names]


def sweep_exchanges(kernel: ir.Kernel, halo: Halo, targets: Sequence[Target], element: str) -> SweepExchanges:
    """What a sweep exchanges. element: the type of its fields' values."""
    found: Sequence[Exchange | ListExchange]
    found = list_exchanges(kernel, ends=halo.ends) if kernel.space.is_list else exchanges(kernel)
    value = type_text(halo.value_type) if halo.value_type else element
    packs = ", ".join(pack["title"] for pack in pack_kernels(halo))
    in_vectors = device_of(targets) is not None and lanes(kernel) > 1 and bool(walls(kernel))
    names: dict[tuple[str, str], str] = {}  # of tables, by the type and text of their rows
    made: dict[str, str] = {}  # expression -> what it is assigned to
    for exchange in found:
        if not exchange.fields:
            continue
        kind, rows = _regions(exchange)
        fields = [field.name for field in exchange.fields]
        if isinstance(exchange, ListExchange):
            count = len(rows)
            if rows == [f"{{0, {row}}}" for row in range(count)]:  # each row, to elements of one field
                text = f"heddle::list_exchange<{packs}, {value}, {count}>({', '.join(fields)})"
            else:
                passed = [_table(names, kind, rows), *fields]
                text = f"heddle::list_exchange<{packs}, {value}>({', '.join(passed)})"
        else:
            table = _table(names, kind, rows)
            links = _walls(names, kernel, exchange) if in_vectors else ""
            passed = [table, str(exchange.min_block_extent), f"{{{links}}}", *fields]
            ranks = [field.rank for field in exchange.fields]
            kinds = f"{packs}, {value}, {', '.join(map(str, ranks if len(set(ranks)) > 1 else ranks[:1]))}"
            text = f"heddle::dense_exchange<{kinds}>({', '.join(passed)})"
        made[text] = f"{made.get(text, '')}this->{exchange.direction}_ = "
    return SweepExchanges(
        tuple(f"static constexpr heddle::{kind} {name}[] = {rows};" for (kind, rows), name in names.items()),
        tuple(f"{assigned}{text};" for text, assigned in made.items()),
    )


def _table(names: dict[tuple[str, str], str], kind: str, rows: Sequence[str]) -> str:
    """The name of a table; equal ones are one."""
    number = sum(other == kind for other, _ in names) + 1
    name = TABLES[kind] + (f"_{number}" if number > 1 else "") + "_"
    return names.setdefault((kind, f"{{{', '.join(rows)}}}"), name)


def _regions(exchange: Exchange | ListExchange) -> tuple[str, list[str]]:
    """The type and the rows of a table of what an exchange copies."""
    if isinstance(exchange, ListExchange):
        return "HaloLink", [_halo_link(exchange.fields.index(link.field), link) for link in exchange.links]
    return "HaloRegion", [
        f"{{{exchange.fields.index(r.field)}, {r.component}, "
        f"{_offset(r.anchor)}, {_offset(r.near)}, {_offset(r.far)}}}"
        for r in exchange.regions
    ]


def _halo_link(field: int, link: HaloLink) -> str:
    first, *then = link.path
    members = [str(field), str(first)]
    if link.slot is not None:
        members += [str(link.slot), _offset(link.other)]
        if then:
            members.append("{" + ", ".join(map(str, [*then, -1][:2])) + "}")
    return f"{{{', '.join(members)}}}"


def _walls(names: dict[tuple[str, str], str], kernel: ir.Kernel, exchange: Exchange) -> str:
    """A heddle::WallLinks for each field of populations."""
    found = lane_walls(kernel, exchange)
    if found is None:
        return ""
    table = _table(names, "Link", [link_text(link) for link in found.links])
    return ", ".join(f"{{{field}, {table}, {found.sides}U}}" for field in found.fields)
