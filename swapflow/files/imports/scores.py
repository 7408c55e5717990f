"""Scores from a table: each becomes a utility in [0, 1], and a missing one is never a 0."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from swapflow.domain.rules import Rules
from swapflow.engine.scoring.volunteered import Volunteered
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.imports.imported_scores import ImportedScore
from swapflow.files.imports.pairs import PAIR_COLUMNS, spelled
from swapflow.files.imports.score_reader import ScoreReader
from swapflow.files.tables.cells import (
    refuse,
)
from swapflow.files.tables.columns import find_headers
from swapflow.files.tables.header_names import SCORE
from swapflow.files.tables.table import Source, Table, read_table
from swapflow.messages import Message


_COLUMNS: dict[str, tuple[str, ...]] = {
    **PAIR_COLUMNS,
    "kind": ("kind",),
    "score": SCORE,
    "scores": ("scores",),
    "version": ("version",),
    "remark": ("remark", "remarks", "comment", "comments", "text", "comments_for_pc"),
}
_SCALE = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*\.\.\s*([-+]?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresImport:
    """What a file of scores holds.

    Attributes:
        scores: In the order of the file.
        missing: (line, application, reviewer) of rows that say there is no score.
    """

    scores: tuple[ImportedScore, ...]
    missing: tuple[tuple[int, str, str], ...]
    warnings: tuple[str, ...]
    encoding: str


def read_scores(  # noqa: PLR0913 - keyword-only, each with a default
    path_or_bytes: Source | Table,
    *,
    rules: Rules | None = None,
    kind: str = "",
    scale: str = "",
    applications: Collection[str] | None = None,
    reviewers: Collection[str] | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    name: str = "",
) -> ScoresImport:
    """Read scores, all or nothing.

    Columns: application (or paper, submission #, item_id, …), reviewer (or member #, an e-mail
    where there is no other), kind, and either one score or one column for each criterion of the
    rubric. Where `version` tells versions of one review apart, the last one counts. A cell such as
    "[6, 8, 5]" in a file that names no reviewers holds the scores of reviewers 1, 2, 3.

    Args:
        path_or_bytes: CSV, TSV, TXT, XLSX or JSON, as a path, an upload's bytes, or read already.
        rules: Supply kinds and rubrics.
        kind: The kind of all scores, where no column names it.
        scale: Scale of a single score, worst to best: "0..5", "-3..3", or "5..1" where 1 is best.
            Without it the rubric's only criterion is taken, and `utility` lies in 0..1.
        applications: External ids that there are; None to take any.
        reviewers: External ids that there are; None to take any.
        mapping: What to take a header for, where its name does not say.
        encoding: Encoding of a text file, when staff know it.
        name: What messages call the file.

    Raises:
        InvalidInputError: If the file or the scale cannot be read at all.
        BadRowsError: If anything in it cannot be used; it lists every place.
    """
    table = (
        path_or_bytes
        if isinstance(path_or_bytes, Table)
        else read_table(path_or_bytes, encoding=encoding, name=name)
    )
    headers = find_headers(table, _COLUMNS, mapping or {})
    reader = ScoreReader(
        table=table,
        headers=headers,
        rules=rules,
        kind=kind,
        scale=read_scale(scale) if scale else None,
        applications=spelled(applications),
        reviewers=spelled(reviewers),
    )
    bad = [*table.bad, *reader.check_columns()]
    # Without its columns no row can be read, and every one of them would be named.
    if len(bad) == len(table.bad):
        for row in table.rows:
            reader.take(row)
        bad += reader.bad
    refuse(table.source, bad)
    return ScoresImport(
        scores=tuple(sorted(reader.collected.scores.values(), key=lambda score: score.line)),
        missing=tuple(reader.missing),
        warnings=(*table.warnings, *reader.collected.warnings),
        encoding=table.encoding,
    )


def volunteered(
    scores: Collection[ImportedScore],
    rules: Rules,
    applications: Mapping[str, int],
    reviewers: Mapping[str, int],
    *,
    by: str,
    source: str,
) -> list[Volunteered]:
    """Return imported scores as ones that nobody asked for, by number.

    Args:
        scores: Read with the ids that there are, so that every id is known.
        rules: Supply the kinds.
        applications: Number by external id.
        reviewers: Number by external id.
        by: Who imports them.
        source: What messages call the file.

    Raises:
        BadRowsError: If nothing says of which kind a score is.
    """
    names = ", ".join(kind.name for kind in rules.kinds)
    bad = [
        BadRow(
            line=score.line,
            column="",
            value=score.kind,
            reason="nothing says whether this score is of a review or an interview",
            cure=Message("score_kind_cure", kinds=names),
        )
        for score in scores
        if rules.kind_index(score.kind) < 0
    ]
    refuse(source, bad)
    return [
        Volunteered(
            application=applications[score.application],
            kind=rules.kind_index(score.kind),
            reviewer=reviewers[score.reviewer],
            utility=score.utility,
            typed_by=by,
            remark=score.remark,
        )
        for score in scores
    ]


def read_scale(scale: str) -> tuple[float, float]:
    """Read the scale of a single score, worst to best: "0..5", or "5..1" where 1 is best.

    Raises:
        InvalidInputError: If it is none.
    """
    match = _SCALE.fullmatch(scale)
    if match is None or float(match[1]) == float(match[2]):
        raise InvalidInputError("not_a_scale", text=scale)
    return float(match[1]), float(match[2])
