# SPDX-License-Identifier: Apache-2.0
"""From C++ and CUDA text back to kernels.

Text → `front_end` (the program heddle-lift) → a record of `heddle.ir.source` → `kernels` (loops, guards,
calls) → a kernel in the lowered vocabulary → `raise_accesses` (fields, offsets) → a model.
"""
