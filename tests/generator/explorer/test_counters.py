# SPDX-License-Identifier: Apache-2.0
"""Bytes by counters: a made-up perf runs the real process that repeats a step, and says a MiB for each step;
what ncu writes is read from a sample of its output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import heddle
import numpy as np
import pytest
from heddle import KernelError
from heddle.explorer import counted, counters
from heddle.explorer.exploration import Exploration
from heddle.explorer.report import _entry
from heddle.explorer.variants import lattice_boltzmann
from searched import SCHEDULES, explored, result

PERF = """#!/bin/sh
# stat -x; -a -e EVENTS COMMAND... COUNT: the last word says how many steps run
shift 5
"$@" || exit 1
for last; do :; done
echo "$last;MiB;uncore_imc_0/cas_count_read/;1000;100.00;;" >&2
echo "0;MiB;uncore_imc_0/cas_count_write/;1000;100.00;;" >&2
"""
NCU = """==PROF== Connected to process 1
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","step_kernel","dram__bytes_read.sum","byte","1,024"
"0","step_kernel","dram__bytes_write.sum","byte","512"
"""


@pytest.fixture
def perf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A perf, and a memory controller that counts."""
    tool = tmp_path / "bin/perf"
    tool.parent.mkdir()
    tool.write_text(PERF)
    tool.chmod(0o755)
    events = tmp_path / "devices/uncore_imc_0/events"
    events.mkdir(parents=True)
    for name in ("cas_count_read", "cas_count_write", "cas_count_read.unit", "clockticks"):
        (events / name).write_text("event=0x04,umask=0x03")
    monkeypatch.setattr(counters, "DEVICES", tmp_path / "devices")
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    return tool


@pytest.mark.compiles
def test_bytes_are_counted(own_cache: Path, perf: Path, tmp_path: Path) -> None:
    assert own_cache.is_dir()
    out = tmp_path / "out"
    plain = explored(schedules=SCHEDULES[:1], precisions=["f64"], out=out)
    found = explored(schedules=SCHEDULES[:1], precisions=["f64"], out=out, counters=True)
    (one,) = found.results
    assert (plain.results[0].counted, one.why) == (None, "")
    assert one.counted == pytest.approx((1 << 20) / 240)  # a MiB per step of 24 x 10 cells
    entry = _entry(0, one, -1)
    assert entry["measured"] == pytest.approx(one.flops / one.counted)
    names = {m["name"]: m["value"] for m in found.t4()["results"][0]["measurements"]}
    assert names["bytes_counted"] == one.counted
    heads, row = (line.split() for line in found.table().splitlines()[1:3])
    assert float(row[heads.index("counted")]) == pytest.approx(one.counted, rel=1e-3)
    assert "counted" not in plain.table()
    again = explored(schedules=SCHEDULES[:1], precisions=["f64"], out=out, counters=True)
    assert again.results == found.results  # it is known now
    perf.write_text("#!/bin/sh\necho 'no permission' >&2\nexit 255\n")
    refused = explored(schedules=SCHEDULES[1:], precisions=["f64"], counters=True)
    assert [(r.state, r.why) for r in refused.results] == [
        ("runtime", "heddle.explore: perf counts no bytes: no permission")
    ]


@pytest.mark.compiles
def test_the_same_arrays_are_made_anew(
    own_cache: Path, perf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list in place: tables are those of the search, fields lie as they did. What is written is compared
    with a step on the same numbers in this process."""
    assert own_cache.is_dir()
    kept: dict[str, Any] = {}
    described = counters._step

    def keep(own: Any, run: Any, kernels: Any, gpu: bool, place: Path) -> dict[str, Any]:
        (tmp_path / "tables").mkdir(exist_ok=True)
        step = described(own, run, kernels, gpu, tmp_path / "tables")
        (tmp_path / "step.json").write_text(json.dumps(step))
        for array in run.memory.arrays.values():
            array.whole[...] = counters.FILLED
        run.once()
        np.save(tmp_path / "expected.npy", run.memory.arrays["f"].inner)
        return step

    monkeypatch.setattr(counters, "_step", keep)
    made = lattice_boltzmann("D2Q9", ("BGK",), ("AA",), ("f64",), spaces=("list",))
    found = heddle.explore(
        variants=made, sizes=["24x11"], samples=1, quiet=True, schedules=SCHEDULES[:1],
        values={"omega": 1.6}, counters=True,
    )  # fmt: skip
    assert [r.state for r in found.results] == ["correct"]
    views = counted._view

    def watched(*given: Any) -> Any:
        view = views(*given)
        if len(given[3]["shape"]) == 2 and given[3]["shape"][0] == 9:
            kept["f"] = view
        return view

    monkeypatch.setattr(counted, "_view", watched)
    counted.main(tmp_path / "step.json", 0)
    np.testing.assert_array_equal(kept["f"], np.load(tmp_path / "expected.npy"))
    command = [sys.executable, "-m", "heddle.explorer.counted", str(tmp_path / "step.json"), "2"]
    subprocess.run(command, check=True)


def test_what_the_tools_say() -> None:
    assert counters.of_ncu(NCU) == 1536
    assert counters.of_perf("2;KiB;uncore_imc_1/cas_count_read/;9;100\n3;;cycles;1;1\n") == 2048
    with pytest.raises(KernelError, match="ncu gives no table"):
        counters.of_ncu("==ERROR== ERR_NVGPUCTRPERM")


def test_where_nothing_counts(perf: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    counters.required(gpu=False)
    monkeypatch.setattr(counters, "DEVICES", tmp_path / "none")
    with pytest.raises(KernelError, match="no memory controller of this machine counts bytes"):
        counters.required(gpu=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(KernelError, match="ncu was not found"):
        counters.required(gpu=True)


def test_a_report_with_counts() -> None:
    page = Exploration((result(), result(key="b", precision="f32", counted=20.0))).results
    assert [_entry(n, one, -1)["measured"] for n, one in enumerate(page)] == [None, 7 / 20]
