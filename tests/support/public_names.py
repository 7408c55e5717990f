"""Collects the names that other people's data, scripts and dashboards rely on.

`python -m tests.support.public_names` shows what differs from the record in `tests/public_names/`,
and writes the record anew; a test compares the two.
"""

import ast
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar, cast

from babel.messages.pofile import read_po
from celery import Celery
from fastapi import FastAPI
from pydantic import BaseModel
from pydantic_settings import BaseSettings
from sqlalchemy import Column, Index, MetaData, UniqueConstraint
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.dialects.sqlite.base import SQLiteDialect
from sqlalchemy.engine import Dialect
from sqlmodel import SQLModel
from typer.core import TyperGroup
from typer.main import get_command

# What holds the names; nothing else of this module knows where it is.
import swapflow
import swapflow.ledger.schema
from swapflow.cli.main import app as command
from swapflow.domain.event import EventType
from swapflow.files.rules.schema_tables import RulesTable
from swapflow.i18n.languages import CATALOGUES
from swapflow.settings import Settings, load_settings
from swapflow.state.keys import BELL, cycle_keys, dashboard_key
from swapflow.web.app import create_app
from tests.support.error_messages import error_messages, one_line, places_unnamed
from workers.app import app as celery


RECORD = Path(__file__).parents[1] / "public_names"
ROOT = Path(__file__).parents[2]
PRODUCT = Path(swapflow.__file__).parent
CODE = (PRODUCT, ROOT / "workers")
TEMPLATE = CATALOGUES / "messages.pot"
OPENAPI = ROOT / "docs" / "openapi.json"
DIALECTS: tuple[Dialect, ...] = (
    SQLiteDialect(),
    PGDialect(),  # type: ignore[no-untyped-call]  # no types are given for its arguments
)

T = TypeVar("T", bound=ast.AST)

Names = Mapping[str, Sequence[str]]
"""The lines of each kind, by the kind."""


class _Route(Protocol):
    path: str
    methods: set[str]


class _Parameter(Protocol):
    """An option or argument, as typer holds it."""

    name: str
    opts: list[str]
    secondary_opts: list[str]
    required: bool
    multiple: bool
    nargs: int
    hidden: bool
    envvar: str | None
    default: object
    is_flag: bool
    param_type_name: str


# Stored


def tables(metadata: MetaData) -> Iterator[str]:
    """Return a line per column, index and unique constraint."""
    for table in metadata.tables.values():
        for column in table.columns:
            yield f"{table.name}.{column.name} {_column(column)}"
        for index in table.indexes:
            yield f"{table.name} {_index(index)}"
        for constraint in table.constraints:
            if isinstance(constraint, UniqueConstraint):
                yield f"{table.name} unique ({', '.join(one.name for one in constraint.columns)})"


def _column(column: Column[object]) -> str:
    types = dict.fromkeys(column.type.compile(dialect=dialect) for dialect in DIALECTS)
    parts = [
        " / ".join(types),
        "" if column.nullable else "not null",
        "primary key" if column.primary_key else "",
        *sorted(f"references {key.target_fullname}" for key in column.foreign_keys),
    ]
    return " ".join(filter(None, parts))


def _index(index: Index) -> str:
    columns = ", ".join(str(getattr(one, "name", None) or one) for one in index.expressions)
    where = index.dialect_options["postgresql"].get("where")
    return " ".join(
        filter(
            None,
            (
                "unique index" if index.unique else "index",
                str(index.name),
                f"({columns})",
                "" if where is None else f"where {where}",
            ),
        )
    )


def enumerations(modules: Iterable[ast.Module]) -> Iterator[str]:
    """Return a line per enumeration of texts: its values, whatever it and its members are called.

    The record keeps every enumeration, for most are stored, sent or read from files.
    """
    for node in _nodes(modules, ast.ClassDef):
        if not any(_called(base) == "StrEnum" for base in node.bases):
            continue
        values = [
            one.value.value
            for one in node.body
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
        ]
        yield " | ".join(sorted(str(value) or '""' for value in values))


