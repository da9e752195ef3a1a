"""What a client accepts is found by its name, lowers every budget, and can be changed and added to by the user.

Invariant: nothing passes unread that the budget of any client would not pass.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.config import ClientEntry, Config, clients, load
from penstock.config.budget import budget_for
from penstock.config.clients import Client, client_for
from penstock.config.settings import CLIENT_KEYS
from penstock.config.typed import ClientArguments
from penstock.config.unread import EVERY_CLIENT, passes_unread
from penstock.core.budget import MAX_BYTES, MAX_TEXT_BYTES, Budget
from penstock.errors import ConfigError

SHIPPED = tomllib.loads((Path(__file__).parents[2] / "src/penstock/config/clients.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SHIPPED)
def test_every_table_that_ships_is_valid_and_found_by_each_of_its_names(name: str) -> None:
    table = SHIPPED[name]
    assert table.keys() <= CLIENT_KEYS.keys()
    assert {"names", "profile"} <= table.keys()
    for glob in table["names"]:
        found = client_for(Config(), glob.replace("*", ""))
        assert found.name == name
        assert all(getattr(found, key) == value for key, value in table.items() if key != "names")


@pytest.mark.parametrize(
    ("name", "accepts"),
    [
        (
            "claude-code",
            Client(name="claude-code", max_tokens=25_000, max_text_bytes=50_000, max_media_bytes=5_242_880),
        ),
        ("claude-ai", Client(name="claude-desktop", max_media_bytes=1_048_576)),
        ("Claude Desktop", Client(name="claude-desktop", max_media_bytes=1_048_576)),
        ("claude-ai (via mcp-remote 0.1.37)", Client(name="claude-desktop", max_media_bytes=1_048_576)),
        ("codex-mcp-client", Client(name="codex", profile="o200k", max_tokens=10_000, max_text_bytes=40_000)),
        ("Visual Studio Code - Insiders", Client(name="vscode", max_text_bytes=8_192)),
        ("github-copilot-developer", Client(name="copilot-cli", max_text_bytes=10_240)),
        ("gemini-cli-mcp-client-files", Client(name="gemini-cli", profile="o200k", max_text_bytes=40_000)),
        ("qwen-code", Client(name="qwen-code", profile="o200k", max_text_bytes=25_000)),
        ("opencode", Client(name="opencode", max_text_bytes=51_200, max_lines=2_000)),
        ("goose-desktop", Client(name="goose", max_text_bytes=200_000)),
        ("deepagents", Client(name="deepagents", max_tokens=20_000)),
        ("cursor-vscode", Client(name="cursor")),
        ("some-other-client", Client()),
        ("", Client()),
    ],
)
def test_a_client_is_known_by_the_name_it_gives_itself(name: str, accepts: Client) -> None:
    assert client_for(Config(), name) == accepts
    assert client_for(Config(), f" {name.upper()} ") == accepts


@given(st.text())
def test_no_name_is_too_strange(name: str) -> None:
    assert isinstance(client_for(Config(), name), Client)
    assert isinstance(client_for(Config(), name * 5_000), Client)


def test_an_own_entry_changes_a_known_client_key_by_key() -> None:
    config = Config(clients={"claude-code": {"max_tokens": 40_000}})
    known = client_for(config, "claude-code")
    assert (known.max_tokens, known.max_text_bytes) == (40_000, 50_000)
    assert client_for(config, "codex-mcp-client") == client_for(Config(), "codex-mcp-client")


def test_an_own_entry_goes_before_those_that_ship() -> None:
    config = Config(clients={"mine": {"names": ["codex*", "our-*"], "max_tokens": 700}})
    assert (
        client_for(config, "codex-mcp-client") == client_for(config, "OUR-agent") == Client(name="mine", max_tokens=700)
    )


def test_an_entry_without_names_goes_by_its_own() -> None:
    config = Config(clients={"My Client": {"profile": "cl100k", "max_lines": 90}})
    assert client_for(config, "my client") == Client(name="My Client", profile="cl100k", max_lines=90)
    assert client_for(config, "my client 2") == Client()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.toml", '[clients.mine]\nmax-tokens = 900\nnames = "m*"\n'),
        ("c.yaml", "clients:\n  mine:\n    max_tokens: 900\n    names: [m*]\n"),
        ("c.json", '{"penstock": {"clients": {"mine": {"max_tokens": 900, "names": ["m*"]}}}}'),
    ],
)
def test_clients_stand_in_a_file_of_any_format(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    config = load(tmp_path / name, env={})
    assert config.clients == (ClientEntry(name="mine", settings=(("max_tokens", 900), ("names", ("m*",)))),)
    joined = load(tmp_path / name, env={}, clients={"mine": {"max_tokens": 800}, "other": {}})
    assert client_for(joined, "mm") == Client(name="mine", max_tokens=800)
    assert [entry.name for entry in joined.clients] == ["mine", "other"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("clients = 7", "c.toml:1: clients: expected a table of client names, found 7"),
        ("[clients]\nmine = 7", "c.toml:2: clients.mine: expected a table of settings, found 7"),
        ("[clients.mine]\nmax_token = 9", "c.toml:2: clients.mine.max_token: not a setting; did you mean max_tokens?"),
        (
            "[clients.mine]\nttl = 60",
            "c.toml:2: clients.mine.ttl: not a setting of one client; give it outside the clients",
        ),
        (
            "[clients.mine]\nmax_tokens = 5",
            "c.toml:2: clients.mine.max_tokens: expected a whole number of tokens from 500 to 10,000,000, found 5",
        ),
        (
            "[clients.mine]\nmax_text_bytes = 5",
            "clients.mine.max_text_bytes: expected a whole number of bytes from 1,024 to 4,294,967,296, found 5",
        ),
        ("[clients.mine]\nprofile = 'auto'", "clients.mine.profile: expected one of claude,"),
        ("[clients.mine]\nnames = []", "clients.mine.names: expected a glob, or a list of 1 to 50, each of 1 to 200"),
        ("[clients.mine]\nnames = [1]", "clients.mine.names: expected a glob"),
        ("[clients.mine]\nnames = 1", "clients.mine.names: expected a glob"),
        (f"[clients.{'x' * 201}]\n", "expected a client's name of 1 to 200 characters"),
    ],
)
def test_a_wrong_entry_is_named_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "c.toml", env={})
    assert words in str(caught.value)


def test_clients_outside_the_table_of_a_shared_file_are_strays(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("[penstock]\nttl = 60\n[clients.mine]\nmax_tokens = 900\n")
    with pytest.raises(ConfigError, match="clients: outside the penstock table; move it into the table"):
        load(tmp_path / "c.toml", env={})


def test_given_clients_take_the_place_of_the_old_ones_and_other_changes_keep_them() -> None:
    config = Config(clients={"a": {"max_tokens": 900}}, rules={"t": {"max_depth": 1}})
    assert config.with_(max_depth=2).clients == config.clients
    assert config.with_(clients={}).clients == ()
    assert config.with_(clients={}).rules == config.rules
    assert config.with_(clients=config.clients) == config


def test_a_client_lowers_the_budget_and_never_raises_it() -> None:
    codex = budget_for(Config(max_tokens=30_000, page_tokens=20_000), "t", "codex-mcp-client")
    assert (codex.max_tokens, codex.page_tokens, codex.preview_tokens) == (10_000, 10_000, 2_000)
    assert (codex.profile, codex.max_text_bytes, codex.max_bytes) == ("o200k", 40_000, MAX_BYTES)
    assert budget_for(Config(max_tokens=4_000), "t", "codex-mcp-client").max_tokens == 4_000
    small = Config(clients={"tiny": {"max_tokens": 600, "max_text_bytes": 2_000, "max_lines": 60}})
    tiny = budget_for(small, "t", "tiny")
    assert (tiny.max_tokens, tiny.preview_tokens, tiny.page_tokens) == (600, 600, 600)
    assert (tiny.preview_bytes, tiny.max_text_bytes, tiny.max_lines) == (2_000, 2_000, 60)
    desktop = budget_for(Config(), "t", "claude-ai")
    assert (desktop.max_bytes, desktop.max_text_bytes, desktop.max_block_bytes) == (1_048_576, 1_000_000, 1_048_576)
    assert budget_for(Config(), "t", "no-such-client") == Budget()


def test_a_clients_limit_on_everything_is_one_on_its_text_too() -> None:
    config = Config(clients={"narrow": {"max_media_bytes": 20_000}})
    budget = budget_for(config, "t", "narrow")
    assert (budget.max_bytes, budget.max_text_bytes) == (20_000, 20_000)
    assert budget_for(Config(), "t").max_text_bytes == MAX_TEXT_BYTES


def test_a_profile_set_by_hand_wins_over_the_clients() -> None:
    assert budget_for(Config(profile="cl100k"), "t", "codex-mcp-client").profile == "cl100k"
    assert budget_for(Config(), "t", "codex-mcp-client").profile == "o200k"
    assert budget_for(Config(), "t", "no-such-client").profile == "claude"


def test_a_notice_that_is_said_twice_has_room_for_that() -> None:
    config = Config(max_tokens=250, preview_tokens=250, page_tokens=250, preview_bytes=512)
    assert budget_for(config, "t").max_tokens == 250
    twice = budget_for(config, "t", structured=True)
    assert (twice.structured, twice.max_tokens, twice.preview_tokens, twice.preview_bytes) == (True, 500, 500, 1_024)


limits = st.fixed_dictionaries(
    {},
    optional={
        "max_tokens": st.integers(500, 30_000),
        "max_text_bytes": st.integers(1_024, 30_000),
        "max_media_bytes": st.integers(1_024, 30_000),
        "max_lines": st.integers(50, 5_000),
    },
)


@given(given=limits, max_tokens=st.integers(250, 30_000), name=st.sampled_from([*SHIPPED, "mine", "nobody"]))
def test_what_passes_unread_fits_the_budget_of_every_client(given: Any, max_tokens: int, name: str) -> None:
    config = Config(max_tokens=max_tokens, clients={"mine": given})
    assert passes_unread(config, "t") >= 250 or given
    assert passes_unread(config, "t") <= budget_for(config, "t", name).unread


def test_how_much_passes_unread_follows_the_rule_of_the_tool() -> None:
    config = Config(rules={"always": {"always_hold": True}, "never": {"never_hold": True}, "low": {"max_tokens": 300}})
    assert [passes_unread(config, tool) for tool in ("always", "never", "low", "any")] == [
        0,
        sys.maxsize,
        300,
        EVERY_CLIENT,
    ]


def test_small_results_cost_no_table_of_clients() -> None:
    clients._shipped.cache_clear()
    passes_unread(Config(), "t")
    budget_for(Config(), "t")
    assert clients._shipped.cache_info().currsize == 0
    budget_for(Config(), "t", "a client that nobody asked for yet")
    assert clients._shipped.cache_info().currsize == 1


def test_the_typed_arguments_and_the_keys_of_a_client_are_the_same() -> None:
    assert ClientArguments.__optional_keys__ == set(CLIENT_KEYS)
