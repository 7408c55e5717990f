"""Practice files, what reviewers made of them, and what was said about them."""

import sqlalchemy as sa
from alembic import op


revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


# Three tables that older code never looks at: the marks that count are on the launch's event.


def upgrade() -> None:
    op.create_table(
        "practice_file",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_practice_file_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "number", name=op.f("pk_practice_file")),
    )
    op.create_table(
        "practice_mark",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("file", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Integer(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("marks", sa.Text(), nullable=False),
        sa.Column("remark", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "file"],
            ["practice_file.cycle_id", "practice_file.number"],
            name=op.f("fk_practice_mark_cycle_id_file_practice_file"),
        ),
        sa.PrimaryKeyConstraint("cycle_id", "file", "reviewer", name=op.f("pk_practice_mark")),
    )
    op.create_table(
        "practice_note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("file", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Integer(), nullable=True),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "file"],
            ["practice_file.cycle_id", "practice_file.number"],
            name=op.f("fk_practice_note_cycle_id_file_practice_file"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_practice_note")),
    )
    with op.batch_alter_table("practice_note", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_practice_note_cycle_id"), ["cycle_id"], unique=False)


def downgrade() -> None:
    op.drop_table("practice_note")
    op.drop_table("practice_mark")
    op.drop_table("practice_file")
