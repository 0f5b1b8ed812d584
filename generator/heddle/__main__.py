# SPDX-License-Identifier: Apache-2.0
"""The command line: `heddle <command>`, `python -m heddle --cmake-dir`.

Exit codes: 0 done; 1 the model was refused, committed files differ from what the model gives, a candidate is
wrong (explore), or the machine lacks what `heddle.load` needs (doctor); 2 wrong usage; 130 ended by Ctrl-C;
141 nobody reads the output any more.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import heddle
from heddle.colours import message
from heddle.commands import explore_options
from heddle.commands.lift_options import add_arguments
from heddle.commands.usage import Parser, check_precision
from heddle.emit.fortran_file import DIRECTIVES
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError

if TYPE_CHECKING:
    from heddle.module import Module

RUNS_PYTHON = "A model is a Python program, and this command runs it: use only models that you trust."
STAGES = ("symbolic", "kernel", "exchange", "scheduled", "lowered", "source")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parser = _parser()
    words, flags = _split(sys.argv[1:] if arguments is None else list(arguments))
    Parser.words = words
    options, unknown = parser.parse_known_args(_targets_last(words))
    if unknown:  # said with the usage of the command, not with that of all
        getattr(options, "misused", parser.error)(f"unrecognized arguments: {' '.join(unknown)}")
    options.flags = flags
    if options.command is None and not options.cmake_dir:
        parser.print_help()
        return 2
    try:
        code = _cmake_dir() if options.cmake_dir else int(options.run(options))
        sys.stdout.flush()
        return code
    except KernelError as error:
        if options.debug:
            traceback.print_exc()
        _say(str(error))
        return 1
    except KeyboardInterrupt:
        if options.debug:
            traceback.print_exc()
        _say("ended by Ctrl-C")
        return 128 + signal.SIGINT
    except BrokenPipeError:  # the reader of `heddle show model.py | head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        what = (
            "read or write the standard streams"
            if error.filename is None
            else f"write or read {error.filename}"
        )
        _say(f"cannot {what}: {error.strerror}")
        return 1
    except Exception as error:
        if options.debug:
            raise
        place = _model_line(error, options)
        remedy = "run again with --debug for the full trace"
        if place and isinstance(error, NameError):
            remedy = "import the name, or declare it with fields(...) or parameters(...)"
        _say(f"{place}{type(error).__name__}: {error}\n  Hint: {remedy}")
        return 1


def _say(text: str, warning: bool = False) -> None:
    """On the standard error."""
    print(message(text, sys.stderr, warning), file=sys.stderr)


def _cmake_dir() -> int:
    from heddle.resources import folder

    print(folder("runtime/cmake"))
    return 0


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """The words of the command, and the compiler's flags behind `--`."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def _targets_last(words: list[str]) -> list[str]:
    """The words with `--targets` and its targets at the end: a model's file may follow them."""
    if "--targets" not in words:
        return words
    first = words.index("--targets")
    last = first + 1
    while last < len(words) and words[last] in TARGETS:
        last += 1
    return words if last == first + 1 else words[:first] + words[last:] + words[first:last]


def _model_line(error: BaseException, options: argparse.Namespace) -> str:
    """Where in the model an ordinary Python error happened."""
    model = Path(getattr(options, "model", "")).name
    lines = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name == model
    ]
    return f"{model}:{lines[-1].lineno}: " if lines else ""


