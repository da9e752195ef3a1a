"""The rules by which model interfaces and clients accept or refuse a tool definition.

Each interface is one row of ``INTERFACES``, and a comment names the source of each rule. ``problems`` returns the rules
that a definition breaks. ``made_strict`` closes a schema as converters do for OpenAI's strict mode.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Schema = dict[str, Any]

TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
COMBINERS = frozenset({"oneOf", "anyOf", "allOf", "not"})
NAME = r"[a-zA-Z0-9_-]{1,64}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """What one interface accepts. An empty set or None means that it has no rule of this kind."""

    name: str = NAME
    described: bool = False  # the tool has a description
    property_name: str = r".+"
    draft: str = "2020-12"  # the JSON Schema that the whole schema has to be valid under
    keywords: frozenset[str] = frozenset()  # the only keywords that are known; empty for any
    refused: frozenset[str] = frozenset()  # keywords that are refused anywhere
    refused_at_root: frozenset[str] = frozenset()
    root_has_properties: bool = False
    types: frozenset[str] = TYPES
    one_type: bool = False  # a type is one word, not a list of them
    typed: bool = False  # each schema without anyOf has a type
    array_has_items: bool = False
    enum_is_text: bool = False  # an enum has texts only, none of them empty, and the type is string
    by_type: bool = False  # items are for arrays only; properties and required for objects only
    required_exist: bool = False  # each required name is a property
    closed: bool = False  # each object has properties and additionalProperties: false, and requires all of them
    longest_description: int | None = None  # characters, of the tool and of each argument
    most_properties: int | None = None
    deepest: int | None = None  # levels of objects and arrays
    most_enum_values: int | None = None


INTERFACES: dict[str, Interface] = {
    # OpenAI, function calling without strict mode.
    # API reference, tools.function.name: "Must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum
    # length of 64". The other rules are errors of the API with the code invalid_function_parameters:
    # - "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level"
    #   (goruck/home-generative-agent#545)
    # - "object schema missing properties", of the root (spring-projects/spring-ai#4776)
    # - "array schema missing items" (sigoden/aichat#1049)
    # - "'allOf' is not permitted", inside an argument (makenotion/notion-mcp-server#102)
    # - "Expected a string with maximum length 1024", of descriptions, by some models (getsentry/sentry-mcp#106)
    "openai": Interface(
        refused=frozenset({"allOf", "oneOf", "not"}),
        refused_at_root=COMBINERS | {"enum", "const"},
        root_has_properties=True,
        array_has_items=True,
        required_exist=True,
        longest_description=1_024,
    ),
    # OpenAI, strict mode: the guide "Structured Outputs", section "Supported schemas".
    # - All fields are required, and every object has additionalProperties: false.
    # - The root is an object without anyOf.
    # - A schema has at most 5,000 properties, 10 levels of nesting and 1,000 values of enums.
    # - allOf, not, dependentRequired, dependentSchemas, if, then and else are not supported.
    # - An object without the keyword properties is refused too (measured in google/adk-go#1614).
    "openai strict": Interface(
        keywords=frozenset(
            {
                *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"),
                *("description", "title", "$ref", "$defs", "pattern", "format", "multipleOf", "minimum", "maximum"),
                *("exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"),
            }
        ),
        refused_at_root=COMBINERS | {"enum", "const"},
        root_has_properties=True,
        typed=True,
        array_has_items=True,
        required_exist=True,
        closed=True,
        longest_description=1_024,
        most_properties=5_000,
        deepest=10,
        most_enum_values=1_000,
    ),
    # VS Code: microsoft/vscode-copilot-chat, src/extension/tools/common/toolSchemaNormalizer.ts.
    # - It throws for a schema that is not valid in draft 7, and for an array without items.
    # - It repairs a tool without a description, a root that is not an object or has no properties, combiners at the
    #   root, required names that are not properties, and for Gemini lists of types.
    # - For gpt-4 it cuts descriptions after 1,024 characters and deletes the keywords that are refused here.
    # The rules here refuse what it repairs, so that models read the definition as we wrote it.
    "vscode": Interface(
        described=True,
        draft="7",
        refused=frozenset(
            {
                *("minLength", "maxLength", "pattern", "default", "format", "minimum", "maximum", "multipleOf"),
                *("patternProperties", "unevaluatedProperties", "propertyNames", "minProperties", "maxProperties"),
                *("unevaluatedItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems"),
            }
        ),
        refused_at_root=COMBINERS | {"if", "then", "else"},
        root_has_properties=True,
        one_type=True,
        array_has_items=True,
        required_exist=True,
        longest_description=1_024,
    ),
    # Google, FunctionDeclaration and Schema in the references of the Gemini API and of Vertex AI.
    # - The description is required in v1beta.
    # - The name "must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores, dots and
    #   dashes, with a maximum length of 64".
    # - "Parameter names must start with a letter or an underscore and must only contain chars a-z, A-Z, 0-9, or
    #   underscores with a maximum length of 64".
    # - Schema is "a select subset of an OpenAPI 3.0 schema object" with these fields and no other: "Unknown name".
    # Errors of the API:
    # - "items: missing field" (cline/cline#7339)
    # - "enum only allowed for STRING type" (decolua/9router#380)
    # - "type: must be specified when not using one_of, any_of or all_of fields" (danny-avila/LibreChat#6971)
    # - "items: field predicate failed: $type == Type.ARRAY" (anomalyco/opencode#49392)
    # - "required[0]: property is not defined" (iBUHub/AIStudioToAPI#154)
    "gemini": Interface(
        described=True,
        name=r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}",
        property_name=r"[a-zA-Z_][a-zA-Z0-9_]{0,63}",
        keywords=frozenset(
            {
                *("type", "format", "title", "description", "nullable", "default", "items", "minItems", "maxItems"),
                *("enum", "properties", "propertyOrdering", "required", "minProperties", "maxProperties", "minimum"),
                *("maximum", "minLength", "maxLength", "pattern", "example", "anyOf"),
            }
        ),
        refused_at_root=COMBINERS,
        one_type=True,
        typed=True,
        array_has_items=True,
        enum_is_text=True,
        by_type=True,
        required_exist=True,
    ),
    # Anthropic, tool use: the name "must match the regex ^[a-zA-Z0-9_-]{1,64}$", and input_schema is a JSON Schema
    # object (draft 2020-12). Errors of the API:
    # - "input_schema does not support oneOf, allOf, or anyOf at the top level" (perplexityai/perplexity-node#11)
    # - "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'" (n8n-io/n8n#30590)
    "anthropic": Interface(
        property_name=r"[a-zA-Z0-9_.-]{1,64}",
        refused_at_root=frozenset({"oneOf", "allOf", "anyOf"}),
    ),
}


def problems(tool: dict[str, Any], interface: str) -> list[str]:
    """Return the rules of an interface that a definition of ``tools/list`` breaks, each with its place."""
    rules, schema = INTERFACES[interface], tool["inputSchema"]
    found = [] if re.fullmatch(rules.name, tool["name"]) else [f"the name {tool['name']!r} is refused"]
    if rules.described and not tool.get("description"):
        found.append("the tool has no description")
    if rules.longest_description is not None and len(tool["description"]) > rules.longest_description:
        found.append("the description of the tool is too long")
    return [*found, *_invalid(schema, rules.draft), *_at_root(schema, rules), *_sizes(schema, rules)] + [
        f"{place or 'the root'}: {broken}" for place, one in nodes(schema) for broken in _at_node(one, rules)
    ]


def nodes(schema: Schema, place: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield a schema and all that are part of it, with their places."""
    yield place, schema
    parts = {f"{place}.{name}": one for name, one in schema.get("properties", {}).items()}
    parts |= {f"{place}.{key}": schema[key] for key in ("items", "additionalProperties", "not") if key in schema}
    parts |= {
        f"{place}.{key}[{at}]": one for key in ("anyOf", "oneOf", "allOf") for at, one in enumerate(schema.get(key, ()))
    }
    for at, one in parts.items():
        if isinstance(one, dict):
            yield from nodes(one, at)


