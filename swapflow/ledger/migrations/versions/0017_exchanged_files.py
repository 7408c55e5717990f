"""Files that other systems sent, and those put out for them."""

import sqlalchemy as sa
from alembic import op


revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


# A table that older code never looks at: what came in is in the tables of applicants and documents.


def upgrade() -> None:
    op.create_table(
        "exchanged_file",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("via", sa.String(), nullable=False),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_exchanged_file_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "number", name=op.f("pk_exchanged_file")),
    )


def downgrade() -> None:
    op.drop_table("exchanged_file")
