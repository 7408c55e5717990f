"""What the documents say about the tests is so."""

import re
from pathlib import Path


ROOT = Path(__file__).parents[1]


def test_every_test_that_the_threat_model_names_exists() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    named = set(re.findall(r"`(test_\w+)`", text))
    there = {
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(named) > 30
    assert named - there == set()
    headings = [row for row in rows if row.startswith(("| What they try", "| What happens"))]
    assert [row for row in rows if row not in headings and "`test_" not in row] == []
