"""In a blind cycle nothing that a reviewer can reach tells who an applicant is."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from swapflow.files.imports.offline_sheet import read_sheet_file
from swapflow.identity.account import Method
from swapflow.identity.permissions import Role
from tests.cli.commands import leaves
from tests.cli.office import forget_deployment
from tests.engine.cycle_by_hand import applicant
from tests.web.answers import spelled
from tests.web.api.programs import program
from tests.web.crawl import walk
from tests.web.roles import API
from tests.web.routes import addresses
from tests.web.site import SITE_RULES, Site
from tests.web.terminal import typed


TRACES = (
    "Quillhilda",
    "Featherstonehaugh",
    "quillhilda@uni.example",
    "+41 79 555 01 02",
    "QF2027-",
    "brilliant, said the last jury",
    "linkedin.com/in",
)
"""The name, address, number, id, earlier judgement and profile of an applicant."""

MARKS: dict[str, Any] = {"marks": {"Preparation": 3, "Promise": 2}}


def fill(site: Site, *, blind: bool) -> None:
    """Launch a cycle whose only applicants have one unmistakable name."""
    site.launched("fall", applicants=0, launch=False, rules=replace(SITE_RULES, blind=blind))
    site.product.applicants.import_all(
        "fall",
        [
            applicant(
                f"QF2027-{number}",
                name="Quillhilda Featherstonehaugh",
                email="quillhilda@uni.example",
                fields={
                    "first name": "Quillhilda",
                    "phone": "+41 79 555 01 02",
                    "reviewer_note": "brilliant, said the last jury",
                    "statement": f"I, Quillhilda Featherstonehaugh (QF2027-{number}), am at "
                    "quillhilda@uni.example or linkedin.com/in/qf.",
                },
            )
            for number in range(1, 7)
        ],
    )
    site.product.applicants.choose_columns("fall", {"statement": True}, by="ops")
    site.product.cycles.launch("fall", by="ops")
    site.turn()


def everything_sent_to(site: Site, email: str) -> list[tuple[str, str]]:
    """Collect all that a reviewer is shown or sent: pages, files, headers, mails, answers."""
    client = site.signed_in(email=email, method=Method.LINK)
    sent = [
        (str(response.url), response.text + str(response.headers))
        for response, _ in walk(client, "/", "/inbox", "/me")
    ]
    sent += [(f"mail {m.id}", m.subject + m.text + m.html + m.calendar) for m in site.mails]
    sent += told_at_every_route(site, client, email)
    # Sheets first: at the terminal and by the API what waits is answered and declined.
    sent += sheets_of(site, email)
    terminal = told_at_the_terminal(site, email)
    return [*sent, *terminal, *told_at_the_api(site, email)]


def told_at_every_route(site: Site, client: TestClient, email: str) -> list[tuple[str, str]]:
    """Ask every route of the application's table, with one's own tasks and anybody's number."""
    reviewer = email.partition("@")[0].upper()
    codes = [site.product.tasks.code(t.id) for t in site.product.tasks.inbox("fall", reviewer)]
    told = []
    for method, named, path in addresses(site, {"GET"}, tasks=codes, numbers=range(6)):
        answer = client.request(method, path)
        assert answer.status_code < 500, (named, path)
        told.append((f"{named} {path}", spelled(answer.content) + str(answer.headers)))
    return told


def told_at_the_terminal(site: Site, email: str) -> list[tuple[str, str]]:
    """Type the commands that reviewers have, on the site's own database."""
    reviewer = email.partition("@")[0].upper()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SWAPFLOW_DATABASE_URL", f"sqlite:///{site.file}")
        forget_deployment()
        try:
            listing = typed("inbox", "list", "fall", "--reviewer", reviewer, "--json")
            codes = [task["task"] for task in json.loads(listing[1])["tasks"]]
            shown = [typed("inbox", "show", code, "--reviewer", reviewer) for code in codes]
            asked = [typed("inbox", "show", codes[0], "--reviewer", reviewer, "--json")]
            marks = ("--mark", "Preparation=3", "--mark", "Promise=2")
            asked += [
                typed("inbox", "score", codes[-1], *marks, "--reviewer", reviewer),
                typed(
                    "inbox", "decline", codes[0], "--kind", "unqualified", "--reviewer", reviewer
                ),
            ]
        finally:
            forget_deployment()
    told = [listing, *shown, *asked]
    # A new command of reviewers is typed here too.
    assert {where for where, _ in told} == {" ".join(x) for x in leaves() if x[0] == "inbox"}
    return told


