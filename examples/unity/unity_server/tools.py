"""The tools that a client can call. Every tool only reads; what is too large to show is held by Penstock."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastmcp.tools.base import ToolResult  # noqa: TC002
from pydantic import Field

from server_parts.answers import as_json, texts
from server_parts.complaints import raises_tool_errors, wrong
from unity_server.console import Kind, read_log
from unity_server.details import details

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from fastmcp import FastMCP

    from unity_server.project import Project
    from unity_server.scene import GameObject, Scene

SceneName = Annotated[
    str | None,
    Field(max_length=4_096, description="Scene: path in the project, or its name. Left out: the scene that is open.",
          examples=["Assets/Scenes/Menu.unity"]),
]  # fmt: skip
SceneAction = Annotated[
    Literal["get_hierarchy", "get_info"],
    Field(description="get_hierarchy: the objects. get_info: counts, and the scenes there are.", examples=["get_info"]),
]
ObjectPath = Annotated[
    str | None,
    Field(min_length=1, max_length=10_000, description="get_hierarchy: only this object and all below it.",
          examples=["/Main Camera"]),
]  # fmt: skip
Depth = Annotated[
    int | None, Field(ge=1, le=1_000, description="get_hierarchy: so many levels of the tree.", examples=[2])
]
ObjectAction = Annotated[
    Literal["find", "get"],
    Field(description="find: objects by search_term. get: all about the one that target names.", examples=["find"]),
]
Method = Annotated[
    Literal["by_name", "by_tag", "by_component"], Field(description="find: what to look at.", examples=["by_component"])
]
Term = Annotated[
    str | None,
    Field(min_length=1, max_length=1_000, description="find: the whole name; * and ? stand for anything.",
          examples=["*Collider"]),
]  # fmt: skip
Target = Annotated[
    str | None,
    Field(min_length=1, max_length=10_000, description="get: fileID, path or name.", examples=["/Main Camera"]),
]
Inactive = Annotated[bool, Field(description="find: also objects that are switched off.", examples=[True])]
Types = Annotated[
    list[Kind] | None, Field(description="Only these types. Left out: all.", examples=[["error", "exception"]])
]
Count = Annotated[int | None, Field(ge=1, le=1_000_000, description="Only so many, the newest.", examples=[50])]
Filter = Annotated[
    str | None,
    Field(min_length=1, max_length=1_000, description="Only entries with this text.", examples=["NullReference"]),
]
Stack = Annotated[bool, Field(description="false: leave out stack traces.", examples=[False])]

READS: Final = {"readOnlyHint": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The objects that the tools share."""

    project: Project
    log: Path


