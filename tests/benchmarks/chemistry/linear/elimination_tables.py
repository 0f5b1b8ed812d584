# SPDX-License-Identifier: Apache-2.0
"""elimination_tables.py FILE: the sparse factorisation of Carbon Bond 2005, and a solution with it, as tables
of C++ for warps that share it (elimination.hpp). Tasks of a level depend on those before alone."""

import sys
from pathlib import Path

from heddle import chemistry
from heddle.chemistry.kinetics import Kinetics
from heddle.chemistry.sparse_lu import SparseLU

WARPS, CELLS = 16, 32
HEAD = 4  # what a task costs beside its products, in products
RECIPROCAL, SCALED, KEPT = 1, 2, 4  # how a task ends; KEPT: the value goes to the memory of factors, too

kinetics = Kinetics(chemistry.cb05())
size = len(kinetics.species)
lu = SparseLU(size, kinetics.pattern)
place = {entry: n for n, entry in enumerate(lu.places)}
order = {pivot: n for n, pivot in enumerate(lu.order)}
entries = sorted(kinetics.pattern)

# Of each task: where its value stands, products that it subtracts, how it ends, and the factor of SCALED.
Name = tuple[str, int, int]
value = {("a", i, j): n for (i, j), n in place.items()}
value |= {(kind, i, 0): len(place) + i for kind in "zx" for i in range(size)}
products: dict[Name, list[tuple[Name, Name]]] = {}
factor: dict[Name, Name] = {}
before: dict[int, list[int]] = {i: [k for k in lu.order if i in lu.below[k]] for i in range(size)}
steps = ([(k, k), *((k, j) for j in lu.right[k]), *((i, k) for i in lu.below[k])] for k in lu.order)
for i, j in (entry for step in steps for entry in step):
    products["a", i, j] = [(("a", i, m), ("a", m, j)) for m in lu.earlier[i, j]]
    if order[i] > order[j]:
        factor["a", i, j] = ("a", j, j)
for i in range(size):
    products["z", i, 0] = [(("a", i, m), ("z", m, 0)) for m in before[i]]
    products["x", i, 0] = [(("a", i, j), ("x", j, 0)) for j in lu.right[i]]
    factor["x", i, 0] = ("a", i, i)


def schedule(tasks: list[Name]) -> tuple[list[int], list[int]]:
    """Words of all levels and warps, and where those of each begin. tasks: those to do; other values are
    there already. A level is as long as its longest warp: others subtract products of later tasks that are
    known by then."""
    level: dict[Name, int] = {}
    wanted = set(tasks)

    def level_of(task: Name) -> int:
        if task not in wanted:
            return -1
        if task not in level:
            needed = [name for pair in products[task] for name in pair]
            needed += [factor[task]] if task in factor else []
            needed += [("z", task[1], 0)] if task[0] == "x" else []
            level[task] = 1 + max(map(level_of, needed), default=-1)
        return level[task]

    words: list[int] = []
    starts = [0]
    left = {task: list(products[task]) for task in tasks}
    for now in range(max(map(level_of, tasks)) + 1):
        shares: list[list[int]] = [[] for _ in range(WARPS)]
        load = [0] * WARPS
        for task in sorted((t for t in tasks if level[t] == now), key=lambda t: -len(left[t])):
            least = load.index(min(load))
            shares[least] += words_of(task, left[task], whole=True)
            load[least] += HEAD + len(left[task])
        longest = max(load)
        for task in sorted((t for t in tasks if level[t] > now), key=lambda t: level[t]):
            if task[0] == "x" and level_of(("z", task[1], 0)) >= now:
                continue  # z stands where x will
            known = [p for p in left[task] if max(map(level_of, p)) < now]
            least = load.index(min(load))
            known = known[: max(longest - HEAD - load[least], 0)]
            if len(known) > 1:
                shares[least] += words_of(task, known, whole=False)
                load[least] += HEAD + len(known)
                left[task] = [p for p in left[task] if p not in known]
        for share in shares:
            words += share
            starts.append(len(words))
    return [*words, 0], starts  # a word is read ahead


def words_of(task: Name, pairs: list[tuple[Name, Name]], whole: bool) -> list[int]:
    """whole: the task ends with these products."""
    end = 0
    if whole and task[0] == "a":
        end = KEPT | (RECIPROCAL if task[1] == task[2] else 0)
    if whole and task in factor:
        end |= SCALED
    words = [value[task] * CELLS | len(pairs) << 16 | end << 24]
    words += [value[a] * CELLS | value[b] * CELLS << 16 for a, b in pairs]
    return words + ([value[factor[task]] * CELLS] if end & SCALED else [])


given = {n: e for e, entry in enumerate(entries) for n in [place[entry]]}
once, once_starts = schedule(list(products))
again, again_starts = schedule([task for task in products if task[0] != "a"])
tables = {
    "std::uint32_t": {"elimination_words": once, "substitution_words": again},
    "std::int32_t": {
        "elimination_starts": once_starts,
        "substitution_starts": again_starts,
        "elimination_entries": [given.get(n, -1) for n in range(len(place))],
    },
}
lines = [
    "// Written by elimination_tables.py.",
    "#pragma once",
    "#include <array>",
    "#include <cstdint>",
    f"inline constexpr int elimination_rows = {size}, elimination_places = {len(place)};",
    f"inline constexpr int elimination_warps = {WARPS}, elimination_cells = {CELLS};",
]
for kind, named in tables.items():
    for name, numbers in named.items():
        suffix = "u" if kind == "std::uint32_t" else ""
        text = ", ".join(f"{n}{suffix}" for n in numbers)
        lines.append(f"inline constexpr std::array<{kind}, {len(numbers)}> {name}{{{text}}};")
Path(sys.argv[1]).write_text("\n".join(lines) + "\n")
