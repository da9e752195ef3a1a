"""Values nested to any depth: shapes on a map, syntax, scenes, conversations, a page's layout."""

from __future__ import annotations

from typing import Any, Final

from bench.shapes.registry import KB, MB, shape
from bench.shapes.sampler import Sampler, compact, grow, spaced

DEEPEST: Final = 24  # levels; what programs nest by hand or by their users' replies rarely goes further


@shape("json", 300 * KB, 4 * MB)
def geojson(size: int) -> str:
    """Make districts with polygons: a few properties and hundreds of coordinates each."""
    draw = Sampler(61)

    def ring(points: int) -> list[list[float]]:
        longitude, latitude = draw.uniform(-20, 40), draw.uniform(35, 65)
        corners = [
            [round(longitude + draw.random() / 9, 6), round(latitude + draw.random() / 9, 6)] for _ in range(points)
        ]
        return [*corners, corners[0]]

    def feature(number: int) -> dict[str, Any]:
        rings = [ring(draw.randint(8, 160)) for _ in range(draw.randint(1, 3))]
        many = draw.random() < 0.3
        geometry = {"type": "MultiPolygon" if many else "Polygon", "coordinates": [rings] if many else rings}
        properties = {"name": draw.words(2).title(), "code": f"D{number:04d}", "population": draw.randrange(10**6)}
        return {"type": "Feature", "id": number, "properties": properties, "geometry": geometry}

    return compact({"type": "FeatureCollection", "crs": None, "features": grow(size, feature)})


@shape("json", 500 * KB, 5 * MB)
def syntax_tree(size: int) -> str:
    """Make a program's syntax tree, where every node has its type and place and the fields of its type."""
    draw = Sampler(62)
    offset = 0

    def node(node_type: str, **fields: Any) -> dict[str, Any]:
        nonlocal offset
        start, offset = offset, offset + draw.randrange(12)
        return {"type": node_type, "start": start, "end": offset, **fields}

    def name() -> dict[str, Any]:
        return node("Identifier", name=draw.identifier())

    def expression(depth: int) -> dict[str, Any]:
        if depth > DEEPEST or draw.random() < 0.45:
            return name() if draw.random() < 0.6 else node("Literal", value=draw.randrange(99), raw="7")
        match draw.randrange(4):
            case 0:
                left, right = expression(depth + 1), expression(depth + 1)
                return node("BinaryExpression", left=left, operator=draw.choice("+-*/"), right=right)
            case 1:
                arguments = [expression(depth + 1) for _ in range(draw.randrange(3))]
                return node("CallExpression", callee=expression(depth + 1), arguments=arguments, optional=False)
            case 2:
                return node("MemberExpression", object=expression(depth + 1), property=name(), computed=False)
            case _:
                return node("ArrowFunctionExpression", params=[name()], body=expression(depth + 1), generator=False)

    def statement(depth: int) -> dict[str, Any]:
        if depth < DEEPEST and draw.random() < 0.25:
            body = node("BlockStatement", body=[statement(depth + 2) for _ in range(draw.randint(1, 4))])
            return node("IfStatement", test=expression(depth + 1), consequent=body, alternate=None)
        declared = node("VariableDeclarator", id=name(), init=expression(depth + 2))
        return node("VariableDeclaration", declarations=[declared], kind=draw.choice(["let", "const"]))

    def function(_: int) -> dict[str, Any]:
        body = node("BlockStatement", body=[statement(2) for _ in range(draw.randint(2, 12))])
        return node("FunctionDeclaration", id=name(), params=[name(), name()], body=body)

    return compact({"type": "Program", "start": 0, "body": grow(size, function), "sourceType": "module"})


