"""A conversation with the server, through FastMCP's client over standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fastmcp import Client
from tests.kit.examples import client as talk
from tests.kit.examples.client import EXAMPLES, FETCH, piped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FOLDER: Final = EXAMPLES / "unity"


class Talk(talk.Talk):
    """A server, and a client that talks with it and reads what is held."""

    def __init__(self, options: Sequence[str], *, cwd: Path) -> None:
        super().__init__(Client(piped(FOLDER, options, cwd)))

    def fetch_cached_response(self, **arguments: Any) -> Any:
        """The tool that reads on, as a program calls it."""
        return self.told(FETCH, **arguments)

    def data(self, handle: str, action: str, **also: Any) -> Any:
        """What is in the data of an answer."""
        told = self.fetch_cached_response(cache_id=handle, action=action, **also)
        assert told["success"] is True
        return told["data"]

    def filtered(self, handle: str, jq_filter: str, **also: Any) -> Any:
        """What a filter of a held answer gives."""
        return self.data(handle, "filter", jq_filter=jq_filter, **also)

    def pages(self, handle: str, **also: Any) -> Iterator[Any]:
        """All pages of a held answer."""
        page = 1
        while True:
            told = self.data(handle, "get_page", page=page, **also)
            yield told
            if not told["_pagination"]["has_more"]:
                return
            page += 1
