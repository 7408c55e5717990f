"""What a setting costs in loss: rounds with it beside the same rounds without it."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from swapflow.experiments.figures import canvas, label, series
from swapflow.experiments.finding import FindingTable, Row
from swapflow.experiments.study import Result, floats, mean_and_error


def price_rows(
    results: Sequence[Result], *, setting: str, column: str, means: Mapping[str, str]
) -> list[Row]:
    """Compare the losses of every cell with those of the cell without the setting, run by run.

    Args:
        results: Cells with `budget` and the setting, which is 0 in those without it; figures
            `loss` and others.
        setting: The setting's name in a cell.
        column: Its name in the table.
        means: Figures of which the mean stands in the table, by their column.
    """
    plain = {
        float(cell["budget"]): floats(arrays, "loss")
        for cell, arrays in results
        if not cell[setting]
    }
    rows: list[Row] = []
    for cell, arrays in results:
        loss, beside = floats(arrays, "loss"), plain[float(cell["budget"])]
        mean, error = mean_and_error(loss)
        more, more_error = mean_and_error(loss - beside)
        rows.append(
            {
                "budget": float(cell["budget"]),
                column: int(cell[setting]),
                "runs": loss.size,
                "loss": mean,
                "loss_se": error,
                "more": more,
                "more_se": more_error,
                "times_without": float(loss.mean() / beside.mean()),
            }
            | {name: float(floats(arrays, figure).mean()) for name, figure in means.items()}
        )
    return rows


def price_told(table: FindingTable) -> str:
    """Return the additional loss at each budget, with its 95 % interval, as words."""
    return ", ".join(
        f"{100 * more:.2f} (± {196 * error:.2f}) % of the best list's utility at {budget:g}"
        for budget, more, error in zip(
            table.numbers("budget"), table.numbers("more"), table.numbers("more_se"), strict=True
        )
    )


def price_figure(
    table: FindingTable, *, column: str, names: Mapping[int, str], title: str
) -> Figure:
    """Draw the loss against the budget, a line for each value of the setting."""
    figure, (axes,) = canvas(height=2.7)
    for number, (value, name) in enumerate(names.items()):
        rows = table.where(**{column: value})
        series(
            axes,
            rows.numbers("budget"),
            [100 * loss for loss in rows.numbers("loss")],
            name=name,
            number=number,
            error=[100 * error for error in rows.numbers("loss_se")],
        )
    label(axes, title=title, x="budget, in reviews per applicant", y="utility lost, % of best")
    axes.set_ylim(bottom=0)
    axes.legend()
    return figure
