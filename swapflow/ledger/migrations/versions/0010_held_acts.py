"""Acts of staff that are carried out after some minutes, and can be undone until then."""

import sqlalchemy as sa
from alembic import op


revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


# A table that older code never looks at: what is held when it takes over is not carried out.


def upgrade() -> None:
    op.create_table(
        "held_act",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("items", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("leaves_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("ended_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_held_act_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_held_act")),
    )
    with op.batch_alter_table("held_act") as batch:
        batch.create_index(op.f("ix_held_act_cycle_id"), ["cycle_id"])
        batch.create_index(op.f("ix_held_act_state_leaves_at"), ["state", "leaves_at"])
    op.add_column("interview", sa.Column("told", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("interview", "told")
    op.drop_table("held_act")
