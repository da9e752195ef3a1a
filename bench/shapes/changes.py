"""Text about source code: the code itself, its history and diffs, matches and findings in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.shapes.registry import KB, MB, shape
from bench.shapes.sampler import Sampler, grow_lines

if TYPE_CHECKING:
    from datetime import datetime


def code_line(draw: Sampler) -> str:
    first, second, third = draw.identifier(), draw.identifier(), draw.identifier()
    return draw.choice(
        [
            f"{first} = self.{second}({third}, limit={draw.randrange(500)})",
            f"if {first} is None or not {second}:",
            f"return {first}.{second}[{third}]",
            f'raise ValueError(f"{draw.words(4)}: {{{first}}}")',
            f"for {first} in {second}.{third}():",
            f"# {draw.sentence()}",
            f'{first}: dict[str, {second.title()}] = {{"{third}": {draw.randrange(9)}}}',
            "",
        ]
    )


def source_lines(draw: Sampler, number: int) -> list[str]:
    return [f"{'    ' * draw.randint(1, 3)}{code_line(draw)}".rstrip() for _ in range(number)]


def hunk(draw: Sampler, at: int) -> str:
    marks = [draw.choices(" +-", [6, 3, 2])[0] for _ in range(draw.randint(6, 30))]
    before, after = sum(mark != "+" for mark in marks), sum(mark != "-" for mark in marks)
    lines = [mark + line for mark, line in zip(marks, source_lines(draw, len(marks)), strict=True)]
    return "\n".join([f"@@ -{at},{before} +{at + 2},{after} @@ def {draw.identifier()}(self):", *lines])


def file_diff(draw: Sampler, path: str, hunks: int) -> str:
    """Write the unified diff of one file, as git does."""
    head = f"diff --git a/{path} b/{path}\nindex {draw.hex(9)}..{draw.hex(9)} 100644\n--- a/{path}\n+++ b/{path}"
    return "\n".join([head, *(hunk(draw, 10 + 90 * number) for number in range(hunks))])


def git_date(moment: datetime) -> str:
    return moment.strftime("%a %b %d %H:%M:%S %Y +0000")


def commit(draw: Sampler, number: int) -> str:
    person = draw.person()
    mail = person.lower().replace(" ", ".")
    body = "\n".join(f"    {draw.sentence()}" for _ in range(draw.randrange(5)))
    head = f"commit {draw.hex(40)}\nAuthor: {person} <{mail}@mail.example>\n"
    return f"{head}Date:   {git_date(draw.moment(20_000 - number, 3_000))}\n\n    {draw.sentence(3, 9)}\n\n{body}\n"


@shape("text", 150 * KB, 2 * MB)
def git_log(size: int) -> str:
    """Make a history with its messages."""
    draw = Sampler(71)
    return grow_lines(size, lambda number: commit(draw, number))


@shape("text", 300 * KB, 3 * MB)
def git_log_patches(size: int) -> str:
    """Make a history with the diff of every commit (``git log -p``)."""
    draw = Sampler(72)

    def entry(number: int) -> str:
        diffs = [file_diff(draw, draw.path(), draw.randint(1, 4)) for _ in range(draw.randint(1, 4))]
        return "\n".join([commit(draw, number), *diffs, ""])

    return grow_lines(size, entry)


@shape("text", 200 * KB, 3 * MB)
def unified_diff(size: int) -> str:
    """Make the diff of many files."""
    draw = Sampler(73)
    return grow_lines(size, lambda _: file_diff(draw, draw.path(), draw.randint(1, 9)))


@shape("text", 150 * KB, 2 * MB)
def grep_output(size: int) -> str:
    """Make matches as ``file:line:text``, many of one file together."""
    draw = Sampler(74)

    def matches(_: int) -> str:
        path = draw.path()
        numbers = sorted(draw.sample(range(1, 900), draw.randint(1, 9)))
        return "\n".join(f"{path}:{number}:    {code_line(draw) or 'pass'}" for number in numbers)

    return grow_lines(size, matches)


@shape("text", 150 * KB, 1 * MB)
def linter_output(size: int) -> str:
    """Make a linter's findings as ``file:line:column: CODE message``."""
    draw = Sampler(75)
    rules = [(f"{draw.choice('EFWBS')}{draw.randrange(100, 999)}", draw.sentence(4, 9)) for _ in range(80)]
    paths = [draw.path() for _ in range(500)]

    def finding(number: int) -> str:
        code, message = draw.choice(rules)
        place = f"{paths[number // 12 % 500]}:{draw.randrange(1, 900)}:{draw.randrange(1, 100)}"
        return f"{place}: {code} {message[:-1]} `{draw.identifier()}`"

    return grow_lines(size, finding)


@shape("text", 200 * KB, 2 * MB)
def source_code(size: int) -> str:
    """Make a module of classes and methods with comments and docstrings."""
    draw = Sampler(76)

    def method() -> str:
        head = f'    def {draw.identifier()}(self, {draw.identifier()}: int) -> None:\n        """{draw.sentence()}"""'
        return "\n".join([head, *(f"    {line}" for line in source_lines(draw, draw.randint(3, 18))), ""])

    def definition(number: int) -> str:
        methods = [method() for _ in range(draw.randint(1, 8))]
        return "\n".join([f"class {draw.identifier().title()}{number}:", f'    """{draw.sentence()}"""', "", *methods])

    return grow_lines(size, definition)