def revisions(modules: Iterable[ast.Module]) -> Iterator[str]:
    """Return a line per migration: its revision and the one before."""
    for module in modules:
        found = {
            target.id: ast.literal_eval(node.value)
            for node in module.body
            for target in _targets(node)
            if target.id in {"revision", "down_revision"}
            and isinstance(node, ast.Assign | ast.AnnAssign)
            and node.value is not None
        }
        if len(found) == 2:
            yield f"{found['revision']} after {found['down_revision']}"


def _targets(node: ast.stmt) -> Iterator[ast.Name]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    yield from (target for target in targets if isinstance(target, ast.Name))


# Sent and read


def queues(app: Celery) -> Iterator[str]:
    """Return the names of tasks and queues, and what every key of the broker begins with."""
    app.loader.import_default_modules()
    yield from (f"task {name}" for name in app.tasks if not name.startswith("celery."))
    yield from (f"queue {queue.name} {queue.routing_key}" for queue in app.conf.task_queues)
    yield f"exchange {app.conf.task_default_exchange}"
    yield f"prefix {app.conf.broker_transport_options['global_keyprefix']}"


def redis_keys(scripts: Iterable[str], modules: Iterable[ast.Module]) -> Iterator[str]:
    """Return the keys of the live state, the fields of its hashes and other prefixes."""
    yield from (f"key {key}" for key in (BELL, dashboard_key("{C}"), *cycle_keys("{C}")))
    for script in scripts:
        for call in re.findall(
            r"redis\.call\('(?:HMGET|HSET|HGET|HINCRBY)'(.*?)\)", script, re.DOTALL
        ):
            yield from (f"field {name}" for name in re.findall(r"'(\w+)'", call))
    for text in _texts(modules):
        if re.fullmatch(r"swapflow:\w+", text):
            yield f"prefix {text}"


