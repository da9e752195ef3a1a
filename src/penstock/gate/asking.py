"""Answer the question that a call carries (``_ask``) from the call's own result.

The result is stored whole, and the reading tool answers the question from it. The client gets the answer with the
handle. If the result fits as well, both are sent. If the question does not fit the data, the client gets what it would
get without one, with the error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import structs

from penstock.core.act.question import ARGUMENT, arguments_of
from penstock.core.answer.notice import encode
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import joined, text_block
from penstock.core.fit import Pass, fit
from penstock.core.text import shorten
from penstock.errors import CallerError
from penstock.gate.tool_results import NOTE, NOTE_BYTES, block_result, error_result, with_block, with_member
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from penstock.core.answer.result import Result
    from penstock.core.answer.stand_in import StandIn
    from penstock.core.budget import Budget
    from penstock.core.fit import Call
    from penstock.gate.answering import Answerer
    from penstock.gate.outcome import Admission
    from penstock.gate.owners import Owner

MAX_ERROR: Final = 300  # characters of the error in a notice, which leaves room for so many
IN_TEXT: Final = "The answer is in the text."


class Decide(Protocol):
    """Decides on a result; with a reply, the result is held and the reply answers the call."""

    def __call__(
        self, call: Call, result: bytes | memoryview | Result, *, reply: QuestionReply | None = None
    ) -> Admission: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Answers the questions of an owner's calls."""

    answerer: Answerer
    owner: Owner
    client: str
    budget: Budget

    def decide(self, ask: Any, call: Call, result: bytes | memoryview | Result, decide: Decide) -> Admission:
        """Decide on a result whose call carries the question ``ask``.

        An error of the tool answers the call as it is, and so does a result that may not be stored.
        """
        parsed = None if isinstance(result, memoryview) else parse(result) if isinstance(result, bytes) else result
        if parsed is not None and (parsed.is_error or parsed.is_interim):
            return decide(call, result)
        arguments, refusal = _read(ask)
        if not (arguments or refusal):
            return decide(structs.replace(call, known_notices=()), result)
        if self.budget.never_hold:
            admission = decide(call, result)
            return replace(admission, answer=_unanswered(admission.answer, "results of this tool are never stored"))
        reply = QuestionReply(
            arguments=arguments,
            refusal=refusal,
            answerer=self.answerer,
            owner=self.owner,
            client=self.client,
            budget=self.budget,
        )
        return decide(call, result, reply=reply)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReply:
    """Writes the response to one call that carries a question: the ``arguments`` of the reading tool without the
    handle, or the ``refusal`` of what is no question."""

    arguments: dict[str, Any]
    refusal: str
    answerer: Answerer
    owner: Owner
    client: str
    budget: Budget

    @property
    def notice_budget(self) -> Budget:
        """Return the budget for a notice with an error beside it. The smallest budgets have no room for one."""
        room = self.budget.stand_in
        try:
            return replace(
                self.budget,
                always_hold=True,
                preview_tokens=room.tokens - NOTE,
                preview_bytes=room.size - NOTE_BYTES,
            )
        except CallerError:
            return replace(self.budget, always_hold=True)

    def to_stored(self, stand_in: StandIn, result: bytes | None) -> bytes:
        """Return the response to a call whose result was stored. ``result`` is that of the server if it may fit."""
        handle = stand_in.notice.get("cache_id")
        if handle is None:  # The notice says that the result was not kept.
            return stand_in.raw
        if self.refusal:
            return self._refused(stand_in, result, self.refusal, handle)
        answer = self.answerer.ask(self.owner, {**self.arguments, "cache_id": handle}, self.client)
        blocks = jsonrpc.items(jsonrpc.bytes_at(answer, "content") or b"[]")
        text = jsonrpc.text_at(blocks[0], "text")
        if jsonrpc.member(answer, "isError") is True:
            return self._refused(stand_in, result, text, handle)
        text = f'{{"cache_id":"{handle}",{text[1:]}'
        blocks[0] = text_block(text)
        both = None if result is None else _with_blocks_before(result, blocks)
        if both is not None and self._fits(both):
            return both
        alone = self._alone(blocks, text, handle)
        return alone if self._fits(alone) else answer

    def _alone(self, blocks: list[bytes], text: str, handle: str) -> bytes:
        """Return the answer without the result. A client that knows an output schema gets structured content too."""
        if not self.budget.structured:
            return block_result(*blocks)
        notice = {"type": "buffered_response", "cache_id": handle, "message": IN_TEXT}
        content = b"[" + b",".join(blocks) + b"]"
        whole = joined([("content", content), ("structuredContent", encode({**notice, "preview": text}))])
        return whole if self._fits(whole) else joined([("content", content), ("structuredContent", encode(notice))])

    def _refused(self, stand_in: StandIn, result: bytes | None, error: str, handle: str) -> bytes:
        """Return what the call gives without a question, and why the question was not answered."""
        words = shorten(error, MAX_ERROR)
        if result is not None and self._fits(both := _unanswered(result, words)):
            return both
        notice = with_member(stand_in.raw, "ask_error", words)
        if self._fits(notice):
            return notice
        return error_result(CallerError(f"{ARGUMENT}: {words}", do=f"the result is stored as {handle}"))

    def _fits(self, result: bytes) -> bool:
        return isinstance(fit(result, replace(self.budget, always_hold=False)), Pass)


def _unanswered(result: bytes, reason: str) -> bytes:
    """Return a result with a block that says why its question was not answered."""
    return with_block(result, f"{ARGUMENT} was not answered: {reason}")


def _with_blocks_before(result: bytes, blocks: list[bytes]) -> bytes | None:
    """Return a result with these blocks before its own, because some clients keep only the first."""
    content = jsonrpc.bytes_at(result, "content")
    if content is None:
        return None
    return jsonrpc.put(result, b"[" + b",".join((*blocks, *jsonrpc.items(content))) + b"]", "content")


def _read(ask: Any) -> tuple[dict[str, Any], str]:
    """Return the arguments of the reading tool that a question stands for, or why it is none. Neither means all."""
    try:
        return arguments_of(ask), ""
    except CallerError as error:
        return {}, str(error)
