"""A request that is cut short because its process stops is told so, and may be sent again."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from starlette.types import Message

from tests.web.site import SAME_ORIGIN, Site


def test_a_request_cut_short_by_a_stop_hears_503_and_that_it_may_be_sent_again(
    site: Site,
) -> None:
    said: list[Message] = []
    waiting = asyncio.Event()

    async def receive() -> Message:
        waiting.set()
        await asyncio.sleep(60)  # a slow network: the form never arrives
        raise AssertionError

    async def send(message: Message) -> None:
        said.append(message)

    async def stop_while_it_waits() -> None:
        headers = {**SAME_ORIGIN, "host": "testserver", "content-length": "5"}
        headers["content-type"] = "application/x-www-form-urlencoded"
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/sign-in/password",
            "raw_path": b"/sign-in/password",
            "root_path": "",
            "scheme": "http",
            "query_string": b"",
            "headers": [(name.lower().encode(), text.encode()) for name, text in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("testserver", 80),
        }
        request = asyncio.create_task(site.app(scope, receive, send))
        await asyncio.wait_for(waiting.wait(), 20)
        request.cancel()
        await asyncio.wait_for(request, 20)

    # In a thread of its own: beside browser tests this one has a loop that runs already.
    with ThreadPoolExecutor(1) as other:
        other.submit(asyncio.run, stop_while_it_waits()).result()

    assert said[0]["status"] == 503
    assert "nothing counts twice" in b"".join(m.get("body", b"") for m in said[1:]).decode()
