"""Calls of real servers whose results are too large to show: which, of whom, and what they should come to."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from tests.kit.interaction import data
from tests.kit.interaction.conversation import MODERN, Step, converse, gateway, opening
from tests.kit.interaction.held import texts_of
from tests.kit.interaction.wire import Wire

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.real_parts import Parts
    from tests.kit.interaction.wire import Reply

MESSAGE: Final = 'A message that goes on — ünd ön — 茶 \\ "so"; ' * 2_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A request with ``{root}`` where the generated data is."""

    server: str
    method: str = "tools/call"
    params: dict[str, Any] = field(default_factory=dict)


def _call(server: str, tool: str, **arguments: Any) -> Case:
    return Case(server=server, params={"name": tool, "arguments": arguments})


GIT: Final = {"repo_path": "{root}/repository"}
CASES: Final = {
    "tree": _call("filesystem", "directory_tree", path="{root}/folder"),
    "found": _call("filesystem", "search_files", path="{root}/folder", pattern="**/*.py"),
    "records": _call("filesystem", "read_text_file", path="{root}/folder/records.json"),
    "log": _call("filesystem", "read_text_file", path="{root}/folder/app.log"),
    "several": _call(
        "filesystem", "read_multiple_files", paths=["{root}/folder/app.log", "{root}/folder/records.json"]
    ),
    "commits": _call("git", "git_log", max_count=400, **GIT),
    "diff": _call("git", "git_diff", target="HEAD~30", **GIT),
    "graph": _call("memory", "read_graph"),
    "nodes": _call("memory", "search_nodes", query="node1"),
    "graph as a resource": Case(server="memory", method="resources/read", params={"uri": "memory://knowledge-graph"}),
    "echo": _call("everything", "echo", message=MESSAGE),
    "prompt": Case(
        server="everything", method="prompts/get", params={"name": "args-prompt", "arguments": {"city": MESSAGE}}
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One case, asked twice: of the server, and of the gateway in front of it."""

    case: Case
    direct: Reply
    through: Reply
    wire: Wire

    @property
    def text(self) -> str:
        """The text that was too large, as the server sent it."""
        (text,) = texts_of(self.direct.result)
        return text


class Servers:
    """Every server once as it is and once behind the gateway, started when first asked, over the same data."""

    def __init__(self, parts: Parts, root: Path) -> None:
        self.root = root
        folder = data.large_folder(root / "folder")
        repository = data.repository(root / "repository", commits=400, lines=60)
        self.env = {"MEMORY_FILE_PATH": str(data.graph(root / "graph.jsonl", 800))}
        self.commands = {
            "everything": parts.everything,
            "filesystem": parts.filesystem(folder),
            "memory": parts.memory,
            "git": parts.git(repository),
        }
        self._open: dict[str, tuple[Wire, Wire]] = {}
        self._told: dict[str, Told] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def pair(self, server: str) -> tuple[Wire, Wire]:
        """The server itself, and the gateway in front of another one; git is spoken to as in the modern era."""
        if server not in self._open:
            command = self.commands[server]
            meta = MODERN if server == "git" else None
            commands = (command, gateway(command, "--notice", "full"))
            direct, through = (self._stack.enter_context(Wire(one, env=self.env, meta=meta)) for one in commands)
            for wire in (direct, through):
                converse(wire, opening() if meta is None else [Step(method="server/discover")])
                wire.request("tools/list")
            self._open[server] = (direct, through)
        return self._open[server]

    def ask(self, name: str) -> Told:
        if name not in self._told:
            case = CASES[name]
            params = self.placed(case.params)
            direct, through = self.pair(case.server)
            self._told[name] = Told(
                case=case,
                direct=direct.request(case.method, params),
                through=through.request(case.method, params),
                wire=through,
            )
        return self._told[name]

    def placed(self, value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("{root}", str(self.root))
        if isinstance(value, list):
            return [self.placed(one) for one in value]
        return {key: self.placed(one) for key, one in value.items()} if isinstance(value, dict) else value
