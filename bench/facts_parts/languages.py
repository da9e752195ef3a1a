"""Read YAML and Python literals without the code of Penstock: YAML by PyYAML, with the scalars of YAML 1.2 that JSON
has too, literals by the standard library."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, Final

import yaml

LANGUAGES: Final = ("yaml", "xml", "html", "toml", "python")
PREFIX: Final = re.compile(r"(?:YAML|TOML|a Python literal|a Unity file|XML, root \S+?)(?: of [0-9,]+ documents)?: ")

_UNITY = re.compile(r"^(--- !u!)([0-9]+) &(-?[0-9]+)(?: stripped)?[ \t]*$", re.MULTILINE)
_WHOLE: Final = r"[-+]?(?:0|[1-9][0-9]*)"
_DECIMAL = re.compile(rf"(?:[-+]?(?:0|[1-9][0-9]*)?\.[0-9]+(?:[eE][-+]?[0-9]+)?|{_WHOLE}[eE][-+]?[0-9]+|{_WHOLE}\.)\Z")


class _Loader(yaml.CSafeLoader):
    yaml_implicit_resolvers: Final = {}  # type: ignore[misc]  # none of YAML 1.1


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:null|Null|NULL|~|)\Z"), ["n", "N", "~", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?i:true|false)\Z"), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(rf"{_WHOLE}\Z"), list("-+0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _DECIMAL, list("-+.0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile(r"<<\Z"), ["<"])
_Loader.add_multi_constructor("", lambda loader, _, node: _untagged(loader, node))


def load_yaml(text: str) -> Any:
    """All documents, as Penstock says that jq sees them; None for what PyYAML does not take."""
    heads = [(int(found[3]), int(found[2])) for found in _UNITY.finditer(text)]
    plain = _UNITY.sub("---", text) if heads else text
    try:
        found = [one for one in yaml.load_all(plain, _Loader) if one is not None]  # a safe loader
    except (yaml.YAMLError, ValueError):
        return None
    if heads and len(heads) == len(found) and all(isinstance(one, dict) and len(one) == 1 for one in found):
        return [
            {"_id": number, "_class": kind, "_type": name, **fields}
            for (number, kind), one in zip(heads, found, strict=True)
            for name, fields in one.items()
        ]
    return found[0] if len(found) == 1 else found


def load_python(text: str) -> Any:
    """The literal with lists for tuples and texts for keys; None for what has calls in it."""
    try:
        return json.loads(json.dumps(ast.literal_eval(text.strip())))
    except (ValueError, SyntaxError, TypeError):
        return None


def _untagged(loader: Any, node: Any) -> Any:
    """A value with a tag of its own is the value."""
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return node.value
