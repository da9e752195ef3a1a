"""Decide on the result of a call: it passes, or it is held and stood in for.

A result is read as what it is; if that fails, by an unforeseen error, as plain text, and then as the JSON that
it is. A tool whose rule has a filter gets what the filter leaves.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from penstock.core import fit as core
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import Cost
from penstock.core.tokens.count import count
from penstock.core.tokens.glance import glance
from penstock.core.tokens.size_class import size_class
from penstock.core.unread import fit_as_text, fit_unread
from penstock.errors import PenstockError
from penstock.gate import filtering
from penstock.gate.admitting import collector_waits
from penstock.gate.comparing import call_digest, since_earlier
from penstock.gate.outcome import Admission, Outcome
from penstock.gate.owners import Owner
from penstock.gate.records import Origin
from penstock.gate.tool_results import beside_note, less_note, with_block, with_member
from penstock.gate.turn_budget import TurnBudget

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.config.model import Config
    from penstock.config.unread import UnreadFloors
    from penstock.core.answer.result import Result
    from penstock.core.answer.stand_in import StandIn
    from penstock.core.changes.since import Since
    from penstock.core.forms.converted import Convert
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading
    from penstock.gate.asking import QuestionReply
    from penstock.gate.counting import Counting
    from penstock.gate.keeping import Keeper
    from penstock.gate.outcome import OutcomeKind
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.unforeseen import Incidents

AHEAD: Final = "the note of a result that is given later"  # whose words say how old it is then
NAMED: Final = 60  # characters of a tool's name in the log
_NOTICE = re.compile(rb'\{\\"type\\":\\"buffered_response\\",\\"cache_id\\":\\"([\w-]{1,64})\\"')


class Decider:
    """Decide on results by the budgets of a configuration, and count them. Threads may share it."""

    def __init__(
        self,
        config: Config,
        keeper: Keeper,
        counting: Counting,
        *,
        budget: Callable[..., core.Budget],
        convert: Convert,
        workers: Callable[[], Sandbox],
        now: Callable[[], float],
        incidents: Incidents,
        floors: UnreadFloors,
    ) -> None:
        """Take what the gate has: ``budget`` gives that of a tool for a client, ``workers`` run filters."""
        self.config = config
        self._keeper = keeper
        self._counting = counting
        self._budget = budget
        self._convert = convert
        self._workers = workers
        self._now = now
        self._incidents = incidents
        self._floors = floors
        self._turns = None if config.turn_tokens is None else TurnBudget(config.turn_tokens, now=now)

    def decide(
        self,
        call: core.Call,
        result: bytes | memoryview | Result,
        *,
        owner: Owner | None = None,
        server: str | None = "",
        server_name: str = "",
        reply: QuestionReply | None = None,
        together: int = 1,
    ) -> Admission:
        """Decide on a result, and hold it if it does not fit. ``Gate.decide`` says what the arguments are. With a
        ``reply`` every result is held, and the reply answers the call from it."""
        owner = owner or Owner(name=call.owner)
        decide = partial(self._decide, call, result, owner=owner, server=server, server_name=server_name, reply=reply)
        if self._turns is None:
            return decide(allowance=None)
        admission = decide(allowance=self._turns.allowance(owner.conversation, together))
        self._turns.spend(owner.conversation, admission.outcome.tokens_out)
        return admission

    def _decide(
        self,
        call: core.Call,
        result: bytes | memoryview | Result,
        *,
        allowance: int | None,
        owner: Owner,
        server: str | None,
        server_name: str,
        reply: QuestionReply | None,
    ) -> Admission:
        if reply is None and isinstance(result, bytes) and len(result) <= self._floors.of(call.tool):
            self._counting.passed(call.tool, len(result), server_name=server_name)
            return Admission(answer=result)
        budget = self._budget(call.tool, call.client, structured=call.structured)
        if reply is not None:
            budget = reply.notice_budget
        elif allowance is not None:
            budget = budget.shared(allowance)
        if isinstance(result, memoryview):
            result = parse(result, self._keeper.store.keep)
        raw = result if isinstance(result, bytes) else result.raw
        if "more" in self.config.act and self.config.rule_for(call.tool).lets_more(read_only=call.read_only):
            budget = replace(budget, act_tool=self.config.act_tool_name)
        if call.ahead:
            budget = beside_note(budget, AHEAD)
        if reply is None and budget.always_hold and self._is_own_notice(raw, call.owner):
            budget = replace(budget, always_hold=False)
        size = len(raw)
        digest = call_digest(call.tool, server, call.arguments, owner)
        origin = Origin(
            tool=call.tool,
            arguments=dict(call.arguments),
            run=owner.run,
            server=server,
            server_name=server_name,
            call=digest,
        )
        with collector_waits(size):
            program = self.config.rule_for(call.tool).filter
            if program is not None:
                return self._filtered_admission(call, result, budget, program, owner=owner, origin=origin, reply=reply)
            return self._admission(call, result, budget, size, owner=owner, origin=origin, reply=reply)

    def _filtered_admission(
        self,
        call: core.Call,
        result: bytes | Result,
        budget: core.Budget,
        program: str,
        *,
        owner: Owner,
        origin: Origin,
        reply: QuestionReply | None = None,
    ) -> Admission:
        """Admit what the tool's filter leaves of a result, and say where the original is; or the original, with a word
        when the filter failed or the original could not be held."""
        note = ""
        try:
            filtered = filtering.filtered(result, program, self._workers, self._convert)
            if filtered is not None:
                kept = self._keeper.keep_document(filtered.original.raw, origin, owner)
                note = filtering.filter_note(program, kept.handle)
                result = filtered.result
                digest = call_digest(call.tool, origin.server, call.arguments, owner, program)
                origin = replace(origin, source=kept.handle, filter=program, call=digest)
        except PenstockError as error:
            note = filtering.failure_note(error.what)
        except Exception as error:  # noqa: BLE001
            self._incidents.note(error, f"filtering a result of {call.tool[:NAMED]!r}", "the original is given")
            note = filtering.failure_note(f"a fault of Penstock ({type(error).__name__})")
        note = note if less_note(budget, note) is not budget else ""
        origin = replace(origin, note=note)
        size = len(result) if isinstance(result, bytes) else result.size
        less = less_note(budget, note)
        admission = self._admission(call, result, less, size, owner=owner, origin=origin, reply=reply)
        if not note:
            return admission
        if admission.stand_in is None:  # the result is the upstream's, and its text stays as it is
            return replace(admission, answer=with_block(admission.answer, note))
        return replace(admission, answer=with_member(admission.answer, "note", note))

    def _admission(
        self,
        call: core.Call,
        result: bytes | Result,
        budget: core.Budget,
        size: int,
        *,
        owner: Owner,
        origin: Origin,
        reply: QuestionReply | None = None,
    ) -> Admission:
        """Decide on a result, commit it if it is held, and count it. All that was made of it is let go at the end.

        A result that cannot be read, by an unforeseen error, is held as plain text; if that fails as well, as
        the JSON that it is.
        """
        compare = None if call.ahead else partial(self._since, owner.name, origin.call)
        ways: tuple[Callable[[], core.Plan], ...] = (
            lambda: core.fit(result, budget, call, self._convert, compare),
            lambda: fit_as_text(result, budget, call),
            lambda: fit_unread(result, budget, call),
        )
        for way in ways[:-1]:
            try:
                return self._admitted(call, result, way, budget, owner=owner, origin=origin, reply=reply)
            except Exception as error:  # noqa: BLE001
                doing = f"reading a result of {call.tool[:NAMED]!r}, {size:,} bytes"
                self._incidents.note(error, doing, "it is held as plain text")
        return self._admitted(call, result, ways[-1], budget, owner=owner, origin=origin, reply=reply)

    def _admitted(
        self,
        call: core.Call,
        result: bytes | Result,
        fit: Callable[[], core.Plan],
        budget: core.Budget,
        *,
        owner: Owner,
        origin: Origin,
        reply: QuestionReply | None = None,
    ) -> Admission:
        server_name = origin.server_name
        with self._keeper.admitting.reading(len(result) if isinstance(result, bytes) else result.size):
            plan = fit()
        match plan:
            case core.Pass(cost=cost):
                answer = result if isinstance(result, bytes) else bytes(result.raw)
                if cost is None:
                    likely = glance(answer)
                    cost = Cost(likely.tokens, likely.upper)
                self._count_sized(server_name, call.tool, cost.charged, cost.tokens, cost.tokens)
                return Admission(answer=answer, tokens=(cost.tokens, cost.tokens))
            case core.Compact(raw=answer, cost=left, tokens=before):
                self._count_sized(server_name, call.tool, left.charged, before, left.tokens)
                return Admission(answer=answer, tokens=(before, left.tokens))
            case core.Hold() as hold:
                kept = len(hold.document.raw) <= self.config.max_result_bytes
                since = hold.notice.since
                if hold.result.is_error:
                    origin = replace(origin, call="")
                elif since is not None:
                    origin = replace(origin, since=since.handle)
                stand_in = self._repeat(call, hold, origin, owner)
                if stand_in is None:
                    stand_in = self._keeper.keep(hold, origin, owner) if kept else hold.stand_in(None)
                hold.document.release()
                answer = stand_in.raw
                if reply is not None and not hold.result.is_error:
                    answer = reply.to_stored(stand_in, _small(result, hold, budget))
                before, after = hold.measure.tokens.tokens, count(answer).tokens
                charged = max(hold.payload.counts(budget.profile)[1].upper, hold.measure.tokens.upper)
                self._count_sized(server_name, call.tool, charged, before, after, held=1)
                self._counting.flush()
                kind: OutcomeKind = "held" if "cache_id" in stand_in.notice else "not_kept"
                outcome = Outcome(kind=kind, tokens_in=before, tokens_out=after)
                return Admission(answer=answer, stand_in=stand_in if reply is None else None, decided=outcome)

    def _repeat(self, call: core.Call, hold: core.Hold, origin: Origin, owner: Owner) -> StandIn | None:
        """Return one line for data that the same conversation was told about before, and that is still held."""
        since = hold.notice.since
        if since is None or since.handle not in call.known_notices or origin.note:
            return None
        line = hold.repeat()
        return line if line is not None and self._keeper.renew(owner, since.handle) else None

    def _is_own_notice(self, raw: bytes | memoryview, owner: str) -> bool:
        """Return True if another gate with this store has already held the result for the same owner. No upstream can
        guess a handle, so a forged notice is held like any other result."""
        match = _NOTICE.search(raw, 0, 200)
        try:
            return match is not None and self._keeper.store.get(owner, match[1].decode()) is not None
        except Exception:  # noqa: BLE001  (it is then held like anything else)
            return False

    def _since(self, owner: str, call: str, document: Document, reading: Reading) -> Since | None:
        """Tell what changed since the same call was last answered with a result that is held."""
        keeper = self._keeper
        return since_earlier(document, reading, store=keeper.store, owner=owner, call=call, now=self._now())

    def _count_sized(self, server: str, tool: str, charged: int, before: int, after: int, *, held: int = 0) -> None:
        self._counting.add(server, tool, size_class(charged), held=held, tokens_in=before, tokens_out=after)


def _small(result: bytes | Result, hold: core.Hold, budget: core.Budget) -> bytes | None:
    """Return a result that may fit; None for any other."""
    if hold.measure.tokens.tokens > budget.max_tokens:
        return None
    return result if isinstance(result, bytes) else bytes(result.raw)
