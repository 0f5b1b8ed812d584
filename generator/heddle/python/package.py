# SPDX-License-Identifier: Apache-2.0
"""heddle build --python: the kernels of a module as a package that needs neither Heddle nor a compiler, with
type stubs, and as a wheel."""

from __future__ import annotations

import base64
import hashlib
import sysconfig
import tempfile
import zipfile
from keyword import iskeyword
from pathlib import Path

from heddle.build import listed_kernels, python_kernels
from heddle.emit.files import write_if_changed
from heddle.emit.python_file import doc_lines, needed
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.module import Module
from heddle.python import arrays
from heddle.python.compiler import compiler
from heddle.python.load import entry_name, job_of
from heddle.python.package_lists import list_files, list_functions, list_imports

VERSION = "0.1.0"
_OF_LISTS = ("CellList", "CellSelection")
"""What `cells=` of a kernel is: the whole list, or some cells of one."""
_START = '''"""{about}

Made by Heddle {heddle} for the target {target}. Needs neither Heddle nor a compiler.
"""

import ctypes
from pathlib import Path

from {module}._arrays import memory_of, stream_of
{lists}from {module}._error import KernelError

__all__ = [{names}]

_start = getattr(ctypes.PyDLL(str(Path(__file__).with_name("{module}.so"))), "{entry}")
_start.restype, _start.argtypes = ctypes.py_object, [ctypes.py_object] * 3
_kernels = _start(KernelError, stream_of, memory_of)
{functions}
'''
_ERROR = '''"""What a call raises that a kernel does not take."""

from __future__ import annotations


class KernelError(Exception):
    """A call that a kernel does not take: where, what, and a hint."""

    def __init__(self, where: str, what: str, hint: str) -> None:
        self.where, self.what, self.hint = where, what, hint
        super().__init__(f"{where}: {what}" + (f"\\n  Hint: {hint}" if hint else ""))
'''
_STUB_START = '''from collections.abc import Sequence
from typing import Any, Protocol

class Array(Protocol):
    """Anything with DLPack: of NumPy, CuPy, PyTorch, JAX."""

    def __dlpack__(self, *args: Any, **keywords: Any) -> Any: ...

'''


def package_files(module: Module, target: str, version: str) -> dict[str, str]:
    """The texts of a package, but for the library."""
    names, lists = python_kernels(module), listed_kernels(module)
    own = ["KernelError", *_OF_LISTS] if lists else ["KernelError"]
    for name in names:
        if iskeyword(name) or name in own:
            raise KernelError(
                module.name,
                f"'{name}' is a word of Python{', or of a package' if name in own else ''}.",
                "give the kernel another name",
            )
    functions = [f'{name} = _kernels["{name}"]' for name in names if name not in lists]
    start = _START.format(
        about=module.about or f"The kernels of {module.name}.",
        heddle=version,
        target=target,
        module=module.name,
        lists=list_imports(module),
        names=", ".join(f'"{name}"' for name in [*own, *names]),
        entry=entry_name(module, target),
        functions="\n".join([*functions, *list_functions(module, target)]),
    )
    helper = Path(arrays.__file__).read_text().partition("\n")[2]  # without our licence: it is the user's
    return {
        "__init__.py": start,
        "__init__.pyi": stub(module, target),
        "_arrays.py": helper,
        "_error.py": _ERROR,
        **list_files(module),
        "py.typed": "",
    }


def stub(module: Module, target: str) -> str:
    """Type stubs of the package: one function a kernel."""
    lines = [_STUB_START + f"from {module.name}._error import KernelError as KernelError\n"]
    if listed_kernels(module):
        names = ", ".join(f"{name} as {name}" for name in _OF_LISTS)
        lines[0] += f"from {module.name}._cell_list import {names}\n"
    for name in python_kernels(module):
        kernel = module.typed(name, module.precisions[0])
        listed = kernel.space.is_index_list
        words = ["*"]
        for argument, text in needed(kernel):
            if iskeyword(argument.name):  # lambda: a call gives it as **{"lambda": 1.0}
                continue
            default = " = ..." if "=" in text else ""
            kind = _OF_LISTS[kernel.space.listed] if text == "cells" else _annotation(argument.kind)
            words.append(f"{argument.name}: {kind}{default}")
        if not listed:
            words.append("ghosts: int | Sequence[int] = ...")
        if TARGETS[target].gpu is not None:
            words.append("stream: Any = ...")
        if any(iskeyword(argument.name) for argument, _ in needed(kernel)):
            words.append("**others: Any")
        results = [_annotation(output.type) for output in kernel.outputs]
        gives = "None" if not results else results[0] if len(results) == 1 else f"dict[str, {results[0]}]"
        quoted = " ".join(doc_lines(name, kernel)[3:]).replace("\\", "\\\\").replace('"', "'")
        lines.append(f'def {name}({", ".join(words)}) -> {gives}:\n    """{quoted}"""\n')
    return "\n".join(lines)


def _annotation(kind: object) -> str:
    if isinstance(kind, ir.Pointer):
        return "Array"
    return "float" if isinstance(kind, ir.Scalar) and kind.is_float else "int"


def build_package(module: Module, target: str, out: Path, version: str) -> tuple[Path, Path]:
    """Write the package and its wheel; returns their paths. Compiled for the processors that HEDDLE_ARCH
    names, by default for all of the kind of this one."""
    folder = out / "python" / module.name
    for name, text in package_files(module, target, version).items():
        write_if_changed(folder / name, text)
    known, job = compiler(TARGETS[target], native=False), job_of(module, target)
    with tempfile.TemporaryDirectory() as place:
        for name, text in job.texts.items():
            write_if_changed(Path(place) / name, text)
        job.build(Path(place), folder.absolute() / f"{module.name}.so", known, None, verbose=False)
    return folder, _wheel(module, folder)


def _wheel(module: Module, folder: Path) -> Path:
    """The package as an archive that pip installs, the same bytes for the same files."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag, head = f"py3-none-{platform}", f"{module.name}-{VERSION}"
    about = (module.about or f"The kernels of {module.name}.").replace("\n", " ")
    metadata = f"Metadata-Version: 2.1\nName: {module.name}\nVersion: {VERSION}\nSummary: {about}\n"
    entries = {
        f"{module.name}/{path.name}": path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()
    }
    needs = "Requires-Dist: numpy\n" if listed_kernels(module) else ""
    entries[f"{head}.dist-info/METADATA"] = f"{metadata}Requires-Python: >=3.11\n{needs}".encode()
    wheel = f"Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: false\nTag: {tag}\n"
    entries[f"{head}.dist-info/WHEEL"] = wheel.encode()
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in entries.items())
    entries[f"{head}.dist-info/RECORD"] = f"{record}{head}.dist-info/RECORD,,\n".encode()
    path = folder.parent / f"{head}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            entry = zipfile.ZipInfo(name)  # without the time of now
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return path


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
