"""``@budgeted``: for any function that returns data, in a server without a framework or with another one.

    budgeted_tool = budgeted(max_tokens=8_000)

    @budgeted_tool
    def search(query: str) -> list[dict]: ...

The function then returns an MCP result, as a dict: the data itself where it fits, what stands in for it where it does
not. ``budgeted_tool.definition`` is the tool to list beside it, and ``budgeted_tool.fetch(arguments)`` answers it.
"""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

import msgspec

from penstock.errors import PenstockError
from penstock.middleware.configured import configured
from penstock.middleware.shared import SharedGate, ToolRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Unpack

    from penstock.config import Config
    from penstock.config.typed import Given
    from penstock.gate import Gate
    from penstock.gate.owners import Owner

P = ParamSpec("P")


class budgeted:  # noqa: N801  (used as a decorator)
    """Bound what functions return. ``caller`` names the caller of the current call, in a server that has several."""

    def __init__(
        self,
        *,
        config: Config | None = None,
        gate: Gate | None = None,
        caller: Callable[[], str] = lambda: "",
        **settings: Unpack[Given],
    ) -> None:
        """Take a configuration, or its settings one by one; a gate of your own if you have one."""
        self.shared_gate = SharedGate(configured(config, gate, **settings), gate)
        self._caller = caller

    def __call__(self, function: Callable[P, Any]) -> Callable[P, Any]:
        """Return the function, sync or async as before, with an MCP result that fits the budget."""
        name, signature = function.__name__, inspect.signature(function)
        schema = _schema(signature)

        def request(bound: inspect.BoundArguments) -> ToolRequest:
            given = dict(bound.arguments)
            given.update(given.pop(_rest(signature), {}))
            return ToolRequest(method="tools/call", name=name, owner=self._owner, arguments=given, schema=schema)

        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def bounded_async(*args: P.args, **kwargs: P.kwargs) -> Any:
                bound = signature.bind(*args, **kwargs)
                call = request(bound)
                try:
                    if self.shared_gate.names_held(call.arguments):
                        await asyncio.to_thread(self._resolve, call, bound)
                except PenstockError as error:
                    return self.shared_gate.refused(error)
                return await self.shared_gate.bounded(call, _result(await function(*bound.args, **bound.kwargs)))

            return bounded_async

        @wraps(function)
        def bounded(*args: P.args, **kwargs: P.kwargs) -> Any:
            bound = signature.bind(*args, **kwargs)
            call = request(bound)
            try:
                self._resolve(call, bound)
            except PenstockError as error:
                return self.shared_gate.refused(error)
            return self.shared_gate.bounded_now(call, _result(function(*bound.args, **bound.kwargs)))

        return bounded

    def _resolve(self, call: ToolRequest, bound: inspect.BoundArguments) -> None:
        """Put held results in the place of the arguments that name them; others are not looked into."""
        named = {name: value for name, value in bound.arguments.items() if self.shared_gate.names_held({name: value})}
        if named:
            bound.arguments.update(self.shared_gate.resolved_now(replace(call, arguments=named)))

    @property
    def _owner(self) -> Owner:
        caller = self._caller()
        return self.shared_gate.owners.named(caller) if caller else self.shared_gate.owner(None, None)

    @property
    def definition(self) -> dict[str, Any]:
        """Return the definition of the fetch tool, as ``tools/list`` has it."""
        return self.shared_gate.definition

    def fetch(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a call of the fetch tool."""
        result: dict[str, Any] = msgspec.json.decode(self.shared_gate.gate.fetch(self._owner, arguments))
        return result

    async def fetch_async(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a call of the fetch tool without blocking the event loop."""
        return await asyncio.to_thread(self.fetch, arguments)


def _schema(signature: inspect.Signature) -> dict[str, Any]:
    """Return as much of an input schema as tells which parameters are texts."""
    texts = [one.name for one in signature.parameters.values() if one.annotation in (str, "str")]
    return {"type": "object", "properties": {name: {"type": "string"} for name in texts}}


def _rest(signature: inspect.Signature) -> str:
    """Return the name of the ``**keywords`` parameter, or an empty text."""
    kinds = (one.name for one in signature.parameters.values() if one.kind is inspect.Parameter.VAR_KEYWORD)
    return next(kinds, "")


def _result(data: Any) -> dict[str, Any]:
    """Return data as an MCP result. Data that is one already stays as it is."""
    if isinstance(data, dict) and isinstance(data.get("content"), list):
        return data
    if isinstance(data, str):
        text = data
    elif isinstance(data, bytes | bytearray):
        text = bytes(data).decode("utf-8", "surrogateescape")
    else:
        text = msgspec.json.encode(data, enc_hook=str).decode()
    return {"content": [{"type": "text", "text": text}]}
