# SPDX-License-Identifier: Apache-2.0
"""Stress and fluxes of eddies that a grid does not resolve: strain, eddy viscosity, diffusion.

J. Smagorinsky, Mon. Wea. Rev. 91, 99, 1963, with the stability of D. K. Lilly, Tellus 14, 148, 1962:

    K_m = lambda^2 sqrt(max(0, S2 - N2/Pr)),   K_h = K_m / Pr,   S2 = 2 S_ij S_ij
    1 / lambda^2 = 1 / (C_s D)^2 + 1 / (kappa (z + z_0))^2,      D = (dx dy h)^(1/3)

where shear strains live on the edges of cells; their squares are averaged over the four edges of a cell.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.atmosphere.flow import SIDES
from heddle.atmosphere.large_eddies.air import Air, number
from heddle.atmosphere.large_eddies.grid import Grid, moved, shift
from heddle.model.equations import Equations, Scalar, add, divide, multiply, negate, quantity, square_root
from heddle.model.field import Field

Pair = tuple[sympy.Expr, sympy.Expr]
QUARTER, HALF = sympy.Rational(1, 4), sympy.Rational(1, 2)
_AXES = "xyz"


def mixing_length2(
    heights: Sequence[float], dx: float, dy: float, roughness: float, smagorinsky: float = 0.23,
    karman: float = 0.4,
) -> list[float]:  # fmt: skip
    """lambda^2 (m2) of each cell, from the heights of cells and the roughness length z_0 (m): a profile."""
    result, ground = [], 0.0
    for h in heights:
        resolved = smagorinsky * (dx * dy * h) ** (1 / 3)
        wall = karman * (ground + h / 2 + roughness)
        result.append(1 / (1 / resolved**2 + 1 / wall**2))
        ground += h
    return result


def _square(value: sympy.Expr) -> sympy.Expr:
    return sympy.Pow(value, 2, evaluate=False)


def _diagonally(at: Sequence[int], a: int, b: int) -> list[list[tuple[int, int, int]]]:
    """The places around an edge, in pairs that lie across it; so sums have the same bits in any mirror."""
    back_a, back_b = moved(at, a), moved(at, b)
    return [[moved(back_a, b), (at[0], at[1], at[2])], [back_a, back_b]]


def _place(at: Sequence[int], a: int, b: int) -> str:
    """Where an edge lies at a cell, by the letters of the faces that meet there."""
    return "".join(SIDES[axis][at[axis]] for axis in (a, b))


class _Edges:
    """Shears on the edges of cells; each is named once."""

    def __init__(self, cell: Equations, grid: Grid) -> None:
        self.cell, self.grid = cell, grid
        self.known: dict[str, sympy.Expr] = {}

    def once(self, name: str, value: sympy.Expr) -> sympy.Expr:
        """A name for a value, the first time."""
        if name not in self.known:
            self.known[name] = self.cell.let(name, value)
        return self.known[name]

    def slope(self, own: int, axis: int, at: Sequence[int]) -> sympy.Expr:
        """The difference quotient of a velocity between the faces beside an edge."""
        field = self.grid.faces[own]
        near, far = (at[0], at[1], at[2]), moved(at, axis)
        weight = self.grid.level("per_distance", at[2]) if axis == 2 else self.grid.per(axis)
        return multiply(weight, add(field[near], negate(field[far])))

    def shear(self, a: int, b: int, at: Sequence[int]) -> sympy.Expr:
        """d_b u_a + d_a u_b on an edge, named."""
        name = f"shear_{_AXES[a]}{_AXES[b]}_{_place(at, a, b)}"
        return self.once(name, add(self.slope(a, b, at), self.slope(b, a, at)))


# Strain and stability


def strain(cell: Equations, grid: Grid, surface: Pair | None = None) -> sympy.Expr:
    """Emit S2 (s-2) in the middle of the cell.

    surface: du/dz and dv/dz (s-1) of the lowest cell, where the logarithmic profile says more than
    differences: for all edges of that cell. Without it there is no shear at the ground, as at the lid.
    """
    cell.section("Strain")
    edges = _Edges(cell, grid)
    normal = []
    for axis, field in enumerate(grid.faces):
        weight = grid.level("per_height") if axis == 2 else grid.per(axis)
        rate = multiply(weight, add(field[shift(axis)], negate(field.here)))
        normal.append(_square(cell.let(f"stretch_{_AXES[axis]}", rate)))
    across = cell.let("stretch2_xy", add(normal[0], normal[1]))
    stretch = cell.let("stretch2", multiply(2, add(across, normal[2])))
    level = []
    corners = _diagonally((1, 1, 0), 0, 1)
    plane = [[_square(edges.shear(0, 1, at)) for at in pair] for pair in corners]
    sums = [cell.let(f"shear2_xy_{n}", add(*pair)) for n, pair in enumerate(plane)]
    flat = cell.let("shear2_xy", multiply(QUARTER, add(*sums)))
    for axis in (0, 1):
        top = shift(axis)
        corners = _diagonally((top[0], top[1], 1), axis, 2)
        squares = []
        for pair in corners:
            squares.append([_square(_upright(edges, axis, at, surface)) for at in pair])
        sums = [cell.let(f"shear2_{_AXES[axis]}z_{n}", add(*pair)) for n, pair in enumerate(squares)]
        level.append(cell.let(f"shear2_{_AXES[axis]}z", multiply(QUARTER, add(*sums))))
    upright = cell.let("shear2_z", add(*level))
    return cell.let("S2", add(cell.let("strain2_xy", add(stretch, flat)), upright))


def _upright(edges: _Edges, axis: int, at: Sequence[int], surface: Pair | None) -> sympy.Expr:
    """d_z u_a + d_a w on an edge of the cell: with the gradient of the surface in the lowest one, and without
    the differences across the ground and the lid."""
    cell, grid = edges.cell, edges.grid
    where = f"{_AXES[axis]}_{_place(at, axis, 2)}"
    across = cell.let(f"across_{where}", edges.slope(2, axis, at))
    raw = cell.let(f"rise_{where}", edges.slope(axis, 2, at))
    zero = sympy.Integer(0)
    given = surface[axis] if surface else None
    lowest = grid.level("order_z") <= 0
    if at[2] == 0:
        slope = sympy.Piecewise((zero if given is None else given, lowest), (raw, True))
    else:
        cases: list[tuple[sympy.Expr, sympy.Basic]] = [(zero, grid.level("order_z", 1) <= 0)]
        if given is not None:
            cases.append((given, lowest))
        slope = sympy.Piecewise(*cases, (raw, True))
    return cell.let(f"tilt_{where}", add(cell.let(f"slope_{where}", slope), across))


def gradient(cell: Equations, grid: Grid, q: Field) -> sympy.Expr:
    """Emit dq/dz in the middle of the cell, from the cells above and below; at the ground and the lid from
    the only one and the cell itself."""
    above, below = q[0, 0, 1], q[0, 0, -1]
    upper = sympy.Piecewise((above, grid.level("order_z", 1) > 0), (q.here, True))
    lower = sympy.Piecewise((below, grid.level("order_z") > 0), (q.here, True))
    upper, lower = cell.let(f"upper_{q.name}", upper), cell.let(f"lower_{q.name}", lower)
    return cell.let(f"dz_{q.name}", multiply(grid.level("per_span"), add(upper, negate(lower))))


def stability(
    cell: Equations,
    gradients: Pair,
    theta: sympy.Expr,
    q: sympy.Expr,
    g_over_theta_v: sympy.Expr,
    cloud: tuple[sympy.Expr, sympy.Expr, sympy.Expr, sympy.Expr] | None = None,
    air: Air | None = None,
    loop: bool = False,
) -> sympy.Expr:
    """Emit N2 (s-2), the square of the buoyancy frequency (J. W. M. Cuijpers and P. G. Duynkerke, J. Atmos.
    Sci. 50, 3894, 1993):

        N2 = g/theta_v0 (A d theta_l/dz + B dq/dz)
        clear:   A = 1 + (Rv/Rd - 1) q,   B = (Rv/Rd - 1) theta
        cloudy:  A = [1 - q + (q_s/eps) (1 + Lv/(Rv T))] / [1 + Lv^2 q_s/(cp Rv T^2)]
                 B = A Lv/(cp Pi) - theta

    gradients: of theta_l and of total water q. theta: potential temperature (K). g_over_theta_v: g/theta_v0
    (m s-2 K-1). cloud: cloud water q_c, temperature T (K), q_s, and the Exner function Pi; None for dry air.
    loop: A and B of clouds in a round of a loop that only cells with cloud water enter, for GPUs and strips
    of a CPU; both have the same bits.
    """
    air = air or Air()
    A = cell.let("A_clear", add(1, multiply(number(air.lightness), q)))
    B = cell.let("B_clear", multiply(number(air.lightness), theta))
    if cloud is not None:
        inside = Equations(fields=cell.taken) if loop else cell
        wet, moist = _in_clouds(inside, theta, q, cloud, air)
        cloudy = cloud[0] > 0
        if loop:
            A, B = cell.only_where(cloudy, {"A": (A, wet), "B": (B, moist)}, inside, "clouded")
        else:
            A = cell.let("A", sympy.Piecewise((wet, cloudy), (A, True)))
            B = cell.let("B", sympy.Piecewise((moist, cloudy), (B, True)))
    total = add(multiply(A, gradients[0]), multiply(B, gradients[1]))
    return cell.let("N2", multiply(g_over_theta_v, total))


def _in_clouds(
    cell: Equations,
    theta: sympy.Expr,
    q: sympy.Expr,
    cloud: tuple[sympy.Expr, sympy.Expr, sympy.Expr, sympy.Expr],
    air: Air,
) -> tuple[sympy.Expr, sympy.Expr]:
    """A and B of `stability` in a cloud."""
    _, T, q_s, Pi = cloud
    ratio = cell.let("heat_ratio", divide(number(air.latent / air.gas_vapour), T))
    vapour = multiply(number(1 / air.molecular_ratio), q_s, add(1, ratio))
    per_T = divide(multiply(number(air.warming), q_s, ratio), T)
    wet = cell.let("A_cloud", divide(add(1, negate(q), vapour), add(1, per_T)))
    warming = cell.let("warming", divide(number(air.warming), Pi))
    return wet, cell.let("B_cloud", add(multiply(wet, warming), negate(theta)))


def viscosity(
    cell: Equations, length2: sympy.Expr, S2: sympy.Expr, N2: sympy.Expr, per_prandtl: Scalar = 3
) -> sympy.Expr:
    """Emit K_m (m2 s-1). length2: lambda^2 (m2). per_prandtl: 1/Pr, a number or an argument."""
    production = add(S2, negate(multiply(quantity(per_prandtl), N2)))
    left = cell.let("production", sympy.Max(0, production, evaluate=False))
    return cell.let("K_m", multiply(length2, square_root(left)))


def energy(cell: Equations, K: sympy.Expr, length2: sympy.Expr) -> sympy.Expr:
    """Emit the kinetic energy of unresolved eddies, (K_m / (0.1 lambda))^2 (m2 s-2)."""
    return cell.let("e_subgrid", divide(multiply(100, K, K), length2))


# Diffusion


class Diffusion:
    """Statements under construction for one kernel, which has one of these at most.

    K: the field of K_m (m2 s-1), with a ghost cell along x and y. per_prandtl: 1/Pr, a number or an argument.

        rho du/dt = dx(2 rho K dx u) + dy(rho K (dy u + dx v)) + [r K (dz u + dx w)]|k..k+1 / h,  v likewise
        r dw/dt   = dx(r K (dz u + dx w)) + dy(r K (dz v + dy w)) + [2 rho K dz w]|k-1..k / d
        rho dq/dt = dx(rho K_h dx q) + dy(rho K_h dy q) + [r K_h dz q]|k..k+1 / h

    with K on edges as the mean of four cells, on faces of two, and r the density on faces between levels.
    """

    def __init__(self, cell: Equations, grid: Grid, K: Field, per_prandtl: Scalar = 3) -> None:
        self.cell, self.grid, self.K, self.per_prandtl = cell, grid, K, quantity(per_prandtl)
        self.edges = _Edges(cell, grid)

    def momentum(self, stress: Pair | None = None) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
        """Emit du/dt, dv/dt, dw/dt (m s-2).

        stress: the upward fluxes of momentum (m2 s-2) at the ground, on the faces of u and of v: negative for
        a flow along the axis. None: free slip, as at the lid.
        """
        u, v = (self._level(axis, stress[axis] if stress else None) for axis in (0, 1))
        return u, v, self._upwards()

    def scalar(
        self,
        q: Field,
        ground: sympy.Expr | None = None,
        lid: sympy.Expr | None = None,
        suffix: str | None = None,
    ) -> sympy.Expr:
        """Emit dq/dt.

        ground: the upward flux at the ground (m s-1 times the unit of q). lid: dq/dz that stays at the lid.
        None: no flux. suffix: of names; by default the field's name after an underscore.
        """
        self.cell.section(f"Diffusion of {q.name}")
        suffix = f"_{q.name}" if suffix is None else suffix
        changes = []
        for axis in (0, 1):
            per = self.grid.per(axis)
            flux = [self._flux(q, axis, by, per, suffix) for by in (0, 1)]
            changes.append(multiply(per, add(flux[1], negate(flux[0]))))
        flux = []
        for by in (0, 1):
            density = self.grid.level("rho_face", by)
            inside = multiply(density, self._flux(q, 2, by, self.grid.level("per_distance", by), suffix))
            given: sympy.Expr = sympy.Integer(0)
            if by == 0 and ground is not None:
                given = negate(multiply(density, ground))
            if by == 1 and lid is not None:  # products of two: no kernel has another order of factors
                spread = self.cell.let(f"lid_spread{suffix}", multiply(density, self.K.here))
                slope = self.cell.let(f"lid_slope{suffix}", multiply(self.per_prandtl, lid))
                given = multiply(spread, slope)
            flux.append(self._closed(f"diffusion_{'bt'[by]}{suffix}", inside, given, by))
        changes.append(multiply(self.grid.level("per_mass"), add(flux[1], negate(flux[0]))))
        return self.cell.let(f"diffusion{suffix}", add(*changes))

    def vertical_flux(self, q: Field, suffix: str | None = None) -> sympy.Expr:
        """Emit the upward flux of q through the lower face of the cell, m s-1 times the unit of q; 0 at the
        ground, where `scalar` takes what is given."""
        suffix = f"_{q.name}" if suffix is None else suffix
        downward = self._flux(q, 2, 0, self.grid.level("per_distance"), suffix)
        return self.cell.let(f"subgrid_b{suffix}", self.grid.open(negate(downward)))

    def vertical_momentum_flux(self, axis: int) -> sympy.Expr:
        """Emit the upward flux of u (axis 0) or v (1) through the lower face of its volume, m2 s-2; 0 at the
        ground, where `momentum` takes the stress that is given."""
        downward = self._shear_stress(axis, 2, (0, 0, 0))
        return self.cell.let(f"subgrid_b_{self.grid.velocity[axis]}", self.grid.open(negate(downward)))

    def _flux(self, q: Field, axis: int, by: int, per: sympy.Expr, suffix: str) -> sympy.Expr:
        """K_h times the difference quotient on a face of the cell."""
        side = SIDES[axis][by]
        near = shift(axis, by)
        far = moved(near, axis)
        mean = multiply(HALF, self.per_prandtl, add(self.K[far], self.K[near]))
        factor = self.edges.once(f"spread_{side}", multiply(mean, per))
        return self.cell.let(f"spread_{side}{suffix}", multiply(factor, add(q[near], negate(q[far]))))

    def _closed(self, name: str, inside: sympy.Expr, given: sympy.Expr, by: int) -> sympy.Expr:
        """A flux through a face between levels, or what is given at the ground or the lid."""
        inside = self.cell.let(f"{name}_inside", inside)
        isopen = self.grid.level("order_z", by) > 0
        return self.cell.let(name, sympy.Piecewise((inside, isopen), (given, True)))

    def _level(self, own: int, stress: sympy.Expr | None) -> sympy.Expr:
        """Of u or v."""
        grid, name = self.grid, self.grid.velocity[own]
        self.cell.section(f"Diffusion of {name}")
        changes = []
        for axis in (0, 1):
            if axis == own:
                lower, upper = (self._normal(own, by) for by in (-1, 0))
            else:
                lower, upper = (self._shear_stress(own, axis, shift(axis, by)) for by in (0, 1))
            changes.append(multiply(grid.per(axis), add(upper, negate(lower))))
        flux = []
        for by in (0, 1):
            density = grid.level("rho_face", by)
            inside = multiply(density, self._shear_stress(own, 2, shift(2, by)))
            given = negate(multiply(density, stress)) if stress is not None and by == 0 else sympy.Integer(0)
            flux.append(self._closed(f"stress_{'bt'[by]}_{name}", inside, given, by))
        changes.append(multiply(grid.level("per_mass"), add(flux[1], negate(flux[0]))))
        return self.cell.let(f"diffusion_{name}", add(*changes))

    def _upwards(self) -> sympy.Expr:
        """Of w."""
        grid, name = self.grid, self.grid.velocity[2]
        self.cell.section(f"Diffusion of {name}")
        changes = []
        for axis in (0, 1):
            lower, upper = (self._shear_stress(axis, 2, shift(axis, by)) for by in (0, 1))
            changes.append(multiply(grid.per(axis), add(upper, negate(lower))))
        lower, upper = (multiply(grid.level("rho", by), self._normal(2, by)) for by in (-1, 0))
        changes.append(multiply(grid.level("per_face_mass"), add(upper, negate(lower))))
        change = self.cell.let(f"inner_diffusion_{name}", add(*changes))
        return self.cell.let(f"diffusion_{name}", grid.open(change))

    def _normal(self, own: int, by: int) -> sympy.Expr:
        """2 K times the stretching in the middle of the cell so many further along the velocity's axis."""
        at = shift(own, by)
        after = moved(at, own, 1)
        field = self.grid.faces[own]
        weight = self.grid.level("per_height", by) if own == 2 else self.grid.per(own)
        rate = multiply(weight, add(field[after], negate(field[at])))
        name = f"normal_{_AXES[own]}_{'here' if by == 0 else 'before'}"
        return self.edges.once(name, multiply(multiply(2, self.K[at]), rate))

    def _shear_stress(self, a: int, b: int, at: tuple[int, int, int]) -> sympy.Expr:
        """K times the shear on an edge."""
        a, b = sorted((a, b))
        where = f"{_AXES[a]}{_AXES[b]}_{_place(at, a, b)}"
        pairs = _diagonally(at, a, b)
        sums = [add(*(self.K[one] for one in pair)) for pair in pairs]
        sums = [self.edges.once(f"K_{where}_{n}", one) for n, one in enumerate(sums)]
        mean = self.edges.once(f"K_{where}", multiply(QUARTER, add(*sums)))
        return self.edges.once(f"stress_{where}", multiply(mean, self.edges.shear(a, b, at)))
