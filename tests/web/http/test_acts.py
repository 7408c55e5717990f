"""Every form acts once, and the page after it tells what was done."""

import inspect
import re
import threading
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from swapflow.identity.permissions import Role
from swapflow.web.http.acts.once import OF_THEIR_OWN
from tests.web.routes import routes_of
from tests.web.site import Site


REASON = {"reason": "the committee wishes it"}
TOLD = re.compile(r'<p class="notice good" id="told" role="status">(.*?)</p>')

SAID_BY_ITS_PAGE = {
    "/applicants/{cycle_id}/columns", "/applicants/{cycle_id}/files",
    "/applicants/{cycle_id}/slots", "/applicants/{cycle_id}/slots/import",
    "/applicants/{cycle_id}/slots/proposal",
    "/me/password", "/reviewers/{cycle_id}/sheets", "/reviewers/{cycle_id}/sheets/{key}",
    "/setup/rounds", "/setup/users", "/setup/users/{account_id}/close",
    "/setup/users/{account_id}/grants", "/setup/users/{account_id}/grants/remove",
    "/setup/users/{account_id}/invite", "/setup/users/{account_id}/open",
    "/setup/{cycle_id}/applicants", "/setup/{cycle_id}/applicants/{key}",
    "/setup/{cycle_id}/exchange", "/setup/{cycle_id}/launch", "/setup/{cycle_id}/reviewers",
    "/setup/{cycle_id}/reviewers/{key}", "/setup/{cycle_id}/rubrics/{kind}",
    "/setup/{cycle_id}/rules", "/setup/{cycle_id}/rules/file",
    "/tasks/{task}/decline", "/tasks/{task}/missed",
}  # fmt: skip
"""Forms whose next page tells by itself what was stored, or is the answer."""

LEAST_WALKED = 60

LOOKS = {
    "/decide/{cycle_id}/calibration/severity", "/decide/{cycle_id}/changes",
    "/decide/{cycle_id}/letters/look", "/reviewers/{cycle_id}/figures",
    "/setup/{cycle_id}/questions/forecast", "/today/{cycle_id}/monitoring",
    "/today/{cycle_id}/monitoring/files", "/today/{cycle_id}/monitoring/defence",
    "/applicants/{cycle_id}/{number}/personal-data",
    "/reviewers/{cycle_id}/{number}/personal-data",
}  # fmt: skip
"""Forms that show something and store at most that it was looked at."""


def told(client: TestClient, path: str) -> str:
    """Return what a page tells of the act before it, "" for nothing."""
    found = TOLD.search(client.get(path).text)
    return unescape(found[1]) if found else ""


def requests_of(site: Site) -> int:
    """Count the requests of staff that wait for a coordinator."""
    return len(site.ledger.wishes("fall"))


def test_asking_twice_within_seconds_asks_once_and_says_so(site: Site) -> None:
    site.launched()
    staff, form = site.signed_in(Role.OPERATIONS), {"kind": "review", **REASON}

    first = staff.post("/applicants/fall/1/ask", data=form)
    said = told(staff, "/applicants/fall/1")
    second = staff.post("/applicants/fall/1/ask", data=form)
    again = told(staff, "/applicants/fall/1")

    assert (first.status_code, second.status_code) == (303, 303)
    assert first.headers["location"] == second.headers["location"]
    assert "Asked for an extra review (review)" in said
    assert again == f"This was done already, and was not done again: a{said[1:]}"
    assert told(staff, "/applicants/fall/1") == ""
    assert requests_of(site) == 1


def test_a_page_of_an_error_asks_no_database_and_leaves_the_notice_to_the_next(site: Site) -> None:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)
    staff.post("/applicants/fall/1/ask", data={"kind": "review", **REASON})

    missing = staff.get("/applicants/fall/no/such/page")

    assert (missing.status_code, TOLD.search(missing.text)) == (404, None)
    assert "Asked for an extra review" in told(staff, "/applicants/fall/1")


def test_after_some_seconds_the_same_is_another_act(site: Site) -> None:
    site.launched()
    staff, form = site.signed_in(Role.OPERATIONS), {"kind": "review", **REASON}

    staff.post("/applicants/fall/1/ask", data=form)
    site.later(11)
    staff.post("/applicants/fall/1/ask", data=form)

    assert requests_of(site) == 2


