"""Reconsiderations of single applications, and reviewers who are kept for them."""

import sqlalchemy as sa
from alembic import op


revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


# A table that older code never looks at, and a column whose default is what it knew.


def upgrade() -> None:
    op.create_table(
        "reconsideration",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Integer(), nullable=False),
        sa.Column("reviews", sa.Integer(), nullable=False),
        sa.Column("asked_by", sa.String(), nullable=False),
        sa.Column("asked_on", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("stood", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("result", sa.String(), nullable=False),
        sa.Column("closed_version", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("before", sa.Float(), nullable=True),
        sa.Column("after", sa.Float(), nullable=True),
        sa.Column("received", sa.Integer(), nullable=False),
        sa.Column("beyond", sa.Boolean(), nullable=False),
        sa.Column("exceptions", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("closed_by", sa.Text(), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_reconsideration_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reconsideration")),
    )
    op.create_index(
        op.f("ix_reconsideration_cycle_id_application"),
        "reconsideration",
        ["cycle_id", "application"],
    )
    op.create_index(
        "ix_reconsideration_open",
        "reconsideration",
        ["cycle_id", "application"],
        unique=True,
        sqlite_where=sa.text("result = ''"),
        postgresql_where=sa.text("result = ''"),
    )
    op.add_column("roster", sa.Column("reserve", sa.Boolean(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("roster", "reserve")
    op.drop_index("ix_reconsideration_open", table_name="reconsideration")
    op.drop_index(op.f("ix_reconsideration_cycle_id_application"), table_name="reconsideration")
    op.drop_table("reconsideration")
