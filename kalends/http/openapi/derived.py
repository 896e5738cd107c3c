"""Schemas of replies that are derived from those of records: of a dry run, and with the fields that the client has selected."""

from copy import deepcopy
from typing import Any

from kalends.http.dry_run import Outcome, is_offered
from kalends.http.endpoint import Endpoint
from kalends.http.input.fields import fields_of
from kalends.http.openapi.schema import nullable

Schema = dict[str, Any]

REF = "#/components/schemas/{name}"
FIELDS = "fields"


def selection_name(name: str) -> str:
    return f"{name}Selection"


def add_dry_runs(schemas: dict[str, Schema], endpoints: list[Endpoint]) -> None:
    """Give what writes return the fields that a dry run adds. Other replies do not have them."""
    outcome = schemas.pop(Outcome.__name__)["properties"]
    for endpoint in endpoints:
        if is_offered(endpoint):
            for kind in getattr(endpoint.result, "__args__", [endpoint.result]):
                schemas[kind.__name__]["properties"] |= deepcopy(outcome)


def add_selections(schemas: dict[str, Schema], endpoints: list[Endpoint]) -> None:
    """Add the schemas of replies to requests with `fields`: of a record, or of a list of records."""
    for endpoint in endpoints:
        if endpoint.format == "json" and has_selection(endpoint):
            _add_selection(schemas, endpoint.result.__name__)


def has_selection(endpoint: Endpoint) -> bool:
    """Whether a client may select the fields of the reply."""
    return endpoint.params is not None and any(field.name == FIELDS for field in fields_of(endpoint.params))


def _add_selection(schemas: dict[str, Schema], name: str) -> None:
    """A record has its id and whatever was selected; a list has such records."""
    selection = deepcopy(schemas[name])
    if "id" in selection["properties"]:
        selection["required"] = ["id"]
        selection["description"] = f"Selected fields of {name}."
    else:
        field, item = next((field, each["items"]["$ref"]) for field, each in selection["properties"].items() if each.get("type") == "array")
        record = item.rpartition("/")[2]
        _add_selection(schemas, record)
        selection["properties"][field]["items"] = {"$ref": REF.format(name=selection_name(record))}
        selection["description"] = "A page of records with selected fields."
    schemas[selection_name(name)] = selection | {"title": selection_name(name)}


def complete(schemas: dict[str, Schema]) -> None:
    """Declare fields with defaults as required, since a reply always has them, and write what may be null so that every generator
    understands it."""
    for schema in schemas.values():
        schema["required"] = [*schema.get("required", []), *_have_defaults(schema)]
        for field in schema.get("properties", {}).values():
            _flatten(field)


def _have_defaults(schema: Schema) -> list[str]:
    return [name for name, field in schema.get("properties", {}).items() if field.pop("default", field) is not field]


def _flatten(field: Schema) -> None:
    """Write `anyOf` of a plain type and null as one type; of another type and null, the field has the type's meaning."""
    plain = [each for each in field.get("anyOf", []) if each.get("type") != "null"]
    if len(plain) == 1 and isinstance(plain[0].get("type"), str):
        del field["anyOf"]
        field.update(nullable(plain[0]) | field)
    elif len(plain) == 1 and "description" in plain[0]:
        field.setdefault("description", plain[0]["description"])
