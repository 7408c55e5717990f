"""Meetings: when one was opened, and what was recorded about whom."""

import sqlalchemy as sa
from alembic import op


revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


# Two tables that older code never looks at, so that its processes work on beside new ones.


def upgrade() -> None:
    op.create_table(
        "meeting",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_meeting_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "version", name=op.f("pk_meeting")),
    )
    op.create_table(
        "meeting_outcome",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "version"],
            ["meeting.cycle_id", "meeting.version"],
            name=op.f("fk_meeting_outcome_cycle_id_version_meeting"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_meeting_outcome")),
    )
    with op.batch_alter_table("meeting_outcome", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_meeting_outcome_cycle_id_version"),
            ["cycle_id", "version"],
            unique=False,
        )


def downgrade() -> None:
    with op.batch_alter_table("meeting_outcome", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_meeting_outcome_cycle_id_version"))

    op.drop_table("meeting_outcome")
    op.drop_table("meeting")
