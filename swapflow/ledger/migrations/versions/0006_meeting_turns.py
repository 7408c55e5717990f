"""When a meeting was closed, and when it was reopened and why."""

import sqlalchemy as sa
from alembic import op


revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


# A table that older code never looks at: to it every meeting that was opened stays open.


def upgrade() -> None:
    op.create_table(
        "meeting_turn",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "version"],
            ["meeting.cycle_id", "meeting.version"],
            name=op.f("fk_meeting_turn_cycle_id_version_meeting"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_meeting_turn")),
    )
    with op.batch_alter_table("meeting_turn", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_meeting_turn_cycle_id_version"),
            ["cycle_id", "version"],
            unique=False,
        )


def downgrade() -> None:
    with op.batch_alter_table("meeting_turn", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_meeting_turn_cycle_id_version"))

    op.drop_table("meeting_turn")
