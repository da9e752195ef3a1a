"""The least change of a text that puts the gateway in front of a server, or takes it out again.

What was there stays where it was: the command's literal moves into ``args``, in front of its items, and back. So
nothing has to be remembered to undo it, and comments and layout survive. Where there was no ``args``, one is added in
front of ``command``, and that place says later that it was added: users hardly ever write an empty one there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from penstock.client_config.servers import BREAK, ArrayLine, Span, tight

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.client_config.servers import Dialect, KeyedValue, Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """``text`` takes the place of a span."""

    span: Span
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Make all edits. They do not overlap."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda edit: edit.span.start):
        parts += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*parts, text[at:]])


def put_in(text: str, line: Line | ArrayLine, words: Sequence[str], dialect: Dialect) -> list[Edit]:
    """Start ``words`` instead of the command, with the command and its args at their end."""
    program, *front = map(dialect.quote, words)
    if isinstance(line, ArrayLine):
        comma = _between_items(text, line.command, line.items)
        return [_insert(line.items[0].start, "".join(literal + comma for literal in (program, *front)))]
    literals = [*front, text[line.command.value.start : line.command.value.end]]
    comma = _separator(text, line)
    edits = [Edit(span=line.command.value, text=program)]
    if line.args is None:
        before, after = line.around
        edits.append(_insert(line.command.key.start, f"{before}[{comma.join(literals)}]{after}"))
    elif line.items:
        edits.append(_insert(line.items[0].start, "".join(literal + comma for literal in literals)))
    else:
        edits.append(_insert(line.args.value.start + 1, comma.join(literals)))
    return edits


def take_out_of_array(text: str, line: ArrayLine, count: int, dialect: Dialect) -> list[Edit]:
    """Start what stands behind the first ``count`` items of the array."""
    gaps = [text[one.end : other.start] for one, other in pairwise(line.items[: count + 1])]
    comments = "".join(comment for gap in gaps for comment in dialect.comment.findall(gap))
    return [Edit(span=Span(start=line.items[0].start, end=line.items[count].start), text=comments)]


def take_out(text: str, line: Line, args: KeyedValue, count: int, dialect: Dialect, *, keep_args: bool) -> list[Edit]:
    """Start the last of the first ``count`` args instead of the command, with the args behind it.

    An ``args`` without anything in it is removed if it stands where ``put_in`` would have added it, unless
    ``keep_args`` says that it was there before.
    """
    first, child, rest = line.items[0], line.items[count - 1], line.items[count:]
    edits = [Edit(span=line.command.value, text=text[child.start : child.end])]
    # A comment between words that are taken out is not ours to take.
    gaps = [text[one.end : other.start] for one, other in pairwise(line.items[: count + 1])]
    comments = "".join(comment for gap in gaps for comment in dialect.comment.findall(gap))
    if rest:
        return [*edits, Edit(span=Span(start=first.start, end=rest[0].start), text=comments)]
    head, tail = text[args.value.start + 1 : first.start], text[child.end : args.value.end - 1]
    bare = not any(map(dialect.comment.search, (head, comments, tail)))
    if bare and not keep_args and _in_front(text, args, line.command):
        return [*edits, Edit(span=Span(start=args.key.start, end=line.command.key.start), text="")]
    if bare and head:  # put_in writes right behind the bracket: a user has laid the array out anew since
        return [*edits, Edit(span=Span(start=args.value.start + 1, end=args.value.end - 1), text="")]
    edits.append(Edit(span=Span(start=first.start, end=child.end), text=comments))
    comma = dialect.comment.sub(lambda comment: " " * len(comment[0]), tail).find(",")
    if comma >= 0:
        edits.append(Edit(span=Span(start=child.end + comma, end=child.end + comma + 1), text=""))
    return edits


def _in_front(text: str, args: KeyedValue, command: KeyedValue) -> bool:
    return args.value.end < command.key.start and not text[args.value.end : command.key.start].strip(" \t\r\n,")


def _insert(at: int, text: str) -> Edit:
    return Edit(span=Span(start=at, end=at), text=text)


def _separator(text: str, line: Line) -> str:
    """Return what stands between two items of this array, or else in the rest of the entry."""
    if line.separator or line.args is None:
        return line.separator or _after_comma(text, line.command)
    return _between_items(text, line.args, line.items, otherwise=line.command)


def _between_items(
    text: str, array: KeyedValue, items: tuple[Span, ...], *, otherwise: KeyedValue | None = None
) -> str:
    if items:
        first, *others = items
        breaks = BREAK.findall(text[array.value.start : first.start])
        if breaks:
            return f",{breaks[-1]}"
        if others and re.fullmatch(r",[ \t]*", text[first.end : others[0].start]):
            return text[first.end : others[0].start]
    return _after_comma(text, otherwise or array)


def _after_comma(text: str, member: KeyedValue) -> str:
    return "," if tight(text, member.key, member.value) else ", "
