# SPDX-License-Identifier: Apache-2.0
"""What the original of a scheme does against its intention: mended, or reproduced for those who compare."""

from __future__ import annotations

from heddle.errors import KernelError, calling_place

QUIRKS = ("none", "wrf")
"""What a scheme may do with the quirks of the original: mend them, or reproduce them."""


def check_quirks(quirks: str) -> bool:
    """Whether the quirks of the original are reproduced. Raises KernelError for a word that is none of
    QUIRKS."""
    if quirks not in QUIRKS:
        raise KernelError(
            calling_place(),
            f"quirks={quirks!r} is unknown.",
            'use "none", which mends what the original does against its intention, or "wrf"',
        )
    return quirks == "wrf"