_CHECK = """Compare each file with what the model gives, byte for byte, and each kernel, read back with Clang,
with what was lowered. A kernel that was laid out anew or edited is read back, too, and the report says
whether it is proved to give the same bits. Exit code 0: all files are what the model gives, and all kernels
are proved. With --allow-edits files may differ in comments and layout, and those of a kernel in their text if
it is proved. Headers (.h, .hpp) are compared, not proved; no kernel is proved that includes another one."""


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="heddle", description="Mathematics in, C++ and CUDA kernels out.")
    parser.add_argument("--version", action="version", version=f"heddle {heddle.__version__}")
    parser.add_argument("--cmake-dir", action="store_true", help="print where heddle.cmake lies")
    parser.add_argument("--debug", action="store_true", help="show stack traces")
    names = "new | build | show | check | lift | explore | doctor | completion"
    commands = parser.add_subparsers(dest="command", metavar=names)

    build = commands.add_parser(
        "build",
        epilog="Example: heddle build model.py --out mine",
        help="write the files of a model",
        description=RUNS_PYTHON,
    )
    _common(build)
    build.add_argument("--out", type=Path, required=True, help="folder that receives the module's folder")
    build.add_argument(
        "--no-sweeps", action="store_true", help="leave out <module>_sweeps.hpp, which needs Heddle's runtime"
    )
    build.add_argument(
        "--python",
        metavar="TARGET",
        nargs="?",
        const="cpu",
        choices=("cpu", "cuda"),
        help="also compile a package for Python in OUT/python, and a wheel with it (default: cpu)",
    )
    build.add_argument(
        "--fortran",
        metavar="ARRAYS",
        nargs="?",
        const="host",
        choices=DIRECTIVES,
        help="also write <module>_f.f90 for arrays of the host (default), or of a device by the directives "
        "of openacc or openmp",
    )
    build.add_argument("--depfile", type=Path, help="write a Make rule with everything the output depends on")
    build.add_argument("--stamp", type=Path, help="file for the names of all files, written last")
    build.add_argument(
        "--precisions",
        nargs="+",
        metavar="P",
        help="those of the module that store f64, f32 or f16, and no others (default: all)",
    )
    build.add_argument("--expect-module", help="fail if the module has another name")
    build.add_argument("--expect-kernels", nargs="+", help="fail if the kernels are others")
    build.add_argument("--timings", action="store_true", help="print where the time went")
    build.set_defaults(run=_build)

    show = commands.add_parser(
        "show",
        epilog="Example: heddle show model.py step --stage lowered",
        help="print a kernel at one of its levels",
        description=RUNS_PYTHON,
    )
    _common(show)
    show.add_argument("kernel", nargs="?", help="default: every kernel")
    show.add_argument("--stage", choices=STAGES, default="source")
    show.add_argument("--target", choices=tuple(TARGETS), default="cpu")
    show.add_argument("--precision", help="default: those of the module, or the first of them")
    show.add_argument("--format", choices=("text", "json"), default="text")
    show.set_defaults(run=_show)

    check = commands.add_parser(
        "check",
        epilog="Example: heddle check model.py --against mine",
        help="prove that committed files are what the model gives, and do what was lowered",
        description=f"{_CHECK} {RUNS_PYTHON}",
    )
    _common(check, model="?")
    check.add_argument("--against", type=Path, help="folder with the module's folder")
    check.add_argument(
        "--build", type=Path, help="instead of a model: every committed module of a CMake build"
    )
    check.add_argument("--no-sweeps", action="store_true", help="the module was built with this option")
    check.add_argument("--text-only", action="store_true", help="compare the files, do not read them back")
    check.add_argument(
        "--allow-edits",
        action="store_true",
        help="accept other comments and layout, and another text of a kernel that is proved",
    )
    check.add_argument("--jobs", type=int, default=1, help="modules at a time (default: 1)")
    check.add_argument(
        "--part", type=_part, metavar="K/N", help="with --build: the K-th of N parts of the modules"
    )
    check.set_defaults(run=_check)

    lift = commands.add_parser(
        "lift",
        epilog="Example: heddle lift loops.cpp --function advect --out lifted -- -I include",
        help="turn a loop of a C++ or CUDA file into a model",
        usage="%(prog)s FILE ... [-- FLAG ...]",
        description="Clang reads the source, nothing in it is run. Building what comes of it runs the model.",
    )
    add_arguments(lift)
    lift.set_defaults(run=_lift)

    explore = commands.add_parser(
        "explore",
        help="search for the fastest variant, precision and schedule on this machine",
        description=explore_options.ABOUT,
        epilog=explore_options.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    explore_options.add_arguments(explore)
    explore.set_defaults(run=_explore)

    doctor = commands.add_parser(
        "doctor",
        epilog="Example: heddle doctor",
        help="say what Heddle finds on this machine, and how to install what lacks",
        description="Exit code 0: heddle.load works here; 1: it lacks something, which the report names.",
    )
    doctor.set_defaults(run=_doctor)

    new = commands.add_parser(
        "new",
        epilog="Example: heddle new heat --kind python",
        help="write a project that builds, runs and has a test",
        description="Write a small project to start from. It appears whole or not at all.",
    )
    new.add_argument(
        "folder", metavar="NAME", type=Path, help="name of the project, or a folder that ends in it"
    )
    new.add_argument(
        "--kind", choices=("cmake", "python"), default="cmake", help="what runs the kernels (default: cmake)"
    )
    new.set_defaults(run=_new)

    completion = commands.add_parser(
        "completion",
        epilog='Example: eval "$(heddle completion bash)"',
        help="print what makes a shell complete commands and options",
        description="Print a script for a shell: evaluate it where the shell starts, as in ~/.bashrc.",
    )
    completion.add_argument("shell", choices=("bash", "zsh"))
    completion.set_defaults(run=_completion)
    for command in commands.choices.values():
        command.set_defaults(misused=command.error)
        command.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help="show stack traces"
        )
    return parser


