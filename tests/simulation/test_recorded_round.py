"""A past round on its own scale: stated, read where nothing is in doubt, asked for otherwise."""

from pathlib import Path

import pytest

from swapflow.automatic_reviewers.programs import Programs, Replay
from swapflow.automatic_reviewers.recorded_round import read_recording
from swapflow.automatic_reviewers.source_files import ChosenFiles
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.errors import InvalidInputError
from swapflow.identity.reach import Reach
from swapflow.simulation.replay import recorded_program


def folder(tmp_path: Path, marks: list[object], *, interviews: list[object] = ()) -> Path:  # type: ignore[assignment]  # no list is the same as none
    """A past round of one applicant for each mark."""
    rows = "".join(f"A{n},1,{mark}\n" for n, mark in enumerate(marks))
    (tmp_path / "items.csv").write_text(
        "item_id\n" + "".join(f"A{n}\n" for n in range(len(marks))), encoding="utf-8"
    )
    (tmp_path / "scores.csv").write_text("item_id,order,score\n" + rows, encoding="utf-8")
    if interviews:
        (tmp_path / "interviews.csv").write_text(
            "item_id,score01\n" + "".join(f"A{n},{m}\n" for n, m in enumerate(interviews)),
            encoding="utf-8",
        )
    return tmp_path


@pytest.mark.parametrize(
    ("marks", "scale", "utilities"),
    [
        ([0, 5, 2.5], "", [0, 1, 0.5]),
        ([0, 100, 40], "", [0, 1, 0.4]),
        ([1, 5, 3], "", [0, 1, 0.5]),
        ([1, 10, 5.5], "", [0, 1, 0.5]),
        ([0, 1, 0.3], "", [0, 1, 0.3]),
        ([2, 4], "1..5", [0.25, 0.75]),
        ([1, 2], "5..1", [1, 0.75]),
    ],
)
def test_marks_become_utilities_on_their_own_scale(
    tmp_path: Path, marks: list[object], scale: str, utilities: list[float]
) -> None:
    """Stated, or read from a file in which both ends of a usual scale occur; 1 may be best."""
    recording = read_recording(folder(tmp_path, marks), scale=scale)

    assert [recording.reviews[item][0].utility for item in recording.items] == utilities
    assert recording.scale.stated == bool(scale)


@pytest.mark.parametrize("marks", [[2, 4], [0, 3], [1, 5, 8], [-1, 1], [0.2, 0.9]])
def test_where_the_marks_leave_a_doubt_the_scale_is_asked_for(
    tmp_path: Path, marks: list[object]
) -> None:
    """The message names file, column, the marks that there are, and the option."""
    with pytest.raises(InvalidInputError) as caught:
        read_recording(folder(tmp_path, marks))

    message = str(caught.value)
    for word in ("scores.csv", "'score'", f"{min(marks):g} to {max(marks):g}", "--scale"):  # type: ignore[type-var]  # numbers
        assert word in message


def test_a_mark_outside_the_scale_is_named_with_file_line_and_cure(tmp_path: Path) -> None:
    """It was "a score of -0.07 lies outside 0 to 1"."""
    with pytest.raises(InvalidInputError, match=r"scores\.csv, line 3: the score 7 lies outside"):
        read_recording(folder(tmp_path, [1, 7, 3]), scale="0..5")


@pytest.mark.parametrize(
    ("marks", "interviews", "said"),
    [
        ([1, "x", 10], [], r"scores\.csv, line 3: 'x' is not a number"),
        ([1, 10], [0.5, 70], r"interviews\.csv, line 3: the interview's score01 is 70"),
        ([1, float("nan"), 10], [], r"scale"),
    ],
)
def test_a_cell_that_cannot_be_used_is_named_with_its_line(
    tmp_path: Path, marks: list[object], interviews: list[object], said: str
) -> None:
    """Whatever file and column."""
    with pytest.raises(InvalidInputError, match=said):
        read_recording(folder(tmp_path, marks, interviews=interviews))


def test_the_reviewer_that_answers_reads_the_same_scale(tmp_path: Path) -> None:
    """A worker elsewhere builds it from the roster's entry alone."""
    place = folder(tmp_path, [2, 4])
    programs = Programs(
        files=ChosenFiles(tmp_path, tmp_path / "named"),
        reach=Reach(),
        ask=lambda url, _questions: pytest.fail(f"{url} was asked"),
    )
    reviewer = programs.find(recorded_program(place, 3, scale="1 .. 5"))

    assert isinstance(reviewer, Replay)
    assert reviewer.recording.scale == MarkScale(worst=1, best=5)
    assert "scale" not in recorded_program(place, 3)


@pytest.mark.parametrize("text", ["5", "3..3", "a..b", "1..2..3"])
def test_what_is_no_scale_is_refused(text: str) -> None:
    """With an example of one."""
    with pytest.raises(InvalidInputError, match="is no scale"):
        MarkScale.written(text)
