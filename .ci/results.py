# SPDX-License-Identifier: Apache-2.0
"""Counts the tests in JUnit files: prints `passed failed not-run`. Fails where a file is missing."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def count(path: Path) -> tuple[int, int, int]:
    """Passed, failed and not-run cases of one file, counted case by case and not taken from its totals."""
    passed = failed = absent = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        skipped = case.find("skipped")
        # ctest calls a test whose program was not built skipped; it is a failure.
        lost = skipped is not None and skipped.get("message", "").startswith("Unable to find executable")
        if lost or case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif skipped is not None or case.get("status") in ("notrun", "disabled"):
            absent += 1
        else:
            passed += 1
    return passed, failed, absent


def main(arguments: list[str]) -> int:
    try:
        counts = [count(Path(argument)) for argument in arguments]
    except (OSError, ElementTree.ParseError) as problem:
        print(f"no test counts: {problem}", file=sys.stderr)
        return 1
    print(*(sum(column) for column in zip(*counts, strict=True)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
