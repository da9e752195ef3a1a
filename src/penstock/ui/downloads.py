"""Files that a page asks for: a ticket is asked for below the API, and a plain link with it is good once.

A link cannot send our header, and what it answers may be hundreds of megabytes, which no script should hold.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST: Final = 32  # tickets that are good at once; the oldest is forgotten
PIECE: Final = 1_048_576  # bytes of an original that are sent at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file: its name, its type, and what gives it piece by piece."""

    name: str
    kind: str
    pieces: Callable[[], Iterator[bytes]]

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        # Never shown by the browser, whatever is in it.
        disposition = f'attachment; filename="{self.name}"'
        return [(b"content-type", self.kind.encode()), (b"content-disposition", disposition.encode())]


class Tickets:
    """Keep the downloads that were asked for until their links are followed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Download] = OrderedDict()

    def add(self, download: Download) -> str:
        """Return the ticket of a download."""
        ticket = secrets.token_urlsafe(24)
        with self._lock:
            self._kept[ticket] = download
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return ticket

    def take(self, ticket: str) -> Download | None:
        """Return the download of a ticket, once."""
        with self._lock:
            return self._kept.pop(ticket, None)


def file_name(tool: str, part: str, suffix: str) -> str:
    """Return a name for a file that every system takes."""
    words = [re.sub(r"[^A-Za-z0-9]+", "-", one).strip("-").lower()[:40] for one in (tool, part)]
    return f"{'-'.join(word for word in words if word) or 'result'}.{suffix}"
