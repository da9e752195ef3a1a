"""Scene files: what Unity writes is read as it is meant, what is broken is refused with the line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml
from tests.kit.examples.samples.unity_scene import Template, Writer, island
from tests.kit.examples.unity_scenes import HEADER, LAMP, NoAssets, roots, thing

from penstock import CallerError
from unity_server.details import details
from unity_server.fields import parsed
from unity_server.tree import read_scene

if TYPE_CHECKING:
    from unity_server.scene import Scene


def read(text: str, assets: NoAssets | None = None) -> Scene:
    return read_scene("Test.unity", (HEADER + text).encode(), assets or NoAssets())


def paths(scene: Scene) -> list[str]:
    return [one.path for one in scene.objects.values()]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Cube", "Cube"),
        ("Cube (1)", "Cube (1)"),
        ("'Options: all'", "Options: all"),
        ("'It''s'", "It's"),
        ('"\\u5634\\u5DE6"', "嘴左"),
        ('"a\\nb"', "a\nb"),
        ('"\\U0001F3EE \\uD83C\\uDFEE"', "🏮 🏮"),
        ('"never closed', '"never closed'),
        ("A name that is so long that Unity has broken it\n    into two lines", None),
        ("'In quotes, with\n\n    a line break'", "In quotes, with\na line break"),
        ("No", "No"),
        ("12:30", "12:30"),
        ("007", "007"),
        ("", ""),
        ("- dash", "- dash"),
        ("GameObject: 1", "GameObject: 1"),
    ],
)
def test_a_name_is_read_as_unity_means_it(written: str, name: str | None) -> None:
    (one,) = read(thing(10, written)).objects.values()
    assert one.name == ("A name that is so long that Unity has broken it into two lines" if name is None else name)


def test_objects_stand_in_the_order_of_the_editor_and_not_of_the_file() -> None:
    text = (
        thing(10, "Second", father=21) + thing(20, "Parent", children=(31, 11)) + thing(30, "First", father=21)
        + thing(40, "Top") + roots(41, 21)
    )  # fmt: skip
    assert paths(read(text)) == ["/Top", "/Parent", "/Parent/First", "/Parent/Second"]


def test_without_a_list_of_roots_the_order_is_that_of_the_older_unity() -> None:
    text = thing(10, "B") + "  m_RootOrder: 1\n" + thing(20, "A") + "  m_RootOrder: 0\n"
    assert paths(read(text)) == ["/A", "/B"]


def test_components_are_listed_in_the_form_of_every_unity() -> None:
    old = thing(10, "Old").replace("- component: {fileID: 11}", "- 4: {fileID: 11}")
    assert [one.components for one in read(old).objects.values()] == [("Transform",)]


def test_a_script_goes_by_its_file_by_a_known_guid_or_by_what_the_scene_says_of_it() -> None:
    script = "--- !u!114 &{0}\nMonoBehaviour:\n  m_GameObject: {{fileID: 10}}\n  m_Script: {{fileID: 11500000, guid: {1},\n    type: 3}}\n  m_EditorClassIdentifier: {2}\n"  # noqa: E501
    listed = "".join(f"  - component: {{fileID: {number}}}\n" for number in (12, 13, 14, 15, 0))
    text = (
        thing(10, "Player", components=listed)
        + script.format(12, LAMP, "")
        + script.format(13, "b" * 32, "Game::Amlos.Gate")
        + script.format(14, "c" * 32, "")
        + script.format(15, "4e29b1a8efbd4b44bb3f3716e73f07ff", "")
    )

    class Scripts(NoAssets):
        def path_of(self, guid: str) -> str | None:
            return "Assets/Scripts/Walk.cs" if guid == LAMP else None

    scene = read(text, Scripts())
    assert scene.objects[10].components == ("Transform", "Walk", "Gate", "MonoBehaviour", "Button", "Missing")
    assert scene.warnings == (
        "scripts that are not in the project, shown as MonoBehaviour: 1",
        "components that are not in the file: 1",
    )


def test_a_prefab_of_an_older_unity_is_not_an_instance_of_anything() -> None:
    own = "--- !u!1001 &100100000\nPrefab:\n  m_ParentPrefab: {fileID: 0}\n  m_RootGameObject: {fileID: 10}\n"
    assert paths(read(own + thing(10, "Old"))) == ["/Old"]


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    text = HEADER + thing(10, "A", children=(21,)) + thing(20, "B", father=11)
    windows = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    assert paths(read_scene("x", windows, NoAssets())) == ["/A", "/A/B"]


def test_ids_with_nineteen_digits_and_a_sign_are_kept() -> None:
    scene = read(thing(-9_223_372_036_854_775_808, "Low") + thing(9_223_372_036_854_775_800, "High"))
    assert [row["fileID"] for row in map(lambda one: one.row(), scene.objects.values())] == [  # noqa: C417
        "-9223372036854775808",
        "9223372036854775800",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("--- !u!1 &abc\nGameObject:\n", "line 3 does not begin a document"),
        ("--- !u!1 &1\n", "line 3 does not begin a document"),
        ("--- nothing\n", "line 3 does not begin a document"),
        (thing(10, "A") + thing(10, "B"), "begins a second document with the id 10"),
        (thing(10, "A").replace("  m_Name: A\n", ""), "the game object 10 has no m_Name"),
        (thing(10, "A", father=21) + thing(20, "B", father=11), "is among its own parents"),
        (thing(10, "A", father=11), "is among its own parents"),
        (thing(10, "A") + "<<<<<<< HEAD\n" + thing(20, "B"), "is of a merge conflict"),
        ("", "has no documents"),
        ("".join(thing(10 * n, "A", father=10 * n - 9) for n in range(1, 1_100)), "1,000 levels deep"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_broken_scene_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(CallerError) as caught:
        read(text)
    assert says in str(caught.value)
    assert "Test.unity" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"\x00\x00\x01\x02UnityFS", "Force Text"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
        (b"{}", "not in Unity's text format"),
    ],
)
def test_a_file_that_is_no_text_scene_is_refused_with_what_to_do(data: bytes, says: str) -> None:
    with pytest.raises(CallerError) as caught:
        read_scene("Test.unity", data, NoAssets())
    assert says in str(caught.value)


def test_what_does_not_fit_together_is_counted_and_told() -> None:
    lost = thing(10, "Lost", father=99) + "--- !u!4 &30\nTransform:\n  m_GameObject: {fileID: 98}\n"
    bare = thing(40, "Bare").partition("--- !u!4")[0]
    scene = read(lost + bare + "--- !u!33 &50\nMeshFilter:\n  m_Mesh: {fileID: 1")
    assert paths(scene) == ["/Lost", "/Bare"]
    assert set(scene.warnings) == {
        "documents at the end that may have been cut: 1",
        "Transforms of game objects that are not in the file: 1",
        "objects with a parent that is not in the file: 1",
        "components that are not in the file: 1",
        "game objects without a Transform: 1",
    }


def test_the_scanner_finds_what_a_yaml_parser_finds() -> None:
    lamp = Template(guid=LAMP, own=50, transform=51)
    text = island(Writer({"SpawnPoint": "a" * 32, "Villager": "b" * 32, "DayCycle": "c" * 32}), lamp, 700)
    scene = read_scene("x", text.encode(), NoAssets())
    names, places = {}, {}
    for part in text.split("\n--- ")[1:]:
        head, _, body = part.partition("\n")
        if head.startswith("!u!1 "):
            names[int(head.partition("&")[2])] = yaml.load(body, Loader=yaml.CSafeLoader)["GameObject"]["m_Name"]
        elif head.startswith("!u!4 ") and "stripped" not in head:
            places[int(head.partition("&")[2])] = yaml.load(body, Loader=yaml.CSafeLoader)["Transform"]
    owner = {number: one["m_GameObject"]["fileID"] for number, one in places.items()}
    parents = {owner[number]: owner.get(one["m_Father"]["fileID"]) for number, one in places.items()}
    ours = [one for one in scene.objects.values() if one.prefab is None]
    assert {one.file_id: one.name for one in ours} == names
    assert {one.file_id: one.parent for one in ours} == parents
    assert len(scene.objects) == 700


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: -2.5\nc: 1e-05\nd: 1e+400", {"a": 1, "b": -2.5, "c": 1e-05, "d": "1e+400"}),
        ("a: 007\nb: yes\nc: 12:30\nd: 2026-01-01\ne: 0x1F\nf: ~", None),
        ("guid: 12345678901234567890123456789012", {"guid": "12345678901234567890123456789012"}),
        ("fileID: 3918816580588726570", {"fileID": "3918816580588726570"}),
        ("a: {x: 0, y: 1}\nl:\n- [1, 'two']\n- {}", {"a": {"x": 0, "y": 1}, "l": [[1, "two"], {}]}),
        ("1: a", {"1": "a"}),
        ("a: &x [1]\nb: *x", "refused"),
        ("a: " + "[" * 200 + "]" * 200, "refused"),
        ("? [1]\n: 2", "refused"),
        ("a: [", "refused"),
        ("a: .nan", {"a": ".nan"}),
        ("", "refused"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_document_becomes_json_values_and_only_numbers_become_numbers(text: str, value: object) -> None:
    found = parsed(text.encode())
    if value is None:
        assert found == {"a": "007", "b": "yes", "c": "12:30", "d": "2026-01-01", "e": "0x1F", "f": "~"}
    else:
        assert found == (None if value == "refused" else value)
    json.dumps(found, allow_nan=False)


def test_a_component_that_is_no_yaml_is_refused_when_it_is_asked_for() -> None:
    scene = read(thing(10, "A", components="  - component: {fileID: 12}\n") + "--- !u!33 &12\nMeshFilter:\n  a: [1\n")
    with pytest.raises(CallerError, match=r"the document 12 \(MeshFilter\)"):
        details(scene, scene.objects[10])
