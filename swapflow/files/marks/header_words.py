"""Headers of tables of marks, and what systems call theirs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from swapflow.files.marks.mark import HowToRead
from swapflow.files.marks.scales import scale_in
from swapflow.files.tables.cells import spelling
from swapflow.files.tables.header_names import (
    ID_SPELLINGS,
    NAME,
    REVIEWER_SPELLINGS,
    SCORE,
    WEAK_ID,
)


APPLICANT = (
    *(one for one in ID_SPELLINGS if one not in {*WEAK_ID, "id"}),
    "application", "applicant", "candidate", "bewerber", "bewerberin", "bewerbung", "proposal",
    "submission_code", "candidature", "app_#", "appl", "appl_no", "app",
    "bewerber_in", "bewerberin_bewerber", "bewerber_bewerberin", "bewerbungsnummer",
    "kandidat", "kandidatin", "kandidat_in", "antragsteller", "antragstellerin",
    "antragsteller_in", "matrikelnummer", "id", *NAME, "name_vorname", "nachname_vorname",
    "vorname_name", "vorname_nachname", "name_first_name", "last_name_first_name",
    "last_first", "first_last", "student", "student_name", "students", "studierende",
    "studierende_r", "studierender", "teilnehmer", "teilnehmerin", "teilnehmer_in", "bewerbende",
    "bewerbende_r", "bewerber_innen", "kandidatur", "antrag", "antragsnummer", "antragsnr",
    "bewerbungs_nr", "bewerbungsnr", "kennung", "kennziffer", "aktenzeichen", "candidat",
    "candidate_e", "candidat_e", "candidats", "dossier", "postulant", "étudiant", "nom",
    "nom_prénom", "nom_et_prénom", "candidato", "candidata", "candidato_a", "aspirante",
    "solicitante", "solicitud", "nombre", "alumno", "kandidaat", "nome", "paper_no", "paper_nr",
    "proposal_id", "proposal_no", "submission_no", "file_no", "file_number", "case", "case_no",
    "abstract", "abstract_id", "team", "project", "entry", "entry_no", "talk",
    *WEAK_ID,
)  # fmt: skip
"""What an applicant's column is called; an id comes before a name."""

REVIEWER = (
    *REVIEWER_SPELLINGS, "reviewer_name", "reviewername", "reader", "assessor", "marker", "rater",
    "referee", "panel_member", "gutachter", "gutachterin", "gutachter_in", "prufer", "prüfer",
    "prüferin", "prüfer_in", "bewerter", "bewerterin",
    "examinateur", "evaluador", "email", "reviewed_by", "read_by", "marked_by", "scored_by",
    "prüfperson", "gutachtende", "gutachtende_r", "begutachtet_von", "bewertet_von", "evaluator",
    "examiner", "scorer", "grader", "évaluateur", "évaluatrice", "rapporteur", "rapporteuse",
    "juré", "correcteur", "evaluadora", "revisor", "revisora", "valutatore", "beoordelaar",
)  # fmt: skip
MARK = (*SCORE, "score01", "grade", "mark_given", "total_score", "total", "gesamtnote",
        "bewertung", "note")  # fmt: skip
KIND = ("kind", "review_kind", "kind_of_review", "review_type")
TITLE = (
    *NAME, "name_vorname", "nachname_vorname", "vorname_name", "vorname_nachname", "student_name",
    "name_first_name", "last_name_first_name", "nom", "nom_prénom", "nombre", "bewerber",
    "bewerberin", "bewerber_in", "kandidat", "kandidat_in", "title", "paper_title",
    "proposal_title", "submission_title", "titel",
)  # fmt: skip
VERSION = ("version",)

INTERVIEWS = frozenset(
    {
        "interview", "interviews", "gespräch", "gespräche", "vorstellungsgespräch",
        "auswahlgespräch", "auswahlgespräche", "entretien", "entrevista",
    }
)  # fmt: skip
"""Words of a header whose marks come from interviews, whatever the language."""

UTILITIES = frozenset({"utility", "score01"})
"""Headers of columns whose marks lie in 0 to 1 already."""

EXTREMES = frozenset({"min", "max", "minimum", "maximum"})
"""Headers that sum up the others, or are first names: their numbers tell."""

