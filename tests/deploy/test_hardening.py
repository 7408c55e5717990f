"""What a deployment's parts may do: every pod, unit and container, whichever comes next."""

import ctypes
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.compose import ROOT, SECRETS, compose


DEPLOY = ROOT / "deploy"
MANIFESTS: list[dict[str, Any]] = [
    document
    for path in sorted((DEPLOY / "kubernetes").rglob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text("utf-8"))
]
PODS: dict[str, dict[str, Any]] = {
    document["metadata"]["name"]: document["spec"]["template"]
    for document in MANIFESTS
    if "template" in document.get("spec", {})
}
POLICIES = [document for document in MANIFESTS if document["kind"] == "NetworkPolicy"]
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
SERVICES: dict[str, dict[str, Any]] = compose(SECRETS)["services"]

HARDENED = {
    "NoNewPrivileges": "true",
    "UMask": "0077",
    "StateDirectoryMode": "0700",
    "CapabilityBoundingSet": "",
    "AmbientCapabilities": "",
    "ProtectSystem": "strict",
    "ProtectHome": "true",
    "PrivateTmp": "true",
    "PrivateDevices": "true",
    "PrivateUsers": "true",
    "ProtectClock": "true",
    "ProtectControlGroups": "true",
    "ProtectHostname": "true",
    "ProtectKernelLogs": "true",
    "ProtectKernelModules": "true",
    "ProtectKernelTunables": "true",
    "ProtectProc": "invisible",
    "RemoveIPC": "true",
    "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX AF_NETLINK",
    "RestrictNamespaces": "true",
    "RestrictRealtime": "true",
    "RestrictSUIDSGID": "true",
    "LockPersonality": "true",
    "MemoryDenyWriteExecute": "true",
    "SystemCallArchitectures": "native",
    "SystemCallErrorNumber": "EPERM",
}
FILTERS = ["@system-service", "~@privileged @resources"]
MOST_EXPOSED = 15
"""Tenths, as systemd counts: from 0, which can do nothing, to 100, which can do anything."""

TALKS = {
    ("web", "redis", 6379),
    ("worker", "redis", 6379),
    ("coordinator", "redis", 6379),
    ("mailer", "redis", 6379),
}
"""Every connection inside the namespace that there may be, by the part that makes it."""


def settings_of(unit: Path) -> list[tuple[str, str]]:
    """Read the lines of a unit's section [Service], repeated ones too."""
    service = unit.read_text("utf-8").partition("[Service]")[2].partition("\n[")[0]
    return re.findall(r"^(\w+)=(.*)$", service, re.MULTILINE)


# systemd


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_a_unit_may_do_what_swapflow_does_and_no_more(unit: Path) -> None:
    lines = settings_of(unit)

    assert HARDENED.items() <= dict(lines).items()
    assert [value for name, value in lines if name == "SystemCallFilter"] == FILTERS


def test_the_folder_of_units_holds_units_alone() -> None:
    assert sorted((DEPLOY / "systemd").iterdir()) == UNITS
    assert len(UNITS) >= 5


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_itself_calls_a_unit_little_exposed(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze on this machine")
    text = unit.read_text("utf-8").replace("/opt/swapflow/bin/swapflow", "/bin/true")
    (tmp_path / unit.name).write_text(text, "utf-8")

    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager",
         f"--threshold={MOST_EXPOSED}", tmp_path / unit.name],
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-500:] + done.stderr


