"""Automatic reviewers: each answer is a function of the question alone.

A roster entry names its program: `truth:FILE?sigma=0.16` (marks drawn around a known truth),
`replay:FOLDER?seed=3` (recorded marks; `&scale=0..5` where the file leaves a doubt), or
`https://…` (a scoring service). `#unnamed` at the end
means that the program represents people whose names are not on record.
"""

import csv
import json
import math
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np

from swapflow.automatic_reviewers.recorded_round import Recording, read_recording
from swapflow.bandit.ties import tie_key
from swapflow.engine.ports.automatic_reviewer import AutomaticReviewer, Question
from swapflow.errors import InvalidInputError, NotFoundError, UnavailableError
from swapflow.untrusted.json_text import load_json
from swapflow.untrusted.limits import MOST_JSON_BYTES


SERVICE_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTruth:
    """Marks drawn around a known truth, with noise and a severity per reviewer.

    Attributes:
        truth: Utility of each application.
        sigma: Spread of one mark of gain 1; a mark of gain g spreads by sigma over root g.
        severity: Spread between reviewers.
    """

    truth: dict[str, float]
    sigma: float
    severity: float
    seed: int

    def answer(self, questions: Sequence[Question]) -> list[float]:
        """Draw each mark from a stream keyed by the question."""
        return [self._mark(question) for question in questions]

    def _mark(self, question: Question) -> float:
        if question.application not in self.truth:
            raise InvalidInputError("truth_missing", application=question.application)
        own = f"{question.application}|{question.kind}|{question.ordinal}|{question.reviewer}"
        noise = self._draw(own) * self.sigma / math.sqrt(question.gain)
        severity = self._draw(f"severity|{question.reviewer}") * self.severity
        return min(1.0, max(0.0, self.truth[question.application] + noise + severity))

    def _draw(self, key: str) -> float:
        # Keyed by the question, so that an answer does not depend on which was asked before it.
        stream = np.random.Generator(np.random.Philox(key=tie_key(self.seed, key)))
        return float(stream.standard_normal())


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Recorded marks: a named reviewer's own, or the next on record for an unnamed one."""

    recording: Recording

    def answer(self, questions: Sequence[Question]) -> list[float]:
        """Return each recorded mark."""
        return [self._mark(question) for question in questions]

    def _mark(self, question: Question) -> float:
        if question.tier > 0:
            return self.recording.interviews[question.application]
        reviews = self.recording.reviews[question.application]
        # A named reviewer gives their own mark again; anybody else the next one on record.
        for review in reviews:
            if review.reviewer and review.reviewer == question.reviewer:
                return review.utility
        if question.ordinal > len(reviews):
            raise NotFoundError(
                "recorded_reviews_used_up",
                application=question.application,
                reviews=len(reviews),
                ordinal=question.ordinal,
            )
        return reviews[question.ordinal - 1].utility


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A scoring service of the user: it gets a list of questions and returns a list of scores.

    It gets `{"questions": [{"application", "kind", "ordinal", "id"}, …]}` and returns `{"scores":
    [0.7, …]}`, one for each, in order. No name and no mail address is sent.
    """

    url: str

    def answer(self, questions: Sequence[Question]) -> list[float]:
        """Send all questions to the service at once."""
        asked = [
            {
                "application": question.application,
                "kind": question.kind,
                "ordinal": question.ordinal,
                "id": question.assignment_id,
            }
            for question in questions
        ]
        request = urllib.request.Request(  # noqa: S310 - `automatic_reviewer` lets http and https through
            self.url,
            data=json.dumps({"questions": asked}).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=SERVICE_SECONDS) as reply:  # noqa: S310
                scores = load_json(reply.read(MOST_JSON_BYTES))["scores"]
        except (urllib.error.URLError, TimeoutError, OSError) as error:
            raise UnavailableError("scoring_service_away", url=self.url) from error
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInputError("scoring_service_malformed", url=self.url) from error
        if len(scores) != len(questions):
            raise InvalidInputError(
                "scoring_service_miscounts",
                url=self.url,
                scores=len(scores),
                questions=len(questions),
            )
        return [float(score) for score in scores]


@lru_cache(maxsize=32)
def automatic_reviewer(specification: str) -> AutomaticReviewer:
    """Build the automatic reviewer that a roster entry names.

    Raises:
        InvalidInputError: If the specification is not understood.
        NotFoundError: If its file is missing.
    """
    plain = specification.partition("#")[0]
    if plain.startswith(("http://", "https://")):
        return Service(url=plain)
    scheme, _, rest = plain.partition(":")
    place, _, query = rest.partition("?")
    options = {name: values[-1] for name, values in parse_qs(query).items()}
    seed = int(options.get("seed", "0"))
    if scheme == "replay":
        recording = read_recording(Path(place), scale=options.get("scale", ""))
        return Replay(recording=recording.shuffled(seed))
    if scheme == "truth":
        return KnownTruth(
            truth=_truths(Path(place)),
            sigma=float(options.get("sigma", "0.16")),
            severity=float(options.get("severity", "0.05")),
            seed=seed,
        )
    raise InvalidInputError("automatic_reviewer_unknown", specification=specification)


def _truths(path: Path) -> dict[str, float]:
    """Read `item_id` (or `external_id`) and `true_utility` from a CSV file."""
    if not path.exists():
        raise NotFoundError("path_missing", path=path)
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    name = "item_id" if rows and "item_id" in rows[0] else "external_id"
    try:
        return {row[name]: float(row["true_utility"]) for row in rows}
    except (KeyError, ValueError) as error:
        raise InvalidInputError("truth_columns_missing", path=path, name=name) from error
