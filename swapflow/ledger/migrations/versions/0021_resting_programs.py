"""Programs that rest: at which event their leader had nothing to do, and until when."""

import sqlalchemy as sa
from alembic import op


revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # No event has the number -1: such a program is read when a coordinator starts. Code of the
    # release before leaves both columns alone, and an event that it writes ends the rest.
    op.add_column(
        "cycle", sa.Column("rest_seq", sa.BigInteger(), nullable=False, server_default="-1")
    )
    op.add_column("cycle", sa.Column("rest_until", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("cycle", schema=None) as batch_op:
        batch_op.drop_column("rest_until")
        batch_op.drop_column("rest_seq")
