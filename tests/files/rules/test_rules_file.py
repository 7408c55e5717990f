import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapflow.domain.free_days import FreeDays
from swapflow.domain.objective import Objective
from swapflow.domain.rules import (
    AutomaticReview,
    Criterion,
    DispatchMode,
    Floor,
    FloorFor,
    KindRules,
    Purpose,
    Rubric,
    RuleName,
    Rules,
    SeatLine,
    SignInPolicy,
)
from swapflow.errors import InvalidInputError, InvalidRulesError
from swapflow.files.rules.rules_file import (
    TEMPLATES,
    check_rules,
    parse_rules,
    read_rules,
    rules_text,
    template,
    write_rules,
)
from tests.files.rules.broken_rules import DIVERSE, FLOOR, GOOD, PROBLEMS


FULL = Rules(
    version=3,
    purpose=Purpose.SIMULATION,
    lines=(SeatLine(name="fünf", places=5), SeatLine(name="site B", places=2, funded=False)),
    kinds=(
        KindRules(name="review", cost=10, gain=1.0, maximum=4),
        KindRules(
            name="interview",
            cost=60,
            gain=5.5,
            requires="review",
            requires_count=2,
            maximum=1,
            total=9,
            seats=3,
            quorum=2,
            approval=True,
            window_days=0.0,
        ),
    ),
    rubrics=(
        Rubric(
            kind="review",
            version=2,
            criteria=(
                Criterion(
                    name='De"pth', weight=2.0, marks=((0.0, "no\nway"), (0.5, ""), (1.0, "✓"))
                ),
            ),
        ),
    ),
    floors=(
        Floor(kind="review", count=2),
        Floor(kind="interview", count=1, who=FloorFor.CHOSEN),
    ),
    budget=9000,
    reserve=0.1,
    rule=RuleName.CERTIFIED,
    objective=Objective(name="diverse", attribute="research area", legal_basis="none needed"),
    delta=0.1,
    epsilon=0.25,
    sigma=0.16,
    rho=2.0,
    policy="weak",
    severity=False,
    kind_offsets=False,
    kind_overlap=0.15,
    join_reviewers=True,
    practice_marks=True,
    settled=0.001,
    max_applicants=400,
    dispatch=DispatchMode.ROLLING,
    batch=7,
    out=20,
    packet=3,
    attempts=2,
    blind=False,
    applications_close=datetime(2026, 1, 15, 22, 59, 59, tzinfo=UTC),
    deadline=datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
    zone="Europe/Berlin",
    free_days=FreeDays(region="DE-BW", closed=("2026-12-24 to 2027-01-01", "2027-05-14")),
    language="de",
    notice="On our page\nsince 1 September",
    confidential=("reference", "recommendation"),
    explanation_days=30,
    automatic=AutomaticReview(purpose="a trial", approver="A. Person", date="2026-01-01"),
    signatures=2,
    sign_in=SignInPolicy.ANY,
    session_days=0.5,
    seed=77,
)


def found(text: str) -> list[str]:
    """Return the problems of a rules file, one a line."""
    with pytest.raises(InvalidRulesError) as caught:
        parse_rules(text)
    return [line.strip() for line in str(caught.value).splitlines()[1:]]


def test_rules_written_and_read_again_are_equal(tmp_path: Path) -> None:
    write_rules(tmp_path / "rules.toml", FULL)

    assert read_rules(tmp_path / "rules.toml") == FULL
    assert [path.name for path in tmp_path.iterdir()] == ["rules.toml"]


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.integers(0, 2**63 - 1),
    st.floats(1e-6, 1e6),
)
def test_any_text_and_number_survive_writing_and_reading(
    text: str, seed: int, weight: float
) -> None:
    criterion = Criterion(name=f"x{text}", weight=weight, marks=((1.0, text), (2.0, "")))
    rules = replace(
        FULL, seed=seed, rubrics=(Rubric(kind="review", version=1, criteria=(criterion,)),)
    )

    assert parse_rules(rules_text(rules)) == rules


def test_what_a_file_leaves_out_takes_the_value_of_the_rules() -> None:
    assert parse_rules(GOOD) == Rules(
        version=1,
        lines=(SeatLine(name="all", places=2),),
        kinds=(KindRules(name="review", cost=10, gain=1.0, maximum=3),),
        budget=1000,
        # A program that is launched keeps what it has; any other takes "numbered".
        reviewer_figures=None,
    )


def test_a_panel_without_a_quorum_needs_everybody_who_sits_on_it() -> None:
    assert parse_rules(GOOD + "seats = 3\n").kinds[0].quorum == 3


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_a_complete_rules_file_that_can_be_filled_in(name: str) -> None:
    rules = parse_rules(template(name, places=7, budget=50_000, zone="Europe/Rome", seed=5))

    assert (rules.cohort_size, rules.budget, rules.seed) == (7, 50_000, 5)
    assert rules.zone == "Europe/Rome"
    assert [kind.name for kind in rules.kinds] == [rubric.kind for rubric in rules.rubrics]
    assert {floor.who for floor in rules.floors} == set(FloorFor)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_explains_every_setting_without_the_methods_jargon(name: str) -> None:
    before_advanced = template(name).split("# Advanced")[0]

    jargon = (
        r"\b(arms?|pulls?|oracle|rival|ledger|watermark|lockstep|bandit|delta|epsilon)\b|[σδε]"
    )
    assert re.findall(jargon, before_advanced) == []
    printed = r"best applicants|\bfair\b|unbiased|certified cohort"
    assert re.findall(printed, template(name)) == []
    assert sum(line.startswith("#") for line in before_advanced.splitlines()) > 30


