# SPDX-License-Identifier: Apache-2.0
"""Longwave radiation: against a program in NumPy that follows the formulas line by line, against closed
forms, and with itself on other targets and cut in other ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from atmosphere.columns_of_radiation import Arrays, Kernels
from heddle import KernelError, Module, Schedule, Threads
from heddle.atmosphere import longwave

pytestmark = pytest.mark.compiles
G_POINTS, COLUMNS, LAYERS = 70, 5, 7
DTYPES = {"f64": np.float64, "f32": np.float32}
NAMES = ("down", "up", "down_clear", "up_clear")
both = pytest.mark.parametrize("precision", ["f64", "f32"])
CLOSE = {"f64": 1e-13, "f32": 2e-6}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    schedule = Schedule(math="reproducible", gpu=Threads(block=(96, 1, 1)))
    module = Module("longwave", precisions=("f64", "f32"))
    module.add("table", longwave.fluxes(), schedule=schedule)
    module.add("gas", longwave.fluxes("pressure"), schedule=schedule)
    module.add("heating", longwave.heating())
    return Kernels(tmp_path_factory.mktemp("longwave"), module, ("cpu", "reference", "cuda"), plain=True)


class Columns:
    """Columns of a random atmosphere, in f64. Fields have axes (g-point, column, layer)."""

    def __init__(self, seed: int = 1, layers: int = LAYERS) -> None:
        random = np.random.default_rng(seed)
        self.layers = layers
        self.index = random.integers(0, 5001, (G_POINTS, COLUMNS, layers)).astype(np.int32)
        self.index[3, 1, 2], self.index[4, 1, 2], self.index[5, 1, 2] = 0, 5000, 4999
        self.fraction = random.uniform(0.05, 0.4, (G_POINTS, COLUMNS, layers))
        self.pressure = np.linspace(1000, 100, layers + 1) + random.uniform(0, 9, (COLUMNS, 1))
        self.face_temperature = (
            290 - 9.3 * np.arange(layers + 1) + random.uniform(-5, 5, (COLUMNS, layers + 1))
        )
        self.temperature = (self.face_temperature[:, 1:] + self.face_temperature[:, :-1]) / 2 + 0.3
        self.ground_temperature = random.uniform(280, 300, COLUMNS)
        self.emissivity = random.uniform(0.9, 1, (COLUMNS, 16))
        self.cloud = np.zeros((COLUMNS, layers))
        self.cloud_depth = np.zeros((COLUMNS, layers))
        self.cloud[2, 3], self.cloud_depth[2, 3] = 1, 2.5
        self.cloud[3, 1:4], self.cloud_depth[3, 1:4] = [0.3, 0.8, 0.1], [0.2, 9.0, 0.01]
        self.band = np.sort(random.integers(0, 16, G_POINTS)).astype(np.int32)
        self.kappa = 10.0 ** random.uniform(-6, 0, G_POINTS)
        planck, width = longwave.planck_table()
        self.planck, self.width = np.array(planck), np.array(width)
        names = ("table_depth", "table_source", "table_passed")
        self.tables = {n: np.array(t) for n, t in zip(names, longwave.transmission_tables(), strict=True)}

    def run(
        self, kernels: Kernels, name: str = "table", precision: str = "f64", target: str = "cpu",
        columns: slice = slice(None), swapped: bool = False,
    ) -> Arrays:  # fmt: skip
        """Fluxes on all faces. columns: those of one call. swapped: g-points lie furthest apart in memory."""
        dtype, layers = DTYPES[precision], self.layers

        def row(values: Any) -> Any:
            """One value for all g-points."""
            values = values.astype(dtype)[columns]
            shape, strides = (G_POINTS, *values.shape), (0, *values.strides)
            return np.lib.stride_tricks.as_strided(values, shape, strides)

        def each(values: Any, kind: Any) -> Any:
            values = values.astype(kind)[:, columns]
            return np.ascontiguousarray(values) if swapped else np.array(values.T, order="C").T

        faces = {n: np.zeros(self.pressure.shape, dtype)[columns] for n in NAMES}
        arrays = {
            "index": each(self.index, np.int32), "fraction": each(self.fraction, dtype),
            "temperature": row(self.temperature), "cloud": row(self.cloud),
            "face_temperature": row(self.face_temperature)[:, :, :layers],
            "pressure": row(self.pressure)[:, :, :layers],
            "cloud_depth": row(self.cloud_depth), "emissivity": row(self.emissivity),
            "ground_temperature": row(self.ground_temperature), "band": self.band,
            "kappa": self.kappa.astype(dtype),
            "planck": self.planck.astype(dtype), "width": self.width.astype(dtype),
        }  # fmt: skip
        arrays |= {n: table.astype(dtype) for n, table in self.tables.items()}
        for n, values in faces.items():
            shape, strides = (G_POINTS, values.shape[0], layers), (0, *values.strides)
            arrays[n] = np.lib.stride_tricks.as_strided(values, shape, strides)
        for n in ("up", "up_clear"):
            top = faces[n][:, layers]
            strides = (0, *top.strides)
            arrays[n.replace("up", "outgoing")] = np.lib.stride_tricks.as_strided(
                top, (G_POINTS, len(top)), strides
            )
        kernels(name, arrays, precision, target)
        return faces

    def heating(self, kernels: Kernels, faces: Arrays, precision: str = "f64") -> Any:
        """Heating rates of the fluxes with clouds."""
        rates = np.zeros((COLUMNS, self.layers), DTYPES[precision])
        pressure = self.pressure.astype(DTYPES[precision])
        given = {"flux_down": faces["down"], "flux_up": faces["up"], "pressure_face": pressure}
        inner = {n: values[:, : self.layers] for n, values in given.items()}
        kernels("heating", inner | {"heating_rate": rates}, precision)
        return rates


# --- The specification in NumPy -----------------------------------------------------------------------------


def planck_of(columns: Columns, kelvin: Any, bands: Any) -> Any:
    """B of bands: linear between the two rows of the table around a temperature."""
    table = columns.planck.reshape(181, 16)
    whole = np.floor(kelvin)
    row = np.clip(whole.astype(int) - 160, 0, 179)
    return columns.width[bands] * (
        table[row, bands] + (kelvin - whole) * (table[row + 1, bands] - table[row, bands])
    )


def specification(columns: Columns, gas: bool) -> Arrays:
    """Column by column, g-point by g-point, with the four arrays of what the down sweep knows of each
    layer."""
    layers, b = columns.layers, 1 / 0.278
    result = {name: np.zeros((COLUMNS, layers + 1)) for name in NAMES}
    for j in range(COLUMNS):
        for g in range(G_POINTS):
            band = columns.band[g]
            B = planck_of(columns, columns.temperature[j], band)
            B_face = planck_of(columns, columns.face_temperature[j], band)
            phi = columns.fraction[g, j]
            stored = {}
            R = Rc = 0.0
            above = phi[-1] * B_face[layers]
            for k in reversed(range(layers)):
                if gas:
                    tau = 1.66 * columns.kappa[g] * (columns.pressure[j, k] - columns.pressure[j, k + 1])
                    trans = np.exp(-tau)
                    tf = tau / 6 if tau < 0.1 else 1 - 2 * (1 / tau - trans / (1 - trans))
                else:
                    t = columns.index[g, j, k] / 5000
                    opaque = columns.index[g, j, k] == 5000
                    tau = 1e10 if opaque else b * t / (1 - t)
                    trans = np.exp(-tau)
                    tf = tau / 6 if tau < 0.1 else 1 - 2 * (1 / tau - trans / (1 - trans))
                    tf = 1.0 if opaque else tf
                alpha, Bl = 1 - trans, phi[k] * B[k]
                u = above - Bl
                above = phi[k] * B_face[k]
                d = above - Bl
                bu, bd = Bl + tf * u, Bl + tf * d
                n, oc = columns.cloud[j, k], 1.66 * columns.cloud_depth[j, k]
                ac = 1 - np.exp(-oc)
                o = tau + oc
                ft = o / (b + o)
                at, ef = alpha + ac - alpha * ac, ac * n
                stored[k] = bu, Bl + ft * u, alpha, at, ef, n
                if n > 0:
                    gs = bd * alpha
                    R = R - R * (alpha + ef * (1 - alpha)) + gs + n * ((Bl + ft * d) * at - gs)
                else:
                    R = R + (bd - R) * alpha
                Rc = Rc + (bd - Rc) * alpha
                result["down"][j, k] += 0.5 * R
                result["down_clear"][j, k] += 0.5 * Rc
            epsilon = columns.emissivity[j, band]
            emitted = phi[0] * epsilon * planck_of(columns, columns.ground_temperature[j], band)
            R, Rc = emitted + (1 - epsilon) * R, emitted + (1 - epsilon) * Rc
            for k in range(layers + 1):
                result["up"][j, k] += 0.5 * R
                result["up_clear"][j, k] += 0.5 * Rc
                if k < layers:
                    bu, but, alpha, at, ef, n = stored[k]
                    if n > 0:
                        gs = bu * alpha
                        R = R - R * (alpha + ef * (1 - alpha)) + gs + n * (but * at - gs)
                    else:
                        R = R + (bu - R) * alpha
                    Rc = Rc + (bu - Rc) * alpha
    return {name: 2e4 * np.pi * values for name, values in result.items()}


@pytest.mark.parametrize(("precision", "tolerance"), [("f64", 1e-13), ("f32", 2e-6)])
@pytest.mark.parametrize("name", ["table", "gas"])
def test_the_formulas_in_numpy(kernels: Kernels, name: str, precision: str, tolerance: float) -> None:
    columns = Columns()
    found, expected = columns.run(kernels, name, precision), specification(columns, name == "gas")
    for what in NAMES:
        np.testing.assert_allclose(found[what], expected[what], rtol=tolerance, atol=tolerance, err_msg=what)
    assert np.all(found["down"][:, -1] == 0)
    assert np.all(np.diff(found["up"], axis=1) != 0)


# --- The same bits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["f64", "f32"])
@pytest.mark.parametrize("name", ["table", "gas"])
def test_targets_blocks_and_strides_give_the_same_bits(kernels: Kernels, name: str, precision: str) -> None:
    columns = Columns(2)
    whole = columns.run(kernels, name, precision)
    for target in ("reference", "cuda"):
        assert same(whole, columns.run(kernels, name, precision, target))
    parts = [columns.run(kernels, name, precision, columns=slice(a, b)) for a, b in ((0, 2), (2, 3), (3, 5))]
    assert same(whole, {n: np.concatenate([part[n] for part in parts]) for n in NAMES})
    assert same(whole, columns.run(kernels, name, precision, swapped=True))


def same(one: Arrays, other: Arrays) -> bool:
    return all(np.array_equal(one[name], other[name]) for name in NAMES)


@both
def test_without_clouds_both_streams_are_one(kernels: Kernels, precision: str) -> None:
    """Bit for bit, in columns and below the lowest cloud as above the highest one."""
    columns = Columns(3)
    found = columns.run(kernels, precision=precision)
    for clear in (0, 1, 4):
        assert np.array_equal(found["down"][clear], found["down_clear"][clear])
        assert np.array_equal(found["up"][clear], found["up_clear"][clear])
    assert np.array_equal(found["down"][2, 4:], found["down_clear"][2, 4:])  # above the cloud of layer 3
    assert np.all(found["down"][2, :4] > found["down_clear"][2, :4])
    thin = Columns(3)
    thin.cloud[:], thin.cloud_depth[:] = 0, 7.0  # nowhere, however thick
    assert np.array_equal(thin.run(kernels, precision=precision)["up"], found["up_clear"])


# --- Closed forms -------------------------------------------------------------------------------------------


def black(columns: Columns, kelvin: float) -> float:
    """The flux of a black body, of as much of it as the g-points of a column with uniform parts have."""
    radiance = planck_of(columns, np.float64(kelvin), columns.band) * columns.fraction[:, 0, 0]
    return float(np.pi * 1e4 * radiance.sum())


def uniform(columns: Columns) -> None:
    """Each g-point has the same part in all layers and columns."""
    columns.fraction[:] = columns.fraction[:, :1, :1]


@both
def test_an_isothermal_atmosphere_over_black_ground(kernels: Kernels, precision: str) -> None:
    columns = Columns(4)
    uniform(columns)
    for values in (columns.temperature, columns.face_temperature, columns.ground_temperature):
        values[:] = 271.3
    columns.emissivity[:] = 1
    found = columns.run(kernels, precision=precision)
    np.testing.assert_allclose(found["up"], black(columns, 271.3), rtol=CLOSE[precision])
    np.testing.assert_allclose(found["up_clear"], black(columns, 271.3), rtol=CLOSE[precision])


@both
def test_nothing_that_absorbs_heats_nothing(kernels: Kernels, precision: str) -> None:
    columns = Columns(5)
    uniform(columns)
    columns.index[:] = 0
    columns.cloud[:] = 0
    columns.emissivity[:] = 1
    columns.ground_temperature[:] = 287.25
    found = columns.run(kernels, precision=precision)
    assert np.all(found["down"] == 0)
    assert np.all(found["up"] == found["up"][:, :1])
    np.testing.assert_allclose(found["up"], black(columns, 287.25), rtol=CLOSE[precision])
    assert np.all(columns.heating(kernels, found, precision) == 0)


@both
def test_an_opaque_layer_is_black(kernels: Kernels, precision: str) -> None:
    """What leaves it on either side is the black body at the temperature of that face."""
    columns = Columns(6)
    uniform(columns)
    columns.index[:] = 0
    columns.cloud[:] = 0
    columns.index[:, :, 3] = 5000
    found = columns.run(kernels, precision=precision)
    for j in range(COLUMNS):
        below, above = (black(columns, columns.face_temperature[j, k]) for k in (3, 4))
        np.testing.assert_allclose(found["down"][j, :4], below, rtol=CLOSE[precision])
        np.testing.assert_allclose(found["up"][j, 4:], above, rtol=CLOSE[precision])


@both
def test_a_thick_cloud_is_black_at_its_base(kernels: Kernels, precision: str) -> None:
    columns = Columns(7)
    uniform(columns)
    columns.index[:] = 0
    columns.cloud[:], columns.cloud_depth[:] = 0, 0
    columns.cloud[:, 3], columns.cloud_depth[:, 3] = 1, 1e9
    found = columns.run(kernels, precision=precision)
    bases = [black(columns, kelvin) for kelvin in columns.face_temperature[:, 3]]
    np.testing.assert_allclose(
        found["down"][:, 0], bases, rtol=max(1e-7, CLOSE[precision])
    )  # tau / (b + tau) is 1 - 2e-9
    assert np.all(found["down_clear"] == 0)


@both
def test_heating_is_what_stays(kernels: Kernels, precision: str) -> None:
    """Heating rates times layers add up to what enters: for fluxes that are whole numbers without
    rounding."""
    columns = Columns(8)
    random = np.random.default_rng(8)
    exact = {
        name: random.integers(-512, 512, (COLUMNS, LAYERS + 1)).astype(DTYPES[precision]) for name in NAMES
    }
    digits = 9 if precision == "f64" else 2
    columns.pressure[:] = 1024 - 64.0 * np.arange(LAYERS + 1)
    net = exact["up"] - exact["down"]
    gained = (columns.heating(kernels, exact, precision) / 8.4391 * 64).round(digits).sum(axis=1)
    assert np.array_equal(gained, net[:, 0] - net[:, -1])
    found = columns.run(kernels, precision=precision)
    net = found["up"] - found["down"]
    gained = (
        columns.heating(kernels, found, precision) * (columns.pressure[:, :-1] - columns.pressure[:, 1:])
    ).sum(axis=1)
    np.testing.assert_allclose(gained / 8.4391, net[:, 0] - net[:, -1], rtol=10 * CLOSE[precision])


@both
def test_brighter_ground_sends_more(kernels: Kernels, precision: str) -> None:
    columns = Columns(9)
    fluxes = []
    for emissivity in (0.0, 0.4, 0.8, 1.0):
        columns.emissivity[:] = emissivity
        columns.ground_temperature[:] = 320  # warmer than the sky
        fluxes.append(columns.run(kernels, precision=precision)["up"])
    assert np.all(np.diff(np.array(fluxes), axis=0)[:, :, 0] > 0)
    assert np.all(np.diff(np.array(fluxes), axis=0) >= 0)


@both
def test_fluxes_are_linear_in_the_planck_function(kernels: Kernels, precision: str) -> None:
    columns = Columns(10)
    once = columns.run(kernels, precision=precision)
    columns.planck *= 2.0
    assert all(
        np.array_equal(2 * once[name], values)
        for name, values in columns.run(kernels, precision=precision).items()
    )


# --- What needs no table of a model -------------------------------------------------------------------------


def test_planck_functions_add_up_to_stefan_and_boltzmann() -> None:
    """sigma T^4, of which the bands, 10 to 3000 cm-1, lack little; and three values of the table of AER in
    WRF 4.7.1 (`totplnk`, band 6 at 250 K, 8 at 300 K, 4 at 200 K), whose constants are a little older."""
    table, width = longwave.planck_table()
    values = np.array(table).reshape(181, 16)
    assert len(width) == 16
    emitted = np.pi * 1e4 * (values * width).sum(axis=1)
    kelvin = np.arange(160, 341)
    part = emitted / (5.670374419e-8 * kelvin**4)
    assert np.all((part > 0.9985) & (part < 1))
    for kelvin, number, aer in ((250, 6, 4.92911e-06), (300, 8, 7.65434e-06), (200, 4, 2.95461e-06)):
        assert values[kelvin - 160, number - 1] == pytest.approx(aer, rel=1e-4)


def test_a_simple_gas_has_140_points() -> None:
    bands, fractions, kappas = longwave.simple_gas()
    assert len(bands) == len(fractions) == len(kappas) == longwave.G_POINTS
    for number, count in enumerate(longwave.POINTS):
        own = [i for i, found in enumerate(bands) if found == number]
        assert len(own) == count
        assert sum(fractions[i] for i in own) == pytest.approx(1)
        assert np.allclose(np.diff(np.log([kappas[i] for i in own])), np.log(1e6) / count)


def test_tables_of_transmission_continue_each_other() -> None:
    depth, source, passed = map(np.array, longwave.transmission_tables())
    assert (depth[0], source[0], passed[0]) == (0, 0, 1)
    assert (depth[-1], source[-1], passed[-1]) == (1e10, 1, 0)
    assert np.all(np.diff(depth) > 0)
    assert np.all(np.diff(passed) <= 0)
    assert np.abs(np.diff(source)).max() < 2e-3  # also where the series ends, at tau = 0.1
    inner = depth[1:-1]
    indices = (5000 * inner / (1 / 0.278 + inner) + 0.5).astype(int)
    assert np.array_equal(indices, np.arange(1, 5000))


def test_another_word_is_refused() -> None:
    with pytest.raises(KernelError, match="'lines' does not say what absorbs"):
        longwave.fluxes("lines")  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@both
def test_a_temperature_that_is_no_number(kernels: Kernels, precision: str, target: str) -> None:
    """No value is read from beyond the table of Planck functions, and no other column knows of it."""
    columns = Columns()
    expected = columns.run(kernels, precision=precision, target=target)
    columns.temperature[2, 3] = columns.face_temperature[3, 1] = columns.ground_temperature[4] = np.nan
    found = columns.run(kernels, precision=precision, target=target)
    for name in NAMES:
        assert np.array_equal(found[name][:2], expected[name][:2])
    assert np.isnan(found["up"][2:, LAYERS]).all()
    assert np.isnan(found["down"][2:4, 0]).all()
