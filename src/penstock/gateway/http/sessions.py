"""What is known of the sessions of an upstream. All of it can be lost: another gateway that never saw a session serves
it just as well, but for the client's name and the tools that were listed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.protocol.known import Known

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.protocol.commands import Waiting
    from penstock.protocol.exchange import Exchange

MOST: Final = 10_000  # sessions that are remembered
OPEN: Final = 1_000  # requests of one session that are; without it an answer is still bounded, under no tool's name


@dataclass(slots=True, kw_only=True)
class Session:
    """A session of the legacy era; in the modern one, a single request."""

    client: str = ""
    known: Known = field(default_factory=Known)
    open: dict[bytes, Waiting] = field(default_factory=dict)  # requests whose stream ended before their answer came
    asking: list[Exchange] = field(default_factory=list)  # those that are under way: upstreams ask clients there
    heard: float = 0.0  # when the client last answered a question

    def leave_open(self, left: Iterable[Waiting]) -> None:
        """Remember requests that may be answered on another stream."""
        for waiting in left:
            waiting.busy = False
            self.open[waiting.key] = waiting
        for key in tuple(self.open)[:-OPEN]:
            self.open.pop(key, None)


class Sessions:
    """The sessions by their names. Requests without one have in common what the upstream told of its tools."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._shared = Known()
        self._named: OrderedDict[str, Session] = OrderedDict()
        self.server = ""  # what the upstream calls itself

    def of(self, name: str) -> Session:
        """A session; one that is not known is new to us, and may be old to the upstream."""
        if not name:
            return Session(known=self._shared)
        found = self._named.get(name)
        if found is None:
            found = self._named[name] = Session()
            while len(self._named) > self._most:
                self._named.popitem(last=False)
        else:
            self._named.move_to_end(name)
        return found

    def end(self, name: str) -> None:
        """Forget a session."""
        self._named.pop(name, None)

    def __len__(self) -> int:
        return len(self._named)
