"""What each column of a table was taken for, as people are told."""

from collections.abc import Mapping

from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.files.marks.layout import Form, MarkColumn, MarksLayout
from swapflow.files.marks.mark import ColumnRead
from swapflow.files.tables.cells import shorten
from swapflow.files.tables.table import Table


def told_columns(
    table: Table, layout: MarksLayout, scales: Mapping[str, MarkScale]
) -> tuple[ColumnRead, ...]:
    """Return each column with its first cell and what it was taken for.

    Args:
        table: What was read.
        layout: How it was understood.
        scales: Scale by "HEADER, line feed, KIND".
    """
    roles = {header: role for role, header in layout.roles.items()}
    roles |= {one.named_in: "reviewer" for one in layout.marks if one.named_in}
    marks = {one.header: one for one in layout.marks}
    told = []
    for header in table.headers:
        first = next((row[header] for row in table.rows if row[header]), "")
        taken = roles.get(header, "")
        if header in marks:
            taken = _taken_for(marks[header], layout, scales)
        told.append(ColumnRead(header=header, first=shorten(first, 40), taken=taken))
    return tuple(told)


def _taken_for(column: MarkColumn, layout: MarksLayout, scales: Mapping[str, MarkScale]) -> str:
    own = (s for key, s in scales.items() if key.split("\n")[0] == column.header)
    scale = next(own, None)
    words = f"mark, {scale.worst:g} to {scale.best:g}" if scale else "mark"
    if layout.form is Form.CRITERIA and len(layout.marks) > 1:
        words += f", counts {column.weight:g}"
    if column.reviewer:
        words += f", by {column.reviewer}"
    if column.kind:
        words += f" ({column.kind})"
    return words
