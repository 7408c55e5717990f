"""How good a list is, in one unit and in words, the same on every screen and paper.

The unit is points a place: of an applicant's full score of 100, on average over the places.
"""

from dataclasses import dataclass

from swapflow.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityFigures:
    """How good a list is by the model, in units that people read.

    Attributes:
        places: Places of the list.
        expected_loss: What the list is expected to lack, in the objective's units.
        expected_loss_range: 90 % range of it.
        linear: Whether the objective is a sum of scores; else its units are no points.
        belong: How many of the list's applicants belong on it (H).
        belong_range: 90 % range of their number.
    """

    places: int
    expected_loss: float
    expected_loss_range: tuple[float, float]
    linear: bool
    belong: float
    belong_range: tuple[float, float]

    @property
    def points(self) -> float | None:
        """What the list is expected to lack in points of 100 a place; None without a sum."""
        return points_a_place(self.expected_loss, self.places) if self.linear else None

    @property
    def points_range(self) -> tuple[float, float] | None:
        """90 % range of the points; None without a sum."""
        if not self.linear:
            return None
        low, high = self.expected_loss_range
        return points_a_place(low, self.places), points_a_place(high, self.places)

    @property
    def could_change(self) -> float:
        """How many places could change if everybody were reviewed without end (K − H)."""
        return self.places - self.belong

    def sentence(self) -> Message:
        """Return the figures as one sentence."""
        if self.points is None or self.points_range is None:
            return Message("list_belongs", belong=self.belong, count=self.places)
        low, high = self.points_range
        return Message(
            "list_quality",
            loss=self.points,
            low=low,
            high=high,
            belong=self.belong,
            count=self.places,
        )


def points_a_place(loss: float, places: int) -> float:
    """Convert a loss of the whole list, in full scores, to points of 100 a place."""
    return 100 * loss / max(places, 1)


def shows_certified_loss(rule: str, certified_loss: float, expected_loss: float | None) -> bool:
    """Whether a screen shows the certified loss: under its own rule, or where it is smaller.

    Args:
        rule: Name of the rule that made the list.
        certified_loss: The most that the list could still gain, in the objective's units.
        expected_loss: What it is expected to lack; None where that is not known.
    """
    if rule == "certified":
        return True
    return expected_loss is not None and certified_loss < expected_loss


def likely_words(likely: float, places: int) -> Message:
    """Return how likely an applicant is among the best, in tenths; never as certain.

    Args:
        likely: The probability.
        places: How many the best are.
    """
    tenths = round(10 * likely)
    codes = {0: "hardly_among", 10: "surely_among"}
    return Message(codes.get(tenths, "likely_among"), places=places, tenths=tenths)


MODEL_LIMITS = Message("list_quality_limits")
"""What the model cannot know, said once where its numbers are explained."""
