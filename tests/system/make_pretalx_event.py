"""Make an event in pretalx, by its models: run in pretalx's environment, not in ours.

Prints JSON: a token of an organiser and of each reviewer by code, the codes of the submissions,
and the ids of the marks by value.
"""

import json
from datetime import UTC, datetime, timedelta

import django


django.setup()

from django_scopes import scopes_disabled  # noqa: E402 - models need what is set up above
from pretalx.event.models import Event, Organiser, Team  # noqa: E402
from pretalx.person.models import User, UserApiToken  # noqa: E402
from pretalx.person.models.auth_token import ENDPOINTS, WRITE_PERMISSIONS  # noqa: E402
from pretalx.submission.models import Submission  # noqa: E402


SUBMISSIONS = 40
REVIEWERS = 8


def token(user: User, event: Event) -> str:
    """Make a token that may do what its user may."""
    made = UserApiToken.objects.create(name="test", user=user, version="v1")
    made.events.add(event)
    made.endpoints = {name: list(WRITE_PERMISSIONS) for name in ENDPOINTS}
    made.save()
    return str(made.token)


def member(name: str, team: Team) -> User:
    """Make an account on a team."""
    user = User.objects.create_user(email=f"{name}@example.org", password=name * 3, name=name)
    team.members.add(user)
    return user


def main() -> None:
    """Make organiser, event, teams, an open phase of reviews and submissions."""
    organiser = Organiser.objects.create(name="University", slug="uni")
    today = datetime.now(UTC)
    event = Event.objects.create(
        name="Fall",
        slug="fall",
        organiser=organiser,
        email="fall@example.org",
        date_from=(today + timedelta(days=90)).date(),
        date_to=(today + timedelta(days=91)).date(),
        timezone="UTC",
    )
    office = Team.objects.create(
        organiser=organiser,
        name="Office",
        all_events=True,
        can_change_teams=True,
        can_change_event_settings=True,
        can_change_submissions=True,
    )
    people = Team.objects.create(
        organiser=organiser, name="Reviewers", all_events=True, is_reviewer=True
    )
    phase = event.review_phases.order_by("position").first()
    phase.start, phase.end = today - timedelta(days=1), today + timedelta(days=30)
    phase.can_review, phase.proposal_visibility = True, "all"
    phase.can_see_other_reviews = "always"
    phase.save()
    phase.activate()
    kind = event.submission_types.first()
    submissions = [
        Submission.objects.create(
            event=event, title=f"Talk {n}", submission_type=kind, content_locale="en"
        )
        for n in range(SUBMISSIONS)
    ]
    category = event.score_categories.first()
    reviewers = [member(f"reviewer{n}", people) for n in range(REVIEWERS)]
    print(
        json.dumps(
            {
                "office": token(member("office", office), event),
                "reviewers": {user.code: token(user, event) for user in reviewers},
                "submissions": [one.code for one in submissions],
                "marks": {str(int(one.value)): one.pk for one in category.scores.all()},
            }
        )
    )


with scopes_disabled():
    main()
