"""Text of one entry a line: logs, delimited tables, listings of files."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from bench.shapes.registry import KB, MB, shape
from bench.shapes.sampler import FOLDERS, NAMES, Sampler, grow_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

AGENTS: Final = ("Heron/4.0 (X11; Linux x86_64)", "osprey-bot/2.1 (+https://bots.example)", "curl/8.5.0", "-")


def written_row(cells: Iterable[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue()


@shape("text", 100 * KB, 1 * MB, 6 * MB)
def service_log(size: int) -> str:
    """Make a service's log with levels, where an error is followed by its stack trace."""
    draw = Sampler(81)

    def trace() -> list[str]:
        frames = [f'  File "/srv/{draw.path()}", line {draw.randrange(900)}' for _ in range(draw.randint(2, 9))]
        calls = [f"{frame}, in {draw.identifier()}\n    {draw.identifier()}()" for frame in frames]
        return ["Traceback (most recent call last):", *calls, f"ValueError: {draw.words(6)}"]

    def entry(number: int) -> str:
        level = draw.choices(["DEBUG", "INFO", "WARNING", "ERROR"], [25, 65, 7, 3])[0]
        stamp = draw.moment(number, 0.7).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
        where = f"{draw.choice(FOLDERS)}.{draw.choice(FOLDERS)}"
        text = f"{stamp} {level:<7} [{where}] request_id={draw.hex(8)} {draw.sentence()}"
        return "\n".join([text, *trace()]) if level == "ERROR" else text

    return grow_lines(size, entry)


@shape("text", 200 * KB, 3 * MB)
def access_log(size: int) -> str:
    """Make a web server's log in the combined format."""
    draw = Sampler(82)

    def entry(number: int) -> str:
        time = draw.moment(number, 0.3).strftime("%d/%b/%Y:%H:%M:%S +0000")
        request = (
            f"{draw.choice(['GET', 'GET', 'GET', 'POST'])} /{draw.name(2, '/')}?page={draw.randrange(90)} HTTP/1.1"
        )
        status = draw.choices([200, 304, 404, 500], [80, 10, 8, 2])[0]
        agent = draw.choice(AGENTS)
        return f'{draw.address()} - - [{time}] "{request}" {status} {draw.randrange(90_000)} "-" "{agent}"'

    return grow_lines(size, entry)


@shape("text", 200 * KB, 2 * MB)
def csv_quoted(size: int) -> str:
    """Make a table with quotes, commas and line ends inside its cells."""
    draw = Sampler(83)

    def row(number: int) -> str:
        if number == 0:
            return "id,subject,reporter,tags,body,created"
        body = draw.sentence() if draw.random() < 0.6 else f'{draw.sentence()}\n"{draw.words(4)}", {draw.sentence()}\n'
        tags = ", ".join(draw.some(NAMES, 4))
        return written_row([number, draw.sentence(), draw.person(), tags, body, draw.stamp(number)])

    return grow_lines(size, row)


@shape("text", 200 * KB, 4 * MB)
def csv_numbers(size: int) -> str:
    """Make a table of measurements: a time and eleven numbers a row."""
    draw = Sampler(84)

    def row(number: int) -> str:
        if number == 0:
            return ",".join(["time", *(f"{name}_mean" for name in NAMES[:11])])
        return ",".join([draw.stamp(number), *(f"{draw.gauss(20, 6):.4f}" for _ in range(11))])

    return grow_lines(size, row)


@shape("text", 200 * KB, 2 * MB)
def tsv_without_header(size: int) -> str:
    """Make tab-separated rows that begin with data, some cells empty."""
    draw = Sampler(85)

    def row(number: int) -> str:
        cells = (draw.uuid(), draw.person(), draw.maybe(draw.words(3)), number, draw.stamp(number), draw.choice(NAMES))
        return "\t".join("" if cell is None else str(cell) for cell in cells)

    return grow_lines(size, row)


@shape("text", 100 * KB, 2 * MB)
def find_listing(size: int) -> str:
    """Make the paths that ``find`` prints, folder by folder."""
    draw = Sampler(86)

    def folder(_: int) -> str:
        place = f"./{draw.choice(FOLDERS)}/{draw.name(2, '/')}/{draw.identifier()}"
        names = {
            f"{draw.identifier()}.{draw.choice(['py', 'ts', 'json', 'md', 'png'])}" for _ in range(draw.randint(1, 25))
        }
        return "\n".join([place, *(f"{place}/{name}" for name in sorted(names))])

    return grow_lines(size, folder)


@shape("text", 150 * KB, 2 * MB)
def ls_recursive(size: int) -> str:
    """Make the blocks that ``ls -lR`` prints."""
    draw = Sampler(87)

    def file() -> str:
        kind = draw.choice(["-rw-r--r--", "-rw-r--r--", "-rwxr-xr-x", "drwxr-xr-x"])
        day = draw.moment(draw.randrange(9_000), 1_800).strftime("%b %e %H:%M")
        return f"{kind} 1 {draw.choice(NAMES):<8} staff {draw.randrange(10**7):>9} {day} {draw.identifier()}.py"

    def folder(_: int) -> str:
        files = [file() for _ in range(draw.randint(1, 25))]
        return "\n".join([f"./{draw.name(3, '/')}:", f"total {4 * len(files)}", *files, ""])

    return grow_lines(size, folder)


@shape("text", 200 * KB, 1 * MB)
def metrics_page(size: int) -> str:
    """Make a page of metrics in the exposition format: a help line, a type line, samples with labels."""
    draw = Sampler(88)

    def family(number: int) -> str:
        name = f"{draw.identifier()}_{number}_total"
        labels = [f'{{host="{draw.name()}",code="{draw.choice([200, 404, 500])}"}}' for _ in range(draw.randint(1, 12))]
        samples = [f"{name}{label} {draw.random() * 10**6:.3f}" for label in labels]
        return "\n".join([f"# HELP {name} {draw.sentence()}", f"# TYPE {name} counter", *samples])

    return grow_lines(size, family)
