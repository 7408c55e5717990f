"""Setting a program up by hand: rounds, rules, score forms, the check, the launch."""

import re
from dataclasses import replace

from starlette.testclient import TestClient

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Floor
from swapflow.files.rules.rules_file import rules_text
from swapflow.identity.permissions import Role, Scope
from tests.web.api.programs import V1, program
from tests.web.forms import fields_of, revision_in, send_form
from tests.web.site import RUBRIC, SITE_RULES, Site


def draft(site: Site) -> tuple[TestClient, str]:
    return site.signed_in(Role.OPERATIONS), f"/setup/{site.launched('fall', launch=False)}"


def test_a_round_and_a_program_are_made_from_a_template_and_listed(site: Site) -> None:
    client = site.signed_in(Role.OPERATIONS)

    made = client.post("/setup/rounds", data={"id": "2027", "name": "Fall 2027", "zone": "UTC"})
    program = client.post(
        "/setup/programs",
        data={"id": "ms", "name": "MS Physics", "round": "2027", "template": "admissions"},
    )

    assert (made.status_code, program.status_code) == (303, 303)
    assert program.headers["location"] == "/setup/ms"
    assert "MS Physics" in client.get("/setup").text
    assert site.product.cycles.rules("ms").cohort_size == 20


def test_a_program_with_a_bad_id_keeps_what_was_typed_and_makes_nothing(site: Site) -> None:
    client = site.signed_in(Role.OPERATIONS)
    client.post("/setup/rounds", data={"id": "2027", "name": "Fall 2027"})

    refused = client.post(
        "/setup/programs",
        data={"id": "MS Physik!", "name": "MS Physik", "round": "2027", "template": "hiring"},
    )

    assert refused.status_code == 422
    assert 'value="MS Physik"' in refused.text
    assert 'aria-invalid="true"' in refused.text
    assert site.product.cycles.list() == ()


def test_the_only_round_is_chosen_already_and_several_are_a_choice(site: Site) -> None:
    client = site.signed_in(Role.OPERATIONS)
    none = client.get("/setup").text

    client.post("/setup/rounds", data={"id": "2027", "name": "Fall 2027"})
    one = client.get("/setup").text
    client.post("/setup/rounds", data={"id": "2028", "name": "Fall 2028"})
    two = client.get("/setup").text

    first = r'<select id="p-round" name="round">\s*<option value="(\d*)"'
    assert "New program" in none
    assert re.findall(first, none) == []
    assert re.findall(first, one) == ["2027"]
    assert re.findall(first, two) == [""]
    assert two.count("choose …") == one.count("choose …") + 1


def test_a_coordinator_of_one_program_makes_no_round(site: Site) -> None:
    site.launched("fall", launch=False)
    client = site.signed_in(Role.COORDINATOR, cycle="fall")

    assert client.get("/setup/fall").status_code == 200
    assert client.post("/setup/rounds", data={"id": "x", "name": "x"}).status_code == 403
    assert [known.id for known in site.product.cycles.rounds()] == ["round"]


def test_whoever_sets_up_a_round_makes_programs_in_it_and_nowhere_else(site: Site) -> None:
    for name in ("here", "there"):
        site.product.cycles.new_round(name, name=name)
    client = site.signed_in(Role.OPERATIONS, scope=Scope.ROUND, scope_id="here")
    program = {"name": "P", "template": "hiring"}

    inside = client.post("/setup/programs", data={**program, "id": "p", "round": "here"})
    outside = client.post("/setup/programs", data={**program, "id": "q", "round": "there"})

    assert (inside.status_code, outside.status_code) == (303, 403)
    assert [c.id for c in site.product.cycles.list()] == ["p"]


def test_the_rules_form_sent_back_unchanged_changes_nothing(site: Site) -> None:
    client, path = draft(site)
    before = site.product.cycles.rules("fall")

    sent = fields_of(client.get(f"{path}/rules").text)
    saved = client.post(f"{path}/rules", data={**sent, "do": "save"})

    assert saved.status_code == 303, saved.text
    assert site.product.cycles.rules("fall") == before


def test_changed_rules_are_a_new_version(site: Site) -> None:
    client, path = draft(site)
    sent = fields_of(client.get(f"{path}/rules").text)

    saved = client.post(
        f"{path}/rules",
        data={**sent, "budget": "1 200", "deadline": "2027-01-31T18:00", "do": "save"},
    )

    assert saved.status_code == 303, saved.text
    rules = site.product.cycles.rules("fall")
    assert (rules.version, rules.budget) == (2, 1200)
    assert rules.deadline is not None
    assert "Version 2" in client.get(saved.headers["location"]).text


def test_a_row_is_added_and_removed_without_storing_anything(site: Site) -> None:
    client, path = draft(site)
    sent = fields_of(client.get(f"{path}/rules").text)

    more = client.post(f"{path}/rules", data={**sent, "budget": "77", "do": "add:kinds"})
    fewer = client.post(f"{path}/rules", data={**fields_of(more.text), "do": "remove:kinds.1"})

    assert "Remove review 2" in more.text
    assert "Remove review 2" not in fewer.text
    assert fields_of(fewer.text)["budget"] == "77"
    assert site.product.cycles.rules("fall").version == 1


