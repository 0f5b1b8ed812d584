# SPDX-License-Identifier: Apache-2.0
"""What the command line says of wrong usage: how the command is used, what is wrong, what may be meant."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NoReturn

from heddle.colours import coloured
from heddle.errors import KernelError
from heddle.ir.schedule import precision

_CHOICE = re.compile(r"invalid choice: '?(?P<word>[^']*?)'? \(choose from (?P<known>.*)\)", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """Like its base; a word that is near to a choice or an option is named. words: of the command line."""

    words: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Print the usage of the command and what is wrong with it; exit code 2."""
        self.print_usage(sys.stderr)
        meant = self._meant(message)
        hint = f"\n  {coloured('Hint:', 'bold', sys.stderr)} did you mean {meant}?" if meant else ""
        self.exit(2, f"{self.prog}: {coloured('error:', 'red', sys.stderr)} {message}{hint}\n")

    def _meant(self, message: str) -> str:
        wrong = _CHOICE.search(message)
        if wrong is not None:
            known = re.findall(r"[\w.+-]+", wrong["known"])
            return "".join(get_close_matches(wrong["word"], known, n=1))
        options = [name for name in self._option_string_actions if name.startswith("--")]
        for word in Parser.words:
            name = word.partition("=")[0]
            if name.startswith("--") and not any(option.startswith(name) for option in options):
                near = get_close_matches(name, options, n=1)
                if near:
                    return f"{near[0]} in place of {name}"
        return ""


def check_precision(option: str, text: str) -> None:
    """Raise KernelError, with the option in place of a line, for what is no precision."""
    try:
        precision(text)
    except KernelError as error:
        raise KernelError(option, error.what, error.hint) from None
