"""Large documents that describe something: what browsers support, what an API takes and answers."""

from __future__ import annotations

from typing import Any, Final

from bench.shapes.registry import KB, MB, shape
from bench.shapes.sampler import Sampler, compact, grow, pretty

BROWSERS: Final = (
    "aster",
    "bluebell",
    "clover",
    "daisy",
    "edelweiss",
    "foxglove",
    "gentian",
    "heather",
    "ivy",
    "jasmine",
)
VERBS: Final = ("get", "post", "put", "patch", "delete")


@shape("json", 1 * MB, 4_500 * KB)
def browser_stats(size: int) -> str:
    """Make support tables: features by id, ``stats`` by browser, a letter by version; 400 versions a feature."""
    draw = Sampler(51)

    def versions(first: int) -> dict[str, str]:
        since = draw.randrange(5, 60)
        return {
            str(number): draw.choice(["y", "y", "y #1"]) if number >= since else draw.choice(["n", "n", "p", "a x #2"])
            for number in range(first, first + 40)
        }

    def feature(number: int) -> tuple[str, dict[str, Any]]:
        return f"{draw.name()}-{number}", {
            "title": draw.words(3),
            "description": draw.sentence(),
            "spec": f"https://spec.example/{draw.name()}/",
            "status": draw.choice(["rec", "cr", "wd", "other"]),
            "links": [{"url": f"https://docs.example/{draw.name()}", "title": draw.words(3)} for _ in range(2)],
            "categories": [draw.choice(["CSS", "JS API", "DOM"])],
            "stats": {browser: versions(1 + index) for index, browser in enumerate(BROWSERS)},
            "notes": "",
            "notes_by_num": {"1": draw.sentence(), "2": draw.sentence()},
            "usage_perc_y": round(draw.random() * 100, 2),
            "usage_perc_a": 0,
            "keywords": draw.words(4),
        }

    agents = {browser: {"browser": browser.title(), "prefix": "x", "version_list": []} for browser in BROWSERS}
    return compact({"eras": {}, "agents": agents, "data": dict(grow(size, feature))})


@shape("json", 500 * KB, 5 * MB)
def browser_support(size: int) -> str:
    """Make support data nested by interface, member and option, where a statement may be a map, an array or a word."""
    draw = Sampler(52)

    def statement() -> Any:
        plain = {"version_added": draw.choice([False, "preview", str(draw.randrange(120))])}
        noted = {**plain, "notes": draw.sentence(), "flags": [{"type": "preference", "name": draw.identifier()}]}
        return draw.choices([plain, "mirror", noted, [plain, {**plain, "prefix": "x-"}]], [70, 15, 8, 7])[0]

    def compat() -> dict[str, Any]:
        return {
            "docs_url": f"https://docs.example/{draw.name(3, '/')}",
            "source_file": f"api/{draw.name(1)}.json",
            "spec_url": draw.maybe(f"https://spec.example/#{draw.name()}"),
            "support": {browser: statement() for browser in BROWSERS},
            "status": {"experimental": False, "standard_track": True, "deprecated": draw.random() < 0.1},
        }

    def member(depth: int) -> dict[str, Any]:
        children = range(draw.randint(0, 9 - 3 * depth) if depth < 3 else 0)
        return {"__compat": compat(), **{f"{draw.identifier()}{child}": member(depth + 1) for child in children}}

    def interface(number: int) -> tuple[str, dict[str, Any]]:
        return f"{draw.identifier().title()}{number}", member(0)

    return compact({"api": dict(grow(size, interface))})


def schema_of(draw: Sampler, places: list[str], depth: int = 0) -> dict[str, Any]:
    """Draw a JSON schema that refers to ``places`` in the same document, at most four levels deep."""
    if depth > 3 or draw.random() < 0.3:
        plain = {"type": draw.choice(["string", "integer", "boolean"]), "description": draw.sentence()}
        return {**plain, "nullable": True} if draw.random() < 0.2 else plain
    if draw.random() < 0.35:
        return {"$ref": draw.choice(places)}
    if draw.random() < 0.3:
        return {"type": "array", "items": schema_of(draw, places, depth + 1)}
    properties = {draw.identifier(): schema_of(draw, places, depth + 1) for _ in range(draw.randint(1, 9))}
    return {"type": "object", "properties": properties, "required": draw.some(list(properties), 4)}


@shape("json", 400 * KB, 4 * MB)
def openapi(size: int) -> str:
    """Make an OpenAPI document: operations by path and verb, schemas that refer to each other."""
    draw = Sampler(53)
    names = [f"{draw.identifier().title().replace('_', '')}{number}" for number in range(size // 10_000)]
    places = [f"#/components/schemas/{name}" for name in names]

    def operation(path: str) -> dict[str, Any]:
        content = {"application/json": {"schema": schema_of(draw, places, 2)}}
        codes = draw.sample(["200", "201", "400", "401", "404", "422"], 3)
        parameters = [
            {"name": draw.identifier(), "in": draw.choice(["query", "path"]), "schema": {"type": "string"}}
            for _ in range(draw.randrange(6))
        ]
        return {
            "tags": [path.split("/")[1]],
            "operationId": f"{draw.identifier()}_{draw.hex(6)}",
            "summary": draw.sentence(),
            "description": draw.paragraph(2),
            "parameters": parameters,
            "responses": {code: {"description": draw.words(3), "content": content} for code in codes},
        }

    def route(number: int) -> tuple[str, dict[str, Any]]:
        path = f"/{draw.name(1)}/{{{draw.identifier()}}}/{draw.identifier()}{number}"
        return path, {verb: operation(path) for verb in VERBS[: draw.randint(1, 5)]}

    schemas = {name: {"type": "object", "properties": {"id": schema_of(draw, places)}} for name in names}
    used = len(compact(schemas))
    info = {"title": "Heron", "version": "2.1.0", "description": draw.paragraph(5)}
    paths = dict(grow(max(1, size - used), route))
    return compact({"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}})


@shape("json", 300 * KB, 2 * MB)
def json_schema(size: int) -> str:
    """Make a JSON schema with its definitions, pretty-printed, as a settings file refers to."""
    draw = Sampler(54)
    places = [f"#/$defs/def_{number}" for number in range(size // 2_000)]

    def definition(number: int) -> tuple[str, dict[str, Any]]:
        choices = {"oneOf": [schema_of(draw, places, 1) for _ in range(3)], "examples": [draw.words(2)]}
        return f"def_{number}", {"title": draw.words(2), "description": draw.paragraph(2), **choices}

    definitions = dict(grow(size, definition, pretty))
    return pretty({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "$defs": definitions})