def test_every_bad_field_is_named_beside_it_and_nothing_is_stored(site: Site) -> None:
    client, path = draft(site)
    sent = fields_of(client.get(f"{path}/rules").text)
    bad = {
        "budget": "twelve",
        "kinds.0.cost": "1.5",
        "places.0.name": "a\x07b",
        "advanced.delta": "7",
        "zone": "Mars/Base",
        "reserve": "9" * 300,
    }

    refused = client.post(f"{path}/rules", data={**sent, **bad, "do": "save"})

    assert refused.status_code == 422
    for name in bad:
        field = re.search(rf'<input[^>]*name="{re.escape(name)}"[^>]*>', refused.text)
        assert field is not None, name
        assert 'aria-invalid="true"' in field[0], name
    assert 'value="twelve"' in refused.text
    assert site.product.cycles.rules("fall").version == 1


def test_a_field_that_was_not_sent_keeps_its_careful_default(site: Site) -> None:
    client, path = draft(site)
    sent = fields_of(client.get(f"{path}/rules").text)
    del sent["blind"]

    saved = client.post(f"{path}/rules", data={**sent, "do": "save"})
    odd = client.post(f"{path}/rules", data={**sent, "blind": "perhaps", "do": "save"})

    assert (saved.status_code, odd.status_code) == (303, 422)
    assert site.product.cycles.rules("fall").blind


def test_names_from_right_to_left_and_emoji_are_fine(site: Site) -> None:
    client, path = draft(site)
    sent = fields_of(client.get(f"{path}/rules").text)

    saved = client.post(f"{path}/rules", data={**sent, "places.0.name": "مقاعد 🎓", "do": "save"})

    assert saved.status_code == 303
    assert site.product.cycles.rules("fall").lines[0].name == "مقاعد 🎓"


def test_after_the_launch_rules_change_only_with_a_reason(site: Site) -> None:
    site.launched("fall")
    client = site.signed_in(Role.OPERATIONS)
    sent = {**fields_of(client.get("/setup/fall/rules").text), "budget": "99", "do": "save"}

    refused = client.post("/setup/fall/rules", data={**sent, "reason": ""})
    saved = client.post("/setup/fall/rules", data={**sent, "reason": "more hours"})

    assert refused.status_code == 422
    assert saved.status_code == 303, saved.text
    assert site.product.cycles.rules("fall").budget == 99
    assert "more hours" in client.get("/setup/fall/rules").text


def test_rules_go_out_and_come_back_as_a_file(site: Site) -> None:
    client, path = draft(site)
    text = client.get(f"{path}/rules.toml").text.replace("budget = 60", "budget = 61")

    told = {"revision": revision_in(client.get(f"{path}/rules").text, f"{path}/rules/file")}
    saved = client.post(f"{path}/rules/file", data=told, files={"file": ("rules.toml", text)})
    refused = client.post(f"{path}/rules/file", files={"file": ("rules.toml", "budget = '")})

    assert saved.status_code == 303, saved.text
    assert refused.status_code == 422
    assert "this is not TOML" in refused.text
    assert site.product.cycles.rules("fall").budget == 61


def test_a_score_form_is_previewed_and_put_in_force_as_a_new_version(site: Site) -> None:
    site.launched("fall")
    client = site.signed_in(Role.OPERATIONS)
    page = client.get("/setup/fall/rubrics/review").text
    sent = {**fields_of(page), "criteria.0.weight": "5"}

    seen = client.post("/setup/fall/rubrics/review", data={**sent, "do": "preview"})
    unreasoned = client.post("/setup/fall/rubrics/review", data={**sent, "do": "save"})
    version = site.product.cycles.rules("fall").version
    saved = client.post(
        "/setup/fall/rubrics/review", data={**sent, "reason": "asked for", "do": "save"}
    )

    assert "What this change would do" in seen.text
    assert (unreasoned.status_code, version) == (422, 1)
    assert saved.status_code == 303, saved.text
    rubric = site.product.cycles.rules("fall").rubric("review")
    assert rubric is not None
    assert (rubric.version, rubric.criteria[0].weight) == (2, 5.0)


def test_rules_say_what_they_do_to_the_list_when_tried_and_when_in_force(site: Site) -> None:
    site.launched("fall")
    for assignment in site.product.tasks.inbox("fall", "R1"):
        answer = Answer(assignment_id=assignment.id, marks={"Preparation": 4, "Promise": 1})
        site.product.tasks.submit([answer])
    client = site.signed_in(Role.OPERATIONS)
    (first, *others), rules = RUBRIC.criteria, site.product.cycles.rules("fall")
    rubric = replace(RUBRIC, criteria=(replace(first, weight=9.0), *others))
    text = rules_text(replace(rules, rubrics=(rubric,)))

    tried = client.post("/setup/fall/rules/file", data={"do": "try", "text": text})
    sent = {"do": "save", "text": text, "reason": "preparation counts more"}
    saved = send_form(client, "/setup/fall/rules", "/setup/fall/rules/file", sent)
    after = client.get(saved.headers["location"]).text
    api = program(site)
    dry = api.put(
        f"{V1}/cycles/fall/rules", params={"dry_run": True}, json={"rules": text, "reason": "x"}
    )

    assert "would get another value" in tried.text
    assert "By the scores of this moment" in tried.text
    assert "got another value" in after
    assert "By the scores of that moment" in after
    assert dry.json()["version"] == 2
    assert dry.json()["effect"]["moved"] == 0


