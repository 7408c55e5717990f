"""What stands between the interfaces and the ledger."""

import re
from pathlib import Path

import pytest

import swapflow
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.ledger.transaction import SqlTransaction


ROOT = Path(swapflow.__file__).parent
INTERFACES = [ROOT / "web", ROOT / "cli", ROOT / "processes", ROOT.parent / "workers"]
PAST_THE_SERVICES = re.compile(r"\b(product|swapflow|office|running)(\(\))?\.context\b")


def test_interfaces_call_services_and_nothing_that_lies_behind_them() -> None:
    files = [file for folder in INTERFACES for file in folder.rglob("*.py")]

    reaching = [file for file in files if PAST_THE_SERVICES.search(file.read_text("utf-8"))]

    assert len(files) > 100
    assert reaching == []


@pytest.mark.parametrize(("kind", "port"), [(SqlLedger, Ledger), (SqlTransaction, Transaction)])
def test_sql_implements_every_method_of_its_ports(kind: type, port: type) -> None:
    wanted = {
        name: part
        for part in port.__mro__
        for name in vars(part)
        if part.__module__.startswith("swapflow.") and not name.startswith("_")
    }

    stubs = {
        name
        for name in wanted
        for owner in [next(part for part in kind.__mro__ if name in vars(part))]
        if owner.__module__.startswith("swapflow.engine.ports")
    }

    assert len(wanted) > 50
    assert stubs == set()
