"""Leave secrets out of a message: for recordings that users send to others.

Three kinds of values go: those under names such as ``password`` or ``api_key``, those that look like a known kind of
credential, and the values of the environment's own secrets, wherever they stand. What belongs to the protocol stays.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHORTEST: Final = 6  # characters of a secret of the environment: shorter ones stand in ordinary words
RULES: Final = (
    "values under names like password, secret, token, api_key, authorization, cookie; texts that look like keys, "
    "tokens, private keys or passwords in URLs; values of this environment's variables with such names"
)
PROTOCOL: Final = frozenset(("progressToken", "requestId", "taskId", "nextCursor", "cursor", "protocolVersion"))

_NAMES: Final = (
    r"pass(?:word|wd|phrase)|secret|(?:access|auth|refresh|bearer|session|id|api|bot|csrf)?[_-]?token|api[_-]?key"
    r"|(?:access|private|secret|signing|encryption)[_-]?key|authorization|cookie|credentials?|client[_-]?secret"
)
_NAME = re.compile(rf"(?:.*[_\-. ])?(?:{_NAMES})", re.IGNORECASE)
_PAIR = re.compile(
    rf"""((?<![A-Za-z0-9])\\*["']?(?:{_NAMES})\\*["']?\s*[:=]\s*(?:(?:Bearer|Basic)\s+)?\\*["']?)([^\s"'\\,;}}&<]{{4,}})""",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_A-Za-z0-9]{16,}"
    r"|\b(?:gh[pousr]|github_pat|glpat|xox[abprs])[-_][-_A-Za-z0-9]{10,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bAIza[-_0-9A-Za-z]{30,}|\beyJ[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]*"
    r"|(?<=[Bb]earer )[-._~+/A-Za-z0-9=]{8,}|(?<=://)[^/\s:@]*:[^/\s:@]+(?=@)",
    re.DOTALL,
)


class Redactor:
    """Replace secrets in messages. ``count`` is how many values were left out so far."""

    def __init__(self, environment: Mapping[str, str], more: Iterable[str] = ()) -> None:
        """Take the environment, and in ``more`` secrets that are known otherwise: the values of headers."""
        own = {value for name, value in environment.items() if _NAME.fullmatch(name) and len(value) >= SHORTEST}
        words = sorted({*own, *(one for one in more if len(one) >= SHORTEST)}, key=len, reverse=True)
        self._own = re.compile("|".join(map(re.escape, words))) if words else None
        self.count = 0

    def message(self, value: Any) -> Any:
        """Return a decoded JSON-RPC message without secrets."""
        return self._value(value)

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        if self._own is not None:
            text = self._own.sub(self._left_out, text)
        text = _KNOWN.sub(self._left_out, text)
        return _PAIR.sub(lambda match: match[1] + self._left_out(match, 2), text)

    def _value(self, value: Any, name: str = "") -> Any:
        match value:
            case dict():
                return {self.text(key): self._value(one, key) for key, one in value.items()}
            case list():
                return [self._value(one) for one in value]
            case str() if name in PROTOCOL:
                return value
            case str() if value and _NAME.fullmatch(name):
                self.count += 1
                return f"[left out: {len(value)} characters]"
            case str():
                return self.text(value)
        return value

    def _left_out(self, match: re.Match[str], group: int = 0) -> str:
        if match[group].startswith("[left"):  # by a rule before
            return match[group]
        self.count += 1
        return f"[left out: {len(match[group])} characters]"
