"""The walk of links: what leaves in a mail opens once, and nothing that stays holds it."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from email import message_from_string
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
import redis
from playwright.sync_api import Browser, Page, expect

from swapflow.bootstrap import back_up_database
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.identity.permissions import Role
from tests.browser.axe import RUN, SHADES, TAGS, WIDER
from tests.browser.office import AXE, DESK, PHONE, follow
from tests.support.waiting import wait_until
from tests.walks.jobs import MOST, WALKS
from tests.walks.mailed import Mailed, mailing


REVIEWS, ANSWERS = r"/sign-in/reviews/([\w-]{20,})", r"/answer/([\w-]{20,})"
SIGN_IN = r"/sign-in/link/([\w-]{20,})"


@pytest.fixture(scope="module")
def mailed(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mailed]:
    with mailing(tmp_path_factory.mktemp("links"), browser) as made:
        yield made


@pytest.mark.parametrize("name", ["first_review", "dates_12", "sign"])
def test_a_walk_around_mails_takes_no_more_acts_than_it_may(
    mailed: Mailed, tmp_path: Path, name: str
) -> None:
    counted = WALKS[name](mailed, tmp_path)

    print(f"{name}: {counted}")
    assert all(counted[what] <= most for what, most in MOST[name].items()), counted


def test_nothing_that_stays_holds_a_link_that_opens_something(
    mailed: Mailed, tmp_path: Path
) -> None:
    up, product = mailed.up, mailed.up.product
    up.cycle("held", applicants=6)
    chair = up.staff("chair@example.org", Role.ADMINISTRATOR, Role.CHAIR)
    up.staff("dean@example.org", Role.CHAIR)
    mailed.wait_for("held-r1@example.org")
    for reviewer in ("R1", "R2", "R3", "R4"):
        for task in up.tasks("held", reviewer):
            up.answer(task)
    product.cycles.stop("held", by="ops", reason="enough")
    product.cohort.finalize("held", by="chair", signed_by=["dean"])
    product.offers.make("held", by="chair")
    product.announcements.send("held", usual_wording(), by="chair", hold=timedelta())
    offered = product.offers.standing("held").offers[0].application
    applicant = product.applicants.get("held", offered)
    text = mailed.wait_for(applicant.email)[-1]
    answer = re.search(ANSWERS, text)
    assert answer is not None

    referrers: list[str] = []
    with up.person() as context:
        context.on("request", lambda r: referrers.append(r.headers.get("referer", "")))
        page = context.new_page()
        page.goto(f"/answer/{answer[1]}")
        page.get_by_label("Applicant number").fill(applicant.external_id)
        page.get_by_role("button", name="Accept the place").click()
        expect(page.locator("#answered")).to_contain_text("You accepted the place.")
        asked = _ask_for_link(mailed, page, chair)
    tokens = {
        token
        for raw in mailed.server.mails
        if (part := message_from_string(raw, policy=default).get_body(("plain",))) is not None
        for pattern in (REVIEWS, ANSWERS, SIGN_IN)
        for token in re.findall(pattern, str(part.get_content()))
    }
    assert len(tokens) >= 6
    assert asked in tokens

    backup = tmp_path / "copy.db"
    back_up_database(up.settings, backup)
    kept = {
        str(path): path.read_bytes() for path in up.settings.data_dir.rglob("*") if _is_file(path)
    }
    kept["backup"] = backup.read_bytes()
    kept["redis"] = _redis_content(up.settings.redis)
    kept["referrers"] = "\n".join(referrers).encode()
    with up.person(chair) as context:
        for path in _pages_of_staff(mailed, applicant.number):
            got = context.request.get(path)
            assert got.status == 200, path
            kept[path] = got.body()
    found = {
        (where, token[:6])
        for where, content in kept.items()
        for token in tokens
        if token.encode() in content
    }

    assert found == set()
    assert kept["redis"]


@pytest.mark.parametrize("path", ["answer", "/answer/never-was", "reviews"])
def test_pages_behind_links_are_readable_by_all(mailed: Mailed, path: str) -> None:
    text = {"answer": ANSWERS, "reviews": REVIEWS}.get(path)
    if text is not None:
        links = [
            found[0]
            for raw in mailed.server.mails
            if (part := message_from_string(raw, policy=default).get_body(("plain",)))
            and (found := re.search(text, str(part.get_content())))
        ]
        path = links[-1]
    axe = AXE.read_text(encoding="utf-8")
    with mailed.up.person() as context:
        page = context.new_page()
        page.goto(path)
        page.evaluate(f"() => {{ {axe}; }}")
        for width in (PHONE, DESK):
            page.set_viewport_size({"width": width, "height": 800})
            for shade in SHADES:
                page.emulate_media(color_scheme=shade)
                assert page.evaluate(WIDER) <= 0
                assert page.evaluate(RUN, TAGS) == []


def _ask_for_link(mailed: Mailed, page: Page, who: str) -> str:
    """Ask for a sign-in mail, and give the token in it."""
    page.goto("/sign-in")
    page.locator("#link-email").fill(who)
    follow(page.get_by_role("button", name="Mail me a sign-in link"))

    def links() -> list[str]:
        return re.findall(SIGN_IN, "\n".join(mailed.texts(who)))

    wait_until(lambda: bool(links()), what="the sign-in mail")
    return links()[-1]


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _redis_content(address: str) -> bytes:
    """Everything that Redis holds, as bytes."""
    client = redis.Redis.from_url(address)
    readers: dict[Any, Callable[[Any], object]] = {
        b"string": client.get,
        b"hash": client.hgetall,
        b"list": lambda key: client.lrange(key, 0, -1),
        b"set": client.smembers,
        b"zset": lambda key: client.zrange(key, 0, -1, withscores=True),
        b"stream": client.xrange,
    }
    parts = [f"{key!r} {readers[client.type(key)](key)!r}" for key in client.scan_iter("*")]
    return "\n".join(parts).encode()


def _pages_of_staff(mailed: Mailed, number: int) -> list[str]:
    """What staff may open and download that is about mails or about one applicant."""
    logged = mailed.up.product.outbox.mails("held", at_most=100)
    log = [f"/today/held/mail/{one.mail.id}" for one in logged]
    return [
        "/today/held/mail",
        *log,
        *(f"{path}/html" for path in log),
        *(f"{path}/eml" for path in log),
        "/decide/held/offers",
        "/decide/held/letters",
        f"/applicants/held/{number}",
        f"/applicants/held/{number}/card/json",
        "/setup/audit",
    ]
