"""Announcements: letters to applicants that are held for a while before they leave."""

import sqlalchemy as sa
from alembic import op


revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


# Two tables that older code never looks at, so that its processes work on beside new ones: a mail
# that is held is in a state that they do not send.


def upgrade() -> None:
    op.create_table(
        "announcement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("leaves_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_back_by", sa.String(), nullable=False),
        sa.Column("taken_back_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_announcement_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_announcement")),
    )
    with op.batch_alter_table("announcement", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_announcement_cycle_id"), ["cycle_id"], unique=False)
    op.create_table(
        "announced",
        sa.Column("announcement_id", sa.Integer(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("told", sa.String(), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["announcement_id"],
            ["announcement.id"],
            name=op.f("fk_announced_announcement_id_announcement"),
        ),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_announced_cycle_id_cycle")
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["message.id"], name=op.f("fk_announced_message_id_message")
        ),
        sa.ForeignKeyConstraint(
            ["offer_id"], ["offer.id"], name=op.f("fk_announced_offer_id_offer")
        ),
        sa.PrimaryKeyConstraint("announcement_id", "application", name=op.f("pk_announced")),
        sa.UniqueConstraint("message_id", name=op.f("uq_announced_message_id")),
    )
    with op.batch_alter_table("announced", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_announced_cycle_id_application"),
            ["cycle_id", "application"],
            unique=False,
        )


def downgrade() -> None:
    with op.batch_alter_table("announced", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_announced_cycle_id_application"))
    op.drop_table("announced")
    with op.batch_alter_table("announcement", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_announcement_cycle_id"))
    op.drop_table("announcement")