def test_the_same_form_of_the_same_page_acts_once_however_late(site: Site) -> None:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)
    page = staff.get("/applicants/fall/1").text
    (number,) = set(re.findall(r'name="act" value="([^"]+)"', page))
    form = {"act": number, "kind": "review", **REASON}

    staff.post("/applicants/fall/1/ask", data=form)
    site.later(3600)
    staff.post("/applicants/fall/1/ask", data=form)
    assert requests_of(site) == 1
    fresh = re.findall(r'name="act" value="([^"]+)"', staff.get("/applicants/fall/1").text)[0]
    assert fresh != number
    staff.post("/applicants/fall/1/ask", data=form | {"act": fresh})
    assert requests_of(site) == 2


def test_another_act_between_them_makes_the_same_a_new_one(site: Site) -> None:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)

    for what in ("pause", "resume", "pause"):
        assert staff.post(f"/today/fall/{what}", data=REASON).status_code == 303

    assert site.product.cycles.get("fall").status.value == "paused"


def test_what_was_refused_may_be_sent_again_and_others_act_for_themselves(site: Site) -> None:
    site.launched()
    one = site.signed_in(Role.OPERATIONS)
    two = site.signed_in(Role.COORDINATOR)
    form = {"kind": "review", **REASON}

    for _ in range(2):
        assert one.post("/applicants/fall/1/ask", data={"kind": "review"}).status_code == 422
    one.post("/applicants/fall/1/ask", data=form)
    two.post("/applicants/fall/1/ask", data=form)

    assert requests_of(site) == 2
    assert told(two, "/applicants/fall/1") != ""
    assert site.anonymous().post("/applicants/fall/1/ask", data=form).status_code == 401


def test_two_presses_at_the_same_moment_are_one_act(site: Site) -> None:
    site.launched()
    staff, form = site.signed_in(Role.OPERATIONS), {"kind": "review", **REASON}
    answers: list[int] = []

    def press() -> None:
        answers.append(staff.post("/applicants/fall/1/ask", data=form).status_code)

    presses = [threading.Thread(target=press) for _ in range(4)]
    for one in presses:
        one.start()
    for one in presses:
        one.join()

    assert answers == [303] * 4
    assert requests_of(site) == 1


def test_a_key_is_made_once_and_shown_once(site: Site) -> None:
    client = site.signed_in(Role.OPERATIONS)
    form = {"name": "export", "days": "30", "scopes": ["read"]}

    first = client.post("/me/keys", data=form)
    second = client.post("/me/keys", data=form)

    assert (first.status_code, second.status_code) == (200, 303)
    assert "not done again: made the key “export”" in told(client, second.headers["location"])
    account = site.account("operations@example.org")
    principal = site.office.context.principal_of(account)
    assert len(site.office.api_clients.keys(principal)) == 1


def test_a_file_sent_with_the_number_of_its_page_arrives_as_it_is(site: Site) -> None:
    site.launched(launch=False)
    staff = site.signed_in(Role.OPERATIONS)
    content = b'id,name\r\nB1,"act=9&name=""act"""\r\n'

    sent = staff.post(
        "/setup/fall/applicants",
        data={"act": "abc"},
        files={"file": ("more.csv", content, "text/csv")},
    )
    preview = staff.get(sent.headers["location"])

    assert sent.status_code == 303
    assert "B1" in preview.text
    assert "act=9&amp;name" in preview.text


@pytest.mark.parametrize("path", ["/today/fall", "/applicants/fall/1", "/setup/fall/rules"])
def test_every_form_of_a_page_carries_its_number(site: Site, path: str) -> None:
    site.launched()
    page = site.signed_in(Role.ADMINISTRATOR).get(path).text

    forms = re.findall(r'<form [^>]*method="post"[^>]*>', page)
    assert forms
    assert page.count('<input type="hidden" name="act"') == len(forms)


def test_every_form_that_acts_is_known_and_tells_what_it_did(site: Site) -> None:
    """Walk all routes that are posted to: each goes through, and tells or has a page that does."""
    silent, walked = [], 0
    for route in routes_of(site.app.routes):
        if "POST" not in route.methods or OF_THEIR_OWN.fullmatch(route.path):
            continue
        walked += 1
        tells = re.search(r"\btell\(request,|\bact\(|return _do\(|_with_reason\(", _source(route))
        if not tells and route.path not in SAID_BY_ITS_PAGE | LOOKS:
            silent.append(route.path)

    assert silent == []
    assert walked > LEAST_WALKED


def _source(route: Any) -> str:  # noqa: ANN401 - the framework's, of several classes
    return inspect.getsource(route.endpoint)
