# SPDX-License-Identifier: Apache-2.0
"""What the original of a scheme does against its intention: mended, or reproduced for those who compare."""

from __future__ import annotations

from heddle.errors import KernelError, calling_place


def check_quirks(quirks: str, original: str = "wrf") -> bool:
    """Whether the quirks of the original are reproduced, rather than mended. Raises KernelError for a word
    that is neither "none" nor the name of the original."""
    if quirks not in ("none", original):
        raise KernelError(
            calling_place(),
            f"quirks={quirks!r} is unknown.",
            f'use "none", which mends what the original does against its intention, or "{original}"',
        )
    return quirks == original
