"""What is put in looks like what is around it, and comments stay where they are."""

from __future__ import annotations

from functools import partial
from textwrap import dedent

import pytest

from penstock.client_config.command_line import Gateway
from penstock.client_config.plan import unwrap, wrap
from tests.kit.client_configs import changed

put_in = partial(wrap, Gateway(program=("penstock",)))


def entry(text: str) -> str:
    return f'{{"mcpServers": {{"a": {text}}}}}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # One line stays one line, with the blanks that the file has.
        ('{"command": "x", "args": ["1", "2"]}', '{"command": "penstock", "args": ["run", "--", "x", "1", "2"]}'),
        ('{"command":"x","args":["1"]}', '{"command":"penstock","args":["run","--","x","1"]}'),
        ('{"command":"x","args":["1", "2"]}', '{"command":"penstock","args":["run", "--", "x", "1", "2"]}'),
        ('{"command": "x", "args": []}', '{"command": "penstock", "args": ["run", "--", "x"]}'),
        ('{"command": "x", "args": [ ]}', '{"command": "penstock", "args": ["run", "--", "x" ]}'),
        ('{"args": ["1"], "command": "x"}', '{"args": ["run", "--", "x", "1"], "command": "penstock"}'),
        # An args that was not there stands in front of the command.
        ('{"command": "x"}', '{"args": ["run", "--", "x"], "command": "penstock"}'),
        ('{ "command" : "x" }', '{ "args" : ["run", "--", "x"], "command" : "penstock" }'),
        ('{"command":"x"}', '{"args":["run","--","x"],"command":"penstock"}'),
        ('{"command": /* c */ "x"}', '{"args": ["run", "--", "x"], "command": /* c */ "penstock"}'),
        ('{\n  "env": {},\n\n  "command": "x" // c\n}', None),
        # Literals move as they are written.
        (r'{"command": "\u0078\/", "args": []}', r'{"command": "penstock", "args": ["run", "--", "\u0078\/"]}'),
    ],
)
def test_json_keeps_its_style(before: str, after: str | None) -> None:
    after = after or '{\n  "env": {},\n\n  "args": ["run", "--", "x"],\n  "command": "penstock" // c\n}'
    assert changed(entry(before), put_in) == entry(after)
    assert changed(entry(after), unwrap) == entry(before)


def test_an_array_on_several_lines_grows_by_lines() -> None:
    before = '{\r\n\t"command": "x",\r\n\t"args": [ // c\r\n\t\t"-y", // yes\r\n\t\t"1",\r\n\t]\r\n}'
    after = before.replace('"x"', '"penstock"').replace('"-y"', '"run",\r\n\t\t"--",\r\n\t\t"x",\r\n\t\t"-y"')
    assert changed(entry(before), put_in) == entry(after)
    assert changed(entry(after), unwrap) == entry(before)


@pytest.mark.parametrize(
    ("wrapped", "bare"),
    [
        # A comment that somebody put between our words is not taken out with them.
        (
            '{"command": "penstock", "args": ["run", // one\n  "--", /* two */ "x", "1"]}',
            '{"command": "x", "args": [// one\n  /* two */ "1"]}',
        ),
        ('{"command": "penstock", "args": ["run", /* , */ "--", "x"]}', '{"command": "x", "args": [/* , */ ]}'),
        ('{"command": "penstock", "args": ["run", "--", "x" /* , */, ]}', '{"command": "x", "args": [ /* , */ ]}'),
        ('{"args": [/* c */ "run", "--", "x"], "command": "penstock"}', '{"args": [/* c */ ], "command": "x"}'),
        # An empty args elsewhere than in front of the command was there before.
        ('{"args": ["run", "--", "x"], "e": 1, "command": "penstock"}', '{"args": [], "e": 1, "command": "x"}'),
        ('{"args": ["run", "--", "x"], /* c */ "command": "penstock"}', '{"args": [], /* c */ "command": "x"}'),
        # Another program, other options, a program with words of its own.
        ('{"command": "/a/penstock", "args": ["run", "--ttl", "1h", "--", "x"]}', '{"command": "x", "args": []}'),
        (
            '{"command": "python3", "args": ["-m", "penstock", "run", "--", "x", "--"]}',
            '{"command": "x", "args": ["--"]}',
        ),
    ],
)
def test_what_others_made_of_it_is_kept(wrapped: str, bare: str) -> None:
    assert changed(entry(wrapped), unwrap) == entry(bare)


