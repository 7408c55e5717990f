"""Groups of an identity provider: the roles that they give, and who was stated to be in them."""

import sqlalchemy as sa
from alembic import op


revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


# Three tables that older code never looks at: to it nobody has a role by a group.


def upgrade() -> None:
    op.create_table(
        "group_role",
        sa.Column("group_name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint(
            "group_name", "role", "scope", "scope_id", name=op.f("pk_group_role")
        ),
    )
    op.create_table(
        "account_group",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("group_name", sa.String(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_account_group_account_id_account")
        ),
        sa.PrimaryKeyConstraint("account_id", "group_name", name=op.f("pk_account_group")),
    )
    op.create_table(
        "group_claim",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_group_claim_account_id_account")
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_group_claim")),
    )


def downgrade() -> None:
    op.drop_table("group_claim")
    op.drop_table("account_group")
    op.drop_table("group_role")
