"""The pages on trust: what they claim is held by a test, and the data map by the schema."""

from swapflow.ledger.schema.base import METADATA
from tests.support import trust


def test_the_pages_claim_nothing_that_no_test_holds() -> None:
    assert list(trust.problems()) == []


def test_a_test_that_is_gone_and_a_table_without_a_row_are_found() -> None:
    page = "| nobody reads it | `test_that_was_renamed` |\n| `event` | the record |\n"

    assert trust.gone(page, trust.known_tests()) == ["test_that_was_renamed"]
    assert trust.unmapped(page, {"event", "newcomer"}) == ["newcomer"]
    assert trust.unmapped(page, set()) == ["event"]
    assert "event" in METADATA.tables


def test_every_page_on_trust_is_in_the_navigation_of_the_site() -> None:
    navigation = (trust.ROOT / "mkdocs.yml").read_text("utf-8")

    for path in trust.PAGES:
        assert f": {path.relative_to(trust.ROOT / 'docs')}" in navigation, path