def told_at_the_api(site: Site, email: str) -> list[tuple[str, str]]:
    """Ask the API whatever a reviewer's key lets through, or might: lists, tasks, searches."""
    api = program(site, None, email=email)
    number = number_of(site, email)
    codes = [row["task"] for row in api.get("/api/v1/tasks").json()["items"]]
    places = {"cycle_id": "fall", "number": str(number), "position": "0", "version": "1"}
    places |= {"score": codes[0], "name": "all.zip", "pull": "fall:0:review:1"}
    asked = []
    for route in API:
        method, path = route.split(" ")
        if method != "GET":
            continue
        path = re.sub(r"{(\w+)}", lambda m: places.get(m[1], m[0]), path)
        asked += [path.replace("{task}", code) for code in codes] if "{task}" in path else [path]
    answers = [api.get(address) for address in asked if "{" not in address]
    for code in codes:
        answers += [
            api.post(f"/api/v1/tasks/{code}/open"),
            api.post(f"/api/v1/tasks/{code}/review", json={"marks": {"Charm": 1}}),
            api.post(f"/api/v1/tasks/{code}/review", json=MARKS),
            api.put(f"/api/v1/tasks/{code}/review", json=MARKS),
        ]
    return [(str(r.url).split("?")[0], spelled(r.content) + str(r.headers)) for r in answers]


def sheets_of(site: Site, email: str) -> list[tuple[str, str]]:
    """Take a reviewer's sheet as staff send it, with its file's name, and its way back."""
    site.turn()
    number = number_of(site, email)
    tasks = site.product.scores.offline_sheet("fall", number)
    if not tasks:
        return []
    staff = site.signed_in(Role.OPERATIONS)
    sent = []
    for form in ("xlsx", "csv"):
        sheet = staff.get(f"/reviewers/fall/{number}/sheet?form={form}")
        assert sheet.status_code == 200
        sent.append((f"sheet.{form}", spelled(sheet.content) + str(sheet.headers)))
    back = read_sheet_file(sheet.content, name="back.csv")
    rows = [replace(row, applicant="edited", remark="x") for row in back.rows]
    plan = site.product.scores.examine_offline_sheet("fall", rows, by="ops", source="back.csv")
    sent.append(("sheet refused", str([*plan.rows, *map(str, plan.bad)])))
    return sent


def number_of(site: Site, email: str) -> int:
    return next(r.number for r in site.product.reviewers.list("fall") if r.email == email)


def found_in(sent: list[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(where, trace) for where, text in sent for trace in TRACES if trace in text}


@pytest.mark.parametrize("number", [1, 2])
def test_no_page_file_mail_or_answer_tells_a_reviewer_who_somebody_is(
    site: Site, number: int
) -> None:
    fill(site, blind=True)

    sent = everything_sent_to(site, f"r{number}@example.org")

    places = {where for where, _ in sent}
    assert len(sent) >= 50
    assert {"sheet.xlsx", "sheet.csv", "sheet refused", "inbox list", "inbox show"} <= places
    assert any("inbox show" in where and "I, " in text for where, text in sent)
    assert any("/api/v1/tasks/" in where and "I, " in text for where, text in sent)
    assert any("sheet.csv" in where and "I, " in text for where, text in sent)
    assert found_in(sent) == set()


def test_to_look_for_the_name_tells_a_reviewer_nothing(site: Site) -> None:
    fill(site, blind=True)
    client = site.signed_in(email="r1@example.org", method=Method.LINK)
    api = program(site, None, email="r1@example.org")

    for who, address in (
        (client, "/inbox"),
        (client, "/applicants/fall"),
        (api, "/api/v1/tasks"),
        (api, "/api/v1/cycles"),
        (api, "/api/v1/cycles/fall/applicants"),
    ):
        known = who.get(address, params={"q": "Quillhilda", "search": "Quillhilda"})
        unknown = who.get(address, params={"q": "Zzzzzzzzzz", "search": "Zzzzzzzzzz"})
        assert known.status_code == unknown.status_code
        # The number of the page in its forms is another one each time.
        number = r'name="act" value="[^"]*"'
        assert re.sub(number, "", known.text) == re.sub(number, "", unknown.text)


def test_the_same_search_finds_the_name_where_reviewers_may_see_it(site: Site) -> None:
    fill(site, blind=False)

    assert found_in(everything_sent_to(site, "r1@example.org"))


def test_others_marks_and_the_state_of_the_list_stay_out_of_a_reviewers_sight(site: Site) -> None:
    fill(site, blind=True)
    client = site.signed_in(email="r1@example.org", method=Method.LINK)

    for address in ("/today/fall", "/applicants/fall", "/reviewers/fall", "/decide/fall"):
        assert client.get(address).status_code == 404


def test_a_role_that_may_not_see_applicants_is_told_no_name(site: Site) -> None:
    fill(site, blind=True)
    client = site.signed_in(Role.OBSERVER)

    sent = [(str(r.url), r.text) for r, _ in walk(client, "/", "/today/fall")]

    assert found_in(sent) == set()
