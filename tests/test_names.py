"""What modules and classes are called, and how big they may grow."""

import ast
import builtins
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest


ROOT = Path(__file__).parents[1]
MODULES = sorted(
    path
    for top in ("swapflow", "workers")
    for path in (ROOT / top).rglob("*.py")
    if "migrations" not in path.parts
)

TESTS = sorted((ROOT / "tests").rglob("*.py"))
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "deploy").glob("*.md")),
]

MOST_MODULES = 15
MOST_LINES = 400
MOST_LINES_OF_A_CLASS = 250

FULL_FOLDERS = {
    "swapflow/engine/coordination": (20, "one module for each part of a coordinator's turn"),
    "swapflow/cli/cycle": (18, "one module for each subject of staff's commands"),
    "swapflow/experiments/admissions": (16, "one module for each study on admissions data"),
    "swapflow/messages": (16, "one module for each subject that errors speak of"),
    "swapflow/engine/services": (25, "one module for each subject of the product"),
    "swapflow/domain": (18, "one module for each value that every layer knows"),
    "swapflow/domain/people": (16, "one module for each thing that is known of people"),
    "swapflow/engine/ports": (18, "one module for each thing that the steps need from outside"),
    "swapflow/engine/selection": (17, "one module for each thing that a decision weighs"),
    "swapflow/web/api/models": (17, "one module for each subject of the API"),
    "swapflow/ledger/cycle": (16, "one module for each subject of a cycle's rows"),
    "swapflow/web/setup": (16, "one module for each page of setting up a program"),
    "swapflow/web/api/resources": (28, "one module for each resource of the API"),
    "swapflow/files/tables": (16, "one module for each form that tables come in"),
}
"""Folders that may hold more modules, how many, and why."""

LONG_MODULES = {
    "swapflow/engine/reviewing/submit.py": (415, "step 5 of a cycle, read from top to bottom"),
}
"""Modules that may be longer, by how much, and why."""

BARE = frozenset({"Desk", "Kept", "Part", "Told", "Round", "Step", "Problem", "Sheet", "Plan"})
"""Words that say nothing alone: a class has another word before them."""

ALLOWED_BARE = {
    ("Round", "swapflow/domain/cycle.py"): "the glossary's round: one season of an office",
    ("Round", "swapflow/web/api/models/programs.py"): "that round, and a schema of the API",
    ("Problem", "swapflow/web/api/models/base.py"): "the problem document of RFC 9457",
}

API = "swapflow/web/api/models/"

MIRRORED = {
    "Criterion": "one row of a rubric",
    "Draft": "what a reviewer has typed and not handed in",
    "Event": "one fact of a cycle's record",
    "Explanation": "why one applicant was asked about",
    "Grant": "a role, and where it reaches",
    "Interview": "when and where people meet an applicant",
    "Mail": "a mail, and what became of it",
    "MailText": "the words of a mail",
    "NewDocument": "a file that is added",
    "NewReconsideration": "a reconsideration that is opened",
    "NewReviewer": "a reviewer who is added",
    "Outcome": "what people decided about an applicant",
    "Pin": "an applicant put in or out of the list",
    "Place": "an applicant's place in the proposed list",
    "Progress": "a cycle at a glance",
    "Proposal": "the list that the rule proposes",
    "Receipt": "what is stored once a score is",
    "Reconsideration": "a reconsideration as it stands",
    "Reviewer": "a reviewer on a cycle's roster",
    "Round": "one season of an office",
    "Score": "a score as it stands",
    "Task": "one row of a reviewer's inbox",
    "Webhook": "an address that is told what happens",
}
"""Names of the API's schemas that are also a class inside, and the one thing that both mean."""

IMPLEMENTED = {
    "DecisionWrites": "writing decisions: the port, and the same in SQL",
    "PeopleWrites": "writing people: the port, and the same in SQL",
    "PreparedWrites": "writing what waits for signatures: the port, and the same in SQL",
    "RequestWrites": "writing requests: the port, and the same in SQL",
}
"""Names of ports that their one implementation bears too."""

WORST_WORDS = re.compile(r"\b(whoever|somebody|so many|stands? for)\b", re.IGNORECASE)
"""Words that hide who does what, or how much."""

WORST_BEGINNINGS = re.compile(r"(Gives?|Says?|Spells?|Lets?)\b")
"""First words of a docstring that hide what is done: returned, written, checked or allowed."""


FILES = frozenset({"csv", "json", "jsonl", "log", "pot", "toml"})
"""Endings of files that are no modules."""


def name_of(path: Path) -> str:
    """Return a module's path from the root, with slashes."""
    return path.relative_to(ROOT).as_posix()


def classes() -> Iterator[tuple[ast.ClassDef, str]]:
    """List the classes at the top of every module, each with its module's path."""
    for path in MODULES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield node, name_of(path)


def test_no_folder_holds_more_modules_than_a_reader_takes_in_at_a_look() -> None:
    found: dict[str, int] = defaultdict(int)
    for path in MODULES:
        found[name_of(path.parent)] += path.name != "__init__.py"

    assert {
        folder: count
        for folder, count in found.items()
        if count > FULL_FOLDERS.get(folder, (MOST_MODULES, ""))[0]
    } == {}


