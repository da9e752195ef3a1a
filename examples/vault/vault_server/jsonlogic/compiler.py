"""From a rule to a function, made once and called for every note."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import re2

from penstock import CallerError
from server_parts.complaints import wrong
from vault_server.globs import glob
from vault_server.jsonlogic.operators import BINARY, PLAIN
from vault_server.jsonlogic.values import is_true, number, text

if TYPE_CHECKING:
    from collections.abc import Callable

    Rule = Callable[[Any], Any]

LONGEST: Final = 20_000  # characters of a rule
DEEPEST: Final = 100  # levels of a rule; each is a few levels of Python's stack
MOST_STEPS: Final = 5_000_000  # of all loops of one question: some seconds
EXAMPLE: Final = '{"==": [{"var": "frontmatter.status"}, "open"]}'


class Steps:
    """Counts the turns of all loops of one rule."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def take(self, turns: int) -> None:
        self.left -= turns
        if self.left < 0:
            raise CallerError(f"query: more than {MOST_STEPS:,} steps in its loops", do="ask for less at once")


def compiled(query: str) -> tuple[Rule, bool]:
    """The rule as a function of a note's data, and whether it looks at the note's content."""
    if len(query) > LONGEST:
        raise wrong("query", f"a JsonLogic rule of up to {LONGEST:,} characters", query, EXAMPLE)
    try:
        rule = json.loads(query)
    except (ValueError, RecursionError) as error:
        raise wrong("query", f"a JsonLogic rule as JSON text ({error})", query, EXAMPLE) from None
    if not isinstance(rule, dict) or not rule:
        raise wrong("query", "a JsonLogic rule, which is an object with one operator", rule, EXAMPLE)
    return _Compiler(Steps()).rule(rule, 0), '"content' in query