def add_tools(mcp: FastMCP[Any], parts: Parts) -> None:
    """Add them to a server."""
    project = parts.project

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def manage_scene(
        action: SceneAction, scene: SceneName = None, path: ObjectPath = None, max_depth: Depth = None
    ) -> ToolResult:
        """Read a scene: the objects of its tree, in order (get_hierarchy), or what is in it (get_info).

        `hierarchy` is one list, parents before their children: fileID, name, path, parentID, depth, activeSelf, tag,
        layer, componentNames, childCount. Large ones are held: filter or page them with fetch_cached_response.
        Example: {"action": "get_hierarchy", "path": "/Terrain", "max_depth": 2}
        """
        read = project.scene(scene, "scene")
        if action == "get_info":
            return _answer(_info(project, read))
        top = None if path is None else read.one(path, "path")
        rows = [one.row() for one in read.under(top, max_depth)]
        return _answer({"scene": read.path, "total": len(rows), "hierarchy": rows, **_warned(read)})

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def manage_gameobject(  # noqa: PLR0917  (the arguments of a call are always named)
        action: ObjectAction,
        search_method: Method = "by_name",
        search_term: Term = None,
        target: Target = None,
        scene: SceneName = None,
        search_inactive: Inactive = True,
    ) -> ToolResult:
        """Find objects of a scene by name, tag or component, or get one with the fields of its components.

        Examples: {"action": "find", "search_method": "by_component", "search_term": "*Collider"}
        {"action": "get", "target": "/Main Camera"}
        """
        if action == "get":
            if target is None:
                raise wrong("target", "the fileID, path or name of the object to get", target, "/Main Camera")
            read = project.scene(scene, "scene")
            return _answer({"scene": read.path, "gameObject": details(read, read.one(target, "target"))})
        if search_term is None:
            raise wrong("search_term", "what to find", search_term, "*Collider")
        read = project.scene(scene, "scene")
        fits = _matching(search_method, search_term)
        objects = [one for one in read.objects.values() if (search_inactive or one.active_in_hierarchy) and fits(one)]
        answer = {"scene": read.path, "search_method": search_method, "search_term": search_term, "total": len(objects)}
        near = {} if objects else _near(read, search_method, search_term)
        return _answer({**answer, "gameObjects": [one.row() for one in objects], **near, **_warned(read)})

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def read_console(
        types: Types = None, count: Count = None, filter_text: Filter = None, include_stacktrace: Stack = True
    ) -> ToolResult:
        """Read the editor's console from its log: what scripts, compiler and engine reported, newest first.

        `counts` is of all entries of the log, whatever is asked for.
        Example: {"types": ["error", "exception"], "count": 20, "include_stacktrace": false}
        """
        console = read_log(parts.log)
        small = None if filter_text is None else filter_text.lower()
        chosen = [
            one
            for one in reversed(console.entries)
            if (types is None or one.kind in types)
            and (small is None or small in one.message.lower() or small in one.stack.lower())
        ]
        entries = chosen if count is None else chosen[:count]
        skipped = {"skippedBytes": console.skipped} if console.skipped else {}
        return _answer(
            {
                "log": parts.log.name,
                "counts": dict(Counter(one.kind for one in console.entries)),
                "total": len(chosen),
                **skipped,
                "entries": [one.row(with_stack=include_stacktrace) for one in entries],
            }
        )


def _matching(method: str, term: str) -> Callable[[GameObject], bool]:
    pattern = _glob(term).fullmatch
    if method == "by_name":
        return lambda one: pattern(one.name) is not None
    if method == "by_tag":
        return lambda one: pattern(one.tag) is not None
    return lambda one: any(pattern(name) for name in one.components)


def _near(scene: Scene, method: str, term: str) -> dict[str, list[str]]:
    """Suggest the names, tags or components of a scene that may have been meant by a term that matches none."""
    of_method: dict[str, Callable[[GameObject], Iterable[str]]] = {
        "by_name": lambda one: (one.name,),
        "by_tag": lambda one: (one.tag,),
        "by_component": lambda one: one.components,
    }
    known = {name.lower(): name for one in scene.objects.values() for name in of_method[method](one)}
    near = get_close_matches(term.lower(), known, 3)
    return {"didYouMean": [known[name] for name in near]} if near else {}


def _glob(term: str) -> re.Pattern[str]:
    """Compile a term. Each part between two stars is taken where it comes first and never tried elsewhere, which finds
    the same and takes no longer for many stars."""
    first, *others = (re.escape(part).replace(r"\?", ".") for part in term.split("*"))
    middle = "".join(f"(?>.*?{part})" for part in others[:-1])
    return re.compile(first + middle + "".join(f".*{last}" for last in others[-1:]), re.DOTALL)


def _info(project: Project, scene: Scene) -> dict[str, Any]:
    objects = scene.objects.values()
    built = project.built_scenes()
    return {
        "scene": {
            "path": scene.path,
            "isOpen": scene.path == project.open_scene(),
            "buildIndex": built.index(scene.path) if scene.path in built else -1,
            "documents": len(scene.documents),
            "gameObjects": len(objects),
            "rootCount": sum(one.parent is None for one in objects),
            "prefabInstances": sum(one.prefab is not None for one in objects),
            "inactive": sum(not one.active_in_hierarchy for one in objects),
            "maxDepth": max((one.depth for one in objects), default=0),
            "tags": dict(Counter(one.tag for one in objects).most_common()),
            "components": dict(Counter(name for one in objects for name in one.components).most_common()),
            **_warned(scene),
        },
        "unityVersion": project.version(),
        "scenes": project.scenes(),
    }


def _warned(scene: Scene) -> dict[str, Any]:
    return {"warnings": list(scene.warnings)} if scene.warnings else {}


def _answer(fields: dict[str, Any]) -> ToolResult:
    return texts(as_json({"success": True, **fields}))
