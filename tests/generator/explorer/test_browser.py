# SPDX-License-Identifier: Apache-2.0
"""The HTML report in a headless Chromium: each interaction by mouse and keyboard, names for screen readers,
contrast, print. Not run where no such browser is installed (Debian: chromium-headless-shell)."""

from __future__ import annotations

import base64
import itertools
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, program
from heddle import CacheLines, Rows, Schedule, Strips, Threads
from heddle.explorer.report import report
from heddle.explorer.space import Refused
from heddle.ir.schedule_text import as_text
from searched import result

HOSTILE = "</script><img src=x onerror=alert(2)>"
COMMAND = program()
pytestmark = [
    pytest.mark.compiles,
    pytest.mark.skipif(COMMAND is None, reason="no Chromium: apt install chromium-headless-shell"),
]
SHARES = {"f64": (0.98, 1.0, 1.03), "f32": (0.29, 0.3, 0.31)}
ERRORS = {"f64": 1e-16, "f32": 1e-7}
SCHEDULES = (
    Schedule(Rows(), Threads()),
    Schedule(CacheLines(4), Threads(block=(128, 1, 1))),
    Schedule(Strips(16), Threads(block=(64, 4, 1)), fma=True),
)


def results() -> list[Any]:
    """Twelve candidates of one place, of which f32 is faster and less exact, and one of another."""
    found = []
    points = itertools.product(("pull", "AA"), ("f64", "f32"), SCHEDULES)
    for number, (variant, precision, schedule) in enumerate(points):
        found.append(
            result(
                key=str(number), variant=variant, precision=precision, schedule=schedule, target="cuda",
                seconds=tuple((1.0 + 0.5 * number) * share * 1e-6 for share in SHARES[precision]),
                stream=(1e-6, 1e-6, 1e-6), peak=5e9, error=ERRORS[precision] * (1 + number),
                flops=7 + 2 * number, lines=100 + number, source=f"{number}.txt",
                registers=32 + 8 * number, occupancy=1 - number / 20,
            )
        )  # fmt: skip
    return [*found, result(key="other", module=HOSTILE, step="sweep", variant=HOSTILE)]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report, with what changed since an earlier search."""
    own = results()
    texts = {f"{n}.txt": "\n".join(["first", *(["more"] * (n % 3)), "last"]) for n in range(12)}
    earlier = [replace(one, seconds=(1.5e-6,), stream=(1e-6,)) for one in own[:3]]
    broken = result(key="broken", state="compile", why=HOSTILE, seconds=(), stream=())
    refused = [Refused("pull", "step", "f64", Schedule(), "it is not legal")]
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report([*own, broken], refused, texts, earlier))
    return path


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert COMMAND is not None
    made = Browser(COMMAND, tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.fixture
def browser(started: Browser, page: Path) -> Iterator[Browser]:
    """The page as it opens; afterwards it must have said nothing and asked for nothing."""
    started.resize(1200, 1500)
    started.scheme("light")
    started.open(page)
    yield started
    errors = [entry["entry"]["text"] for entry in started.named("Log.entryAdded")]
    errors += [str(one["args"]) for one in started.named("Runtime.consoleAPICalled")]
    errors += [one["exceptionDetails"]["text"] for one in started.named("Runtime.exceptionThrown")]
    assert errors == []
    asked = [one["request"]["url"] for one in started.named("Network.requestWillBeSent")]
    assert set(asked) <= {page.as_uri()}
    folder = os.environ.get("HEDDLE_PICTURES")
    if folder:  # to look at
        name = os.environ["PYTEST_CURRENT_TEST"].split("::")[-1].split(" ")[0]
        started.picture(Path(folder) / f"{name}.png")


def rows(browser: Browser) -> list[str]:
    """The times in the table."""
    return [text for text in browser.texts("#table tbody tr td:nth-child(5)")]


def test_it_opens(browser: Browser) -> None:
    assert browser.texts("h1") == [f"Explored: {HOSTILE}, heat"]
    assert browser.texts("#summary")[0].startswith("12 of 12 candidates here, 14 in all. here (")
    assert len(browser.texts("#roofline .point")) == len(browser.texts("#pareto .point")) == 12
    assert rows(browser) == sorted(rows(browser), key=float)
    assert browser.texts("#wrong li") == [
        f"compile: step f64 Schedule(cpu=Rows(), gpu=Threads()): {HOSTILE}",
        "not legal: pull step f64 Schedule(): it is not legal",
    ]


def test_another_place(browser: Browser) -> None:
    second = browser.run("document.getElementById('place').options[1].value")
    assert second.startswith(HOSTILE)
    browser.choose("#place", second)
    assert len(browser.texts("#table tbody tr")) == 1
    assert len(browser.texts("#roofline .point")) == 1
    browser.choose("#place", browser.run("document.getElementById('place').options[0].value"))
    assert len(browser.texts("#table tbody tr")) == 12


def test_fronts_of_two_quantities(browser: Browser) -> None:
    """Of time and error two are on the front; registers and lines rise together, so that one beats all."""
    before = browser.run("document.querySelector('#pareto .front').getAttribute('d')")
    assert before.count("H") == 1
    for axis, value in (("#across", "registers"), ("#up", "lines")):
        browser.choose(axis, value)
    assert browser.run("document.querySelector('#pareto svg').getAttribute('aria-label')") == (
        "Pareto front of registers and lines of text"
    )
    assert "H" not in browser.run("document.querySelector('#pareto .front').getAttribute('d')")
    listed = browser.texts("#across option")
    assert listed == [
        *("time", "error", "bytes", "lines of text", "compile time", "object size", "registers"),
        "resident warps",
    ]


def test_two_candidates_are_compared(browser: Browser) -> None:
    browser.click("#roofline .point", 0)
    assert browser.texts("#details h3") == [f"pull step f64 {_text(0)}"]
    assert browser.texts("#difference h3") == ["Emitted text"]
    browser.click("#pareto .point", 1)
    assert len(browser.texts("#details .card")) == 2
    assert browser.texts("#difference h3") == ["What differs in the emitted text (− first, + second)"]
    assert browser.texts("#difference pre span.added") == ["+ more"]
    counted = browser.texts("#counts tbody tr th")
    assert {"ns/cell", "registers", "lines", "% of warps"} <= set(counted)
    at = counted.index("registers")
    assert browser.texts(f"#counts tbody tr:nth-child({at + 1}) td") == ["32", "40", "1.25"]
    browser.click_line("#parallel .way", 11)  # a third one takes the place of the first
    assert len(browser.texts("#details .card")) == 2
    assert browser.texts("#details h3") == [f"pull step f64 {_text(1)}", f"AA step f32 {_text(2)}"]
    assert "Neither memory nor arithmetic" in browser.texts("#details .why")[0]


def test_the_schedule_to_paste(browser: Browser) -> None:
    browser.click("#table tbody input", 0)
    browser.click("button.copy")
    assert browser.run("document.getSelection().toString()") == _text(0)
    pressed = "document.querySelector('#roofline [data-id=\"3\"]').ariaPressed"
    assert browser.run(pressed) == "true"
    browser.click("#table tbody input", 0)
    assert browser.texts("#details .card") == []


def test_values_are_left_out(browser: Browser) -> None:
    labels = browser.run("[...document.querySelectorAll('#parallel .value')].map((v) => v.ariaLabel)")
    browser.click("#parallel .value", labels.index("precision f32"))
    assert len(rows(browser)) == 6
    assert browser.texts("#summary")[0].startswith("6 of 12 candidates here")
    assert browser.run("document.activeElement.ariaLabel") == "precision f32"  # focus stays
    browser.key("Enter")
    assert len(rows(browser)) == 12
    browser.key(" ")
    assert len(rows(browser)) == 6
    browser.click("#reset")
    assert len(rows(browser)) == 12


def test_a_range_of_times(browser: Browser) -> None:
    everything = rows(browser)
    x, y = browser.place("#parallel .catch")
    height = browser.run("document.querySelector('#parallel .catch').getBoundingClientRect().height")
    browser.mouse("mousePressed", x, y)
    browser.mouse("mouseMoved", x, y + height / 4)
    browser.mouse("mouseReleased", x, y + height / 2)
    left = rows(browser)
    assert 0 < len(left) < 12
    assert left == everything[: len(left)]  # the lower half: the faster ones
    assert len(browser.texts("#parallel .brush")) == 1
    browser.click("#parallel .catch")
    assert len(rows(browser)) == 12


def test_the_table_is_sorted(browser: Browser) -> None:
    heads = browser.run("[...document.querySelectorAll('#table th button')].map((b) => b.dataset.key)")
    for key, column in (
        ("registers", heads.index("registers") + 2),
        ("precision", heads.index("precision") + 2),
    ):
        for way in ("ascending", "descending"):
            browser.click("#table th button", heads.index(key))
            found = browser.texts(f"#table tbody td:nth-child({column})")
            wanted = sorted(found, key=float if key == "registers" else str)
            assert found == (wanted if way == "ascending" else wanted[::-1])
            assert browser.run(f"document.querySelectorAll('#table th')[{column - 1}].ariaSort") == way
            assert browser.run("document.activeElement.dataset.key") == key


def test_charts_by_keyboard(browser: Browser) -> None:
    browser.run("document.querySelector('#roofline .point').focus()")
    browser.key("Enter")
    browser.key("ArrowRight")
    browser.key("ArrowRight")
    browser.key("ArrowLeft")
    browser.key(" ")
    assert browser.texts("#details h3") == [f"pull step f64 {_text(n)}" for n in (0, 1)]
    stops = browser.run("document.querySelectorAll('#roofline .point[tabindex=\"0\"]').length")
    assert stops == 1  # of the tabulator
    browser.key("Tab")
    assert browser.run("document.activeElement.closest('#roofline')") is None


def test_what_changed(browser: Browser) -> None:
    assert browser.texts("#drift h2") == ["Since the earlier search"]
    assert browser.texts("#changes tbody td:first-child") == ["slower", "faster", *["new"] * 10]
    assert browser.texts("#changes tbody tr:first-child td")[1:4] == ["15", "20", "1.33"]
    assert browser.texts("#drift p")[0].startswith(
        "1 slower, 1 faster, 10 new, 1 same. Times are nanoseconds"
    )


def test_screen_readers(browser: Browser) -> None:
    """All that is chosen or pressed has a name; nothing has the name of another thing's text alone."""
    browser.click("#table tbody input", 0)
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "checkbox", "combobox", "group", "columnheader", "rowheader", "figure", "table"}
    named = [node for node in nodes if node.get("role", {}).get("value") in roles]
    without = [
        node["role"]["value"]
        for node in named
        if not node.get("name", {}).get("value") and node["role"]["value"] not in ("figure", "table")
    ]
    assert len(named) > 50
    assert [role for role in without if role != "columnheader"] == []
    assert browser.run("document.documentElement.lang") == "en"
    identities = browser.run("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(identities) == len(set(identities))
    levels = browser.run("[...document.querySelectorAll('h1, h2, h3')].map((one) => one.tagName)")
    assert levels[0] == "H1"
    assert levels.count("H1") == 1
    assert browser.run("document.querySelector('[aria-live] #details') !== null")


CONTRAST = """
(() => {
  const light = (rgb) => {
    const part = rgb.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const back = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$|transparent/.test(back)) return back;
    }
    return "rgb(255, 255, 255)";
  };
  const low = [];
  const all = "h1, h2, h3, p, td, th, button, select, li, span, text, code";
  for (const one of document.querySelectorAll(all)) {
    if (!one.textContent.trim() || one.closest("[hidden]")) continue;
    const style = getComputedStyle(one);
    const ink = one.tagName === "text" ? style.fill : style.color;
    const both = [light(ink), light(behind(one))].sort((a, b) => b - a);
    const ratio = (both[0] + 0.05) / (both[1] + 0.05);
    if (ratio < 4.5) low.push([one.tagName, one.className.toString(), one.textContent.slice(0, 30), ratio]);
  }
  return low;
})()
"""


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_contrast(browser: Browser, colours: str) -> None:
    """At least 4.5 (WCAG 2.2, 1.4.3), with two candidates chosen; the scheme is that of the reader."""
    browser.scheme(colours)
    for at in (0, 1):
        browser.click("#table tbody input", at)
    assert browser.run(CONTRAST) == []
    back = browser.run("getComputedStyle(document.body).backgroundColor")
    assert back == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[colours]


def test_narrow_screens_and_paper(browser: Browser) -> None:
    browser.resize(420, 900)
    wide = browser.run("document.scrollingElement.scrollWidth")
    assert wide <= 420, "the page scrolls sideways"
    browser.resize(1200, 1500)
    browser.scheme("dark", media="print")
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("getComputedStyle(document.getElementById('controls')).display") == "none"
    paper = base64.b64decode(browser.ask("Page.printToPDF", printBackground=True)["data"])
    assert paper.startswith(b"%PDF")
    assert len(paper) > 10_000


def _text(number: int) -> str:
    return as_text(SCHEDULES[number])
