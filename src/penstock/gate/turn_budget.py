"""Share one budget among the calls of a turn, with the setting ``turn_tokens``.

A model often makes several calls at once. Each result may fit its own budget while all of them together do not. The
calls that are in flight share what is left of the turn's budget equally: small results pass and leave their rest to the
others, so the largest are held first.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

GAP: Final = 5.0  # Seconds. A call that comes later after a response than this begins a new turn.
MAX_CONVERSATIONS: Final = 1_000  # Conversations whose turns are remembered; a forgotten one begins a new turn.


class TurnBudget:
    """Counts the tokens of the current turn of each conversation. Threads may share it."""

    def __init__(self, tokens: int, *, now: Callable[[], float]) -> None:
        self._tokens = tokens
        self._now = now
        self._lock = threading.Lock()
        self._spent: OrderedDict[str, tuple[int, float]] = OrderedDict()  # tokens, and the time of the last response

    def allowance(self, conversation: str, together: int) -> int:
        """Return the tokens that the next response may take, while this many calls have no response yet."""
        with self._lock:
            return max(0, self._tokens - self._spent_in(conversation)) // max(1, together)

    def spend(self, conversation: str, tokens: int) -> None:
        """Note that a response of this size goes to the client."""
        with self._lock:
            spent = self._spent_in(conversation) + tokens
            self._spent[conversation] = spent, self._now()
            self._spent.move_to_end(conversation)
            while len(self._spent) > MAX_CONVERSATIONS:
                self._spent.popitem(last=False)

    def _spent_in(self, conversation: str) -> int:
        spent, last = self._spent.get(conversation, (0, 0.0))
        return spent if self._now() - last <= GAP else 0
