# SPDX-License-Identifier: Apache-2.0
"""Sparse LU factorisation whose structure is known before the numbers are: statements without an index.

Pivots are on the diagonal, in the order of H. M. Markowitz, Management Sci. 3, 255 (1957): next is the one
with the fewest (r - 1)(c - 1), r and c being the entries of its row and column that are left. There is no
pivoting by size: 1/(h gamma) - J of a chemical mechanism has had no need of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import sympy

from heddle.model.equations import Equations, add, divide, multiply

Place = tuple[int, int]


@dataclass(frozen=True)
class LUCost:
    """entries: of L and U, the diagonal once. factor, solve: operations. levels: steps of the elimination
    row by row, if rows that do not depend on each other go at once."""

    entries: int
    factor: int
    solve: int
    levels: int

    @property
    def of_factors(self) -> str:
        """In words, for comments."""
        return f"{self.entries} entries, {self.factor} operations, {self.levels} levels"


class SparseLU:
    """order: the pivots. entries: places of L and U. earlier: for each place (i, j), the pivots m with l_im
    and u_mj."""

    def __init__(self, size: int, pattern: Iterable[Place]) -> None:
        rows, columns = [1 << i for i in range(size)], [1 << i for i in range(size)]
        for i, j in pattern:
            rows[i] |= 1 << j
            columns[j] |= 1 << i
        self.size, self.order = size, [0] * size
        self.earlier: dict[Place, list[int]] = {}
        self.below: list[list[int]] = [[] for _ in range(size)]
        self.right: list[list[int]] = [[] for _ in range(size)]
        left = list(range(size))
        for step in range(size):
            pivot = min(left, key=lambda i: ((rows[i].bit_count() - 1) * (columns[i].bit_count() - 1), i))
            left.remove(pivot)
            self.order[step] = pivot
            self.earlier.setdefault((pivot, pivot), [])
            self.right[pivot] = [j for j in left if rows[pivot] >> j & 1]
            self.below[pivot] = [i for i in left if columns[pivot] >> i & 1]
            for j in self.right[pivot]:
                self.earlier.setdefault((pivot, j), [])
            for i in self.below[pivot]:
                self.earlier.setdefault((i, pivot), [])
                for j in self.right[pivot]:
                    self.earlier.setdefault((i, j), []).append(pivot)
                    rows[i] |= 1 << j
                    columns[j] |= 1 << i
            for i in left:
                rows[i] &= ~(1 << pivot)
                columns[i] &= ~(1 << pivot)

    @property
    def cost(self) -> LUCost:
        """What the factorisation and a solution take."""
        pairs = sum(len(pivots) for pivots in self.earlier.values())
        beside = sum(map(len, self.below)), sum(map(len, self.right))
        level = [1] * self.size
        for pivot in self.order:
            for later in self.below[pivot]:
                level[later] = max(level[later], level[pivot] + 1)
        entries = len(self.earlier)
        return LUCost(entries, 2 * pairs + beside[0] + self.size, 2 * sum(beside) + self.size, max(level))

    def factorise(
        self, cell: Equations, matrix: Mapping[Place, sympy.Expr], names: Sequence[str]
    ) -> Callable[[Equations, Sequence[sympy.Expr], str], list[sympy.Expr]]:
        """Emit L, U and 1/u_ii of the matrix. Returns what emits the solution for a right-hand side, with a
        prefix for its names."""
        factor = self.eliminate(cell, matrix, names)

        def solve(cell: Equations, right: Sequence[sympy.Expr], prefix: str) -> list[sympy.Expr]:
            return self.substitute(cell, factor, right, names, prefix)

        return solve

    @property
    def places(self) -> list[Place]:
        """Of what is kept in memory, in the order in which `solve_kept` reads it: columns of L, then from the
        last row on u_ij, and 1/u_ii at (i, i)."""
        lower = [(i, k) for k in self.order for i in self.below[k]]
        return lower + [(k, j) for k in reversed(self.order) for j in (*self.right[k], k)]

    def eliminate(
        self, cell: Equations, matrix: Mapping[Place, sympy.Expr], names: Sequence[str]
    ) -> dict[Place, sympy.Expr]:
        """Emit L, U and 1/u_ii of the matrix, and return them by their places."""
        cell.section(f"LU factorisation: l_ij, u_ij, and r_i = 1/u_ii; {self.cost.of_factors}")
        factor: dict[Place, sympy.Expr] = {}
        for k in self.order:
            self._eliminate_one(cell, matrix, names, factor, k)
        return factor

    def eliminate_by_rows(
        self,
        cell: Equations,
        matrix: Mapping[Place, sympy.Expr],
        names: Sequence[str],
        keep: Callable[[Place, sympy.Expr], None],
    ) -> None:
        """The same values, row after row of L and U, for a kernel that does nothing else: few of them are
        alive together. keep: called with each as soon as it is known."""
        cell.section(f"LU factorisation: l_ij, u_ij, and r_i = 1/u_ii; {self.cost.of_factors}")
        factor: dict[Place, sympy.Expr] = {}

        def known(i: int, j: int, name: str, value: sympy.Expr) -> None:
            factor[i, j] = cell.let(name, value)
            keep((i, j), factor[i, j])

        for i in self.order:
            for k in self._before(i):
                value = multiply(self._element(cell, matrix, names, factor, i, k), factor[k, k])
                known(i, k, f"l_{names[i]}_{names[k]}", value)
            known(i, i, f"r_{names[i]}", divide(1, self._element(cell, matrix, names, factor, i, i)))
            for j in self.right[i]:
                known(i, j, f"u_{names[i]}_{names[j]}", self._element(cell, matrix, names, factor, i, j))

    def solve_kept(
        self,
        cell: Equations,
        factor: Mapping[Place, sympy.Expr],
        right: Sequence[sympy.Expr],
        names: Sequence[str],
    ) -> list[sympy.Expr]:
        """Emit the solution for L and U in memory, as long as what goes into it: each entry is read once, in
        the order of `places`. Each z is subtracted from all that need it as soon as it is known, which loads
        less than a sum per row does."""
        z, terms = list(right), [0] * self.size
        for k in self.order:
            for i in self.below[k]:
                terms[i] += 1
                rest = add(z[i], multiply(-1, factor[i, k], z[k]))
                z[i] = cell.let(f"z{terms[i]}_{names[i]}", rest)
        x = list(z)
        for k in reversed(self.order):
            x[k] = self._backwards(cell, factor, z[k], x, names, "x", k)
        return x

    def _before(self, i: int) -> list[int]:
        """The pivots whose rows are subtracted from a row."""
        return [k for k in self.order if i in self.below[k]]

    def solve_once(
        self,
        cell: Equations,
        matrix: Mapping[Place, sympy.Expr],
        right: Sequence[sympy.Expr],
        names: Sequence[str],
    ) -> list[sympy.Expr]:
        """Emit the solution for a matrix that is needed only once: the right-hand side is eliminated with
        it, so that most of L is not alive for long. The same operations as `factorise` and its solution."""
        cell.section(f"LU factorisation: l_ij, u_ij, and r_i = 1/u_ii; z = L^-1 b; {self.cost.of_factors}")
        factor: dict[Place, sympy.Expr] = {}

        def eliminate(k: int) -> None:
            self._eliminate_one(cell, matrix, names, factor, k)

        return self.substitute(cell, factor, right, names, "x", before=eliminate)

    def _eliminate_one(
        self,
        cell: Equations,
        matrix: Mapping[Place, sympy.Expr],
        names: Sequence[str],
        factor: dict[Place, sympy.Expr],
        k: int,
    ) -> None:
        """Emit 1/u_kk, the row k of U and the column k of L."""

        def element(i: int, j: int) -> sympy.Expr:
            return self._element(cell, matrix, names, factor, i, j)

        factor[k, k] = cell.let(f"r_{names[k]}", divide(1, element(k, k)))
        for j in self.right[k]:
            factor[k, j] = cell.let(f"u_{names[k]}_{names[j]}", element(k, j))
        for i in self.below[k]:
            value = multiply(element(i, k), factor[k, k])
            factor[i, k] = cell.let(f"l_{names[i]}_{names[k]}", value)

    def _element(
        self,
        cell: Equations,
        matrix: Mapping[Place, sympy.Expr],
        names: Sequence[str],
        factor: Mapping[Place, sympy.Expr],
        i: int,
        j: int,
    ) -> sympy.Expr:
        """a_ij less the products of what is known of L and U. Parts of long sums are emitted."""
        sums = [multiply(-1, factor[i, m], factor[m, j]) for m in self.earlier[i, j]]
        return cell.total(f"part_{names[i]}_{names[j]}", matrix.get((i, j), sympy.Integer(0)), *sums)

    def substitute(
        self,
        cell: Equations,
        factor: Mapping[Place, sympy.Expr],
        right: Sequence[sympy.Expr],
        names: Sequence[str],
        prefix: str,
        before: Callable[[int], None] = lambda k: None,
    ) -> list[sympy.Expr]:
        """Emit the solution for a right-hand side. factor: as `eliminate` returns it. before: called with
        each row before it is taken, which needs that row of U and column of L from then on."""
        terms = [[value] for value in right]
        z = list(right)
        for k in self.order:
            before(k)
            name = f"z{prefix}_{names[k]}"
            z[k] = cell.let(name, cell.total(f"part_{name}", *terms[k]))
            for i in self.below[k]:
                terms[i].append(multiply(-1, factor[i, k], z[k]))
        x = list(z)
        for k in reversed(self.order):
            x[k] = self._backwards(cell, factor, z[k], x, names, prefix, k)
        return x

    def _backwards(
        self,
        cell: Equations,
        factor: Mapping[Place, sympy.Expr],
        z: sympy.Expr,
        x: Sequence[sympy.Expr],
        names: Sequence[str],
        prefix: str,
        k: int,
    ) -> sympy.Expr:
        """Emit x_k = (z_k - sum of u_kj x_j) / u_kk."""
        rest = [multiply(-1, factor[k, j], x[j]) for j in self.right[k]]
        name = f"{prefix}_{names[k]}"
        return cell.let(name, multiply(cell.total(f"part_{name}", z, *rest), factor[k, k]))
