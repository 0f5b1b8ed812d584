# SPDX-License-Identifier: Apache-2.0
"""Longwave radiation: fluxes between the layers of the atmosphere, summed over g-points, and what they heat.

A band of the spectrum has several g-points, each of which stands for wavelengths that are absorbed alike. For
each g-point and column, radiation goes down through the layers, meets the ground, and goes up. The kernel of
`fluxes` has x = g-point, y = column, z = layer, upward from the ground. Fluxes are sums over rows along x, in
an order that is the same on every target. What does not depend on the g-point has one value per row
(`Field.of_row`), and so stride 0 along x. Of a field on faces, value k belongs to the lower face of layer k;
the upper face of the last layer lies in the first ghost layer.

Both sweeps compute what they need of a layer, from the same numbers in the same way: to read these twice
moves a fifth of the bytes that storing four values per g-point and layer would. No such value is written.

Source: E. J. Mlawer, S. J. Taubman, P. D. Brown, M. J. Iacono, S. A. Clough, Radiative transfer for
inhomogeneous atmospheres: RRTM, a validated correlated-k model for the longwave, J. Geophys. Res. 102 (1997),
16663-16682.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import sympy
from sympy import Integer, Min, Piecewise, Rational, Symbol, floor

from heddle.atmosphere.constants import GRAVITY, REFERENCE_PRESSURE
from heddle.errors import KernelError, calling_place
from heddle.model.assignment import Assignment, Reduce, Scan, Section, Statement
from heddle.model.field import Field, block_coordinates, block_extents

G_POINTS, BANDS = 140, 16
"""Of RRTM."""
DIFFUSIVITY = Rational("1.66")
"""Optical depth along the mean slant path over that along the vertical."""
PADE = 1 / Rational("0.278")
"""b in tau / (b + tau), the source of what is optically thick."""
STEPS = 5000
"""Of the tables of transmission."""
FLUX = 10000 * sympy.pi
"""Flux in W m-2 of a radiance of 1 W cm-2 sr-1: half of 2e4 pi."""
HEATING = Rational("8.4391")
"""Warming in K per day by 1 W m-2 per hPa, as RRTM rounds it."""
COLDEST, TEMPERATURES = 160, 181
"""Temperature of the first row of the table of Planck functions, K, and how many there are, 1 K apart."""

down, up, down_clear, up_clear = (Field(name) for name in ("down", "up", "down_clear", "up_clear"))
outgoing, outgoing_clear = (Field(name, rank=2, plane=True) for name in ("outgoing", "outgoing_clear"))
index, depth, fraction = Field("index", "int32"), Field("depth"), Field("fraction")
temperature, face_temperature, pressure = (
    Field(name) for name in ("temperature", "face_temperature", "pressure")
)
cloud, cloud_depth = Field("cloud"), Field("cloud_depth")
ground_temperature = Field("ground_temperature", rank=2, plane=True)
emissivity = Field("emissivity", rank=2, components=BANDS, plane=True)
band = Field("band", "int32", rank=1, ghost_layers=0, profile=0)
kappa = Field("kappa", rank=1, ghost_layers=0, profile=0)
part, mass = Field("part", rank=1, ghost_layers=0, profile=0), Field("mass", rank=1, profile=2)
moisture = Field("moisture")
planck = Field("planck", rank=1, ghost_layers=0, table=TEMPERATURES * BANDS)
width = Field("width", rank=1, ghost_layers=0, table=BANDS)
table_depth, table_source, table_passed = (
    Field(name, rank=1, ghost_layers=0, table=STEPS + 1)
    for name in ("table_depth", "table_source", "table_passed")
)

_z, _n_z = block_coordinates()[2], block_extents()[2]
_tau, _tf, _alpha, _passed, _inside = sympy.symbols("tau tf alpha passed S_layer")
Absorption = Literal["table", "index", "depth", "pressure", "grey"]


def fluxes(absorption: Absorption = "table", clear: bool = True) -> list[Statement]:
    """One kernel: both sweeps, the ground between them, and the sums over g-points.

    Reads per g-point, column and layer: `fraction`, the part that a g-point has of the Planck function of its
    band; and what absorbs, by `absorption`:

    - "table": `index`, 0 to 5000, of `table_depth, table_source, table_passed` (see `transmission_tables`);
    - "index": the same without tables: what they hold is computed. Where the schedule says
      math="reproducible", so are the bits of exp;
    - "depth": `depth`, the optical depth along the slant path, 1.66 times that along the vertical;
    - "pressure": `kappa` of each g-point (hPa-1), the vertical optical depth of 1 hPa, and `pressure` on
      faces (hPa): a gas that is mixed well (see `simple_gas`);
    - "grey": `part` of each g-point in the absorption of a grey gas that vapour makes opaque, `moisture` per
      column and layer (kg/kg), and `mass` of the layers (kg m-2): the depth along the slant path is
      part (a + b moisture) dp / p_0, a = 0.8678, b = 1997.9 (M. P. Byrne and P. A. O'Gorman, J. Climate 26,
      4000, 2013).

    Reads per column and layer: `temperature` and, on faces, `face_temperature` (K); `cloud`, the part of the
    layer that clouds fill, and `cloud_depth`, their vertical optical depth. Per column: `ground_temperature`
    (K) and `emissivity` of each band. Further: `band` of each g-point, counted from 0; `width` of the bands
    (cm-1); `planck`, the Planck function at 160, 161, ... 340 K, number 16 (T - 160) + band, in W cm-2 sr-1
    per cm-1. Beyond its table, a temperature counts as one in the first or last kelvin, as in RRTM. A
    temperature that is no number makes the fluxes of its column none, and those of no other.

    Writes `down` and `up` on lower faces, and `outgoing`, up through the uppermost face, in W m-2. clear:
    also what they would be without clouds, `down_clear`, `up_clear`, `outgoing_clear`. Nothing enters from
    above.

    Raises KernelError for another word than these.
    """
    if absorption not in ("table", "index", "depth", "pressure", "grey"):
        raise KernelError(
            calling_place(),
            f"'{absorption}' does not say what absorbs longwave radiation.",
            'absorption="table", "index", "depth", "pressure" or "grey"',
        )
    falling, rising = _Stream("D", clear), _Stream("U", clear)
    return [
        Assignment(_flux, FLUX),
        Assignment(_b_pade, PADE),
        Section("Down, with the source of each layer's lower face"),
        Scan(
            2,
            {falling.all: 0, **falling.without_clouds(0)},
            [
                *_layer(absorption),
                *_planck(face_temperature.of_row(), "face"),
                Assignment(_s_face, fraction.here * Symbol("B_face")),
                *falling.through_layer(_s_face),
                Reduce("sum", down.of_row(), _flux * falling.next),
                *falling.reduced(down_clear, after=True),
            ],
            {falling.all: falling.next, **falling.without_clouds(falling.next_clear)},
            reverse=True,
        ),
        Section("The ground emits epsilon B and reflects the rest"),
        *_planck(ground_temperature.of_row(), "ground"),
        Assignment(_epsilon, emissivity.of_row(component=band.here)),
        Assignment(_emitted, fraction.at_level(0) * (_epsilon * Symbol("B_ground"))),
        Section("Up, with the source of each layer's upper face, which has the part of the layer above"),
        Scan(
            2,
            {
                rising.all: _emitted + (1 - _epsilon) * falling.all,
                **rising.without_clouds(_emitted + (1 - _epsilon) * falling.clear),
            },
            [
                Reduce("sum", up.of_row(), _flux * rising.all),
                *rising.reduced(up_clear),
                *_layer(absorption),
                *_planck(face_temperature.of_row(0, 1), "face"),
                Assignment(_phi_above, Piecewise((fraction[0, 0, 1], _z < _n_z - 1), (fraction.here, True))),
                Assignment(_s_face, _phi_above * Symbol("B_face")),
                *rising.through_layer(_s_face),
            ],
            {rising.all: rising.next, **rising.without_clouds(rising.next_clear)},
        ),
        Reduce("sum", outgoing.of_row(), _flux * rising.all),
        *rising.reduced(outgoing_clear),
    ]


_epsilon, _emitted, _phi_above, _s_face = sympy.symbols("epsilon emitted phi_above S_face")
_flux, _b_pade = sympy.symbols("to_flux b_pade")
_n, _cloud_alpha, _tau_cloud, _ft = sympy.symbols("n alpha_cloud tau_cloud ft")


class _Stream:
    """Radiance that goes down or up, with clouds and without, W cm-2 sr-1."""

    def __init__(self, name: str, clear: bool) -> None:
        self.has_clear = clear
        self.all, self.clear = Symbol(f"R_{name}"), Symbol(f"R_{name}_clear")
        self.next, self.next_clear = Symbol(f"{self.all.name}_next"), Symbol(f"{self.clear.name}_next")

    def without_clouds(self, value: sympy.Expr) -> dict[Symbol, sympy.Expr]:
        """What the clear stream carries, where there is one."""
        return {self.clear: sympy.sympify(value)} if self.has_clear else {}

    def reduced(self, field: Field, after: bool = False) -> list[Statement]:
        """The sum of the clear stream, before or after the layer."""
        value = self.next_clear if after else self.clear
        return [Reduce("sum", field.of_row(), _flux * value)] if self.has_clear else []

    def through_layer(self, face: sympy.Expr) -> list[Statement]:
        """Through a layer to a face whose source is known: b of the gas, b_cloud with the cloud."""
        b, b_cloud, gas, both = sympy.symbols("b b_cloud gas alpha_both")
        cleared = self.all + (b - self.all) * _alpha
        through = self.all - self.all * (_alpha + _cloud_alpha * _n * (1 - _alpha))
        statements: list[Statement] = [
            Assignment(b, _inside + _tf * (face - _inside)),
            Assignment(b_cloud, _inside + _ft * (face - _inside)),
            Assignment(gas, b * _alpha),
            Assignment(both, _alpha + _cloud_alpha - _alpha * _cloud_alpha),
            Assignment(
                self.next, Piecewise((through + gas + _n * (b_cloud * both - gas), _n > 0), (cleared, True))
            ),
        ]
        if self.has_clear:
            statements.append(Assignment(self.next_clear, self.clear + (b - self.clear) * _alpha))
        return statements


def _planck(kelvin: sympy.Expr, what: str) -> list[Statement]:
    """Assign B_<what>, the Planck function of the g-point's band: linear between the rows of its table. What
    is no number is compared with, not clamped: the first row is read for it, and none beyond the table."""
    whole, row, low, high = sympy.symbols(f"T_{what}_whole row_{what} low_{what} high_{what}")
    return [
        Assignment(whole, floor(kelvin)),
        Assignment(row, Piecewise((Min(whole - COLDEST, TEMPERATURES - 2), whole > COLDEST), (0, True))),
        Assignment(low, planck.gather(BANDS * row + band.here)),
        Assignment(high, planck.gather(BANDS * row + (BANDS + band.here))),
        Assignment(Symbol(f"B_{what}"), width.gather(band.here) * (low + (kelvin - whole) * (high - low))),
    ]


def _layer(absorption: Absorption) -> list[Statement]:
    """Assign tau, tf and alpha of the gas, S = phi B of the layer, and n, alpha and ft of its clouds."""
    return [
        *_transmission(absorption),
        *_planck(temperature.of_row(), "layer"),
        Assignment(_inside, fraction.here * Symbol("B_layer")),
        Assignment(_n, cloud.of_row()),
        Assignment(_tau_cloud, DIFFUSIVITY * cloud_depth.of_row()),
        Assignment(_cloud_alpha, Piecewise((1 - sympy.exp(-_tau_cloud), _n > 0), (0, True))),
        Assignment(_ft, (_tau + _tau_cloud) / (_b_pade + _tau + _tau_cloud)),
    ]


def _transmission(absorption: Absorption) -> list[Statement]:
    """tau, the weight tf of the face in what the layer emits, and alpha = 1 - exp(-tau)."""
    if absorption == "table":
        n = index.here
        return [
            Assignment(_tau, table_depth.gather(n)),
            Assignment(_tf, table_source.gather(n)),
            Assignment(_alpha, 1 - table_passed.gather(n)),
        ]
    opaque: sympy.Basic = sympy.false
    given: list[Statement]
    if absorption == "index":
        t, opaque = Symbol("t"), sympy.Ge(index.here, STEPS)
        given = [
            Assignment(t, Rational(1, STEPS) * index.here),
            Assignment(_tau, Piecewise((Integer(10) ** 10, opaque), (_b_pade * t / (1 - t), True))),
        ]
    elif absorption == "depth":
        given = [Assignment(_tau, depth.here)]
    elif absorption == "grey":
        a, b = Rational("0.8678"), Rational("1997.9")
        layer = GRAVITY / REFERENCE_PRESSURE * mass.here
        given = [Assignment(_tau, part.here * (a + b * moisture.of_row()) * layer)]
    else:
        thickness = Symbol("thickness")
        given = [
            Assignment(thickness, pressure.of_row() - pressure.of_row(0, 1)),
            Assignment(_tau, DIFFUSIVITY * thickness * kappa.here),
        ]
    mean = Symbol("mean_depth")
    return [
        *given,
        Assignment(_passed, sympy.exp(-_tau)),
        Assignment(mean, 1 / _tau - _passed / (1 - _passed)),
        Assignment(_tf, Piecewise((1, opaque), (_tau / 6, _tau < Rational(1, 10)), (1 - 2 * mean, True))),
        Assignment(_alpha, 1 - _passed),
    ]


def transmission_tables() -> tuple[list[float], list[float], list[float]]:
    """What `table_depth, table_source, table_passed` hold: for t = n / 5000, tau = b t / (1 - t), the weight
    of the face and exp(-tau). The last ones are those of an opaque layer."""
    depths, sources, passed = [0.0], [0.0], [1.0]
    pade = 1 / 0.278
    for n in range(1, STEPS):
        t = n / STEPS
        tau = pade * t / (1 - t)
        through = math.exp(-tau)
        depths.append(tau)
        passed.append(through)
        sources.append(tau / 6 if tau < 0.1 else 1 - 2 * (1 / tau - through / (1 - through)))
    return [*depths, 1e10], [*sources, 1.0], [*passed, 0.0]


flux_down, flux_up, heating_rate, pressure_face = (
    Field(name, rank=2) for name in ("flux_down", "flux_up", "heating_rate", "pressure_face")
)


def heating() -> list[Statement]:
    """What fluxes warm, K per day: H (net_k - net_k+1) / (p_k - p_k+1) with net = up - down, and p in hPa.

    x = column, y = layer. `flux_down` and `flux_up` are the memory of `down` and `up` of `fluxes`, with one
    more level: that of the uppermost face, where `flux_down` is zero and `flux_up` is `outgoing`.
    """
    below, above = sympy.symbols("net_below net_above")
    return [
        Assignment(below, flux_up.here - flux_down.here),
        Assignment(above, flux_up[0, 1] - flux_down[0, 1]),
        Assignment(heating_rate.here, HEATING * (below - above) / (pressure_face.here - pressure_face[0, 1])),
    ]


# --- Without the tables of a model --------------------------------------------------------------------------

EDGES = (10, 250, 500, 630, 700, 820, 980, 1080, 1180, 1390, 1480, 1800, 2080, 2250, 2380, 2600, 3000)
"""Of the sixteen bands of RRTM, cm-1 (Mlawer et al. 1997, table 1)."""
POINTS = (8, 14, 16, 14, 16, 8, 12, 8, 12, 6, 8, 8, 4, 2, 2, 2)
"""G-points in each band, 140 in all."""
LIQUID_ABSORPTION = Rational("90.361")
"""Of cloud water, m2 kg-1 (J. T. Kiehl et al., J. Climate 11, 1131, 1998)."""
_FIRST, _SECOND = 1.191042972e-12, 1.438776877
"""2 h c2 in W cm2 sr-1 and h c / k in cm K (CODATA 2018)."""


def planck_table() -> tuple[list[float], list[float]]:
    """What `planck` and `width` hold, by Simpson's rule over each band: the mean of the Planck function
    2 h c2 nu3 / (exp(h c nu / k T) - 1) over the band at 160 ... 340 K, and how wide the band is."""
    intervals = 64
    table: list[float] = []
    for kelvin in range(COLDEST, COLDEST + TEMPERATURES):
        for low, high in pairwise(EDGES):
            total = 0.0
            for i in range(intervals + 1):
                nu = low + (high - low) * i / intervals
                weight = 1 if i in (0, intervals) else 4 if i % 2 else 2
                total += weight * _FIRST * nu**3 / math.expm1(_SECOND * nu / kelvin)
            table.append(total / (3 * intervals))
    return table, [float(high - low) for low, high in pairwise(EDGES)]


def simple_gas(
    least: float = 1e-6, most: float = 1.0, points: Sequence[int] = POINTS
) -> tuple[list[int], list[float], list[float]]:
    """`band`, `fraction` and `kappa` of each g-point of a gas without tables: within a band, each point has
    the same part of the Planck function, and its absorption lies between the least and the most
    (hPa-1) at equal steps of its logarithm. points: g-points in each band. No real atmosphere, but with
    windows, opaque lines and all between: for tests, examples and measurements of speed.

    Raises KernelError unless 0 < least <= most < infinity and each band has a g-point."""
    if not 0 < least <= most < math.inf:
        raise KernelError(
            calling_place(),
            f"least={least!r} and most={most!r} are not the limits of an absorption.",
            "use 0 < least <= most, in hPa-1",
        )
    if not points or any(count < 1 for count in points):
        raise KernelError(
            calling_place(),
            f"points={tuple(points)} leaves a band without g-points.",
            "use 1 or more for each band",
        )
    bands: list[int] = []
    fractions: list[float] = []
    kappas: list[float] = []
    for number, count in enumerate(points):
        for i in range(count):
            bands.append(number)
            fractions.append(1 / count)
            kappas.append(least * (most / least) ** ((i + 0.5) / count))
    return bands, fractions, kappas
