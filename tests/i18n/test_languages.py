"""Which language is spoken, and how it spells dates and numbers."""

from datetime import UTC, datetime, timedelta

import pytest

from swapflow.errors import InvalidInputError
from swapflow.i18n.formatting import (
    clock,
    counted,
    date_of,
    day,
    days_until,
    moment,
    number,
    until,
)
from swapflow.i18n.languages import (
    chosen_language,
    current_language,
    gettext,
    known_languages,
    language_named,
    preferred_languages,
    set_deployment_language,
    use_language,
)
from swapflow.settings import load_settings


AT = datetime(2026, 12, 12, 16, 1, tzinfo=UTC)


def test_english_dates_are_spelled_the_way_nobody_reads_wrongly() -> None:
    assert moment(AT) == "Sat 12 Dec 2026, 16:01 UTC"
    assert moment(AT, "Europe/Berlin") == "Sat 12 Dec 2026, 17:01 CET"
    assert day(AT) == "Sat 12 Dec"
    assert date_of(AT.date()) == "Sat 12 Dec 2026"
    assert clock(AT, "Asia/Tokyo") == "01:01"
    assert number(1_234_567) == "1\u202f234\u202f567"
    assert moment(None) == "no date"
    assert (number(None), clock(None)) == ("–", "")


@pytest.mark.parametrize(
    ("away", "said"),
    [
        (timedelta(days=2, hours=3), "in 2 days"),
        (timedelta(days=-1, hours=-1), "1 day ago"),
        (timedelta(hours=1, minutes=5), "in 1 hour"),
        (timedelta(minutes=-59), "59 minutes ago"),
        (timedelta(seconds=30), "now"),
    ],
)
def test_how_far_away_is_said_in_the_largest_unit_that_fits(away: timedelta, said: str) -> None:
    assert until(AT + away, AT) == said


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (datetime(2026, 12, 26, 8, 0, tzinfo=UTC), "in 14 days"),
        (datetime(2026, 12, 12, 23, 30, tzinfo=UTC), "tomorrow"),  # 0:30 of the 13th in Berlin
        (datetime(2026, 12, 12, 22, 30, tzinfo=UTC), "today"),
        (datetime(2026, 12, 11, 22, 30, tzinfo=UTC), "1 day ago"),
    ],
)
def test_how_far_away_a_day_is_goes_by_the_calendar_of_the_program(
    at: datetime, said: str
) -> None:
    assert days_until(at, "Europe/Berlin", AT) == said


def test_a_count_goes_with_its_form() -> None:
    forms = ("%(count)s review in %(where)s", "%(count)s reviews in %(where)s")

    assert counted(1, *forms, where="A") == "1 review in A"
    assert counted(1200, *forms, where="A") == "1\u202f200 reviews in A"


@pytest.mark.parametrize(
    ("header", "wishes"),
    [
        ("", ()),
        ("de", ("de",)),
        ("fr;q=0.5, de-AT, en;q=0.9", ("de-AT", "en", "fr")),
        ("*, de;q=0, en;q=often, it", ("it",)),
    ],
)
def test_wishes_are_read_the_dearest_first(header: str, wishes: tuple[str, ...]) -> None:
    assert preferred_languages(header) == wishes


def test_a_wish_is_served_where_it_can_be() -> None:
    assert chosen_language(("tlh", "en-GB"), otherwise="en") == "en"
    assert chosen_language(("tlh",), otherwise="en") == "en"
    assert chosen_language(("en",), otherwise="en-XA") == "en-XA"


def test_a_language_that_is_not_here_is_refused_with_those_that_are() -> None:
    with pytest.raises(InvalidInputError, match="there is no language 'tlh' here; try one of en"):
        language_named("tlh")
    with pytest.raises(InvalidInputError, match="SWAPFLOW_LANGUAGE: there is no language 'tlh'"):
        load_settings(language="tlh")


def test_what_a_deployment_speaks_is_spoken_where_no_wish_is_known() -> None:
    set_deployment_language("en-XA")
    try:
        with use_language("en"):
            assert gettext("My reviews") == "My reviews"
            with use_language():
                assert current_language().tag == "en-XA"
        assert gettext("My reviews") == "⟦Ṁý ŕéṽíéŵš ~~~~⟧"
        assert gettext("in no catalogue") == "in no catalogue"
    finally:
        set_deployment_language("en")


def test_the_strange_languages_keep_places_and_marks_and_go_both_ways() -> None:
    with use_language("ar-XB") as language:
        said = gettext("<strong>Not qualified</strong> to judge this one.")
        assert language.direction == "rtl"

    assert said.startswith("⟦<strong>\u202e")
    assert "</strong>" in said
    assert language_named("en-XA").direction == "ltr"
    assert not set(known_languages()) & {"en-XA", "ar-XB"}


def test_a_date_is_spelled_as_its_language_has_it() -> None:
    with use_language("de"):
        assert date_of(AT.date()) == "Sa., 12. Dez. 2026"
