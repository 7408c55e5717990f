"""What a roster may have a worker read and call."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from swapflow.automatic_reviewers.programs import KnownTruth, Programs
from swapflow.automatic_reviewers.source_files import ChosenFiles
from swapflow.domain.rules import AutomaticReview, Purpose
from swapflow.engine.ports.automatic_reviewer import Question
from swapflow.engine.services import Swapflow, compose
from swapflow.errors import InvalidInputError, SwapflowError, UnavailableError
from swapflow.identity.reach import Reach
from swapflow.outbound import scoring_services as services
from swapflow.outbound.guarded_client import GuardedClient
from tests.engine.cycle_by_hand import World, reviewer, reviewers, rules
from tests.support.raw_server import Talk, answers, drip, endless, server


HERE = Reach(plain=True, loopback=True)
TRUTH = "item_id,true_utility\nA1,0.25\nA2,0.75\n"
OUTSIDE = (
    "truth:/etc/passwd",
    "TRUTH:/etc/passwd",
    "replay:/etc",
    "truth:../outside.csv",
    "truth:inside/../../outside.csv",
    "truth:../sources-more/truth.csv",
    "truth:link.csv",
    "truth:link/passwd",
    "truth:\x00",
    "file:/etc/passwd",
    "truth:",
)
"""Files that a roster names in order to have them read, and names of no program at all."""

INSIDE = (
    "http://127.0.0.1:6379/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://10.0.0.1/score",
    "https://[::ffff:10.0.0.1]/score",
    "http://scores.example/score",
    "https://user:word@scores.example/score",
)
"""Addresses of a network that a roster is to lead into, and others that are no address."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that rosters may name files of, and what lies around it."""
    (tmp_path / "outside.csv").write_text(TRUTH)
    made = tmp_path / "sources"
    (made / "inside").mkdir(parents=True)
    (made / "truth.csv").write_text(TRUTH)
    (made / "link.csv").symlink_to(tmp_path / "outside.csv")
    (made / "link").symlink_to("/etc")
    (tmp_path / "sources-more").mkdir()
    (tmp_path / "sources-more" / "truth.csv").write_text(TRUTH)
    return made


def programs(folder: Path | None, *, named: Path, reach: Reach | None = None) -> Programs:
    reach = reach or Reach()
    return Programs(
        files=ChosenFiles(folder, named),
        reach=reach,
        ask=services.scoring_services(GuardedClient(reach)),
    )


def question(application: str = "A1") -> Question:
    return Question(
        assignment_id="fall/1",
        application=application,
        kind="review",
        tier=0,
        ordinal=1,
        gain=1.0,
        reviewer="robot",
    )


def product_with(found: Programs, automatic: str) -> Swapflow:
    """A program that runs, on its roster an entry that came there under the old rules."""
    allowed = AutomaticReview(purpose="a trial", approver="A. Person", date="2026-01-01")
    world = World(
        rules=rules(purpose=Purpose.REAL, automatic=allowed),
        roster=[*reviewers(1), reviewer("robot", automatic=automatic)],
    )
    world.coordinator.turn()
    return compose(replace(world.product.context, automatic_reviewers=found))


@pytest.mark.parametrize("named", [*OUTSIDE, *INSIDE])
def test_a_roster_that_comes_over_the_network_names_no_file_and_no_address_inside(
    named: str, folder: Path, tmp_path: Path
) -> None:
    found = programs(folder, named=tmp_path / "named")
    product = product_with(found, "")

    with pytest.raises(InvalidInputError):
        product.reviewers.import_all("fall", [reviewer("new", automatic=named)])

    assert "new" not in {one.external_id for one in product.reviewers.list("fall")}


@pytest.mark.parametrize("named", [*OUTSIDE, *INSIDE])
def test_a_worker_asks_no_program_that_a_roster_may_no_longer_name(
    named: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    product = product_with(programs(folder, named=tmp_path / "named"), named)
    opened: list[object] = []
    whole_open = Path.open

    def noted(path: Path, *how: Any, **more: Any) -> Any:  # noqa: ANN401 - as Path.open
        opened.append(path)
        return whole_open(path, *how, **more)

    monkeypatch.setattr(Path, "open", noted)
    robots = [a.id for a in product.context.ledger.assignments("fall") if a.reviewer == 1]

    assert robots
    with pytest.raises(InvalidInputError):
        product.delivery.deliver(robots[0])
    assert set(opened) <= {tmp_path / "named"}
    assert list(product.reviewers.refused_programs("fall")) == ["robot"]


@pytest.mark.parametrize("place", ["truth.csv", "{folder}/truth.csv", "./inside/../truth.csv"])
def test_a_file_below_the_folder_answers_by_its_path_within_or_whole(
    place: str, folder: Path, tmp_path: Path
) -> None:
    found = programs(folder, named=tmp_path / "named")
    named = f"truth:{place.format(folder=folder)}?sigma=0&severity=0#unnamed"

    found.check(named)

    assert found.find(named).answer([question("A1"), question("A2")]) == [0.25, 0.75]


def test_a_folder_beside_with_a_longer_name_is_not_below(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="SWAPFLOW_AUTOMATIC_FOLDER"):
        programs(folder, named=tmp_path / "named").check(f"truth:{folder}-more/truth.csv")


def test_without_a_folder_no_file_can_be_named_over_the_network(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text(TRUTH)
    found = programs(None, named=tmp_path / "named")

    for named in (f"truth:{tmp_path}/truth.csv", f"replay:{tmp_path}", "truth:truth.csv"):
        with pytest.raises(InvalidInputError, match="may not name"):
            found.check(named)


def test_a_file_named_at_the_command_line_is_read_by_every_process_of_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "truth.csv").write_text(TRUTH)
    monkeypatch.chdir(tmp_path)
    kept = tmp_path / "var" / "automatic-files"
    at_the_terminal = programs(None, named=kept)
    product = product_with(at_the_terminal, "")

    product.reviewers.import_all(
        "fall",
        [reviewer("robot", automatic="truth:truth.csv?sigma=0&severity=0")],
        at_command_line=True,
    )

    (named,) = [r.automatic for r in product.reviewers.list("fall") if r.automatic]
    assert named == f"truth:{tmp_path}/truth.csv?sigma=0&severity=0"
    monkeypatch.chdir("/")
    in_a_worker = programs(None, named=kept)
    assert in_a_worker.find(named).answer([question()]) == [0.25]
    assert kept.stat().st_mode & 0o077 == 0


def test_a_path_that_a_roster_cannot_hold_is_refused_at_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "what?").mkdir()
    found = programs(None, named=tmp_path / "named")

    monkeypatch.chdir(tmp_path / "what?")  # its name comes in with a relative path

    with pytest.raises(InvalidInputError, match="another name"):
        found.name_here("truth:truth.csv")


