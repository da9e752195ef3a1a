"""Draw JSON, texts and MCP results from a ``Random``. JSON is drawn as text: keys come twice, numbers are spelled
oddly, and strings have half an emoji, so that an answer which spells anything anew differs from what came."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

WORDS: Final = (
    *("alpha", "beta", "error", "WARN", "id", "name", "true", "null", "12.5", "GET", "500", "https://a.example/b?c=1"),
    *("2026-03-04T05:06:07Z", "a@b.example", "src/app.py:12:", "@@ -1,2 +1,3 @@", "|", ",", ";", "\t", "key=value"),
)
SIGNS: Final = (
    *("é", "漢", "🙂", "e\u0301", "\U0010ffff", "\u2028", "\x85", "\x0b", "\r", "\n", "\r\n", "\ufeff", "\u202e"),
    *("\x00", "\x1b[31m", "\ud83d", "\udc00", '"', "\\", "\\u0041", "</a>", "<|endoftext|>", "\x7f", " "),
)
KEYS: Final = (
    *("id", "name", "items", "data", "total", "type", "text", "content", "result", "", " ", "0", "-1", "[]", "a.b"),
    *("a[0]", '"', "\\", "é", "\n", "\x00", "\ud800", "__proto__", "ID", "id ", "k" * 300),
)
NUMBERS: Final = (
    *(
        "0",
        "-0",
        "-0.0",
        "1.0",
        "1.50",
        "1e5",
        "1E+05",
        "1e400",
        "-1e-400",
        "9007199254740993",
        "0.1000000000000000055",
    ),
    *("18446744073709551616", "7" * 400, "0." + "3" * 400, "1" * 5_000),
)
BLANKS: Final = ("", "", "", " ", "\n  ", "\t", "\r\n")
LENGTHS: Final = (0, 1, 5, 20, 200, 3_000)
DEPTHS: Final = (10, 100, 399, 400, 401, 1_000, 5_000)


def text(random: Random, length: int | None = None) -> str:
    """Draw a text of about so many characters. Two halves that meet are one emoji, as they are to a reader of JSON."""
    return joined_halves(_text(random, length))


def joined_halves(value: str) -> str:
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _text(random: Random, length: int | None) -> str:
    size = random.choice(LENGTHS) if length is None else length
    draw: tuple[Callable[[], str], ...] = (
        lambda: " ".join(random.choices(WORDS, k=size // 6 + 1)),
        lambda: "".join(random.choices(SIGNS, k=size // 2 + 1)),
        lambda: random.choice('ax \n\\"🙂漢0') * size,
        lambda: base64.b64encode(random.randbytes(size)).decode(),
        lambda: "".join(
            chr(random.choice((random.randrange(32, 127), random.randrange(0x20, 0x11_0000)))) for _ in range(size)
        ),
        lambda: str(random.randrange(10 ** random.randrange(1, 40))),
        lambda: "\n".join(text(random, random.randrange(30)) for _ in range(size // 20 + 1)),
    )
    return random.choice(draw)()


def quoted(random: Random, value: str) -> str:
    """Spell a string as JSON, with or without needless escapes. Half an emoji is always one: UTF-8 has none."""
    if random.random() < 0.5:
        return json.dumps(value)
    spelled = json.dumps(value, ensure_ascii=False)
    return "".join(f"\\u{ord(one):04x}" if "\ud800" <= one <= "\udfff" else one for one in spelled)


def number(random: Random) -> str:
    return random.choice((*NUMBERS, repr(random.random()), str(random.randrange(-999, 99_999))))


def scalar(random: Random) -> str:
    return random.choice((quoted(random, text(random)), number(random), number(random), "null", "true", "false"))


def key(random: Random) -> str:
    return quoted(random, random.choice(KEYS) if random.random() < 0.6 else text(random, 6))


def document(random: Random, depth: int, size: int) -> str:
    """Draw a JSON document of at most ``size`` parts."""
    blank = random.choice(BLANKS)
    kind = random.random()
    if depth <= 0 or size <= 1 or kind < 0.08:
        return scalar(random)
    count = min(random.choice((0, 1, 2, 3, 10, 50, 400)), size)
    if kind < 0.4:
        return _rows(random, depth, size, count, blank)
    inner = size // max(1, count)
    if kind < 0.65:
        return f"[{blank}{f',{blank}'.join(document(random, depth - 1, inner) for _ in range(count))}{blank}]"
    if kind < 0.95:
        members = (f"{key(random)}{blank}:{blank}{document(random, depth - 1, inner)}" for _ in range(count))
        return f"{{{blank}{f',{blank}'.join(members)}{blank}}}"
    deep = random.choice(DEPTHS)
    return "[" * deep + scalar(random) + "]" * deep if random.random() < 0.5 else '{"a":' * deep + "1" + "}" * deep


def _rows(random: Random, depth: int, size: int, count: int, blank: str) -> str:
    """Draw an array of objects that mostly have the same keys."""
    keys = [key(random) for _ in range(random.randrange(1, 10))]
    rows: list[str] = []
    for _ in range(count):
        own = keys if random.random() < 0.9 else [*keys[: random.randrange(len(keys) + 1)], key(random)]
        inner = random.choice((0, 0, 0, depth - 2))
        rows.append(
            "{" + f",{blank}".join(f"{one}:{document(random, inner, size // (count * len(own)))}" for one in own) + "}"
        )
    return f"[{blank}{f',{blank}'.join(rows)}{blank}]"


def lines(random: Random, size: int) -> str:
    """Draw a text with lines of one kind, as tools print them."""
    names = [text(random, 5).replace("\n", " ") for _ in range(random.randrange(1, 12))]
    kinds: tuple[Callable[[], str], ...] = (
        lambda: (
            ",".join(random.choice((text(random, 8), '"a""b,c"', "", "1.5")) for _ in names)
            + random.choice(("\n", "\r\n"))
        ),
        lambda: (
            f"2026-03-{random.randrange(1, 29):02d}T01:00:01Z {random.choice(('INFO', 'ERROR'))} {text(random, 30)}\n"
        ),
        lambda: random.choice(
            ("diff --git a/x b/y\n--- a/x\n+++ b/y\n@@ -1,3 +1,9 @@\n", f"+{text(random, 20)}\n", "-x\n", " y\n")
        ),
        lambda: f"src/{random.choice('abc')}.py:{random.randrange(9_999)}:{text(random, 20)}\n",
        lambda: document(random, 1, 5) + random.choice(("\n", "\n\n", "")),
        lambda: f"| {' | '.join(text(random, 5) for _ in names)} |\n",
        lambda: "\t".join(text(random, 3) for _ in names) + "\n",
        lambda: f"{'  ' * random.randrange(5)}- {text(random, 8)}: {text(random, 8)}\n",
        lambda: f"<{random.choice('abp')}>{text(random, 12)}</{random.choice('abp')}>\n",
        lambda: random.choice(
            (f"## {text(random, 9)}\n", f"[{text(random, 5)}]\n", f"{text(random, 5)}={text(random, 9)}\n")
        ),
        lambda: random.choice(SIGNS) * random.choice((1, 10, 1_000)),
        lambda: text(random),
    )
    draw = random.choice(kinds)
    made: list[str] = []
    left = size
    while left > 0:
        made.append(draw())
        left -= len(made[-1]) + 1
    return "".join(made)


def body(random: Random, size: int) -> str:
    """Draw the text of a tool, now and then with one sign changed."""
    made = (
        document(random, random.randrange(1, 7), max(2, size // 20)) if random.random() < 0.6 else lines(random, size)
    )
    if random.random() < 0.1:  # JSON in a text, as servers for browsers answer
        made = f"{text(random, 20)}\n```json\n{made}\n```\n{text(random, 20)}"
    if made and random.random() < 0.1:
        at = random.randrange(len(made))
        made = made[:at] + random.choice(SIGNS) + made[at + 1 :]
    return joined_halves(made)


def block(random: Random, size: int) -> dict[str, Any]:
    """Draw a block of content: its JSON, and its text if it has one."""
    kind = random.random()
    if kind < 0.86:
        made = body(random, size)
        more = random.choice(("", "", ',"annotations":{"priority":1}', f',"_meta":{document(random, 2, 10)}'))
        if kind < 0.8:
            return {"raw": f'{{"type":"text","text":{quoted(random, made)}{more}}}', "text": made}
        resource = f'{{"uri":{quoted(random, text(random, 9))},"text":{quoted(random, made)}}}'
        return {"raw": f'{{"type":"resource","resource":{resource}{more}}}', "text": made}
    data = base64.b64encode(random.randbytes(random.choice((3, 900, 9_000)))).decode()
    if kind < 0.92:
        return {"raw": f'{{"type":"image","data":"{data}","mimeType":"image/png"}}', "text": None}
    if kind < 0.95:
        return {"raw": f'{{"type":"resource","resource":{{"uri":"a:b","blob":"{data}"}}}}', "text": None}
    link = f'{{"type":"resource_link","uri":{quoted(random, text(random))},"name":{quoted(random, text(random))}}}'
    return {"raw": link, "text": None}


def result(random: Random, size: int) -> dict[str, Any]:
    """Draw a tool's result in its parts: the blocks, ``structuredContent``, and other members as JSON."""
    count = random.choice((1, 1, 1, 1, 2, 3, 30))
    blocks = [block(random, size // count) for _ in range(count)]
    structured = None
    if random.random() < 0.25:
        structured = document(random, 5, size // 30)
        if random.random() < 0.5:  # the same twice, as servers with an output schema send it
            again = structured if random.random() < 0.5 else f" {structured}\n"
            blocks = [{"raw": f'{{"type":"text","text":{quoted(random, again)}}}', "text": again}]
    elif random.random() < 0.05:  # a list of texts twice, as servers in Python send it
        texts = [text(random, 20) for _ in range(random.choice((2, 30, 300)))]
        structured = f'{{"result":[{",".join(quoted(random, one) for one in texts)}]}}'
        blocks = [{"raw": f'{{"type":"text","text":{quoted(random, one)}}}', "text": one} for one in texts]
    others = [
        *([("isError", random.choice(("true", "false", "1", "null")))] if random.random() < 0.15 else []),
        *([("_meta", document(random, 3, 40))] if random.random() < 0.1 else []),
        *([(f"x{text(random, 4)}", document(random, 3, 50))] if random.random() < 0.05 else []),
    ]
    return {"blocks": blocks, "structured": structured, "others": others}


def written_result(parts: dict[str, Any]) -> bytes:
    """Return the JSON of a result that was drawn in parts."""
    members = [f'"content":[{",".join(one["raw"] for one in parts["blocks"])}]']
    if parts["structured"] is not None:
        members.append(f'"structuredContent":{parts["structured"]}')
    members += [f"{json.dumps(name)}:{value}" for name, value in parts["others"]]
    return f"{{{','.join(members)}}}".encode()