def test_swapflow_and_what_it_computes_with_need_no_memory_that_is_written_and_run() -> None:
    libc = ctypes.CDLL(None, use_errno=True)

    def refuse() -> None:
        libc.prctl(65, 1, 0, 0, 0)  # PR_SET_MDWE, as MemoryDenyWriteExecute asks of the kernel

    script = (
        "import numpy, swapflow.web.app, swapflow.queues.celery, swapflow.processes.deployment\n"
        "from scipy.optimize import LinearConstraint, milp\n"
        "from swapflow.identity.passwords import hash_password\n"
        "assert milp([-1, -1], constraints=LinearConstraint([[1, 1]], 0, 1)).success\n"
        "assert hash_password('correct horse battery')\n"
        "import psycopg, cryptography.hazmat.primitives.asymmetric.ed25519\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        preexec_fn=refuse,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


# Kubernetes


@pytest.mark.parametrize("name", PODS)
def test_a_pod_fits_the_restricted_standard_and_has_no_way_to_the_cluster(name: str) -> None:
    pod = PODS[name]["spec"]
    whole = pod["securityContext"]

    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
    assert not [volume for volume in pod["volumes"] if "hostPath" in volume]
    assert whole["runAsNonRoot"] is True
    assert whole["runAsUser"] > 0
    assert whole["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in [*pod["containers"], *pod.get("initContainers", ())]:
        context = container["securityContext"]
        assert context == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, container["name"]
        assert "memory" in container["resources"]["limits"], container["name"]


def test_every_kind_of_pod_is_known_to_these_tests() -> None:
    with_pods = {"CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "StatefulSet"}
    named = {d["metadata"]["name"] for d in MANIFESTS if d["kind"] in with_pods}

    assert named == set(PODS) >= {"coordinator", "migrate", "redis", "web", "worker"}
    assert set(PODS) <= {sender for sender, _, _ in TALKS} | {"migrate", "redis"}


@pytest.mark.parametrize("name", PODS)
def test_a_pod_is_closed_both_ways_but_for_what_a_policy_opens(name: str) -> None:
    directions = {
        direction
        for policy in POLICIES
        if selects(policy["spec"]["podSelector"], labels(name))
        for direction in policy["spec"]["policyTypes"]
    }

    assert directions == {"Ingress", "Egress"}


def test_inside_the_namespace_there_are_the_connections_that_are_needed_and_no_others() -> None:
    ports = {5432, 6379, 8000, 443, 22}
    found = {
        (sender, receiver, port)
        for sender in PODS
        for receiver in PODS
        for port in ports
        if sender != receiver
        and opens("egress", "to", sender, receiver, port)
        and opens("ingress", "from", receiver, sender, port)
    }

    there = {talk for talk in TALKS if talk[0] in PODS}
    assert {talk for talk in found if talk[2] != 8000} == there


def test_what_a_part_needs_outside_is_open_and_no_more() -> None:
    assert outside("redis") == set()
    assert outside("migrate") == outside("coordinator") == {53, 5432}
    assert outside("web") == outside("worker") == {53, 5432, 25, 80, 443, 465, 587}
    assert opens("ingress", "from", "web", None, 8000)


def test_no_policy_opens_the_addresses_where_a_cloud_tells_its_machines_their_keys() -> None:
    blocks = [
        peer["ipBlock"]
        for policy in POLICIES
        for rule in policy["spec"].get("egress", ())
        for peer in rule["to"]
        if "ipBlock" in peer
    ]

    assert blocks
    for block in blocks:
        kept = {"0.0.0.0/0": "169.254.0.0/16", "::/0": "fd00:ec2::254/128"}[block["cidr"]]
        assert kept in block["except"]


def labels(name: str) -> Mapping[str, str]:
    found: Mapping[str, str] = PODS[name]["metadata"]["labels"]
    return found


def selects(selector: Mapping[str, Any], found: Mapping[str, str]) -> bool:
    """Whether a selector of pods takes one with these labels."""
    named = selector.get("matchLabels", {}).items() <= found.items()
    return named and all(
        (found.get(one["key"]) in one["values"]) == {"In": True, "NotIn": False}[one["operator"]]
        for one in selector.get("matchExpressions", ())
    )


def rules(way: str, name: str) -> Iterator[Mapping[str, Any]]:
    for policy in POLICIES:
        if selects(policy["spec"]["podSelector"], labels(name)):
            yield from policy["spec"].get(way, ())


def opens(way: str, peers: str, of: str, other: str | None, port: int) -> bool:
    """Whether some policy of a pod lets it talk to another one, or to anybody for None."""
    for rule in rules(way, of):
        if port not in {one["port"] for one in rule["ports"]}:
            continue
        if peers not in rule:
            return True
        for peer in rule[peers]:
            if other and "podSelector" in peer and selects(peer["podSelector"], labels(other)):
                return True
            if "ipBlock" in peer and peers == "from":
                return True
    return False


def outside(name: str) -> set[int]:
    """Return the ports that a pod reaches beyond the pods of this namespace."""
    return {
        one["port"]
        for rule in rules("egress", name)
        for one in rule["ports"]
        if any("podSelector" not in peer for peer in rule["to"])
    }


# Compose, and images


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_of_compose_writes_to_its_volumes_alone_without_capabilities(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    official = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}
    assert set(service.get("cap_add", ())) <= (
        official if name in {"redis", "postgres"} else set()
    )


def test_every_image_has_a_digest_or_is_named_by_the_policy_of_images() -> None:
    page = (DEPLOY / "kubernetes" / "README.md").read_text("utf-8")
    policy = page.partition("## Images")[2].partition("\n## ")[0]
    named = {
        container["image"]
        for pod in PODS.values()
        for container in [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]
    } | {service["image"] for service in SERVICES.values()}

    assert "pin each by its digest" in policy
    for image in named:
        name, _, tag = image.partition("@")[0].partition(":")
        assert tag not in {"", "latest"}, image
        assert "@sha256:" in image or name == "swapflow" or f"`{name}`" in policy, image
