# SPDX-License-Identifier: Apache-2.0
"""Build: all files of a module as text, and how they are written."""

from __future__ import annotations

import runpy
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import heddle
from heddle.emit.files import comment_lines, comment_text, finished, write_if_changed
from heddle.emit.fortran_file import Directives, fortran_file, fortran_name
from heddle.emit.kernel_files import Variant, cpp_files, device_headers, gpu_files, kernel_headers
from heddle.emit.module_files import WRAPPER_HEADER, c_header, cpp_header
from heddle.emit.python_file import PYTHON_HEADERS, in_python, python_file
from heddle.emit.sweep_file import sweep_header
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.garbage_collection import without_search
from heddle.halo.walls import DenseKernel, check_walls
from heddle.ir.intervals import loses_bits
from heddle.ir.legality import check_runs
from heddle.ir.nodes import Access, Gather, Let, Store
from heddle.ir.schedule import precision
from heddle.ir.space import Dense
from heddle.ir.visit import nodes_of
from heddle.leftovers import is_edited, leftovers
from heddle.model.assignment import symbols_of
from heddle.model.field import Parameter, forget_declarations
from heddle.module import KernelModel, Module
from heddle.python_errors import explained
from heddle.resources import folder
from heddle.slow_models import named_if_slow


@dataclass
class Timings:
    """Seconds spent in each stage."""

    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, stage: str, since: float) -> float:
        now = time.perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - since
        return now


def shown(model: Path, root: Path | None = None) -> Path:
    """The path by which emitted files name a model; see `load`."""
    path, top = model.resolve(), (root or Path.cwd()).resolve()
    return path.relative_to(top) if path.is_relative_to(top) else Path(model.name)


def load(model: Path, root: Path | None = None) -> Module:
    """Run a model file and return its one Module.

    root: emitted files name the model by its path below this folder; by default below the current one. A
    model elsewhere is named without its folder, since no path of a machine belongs into emitted files.
    """
    return module_in(names_of(model), model, root)


def names_of(model: Path) -> dict[str, object]:
    """Run a model file and return what it defines."""
    if not model.is_file():
        what = "this is a folder, not a model." if model.is_dir() else "the model file does not exist."
        raise KernelError(str(model), what, "pass the path of a Python file")
    sys.path.insert(0, str(model.parent))
    try:
        with named_if_slow(model):
            names = runpy.run_path(str(model))
    except SystemExit as end:
        raise KernelError(
            model.name,
            "the model ends the interpreter while it is loaded.",
            "remove sys.exit() from the model",
        ) from end
    except KernelError:
        raise
    except Exception as error:
        known = explained(error, model)
        if known is None:
            raise
        raise known from error
    finally:
        sys.path.remove(str(model.parent))
        forget_declarations(str(model))
    return names


def module_in(names: Mapping[str, object], model: Path, root: Path | None = None) -> Module:
    """The one Module of what a model file defines. root: see `load`."""
    modules = list({id(value): value for value in names.values() if isinstance(value, Module)}.values())
    if len(modules) != 1:
        raise KernelError(
            model.name,
            f"the file defines {len(modules)} modules; exactly one is expected.",
            "define one: name = Module(...)",
        )
    modules[0].model = shown(model, root)
    modules[0].remarks = unused_parameters(modules[0], names)
    return modules[0]


def keep_precisions(module: Module, stored: Sequence[str]) -> None:
    """Leave the module those of its precisions that store one of these: "f64", "f32", "f16". Raises
    KernelError where it has none for one of them."""
    own = {name: str(precision(name).storage) for name in module.precisions}
    for wanted in stored:
        if wanted not in own.values():
            raise KernelError(
                module.name,
                f"the module has no precision that stores {wanted}.",
                f"choose from {', '.join(dict.fromkeys(own.values()))}",
            )
    module.precisions = tuple(name for name, kept in own.items() if kept in stored)


def unused_parameters(module: Module, names: Mapping[str, object]) -> tuple[str, ...]:
    """What to say of parameters that a model declares and no kernel uses: often a symbol was mistyped, and
    became an argument. names: those of the model."""
    values = [each for value in names.values() for each in (value if isinstance(value, tuple) else (value,))]
    declared = {value.name for value in values if isinstance(value, Parameter)}
    models = [entry for entry in module.kernels.values() if isinstance(entry, KernelModel)]
    used = {name: symbols_of(entry.statements) for name, entry in ((m.name, m) for m in models)}
    everything = {symbol for symbols in used.values() for symbol in symbols}
    remarks = []
    for name in sorted(declared - everything):
        others = sorted(everything - declared)
        near = [other for other in get_close_matches(name, others, n=1)]
        remark = f"the parameter '{name}' is declared, but no kernel uses it."
        if near:
            kernel = next(kernel for kernel, symbols in used.items() if near[0] in symbols)
            remark += f"\n  Hint: '{kernel}' uses '{near[0]}', which is declared nowhere"
        remarks.append(f"{module.model.name if module.model else module.name}: {remark}")
    return tuple(remarks)


