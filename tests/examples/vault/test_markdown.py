"""HTML as Markdown."""

from __future__ import annotations

import pytest

from vault_server.markdown import to_markdown


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>A <i>b</i></h2><p>c</p>", "## A *b*\n\nc\n"),
        ("<title>T</title><p>x</p>", "# T\n\nx\n"),
        ("<title>T</title><h1>H</h1>", "# H\n"),
        ("<a href='/x'>go</a> <b>x</b> <em>y</em> <code>z</code>", "[go](/x) **x** *y* `z`\n"),
        ("<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>", "- a\n  1. b\n  2. c\n- d\n"),
        ("<table><tr><th>A</th></tr><tr><td>1</td></tr></table>", "| A |\n| --- |\n| 1 |\n"),
        ("<script>bad()</script><style>x</style><!-- c --><nav>n</nav><div>ok</div>", "ok\n"),
        ("plain & simple &lt;b&gt;", "plain & simple <b>\n"),
        ("", "\n"),
    ],
)
def test_html_becomes_this_markdown(html: str, expected: str) -> None:
    assert to_markdown(html) == expected


def test_the_charset_of_the_server_is_heeded() -> None:
    assert to_markdown("<p>Größe</p>".encode("latin-1"), "latin-1") == "Größe\n"
    assert to_markdown("<p>Größe</p>".encode()) == "Größe\n"


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "blockquote", "table><tr><td"])
def test_elements_in_elements_without_end_keep_their_text(tag: str) -> None:
    assert "deep" in to_markdown(f"<{tag}>" * 2_000 + "deep")
