"""The exchange's state is its own: a driver uses its methods, and the addresses of its commands."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import penstock.gateway
from penstock.config import Config
from penstock.gateway.config_rules import ConfigRules
from penstock.protocol.exchange import Exchange

FOLDER = Path(inspect.getfile(penstock.gateway)).parent
PUBLIC = {name for name in vars(Exchange) if not name.startswith("_")}


def names_used_of_an_exchange(tree: ast.AST) -> set[str]:
    """The attributes that are taken of something called ``exchange`` or ``_exchange``."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and getattr(node.value, "attr", getattr(node.value, "id", "")) in ("exchange", "_exchange")
    }


def test_an_exchange_has_no_attribute_that_is_not_private() -> None:
    assert not [name for name in vars(Exchange(ConfigRules(Config()), now=lambda: 0.0)) if not name.startswith("_")]


def test_no_driver_reaches_into_an_exchange() -> None:
    used: set[str] = set()
    for file in FOLDER.rglob("*.py"):
        tree = ast.parse(file.read_text())
        taken = names_used_of_an_exchange(tree)
        assert taken <= PUBLIC, f"{file.relative_to(FOLDER)} uses {', '.join(sorted(taken - PUBLIC))}"
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "_state"], file
        used |= taken
    assert {
        "client_sent",
        "upstream_sent",
        "overdue",
        "seconds_left",
        "abandon",
        "move_to",
    } <= used  # it looks at drivers