def cut_integers(module: Module) -> tuple[str, ...]:
    """What to say of integers of 64 bits that a model stores to fields of fewer: the rest is cut off."""
    remarks = dict[str, None]()
    for kernel, entry in module.kernels.items():
        if not isinstance(entry, KernelModel):
            continue
        nodes = nodes_of(module.typed(kernel, module.precisions[0]))
        values = {let.symbol.name: let.value for let in nodes if isinstance(let, Let)}
        for store in nodes:
            if isinstance(store, Store) and loses_bits(store.value, values):
                assert isinstance(store.target, (Access, Gather))
                name, bits = store.target.field.name, store.target.type.bits
                remarks[
                    f"{store.place}: the value stored to '{name}' may need 64 bits, and its lowest {bits} "
                    f"are kept.\n  Hint: declare '{name}' as int64"
                ] = None
    return tuple(remarks)


@without_search()
def files(
    module: Module, targets: Sequence[str], timings: Timings | None = None, *, sweeps: bool = True
) -> dict[str, str]:
    """Every file of a module, and the device headers beside it: path below the output folder -> text.

    sweeps: with <module>_sweeps.hpp, the only file that needs the runtime.
    """
    timings = timings or Timings()
    wanted = [TARGETS[name] for name in targets]
    if not module.kernels:
        raise KernelError(module.name, "the module has no kernels.", "add one: module.add(name, statements)")
    check_walls(dense_kernels(module))
    result: dict[str, str] = {}
    headers = {WRAPPER_HEADER}
    declared: dict[str, list[Variant]] = {}
    for name, entry in module.kernels.items():
        check_runs(name, entry.space, entry.place)
        since = time.perf_counter()
        for chosen in module.precisions:
            module.typed(name, chosen)
        since = timings.add("from_sympy, types, dependences", since)
        for target in wanted:
            since = time.perf_counter()
            cited, origin = isinstance(entry, KernelModel), _origin(module, name, target.name)
            banner = _banner(module, entry.about, cited=cited, origin=origin)
            variants = _variants(module, name, target.name)
            declared.setdefault(name, variants)
            since = timings.add("schedule, lower", since)
            written = gpu_files if target.threads else cpp_files
            texts = written(module.name, name, variants, target, banner)
            for end, text in zip(target.files, texts, strict=True):
                result[f"{module.name}/{name}{end}"] = text
            headers.update(kernel_headers(variants, target))
            timings.add("print, format", since)
    since = time.perf_counter()
    banner = _banner(module, module.about, cited=True)
    result[f"{module.name}/{module.name}.h"] = c_header(module.name, declared, wanted, banner)
    banner = _banner(module, module.about)
    result[f"{module.name}/{module.name}.hpp"] = cpp_header(module.name, declared, wanted, banner)
    if sweeps:
        result[f"{module.name}/{module.name}_sweeps.hpp"] = sweep_header(module, declared, wanted, banner)
    result = finished(result)
    for header, text in device_headers(headers).items():
        result[f"heddle/device/{header}"] = text
    timings.add("print, format", since)
    return result


def _variants(module: Module, kernel: str, target: str) -> list[Variant]:
    """A kernel in all precisions of its module, for a target."""
    return [
        Variant(precision(p), module.stages(kernel, p, target), module.schedule(kernel, p))
        for p in module.precisions
    ]


def fortran_files(module: Module, targets: Sequence[str], directives: Directives = "host") -> dict[str, str]:
    """The module of Fortran with all kernels for these targets, beside its `files`. directives: see
    `fortran_file`."""
    wanted = [TARGETS[name] for name in targets]
    kernels = {name: _variants(module, name, targets[0]) for name in module.kernels}
    text = fortran_file(module.name, kernels, wanted, directives, _banner(module, module.about))
    return {f"{module.name}/{fortran_name(module.name)}": text}


