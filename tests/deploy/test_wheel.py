"""What is published works alone: the wheel in an empty environment, and run without installing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MARKS = "applicant,reviewer,mark\n" + "".join(
    f"A{number},r{(number + place) % 5},{1 + (number * 7 + place * 3) % 5}\n"
    for number in range(12)
    for place in range(2)
)
ADVICE = ("advise", "marks.csv", "--places", "4", "--reviews", "6", "--scale", "1..5", "--json")


def run(*command: str | Path, folder: Path) -> str:
    """Run a command that knows nothing of this tree; return what it prints."""
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=bare,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    made = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*made, "--wheel-dir", folder, ROOT, folder=folder)
    (built,) = folder.glob("swapflow-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and its base requirements alone; gives its programs."""
    folder = tmp_path_factory.mktemp("empty")
    run(sys.executable, "-m", "venv", folder, folder=folder)
    run(folder / "bin" / "pip", "install", "--quiet", wheel, folder=folder)
    return folder / "bin"


def advised(said: str) -> int:
    """How many requests the advice has, which is whole."""
    advice = json.loads(said)
    assert len(advice["ranking"]) == 12
    return len(advice["requests"])


def test_the_wheel_advises_in_an_empty_environment(installed: Path, tmp_path: Path) -> None:
    """No extra is needed, and the tables that were promised are written."""
    (tmp_path / "marks.csv").write_text(MARKS, encoding="utf-8")

    assert advised(run(installed / "swapflow", *ADVICE, folder=tmp_path)) == 6


def test_the_wheel_brings_pages_languages_and_tables(installed: Path, tmp_path: Path) -> None:
    """The database is made, and a page is served in German, from the wheel's own files."""
    script = (
        "from pathlib import Path; from swapflow.bootstrap import upgrade_database;"
        "from swapflow.settings import load_settings;"
        "upgrade_database(load_settings(data_dir=Path('data')));"
        "import swapflow; root = Path(swapflow.__file__).parent;"
        "print(len(list(root.rglob('*.html'))), len(list(root.rglob('*.css'))),"
        " len(list(root.rglob('messages.*o'))))"
    )

    pages, sheets, catalogues = run(installed / "python", "-c", script, folder=tmp_path).split()

    assert (tmp_path / "data" / "swapflow.db").exists()
    assert int(pages) >= 60
    assert int(sheets) >= 3
    assert int(catalogues) >= 1


def test_the_wheel_runs_without_being_installed(
    wheel: Path, installed: Path, tmp_path: Path
) -> None:
    """As `uvx swapflow advise …` runs it, from an environment that uv makes and throws away."""
    (tmp_path / "marks.csv").write_text(MARKS, encoding="utf-8")
    run(installed / "pip", "install", "--quiet", "uv", folder=tmp_path)

    said = run(installed / "uvx", "--from", wheel, "swapflow", *ADVICE, folder=tmp_path)

    assert advised(said) == 6
