"""What others rely on keeps its name, and what people read keeps its wording."""

import ast
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
import typer
from celery import Celery
from fastapi import APIRouter, FastAPI
from kombu import Queue
from pydantic import BaseModel
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import Column, Index, Integer, MetaData, String, Table, text
from typer.core import TyperGroup
from typer.main import get_command

from tests.support import public_names
from tests.support.error_messages import error_messages


class Costs(BaseModel):
    weak: int = 1


class SmallRules(BaseModel):
    places: int
    kinds: list[Costs]


class SmallSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="SWAPFLOW_")
    port: int = 80


def answer() -> str:
    return "done"


def modules(code: str) -> list[ast.Module]:
    return [ast.parse(textwrap.dedent(code))]


@pytest.mark.parametrize("kind", public_names.KINDS)
def test_names_and_wording_are_those_of_the_record(kind: str) -> None:
    found = public_names.differences(public_names.recorded(), public_names.collected())

    assert [line for line in found if line[2:].startswith(f"{kind}: ")] == [], (
        "`python -m tests.support.public_names` writes the record anew, where that is meant"
    )


@pytest.mark.parametrize("kind", public_names.KINDS)
def test_a_name_that_was_altered_is_shown_with_what_it_was(kind: str) -> None:
    names = public_names.collected()
    old = names[kind][len(names[kind]) // 2]
    altered = {**names, kind: [f"{line}_x" if line == old else line for line in names[kind]]}

    found = public_names.differences(public_names.recorded(), altered)

    assert found == [f"- {kind}: {old}", f"+ {kind}: {old}_x"]


def test_the_record_is_written_anew_and_the_difference_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    public_names.write(public_names.collected(), tmp_path)
    events = tmp_path / "events.txt"
    events.write_text(events.read_text("utf-8").replace("\npaused\n", "\nhalted\n"), "utf-8")

    public_names.main(tmp_path)
    first = capsys.readouterr().out.splitlines()
    public_names.main(tmp_path)
    second = capsys.readouterr().out.splitlines()

    assert first[:-1] == ["- events: halted", "+ events: paused"]
    assert second[:-1] == []
    assert public_names.recorded(tmp_path) == public_names.collected()


def test_columns_indexes_and_constraints_are_told_with_their_types() -> None:
    metadata = MetaData()
    table = Table(
        "pull",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("name", String, unique=True),
    )
    Index("ix_open", table.c.name, postgresql_where=text("name <> ''"))

    assert sorted(public_names.tables(metadata)) == [
        "pull index ix_open (name) where name <> ''",
        "pull unique (name)",
        "pull.id INTEGER not null primary key",
        "pull.name VARCHAR",
    ]


def test_commands_are_told_with_their_arguments_and_options() -> None:
    app = typer.Typer(add_completion=False)

    @app.command()
    def launch(cycle: str, looks: int = 3, *, quick: bool = False) -> None: ...

    @app.command(hidden=True)
    def old(by: str = typer.Option("", "--by", "-b", envvar="SWAPFLOW_USER")) -> None: ...

    group = get_command(app)
    assert isinstance(group, TyperGroup)
    assert list(public_names.commands(group)) == [
        "launch",
        "launch 1: cycle required",
        "launch --looks = 3",
        "launch --quick / --no-quick flag = False",
        "old (hidden)",
        "old --by / -b from SWAPFLOW_USER",
    ]


def test_pages_are_told_with_their_methods_and_the_api_is_left_to_its_description() -> None:
    inner, app = APIRouter(), FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    inner.post("/tasks/{task}")(answer)
    inner.get("/api/v1/tasks")(answer)
    app.include_router(inner)

    assert list(public_names.pages(app)) == ["POST /tasks/{task}"]


def test_tasks_and_queues_are_told_with_the_prefix_of_their_keys() -> None:
    app = Celery("other", set_as_current=False)
    app.conf.update(
        task_queues=[Queue("mail", routing_key="mail")],
        task_default_exchange="house",
        broker_transport_options={"global_keyprefix": "q:"},
    )
    app.task(name="house.send", shared=False)(answer)

    found = list(public_names.queues(app))

    # Celery gives an app the tasks of the other apps of its process as well.
    assert found[-4:] == ["task house.send", "queue mail mail", "exchange house", "prefix q:"]


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (
            public_names.enumerations(
                modules("""
                class PullWhy(StrEnum):
                    FLOOR = "floor"
                    APPEAL = "appeal"

                class Other(Enum):
                    A = "a"
                """)
            ),
            ["appeal | floor"],
        ),
        (
            public_names.revisions(modules("revision: str = '0002'\ndown_revision = '0001'")),
            ["0002 after 0001"],
        ),
        (
            public_names.metrics(
                modules("""
                Gauge("swapflow_cycle", "Where it is.", labels=["cycle", "status"])
                figure("swapflow_free", "Room left.")
                import_module("swapflow_extra")
                """)
            ),
            ["swapflow_cycle by cycle, status", "swapflow_free"],
        ),
        (
            public_names.routes({"paths": {"/a": {"get": {}, "post": {}}}}),
            ["GET /a", "POST /a"],
        ),
        (
            public_names.rules_keys(SmallRules),
            ["places: integer required", "kinds: array required", "kinds[].weak: integer = 1"],
        ),
        (
            public_names.environment(
                SmallSettings, modules("'SWAPFLOW_PORT', 'SWAPFLOW_USER', 'set SWAPFLOW_X'")
            ),
            ["SWAPFLOW_PORT: integer = 80", "SWAPFLOW_USER"],
        ),
    ],
)
def test_names_are_read_from_what_holds_them(found: Iterable[str], lines: Sequence[str]) -> None:
    assert list(found) == lines