def test_templates_and_values_that_do_not_exist_are_named() -> None:
    with pytest.raises(InvalidInputError, match="there is no template 'party'; there are admiss"):
        template("party")
    with pytest.raises(InvalidInputError, match="has no value 'seats'; it has purpose, rule"):
        template("hiring", seats=3)
    with pytest.raises(InvalidRulesError, match="template hiring: 1 problem"):
        template("hiring", places=0)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_bytes(b"budget = '\xff'")

    with pytest.raises(InvalidInputError, match=r"gone\.toml: cannot be read"):
        read_rules(tmp_path / "gone.toml")
    with pytest.raises(InvalidRulesError, match=r"odd\.toml: this is no UTF-8 text \(byte 10\)"):
        read_rules(tmp_path / "odd.toml")


def test_a_mark_at_the_head_of_the_file_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(GOOD, encoding="utf-8-sig")

    assert read_rules(tmp_path / "rules.toml").budget == 1000


def test_what_is_not_toml_is_named_by_line() -> None:
    with pytest.raises(InvalidRulesError, match=r"this is not TOML: .*line 2.*double quotes"):
        parse_rules("budget = 1\nzone = Berlin\n")


@pytest.mark.parametrize(("text", "problem"), PROBLEMS)
def test_each_problem_names_place_value_and_cure_and_nothing_else(text: str, problem: str) -> None:
    assert found(text) == [problem]


def test_more_than_six_kinds_are_refused() -> None:
    kinds = "".join(f'[[kinds]]\nname = "k{i}"\ncost = 1\nmaximum = 1\n' for i in range(6))

    assert found(GOOD + kinds) == [
        (
            "kinds = 7: there are 7 reviews and interviews, and 6 are the most. "
            "Join those that cost and tell about the same"
        )
    ]


def test_kinds_that_wait_for_each_other_are_named_once_as_a_circle() -> None:
    circle = "".join(
        f'[[kinds]]\nname = "{name}"\ncost = 1\nmaximum = 1\nrequires = "{requires}"\n'
        for name, requires in [("a", "b"), ("b", "c"), ("c", "a")]
    )

    assert found(GOOD + circle) == [
        (
            'kinds 2 ("a"), requires = "b": these reviews wait for each other, so none can '
            "ever begin: "
            "a → b → c → a. Remove one `requires` in that circle"
        )
    ]


def test_all_problems_are_listed_at_once_types_and_meaning_alike() -> None:
    problems = found(
        'budget = "12"\nblidn = true\n[[places]]\nnumber = 0\n[[kinds]]\nname = "review"\n'
        'cost = -5\nmaximum = 2.5\nquorum = 3\n[[floors]]\nkind = "revew"\ncount = 1\n'
        "[advanced]\ndelta = 1\n"
    )

    assert [problem.split(" = ")[0].split(":")[0] for problem in problems] == [
        "budget",
        "places 1, name",
        'kinds 1 ("review"), maximum',
        "blidn",
        "places 1, number",
        'kinds 1 ("review"), cost',
        'kinds 1 ("review"), quorum',
        "floors 1, kind",
        "advanced, delta",
    ]


def test_nothing_is_said_of_names_when_the_names_could_not_be_read() -> None:
    assert found(FLOOR.replace('name = "review"', "name = 5")) == [
        "kinds 1, name = 5: it should be text in double quotes. Put it into double quotes"
    ]


@pytest.mark.parametrize(
    ("zone", "written", "meant"),
    [
        ("Europe/Berlin", "2026-01-15", datetime(2026, 1, 15, 22, 59, 59, tzinfo=UTC)),
        ("AoE", "2026-01-15", datetime(2026, 1, 16, 11, 59, 59, tzinfo=UTC)),
        ("America/New_York", "2026-07-01T09:00:00", datetime(2026, 7, 1, 13, tzinfo=UTC)),
        ("Europe/Berlin", "2026-07-01T09:00:00Z", datetime(2026, 7, 1, 9, tzinfo=UTC)),
        # The clocks repeat this hour; the later one is the kinder deadline.
        ("Europe/Berlin", "2026-10-25T02:30:00", datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
    ],
)
def test_a_deadline_is_in_the_zone_of_the_rules_and_a_day_means_its_end(
    zone: str, written: str, meant: datetime
) -> None:
    assert parse_rules(f'zone = "{zone}"\ndeadline = {written}\n' + GOOD).deadline == meant


def test_rules_that_come_from_no_file_are_checked_alike() -> None:
    check_rules(FULL)
    with pytest.raises(InvalidRulesError, match="rules: 1 problem"):
        check_rules(replace(FULL, delta=1.0))


def test_a_protected_attribute_is_allowed_with_its_legal_basis_on_record() -> None:
    text = DIVERSE + 'attribute = "gender"\nlegal_basis = "Act 5, counsel, 2026-01-01"\n'

    assert parse_rules(text).objective.attribute == "gender"
