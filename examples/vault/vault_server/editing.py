"""Changes to the text of a note: under a heading, at a block, or in a field of front matter. Text in, text out.

What a change does not name stays as it is, byte for byte: line ends, blank lines, comments and order of front matter.
The targets are those of Obsidian's REST interface: a heading by its path, ``Plans::Next``; a block by its ``^id``.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, Final, Literal

import yaml

from penstock import CallerError
from vault_server.notes import FRONT

Operation = Literal["append", "prepend", "replace"]
MOST_NAMED: Final = 10  # headings or fields that an error names

_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*\s*$")
_BLOCK: Final = re.compile(r"(?:^|\s)\^([A-Za-z0-9-]+)\s*$")
_BREAK: Final = re.compile("[\x85\u2028\u2029]")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")


class _Dumper(yaml.SafeDumper):
    """Writes a day as it is, without quotes: as a text it would be no date for Obsidian."""


_Dumper.yaml_implicit_resolvers = {
    sign: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for sign, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
}


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Write a text; one with a line break that only Unicode knows gets escapes, as it would be read as a blank."""
    style = '"' if _BREAK.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A changed text: where the new part lies in it, and what was there before."""

    text: str
    start: int
    end: int
    replaced: str = ""

    @classmethod
    def of(cls, text: str, start: int, end: int, new: str) -> Edit:
        """Put a new part in place of a span."""
        return cls(text=text[:start] + new + text[end:], start=start, end=start + len(new), replaced=text[start:end])


def appended(text: str, content: str) -> Edit:
    """Put a text at the end, on a line of its own."""
    new = _as_lines(text, content)
    before = "" if not text or text.endswith("\n") else _end_of_line(text)
    edit = Edit.of(text, len(text), len(text), before + new)
    return Edit(text=edit.text, start=edit.start + len(before), end=edit.end)


def patch_heading(text: str, path: list[str], operation: Operation, content: str, *, create: bool) -> Edit:
    """Change what stands under a heading, down to the next one that is not below it."""
    headings = _headings(text)
    wanted = [name.strip() for name in path]
    matches = [one for one in headings if one.path[-len(wanted) :] == wanted]
    matches = matches or [one for one in headings if _folded(one.path[-len(wanted) :]) == _folded(wanted)]
    if len(matches) > 1 and (whole := [one for one in matches if _folded(one.path) == _folded(wanted)]):
        matches = whole
    if len(matches) > 1:
        paths = ", ".join(repr("::".join(one.path)) for one in matches[:MOST_NAMED])
        raise CallerError(f"target: {len(matches)} headings are named so: {paths}", do="name one with those above it")
    if not matches and create:
        above = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        lines = [f"{'#' * min(6, depth)} {name}" for depth, name in enumerate(wanted, 1)]
        return appended(text, above + "\n\n".join(lines) + f"\n\n{content}")
    if not matches:
        names = ", ".join(repr("::".join(one.path)) for one in headings[:MOST_NAMED]) or "none"
        raise CallerError(f"target: no heading {'::'.join(wanted)!r}; there are: {names}", do="name one of them")
    start, end = matches[0].start, matches[0].end
    body_end = start + len(text[start:end].rstrip())  # blank lines before the next heading stay where they are
    new = _as_lines(text, content)
    if start and text[start - 1] != "\n":  # the heading is the last line, and has no end
        edit = Edit.of(text, start, end, _end_of_line(text) + new)
        return Edit(text=edit.text, start=edit.end - len(new), end=edit.end, replaced=edit.replaced)
    if operation == "replace":
        return Edit.of(text, start, max(start, body_end) + _line_end(text, max(start, body_end)), new)
    if operation == "prepend" or body_end <= start:
        return Edit.of(text, start, start, new)
    at = body_end + _line_end(text, body_end)
    if at == body_end:  # the last line of the file has no end
        edit = Edit.of(text, at, at, _end_of_line(text) + new)
        return Edit(text=edit.text, start=edit.end - len(new), end=edit.end)
    return Edit.of(text, at, at, new)


def patch_block(text: str, name: str, operation: Operation, content: str) -> Edit:
    """Change a block: the paragraph or list item that ends in ``^name``. Its mark stays."""
    lines = text.splitlines(keepends=True)
    wanted = name.strip().removeprefix("^")
    marks = {match[1]: number for number, line in enumerate(lines) if (match := _BLOCK.search(line.rstrip("\r\n")))}
    if wanted not in marks:
        names = ", ".join(f"^{one}" for one in [*marks][:MOST_NAMED]) or "none"
        raise CallerError(f"target: no block ^{wanted}; there are: {names}", do="name one of them")
    last = marks[wanted]
    stands_alone = lines[last].strip() == f"^{wanted}"
    first = last
    while (
        first and not _ITEM.match(lines[first]) and _goes_on(lines[first - 1], is_alone=stands_alone and first == last)
    ):
        first -= 1
    start, end = sum(map(len, lines[:first])), sum(map(len, lines[: last + 1]))
    if operation == "prepend":
        return Edit.of(text, start, start, _as_lines(text, content))
    if operation == "append":
        before = "" if text[:end].endswith("\n") else _end_of_line(text)
        edit = Edit.of(text, end, end, before + _as_lines(text, content))
        return Edit(text=edit.text, start=edit.start + len(before), end=edit.end)
    behind = text[start:end]
    mark = behind[len(behind.rstrip()) - len(wanted) - 1 :]
    between = _end_of_line(text) if stands_alone else " "
    return Edit.of(text, start, end, _as_lines(text, content).rstrip("\r\n") + between + mark)


def patch_front(text: str, field: str, operation: Operation, value: Any, *, create: bool) -> Edit:
    """Change one field of front matter; the other lines stay as they are."""
    match = FRONT.match(text)
    if match is None:
        if not create:
            raise CallerError("target: the note has no front matter", do="createTargetIfMissing: true adds it")
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        return Edit.of(text, len(mark), len(mark), _as_lines(text, f"---\n{_dumped(field, value)}---\n"))
    node = _front_node(match[1])
    pairs = [] if node is None else node.value
    places = [number for number, (key, _) in enumerate(pairs) if key.value == field]
    begin = match.start(1)
    if not places:
        if not create:
            names = ", ".join(repr(key.value) for key, _ in pairs[:MOST_NAMED]) or "none"
            raise CallerError(
                f"target: no field {field!r}; there are: {names}", do="createTargetIfMissing: true adds it"
            )
        at = match.end(1)
        return Edit.of(text, at, at, _as_lines(text, _dumped(field, value)))
    place = places[0]
    key, old = pairs[place]
    lines = match[1].splitlines(keepends=True)
    last = pairs[place + 1][0].start_mark.line if place + 1 < len(pairs) else len(lines)
    while last > key.start_mark.line + 1 and lines[last - 1].strip()[:1] in ("", "#"):
        last -= 1  # comments and blank lines belong to what follows
    start = begin + sum(map(len, lines[: key.start_mark.line]))
    end = begin + sum(map(len, lines[:last]))
    changed = value if operation == "replace" else _joined(_read(old, match[1]), value, operation, field)
    is_block = isinstance(old, yaml.SequenceNode) and not old.flow_style
    return Edit.of(text, start, end, _as_lines(text, _dumped(field, changed, is_block=is_block)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heading:
    """A heading with those above it, and the span of what stands under it."""

    path: list[str]
    level: int
    start: int
    end: int


def _headings(text: str) -> list[_Heading]:
    front = FRONT.match(text)
    at = front.end() if front else 0
    open_: list[tuple[int, str, int]] = []
    spans: list[tuple[list[str], int, int]] = []
    ends: dict[int, int] = {}
    fence = ""
    for line in text[at:].splitlines(keepends=True):
        bare = line.strip()
        if bare[:3] in ("```", "~~~"):
            fence = "" if fence == bare[:3] else fence or bare[:3]
        elif not fence and (match := _HEADING.match(line)) is not None:
            level = len(match[1])
            while open_ and open_[-1][0] >= level:
                ends[open_.pop()[2]] = at
            open_.append((level, match[2], len(spans)))
            spans.append(([name for _, name, _ in open_], level, at + len(line)))
        at += len(line)
    return [
        _Heading(path=path, level=level, start=start, end=ends.get(number, len(text)))
        for number, (path, level, start) in enumerate(spans)
    ]


def _folded(path: list[str]) -> list[str]:
    return [name.casefold() for name in path]


def _goes_on(line: str, *, is_alone: bool) -> bool:
    """Return whether the line above belongs to the same block."""
    is_other = _HEADING.match(line) is not None or line.lstrip()[:3] in ("```", "~~~")
    return bool(line.strip()) and not is_other and (is_alone or _BLOCK.search(line.rstrip("\r\n")) is None)


def _end_of_line(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _as_lines(text: str, content: str) -> str:
    """Return new content with the line ends of the text, and one behind its last line."""
    lines = content.replace("\r\n", "\n")
    return (lines if lines.endswith("\n") or not lines else f"{lines}\n").replace("\n", _end_of_line(text))


def _line_end(text: str, at: int) -> int:
    """Count the characters that end the line at a place."""
    return 2 if text.startswith("\r\n", at) else 1 if text.startswith("\n", at) else 0


def _front_node(front: str) -> yaml.MappingNode | None:
    try:
        node = yaml.compose(front, yaml.SafeLoader)
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or "not YAML"
        raise CallerError(f"the note's front matter cannot be read: {problem}", do="mend it first") from None
    if node is None:
        return None
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        raise CallerError("the note's front matter is not a table of fields, one on each line", do="mend it first")
    return node


def _read(node: yaml.Node, front: str) -> Any:
    loader = yaml.SafeLoader(front)
    try:
        return (
            [one.value for one in node.value] if isinstance(node, yaml.SequenceNode) else loader.construct_object(node)
        )
    finally:
        loader.dispose()


def _joined(old: Any, value: Any, operation: Operation, field: str) -> Any:
    """Add a value to one that is there: to a list its items, to a text more of it."""
    first, second = (old, value) if operation == "append" else (value, old)
    if isinstance(old, list):
        return [*_listed(first), *_listed(second)]
    if old is None:
        return value
    if isinstance(old, str) and isinstance(value, str):
        return first + second
    raise CallerError(f"target: {field!r} is neither a list nor a text", do='operation "replace" sets it')


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _dumped(field: str, value: Any, *, is_block: bool = False) -> str:
    """Write a field as YAML; a list of plain values on one line, unless it was written one below the other."""
    node = _Dumper(io.StringIO(), default_flow_style=False, sort_keys=False).represent_data({field: value})
    written = node.value[0][1]
    if isinstance(written, yaml.SequenceNode) and all(isinstance(one, yaml.ScalarNode) for one in written.value):
        written.flow_style = not is_block or not written.value
    dumped: str = yaml.serialize(node, Dumper=_Dumper, allow_unicode=True, width=2**31)
    return dumped
