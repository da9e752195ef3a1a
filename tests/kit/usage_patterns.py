"""The four ways in which programs use held results in the style ``data``, word for word as they are specified.

Each takes ``fetch_cached_response``, which calls the tool and returns the JSON of its answer, and a handle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Fetch = Callable[..., Any]


def direct_access(fetch_cached_response: Fetch, response: Any) -> Any:
    """Pattern 1: a response that says it is cached is retrieved by its handle."""
    assert response["cached"]
    return fetch_cached_response(cache_id=response["cache_id"], action="get")


def filtered_access(fetch_cached_response: Fetch, cache_id: str) -> Any:
    """Pattern 2: fields are taken out without loading the whole."""
    return fetch_cached_response(
        cache_id=cache_id,
        action="filter",
        jq_filter=".hierarchy[].name",
    )


def paginated_processing(fetch_cached_response: Fetch, cache_id: str) -> list[Any]:
    """Pattern 3: info tells how many pages there are, and each is processed."""
    pages = []
    info = fetch_cached_response(cache_id=cache_id, action="info")
    page_count = info["data"]["metadata"]["total_pages"]

    for page_num in range(1, page_count + 1):
        page_data = fetch_cached_response(
            cache_id=cache_id,
            action="get_page",
            page=page_num,
            page_size_kb=50,
        )
        pages.append(page_data["data"])
    return pages


def chained_filtering(fetch_cached_response: Fetch, cache_id: str) -> Any:
    """Pattern 4: a filter whose result is large, and another one on that."""
    filtered_id = fetch_cached_response(
        cache_id=cache_id,
        action="filter",
        jq_filter='.hierarchy | map(select(.componentNames | contains(["Collider"])))',
        cache_filtered_result=True,
    )

    names = None
    if filtered_id["data"]["cached"]:
        names = fetch_cached_response(
            cache_id=filtered_id["data"]["cache_id"],
            action="filter",
            jq_filter=".[].name",
        )
    return names
