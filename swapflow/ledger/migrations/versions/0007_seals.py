"""The salts of names and texts that events hold as digests."""

import sqlalchemy as sa
from alembic import op


revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


# A table that older code never looks at: what it stores meanwhile, no event carries.


def upgrade() -> None:
    op.create_table(
        "seal",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("salt", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_seal_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "digest", name=op.f("pk_seal")),
    )


def downgrade() -> None:
    op.drop_table("seal")
