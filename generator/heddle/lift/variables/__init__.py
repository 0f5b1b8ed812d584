# SPDX-License-Identifier: Apache-2.0
"""The variables of a source: their names, where they are declared, how long their values are needed."""
