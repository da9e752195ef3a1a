"""Every command has help with an example, and takes a server's command without dashes before it."""

from __future__ import annotations

import argparse
import re

import pytest

from penstock import __version__
from penstock.cli import COMMANDS, GROUPS, main
from penstock.cli.parsers import parse, parser_of, split_command, whole_parser

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
    assert "there is no command 'nonsense'" in capsys.readouterr().err


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


def test_only_what_is_required_is_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["gather"])
    assert capsys.readouterr().err.endswith("the following arguments are required: FILE\n")
