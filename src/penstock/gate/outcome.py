"""The outcome of a result at the gate: for figures, logs and traces, which read no bytes that leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from penstock.core.plain import Plain
from penstock.core.tokens.count import count
from penstock.core.tokens.size_class import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from penstock.core.answer.stand_in import StandIn

SMALL: Final = 2_000  # bytes up to which three are taken for a token: to count them takes longer than to relay them
FLAG: Final = b'"isError"'

OutcomeKind = Literal["passed", "held", "not_kept", "failed"]


class Outcome(Plain, frozen=True, kw_only=True):
    """``kind`` is passed, held, not_kept (too large, and the store failed) or failed; then the tokens of the upstream's
    result, and of what the client gets for it."""

    kind: OutcomeKind
    tokens_in: int = 0
    tokens_out: int = 0


class _Flagged(msgspec.Struct):
    isError: msgspec.Raw | bool = False  # noqa: N815  (as it is on the wire)


FAILED: Final = Outcome(kind="failed")
_FLAG = msgspec.json.Decoder(_Flagged)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The gate's answer. For a held result ``stand_in`` has its parts, and ``decided`` its outcome; for one that passed
    ``tokens`` are its own and the answer's, where they were counted."""

    answer: bytes
    stand_in: StandIn | None = None
    decided: Outcome | None = None
    tokens: tuple[int, int] | None = None

    @property
    def outcome(self) -> Outcome:
        """Return the outcome; that of a result which passed is worked out only when it is asked for."""
        return self.decided or outcome_of_passed(self.answer, self.tokens)


def outcome_of_passed(result: bytes | msgspec.Raw, tokens: tuple[int, int] | None = None) -> Outcome:
    """Return the outcome of a result that passes; one that says it is an error has failed. ``tokens`` are those that
    came and those that go on, where they are known."""
    size = len(result)
    if tokens is None:
        counted = size // BYTES_PER_TOKEN if size <= SMALL else count(bytes(result), exact=False).tokens
        tokens = counted, counted
    return Outcome(kind="failed" if _is_error(result) else "passed", tokens_in=tokens[0], tokens_out=tokens[1])


def _is_error(result: bytes | msgspec.Raw) -> bool:
    if FLAG not in bytes(result):
        return False
    try:
        flag = _FLAG.decode(result).isError
    except (ValueError, RecursionError):  # a text in it that only other parsers take
        return False
    return flag is True or (isinstance(flag, msgspec.Raw) and bytes(flag) == b"true")
