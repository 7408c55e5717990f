"""A supervisor to run as a process of its own: embedded Redis and two small children.

Arguments: data folder, then the script each of `one` and `two` runs (see below), then optionally
the grace period in seconds.
"""

import sys
from pathlib import Path

from swapflow.errors import SwapflowError
from swapflow.processes.embedded_redis import (
    find_server,
    make_private_folder,
    server_answers,
    server_argv,
)
from swapflow.processes.supervisor import BackOff, ProcessSpec, run_supervisor


BEATING = "from swapflow.processes.heartbeat import start_heartbeat; start_heartbeat()\n"

SCRIPTS = {
    "obedient": BEATING + "import time\nwhile True: print('working', flush=True); time.sleep(0.2)",
    "stubborn": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    + BEATING
    + "import time\nwhile True: time.sleep(0.2)",
    "parent": BEATING
    + "import subprocess, sys, time\n"
    + "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    + "while True: time.sleep(0.2)",
    "broken": "import sys; print('no such colour: octarine'); sys.exit(3)",
    "mute": "import time; time.sleep(600)",
    "slow": "import time\nuntil = time.monotonic() + 4\nwhile time.monotonic() < until: pass\n"
    + BEATING
    + "while True: time.sleep(0.2)",
    "chatty": BEATING + "print('x' * 200_000, flush=True)\nimport time; time.sleep(600)",
}


def main(data: str, one: str, two: str, grace: str = "10") -> int:
    """Run until told to stop."""
    folder = Path(data) / "redis"
    make_private_folder(folder)
    socket = folder / "redis.sock"
    redis = ProcessSpec(
        name="redis",
        argv=server_argv(find_server(), folder=folder, socket_path=socket),
        ready=lambda: server_answers(socket),
        stage=0,
    )
    children = [
        ProcessSpec(
            name=name,
            argv=[sys.executable, "-c", SCRIPTS[script]],
            grace=float(grace),
            ready_seconds=0.7 if script in {"mute", "slow"} else 30.0,
            hint="Look at its colours.",
        )
        for name, script in (("one", one), ("two", two))
    ]
    try:
        run_supervisor([redis, *children], Path(data), back_off=BackOff(first=0.1, most=1))
    except SwapflowError as error:
        print(f"{type(error).__name__}: {error}", flush=True)
        return 5
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
