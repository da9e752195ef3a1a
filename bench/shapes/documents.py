"""Text that people or browsers read: prose, Markdown, markup, a snapshot of a page, manifests."""

from __future__ import annotations

from bench.shapes.registry import KB, MB, shape
from bench.shapes.sampler import NAMES, Sampler, grow_lines


@shape("text", 150 * KB, 2 * MB)
def prose(size: int) -> str:
    """Make paragraphs, each on one line."""
    draw = Sampler(91)
    return grow_lines(size, lambda _: draw.paragraph(draw.randint(2, 12)) + "\n")


@shape("text", 150 * KB, 2 * MB)
def markdown(size: int) -> str:
    """Make a manual: headings of three levels, lists, tables, fenced code, links."""
    draw = Sampler(92)

    def section(number: int) -> str:
        heading = f"{'#' * (1 + number % 3)} {draw.words(3).title()}"
        items = "\n".join(f"- **{draw.words(1)}**: {draw.sentence()}" for _ in range(draw.randint(2, 9)))
        rows = "\n".join(f"| `{draw.identifier()}` | {draw.words(4)} | {draw.randrange(99)} |" for _ in range(6))
        code = f"```python\n{draw.identifier()} = {draw.identifier()}({draw.randrange(9)})\n```"
        table = f"| name | meaning | default |\n|---|---|---|\n{rows}"
        link = f"See [{draw.words(2)}](https://docs.example/{draw.name()})."
        parts = [items, code, table, link, draw.paragraph(4)]
        return "\n\n".join([heading, draw.paragraph(3), *draw.sample(parts, draw.randint(1, 4))]) + "\n"

    return grow_lines(size, section)


@shape("text", 100 * KB, 1 * MB)
def accessibility_snapshot(size: int) -> str:
    """Make a page as a browser's accessibility tree prints it: roles, names and references, indented."""
    draw = Sampler(93)
    references = iter(range(10**9))

    def line(depth: int, role: str, name: str, rest: str = "") -> str:
        return f'{"  " * depth}- {role} "{name}" [ref=e{next(references)}]{rest}'

    def entry(depth: int) -> list[str]:
        heading = line(depth + 1, "heading", draw.words(4), " [level=3]:")
        link = [line(depth + 1, "link", draw.words(3), ":"), f"{'  ' * (depth + 2)}- /url: /{draw.name(2, '/')}"]
        buttons = [line(depth + 1, "button", draw.words(1)) for _ in range(draw.randrange(4))]
        text = f"{'  ' * (depth + 1)}- text: {draw.sentence()}"
        return [f"{'  ' * depth}- listitem [ref=e{next(references)}]:", heading, *link, *buttons, text]

    def region(_: int) -> str:
        entries = [row for _ in range(draw.randint(2, 12)) for row in entry(3)]
        return "\n".join([line(1, "region", draw.words(2), ":"), f"    - list [ref=e{next(references)}]:", *entries])

    return '- document "Harbour" [ref=e0]:\n' + grow_lines(size, region)


@shape("text", 150 * KB, 2 * MB)
def yaml_manifests(size: int) -> str:
    """Make manifests in YAML, one document after the other."""
    draw = Sampler(94)

    def manifest(number: int) -> str:
        name = f"{draw.name()}-{number}"
        variables = [f"        - name: {draw.identifier().upper()}\n          value: {draw.name()}" for _ in range(5)]
        head = (
            f"---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  namespace: {draw.choice(NAMES)}"
        )
        spec = (
            f"spec:\n  replicas: {draw.randrange(9)}\n  template:\n    spec:\n      containers:\n      - name: {name}"
        )
        return "\n".join(
            [head, spec, f"        image: registry.example/{name}:{draw.version()}", "        env:", *variables]
        )

    return grow_lines(size, manifest)


@shape("text", 200 * KB, 2 * MB)
def xml_test_report(size: int) -> str:
    """Make a report of tests in XML: suites, cases, some failures with their output."""
    draw = Sampler(95)

    def case() -> str:
        name = f'classname="tests.{draw.name(2, ".")}" name="test_{draw.identifier()}"'
        head = f'    <testcase {name} time="{draw.random():.3f}"'
        if draw.random() < 0.9:
            return f"{head}/>"
        return f'{head}>\n      <failure message="{draw.sentence()}">{draw.paragraph(4)}</failure>\n    </testcase>'

    def suite(number: int) -> str:
        cases = [case() for _ in range(draw.randint(5, 40))]
        return "\n".join(
            [f'  <testsuite name="{draw.name()}" id="{number}" tests="{len(cases)}">', *cases, "  </testsuite>"]
        )

    return f'<?xml version="1.0"?>\n<testsuites>\n{grow_lines(size, suite)}</testsuites>\n'


@shape("text", 200 * KB, 2 * MB)
def html_page(size: int) -> str:
    """Make a page of HTML: a style sheet, then cards with classes, links and paragraphs."""
    draw = Sampler(96)
    style = "\n".join(f".{name} {{ margin: {draw.randrange(9)}px; color: #{draw.hex(6)}; }}" for name in NAMES)

    def card(_: int) -> str:
        link = f'<a class="{draw.name()} {draw.name()}" href="/{draw.name(3, "/")}">{draw.words(4)}</a>'
        return f'<div class="card {draw.name()}" id="{draw.token(8)}"><h3>{link}</h3>\n<p>{draw.paragraph(2)}</p></div>'

    head = f"<!doctype html>\n<html><head><style>\n{style}\n</style></head>"
    return f"{head}<body>\n{grow_lines(size, card)}</body></html>\n"
