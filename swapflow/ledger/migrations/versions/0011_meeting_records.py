"""What a meeting looked at, whom it decided together, and who took on the clear zones."""

import sqlalchemy as sa
from alembic import op


revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


# Older code fills neither column, and looks at neither table: to it each outcome is one of its own.


def upgrade() -> None:
    with op.batch_alter_table("meeting_outcome", schema=None) as batch_op:
        batch_op.add_column(sa.Column("line", sa.String(), nullable=False, server_default=""))
        batch_op.add_column(
            sa.Column("together", sa.Integer(), nullable=False, server_default="1")
        )
    op.create_table(
        "meeting_look",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "version"],
            ["meeting.cycle_id", "meeting.version"],
            name=op.f("fk_meeting_look_cycle_id_version_meeting"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_meeting_look")),
    )
    with op.batch_alter_table("meeting_look", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_meeting_look_cycle_id_version"), ["cycle_id", "version"], unique=False
        )
    op.create_table(
        "zone_confirmation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("applications", sa.Text(), nullable=False),
        sa.Column("opened", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "version"],
            ["meeting.cycle_id", "meeting.version"],
            name=op.f("fk_zone_confirmation_cycle_id_version_meeting"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_zone_confirmation")),
    )
    with op.batch_alter_table("zone_confirmation", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_zone_confirmation_cycle_id_version"),
            ["cycle_id", "version"],
            unique=False,
        )


def downgrade() -> None:
    with op.batch_alter_table("zone_confirmation", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_zone_confirmation_cycle_id_version"))

    op.drop_table("zone_confirmation")
    with op.batch_alter_table("meeting_look", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_meeting_look_cycle_id_version"))

    op.drop_table("meeting_look")
    with op.batch_alter_table("meeting_outcome", schema=None) as batch_op:
        batch_op.drop_column("together")
        batch_op.drop_column("line")
