"""From what the sources give to valid values: each key known, each value read, the stronger source on top.

Nothing here reads a file or the environment. All that is wrong, in all layers, is raised as one ``ConfigError``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from penstock.config.kinds import MAX_GLOB, Value, show
from penstock.config.setting_key import SettingKey
from penstock.config.settings import BY_NAME, CLIENT_KEYS, PER_TOOL, SETTINGS
from penstock.core.plain import Plain
from penstock.errors import ConfigError

Keys = tuple[object, ...]

DEFAULTS: Final = {setting.name: setting.read(setting.default) for setting in SETTINGS}
RULE_KEYS: Final = ("rules", "tools")
TABLES: Final = (*RULE_KEYS, "clients")  # keys that hold tables by name
MAX_PROBLEMS = 10  # more do not fit on a screen, and the first ones often cause the rest
MAX_RULES = 1_000  # every call looks through all of them; a server has a few dozen tools

_PATTERN = f"a tool's name or a glob of 1 to {MAX_GLOB} characters"
_CLIENT = f"a client's name of 1 to {MAX_GLOB} characters"
_FOLLOWERS: Final = ("preview_tokens", "page_tokens")
_OFF: Final = {"always_hold": False, "never_hold": False, "filter": None}
_OPPOSITES: Final = (
    ("always_hold", "never_hold"),
    ("never_hold", "always_hold"),
    ("never_hold", "filter"),
    ("filter", "never_hold"),
)
# Settings that have no effect without an action of ``act``; with None, without any.
_NEEDS: Final = {
    "act_tool_name": None,
    "export_folder": "export",
    "more": "more",
    "max_pages": "more",
    "more_timeout": "more",
}
# The least budgets for the style ``data``: its shortest answers take about half of that.
DATA_LEAST: Final = {"max_tokens": 500, "preview_tokens": 500, "page_tokens": 500, "preview_bytes": 1_024}
_PLAIN = r"[A-Za-z0-9_-]+"


def is_table(key: object, value: object) -> bool:
    """Return True if a key holds tables by name. ``tools`` does so too, unless its value is a text: then it is the
    setting of that name."""
    return key in TABLES and not (key in BY_NAME and isinstance(value, str))


class RuleEntry(Plain, frozen=True, kw_only=True):
    """One entry of ``rules``: a tool's name or a glob, and only the settings that were given for it."""

    pattern: str
    settings: tuple[tuple[str, Value], ...]


class ClientEntry(Plain, frozen=True, kw_only=True):
    """One entry of ``clients``: the name it goes by here, and only the keys that were given for it."""

    name: str
    settings: tuple[tuple[str, Value], ...]


class Resolved(Plain, frozen=True, kw_only=True):
    """All values of all sources, read and checked."""

    values: dict[str, Any]
    rules: tuple[RuleEntry, ...]
    clients: tuple[ClientEntry, ...]


class Layer(Plain, frozen=True, kw_only=True):
    """The unread values of one source, how an error names one of its keys, and how its values are read."""

    values: Mapping[Any, object]
    where: Callable[[Keys], str]
    read: Callable[[SettingKey, object], Value]
    problems: tuple[ConfigError, ...] = ()


def arguments(values: Mapping[str, object]) -> Layer:
    """Return the layer of keyword arguments."""
    return Layer(values=values, where=lambda keys: f"argument {dotted(keys)}", read=SettingKey.read)


