# SPDX-License-Identifier: Apache-2.0
"""Adjoints of kernels: the transposed derivative of what a kernel computes, as a kernel of the same kind.

For v = F(u, p) a kernel of `Module.add_adjoint` computes u_bar = (dF/du)^T v_bar, and p_bar for parameters.
"""
