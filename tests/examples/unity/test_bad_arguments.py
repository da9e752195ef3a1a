"""A bad argument is answered with its name, what was expected, and an example; broken files with the reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.examples.unity_client import Talk
from tests.kit.examples.unity_scenes import HEADER, thing

from penstock import CallerError
from unity_server.project import LARGEST, Project

if TYPE_CHECKING:
    from pathlib import Path

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("manage_scene", {}, "action"),
    ("manage_scene", {"action": "delete"}, "action"),
    ("manage_scene", {"action": "get_hierarchy", "max_depth": 0}, "max_depth"),
    ("manage_scene", {"action": "get_hierarchy", "max_depth": "deep"}, "max_depth"),
    ("manage_scene", {"action": "get_hierarchy", "path": "/Nowhere"}, "path"),
    ("manage_scene", {"action": "get_hierarchy", "path": ""}, "path"),
    ("manage_scene", {"action": "get_info", "scene": "Nowhere"}, "scene"),
    ("manage_scene", {"action": "get_info", "scene": "Assets/Nowhere.unity"}, "scene"),
    ("manage_scene", {"action": "get_info", "scene": "Assets/Scripts/Lantern.cs"}, "scene"),
    ("manage_scene", {"action": "get_info", "scene": "Assets/Scenes"}, "scene"),
    ("manage_scene", {"action": "get_info", "scene": ""}, "scene"),
    ("manage_gameobject", {"action": "find"}, "search_term"),
    ("manage_gameobject", {"action": "find", "search_term": ""}, "search_term"),
    ("manage_gameobject", {"action": "find", "search_term": "x", "search_method": "by_colour"}, "search_method"),
    ("manage_gameobject", {"action": "find", "search_term": "x", "search_inactive": "perhaps"}, "search_inactive"),
    ("manage_gameobject", {"action": "get"}, "target"),
    ("manage_gameobject", {"action": "get", "target": "/Villages/Village 99"}, "target"),
    ("manage_gameobject", {"action": "get", "target": "123456789012345678901234567890"}, "target"),
    ("manage_gameobject", {"action": "get", "target": "Door"}, "target"),
    ("manage_gameobject", {"action": "destroy", "target": "Door"}, "action"),
    ("read_console", {"types": ["fatal"]}, "types"),
    ("read_console", {"types": "error"}, "types"),
    ("read_console", {"count": 0}, "count"),
    ("read_console", {"filter_text": ""}, "filter_text"),
    ("read_console", {"include_stacktrace": 7}, "include_stacktrace"),
]
OUTSIDE = [
    "../Secret.unity",
    "Assets/../../Secret.unity",
    "/etc/passwd",
    "/etc/Secret.unity",
    "~/Secret.unity",
    "C:\\Secret.unity",
    "..\\Secret.unity",
    "Assets/.hidden/Secret.unity",
    "\uff0e\uff0e/Secret.unity",
    "Assets/a\x00b.unity",
    "Assets/\u202eytinu.unity",
    "Assets/" + "a" * 2_000 + ".unity",
    "Assets/" + "a" * 300 + ".unity",
]


@pytest.mark.parametrize(("tool", "arguments", "name"), BAD, ids=lambda value: json.dumps(value)[:60])
def test_a_bad_argument_is_named_with_what_was_expected_and_an_example(
    talk: Talk, tool: str, arguments: dict[str, Any], name: str
) -> None:
    talk.complains(tool, arguments, name)


def test_an_unknown_argument_is_answered_with_the_known_ones(talk: Talk) -> None:
    text = talk.refused("manage_scene", action="get_info", colour="red")
    assert "colour: no such argument; expected action or scene or path or max_depth" in text


@pytest.mark.parametrize("name", OUTSIDE, ids=lambda name: ascii(name)[:30])
def test_a_scene_outside_of_the_project_is_refused(talk: Talk, name: str) -> None:
    text = talk.refused("manage_scene", action="get_hierarchy", scene=name)
    assert text.startswith("scene: expected")
    assert 'for example {"scene": "Assets/Scenes/Island.unity"}' in text


def test_a_link_that_leads_out_of_the_project_is_refused(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "Secret.unity"
    outside.write_text(HEADER + thing(10, "Secret"))
    (folder / "Assets/Link.unity").symlink_to(outside)
    (folder / "Assets/Loop.unity").symlink_to("Loop.unity")
    project = Project(folder)
    with pytest.raises(CallerError, match="leads out of the project"):
        project.scene("Assets/Link.unity", "scene")
    with pytest.raises(CallerError, match="scene: expected"):
        project.scene("Assets/Loop.unity", "scene")


def test_broken_scenes_and_missing_logs_are_errors_and_the_server_goes_on(folder: Path) -> None:
    assets = folder / "Assets"
    (assets / "Good.unity").write_text(HEADER + thing(10, "Cube"))
    (assets / "Conflict.unity").write_text(f"{HEADER}{thing(10, 'A')}<<<<<<< HEAD\n{thing(20, 'B')}")
    (assets / "Binary.unity").write_bytes(bytes(range(256)))
    (assets / "Cut.unity").write_text((HEADER + thing(10, "A") + thing(20, "B", father=11))[:-10])
    before = sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*"))
    with Talk([str(folder)], cwd=folder) as talk:
        assert "line 16 is of a merge conflict" in talk.refused("manage_scene", action="get_info", scene="Conflict")
        assert "Force Text" in talk.refused("manage_gameobject", action="find", search_term="*", scene="Binary")
        assert "none is open: Assets/Binary.unity, " in talk.refused("manage_scene", action="get_hierarchy")
        assert talk.told("manage_scene", action="get_hierarchy", scene="Cut")["warnings"]
        assert talk.told("manage_scene", action="get_hierarchy", scene="Good")["total"] == 1
        assert sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*")) == before
        (folder / "Logs/Editor.log").unlink()
        assert "Editor.log cannot be read" in talk.refused("read_console")


def test_a_name_that_two_scenes_have_is_refused_with_their_paths(folder: Path) -> None:
    for name in ("A", "B"):
        (folder / "Assets" / name).mkdir()
        (folder / "Assets" / name / "Main.unity").write_text(HEADER + thing(10, name))
    with pytest.raises(CallerError, match=r"but 2 are called 'Main': Assets/A/Main.unity, Assets/B/Main.unity"):
        Project(folder).scene("Main", "scene")


def test_a_scene_that_is_too_large_to_read_is_refused(folder: Path) -> None:
    with (folder / "Assets/Huge.unity").open("wb") as file:
        file.truncate(LARGEST + 1)  # takes no space on the disk
    with pytest.raises(CallerError, match="268,435,457 bytes"):
        Project(folder).scene("Huge", "scene")
