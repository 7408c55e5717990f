"""Erased people in lists at the command: named and left out, and back once confirmed."""

from tests.cli.office import Office


APPLICANTS = (
    "id,name,email\nA01,Person 1,p1@pg.example.org\nA02,Person 2,p2@pg.example.org\n"
    "A03,Person 3,p3@pg.example.org\n"
)
REVIEWERS = "id,name,email\nr1,Reviewer 1,r1@pg.example.org\nr2,Reviewer 2,r2@pg.example.org\n"


def test_an_erased_applicant_is_named_and_left_out_until_confirmed(office: Office) -> None:
    office.new_cycle()
    file = office.write("list.csv", APPLICANTS)
    office.do("applications", "import", "ms", file)
    office.do("applications", "purge", "ms", "A02", "--yes")

    looked = office.do("applications", "import", "ms", file, "--check")
    told = office.ask("applications", "import", "ms", file)
    back = office.do("applications", "import", "ms", file, "--again", "A02")
    after = office.ask("applications", "import", "ms", file)

    for said in (looked.err, back.err):
        assert "line 3: 'A02' (Person 2) was erased from 'ms'" in said
    assert "is left out" in looked.err
    assert "--again A02" in looked.err
    assert "1 left out, since they were erased" in looked.out
    assert (told["imported"], told["present"]) == (0, 2)
    assert [(one["id"], one["line"], one["same"]) for one in told["erased"]] == [
        ("A02", 3, ["id", "mail address"])
    ]
    assert "1 applicant imported" in back.out
    assert (after["present"], after["erased"]) == (3, [])


def test_an_erased_reviewer_is_named_and_left_out_until_confirmed(office: Office) -> None:
    office.new_cycle()
    file = office.write("reviewers.csv", REVIEWERS)
    office.do("reviewers", "import", "ms", file)
    office.do("reviewers", "purge", "ms", "r2", "--yes")

    said = office.do("reviewers", "import", "ms", file)
    back = office.ask("reviewers", "import", "ms", file, "--again", "r2")

    assert "'r2' (Reviewer 2) was erased from 'ms'" in said.err
    assert "1 left out, since they were erased" in said.out
    assert (back["imported"], [one["confirmed"] for one in back["erased"]]) == (1, [True])


def test_an_id_that_is_confirmed_and_not_in_the_list_is_refused(office: Office) -> None:
    office.new_cycle()
    file = office.write("list.csv", APPLICANTS)

    said = office.run("applications", "import", "ms", file, "--again", "A2")

    assert said.code == 2
    assert "'A2' is confirmed, and the list has no row of this id" in said.err


def test_the_erasures_of_a_round_are_forgotten_with_their_key(office: Office) -> None:
    office.new_cycle()
    file = office.write("list.csv", APPLICANTS)
    office.do("applications", "import", "ms", file)
    office.do("applications", "purge", "ms", "A02", "--yes")
    key = office.folder / "var" / "erasure-keys" / "fall.key"
    assert key.stat().st_mode & 0o777 == 0o600

    forgotten = office.do("round", "forget-erasures", "fall", "--yes")
    said = office.do("applications", "import", "ms", file)

    assert "1 erasure of fall forgotten" in forgotten.out
    assert not key.exists()
    assert "1 person was erased from this program before erasures were remembered" in said.err
    assert "1 applicant imported" in said.out
    assert office.run("round", "forget-erasures", "winter", "--yes").code == 3
