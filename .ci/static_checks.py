# SPDX-License-Identifier: Apache-2.0
"""Checks of hand-written files that compile nothing: `static_checks.py <check> [file...]`.

    format  clang-format for C++ and CUDA, ruff format for Python (with --fix: lay them out)
    lint    ruff for Python; bash and shellcheck (where it is installed) for shell scripts
    text    line length, blanks, final newline, licence line, size, links of Markdown pages, files per folder

Without files: everything that git tracks, less what others wrote: emitted files and inputs of heddle-lift.
With files (as pre-commit calls it): those of them that a check covers.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = "generator/pyproject.toml"
COLUMNS = 110
TEXT_KIB, PICTURE_KIB = 160, 600
FILES_PER_FOLDER = 35

# Emitted text, sources whose expected output names lines and columns, inputs of fuzzers: they stay as they
# are.
NOT_WRITTEN_HERE = re.compile(
    r"(generated|tests/golden|tests/generator/emit/golden|tests/lift/\w+|tests/fuzz/corpus)/"
    r"|tests/lift/\w+\.txt$|runtime/include/heddle/device/math\.hpp$"
)
CPP = {".cpp", ".hpp", ".cu", ".cuh", ".c", ".h"}
PICTURES = {".png"}
# A line of these has at most COLUMNS characters.
MEASURED = {*CPP, ".py", ".cmake", ".sh", ".f90", ".toml", ".yaml"}
# The licence is named in their first line; in the second after an interpreter's name.
LICENSED = {*MEASURED, ".j2", ".clang-format", ".clang-tidy"}
# A tail that a type checker reads must stand in the line that it speaks of.
PRAGMA = re.compile(r"  # (type: ignore|noqa)\b.*$")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *#*$", re.MULTILINE)
CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def kind(name: str) -> str:
    """What a file is, said as the end of a name; an executable without one by its first line."""
    path = PurePosixPath(name)
    if path.name == "CMakeLists.txt":
        return ".cmake"
    if path.suffix or path.name.startswith("."):
        return path.suffix or path.name
    if os.access(ROOT / name, os.X_OK):
        first = (ROOT / name).read_bytes().partition(b"\n")[0]
        return ".sh" if re.match(rb"#!.*\b(ba)?sh$", first) else ""
    return ""


def tracked() -> list[str]:
    """All files of the working tree that git tracks, or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


def written_here(names: Iterable[str]) -> list[str]:
    return [name for name in names if not NOT_WRITTEN_HERE.match(name)]


