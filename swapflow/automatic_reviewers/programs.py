"""Automatic reviewers: each answer is a function of the question alone.

A roster entry names its program: `truth:FILE?sigma=0.16` (marks drawn around a known truth),
`replay:FOLDER?seed=3` (recorded marks; `&scale=0..5` where the file leaves a doubt), or
`https://…` (a scoring service), `invented:SEED` (practice programs). `#unnamed` at the end
means that the program represents people whose names are not on record.

Rosters come over the network too, so what they name is checked when they come and again before it
is asked: an address by what calls may reach, a file by `source_files.py`.
"""

import csv
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self
from urllib.parse import parse_qs

import numpy as np
from typing_extensions import override

from swapflow.automatic_reviewers.invented_marks import InventedMarks
from swapflow.automatic_reviewers.recorded_round import Recording, read_recording
from swapflow.automatic_reviewers.source_files import SourceFiles
from swapflow.bandit.ties import tie_key
from swapflow.engine.ports.automatic_reviewer import (
    AutomaticReviewer,
    AutomaticReviewers,
    Question,
)
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.identity.reach import Reach, check_address
from swapflow.untrusted.json_text import load_json


AskService = Callable[[str, bytes], bytes]
"""Sends questions to an address and returns the answer, both as JSON; raises UnavailableError."""


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
    ask: AskService

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
        answer = self.ask(self.url, json.dumps({"questions": asked}).encode())
        try:
            scores = load_json(answer)["scores"]
            usable = isinstance(scores, list) and all(map(_is_score, scores))
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInputError("scoring_service_malformed", url=self._shown) from error
        if not usable:
            raise InvalidInputError("scoring_service_malformed", url=self._shown)
        if len(scores) != len(questions):
            raise InvalidInputError(
                "scoring_service_miscounts",
                url=self._shown,
                scores=len(scores),
                questions=len(questions),
            )
        return [float(score) for score in scores]

    @property
    def _shown(self) -> str:
        """The address without its query, which may hold a key."""
        return self.url.partition("?")[0]


class Programs(AutomaticReviewers):
    """The port `AutomaticReviewers`; threads may share it.

    Args:
        files: Which files rosters may name.
        reach: The addresses that scoring services may have.
        ask: Asks a scoring service.
    """

    def __init__(self, *, files: SourceFiles, reach: Reach, ask: AskService) -> None:
        self._files = files
        self._reach = reach
        self._ask = ask

    @override
    def check(self, specification: str) -> None:
        asked = _Specification.read(specification)
        if asked.is_service:
            check_address(asked.place, self._reach)
        elif asked.is_invented:
            InventedMarks.named(asked.place, specification)
        else:
            self._files.check(asked.place)

    @override
    def name_here(self, specification: str) -> str:
        asked = _Specification.read(specification)
        if asked.is_service:
            check_address(asked.place, self._reach)
            return specification
        if asked.is_invented:
            return specification
        whole = str(self._files.name_here(asked.place))
        if "?" in whole or "#" in whole:
            raise InvalidInputError("automatic_path_with_marks", path=whole)
        start = len(asked.scheme) + 1
        return f"{asked.scheme}:{whole}{specification[start + len(asked.place) :]}"

    @override
    def find(self, specification: str) -> AutomaticReviewer:
        asked = _Specification.read(specification)
        if asked.is_service:
            return Service(url=check_address(asked.place, self._reach), ask=self._ask)
        if asked.is_invented:
            return InventedMarks.named(asked.place, specification)
        path = self._files.check(asked.place)
        options = {name: values[-1] for name, values in parse_qs(asked.query).items()}
        try:
            numbers = [
                float(options.get(name, default))
                for name, default in (("sigma", "0.16"), ("severity", "0.05"))
            ]
            seed = int(options.get("seed", "0"))
        except ValueError as error:
            raise InvalidInputError(
                "automatic_reviewer_unknown", specification=specification
            ) from error
        return _from_file(asked.scheme, path, *numbers, seed, options.get("scale", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Specification:
    """The parts of a specification: `scheme:place?query#mark`; of a service the place is all."""

    scheme: str
    place: str
    query: str = ""

    @property
    def is_service(self) -> bool:
        return self.scheme in {"http", "https"}

    @property
    def is_invented(self) -> bool:
        return self.scheme == "invented"

    @classmethod
    def read(cls, specification: str) -> Self:
        plain = specification.partition("#")[0]
        scheme, _, rest = plain.partition(":")
        scheme = scheme.lower()
        if scheme in {"http", "https"}:
            return cls(scheme=scheme, place=plain)
        place, _, query = rest.partition("?")
        if scheme not in {"truth", "replay", "invented"} or not place:
            raise InvalidInputError("automatic_reviewer_unknown", specification=specification)
        return cls(scheme=scheme, place=place, query=query)


@lru_cache(maxsize=32)
def _from_file(
    scheme: str, path: Path, sigma: float, severity: float, seed: int, scale: str
) -> AutomaticReviewer:
    """Read recorded or known marks; kept, for a worker asks for them at each delivery."""
    if scheme == "replay":
        return Replay(recording=read_recording(path, scale=scale).shuffled(seed))
    return KnownTruth(truth=_truths(path), sigma=sigma, severity=severity, seed=seed)


def _is_score(score: object) -> bool:
    return isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1


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
