# SPDX-License-Identifier: Apache-2.0
"""Colours of what the command line prints: on a terminal, and nowhere else. Who sets NO_COLOR has none
(https://no-color.org), nor has a terminal that says that it is "dumb"."""

from __future__ import annotations

import os
from typing import TextIO

_CODES = {"red": "31", "green": "32", "yellow": "33", "bold": "1"}


def shown(file: TextIO) -> bool:
    """Whether a file shows colours."""
    return file.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def coloured(text: str, colour: str, file: TextIO) -> str:
    """The text for a file: red, green, yellow or bold where that shows colours, else as it is."""
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if text and shown(file) else text


def message(text: str, file: TextIO, warning: bool = False) -> str:
    """What `heddle` has to say, with its name, and the hints in it, in colours."""
    name = coloured("heddle: warning:" if warning else "heddle:", "yellow" if warning else "red", file)
    return f"{name} {text}".replace("\n  Hint:", "\n  " + coloured("Hint:", "bold", file))
