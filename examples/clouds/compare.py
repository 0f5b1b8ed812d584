#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that differ in their seed beside what others published: a table in Markdown.

    ./clouds bomex --precision f32 --seed 1 --out one    # likewise --seed 2 --out two, --seed 3 --out three
    python3 examples/clouds/compare.py one two three

Each folder has the comparison.csv of its run. For each value: the mean of the runs, the smallest and the
largest, the band, and whether the mean is inside. Ends with status 1 where a file is missing or does not fit.
"""

import argparse
import csv
import sys
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from statistics import mean


@dataclass(frozen=True)
class Row:
    """A value of all runs, and the band (least to most) in which it is expected. height: m, or empty.

    values: NaN for a run that has none, an empty field of its file; such a row is outside.
    """

    quantity: str
    height: str
    units: str
    values: tuple[float, ...]
    least: float
    most: float
    source: str

    @property
    def inside(self) -> bool:
        """Whether the mean of the runs is in the band."""
        return self.least <= mean(self.values) <= self.most

    @property
    def near(self) -> bool:
        """Whether it is in the inner half of the band: one standard deviation where the band is two."""
        return abs(mean(self.values) - (self.least + self.most) / 2) <= (self.most - self.least) / 4

    def line(self) -> str:
        """A row of the table."""
        at = f" at {self.height} m" if self.height else ""
        known = [value for value in self.values if not isnan(value)]
        extent = f"{min(known):.5g} to {max(known):.5g}" if known else "none"
        if len(known) < len(self.values):
            extent += f", {len(self.values) - len(known)} of {len(self.values)} runs without a value"
        verdict = "inside" if self.inside else "**outside**"
        band = f"{self.least:.5g} to {self.most:.5g}"
        value = f"{mean(known):.5g} {self.units}" if known else "none"
        return f"| {self.quantity}{at} | {value} | {extent} | {band} | {verdict} |"


def read(folders: list[Path]) -> list[Row]:
    """The rows of all runs together. Raises ValueError where files have different rows."""
    tables = []
    for folder in folders:
        with (folder / "comparison.csv").open(encoding="utf-8", newline="") as file:
            tables.append(list(csv.DictReader(file)))
    rows = []
    for entries in zip(*tables, strict=True):
        keys = {tuple(value for name, value in one.items() if name != "value") for one in entries}
        if len(keys) != 1:
            raise ValueError(f"'{entries[0]['quantity']}' stands where another run has another value")
        first = entries[0]
        values = tuple(float(one["value"] or "nan") for one in entries)
        least, most = float(first["least"]), float(first["most"])
        rows.append(
            Row(first["quantity"], first["height_m"], first["units"], values, least, most, first["source"])
        )
    return rows


def report(rows: list[Row]) -> str:
    """The table, and below it how many means lie in their bands."""
    lines = ["| quantity | mean of the runs | smallest, largest | band | |", "|---|---|---|---|---|"]
    lines += [row.line() for row in rows]
    lines.append("")
    for source in dict.fromkeys(row.source for row in rows):
        of_source = [row for row in rows if row.source == source]
        inside, near = (sum(getattr(row, name) for row in of_source) for name in ("inside", "near"))
        lines.append(f"{source}: {inside} of {len(of_source)} inside, {near} in the inner half of the band.")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Read, print; what went wrong as a sentence."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, help="results of runs: each has a comparison.csv")
    folders = parser.parse_args(arguments).folders
    try:
        print(report(read(folders)))
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(
            f"compare.py: {error}. Give the folders of runs of one case, all to the same time.",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
