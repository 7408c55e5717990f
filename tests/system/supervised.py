"""The supervisor of a deployment under test, in a process of its own.

As `swapflow up`, but with any number of coordinators and workers, hardly any wait between two
lives of a process, and a list of crash points for each process, one for each of its next lives.

Run as `python -m tests.system.supervised COORDINATORS WORKERS`; settings come from the
environment.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from swapflow.processes.deployment import deployment_specs
from swapflow.processes.process_specs import with_free_port
from swapflow.processes.supervisor import BackOff, ProcessSpec, run_supervisor
from swapflow.settings import Settings, load_settings


BACK_OFF = BackOff(first=0.05, most=0.2)


def crash_file(data_dir: Path, name: str) -> Path:
    """Return the file that lists where the next lives of a process are to end, a line each."""
    return data_dir / "crash" / name


def main(coordinators: str, workers: str) -> None:
    """Run until told to stop."""
    settings = with_free_port(load_settings())
    specs = deployment_specs(settings, coordinators=int(coordinators), workers=int(workers))
    run_supervisor(
        [with_crash_points(spec, settings) for spec in specs],
        settings.data_dir,
        back_off=BACK_OFF,
    )


def with_crash_points(spec: ProcessSpec, settings: Settings) -> ProcessSpec:
    """Start a process through `tests.system.life`, which reads its crash point."""
    if spec.name == "redis":
        return spec
    file = crash_file(settings.data_dir, spec.name)
    argv: Sequence[str] = [sys.executable, "-m", "tests.system.life", str(file), *spec.argv]
    return replace(spec, argv=argv, ready_seconds=120.0)


if __name__ == "__main__":
    main(*sys.argv[1:])
