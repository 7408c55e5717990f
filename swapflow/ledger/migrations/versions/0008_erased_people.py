"""Keyed digests of people who were erased, and who prepared a decision."""

import sqlalchemy as sa
from alembic import op


revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


# A table that older code never looks at: whom it erases meanwhile, nobody can recognise. And a
# column that it leaves empty: of lists that it makes final, nobody can say who prepared them.


def upgrade() -> None:
    op.create_table(
        "erased_person",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("round_id", sa.String(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("erased_as", sa.String(), nullable=False),
        sa.Column("key_id", sa.String(), nullable=False),
        sa.Column("id_digest", sa.String(), nullable=False),
        sa.Column("address_digest", sa.String(), nullable=False),
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("back", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["round_id"],
            ["round.id"],
            name=op.f("fk_erased_person_round_id_round"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["cycle_id"],
            ["cycle.id"],
            name=op.f("fk_erased_person_cycle_id_cycle"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erased_person")),
    )
    with op.batch_alter_table("erased_person", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_erased_person_round_id"), ["round_id"], unique=False
        )
    with op.batch_alter_table("outcome", schema=None) as batch_op:
        batch_op.add_column(sa.Column("prepared_by", sa.String(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("outcome", schema=None) as batch_op:
        batch_op.drop_column("prepared_by")

    with op.batch_alter_table("erased_person", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_erased_person_round_id"))

    op.drop_table("erased_person")
