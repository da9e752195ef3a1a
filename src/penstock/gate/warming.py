"""Call tools ahead, and answer the first real call with what they gave.

``WarmResults.begin`` returns a run of calls, which the caller makes one after the other as for ``more``. What is too
large to pass is held; the first call of the same tool with the same arguments is answered with its stand-in, the time
that is left, and its age. Every later call goes to the server, and so does one that comes before the result is there.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.config.kinds import written_call
from penstock.core.answer.notice import stored_for
from penstock.core.answer.result import COMPLETE, is_interim, parse
from penstock.core.answer.stand_in import joined
from penstock.core.fit import Call
from penstock.core.text import shorten
from penstock.errors import CallerError, PenstockError
from penstock.gate.acts.more import PageCall
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.config.model import Config, Rule
    from penstock.core.answer.stand_in import StandIn
    from penstock.gate.deciding import Decider
    from penstock.gate.owners import Owner
    from penstock.gate.passing import Target
    from penstock.stores import Store

DONE: Final = b"{}"  # what a run of calls ends with: no client waits for it


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmTerms:
    """The owner of what is held, the client that will call, and what is known of a tool and of its server."""

    owner: Owner
    client: str
    target_of: Callable[[str], Target]
    server_name_of: Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmResult:
    """A held result that no client has asked for yet."""

    owner: str
    client: str
    stand_in: StandIn
    made: float
    expires: float | None

    @property
    def handle(self) -> str:
        return str(self.stand_in.notice["cache_id"])


@dataclass(frozen=True, slots=True, kw_only=True)
class _WarmCall:
    key: str
    target: Target
    arguments: dict[str, Any]
    rule: Rule


@dataclass(slots=True, kw_only=True)
class WarmRun:
    """Calls that are made ahead, one after the other."""

    results: WarmResults
    terms: WarmTerms
    calls: list[_WarmCall]
    done: int = 0

    @property
    def call(self) -> PageCall:
        """Return the call that is needed next."""
        one = self.calls[self.done]
        return PageCall(
            tool=one.target.tool,
            arguments=one.arguments,
            seconds=one.rule.call_timeout,
            done=self.done,
            most=len(self.calls),
            message="",
        )

    def step(self, result: bytes, failure: str = "") -> WarmRun | bytes:
        """Take the result of the call, or the words of its failure; return this for another call, or the end."""
        one = self.calls[self.done]
        self.done += 1
        self.results.keep(one, self.terms, result, failure)
        return self if self.done < len(self.calls) else DONE


class WarmResults:
    """The calls that are made ahead, by tool and arguments, and their results. Threads may share it."""

    def __init__(
        self,
        config: Config,
        decider: Decider,
        store: Store,
        *,
        now: Callable[[], float],
        refused: Callable[[PenstockError], None],
        note: Callable[[str], None],
    ) -> None:
        """Take the gate's parts. ``refused`` is called with the reason why a tool may not be called, ``note`` with what
        became of a call."""
        self._config = config
        self._decider = decider
        self._store = store
        self._now = now
        self._refused = refused
        self._note = note
        self._lock = threading.Lock()
        self._has_begun = False
        self._open: dict[str, WarmResult | None] = dict.fromkeys(config.warm)  # None until there is a result

    def begin(self, terms: WarmTerms) -> WarmRun | None:
        """Return the calls to make, once; None when they were begun already, or when none of them may be made."""
        with self._lock:
            if self._has_begun:
                return None
            self._has_begun = True
        calls = list(self._allowed(terms))
        return WarmRun(results=self, terms=terms, calls=calls) if calls else None

    def _allowed(self, terms: WarmTerms) -> Iterable[_WarmCall]:
        for key in self._config.warm:
            call = msgspec.json.decode(key)
            tool = call["tool"]
            target, rule = terms.target_of(tool), self._config.rule_for(tool)
            if target.schema is None:
                what = f"warm cannot call {shorten(tool)!r}: the server lists no such tool"
                self._refused(CallerError(what, do="correct its name, or leave it out"))
            elif not rule.lets_more(read_only=target.read_only):
                what = f"warm may not call {shorten(tool)!r}: it is not marked as read-only"
                self._refused(CallerError(what, do='leave it out, or allow it by more = "any" in a rule of this tool'))
            elif rule.filter is not None:
                what = f"warm may not call {shorten(tool)!r}: it has a filter in its rule"
                self._refused(CallerError(what, do="leave it out, or leave the filter out"))
            else:
                yield _WarmCall(key=key, target=target, arguments=call["arguments"], rule=rule)

    def keep(self, one: _WarmCall, terms: WarmTerms, result: bytes, failure: str) -> None:
        """Hold a result for the first call of the same; a failure, and what would pass anyway, is let go."""
        tool = shorten(one.target.tool)
        with self._lock:
            is_open = one.key in self._open
        if not is_open:
            self._note(f"warm: {tool!r} was called by the client before its result came")
            return
        members = [] if failure else jsonrpc.members(result)
        if failure or not _is_complete(dict(members)):
            self._note(f"warm: {tool!r} gave no result: {failure or 'it is not complete'}")
            return
        bare = joined([member for member in members if member[0] != "resultType"])
        parsed = parse(bare)
        if parsed.is_error:
            self._note(f"warm: {tool!r} answered with an error; it is called again when the client calls it")
            return
        call = Call(
            tool=one.target.tool,
            owner=terms.owner.name,
            arguments=one.arguments,
            schema=one.target.schema,
            client=terms.client,
            read_only=one.target.read_only,
            ahead=True,
        )
        made = self._now()
        name = terms.server_name_of(one.target.tool)
        admission = self._decider.decide(call, parsed, owner=terms.owner, server=one.target.server, server_name=name)
        stand_in = admission.stand_in
        if stand_in is None or "cache_id" not in stand_in.notice:
            self._note(f"warm: the result of {tool!r} is not held: it is small, or was not kept")
            return
        expires = None if one.rule.ttl is None else made + one.rule.ttl
        with self._lock:
            if one.key in self._open:
                self._open[one.key] = WarmResult(
                    owner=terms.owner.name, client=terms.client, stand_in=stand_in, made=made, expires=expires
                )
        self._note(f"warm: a result of {tool!r} is held")

    def take(self, owner: Owner, tool: str, arguments: bytes, client: str) -> bytes | None:
        """Return the answer for the first call of the same, with its age; None for any other call, and where what was
        held for it has expired or gone: then the server is called."""
        try:
            values = msgspec.json.decode(arguments or b"{}")
            key = written_call(tool, values)
        except (TypeError, ValueError, RecursionError):
            return None
        with self._lock:
            warm = self._open.pop(key, None)
        now = self._now()
        if warm is None or (warm.owner, warm.client) != (owner.name, client):
            return None
        if warm.expires is not None and warm.expires <= now:
            return None
        try:
            is_held = self._store.get(owner.name, warm.handle) is not None
        except PenstockError:
            is_held = False
        if not is_held:
            return None
        notice = warm.stand_in.notice
        if warm.expires is not None:
            notice = _with_lifetime(notice, round(warm.expires - warm.made), round(warm.expires - now))
        age = max(0, round(now - warm.made))
        words = f"prefetched {age:,} s ago; repeat the call for a fresh result"
        return replace(warm.stand_in, notice={**notice, "note": words}).raw


def _is_complete(members: dict[str, bytes]) -> bool:
    """Return True if a result with these members answers a call, and is not a step of the protocol."""
    return members.get("resultType", COMPLETE) == COMPLETE and not is_interim(members)


def _with_lifetime(notice: dict[str, Any], before: int, seconds: int) -> dict[str, Any]:
    """Return the notice with the remaining lifetime of its result."""
    changed = {**notice, "message": notice["message"].replace(stored_for(before), stored_for(seconds))}
    if "metadata" in notice:
        changed["metadata"] = {**notice["metadata"], "expires_in_s": seconds}
    return changed
