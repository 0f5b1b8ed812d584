# SPDX-License-Identifier: Apache-2.0
"""Methods of a sweep that tell heddle::HaloExchange what crosses before and after, and how it is packed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from heddle.emit.expression import type_text
from heddle.emit.lane_walls import LaneWalls, lane_walls, lanes, walls
from heddle.halo.dense import Exchange, exchanges
from heddle.halo.sparse import LinkCrossing, ListExchange, WrittenOffsets, list_exchanges
from heddle.ir import nodes as ir
from heddle.ir.space import Link
from heddle.ir.target import Target, device_of, host_of


class Halo(Protocol):
    """What Module.add_halo has declared."""

    @property
    def name(self) -> str: ...

    @property
    def kernels(self) -> tuple[str, ...]: ...

    @property
    def wire(self) -> ir.Scalar | None: ...

    @property
    def ends(self) -> WrittenOffsets: ...


def _offset(offset: Sequence[int]) -> str:
    full = [*offset, 0, 0][:3]
    return "{" + ", ".join(map(str, full)) + "}"


def link_text(link: Link) -> str:
    return f"heddle::Link{{{link.slot}, {_offset(link.offset)}, {link.wall_slot}}}"


def exchange_methods(
    module: str, kernel: ir.Kernel, halo: Halo, targets: Sequence[Target], element: str
) -> list[dict[str, Any]]:
    """Methods that tell heddle::HaloExchange what crosses, and how it is packed. element: of the fields."""
    wire = type_text(halo.wire) if halo.wire else element
    if kernel.space.is_list:
        found = list_exchanges(kernel, ends=halo.ends)
        return [_list_exchange(module, one, halo, targets, wire) for one in found]
    in_vectors = device_of(targets) and lanes(kernel) > 1 and walls(kernel)
    return [
        {
            **_exchange(module, one, halo, targets, wire),
            "walls": _walls_text(lane_walls(kernel, one)) if in_vectors else None,
        }
        for one in exchanges(kernel)
    ]


def _walls_text(found: LaneWalls | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"rows": [link_text(link) for link in found.links], "fields": found.fields, "sides": found.sides}


def _exchange(
    module: str, exchange: Exchange, halo: Halo, targets: Sequence[Target], wire: str
) -> dict[str, Any]:
    plane = ".plane()" if exchange.fields and exchange.fields[0].rank == 2 else ""
    views = [f"{field.name}->view(block){plane}" for field in exchange.fields]
    rows = [
        f"heddle::Crossing{{{exchange.fields.index(c.field)}, {c.component}, "
        f"{_offset(c.anchor)}, {_offset(c.near)}, {_offset(c.far)}}}"
        for c in exchange.crossings
    ]
    tables = ["boxes.rows", "{wire}", "boxes.count", "boxes.longest"]
    return {
        **_described(exchange, wire),
        "table": "Crossing",
        "rows": rows,
        "thinnest": f" {exchange.thinnest},",
        "pack": _pack_call(module, f"{halo.name}_pack", views, tables, "", wire, targets),
        "unpack": _pack_call(module, f"{halo.name}_unpack", views, tables, "const ", wire, targets),
        "method": "pack",
        "parameters": "int block, const heddle::WireBoxes& boxes",
    }


def _list_exchange(
    module: str, exchange: ListExchange, halo: Halo, targets: Sequence[Target], wire: str
) -> dict[str, Any]:
    views = [f"{field.name}->flat()" for field in exchange.fields]
    rows = [_link_crossing(exchange.fields.index(c.field), c) for c in exchange.crossings]
    tables = ["elements.fields", "{wire}", "elements.numbers", "elements.count"]
    return {
        **_described(exchange, wire),
        "table": "LinkCrossing",
        "rows": rows,
        "thinnest": "",
        "pack": _pack_call(module, f"{halo.name}_pack", views, tables, "", wire, targets),
        "unpack": _pack_call(module, f"{halo.name}_unpack", views, tables, "const ", wire, targets),
        "method": "list_pack",
        "parameters": "const heddle::WireElements& elements",
        "walls": None,  # they stand in the table
    }


def _link_crossing(field: int, crossing: LinkCrossing) -> str:
    first, *then = crossing.path
    members = [str(field), str(first)]
    if crossing.slot is not None:
        members += [str(crossing.slot), _offset(crossing.other)]
        if then:
            members.append("{" + ", ".join(map(str, [*then, -1][:2])) + "}")
    return f"heddle::LinkCrossing{{{', '.join(members)}}}"


def _described(exchange: Exchange | ListExchange, wire: str) -> dict[str, Any]:
    return {
        "name": exchange.direction,
        "about": "What other blocks have to send before a sweep: from owners to ghost cells."
        if exchange.direction == "before"
        else "What a sweep leaves for other blocks: from ghost cells to owners.",
        "kernel": exchange.kernel,
        "fields": [field.name for field in exchange.fields],
        "wire": wire,
    }


def _pack_call(
    module: str,
    name: str,
    views: Sequence[str],
    tables: Sequence[str],
    const: str,
    wire: str,
    targets: Sequence[Target],
) -> str:
    """tables: the arguments after the views, with {wire} for the buffer."""
    buffer = f"static_cast<{const}{wire}*>(wire)"
    passed = [*views, *(table.replace("{wire}", buffer) for table in tables)]

    def call(suffix: str, extra: str) -> str:
        return f"{module}::{name}{suffix}({', '.join([*passed, *([extra] if extra else [])])});"

    host, target = call("", ""), device_of(targets)
    if target is None or target.gpu is None:
        return f"static_cast<void>(stream); {host}"
    device = call(target.suffix, "stream.native()")
    if host_of(targets) is None:
        return device
    return f"if constexpr ({target.gpu.enabled}) {{ if (stream.device()) {{ {device} return; }} }}\n{host}"
