"""``search``: a text or a regular expression in a held result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.answer.notice import encode
from penstock.core.json.path import closed_part, parse_open
from penstock.gate.actions.request import Rooms, answer_within

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.gate.actions.request import FetchRequest


MARKUP: Final = ("html", "xml")
_TAG: Final = re.compile(r"[<>]")


class Search:
    """The counts in one line of JSON, then the matches with their places as plain text, escaped no further.

    HTML and XML are searched as the text that a reader sees. A pattern with signs of markup, or without a match in that
    text, is searched in the markup.
    """

    def run(self, request: FetchRequest) -> bytes:
        from penstock.query.search.search import SearchQuery, search  # noqa: PLC0415  (most results are never searched)

        arguments = request.arguments
        path = arguments.optional_text("path")
        opened = request.opened_for(path)
        query = SearchQuery(
            pattern=arguments.text("pattern"),
            regex=arguments.truth("regex", default=False),
            ignore_case=arguments.truth("ignore_case", default=False) if "ignore_case" in arguments.values else None,
            word=arguments.truth("word", default=False),
            context=arguments.number("context", 0, least=0),
            path=path,
            start=arguments.number("start", 0, least=0),
        )
        sources = [opened.source_of(None if path is None else closed_part(parse_open(path)))]
        if path is None and opened.held.meta.extra.get("language") in MARKUP and not _TAG.search(query.pattern):
            sources.insert(0, request.opened().source)
        rooms = Rooms.of(request.budget(opened))

        def matches_within(room: Room) -> tuple[str, str]:
            matches = search(sources[0], query, room=room, sandbox=request.sandbox)
            if not matches.total and len(sources) > 1:
                matches = search(sources[1], query, room=room, sandbox=request.sandbox)
            return encode(matches.about).decode(), matches.text

        return answer_within(rooms.page, rooms.hard, matches_within)
