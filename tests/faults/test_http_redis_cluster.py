"""A gateway over HTTP on a real Redis Cluster, one node of which dies: calls go on, and what was held is read again."""

from __future__ import annotations

import json

import pytest

from penstock.stores.redis_keys import Keys
from tests.kit.answers import head_of
from tests.kit.processes import nothing_is_left_behind
from tests.kit.scale.serving import Serving, upstream
from tests.kit.stores.clusters import LONG, cluster
from tests.kit.waiting import until

pytestmark = pytest.mark.compat
left_nothing = nothing_is_left_behind
FETCH = "fetch_cached_response"
ROWS = 1_500  # some 34,000 tokens


@pytest.mark.usefixtures("nothing_is_left_behind")
def test_a_node_that_dies_takes_no_answer_and_nothing_that_was_replicated() -> None:
    with cluster() as formed, upstream() as url:
        store = f"{formed.url}?timeout=1&replicas=1"
        with Serving("--url", url, "--store", store) as gateway:
            handles = [head_of(gateway.text("records", rows=ROWS, seed="a"))["cache_id"] for _ in range(6)]
            [killed] = formed.masters_of(Keys("penstock").books)
            killed.stop()
            assert gateway.text("echo", text="small") == "small"
            notice = head_of(gateway.text("records", rows=ROWS, seed="b"))
            assert "cache_id" in notice or "The rest was not kept: the store failed" in notice["message"]

            def is_read(handle: str) -> bool:
                answer = gateway.call(FETCH, action="get_page", cache_id=handle, page=1)["result"]
                text = answer["content"][0]["text"]
                if answer.get("isError"):
                    assert "cannot be reached" in text
                    return False
                return bool(json.loads(text)["items"][0]["id"] == 0)

            for handle in handles:
                assert until(lambda handle=handle: is_read(handle), LONG)  # type: ignore[misc]
