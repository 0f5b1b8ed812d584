# SPDX-License-Identifier: Apache-2.0
"""Results in T4, Kernel Tuner's format: those that heddle explore wrote are read back as they were; those of
another tuner get a place beside them, with the options that it tuned."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heddle.errors import KernelError
from heddle.explorer.results import STATES, Result
from heddle.ir.schedule import Rows, Schedule, Threads
from heddle.ir.schedule_text import from_text

OWN = ("machine", "target", "module", "variant", "kernel", "precision", "extent", "schedule")
"""The configuration of a result that heddle explore wrote."""
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_NO_NAME = re.compile(r"[^A-Za-z0-9_]+")


def from_t4(path: Path) -> list[Result]:
    """The results of a T4 file. Points that its tuner left out (`constraints`) are no results. Raises
    KernelError for any other file."""
    try:
        entries = json.loads(path.read_text())["results"]
        machine = _machine(path)
        found = [
            _own(entry) if set(OWN) <= set(entry["configuration"]) else _others(path, entry, machine)
            for entry in entries
            if entry["invalidity"] != "constraints"
        ]
    except KernelError as error:
        raise KernelError(path.name, error.what, error.hint) from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise KernelError(
            path.name,
            f"this is no file of results in T4: {type(error).__name__}: {error}.",
            "name a results.json of heddle explore or of Kernel Tuner (schema T4, version 1.0.0)",
        ) from None
    return found


def _machine(path: Path) -> str:
    """What the metadata beside a file says of the hardware; else the name of the file."""
    beside = path.with_name("metadata.json")
    if not beside.is_file():
        return path.stem
    hardware = json.loads(beside.read_text())["metadata"]["hardware"]["hardware_description"]
    return ", ".join(str(next(iter(one.values()))) if isinstance(one, dict) else str(one) for one in hardware)


def _own(entry: Mapping[str, Any]) -> Result:
    chosen, given = entry["configuration"], _measurements(entry)
    seconds = _seconds(entry)
    share = float(given.get("fraction_of_stream", 0))
    if not chosen["machine"]:
        raise ValueError("a configuration without a machine")
    return Result(
        key=_key(entry),
        machine=str(chosen["machine"]),
        target=str(chosen["target"]),
        module=str(chosen["module"]),
        variant=str(chosen["variant"]),
        step=str(chosen["kernel"]),
        precision=str(chosen["precision"]),
        schedule=from_text("results.json", chosen["schedule"]),
        extent=tuple(int(n) for n in chosen["extent"].split("x")),
        state=_state(entry),
        why=str(given.get("reason", "")),
        bytes_read=float(given.get("bytes_read", 0)),
        bytes_written=float(given.get("bytes_written", 0)),
        flops=float(given.get("flops", 0)),
        seconds=seconds,
        stream=tuple(share * one for one in seconds) if share else (),
        counted=float(given["bytes_counted"]) if "bytes_counted" in given else None,
        error=float(given["error"]) if "error" in given else None,
        residual=float(given["residual"]) if "residual" in given else None,
        cycles=int(given.get("cycles", 0)),
        lines=int(given.get("lines", 0)),
        generation=float(given.get("generation_time", 0)) / 1e3,
        object_bytes=int(given.get("object_size", 0)),
        registers=int(given.get("registers", 0)),
        spills=int(given.get("spills", 0)),
        shared=int(given.get("shared_memory", 0)),
        occupancy=float(given["occupancy"]) if "occupancy" in given else None,
        **_shared(entry),
    )


def _others(path: Path, entry: Mapping[str, Any], machine: str) -> Result:
    """A result of another tuner. Its times are those of a run: nobody says how many cells it has."""
    name = _NO_NAME.sub("_", path.stem).strip("_")
    tuned = {str(name): str(value) for name, value in entry["configuration"].items()}
    names = ", ".join(f"{name}={value}" for name, value in tuned.items())
    return Result(
        key=_key(entry),
        machine=machine,
        target="cuda" if any(name.startswith("block_size") for name in tuned) else "cpu",
        module=name if name[:1].isalpha() else f"t4_{name}".rstrip("_"),
        variant=names,
        step="run",
        precision="",
        schedule=Schedule(Rows(), Threads()),
        extent=(1,),
        state=_state(entry),
        seconds=_seconds(entry),
        tuned=tuned or {"configuration": "the only one"},
        **_shared(entry),
    )


def _shared(entry: Mapping[str, Any]) -> dict[str, Any]:
    times = entry["times"]
    return {
        "compilation": _positive(times.get("compilation_time")) / 1e3,
        "validation": _positive(times.get("validation")) / 1e3,
        "timestamp": str(entry["timestamp"]) if "timestamp" in entry else "",
    }


def _positive(value: Any) -> float:
    return max(0.0, float(value or 0))


def _state(entry: Mapping[str, Any]) -> str:
    state = entry["invalidity"]
    if state not in STATES:
        raise ValueError(f"'{state}' is no state")
    return str(state)


def _seconds(entry: Mapping[str, Any]) -> tuple[float, ...]:
    """Those of the runs, which T4 has in milliseconds; where they are missing, of the measurement `time`."""
    if _state(entry) != "correct":
        return ()
    runs = entry["times"].get("runtimes") or []
    found = tuple(float(one) / 1e3 for one in runs)
    if not found:
        one = next((m for m in entry["measurements"] if m["name"] == "time"), None)
        if one is None:
            raise ValueError("a correct configuration without a time")
        found = (float(one["value"]) * UNITS[one.get("unit") or "ms"],)
    if min(found) <= 0:
        raise ValueError("times are positive")
    return found


def _measurements(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {one["name"]: one["value"] for one in entry["measurements"]}


def _key(entry: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:20]