NO_MARKS = frozenset(
    {
        "year", "age", "gpa", "gre", "toefl", "ielts", "phone", "telephone", "mobile", "zip",
        "postcode", "plz", "id", "number", "no", "nr", "nummer", "average", "avg", "mean",
        "total", "sum", "rank", "ranking", "count", "median", "sd", "stdev", "date", "time",
        "confidence", "expertise", "minutes", "hours", "days", "order", "wave", "batch",
        "version", "seed", "schnitt", "mittelwert", "durchschnitt", "summe", "rang", "jahr",
        "alter", "anzahl", "telefon", "moyenne", "birth", "dob", "familiarity", "scores",
        "decision", "place", "row", "platz", "rangplatz", "platzierung", "mittel", "ø", "mw",
        "varianz", "variance", "var", "streuung", "differenz", "difference", "diff",
        "spannweite", "abweichung", "standardabweichung", "std", "stdabw", "deviation", "écart",
        "somme", "rg", "rango", "promedio", "suma", "percentile", "prozentrang", "quantile",
        "zscore", "cgpa", "abitur", "abiturnote", "abi", "hzb", "bachelornote",
        "notendurchschnitt", "abschlussnote", "semester", "fachsemester", "jahrgang",
        "geburtsjahr", "ects", "credits", "lp", "cp", "leistungspunkte", "toeic", "gmat", "sat",
        "act", "lsat", "mcat", "wartesemester", "handy", "nummern", "zeile", "lfd", "laufende",
        "pages", "seiten", "words", "wordcount", "salary", "gehalt", "amount", "betrag", "eur",
        "usd", "chf", "size", "seats", "edad", "âge", "année", "téléphone", "teléfono", "año",
        "konfidenz", "confiance", "sicherheit", "certainty", "spread", "range", "gap",
        "weighted", "gewichtet", "normalized", "normalised", "standardized", "standardised",
    }
)  # fmt: skip
"""Words of a header whose numbers are no marks."""

NO_MARKS_IN_BRACKETS = frozenset(
    {
        "confidence", "expertise", "familiarity", "average", "avg", "mean", "mittelwert", "ø",
        "durchschnitt", "schnitt", "rank", "rang", "sd", "median", "moyenne", "konfidenz",
    }
)  # fmt: skip
"""Words in the brackets of a header whose numbers are no marks: "Q2 (confidence)"."""

SUMMARIES = frozenset({"total", "total_score", "overall", "overall_score", "gesamtnote", "gesamt"})
"""What a column is called that may sum up the marks beside it."""

CRITERIA = frozenset(
    {
        "research", "fit", "writing", "motivation", "academic", "potential", "teaching",
        "leadership", "quality", "originality", "clarity", "impact", "novelty", "significance",
        "soundness", "presentation", "relevance", "feasibility", "experience", "communication",
        "essay", "statement", "letters", "recommendations", "grades", "cv", "portfolio", "merit",
        "diversity", "service", "technical", "personal", "creativity", "content", "style",
        "fachlich", "leistung", "noten", "eignung", "lebenslauf", "anschreiben", "schreiben",
        "qualität", "relevanz", "originalität", "klarheit", "inhalt", "forschung", "lehre",
        "sprache", "auftreten", "motivationsschreiben", "fachkompetenz", "sozialkompetenz",
        "fachwissen", "language", "english", "deutsch", "math", "mathe", "mathematics", "test",
    }
)  # fmt: skip
"""What criteria are called, where a header says both a reviewer and a criterion."""

TURNS = frozenset(
    {
        "", "review", "reviews", "reviewer", "r", "score", "mark", "rating", "reader", "read",
        "gutachten", "gutachter", "bewertung", "note", "punkte", "points", "assessor",
        "assessment", "marker", "rater", "judge", "evaluation", "eval", "grade", "opinion",
        "interview", "interviewer", "referee", "panel", "first", "second", "évaluateur",
        "évaluation", "évaluatrice", "rapporteur", "lecteur", "evaluador", "evaluación", "revisor",
        "prüfer", "prüferin", "examiner", "evaluator", "grader", "scorer", "gutachterin", "votum",
        "stimme", "vote", "wertung", "urteil", "einschätzung", "gutachter_in", "in",
        "jury", "juror", "juré", "jurymitglied", "assessments", "ratings", "scores", "marks",
    }
)  # fmt: skip
"""Words that, with a number behind them, count an applicant's reviews: "Review 2"."""

NAMING = frozenset(REVIEWER) - {"email", "no"} | {"judge", "examiner", "interviewer"}
"""Words that, with a number, name whom a numbered mark is by: "Reviewer 2" beside "Score 2"."""

CONFLICTS = (
    "conflicts", "conflict", "coi", "cois", "conflict_of_interest", "conflicts_of_interest",
    "conflicted_reviewers", "befangen", "befangenheit", "befangenheiten", "interessenkonflikt",
    "interessenkonflikte",
)  # fmt: skip
"""What a column is called that says who may not review an applicant."""

_NUMBERED = re.compile(r"(\D*)(\d{1,2})")
_WEIGHT = re.compile(
    r"[(\[]\s*(?:[x×*]|weight|gewicht|counts)?\s*[:=]?\s*(\d+(?:[.,]\d+)?)\s*(%|[x×])?\s*[)\]]",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*[(\[]([^)\]]*)[)\]]")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSystem:
    """A download of a system: the role of each of its columns, by spelling.

    Attributes:
        anonymous: Whether its reviewers have another name for each applicant, so that nobody can
            be told to mark high.
    """

    name: str
    roles: Mapping[str, str]
    anonymous: bool = False


def system_of(headers: Mapping[str, str]) -> KnownSystem | None:
    """Recognise the system a table comes from by its headers, as `spelling` reduces them."""
    there = headers.keys()
    return _hotcrp(there) or _openreview(there) or _pretalx(there)


def _first(there: "frozenset[str] | object", *names: str) -> str:
    return next((name for name in names if name in there), "")  # type: ignore[operator]


