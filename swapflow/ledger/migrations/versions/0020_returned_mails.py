"""Mails that came back: the code by which each is known again, and reports that fit none."""

import sqlalchemy as sa
from alembic import op


revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # All may be empty: code of the release before queues mails as well, and knows none of them.
    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.add_column(sa.Column("code", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("came_back", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("came_back_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.create_index(batch_op.f("ix_message_code"), ["code"], unique=False)
    op.create_table(
        "stray_bounce",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("reporter", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )


def downgrade() -> None:
    op.drop_table("stray_bounce")
    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_message_code"))
        batch_op.drop_column("came_back_at")
        batch_op.drop_column("came_back")
        batch_op.drop_column("code")
