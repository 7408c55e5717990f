"""Bundles: the same cycle makes the same bytes, and no byte of them can be changed unseen."""

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapflow.domain.objective import GroupQuota, GroupTarget, Objective, SpreadOver
from swapflow.domain.rules import Purpose, RuleName
from swapflow.engine.audit.finished_cycle import gather_finished_cycle
from swapflow.engine.audit.finished_record import FinishedCycle
from swapflow.engine.lifecycle.pins import PinSide
from swapflow.errors import InvalidInputError, NotReadyError
from swapflow.files.bundles.bundle import Names, bundle, line_digests, manifest, signature
from swapflow.files.bundles.check import Checked, check_bundle
from swapflow.files.bundles.sealed_archive import Member, difference, readings, seal
from swapflow.files.bundles.signing_keys import Signer, signer_from
from swapflow.files.exports.method_sheet import method_told
from swapflow.i18n.languages import use_language
from tests.engine.cycle_by_hand import CYCLE, World, applicant, applicants, rules
from tests.support.tiers import cases


ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Sealed:
    """A finished cycle, its bundle, and the key that signed it."""

    world: World
    closed: FinishedCycle
    signer: Signer
    archive: bytes

    @property
    def members(self) -> tuple[Member, ...]:
        return next(iter(readings(self.archive)))

    def file(self, name: str) -> bytes:
        return next(m.data for m in self.members if m.name == name)


def finished(**changes: object) -> World:
    world = World(rules=rules(**{"budget": 14, "out": 5, **changes}))
    world.run()
    world.product.cohort.finalize(CYCLE, by="Prof. Quill")
    return world


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sealed]:
    world = finished()
    signer = signer_from(tmp_path_factory.mktemp("key") / "bundle-key.pem")
    closed = gather_finished_cycle(CYCLE, ledger=world.ledger)
    yield Sealed(world=world, closed=closed, signer=signer, archive=bundle(closed, signer))
    world.ledger.dispose()


def found(checked: Checked) -> str:
    assert not checked.passed
    said = [f"{problem.place}: {problem.what}" for problem in checked.problems]
    if checked.replayed:
        said += [finding.what for finding in checked.replayed.findings]
    return "; ".join(said)


def with_byte(archive: bytes, at: int, value: int | None = None) -> bytes:
    changed = bytearray(archive)
    changed[at] = changed[at] ^ 1 if value is None else value
    return bytes(changed)


def signed_again(sealed: Sealed, change: Callable[[list[Member]], list[Member]]) -> bytes:
    """What a person with the office's key could make: other files, listed and signed anew."""
    kept = [m for m in sealed.members if not m.name.endswith(("manifest.json", "signature.json"))]
    files = change([m for m in kept if m.name != "lines.txt"])
    files.append(line_digests(files))
    listed = manifest(files)
    return seal([*files, listed, signature(listed, sealed.signer)])


def rows_changed(name: str, change: Callable[[list[Any]], object]) -> Callable[..., list[Member]]:
    def changed(files: list[Member]) -> list[Member]:
        made = []
        for file in files:
            if file.name == name:
                rows = [json.loads(row) for row in file.data.splitlines()]
                change(rows)
                text = "".join(json.dumps(row) + "\n" for row in rows)
                file = Member(name, text.encode())  # noqa: PLW2901 - the one that changes
            made.append(file)
        return made

    return changed


def test_a_bundle_replays_to_the_cohort_that_was_fixed(sealed: Sealed) -> None:
    checked = check_bundle(sealed.archive, key=sealed.signer.public)

    assert checked.problems == ()
    assert checked.replayed is not None
    assert checked.replayed.findings == ()
    assert checked.replayed.decisions == sealed.world.cycle.decisions > 2
    assert checked.replayed.events == sealed.world.cycle.position.seq
    assert checked.closed is not None
    ((_, places, _),) = sealed.world.product.cohort.proposals(CYCLE)
    cohort = [p.application for p in places if p.standing.value == "cohort"]
    assert [fixed.proposed for fixed in checked.closed.lists] == [cohort]
    assert checked.key == sealed.signer.public