def made_strict(schema: Schema) -> Schema:
    """Return a schema as converters make it for strict mode: closed objects that require all of their properties.

    An object whose keys the caller chooses becomes an empty one. Raises a ValueError if the schema says itself that an
    object is open, because converters refuse that."""
    made = {key: one for key, one in schema.items() if key not in ("properties", "items")}
    if "items" in schema:
        made["items"] = made_strict(schema["items"])
    if schema.get("type") == "object":
        if schema.get("additionalProperties", False) is not False:
            raise ValueError("an object with additionalProperties cannot be closed")
        properties = {name: made_strict(one) for name, one in schema.get("properties", {}).items()}
        made |= {"properties": properties, "required": list(properties), "additionalProperties": False}
    return made


def _invalid(schema: Schema, draft: str) -> list[str]:
    import jsonschema  # imported late, as tests/kit/schemas.py does

    kind = {"7": jsonschema.Draft7Validator, "2020-12": jsonschema.Draft202012Validator}[draft]
    return [f"not valid in draft {draft}: {error.message}" for error in kind(kind.META_SCHEMA).iter_errors(schema)]


def _at_root(schema: Schema, rules: Interface) -> Iterator[str]:
    if schema.get("type") != "object":
        yield "the root is not an object"
    if rules.root_has_properties and not isinstance(schema.get("properties"), dict):
        yield "the root has no properties"
    for key in sorted(rules.refused_at_root & schema.keys()):
        yield f"the root has {key}"