def resolve(
    base: Mapping[str, Value], rules: Iterable[RuleEntry], clients: Iterable[ClientEntry], layers: Iterable[Layer]
) -> Resolved:
    """Apply the layers to the base in their order, and return all settings, rules and clients, or raise."""
    values, entries, layers, problems = dict(base), list(rules), list(layers), _Problems()
    known = {entry.name: dict(entry.settings) for entry in clients}
    for layer in layers:
        for problem in layer.problems:
            problems.add(problem)
        top = {key: value for key, value in layer.values.items() if not is_table(key, value)}
        settings = _read_settings(layer, (), top, BY_NAME, problems)
        _check(layer, (), settings, values, problems)
        values = overlay(values, settings)
        for keys, pattern, table in _tables(layer, RULE_KEYS, _PATTERN, problems):
            settings = _read_settings(layer, keys, table, PER_TOOL, problems)
            _check(layer, keys, settings, values, problems)
            entries.append(RuleEntry(pattern=pattern, settings=tuple(settings.items())))
        for keys, name, table in _tables(layer, ("clients",), _CLIENT, problems):
            known[name] = known.get(name, {}) | _read_settings(layer, keys, table, CLIENT_KEYS, problems)
    if len(entries) > MAX_RULES:
        problems.add(ConfigError(f"{len(entries):,} rules: more than {MAX_RULES:,}", do="join some by a glob"))
    if values["output_schema"] == "wrap" and (
        values["filter"] or any(dict(one.settings).get("filter") for one in entries)
    ):
        what = "filter cannot stand together with output_schema = wrap: what is left matches no declared schema"
        place = _place(layers, "filter", "output_schema")
        problems.add(ConfigError(f"{place}{what}", do="set output_schema to strip, or leave the filter out"))
    if values["warm"] and values["output_schema"] == "wrap":
        what = "warm cannot stand together with output_schema = wrap: a stand-in made ahead has no structured copy"
        place = _place(layers, "warm", "output_schema")
        problems.add(ConfigError(f"{place}{what}", do="set output_schema to strip, or leave warm out"))
    _check_acting(values, entries, layers, problems)
    _check_style(values, entries, layers, problems)
    problems.end()
    return Resolved(
        values=followed(values),
        rules=tuple(entries),
        clients=tuple(ClientEntry(name=name, settings=tuple(settings.items())) for name, settings in known.items()),
    )


def _place(layers: Sequence[Layer], *names: str) -> str:
    """Return where one of these settings is set last, to begin an error with; nothing for those of rules alone."""
    places = (layer.where((name,)) for layer in reversed(layers) for name in names if name in layer.values)
    return next((f"{place}: " for place in places), "")


def _check_acting(
    values: Mapping[str, Any], entries: Iterable[RuleEntry], layers: Sequence[Layer], problems: _Problems
) -> None:
    """Find settings of actions that are off: they would have no effect."""
    changed = {name for name in _NEEDS if values[name] != DEFAULTS[name]}
    changed |= {name for entry in entries for name, _ in entry.settings if name in _NEEDS}
    for name, action in _NEEDS.items():
        if name == "more" and values["warm"]:  # it tells which tools may be called ahead, too
            continue
        if name in changed and not (values["act"] if action is None else action in values["act"]):
            missing = "is off" if action is None else f"does not have {action}"
            do = f"leave {name} out, or set act, for example to {action or 'drop'}"
            what = f"{_place(layers, name)}{name} has no effect, because act {missing}"
            problems.add(ConfigError(what, do=do))


def _check_style(
    values: Mapping[str, Any], entries: Iterable[RuleEntry], layers: Sequence[Layer], problems: _Problems
) -> None:
    """Find budgets that are too small for the style ``data``."""
    if values["notice"] != "data":
        return
    for settings in (values, *(dict(entry.settings) for entry in entries)):
        for name, least in DATA_LEAST.items():
            if settings.get(name, least) < least:
                what = f"notice = data needs {name} of {least:,} or more, found {settings[name]:,}"
                place = _place(layers, name, "notice")
                problems.add(ConfigError(f"{place}{what}", do=f"raise {name}, or set notice to brief"))


def overlay(base: Mapping[str, Any], stronger: Mapping[str, Any]) -> dict[str, Any]:
    """Let the stronger source win. If it sets one of two opposites, the other one of the weaker source is unset."""
    fallen = {other: _OFF[other] for name, other in _OPPOSITES if stronger.get(name)}
    return {**base, **fallen, **stronger}


