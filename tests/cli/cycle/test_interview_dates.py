"""`swapflow interviews dates`: dates that fit are shown, and set where that is asked for."""

from tests.cli.office import Office


def asked(office: Office) -> int:
    """Interviews are asked for; gives how many."""
    office.launch()
    for _ in range(6):
        office.answer_all()
        office.turn()
        office.do("approvals", "approve", "ms", "--all")
        office.turn()
        found = len(office.ask("interviews", "dates", "ms")["dates"])
        if found:
            return found
    raise AssertionError("no interview was asked for")


def test_dates_are_shown_first_and_set_with_an_option(office: Office) -> None:
    count = asked(office)

    shown = office.do("interviews", "dates", "ms").out
    told = office.ask("interviews", "dates", "ms")
    assert "nothing was set: add --set" in shown
    assert told["set"] == 0
    assert len({one["request"] for one in told["dates"]}) == count
    assert all(one["interviewers"] and one["minutes"] for one in told["dates"])
    later = office.ask("interviews", "dates", "ms", "--notice", "10")
    assert min(one["starts"] for one in later["dates"]) > min(
        one["starts"] for one in told["dates"]
    )

    done = office.ask("interviews", "dates", "ms", "--set")

    assert done["set"] == count
    assert [one["starts"] for one in done["dates"]] == [one["starts"] for one in told["dates"]]
    again = office.do("interviews", "dates", "ms", "--set").out
    assert "every interview has a date" in again


def test_a_notice_that_cannot_be_kept_is_refused(office: Office) -> None:
    office.launch()

    refused = office.run("interviews", "dates", "ms", "--notice", "-1")

    assert refused.code == 2
    assert "notice" in refused.err
