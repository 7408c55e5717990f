"""The only module that reads what applicants declared for monitoring."""

from sqlalchemy import select

from swapflow.ledger.core.database import Database
from swapflow.ledger.core.statements import require_cycle
from swapflow.ledger.schema import MONITORING_ATTRIBUTE


class SqlMonitoring:
    """The `MonitoringRecord` port."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def declared(self, cycle_id: str) -> dict[int, dict[str, str]]:
        """Read the declared attributes, by application number and name."""
        table = MONITORING_ATTRIBUTE
        query = (
            select(table.c.application, table.c.name, table.c.value)
            .where(table.c.cycle_id == cycle_id)
            .order_by(table.c.application, table.c.name)
        )
        found: dict[int, dict[str, str]] = {}
        with self._database.reading() as connection:
            require_cycle(connection, cycle_id)
            for number, name, value in connection.execute(query):
                found.setdefault(number, {})[name] = value
        return found
