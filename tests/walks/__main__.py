"""Walk through the jobs of an office in a browser, count the acts, and print the table.

Leaves the counts in var/walks.json. Exits with 1 where a walk takes more than it may,
or comes to a page that is wider than its screen.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.browser.office import ARGUMENTS, PATIENCE, chromium
from tests.walks.asked_first import FIRST, MOST_ACTS
from tests.walks.first_day import first_day
from tests.walks.jobs import MOST, WALKS, Counts
from tests.walks.mailed import mailing


INTO = Path("var") / "walks.json"


def main() -> int:
    path = chromium(os.environ.get("SWAPFLOW_CHROMIUM"))
    if path is None:
        print("no Chromium: install chromium-headless-shell, or name one in SWAPFLOW_CHROMIUM")
        return 2
    counted: dict[str, Counts] = {}
    most = MOST | {name: {"acts": acts} for name, acts in MOST_ACTS.items()}
    expect.set_options(timeout=PATIENCE)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        with mailing(Path(folder) / "data", browser) as mailed:
            for name, walk in WALKS.items():
                counted[name] = walk(mailed, Path(folder))
                show(name, counted[name], most[name])
        with first_day(Path(folder), browser) as day:
            for name, job in FIRST.items():
                counted[name] = day.walked(job)
                show(name, counted[name], most[name])
            wide = day.wide
        browser.close()
    INTO.parent.mkdir(exist_ok=True)
    INTO.write_text(json.dumps(counted, indent=2) + "\n")
    over = [
        name
        for name, bounds in most.items()
        if any(counted[name][what] > bound for what, bound in bounds.items())
    ]
    for page in wide:
        print(f"wider than the screen: {page}")
    print("each within its bound" if not over else f"more than it may: {', '.join(over)}")
    return 1 if over or wide else 0


def show(name: str, counts: Counts, most: Counts) -> None:
    print(f"{name:14} {told(counts):28} at most {told(most)}", flush=True)


def told(counts: Counts) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items())


if __name__ == "__main__":
    sys.exit(main())
