"""Applicants whom a reviewer with another role has opened."""

import sqlalchemy as sa
from alembic import op


revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


# A table that older code never looks at: there a reviewer with another role sees everybody.


def upgrade() -> None:
    op.create_table(
        "opened",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_opened_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "application", "reviewer", name=op.f("pk_opened")),
    )


def downgrade() -> None:
    op.drop_table("opened")
