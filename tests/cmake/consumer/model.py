# SPDX-License-Identifier: Apache-2.0
"""Two kernels in two files."""

from heddle import Assignment, Module, fields
from helper import FACTOR

a, b = fields("a, b: real[3D]")
distance = 5

consumer = Module("consumer", precisions=("f64",))
consumer.add("scale", [Assignment(b.here, FACTOR * a.here)])
consumer.add("shift", [Assignment(b.here, a.here + distance)])
