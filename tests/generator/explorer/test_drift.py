# SPDX-License-Identifier: Apache-2.0
"""What changed since an earlier search."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from heddle import CacheLines, KernelError, Schedule, Strips, Threads
from heddle.__main__ import main
from heddle.explorer.drift import counts, drift
from heddle.explorer.exploration import Exploration, earlier_results, merge
from heddle.explorer.report import report
from heddle.explorer.results import FILE, append
from searched import result

OWN = result(seconds=(2.0e-6, 2.0e-6, 2.0e-6))
OTHER = result(key="o", schedule=Schedule(CacheLines(4), Threads()))
STRIPS = result(key="s", schedule=Schedule(Strips(16), Threads()))


def kinds(before: list, now: list) -> list[tuple[str, str]]:  # type: ignore[type-arg]
    return [(change.kind, change.result.key) for change in drift(before, now)]


def test_each_kind() -> None:
    slower = replace(OWN, seconds=(2.2e-6, 2.2e-6, 2.2e-6), lines=3, registers=40)
    broken = replace(OTHER, state="correctness", why="other bits", seconds=(), stream=())
    assert kinds([OWN, OTHER, STRIPS], [slower, broken]) == [("broken", "o"), ("slower", "k"), ("gone", "s")]
    assert kinds([slower, broken], [OWN, OTHER, STRIPS]) == [("mended", "o"), ("faster", "k"), ("new", "s")]
    assert kinds([OWN, broken], [OWN, broken]) == [("same", "o"), ("same", "k")]
    assert kinds([], [broken]) == []  # it never ran
    change = drift([OWN], [slower])[0]
    assert change.times == pytest.approx(1.1)
    assert change.line == (
        "slower: step f64 Schedule(cpu=Rows(), gpu=Threads()): 20 -> 22 ns/cell, 1.10 times as long "
        "(registers 0 -> 40, lines 0 -> 3)"
    )


def test_a_slow_machine_is_no_change() -> None:
    """The matching stream takes twice as long, too; scatter hides what is smaller than it."""
    loaded = replace(OWN, seconds=(4e-6,) * 3, stream=(2e-6,) * 3)
    assert kinds([OWN], [loaded]) == [("same", "k")]
    other_stream = replace(loaded, stream_schedule="Schedule(cpu=CacheLines(4))")
    assert kinds([OWN], [other_stream]) == [("slower", "k")]
    scattered = replace(OWN, seconds=(1.6e-6, 2.3e-6, 3.2e-6))
    assert kinds([OWN], [scattered]) == [("same", "k")]
    assert kinds([OWN], [replace(OWN, seconds=(2.05e-6,) * 3)]) == [("same", "k")]  # within 3 %


def test_more_bytes_are_slower() -> None:
    """Their matching stream is another kernel, which takes as much longer."""
    heavier = replace(OWN, bytes_read=17, seconds=(4e-6,) * 3, stream=(2e-6,) * 3)
    (change,) = drift([OWN], [heavier])
    assert (change.kind, change.times, change.why) == ("slower", 2, "bytes 16 -> 25")
    moved = replace(OWN, bytes_read=0, bytes_written=16, seconds=(4e-6,) * 3, stream=(2e-6,) * 3)
    assert kinds([OWN], [moved]) == [("slower", "k")]


def test_of_earlier_results_the_newest_counts() -> None:
    older = replace(OWN, key="older", seconds=(1e-6,) * 3, timestamp="2026-11-01T12:00:00+00:00")
    assert kinds([OWN, older], [OWN]) == [("same", "k")]


def test_other_kernels_and_machines_are_left_out() -> None:
    elsewhere = [replace(OWN, machine="there"), replace(OWN, step="other"), replace(OWN, extent=(5, 5))]
    assert kinds(elsewhere, [OWN]) == [("new", "k")]
    assert counts(drift(elsewhere, [])) == "nothing in common"


def test_the_table_the_page_and_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, one in (("before", OWN), ("now", replace(OWN, seconds=(3e-6,) * 3))):
        append(tmp_path / folder, one)
    append(tmp_path / "now", STRIPS)
    found = merge([tmp_path / "now"], tmp_path / "both", tmp_path / "before")
    assert "since the earlier search: 1 slower, 1 new\n  slower: step f64 Schedule(" in found.table()
    text = report(found.results, [], {}, found.earlier)
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    assert data["drift"]["counts"] == "1 slower, 1 new"
    assert data["drift"]["changes"][0]["times"] == pytest.approx(1.5)
    monkeypatch.chdir(tmp_path)
    assert main(["explore", "--merge", "now", "--out", "again", "--against", f"before/{FILE}"]) == 0
    assert "1 slower, 1 new" in capsys.readouterr().out
    assert '"counts":"1 slower, 1 new"' in Path("again/report.html").read_text()
    assert "since" not in Exploration((OWN,)).table()


def test_no_earlier_results(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent.jsonl"):
        with pytest.raises(KernelError, match="there are no earlier results"):
            earlier_results(place)
