# SPDX-License-Identifier: Apache-2.0
"""Writes generator/docs/performance.md and its plot from the measurements in tests/benchmarks/results.

python tests/benchmarks/report.py

A file of results is one subject: its runs (machine, date, commit, command), and their rows (what, value, unit
and, where one was timed in the same run, a limit in the same unit). A row with a word for `plot` is a bar.
To record a measurement, replace the rows that it repeats and run this script; git keeps the old ones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
DOCS = HERE.parents[1] / "generator/docs"
PAGE, PLOT = DOCS / "performance.md", DOCS / "performance.svg"
TIMES = {"s", "ms", "us"}
HEAD = """\
# Performance

Written by `tests/benchmarks/report.py` from `tests/benchmarks/results`; change these, not this page.

A number alone says little: machines are shared and differ from day to day. So each kernel is timed in turns
with the plain memory traffic that it needs, in one process, and the fraction of that limit is what compares
([decision 0105](decisions/0105-limits-in-the-same-run.md)). `heddle-bench` (preset `release`, with Google
Benchmark) prints both: counters `MLUPS`, `bytes_per_update`, `fraction_of_stream`.

![Fraction of the memory limit that kernels reach](performance.svg)

One H200 where a label names nothing else; CPU: two cores of a Xeon. The tables say how each was measured.
"""
BAR, LABEL, ROW, TOP = 420, 230, 24, 34


def subjects() -> list[dict[str, Any]]:
    read = [json.loads(path.read_text()) for path in RESULTS.glob("*.json")]
    return sorted(read, key=lambda subject: subject["position"])


def fraction(row: dict[str, Any]) -> float | None:
    """How much of its limit a row reaches: of a time, how much of the time is the limit."""
    if "limit" not in row:
        return None
    value, limit = float(row["value"]), float(row["limit"])
    return limit / value if row["unit"] in TIMES else value / limit


def table(rows: list[dict[str, Any]]) -> list[str]:
    limited = any("limit" in row for row in rows)
    lines = ["| what | value | limit | of the limit |", "|---|---|---|---|"] if limited else []
    lines = lines or ["| what | value |", "|---|---|"]
    for row in rows:
        part = fraction(row)
        ends = [str(row["limit"]), f"{part:.2f}"] if part is not None else ["", ""]
        lines.append(
            "| " + " | ".join([row["what"], f"{row['value']} {row['unit']}", *ends[: 2 * limited]]) + " |"
        )
    return lines


def page() -> str:
    lines = HEAD.splitlines()
    for subject in subjects():
        lines += ["", f"## {subject['title']}", "", subject["about"]]
        if "limit_is" in subject:
            lines += ["", f"Limit: {subject['limit_is']}."]
        for run in subject["runs"]:
            commit = f"commit {run['commit']}" if run["commit"] else "commit not recorded"
            lines += ["", f"{run['machine']}; {run['date']}, {commit}:", "", f"    {run['command']}", ""]
            lines += table(run["rows"])
    return "\n".join(lines) + "\n"


def plot() -> str:
    """Bars of the fraction of the limit; the full width is the limit itself."""
    bars = [row for subject in subjects() for run in subject["runs"] for row in run["rows"] if "plot" in row]
    width, height = LABEL + BAR + 130, TOP + ROW * len(bars) + 12
    bottom = TOP + ROW * len(bars)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for percent in (0, 25, 50, 75, 100):
        x = LABEL + BAR * percent / 100
        shade = "#333333" if percent == 100 else "#cccccc"
        lines += [
            f'<line x1="{x:g}" y1="{TOP - 6}" x2="{x:g}" y2="{bottom}" stroke="{shade}"/>',
            f'<text x="{x:g}" y="{TOP - 12}" fill="#555555" text-anchor="middle">'
            f"{percent} %{' (limit)' if percent == 100 else ''}</text>",
        ]
    for number, row in enumerate(bars):
        part, y = fraction(row), TOP + ROW * number
        if part is None:
            raise SystemExit(f"{row['what']}: a bar needs a limit")
        label = escape(row["plot"]).replace("^2", "²").replace("^3", "³")
        lines += [
            f'<text x="{LABEL - 8}" y="{y + 16}" fill="#222222" text-anchor="end">{label}</text>',
            f'<rect x="{LABEL}" y="{y + 4}" width="{BAR * part:.1f}" height="{ROW - 8}" fill="#3b73af"/>',
            f'<text x="{LABEL + BAR + 10}" y="{y + 16}" fill="#222222">{row["value"]} {row["unit"]}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
    PLOT.write_text(plot())
