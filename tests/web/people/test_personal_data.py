"""Copies of what is held about one person: page, API and command, and who may take them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from swapflow.bootstrap import forget as forget_deployment
from swapflow.engine.reviewing.documents import DocumentUpload
from swapflow.identity.api_keys import make_token
from swapflow.identity.permissions import Role, Scope
from tests.engine.cycle_by_hand import applicant
from tests.web.answers import spelled
from tests.web.client import Browser
from tests.web.site import ADDRESS, SITE_RULES, Site
from tests.web.terminal import typed


LETTER, OPEN_LETTER = "the candid words of Professor Quine", "an open letter by Doctor Ayer"
SECRETS = (LETTER, "quine-letter", "remarkably candid")
OPEN = (OPEN_LETTER, "Quendolyn", "quendolyn@example.org", "peculiar")
NAMED = ("reference by link", "A0_quine_confidential.txt", "Reference remarks")
PAGE, API = "/applicants/fall/0/personal-data", "/api/v1/cycles/fall/applicants/0/personal-data"
OF_REVIEWER = "/reviewers/fall/0/personal-data"
API_OF_REVIEWER = "/api/v1/cycles/fall/reviewers/0/personal-data"


def lettered(site: Site) -> None:
    """Launch a program whose first applicant has confidential letters, and one that is open."""
    rules = replace(SITE_RULES, confidential=("reference",))
    site.launched("fall", applicants=0, launch=False, rules=rules)
    first = applicant(
        "A0",
        name="Quendolyn",
        email="quendolyn@example.org",
        fields={"essay": "peculiar", "Reference remarks": "remarkably candid"},
        documents=(("reference by link", "https://files.example.org/quine-letter", True),),
        monitor={"colour": "violet"},
    )
    site.product.applicants.import_all(
        "fall", [first, *(applicant(f"A{number}", name=f"Name{number}") for number in range(1, 6))]
    )
    site.product.applicants.attach_documents(
        "fall",
        [
            DocumentUpload(path="A0_quine_confidential.txt", body=LETTER.encode()),
            DocumentUpload(path="A0_ayer.txt", body=OPEN_LETTER.encode()),
        ],
        redacted=True,
    )
    site.product.cycles.launch("fall", by="ops")
    site.turn()


def by_command(
    site: Site, monkeypatch: pytest.MonkeyPatch, folder: Path, *more: str, who: str = "A0"
) -> bytes:
    """Type the command on the site's database; gives the ZIP that it writes."""
    monkeypatch.setenv("SWAPFLOW_DATABASE_URL", f"sqlite:///{site.file}")
    file = folder / "copy.zip"
    forget_deployment()
    try:
        typed("personal-data", "export", "fall", who, "--out", str(file), "--by", "Petra", *more)
    finally:
        forget_deployment()
    assert file.stat().st_mode & 0o777 == 0o600
    return file.read_bytes()


def looks(site: Site) -> list[tuple[str, str, str]]:
    """Who took copies, of whom and how, oldest first."""
    lines = site.office.audit_log.entries(cycle_id="fall")
    return [
        (entry.who, entry.about, entry.detail)
        for _, entry in reversed(lines)
        if "exported the file of one" in entry.what
    ]


def key_of(site: Site, role: Role) -> TestClient:
    """A program with the key of a person who may read and write."""
    account = site.account(f"key-{role.value}@example.org")
    site.office.users.grant(account, role, Scope.OFFICE, by="test")
    store = site.office.context.ledger
    key, _ = make_token(account, name="p", scopes=("read", "write"), days=9, ledger=store)
    return Browser(site.app, base_url=ADDRESS, headers={"Authorization": f"Bearer {key}"})