def _common(parser: argparse.ArgumentParser, model: str | None = None) -> None:
    parser.add_argument("model", type=Path, nargs=model, help="Python file that defines one Module")
    parser.add_argument(
        "--root", type=Path, help="emitted files name the model by its path below this folder (default: .)"
    )
    parser.add_argument("--targets", nargs="+", choices=tuple(TARGETS), default=["cpu", "cuda"])
    parser.add_argument(
        "--schedules",
        type=Path,
        metavar="FILE",
        help="schedules.json of heddle explore, in place of the model's",
    )
    parser.add_argument(
        "--machine", metavar="NAME", help="as --schedules has it; default: this processor and GPU"
    )


def _loaded(options: argparse.Namespace, targets: Sequence[str]) -> Module:
    """The module of a command, with the schedules that it names; prints what is to be said of both."""
    from heddle.build import load

    module = load(options.model, options.root)
    for remark in module.remarks:
        _remark(remark)
    if options.machine and not options.schedules:
        raise KernelError(
            "heddle", "--machine chooses from a file of schedules.", "add --schedules schedules.json"
        )
    if options.schedules:
        from heddle.explored_schedules import use

        module, remarks = use(module, options.schedules, targets, options.machine)
        for remark in remarks:
            _remark(remark)
    return module


def _build(options: argparse.Namespace) -> int:
    started = time.perf_counter()
    from heddle.build import (
        Timings,
        cut_integers,
        edited_files,
        files,
        fortran_files,
        keep_precisions,
        remove_leftovers,
        write,
        write_depfile,
    )

    timings = Timings()
    since = timings.add("import", started)
    module = _loaded(options, options.targets)
    timings.add("model", since)
    if options.expect_module and module.name != options.expect_module:
        raise KernelError(
            options.model.name,
            f"the module is named '{module.name}', but '{options.expect_module}' was expected.",
            f"in CMake write heddle_add_kernels(... MODULE {module.name})",
        )
    if options.expect_kernels and set(options.expect_kernels) != set(module.kernels):
        raise KernelError(
            options.model.name,
            f"the module defines the kernels {', '.join(module.kernels)}, but "
            f"{', '.join(options.expect_kernels)} were expected.",
            f"in CMake write KERNELS {' '.join(module.kernels)}",
        )
    if options.precisions:
        keep_precisions(module, options.precisions)
    texts = files(module, options.targets, timings, sweeps=not options.no_sweeps)
    if options.fortran:
        texts |= fortran_files(module, options.targets, options.fortran)
    since = time.perf_counter()
    for remark in cut_integers(module):
        _remark(remark)
    for name in edited_files(texts, options.out):
        _remark(f"{options.out / name} was edited by hand; what the model gives takes its place.")
    written = write(texts, options.out)
    removed, edited = remove_leftovers(module, options.out)
    timings.add("write", since)
    if options.depfile:
        stamp = options.stamp or options.out / module.name
        write_depfile(options.depfile, stamp, options.model, options.schedules)
    if options.stamp:
        options.stamp.parent.mkdir(parents=True, exist_ok=True)
        options.stamp.write_text("".join(f"{name}\n" for name in texts))
    print(
        f"heddle: {module.name}: {len(texts)} files, {len(written)} changed, in {options.out / module.name}"
    )
    if removed:
        print(f"heddle: {module.name}: removed {', '.join(removed)}, which no kernel gives any more")
    for name in edited:
        _remark(
            f"{options.out / module.name / name} is of a kernel that the model does not have, and was "
            "edited by hand.\n  Hint: remove it"
        )
    if options.python:
        from heddle.python.package import build_package

        package, wheel = build_package(module, options.python, options.out, heddle.__version__)
        print(f"heddle: {module.name}: package {package}, wheel {wheel}")
    if options.timings:
        for stage, seconds in timings.seconds.items():
            print(f"  {seconds * 1000:8.1f} ms  {stage}")
        beyond = sum(seconds for stage, seconds in timings.seconds.items() if stage != "import")
        print(f"  {beyond * 1000:8.1f} ms  in all, beyond imports")
    return 0


