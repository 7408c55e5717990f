"""Programs for training: which program each was copied from."""

import sqlalchemy as sa
from alembic import op


revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # With a default of the server's: code of the release before makes programs as well, and those
    # are real ones.
    op.add_column(
        "cycle", sa.Column("practice_of", sa.String(), nullable=False, server_default="")
    )


def downgrade() -> None:
    with op.batch_alter_table("cycle", schema=None) as batch_op:
        batch_op.drop_column("practice_of")
