"""Held answers outlive the server: a store in a file and an owner, and the process is ended and started again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kit.examples.client import FETCH
from tests.kit.examples.samples.unity import make_sample
from tests.kit.examples.unity_client import Talk

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = """\
[penstock]
notice = "data"
store = "sqlite:///{file}"
owner = "{owner}"
"""


def started(folder: Path, owner: str) -> Talk:
    """The server as a process of its own, in a folder of its own, with this owner."""
    settings, elsewhere = folder / f"{owner}.toml", folder / f"for-{owner}"
    settings.write_text(SETTINGS.format(file=folder / "held.db", owner=owner))
    elsewhere.mkdir(exist_ok=True)
    return Talk([str(folder / "island"), "--config", str(settings)], cwd=elsewhere)


def test_a_held_answer_is_read_after_the_server_was_started_again(tmp_path: Path) -> None:
    make_sample(tmp_path / "island", objects=700)
    with started(tmp_path, "me") as talk:
        notice = talk.held("manage_scene", action="get_hierarchy")
        handle = notice["cache_id"]
        before = talk.data(handle, "get_page", page=1)
    with started(tmp_path, "me") as talk:
        listed = talk.told(FETCH, action="list")["data"]["results"]
        assert [(one["cache_id"], one["made_by"]) for one in listed] == [(handle, "another run")]
        assert talk.data(handle, "get_page", page=1)["hierarchy"] == before["hierarchy"]
        assert talk.filtered(handle, ".hierarchy | length")["result"] == notice["metadata"]["item_count"]
    with started(tmp_path, "another") as talk:
        assert talk.told(FETCH, action="list")["data"]["results"] == []
        assert "there is no held result" in talk.refused(FETCH, cache_id=handle, action="info")


@pytest.mark.compat  # tests/gate/test_owners.py proves which owner it is; three more starts of this server take seconds
def test_without_an_owner_the_same_command_in_the_same_folder_reads_on(tmp_path: Path) -> None:
    make_sample(tmp_path / "island", objects=700)
    with started(tmp_path, "auto") as talk:
        handle = talk.held("manage_scene", action="get_hierarchy")["cache_id"]
    with started(tmp_path, "auto") as talk:
        assert talk.data(handle, "info")["metadata"]["item_count"] > 0
    with started(tmp_path, "run") as talk:
        assert "there is no held result" in talk.refused(FETCH, cache_id=handle, action="info")
