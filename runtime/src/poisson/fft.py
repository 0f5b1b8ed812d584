# SPDX-License-Identifier: Apache-2.0
"""The butterflies of the transforms of planes (src/fft), eight lines at a time."""

from heddle import Module, Rows, Schedule
from heddle.solvers.butterfly import RADICES, butterfly

BESIDE_EACH_OTHER = Schedule(cpu=Rows(fixed_nx=8, parallel=False, unchecked_entry=True))

fft = Module(
    "fft", about="One pass of Stockham's fast Fourier transform over lines that lie beside each other."
)
for radix in RADICES:
    fft.add(f"radix{radix}_twiddle", butterfly(radix, twiddled=True), schedule=BESIDE_EACH_OTHER)
    fft.add(f"radix{radix}", butterfly(radix, twiddled=False), schedule=BESIDE_EACH_OTHER)
