# SPDX-License-Identifier: Apache-2.0
"""The HTML report: nothing in the data can leave it, it stays small and names nothing outside itself; what
its JavaScript computes, where node is installed. In a browser it was tested by hand."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from heddle import CacheLines, Schedule
from heddle.explorer.report import MOST_BYTES, report
from heddle.explorer.space import Refused
from searched import SOURCE, result

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>\u2028&'\""


def data_of(text: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def test_no_name_leaves_the_data() -> None:
    results = [
        result(variant=HOSTILE, machine=HOSTILE, module=HOSTILE, compiler=HOSTILE),
        result(state="compile", why=HOSTILE, seconds=(), stream=(), key="l"),
    ]
    refused = [Refused(HOSTILE, "step", "f64", Schedule(), HOSTILE)]
    text = report(results, refused, {SOURCE: HOSTILE})
    assert text.count("<script") == text.count("</script>") == 2
    assert "<img" not in text
    assert "<!--<" not in text
    found = data_of(text)
    assert found["results"][0]["variant"] == found["results"][1]["why"] == HOSTILE
    assert found["refused"][0]["why"] == HOSTILE
    assert found["lines"] == [HOSTILE]
    assert found["sources"] == [[0]]


def test_it_needs_nothing_else() -> None:
    text = report([result()], [], {})
    assert "default-src 'none'" in text
    links = set(re.findall(r"\w+://[^\s\"'`<)]+", text))
    assert links == {"http://www.w3.org/2000/svg"}  # the name of a vocabulary; nothing is read from there
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\b|\bfetch\(|import\(", text)
    assert not re.search(r"@(TITLE|STYLE|SCRIPT|DATA)@", text)


def test_emitted_text_gives_way_to_size() -> None:
    results = [result(key=str(n), source=f"{n}.txt", seconds=(1e-6 * (n + 1),)) for n in range(40)]
    texts = {f"{n}.txt": "\n".join(f"line {n} {k} {'x' * 60}" for k in range(300)) for n in range(40)}
    text = report(results, [], texts)
    assert len(text.encode()) <= MOST_BYTES
    sources = [entry["source"] for entry in data_of(text)["results"]]
    assert sources[0] == 0  # of the fastest
    assert sources[-1] == -1
    lines = data_of(text)["lines"]
    assert "\n".join(lines[at] for at in data_of(text)["sources"][0]) == texts["0.txt"]


def test_what_it_shows_of_a_result() -> None:
    one = result(schedule=Schedule(cpu=CacheLines(4)), peak=1e9, extent=(10, 10))
    entry = data_of(report([one], [], {}))["results"][0]
    assert entry["time"] == pytest.approx(20)
    assert entry["bandwidth"] == pytest.approx(16 / 20)
    assert entry["gflops"] == pytest.approx(7 / 20)
    assert entry["streamBandwidth"] == pytest.approx(16 / 10)
    assert entry["intensity"] == pytest.approx(7 / 16)
    assert entry["spread"] == pytest.approx(5)  # quartiles 15 and 25 of 10, 20 and 30
    assert entry["options"]["loop"] == "CacheLines"
    assert entry["schedule"] == "Schedule(cpu=CacheLines(4))"


PROGRAM = """
const assert = require("node:assert");
const page = require(process.argv[2]);
const points = [{ t: 1, e: 5 }, { t: 2, e: 3 }, { t: 3, e: 4 },
  { t: 4, e: 1 }, { t: 1, e: 6 }, { t: 5, e: 1 }, { t: null, e: 0 }];
assert.deepStrictEqual(page.paretoFront(points, "t", "e").map((p) => p.t), [1, 2, 4]);
assert.deepStrictEqual(page.sorted(points, "t", true).map((p) => p.t), [5, 4, 3, 2, 1, 1, null]);
const [first, second] = [["a", "b", "c", "d", "e"], ["a", "c", "x", "d", "e"]];
const entries = page.difference(first, second);
assert.deepStrictEqual(entries.map((e) => e.join("")), [" a", "-b", " c", "+x", " d", " e"]);
let random = 1;
for (let round = 0; round < 200; round += 1) {
  const texts = [0, 1].map(() => Array.from({ length: round % 9 }, () => {
    random = (random * 48271) % 2147483647;
    return "abc"[random % 3];
  }));
  const found = page.difference(...texts);
  assert.deepStrictEqual(found.filter(([sign]) => sign !== "+").map((e) => e[1]), texts[0]);
  assert.deepStrictEqual(found.filter(([sign]) => sign !== "-").map((e) => e[1]), texts[1]);
}
const long = [...Array(20).keys()].map(String);
const folded = page.folded(page.difference(long, [...long.slice(0, 10), "new", ...long.slice(10)]), 2);
assert.deepStrictEqual(folded.map((e) => e[0]), [null, " ", " ", "+", " ", " ", null]);
assert.deepStrictEqual([folded[0][1], folded[6][1]], [8, 8]);
assert.deepStrictEqual(page.ticks(0.9, 1100, true), [1, 10, 100, 1000]);
assert.deepStrictEqual(page.ticks(0, 10, false), [0, 2, 4, 6, 8, 10]);
const place = page.scale([1, 100], 0, 10, true);
assert.ok(Math.abs(place(10) - 5) < 1e-9 && Math.abs(place.invert(5) - 10) < 1e-9);
assert.ok(Number.isFinite(page.scale([0, 1e-7], 0, 10, true)(0)));
const results = [
  { state: "correct", place: "p", options: { fma: "fma" }, time: 1 },
  { state: "correct", place: "p", options: { fma: "no fma" }, time: 3 },
  { state: "compile", place: "p", options: { fma: "fma" }, time: null },
  { state: "correct", place: "q", options: { fma: "fma" }, time: 2 },
];
const left = (out, range) => page.visible(results, { place: "p", out, range }).map((r) => r.time);
assert.deepStrictEqual(left({}, null), [1, 3]);
assert.deepStrictEqual(left({ fma: ["fma"] }, null), [3]);
assert.deepStrictEqual(left({}, [0, 2]), [1]);
assert.deepStrictEqual([0, 1.5, 1234, 1e-9, null].map(page.short), ["0", "1.5", "1234", "1.0e-9", ""]);
"""


def test_what_the_page_computes(tmp_path: Path) -> None:
    """Needs node; without it the browser is the only one that runs this code."""
    node = shutil.which("node")
    if node is None:
        return
    (tmp_path / "program.js").write_text(PROGRAM)
    source = Path(report.__code__.co_filename).with_name("report.js")
    done = subprocess.run(
        [node, str(tmp_path / "program.js"), str(source)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
