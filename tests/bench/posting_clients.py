"""Clients in a closed loop: the load process of `post_bench`.

Run as `python -m tests.bench.posting_clients PLAN RESULT`. Each client has one connection and asks
again as soon as it was answered. The plan names the address, the seconds and what each client
sends, one after the other; the result says how many answers came in which time, and what was not
as it should be.
"""

import http.client
import json
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit


FORM = urlencode(
    {
        "c0": "3",
        "c1": "2",
        "remark": "The plan is ambitious, perhaps two years of work in one, but well argued.",
        "version": "0",
        "then": "next",
    }
).encode()

BUSY = 503
"""Status of a request that was refused since the database is busy: nothing of it was stored."""


def post(plan: dict[str, Any], client: int, found: dict[str, Any]) -> None:
    """Be one client until the end, or until nothing is left to send.

    What is refused since the database is busy is sent again, and counts once it is stored.
    """
    connection = http.client.HTTPConnection(urlsplit(plan["address"]).netloc, timeout=60)
    done = 0
    try:
        for one in plan["clients"][client]:
            if time.monotonic() >= plan["until"]:
                break
            while (status := _ask(connection, one)) == BUSY and time.monotonic() < plan["until"]:
                found["refused"][client] += 1
            if status not in {int(one["expects"]), BUSY}:
                found["wrong"].append(f"{one['path']}: status {status}")
            done += status != BUSY
        found["last"].append(time.monotonic())
    except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to the result
        found["wrong"].append(f"{type(error).__name__}: {error}")
    finally:
        found["done"][client] = done
        connection.close()


def _ask(connection: http.client.HTTPConnection, one: dict[str, str]) -> int:
    if "cookie" in one:
        headers = {
            "Cookie": one["cookie"],
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        connection.request("POST", one["path"], FORM, headers)
    else:
        connection.request("GET", one["path"])
    answer = connection.getresponse()
    answer.read()
    return answer.status


def main(plan_file: str, result_file: str) -> None:
    """Have all clients ask, and write down what came of it."""
    plan = json.loads(Path(plan_file).read_text(encoding="utf-8"))
    clients = len(plan["clients"])
    found: dict[str, Any] = {
        "done": [0] * clients,
        "refused": [0] * clients,
        "wrong": [],
        "last": [],
    }
    began = time.monotonic()
    plan["until"] = began + plan["seconds"]
    threads = [
        threading.Thread(target=post, args=(plan, client, found)) for client in range(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result = {
        "done": found["done"],
        "refused": sum(found["refused"]),
        "seconds": max(found["last"], default=began) - began,
        "wrong": found["wrong"],
    }
    Path(result_file).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
