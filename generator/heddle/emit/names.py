# SPDX-License-Identifier: Apache-2.0
"""What emitted files call a kernel: files, functions and classes."""

from __future__ import annotations

from heddle.emit.targets import TARGETS

OWN_NAMES = frozenset({"Element", "PreconditionError", "Solver", "T", "links"})
"""Of the namespace of a module, beside its kernels, and of the parameters of its templates."""


def class_name(kernel: str) -> str:
    """The class of a kernel bound to fields: `stream_collide` -> `StreamCollide`."""
    return "".join(part.capitalize() for part in kernel.split("_"))


def parameters_name(kernel: str) -> str:
    """The structure of its scalar arguments."""
    return f"{class_name(kernel)}Parameters"


def function_names(kernel: str) -> set[str]:
    """Its functions, one for each target. Files are called alike."""
    return {kernel + target.suffix for target in TARGETS.values()}


def class_names(kernel: str) -> set[str]:
    """Its classes."""
    return {class_name(kernel), parameters_name(kernel)}


def shared_name(kernel: str, other: str) -> str:
    """A name of the first kernel that would also be one of the second; nothing if all differ. Names of files
    differ in more than case, since not every file system tells case apart."""
    for name in sorted(function_names(kernel)):
        if name.lower() in map(str.lower, function_names(other)):
            return name
    taken = function_names(other) | class_names(other)
    return min((class_names(kernel) & taken) | (function_names(kernel) & class_names(other)), default="")


def own_clash(kernel: str) -> str:
    """A name of a kernel that its files use for something else; nothing if there is none."""
    functions, classes = function_names(kernel), class_names(kernel)
    return min((functions & classes) | ((functions | classes) & OWN_NAMES), default="")
