#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site: `python3 generator/docs/site/build.py` writes build/site/html/index.html.

Needs Debian's python3-sphinx, python3-myst-parser, furo, python3-sympy, python3-pytest and doxygen, and no
network, neither here nor when pages are read. Pages are gathered in build/site/source: those of
generator/docs, the READMEs of the examples, and what is generated from sources (gathered.py). Links of a page
to files and folders beyond these lead to a page that shows them. A warning of Sphinx or of Doxygen is an
error, and so is a page that loads something from elsewhere, a site without an index for its search, or,
where a headless Chromium is installed, a search that does not find what a page says.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MODULES = {
    "sphinx": "python3-sphinx",
    "myst_parser": "python3-myst-parser",
    "furo": "furo",
    "sympy": "python3-sympy",
    "pytest": "python3-pytest",
}

LOADED = re.compile(r'<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="((?:https?:)?//[^"]+)"')


def needs_network(html: Path) -> list[str]:
    """What is wrong with a site that is read without a network: pages that load something from elsewhere, and
    a search without its index."""
    wrong = []
    for page in sorted(html.rglob("*.html")):
        wrong += [f"{page.relative_to(html)} loads {found}" for found in LOADED.findall(page.read_text())]
    index = html / "searchindex.js"
    if not index.is_file() or "Search.setIndex(" not in index.read_text():
        wrong.append("searchindex.js lacks the index of the search")
    return wrong


def sphinx(source: Path, out: Path, builder: str, python: str = sys.executable) -> int:
    """Build the pages of a folder into out/html by the settings of the site; returns the exit code."""
    paths = ":".join([str(ROOT / "generator"), str(ROOT / "tests/generator")])
    command = [python, "-m", "sphinx", "-W", "--keep-going", "-E", "-q", "-j", "2", "-b", builder]
    command += ["-d", str(out / "doctrees"), "-c", str(HERE), str(source), str(out / "html")]
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": paths, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, env=env, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--out", type=Path, default=ROOT / "build/site", help="default: build/site")
    parser.add_argument(
        "--check", action="store_true", help="read all pages and follow all links; write no HTML"
    )
    given = parser.parse_args()
    missing = [package for module, package in MODULES.items() if importlib.util.find_spec(module) is None]
    missing += [] if shutil.which("doxygen") else ["doxygen"]
    if missing:
        print(f"{sys.executable} lacks what the site needs.\n  Hint: apt-get install {' '.join(missing)}")
        return 1
    tests = ROOT / "tests/generator"
    sys.path[:0] = [str(HERE), str(ROOT / "generator"), str(tests), str(tests / "explorer")]
    from gathered import gather
    from offline_search import not_found

    source, html = given.out / "source", given.out / "html"
    gather(source)
    failed = sphinx(source, given.out, "dummy" if given.check else "html")
    if failed or given.check:
        return failed
    reports = ROOT / "tests/benchmarks/explored_spaces.py"
    subprocess.run(
        [sys.executable, str(reports), "--reports", str(html / "explored")],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "generator"), "LC_ALL": "C.UTF-8"},
        check=True,
    )
    wrong = needs_network(html)
    wrong = wrong or not_found(source, html, given.out / "browser")
    print("\n".join(wrong) or f"site: {len(list(html.rglob('*.html')))} pages, {html / 'index.html'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
