"""How much a page costs on a phone's connection."""

from playwright.sync_api import BrowserContext

from tests.browser.office import PHONE, Deployment


MOST_BYTES = 60_000
"""Of everything that the inbox, or a review, loads, as it comes over the wire."""


def weight(context: BrowserContext, path: str) -> tuple[int, list[str]]:
    """Load a page with an empty cache; gives bytes over the wire and what was loaded."""
    page = context.new_page()
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[int] = []
    names: list[str] = []
    wire.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
    page.on("request", lambda request: names.append(request.url))
    answer = page.goto(path)
    assert answer is not None
    assert answer.ok
    page.wait_for_timeout(300)
    return sum(sizes), names


def test_inbox_and_review_are_light_and_load_no_charts(up: Deployment) -> None:
    up.cycle("light")
    task = up.tasks("light", "R1")[0]
    with up.person("light-r1@example.org", width=PHONE) as context:
        for path in ("/inbox", f"/tasks/{up.product.tasks.code(task.id)}"):
            size, names = weight(context, path)
            assert 1_000 < size <= MOST_BYTES, (path, size, names)
            assert not [name for name in names if "echarts" in name]
