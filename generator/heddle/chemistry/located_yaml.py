# SPDX-License-Identifier: Apache-2.0
"""YAML whose objects know their files and lines. It is YAML 1.2, where NO is text: in YAML 1.1 it is a truth
value.

The parser is ruamel.yaml, which is asked for the tree of nodes alone: no tag makes an object of Python.
"""

from __future__ import annotations

import re
from typing import Any

from heddle.chemistry.located_json import Located
from heddle.errors import KernelError

MOST_NESTED = 200
_TAG = "tag:yaml.org,2002:"


def parse_yaml(text: str, file: str) -> Any:
    """What a YAML text holds, objects as `Located`. Raises KernelError with the line for what is no YAML, for
    a key that an object has twice, and for aliases and tags."""
    depth = 0
    for bracket in re.finditer(r"[\[{\]}]", text):  # the parser takes seconds where they are never closed
        depth += 1 if bracket[0] in "[{" else -1
        if depth > MOST_NESTED:
            line = text.count("\n", 0, bracket.start()) + 1
            raise KernelError(f"{file}:{line}", "values are nested too deeply.", "no mechanism needs that")
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import MarkedYAMLError, YAMLError
    except ImportError:
        raise KernelError(
            file,
            "YAML is read by ruamel.yaml, which is not installed.",
            "pip install 'heddle[yaml]', or use JSON",
        ) from None
    try:
        return _Tree(file).value(YAML(typ="safe", pure=True).compose(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{file}:{mark.line + 1}" if mark else file
        raise KernelError(
            place, f"this is no YAML: {error.problem}.", "check indentation and quotes"
        ) from None
    except YAMLError as error:
        raise KernelError(file, f"this is no YAML: {error}.", "check indentation and quotes") from None
    except RecursionError:
        raise KernelError(file, "values are nested too deeply.", "no mechanism needs that") from None


class _Tree:
    def __init__(self, file: str) -> None:
        self.file = file
        self.seen: set[int] = set()

    def value(self, node: Any) -> Any:
        """What a node stands for."""
        if node is None:
            return None
        line = node.start_mark.line + 1
        where = f"{self.file}:{line}"
        if id(node) in self.seen:
            raise KernelError(where, "an alias stands for another value.", "write the value itself")
        self.seen.add(id(node))
        if node.id != "scalar" and node.tag not in (f"{_TAG}map", f"{_TAG}seq"):
            raise KernelError(where, f"the tag {node.tag} has no meaning here.", "remove it")
        if node.id == "mapping":
            result = Located()
            result.line, result.file = line, self.file
            for key, value in node.value:
                name = self.value(key)
                if not isinstance(name, str):
                    raise KernelError(where, f"the key {name!r} is no text.", "quote it")
                if name in result:
                    raise KernelError(where, f"this object has the key '{name}' twice.", "remove one")
                result[name] = self.value(value)
            return result
        if node.id == "sequence":
            return [self.value(entry) for entry in node.value]
        return self.scalar(node, where)

    def scalar(self, node: Any, where: str) -> Any:
        """Text, a number, a truth value or nothing."""
        text: str = node.value
        kind = str(node.tag).removeprefix(_TAG)
        try:
            match kind:
                case "str" | "timestamp":
                    return text
                case "null":
                    return None
                case "bool":
                    return text.lower() in ("true", "yes", "on")
                case "int":
                    return int(
                        text.replace("_", ""), 0 if text.lower().lstrip("+-")[:2] in ("0x", "0o") else 10
                    )
                case "float":
                    return float(text.replace("_", "").replace(".inf", "inf").replace(".nan", "nan"))
        except ValueError:
            raise KernelError(where, f"'{text[:40]}' is no number.", "write 1.0e-3, or quote text") from None
        raise KernelError(where, f"the tag {node.tag} has no meaning here.", "remove it")
