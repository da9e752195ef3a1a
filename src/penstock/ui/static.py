"""The files of the page, as they lie in the package. They are read once, and packed for the way."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from penstock.digest import hex_digest

TYPES: Final = {
    "html": b"text/html; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "svg": b"image/svg+xml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFile:
    """A file, plain and packed, with the word by which a browser knows that it has it."""

    kind: bytes
    plain: bytes
    packed: bytes
    tag: str


@lru_cache(maxsize=64)
def page_file(name: str) -> PageFile | None:
    """Return a file of the page; None if there is none of that name."""
    suffix = name.rpartition(".")[2]
    if suffix not in TYPES or not all(part.isascii() and (part.isalnum() or part in "_.-") for part in name):
        return None
    try:
        plain = files("penstock.ui").joinpath("page", name).read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return None
    return PageFile(
        kind=TYPES[suffix], plain=plain, packed=gzip.compress(plain, 6, mtime=0), tag=f'"{hex_digest(plain, 8)}"'
    )
