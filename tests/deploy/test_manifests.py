"""The manifests are what Kubernetes takes: held against its own schemas, strictly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


pytestmark = pytest.mark.slow

MANIFESTS = sorted((Path(__file__).parents[2] / "deploy" / "kubernetes").glob("*.yaml"))
VALIDATOR = "kubernetes-validate==1.37.0"
"""Brings the schemas of every release; 70 MB that no other test needs, so it is not locked."""

RELEASES = ("1.29.0", "1.37.0")
"""The oldest release that offices still run, and the newest that has schemas."""


@pytest.fixture(scope="module")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The validating program, in an environment of its own."""
    folder = tmp_path_factory.mktemp("validator")
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(folder / "bin" / "pip"), "install", "--quiet", VALIDATOR],
    ):
        subprocess.run(command, env=bare, check=True)
    return folder / "bin" / "kubernetes-validate"


def validated(validator: Path, release: str, *files: Path) -> subprocess.CompletedProcess[str]:
    """Hold files against the schemas of a release, where no unknown field may stand."""
    return subprocess.run(
        [validator, "--kubernetes-version", release, "--strict", *files],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("release", RELEASES)
def test_every_manifest_fits_the_schemas_of_the_release(validator: Path, release: str) -> None:
    done = validated(validator, release, *MANIFESTS)

    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in MANIFESTS} == {
        path.name for path in MANIFESTS if f"{path} passed" in done.stdout + done.stderr
    }


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("replicas: 2", "replicas: two"), ("containerPort: 8000", "containrPort: 8000")],
    ids=["a value of another type", "a field misspelt"],
)
def test_a_fault_in_a_manifest_is_found(
    validator: Path, tmp_path: Path, right: str, wrong: str
) -> None:
    (web,) = (path for path in MANIFESTS if path.name == "web.yaml")
    text = web.read_text("utf-8")
    assert right in text
    broken = tmp_path / "web.yaml"
    broken.write_text(text.replace(right, wrong), encoding="utf-8")

    assert validated(validator, RELEASES[-1], broken).returncode != 0
