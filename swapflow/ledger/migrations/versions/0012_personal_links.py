"""Personal links in mails, the digests of their tokens, and what applicants answered by them."""

import sqlalchemy as sa
from alembic import op


revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


# Three tables that older code never looks at: a mail that it sends has a masked link.


def upgrade() -> None:
    op.create_table(
        "personal_link",
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("leads_to", sa.String(), nullable=False),
        sa.Column("reviewer", sa.Integer(), nullable=True),
        sa.Column("application", sa.Integer(), nullable=True),
        sa.Column("offer_id", sa.Integer(), nullable=True),
        sa.Column("pull_id", sa.String(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("good_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["message_id"], ["message.id"], name=op.f("fk_personal_link_message_id_message")
        ),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_personal_link_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_personal_link")),
    )
    with op.batch_alter_table("personal_link", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_personal_link_cycle_id"), ["cycle_id"], unique=False)
    op.create_table(
        "link_token",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["message_id"],
            ["personal_link.message_id"],
            name=op.f("fk_link_token_message_id_personal_link"),
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_link_token")),
    )
    with op.batch_alter_table("link_token", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_link_token_message_id"), ["message_id"], unique=False)
    op.create_table(
        "applicant_answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=True),
        sa.Column("pull_id", sa.String(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_applicant_answer_cycle_id_cycle")
        ),
        sa.ForeignKeyConstraint(
            ["offer_id"], ["offer.id"], name=op.f("fk_applicant_answer_offer_id_offer")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_applicant_answer")),
    )
    with op.batch_alter_table("applicant_answer", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_applicant_answer_cycle_id_application"),
            ["cycle_id", "application"],
            unique=False,
        )


def downgrade() -> None:
    op.drop_table("applicant_answer")
    op.drop_table("link_token")
    op.drop_table("personal_link")
