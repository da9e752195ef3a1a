"""Leave secrets out of a message: for recordings that users send to others.

The redactor replaces three kinds of values: whole values of any type under names such as ``password`` or ``api_key``,
texts that look like a known kind of credential, and values of the environment's own secrets, in any text. Members of
the protocol stay, and so do the schemas of tools, in which such a name is the name of an argument.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHORTEST: Final = 6  # characters of a secret of the environment: shorter ones stand in ordinary words
RULES: Final = (
    "values of any type under names like password, secret, token, api_key, authorization, cookie; texts like keys, "
    "tokens, private keys or passwords in URLs; values of this environment's variables with such names"
)
PROTOCOL: Final = frozenset(("progressToken", "requestId", "taskId", "nextCursor", "cursor", "protocolVersion"))
SCHEMAS: Final = frozenset(  # The names of the members that lead to a schema, from the message inwards.
    (("result", "tools", "inputSchema"), ("result", "tools", "outputSchema"), ("params", "requestedSchema"))
)
IN_SCHEMAS: Final = frozenset(("default", "const", "enum", "example", "examples"))  # These hold values of the argument.

_NAMES: Final = (
    r"pass(?:word|wd|phrase)|secret|(?:access|auth|refresh|bearer|session|id|api|bot|csrf)?[_-]?token|api[_-]?key"
    r"|(?:access|private|secret|signing|encryption)[_-]?key|authorization|cookie|credentials?|client[_-]?secret"
)
_NAME = re.compile(rf"(?:.*[_\-. ])?(?:{_NAMES})", re.IGNORECASE)
_PAIR = re.compile(
    rf"""((?<![A-Za-z0-9])(?:{_NAMES})\\*["']?\s*[:=]\s*(?:(?:Bearer|Basic)\s+)?\\*["']?)([^\s"'\\,;}}&<]{{4,}})""",
    re.IGNORECASE,
)
# A name in quotes before an object or array, at any level of JSON in JSON; then the quotes and brackets of its value.
_NESTED = re.compile(rf"""(?<![A-Za-z0-9])(?:{_NAMES})(\\*["'])\s*[:=]\s*(?=[\[{{])""", re.IGNORECASE)
_SIGN = re.compile(r"""(?<!\\)\\*+["']|[\[\]{}]""")
_REPLACED = re.compile(r"\[left out: (?:\d+ characters|number|boolean|list|object)\]")
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
        return self._value(value, ())

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        if self._own is not None:
            text = self._own.sub(self._left_out, text)
        text = self._without_nested(_KNOWN.sub(self._left_out, text))
        return _PAIR.sub(lambda match: match[1] + self._left_out(match, 2), text)

    def _value(self, value: Any, path: tuple[str, ...]) -> Any:
        """Return a value without secrets. ``path`` has the names that lead to it."""
        name = path[-1] if path else ""
        if _NAME.fullmatch(name):
            return self._secret(value)
        if path in SCHEMAS:
            return self._schema(value)
        match value:
            case dict():
                return {self.text(key): self._value(one, (*path, key)) for key, one in value.items()}
            case list():
                return [self._value(one, path) for one in value]
            case str() if name not in PROTOCOL:
                return self.text(value)
        return value

    def _schema(self, value: Any, *, is_secret: bool = False) -> Any:
        """Return a schema without secrets. If it ``is_secret``, it describes an argument with a name of secrets."""
        if isinstance(value, list):
            return [self._schema(one, is_secret=is_secret) for one in value]
        if not isinstance(value, dict):
            return self.text(value) if isinstance(value, str) else value
        schema = {}
        for key, one in value.items():
            has_name = _NAME.fullmatch(key) is not None
            if is_secret and key in IN_SCHEMAS:
                member = [self._secret(item) for item in one] if isinstance(one, list) else self._secret(one)
            elif has_name and isinstance(one, str):
                member = self._secret(one)
            else:
                member = self._schema(one, is_secret=is_secret or has_name)
            schema[self.text(key)] = member
        return schema

    def _secret(self, value: Any) -> Any:
        """Return the text that replaces a secret of any type. An empty value is not a secret."""
        if value in (None, "", [], {}) or (isinstance(value, str) and _REPLACED.fullmatch(value)):
            return value
        self.count += 1
        return f"[left out: {len(value)} characters]" if isinstance(value, str) else f"[left out: {_kind(value)}]"

    def _without_nested(self, text: str) -> str:
        """Return a text without the objects and arrays that follow a name of secrets."""
        parts: list[str] = []
        at = 0
        while (name := _NESTED.search(text, at)) is not None:
            self.count += 1
            kind = "object" if text[name.end()] == "{" else "list"
            parts += (text[at : name.end()], f"{name[1]}[left out: {kind}]{name[1]}")
            at = _end(text, name.end())
        return "".join((*parts, text[at:]))

    def _left_out(self, match: re.Match[str], group: int = 0) -> str:
        if match[group].startswith("[left"):  # Another rule has replaced it.
            return match[group]
        self.count += 1
        return f"[left out: {len(match[group])} characters]"


def _end(text: str, at: int) -> int:
    """Return where the object or array ends that starts here: at the end of the text if nothing closes it."""
    depth = 0
    quote = ""
    for match in _SIGN.finditer(text, at):
        sign = match[0]
        if quote:
            quote = "" if _closes(sign, quote) else quote
        elif sign[-1] in "\"'":
            quote = sign
        else:
            depth += 1 if sign in "[{" else -1
            if depth == 0:
                return match.end()
    return len(text)


def _closes(sign: str, quote: str) -> bool:
    """Return True if a quote with its backslashes closes the string that ``quote`` began.

    A quote of JSON inside JSON has 1, 3, 7 ... backslashes. Escaped backslashes before it are a multiple of the next
    power of two.
    """
    return sign[-1] == quote[-1] and len(sign) % (2 * len(quote)) == len(quote)


def _kind(value: Any) -> str:
    return {bool: "boolean", list: "list", dict: "object"}.get(type(value), "number")
