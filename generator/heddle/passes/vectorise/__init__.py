# SPDX-License-Identifier: Apache-2.0
"""Passes that make vectors: of strips of a row, of interleaved blocks, of gathers from a list, and of
scans."""