def program(name: str) -> str:
    """A program of the Python that runs this, else of the PATH."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def said_by(command: Sequence[str], names: Sequence[str]) -> list[str]:
    """What a program says about some files, in a few processes at once; nothing if it is content."""
    workers = os.cpu_count() or 1
    size = max(1, -(-len(names) // (4 * workers)))
    parts = [names[begin : begin + size] for begin in range(0, len(names), size)]

    def run(part: Sequence[str]) -> str:
        done = subprocess.run(
            [*command, *part],
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.stdout.strip() or f"{command[0]} fails" if done.returncode else ""

    with ThreadPoolExecutor(workers) as pool:
        return [text for text in pool.map(run, parts) if text]


# ---------------------------------------------------------------- the checks: what is wrong with some files


def check_format(names: Sequence[str], fix: bool) -> Iterator[str]:
    cpp = [name for name in names if kind(name) in CPP]
    python = [name for name in names if kind(name) == ".py"]
    how = ["-i"] if fix else ["--dry-run", "-Werror"]
    yield from said_by([program("clang-format"), *how], cpp)
    how = [] if fix else ["--check", "--diff"]
    yield from said_by(
        [program("ruff"), "format", "--quiet", "--force-exclude", "--config", SETTINGS, *how], python
    )


def check_lint(names: Sequence[str], fix: bool) -> Iterator[str]:
    python = [name for name in names if kind(name) == ".py"]
    shell = [name for name in names if kind(name) == ".sh"]
    how = ["--fix"] if fix else []
    yield from said_by(
        [program("ruff"), "check", "--quiet", "--force-exclude", "--config", SETTINGS, *how], python
    )
    for name in shell:  # bash takes one script
        yield from said_by(["bash", "-n"], [name])
    if shutil.which("shellcheck"):
        yield from said_by(["shellcheck"], shell)


def check_text(names: Sequence[str], fix: bool) -> Iterator[str]:
    del fix  # by hand
    everything = written_here(tracked())
    yield from crowded_folders(names, everything)
    yield from twin_tests(everything)
    for name in names:
        ending, data = kind(name), (ROOT / name).read_bytes()
        limit = PICTURE_KIB if ending in PICTURES else TEXT_KIB
        if len(data) > limit * 1024:
            yield f"{name}: {len(data) // 1024} KiB; at most {limit} belong into the repository"
        if ending in PICTURES or not data:
            continue
        try:
            text = data.decode()
        except UnicodeDecodeError as problem:
            yield f"{name}: not UTF-8 ({problem.reason} at byte {problem.start})"
            continue
        yield from (f"{name}{what}" for what in faults_of_lines(text, ending))
        if ending == ".md":
            yield from (f"{name}: {what}" for what in broken_links(name, text))


def faults_of_lines(text: str, ending: str) -> Iterator[str]:
    """Faults of a text file, each after the number of its line."""
    lines = text.split("\n")
    if lines[-1] or not any(lines[-2:-1]):
        yield f":{len(lines)}: ends with one newline, not with none or with an empty line"
    if ending in LICENSED:
        first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        if "SPDX-License-Identifier: " not in first:
            yield ":1: begins with its SPDX-License-Identifier"
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            yield f":{number}: a tab"
        if "\r" in line:
            yield f":{number}: a carriage return"
        if line.rstrip() != line:
            yield f":{number}: blanks at the end"
        length = len(PRAGMA.sub("", line) if ending == ".py" else line)
        if ending in MEASURED and length > COLUMNS:
            yield f":{number}: {length} columns; at most {COLUMNS}"


def crowded_folders(names: Iterable[str], everything: Iterable[str]) -> Iterator[str]:
    """Folders of some files that hold too many of all files; pages do not count."""
    count = Counter(PurePosixPath(name).parent for name in everything if kind(name) != ".md")
    for folder in sorted({PurePosixPath(name).parent for name in names}):
        if count[folder] > FILES_PER_FOLDER:
            yield f"{folder}: {count[folder]} files; at most {FILES_PER_FOLDER} per folder: split by topic"


def twin_tests(everything: Iterable[str]) -> Iterator[str]:
    """Tests of the generator whose files have one name: pytest refuses the second, since folders of tests are
    no packages."""
    first: dict[str, str] = {}
    for name in sorted(everything):
        path = PurePosixPath(name)
        if path.is_relative_to("tests/generator") and path.match("test_*.py"):
            if path.name in first:
                yield f"{name}: has the name of {first[path.name]}, and pytest takes one of them"
            first.setdefault(path.name, name)


def anchors(text: str) -> set[str]:
    """What links can name in a page: its headings, as GitHub spells them."""
    headings = HEADING.findall(CODE_BLOCK.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(name: str, text: str) -> Iterator[str]:
    """Links to files that are not there, or to headings that a page does not have."""
    for target in LINK.findall(CODE_BLOCK.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        page = (ROOT / name).parent / path if path else ROOT / name
        if not page.exists():
            yield f"links to {target}, which is not there"
        elif anchor and page.suffix == ".md" and anchor not in anchors(page.read_text()):
            yield f"links to {target}: no such heading"


CHECKS: dict[str, Callable[[Sequence[str], bool], Iterator[str]]] = {
    "format": check_format,
    "lint": check_lint,
    "text": check_text,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks of hand-written files that compile nothing")
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--fix", action="store_true", help="mend what a program can mend")
    parser.add_argument("files", nargs="*", help="default: every hand-written file")
    given = parser.parse_args()
    named = [Path(name).resolve().relative_to(ROOT).as_posix() for name in given.files]
    names = written_here(named or tracked())
    faults = list(CHECKS[given.check](names, given.fix))
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{given.check}: {len(names)} files, {'faults: see above' if faults else 'no faults'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
