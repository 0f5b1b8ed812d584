# SPDX-License-Identifier: Apache-2.0
"""JSON whose objects know their files and lines, so that errors can name them."""

from __future__ import annotations

import json
import json.decoder
import json.scanner
import re
from bisect import bisect_right
from pathlib import Path
from typing import Any

from heddle.errors import KernelError

MOST_BYTES = 64 * 2**20
"""Of a file."""


class Located(dict[str, Any]):
    """An object of a file: its line, and the file's name."""

    line = 0
    file = ""


def read_text(path: Path, other_encoding: str = "") -> str:
    """The text of a file, UTF-8. other_encoding: where it is not. Raises KernelError where there is none, or
    too much of it."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise KernelError(
                path.name, f"the file has more than {MOST_BYTES // 2**20} MiB.", "no mechanism is that large"
            )
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise KernelError(
            str(path), f"the file cannot be read: {error.strerror}.", "check the path"
        ) from None
    except UnicodeDecodeError:
        if other_encoding:
            return path.read_text(encoding=other_encoding)
        raise KernelError(path.name, "the file is no UTF-8 text.", "save it as UTF-8") from None


def parse_json(text: str, file: str) -> Any:
    """What a JSON text holds, objects as `Located`. Raises KernelError with the line for what is no JSON, and
    for a key that an object has twice."""
    try:
        return _Decoder(text, file).decode(text)
    except json.JSONDecodeError as error:
        raise KernelError(
            f"{file}:{error.lineno}", f"this is no JSON: {error.msg}.", "check commas, quotes and brackets"
        ) from None
    except RecursionError:
        raise KernelError(file, "the brackets are nested too deeply.", "no mechanism needs that") from None
    except ValueError:  # Python reads whole numbers up to 4300 digits
        raise KernelError(file, "a number has thousands of digits.", "write it as 1.0e30") from None


class _Decoder(json.JSONDecoder):
    """Python's own decoder, which is asked for each object where it begins."""

    def __init__(self, text: str, file: str) -> None:
        self.newlines = [match.start() for match in re.finditer("\n", text)]
        self.file = file
        self.begin = 0
        super().__init__(object_pairs_hook=list, parse_constant=self._constant)
        self.parse_object = self._object
        self.scan_once = json.scanner.py_make_scanner(self)  # type: ignore[attr-defined]

    def _object(self, s_and_end: tuple[str, int], *options: Any) -> tuple[Located, int]:
        line = bisect_right(self.newlines, s_and_end[1] - 1) + 1  # of its bracket
        pairs, end = json.decoder.JSONObject(s_and_end, *options)  # type: ignore[attr-defined]
        result = Located()
        result.line, result.file = line, self.file
        for key, value in pairs:
            if key in result:
                raise KernelError(
                    f"{self.file}:{line}", f"this object has the key '{key}' twice.", "remove one"
                )
            result[key] = value
        return result, end

    def _constant(self, name: str) -> float:
        raise KernelError(self.file, f"{name} is no number of JSON.", "give a finite number")
