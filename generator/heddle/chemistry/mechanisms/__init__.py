# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that come with Heddle."""

from heddle.chemistry.mechanisms.carbon_bond import cb05

__all__ = ["cb05"]