def routes(description: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    """Return a line per operation of the API's description."""
    for path, operations in description["paths"].items():
        for method in cast("Mapping[str, object]", operations):
            yield f"{method.upper()} {path}"


def pages(app: FastAPI) -> Iterator[str]:
    """Return a line per address that the web process answers outside the API."""
    for route in _routes(app.routes):
        if not route.path.startswith("/api/"):
            yield from (f"{method} {route.path}" for method in route.methods - {"HEAD"})


def _routes(found: Iterable[object]) -> Iterator[_Route]:
    for route in found:
        if hasattr(route, "effective_candidates"):  # an included router
            yield from _routes(route.effective_candidates())
        elif hasattr(route, "methods"):
            yield cast("_Route", route)


def commands(group: TyperGroup, path: str = "") -> Iterator[str]:
    """Return a line per command and one per argument and option of each."""
    for position, parameter in enumerate(group.params):
        yield f"{path or 'swapflow'} {_parameter(cast('_Parameter', parameter), position)}"
    for name, one in getattr(group, "commands", {}).items():
        inner = f"{path} {name}".strip()
        yield f"{inner}{' (hidden)' if one.hidden else ''}"
        yield from commands(one, inner)


def _parameter(parameter: _Parameter, position: int) -> str:
    flags = " / ".join(filter(None, (*parameter.opts, *parameter.secondary_opts)))
    default = parameter.default
    parts = [
        # Only arguments are told apart by where they are.
        f"{position + 1}: {parameter.name}" if _is_argument(parameter) else flags,
        "flag" if getattr(parameter, "is_flag", False) else "",
        "required" if parameter.required else "",
        "repeated" if parameter.multiple or parameter.nargs != 1 else "",
        "hidden" if parameter.hidden else "",
        f"from {parameter.envvar}" if parameter.envvar else "",
        f"= {default}" if isinstance(default, str | int | float) and default != "" else "",
    ]
    return " ".join(filter(None, parts))


def _is_argument(parameter: _Parameter) -> bool:
    return parameter.param_type_name == "argument"


def rules_keys(schema: type[BaseModel]) -> Iterator[str]:
    """Return a line per setting of a rules file."""
    described = schema.model_json_schema(by_alias=True)
    yield from _settings(described, described.get("$defs", {}), "")


def _settings(
    table: Mapping[str, object], tables: Mapping[str, Mapping[str, object]], path: str
) -> Iterator[str]:
    required = cast("Sequence[str]", table.get("required", ()))
    properties = cast("Mapping[str, Mapping[str, object]]", table.get("properties", {}))
    for name, described in properties.items():
        yield f"{path}{name}: {_kind(described, tables)}{' required' * (name in required)}"
        for inner, suffix in _inner_tables(described):
            yield from _settings(tables[inner], tables, f"{path}{name}{suffix}.")


def _inner_tables(described: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Return the names of the tables that a setting holds, and [] for those in a list."""
    for inner in (described, *cast("Sequence[dict[str, object]]", described.get("anyOf", ()))):
        if "$ref" in inner:
            yield str(inner["$ref"]).rpartition("/")[2], ""
        items = cast("Mapping[str, object]", inner.get("items", {}))
        if "$ref" in items:
            yield str(items["$ref"]).rpartition("/")[2], "[]"


def _kind(described: Mapping[str, object], defined: Mapping[str, Mapping[str, object]]) -> str:
    """Return the type or the choices, and the default, of a value in a JSON schema."""
    either = cast("Sequence[Mapping[str, object]]", described.get("anyOf", (described,)))
    kinds = []
    for one in either:
        whole = defined[str(one["$ref"]).rpartition("/")[2]] if "$ref" in one else one
        choices = cast("Sequence[object]", whole.get("enum", ()))
        kinds += [json.dumps(choice) for choice in choices] or [str(whole.get("type", "any"))]
    default = described.get("default")
    shown = "default" in described and not isinstance(default, dict)
    return " | ".join(kinds) + (f" = {json.dumps(default)}" if shown else "")


def environment(settings: type[BaseSettings], modules: Iterable[ast.Module]) -> Iterator[str]:
    """Return a line per setting, and one per other variable that the code names."""
    prefix = settings.model_config["env_prefix"]
    schema = settings.model_json_schema()
    known = {f"{prefix}{name.upper()}": one for name, one in schema["properties"].items()}
    yield from (f"{name}: {_kind(one, schema.get('$defs', {}))}" for name, one in known.items())
    for text in _texts(modules):
        if re.fullmatch(r"SWAPFLOW_[A-Z_]*[A-Z]", text) and text not in known:
            yield text


def metrics(modules: Iterable[ast.Module]) -> Iterator[str]:
    """Return a line per figure for Prometheus, with its kind and labels."""
    for call in _nodes(modules, ast.Call):
        match call.args:
            case [ast.Constant(value=str(name)), ast.Constant(value=str()), *_]:
                if re.fullmatch(r"swapflow_[a-z_]+", name):
                    yield " ".join((name, *_labels(call)))
            case _:
                pass


def _labels(call: ast.Call) -> Iterator[str]:
    for given in call.keywords:
        if given.arg == "labels":
            yield f"by {', '.join(ast.literal_eval(given.value))}"


# Read by people


def messages(template: Path) -> Iterator[str]:
    """Return a line per message of the catalogue, plural forms apart, with places unnamed."""
    with template.open("rb") as file:
        catalogue = read_po(file)
    for message in catalogue:
        forms = (message.id,) if isinstance(message.id, str) else tuple(message.id)
        for form in filter(None, forms):
            unnamed = re.sub(r"%\(\w+\)[sd]", "{}", form)
            yield one_line(unnamed if unnamed != form else places_unnamed(form))


# All of it


def _nodes(modules: Iterable[ast.Module], kind: type[T]) -> Iterator[T]:
    for module in modules:
        yield from (node for node in ast.walk(module) if isinstance(node, kind))


def _texts(modules: Iterable[ast.Module]) -> Iterator[str]:
    for node in _nodes(modules, ast.Constant):
        if isinstance(node.value, str):
            yield node.value


def _called(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


@cache
def _modules() -> tuple[ast.Module, ...]:
    files = sorted(file for folder in CODE for file in folder.rglob("*.py"))
    return tuple(ast.parse(file.read_bytes()) for file in files)


KINDS: Mapping[str, tuple[str, Callable[[], Iterable[str]]]] = {
    "tables": ("Columns, indexes and constraints", lambda: tables(SQLModel.metadata)),
    "events": ("Types of events in the record", lambda: (one.value for one in EventType)),
    "enumerations": ("Values of each enumeration", lambda: enumerations(_modules())),
    "revisions": ("Migrations", lambda: revisions(_modules())),
    "queues": ("Names in the message broker", lambda: queues(celery)),
    "redis_keys": (
        "Keys of the live state; C is a cycle's id",
        lambda: redis_keys(
            (file.read_text("utf-8") for file in PRODUCT.rglob("*.lua")), _modules()
        ),
    ),
    "routes": ("Operations of the API", lambda: routes(json.loads(OPENAPI.read_text("utf-8")))),
    "pages": ("Addresses of pages and forms", lambda: pages(_application())),
    "commands": ("Commands, arguments and options", lambda: commands(_root())),
    "rules_keys": ("Settings of a rules file", lambda: rules_keys(RulesTable)),
    "environment": ("Environment variables", lambda: environment(Settings, _modules())),
    "metrics": ("Figures for Prometheus, and their labels", lambda: metrics(_modules())),
    "messages": ("Messages of the catalogue", lambda: messages(TEMPLATE)),
    "error_messages": ("Sentences of errors", lambda: map(one_line, error_messages(_modules()))),
}
"""What each kind is, and how it is collected."""


def _application() -> FastAPI:
    # Nothing is asked of the product: only addresses are read.
    return create_app(None, None, load_settings(data_dir="var"))  # type: ignore[arg-type]


def _root() -> TyperGroup:
    return cast("TyperGroup", get_command(command))


@cache
def collected() -> Names:
    """Return the names as the code has them, sorted."""
    return {kind: sorted(set(collect())) for kind, (_, collect) in KINDS.items()}


def recorded(folder: Path = RECORD) -> Names:
    """Return the names as they were recorded; a kind without a file has none."""
    return {kind: _read(folder / f"{kind}.txt") for kind in KINDS}


def _read(file: Path) -> list[str]:
    # The first line says what the file is.
    return file.read_text("utf-8").splitlines()[1:] if file.exists() else []


def differences(before: Names, now: Names) -> list[str]:
    """Return a line per name that is gone (-) or new (+), with its kind."""
    return [
        f"{sign} {kind}: {line}"
        for kind in KINDS
        for sign, these, those in (("-", before, now), ("+", now, before))
        for line in sorted(set(these[kind]) - set(those[kind]))
    ]


def write(names: Names, folder: Path) -> None:
    """Write a file per kind into a folder."""
    folder.mkdir(exist_ok=True)
    for kind, lines in names.items():
        head = f"# {KINDS[kind][0]}; `python -m tests.support.public_names` writes this file."
        (folder / f"{kind}.txt").write_text("\n".join((head, *lines, "")), encoding="utf-8")


def main(folder: Path = RECORD) -> None:
    """Show what differs from the record, and write the record anew."""
    names = collected()
    found = differences(recorded(folder), names)
    write(names, folder)
    sys.stdout.writelines(f"{line}\n" for line in found)
    print(f"{sum(map(len, names.values()))} names, {len(found)} differences")


if __name__ == "__main__":
    main()
