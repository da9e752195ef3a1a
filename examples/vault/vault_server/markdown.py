"""HTML as Markdown, by markdownify. What does not show on a page is left out."""

from __future__ import annotations

import re
from typing import Final

from bs4 import BeautifulSoup
from markdownify import MarkdownConverter

UNSEEN: Final = ("script", "style", "noscript", "template", "head", "title", "nav", "iframe", "svg", "form", "button")


def to_markdown(html: bytes | str, charset: str | None = None) -> str:
    """Convert a page to Markdown, under its title. A page that is nested too deeply becomes plain text."""
    soup = BeautifulSoup(html, "html.parser", from_encoding=charset if isinstance(html, bytes) else None)
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    heading = "" if not title or soup.find("h1") else f"# {title}\n\n"
    for element in soup.find_all(UNSEEN):
        element.extract()
    try:
        text = MarkdownConverter(heading_style="ATX", bullets="-").convert_soup(soup)
    except RecursionError:
        text = soup.get_text("\n", strip=True)
    return heading + re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