def test_the_same_cycle_makes_the_same_bytes(sealed: Sealed) -> None:
    again = bundle(gather_finished_cycle(CYCLE, ledger=sealed.world.ledger), sealed.signer)

    assert again == sealed.archive


def test_a_bundle_is_in_english_whatever_language_is_spoken(sealed: Sealed) -> None:
    sheet = sealed.closed.lists[-1].sheet
    assert sheet is not None

    with use_language("en-XA"):
        assert method_told(sheet).startswith("# ⟦")
        assert bundle(sealed.closed, sealed.signer) == sealed.archive


def test_any_program_opens_it(sealed: Sealed) -> None:
    with zipfile.ZipFile(BytesIO(sealed.archive)) as archive:
        assert archive.testzip() is None
        assert archive.read("events.jsonl") == sealed.file("events.jsonl")


def test_people_are_numbers_unless_names_are_asked_for(sealed: Sealed) -> None:
    world = sealed.world
    named = bundle(
        sealed.closed,
        sealed.signer,
        names=Names(
            applications=world.product.applicants.list(CYCLE),
            reviewers=world.product.reviewers.list(CYCLE),
        ),
    )

    # By whole words: a signature may hold any two letters.
    for name in (b"A003", b"R1", b"Quill"):
        word = re.compile(rb"(?<![\w+/=])" + name + rb"(?![\w+/=])")
        assert not word.search(sealed.archive)
        assert word.search(named)
    assert check_bundle(named).passed


def members_and_places(sealed: Sealed) -> Iterator[tuple[int, str]]:
    """A byte in the middle of each line of each file, and how that line is called."""
    counted = {"events.jsonl": "event", "decisions.jsonl": "decision"}
    at = 0
    for member in sealed.members:
        at = sealed.archive.index(member.name.encode(), at) + len(member.name)
        start = at
        for number, text in enumerate(member.data.splitlines(keepends=True), start=1):
            name = f"{member.name}, line {number}"
            if member.name in counted:
                name += f" ({counted[member.name]} {number})"
            yield start + len(text) // 2, name
            start += len(text)
        at = start


def test_one_changed_byte_is_found_in_the_line_where_it_stands(sealed: Sealed) -> None:
    files = set()
    for at, place in members_and_places(sealed):
        checked = check_bundle(with_byte(sealed.archive, at))

        expected = "signature.json" if place.startswith("signature") else place
        assert [problem.place for problem in checked.problems] == [expected]
        assert checked.replayed is None, "nothing is replayed of what was changed"
        files.add(place.split(",")[0])
    assert files == {member.name for member in sealed.members}


def test_one_changed_byte_of_the_archive_itself_is_found_to_the_byte(sealed: Sealed) -> None:
    inside = set()
    at = 0
    for member in sealed.members:
        at = sealed.archive.index(member.name.encode(), at) + len(member.name)
        inside |= set(range(at, at + len(member.data)))
        at += len(member.data)
    outside = [i for i in range(len(sealed.archive)) if i not in inside]
    assert len(outside) > 1000

    header, last = outside[:40], outside[-90:]
    for at in [*header, *outside[40:-90:9], *last]:
        (problem,) = check_bundle(with_byte(sealed.archive, at)).problems
        assert problem.place.startswith(f"byte {at} of the archive, in "), problem


@cases(60)
@given(data=st.data())
def test_any_byte_set_to_anything_else_is_found(sealed: Sealed, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(sealed.archive) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda v: v != sealed.archive[at]))

    checked = check_bundle(with_byte(sealed.archive, at, value))

    assert len(checked.problems) == 1
    assert checked.problems[0].place


