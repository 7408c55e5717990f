"""How long rounds keep what, what was deleted, what holds keep, and backups that were made."""

import sqlalchemy as sa
from alembic import op


revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


# Four tables that older code never looks at: it deletes nothing by itself.


def upgrade() -> None:
    for name, columns in {
        "retention_rule": (
            sa.Column("kind", sa.String(), nullable=False),
            sa.Column("days", sa.Integer(), nullable=True),
            sa.Column("by", sa.String(), nullable=False),
            sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        ),
        "retention_deletion": (
            sa.Column("cycle_id", sa.String(), nullable=False),
            sa.Column("kind", sa.String(), nullable=False),
            sa.Column("rows", sa.Integer(), nullable=False),
            sa.Column("days", sa.Integer(), nullable=False),
            sa.Column("set_by", sa.String(), nullable=False),
            sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        ),
        "legal_hold": (
            sa.Column("cycle_id", sa.String(), nullable=False),
            sa.Column("application", sa.Integer(), nullable=True),
            sa.Column("reviewer", sa.Integer(), nullable=True),
            sa.Column("reason", sa.Text(), nullable=False),
            sa.Column("by", sa.String(), nullable=False),
            sa.Column("at", sa.DateTime(timezone=True), nullable=False),
            sa.Column("lifted_by", sa.String(), nullable=False),
            sa.Column("lifted_reason", sa.Text(), nullable=False),
            sa.Column("lifted_at", sa.DateTime(timezone=True), nullable=True),
        ),
    }.items():
        op.create_table(
            name,
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("round_id", sa.String(), nullable=False),
            *columns,
            sa.ForeignKeyConstraint(
                ["round_id"], ["round.id"], name=op.f(f"fk_{name}_round_id_round")
            ),
            sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
        )
        with op.batch_alter_table(name, schema=None) as batch_op:
            batch_op.create_index(batch_op.f(f"ix_{name}_round_id"), ["round_id"], unique=False)
    op.create_table(
        "backup_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("file", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("touched_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("saw", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_backup_run")),
    )


def downgrade() -> None:
    op.drop_table("backup_run")
    for name in ("legal_hold", "retention_deletion", "retention_rule"):
        op.drop_table(name)
