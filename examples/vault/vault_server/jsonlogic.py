"""JsonLogic (https://jsonlogic.com): a rule, as JSON, that is asked of every note. The engine is ``datalogic-py``.

A rule sees ``path``, ``frontmatter``, ``tags``, ``stat`` (ctime, mtime, size; times in milliseconds) and ``content``.
Beside the engine's operators there are two, as Obsidian's REST interface has them: ``{"glob": [pattern, path]}`` and
``{"regexp": [expression, text]}``. Their patterns are compiled once, and RE2 matches in linear time.
"""

from __future__ import annotations

import json
import time
from functools import lru_cache
from typing import Any, Final

import msgspec
from datalogic_py import CompileError, DataLogicError, Engine

from penstock import CallerError
from server_parts.complaints import wrong
from server_parts.globs import globs, matches
from vault_server.expression import expression

LONGEST: Final = 20_000  # characters of a rule
MOST_STEPS: Final = 1_000_000  # operations for one note, loops included; a rule about a note needs some hundred
MOST_SECONDS: Final = 20.0  # for all notes of one query; clients give up after 60
CONFIG: Final = {
    "ops_budget": MOST_STEPS,
    "division_by_zero": "return_null",
    "arithmetic_nan_handling": "return_null",
    "loose_equality_errors": False,  # a text is not a number: that is false, as in JavaScript, and no error
    "numeric_coercion": {"null_to_zero": False},  # a field that a note has not is not 0
}
EXAMPLE: Final = '{"==": [{"var": "frontmatter.status"}, "open"]}'


def _glob(data: str) -> str:
    pattern, path = _two_texts("glob", data)
    return json.dumps(bool(matches(_compiled_glob(pattern), path.lower())))


def _regexp(data: str) -> str:
    pattern, text = _two_texts("regexp", data)
    compiled = expression(pattern)
    if compiled is None:
        raise wrong("query", "a regular expression as RE2 reads it", pattern, EXAMPLE)
    return json.dumps(compiled.search(text) is not None)


def _two_texts(name: str, data: str) -> tuple[str, str]:
    match json.loads(data):
        case [str(pattern), str(text)]:
            return pattern, text
        case [str(pattern), None]:  # a field that this note has not
            return pattern, ""
    raise wrong("query", f"two texts for {name}", json.loads(data), EXAMPLE)


@lru_cache(maxsize=64)
def _compiled_glob(pattern: str) -> Any:
    return globs("query", [pattern.lower()], EXAMPLE)


class Rule:
    """A rule for one query, in the thread that has made it."""

    def __init__(self, rule: Any) -> None:
        self._failed: list[CallerError] = []
        self._engine = Engine(
            custom_operators={"glob": self._kept(_glob), "regexp": self._kept(_regexp)},
            config=CONFIG,
        )
        try:
            self._rule = self._engine.compile_checked(rule)
        except CompileError as error:
            raise wrong("query", "a JsonLogic rule", rule, EXAMPLE, error.diagnostics[0]["message"]) from None
        except DataLogicError as error:  # too deep for the engine
            raise wrong("query", "a JsonLogic rule", rule, EXAMPLE, str(error).partition("\n")[0]) from None
        facts = self._rule.facts()
        # Whether a rule looks at the text: then every note has to be read.
        self.sees_content = facts["computed_reads"] or any(path[:1] in ([], ["content"]) for path in facts["reads"])
        self._session = self._engine.session()
        self._until = time.monotonic() + MOST_SECONDS

    def __call__(self, note: bytes) -> Any:
        """Return what the rule gives for a note; null where it cannot be reckoned."""
        if time.monotonic() > self._until:
            raise CallerError(f"query: it takes more than {MOST_SECONDS:.0f} seconds", do="ask for less at once")
        try:
            return msgspec.json.decode(self._session.evaluate_str(self._rule, note.decode()))
        except DataLogicError as error:
            if self._failed:
                raise self._failed[0] from None
            if getattr(error, "error_type", "") == "BudgetExceeded":
                what = f"query: more than {MOST_STEPS:,} steps for one note"
                raise CallerError(what, do="ask for less at once") from None
            return None

    def _kept(self, operator: Any) -> Any:
        """Keep the error of an operator of ours: the engine would put it into its own words."""

        def call(data: str) -> str:
            try:
                result: str = operator(data)
            except CallerError as error:
                self._failed.append(error)
                raise
            return result

        return call


def is_true(result: Any) -> bool:
    """Return True if JsonLogic takes a value for true: 0, an empty text and an empty list are not, an object is."""
    return bool(result) or isinstance(result, dict)


def compiled(query: str) -> Rule:
    """Read a rule, or raise an error that shows one."""
    if len(query) > LONGEST:
        raise wrong("query", f"a JsonLogic rule of up to {LONGEST:,} characters", query, EXAMPLE)
    try:
        rule = json.loads(query)
    except (ValueError, RecursionError) as error:
        raise wrong("query", f"a JsonLogic rule as JSON text ({error})", query, EXAMPLE) from None
    if not isinstance(rule, dict) or len(rule) != 1:
        raise wrong("query", "a JsonLogic rule, which is an object with one operator", rule, EXAMPLE)
    return Rule(rule)
