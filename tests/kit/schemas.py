"""JSON Schema as another implementation reads it. Imported late: that package takes 3 s of each process that has it."""

from __future__ import annotations

from typing import Any


def validator(schema: dict[str, Any]) -> Any:
    """Check a schema, and return the validator for it; without ``$schema`` it is one of 2020-12."""
    import jsonschema

    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    kind.check_schema(schema)
    return kind(schema)
