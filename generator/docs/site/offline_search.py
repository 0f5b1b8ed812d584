# SPDX-License-Identifier: Apache-2.0
"""The search of a built site, as somebody uses it who has the folder and no network: its page is opened as a
file in a headless Chromium."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from browser import Browser, program

LIMIT = 30.0
"""Seconds for a search."""
WORD = re.compile(r"(?<![\w/.`-])[a-z]{8,16}(?![\w/`-]|\.\w)")
SAMPLE = 3
"""Pages of a whole site that are searched for."""
DONE = "Search.status && /found|did not match/i.test(Search.status.innerText)"
"""A condition of JavaScript: Sphinx has looked through its index."""


def found(browser: Browser, html: Path, word: str) -> list[str]:
    """The pages that the search of a site finds, as paths without a suffix, the best first. Raises
    AssertionError where it does not end, or asks for something that is no file."""
    browser.open(html / "search.html", f"?q={word}")
    end = time.monotonic() + LIMIT
    while not browser.run(DONE):
        assert time.monotonic() < end, f"the search for {word!r} does not end"
        time.sleep(0.02)
    asked: list[Any] = browser.named("Network.requestWillBeSent")
    elsewhere = [one["request"]["url"] for one in asked]
    elsewhere = [url for url in elsewhere if not url.startswith(("file:", "data:"))]
    assert not elsewhere, f"the search asks for {elsewhere}"
    links: list[str] = browser.run(
        "[...document.querySelectorAll('#search-results li > a')].map((one) => new URL(one.href).pathname)"
    )
    return [str(Path(link).relative_to(html.resolve()).with_suffix("")) for link in links]


def own_words(source: Path) -> Iterator[tuple[str, str]]:
    """Pages of a folder, each with a word that no other page has."""
    texts = {path: path.read_text() for path in sorted(source.rglob("*.md"))}
    for path in sorted(source.glob("*.md")):
        for word in sorted(set(WORD.findall(texts[path])), key=lambda word: (-len(word), word)):
            if not any(word[:7] in text for other, text in texts.items() if other != path):
                yield path.stem, word
                break


def not_found(source: Path, html: Path, profile: Path) -> list[str]:
    """Pages of a site that its search does not find by a word of their own: of some that lie far apart in the
    alphabet. Nothing where no browser is installed."""
    command = program()
    if command is None:
        return []
    shutil.rmtree(profile, ignore_errors=True)
    pages = list(own_words(source))
    browser, wrong = Browser(command, profile), []
    try:
        for page, word in pages[:: max(1, len(pages) // SAMPLE)]:
            if page not in (pages_found := found(browser, html, word)):
                wrong.append(f"the search for {word!r} finds {pages_found}, and not the page {page}")
    finally:
        browser.close()
    return wrong
