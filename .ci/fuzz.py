# SPDX-License-Identifier: Apache-2.0
"""Every reader under libFuzzer: `fuzz.py --build build/fuzz [--seconds 120] [--jobs 2] [reader...]`.

The build is that of the preset `fuzz`. Each reader starts from its folder in tests/fuzz/corpus and from what
earlier runs kept below the build. What it finds lies in build/fuzz/found: mend the reader, and put the file
into the corpus, where ctest replays it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "tests/fuzz/corpus"
# An input takes at most so many seconds, megabytes and bytes.
LIMITS = ("-timeout=10", "-rss_limit_mb=2048", "-max_len=8192")
COUNT = re.compile(r"stat::number_of_executed_units: (\d+)")
COVERED = re.compile(r"cov: (\d+) ")


class Fuzzer:
    """Runs of one build."""

    def __init__(self, build: Path, seconds: int) -> None:
        self.build, self.seconds = build, seconds

    def __call__(self, name: str) -> tuple[bool, str]:
        """Whether a reader held, and the line about it."""
        found, kept = self.build / "found" / name, self.build / "corpus" / name
        for folder in (found, kept):
            folder.mkdir(parents=True, exist_ok=True)
        command = [
            self.build / "bin/heddle-fuzz",
            *LIMITS,
            f"-max_total_time={self.seconds}",
            f"-artifact_prefix={found}/",
            "-close_fd_mask=1",  # texts of --help
            "-print_final_stats=1",
            kept,
            CORPUS / name,
        ]
        log = found.with_suffix(".log")
        with log.open("wb") as output:
            done = subprocess.run(
                command,
                cwd=self.build,
                env={**os.environ, "HEDDLE_FUZZ": name},
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
        said = log.read_text(errors="replace")
        runs, covered = COUNT.findall(said), COVERED.findall(said)
        if done.returncode == 0 and runs:
            return True, f"{name}: {runs[-1]} runs, {covered[-1] if covered else 0} edges"
        return False, f"{name}: FAILED: {log}, and what it was given: {found}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Every reader under libFuzzer")
    parser.add_argument("--build", type=Path, required=True, help="the build of the preset fuzz")
    parser.add_argument("--seconds", type=int, default=120, help="for each reader (default: 120)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at once")
    parser.add_argument("readers", nargs="*", help="default: those that have a folder in tests/fuzz/corpus")
    given = parser.parse_args()
    names = given.readers or sorted(folder.name for folder in CORPUS.iterdir())
    fuzzer = Fuzzer(given.build.resolve(), given.seconds)
    held = True
    with ThreadPoolExecutor(given.jobs) as pool:
        for good, line in pool.map(fuzzer, names):
            held = held and good
            print(line, flush=True)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