def _hotcrp(there: object) -> KnownSystem | None:
    # kohler/hotcrp src/listactions/la_getreviewcsv.php: paper, title, [review], [reviewername,
    # email], then the fields of the review form.
    names = {"paper", "title"}
    if not all(_first(there, name) for name in names):
        return None
    reviewer = _first(there, "email", "reviewername")
    if not reviewer and not _first(there, "review"):
        return None
    roles = {"paper": "applicant", "title": "name"}
    if reviewer:
        roles[reviewer] = "reviewer"
    if mark := _first(there, "overall_merit", "overall_evaluation", "overall_score", "overall"):
        roles[mark] = "mark"
    return KnownSystem(name="HotCRP", roles=roles)


def _openreview(there: object) -> KnownSystem | None:
    # API 2 notes: forum, signatures, content.rating.value ("6: marginally above …"); API 1 has
    # content.rating.
    forum = _first(there, "forum", "replyto", "paper_forum", "submission_forum")
    mark = _first(
        there, "content_rating_value", "content_recommendation_value", "content_rating",
        "content_recommendation", "review_rating", "rating", "recommendation",
    )  # fmt: skip
    signed = _first(there, "signatures", "signature", "reviewer")
    if not forum or not mark or not signed:
        return None
    paper = _first(there, "submission_number", "paper_number", "number_of_submission") or forum
    return KnownSystem(
        name="OpenReview",
        roles={paper: "applicant", signed: "reviewer", mark: "mark"},
        anonymous=True,
    )


def _pretalx(there: object) -> KnownSystem | None:
    # src/pretalx/api/serializers/review.py: id, submission, text, score, scores, answers, user;
    # with ?expand= these two become objects.
    submission = _first(there, "submission_code", "submission", "proposal_code", "proposal")
    user = _first(there, "user_email", "user_code", "user_name", "user", "reviewer_email",
                  "reviewer_code", "reviewer")  # fmt: skip
    mark = _first(there, "score", "median_score", "mean_score")
    own = any(_first(there, name) for name in ("scores", "answers", "user", "user_code"))
    if not submission or not user or not mark or not own:
        return None
    roles = {submission: "applicant", user: "reviewer", mark: "mark"}
    if title := _first(there, "submission_title", "proposal_title"):
        roles[title] = "name"
    return KnownSystem(name="pretalx", roles=roles)


# What a header says beside its name


def weight_in(header: str) -> float | None:
    """Return the weight that a header states: "Research (x2)", "Fit (30 %)"."""
    match = _WEIGHT.search(header)
    if match is None or scale_in(header) is not None:
        return None
    weight = float(match[1].replace(",", "."))
    return weight if weight > 0 else None


def plain(header: str) -> str:
    """Return a header without what stands in brackets."""
    return _BRACKETS.sub("", header).strip() or header


def turn_in(header: str) -> tuple[str, int] | None:
    """Return (what, which) of a column that counts reviews: "Review 2" is ("review", 2)."""
    found = _numbered(header)
    return (
        None if found is None or not found[0] <= TURNS else ("_".join(sorted(found[0])), found[1])
    )


def names_in(header: str) -> int | None:
    """Return the number of the review whose reviewer a column names: 2 of "Review 2 Reviewer"."""
    found = _numbered(header)
    if found is None or not found[0] & NAMING or not found[0] <= NAMING | TURNS | {"name"}:
        return None
    return found[1]


def _numbered(header: str) -> tuple[set[str], int] | None:
    """Return the words of a header and the one number among them; None without just one."""
    said = spelling(plain(header)).split("_")
    numbers = [match for word in said if (match := _NUMBERED.fullmatch(word))]
    if len(numbers) != 1:
        return None
    own = {word for word in said if not _NUMBERED.fullmatch(word)}
    return own | ({numbers[0][1]} - {""}), int(numbers[0][2])


def says_no_mark(header: str) -> bool:
    """Whether a header's numbers are no marks: a year, an average, a telephone."""
    inside = {word for part in _BRACKETS.findall(header) for word in spelling(part).split("_")}
    said = set(spelling(plain(header)).split("_"))
    return bool(NO_MARKS & said or NO_MARKS_IN_BRACKETS & inside) or "Ø" in header


def kind_in(text: str, how: HowToRead) -> str:
    """Return the kind that a header or the name of a sheet names; "" where it names none."""
    said = set(spelling(text).split("_"))
    if said & INTERVIEWS:
        said.add("interview")
    names = [*how.kinds] or [how.kind, "interview"]
    # The first kind is what a column holds that says nothing.
    others = [name for name in names if name != how.kind]
    return next((name for name in others if set(name.split("-")) <= said), "")


def name_in(header: str, kind: str) -> str:
    """Return whom a column of marks names: "Ana (interview)" and "Ana interview" are Ana."""
    name = plain(header)
    words_of = [word for word in name.split() if not kind or spelling(word) != kind]
    while len(words_of) > 1 and spelling(words_of[-1]) in MARK:
        words_of.pop()
    return " ".join(words_of).strip(" :–—-") or name
