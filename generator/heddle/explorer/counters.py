# SPDX-License-Identifier: Apache-2.0
"""Bytes that a memory moves for a step, by counters of the hardware: Nsight Compute (ncu) on a GPU, perf on a
CPU whose memory controllers count. Both run heddle.explorer.counted, a process with the same kernels and
arrays."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heddle.errors import KernelError
from heddle.explorer.built import Built
from heddle.explorer.measure import Runnable
from heddle.explorer.memory import library, on_host
from heddle.python.zeros import address

METRICS = "dram__bytes_read.sum,dram__bytes_write.sum"
DEVICES = Path("/sys/bus/event_source/devices")
EVENTS = {"cas_count_read", "cas_count_write"}
"""Of Intel's memory controllers: lines of 64 bytes, which perf gives in MiB."""
REPEATS = 20
"""Steps on a CPU in a shorter run, and how many more in a longer one: the difference counts."""
SCALES = {"MiB": 1 << 20, "KiB": 1 << 10, "Bytes": 1, "": 64}
FILLED = 0.01
"""What fields of numbers hold."""


def required(gpu: bool) -> None:
    """Raise KernelError where nothing counts: with what to install or to allow."""
    tool = "ncu" if gpu else "perf"
    if shutil.which(tool) is None:
        raise KernelError(
            "heddle.explore",
            f"{tool} was not found: nobody counts bytes.",
            "install "
            + ("Nsight Compute, a part of CUDA" if gpu else "linux-perf")
            + ", or leave out counters",
        )
    if not gpu and not _events():
        raise KernelError(
            "heddle.explore",
            "no memory controller of this machine counts bytes for perf.",
            "leave out counters: virtual machines hide them, and AMD's are not known here",
        )


def counted(own: Built, run: Runnable, kernels: Sequence[str], cells: int, gpu: bool) -> float:
    """Bytes per update of a cell that memory moves. Raises KernelError where the tool fails."""
    with tempfile.TemporaryDirectory() as place:
        spec = Path(place) / "step.json"
        spec.write_text(json.dumps(_step(own, run, kernels, gpu, Path(place))))
        command = [sys.executable, "-m", "heddle.explorer.counted", str(spec)]
        if gpu:
            tool = ["ncu", "--csv", "--print-units", "base", "--profile-from-start", "off"]
            total = of_ncu(_said([*tool, "--metrics", METRICS, *command, "1"]))
            return total / len(kernels) / cells
        tool = ["perf", "stat", "-x;", "-a", "-e", ",".join(_events())]
        short, long = (of_perf(_said([*tool, *command, str(count)])) for count in (REPEATS, 3 * REPEATS))
        return max(0.0, long - short) / (2 * REPEATS) / len(kernels) / cells


def _events() -> list[str]:
    return sorted(
        f"{path.parents[1].name}/{path.name}/"
        for path in DEVICES.glob("uncore_imc*/events/*")
        if path.name in EVENTS
    )


def _said(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()][-1:]
        raise KernelError(
            "heddle.explore",
            f"{command[0]} counts no bytes: {' '.join(last) or f'exit code {done.returncode}'}",
            "allow counters to all users (ERR_NVGPUCTRPERM, perf_event_paranoid), or leave them out",
        )
    return done.stdout if command[0] == "ncu" else done.stderr


def of_ncu(text: str) -> float:
    """The sum of all metrics of all launches, from ncu's CSV in base units."""
    lines = text.splitlines()
    start = next((n for n, line in enumerate(lines) if '"Metric Value"' in line), None)
    if start is None:
        raise KernelError("heddle.explore", "ncu gives no table of metrics.", "leave out counters")
    rows = csv.DictReader(lines[start:])
    return sum(float(row["Metric Value"].replace(",", "")) for row in rows)


def of_perf(text: str) -> float:
    """Bytes, from `perf stat -x;`: value;unit;event;..."""
    total = 0.0
    for line in text.splitlines():
        value, unit, event, *_ = [*line.split(";"), "", ""]
        if event.startswith("uncore_imc"):
            total += float(value) * SCALES[unit]
    return total


def _step(own: Built, run: Runnable, kernels: Sequence[str], gpu: bool, place: Path) -> dict[str, Any]:
    """What heddle.explorer.counted needs to call the same kernels on arrays of the same form."""
    memory, flats, known = run.memory, [], {}  # type: ignore[var-annotated]

    def array(name: str, value: Any) -> dict[str, Any]:
        entry = memory.arrays.get(name)
        whole = value if entry is None else entry.whole
        if name not in known:
            known[name] = len(flats)
            size, strides = whole.itemsize, [step // whole.itemsize for step in whole.strides]
            flat: dict[str, Any] = {"dtype": whole.dtype.str, "shape": whole.shape, "strides": strides}
            flat["residue"] = address(whole) % 256 // size
            if whole.dtype.kind != "f":
                flat["file"] = str(place / f"{len(flats)}.npy")
                library().save(flat["file"], on_host(whole))
            flats.append(flat)
        offset = (address(value) - address(whole)) // value.itemsize
        strides = [step // value.itemsize for step in value.strides]
        return {"flat": known[name], "offset": offset, "shape": value.shape, "strides": strides}

    calls = [
        {
            "kernel": kernel,
            "given": {
                name: array(name, value) if hasattr(value, "strides") and value.shape else float(value)
                for name, value in given.items()
            },
            "whole": [name for name, value in given.items() if isinstance(value, int)],
        }
        for kernel, given in zip(kernels, memory.calls, strict=True)
    ]
    return {"library": str(own.library), "entry": own.entry, "gpu": gpu, "flats": flats, "calls": calls}