def test_no_module_is_longer_than_it_may_be() -> None:
    lines = {name_of(path): path.read_text("utf-8").count("\n") for path in MODULES}

    assert {
        name: count
        for name, count in lines.items()
        if count > LONG_MODULES.get(name, (MOST_LINES, ""))[0]
    } == {}


def test_no_class_is_longer_than_it_may_be() -> None:
    lines = {}
    for node, module in classes():
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        lines[f"{module}:{node.name}"] = (node.end_lineno or first) - first + 1

    assert {name: n for name, n in lines.items() if n > MOST_LINES_OF_A_CLASS} == {}


def test_no_class_is_called_by_a_word_that_says_nothing_alone() -> None:
    found = {(node.name.lstrip("_"), module) for node, module in classes()}

    assert {pair for pair in found if pair[0] in BARE} == set(ALLOWED_BARE)


def test_two_public_classes_of_one_name_mean_one_thing() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for node, module in classes():
        if not node.name.startswith("_"):
            found[node.name].append(module)
    twice = {name: modules for name, modules in found.items() if len(modules) > 1}

    assert set(twice) == {*MIRRORED, *IMPLEMENTED}
    for name, modules in twice.items():
        at_the_edge = [one for one in modules if one.startswith(API)]
        written = [one for one in modules if one.startswith("swapflow/ledger/")]
        assert len(modules) == 2, f"{name}: {modules}"
        assert len(at_the_edge if name in MIRRORED else written) == 1, f"{name}: {modules}"


@pytest.mark.parametrize("name", [*FULL_FOLDERS, *LONG_MODULES])
def test_an_exception_is_of_something_that_exists(name: str) -> None:
    assert (ROOT / name).exists()


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """List docstrings, those of constants and fields too, each with its line."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for one in body if isinstance(body, list) else ():
            if (
                isinstance(one, ast.Expr)
                and isinstance(one.value, ast.Constant)
                and isinstance(one.value.value, str)
            ):
                yield one.lineno, one.value.value


def comments(text: str) -> Iterator[tuple[int, str]]:
    """List comments, each with its line."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


@pytest.mark.parametrize("paths", [MODULES, TESTS], ids=["product", "tests"])
def test_docstrings_and_comments_say_who_does_what(paths: list[Path]) -> None:
    found = []
    for path in paths:
        text = path.read_text("utf-8")
        written = list(docstrings(ast.parse(text)))
        found += [
            f"{name_of(path)}:{line}: {words.strip().splitlines()[0][:80]}"
            for line, words in [*written, *comments(text)]
            if WORST_WORDS.search(words)
        ]
        found += [
            f"{name_of(path)}:{line}: {words.strip().splitlines()[0][:80]}"
            for line, words in written
            if WORST_BEGINNINGS.match(words.strip())
        ]

    assert sorted(found) == []


def test_pages_say_who_does_what() -> None:
    found = []
    for path in PAGES:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            # Code and what the screens say are quoted as they are.
            prose = re.sub(r'`[^`]*`|"[^"]*"', "", line)
            if WORST_WORDS.search(prose):
                found.append(f"{name_of(path)}:{number}: {line[:80]}")

    assert found == []


def test_the_list_of_make_targets_says_what_each_does() -> None:
    lines = re.findall(r"^[\w-]+:.*## (.+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)

    assert len(lines) > 15
    assert [
        line for line in lines if WORST_BEGINNINGS.match(line) or WORST_WORDS.search(line)
    ] == []


def test_a_docstring_names_only_errors_that_exist() -> None:
    trees = {path: ast.parse(path.read_text("utf-8")) for path in MODULES}
    ours = {
        node.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    imported = {
        alias.asname or alias.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    named = [
        (name, f"{name_of(path)}:{line}")
        for path, tree in trees.items()
        for line, words in docstrings(tree)
        for name in re.findall(r"\b[A-Z]\w+Error\b", words)
    ]

    assert len(named) > 300
    assert [pair for pair in named if pair[0] not in ours | imported | set(dir(builtins))] == []


def test_a_docstring_names_only_modules_that_exist() -> None:
    modules = {name_of(path).removesuffix(".py").replace("/", ".") for path in MODULES}
    packages = {name.rpartition(".")[0] for name in modules}
    stems = {name.rpartition(".")[2] for name in modules}
    tops = {name.split(".")[1] for name in packages if "." in name}
    missing = []
    for path in MODULES:
        text = path.read_text("utf-8")
        written = [*docstrings(ast.parse(text)), *comments(text)]
        for line, words in written:
            for named in re.findall(r"`((?:swapflow\.)?[a-z_]+(?:\.\w+)+)`", words):
                full = f"swapflow.{named.removeprefix('swapflow.')}"
                known = full in modules | packages or full.rpartition(".")[0] in modules
                if (
                    full.split(".")[1] in tops
                    and not known
                    and full.rpartition(".")[2] not in FILES
                ):
                    missing.append(f"{name_of(path)}:{line}: {named}")
            files = re.findall(r"(?<![\w/{}])([a-z_]+)\.py\b", words)
            missing += [f"{name_of(path)}:{line}: {n}.py" for n in files if n not in stems]

    assert missing == []