def test_the_command_line_names_any_file_and_no_address_inside(tmp_path: Path) -> None:
    found = programs(None, named=tmp_path / "named")

    with pytest.raises(InvalidInputError, match="private network"):
        found.name_here("https://169.254.169.254/latest")
    with pytest.raises(InvalidInputError, match="names no automatic reviewer"):
        found.name_here("file:/etc/passwd")


# Services


def said(text: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text)


def ask(talk: Talk, tmp_path: Path, *, reach: Reach = HERE, questions: int = 1) -> list[float]:
    found = programs(None, named=tmp_path / "named", reach=reach)
    with server(talk) as port:
        service = found.find(f"http://127.0.0.1:{port}/score?key=1#unnamed")
        return service.answer([question() for _ in range(questions)])


def test_a_service_gives_a_score_for_each_question_in_order(tmp_path: Path) -> None:
    assert ask(answers(said(b'{"scores": [0, 0.5, 1]}')), tmp_path, questions=3) == [0.0, 0.5, 1.0]


def test_a_service_leads_to_no_other_address(tmp_path: Path) -> None:
    asked: list[bytes] = []

    def inside(connection: object) -> None:
        asked.append(b"")

    with server(inside) as hidden:
        there = f"HTTP/1.1 302 There\r\nLocation: http://127.0.0.1:{hidden}/\r\n\r\n".encode()
        with pytest.raises(UnavailableError, match="answered 302"):
            ask(answers(there), tmp_path)

    assert asked == []


@pytest.mark.parametrize(
    ("talk", "problem"),
    [
        (drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), "within 0.5 seconds"),
        (endless, "more than 1048576 bytes"),
    ],
)
def test_a_service_keeps_a_worker_neither_long_nor_full(
    talk: Talk, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "SECONDS", 0.5 if "within" in problem else 30.0)

    with pytest.raises(UnavailableError, match=problem):
        ask(talk, tmp_path)


WRONG = {
    "nothing": said(b""),
    "no text": said(b"\xff\xfe"),
    "a list": said(b"[0.5]"),
    "null": said(b'{"scores": null}'),
    "an object": said(b'{"scores": {"0": 1}}'),
    "a word": said(b'{"scores": ["0.5"]}'),
    "true": said(b'{"scores": [true]}'),
    "NaN": said(b'{"scores": [NaN]}'),
    "infinity": said(b'{"scores": [Infinity]}'),
    "too much": said(b'{"scores": [1.01]}'),
    "too little": said(b'{"scores": [-0.1]}'),
    "a number without end": said(b'{"scores": [1' + b"0" * 400 + b"]}"),
    "brackets within brackets": said(b'{"scores": ' + b"[" * 100_000),
    "one too many": said(b'{"scores": [0.5, 0.5]}'),
    "500": b"HTTP/1.1 500 No\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_a_service_should_not_answer_is_refused_in_words(what: str, tmp_path: Path) -> None:
    with pytest.raises(SwapflowError, match=r"127\.0\.0\.1") as refused:
        ask(answers(WRONG[what]), tmp_path)

    assert "key=1" not in str(refused.value)


def test_a_service_inside_is_not_called_although_its_name_looks_public(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("169.254.169.254", 443))]
    )
    found = programs(None, named=tmp_path / "named").find("https://scores.example/score")

    with pytest.raises(UnavailableError, match="private network"):
        found.answer([question()])


def test_a_mark_of_more_gain_lies_closer_to_the_truth_by_its_root() -> None:
    known = KnownTruth(truth={"A1": 0.5}, sigma=0.1, severity=0.0, seed=3)

    one, nine = known.answer([question(), replace(question(), gain=9.0)])

    assert one != 0.5
    assert nine - 0.5 == pytest.approx((one - 0.5) / 3)
