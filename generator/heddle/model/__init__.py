# SPDX-License-Identifier: Apache-2.0
"""What every model is made of: fields, assignments, equations, and the spaces that kernels run over."""
