# SPDX-License-Identifier: Apache-2.0
"""The pages of the site in one folder, with links that lead from one to the other."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import reference

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "generator/docs"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
PICTURES = {".png", ".svg"}
ORPHAN = "---\norphan: true\n---\n\n"
"""Of a page that an index links to. The tree of pages beside every page leaves it out, which saves time."""
LANGUAGES = {
    **{".py": "python", ".cpp": "cpp", ".hpp": "cpp", ".h": "c", ".c": "c", ".cu": "cuda", ".cuh": "cuda"},
    **{".cmake": "cmake", ".sh": "bash", ".f90": "fortran", ".json": "json"},
}


def gather(folder: Path) -> None:
    """Write all pages into a folder, which is emptied first; files that are as they were keep their time."""
    texts = Gathered().texts()
    texts |= reference.pages()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {folder / name for name in texts}
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in wanted:
            path.unlink()
    for name, data in texts.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


class Gathered:
    """Pages that somebody wrote. Beside them come pages with files that they link to."""

    def __init__(self) -> None:
        self.pages = {path: str(path.relative_to(DOCS)) for path in sorted(DOCS.rglob("*.md"))}
        self.pages |= {
            path: f"gallery/{path.parent.name}.md" for path in sorted(ROOT.glob("examples/*/README.md"))
        }
        self.pages |= {ROOT / "CONTRIBUTING.md": "contributing.md", ROOT / "SECURITY.md": "security.md"}
        self.pages[ROOT / "README.md"] = "index.md"
        self.pages[DOCS / "index.md"] = "index.md"
        self.shown: dict[str, bytes] = {}

    def texts(self) -> dict[str, bytes]:
        """The content of each file of the site's source, by its path there."""
        found = {
            str(path.relative_to(DOCS)): path.read_bytes()
            for path in sorted(DOCS.rglob("*"))
            if path.is_file() and path.suffix != ".md" and not {"site", "__pycache__"} & set(path.parts)
        }
        for path, name in self.pages.items():
            if path != ROOT / "README.md":
                head = ORPHAN if path.parent.name == "decisions" and path.name != "README.md" else ""
                found[name] = (head + self._linked(path, name)).encode()
        found["gallery/index.md"] = self._gallery().encode()
        return found | self.shown

    def _linked(self, path: Path, name: str) -> str:
        parts = FENCE.split(path.read_text())
        replaced: Callable[[re.Match[str]], str] = lambda link: self._link(link, path, name)  # noqa: E731
        return "".join(part if at % 2 else LINK.sub(replaced, part) for at, part in enumerate(parts))

    def _link(self, link: re.Match[str], path: Path, name: str) -> str:
        picture, text, target = link.groups()
        there, mark, anchor = unquote(target).partition("#")
        if re.match(r"[a-z]+:", target) or not there:
            return link[0]
        found = Path(os.path.normpath(path.parent / there))
        if found.is_dir() and (found / "README.md") in self.pages:
            found /= "README.md"
        if found in self.pages:
            place = self.pages[found]
        elif picture or found.suffix in PICTURES:
            place = f"pictures/{found.parent.name}-{found.name}"
            self.shown[place] = found.read_bytes()
        else:
            place = f"sources/{found.relative_to(ROOT)}.md"
            self.shown[place] = source_page(found).encode()
            mark = anchor = ""
        return f"{picture}[{text}]({relative(place, name)}{mark}{anchor})"

    def _gallery(self) -> str:
        """Each example with its picture and the first paragraph of its page."""
        text = "# Gallery\n\nThe examples, each a complete program with its model.\n"
        names = []
        for path, name in self.pages.items():
            if name.startswith("gallery/"):
                names.append(PurePosixPath(name).stem)
                text += f"\n## [{names[-1]}]({names[-1]}.md)\n\n{_first_paragraph(path)}\n"
                pictures = [link for link in LINK.finditer(self._linked(path, name)) if link[1]]
                text += "".join(f"\n{link[0]}\n" for link in pictures[:1])
        return text + "\n" + toctree(":hidden:", "", *names)


def _first_paragraph(path: Path) -> str:
    return LINK.sub(lambda link: link[2], path.read_text().split("\n\n")[1])


def toctree(*lines: str) -> str:
    """A list of pages for Sphinx."""
    return "\n".join(("```{toctree}", *lines, "```", ""))


def relative(place: str, page: str) -> str:
    """A path of the site, seen from a page."""
    return os.path.relpath(place, PurePosixPath(page).parent)


def source_page(path: Path) -> str:
    """A page that shows a file, or what stands in a folder."""
    title = f"{ORPHAN}# {path.relative_to(ROOT)}\n\n"
    if path.is_dir():
        return title + "".join(f"- `{name}`\n" for name in sorted(_names(path)))
    language = "cmake" if path.name == "CMakeLists.txt" else LANGUAGES.get(path.suffix, "text")
    return f"{title}`````{language}\n{path.read_text().rstrip()}\n`````\n"


def _names(folder: Path) -> Iterator[str]:
    for path in folder.iterdir():
        if path.name != "__pycache__":
            yield path.name + "/" * path.is_dir()
