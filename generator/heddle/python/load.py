# SPDX-License-Identifier: Apache-2.0
"""heddle.load: the kernels of a model as functions of Python, compiled once into the user's cache."""

from __future__ import annotations

import ctypes
import dataclasses
import warnings
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from heddle.build import files, listed_kernels, python_files, python_kernels, python_name
from heddle.build import load as run_model
from heddle.emit.python_file import PYTHON_CALL, list_tables, writes_links
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.explored_schedules import use
from heddle.ir.space import Link
from heddle.module import Module
from heddle.python import cache
from heddle.python.arrays import memory_of, stream_of
from heddle.python.cell_list import ListKernel
from heddle.python.compiler import compiler

RUN_FROM_PYTHON = tuple(t.name for t in TARGETS.values() if t.gpu is None or t.gpu.in_runtime)


class Kernels:
    """The kernels of a module, each a function with keywords: kernels.step(u=u, u_next=v, alpha=0.1).

    Arrays are anything with __dlpack__ or the buffer protocol; nothing is copied. Axes are in NumPy's order,
    the reverse of the model's: u[z, y, x], and f[q, z, y, x] with components. `ghosts=1`, or one number for
    each axis: so many cells at each side of the arrays are ghost layers; without it arrays are interiors,
    and their ghost layers lie around these views. On a GPU a call runs in the stream in which the library of
    its first array works now, or in `stream=`, and does not wait. What a Reduce computes is returned: a
    number, or several as a dictionary; then a call on a GPU does wait. Kernels over a list of cells take it
    as `cells=`, a heddle.CellList, and arrays of its cells, f[q, cell]. What does not fit raises KernelError,
    and nothing has been touched.

    folder: sources, headers and the library, in the cache.
    """

    folder: Path

    def __init__(
        self,
        module: str,
        folder: Path,
        functions: dict[str, Callable[..., Any]],
        others: tuple[str, ...],
        links: Callable[[], tuple[Link, ...]],
        model: Module | None = None,
        target: str = "",
    ) -> None:
        self._module, self._functions, self._others, self._links = module, functions, others, links
        self._loaded = model, target
        self.__dict__.update({"folder": folder} | functions)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._others:
            raise KernelError(
                self._module,
                f"'{name}' is no function of Python: it runs over some cells of a box, packs messages, or "
                "takes values of rows, or arrays of another grid.",
                "call it from C++, or add a kernel over all cells of a box or of a list",
            )
        near = get_close_matches(name, self._functions, n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise KernelError(
            self._module, f"there is no kernel '{name}'.", f"{hint}The kernels are: {', '.join(self)}"
        )

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return self._functions[name] if name in self._functions else self.__getattr__(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    @property
    def loaded(self) -> tuple[Module, str]:
        """The module and the target that they were loaded for."""
        model, target = self._loaded
        if model is None:
            raise KernelError(self._module, "these kernels were not loaded by heddle.load.", "load them so")
        return model, target

    def __dir__(self) -> list[str]:
        return [*self._functions, "folder"]

    def __repr__(self) -> str:
        """A signature a line."""
        return "\n".join((f.__doc__ or "").rpartition("\n")[2] for f in self._functions.values())


def load(
    model: str | Path | Module,
    target: str = "cpu",
    *,
    precisions: Sequence[str] | None = None,
    schedules: str | Path | None = None,
    machine: str | None = None,
    verbose: bool = False,
) -> Kernels:
    """The kernels of a model as functions of Python.

    model: a file that defines one Module, or the Module. A file is run: load only models that you trust.
    target: "cpu", "cuda", or "reference", which is slow and checks every index. precisions: in place of the
    module's; a call takes the one that its arrays have. schedules: a schedules.json that `heddle explore`
    wrote: its schedules take the place of the model's; what it lacks is a warning. machine: as that file
    has it, by default this one. verbose: print the commands that compile.

    Compiles what `heddle build` writes, once, into the cache (HEDDLE_CACHE, else XDG_CACHE_HOME/heddle;
    HEDDLE_CACHE=off keeps nothing), with CXX and CXXFLAGS or with nvcc (CUDACXX). The same text, flags and
    compiler are found there again. Raises KernelError for a model that is refused, and where a compiler is
    missing or fails.
    """
    if target not in RUN_FROM_PYTHON:
        raise KernelError(
            "heddle.load", f"'{target}' is no target for Python.", f"one of: {', '.join(RUN_FROM_PYTHON)}"
        )
    module = module_of(model, precisions)
    if schedules is not None:
        module, remarks = use(module, Path(schedules), [target], machine)
        for remark in remarks:
            warnings.warn(remark, stacklevel=2)
    elif machine is not None:
        raise KernelError("heddle.load", "machine= chooses from a file of schedules.", "add schedules=")
    known = compiler(TARGETS[target])
    job = job_of(module, target)
    path = cache.library(job, known, verbose)
    functions = over_lists(module, functions_of(path, entry_name(module, target)), target)
    others = tuple(n for n in module.kernels if n not in functions)
    return Kernels(module.name, path.parent, functions, others, lambda: module.links, module, target)


def over_lists(
    module: Module, functions: dict[str, Callable[..., Any]], target: str
) -> dict[str, Callable[..., Any]]:
    """The functions of a compiled module, of which those over lists take `cells`."""
    lists = {name: _over_list(module, name, functions[name], target) for name in listed_kernels(module)}
    return functions | lists


def _over_list(module: Module, name: str, function: Callable[..., Any], target: str) -> ListKernel:
    kernel = module.typed(name, module.precisions[0])
    tables = list_tables(kernel, TARGETS[target].gpu is not None)
    return ListKernel(module.name, name, function, tables, kernel.space.links, writes_links(kernel))


def job_of(module: Module, target: str) -> cache.Job:
    """What is compiled for a target."""
    texts = files(module, [target], sweeps=False) | python_files(module, target)
    names = python_kernels(module)
    if not names:
        raise KernelError(
            module.name,
            "no kernel is a function of Python: none runs over all cells of a box or of a list.",
            "call them from C++",
        )
    sources = [f"{module.name}/{name}{TARGETS[target].files[-1]}" for name in names]
    calls = [f"{module.name}/{python_name(module, target)}"]
    return cache.Job(module.name, texts, sources, calls, f"heddle/device/python/{PYTHON_CALL}")


def entry_name(module: Module, target: str) -> str:
    """The function of the library that gives the kernels."""
    return f"{module.name}_python{TARGETS[target].suffix}"


def functions_of(library: Path, entry: str) -> dict[str, Callable[..., Any]]:
    """The functions of a compiled module by their names."""
    try:
        start = getattr(ctypes.PyDLL(str(library)), entry)
    except (OSError, AttributeError) as error:
        raise KernelError(
            "heddle.load",
            f"{library} cannot be loaded: {error}.",
            "remove its folder; CPython 3.11 or newer is needed",
        ) from error
    start.restype, start.argtypes = ctypes.py_object, [ctypes.py_object] * 3
    made: dict[str, Callable[..., Any]] = start(KernelError, stream_of, memory_of)
    return made


def module_of(model: str | Path | Module, precisions: Sequence[str] | None) -> Module:
    """The module, named in emitted files by its file alone: the cache is the same from every folder."""
    if isinstance(model, Module):
        module, file = model, model.model or Path(model.name)
        shown = Path(file.name) if file.is_file() else Path(f"{model.name}.py")  # no cell of a notebook
    else:
        path = Path(model)
        module = run_model(path, path.resolve().parent)
        shown = Path(path.name)
        for remark in module.remarks:
            warnings.warn(remark, stacklevel=3)
    module = dataclasses.replace(module, precisions=module.precisions if precisions is None else precisions)
    module.model = shown
    return module
