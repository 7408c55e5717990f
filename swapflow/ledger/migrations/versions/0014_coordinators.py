"""Which coordinators are there, so that each takes a fair share of the programs."""

import sqlalchemy as sa
from alembic import op


revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


# A table that older code never looks at: its coordinators are seen by the leases that they hold.


def upgrade() -> None:
    op.create_table(
        "coordinator",
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("holder", name=op.f("pk_coordinator")),
    )


def downgrade() -> None:
    op.drop_table("coordinator")
