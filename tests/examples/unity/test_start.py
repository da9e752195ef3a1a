"""The settings, and what other files of a project say."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from tests.kit.examples.unity_scenes import HEADER, LAMP, instance, thing

from penstock import load
from unity_server import assets
from unity_server.app import CONFIG, find_log
from unity_server.project import KEPT, Project

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def write_prefab(folder: Path, name: str, guid: str, text: str) -> None:
    (folder / "Assets" / f"{name}.prefab").write_text(HEADER + text)
    (folder / "Assets" / f"{name}.prefab.meta").write_text(f"fileFormatVersion: 2\nguid: {guid}\n")


def test_the_shipped_settings_are_the_thresholds_of_the_specification() -> None:
    settings = load(CONFIG)
    assert (settings.max_tokens, settings.ttl, settings.store) == (20_000, 1_800, "memory:")


def test_the_log_of_the_project_comes_before_that_of_the_user(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    theirs = tmp_path / "home/.config/unity3d/Editor.log"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("")
    assert find_log(folder) == folder / "Logs/Editor.log"
    (folder / "Logs/Editor.log").unlink()
    assert find_log(folder) == theirs
    theirs.unlink()
    assert find_log(folder) == folder / "Logs/Editor.log"


def test_without_an_open_scene_the_first_that_is_built_is_read(folder: Path) -> None:
    (folder / "Assets/Main.unity").write_text(HEADER + thing(10, "Main"))
    (folder / "ProjectSettings").mkdir()
    (folder / "ProjectSettings/EditorBuildSettings.asset").write_text(
        "EditorBuildSettings:\n  m_Scenes:\n  - enabled: 0\n    path: Assets/Off.unity\n"
        "  - enabled: 1\n    path: Assets/Main.unity\n    guid: 0\n"
    )
    project = Project(folder)
    assert project.scene(None, "scene").path == project.open_scene() == "Assets/Main.unity"
    assert project.version() is None
    (folder / "Library").mkdir()
    setup = (
        "sceneSetups:\n- path: Assets/Main.unity\n  isLoaded: 1\n  isActive: 0\n- path: Assets/B.unity\n  isActive: 1\n"
    )
    (folder / "Library/LastSceneManagerSetup.txt").write_text(setup)
    assert project.open_scene() == "Assets/B.unity"


def test_a_variant_of_a_prefab_takes_from_what_it_is_made_of(folder: Path) -> None:
    write_prefab(folder, "Lamp", LAMP, thing(50, "Lamp"))
    write_prefab(folder, "Red Lamp", "b" * 32, instance(60, 0, {"m_Name": "Red"}, target=50))
    (folder / "Assets/Main.unity").write_text(HEADER + instance(10, 0, {}, guid="b" * 32))
    (one,) = Project(folder).scene("Main", "scene").objects.values()
    assert (one.name, one.components, one.prefab) == ("Red", ("Transform",), "Assets/Red Lamp.prefab")


def test_prefabs_that_are_made_of_each_other_come_to_an_end(folder: Path) -> None:
    write_prefab(folder, "A", "a" * 32, instance(60, 0, {}, guid="b" * 32))
    write_prefab(folder, "B", "b" * 32, instance(60, 0, {}, guid="a" * 32))
    (folder / "Assets/Main.unity").write_text(HEADER + instance(10, 0, {"m_Name": "Loop"}, guid="a" * 32))
    (one,) = Project(folder).scene("Main", "scene").objects.values()
    assert one.prefab == "Assets/A.prefab"


def test_a_prefab_that_comes_later_or_is_broken_is_known_when_the_scene_is_read_again(folder: Path) -> None:
    scene = folder / "Assets/Main.unity"
    scene.write_text(HEADER + instance(10, 0, {}))
    project = Project(folder)
    seen = [project.scene("Main", "scene").objects[10].name]
    for number, text in enumerate(("broken", thing(50, "Lamp"), thing(50, "Torch")), 1):
        write_prefab(folder, "Lamp", LAMP, text)
        for file in (scene, folder / "Assets/Lamp.prefab"):
            os.utime(file, (number, number))
        seen.append(project.scene("Main", "scene").objects[10].name)
    assert seen == ["Missing Prefab", "Lamp", "Lamp", "Torch"]


def test_guids_are_found_also_of_files_that_come_later_and_bad_meta_files_are_passed_over(folder: Path) -> None:
    (folder / "Assets/Bad.cs.meta").write_bytes(b"\xff\xfe")
    write_prefab(folder, "Lamp", LAMP, thing(50, "Lamp"))
    found = assets.ProjectAssets(folder)
    assert found.path_of(LAMP) == "Assets/Lamp.prefab"
    (folder / "Assets/New.cs.meta").write_text(f"guid: {'c' * 32}\n")
    assert (found.path_of("c" * 32), found.path_of("d" * 32)) == ("Assets/New.cs", None)


def test_only_the_scenes_that_were_read_last_are_kept(folder: Path) -> None:
    for number in range(KEPT + 1):
        (folder / f"Assets/{number}.unity").write_text(HEADER + thing(10, str(number)))
    project = Project(folder)
    first = [project.scene(str(number), "scene") for number in range(KEPT + 1)]
    again = [project.scene(str(number), "scene") for number in reversed(range(KEPT + 1))]
    kept = [one is other for one, other in zip(first, reversed(again), strict=True)]
    assert kept == [False] + [True] * KEPT


def test_a_scene_is_read_again_when_it_has_changed(folder: Path) -> None:
    file = folder / "Assets/Main.unity"
    file.write_text(HEADER + thing(10, "Quit"))
    project = Project(folder)
    before = project.scene("Main", "scene")
    assert project.scene("Main", "scene") is before
    file.write_text(HEADER + thing(10, "Leave"))
    assert [one.name for one in project.scene("Main", "scene").objects.values()] == ["Leave"]
