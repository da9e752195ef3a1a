"""Read the settings of a middleware. One that has no effect where it stands is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.config import Config
from penstock.errors import ConfigError

if TYPE_CHECKING:
    from typing import Unpack

    from penstock.config.typed import ConfigArguments
    from penstock.gate import Gate

OF_A_GATEWAY: Final = {
    "call_timeout": "a server does not wait for itself",
    "log_level": "the server's own logging decides what is logged (the logger is called penstock)",
}
OF_A_STORE: Final = ("store", "max_store_bytes", "max_store_items")


def configured(config: Config | None, gate: Gate | None, **settings: Unpack[ConfigArguments]) -> Config:
    """Return the configuration with these settings, or the defaults with them.

    A ``config`` may be that of a gateway, whose settings stand in it whether they are needed or not; one that is given
    by name is meant for here.
    """
    for name in settings:
        if name in OF_A_GATEWAY:
            raise ConfigError(f"{name} has no effect in a middleware: {OF_A_GATEWAY[name]}", do="leave it out")
        if gate is not None and name in OF_A_STORE:
            raise ConfigError(
                f"{name} has no effect beside a gate, which has its own store", do="leave out one of both"
            )
    made = Config(**settings) if config is None else config.with_(**settings)
    if made.warm:
        raise ConfigError(
            "warm has no effect in a server's own middleware: it has no client at its start to call its tools for",
            do="leave it out and call the function yourself at the start, or put penstock run in front of the server",
        )
    return made
