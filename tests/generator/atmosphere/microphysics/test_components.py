# SPDX-License-Identifier: Apache-2.0
"""Schemes whose water is a component of one field, as advection has it: the same bits as with fields."""

from __future__ import annotations

import numpy as np
import pytest
from columns_of import DTYPES, arrays, interpreted, shape, stages
from heddle import Module, fields
from heddle.atmosphere import microphysics
from heddle.ir.interpret import Array, run
from test_kessler import cloudy
from wsm_cases import WSM3

q = fields("q: real(4)[3D]", ghost_layers=0)
TOGETHER = {
    "kessler": microphysics.Kessler(**{n: q.component(i) for i, n in enumerate(("th", "qv", "qc", "qr"))}),
    "wsm3": microphysics.WSM3(**{n: q.component(i) for i, n in enumerate(("th", "q", "qci", "qrs"))}),
}
APART = {"kessler": microphysics.Kessler(), "wsm3": microphysics.WSM3()}
NAMES = {"kessler": ("th", "qv", "qc", "qr"), "wsm3": ("th", "q", "qci", "qrs")}


@pytest.mark.parametrize("scheme", ["kessler", "wsm3"])
def test_the_bits_of_fields(scheme: str) -> None:
    air = cloudy(3, 9) if scheme == "kessler" else WSM3.cloudy(280.0, columns=3, levels=9)
    apart, together = Module(f"apart_{scheme}"), Module(f"together_{scheme}")
    apart.add("step", APART[scheme].step())
    together.add("step", TOGETHER[scheme].step())
    wanted = interpreted(apart, air, {"dt": 60.0})

    kernel = stages(together, "f64").lowered
    others = {name: values for name, values in air.items() if name not in NAMES[scheme]}
    levels, count = air["th"].shape
    plain = [field for field in kernel.fields if field.name != "q"]
    memory = {
        name: array for name, array in arrays(type("Kernel", (), {"fields": plain}), others, "f64").items()
    }
    values = np.stack([air[name] for name in NAMES[scheme]]).astype(DTYPES["f64"])
    memory["q"] = Array(
        [float(value) for value in values.ravel()],
        0,
        (count, 1, levels, 4),
        (1, count, count, count * levels),
    )
    assert run(kernel, memory, {"dt": 60.0}).status == 0
    found = np.array(memory["q"].values).reshape(values.shape)
    for number, name in enumerate(NAMES[scheme]):
        assert np.array_equal(found[number], wanted[name]), name
        assert not np.array_equal(found[number], values[number]), name
    for field in plain:
        assert np.array_equal(
            np.array(memory[field.name].values).reshape(shape(field, others)), wanted[field.name]
        )
