"""Reads the sentences of errors out of the product's code, as templates.

A sentence is written where it is made, `Problem(reason=f"no kind {kind!r}")`, or in a list of
messages, `TEXTS = {"no_kind": "no kind {kind!r}"}`. Both are the template `no kind {}`: names of
modules, errors and parameters are no part of the wording.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from string import Formatter


PLACE = "{}"

MOST_VARIANTS = 64
"""A sentence with more choices between words than this is recorded without the choices."""

SENTENCE = re.compile(r"[A-Za-z]{2}")
CODE = re.compile(r"[a-z0-9_.:/-]*|[A-Z0-9_]*")
"""What has no space and looks like a name is a code or a value, not a sentence."""

SENTENCE_KEYWORDS = {"outside", "cure"}
"""Parameters that hold a sentence, whatever is called with them."""

SENTENCE_NAMES = {"reason", "cure", "problem"}
"""Variables that hold a sentence where they are given a text of the code's own."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """The texts that an argument may have as its value.

    Attributes:
        constants: What is assigned anywhere in the product, by names in capitals.
        returned: What functions of the product return, by their names.
        assigned: What is assigned within the function at hand, by name.
        refusals: Names of functions that take a sentence and its cure.
    """

    constants: Mapping[str, Sequence[ast.expr]]
    returned: Mapping[str, Sequence[ast.expr]]
    assigned: Mapping[str, Sequence[ast.expr]]
    refusals: Collection[str]

    def of(self, node: ast.expr) -> Sequence[ast.expr]:
        """Return the expressions that a whole argument may have as its value."""
        if isinstance(node, ast.Name):
            return self.assigned.get(node.id) or self.constants.get(node.id, ())
        if isinstance(node, ast.Call):
            found = self.returned.get(_name(node.func), ())
            return found or [one for one in node.args if _is_text(one)]
        return ()

    def within(self, function: Function) -> "_Texts":
        """Return the texts for what a function does."""
        assigned = {**self.assigned, **_gathered(_assignments(function))}
        return replace(self, assigned=assigned)


def error_messages(modules: Iterable[ast.Module]) -> set[str]:
    """Return the templates of every sentence that an error of these modules may carry."""
    trees = list(modules)
    texts = _Texts(
        constants=_gathered(
            (name, value) for tree in trees for name, value in _assignments(tree) if name.isupper()
        ),
        returned=_gathered(pair for tree in trees for pair in _returns(tree)),
        assigned={},
        refusals={name for tree in trees for name in _refusals(tree)},
    )
    return {text for tree in trees for text in _inside(tree, texts)}


def _inside(node: ast.AST, texts: _Texts) -> Iterator[str]:
    if isinstance(node, Function):
        texts = texts.within(node)
    yield from _of(node, texts)
    for inner in ast.iter_child_nodes(node):
        yield from _inside(inner, texts)


def _of(node: ast.AST, texts: _Texts) -> Iterator[str]:
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        yield from _of_arguments(node.exc.args, texts)
    elif isinstance(node, ast.Assign) and _is_list_of_messages(node):
        yield from _formats(node.value)
    elif isinstance(node, ast.Call):
        if _name(node.func).endswith("Error") or _name(node.func) in texts.refusals:
            yield from _of_arguments(node.args, texts)
        yield from _of_arguments(_sentence_keywords(node), texts)
    elif isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
        yield from _of_constructor(node, texts)
    elif isinstance(node, Function):
        named = (texts.assigned.get(name, ()) for name in sorted(SENTENCE_NAMES))
        yield from _of_arguments(chain(*named, _sentence_pairs(node)), texts)


def _is_list_of_messages(node: ast.Assign) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "TEXTS" for one in node.targets)


def _of_constructor(error: ast.ClassDef, texts: _Texts) -> Iterator[str]:
    for node in ast.walk(error):
        if isinstance(node, ast.Call) and _name(node.func) == "__init__":
            yield from _of_arguments(node.args, texts)


def _of_arguments(arguments: Iterable[ast.expr], texts: _Texts) -> Iterator[str]:
    for argument in arguments:
        for node in (argument, *texts.of(argument)):
            if not isinstance(node, ast.Name | ast.Call):
                yield from filter(_is_sentence, map(_tidied, _variants(node)))


def _sentence_keywords(call: ast.Call) -> Iterator[ast.expr]:
    given = {one.arg: one.value for one in call.keywords if one.arg}
    # A reason alone may be what a person wrote; beside a cure it is a sentence of ours.
    names = SENTENCE_KEYWORDS | ({"reason"} if "cure" in given else set())
    return (value for name, value in given.items() if name in names)


def _variants(node: ast.expr) -> list[str]:
    """Return a text once for each of its choices between words, each other part as a place."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [_escaped(node.value)]
    if parts := _parts(node):
        return _joined(parts)
    return [text for choice in _choices(node) for text in _variants(choice)] or [PLACE]


def _parts(node: ast.expr) -> Sequence[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [node.left, node.right]
    return node.values if isinstance(node, ast.JoinedStr) else []


def _choices(node: ast.expr) -> Sequence[ast.expr]:
    if isinstance(node, ast.FormattedValue) and node.format_spec is None:
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return node.values if isinstance(node, ast.BoolOp) else []


def _joined(parts: Sequence[ast.expr]) -> list[str]:
    variants = [_variants(part) for part in parts]
    count = 1
    for one in variants:
        count *= len(one)
    if count > MOST_VARIANTS:
        variants = [one if len(one) == 1 else [PLACE] for one in variants]
    return ["".join(pieces) for pieces in product(*variants)]


def _formats(node: ast.expr) -> Iterator[str]:
    """Return the texts in an argument of a message, which `str.format` fills in."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            text = places_unnamed(inner.value)
            if _is_sentence(text):
                yield text


def places_unnamed(text: str) -> str:
    """Return a text for `str.format` with each place, whatever its name and format, as {}."""
    try:
        pieces = list(Formatter().parse(text))
    except ValueError:  # a brace that is no place
        return _escaped(text)
    return _tidied(
        "".join(
            _escaped(literal) + (PLACE if name is not None else "")
            for literal, name, _, _ in pieces
        )
    )


def one_line(text: str) -> str:
    """Return a text with its line breaks written out."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def _escaped(literal: str) -> str:
    return literal.replace("{", "{{").replace("}", "}}")


def _tidied(text: str) -> str:
    """Return a template with places that touch as one: they may be filled in together."""
    return re.sub(r"(?:\{\})+", PLACE, text)


def _is_sentence(text: str) -> bool:
    return SENTENCE.search(text) is not None and CODE.fullmatch(text) is None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr | ast.IfExp | ast.BinOp) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _assignments(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and _is_text(node.value):
                    yield target.id, node.value


def _returns(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for function in ast.walk(tree):
        if isinstance(function, Function):
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value and _is_text(node.value):
                    yield function.name, node.value


def _refusals(tree: ast.AST) -> Iterator[str]:
    for function in ast.walk(tree):
        if isinstance(function, Function):
            arguments = function.args
            if "cure" in {one.arg for one in (*arguments.args, *arguments.kwonlyargs)}:
                yield function.name


def _sentence_pairs(function: Function) -> Iterator[ast.expr]:
    """Return what is in the pairs of texts that a function returns: a sentence and its cure."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            yield from filter(_is_text, node.value.elts)


def _gathered(pairs: Iterable[tuple[str, ast.expr]]) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found
