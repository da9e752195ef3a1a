"""One row of the table of settings: its name, what it accepts, its default with the reason, its variable and flag."""

from __future__ import annotations

from penstock.config.kinds import RejectedValueError, SettingKind, Value
from penstock.core.plain import Plain
from penstock.errors import ConfigError


class SettingKey(Plain, frozen=True, kw_only=True):
    """A name to which a value can be given, and what it accepts."""

    name: str
    kind: SettingKind

    def read(self, value: object) -> Value:
        """Return the value as the program uses it, or raise a ``ConfigError`` that says what was expected."""
        try:
            return self.kind.read(value)
        except RejectedValueError:
            raise ConfigError(f"expected {self.kind.expects}, found {self.kind.describe(value)}") from None

    def read_spelled(self, value: object) -> Value:
        """Read the text of an environment variable or a flag, in which numbers and truth are only spelled."""
        return self.read(self.kind.spelled(value.strip()) if isinstance(value, str) else value)


class Setting(SettingKey, frozen=True, kw_only=True):
    """One row: the name of a setting, what it accepts and why, and its default."""

    default: int | str  # as it would be written in a file
    help: str
    why: str  # the reason of the default and of the limits
    per_tool: bool = False  # may stand in a rule

    @property
    def env(self) -> str:
        """Return the name of its environment variable."""
        return f"PENSTOCK_{self.name.upper()}"

    @property
    def flag(self) -> str:
        """Return its command-line flag."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def written_default(self) -> str:
        """Return the default as a user would write it in a file, without quotes."""
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)
