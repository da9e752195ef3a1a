"""Configuration: one frozen ``Config`` from defaults < file < environment < arguments, and a ``Rule`` per tool.

Read ``settings.py`` first: its table drives all the rest.

``kinds``     what a setting can hold, and how a value is read or refused
``settings``  the table: each setting with its kind, its default and its reasons; ``setting_key`` is one row
``typed``     the same settings as type checkers see them; made from the table
``resolve``   layers of given values -> valid values and rules, or one error that names everything wrong
``model``     ``Config`` and ``Rule``
``clients``   what each client accepts: ``clients.toml``, and what the user says of it
``budget``    a tool's rule and its client's limits -> the ``Budget`` that the core is given
``unread``    the bytes up to which a result passes unread, for every way in
``files``     TOML, YAML and JSON, by suffix
``sources``   the edge: the file, the environment and the command line become layers
"""

from penstock.config.model import Config, Rule
from penstock.config.resolve import ClientEntry, RuleEntry
from penstock.config.setting_key import Setting
from penstock.config.settings import SETTINGS
from penstock.config.sources import add_flags, from_flags, load

__all__ = ["SETTINGS", "ClientEntry", "Config", "Rule", "RuleEntry", "Setting", "add_flags", "from_flags", "load"]
