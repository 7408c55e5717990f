"""A decision as files: lists, evidence, record; text that looks like a formula is guarded."""

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response, StreamingResponse

from swapflow.domain.cohort.proposal import Outcome, Proposal, Verdict
from swapflow.errors import NotFoundError
from swapflow.files.bundles.bundle import Names, bundle
from swapflow.files.bundles.signing_keys import signer_from
from swapflow.files.exports.method_sheet import method_told
from swapflow.files.exports.sheets import (
    cohort_sheet,
    decided_sheet,
    event_lines,
    evidence_sheet,
    method_json,
    outcomes_sheet,
    score_history_sheet,
    scores_sheet,
)
from swapflow.files.exports.writers import ExportSheet, Format, sheet_bytes
from swapflow.files.rules.rules_file import rules_text
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.cohort.result import stored
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.rendering import MEDIA


router = APIRouter(prefix="/decide/{cycle_id}/files")

MayExport = Annotated[Principal, Depends(may(Right.EXPORT))]

Raw = Annotated[bool, Query(description="For programs: nothing is put before would-be formulas.")]

APPLICANTS_TOO = frozenset(
    ("cohort", "waitlist", "proposed", "evidence", "outcomes", "scores", "score-history")
)
"""Lists that name applicants; who may not see applicants gets the method alone."""


@router.get("/{name}")
def download(
    request: Request,
    cycle_id: str,
    name: str,
    principal: MayExport,
    version: int = 0,
    raw: Raw = False,  # noqa: FBT002 - a query parameter
) -> Response:
    """Return one file: a list in a format, the method, the rules, the record, or all in a ZIP."""
    app = app_context(request)
    stem, _, suffix = name.partition(".")
    cycle = app.product.cycles.get(cycle_id)
    names_too = Right.SEE_APPLICANTS in principal.rights(
        cycle_id=cycle_id, round_id=cycle.round_id
    )
    if not names_too and (stem in APPLICANTS_TOO or name == "all.zip"):
        raise NotFoundError("download_unknown", name=name)
    if name == "events.jsonl":
        lines = event_lines(app.product.reports.events(cycle_id))
        return StreamingResponse(
            lines, media_type="application/jsonl", headers=_named(cycle_id, name)
        )
    version = version or cycle.cohort_version
    if stem in _SHEETS and suffix in set(Format):
        content = sheet_bytes(_SHEETS[stem](app, cycle_id, version), Format(suffix), raw=raw)
    else:
        content = _content(app, cycle_id, stem, suffix, version)
    media = MEDIA[Format(suffix)] if suffix in set(Format) else "application/octet-stream"
    return Response(content, media_type=media, headers=_named(cycle_id, name))


def record_bundle(app: AppContext, cycle_id: str, *, names: bool = False) -> bytes:
    """Return a finished program's record as a signed file.

    Args:
        app: What there is.
        cycle_id: The program.
        names: Whether names and ids of applicants and reviewers go in; else they are numbers.

    Raises:
        NotReadyError: If the program is not finished.
    """
    product = app.product
    people = (
        Names(
            applications=product.applicants.list(cycle_id),
            reviewers=product.reviewers.list(cycle_id),
        )
        if names
        else None
    )
    signer = signer_from(app.settings.bundle_key_file)
    return bundle(product.reports.finished(cycle_id), signer, names=people)


def _named(cycle_id: str, name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{cycle_id}-{name}"'}


def _content(app: AppContext, cycle_id: str, stem: str, suffix: str, version: int) -> bytes:
    match stem, suffix:
        case "rules", "toml":
            return rules_text(app.product.cycles.rules(cycle_id)).encode()
        case "record", "bundle":
            return record_bundle(app, cycle_id)
        case "method", "md":
            return method_told(_proposal(app, cycle_id, version).sheet).encode()
        case "method", "json":
            return method_json(_proposal(app, cycle_id, version).sheet)
        case "all", "zip":
            return _everything(app, cycle_id, version)
        case _ if stem in _SHEETS and suffix in set(Format):
            return sheet_bytes(_SHEETS[stem](app, cycle_id, version), Format(suffix))
        case _:
            raise NotFoundError("download_name_unknown", stem=stem[:40], suffix=suffix[:10])


def _proposal(app: AppContext, cycle_id: str, version: int) -> Proposal:
    """Return the stored list, or the one that is proposed now while none is."""
    return stored(app, cycle_id, version) if version else app.product.cohort.propose(cycle_id)


def _outcomes(app: AppContext, cycle_id: str, version: int) -> tuple[Outcome, ...]:
    if not version:
        raise NotFoundError("download_not_decided")
    return app.product.cohort.outcomes(cycle_id, version)


def _decided(verdict: Verdict, name: str) -> Callable[[AppContext, str, int], ExportSheet]:
    return lambda app, cycle_id, version: decided_sheet(
        _proposal(app, cycle_id, version),
        _outcomes(app, cycle_id, version),
        verdict,
        name=name,
    )


def _scores(app: AppContext, cycle_id: str, version: int) -> ExportSheet:
    del version
    product = app.product
    return scores_sheet(
        product.scores.list(cycle_id),
        applications={a.number: a.external_id for a in product.applicants.list(cycle_id)},
        reviewers={r.number: r.external_id for r in product.reviewers.list(cycle_id)},
        kinds=[kind.name for kind in product.cycles.rules(cycle_id).kinds],
        remarks=dict(product.scores.remarks(cycle_id)),
    )


def _score_history(app: AppContext, cycle_id: str, version: int) -> ExportSheet:
    del version
    product = app.product
    return score_history_sheet(
        product.scores.list(cycle_id),
        applications={a.number: a.external_id for a in product.applicants.list(cycle_id)},
        reviewers={r.number: r.external_id for r in product.reviewers.list(cycle_id)},
        kinds=[kind.name for kind in product.cycles.rules(cycle_id).kinds],
    )


def _outcome_sheet(app: AppContext, cycle_id: str, version: int) -> ExportSheet:
    return outcomes_sheet(
        _proposal(app, cycle_id, version),
        _outcomes(app, cycle_id, version),
        app.product.applicants.list(cycle_id),
        signed_by=[by for by, _ in app.product.cohort.signatures(cycle_id, version)],
    )


def _proposed(app: AppContext, cycle_id: str, version: int) -> ExportSheet:
    return cohort_sheet(_proposal(app, cycle_id, version))


def _evidence(app: AppContext, cycle_id: str, version: int) -> ExportSheet:
    return evidence_sheet(_proposal(app, cycle_id, version))


_SHEETS: Mapping[str, Callable[[AppContext, str, int], ExportSheet]] = {
    "cohort": _decided(Verdict.SELECTED, "cohort"),
    "waitlist": _decided(Verdict.WAITLISTED, "waitlist"),
    "proposed": _proposed,
    "evidence": _evidence,
    "outcomes": _outcome_sheet,
    "scores": _scores,
    "score-history": _score_history,
}


def _everything(app: AppContext, cycle_id: str, version: int) -> bytes:
    names = [
        *(f"{stem}.csv" for stem in _SHEETS if version or stem in {"proposed", "evidence"}),
        "method.md",
        "method.json",
        "rules.toml",
    ]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        # Once a list is final the scores are among the sheets already; a name goes in once.
        for name in dict.fromkeys([*names, "scores.csv", "score-history.csv"]):
            stem, _, suffix = name.partition(".")
            archive.writestr(name, _content(app, cycle_id, stem, suffix, version))
        archive.writestr(
            "events.jsonl", "".join(event_lines(app.product.reports.events(cycle_id)))
        )
    return file.getvalue()