def test_a_reviewer_with_another_role_is_not_told_who_enters_or_leaves_the_list(
    site: Site,
) -> None:
    site.launched("fall")
    for assignment in site.product.tasks.inbox("fall", "R2"):
        answer = Answer(assignment_id=assignment.id, marks={"Preparation": 4, "Promise": 1})
        site.product.tasks.submit([answer])
    client = site.signed_in(Role.OPERATIONS, email="r1@example.org")
    (first, *others), rules = RUBRIC.criteria, site.product.cycles.rules("fall")
    rubric = replace(RUBRIC, criteria=(replace(first, weight=9.0), *others))
    text = rules_text(replace(rules, rubrics=(rubric,)))

    tried = client.post("/setup/fall/rules/file", data={"do": "try", "text": text}).text
    sent = {"do": "save", "text": text, "reason": "preparation counts more"}
    saved = send_form(client, "/setup/fall/rules", "/setup/fall/rules/file", sent)
    after = client.get(saved.headers["location"]).text

    assert "would get another value" in tried
    assert "got another value" in after
    for page in (tried, after):
        assert "is closed to you until asking ends" in page
        assert "By the scores of" not in page


def test_a_criterion_without_marks_is_refused_beside_its_marks(site: Site) -> None:
    client, path = draft(site)
    sent = fields_of(client.get(f"{path}/rubrics/review").text)
    bare = {name: "" if ".marks." in name else value for name, value in sent.items()}

    refused = client.post(f"{path}/rubrics/review", data={**bare, "do": "save"})

    assert refused.status_code == 422
    assert "at least two marks" in refused.text
    assert site.product.cycles.rules("fall").version == 1


def test_what_is_in_the_way_of_a_launch_is_listed_and_refused(site: Site) -> None:
    site.launched("fall", launch=False, applicants=2)
    client = site.signed_in(Role.OPERATIONS)

    page = client.get("/setup/fall/launch")
    refused = client.post("/setup/fall/launch", data={"sure": "yes"})

    assert "leave nothing to decide" in page.text
    assert refused.status_code == 422
    assert site.product.cycles.get("fall").status is CycleStatus.DRAFT


def test_a_round_that_has_ended_has_nothing_to_cure_in_its_set_up(site: Site) -> None:
    site.launched("fall", rules=replace(SITE_RULES, floors=(Floor(kind="review", count=2),)))
    for reviewer in site.product.reviewers.list("fall")[1:]:
        site.product.reviewers.leave("fall", reviewer.external_id, by="ops")
    client = site.signed_in(Role.OPERATIONS)
    assert site.product.cycles.launch_problems("fall")

    page = client.get("/setup/fall").text

    assert "to correct" not in page
    assert page.count("✓ done") == 5


def test_a_launch_needs_the_box_to_be_ticked(site: Site) -> None:
    client, path = draft(site)

    unsure = client.post(f"{path}/launch")
    sure = client.post(f"{path}/launch", data={"sure": "yes"})

    assert (unsure.status_code, sure.status_code) == (422, 303)
    assert site.product.cycles.get("fall").status is CycleStatus.RUNNING
    done = [entry.what for _, entry in site.office.context.ledger.audit(cycle_id="fall")]
    assert done == ["launched the program"]


def test_the_preview_counts_what_the_floors_cost(site: Site) -> None:
    rules = replace(SITE_RULES, budget=60, reserve=0.1)
    site.launched("fall", launch=False, rules=rules, applicants=12)

    seen = site.product.cycles.preview("fall")

    assert (seen.floors, seen.reserve, seen.rest) == (12, 6, 42)
    assert seen.kinds[0].buys == 36  # four reviews each at most, one of them by the floor
    assert seen.obstacles == ()


def test_a_launch_is_of_what_was_shown(site: Site) -> None:
    site.launched("fall", launch=False)
    client = site.signed_in(Role.ADMINISTRATOR, email="boss@example.org")
    page = client.get("/setup/fall/launch").text
    shown = re.search(r'name="shown" value="([^"]+)"', page)
    assert shown is not None
    rules = site.product.cycles.rules("fall")
    site.product.cycles.change_rules(
        "fall", replace(rules, budget=rules.budget + 1), by="other", reason="more"
    )

    stale = client.post("/setup/fall/launch", data={"sure": "yes", "shown": shown[1]})

    assert stale.status_code == 409
    assert "the rules" in stale.text
    assert site.product.cycles.get("fall").status is CycleStatus.DRAFT