def followed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Lower what must fit the budget together with it: a user who lowers ``max_tokens`` need not set the others."""
    return {**values, **{name: min(values[name], values["max_tokens"]) for name in _FOLLOWERS}}


def nearest(key: str, known: Iterable[str], *, at_least: float = 0.5) -> str:
    """Return the known key that was most likely meant, or an empty text. camelCase is read as snake_case."""
    import difflib  # noqa: PLC0415  (only a misspelling needs it)

    # A longer key is no misspelling of ours, and difflib's time grows with the square of its length.
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key[:64]).lower()
    return next(iter(difflib.get_close_matches(words, list(known), n=1, cutoff=at_least)), "")


def dotted(keys: Keys) -> str:
    """Write a key with the tables around it: ``rules.'search_*'.max_tokens``."""
    return ".".join(key if isinstance(key, str) and re.fullmatch(_PLAIN, key) else show(key) for key in keys)


def snake(key: object) -> str:
    """Return a key in snake_case: kebab-case is accepted, too."""
    return key.replace("-", "_") if isinstance(key, str) else show(key)


class _Problems:
    """Collect problems. Reading ends when there are too many: wording them takes time, and no user reads a hundred."""

    def __init__(self) -> None:
        self._problems: list[ConfigError] = []

    def add(self, problem: ConfigError) -> None:
        self._problems.append(problem)
        if len(self._problems) == MAX_PROBLEMS:
            self.end()

    def end(self) -> None:
        """Raise all problems as one error, if there are any."""
        if len(self._problems) > 1:
            more = " or more" if len(self._problems) == MAX_PROBLEMS else ""
            title = f"{len(self._problems)}{more} settings are wrong:"
            raise ConfigError("\n  ".join([title, *map(str, self._problems)]))
        for problem in self._problems:
            raise problem


def _wrong(layer: Layer, keys: Keys, what: str, do: str = "") -> ConfigError:
    return ConfigError(f"{layer.where(keys)}: {what}", do=do)


def _tables(
    layer: Layer, names: Iterable[str], called: str, problems: _Problems
) -> Iterator[tuple[Keys, str, Mapping[Any, object]]]:
    """Yield each rule or client of a layer: its keys, its name, and its unread settings."""
    for name in names:
        tables = layer.values.get(name, {})
        if not is_table(name, tables):
            continue
        pairs: Iterable[tuple[Any, Any]]
        if isinstance(tables, tuple | list) and all(isinstance(entry, RuleEntry | ClientEntry) for entry in tables):
            pairs = [
                (entry.pattern if isinstance(entry, RuleEntry) else entry.name, dict(entry.settings))
                for entry in tables
            ]
        elif isinstance(tables, Mapping):
            pairs = tables.items()
        else:
            what = "client names" if name == "clients" else "tool names or globs"
            problems.add(_wrong(layer, (name,), f"expected a table of {what}, found {show(tables)}"))
            continue
        for key, table in pairs:
            if not isinstance(key, str) or not 0 < len(key) <= MAX_GLOB:
                problems.add(_wrong(layer, (name, key), f"expected {called}"))
            elif not isinstance(table, Mapping):
                what = f"expected a table of settings, found {show(table)}"
                problems.add(_wrong(layer, (name, key), what))
            else:
                yield (name, key), key, table


def _read_settings(
    layer: Layer, inside: Keys, table: Mapping[Any, object], known: Mapping[str, SettingKey], problems: _Problems
) -> dict[str, Any]:
    """Read the settings of one table. Wrong ones become problems, and the rest is still read."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        name, keys = snake(key), (*inside, key)
        if name in values:
            problems.add(_wrong(layer, keys, "given twice", "snake_case and kebab-case are the same"))
        elif name in known:
            try:
                values[name] = layer.read(known[name], value)
            except ConfigError as error:
                problems.add(_wrong(layer, keys, error.what))
        elif name in BY_NAME:
            one = "client" if inside[0] == "clients" else "tool"
            problems.add(_wrong(layer, keys, f"not a setting of one {one}", f"give it outside the {inside[0]}"))
        else:
            near = nearest(name, known)
            do = f"did you mean {near}?" if near else f"known here: {', '.join(known)}"
            problems.add(_wrong(layer, keys, "not a setting", do))
    return values


def _check(
    layer: Layer, inside: Keys, settings: Mapping[str, Any], base: Mapping[str, Any], problems: _Problems
) -> None:
    """Find settings of a table that contradict each other. Those of a weaker source give way instead."""
    limit = settings.get("max_tokens", base["max_tokens"])
    for name in _FOLLOWERS:
        if settings.get(name, 0) > limit:
            what = f"expected at most max_tokens, which is {limit:,}, found {settings[name]:,}"
            problems.add(_wrong(layer, (*inside, name), what))
    for name, is_set in (("always_hold", "is true"), ("filter", "is set")):
        if settings.get(name) and settings.get("never_hold"):
            what = f"expected false, because {name} {is_set}"
            problems.add(_wrong(layer, (*inside, "never_hold"), what, "choose one of them"))