@cases(60)
@given(data=st.data())
def test_no_heap_of_bytes_makes_it_fall_over(sealed: Sealed, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(sealed.archive)))
    end = data.draw(st.integers(start, len(sealed.archive)))
    middle = data.draw(st.binary(max_size=40))
    changed = sealed.archive[:start] + middle + sealed.archive[end:]

    checked = check_bundle(changed)

    assert checked.passed == (changed == sealed.archive)


def test_a_file_removed_added_or_doubled_is_named(sealed: Sealed) -> None:
    members = list(sealed.members)
    extra = Member("extra.txt", b"by the way")

    for member in members:
        without = seal([m for m in members if m != member])
        assert found(check_bundle(without)).startswith(f"{member.name}: this file ")
    assert "extra.txt: this file was added" in found(check_bundle(seal([*members, extra])))
    assert "cycle.json: this file is there twice" in found(
        check_bundle(seal([*members, members[1]]))
    )


def test_events_in_another_order_are_named(sealed: Sealed) -> None:
    lines = sealed.file("events.jsonl").splitlines(keepends=True)
    lines[4], lines[6] = lines[6], lines[4]
    members = [
        Member(m.name, b"".join(lines)) if m.name == "events.jsonl" else m for m in sealed.members
    ]

    assert found(check_bundle(seal(members))) == (
        "events.jsonl, line 5 (event 5): this line was changed"
    )


def test_a_line_taken_out_or_put_in_is_named(sealed: Sealed) -> None:
    lines = sealed.file("decisions.jsonl").splitlines(keepends=True)
    for changed, place in (
        (lines[:-1], f"line {len(lines)}"),
        (lines[1:], "line 1"),
        ([*lines, lines[0]], f"line {len(lines) + 1}"),
    ):
        members = [
            Member(m.name, b"".join(changed)) if m.name == "decisions.jsonl" else m
            for m in sealed.members
        ]
        assert f"decisions.jsonl, {place} (decision" in found(check_bundle(seal(members)))


def test_files_in_another_order_and_bytes_after_the_end_are_found(sealed: Sealed) -> None:
    members = sealed.members

    assert "byte 0 of the archive" in found(check_bundle(b"x" + sealed.archive))
    after = found(check_bundle(sealed.archive + b"x"))
    assert f"byte {len(sealed.archive)} of the archive" in after
    assert not check_bundle(sealed.archive[:-1]).passed
    assert not check_bundle(seal(members[::-1])).passed
    assert "this is no bundle" in found(check_bundle(b""))
    assert "this is no bundle" in found(check_bundle(b"%PDF-1.7 something else"))


def test_two_directories_that_disagree_do_not_hide_anything(sealed: Sealed) -> None:
    other = seal([Member("README.txt", b"harmless"), *sealed.members[1:]])

    joined = sealed.archive + other

    assert not check_bundle(joined).passed
    assert difference(joined, sealed.members) is not None


def test_whoever_signs_anew_with_another_key_is_found_by_the_key(
    sealed: Sealed, tmp_path: Path
) -> None:
    other = bundle(sealed.closed, signer_from(tmp_path / "theirs.pem"))

    assert check_bundle(other).passed, "by itself it is sound"
    said = found(check_bundle(other, key=sealed.signer.public))
    assert said == "signature.json: another key signed this bundle than the one given"
    assert check_bundle(sealed.archive, key=sealed.signer.public.upper()).passed


def swap_standing(rows: list[Any]) -> None:
    cohort = next(row for row in rows if row["standing"] == "cohort")
    waiting = next(row for row in rows if row["standing"] == "waitlist")
    cohort["standing"], waiting["standing"] = "waitlist", "cohort"


def move_estimate(rows: list[Any]) -> None:
    rows[2]["estimate"] += 1e-6


def other_pick(rows: list[Any]) -> None:
    picked = next(row for row in rows if row["picks"])
    picked["picks"][0][0] += 1


