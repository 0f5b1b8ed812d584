# SPDX-License-Identifier: Apache-2.0
"""clang-tidy on what a change touches: `tidy.py --build build/dev [--minutes 5] [file...]`.

A change is what differs from the merge base with the upstream branch (without one, or level with it: from the
commit before), and what is not committed yet. A header is checked through one source that includes it. When
the minutes are over, no further file is begun, and what was left out is named.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from static_checks import ROOT, program, tracked, written_here

INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.MULTILINE)
MISSING = re.compile(r"error: '([^']+)' file not found")
# GCC's -march=native can name features that Clang takes under another name; headers that GCC has precompiled
# are read as text; and GCC has warnings and parameters that Clang does not know.
FLAGS = (
    "--extra-arg=-Wno-invalid-feature-combination",
    "--extra-arg=-Wno-ignored-gch",
    "--extra-arg=-Wno-unknown-warning-option",
    "--extra-arg=-Wno-unused-command-line-argument",
)
UNITY_PART = re.compile(r'^#include "(/.*)"$', re.MULTILINE)
# How many warnings clang-tidy has left out: not a finding.
COUNTS = re.compile(r"^(\d+ warnings? .*generated\.|Suppressed .*|Use -header-filter.*)$\n?", re.MULTILINE)


def git(*arguments: str) -> list[str]:
    """The lines that a command of git prints; none if it fails."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def changed() -> list[str]:
    """The files that the change of this branch touches, and those that are not committed."""
    base = git("merge-base", "HEAD", "@{upstream}")
    if not base or base == git("rev-parse", "HEAD"):
        base = git("rev-parse", "--verify", "--quiet", "HEAD~1")
    names = set(git("diff", "--name-only", *base))  # from there to the working tree
    return sorted(names | set(git("ls-files", "--others", "--exclude-standard")))


def single_commands(commands: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Commands of a build, with one for each source that a unity file includes."""
    single = []
    for command in commands:
        path = Path(command["directory"], command["file"])
        parts = UNITY_PART.findall(path.read_text()) if path.parent.name == "Unity" and path.exists() else []
        for part in parts or [command["file"]]:
            text = command["command"].replace(f" -c {command['file']}", f" -c {part}")
            single.append({"directory": command["directory"], "file": part, "command": text})
    return single


def compiled_sources(commands: Sequence[dict[str, str]]) -> list[str]:
    """The hand-written sources that some commands compile."""
    paths = {Path(command["directory"], command["file"]) for command in commands}
    known = {name for name in written_here(tracked()) if name.endswith((".cpp", ".c"))}
    return sorted(known & {path.relative_to(ROOT).as_posix() for path in paths if path.is_relative_to(ROOT)})


def sources_of(names: Iterable[str], sources: Sequence[str]) -> list[str]:
    """The sources among some files, and one for each header among them: of its own name if there is one."""
    chosen = [name for name in names if name in sources]
    texts = {name: INCLUDE.findall((ROOT / name).read_text()) for name in sources}
    written = written_here(names)
    for header in (PurePosixPath(name) for name in written if name.endswith((".hpp", ".h"))):
        users = [
            name
            for name, included in texts.items()
            if any(f"/{header}".endswith("/" + path.lstrip("./")) for path in included)
        ]
        users.sort(
            key=lambda name: (
                PurePosixPath(name).stem != header.stem,
                PurePosixPath(name).parts[0] != header.parts[0],
                name,
            )
        )
        if users and not set(users) & set(chosen):
            chosen.append(users[0])
    return sorted(set(chosen))


class Run:
    """clang-tidy over some files, until the time is over. database: the folder of compile_commands.json."""

    def __init__(self, build: Path, database: Path, minutes: float) -> None:
        self.build, self.database, self.end = build, database, time.monotonic() + 60 * minutes
        self.left_out: list[str] = []

    def __call__(self, name: str) -> str:
        """What is to be said about a file."""
        if time.monotonic() > self.end:
            self.left_out.append(f"{name} (the time is over)")
            return ""
        command = [program("clang-tidy"), "-p", str(self.database), "--quiet", *FLAGS, name]
        done = subprocess.run(
            command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        missing = MISSING.search(done.stdout)
        if missing and not any(other.endswith(f"/{missing[1]}") for other in written_here(tracked())):
            self.left_out.append(f"{name} ({missing[1]} is not generated in {self.build.name} yet)")
            return ""
        return COUNTS.sub("", done.stdout).strip() or f"{name}: {command[0]} fails" if done.returncode else ""


def main() -> int:
    parser = argparse.ArgumentParser(description="clang-tidy on what a change touches")
    parser.add_argument("--build", type=Path, required=True, help="a configured build folder")
    parser.add_argument("--minutes", type=float, default=5.0, help="begin no file after so many (default: 5)")
    parser.add_argument("files", nargs="*", help="default: what the change touches")
    given = parser.parse_args()
    named = [Path(name).resolve().relative_to(ROOT).as_posix() for name in given.files]
    commands = single_commands(json.loads((given.build / "compile_commands.json").read_text()))
    names = sources_of(named or changed(), compiled_sources(commands))
    with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        Path(folder, "compile_commands.json").write_text(json.dumps(commands))
        run = Run(given.build, Path(folder), given.minutes)
        findings = [text for text in pool.map(run, names) if text]
    print(*findings, sep="\n", end="\n" if findings else "")
    for name in run.left_out:
        print(f"left out: {name}")
    count = len(names) - len(run.left_out)
    print(f"tidy: {count} files, {len(run.left_out)} left out, {len(findings)} with findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