@shape("json", 300 * KB, 3 * MB)
def scene_tree(size: int) -> str:
    """Make a scene: objects with a transform and components, each with its ``children``."""
    draw = Sampler(63)

    def component() -> dict[str, Any]:
        kind = draw.choice(["MeshRenderer", "BoxCollider", "Light", "AudioSource", "Script"])
        values = {draw.identifier(): round(draw.random(), 3) for _ in range(draw.randrange(5))}
        return {"type": kind, "enabled": True, "properties": values}

    def vector() -> dict[str, float]:
        return {axis: round(draw.uniform(-50, 50), 4) for axis in "xyz"}

    def thing(depth: int) -> dict[str, Any]:
        children = [thing(depth + 1) for _ in range(draw.choice([0, 0, 0, 1, 1, 4]) if depth < DEEPEST else 0)]
        return {
            "name": f"{draw.name(1)}_{draw.randrange(99)}",
            "instanceId": draw.randrange(-(10**6), 10**6),
            "active": draw.random() < 0.9,
            "transform": {"position": vector(), "rotation": vector(), "scale": {"x": 1, "y": 1, "z": 1}},
            "components": [component() for _ in range(draw.randrange(4))],
            "children": children,
        }

    return compact({"scene": "Harbour", "roots": grow(size, lambda _: thing(0))})


@shape("json", 200 * KB, 2 * MB)
def comment_forest(size: int) -> str:
    """Make a discussion: comments whose ``replies`` hold the same kind of listing again, or an empty string."""
    draw = Sampler(64)

    def listing(children: list[dict[str, Any]]) -> dict[str, Any]:
        return {"kind": "Listing", "data": {"after": None, "before": None, "children": children}}

    def comment(depth: int) -> dict[str, Any]:
        replies = [comment(depth + 1) for _ in range(draw.choice([0, 0, 1, 1, 2]) if depth < DEEPEST else 0)]
        data = {
            "id": draw.token(7),
            "author": draw.name(),
            "body": draw.paragraph(draw.randint(1, 5)),
            "score": draw.randrange(-20, 900),
            "created_utc": 1_767_600_000 + draw.randrange(10**6),
            "edited": False,
            "distinguished": None,
            "permalink": f"/d/{draw.token(7)}/{draw.name()}/",
            "depth": depth,
            "replies": listing(replies) if replies else "",
        }
        return {"kind": "comment", "data": data}

    return spaced([listing([comment(0)]), listing(grow(size, lambda _: comment(0), spaced))])


@shape("json", 300 * KB, 2 * MB)
def design_document(size: int) -> str:
    """Make a drawing's document: pages, frames and layers, whose fields depend on their type."""
    draw = Sampler(65)

    def box() -> dict[str, float]:
        return {side: round(draw.uniform(0, 2_000), 2) for side in ("x", "y", "width", "height")}

    def paint() -> dict[str, Any]:
        return {"blendMode": "NORMAL", "type": "SOLID", "color": {channel: draw.random() for channel in "rgba"}}

    def layer(depth: int) -> dict[str, Any]:
        kind = draw.choice(["FRAME", "GROUP", "TEXT", "VECTOR"]) if depth < 8 else "VECTOR"
        common = {"id": f"{draw.randrange(99)}:{draw.randrange(9_999)}", "name": draw.words(2), "type": kind}
        drawn = {"absoluteBoundingBox": box(), "fills": [paint()], "strokes": [], "effects": []}
        if kind == "TEXT":
            style = {"fontFamily": "Heron Sans", "fontSize": draw.randrange(8, 40), "lineHeightPx": draw.random() * 40}
            return {**common, **drawn, "characters": draw.sentence(), "style": style}
        if kind == "VECTOR":
            return {**common, **drawn, "strokeWeight": 1.0}
        return {**common, **drawn, "children": [layer(depth + 1) for _ in range(draw.randrange(5))]}

    def page(number: int) -> dict[str, Any]:
        frames = [layer(1) for _ in range(draw.randint(2, 20))]
        return {"id": f"0:{number}", "name": f"Page {number}", "type": "CANVAS", "children": frames}

    return compact({"document": {"id": "0:0", "type": "DOCUMENT", "children": grow(size, page)}, "version": "9"})
