"""The sources of a configuration: a file, the environment, the command line. Each becomes a layer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from penstock.config.kinds import TRUTH, Value, show
from penstock.config.model import Config
from penstock.config.resolve import TABLES, Layer, arguments, nearest, snake
from penstock.config.setting_key import SettingKey
from penstock.config.settings import BY_NAME
from penstock.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping
    from typing import Unpack

    from penstock.config.files import ConfigFile
    from penstock.config.origins import Origins
    from penstock.config.typed import ConfigArguments

    PathName = str | os.PathLike[str]

_PREFIX = "PENSTOCK_"


def load(
    file: PathName | None = None, *, env: Mapping[str, str] | None = None, **overrides: Unpack[ConfigArguments]
) -> Config:
    """Read a file (if one is named), then the environment, then the arguments; the later one wins.

    ``env`` is the process's environment unless given. Rules of the arguments join those of the file.
    """
    return _load(file, env, arguments(overrides))


def add_flags(parser: argparse._ActionsContainer, names: Iterable[str]) -> None:
    """Add the flags of these settings to a command. Where a flag is absent, weaker sources decide."""
    import argparse  # noqa: PLC0415  (a library has no command line)

    for setting in map(BY_NAME.__getitem__, names):
        text = f"{setting.help} Default: {setting.written_default}.".replace("%", "%%")
        if setting.kind is TRUTH:
            action = argparse.BooleanOptionalAction
            parser.add_argument(setting.flag, action=action, default=argparse.SUPPRESS, help=text)
        else:
            shape = setting.kind.placeholder
            parser.add_argument(setting.flag, default=argparse.SUPPRESS, metavar=shape, help=text)


def from_flags(
    flags: argparse.Namespace, *, file: PathName | None = None, env: Mapping[str, str] | None = None
) -> Config:
    """Do as ``load`` does, with what ``add_flags`` left in the parsed command line as the arguments."""
    return _load(file, env, _of_flags(flags))


def origins_from_flags(flags: argparse.Namespace, *, file: PathName | None = None) -> Origins:
    """Return where the values of the configuration stand that ``from_flags`` gives."""
    from penstock.config.origins import origins_of  # noqa: PLC0415  (one page tells of it)

    return origins_of(_layers(file, None, _of_flags(flags)))


def _of_flags(flags: argparse.Namespace) -> Layer:
    values = {name: value for name in BY_NAME if (value := getattr(flags, name, None)) is not None}
    return _spelled(values, {name: setting.flag for name, setting in BY_NAME.items()})


def _load(file: PathName | None, env: Mapping[str, str] | None, last: Layer) -> Config:
    return Config.of_layers(_layers(file, env, last))


def _layers(file: PathName | None, env: Mapping[str, str] | None, last: Layer) -> list[Layer]:
    layers = [_environment(os.environ if env is None else env), last]
    if file is not None:
        from penstock.config.files import read_file  # noqa: PLC0415  (most programs name no file)

        layers.insert(0, _file(read_file(file)))
    return layers


def _spelled(values: Mapping[str, object], spelling: Mapping[str, str], problems: Iterable[ConfigError] = ()) -> Layer:
    return Layer(
        values=values,
        where=lambda keys: spelling[str(keys[-1])],
        read=SettingKey.read_spelled,
        problems=tuple(problems),
    )


def _environment(env: Mapping[str, str]) -> Layer:
    variable_of = {name: setting.env for name, setting in BY_NAME.items()}
    values = {name: env[variable] for name, variable in variable_of.items() if env.get(variable, "").strip()}
    strange = [key for key in env if key.startswith(_PREFIX) and key not in variable_of.values()]
    # Others may use the prefix (Kubernetes makes PENSTOCK_PORT for a service called penstock), so that only a
    # variable that is nearly one of ours is taken for a misspelling.
    meant = {key: nearest(key.removeprefix(_PREFIX).lower(), BY_NAME, at_least=0.8) for key in strange}
    problems = [
        ConfigError(f"{key}: not a setting", do=f"did you mean {variable_of[near]}?")
        for key, near in meant.items()
        if near
    ]
    return _spelled(values, variable_of, problems)


def _file(file: ConfigFile) -> Layer:
    """Read a file. Settings stand at the top level, or under ``penstock`` in a file that is shared with other
    programs."""
    table = file.table.get("penstock", file.table)
    if not isinstance(table, dict):
        raise ConfigError(f"{file.where(('penstock',))}: expected a table of settings, found {show(table)}")
    inside = () if table is file.table else ("penstock",)
    strays = [key for key in file.table if inside and snake(key) in (*BY_NAME, *TABLES)]
    return Layer(
        values=table,
        where=lambda keys: file.where((*inside, *keys)),
        read=_read_written,
        problems=tuple(
            ConfigError(f"{file.where((key,))}: outside the penstock table", do="move it into the table")
            for key in strays
        ),
    )


def _read_written(key: SettingKey, value: object) -> Value:
    # An empty value in YAML is more often forgotten than meant, and to some settings None means something.
    if value is None:
        raise ConfigError(f"expected {key.kind.expects}, found nothing")
    return key.read(value)