def test_no_way_to_an_applicants_own_copy_has_a_byte_of_a_confidential_letter(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lettered(site)
    staff = site.signed_in(Role.COORDINATOR, cycle="fall")
    answers = {
        "page": staff.post(PAGE),
        "json": staff.get(f"{API}/json"),
        "zip": staff.get(f"{API}/zip"),
    }

    told = {way: spelled(answer.content) for way, answer in answers.items()}
    told["command"] = spelled(by_command(site, monkeypatch, tmp_path))

    assert {way: answer.status_code for way, answer in answers.items()} == dict.fromkeys(
        answers, 200
    )
    assert [
        (way, secret) for way, text in told.items() for secret in SECRETS if secret in text
    ] == []
    for way, text in told.items():
        # The JSON alone names the files that the ZIP holds.
        assert [word for word in OPEN if word not in text] == (
            [OPEN_LETTER] if way == "json" else []
        )
        assert [name for name in NAMED if name not in text] == []
    assert (
        answers["page"].headers["content-disposition"]
        == 'attachment; filename="fall-0-own-copy.zip"'
    )
    assert {answer.headers["cache-control"] for answer in answers.values()} == {
        "private, no-store"
    }


def test_the_office_takes_everything_by_each_way_and_each_look_says_so(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lettered(site)
    staff, key = site.signed_in(Role.OPERATIONS), key_of(site, Role.COORDINATOR)

    taken = [
        staff.post(PAGE, data={"confidential": "true"}).content,
        key.get(f"{API}/zip", params={"confidential": "true"}).content,
        by_command(site, monkeypatch, tmp_path, "--with-confidential"),
    ]
    staff.post(PAGE)

    assert [[word for word in SECRETS + OPEN if word not in spelled(one)] for one in taken] == [
        []
    ] * 3
    detail = "with what is confidential"
    assert looks(site) == [
        ("operations@example.org", "A0", detail),
        ("key-coordinator@example.org (by a key)", "A0", detail),
        ("Petra", "A0", detail),
        ("operations@example.org", "A0", ""),
    ]


def test_each_way_gives_the_same_data(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lettered(site)
    staff = site.signed_in(Role.OPERATIONS)

    from_api = staff.get(f"{API}/json").json()
    zipped = spelled(staff.post(PAGE).content)
    from_page = json.loads(zipped[zipped.index("{\n") : zipped.rindex("}\n") + 1])
    zipped = spelled(by_command(site, monkeypatch, tmp_path))
    typed_out = json.loads(zipped[zipped.index("{\n") : zipped.rindex("}\n") + 1])

    for one in (from_api, from_page, typed_out):
        one.pop("at")
    assert from_api == from_page
    monitored = typed_out["held"].pop("monitoring_attribute")
    assert [row["value"] for row in monitored] == ["violet"]
    assert typed_out | {"left_out": ["monitoring_attribute"]} == from_api


@pytest.mark.parametrize("role", [Role.ADMINISTRATOR, Role.COORDINATOR])
def test_those_who_decide_see_nothing_that_was_declared_for_monitoring(
    site: Site, role: Role
) -> None:
    lettered(site)
    staff = site.signed_in(role)

    told = [
        staff.post(PAGE, data={"confidential": "true"}),
        staff.get(f"{API}/json", params={"confidential": "true"}),
        staff.get(f"{API}/zip", params={"confidential": "true"}),
        # The second applicant declared nothing, which must look the same.
        staff.get("/api/v1/cycles/fall/applicants/1/personal-data/json"),
    ]

    assert [
        word for one in told for word in ("violet", "colour") if word in spelled(one.content)
    ] == []
    assert [one.json()["left_out"] for one in (told[1], told[3])] == [["monitoring_attribute"]] * 2


def test_a_look_that_is_refused_is_no_look(site: Site) -> None:
    lettered(site)
    site.product.applicants.erase("fall", "A1", by="ops")
    chair, staff = site.signed_in(Role.CHAIR), site.signed_in(Role.OPERATIONS)
    coordinator = site.signed_in(Role.COORDINATOR, email="c@example.org")
    wanted: list[Response] = [
        chair.post(PAGE),
        chair.get(f"{API}/json"),
        staff.post("/applicants/fall/1/personal-data"),
        staff.get(f"{API}/pdf"),
        staff.post(OF_REVIEWER),
        coordinator.get(f"{API_OF_REVIEWER}/zip"),
    ]

    assert [one.status_code for one in wanted] == [403, 403, 404, 422, 403, 403]
    assert looks(site) == []


def test_a_reviewers_copy_is_the_same_by_each_way_and_for_administrators_of_the_office_alone(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lettered(site)
    boss = site.signed_in(Role.ADMINISTRATOR)
    here = site.signed_in(Role.ADMINISTRATOR, email="here@example.org", cycle="fall")

    refused = [here.post(OF_REVIEWER), here.get(f"{API_OF_REVIEWER}/json")]
    taken = [
        boss.post(OF_REVIEWER).content,
        boss.get(f"{API_OF_REVIEWER}/zip").content,
        by_command(site, monkeypatch, tmp_path, "--reviewer", who="R1"),
    ]

    assert [one.status_code for one in refused] == [403, 403]
    # The time at which it was made differs.
    told = {re.sub(r"\d{4}-\d\d-\d\d[T ][\d:.+]+", "", spelled(one)) for one in taken}
    assert len(told) == 1
    assert "r1@example.org" in told.pop()
    assert looks(site) == [
        ("administrator@example.org", "R1", ""),
        ("administrator@example.org", "R1", ""),
        ("Petra", "R1", ""),
    ]


def test_the_panels_offer_a_copy_to_those_who_may_take_it(site: Site) -> None:
    lettered(site)
    shown = {
        role: [
            site.signed_in(role).get(path).text.count("personal-data")
            for path in ("/applicants/fall/0", "/reviewers/fall/0")
        ]
        for role in (Role.ADMINISTRATOR, Role.COORDINATOR, Role.CHAIR)
    }
    plain = site.signed_in(Role.COORDINATOR).get("/applicants/fall/1").text

    assert shown == {
        Role.ADMINISTRATOR: [1, 1],
        Role.COORDINATOR: [1, 0],
        Role.CHAIR: [0, 0],
    }
    assert "confidential items too" not in plain, "there is nothing confidential of them"


def test_a_coordinator_who_reviews_here_takes_a_copy_once_they_opened_the_applicant(
    site: Site,
) -> None:
    lettered(site)
    seated = site.signed_in(Role.COORDINATOR, email="r1@example.org")
    closed = [seated.post(PAGE), seated.get(f"{API}/json")]

    seated.post("/applicants/fall/0/open", data={"reason": "they ask for their data"})
    opened = [seated.post(PAGE), seated.get(f"{API}/json")]

    assert [one.status_code for one in closed] == [403, 403]
    assert [one.status_code for one in opened] == [200, 200]
