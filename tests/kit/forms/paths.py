"""Random paths and words, and texts that are neither search output, nor findings, nor listings of files."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from random import Random

WORDS: Final = ("alpha", "beta", "gamma", "delta", "omega", "store", "gate", "window", "budget", "page", "error")
ENDINGS: Final = (".py", ".py", ".py", ".md", ".json", ".ts", "")
HOSTILE: Final = {
    "one line of a megabyte": "x" * 1_000_000,
    "one path of a megabyte": "/" + "a/" * 500_000,
    "dashes and digits": "a-1" * 300_000,
    "colons": ":" * 500_000,
    "blanks": "\n" * 50_000,
    "control characters": "\x00\x01\x1b[31m\x7f\n" * 500,
    "huge numbers": "\n".join(f"{10**40 + n}\t{10**30}:{10**25}:{n}" for n in range(200)),
    "carriage returns": "\r\r\r\r\n" * 1_000,
    "brackets": "[" * 200_000 + "\n" + "(" * 200_000,
    "branches": "│   " * 20_000 + "├── x",
    "empty": "",
}


def words(random: Random, least: int = 1, most: int = 6) -> str:
    return " ".join(random.choices(WORDS, k=random.randint(least, most)))


def file_paths(random: Random, amount: int, root: str = "") -> list[str]:
    """So many different paths, sorted."""
    found: set[str] = set()
    while len(found) < amount:
        folders = random.choices(WORDS, k=random.randint(0, 3))
        name = f"{random.choice(WORDS)}_{random.randint(1, 999)}{random.choice(ENDINGS)}"
        found.add(root + "/".join([*folders, name]))
    return sorted(found)


def folder(path: str) -> str:
    return path[: path.rfind("/")] if "/" in path else ""


def extension(path: str) -> str | None:
    name = path[path.rfind("/") + 1 :]
    return name[name.rfind(".") + 1 :] if "." in name else None


def _lines(*patterns: str, amount: int = 60) -> str:
    return "".join(patterns[n % len(patterns)].format(n=n, m=n % 60, h=n % 24) + "\n" for n in range(amount))


OTHER: Final = {
    "csv": "id,file,size\n" + _lines("{n},src/a{n}.py,{m}"),
    "csv with colons": "at,what\n" + _lines("10:{m:02}:11,src/a.py:{n}:x"),
    "tsv": "count\tpath\n" + _lines("{n}\tsrc/a{m}/b{n}.py"),
    "prose": _lines("The store and/or the gate holds what it was given.", "It was 10:{m:02}:11 when line {n} came."),
    "python": _lines("def f{n}(x: int) -> str:", "    return str(x)[1:{m}]  # a/b.py:12: note", "", "class A{n}:"),
    "c++": _lines("std::vector<int> v{n};", 'std::cout << "a:{n}:b" << std::endl;', "a::b::c<{n}>();"),
    "json": "{\n" + _lines('  "key{n}": "src/a.py:{n}:text",') + '  "last": 1\n}\n',
    "yaml": _lines("key{n}: value", "  inner: src/a.py", "  - 10:{m:02}:11", "  port: {n}"),
    "yaml with numbers": _lines("{n}: value of it", amount=80),
    "status codes": _lines("{n}{m:02}: Reason of it", amount=80),
    "markdown": _lines("# Heading {n}", "", "- item a/b.py", "Some text with `a.py:{n}`.", "| a | b |"),
    "access log": _lines('10.0.0.{m} - - [01/Jan/2026:{h:02}:{m:02}:11 +0000] "GET /a/{n}.html HTTP/1.1" 200 {n}'),
    "log of dates": _lines("2026-05-16 {h:02}:{m:02}:08 INFO src/a.py: started {n}"),
    "log of slashed dates": _lines("2026/05/16 {h:02}:{m:02}:08 [error] {n}: text"),
    "log after a name": _lines("nova-api.log.1.2026-05-16_{h:02}:{m:02}:08 2026-05-16 {h:02}:{m:02}:08.003 INFO {n}"),
    "log with process numbers": _lines(
        "2026-05-16 {h:02}:{m:02}:08.003 {n} INFO api.wsgi [-] GET /v2/a.json status: 200"
    ),
    "log with plain times": _lines("2026-05-16 {h:02}:{m:02}:08 {n} INFO src/a.py started /v2/b.json"),
    "log without seconds": _lines("16.05.2026 {h:02}:{m:02} {n} src/a.py"),
    "lines that recur": _lines("   {n} GET /a/b{n}.html"),
    "syslog": _lines("Jan  1 {h:02}:{m:02}:08 host sshd[{n}]: error: text"),
    "times": _lines("{h:02}:{m:02}:{m:02}"),
    "minutes": _lines("{n}:{m:02} somebody says a word"),
    "python traces": _lines(
        "Traceback (most recent call last):", '  File "/a/b.py", line {n}, in f', "ValueError: {n}"
    ),
    "node traces": _lines("Error: no {n}", "    at f (/a/b.js:{n}:5)", "    at g (/a/c.js:{n}:7)"),
    "java traces": _lines("java.lang.Error: {n}", "\tat com.a.B.c(B.java:{n})"),
    "urls": _lines("https://example.com/a/{n}.html"),
    "urls with ports": _lines("http://example.com:{n}:80/a.html", "http://host{n}.example.com:8080/"),
    "hosts with ports": _lines("host{n}.example.com:{n}"),
    "proxies": _lines("host{n}.example.com:80{m:02}:user{n}:word"),
    "ip addresses": _lines("10.0.{m}.1:{n}:tcp", "fe80::{n}:1", "2001:db8:{n}::1"),
    "domains": _lines("a{n}.example.com", "b{n}.example.org"),
    "types of media": _lines("application/vnd.a{n}.b{n}+xml", "text/x-a{n}", "image/vnd.c{n}d"),
    "images with tags": _lines("registry.io/team/app{n}:{n}", "library/db:{n}"),
    "packages": _lines("github.com/team/pkg{n}", "@scope/name{n}"),
    "references": _lines("refs/heads/feature/a{n}", "refs/tags/v{n}"),
    "modules": _lines("os.path.a{n}", "penstock.core.forms.b{n}"),
    "passwd": _lines("user{n}:x:{n}:{n}:User:/home/user{n}:/bin/sh"),
    "base64": "\n".join(base64.encodebytes(bytes(range(256)) * 20).decode().split("\n")),
    "requests": _lines("/api/users/{n} 200 {m} ms"),
    "commands": _lines("cp /a/{n} /b/{n}", "mv /c/{n} /d"),
    "numbers": _lines("{n} {m} {n} {h}"),
    "matrix": _lines("1 2 3 4 5 6"),
    "sections": _lines("Part {n}:", "first", "second", ""),
    "numbered list": _lines("{n}:entry of a list", amount=80),
    "comments": _lines("// a comment {n}", "/* b */"),
    "sql": _lines("INSERT INTO t VALUES ({n}, 'a/b.py', '10:{m:02}:11');"),
    "diff": _lines("@@ -{n},3 +{n},3 @@", " same", "-old/a.py", "+new/a.py"),
    "boxes": _lines("┌──────┐", "│ {n:4} │", "└──────┘"),
    "options": _lines("--flag{n}=a/b{n}.py", "-x{n}"),
    "words": _lines("alpha{n}", "beta{n}"),
}
