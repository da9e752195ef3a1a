"""Remember of an upstream its tools' schemas, and which tool a task belongs to.

All of it is bounded: an upstream that never stops telling makes us forget, not grow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from penstock.core.answer.notice import MARK
from penstock.core.budget import TOOL_NAME
from penstock.protocol.tools import free_name, may_clash
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.protocol.commands import OpenRequest
    from penstock.protocol.tool_list import Listed

TASKS: Final = 1_000  # tasks whose tool is remembered, to name it when their result is fetched
TOOLS: Final = 5_000  # tools whose schemas are; no client shows a model as many
LONGEST: Final = 65_536  # bytes of a schema or of a call's parameters that are worth remembering

T = TypeVar("T")


class UpstreamFacts:
    """One upstream's tools and tasks."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}  # of our tools, by the wanted name: other ones where the upstream has those
        self._schemas: dict[str, bytes] = {}
        self._read_only: dict[str, None] = {}  # tools that say that they change nothing
        self._servers: dict[str, str] = {}  # that have a tool, where several are combined
        self._structured: dict[str, None] = {}  # tools that declare what their structured results look like
        self._rivals: dict[str, None] = {}  # tools that are named like ours
        self._tasks: dict[str, OpenRequest] = {}
        self.is_listed = False  # to the last page

    def learn(self, listed: Listed, wanted: Sequence[str]) -> None:
        """Remember a page of tools, and call ours as ``wanted`` or, if there is a tool of that name, otherwise."""
        schemas = listed.schemas.items()
        remember(self._schemas, {name: schema for name, schema in schemas if len(schema) <= LONGEST}, TOOLS)
        remember(self._structured, dict.fromkeys(listed.structured), TOOLS)
        for name in listed.names - listed.read_only:
            self._read_only.pop(name, None)
        remember(self._read_only, dict.fromkeys(listed.read_only), TOOLS)
        remember(self._servers, listed.servers, TOOLS)
        rivals = (name for name in listed.names if any(may_clash(name, one) for one in wanted))
        remember(self._rivals, dict.fromkeys(rivals), TOOLS)
        self.names = {one: free_name(one, self._rivals) for one in wanted}
        self.is_listed |= listed.is_last

    def learn_name_clash(self, result: bytes, wanted: str) -> None:
        """Learn from a stand-in that the upstream has a tool named like ours: calls of that name are not for us.

        Once the tools are listed they are known, and a text that looks like a stand-in tells nothing of them; nor does
        one without the mark that a Penstock sets beside it, such as a file with a notice in it.
        """
        meta = None if self.is_listed else jsonrpc.member(result, "_meta")
        if not isinstance(meta, dict) or MARK not in meta:
            return
        content = jsonrpc.member(result, "content")
        first = content[0] if isinstance(content, list) and content else None
        text = first.get("text") if isinstance(first, dict) else None
        line = text.partition("\n")[0] if isinstance(text, str) else ""
        notice = jsonrpc.value(line.encode("utf-8", "replace")) if line else None
        calls = notice.get("next") if isinstance(notice, dict) else None
        if isinstance(calls, dict):  # a brief notice, which names the tool only if it is not the usual one
            calls = [{"tool": TOOL_NAME, **calls}]
        named = [call.get("tool") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
        if wanted in named:
            remember(self._rivals, {wanted: None}, TOOLS)
            self.names[wanted] = free_name(wanted, self._rivals)

    def schema(self, tool: str) -> dict[str, Any] | None:
        """Return the input schema of a tool, if it was listed."""
        schema = jsonrpc.value(self._schemas.get(tool, b"null"))
        return schema if isinstance(schema, dict) else None

    def is_read_only(self, tool: str) -> bool:
        """Return True if a tool was listed with the annotation that it changes nothing."""
        return tool in self._read_only

    def server_of(self, tool: str) -> str:
        """Return the name of the server that has a tool, where several are combined; else an empty text."""
        return self._servers.get(tool, "")

    def is_structured(self, tool: str) -> bool:
        return tool in self._structured

    def note_task(self, request: OpenRequest, result: bytes) -> None:
        """Remember the call that made a task: its answer names it, in itself or, in the legacy era, in ``task``."""
        task = jsonrpc.text_at(result, "task", "taskId") or jsonrpc.text_at(result, "taskId")
        if task:
            kept = request if len(request.params) <= LONGEST else msgspec.structs.replace(request, params=b"")
            remember(self._tasks, {task: kept}, TASKS)

    def call_of(self, task: str) -> OpenRequest | None:
        """Return the call that made a task."""
        return self._tasks.get(task)


def remember(known: dict[str, T], more: dict[str, T], most: int) -> None:
    """Put these in as the newest, and let go of the oldest. Workers and readers may do so at the same time."""
    for name, one in more.items():
        known.pop(name, None)
        known[name] = one
    if len(known) > most:
        for name in list(known)[:-most]:
            known.pop(name, None)