def test_keys_of_the_live_state_are_told_with_the_fields_of_its_hashes() -> None:
    script = "redis.call('HSET', KEYS[1], 'seq', ARGV[1],\n  'arms', ARGV[2])\nreturn 'done'"

    found = list(public_names.redis_keys([script], modules("Limits(key_prefix='swapflow:tries')")))

    assert found[-3:] == ["field seq", "field arms", "prefix swapflow:tries"]
    assert found[0].startswith("key ")


def test_messages_are_told_without_the_names_of_what_is_filled_in(tmp_path: Path) -> None:
    template = tmp_path / "messages.pot"
    template.write_text(
        'msgid "no cycle {id}"\nmsgstr ""\n\n'
        'msgid "%(count)s way"\nmsgid_plural "%(count)s ways"\nmsgstr[0] ""\nmsgstr[1] ""\n',
        encoding="utf-8",
    )

    assert sorted(public_names.messages(template)) == ["no cycle {}", "{} way", "{} ways"]


@pytest.mark.parametrize(
    ("code", "templates"),
    [
        ('raise NotFoundError("there is no such document")', {"there is no such document"}),
        ('raise NotFoundError(f"no cycle {a.id!r}, {n:,} others")', {"no cycle {}, {} others"}),
        ('raise NotFoundError("no_cycle", cycle=a)', set()),
        ('TEXTS = {"no_cycle": "no cycle {cycle!r}, {n:,} others"}', {"no cycle {}, {} others"}),
        ('TEXTS = {"places": ("{n} place", "{n} places")}', {"{} place", "{} places"}),
        ('raise InvalidInputError("write {x}")', {"write {{x}}"}),
        ('TEXTS = {"write": "write {{x}}"}', {"write {{x}}"}),
        (
            "raise NotReadyError(f\"{n} {'place' if n == 1 else 'places'} left\")",
            {"{} place left", "{} places left"},
        ),
        ('raise ConflictError(f"{a}{b}" + " is gone")', {"{} is gone"}),
        ('return UnavailableError("no answer", outside="try later")', {"no answer", "try later"}),
        ('BadRow(line=1, reason="no date", cure=f"Write {x}")', {"no date", "Write {}"}),
        ('Decline(reason="no time")', set()),
        ('GONE = "it is gone"\nraise ConflictError(GONE)', {"it is gone"}),
        ('def _why():\n    return f"{x} waits"\nraise ConflictError(_why())', {"{} waits"}),
        ('def read():\n reason = f"{x} is no mark"\n refuse(reason)', {"{} is no mark"}),
        ('def read(row):\n return "no mark", f"Write {x}"', {"no mark", "Write {}"}),
        (
            'def refuse(self, row, cure): ...\nself.refuse("no mark", "Write one")',
            {"no mark", "Write one"},
        ),
        ('raise self._refused("the name is empty")', {"the name is empty"}),
        ('raise ValueError(later("this is no number"))', {"this is no number"}),
        (
            'class GoneError(Error):\n def __init__(self, a):\n  super().__init__(f"{a} left")',
            {"{} left"},
        ),
        ('raise TypeError(f"{a}: {b}")', set()),
    ],
)
def test_a_sentence_of_an_error_is_told_wherever_it_is_written(
    code: str, templates: set[str]
) -> None:
    assert error_messages([ast.parse(code)]) == templates


def test_a_sentence_in_a_constant_is_told_where_another_module_raises_it() -> None:
    one, other = ast.parse('GONE = "it is gone"'), ast.parse("raise ConflictError(GONE)")

    assert error_messages([one, other]) == {"it is gone"}
