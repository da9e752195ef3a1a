"""Text of keys with values: stanzas, settings, lock files, mailboxes, HTTP messages, SQL dumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.shapes.registry import KB, MB, shape
from bench.shapes.sampler import NAMES, Sampler, grow_lines

if TYPE_CHECKING:
    from collections.abc import Callable


@shape("text", 150 * KB, 2 * MB)
def package_stanzas(size: int) -> str:
    """Make what a package manager knows of installed packages, with descriptions that go on over lines."""
    draw = Sampler(121)

    def stanza(number: int) -> str:
        more = [f" {draw.sentence()}" for _ in range(draw.randrange(4))]
        lines = [
            f"Package: {draw.name()}-{number}",
            "Status: install ok installed",
            f"Priority: {draw.choice(['optional', 'required', 'extra'])}",
            f"Section: {draw.choice(['libs', 'net', 'utils', 'devel'])}",
            f"Installed-Size: {draw.randrange(9_000)}",
            f"Maintainer: {draw.person()} <team@example.org>",
            f"Version: {draw.version()}-{draw.randrange(9)}",
            *([f"Depends: {draw.name()} (>= {draw.version()}), {draw.name()}"] if draw.random() < 0.7 else []),
            f"Description: {draw.words(5)}",
            *more,
        ]
        return "\n".join(lines) + "\n"

    return grow_lines(size, stanza)


@shape("text", 100 * KB, 1 * MB)
def ini_settings(size: int) -> str:
    """Make settings in sections."""
    draw = Sampler(122)

    def section(number: int) -> str:
        keys = dict.fromkeys(draw.identifier() for _ in range(draw.randint(4, 12)))
        return "\n".join([f"[{draw.name()} {number}]", *(f"{key} = {draw.words(3)}" for key in keys), ""])

    return grow_lines(size, section)


@shape("text", 100 * KB, 1 * MB)
def env_settings(size: int) -> str:
    """Make a file of variables."""
    draw = Sampler(123)
    return grow_lines(
        size, lambda number: f"{draw.identifier().upper()}_{number}={draw.choice(NAMES)}/{draw.token(12)}"
    )


@shape("text", 150 * KB, 2 * MB)
def toml_lock(size: int) -> str:
    """Make a lock file of packages with their files and dependencies."""
    draw = Sampler(124)

    def package(number: int) -> str:
        files = [
            f'    {{file = "{draw.name()}.whl", hash = "sha256:{draw.hex(64)}"}},' for _ in range(draw.randint(1, 6))
        ]
        needs = dict.fromkeys(draw.choice(NAMES) for _ in range(draw.randrange(4)))
        lines = [
            "[[package]]",
            f'name = "{draw.name()}-{number}"',
            f'version = "{draw.version()}"',
            f'description = "{draw.sentence()}"',
            "optional = false",
            "files = [",
            *files,
            "]",
            "",
            *(["[package.dependencies]", *(f'{one} = ">={draw.version()}"' for one in needs), ""] if needs else []),
        ]
        return "\n".join(lines)

    return grow_lines(size, package) + '[metadata]\nlock-version = "2.0"\n'


@shape("text", 150 * KB, 2 * MB)
def mail_box(size: int) -> str:
    """Make mails one after the other, some with an attachment."""
    draw = Sampler(125)

    def mail(number: int) -> str:
        person = draw.person()
        when = draw.moment(number)
        head = [
            f"From list@example.org {when.strftime('%a %b %e %H:%M:%S %Y')}",
            f"From: {person} <{person.split()[0].lower()}@example.org>",
            "To: list@example.org",
            f"Date: {when.strftime('%a, %d %b %Y %H:%M:%S +0000')}",
            f"Subject: {draw.words(6)}",
        ]
        body = [draw.paragraph(3) for _ in range(draw.randint(1, 4))]
        body = [f">{line}" if line.startswith("From ") else line for line in body]
        if draw.random() < 0.8:
            return "\n".join([*head, "", *body, ""])
        mark = draw.token(20)
        lines = [draw.token(76) for _ in range(20)]
        file = f'Content-Disposition: attachment; filename="{draw.name()}.pdf"'
        parts = [f"--{mark}", "Content-Type: text/plain", "", *body, f"--{mark}", file, "", *lines, f"--{mark}--", ""]
        return "\n".join([*head, f'Content-Type: multipart/mixed; boundary="{mark}"', "", *parts])

    return grow_lines(size, mail)


@shape("text", 150 * KB, 2 * MB)
def http_messages(size: int) -> str:
    """Make raw requests with their responses, whose bodies are markup."""
    draw = Sampler(129)

    def exchange(number: int) -> str:
        lines = [
            f"{draw.choice(['GET', 'POST'])} /{draw.name(2, '/')}/{number} HTTP/1.1",
            "Host: example.org",
            f"User-Agent: {draw.name()}/1.0",
            "",
            f"HTTP/1.1 {draw.choice(['200 OK', '404 Not Found', '500 Internal Server Error'])}",
            "Content-Type: text/html",
            f"X-Request-Id: {draw.uuid()}",
            "",
            *(f"<p>{draw.paragraph(2)}</p>" for _ in range(draw.randint(1, 8))),
        ]
        return "\n".join(lines)

    return grow_lines(size, exchange)


def _order(draw: Sampler, number: int) -> tuple[Any, ...]:
    state = draw.choice(["open", "paid", "sent"])
    return (
        number,
        draw.randrange(900),
        state,
        draw.stamp(number),
        draw.randrange(90_000),
        draw.sentence().replace("'", ""),
    )


@shape("text", 150 * KB, 2 * MB)
def copied_rows(size: int) -> str:
    """Make a dump of a database whose rows stand between tabs."""
    draw = Sampler(126)
    table = "CREATE TABLE public.{} (\n    id integer NOT NULL,\n    {}\n);\n"
    orders = "user_id integer,\n    state text,\n    made timestamp,\n    amount integer,\n    note text"
    head = table.format("users", "name text") + table.format("orders", orders)
    users = "".join(f"{number}\t{draw.person()}\n" for number in range(300))
    rows = grow_lines(size, lambda number: "\t".join(map(str, _order(draw, number))))
    return (
        f"{head}\nCOPY public.users (id, name) FROM stdin;\n{users}\\.\n\n"
        f"COPY public.orders (id, user_id, state, made, amount, note) FROM stdin;\n{rows}\\.\n"
    )


def _inserted(size: int, seed: int, join: Callable[[list[str]], str]) -> str:
    draw = Sampler(seed)
    columns = "(id int, user_id int, state varchar(20), made text, amount int, note text)"
    rows = grow_lines(size, lambda number: str(_order(draw, number)).replace('"', "'")).splitlines()
    return f"CREATE TABLE orders {columns};\nCREATE TABLE users (id int, name text);\n{join(rows)}"


@shape("text", 150 * KB, 2 * MB)
def inserted_rows(size: int) -> str:
    """Make a dump with one statement a row."""
    return _inserted(size, 127, lambda rows: "".join(f"INSERT INTO orders VALUES{row};\n" for row in rows))


@shape("text", 150 * KB, 2 * MB)
def inserted_at_once(size: int) -> str:
    """Make a dump with hundreds of rows in each statement, all on one line."""

    def join(rows: list[str]) -> str:
        groups = [rows[at : at + 500] for at in range(0, len(rows), 500)]
        return "".join(f"INSERT INTO orders VALUES {','.join(group)};\n" for group in groups)

    return _inserted(size, 128, join)