def _sizes(schema: Schema, rules: Interface) -> Iterator[str]:
    every = [one for _, one in nodes(schema)]
    sizes = {
        "properties": (sum(len(one.get("properties", ())) for one in every), rules.most_properties),
        "levels": (_levels(schema), rules.deepest),
        "values of enums": (sum(len(one.get("enum", ())) for one in every), rules.most_enum_values),
    }
    for what, (size, most) in sizes.items():
        if most is not None and size > most:
            yield f"it has {size} {what}, and {most} are the most"


def _levels(schema: Schema) -> int:
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return 1 + max((_levels(one) for one in inner), default=0) if inner else 0


def _at_node(schema: Schema, rules: Interface) -> Iterator[str]:
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [] if kind is None else [kind]
    for key in schema:
        if key in rules.refused or (rules.keywords and key not in rules.keywords):
            yield f"{key} is refused"
    if rules.one_type and isinstance(kind, list):
        yield "the type is a list"
    if not rules.types.issuperset(kinds):
        yield f"the type {kind!r} is unknown"
    if rules.typed and not kinds and not {"anyOf", "$ref"} & schema.keys():
        yield "there is no type"
    if rules.array_has_items and "array" in kinds and not isinstance(schema.get("items"), dict):
        yield "an array has no items"
    if len(schema.get("description", "")) > (rules.longest_description or len(schema.get("description", ""))):
        yield "the description is too long"
    yield from _of_values(schema, kinds, rules)
    yield from _of_members(schema, kinds, rules)


def _of_values(schema: Schema, kinds: list[str], rules: Interface) -> Iterator[str]:
    if rules.enum_is_text and "enum" in schema:
        if kinds != ["string"]:
            yield "an enum is of another type than string"
        if not all(isinstance(one, str) and one for one in schema["enum"]):
            yield "a value of an enum is empty or not a text"
    if rules.by_type and "items" in schema and kinds != ["array"]:
        yield "items of something that is not an array"
    if rules.by_type and {"properties", "required"} & schema.keys() and kinds != ["object"]:
        yield "properties of something that is not an object"


def _of_members(schema: Schema, kinds: list[str], rules: Interface) -> Iterator[str]:
    names = schema.get("properties", {})
    for name in names:
        if not re.fullmatch(rules.property_name, name):
            yield f"the name {name!r} is refused"
    if rules.required_exist:
        yield from (f"{name} is required and not defined" for name in schema.get("required", ()) if name not in names)
    if rules.closed and "object" in kinds:
        if "properties" not in schema:
            yield "an object has no properties"
        if schema.get("additionalProperties") is not False:
            yield "an object is not closed"
        if set(schema.get("required", ())) != set(names):
            yield "an object does not require all of its properties"
