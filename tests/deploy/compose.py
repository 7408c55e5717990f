"""docker-compose.yml as Compose would read it, for tests without containers."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml


ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yml"

SECRETS = {
    "SWAPFLOW_POSTGRES_PASSWORD": "pgsecret",
    "SWAPFLOW_REDIS_PASSWORD": "redissecret",
}

_VARIABLE = re.compile(r"\$\{(\w+)(?::(-|\?)([^}]*))?\}")


class MissingVariableError(Exception):
    """A variable that the file requires is not set."""


def compose(variables: Mapping[str, str]) -> dict[str, Any]:
    """Read the file with its variables filled in, as `docker compose config` does."""

    def fill(found: re.Match[str]) -> str:
        name, operator, rest = found.groups()
        if variables.get(name):
            return variables[name]
        if operator == "?":
            raise MissingVariableError(name)
        return rest or ""

    lines = [
        line if line.lstrip().startswith("#") else _VARIABLE.sub(fill, line)
        for line in COMPOSE.read_text("utf-8").splitlines()
    ]
    read: dict[str, Any] = yaml.safe_load("\n".join(lines))
    return read


def here(argv: list[str]) -> list[str]:
    """Rewrite a command of the image for this machine: its programs are those of this venv."""
    programs = {
        "python": sys.executable,
        "swapflow": str(Path(sys.executable).with_name("swapflow")),
    }
    return [programs.get(argv[0], argv[0]), *argv[1:]]
