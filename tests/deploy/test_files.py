"""Dockerfile, lock files, Redis configuration, systemd units and Kubernetes manifests."""

import configparser
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from swapflow.cli.main import main
from swapflow.processes.embedded_redis import find_server, server_answers
from swapflow.processes.heartbeat import HEARTBEAT_VARIABLE
from swapflow.processes.heartbeat import main as health
from swapflow.settings import Settings
from tests.deploy.compose import ROOT
from tests.support.process import Process
from tests.support.redis_server import debian_server


DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
MANIFESTS = [
    document
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text("utf-8"))
]
PODS: dict[str, Any] = {
    document["metadata"]["name"]: document["spec"]["template"]["spec"]
    for document in MANIFESTS
    if "template" in document.get("spec", {})
}
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8")
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
KNOWN = {f"SWAPFLOW_{field.upper()}" for field in Settings.model_fields} | {HEARTBEAT_VARIABLE}


def locked(path: Path) -> dict[str, set[str]]:
    """Read the versions that a lock file pins, by name."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(
        r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", path.read_text(), re.MULTILINE
    ):
        found.setdefault(canonicalize_name(name), set()).add(version)
    return found


def assert_command_exists(argv: list[str]) -> None:
    """Ask the command for its help; a command or option that is not there fails."""
    assert main([*argv, "--help"]) == 0, argv


# The image


def test_everything_the_image_copies_is_there_and_reaches_the_build() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    sources = {source.rstrip("/") for line in copied for source in line.split()}
    let_in = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line.startswith("!")
    }

    assert sources
    for source in sources:
        assert (ROOT / source).exists(), source
    assert sources == let_in


def test_the_image_runs_as_nobody_in_particular_from_hashes_only() -> None:
    text = DOCKERFILE

    assert re.search(r"^USER 10001$", text, re.MULTILINE)
    assert text.count("pip install") == 2
    assert "--require-hashes -r deploy/requirements.lock" in text
    assert "--no-deps --no-build-isolation ." in text


def test_the_settings_of_the_image_are_known() -> None:
    named = set(re.findall(r"\b(SWAPFLOW_\w+)=", DOCKERFILE))

    assert named
    assert named <= KNOWN


def test_the_lock_of_a_deployment_holds_what_the_package_needs_as_the_whole_lock_has_it() -> None:
    whole, part = locked(ROOT / "requirements.lock"), locked(DEPLOY / "requirements.lock")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = [Requirement(line) for line in project["project"]["dependencies"]]
    needed += [Requirement(line) for line in project["dependency-groups"]["build"]]

    assert part.items() <= whole.items()
    for requirement in needed:
        versions = part[canonicalize_name(requirement.name)]
        assert all(requirement.specifier.contains(version) for version in versions)
    assert "pytest" in whole
    assert "pytest" not in part


def test_no_package_is_locked_without_a_hash() -> None:
    for path in (ROOT / "requirements.lock", DEPLOY / "requirements.lock"):
        blocks = re.split(r"\n(?=[A-Za-z0-9])", path.read_text("utf-8").strip())
        assert len(blocks) > 50
        assert all("--hash=sha256:" in block for block in blocks), path


def test_a_python_that_runs_swapflow_can_be_named_for_every_locked_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    image = re.findall(r"^FROM python:(3\.\d+)-slim", DOCKERFILE, re.MULTILINE)

    assert len(set(image)) == 1
    assert Requirement(f"x{project['project']['requires-python']}").specifier.contains(image[0])


# Redis


@pytest.mark.parametrize("which", ["valkey", "redis7"])
def test_a_real_server_takes_the_configuration_and_acts_on_it(which: str) -> None:
    binary = find_server() if which == "valkey" else debian_server()
    folder = Path(tempfile.mkdtemp(prefix="sf-conf-"))
    socket = folder / "s"
    argv = [str(binary), str(DEPLOY / "redis.conf"), "--port", "0", "--dir", str(folder)]
    try:
        with Process([*argv, "--unixsocket", str(socket)]) as server:
            server.wait_for(lambda: server_answers(socket), what="an answer")
            wanted = ("appendonly", "appendfsync", "save", "maxmemory-policy")

            assert configured(socket, wanted) == ["yes", "everysec", "", "noeviction"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def configured(socket: Path, names: tuple[str, ...]) -> list[str]:
    client = redis.Redis(unix_socket_path=str(socket), decode_responses=True)
    with client:
        return [str(client.config_get(name)[name]) for name in names]


def test_kubernetes_gives_redis_the_same_configuration() -> None:
    def settings(text: str) -> list[str]:
        return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]

    (conf,) = (d for d in MANIFESTS if d["metadata"]["name"] == "redis-conf")

    assert settings(conf["data"]["redis.conf"]) == settings((DEPLOY / "redis.conf").read_text())


# systemd


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_the_command_of_a_unit_exists(unit: Path) -> None:
    read = configparser.ConfigParser(interpolation=None, strict=False)
    read.optionxform = str  # type: ignore[assignment, method-assign]  # keep upper case
    read.read(unit, encoding="utf-8")
    program, *arguments = shlex.split(read["Service"]["ExecStart"])

    assert program == "/opt/swapflow/bin/swapflow"
    assert_command_exists(arguments)
    assert read["Service"]["User"] == "swapflow"
    assert set(re.findall(r"SWAPFLOW_\w+(?==)", unit.read_text("utf-8"))) <= KNOWN


def test_units_refer_only_to_units_that_are_there() -> None:
    named = {
        name
        for unit in UNITS
        for name in re.findall(r"swapflow[a-z-]*\.service", unit.read_text("utf-8"))
    }

    assert named <= {unit.name for unit in UNITS}


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_itself_finds_nothing_wrong(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze on this machine")
    program = shutil.which("true")
    for path in UNITS:
        text = path.read_text("utf-8").replace("/opt/swapflow/bin/swapflow", str(program))
        (tmp_path / path.name).write_text(text, "utf-8")

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / unit.name],
        capture_output=True,
        text=True,
        check=False,
    )

    assert str(tmp_path) not in done.stderr, done.stderr
    assert "swapflow" not in done.stderr, done.stderr


# Kubernetes


@pytest.mark.parametrize("name", ["migrate", "coordinator", "worker", "mailer", "web"])
def test_the_command_of_a_container_exists_and_its_settings_are_known(name: str) -> None:
    (container,) = PODS[name]["containers"]
    program, *arguments = container["command"]
    (config,) = (d for d in MANIFESTS if d["metadata"]["name"] == "swapflow")
    named = {variable["name"] for variable in container["env"]} | set(config["data"])

    assert program == "swapflow"
    assert_command_exists(arguments)
    assert {name for name in named if name.startswith("SWAPFLOW_")} <= KNOWN
    assert {"SWAPFLOW_DATABASE_URL", "SWAPFLOW_REDIS_URL"} <= named


def test_two_coordinators_and_workers_run_and_are_asked_whether_they_live() -> None:
    for name in ("coordinator", "worker", "mailer"):
        (deployment,) = (
            d for d in MANIFESTS if d["kind"] == "Deployment" and d["metadata"]["name"] == name
        )
        (container,) = PODS[name]["containers"]
        assert deployment["spec"]["replicas"] == 2
        assert container["livenessProbe"]["exec"]["command"] == [
            "python",
            "-m",
            "swapflow.processes.heartbeat",
        ]


def test_every_manifest_selects_what_it_labels_and_mounts_what_it_has() -> None:
    for document in MANIFESTS:
        spec = document.get("spec", {})
        if "template" in spec and "selector" in spec:
            assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
    for name, pod in PODS.items():
        volumes = {volume["name"] for volume in pod["volumes"]}
        volumes |= {"data"} if name == "redis" else set()
        for container in pod["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes


def test_no_manifest_holds_a_password() -> None:
    assert not [document for document in MANIFESTS if document["kind"] == "Secret"]
    assert "password:" not in "".join(
        path.read_text("utf-8") for path in (DEPLOY / "kubernetes").glob("*.yaml")
    )


# The health check


def test_a_health_check_follows_the_heartbeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "beat"
    monkeypatch.setenv(HEARTBEAT_VARIABLE, str(file))
    assert health() == 1

    file.touch()
    assert health() == 0

    long_ago = time.time() - 60
    os.utime(file, (long_ago, long_ago))
    assert health() == 1
    monkeypatch.delenv(HEARTBEAT_VARIABLE)
    assert health() == 1
