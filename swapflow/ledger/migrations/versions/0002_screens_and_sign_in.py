"""Screens and sign-in: accounts, sessions, uploads, interviews, webhooks."""

import secrets

import sqlalchemy as sa
from alembic import op


revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("password", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("email", name=op.f("uq_account_email")),
    )
    op.create_index(
        "uq_account_subject", "account", ["subject"], unique=True,
        sqlite_where=sa.text("subject <> ''"), postgresql_where=sa.text("subject <> ''"),
    )
    # Every page finds the seats of an address, in whatever letters the roster spells it.
    op.create_index("ix_person_lower_email", "person", [sa.text("lower(email)")])
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=True),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_cycle_id_id"), ["cycle_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_audit_who"), ["who"], unique=False)

    op.create_table(
        "sign_in",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("next", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_sign_in")),
    )
    with op.batch_alter_table("sign_in", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sign_in_email"), ["email"], unique=False)

    op.create_table(
        "api_token",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_api_token_account_id_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_token")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_token_digest")),
    )
    with op.batch_alter_table("api_token", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_api_token_account_id"), ["account_id"], unique=False)

    op.create_table(
        "idempotency",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("request", sa.String(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_idempotency_account_id_account")
        ),
        sa.PrimaryKeyConstraint("account_id", "key", name=op.f("pk_idempotency")),
    )
    with op.batch_alter_table("idempotency", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_idempotency_at"), ["at"], unique=False)

    op.create_table(
        "session",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("method", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_session_account_id_account")
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_session")),
    )
    with op.batch_alter_table("session", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_session_account_id"), ["account_id"], unique=False)

    op.create_table(
        "imported",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "application"],
            ["application.cycle_id", "application.number"],
            name=op.f("fk_imported_cycle_id_application_application"),
        ),
        sa.PrimaryKeyConstraint("cycle_id", "application", name=op.f("pk_imported")),
    )
    op.create_table(
        "list_reading",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_list_reading_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "what", name=op.f("pk_list_reading")),
    )
    op.create_table(
        "pin",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_pin_cycle_id_cycle")),
        sa.PrimaryKeyConstraint("cycle_id", "application", name=op.f("pk_pin")),
    )
    op.create_table(
        "webhook",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_webhook_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    op.create_table(
        "webhook_position",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_webhook_position_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", name=op.f("pk_webhook_position")),
    )
    op.create_table(
        "document_content",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("media", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "application"],
            ["application.cycle_id", "application.number"],
            name=op.f("fk_document_content_cycle_id_application_application"),
        ),
        sa.PrimaryKeyConstraint(
            "cycle_id", "application", "position", "version", name=op.f("pk_document_content")
        ),
    )
    op.create_table(
        "webhook_call",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("webhook_id", sa.String(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("relayed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_webhook_call_cycle_id_cycle")
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.id"], name=op.f("fk_webhook_call_webhook_id_webhook")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_call")),
    )
    with op.batch_alter_table("webhook_call", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_webhook_call_state_due_at"), ["state", "due_at"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_webhook_call_webhook_id"), ["webhook_id"], unique=False
        )

    op.create_table(
        "interview",
        sa.Column("pull_id", sa.String(), nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("cancelled", sa.Boolean(), nullable=False),
        sa.Column("missed", sa.Boolean(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name=op.f("fk_interview_pull_id_pull")),
        sa.PrimaryKeyConstraint("pull_id", name=op.f("pk_interview")),
    )
    op.create_table(
        "skip",
        sa.Column("assignment_id", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_skip_assignment_id_assignment")
        ),
        sa.PrimaryKeyConstraint("assignment_id", name=op.f("pk_skip")),
    )
    op.create_table(
        "score_note",
        sa.Column("assignment_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id", "revision"],
            ["score.assignment_id", "score.revision"],
            name=op.f("fk_score_note_assignment_id_revision_score"),
        ),
        sa.PrimaryKeyConstraint("assignment_id", "revision", "name", name=op.f("pk_score_note")),
    )
    op.create_table(
        "prepared",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_prepared_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", name=op.f("pk_prepared")),
    )
    op.create_table(
        "prepared_signature",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"],
            ["prepared.cycle_id"],
            name=op.f("fk_prepared_signature_cycle_id_prepared"),
        ),
        sa.PrimaryKeyConstraint("cycle_id", "by", name=op.f("pk_prepared_signature")),
    )
    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.alter_column("cycle_id", existing_type=sa.String(), nullable=True)
    _give_task_keys()
    _note_risks_of_offers()


def _give_task_keys() -> None:
    """Give every cycle that there is a secret of its own for its task codes."""
    with op.batch_alter_table("cycle", schema=None) as batch_op:
        batch_op.add_column(sa.Column("task_key", sa.String(), nullable=True))
    cycle = sa.table("cycle", sa.column("id", sa.String()), sa.column("task_key", sa.String()))
    known = op.get_bind().execute(sa.select(cycle.c.id)).scalars().all()
    for cycle_id in known:
        op.execute(
            cycle.update().where(cycle.c.id == cycle_id).values(task_key=secrets.token_hex(32))
        )
    with op.batch_alter_table("cycle", schema=None) as batch_op:
        batch_op.alter_column("task_key", existing_type=sa.String(), nullable=False)


def _note_risks_of_offers() -> None:
    """Offers name the risk they take, and a cycle how many are expected to accept.

    The first release had the table of offers, and nothing that wrote to it.
    """
    with op.batch_alter_table("offer", schema=None) as batch_op:
        batch_op.add_column(sa.Column("risk", sa.Float(), nullable=False, server_default="0"))
    op.create_table(
        "yield_rate",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("accepting", sa.Float(), nullable=False),
        sa.Column("declining", sa.Float(), nullable=False),
        sa.Column("risk", sa.Float(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_yield_rate_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_yield_rate")),
    )
    with op.batch_alter_table("yield_rate", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_yield_rate_cycle_id"), ["cycle_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("yield_rate", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_yield_rate_cycle_id"))

    op.drop_table("yield_rate")
    with op.batch_alter_table("offer", schema=None) as batch_op:
        batch_op.drop_column("risk")

    with op.batch_alter_table("cycle", schema=None) as batch_op:
        batch_op.drop_column("task_key")

    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.alter_column("cycle_id", existing_type=sa.String(), nullable=False)

    op.drop_table("prepared_signature")
    op.drop_table("prepared")
    op.drop_table("score_note")
    op.drop_table("skip")
    op.drop_table("interview")
    with op.batch_alter_table("webhook_call", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_webhook_call_webhook_id"))
        batch_op.drop_index(batch_op.f("ix_webhook_call_state_due_at"))

    op.drop_table("webhook_call")
    op.drop_table("document_content")
    op.drop_table("webhook_position")
    op.drop_table("webhook")
    op.drop_table("pin")
    op.drop_table("list_reading")
    op.drop_table("imported")
    with op.batch_alter_table("session", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_session_account_id"))

    op.drop_table("session")
    with op.batch_alter_table("idempotency", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_idempotency_at"))

    op.drop_table("idempotency")
    with op.batch_alter_table("api_token", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_api_token_account_id"))

    op.drop_table("api_token")
    with op.batch_alter_table("sign_in", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sign_in_email"))

    op.drop_table("sign_in")
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_who"))
        batch_op.drop_index(batch_op.f("ix_audit_cycle_id_id"))

    op.drop_table("audit")
    op.drop_index("ix_person_lower_email", table_name="person")
    op.drop_index("uq_account_subject", "account")
    op.drop_table("account")
