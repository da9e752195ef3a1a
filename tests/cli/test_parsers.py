"""Every command has help with an example, and takes a server's command without dashes before it."""

from __future__ import annotations

import argparse
import re

import pytest

from penstock import __version__
from penstock.cli import COMMANDS, GROUPS, main
from penstock.cli.parsers import parse, parser_of, split_command, whole_parser
from tests.kit.command_line import refused

RIDDLES = re.compile(r"\bera\b|stands? in front|at once|be all", re.IGNORECASE)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_every_command_has_help_with_an_example_in_plain_words(
    name: str, width: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    with pytest.raises(SystemExit) as end:
        parser_of(name).parse_args(["--help"])
    shown = capsys.readouterr().out
    assert end.value.code == 0
    assert re.search(rf"examples:\n( +.*\n)*? +.*penstock {name}", shown)
    assert not RIDDLES.search(shown), RIDDLES.search(shown)
    widest = max(map(len, shown.partition("examples:")[0].splitlines()))
    assert width == "40" or widest <= 100  # a name that is longer than a narrow terminal cannot be broken


@pytest.mark.parametrize("words", [["-V"], ["--version"], ["version"]])
def test_the_version_has_three_names(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out == f"penstock {__version__}\n"


@pytest.mark.parametrize("words", [["help"], ["--help"], ["-h"], ["help", "--all"]])
def test_help_lists_all_commands_by_group(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert all(f"\n{group}:\n" in shown for group in GROUPS)
    assert all(f"\n  {name} " in shown for name in COMMANDS)


def test_help_of_a_command_is_that_of_its_option(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for words in (["help", "stats"], ["stats", "--help"], ["help", "run"], ["run", "--help"]):
        with pytest.raises(SystemExit):
            main(words)
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != shown[2] == shown[3]
    assert main(["help", "nonsense"]) == 2
    assert "unknown command 'nonsense'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "options", "command"),
    [
        (["npx", "-y", "x"], [], ["npx", "-y", "x"]),
        (["--", "npx", "--", "-y"], [], ["npx", "--", "-y"]),
        (["--json", "--timeout", "5", "npx", "--json"], ["--json", "--timeout", "5"], ["npx", "--json"]),
        (["--timeout=5", "x"], ["--timeout=5"], ["x"]),
        (["--call", "tool", "{}", "x", "--call"], ["--call", "tool", "{}"], ["x", "--call"]),
        (["--nonsense", "x"], ["--nonsense"], ["x"]),
        (["--json"], ["--json"], []),
    ],
)
def test_the_first_word_that_is_no_option_begins_the_servers_command(
    words: list[str], options: list[str], command: list[str]
) -> None:
    assert split_command(parser_of("doctor"), words) == (options, command)


def test_options_of_the_server_are_not_ours() -> None:
    parsed = parse("serve", ["--port", "9", "python", "-m", "server", "--port", "10"])
    assert (parsed.port, parsed.command) == (9, ["python", "-m", "server", "--port", "10"])


def test_one_parser_has_all_commands() -> None:
    [commands] = [one for one in whole_parser()._actions if isinstance(one, argparse._SubParsersAction)]
    assert list(commands.choices) == list(COMMANDS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["frobnicate"], "unknown command 'frobnicate'; commands: demo, "),
        (["statz"], "unknown command 'statz'; did you mean stats?"),
        (["--max-tokens", "9", "run"], "unknown option --max-tokens; options follow the command"),
        (["gather", "mcp.json"], "the command 'gather' was removed; penstock run --config FILE and"),
        (["list", "--limits", "3"], "unknown option --limits; did you mean --limit?"),
        (["run", "--max-token=9", "x"], "unknown option --max-token; did you mean --max-tokens?"),
        (["doctor", "--zzz", "x"], "unknown option --zzz; see penstock doctor --help"),
        (["list", "extra"], "unexpected argument 'extra'; see penstock list --help"),
        (["show", "r_a", "--page", "x"], "--page: expected a whole number from 1, got 'x'"),
        (["list", "--limit"], "--limit: expected a value, got none; see penstock list --help"),
        (["list", "--json=yes"], "--json takes no value, got 'yes'; see penstock list --help"),
        (["doctor", "--call", "tool"], "--call: expected 2 values; see penstock doctor --help"),
        (["completion", "cmd"], "SHELL: expected one of bash, zsh, fish, tcsh, got 'cmd'"),
        (["replay"], "no FILE is given; see penstock replay --help"),
        (["doctor", "--timeout", "0", "x"], "--timeout: expected a number of seconds above 0, got '0'"),
    ],
)
def test_wrong_use_is_one_line_that_says_what_to_do(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(words, capsys).startswith(f"penstock: {said}")


def test_penstock_alone_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "usage: penstock COMMAND" in capsys.readouterr().out
