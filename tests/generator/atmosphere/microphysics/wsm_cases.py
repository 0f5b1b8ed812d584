# SPDX-License-Identifier: Apache-2.0
"""WSM3 and WSM5 as the tests run them: kernels, plain Python, and columns with every kind of water."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from columns_of import Columns
from heddle import Module, Schedule, Strips
from heddle.atmosphere import microphysics
from scalar_wsm3 import wsm3
from scalar_wsm5 import wsm5
from soundings import saturation, sounding, spread


@dataclass(frozen=True, eq=False)
class Case:
    """A scheme. condensed: its kinds of water beside vapour, and the largest amount of each. plain: the same
    in plain Python. mended: without quirks, whose columns go side by side on a CPU; wrf: with them, one by
    one."""

    name: str
    scheme: Any
    plain: Callable[[Any, float, bool], tuple[float, float]]
    condensed: dict[str, float]
    mended: Module
    wrf: Module

    @property
    def water(self) -> tuple[str, ...]:
        return ("q", *self.condensed)

    @property
    def fields(self) -> tuple[str, ...]:
        """What a step changes in each cell."""
        return ("th", *self.water)

    def cloudy(self, warmth: float, columns: int = 40, levels: int = 25, seed: int = 1) -> Columns:
        """Columns with water in slabs; two cells have less than none, as advection leaves it."""
        air = sounding(seed, columns, levels, warmth)
        generator = np.random.default_rng(seed)
        shape = (levels, columns)
        air["q"] = saturation(air["T"], air["p"]) * generator.uniform(0.1, 1.2, shape)
        for i, (name, largest) in enumerate(self.condensed.items()):
            air[name] = spread(generator, shape, largest)
            air[name][levels // (2 + i), 0] = -1e-6
        air["rain"], air["snow"] = generator.uniform(0, 5, (2, columns))
        unused = ("T", "height") if "qrs" in self.condensed else ("T", "height", "w")
        return {k: v for k, v in air.items() if k not in unused}

    def positive(self, warmth: float, seed: int, columns: int = 40) -> Columns:
        """The same without negative water, and no rain before."""
        air = self.cloudy(warmth, seed=seed, columns=columns)
        for name in self.condensed:
            air[name] = np.maximum(air[name], 0)
        air["rain"], air["snow"] = np.zeros((2, air["th"].shape[1]))
        return air

    def expected(self, air: Columns, dt: float, wrf: bool) -> tuple[Columns, Any, Any]:
        """By plain Python: the columns after a step, rain and snow."""
        result = {name: value.copy() for name, value in air.items()}
        fallen = []
        for i in range(air["th"].shape[1]):
            column = {name: list(value[:, i]) for name, value in result.items() if value.ndim == 2}
            fallen.append(self.plain(column, dt, wrf))
            for name in self.fields:
                result[name][:, i] = column[name]
        rain, snow = np.array(fallen).T
        return result, rain, snow

    def content(self, air: Columns) -> Any:
        """Water in a column, kg m-2."""
        return np.sum(air["rho"] * air["dz"] * sum(air[name] for name in self.water), axis=0)


def _case(name: str, scheme: Any, plain: Any, condensed: dict[str, float]) -> Case:
    mended, wrf = Module(name, precisions=("f64", "f32")), Module(f"{name}_wrf")
    lanes = Schedule(Strips(16), math="reproducible")  # the last strip of 40 columns has 8
    mended.add(f"{name}_step", scheme().step(), schedule=lanes)
    wrf.add(f"{name}_step_wrf", scheme(quirks="wrf").step())
    return Case(name, scheme, plain, condensed, mended, wrf)


WSM3 = _case("wsm3", microphysics.WSM3, wsm3, {"qci": 2e-3, "qrs": 5e-3})
WSM5 = _case("wsm5", microphysics.WSM5, wsm5, {"qc": 2e-3, "qr": 5e-3, "qi": 1e-3, "qs": 4e-3})
CASES = (WSM3, WSM5)
