# SPDX-License-Identifier: Apache-2.0
"""Proof that emitted text computes what was lowered: each file is read back by Clang, lifted, and compared.

`kernel` compares kernel functions with lowered kernels, `entry` what stands around them with the argument
list, `report` does both for a module.
"""
