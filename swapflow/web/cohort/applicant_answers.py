"""An applicant's own page, behind the link in their mail: an interview's date, or an offer.

Nobody is signed in here. Opening the page changes nothing, for mail scanners open what they find;
an answer needs the application number. One page answers every link that is over or never was.
"""

from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cohort.applicant_answer import ABOUT_DATES, ApplicantSaid
from swapflow.domain.personal_link import LeadsTo
from swapflow.engine.offers.applicant_links import BY, AnswerPage
from swapflow.errors import InvalidInputError, NotFoundError, RateLimitedError
from swapflow.i18n.formatting import zone_place
from swapflow.i18n.languages import gettext
from swapflow.i18n.translation import translate
from swapflow.web.http.context import Product, TheOffice, app_context
from swapflow.web.http.dependencies import anybody
from swapflow.web.http.middleware import SECRET_ADDRESS
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/answer/{token}", dependencies=[Depends(anybody)])

WIDEST = 200
"""Most characters of a typed application number."""


@router.api_route("", methods=["GET", "HEAD"])
def show_answer(request: Request, token: str, product: Product) -> Response:
    """Show what an applicant is asked; opening it changes nothing."""
    try:
        page = product.answers.open(token)
    except NotFoundError:
        return _over(request)
    return _page(request, page)


@router.post("")
def give_answer(
    request: Request,
    token: str,
    product: Product,
    office: TheOffice,
    number: Annotated[str, Form()] = "",
    answer: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    """Take an applicant's answer, if the application number is theirs."""
    address = request.client.host if request.client else ""
    try:
        page = product.answers.open(token)
        office.applicant_tries.count(token, address=address)
        given = product.answers.give(token, number[:WIDEST], ApplicantSaid(answer))
    except (NotFoundError, RateLimitedError):
        return _over(request)
    except ValueError:
        # No button of the page; which answer was meant cannot be known.
        return _page(request, page, number=number, problem=gettext("Choose an answer."))
    except InvalidInputError as error:
        said = translate(error.message)
        return _page(request, page, number=number, problem=f"{said[:1].upper()}{said[1:]}.")
    office.applicant_tries.give_back(token, address=address)
    if given.said is not None and given.said != page.said:
        office.audit_log.record(
            BY,
            "answered by their link",
            cycle_id=given.cycle_id,
            about=given.application.external_id,
            detail=given.said.answer.value,
        )
    return RedirectResponse(request.url.path, status_code=303, headers=dict(SECRET_ADDRESS))


@router.get("/interview.ics")
def take_along(request: Request, token: str, product: Product) -> Response:
    """Return the date of an interview as a calendar entry."""
    try:
        text = product.answers.calendar(token)
    except NotFoundError:
        return _over(request)
    return Response(
        text,
        media_type="text/calendar; charset=utf-8",
        headers={
            **SECRET_ADDRESS,
            "Content-Disposition": 'attachment; filename="interview.ics"',
        },
    )


def _page(request: Request, page: AnswerPage, *, number: str = "", problem: str = "") -> Response:
    _see_nobody(request)
    about_date = page.leads_to is LeadsTo.INTERVIEW
    context = {
        "office": app_context(request).product.office,
        "page": page,
        "path": request.url.path,
        "year": _year_of(page),
        "zone": zone_place(page.zone),
        "about_date": about_date,
        "labels": _labels(),
        "first": page.choices[0] if page.choices else None,
        "others": page.choices[1:],
        "said": page.said.answer if page.said else None,
        "comes": page.said is not None and page.said.answer is ABOUT_DATES[0],
        "number": number[:WIDEST],
        "problem": problem,
    }
    return render(
        request,
        "cohort/applicant_answer.html",
        context,
        status=422 if problem else 200,
        headers=SECRET_ADDRESS,
    )


def _over(request: Request) -> Response:
    """Answer a link that is over, wrong, or tried too often: the same page for all."""
    _see_nobody(request)
    context = {"office": app_context(request).product.office}
    return render(request, "cohort/answer_over.html", context, status=404, headers=SECRET_ADDRESS)


def _see_nobody(request: Request) -> None:
    """Show the page as to a stranger: it looks the same to staff who open a link."""
    request.state.principal = None


def _labels() -> dict[ApplicantSaid, str]:
    return {
        ApplicantSaid.COMING: gettext("I will come"),
        ApplicantSaid.CANNOT_COME: gettext("I cannot come"),
        ApplicantSaid.ANOTHER_TIME: gettext("Another time"),
        ApplicantSaid.ACCEPTED: gettext("Accept the place"),
        ApplicantSaid.DECLINED: gettext("Decline"),
        ApplicantSaid.MORE_TIME: gettext("Ask for time"),
        ApplicantSaid.TAKEN_BACK: gettext("Take the decline back"),
    }


def _year_of(page: AnswerPage) -> str:
    """Return the year of the date that the page tells, "" where it tells none."""
    at = page.interview.starts_at if page.interview else page.until
    return f"{at.astimezone(ZoneInfo(page.zone)):%Y}" if at else ""
