"""Units of a round, such as faculties and departments, and the programs that belong to them."""

import sqlalchemy as sa
from alembic import op


revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


# Two tables beside `round` and `cycle`, which stay as they are: a program without a row belongs to
# no unit, as every program of an earlier release does.


def upgrade() -> None:
    op.create_table(
        "unit",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("round_id", sa.String(), nullable=False),
        sa.Column("parent_id", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["round.id"], name=op.f("fk_unit_round_id_round")),
        sa.ForeignKeyConstraint(["parent_id"], ["unit.id"], name=op.f("fk_unit_parent_id_unit")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unit")),
    )
    with op.batch_alter_table("unit", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_unit_round_id"), ["round_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_unit_parent_id"), ["parent_id"], unique=False)
    op.create_table(
        "cycle_unit",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("unit_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_cycle_unit_cycle_id_cycle")
        ),
        sa.ForeignKeyConstraint(["unit_id"], ["unit.id"], name=op.f("fk_cycle_unit_unit_id_unit")),
        sa.PrimaryKeyConstraint("cycle_id", name=op.f("pk_cycle_unit")),
    )
    with op.batch_alter_table("cycle_unit", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_cycle_unit_unit_id"), ["unit_id"], unique=False)


def downgrade() -> None:
    op.drop_table("cycle_unit")
    op.drop_table("unit")
    # An earlier release knows no grant on a unit, and would stop at one.
    op.execute("DELETE FROM role_grant WHERE scope = 'unit'")
