"""HTML as Markdown: headings, paragraphs, lists, links, pictures, tables, quotes and code. What does not show is left
out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PreformattedString, Tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DEEPEST: Final = 60  # elements in elements; below, only the text is taken. Each is two calls of Python
UNSEEN: Final = ("script", "style", "noscript", "template", "head", "title", "nav", "iframe", "svg", "form", "button")
CELLS: Final = ["th", "td"]
BLOCKS: Final = ("p", "div", "section", "article", "main", "header", "footer", "aside", "figure", "figcaption", "body",
                 "html", "address", "details", "summary", "dl", "dt", "dd")  # fmt: skip


def to_markdown(html: bytes | str, charset: str | None = None) -> str:
    """Convert a page to Markdown, under its title."""
    soup = BeautifulSoup(html, "html.parser", from_encoding=charset if isinstance(html, bytes) else None)
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    text = re.sub(r"\n{3,}", "\n\n", _children(soup, 0)).strip()
    heading = "" if not title or soup.find("h1") else f"# {title}\n\n"
    return f"{heading}{text}\n"


def _children(tag: Tag, depth: int) -> str:
    if depth > DEEPEST:
        return tag.get_text(" ", strip=True)
    return "".join(_one(child, depth + 1) for child in tag.children)


def _one(node: object, depth: int) -> str:
    if isinstance(node, NavigableString):
        hidden = isinstance(node, PreformattedString)  # a comment, a declaration
        return "" if hidden else re.sub(r"\s+", " ", str(node))
    if not isinstance(node, Tag) or node.name in UNSEEN:
        return ""
    if node.name in RENDER:
        return RENDER[node.name](node, depth)
    inner = _children(node, depth)
    return _block(inner.strip()) if node.name in BLOCKS else inner


def _block(text: str) -> str:
    return f"\n\n{text}\n\n"


def _line(tag: Tag, depth: int) -> str:
    return re.sub(r"\s+", " ", _children(tag, depth)).strip()


def _around(mark: str, text: str) -> str:
    return f"{mark}{text}{mark}" if text.strip() else text


def _heading(tag: Tag, depth: int) -> str:
    return _block(f"{'#' * int(tag.name[1])} {_line(tag, depth)}")


def _quote(tag: Tag, depth: int) -> str:
    text = re.sub(r"\n{3,}", "\n\n", _children(tag, depth)).strip()
    return _block("\n".join(f"> {line}".rstrip() for line in text.splitlines()))


def _picture(tag: Tag, _: int) -> str:
    alt, source = tag.get("alt") or "", str(tag.get("src") or "")
    return "" if not source or source.startswith("data:") else f"![{alt}]({source})"


def _link(tag: Tag, depth: int) -> str:
    text = _line(tag, depth)
    target = str(tag.get("href") or "")
    if not target or target.startswith(("#", "javascript:")):
        return text
    return f"[{text or target}]({target})"


def _list(tag: Tag, depth: int) -> str:
    lines: list[str] = []
    for number, item in enumerate(tag.find_all("li", recursive=False), 1):
        mark = f"{number}." if tag.name == "ol" else "-"
        text = re.sub(r"\n{2,}", "\n", _children(item, depth)).strip() if depth < DEEPEST else item.get_text(" ")
        lines.append(f"{mark} " + text.replace("\n", "\n  "))
    return _block("\n".join(lines))


def _table(tag: Tag, depth: int) -> str:
    parts = [tag, *tag.find_all(["thead", "tbody", "tfoot"], recursive=False)]
    rows = [row for part in parts for row in part.find_all("tr", recursive=False)]
    every = [[_line(one, depth).replace("|", "\\|") for one in row.find_all(CELLS, recursive=False)] for row in rows]
    filled = [cells for cells in every if cells]
    if not filled:
        return ""
    width = max(map(len, filled))
    head, *body = [[*cells, *[""] * (width - len(cells))] for cells in filled]
    return _block("\n".join(map(_row, [head, ["---"] * width, *body])))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


RENDER: Final[dict[str, Callable[[Tag, int], str]]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _heading),
    **dict.fromkeys(("strong", "b"), lambda tag, depth: _around("**", _line(tag, depth))),
    **dict.fromkeys(("em", "i"), lambda tag, depth: _around("*", _line(tag, depth))),
    **dict.fromkeys(("code", "kbd", "samp"), lambda tag, _: _around("`", tag.get_text())),
    **dict.fromkeys(("ul", "ol"), _list),
    "br": lambda _, __: "\n",
    "hr": lambda _, __: _block("---"),
    "pre": lambda tag, _: _block(f"```\n{tag.get_text().strip(chr(10))}\n```"),
    "a": _link,
    "img": _picture,
    "blockquote": _quote,
    "table": _table,
}
