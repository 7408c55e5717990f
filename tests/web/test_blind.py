"""In a blind cycle nothing that a reviewer can reach tells who somebody is."""

from dataclasses import replace

import pytest

from swapflow.office.accounts import Method
from swapflow.office.rights import Role
from tests.engine.world import applicant
from tests.web.crawl import walk
from tests.web.site import SITE_RULES, Site


TRACES = ("Quillhilda", "Featherstonehaugh", "quillhilda@uni.example", "+41 79 555 01 02")


def fill(site: Site, *, blind: bool) -> None:
    """Launch a cycle whose only applicants have one unmistakable name."""
    site.launched("fall", applicants=0, launch=False, rules=replace(SITE_RULES, blind=blind))
    site.product.import_applications(
        "fall",
        [
            applicant(
                f"B{number}",
                name="Quillhilda Featherstonehaugh",
                email="quillhilda@uni.example",
                fields={
                    "first name": "Quillhilda",
                    "phone": "+41 79 555 01 02",
                    "statement": "I, Quillhilda Featherstonehaugh, am quillhilda@uni.example.",
                },
            )
            for number in range(1, 7)
        ],
    )
    site.product.launch("fall", by="ops")
    site.turn()


def everything_sent_to(site: Site, email: str) -> list[tuple[str, str]]:
    """Collect all that a reviewer is shown or sent: pages, files, headers, mails, answers."""
    client = site.signed_in(email=email, method=Method.LINK)
    sent = [
        (str(response.url), response.text + str(response.headers))
        for response, _ in walk(client, "/", "/inbox", "/me")
    ]
    sent += [(f"mail {m.id}", m.subject + m.text + m.html + m.calendar) for m in site.mails]
    return sent


def found_in(sent: list[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(where, trace) for where, text in sent for trace in TRACES if trace in text}


@pytest.mark.parametrize("number", [1, 2])
def test_no_page_file_mail_or_answer_tells_a_reviewer_who_somebody_is(
    site: Site, number: int
) -> None:
    fill(site, blind=True)

    sent = everything_sent_to(site, f"r{number}@example.org")

    assert len(sent) >= 5
    assert any("I, " in text for _, text in sent)
    assert found_in(sent) == set()


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
