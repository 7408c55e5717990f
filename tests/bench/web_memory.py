"""What two web processes hold that rest, and what it is made of.

Run as `make web-memory`, or `python -m tests.bench.web_memory`: it starts `swapflow web` on an
empty database, waits until both processes serve, opens the sign-in page in each, and prints RSS
and PSS from the kernel, then what the imports cost, and writes var/web-memory.json.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from swapflow.processes.progress import processor_seconds
from tests.bench.memory import memory_mb
from tests.support.migrated import new_database
from tests.support.ports import free_port
from tests.support.process import Process, children
from tests.support.waiting import wait_until


OUT = Path("var/web-memory.json")
PROCESSES = 2
_IMPORTS = """
import json, os, sys
def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
steps = {"the interpreter": held()}
for name in sys.argv[1:]:
    before = held()
    __import__(name)
    steps[name] = held() - before
print(json.dumps(steps))
"""
_STEPS = (
    "pydantic",
    "fastapi",
    "uvicorn",
    "sqlalchemy",
    "psycopg",
    "numpy",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.stats",
    "swapflow.bootstrap",
    "swapflow.web.app",
)


def measure() -> dict[str, Any]:
    """Start, let rest, and read what the processes hold, in MB."""
    with tempfile.TemporaryDirectory(prefix="sf-web-memory-") as name:
        folder = Path(name)
        new_database(folder / "swapflow.db")
        environment = {
            "SWAPFLOW_DATA_DIR": str(folder),
            "SWAPFLOW_WEB_PORT": str(free_port()),
            "SWAPFLOW_WEB_PROCESSES": str(PROCESSES),
        }
        web = [sys.executable, "-m", "swapflow.cli.main", "web"]
        with Process(web, env=environment) as watcher:
            port = int(environment["SWAPFLOW_WEB_PORT"])
            wait_until(lambda: _opens(port), what="a page", watched=[watcher])
            wait_until(lambda: _rests(watcher.pid), what="processes at rest", watched=[watcher])
            for _ in range(20):
                _opens(port)
            serving = [pid for pid in children(watcher.pid) if _serves(pid)]
            assert len(serving) == PROCESSES, serving
            everybody = {"the one that watches": watcher.pid}
            helpers = set(children(watcher.pid)) - set(serving)
            everybody |= {f"helper {n}": pid for n, pid in enumerate(sorted(helpers), start=1)}
            everybody |= {f"serves {n}": pid for n, pid in enumerate(sorted(serving), start=1)}
            held = {who: memory_mb(pid) for who, pid in everybody.items()}
            kinds = _kinds(serving[0])
    return {
        "processes": {who: {"rss": rss, "pss": pss} for who, (rss, pss) in held.items()},
        "rss": sum(rss for rss, _ in held.values()),
        "pss": sum(pss for _, pss in held.values()),
        "one_process": kinds,
        "imports": _imports(),
    }


def main() -> int:
    """Measure, print, write."""
    figures = measure()
    print("| process | RSS, MB | PSS, MB |\n|---|---|---|")
    for who, held in figures["processes"].items():
        print(f"| {who} | {held['rss']:.0f} | {held['pss']:.0f} |")
    print(f"| together | {figures['rss']:.0f} | {figures['pss']:.0f} |\n")
    print("| in one of them | PSS, MB |\n|---|---|")
    for kind, size in figures["one_process"].items():
        print(f"| {kind} | {size:.0f} |")
    print("\n| import, in this order | MB more |\n|---|---|")
    for step, size in figures["imports"].items():
        print(f"| {step} | {size:.0f} |")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


def _opens(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/sign-in")
        answer = connection.getresponse()
        answer.read()
    except OSError:
        return False
    else:
        return answer.status == 200
    finally:
        connection.close()


def _rests(pid: int) -> bool:
    """Whether nothing of a process has worked for two seconds: all that start have started."""
    before = processor_seconds(pid)
    time.sleep(2)
    return before == processor_seconds(pid)


def _serves(pid: int) -> bool:
    """Whether it is more than a helper of the library that starts processes."""
    return "pydantic_core" in Path(f"/proc/{pid}/maps").read_text("utf-8", "replace")


def _kinds(pid: int) -> dict[str, float]:
    """What one process's memory is: objects of its own, pages shared with others, libraries."""
    sizes: defaultdict[str, float] = defaultdict(float)
    rollup = Path(f"/proc/{pid}/smaps").read_text("utf-8", "replace")
    name = ""
    for line in rollup.splitlines():
        words = line.split()
        if "-" in words[0] and not words[0].endswith(":"):
            place = words[5] if len(words) > 5 else ""
            name = "heap and objects" if not place.startswith("/") else "libraries and files"
        elif words[0] == "Pss:":
            sizes[name] += int(words[1]) / 1024
    return dict(sizes)


def _imports() -> dict[str, float]:
    said = subprocess.run(
        [sys.executable, "-c", _IMPORTS, *_STEPS], capture_output=True, text=True, check=True
    )
    steps: dict[str, float] = json.loads(said.stdout)
    return steps


if __name__ == "__main__":
    sys.exit(main())