def test_toml_keeps_its_style_and_its_comments() -> None:
    before = dedent("""\
        # mine
        [mcp_servers.one]  # first
        command = 'npx'    # quoted so
        args = [
            "-y",  # yes
            'pkg',
        ]

        [other]
        command = "x"

        [mcp_servers."t.w.o"]
          command="two"
        [mcp_servers."t.w.o".env]
        KEY = "v"

        [mcp_servers]
        three = {command = "3", env = {A = "1"}}
        four.command = '''4'''
        """)
    after = (
        before.replace("= 'npx' ", '= "penstock" ')
        .replace('    "-y"', '    "run",\n    "--",\n    \'npx\',\n    "-y"')
        .replace('  command="two"', '  args=["run","--","two"]\n  command="penstock"')
        .replace('{command = "3"', '{args = ["run", "--", "3"], command = "penstock"')
        .replace("four.command = '''4'''", "four.args = [\"run\", \"--\", '''4''']\nfour.command = \"penstock\"")
    )
    assert changed(before, put_in, suffix=".toml") == after
    assert changed(after, unwrap, suffix=".toml") == before


def test_a_comment_between_our_words_in_toml_is_kept() -> None:
    wrapped = '[mcp_servers.a]\ncommand = "penstock"\nargs = [\n  "run", # one, two\n  "--",\n  "x", # three\n]\n'
    assert changed(wrapped, unwrap, suffix=".toml") == (
        '[mcp_servers.a]\ncommand = "x"\nargs = [\n  # one, two\n   # three\n]\n'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Lines end as the others do.
        (
            "[mcp_servers.a]\r\ncommand = 'x'\r\n",
            '[mcp_servers.a]\r\nargs = ["run", "--", \'x\']\r\ncommand = "penstock"\r\n',
        ),
        # Quotes may stand right before the three that end a text.
        *(
            (
                f"[mcp_servers.a]\ncommand = {literal}\nargs = [{literal}]\n",
                f'[mcp_servers.a]\ncommand = "penstock"\nargs = ["run", "--", {literal}, {literal}]\n',
            )
            for literal in ("'''x'''''", '"""x"""""', r'"""x\""""', "'''\n''x'''")
        ),
        # A path inside an array is not one of the file.
        (
            "[mcp_servers.a]\ncommand = 'x'\nargs = []\n[z]\nl = [{mcp_servers.a.command = 'y'}]\n",
            '[mcp_servers.a]\ncommand = "penstock"\nargs = ["run", "--", \'x\']\n'
            "[z]\nl = [{mcp_servers.a.command = 'y'}]\n",
        ),
    ],
)
def test_toml_is_changed_in_the_right_place(before: str, after: str) -> None:
    assert changed(before, put_in, suffix=".toml") == after
    assert changed(after, unwrap, suffix=".toml") == before


@pytest.mark.parametrize("suffix", [".json", ".toml"])
def test_a_path_may_have_any_characters(suffix: str) -> None:
    text = {".json": entry('{"command": "x"}'), ".toml": "[mcp_servers.a]\ncommand = 'x'\n"}[suffix]
    odd = partial(wrap, Gateway(program=('/a "b"\\\x7f\n\u2028ä/penstock',)))
    wrapped = changed(text, odd, suffix=suffix)
    assert "penstock" in wrapped
    assert changed(wrapped, unwrap, suffix=suffix) == text
