"""A reader chooses the language; else the browser's wish is met, else the deployment's."""

import pytest
from babel.messages.pofile import read_po

from swapflow.i18n import languages
from swapflow.i18n.languages import CATALOGUES
from swapflow.settings import Settings, load_settings
from tests.web.site import ADDRESS, Site


def test_the_language_chosen_is_spoken_on_every_page_of_this_browser(site: Site) -> None:
    site.launched()
    client, assignment = site.assigned()

    chosen = client.post("/language", data={"language": "de", "next": "/inbox"})
    inbox = client.get("/inbox").text
    task = client.get(f"/tasks/{site.product.tasks.code(assignment.id)}").text

    assert (chosen.status_code, chosen.headers["location"]) == (303, "/inbox")
    assert '<html lang="de" dir="ltr">' in inbox
    assert "Meine Gutachten" in inbox
    assert "0 von 4 erledigt" in inbox
    assert "Abgeben und weiter" in task
    assert "Wird gesichert" in task
    assert '<html lang="de"' not in site.signed_in(email="r2@example.org").get("/inbox").text


def test_a_language_that_is_not_listed_cannot_be_chosen(site: Site) -> None:
    client = site.signed_in(email="r1@example.org")

    for unknown in ("tlh", "en-XA", "../../etc"):
        answer = client.post("/language", data={"language": unknown})

        assert answer.status_code == 422
        assert "set-cookie" not in answer.headers
    client.cookies.set("swapflow-language", "en-XA")
    assert '<html lang="en" dir="ltr">' in client.get("/me").text


def test_the_choice_leads_to_no_other_site(site: Site) -> None:
    client = site.anonymous()

    answer = client.post("/language", data={"language": "de", "next": "//elsewhere.example"})

    assert answer.headers["location"] == "/"


def test_a_browsers_wish_is_met_only_by_a_language_that_is_whole(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = {"Accept-Language": "de-AT, en;q=0.5"}
    whole = site.anonymous().get("/sign-in", headers=wish).text
    # A language that is begun: half a page in it serves nobody who has not asked for it here.
    monkeypatch.setattr(languages, "_share", lambda _: 0.5)
    begun = site.anonymous().get("/sign-in", headers=wish).text

    assert '<html lang="de" dir="ltr">' in whole
    assert '<html lang="en" dir="ltr">' in begun


def test_a_mail_that_somebody_asks_for_comes_in_the_language_of_their_page(site: Site) -> None:
    site.account("new@example.org")
    client = site.anonymous()
    client.cookies.set("swapflow-language", "de")

    client.post("/sign-in/link", data={"email": "new@example.org"})
    site.turn()

    assert site.mails[-1].subject == "Ihr Anmeldelink"
    assert '<html lang="de" dir="ltr">' in site.mails[-1].html


def test_programs_are_answered_in_english_whatever_the_cookie_says(site: Site) -> None:
    client = site.anonymous()
    client.cookies.set("swapflow-language", "de")

    assert client.get("/api/v1/cycles/none").json()["title"] == "Please sign in"


def test_german_has_every_word_that_people_read() -> None:
    with (CATALOGUES / "de" / "LC_MESSAGES" / "messages.po").open("rb") as opened:
        german = read_po(opened)

    left = [
        message.id
        for message in german
        if message.id
        and not all((message.string,) if isinstance(message.string, str) else message.string or ())
    ]
    assert left == []


class TestWhereGermanIsSet:
    """A deployment that speaks German."""

    @pytest.fixture
    def settings(self, tmp_path: object) -> Settings:
        return load_settings(data_dir=tmp_path, public_url=ADDRESS, language="de")

    def test_its_language_is_spoken_to_whoever_wishes_it_or_nothing_that_is_here(
        self, site: Site
    ) -> None:
        client = site.anonymous()

        def spoken(wish: str) -> str:
            page = client.get("/sign-in", headers={"Accept-Language": wish}).text
            return page.partition('lang="')[2][:2]

        assert [spoken(wish) for wish in ("de-AT", "tlh", "", "en-GB, de")] == [
            "de", "de", "de", "en",
        ]  # fmt: skip

    def test_its_dates_are_spelled_as_germans_do(self, site: Site) -> None:
        site.launched()
        client, assignment = site.assigned()
        assert assignment.due_at is not None
        due = assignment.due_at

        page = client.get("/inbox").text

        assert f"{due.day}. " in page
        names = ("So", "Mo", "Di", "Mi", "Do", "Fr", "Sa")
        assert f"{names[int(f'{due:%w}')]}., {due.day}. " in page