def _remark(text: str) -> None:
    _say(text, warning=True)


def _doctor(options: argparse.Namespace) -> int:
    from heddle.python.doctor import report

    return report()


def _explore(options: argparse.Namespace) -> int:
    from heddle.commands.explore import run

    return run(options)


def _completion(options: argparse.Namespace) -> int:
    from heddle.commands.completion import script

    print(script(_parser(), options.shell), end="")
    return 0


def _new(options: argparse.Namespace) -> int:
    from heddle.commands.new import run

    return run(options)


def _lift(options: argparse.Namespace) -> int:
    from heddle.commands.lift import run

    return run(options)


def _show(options: argparse.Namespace) -> int:
    from heddle.build import files
    from heddle.ir.json import to_json
    from heddle.ir.text import text

    module = _loaded(options, [options.target])
    if options.precision:
        check_precision("--precision", options.precision)
        module.precisions = (options.precision,)
    if options.kernel and options.kernel not in module.kernels:
        raise KernelError(
            options.model.name,
            f"the module has no kernel '{options.kernel}'.",
            f"choose one of: {', '.join(module.kernels)}",
        )
    names = [options.kernel] if options.kernel else list(module.kernels)
    if options.stage == "source":
        texts = files(module, [options.target])
        for name in names:
            print(texts[f"{module.name}/{name}{TARGETS[options.target].files[0]}"])
        return 0
    for name in names:
        if options.stage == "symbolic":
            for statement in module.kernels[name].statements:
                print(_statement_text(statement))
            continue
        if options.stage == "exchange":
            _show_exchange(module, name)
            continue
        stages = module.stages(name, module.precisions[0], options.target)
        kernel = getattr(stages, options.stage)
        print(to_json(kernel) if options.format == "json" else text(kernel))
    return 0


def _show_exchange(module: Module, name: str) -> None:
    from heddle.halo import dense, sparse
    from heddle.ir.schedule import precision

    model = module.kernels[name]
    kernel = model.typed(precision(module.precisions[0]))
    if kernel.space.is_box:
        for found in dense.exchanges(kernel, model.place):
            print(dense.text(found))
    elif not kernel.space.packs and not kernel.space.listed:
        for exchange in sparse.list_exchanges(kernel, model.place, module.ends):
            print(sparse.text(exchange, kernel.space.links))


def _statement_text(statement: object) -> str:
    target, value = getattr(statement, "target", None), getattr(statement, "value", None)
    return f"{target} = {value}" if target is not None else str(statement)


def _part(text: str) -> tuple[int, int]:
    """K/N: the number of a part, counted from 1, and how many there are."""
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"'{text}' is not K/N with 1 <= K <= N, for example 1/2")
    return int(part), int(parts)


def _check(options: argparse.Namespace) -> int:
    from heddle.commands.check import Committed, check, of_build

    if (options.model is None) == (options.build is None) or (options.model is None) == bool(options.against):
        options.misused("give MODEL --against FOLDER, or --build FOLDER")
    if options.part and not options.build:
        options.misused("--part needs --build")
    committed = (
        of_build(options.build, *(options.part or ()))
        if options.build
        else [
            Committed(
                options.model,
                tuple(options.targets),
                options.against,
                not options.no_sweeps,
                options.root,
                options.schedules,
                options.machine,
            )
        ]
    )
    return check(committed, not options.text_only, options.jobs, options.allow_edits)


if __name__ == "__main__":
    sys.exit(main())
