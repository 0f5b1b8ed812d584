# SPDX-License-Identifier: Apache-2.0
"""What becomes of pages, docstrings and headers on their way to the site. That Sphinx takes all of it without
a warning is a stage of ./test.sh: generator/docs/site/build.py."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import heddle.__main__
import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "generator/docs"
PYTHON, PACKAGES = "/usr/bin/python3", Path("/usr/lib/python3/dist-packages")
"""Debian's, which has its Sphinx."""
NO_SITE = shutil.which("chromium-headless-shell") is None or not all(
    (PACKAGES / name).is_dir() for name in ("furo", "myst_parser", "sphinx", "sympy")
)


@pytest.fixture
def site() -> Iterator[Any]:
    """The modules of generator/docs/site."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS / "site"))
        patch.syspath_prepend(str(ROOT / "tests/generator/explorer"))
        import docstrings
        import doxygen
        import gathered
        import offline_search
        import reference
        import refusals

        class Site:
            pass

        found: Any = Site()
        found.docstrings, found.gathered, found.reference = docstrings, gathered, reference
        found.refusals, found.doxygen = refusals, doxygen
        found.offline_search = offline_search
        found.build = importlib.import_module("build")  # ruff sorts it by whether a folder has that name
        yield found
    for name in (
        *("build", "browser", "docstrings", "doxygen", "gathered", "offline_search", "reference"),
        "refusals",
    ):
        sys.modules.pop(name)


def test_a_docstring_is_plain_text_with_code(site: Any) -> None:
    lines = [
        "f*_p is |a| in `x_y`s.",
        "",
        "- not `a list*`",
        "  but one",
        "",
        "  code * here",
        "",
        ">>> 1 + 1",
        "2",
    ]
    assert site.docstrings.converted(lines) == [
        *("f\\*\\_p is \\|a\\| in \\ ``x_y``\\ s.", ""),
        *("- not \\ ``a list*``\\ ", "  but one", ""),
        *("::", "", "      code * here", ""),
        *(">>> 1 + 1", "2", ""),
    ]


def test_links_lead_to_pages_of_the_site(site: Any) -> None:
    texts = site.gathered.Gathered().texts()
    pages = {name: data.decode() for name, data in texts.items() if name.endswith(".md")}
    wrong = []
    for name, text in pages.items():
        for link in site.gathered.LINK.finditer(re.sub(r"(?ms)^```.*?^```$", "", text)):
            target = link[3].partition("#")[0]
            if name.startswith("sources/") or not target or re.match(r"[a-z]+:", target):
                continue
            there = str((Path("/") / name).parent.joinpath(target).resolve().relative_to("/"))
            if there not in texts:
                wrong.append(f"{name}: {link[3]}")
    assert wrong == []
    assert "(sources/examples/porous/part.cpp.md)" in pages["sparse.md"] + pages["multi_gpu.md"]
    assert (
        "(../gallery/first_kernel.md)" in pages["gallery/index.md"]
        or "(first_kernel.md)" in pages["gallery/index.md"]
    )


def test_a_site_that_needs_a_network(site: Any, tmp_path: Path) -> None:
    """Is found by build.py once the pages are written; links that a reader may follow are no fault."""
    (tmp_path / "index.html").write_text(
        '<a href="https://there.org">there</a><script src="own.js"></script>'
    )
    (tmp_path / "searchindex.js").write_text("Search.setIndex({})")
    assert site.build.needs_network(tmp_path) == []
    (tmp_path / "index.html").write_text('<script async="async" src="https://there.org/math.js"></script>')
    (tmp_path / "searchindex.js").unlink()
    assert site.build.needs_network(tmp_path) == [
        "index.html loads https://there.org/math.js",
        "searchindex.js lacks the index of the search",
    ]


PAGES = {
    "index": "# Start\n\n```{toctree}\nheat\nwaves\n```\n",
    "heat": "# Heat\n\nA kettle cools: the Laplacian of its temperature.\n",
    "waves": "# Waves\n\nA string swings: the Laplacian of its displacement.\n",
}


@pytest.mark.compiles
@pytest.mark.skipif(NO_SITE, reason="no Chromium, Sphinx or Furo: apt install chromium-headless-shell furo")
def test_the_search_works_without_a_network(site: Any, tmp_path: Path) -> None:
    """A site of three pages, as build.py makes it, its search opened as a file. --full does it with all."""
    source = tmp_path / "source"
    source.mkdir()
    for name, text in PAGES.items():
        (source / f"{name}.md").write_text(text)
    assert site.build.sphinx(source, tmp_path, "html", PYTHON) == 0
    html = tmp_path / "html"
    assert site.build.needs_network(html) == []
    search = site.offline_search
    browser = search.Browser(search.program(), tmp_path / "profile")
    try:
        assert search.found(browser, html, "kettle") == ["heat"]
        assert sorted(search.found(browser, html, "laplacian")) == ["heat", "waves"]
        assert search.found(browser, html, "porridge") == []
    finally:
        browser.close()
    assert dict(search.own_words(source)) == {"heat": "temperature", "waves": "displacement"}
    assert search.not_found(source, html, tmp_path / "browser") == []
    (source / "heat.md").write_text("# Heat\n\nThis is thermodynamics.\n")
    assert search.not_found(source, html, tmp_path / "browser") == [
        "the search for 'thermodynamics' finds [], and not the page heat"
    ]


def test_comments_and_declarations_of_headers(
    site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "heddle").mkdir()
    (tmp_path / "heddle/grid.hpp").write_text(HEADER)
    monkeypatch.setattr(site.doxygen, "INCLUDE", tmp_path)
    site.doxygen.headers.cache_clear()
    count, grid, kind, limit = site.doxygen.headers()["heddle/grid.hpp"]
    site.doxygen.headers.cache_clear()
    assert count.text() == (
        "/// What it is.\n/// Throws Error.\n"
        "[[nodiscard]] int count(int a,\n                        int b);\n"
    )
    assert grid.text() == (
        "/// A class.\ntemplate <class T>\nclass Grid : public Base;\n"
        "\n  /// Made of n.\n  explicit Grid(int n);\n  int size() const;\n  int cells = 1; // of all axes\n"
    )
    assert kind.text() == "/// Which.\nenum class Kind { one, two };\n"
    assert limit.text() == "int limit();\n"
    (tmp_path / "heddle/grid.hpp").write_text("/// \\param b there is none\nint f(int a);\n")
    with pytest.raises(RuntimeError, match="argument 'b' of command @param is not found"):
        site.doxygen.headers()
    site.doxygen.headers.cache_clear()


HEADER = """namespace heddle {
/// What it is.
/// Throws Error.
[[nodiscard]] int count(int a,
                        int b);

/// A class.
template <class T>
class Grid : public Base {
public:
  /// Made of n.
  explicit Grid(int n) : n_(n) {}
  ~Grid();
  int size() const { return n_; }
  int cells = 1; // of all axes

private:
  /// Within.
  int n_;
};

/// Which.
enum class Kind { one, two };
int limit();
namespace detail {
/// Not public.
int hidden();
} // namespace detail
} // namespace heddle
"""


def test_every_public_class_has_a_comment(site: Any) -> None:
    """But for those in heddle/device, which emitted text includes."""
    kinds = re.compile(r"(template <.*>\s+)?(class|struct|enum)\b")
    bare = [
        f"{header}: {declared.name}"
        for header, every in site.doxygen.headers().items()
        for declared in every
        if kinds.match(declared.declaration) and not declared.comment and "/device/" not in header
    ]
    assert bare == []


def test_every_public_header_is_in_the_reference(site: Any) -> None:
    pages = site.reference.pages()
    headers = ROOT / "runtime/include"
    for path in (headers / "heddle").rglob("*.hpp"):
        name = path.relative_to(headers)
        assert f"\n## {name}\n" in pages[f"reference/cpp/{name.parts[1]}.md"].decode()


def test_every_command_is_on_its_page(site: Any) -> None:
    """The page of the command line, and what each command prints."""
    page = (DOCS / "command_line.md").read_text()
    commands = site.reference._commands(heddle.__main__._parser())
    assert set(re.findall(r"^\| `heddle (\w+)` \|", page, re.MULTILINE)) == set(commands)
    shown = site.reference.pages()["reference/help.md"].decode()
    assert all(f"usage: heddle {name}" in shown for name in commands)


def test_every_page_is_in_the_tree(site: Any) -> None:
    index = (DOCS / "index.md").read_text()
    for page in DOCS.glob("*.md"):
        assert page.name == "index.md" or re.search(rf"^{page.stem}$", index, re.MULTILINE), page
    for page in DOCS.glob("guides/*.md"):
        assert f"\nguides/{page.stem}\n" in index, page


def test_every_error_with_a_case_is_on_its_page(site: Any) -> None:
    """As errors/test_errors.py provokes them."""
    importlib.import_module("errors.test_errors")
    from errors.cases import CASES

    page = site.reference.pages()["reference/refusals.md"].decode()
    assert len(CASES) > 200
    for name, (_, message) in CASES.items():
        assert f"\n### {name.replace('_', ' ')}\n" in page
        assert message.replace("{here}", site.refusals.LINE) in page


def test_every_kind_of_error_has_an_entry() -> None:
    """On the page of refused kernels: a message of each file of cases, and no other message."""
    importlib.import_module("errors.test_errors")
    from errors.cases import CASES
    from errors.mistakes import MISTAKES

    known = {message.removeprefix("{here}: "): case.__module__ for case, message in CASES.values()}
    known |= {message: "errors.mistakes" for _, message in MISTAKES}
    page = (DOCS / "refused_kernels.md").read_text()
    entries = page.split("\n## ")[1:]
    kinds = []
    for entry in entries[:-1]:  # the last one is about calls, which are no models
        (quoted,) = re.findall(r"^> (.*)$", entry, re.MULTILINE)
        found = {kind for message, kind in known.items() if message.partition("\n")[0] == quoted}
        assert found, quoted
        kinds += found
    assert sorted(kinds) == sorted(set(known.values()))