def other_body(rows: list[Any]) -> None:
    rows[7]["body"] = rows[7]["body"].replace('"spent":', '"spent": ')
    rows[7]["body"] = rows[7]["body"].replace('"committed":0', '"committed":1')


def other_digest(rows: list[Any]) -> None:
    rows[1]["digest"] = "0" * 64


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("places.jsonl", swap_standing, "list 1: the replay proposes others"),
        ("places.jsonl", move_estimate, "list 1: the replay estimates applicant"),
        ("places.jsonl", lambda rows: rows.pop(), "list 1: the replay knows other applicants"),
        ("decisions.jsonl", other_pick, "is not what was opened"),
        ("decisions.jsonl", other_digest, "decision 2 read other integers"),
        ("decisions.jsonl", lambda rows: rows.pop(1), "decision 2 "),
        ("events.jsonl", other_body, "events.jsonl, line 8 (event 8): the hash chain breaks here"),
        ("events.jsonl", lambda rows: rows.pop(3), "line 4 (event 4): the hash chain breaks"),
        ("events.jsonl", lambda rows: rows[2].pop("body"), "the content cannot be read as format"),
        ("cycle.json", lambda rows: rows[0].update(format=99), "the content cannot be read as"),
    ],
)
def test_a_lie_that_the_office_signed_does_not_survive_the_replay(
    sealed: Sealed, file: str, change: Callable[[list[Any]], object], said: str
) -> None:
    assert check_bundle(signed_again(sealed, lambda files: files)).passed, "or nothing is tested"

    archive = signed_again(sealed, rows_changed(file, change))

    assert said in found(check_bundle(archive))


def with_text(name: str, change: Callable[[str], str]) -> Callable[..., list[Member]]:
    def changed(files: list[Member]) -> list[Member]:
        return [
            Member(file.name, change(file.data.decode()).encode()) if file.name == name else file
            for file in files
        ]

    return changed


def hostile_values() -> dict[str, str]:
    deep = "[" * 100_000 + "]" * 100_000
    walked = "[" * 600 + "]" * 600
    return {"deep": deep, "deep when walked": walked, "huge": "9" * 4_000, "far": "1e999"}


@pytest.mark.parametrize("what", hostile_values())
@pytest.mark.parametrize(
    "name",
    [
        "cycle.json",
        "rules.jsonl",
        "events.jsonl",
        "decisions.jsonl",
        "lists.jsonl",
        "places.jsonl",
        "outcomes.jsonl",
    ],
)
def test_hostile_content_under_a_good_signature_is_told_in_words(
    sealed: Sealed, name: str, what: str
) -> None:
    value = hostile_values()[what]

    def every_number(text: str) -> str:
        return re.sub(r"(?<=[:,\[{ ])-?\d+(\.\d+)?(?=[,\]} \n])", value, text, count=40)

    for change in (lambda text: value + "\n" + text, every_number):
        checked = check_bundle(signed_again(sealed, with_text(name, change)))

        assert (checked.passed and not what.startswith("deep")) or found(checked)


@pytest.mark.parametrize("name", ["manifest.json", "signature.json"])
@pytest.mark.parametrize("what", hostile_values())
def test_a_hostile_list_of_files_or_signature_is_told_in_words(
    sealed: Sealed, name: str, what: str
) -> None:
    value = hostile_values()[what].encode()
    for data in (value, b'{"files": ' + value + b"}", b'{"signature": ' + value + b"}"):
        files = [
            signature(Member(m.name, data), sealed.signer)
            if m.name == "signature.json" and name == "manifest.json"
            else Member(m.name, data if m.name == name else m.data)
            for m in sealed.members
        ]
        assert found(check_bundle(seal(files)))


def test_a_listed_name_that_is_a_number_is_told_in_words(sealed: Sealed) -> None:
    kept = [m for m in sealed.members if m.name not in {"manifest.json", "signature.json"}]
    listed = manifest([*kept, Member("1", b"")])
    listed = Member(listed.name, listed.data.replace(b'"1"', b"1"))

    assert found(
        check_bundle(seal([*kept, Member("1", b""), listed, signature(listed, sealed.signer)]))
    )


