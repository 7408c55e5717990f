"""Files of applicants and reviewers, uploaded and applied as a browser does it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from starlette.testclient import TestClient


def keep(
    client: TestClient, data: str | bytes, *, what: str = "applicants", name: str = "list.csv"
) -> str:
    """Upload a file; gives the address of its preview."""
    sent = client.post(f"/setup/fall/{what}", files={"file": (name, data)})
    assert sent.status_code == 303, sent.text
    return sent.headers["location"]


class Applied(NamedTuple):
    status_code: int
    text: str
    headers: Mapping[str, str]


def apply(client: TestClient, path: str, **typed: str) -> Applied:
    shown = re.search(r'name="revision" value="([^"]*)"', client.get(path).text)
    told = {"revision": shown[1]} if shown else {}
    answer = client.post(path, data={**told, **typed, "do": "apply"})
    return Applied(answer.status_code, answer.text, answer.headers)
