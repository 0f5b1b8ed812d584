# SPDX-License-Identifier: Apache-2.0
"""The threads of a CUDA kernel become loops; shared tiles, barriers and reductions of a block disappear."""
