"""A crowd of reviewers who type at the same time: the load process of `web_load`.

Run as `python -m tests.bench.reviewers_at_work PLAN RESULT`. The plan names the address, the
seconds, the cookie's name and one secret for each reviewer; the result holds how long every
request took, what went wrong, and everything that the server said it had stored.
"""

import http.client
import json
import random
import re
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit


EVERY = 2.0
"""Seconds between two acts of one reviewer."""

ARRIVE = 20.0
"""Seconds over which they come, each to an empty page: people do not all open it at once."""

SAVES = 6
"""Drafts saved of one review before it is handed in, on the average."""

_TASK = re.compile(r'href="(/tasks/[^"/?#]+)"')
_VERSION = re.compile(r'data-version="(\d+)"')
_DRAFT = re.compile(r'data-draft="')
_SENTENCES = (
    "The statement is clear about what was done and what was learned. ",
    "References speak of steady work; one of them knows the applicant only from a course. ",
    "The plan is ambitious – perhaps two years of work in one – but it is well argued. ",
    "Grades rise over the years. مرحبا 👋 ",
)


@dataclass
class Seen:
    """What one reviewer saw.

    Attributes:
        took: Seconds of each request, by kind.
        wrong: What was not as it should be.
        drafts: The last draft that the server said it had stored, by task, with its version.
        reviews: What the server took as handed in, by task.
    """

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)
    drafts: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    reviews: dict[str, dict[str, str]] = field(default_factory=dict)


