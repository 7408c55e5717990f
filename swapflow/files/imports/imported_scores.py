"""The scores of a file, one for each reviewer, applicant and kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from swapflow.domain.ids import same_id


ScoreKey = tuple[str, str, str]
"""(application, reviewer, kind)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedScore:
    """One score of one applicant by one reviewer.

    Attributes:
        line: Where it stands.
        application: External id, spelled as the cycle spells it where that is known.
        reviewer: External id, likewise.
        kind: Name of the kind; "" when neither file nor caller named one.
        utility: In [0, 1].
        marks: Mark per criterion where the file has them; None is N/A.
    """

    line: int
    application: str
    reviewer: str
    kind: str
    utility: float
    marks: Mapping[str, float | None]
    remark: str


@dataclass(slots=True, kw_only=True)
class CollectedScores:
    """Scores as they are read, with what is odd about them.

    Attributes:
        scores: The score that counts, per application, reviewer and kind.
        versions: The version of each.
        warnings: What was read another way than it may have been meant.
    """

    scores: dict[ScoreKey, ImportedScore] = field(default_factory=dict)
    versions: dict[ScoreKey, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def add(
        self, key: ScoreKey, score: ImportedScore, *, version: float
    ) -> tuple[str, str] | None:
        """Add a score; a later version replaces an earlier one, anything else must agree.

        Returns:
            Why it is refused and what cures that; None when it was added.
        """
        known = (same_id(key[0]), same_id(key[1]), key[2])
        earlier = self.scores.get(known)
        if earlier is None:
            self.scores[known] = score
            self.versions[known] = version
        elif version != self.versions[known]:
            # By version, not by row: a file may list the versions in either order.
            newer = version > self.versions[known]
            kept, left = (score, earlier) if newer else (earlier, score)
            self.scores[known] = kept
            self.versions[known] = max(version, self.versions[known])
            self.warnings.append(
                f"line {left.line}: an earlier version of the review on line {kept.line} "
                f"({key[1]!r} on {key[0]!r}); the last version counts"
            )
        elif (earlier.utility, earlier.marks) == (score.utility, score.marks):
            self.warnings.append(
                f"line {score.line}: the same score stands on line {earlier.line}; it counts once"
            )
        else:
            return (
                f"this reviewer has another score of {key[0]!r} on line {earlier.line}",
                "Keep the one that is right",
            )
        return None
