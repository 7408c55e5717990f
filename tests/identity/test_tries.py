"""Whose tries are counted together."""

import pytest

from swapflow.identity.services.tries import network_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::2%eth1"),
        ("testclient", "testclient"),
    ],
)
def test_addresses_that_one_client_chooses_among_count_as_one(one: str, other: str) -> None:
    assert network_of(one) == network_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:3::1"),
        ("192.0.2.7", "192.0.2.8"),
        ("::ffff:192.0.2.7", "::ffff:192.0.2.8"),
    ],
)
def test_addresses_of_different_clients_do_not(one: str, other: str) -> None:
    assert network_of(one) != network_of(other)
