"""People read the words of an office: what pages, mails, papers, commands and docs never say.

The words are those of the vocabulary of the product; beside each group is what is said instead.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from swapflow.i18n.languages import CATALOGUES
from swapflow.messages import command, operations, research
from tests.support.messages import extracted


PRODUCT = CATALOGUES.parent
DOCS = PRODUCT.parent / "docs"

REFUSED = {
    "the person or the role": r"whoever|whomever|somebody|nobody|everybody|anybody",
    "what it is": r"such(?! as\b)|so many|stand|stands|standing|stood",
    "contains": r"holds",
    "program": r"cycles?",
    "this program": r"(?:whole|blind|running) rounds?",
    "applicant": r"applications?|cases?",
    "reviewer": r"scorers?|seats?",
    "review, interview": r"requests?|tasks?|assignments?|kinds?",
    "score form": r"rubrics?",
    "margin": r"bounds?|interval width",
    "cut": r"thresholds?|bars?|barred",
    "in, out, too close to call": r"settled|contested|boundary set",
    "few-reviews pull": r"shrinkage|shrunk",
    "marks high, marks low": r"severe|severely|severity|lenient|generous|generously|generosity",
    "places that could still change": r"loss|regret",
    "likely among the top": r"chance of a place|posterior probability",
    "outcome": r"verdicts?",
    "confirm": r"accept all|accept the rest",
    "drawn": r"sampled|audited",
    "project": r"beam|beamed",
    "steps to release": r"pipeline",
    "hold": r"set aside|park|parked",
    "list": r"proposals?|cards?",
    "final": r"fixed",
    "late, overdue": r"expired",
    "decline": r"strike|struck",
    "choose": r"tick|ticked",
    "new": r"fresh",
    "the rule asks, the office approves, the committee decides": (
        r"swapflow (?:is|has|does|did|was|asks|needs|sends|chooses|knows|writes|decides|shows|"
        r"keeps|makes|takes|tells|counts|runs)"
    ),
}
"""What is not said, by what is said instead."""

NAMES = re.compile(
    r"(?s)```.*?```|`[^`]*`"  # in docs and sentences: commands, settings, files
    r"|swapflow(?: [a-z-]+)*(?: --?[a-z-]+| [A-Z]+| \{[^}]*\})+"
    r"|swapflow (?:cycle|applications)\b.*"
    r"|%\([A-Za-z_]+\)s|\{[^{}]*\}|\{\{.*?\}\}"  # what is filled in
    r"|\[\[[a-z.]+\]\]|--[a-z-]+|\b[a-z_]+ = [^ ]+|\b[a-z]+_[a-z_]+"
    r"|\b[A-Z][A-Z_]+(?:=N)?\b|<[^<>]*>|\]\([^)]*\)"
)
"""Names that stay as they are: of commands, options and settings, and what is filled in."""

ALLOWED = {
    "kind of review": "review or interview, as rules name their kinds",
    "kinds of review": "review or interview, as rules name their kinds",
    "Kind of review": "review or interview, as rules name their kinds",
    "kind of place": "funded, unfunded: what a line of places is to an office",
    "legal holds": "the term of law",
    "Legal holds": "the term of law",
    "list of holds": "the term of law",
    "Decision card": "the paper about one applicant",
    "decision card": "the paper about one applicant",
    "swapflow[cards]": "a part to install",
    "Your application": "said to the person who applied",
    "applications to program": "the day on which they close",
    "applications close": "the day on which they close",
    "Applications close": "the day on which they close",
    "worst case": "of a promise",
    "a whole round": "a season",
    "card.html": "a file",
    "bars": "a sign between cells",
    "expired": "a stored status of a review, and of a key",
    "rubrics": "a stored step of the setup",
    "| settled |": "a stored reason",
    "hidden in a blind round": "a stored mark in texts",
    "kept for requests of staff, or": "a stored sentence",
    "Nobody was left who could be asked about": "a stored sentence",
    "this application counts already": "a stored sentence",
    "no reviewer takes this kind;": "a value of an enumeration",
    "every reviewer of this kind is in conflict": "a value of an enumeration",
    "came after the cohort was fixed": "a stored sentence",
    "came after its request was withdrawn": "a stored sentence",
    "nobody asked for it; staff may admit it": "a stored sentence",
    "one for each task": "of the computer",
    "Tasks at the same time": "of the computer",
}
"""Phrases with one of the words in its right sense, and which that is. May only become fewer."""

PATTERN = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(REFUSED.values())})(?![\w-])")


@pytest.mark.long
def test_no_sentence_of_pages_mails_and_papers_says_a_refused_word() -> None:
    assert _refused(_catalogue()) == []


def test_no_command_says_a_refused_word() -> None:
    assert _refused(_commands()) == []


def test_docs_for_staff_and_reviewers_say_no_refused_word() -> None:
    assert _refused(_docs()) == []


def test_an_allowed_phrase_is_said_and_would_be_refused() -> None:
    said = "\n".join(text for _, text in (*_catalogue(), *_commands(), *_docs()))

    assert [one for one in ALLOWED if not PATTERN.search(one) or one not in said] == []


def _refused(
    texts: "Iterator[tuple[str, str]] | list[tuple[str, str]]",
) -> list[tuple[str, str, str]]:
    """List the texts with a refused word: where it is, the word, the text."""
    return [
        (place, found[0], text)
        for place, text in texts
        if (found := PATTERN.search(_bare(text))) is not None
    ]


def _bare(text: str) -> str:
    """Return a text without names and allowed phrases."""
    text = NAMES.sub("·", text)
    for phrase in ALLOWED:
        text = text.replace(phrase, "·")
    return text


@cache
def _catalogue() -> list[tuple[str, str]]:
    """Return every sentence that is translated, with each file that says it."""
    return [
        (file, text)
        for message in extracted()
        if message.id
        for text in ((message.id,) if isinstance(message.id, str) else message.id)
        for file, _ in message.locations
    ]


@cache
def _commands() -> list[tuple[str, str]]:
    """Return what commands say: their sentences, and the texts and help in their code."""
    return [
        (f"messages: {code}", text)
        for module in (command, operations, research)
        for code, forms in module.TEXTS.items()
        for text in ((forms,) if isinstance(forms, str) else forms)
    ] + [
        (str(file.relative_to(PRODUCT)), text)
        for file in sorted((PRODUCT / "cli").rglob("*.py"))
        if file.name != "examples.py"
        for text in _texts(ast.parse(file.read_text(encoding="utf-8")))
    ]


def _texts(tree: ast.Module) -> Iterator[str]:
    """Find sentences in code: text with a space, and the docstrings that are a command's help."""
    quiet = {id(one) for one in _docstrings(tree)}
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if id(node) in quiet or id(node) in parts:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                one.value if isinstance(one, ast.Constant) and isinstance(one.value, str) else "{}"
                for one in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and not COMMAND.fullmatch(node.value)
        ):
            yield node.value


COMMAND = re.compile(r"[a-z-]+( [a-z-]+){1,2}|tuple\[.*|\w+ \| None")
"""The name of a command ("cycle launch"), and a type in quotes."""


def _docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    """Find the texts that describe code, without those that `--help` shows."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and (
            any(".command" in ast.unparse(one) for one in node.decorator_list)
            or (not node.name.startswith("_") and "as_json" in {one.arg for one in node.args.args})
        ):
            continue
        for one in (
            getattr(node, "body", []) if not isinstance(node, ast.IfExp | ast.Lambda) else []
        ):
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
                yield one.value


@cache
def _docs() -> list[tuple[str, str]]:
    """Return the lines of the pages for staff and reviewers, code left out."""
    return [
        (f"{page}.md", line)
        for page in ("staff", "reviewers")
        for line in re.sub(
            r"(?s)```.*?```", "", (DOCS / f"{page}.md").read_text(encoding="utf-8")
        ).splitlines()
    ]