def test_a_record_cut_off_at_its_end_is_found(sealed: Sealed) -> None:
    """The chain of what is left is whole; the list was fixed at an event that is gone."""
    cut = rows_changed("events.jsonl", lambda rows: rows.pop())
    before_last = json.loads(sealed.file("events.jsonl").splitlines()[-2])
    end = {"events": before_last["seq"], "head": before_last["hash"]}
    hide = rows_changed("cycle.json", lambda rows: rows[0].update(end))

    cut_off = check_bundle(signed_again(sealed, cut))
    hidden = check_bundle(signed_again(sealed, lambda files: hide(cut(files))))

    assert "cycle.json: the content cannot be read as format 1 (ValueError: the events end" in (
        found(cut_off)
    )
    assert "list 1 was fixed at an event that is not on record" in found(hidden)


ANOTHER_FOLDER = """
import sys

def no_way_out(event, arguments):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "sqlite3.", "subprocess.")):
        raise SystemExit(f"verify tried {event} {arguments}")

sys.addaudithook(no_way_out)
from swapflow.cli.main import run
run()
"""


@pytest.mark.long
def test_it_is_checked_in_another_folder_without_network_or_database(
    sealed: Sealed, tmp_path: Path
) -> None:
    Path(tmp_path / "fall.bundle").write_bytes(sealed.archive)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SWAPFLOW_")}

    done = subprocess.run(
        [sys.executable, "-c", ANOTHER_FOLDER, "verify", "fall.bundle", "--json"],
        cwd=tmp_path,
        env=kept | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert said["passed"]
    assert said["proposed"] == sealed.closed.lists[-1].proposed
    assert [file.name for file in tmp_path.iterdir()] == ["fall.bundle"]


RULES: Sequence[dict[str, object]] = (
    {"rule": RuleName.CERTIFIED, "sigma": 0.2, "epsilon": 0.3, "budget": 20},
    {"rule": RuleName.PAPER, "sigma": 0.2, "epsilon": 0.3, "budget": 20},
    {"severity": False, "kind_offsets": False},
)


@pytest.mark.parametrize("changes", RULES, ids=["certified", "paper", "plain"])
def test_every_rule_replays_from_its_bundle(sealed: Sealed, changes: dict[str, object]) -> None:
    world = finished(**changes)
    try:
        checked = check_bundle(
            bundle(gather_finished_cycle(CYCLE, ledger=world.ledger), sealed.signer)
        )
    finally:
        world.ledger.dispose()

    assert checked.passed, found(checked)


def test_a_list_spread_over_groups_replays_from_its_bundle(sealed: Sealed) -> None:
    people = [
        applicant(one.external_id, selection={"area": "ml" if number % 3 else "hci"})
        for number, one in enumerate(applicants(8))
    ]
    objective = Objective(name="diverse", attribute="area")
    world = World(rules=rules(budget=14, out=5, objective=objective), applications=people)
    world.run()
    world.product.cohort.finalize(CYCLE, by="Prof. Quill")
    try:
        checked = check_bundle(
            bundle(gather_finished_cycle(CYCLE, ledger=world.ledger), sealed.signer)
        )
    finally:
        world.ledger.dispose()

    assert checked.passed, found(checked)


def test_marks_of_practice_files_replay_from_the_bundle(sealed: Sealed) -> None:
    world = World(rules=rules(budget=14, out=5, severity=True, practice_marks=True), launch=False)
    for file in range(2):
        world.product.practice.add_file(CYCLE, f"File {file}", "Text", by="ops")
        for reviewer in range(4):
            world.product.practice.mark(CYCLE, file, reviewer, marks={}, value=0.2 * reviewer)
    world.product.cycles.launch(CYCLE, by="ops")
    world.run()
    world.product.cohort.finalize(CYCLE, by="Prof. Quill")
    try:
        checked = check_bundle(
            bundle(gather_finished_cycle(CYCLE, ledger=world.ledger), sealed.signer)
        )
    finally:
        world.ledger.dispose()

    assert checked.passed, found(checked)


NORTH = GroupQuota(attribute="region", value="North", minimum=2)
COLLEGE = GroupQuota(attribute="site", value="college", maximum=1)
LIMITS: Sequence[dict[str, object]] = (
    {"quotas": (NORTH, COLLEGE)},
    {"targets": (GroupTarget(attribute="region", value="North", number=1, worth=0.3),)},
    {
        "objective": Objective(
            name="diverse", spread=(SpreadOver(attribute="region"), SpreadOver(attribute="site"))
        ),
        "quotas": (NORTH,),
    },
    {"fewest": 1, "bar": 0.5},
)


@pytest.mark.long
@pytest.mark.parametrize("changes", LIMITS, ids=["quotas", "targets", "spread", "fewest"])
def test_a_list_with_limits_on_groups_and_a_pin_replays_from_its_bundle(
    sealed: Sealed, changes: dict[str, object]
) -> None:
    people = [
        applicant(
            one.external_id,
            selection={
                "region": "North" if number < 4 else "South",
                "site": "college" if number % 2 else "elsewhere",
            },
        )
        for number, one in enumerate(applicants(8))
    ]
    settings = {"budget": 10, "out": 8, "purpose": Purpose.REAL, **changes}
    world = World(rules=rules(**settings), applications=people)
    world.turn()
    world.product.cohort.pin(CYCLE, "A002", PinSide.IN, by="ops", reason="a promise")
    world.run()
    world.product.cohort.finalize(CYCLE, by="Prof. Quill")
    try:
        checked = check_bundle(
            bundle(gather_finished_cycle(CYCLE, ledger=world.ledger), sealed.signer)
        )
    finally:
        world.ledger.dispose()

    assert checked.passed, found(checked)
    assert checked.closed is not None
    assert 1 in checked.closed.lists[-1].proposed, "who is pinned is on the list"


def test_a_list_that_was_opened_again_keeps_both_versions(sealed: Sealed) -> None:
    world = finished()
    world.product.cohort.reopen(CYCLE, names=("a", "b"), reason="an appeal")
    world.product.cohort.finalize(CYCLE, by="Prof. Quill")
    try:
        checked = check_bundle(
            bundle(gather_finished_cycle(CYCLE, ledger=world.ledger), sealed.signer)
        )
    finally:
        world.ledger.dispose()

    assert checked.passed, found(checked)
    assert checked.closed is not None
    assert [fixed.version for fixed in checked.closed.lists] == [1, 2]


def test_an_erased_person_leaves_a_bundle_that_replays(sealed: Sealed) -> None:
    world = finished()
    world.product.applicants.erase(CYCLE, "A003", by="ops")
    try:
        checked = check_bundle(
            bundle(gather_finished_cycle(CYCLE, ledger=world.ledger), sealed.signer)
        )
    finally:
        world.ledger.dispose()

    assert checked.passed, found(checked)


def test_a_cycle_without_a_fixed_list_has_no_bundle() -> None:
    world = World(rules=rules(budget=14, out=5))
    try:
        with pytest.raises(NotReadyError, match="finalize"):
            gather_finished_cycle(CYCLE, ledger=world.ledger)
    finally:
        world.ledger.dispose()


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "new" / "bundle-key.pem"

    first, second = signer_from(file), signer_from(file)

    assert first.public == second.public
    assert len(first.public) == 64
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in file.parent.iterdir()] == ["bundle-key.pem"]


def test_a_file_that_is_no_key_is_refused_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "bundle-key.pem"
    file.write_text("no key")

    with pytest.raises(InvalidInputError, match="no private key in PEM"):
        signer_from(file)

    assert file.read_text() == "no key"
