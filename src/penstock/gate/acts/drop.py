"""``drop``: delete what the owner holds, one result or all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import CallerError
from penstock.gate.tool_results import json_result

if TYPE_CHECKING:
    from penstock.gate.acts.request import ActRequest


class Drop:
    """The number of results that were deleted, and their bytes. A handle of another owner is unknown, and stays."""

    def run(self, request: ActRequest) -> bytes:
        arguments = request.fetch.arguments
        every = arguments.truth("all", default=False)
        if every and arguments.values.get("cache_id") is not None:
            raise CallerError("cache_id and all are both given: nothing was dropped", do="give one of them")
        if every:
            results = [(one.handle, one.meta.size) for one in request.fetch.list_held()]
        else:
            opened = request.fetch.open_text(arguments.handle)
            results = [(arguments.handle, opened.held.meta.size)]
        sizes = [size for handle, size in results if request.drop(handle)]
        request.note(f"dropped {len(sizes):,} held results: {sum(sizes):,} bytes")
        return json_result({"dropped": len(sizes), "total_bytes": sum(sizes)})
