"""How quick, late and severe a reviewer is, is told for a logged look alone, and then goes.

The walk opens every page that any role reaches and asks the API and the commands: in a program
whose rules say how figures are told, none of them stands anywhere but in an answer to a look.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from swapflow.bootstrap import monitoring_beside
from swapflow.domain.cohort.proposal import Waiver
from swapflow.domain.event import EventType
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Floor, KindRules, ReviewerFigures, SeatLine
from swapflow.engine.audit.reviewer_figures import KEPT_FOR, MANY
from swapflow.engine.read_models.calibration import calibration
from swapflow.files.exports.monitoring_report import as_plain
from swapflow.files.rules.rules_file import parse_rules, rules_text
from swapflow.identity.permissions import Role
from tests.cli.office import forget_deployment
from tests.engine.cycle_by_hand import applicant
from tests.engine.read_models.severe_reviewers import severe
from tests.web.crawl import walk
from tests.web.roles import API, COVERING
from tests.web.site import SITE_RULES, Site
from tests.web.terminal import typed


DAY = 86_400.0
HERE = "/reviewers/fall/figures"
SEVERITY = "/decide/fall/calibration/severity"
WAIVED = Waiver(by="Chair", reason="the late reviewer is ill")
V1 = "/api/v1/cycles/fall"
TOLD = "figures about reviewers read"
RULES = replace(
    SITE_RULES,
    lines=(SeatLine(name="all", places=6),),
    rubrics=(),
    kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=4, window_days=5.0),),
    floors=(Floor(kind="review", count=4),),
    budget=96,
    packet=100,
    blind=False,
)
ON_A_PAGE = re.compile(
    r"Median days|in the median|Marks above the others|Marks high or low|From the others"
    r"|everity of these reviewers|hese reviewers are|Last answer|Last seen"
    r"|Reviewer \d\b[^.,]{0,30}\b(?:late|overdue)\b",
)
"""What figures about reviewers stand beside, and a name beside lateness."""


def played(site: Site, mode: ReviewerFigures | None = ReviewerFigures.NUMBERED) -> None:
    """Play a program in which everybody answers but one, who is late, and remarks are quoted."""
    site.filled(f"figures {mode}", lambda: _play(site, mode))
    site.later(20 * DAY)


def _play(site: Site, mode: ReviewerFigures | None) -> None:
    site.launched(
        rules=replace(RULES, reviewer_figures=mode or ReviewerFigures.NUMBERED),
        applicants=0,
        roster=6,
        launch=False,
    )
    people = [
        applicant(f"A{n:03d}", name=f"Name {n}", monitor={"sex": "fm"[n % 2]}) for n in range(24)
    ]
    site.product.applicants.import_all("fall", people)
    site.product.cycles.launch("fall", by="ops")
    if mode is None:
        with site.ledger.write("fall") as tx:
            old = replace(tx.rules(), reviewer_figures=None, version=tx.cycle.rules_version + 1)
            tx.set_rules(old, by="x", reason="")
            tx.record(EventType.RULES_CHANGED, {"rules": old.version})
    site.turn()
    names = {a.number: a.external_id for a in site.product.applicants.list("fall")}
    for turn, by in enumerate(("R1", "R2", "R3", "R4", "R5")):
        site.later((turn + 0.7) * DAY)
        for task in site.product.tasks.inbox("fall", by):
            mark = severe(names[task.application], "review", task.ordinal, by)
            answer = Answer(assignment_id=task.id, utility=mark, remark="clear and well argued")
            site.product.tasks.submit([answer])
    assert site.product.tasks.inbox("fall", "R6")


def looks(site: Site) -> list[tuple[str, str]]:
    entries = site.office.context.ledger.audit(cycle_id="fall")
    return [(entry.who, entry.about) for _, entry in entries if entry.what == TOLD]


def everything_shown(site: Site, *roles: Role) -> Iterator[tuple[str, str]]:
    """Open every page that these roles reach; ask the API for whatever it gives on asking."""
    starts = [
        f"/{place}/fall" for place in ("today", "applicants", "reviewers", "decide", "setup")
    ]
    more = ("/decide/fall/calibration", HERE, "/today/fall/data", "/today/fall/monitoring")
    charts = [f"/today/fall/data.csv?chart={name}" for name in ("load", "decisions")]
    for role in roles:
        client = site.signed_in(role)
        for response, page in walk(client, "/", *starts, *more, *charts):
            told = response.text if page is None else page.words
            yield f"{role.value} {response.url}", told
        for route in API:
            method, path = route.split(" ")
            path = path.replace("{cycle_id}", "fall").replace("{number}", "0")
            if method == "GET" and "{" not in path:
                yield f"{role.value} {path}", client.get(path).text


def keyed(told: str) -> list[tuple[str, object]]:
    """Return the (key, value) pairs of a JSON text, however deep."""
    try:
        waiting = [json.loads(told)]
    except ValueError:
        return []
    found: list[tuple[str, object]] = []
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found += one.items()
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return found


@pytest.mark.parametrize(
    ("mode", "roles"),
    [
        (ReviewerFigures.NUMBERED, COVERING),
        (ReviewerFigures.NAMED, (Role.ADMINISTRATOR,)),
        (ReviewerFigures.OFF, (Role.ADMINISTRATOR,)),
    ],
)
def test_no_page_no_file_and_no_answer_tells_a_figure_unasked(
    site: Site, mode: ReviewerFigures, roles: tuple[Role, ...]
) -> None:
    played(site, mode)
    seen = 0

    for where, told in everything_shown(site, *roles):
        seen += 1
        assert not ON_A_PAGE.search(told), (where, ON_A_PAGE.search(told))
        # The API's own description names its fields, and tells nothing of a program.
        pairs = [] if where.endswith("/openapi.json") else keyed(told)
        assert all(value is None for key, value in pairs if key == "median_days"), where
        if "/calibration" in where:
            assert all(value == [] for key, value in pairs if key == "reviewers"), where
        if where.endswith(("/explanation", "/data")):
            named = {"severity"} if where.endswith("/explanation") else {"overdue"}
            assert all(value is None for key, value in pairs if key in named), where
        if "chart=load" in where:
            assert {line.split(",")[1] for line in told.splitlines()[1:]} == {""}, where
    assert seen > 60 * len(roles)
    assert looks(site) == []
    dashboard, _ = site.product.reports.dashboard("fall")
    assert not (dashboard.severity.severity == dashboard.severity.severity).any(), "not in Redis"


def test_a_look_shows_random_numbers_and_is_logged_before(site: Site) -> None:
    played(site)
    staff = site.signed_in(Role.COORDINATOR)
    loads = site.ledger.loads("fall")
    numbers = {
        site.product.cycles.get("fall").reviewer_number(n): load for n, load in loads.items()
    }

    assert "a random number" in staff.get(HERE).text
    assert looks(site) == []
    page = staff.post(HERE).text
    told = staff.post(f"{V1}/reviewer-figures").json()

    assert looks(site) == [("coordinator@example.org", "how quick and how late")] * 2
    assert "Reviewer 1" not in page
    assert {int(one["reviewer"]) for one in told["reviewers"]} == set(numbers)
    for one in told["reviewers"]:
        load = numbers[int(one["reviewer"])]
        days = None if load.median_days is None else round(load.median_days, 1)
        assert (one["overdue"], one["median_days"]) == (min(load.overdue or 0, MANY), days)
        assert f"reviewer {one['reviewer']}</th>" in page
    assert max(load.overdue or 0 for load in loads.values()) > MANY, "it would tell who is meant"
    assert "3 or more" in page
    assert set(told["reviewers"][0]) == {"reviewer", "overdue", "median_days"}, "no count to match"
    assert told["until"] is None


def test_severity_is_for_the_calibration_role_alone(site: Site) -> None:
    played(site)
    judges = calibration("fall", ledger=site.ledger).measured.judges
    assert judges
    for role in set(Role) - {Role.CALIBRATION}:
        client = site.signed_in(role)
        assert client.post(SEVERITY).status_code == 403
        assert client.post(f"{V1}/calibration/severity").status_code == 403
    assert looks(site) == []
    officer = site.signed_in(Role.CALIBRATION)
    assert "Marks above the others" not in officer.get("/decide/fall/calibration").text

    page = officer.post(SEVERITY).text
    told = officer.post(f"{V1}/calibration/severity").json()["reviewers"]

    assert looks(site) == [("calibration@example.org", "how severe")] * 2
    assert "Marks above the others" in page
    assert "Reviewer 1" not in page
    assert "clear and well argued" not in page, "never beside a remark"
    cycle = site.product.cycles.get("fall")
    expected = {cycle.reviewer_number(one.reviewer): 100 * one.severity.value for one in judges}
    shown = {int(one["reviewer"]): one["severity"]["value"] for one in told}
    assert shown == pytest.approx(expected)
    assert all(one["scores"] is None for one in told)


def test_by_name_where_the_rules_say_so_and_logged_as_well(site: Site) -> None:
    played(site, ReviewerFigures.NAMED)
    page = site.signed_in(Role.COORDINATOR).post(HERE).text
    assert "Reviewer 1" in page
    assert "Median days" in page
    assert len(looks(site)) == 1


def refused(client: TestClient, officer: TestClient) -> None:
    """Every way to look is refused in words."""
    for answer in (
        client.post(HERE),
        client.post(f"{V1}/reviewer-figures"),
        officer.post(SEVERITY),
        officer.post(f"{V1}/calibration/severity"),
    ):
        assert answer.status_code == 404
        assert "figures" in answer.text.casefold()


def test_off_means_nobody_looks(site: Site) -> None:
    played(site, ReviewerFigures.OFF)
    staff = site.signed_in(Role.COORDINATOR)
    refused(staff, site.signed_in(Role.CALIBRATION))
    assert "tell no figures about reviewers" in staff.get(HERE).text
    assert "tell no figures about reviewers" in staff.get("/reviewers/fall").text
    report = monitoring_beside(site.product).report("fall")
    assert as_plain(report)["reviewers"] == []
    assert looks(site) == []


def test_ninety_days_after_the_list_is_final_the_figures_are_gone(site: Site) -> None:
    played(site)
    site.product.cycles.stop("fall", by="ops", reason="enough")
    site.product.cohort.finalize("fall", by="Chair", waiver=WAIVED)
    kept = KEPT_FOR.total_seconds()

    site.later(20 * DAY + kept - 600)
    staff, officer = site.signed_in(Role.COORDINATOR), site.signed_in(Role.CALIBRATION)
    assert staff.post(HERE).status_code == 200
    assert "Marks above the others" in officer.post(SEVERITY).text
    assert as_plain(monitoring_beside(site.product).report("fall"))["reviewers"]
    site.later(20 * DAY + kept + 600)

    refused(staff, officer)
    assert "The figures were deleted on" in staff.get(HERE).text
    assert "gone" in staff.get("/reviewers/fall").text
    assert "gone" in officer.get("/decide/fall/calibration").text
    assert as_plain(monitoring_beside(site.product).report("fall"))["reviewers"] == []
    assert len(looks(site)) == 2
    assert site.product.reports.verify("fall", live=False).findings == ()


def test_a_program_launched_before_shows_figures_as_it_did(site: Site) -> None:
    played(site, None)
    staff = site.signed_in(Role.COORDINATOR)

    table = staff.get("/reviewers/fall").text
    assert "Median days" in table
    assert "Marks high or low" in table
    assert "Marks above the others" in staff.get("/decide/fall/calibration").text
    assert staff.get(f"{V1}/calibration").json()["reviewers"]
    assert "overdue" in staff.get("/today/fall/waiting").text
    silent = re.sub(r"(?m)^reviewer_figures.*$", "", rules_text(site.product.cycles.rules("fall")))
    changed = parse_rules(silent.replace("signatures = 1", "signatures = 2"))
    site.product.cycles.change_rules("fall", changed, by="ops", reason="two sign")
    assert site.product.cycles.rules("fall").reviewer_figures is None
    said = replace(site.product.cycles.rules("fall"), reviewer_figures=ReviewerFigures.NUMBERED)
    site.product.cycles.change_rules("fall", said, by="ops", reason="as new programs")
    assert not ON_A_PAGE.search(staff.get("/reviewers/fall").text)


def test_commands_tell_what_the_pages_tell(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    played(site)
    site.signed_in(Role.CALIBRATION)
    monkeypatch.setenv("SWAPFLOW_DATABASE_URL", f"sqlite:///{site.file}")
    forget_deployment()
    try:
        shown = json.loads(typed("reviewers", "figures", "fall", "--by", "ann", "--json")[1])
        plain = json.loads(typed("cycle", "calibration", "fall", "--by", "ann", "--json")[1])
        why = typed("cycle", "calibration", "fall", "--by", "ann")[1]
        with pytest.raises(AssertionError, match="no account with the role calibration"):
            typed("cycle", "calibration", "fall", "--by", "ann", "--severity")
        by = "calibration@example.org"
        severe = typed("cycle", "calibration", "fall", "--by", by, "--severity", "--json")[1]
        explained = typed("cycle", "explain", "fall", "A001", "--json")[1]
    finally:
        forget_deployment()
    assert {one["reviewer"].split()[0] for one in shown["reviewers"]} == {"reviewer"}
    assert not {"R1", "R6"} & {one["reviewer"] for one in shown["reviewers"]}
    assert (plain["measured"]["judges"], plain["reviewers"]) == ([], {})
    assert "accounts with the role calibration" in why
    told = json.loads(severe)
    assert told["measured"]["judges"]
    assert {one["marks"] for one in told["measured"]["judges"]} == {None}
    assert "R1" not in told["reviewers"].values()
    way = json.loads(explained)["way"]
    assert (way["severity"], way["level"]) == (None, None)
    assert looks(site) == [(by, "how severe"), ("ann", "how quick and how late")]


def test_numbers_of_reviewers_are_random_and_each_has_its_own(site: Site) -> None:
    site.launched()
    cycle = site.product.cycles.get("fall")
    numbers = [cycle.reviewer_number(n) for n in (*range(3000), *range(4090, 5000))]
    assert len(set(numbers)) == len(numbers)
    assert numbers[:50] != sorted(numbers[:50])
    other = replace(cycle, task_key="0" * 64)
    assert [other.reviewer_number(n) for n in range(50)] != numbers[:50]
