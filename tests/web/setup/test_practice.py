"""Staff put practice files before the reviewers; each marks them, then sees the others."""

from dataclasses import replace

from swapflow.identity.permissions import Role
from tests.web.site import SITE_RULES, Site


UNFORMED = replace(SITE_RULES, rubrics=())
"""Rules without a score form: one score from 0 to 100."""


def practised(site: Site) -> None:
    site.launched("fall", rules=UNFORMED, launch=False)
    site.product.practice.add_file(
        "fall", "A strong file", "She wrote <b>three</b> papers.", by="o"
    )


def test_staff_put_a_file_there_and_a_reviewer_finds_it_in_the_inbox(site: Site) -> None:
    site.launched("fall", rules=UNFORMED, launch=False)
    staff = site.signed_in(Role.COORDINATOR)
    page = staff.get("/setup/fall/practice").text
    assert "There is no practice file yet" in page

    sent = staff.post(
        "/setup/fall/practice", data={"title": "A strong file", "text": "She wrote <b>papers</b>."}
    )

    assert sent.status_code == 303
    page = staff.get("/setup/fall/practice").text
    assert "She wrote &lt;b&gt;papers&lt;/b&gt;." in page
    assert "have not marked every file" in page
    inbox = site.signed_in(email="r1@example.org").get("/inbox").text
    assert "Mark 1 practice file" in inbox
    assert 'href="/practice/fall"' in inbox


def test_a_file_without_a_title_comes_back_as_it_was_typed(site: Site) -> None:
    site.launched("fall", rules=UNFORMED, launch=False)
    staff = site.signed_in(Role.COORDINATOR)

    sent = staff.post("/setup/fall/practice", data={"title": "", "text": "Kept text"})

    assert sent.status_code == 422
    assert "Kept text" in sent.text
    assert "needs a title" in sent.text


def test_others_are_seen_only_after_ones_own_mark(site: Site) -> None:
    practised(site)
    site.product.practice.mark("fall", 0, 1, marks={}, value=0.4, remark="thin on methods")
    reviewer = site.signed_in(email="r1@example.org")
    assert "thin on methods" not in reviewer.get("/practice/fall").text

    refused = reviewer.post("/practice/fall/0/notes", data={"note": "too early"})
    marked = reviewer.post("/practice/fall/0", data={"score": "70", "remark": "strong"})

    assert refused.status_code == 422
    assert marked.status_code == 303
    page = reviewer.get("/practice/fall").text
    assert "You gave 70 of 100." in page
    assert "thin on methods" in page
    again = reviewer.post("/practice/fall/0", data={"score": "90", "remark": "strong"})
    assert again.status_code == 409
    assert site.product.practice.read("fall").values(0) == (40.0, 70.0)


def test_a_mark_that_is_none_is_refused_with_what_was_typed(site: Site) -> None:
    practised(site)

    sent = site.signed_in(email="r1@example.org").post(
        "/practice/fall/0", data={"score": "high", "remark": "Kept"}
    )

    assert sent.status_code == 422
    assert "rite a number from 0 to 100" in sent.text
    assert "Kept" in sent.text


def test_a_note_of_staff_is_read_by_reviewers_under_a_name(site: Site) -> None:
    practised(site)
    staff = site.signed_in(Role.COORDINATOR)
    reviewer = site.signed_in(email="r1@example.org")
    reviewer.post("/practice/fall/0", data={"score": "70"})

    staff.post("/setup/fall/practice/0/notes", data={"note": "Page 2 counts"})
    reviewer.post("/practice/fall/0/notes", data={"note": "I read page 2 as well"})

    read = reviewer.get("/practice/fall").text
    assert ":</b> Page 2 counts" in read
    assert "You:</b> I read page 2 as well" in read
    assert "A reviewer:</b> I read page 2 as well" in staff.get("/setup/fall/practice").text


def test_who_has_not_practised_waits_for_staff_before_the_launch(site: Site) -> None:
    practised(site)
    for reviewer in range(3):
        site.product.practice.mark("fall", 0, reviewer, marks={}, value=0.5)

    (thing,) = site.product.pending.in_cycle("fall")
    assert (thing.path, thing.params) == ("/setup/fall/practice", {"count": 1})
    assert "1 reviewer has not marked every practice file" in str(thing.message)

    site.product.practice.mark("fall", 0, 3, marks={}, value=0.5)
    assert site.product.pending.in_cycle("fall") == ()
