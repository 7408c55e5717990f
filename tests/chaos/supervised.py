"""The supervisor of a campaign: coordinators, workers and web processes, each on links of its own.

Run as `python -m tests.chaos.supervised FOLDER`; the folder's `plan.json` names the processes.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from swapflow.processes.deployment import command, coordinator_spec
from swapflow.processes.process_specs import web_spec, worker_spec
from swapflow.processes.supervisor import BackOff, ProcessSpec, run_supervisor
from swapflow.settings import load_settings


def main(folder: Path) -> None:
    """Run until told to stop."""
    plan: Mapping[str, Mapping[str, str]] = json.loads((folder / "plan.json").read_text("utf-8"))
    specs = [spec_of(folder, name, environment) for name, environment in plan.items()]
    run_supervisor(specs, folder, back_off=BackOff(first=0.05, most=0.5))


def spec_of(folder: Path, name: str, environment: Mapping[str, str]) -> ProcessSpec:
    """Describe one process; its variables stand above those that all share."""
    port = int(environment.get("SWAPFLOW_WEB_PORT", "8000"))
    settings = load_settings(data_dir=folder, web_port=port)
    if name.startswith("web"):
        spec = web_spec(settings, command("web"), name=name)
    elif name.startswith("worker"):
        spec = worker_spec(settings, name=name)
    else:
        spec = coordinator_spec(settings, name)
    return replace(
        spec,
        argv=[sys.executable, "-m", "tests.chaos.life", str(folder), name, *spec.argv],
        env={**spec.env, **environment},
        ready_seconds=120.0,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
