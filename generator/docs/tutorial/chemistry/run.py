# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np

kernels = heddle.load(Path(__file__).with_name("model.py"))
cells = 1000
temperature, pressure = np.linspace(250, 310, cells), np.full(cells, 1e5)  # K, Pa
sunlight = np.linspace(0, 0.01, cells)  # s-1: night in the first cell, noon in the last one
air = pressure / (8.31446261815324 * temperature)  # mol m-3
ppb = 1e-9 * air
y = np.stack([0 * ppb, 30 * ppb, 10 * ppb, 20 * ppb])  # of O, O3, NO, NO2
oxygen, nitrogen = y[0] + y[1] + y[3], y[2] + y[3]  # O + O3 + NO2 and NO + NO2: no reaction changes them
step, outcome, attempts = np.zeros(cells), np.zeros(cells, np.int32), np.zeros(cells, np.int64)


def integrate(interval: float) -> None:
    """Advance all cells by so many seconds."""
    kernels.integrate(
        concentration=y, temperature=temperature, pressure=pressure, rate_input=sunlight[None],
        step=step, outcome=outcome, steps=attempts,
        interval=interval, relative_tolerance=1e-6, absolute_tolerance=1e-16,
    )  # fmt: skip
    assert (outcome == 0).all()


# At night NO + O3 -> NO2 is alone, and has a closed form.
k_2 = 217.6 * (temperature / 300) ** -2.4 * 8.56 * air  # s-1
k_3 = 1.8066e6 * np.exp(-1500 / temperature)  # m3 mol-1 s-1
a, b = y[1, 0], y[2, 0]
left = (a - b) * b / (a * np.exp((a - b) * k_3[0] * 60) - b)
integrate(60)
print(f"night: NO {y[2, 0] / ppb[0]:.5f} ppb after a minute, closed form {left / ppb[0]:.5f}")
assert abs(y[2, 0] / left - 1) < 1e-6

# In sunlight all three reactions come to the same rate: k_1 NO2 = k_2 O = k_3 NO O3, an equation for NO2.
total = attempts.copy()
for _ in range(59):
    integrate(120)
    total += attempts
p, q = 1 + sunlight / k_2, sunlight / k_3
half = (p * nitrogen + q + oxygen) / 2
steady = oxygen * nitrogen / (half + np.sqrt(half**2 - p * oxygen * nitrogen))
difference = abs(y[3] / steady - 1).max()
ozone = y[1] / ppb
print(f"ozone from {ozone[0]:.3f} to {ozone[-1]:.3f} ppb, NO2 from its closed form {difference:.1e}")
assert difference < 1e-11

change = max(abs((y[2] + y[3]) / nitrogen - 1).max(), abs((y[0] + y[1] + y[3]) / oxygen - 1).max())
print(f"NO + NO2 and O + O3 + NO2 change by {change:.1e}")
assert change < 1e-13

explicit = (60 + 59 * 120) * k_2.max() / 2
print(f"{total.min()} to {total.max()} attempts in two hours; explicit: {explicit / 1e6:.0f} million steps")
assert total.max() < 1000
