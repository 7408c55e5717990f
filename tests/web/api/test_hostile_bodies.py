"""Bodies that nobody means: deep, huge or broken JSON is refused as any other bad field is."""

import base64
import re

import pytest

from swapflow.web.api import openapi
from tests.support.hostile_json import HOSTILE
from tests.web.api.programs import V1, program
from tests.web.site import Site


JSON = {"Content-Type": "application/json"}
DEEP = [what for what in HOSTILE if what.startswith("deep")]


@pytest.mark.parametrize("what", HOSTILE)
def test_every_write_refuses_a_hostile_body_in_words(site: Site, what: str) -> None:
    site.launched()
    client = program(site)
    asked = 0
    for path, operations in openapi.document()["paths"].items():
        address = re.sub(r"\{[^}]+\}", "1", path.replace("{cycle_id}", "fall"))
        for method, operation in operations.items():
            if "application/json" not in operation.get("requestBody", {}).get("content", {}):
                continue
            asked += 1
            answer = client.request(method, address, content=HOSTILE[what].encode(), headers=JSON)

            expected = {422} if what in DEEP else {403, 404, 409, 422}
            assert answer.status_code in expected, (method, path, answer.status_code, answer.text)
            assert answer.headers["Content-Type"] == "application/problem+json", path
            if what in DEEP:
                assert answer.json()["code"] == "api_body_unreadable"
                assert "nested too deeply" in answer.json()["detail"]
    assert asked > 30


def test_bytes_that_are_no_text_are_refused_as_broken_json_is(site: Site) -> None:
    client = program(site)

    answer = client.post(f"{V1}/cycles", content=b'{"id": "\xff"}', headers=JSON)

    assert answer.status_code == 422
    assert answer.json()["code"] == "api_body_unreadable"


def test_a_cursor_of_brackets_is_none(site: Site) -> None:
    site.launched()
    client = program(site)
    for text in HOSTILE.values():
        cursor = base64.urlsafe_b64encode(text[:250].encode()).decode()

        answer = client.get(f"{V1}/cycles/fall/events", params={"cursor": cursor})

        assert answer.status_code == (422 if text else 200), (text[:20], answer.text)


@pytest.mark.parametrize("what", HOSTILE)
def test_a_draft_of_hostile_json_is_refused_and_the_review_page_still_opens(
    site: Site, what: str
) -> None:
    site.launched()
    person, assignment = site.assigned()
    task = f"/tasks/{site.product.tasks.code(assignment.id)}"
    inside = f'{{"version": 0, "body": {{"remark": {HOSTILE[what] or 0}}}}}'
    for text in (HOSTILE[what], inside):
        answer = person.post(f"{task}/draft", content=text.encode(), headers=JSON)

        assert answer.status_code == 422, answer.text

    assert person.get(task).status_code == 200