class Browser:
    """One signed-in browser with one connection that stays open, as browsers keep theirs."""

    def __init__(self, address: str, cookie: str, seen: Seen) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
        self._headers = {"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}
        self._seen = seen

    def ask(
        self, kind: str, path: str, *, form: dict[str, str] | None = None, json_body: object = None
    ) -> tuple[int, str, str]:
        """Send one request; gives status, text and where it leads to."""
        headers, body = dict(self._headers), b""
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode(form).encode()
        elif json_body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(json_body).encode()
        method = "GET" if form is None and json_body is None else "POST"
        began = time.perf_counter()
        try:
            self._connection.request(method, path, body, headers)
            answer = self._connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()  # the next request connects anew
            self._seen.wrong.append(f"{kind} {path}: {type(error).__name__} {error}")
            return 0, "", ""
        self._seen.took[kind].append(time.perf_counter() - began)
        return answer.status, text, answer.getheader("Location", "")

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class Reviewer:
    """A reviewer who takes a request, types, is saved every two seconds, and hands in."""

    def __init__(self, number: int, browser: Browser, seen: Seen) -> None:
        self._random = random.Random(number)
        self._browser = browser
        self._seen = seen
        self._task = ""
        self._version = 0
        self._saves_left = 0
        self._body: dict[str, str] = {}

    def act(self) -> None:
        """Do the next thing: look for a request, save a draft, or hand in."""
        if not self._task:
            self._look()
        elif self._saves_left:
            self._save()
        else:
            self._hand_in()

    def _look(self) -> None:
        """Open the list, and what stands first on it."""
        status, text, _ = self._browser.ask("list", "/inbox")
        if status != 200:
            self._say("list", "/inbox", status)
            return
        found = _TASK.search(text)
        if found:
            self._open(found.group(1))

    def _open(self, path: str) -> None:
        """Open a task's page, and begin."""
        status, text, _ = self._browser.ask("page", path)
        version = _VERSION.search(text)
        if status != 200 or version is None or not _DRAFT.search(text):
            self._say("page", path, status)
            return
        self._task, self._version = path.partition("?")[0], int(version.group(1))
        self._saves_left = self._random.randint(SAVES - 2, SAVES + 2)
        self._body = {}
        status, _, _ = self._browser.ask("begin", f"{self._task}/open", form={})
        if status != 204:
            self._say("begin", self._task, status)

    def _save(self) -> None:
        """Type a sentence; the page's script saves."""
        self._saves_left -= 1
        self._body["c0"] = self._random.choice("1234")
        self._body["remark"] = self._body.get("remark", "") + self._random.choice(_SENTENCES)
        sent = {"version": self._version, "body": dict(self._body)}
        status, text, _ = self._browser.ask("save", f"{self._task}/draft", json_body=sent)
        if status != 200:
            self._say("save", self._task, status, text)
            return
        self._version = json.loads(text)["version"]
        self._seen.drafts[self._task] = (self._version, dict(self._body))

    def _hand_in(self) -> None:
        """Submit and take the next one."""
        # Sent again, it is the same review: what became of the first try may be unknown.
        self._body.setdefault("c1", self._random.choice("123"))
        self._body["remark"] = self._body.get("remark", "").strip()
        sent = {**self._body, "then": "next", "version": str(self._version)}
        status, text, where = self._browser.ask("submit", self._task, form=sent)
        if status != 303:
            self._say("submit", self._task, status, text)
            return
        self._seen.reviews[self._task] = dict(self._body)
        self._seen.drafts.pop(self._task, None)
        self._task = ""
        if "?after=" in where:
            self._open(where)
        else:
            self._browser.ask("receipt", where)

    def _say(self, kind: str, path: str, status: int, text: str = "") -> None:
        if status:  # what broke the connection was noted there
            self._seen.wrong.append(f"{kind} {path}: status {status} {text[:200]}")


class Watcher:
    """Staff with the dashboard open: told of changes, it reads page and charts anew."""

    def __init__(self, address: str, cookie: str, cycle: str, seen: Seen) -> None:
        self._stream = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
        self._cookie, self._cycle, self._seen = cookie, cycle, seen
        self._browser = Browser(address, cookie, seen)

    def watch(self, until: float) -> None:
        """Follow the stream until the end."""
        headers = {"Cookie": self._cookie, "Sec-Fetch-Site": "same-origin"}
        self._stream.request("GET", f"/today/{self._cycle}/events", headers=headers)
        answer = self._stream.getresponse()
        while time.monotonic() < until:
            line = answer.readline()
            if not line:
                self._seen.wrong.append("dashboard: the stream ended")
                break
            if line.startswith(b"data:"):
                for path in (f"/today/{self._cycle}", f"/today/{self._cycle}/data"):
                    status, _, _ = self._browser.ask("dashboard", path)
                    if status not in {0, 200}:
                        self._seen.wrong.append(f"dashboard {path}: status {status}")
                # The server hangs up on who is silent for five seconds; browsers dial again.
                self._browser.close()
        self._stream.close()
        self._browser.close()


def work(number: int, plan: dict[str, Any], secret: str, seen: Seen, began: float) -> None:
    """Be one reviewer until the end."""
    browser = Browser(plan["address"], f"{plan['cookie']}={secret}", seen)
    reviewer = Reviewer(number, browser, seen)
    due = began + min(ARRIVE, plan["seconds"] / 4) * number / len(plan["reviewers"])
    while due < began + plan["seconds"]:
        time.sleep(max(0.0, due - time.monotonic()))
        try:
            reviewer.act()
        except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to the result
            seen.wrong.append(f"{type(error).__name__}: {error}")
        due += EVERY
    browser.close()


def main(plan_file: str, result_file: str) -> None:
    """Run every reviewer, and write down what they saw."""
    plan = json.loads(Path(plan_file).read_text(encoding="utf-8"))
    seen = [Seen() for _ in (*plan["reviewers"], *plan["watchers"])]
    threading.stack_size(256 * 1024)
    began = time.monotonic() + 0.5
    threads = [
        threading.Thread(target=work, args=(number, plan, secret, seen[number], began))
        for number, secret in enumerate(plan["reviewers"])
    ]
    for number, secret in enumerate(plan["watchers"], start=len(plan["reviewers"])):
        cookie = f"{plan['cookie']}={secret}"
        watcher = Watcher(plan["address"], cookie, plan["cycle"], seen[number])
        # Not waited for: it may sit before a stream in which nothing happens any more.
        threading.Thread(
            target=watcher.watch, args=(began + plan["seconds"],), daemon=True
        ).start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took: dict[str, list[float]] = defaultdict(list)
    for one in seen:
        for kind, times in one.took.items():
            took[kind] += times
    result = {
        "seconds": time.monotonic() - began,
        "took": took,
        "wrong": [text for one in seen for text in one.wrong],
        "drafts": [one.drafts for one in seen],
        "reviews": [one.reviews for one in seen],
        "cpu_seconds": time.process_time(),
    }
    Path(result_file).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
