"""A Unity project: an island with a few villages on it, and the log of a day's work.

Made of numbers alone, so that it is the same on every machine.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from tests.kit.examples.samples.files import write_files
from tests.kit.examples.samples.unity_log import log_text
from tests.kit.examples.samples.unity_prefabs import make_prefabs
from tests.kit.examples.samples.unity_scene import HEADER, Writer, island, menu

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OBJECTS: Final = 20_000
ISLAND: Final = "Assets/Scenes/Island.unity"
MENU: Final = "Assets/Scenes/Menu.unity"
SCRIPTS: Final = ("SpawnPoint", "DayCycle", "Villager", "MenuButton", "Lantern")


def make_sample(folder: Path, objects: int = OBJECTS) -> None:
    """Write the sample to a folder."""
    write_files(folder, _files(objects))


def guid_of(path: str) -> str:
    """Return the guid that the sample gives to a file."""
    return hashlib.md5(path.encode(), usedforsecurity=False).hexdigest()


def _files(objects: int) -> Iterator[tuple[str, str]]:
    scripts = {name: guid_of(f"Assets/Scripts/{name}.cs") for name in SCRIPTS}
    for name in SCRIPTS:
        path = f"Assets/Scripts/{name}.cs"
        yield path, f"using UnityEngine;\n\npublic class {name} : MonoBehaviour\n{{\n}}\n"
        yield f"{path}.meta", _meta(path, "MonoImporter")
    prefabs = make_prefabs(scripts, guid_of)
    for path, text in prefabs.texts.items():
        yield path, text
        yield f"{path}.meta", _meta(path, "PrefabImporter")
    yield ISLAND, island(Writer(scripts), prefabs.lantern, objects)
    yield f"{ISLAND}.meta", _meta(ISLAND, "DefaultImporter")
    yield MENU, menu(Writer(scripts), prefabs)
    yield f"{MENU}.meta", _meta(MENU, "DefaultImporter")
    scenes = "".join(f"  - enabled: 1\n    path: {path}\n    guid: {guid_of(path)}\n" for path in (MENU, ISLAND))
    build = "--- !u!1045 &1\nEditorBuildSettings:\n  m_ObjectHideFlags: 0\n  serializedVersion: 2\n  m_Scenes:\n"
    yield "ProjectSettings/EditorBuildSettings.asset", f"{HEADER}{build}{scenes}  m_configObjects: {{}}\n"
    yield "ProjectSettings/ProjectVersion.txt", "m_EditorVersion: 2022.3.20f1\n"
    setup = f"sceneSetups:\n- path: {ISLAND}\n  isLoaded: 1\n  isActive: 1\n  isSubScene: 0\n"
    yield "Library/LastSceneManagerSetup.txt", setup
    yield "Logs/Editor.log", log_text()


def _meta(path: str, importer: str) -> str:
    return f"fileFormatVersion: 2\nguid: {guid_of(path)}\n{importer}:\n  externalObjects: {{}}\n  userData: \n"