def python_files(module: Module, target: str) -> dict[str, str]:
    """What makes functions of Python of a module's kernels for one target, beside its `files`."""
    chosen = TARGETS[target]
    kernels = {name: _variants(module, name, target) for name in python_kernels(module)}
    text = python_file(module.name, kernels, module.layers, chosen, _banner(module, module.about))
    result = finished({f"{module.name}/{python_name(module, target)}": text})
    headers = [*PYTHON_HEADERS, *(["gpu.hpp"] if chosen.gpu is not None else [])]
    for header in headers:
        path = folder("runtime/include") / "heddle" / "device" / "python" / header
        result[f"heddle/device/python/{header}"] = path.read_text()
    return result | {
        f"heddle/device/{name}": text for name, text in device_headers(["preconditions.hpp"]).items()
    }


def python_kernels(module: Module) -> list[str]:
    """The kernels that are functions of Python, too."""
    return [
        name
        for name, entry in module.kernels.items()
        if isinstance(entry, KernelModel) and in_python(module.typed(name, module.precisions[0]))
    ]


def listed_kernels(module: Module) -> list[str]:
    """Those of python_kernels that run over lists of cells."""
    return [name for name in python_kernels(module) if module.kernels[name].space.is_list]


def python_name(module: Module, target: str) -> str:
    """The file that `python_files` gives for a target, in the module's folder."""
    return f"{module.name}_python{TARGETS[target].suffix}.cpp"


def dense_kernels(module: Module) -> dict[str, DenseKernel]:
    """The dense kernels of a module, for what they have to agree on."""
    return {
        name: DenseKernel(
            module.typed(name, module.precisions[0]), entry.space.walls, entry.role, entry.ends, entry.place
        )
        for name, entry in module.kernels.items()
        if isinstance(entry, KernelModel) and isinstance(entry.space, Dense)
    }


def _origin(module: Module, kernel: str, target: str) -> list[str]:
    """Where schedules come from that are not the model's: one line for each machine."""
    machines: dict[str, list[str]] = {}
    for chosen in module.precisions:
        tuned = module.tuned.get((kernel, chosen))
        if tuned is not None and target in tuned.origin:
            machines.setdefault(tuned.origin[target], []).append(precision(chosen).suffix)
    return [
        f"Schedule of {', '.join(suffixes)} from a file: the best that was explored on {name}."
        for name, suffixes in machines.items()
    ]


def _banner(module: Module, about: str, *, cited: bool = False, origin: Sequence[str] = ()) -> dict[str, Any]:
    """What the banner of a file says. cited: with the citation, where the mathematics stands. origin: of
    schedules that are not the model's."""
    assert module.model is not None
    text = about or module.about or f"Module {module.name}."
    if cited and module.citation:
        text = f"{text} {module.citation}"
    return {
        "version": heddle.__version__,
        "model": comment_text(module.model.name if module.model.is_absolute() else module.model.as_posix()),
        "about": comment_lines([text, *origin]),
    }


def write(texts: dict[str, str], out: Path) -> list[str]:
    """Write what changed; returns the paths written."""
    return [name for name, text in texts.items() if write_if_changed(out / name, text)]


def remove_leftovers(module: Module, out: Path) -> tuple[list[str], list[str]]:
    """Remove files that an earlier build wrote for kernels that are gone. Returns their names, and those of
    files that stay because somebody edited them."""
    removed, edited = [], []
    for path in leftovers(out / module.name, module.name, module.kernels):
        if is_edited(path):
            edited.append(path.name)
        else:
            path.unlink()
            removed.append(path.name)
    return removed, edited


def edited_files(texts: Mapping[str, str], out: Path) -> list[str]:
    """The files that differ from what they are to be because somebody edited them."""
    return [name for name in texts if is_edited(out / name)]


def dependencies(model: Path, schedules: Path | None = None) -> list[Path]:
    """Every file that the output depends on: the model, what it imported, a file of schedules, the generator,
    templates, device headers."""
    root = Path(heddle.__file__).resolve().parent
    found = {model.resolve(), *([schedules.resolve()] if schedules else [])}
    for imported in list(sys.modules.values()):
        file = getattr(imported, "__file__", None)
        if file and (
            Path(file).resolve().is_relative_to(root) or Path(file).resolve().parent == model.resolve().parent
        ):
            found.add(Path(file).resolve())
    found |= set(folder("templates").glob("*.j2"))
    found |= set((folder("runtime/include") / "heddle" / "device").glob("*.hpp"))
    return sorted(found)


def write_depfile(path: Path, stamp: Path, model: Path, schedules: Path | None = None) -> None:
    """A Make rule: stamp depends on all of these."""
    files = dependencies(model, schedules)
    lines = " \\\n  ".join(str(file).replace(" ", "\\ ") for file in files)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{str(stamp).replace(' ', chr(92) + ' ')}: \\\n  {lines}\n")
