"""One file as it is read: its text, and of a note its front matter, its tags and its title."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

LARGEST: Final = 16_777_216  # bytes of a file that is read at all; one is in memory whole while it is read
LONGEST_FRONT: Final = 65_536  # characters; a note's own data, not a database
DEEPEST_FRONT: Final = 20  # levels; a query looks two or three deep
SUFFIXES: Final = (".md", ".markdown", ".txt")

FRONT: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_FENCED: Final = re.compile(r"^(```|~~~).*?(?:^\1|\Z)|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_INLINE_TAG: Final = re.compile(r"#(?<!\S#)([\w/-]*[^\W\d][\w/-]*)")  # a rare sign first: that is found quickly
_HEADING: Final = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*\r?$", re.MULTILINE)
_WHOLE: Final = re.compile(r"[-+]?[0-9]{1,18}")  # more digits are an identifier, which numbers would round
_FRACTION: Final = re.compile(r"[-+]?[0-9]{0,18}\.?[0-9]{1,18}(?:[eE][-+]?[0-9]{1,2})?")  # and nothing without an end
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where the wheel has it


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The parts of a note's text: ``head`` is its front matter as it stands, ``body`` the rest of the text. ``wrong``
    tells why front matter could not be read."""

    head: str = ""
    body: str = ""
    frontmatter: dict[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    title: str = ""
    wrong: str = ""


def decode(data: bytes) -> str:
    """Decode the text of a file: UTF-8, UTF-16 when it says so, else the old Western code page, in which nothing is
    lost."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse(text: str) -> Note:
    """Read a note. Whatever stands in it, it is a note: front matter that is not YAML is told, not raised."""
    match = FRONT.match(text)
    head, body = (text[: match.end()], text[match.end() :]) if match else ("", text)
    front, wrong = _front_matter(match[1]) if match else ({}, "")
    tags = [*_listed(front.get("tags")), *_listed(front.get("tag"))]
    tags += _inline_tags(body)
    title = str(front.get("title") or _first_heading(body))
    return Note(
        head=head,
        body=body,
        frontmatter=front,
        tags=tuple(dict.fromkeys(tags)),
        title=title[:200],
        wrong=wrong,
    )


def _first_heading(body: str) -> str:
    """Return the heading that a note begins with, where it is one of the first level: a later one is a part's."""
    heading = _HEADING.search(body)
    if heading is not None and _FENCED.search(body, 0, heading.start()) is not None:
        heading = _HEADING.search(_FENCED.sub("", body))  # a comment in code looks like one
    return heading[2] if heading is not None and heading[1] == "#" else ""


def _inline_tags(body: str) -> list[str]:
    tags = _INLINE_TAG.findall(body)
    return _INLINE_TAG.findall(_FENCED.sub(" ", body)) if tags and ("`" in body or "~~~" in body) else tags


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    if len(text) > LONGEST_FRONT:
        return {}, f"longer than {LONGEST_FRONT:,} characters"
    try:
        node = yaml.compose(text, _LOADER)
        value = None if node is None else _value(node, 0, set())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        return {}, str(problem)[:200]
    if isinstance(value, dict):
        return value, ""
    return {}, "" if value is None else "not a table of fields"


def _value(node: yaml.Node, depth: int, seen: set[int]) -> Any:
    """Convert a node of YAML as JSON has it. As in Obsidian, which reads YAML 1.2, ``yes`` and ``12:30`` are texts."""
    if depth > DEEPEST_FRONT:
        raise ValueError(f"nested deeper than {DEEPEST_FRONT} levels")
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if id(node) in seen:  # a few lines of aliases of aliases are gigabytes as JSON
        raise ValueError("aliases are not read")
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        return [_value(one, depth + 1, seen) for one in node.value]
    if not all(isinstance(key, yaml.ScalarNode) for key, _ in node.value):
        raise ValueError("the name of a field is not a text")
    return {_text(key.value): _value(one, depth + 1, seen) for key, one in node.value}


def _scalar(node: yaml.ScalarNode) -> Any:
    value: str = node.value
    match node.tag.rpartition(":")[2]:
        case "null":
            return None
        case "bool" if value.lower() in ("true", "false"):
            return value.lower() == "true"
        case "int" if _WHOLE.fullmatch(value):
            return int(value)
        case "float" if _FRACTION.fullmatch(value):
            return float(value)
    return _text(value)


def _text(value: Any) -> str:
    return str(value).encode("utf-8", "replace").decode()  # YAML can spell half characters, JSON cannot


def _listed(value: Any) -> list[str]:
    """Read tags as people write them: a list, or one text with commas or blanks; with or without their hash."""
    parts = re.split(r"[,\s]+", value) if isinstance(value, str) else value if isinstance(value, list) else []
    return [tag for part in parts if (tag := str(part).strip().lstrip("#"))]