class _Compiler:
    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def rule(self, rule: Any, depth: int) -> Rule:
        if depth > DEEPEST:
            raise wrong("query", f"a rule of up to {DEEPEST} levels", "a deeper one", EXAMPLE)
        if isinstance(rule, list):
            parts = [self.rule(part, depth + 1) for part in rule]
            return lambda data: [part(data) for part in parts]
        if not isinstance(rule, dict) or len(rule) != 1:
            return lambda _: rule
        [(name, given)] = rule.items()
        listed = given if isinstance(given, list) else [given]
        if name in _SPECIAL:
            made: Rule = getattr(self, f"_{_SPECIAL[name]}")(listed, depth + 1)
            return made
        if name not in PLAIN:
            known = ", ".join(sorted([*PLAIN, *_SPECIAL]))
            raise wrong("query", f"an operator of JsonLogic ({known})", name, EXAMPLE)
        function, least = PLAIN[name]
        if len(listed) < least:
            raise wrong("query", f"{least} or more values for {name}", given, EXAMPLE)
        values = [self.rule(part, depth + 1) for part in listed]
        match values:
            case [one, other] if name in BINARY:
                two = BINARY[name]
                return lambda data: two(one(data), other(data))
            case _:
                return lambda data: function([value(data) for value in values])

    def _var(self, given: list[Any], depth: int) -> Rule:
        default = self.rule(given[1], depth) if len(given) > 1 else lambda _: None
        name = given[0] if given else ""
        if isinstance(name, dict):
            computed = self.rule(name, depth)
            return lambda data: _found(data, _keys(computed(data)), default)
        keys = _keys(name)
        if len(keys) == 2:  # the usual case, frontmatter.status, without a loop
            first, second = keys

            def look_up(data: Any) -> Any:
                inner = data.get(first) if isinstance(data, dict) else None
                value = inner.get(second) if isinstance(inner, dict) else _found(inner, [second], _nothing)
                return default(data) if value is None else value

            return look_up
        return lambda data: _found(data, keys, default)

    def _missing(self, given: list[Any], depth: int) -> Rule:
        names = [self.rule(part, depth) for part in given]

        def missing(data: Any) -> list[Any]:
            asked = [name(data) for name in names]
            return _absent(data, asked[0] if asked and isinstance(asked[0], list) else asked)

        return missing

    def _missing_some(self, given: list[Any], depth: int) -> Rule:
        least, names = self._two("missing_some", given, depth)

        def missing_some(data: Any) -> list[Any]:
            asked = names(data)
            absent = _absent(data, asked if isinstance(asked, list) else [asked])
            return [] if len(asked) - len(absent) >= (number(least(data)) or 0) else absent

        return missing_some

    def _if(self, given: list[Any], depth: int) -> Rule:
        parts = [self.rule(part, depth) for part in given]
        pairs = list(zip(parts[0::2], parts[1::2], strict=False))
        otherwise = parts[-1] if len(parts) % 2 else lambda _: None

        def choose(data: Any) -> Any:
            for condition, value in pairs:
                if is_true(condition(data)):
                    return value(data)
            return otherwise(data)

        return choose

    def _and(self, given: list[Any], depth: int) -> Rule:
        return self._until(given, depth, ends_at=False)

    def _or(self, given: list[Any], depth: int) -> Rule:
        return self._until(given, depth, ends_at=True)

    def _until(self, given: list[Any], depth: int, *, ends_at: bool) -> Rule:
        parts = [self.rule(part, depth) for part in given]

        def until(data: Any) -> Any:
            value = None
            for part in parts:
                value = part(data)
                if is_true(value) is ends_at:
                    break
            return value

        return until

    def _map(self, given: list[Any], depth: int) -> Rule:
        items, each = self._loop("map", given, depth)
        return lambda data: [each(item) for item in items(data)]

    def _filter(self, given: list[Any], depth: int) -> Rule:
        items, each = self._loop("filter", given, depth)
        return lambda data: [item for item in items(data) if is_true(each(item))]

    def _all(self, given: list[Any], depth: int) -> Rule:
        items, each = self._loop("all", given, depth)

        def holds(data: Any) -> bool:
            listed = items(data)
            return bool(listed) and all(is_true(each(item)) for item in listed)

        return holds

    def _some(self, given: list[Any], depth: int) -> Rule:
        items, each = self._loop("some", given, depth)
        return lambda data: any(is_true(each(item)) for item in items(data))

    def _none(self, given: list[Any], depth: int) -> Rule:
        items, each = self._loop("none", given, depth)
        return lambda data: not any(is_true(each(item)) for item in items(data))

    def _reduce(self, given: list[Any], depth: int) -> Rule:
        if len(given) < 3:
            raise wrong("query", "reduce with a list, a rule and a first value", given, EXAMPLE)
        items, each = self._loop("reduce", given[:2], depth)
        first = self.rule(given[2], depth)

        def reduce(data: Any) -> Any:
            value = first(data)
            for item in items(data):
                value = each({"current": item, "accumulator": value})
            return value

        return reduce

    def _glob(self, given: list[Any], depth: int) -> Rule:
        pattern, value = self._constant("glob", given, depth, "*.md")
        wanted = glob(pattern, "query")
        return lambda data: wanted.matches(text(value(data)))

    def _regexp(self, given: list[Any], depth: int) -> Rule:
        pattern, value = self._constant("regexp", given, depth, "^Daily/")
        try:
            found = re2.compile(pattern)
        except re2.error as error:
            raise wrong("query", f"a regular expression ({error})", pattern, "^Daily/") from None
        return lambda data: found.search(text(value(data))) is not None

    def _constant(self, name: str, given: list[Any], depth: int, example: str) -> tuple[str, Rule]:
        if len(given) != 2 or not isinstance(given[0], str):
            good = json.dumps({name: [example, {"var": "path"}]})
            raise wrong("query", f"{name} with a pattern and a value", given, good)
        return given[0], self.rule(given[1], depth)

    def _loop(self, name: str, given: list[Any], depth: int) -> tuple[Callable[[Any], list[Any]], Rule]:
        items, each = self._two(name, given, depth)

        def listed(data: Any) -> list[Any]:
            value = items(data)
            turns = value if isinstance(value, list) else []
            self.steps.take(len(turns))
            return turns

        return listed, each

    def _two(self, name: str, given: list[Any], depth: int) -> tuple[Rule, Rule]:
        if len(given) != 2:
            raise wrong("query", f"two values for {name}", given, EXAMPLE)
        return self.rule(given[0], depth), self.rule(given[1], depth)


def _nothing(_: Any) -> Any:
    return None


def _keys(name: Any) -> list[str]:
    return [] if name in ("", None) else text(name).split(".")


def _found(data: Any, keys: list[str], default: Rule) -> Any:
    value = data
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list | str) and key.isdecimal() and len(key) < 10 and int(key) < len(value):
            value = value[int(key)]
        else:
            value = None
    return default(data) if value is None else value


def _absent(data: Any, names: list[Any]) -> list[Any]:
    return [name for name in names if _found(data, _keys(name), _nothing) in (None, "")]


_SPECIAL: Final = {
    "?:": "if",
    **{
        name: name
        for name in (
            *("var", "missing", "missing_some", "if", "and", "or"),
            *("map", "filter", "all", "some", "none", "reduce", "glob", "regexp"),
        )
    },
}
