"""``@budgeted``: for any function that returns data, in a server without a framework or with another one.

    budgeted_tool = budgeted(max_tokens=8_000)

    @budgeted_tool
    def search(query: str) -> list[dict]: ...

The function then returns an MCP result, as a dict: the data itself where it fits, what stands in for it where it does
not. ``budgeted_tool.definition`` is the tool to list beside it, and ``budgeted_tool.fetch(arguments)`` answers it; so
do ``act_definition`` and ``act`` for the tool that acts, where the setting ``act`` switches it on.
"""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast, overload

import msgspec

from penstock.errors import CallerError, ConfigError, PenstockError
from penstock.gate.acts.request import ActTerms
from penstock.middleware.configured import configured
from penstock.middleware.shared import SharedGate, ToolRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from typing import Unpack

    from penstock.config import Config
    from penstock.config.typed import ConfigArguments
    from penstock.gate import Gate
    from penstock.gate.acts.more import PageCall
    from penstock.gate.owners import Owner
    from penstock.gate.passing import Target

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")


class BoundedFunction(Protocol[P, R_co]):
    """A function with the parameters of the one that was decorated, which returns an MCP result; async if that was."""

    __name__: str

    @overload
    def __call__(  # type: ignore[overload-overlap]  # what is known to be a coroutine is the narrower case
        self: BoundedFunction[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs
    ) -> Coroutine[Any, Any, dict[str, Any]]: ...

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> dict[str, Any]: ...


class budgeted:  # noqa: N801  (used as a decorator)
    """Bound what functions return. ``caller`` names the caller of the current call, in a server that has several."""

    def __init__(
        self,
        *,
        config: Config | None = None,
        gate: Gate | None = None,
        caller: Callable[[], str] = lambda: "",
        **settings: Unpack[ConfigArguments],
    ) -> None:
        """Take a configuration, or its settings one by one; a gate of your own if you have one."""
        self.shared_gate = SharedGate(configured(config, gate, **settings), gate)
        self._caller = caller
        self._functions: dict[str, Callable[..., Any]] = {}

    def __call__(self, function: Callable[P, R_co]) -> BoundedFunction[P, R_co]:
        """Return the function, sync or async as before, with an MCP result that fits the budget."""
        name, signature = function.__name__, inspect.signature(function)
        schema = _schema(signature)
        self._functions[name] = function

        def request(bound: inspect.BoundArguments) -> ToolRequest:
            arguments = dict(bound.arguments)
            arguments.update(arguments.pop(_rest(signature), {}))
            return ToolRequest(method="tools/call", name=name, owner=self._owner, arguments=arguments, schema=schema)

        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def bounded_async(*args: P.args, **kwargs: P.kwargs) -> Any:
                keywords, ask = self.shared_gate.without_question(kwargs, schema)
                bound = signature.bind(*args, **keywords)
                call = replace(request(bound), ask=ask)
                try:
                    if self.shared_gate.names_held(call.arguments):
                        await asyncio.to_thread(self._resolve, call, bound)
                except PenstockError as error:
                    return self.shared_gate.refused(error)
                with self.shared_gate.calling(call.owner):
                    return await self.shared_gate.bounded(call, _result(await function(*bound.args, **bound.kwargs)))

            return cast("BoundedFunction[P, R_co]", bounded_async)

        @wraps(function)
        def bounded(*args: P.args, **kwargs: P.kwargs) -> Any:
            keywords, ask = self.shared_gate.without_question(kwargs, schema)
            bound = signature.bind(*args, **keywords)
            call = replace(request(bound), ask=ask)
            try:
                self._resolve(call, bound)
            except PenstockError as error:
                return self.shared_gate.refused(error)
            with self.shared_gate.calling(call.owner):
                return self.shared_gate.bounded_now(call, _result(function(*bound.args, **bound.kwargs)))

        return cast("BoundedFunction[P, R_co]", bounded)

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
        return self.shared_gate.definitions[0]

    def read_export(self, uri: str) -> dict[str, Any]:
        """Return the result of ``resources/read`` for an export. Raises a ``PenstockError`` if there is none."""
        result: dict[str, Any] = msgspec.json.decode(self.shared_gate.gate.read_export(self._owner, uri))
        return result

    @property
    def act_definition(self) -> dict[str, Any]:
        """Return the definition of the act tool. Raises a ``PenstockError`` where the setting ``act`` is off."""
        if not self.shared_gate.config.act:
            raise ConfigError("there is no act tool, because act is off", do="set act, for example to drop")
        return self.shared_gate.definitions[1]

    def act(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a call of the act tool. ``more`` calls the functions, of which a rule with ``more = "any"`` has to say
        that they change nothing; one that is async needs ``act_async``."""

        def call(tool: str, page_arguments: dict[str, Any]) -> bytes:
            if inspect.iscoroutinefunction(self._functions[tool]):
                raise CallerError(f"{tool} is an async function", do="answer with act_async")
            return msgspec.json.encode(_result(self._functions[tool](**page_arguments)))

        answer = self.shared_gate.gate.act(self._owner, arguments, terms=self._terms, call=call)
        result: dict[str, Any] = msgspec.json.decode(answer)
        return result

    async def act_async(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a call of the act tool without blocking the event loop."""

        async def call(needed: PageCall) -> bytes:
            function, page_arguments = self._functions[needed.tool], dict(needed.arguments)
            if inspect.iscoroutinefunction(function):
                return msgspec.json.encode(_result(await function(**page_arguments)))
            return msgspec.json.encode(_result(await asyncio.to_thread(function, **page_arguments)))

        answer = await self.shared_gate.gate.act_async(self._owner, arguments, terms=self._terms, call=call)
        result: dict[str, Any] = msgspec.json.decode(answer)
        return result

    @property
    def _terms(self) -> ActTerms:
        def target_of(tool: str) -> Target:
            function = self._functions.get(tool)
            return self.shared_gate.target(tool, None if function is None else _schema(inspect.signature(function)))

        return ActTerms(target_of=target_of)

    def fetch(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a call of the fetch tool."""
        result: dict[str, Any] = msgspec.json.decode(self.shared_gate.gate.fetch(self._owner, arguments))
        return result

    async def fetch_async(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a call of the fetch tool without blocking the event loop."""
        return await asyncio.to_thread(self.fetch, arguments)


def _schema(signature: inspect.Signature) -> dict[str, Any]:
    """Return as much of an input schema as tells the names of parameters, and which of them are texts."""
    named = [one for one in signature.parameters.values() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    texts = {one.name: {"type": "string"} if one.annotation in (str, "str") else {} for one in named}
    return {"type": "object", "properties": texts}


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
