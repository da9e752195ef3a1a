"""Instances of prefabs: what is inside them is listed, with what they change, remove and add; files that are broken,
missing or in a circle are told and never fatal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit.examples.unity_scenes import HEADER, LAMP, Files, NoAssets, instance, roots, stripped, thing

from penstock import CallerError
from unity_server import prefabs, tree
from unity_server.details import details
from unity_server.prefabs import computed_id
from unity_server.project import Project
from unity_server.tree import read_scene

if TYPE_CHECKING:
    from pathlib import Path

    from unity_server.scene import Scene

LIGHT = (
    "--- !u!108 &52\nLight:\n  m_GameObject: {fileID: 50}\n  m_Intensity: 1\n  m_Color: {r: 1, g: 1}\n"
    "  m_Flares:\n  - {fileID: 7}\n"
)
ROOT = thing(50, "Lamp", children=(61,), components="  - component: {fileID: 52}\n").replace("m_Layer: 0", "m_Layer: 3")
PREFAB = (
    ROOT.replace("Untagged", "Light")
    + LIGHT
    + thing(60, "Bulb", father=51, children=(71,))
    + thing(70, "Wire", father=61)
)
LAMPS = Files(**{LAMP: PREFAB})


def read(text: str, files: NoAssets = LAMPS) -> Scene:
    return read_scene("Test.unity", (HEADER + text).encode(), files)


def paths(scene: Scene) -> list[str]:
    return [one.path for one in scene.objects.values()]


def test_an_instance_takes_from_its_prefab_what_it_does_not_change() -> None:
    text = thing(10, "Yard", children=(31,)) + instance(30, 11, {"m_Name": "'My: lamp'", "m_IsActive": "0"})
    scene = read(text)
    one = scene.objects[30]
    assert (one.path, one.tag, one.layer, one.active) == ("/Yard/My: lamp", "Light", 3, False)
    assert (one.components, one.prefab) == (("Transform", "Light"), f"Assets/{LAMP}.prefab")
    assert paths(scene) == ["/Yard", "/Yard/My: lamp", "/Yard/My: lamp/Bulb", "/Yard/My: lamp/Bulb/Wire"]
    assert [one.active_in_hierarchy for one in scene.objects.values()] == [True, False, False, False]


def test_changes_of_what_lies_inside_of_a_prefab_are_made_there() -> None:
    scene = read(instance(30, 0, {"m_Name": "LED", "m_TagString": "New", "m_Layer": "7"}, target=60))
    assert paths(scene) == ["/Lamp", "/Lamp/LED", "/Lamp/LED/Wire"]
    assert [(one.tag, one.layer) for one in scene.objects.values()] == [("Light", 3), ("New", 7), ("Untagged", 0)]


def test_every_object_of_every_instance_has_an_id_of_its_own_and_is_found_by_it() -> None:
    scene = read(thing(10, "Top") + "".join(instance(number, 11, {}) for number in range(100, 160, 10)))
    assert len(scene.objects) == 1 + 6 * 3
    assert all(scene.one(row["fileID"], "target").row() == row for row in (one.row() for one in scene.objects.values()))


def test_fields_of_inherited_components_come_with_the_overrides_of_the_instance() -> None:
    changes = {"m_Intensity": "2.5", "m_Color.g": "0.5", "m_Flares.Array.data[1]": "", "m_Shape.x": "1"}
    scene = read(instance(30, 0, changes, target=52))
    light = details(scene, scene.objects[30])["components"][1]
    assert light["inherited"] == f"Assets/{LAMP}.prefab"
    assert light["properties"] == {"m_Intensity": 1, "m_Color": {"r": 1, "g": 1}, "m_Flares": [{"fileID": 7}]}
    assert light["overrides"] == changes


def test_removed_components_and_objects_are_gone() -> None:
    more = (
        "    m_RemovedComponents:\n    - {fileID: 52, guid: x}\n"
        "    m_RemovedGameObjects:\n    - {fileID: 60, guid: x,\n        type: 3}\n"
    )
    scene = read(instance(30, 0, {}, more=more))
    assert [(one.path, one.components) for one in scene.objects.values()] == [("/Lamp", ("Transform",))]


def test_what_a_scene_adds_to_an_instance_belongs_to_the_object_it_is_added_to() -> None:
    text = (
        instance(30, 0, {}) + stripped(32, "GameObject", 30, 60) + stripped(34, "Transform", 30, 61)
        + "--- !u!65 &33\nBoxCollider:\n  m_GameObject: {fileID: 32}\n  m_IsTrigger: 1\n"
        + thing(40, "Last", father=34) + thing(80, "Beside", father=31)
    )  # fmt: skip
    scene = read(text)
    assert paths(scene) == ["/Lamp", "/Lamp/Bulb", "/Lamp/Bulb/Wire", "/Lamp/Bulb/Last", "/Lamp/Beside"]
    bulb = scene.one("/Lamp/Bulb", "target")
    assert (bulb.file_id, bulb.components) == (32, ("Transform", "BoxCollider"))
    added = details(scene, bulb)["components"][1]
    assert added == {"fileID": "33", "type": "BoxCollider", "properties": {"m_IsTrigger": 1}}


def test_an_added_object_stands_where_the_instance_puts_it() -> None:
    more = (
        "    m_AddedGameObjects:\n    - targetCorrespondingSourceObject: {fileID: 51, guid: x,\n        type: 3}\n"
        "      insertIndex: 0\n      addedObject: {fileID: 41}\n"
    )
    scene = read(instance(30, 0, {}, more=more) + thing(40, "First", father=31))
    assert paths(scene) == ["/Lamp", "/Lamp/First", "/Lamp/Bulb", "/Lamp/Bulb/Wire"]


def test_roots_of_an_older_unity_stand_in_the_order_that_instances_give() -> None:
    text = thing(10, "Second") + "  m_RootOrder: 1\n" + instance(30, 0, {"m_RootOrder": "0"}, target=51)
    assert [one.path for one in read(text).objects.values() if one.parent is None] == ["/Lamp", "/Second"]


def test_prefabs_in_prefabs_and_variants_of_variants_are_changed_from_the_outermost_file() -> None:
    variant, nested, scene_instance = 8_000, 9_000, 30
    files = Files(
        **{
            LAMP: PREFAB,
            "b" * 32: instance(variant, 0, {"m_Name": "Red lamp"}) + stripped(variant ^ 50, "GameObject", variant, 50),
            "c" * 32: thing(500, "House", children=(nested + 1,)) + instance(nested, 501, {}, guid="b" * 32),
        }
    )
    bulb = computed_id(nested, computed_id(variant, 60))
    light = computed_id(nested, computed_id(variant, 52))
    change = (
        "    - target: {{fileID: {0}, guid: c}}\n      propertyPath: {1}\n      value: {2}\n"
        "      objectReference: {{fileID: 0}}\n"
    )
    text = instance(scene_instance, 0, {"m_Name": "My house"}, target=500, guid="c" * 32)
    text = text.replace(
        "  m_SourcePrefab",
        change.format(bulb, "m_Name", "LED") + change.format(light, "m_Intensity", 9) + "  m_SourcePrefab",
    )
    scene = read(text, files)
    assert paths(scene) == ["/My house", "/My house/Red lamp", "/My house/Red lamp/LED", "/My house/Red lamp/LED/Wire"]
    lamp = scene.one("/My house/Red lamp", "target")
    assert lamp.prefab == f"Assets/{'b' * 32}.prefab"
    assert details(scene, lamp)["components"][1]["overrides"]["m_Intensity"] == "9"
    assert scene.problems == {}


def test_an_instance_whose_prefab_is_gone_is_still_shown_and_counted() -> None:
    scene = read(instance(30, 0, {}) + instance(40, 0, {"m_Name": "Known", "m_Layer": "5"}), NoAssets())
    assert [(one.name, one.layer) for one in scene.objects.values()] == [("Missing Prefab", 0), ("Known", 5)]
    assert scene.objects[30].prefab == LAMP
    assert scene.warnings == (
        "prefab instances whose file is not in the project, so what is inside them is not known: 2",
    )


def test_nameless_scripts_inside_of_prefabs_are_counted_for_each_instance() -> None:
    script = (
        "--- !u!114 &53\nMonoBehaviour:\n  m_GameObject: {fileID: 50}\n  m_Script: {fileID: 11500000, guid: "
        + "d" * 32
        + "}\n"
    )
    files = Files(**{LAMP: thing(50, "Lamp", components="  - component: {fileID: 53}\n") + script})
    assert read(instance(30, 0, {}) + instance(40, 0, {}), files).problems == {tree.NAMELESS: 2}


@pytest.mark.parametrize("assembly", ["f70555f144d8491a825f0804e09c671c", "f5f67c52d1564df4a8936ccd202a3bd8"])
def test_a_script_of_the_ui_assembly_goes_by_its_id_there(assembly: str) -> None:
    script = (
        "--- !u!114 &53\nMonoBehaviour:\n  m_GameObject: {fileID: 50}\n  m_Script: {fileID: 1392445389, guid: "
        + assembly
        + "}\n"
    )
    assert read(thing(50, "Old", components="  - component: {fileID: 53}\n") + script).objects[50].components == (
        "Transform",
        "Button",
    )


def test_a_file_that_stands_for_billions_of_objects_is_read_to_a_bound_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tree, "MOST", 1_000)
    texts = {f"{0:032x}": thing(50, "Lamp")}
    for level in range(1, 31):
        inner = "".join(instance(100 * n, 51, {}, guid=f"{level - 1:032x}") for n in (1, 2))
        texts[f"{level:032x}"] = thing(50, "Lamp", children=(101, 201)) + inner

    class Kept(Files):
        """Reads each prefab once, as a project does."""

        def prefab(self, guid: str) -> Any:
            kept = self.__dict__.setdefault("kept", {})
            return kept[guid] if guid in kept else kept.setdefault(guid, super().prefab(guid))

    scene = read(instance(30, 0, {}, guid=f"{30:032x}"), Kept(**texts))
    assert len(scene.objects) <= 1_000
    assert scene.problems[tree.FULL] > 0


@given(st.lists(st.tuples(st.integers(0, len(PREFAB)), st.text(max_size=6), st.integers(0, 30)), max_size=6))
def test_a_damaged_prefab_is_never_more_than_a_warning(damage: list[tuple[int, str, int]]) -> None:
    text = PREFAB + instance(90, 61, {"m_Name": "Inner"}, guid="e" * 32)
    for place, put, taken in damage:
        text = text[:place] + put + text[place + taken :]

    class Damaged(Files):
        def prefab(self, guid: str) -> Any:
            try:
                return super().prefab(guid)
            except CallerError:
                return NoAssets().prefab(guid)

    scene = read(instance(30, 0, {"m_Name": "Here"}), Damaged(**{LAMP: text}))
    for one in scene.objects.values():
        try:
            details(scene, one)
        except CallerError:
            continue


def project(folder: Path, **files: str) -> Project:
    for name, text in files.items():
        kind = "unity" if name == "Main" else "prefab"
        (folder / f"Assets/{name}.{kind}").write_text(HEADER + text)
        (folder / f"Assets/{name}.{kind}.meta").write_text(f"fileFormatVersion: 2\nguid: {name[0] * 32}\n")
    return Project(folder)


def test_prefabs_that_contain_themselves_are_shown_by_their_roots_and_told(folder: Path) -> None:
    found = project(
        folder,
        Main=instance(30, 0, {"m_Name": "Snake"}) + instance(40, 0, {}, guid="c" * 32),
        a=thing(50, "Head", children=(61,)) + instance(60, 51, {}, guid="b" * 32),
        b=thing(50, "Tail", children=(61,)) + instance(60, 51, {}, guid="a" * 32),
        c=thing(50, "Box", children=(61,)) + instance(60, 51, {"m_Name": "Caught"}, guid="b" * 32),
    )
    scene = found.scene("Main", "scene")
    assert paths(scene) == ["/Snake", "/Box", "/Box/Caught"]
    assert scene.warnings == ("instances of prefabs that contain themselves, of which only the root is shown: 2",)
    (folder / "Assets/b.prefab").write_text(HEADER + thing(50, "Tail"))
    assert paths(found.scene("Main", "scene")) == ["/Snake", "/Snake/Tail", "/Box", "/Box/Caught"]


def test_a_scene_is_read_again_when_a_prefab_deep_inside_of_it_has_changed(folder: Path) -> None:
    inner = thing(50, "Old name")
    found = project(folder, Main=instance(30, 0, {}), a=instance(60, 0, {}, guid="b" * 32), b=inner)
    assert paths(found.scene("Main", "scene")) == ["/Old name"]
    (folder / "Assets/b.prefab").write_text(HEADER + inner.replace("Old", "A new"))
    assert paths(found.scene("Main", "scene")) == ["/A new name"]


def test_models_broken_files_and_endless_nesting_are_told_apart(folder: Path) -> None:
    (folder / "Assets/Ship.fbx").write_bytes(b"Kaydara")
    (folder / "Assets/Ship.fbx.meta").write_text(f"fileFormatVersion: 2\nguid: {'f' * 32}\n")
    chain = {f"{n:032x}": instance(60, 0, {}, guid=f"{n + 1:032x}") for n in range(1, 60)}
    for guid, text in chain.items():
        (folder / f"Assets/{guid}.prefab").write_text(HEADER + text)
        (folder / f"Assets/{guid}.prefab.meta").write_text(f"fileFormatVersion: 2\nguid: {guid}\n")
    broken = instance(30, 0, {}, guid="b" * 32)
    found = project(
        folder,
        Main=broken + instance(40, 0, {}, guid="f" * 32) + instance(50, 0, {}, guid=f"{1:032x}"),
        b="--- nothing",
    )
    scene = found.scene("Main", "scene")
    assert [one.name for one in scene.objects.values()][:2] == ["b", "Ship"]
    assert set(scene.problems) == {prefabs.BROKEN, prefabs.MODEL, prefabs.DEEP}


def test_instances_are_listed_where_the_scene_has_them(folder: Path) -> None:
    text = (
        thing(10, "Yard", children=(21, 31))
        + thing(20, "Gate", father=11)
        + instance(30, 11, {})
        + thing(80, "Sky")
        + roots(81, 11)
    )
    scene = project(folder, Main=text, a=PREFAB).scene("Main", "scene")
    assert paths(scene) == ["/Sky", "/Yard", "/Yard/Gate", "/Yard/Lamp", "/Yard/Lamp/Bulb", "/Yard/Lamp/Bulb/Wire"]
