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

from penstock.client_config.servers import BREAK, Span, tight

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.client_config.servers import Dialect, EntryMember, ServerEntry


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


def put_in(text: str, server: ServerEntry, words: Sequence[str], dialect: Dialect) -> list[Edit]:
    """Start ``words`` instead of the command, with the command and its args at their end."""
    program, *front = map(dialect.quote, words)
    command, args = server.entries[server.keys.command], server.entries.get("args")
    if server.keys.is_array:
        comma = _between_items(text, command, command)
        return [_insert(command.items[0].start, "".join(literal + comma for literal in (program, *front)))]
    literals = [*front, text[command.value.start : command.value.end]]
    comma = _after_comma(text, command) if args is None else args.separator or _between_items(text, args, command)
    edits = [Edit(span=command.value, text=program)]
    if args is None:
        before, after = command.around
        edits.append(_insert(command.key.start, f"{before}[{comma.join(literals)}]{after}"))
    elif args.items:
        edits.append(_insert(args.items[0].start, "".join(literal + comma for literal in literals)))
    else:
        edits.append(_insert(args.value.start + 1, comma.join(literals)))
    return edits


def take_out(text: str, server: ServerEntry, count: int, dialect: Dialect, *, keep_args: bool) -> list[Edit]:
    """Start the command line behind the first ``count`` words. If the command is not an array of all words, the last of
    as many args becomes the command.

    An ``args`` without anything in it is removed if it stands where ``put_in`` would have added it, unless
    ``keep_args`` says that it was there before.
    """
    command = server.entries[server.keys.command]
    args = command if server.keys.is_array else server.entries["args"]
    # A comment between words that are taken out is not ours to take.
    gaps = [text[one.end : other.start] for one, other in pairwise(args.items[: count + 1])]
    comments = "".join(comment for gap in gaps for comment in dialect.comment.findall(gap))
    first, child, rest = args.items[0], args.items[count - 1], args.items[count:]
    if server.keys.is_array:
        return [Edit(span=Span(start=first.start, end=rest[0].start), text=comments)]
    edits = [Edit(span=command.value, text=text[child.start : child.end])]
    if rest:
        return [*edits, Edit(span=Span(start=first.start, end=rest[0].start), text=comments)]
    head, tail = text[args.value.start + 1 : first.start], text[child.end : args.value.end - 1]
    bare = not any(map(dialect.comment.search, (head, comments, tail)))
    if bare and not keep_args and _in_front(text, args, command):
        return [*edits, Edit(span=Span(start=args.key.start, end=command.key.start), text="")]
    if bare and head:  # put_in writes right behind the bracket: a user has laid the array out anew since
        return [*edits, Edit(span=Span(start=args.value.start + 1, end=args.value.end - 1), text="")]
    edits.append(Edit(span=Span(start=first.start, end=child.end), text=comments))
    comma = dialect.comment.sub(lambda comment: " " * len(comment[0]), tail).find(",")
    if comma >= 0:
        edits.append(Edit(span=Span(start=child.end + comma, end=child.end + comma + 1), text=""))
    return edits


def _in_front(text: str, args: EntryMember, command: EntryMember) -> bool:
    return args.value.end < command.key.start and not text[args.value.end : command.key.start].strip(" \t\r\n,")


def _insert(at: int, text: str) -> Edit:
    return Edit(span=Span(start=at, end=at), text=text)


def _between_items(text: str, array: EntryMember, otherwise: EntryMember) -> str:
    """Return the text between two items of an array, or else between two members of the entry."""
    if array.items:
        first, *others = array.items
        breaks = BREAK.findall(text[array.value.start : first.start])
        if breaks:
            return f",{breaks[-1]}"
        if others and re.fullmatch(r",[ \t]*", text[first.end : others[0].start]):
            return text[first.end : others[0].start]
    return _after_comma(text, otherwise)


def _after_comma(text: str, member: EntryMember) -> str:
    return "," if tight(text, member.key, member.value) else ", "
