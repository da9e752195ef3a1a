"""What the tools answer on the sample project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.examples.samples.unity_prefabs import LANTERN

from unity_server.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.examples.unity_client import Talk


def test_info_counts_what_is_in_a_scene(talk: Talk) -> None:
    told = talk.told("manage_scene", action="get_info")
    scene = told["scene"]
    assert (scene["path"], scene["isOpen"], scene["buildIndex"]) == ("Assets/Scenes/Island.unity", True, 1)
    assert (scene["gameObjects"], scene["prefabInstances"], scene["maxDepth"]) == (20_880, 880, 5)
    assert scene["tags"]["Respawn"] == scene["components"]["SpawnPoint"] == 44
    assert told["unityVersion"] == "2022.3.20f1"
    assert told["scenes"] == ["Assets/Scenes/Island.unity", "Assets/Scenes/Menu.unity"]
    assert "warnings" not in scene


def test_a_scene_can_be_named_by_its_path_or_by_its_name(talk: Talk) -> None:
    by_name = talk.told("manage_scene", action="get_info", scene="Menu")
    assert by_name == talk.told("manage_scene", action="get_info", scene="Assets/Scenes/Menu.unity")
    assert by_name["scene"]["isOpen"] is False


def test_a_hierarchy_can_begin_at_an_object_and_end_at_a_depth(talk: Talk) -> None:
    told = talk.told("manage_scene", action="get_hierarchy", path="/Villages/Village 7/Houses", max_depth=2)
    rows = told["hierarchy"]
    assert [row["path"] for row in rows[:3]] == [
        "/Villages/Village 7/Houses",
        "/Villages/Village 7/Houses/House 1",
        "/Villages/Village 7/Houses/House 2",
    ]
    assert len(rows) == told["total"] == 31
    below = talk.told("manage_scene", action="get_hierarchy", path=rows[1]["fileID"])["hierarchy"]
    assert [row["name"] for row in below] == ["House 1", "Walls", "Roof", "Door", "Handle"]
    assert [row["depth"] for row in below] == [3, 4, 4, 4, 5]


def test_parents_come_before_their_children_and_are_named_by_them(talk: Talk) -> None:
    rows = talk.told("manage_scene", action="get_hierarchy", path="/Villages/Village 1/Yard")["hierarchy"]
    seen = {rows[0]["fileID"]: rows[0]}
    for row in rows[1:]:
        parent = seen[row["parentID"]]
        assert row["path"] == f"{parent['path']}/{row['name']}"
        seen[row["fileID"]] = row
    assert (rows[0]["childCount"], len(rows)) == (70, 91)


@pytest.mark.parametrize(
    ("method", "term", "total"),
    [
        ("by_name", "Spawn", 44),
        ("by_name", "spawn", 0),
        ("by_name", "Village ?", 9),
        ("by_name", "*Camera*", 1),
        ("by_name", "Fontaine éclairée", 44),
        ("by_name", "Options: sound & light", 0),
        ("by_tag", "Respawn", 44),
        ("by_tag", "Ground", 1),
        ("by_component", "DayCycle", 1),
        ("by_component", "Sphere*", 44),
        ("by_component", "*er*ain*", 1),
    ],
)
def test_objects_are_found_by_name_tag_and_component(talk: Talk, method: str, term: str, total: int) -> None:
    told = talk.told("manage_gameobject", action="find", search_method=method, search_term=term)
    assert told["total"] == len(told["gameObjects"]) == total


def test_a_term_that_matches_nothing_is_answered_with_what_may_have_been_meant(talk: Talk) -> None:
    told = talk.told("manage_gameobject", action="find", search_method="by_component", search_term="spawnpoin")
    assert (told["total"], told["didYouMean"][0]) == (0, "SpawnPoint")
    told = talk.told("manage_gameobject", action="find", search_method="by_tag", search_term="zzzzzz")
    assert (told["total"], "didYouMean" in told) == (0, False)


def test_a_prefab_has_a_hierarchy_too(talk: Talk) -> None:
    told = talk.told("manage_scene", action="get_hierarchy", scene=LANTERN)
    assert (told["scene"], told["hierarchy"][0]["path"]) == (LANTERN, "/Lantern")


def test_the_only_scene_of_a_project_is_taken_where_none_is_open(tmp_path: Path) -> None:
    (tmp_path / "Assets").mkdir()
    (tmp_path / "Assets" / "Only.unity").write_text("%YAML 1.1\n--- !u!1 &7\nGameObject:\n  m_Name: Sea\n")
    scene = Project(tmp_path).scene(None, "scene")
    assert (scene.path, len(scene.objects)) == ("Assets/Only.unity", 1)


def test_objects_that_are_switched_off_can_be_left_out(talk: Talk) -> None:
    arguments = {"action": "find", "search_term": "*", "scene": "Menu"}
    everything = talk.told("manage_gameobject", **arguments)["total"]
    assert talk.told("manage_gameobject", **arguments, search_inactive=False)["total"] == everything - 1


def test_an_instance_of_a_prefab_has_the_components_of_its_prefab(talk: Talk) -> None:
    notice = talk.held("manage_gameobject", action="find", search_method="by_component", search_term="Lantern")
    assert notice["metadata"]["item_count"] == 880
    path = "/Villages/Village 3/Yard/Lantern 4"
    one = talk.told("manage_gameobject", action="get", target=path)["gameObject"]
    assert (one["prefab"], one["tag"]) == ("Assets/Prefabs/Lantern.prefab", "Light")
    assert one["components"][-1]["type"] == "Lantern"
    assert one["components"][-1]["inherited"] == "Assets/Prefabs/Lantern.prefab"
    assert one["name"] == "Lantern 4"


def test_one_object_comes_with_the_fields_of_its_components(talk: Talk) -> None:
    one = talk.told("manage_gameobject", action="get", target="Main Camera")["gameObject"]
    camera = one["components"][1]
    assert (camera["type"], camera["properties"]["field of view"]) == ("Camera", 60)
    assert set(one["components"][0]["properties"]["m_LocalPosition"]) == {"x", "y", "z"}
    assert one["activeInHierarchy"] is True
    by_id = talk.told("manage_gameobject", action="get", target=one["fileID"])
    assert by_id["gameObject"] == one


def test_the_children_of_one_object_are_listed(talk: Talk) -> None:
    one = talk.told("manage_gameobject", action="get", target="Canvas", scene="Menu")["gameObject"]
    assert [child["name"] for child in one["children"]] == [
        "New Game", "Continue", "Options: sound & light", "Quit", "Really quit", "Credits",
    ]  # fmt: skip


def test_buttons_inside_of_nested_prefabs_and_variants_are_found(talk: Talk) -> None:
    told = talk.told(
        "manage_gameobject", action="find", search_method="by_component", search_term="Button", scene="Menu"
    )
    assert [row["path"] for row in told["gameObjects"]] == [
        "/Canvas/Really quit/Yes",
        "/Canvas/Really quit/Stay",
        "/Canvas/Credits",
    ]
    assert "warnings" not in told
    label = talk.told("manage_gameobject", action="get", target="/Canvas/Really quit/Stay/Label", scene="Menu")
    text = label["gameObject"]["components"][1]
    assert (text["type"], text["inherited"]) == ("Text", "Assets/Prefabs/Button.prefab")
    assert (text["properties"]["m_Text"], text["overrides"]["m_Text"]) == ("OK", "Stay")
    credits_ = talk.told("manage_gameobject", action="get", target="/Canvas/Credits", scene="Menu")["gameObject"]
    assert credits_["componentNames"] == ["Transform", "Button", "AudioSource"]


def test_the_console_is_read_newest_first_and_counted_whole(talk: Talk) -> None:
    told = talk.told("read_console", count=3, include_stacktrace=False)
    assert told["counts"] == {"log": 1_600, "warning": 401, "error": 202, "exception": 200}
    assert (told["total"], told["log"]) == (2_403, "Editor.log")
    assert [entry["message"][:9] for entry in told["entries"]] == ["Tick 2399", "Tick 2398", "Tick 2397"]
    assert all("stackTrace" not in entry for entry in told["entries"])


def test_the_console_is_narrowed_by_type_and_text(talk: Talk) -> None:
    told = talk.told("read_console", types=["error"], filter_text="cs0103")
    assert told["entries"] == [
        {
            "line": 14,
            "type": "error",
            "message": "CS0103: The name 'Walk' does not exist in the current context",
            "file": "Assets/Scripts/Villager.cs",
            "fileLine": 58,
        }
    ]
    thrown = talk.told("read_console", types=["exception"], count=5, filter_text="villager.cs")
    assert {entry["type"] for entry in thrown["entries"]} == {"exception"}
    assert "Villager" in thrown["entries"][0]["stackTrace"]


def test_a_held_console_is_counted_with_sql(talk: Talk) -> None:
    handle = talk.held("read_console")["cache_id"]
    sql = "SELECT type, count(*) AS n FROM items WHERE file LIKE '%Villager.cs' GROUP BY type ORDER BY type"
    rows: list[dict[str, Any]] = talk.data(handle, "sql", sql=sql)["result"]
    assert [row["type"] for row in rows] == ["error", "exception", "log", "warning"]
