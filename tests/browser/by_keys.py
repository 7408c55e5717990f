"""A person without a mouse: the Tab key alone, and what has the focus."""

from collections.abc import Callable

from playwright.sync_api import Page


MOST_TABS = 150

FOCUS = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const style = getComputedStyle(e);
  const box = e.getBoundingClientRect();
  return {
    text: (e.innerText || e.value || e.getAttribute("aria-label") || "").trim(),
    id: e.id, name: e.name || "", value: e.value || "", tag: e.tagName, type: e.type || "",
    ringed: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    shown: box.width > 0 && box.height > 0,
  };
}"""


def tab_to(page: Page, wanted: Callable[[dict[str, str]], bool]) -> dict[str, str]:
    """Press Tab until something is reached; whatever has the focus on the way shows it."""
    page.wait_for_load_state()  # a page whose style is on its way has no rings yet
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        here = page.evaluate(FOCUS)
        if here is None:
            continue
        assert here["ringed"], f"no focus to be seen on {here}"
        assert here["shown"], f"the focus is on something that cannot be seen: {here}"
        if wanted(here):
            return dict(here)
    raise AssertionError("the Tab key does not lead there")


def named(text: str) -> Callable[[dict[str, str]], bool]:
    return lambda here: here["text"] == text or here["text"].startswith(f"{text}\n")
