"""The features and the test suite that the specification names, over standard input and output with a real client."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.kit.examples.client import FETCH
from tests.kit.examples.memory_client import Talk
from tests.kit.examples.samples.memory import make_sample

from penstock import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kit.examples.memory_client import Page

TOO_LARGE: Final = 1_416_538  # tokens of the answer that the specification was written for
USAGE: Final[dict[str, Any]] = {
    "session_id": "user_session_123",
    "current_task": "Implement user authentication",
    "task_type": "development",
    "max_chunks": 20,
    "auto_expand": True,
    "max_response_tokens": 15_000,
    "page": 1,
    "enable_pagination": True,
}


@pytest.fixture(scope="session")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """A server of its own with the session ``large``, whose chunks have more tokens than that answer had. The ranking
    weighs a word by all chunks of a database, so these would change what the other tests are answered."""
    chance = random.Random(3)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randrange(2, 9))) for _ in range(2_000)]
    texts = [f"authentication step {number}: " + " ".join(chance.choices(words, k=600)) for number in range(900)]
    assert sum(count(text).tokens for text in texts) > TOO_LARGE
    data = tmp_path_factory.mktemp("crowded-data")
    make_sample(data / "sample")
    with Talk([str(data / "sample"), "--data", str(data)], cwd=tmp_path_factory.mktemp("elsewhere")) as talk:
        for start in range(0, len(texts), 150):
            chunks = [{"content": text, "source": f"log/{start}.md"} for text in texts[start : start + 150]]
            talk.told("store_chunks", session_id="large", chunks=chunks)
        yield talk


def pages(talk: Talk, session_id: str, task: str, **more: Any) -> list[Page]:
    first = talk.page(session_id, task, **more)
    return [first, *(talk.page(session_id, task, page=number, **more) for number in range(2, first.page[1] + 1))]


def test_the_answer_that_had_1_4_million_tokens_keeps_its_budget(crowded: Talk) -> None:
    for budget in (1_000, 24_000):
        more = {"max_chunks": 1_000, "max_response_tokens": budget}
        first = crowded.page("large", "user authentication", **more)
        assert first.page[2] >= 900
        for number in (first.page[1] // 2, first.page[1]):
            page = crowded.page("large", "user authentication", page=number, **more)
            assert page.items
            assert page.tokens <= budget
            assert len(json.dumps(page.text, ensure_ascii=False).encode()) <= 48_000


def test_the_same_answer_in_one_page_keeps_its_budget_and_counts_what_is_left_out(crowded: Talk) -> None:
    page = crowded.page("large", "user authentication", max_chunks=1_000, enable_pagination=False)
    assert page.page[:2] == (1, 1)
    assert page.is_cut
    left_out = re.search(r"Left out: (\d+)\.", page.header)
    assert left_out
    assert int(left_out[1]) + len(page.items) == page.page[2]


def test_the_usage_example_is_answered_with_the_header_lines_of_the_specification(talk: Talk) -> None:
    page = talk.page(**USAGE)
    lines = page.header.splitlines()
    assert lines[0] == "🎯 **Context-Aware Retrieval**: Implement user authentication"
    assert page.budget[0] == 15_000
    assert page.page[0] == 1
    assert re.findall(r"^## (\w+)", page.text, re.MULTILINE)[0] == "Primary"
    every = [page, *(talk.page(**{**USAGE, "page": number}) for number in range(2, page.page[1] + 1))]
    assert sum(len(one.items) for one in every) == page.page[2]
    assert not any(one.is_cut for one in every)
    assert any("## Related (" in one.text for one in every)
    assert any("## Relationships (" in one.text for one in every)


def test_the_estimate_in_the_header_is_the_count_of_the_whole_answer(talk: Talk) -> None:
    for budget in (1_000, 5_000, 15_000):
        page = talk.page("s", "refund deadline", max_response_tokens=budget)
        estimate = count(page.text).tokens
        assert abs(page.budget[1] - estimate) <= 3
        assert page.budget[1] <= budget


def test_code_and_json_are_estimated_above_four_characters_a_token() -> None:
    prose = "The ferry leaves the island in the morning, and nobody has seen the captain yet. " * 20
    code = 'def leave(self, at: int) -> None:\n    self.log[at] = {"ferry": [1, 2], "ok": True}\n' * 20
    assert count(code).tokens / len(code) > count(prose).tokens / len(prose)
    assert count(json.dumps({"text": prose.split()})).tokens > 1.2 * count(prose).tokens
    assert count(code).upper > len(code) / 4


def test_the_default_budget_is_20000_tokens(talk: Talk) -> None:
    assert talk.page("s", "booking").budget[0] == 20_000


def test_pages_put_together_are_every_item_once(talk: Talk) -> None:
    whole = talk.page("s", "the late ferry and the storm warning", max_response_tokens=24_000, max_chunks=10)
    assert whole.page[1] == 1
    several = pages(talk, "s", "the late ferry and the storm warning", max_response_tokens=2_000, max_chunks=10)
    assert len(several) > 3
    assert sorted(item for page in several for item in page.items) == sorted(whole.items)
    assert [page.page[0] for page in several] == list(range(1, len(several) + 1))
    for number, page in enumerate(several[:-1], 2):
        assert f"**Next page**: the same call with page {number}" in page.header
    assert "Next page" not in several[-1].header


def test_a_page_past_the_end_is_empty_and_says_so(talk: Talk) -> None:
    page = talk.page("s", "booking", page=999)
    assert page.items == []
    assert page.page[0] == 999
    assert "past the last one" in page.header


def test_primary_related_and_relationships_share_the_budget_60_30_10(crowded: Talk) -> None:
    page = crowded.page("large", "authentication step", max_chunks=400, max_response_tokens=24_000)
    sizes = {
        name: count(part).upper
        for name, part in re.findall(r"^## (\w+) \(\d+ of \d+\)\n\n(.*?)(?=^## \w+ \(|\Z)", page.text, re.M | re.S)
    }
    assert list(sizes) == ["Primary", "Related", "Relationships"]
    assert sizes["Primary"] > sizes["Related"] > sizes["Relationships"]
    assert sizes["Primary"] <= 0.61 * 24_000
    assert sizes["Related"] <= 0.45 * 24_000  # its own share, and what the primary chunks had left over


def test_a_chunk_larger_than_the_budget_is_cut_at_a_word_marked_and_read_whole_elsewhere(talk: Talk) -> None:
    content = "zebra " + " ".join(f"word{number}" for number in range(9_000))
    stored = talk.told("store_chunks", session_id="long", chunks=[{"content": content}])
    page = talk.page("long", "zebra", max_response_tokens=1_500, enable_pagination=False)
    assert page.is_cut
    shown, hidden = re.search(r"(zebra .*)… \[cut: (\d+) more characters\]", page.text).groups()  # type: ignore[union-attr]
    assert content.startswith(shown + " ")
    assert len(shown) + int(hidden) == len(content)
    number = stored["chunk_ids"][0]
    assert f"get_chunk with chunk_id {number}" in page.header

    notice = talk.call("get_chunk", session_id="long", chunk_id=number).data
    assert notice["type"] == "buffered_response"
    read = ""
    at: int | None = 0
    while at is not None:
        window = talk.call(FETCH, action="get", cache_id=notice["cache_id"], start_index=at)
        read += window.text
        at = window.data.get("next_index")
    assert read == content


def test_every_tool_is_listed_with_descriptions_and_the_limits_of_the_specification(talk: Talk) -> None:
    tools = {tool.name: tool for tool in talk.tools()}
    assert list(tools) == [
        "context_aware_retrieve",
        "store_chunks",
        "get_chunk",
        "forget",
        "fetch_cached_response",
    ]
    properties = tools["context_aware_retrieve"].input_schema["properties"]
    assert set(properties) == set(USAGE)
    assert all(schema["description"] for schema in properties.values())
    tokens = properties["max_response_tokens"]
    assert (tokens["minimum"], tokens["maximum"], tokens["default"]) == (1_000, 24_000, 20_000)
    assert properties["page"]["minimum"] == 1
    assert properties["enable_pagination"]["default"] is True
