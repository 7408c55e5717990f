"""The ledger's first tables."""

import sqlalchemy as sa
from alembic import op


revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "clock",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("offset_seconds", sa.Float(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_clock_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clock")),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
    )
    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_person_email"), ["email"], unique=False)

    op.create_table(
        "role_grant",
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("who", "role", "scope", "scope_id", name=op.f("pk_role_grant")),
    )
    op.create_table(
        "round",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_round")),
    )
    op.create_table(
        "cycle",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("round_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("head_hash", sa.String(), nullable=False),
        sa.Column("spent", sa.BigInteger(), nullable=False),
        sa.Column("committed", sa.BigInteger(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("cohort_version", sa.Integer(), nullable=False),
        sa.Column("lease_holder", sa.String(), nullable=False),
        sa.Column("lease_epoch", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stop_reason", sa.String(), nullable=True),
        sa.CheckConstraint("seq >= 0", name=op.f("ck_cycle_seq_not_negative")),
        sa.CheckConstraint("spent + committed >= 0", name=op.f("ck_cycle_cost_not_negative")),
        sa.ForeignKeyConstraint(["round_id"], ["round.id"], name=op.f("fk_cycle_round_id_round")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cycle")),
    )
    with op.batch_alter_table("cycle", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_cycle_round_id"), ["round_id"], unique=False)

    op.create_table(
        "application",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.String(), nullable=True),
        sa.Column("person_id", sa.String(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("wave", sa.Integer(), nullable=False),
        sa.Column("tie", sa.BigInteger(), nullable=False),
        sa.Column("topic", sa.Integer(), nullable=True),
        sa.Column("merged_into", sa.Integer(), nullable=True),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_application_cycle_id_cycle")
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_application_person_id_person")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "number", name=op.f("pk_application")),
        sa.UniqueConstraint(
            "cycle_id", "external_id", name=op.f("uq_application_cycle_id_external_id")
        ),
    )
    with op.batch_alter_table("application", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_application_person_id"), ["person_id"], unique=False)

    op.create_table(
        "approval",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_approval_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approval")),
    )
    with op.batch_alter_table("approval", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_approval_cycle_id"), ["cycle_id"], unique=False)

    op.create_table(
        "attribute_value",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("attribute", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_attribute_value_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "attribute", "value", name=op.f("pk_attribute_value")),
        sa.UniqueConstraint(
            "cycle_id",
            "attribute",
            "number",
            name=op.f("uq_attribute_value_cycle_id_attribute_number"),
        ),
    )
    op.create_table(
        "cohort_version",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("head_hash", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_cohort_version_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "version", name=op.f("pk_cohort_version")),
    )
    op.create_table(
        "conflict",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_conflict_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "application", "reviewer", name=op.f("pk_conflict")),
    )
    op.create_table(
        "decision",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("read_seq", sa.BigInteger(), nullable=False),
        sa.Column("read_hash", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("picks", sa.Text(), nullable=False),
        sa.Column("look", sa.Text(), nullable=False),
        sa.Column("cohort", sa.Text(), nullable=False),
        sa.Column("contested", sa.Text(), nullable=False),
        sa.Column("stop", sa.String(), nullable=False),
        sa.Column("versions", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_decision_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "number", name=op.f("pk_decision")),
    )
    op.create_table(
        "endorsement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_endorsement_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_endorsement")),
    )
    with op.batch_alter_table("endorsement", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_endorsement_cycle_id_application"),
            ["cycle_id", "application"],
            unique=False,
        )

    op.create_table(
        "event",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_event_cycle_id_cycle")),
        sa.PrimaryKeyConstraint("cycle_id", "seq", name=op.f("pk_event")),
    )
    op.create_table(
        "message",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("to", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=False),
        sa.Column("calendar", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("relayed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_message_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_message")),
    )
    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_message_cycle_id"), ["cycle_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_message_state_created_at"), ["state", "created_at"], unique=False
        )

    op.create_table(
        "note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=True),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("salt", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_note_cycle_id_cycle")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_note")),
    )
    with op.batch_alter_table("note", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_note_cycle_id_application"), ["cycle_id", "application"], unique=False
        )

    op.create_table(
        "offer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("line", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_offer_cycle_id_cycle")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_offer")),
    )
    with op.batch_alter_table("offer", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_offer_cycle_id_version_application"),
            ["cycle_id", "version", "application"],
            unique=False,
        )

    op.create_table(
        "outcome",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_outcome_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outcome")),
    )
    with op.batch_alter_table("outcome", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_outcome_cycle_id_version_application"),
            ["cycle_id", "version", "application"],
            unique=False,
        )

    op.create_table(
        "panel",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_panel_cycle_id_cycle")),
        sa.PrimaryKeyConstraint("cycle_id", "application", "reviewer", name=op.f("pk_panel")),
    )
    op.create_table(
        "proposal",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sheet", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_proposal_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "version", name=op.f("pk_proposal")),
    )
    op.create_table(
        "roster",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("panel", sa.String(), nullable=False),
        sa.Column("capacity", sa.Text(), nullable=False),
        sa.Column("packet", sa.Integer(), nullable=True),
        sa.Column("automatic", sa.String(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("share", sa.Float(), nullable=False),
        sa.CheckConstraint("share >= 0 AND share <= 1", name=op.f("ck_roster_share_in_unit")),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_roster_cycle_id_cycle")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_roster_person_id_person")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "number", name=op.f("pk_roster")),
        sa.UniqueConstraint(
            "cycle_id", "external_id", name=op.f("uq_roster_cycle_id_external_id")
        ),
    )
    with op.batch_alter_table("roster", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_roster_person_id"), ["person_id"], unique=False)

    op.create_table(
        "rubric",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("criteria", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_rubric_cycle_id_cycle")),
        sa.PrimaryKeyConstraint("cycle_id", "kind", "version", name=op.f("pk_rubric")),
    )
    op.create_table(
        "rules",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_rules_cycle_id_cycle")),
        sa.PrimaryKeyConstraint("cycle_id", "version", name=op.f("pk_rules")),
    )
    op.create_table(
        "signature",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id"], ["cycle.id"], name=op.f("fk_signature_cycle_id_cycle")
        ),
        sa.PrimaryKeyConstraint("cycle_id", "version", "by", name=op.f("pk_signature")),
    )
    op.create_table(
        "topic",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_topic_cycle_id_cycle")),
        sa.PrimaryKeyConstraint("cycle_id", "name", name=op.f("pk_topic")),
        sa.UniqueConstraint("cycle_id", "number", name=op.f("uq_topic_cycle_id_number")),
    )
    op.create_table(
        "waiver",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_waiver_cycle_id_cycle")),
        sa.PrimaryKeyConstraint("cycle_id", "version", "application", name=op.f("pk_waiver")),
    )
    op.create_table(
        "wish",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("done", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycle.id"], name=op.f("fk_wish_cycle_id_cycle")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wish")),
    )
    with op.batch_alter_table("wish", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_wish_cycle_id_done"), ["cycle_id", "done"], unique=False
        )

    op.create_table(
        "document",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("redacted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "application"],
            ["application.cycle_id", "application.number"],
            name=op.f("fk_document_cycle_id_application_application"),
        ),
        sa.PrimaryKeyConstraint(
            "cycle_id", "application", "position", "version", name=op.f("pk_document")
        ),
    )
    op.create_table(
        "expertise",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("reviewer", sa.Integer(), nullable=False),
        sa.Column("topic", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "reviewer"],
            ["roster.cycle_id", "roster.number"],
            name=op.f("fk_expertise_cycle_id_reviewer_roster"),
        ),
        sa.ForeignKeyConstraint(
            ["cycle_id", "topic"],
            ["topic.cycle_id", "topic.number"],
            name=op.f("fk_expertise_cycle_id_topic_topic"),
        ),
        sa.PrimaryKeyConstraint("cycle_id", "reviewer", "topic", name=op.f("pk_expertise")),
    )
    op.create_table(
        "monitoring_attribute",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "application"],
            ["application.cycle_id", "application.number"],
            name=op.f("fk_monitoring_attribute_cycle_id_application_application"),
        ),
        sa.PrimaryKeyConstraint(
            "cycle_id", "application", "name", name=op.f("pk_monitoring_attribute")
        ),
    )
    op.create_table(
        "offer_answer",
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["offer_id"], ["offer.id"], name=op.f("fk_offer_answer_offer_id_offer")
        ),
        sa.PrimaryKeyConstraint("offer_id", name=op.f("pk_offer_answer")),
    )
    op.create_table(
        "place",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("standing", sa.String(), nullable=False),
        sa.Column("estimate", sa.Float(), nullable=False),
        sa.Column("raw_mean", sa.Float(), nullable=True),
        sa.Column("margin", sa.Float(), nullable=False),
        sa.Column("evidence", sa.Float(), nullable=False),
        sa.Column("contested", sa.Boolean(), nullable=False),
        sa.Column("tied", sa.Boolean(), nullable=False),
        sa.Column("pulls", sa.Text(), nullable=False),
        sa.Column("floor_missing", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "version"],
            ["proposal.cycle_id", "proposal.version"],
            name=op.f("fk_place_cycle_id_version_proposal"),
        ),
        sa.PrimaryKeyConstraint("cycle_id", "version", "application", name=op.f("pk_place")),
    )
    op.create_table(
        "pull",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("cost", sa.Integer(), nullable=False),
        sa.Column("gain", sa.Integer(), nullable=False),
        sa.Column("decision", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("quorum", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "cost >= 0 AND gain >= 0", name=op.f("ck_pull_cost_and_gain_not_negative")
        ),
        sa.ForeignKeyConstraint(
            ["cycle_id", "application"],
            ["application.cycle_id", "application.number"],
            name=op.f("fk_pull_cycle_id_application_application"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pull")),
        sa.UniqueConstraint(
            "cycle_id",
            "application",
            "kind",
            "ordinal",
            name=op.f("uq_pull_cycle_id_application_kind_ordinal"),
        ),
    )
    with op.batch_alter_table("pull", schema=None) as batch_op:
        batch_op.create_index(
            "ix_pull_unfinished",
            ["cycle_id"],
            unique=False,
            sqlite_where=sa.text("status IN ('proposed', 'open')"),
            postgresql_where=sa.text("status IN ('proposed', 'open')"),
        )

    op.create_table(
        "pull_kind",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("cost", sa.Integer(), nullable=False),
        sa.Column("gain", sa.Integer(), nullable=False),
        sa.Column("requires", sa.String(), nullable=False),
        sa.Column("maximum", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=True),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("quorum", sa.Integer(), nullable=False),
        sa.Column("approval", sa.Boolean(), nullable=False),
        sa.Column("window_days", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "rules_version"],
            ["rules.cycle_id", "rules.version"],
            name=op.f("fk_pull_kind_cycle_id_rules_version_rules"),
        ),
        sa.PrimaryKeyConstraint("cycle_id", "rules_version", "kind", name=op.f("pk_pull_kind")),
        sa.UniqueConstraint(
            "cycle_id",
            "rules_version",
            "name",
            name=op.f("uq_pull_kind_cycle_id_rules_version_name"),
        ),
    )
    op.create_table(
        "roster_absence",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("reviewer", sa.Integer(), nullable=False),
        sa.Column("first", sa.String(), nullable=False),
        sa.Column("last", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "reviewer"],
            ["roster.cycle_id", "roster.number"],
            name=op.f("fk_roster_absence_cycle_id_reviewer_roster"),
        ),
        sa.PrimaryKeyConstraint(
            "cycle_id", "reviewer", "first", "last", name=op.f("pk_roster_absence")
        ),
    )
    op.create_table(
        "seat_line",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("funded", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "rules_version"],
            ["rules.cycle_id", "rules.version"],
            name=op.f("fk_seat_line_cycle_id_rules_version_rules"),
        ),
        sa.PrimaryKeyConstraint(
            "cycle_id", "rules_version", "position", name=op.f("pk_seat_line")
        ),
    )
    op.create_table(
        "selection_attribute",
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "application"],
            ["application.cycle_id", "application.number"],
            name=op.f("fk_selection_attribute_cycle_id_application_application"),
        ),
        sa.PrimaryKeyConstraint(
            "cycle_id", "application", "name", name=op.f("pk_selection_attribute")
        ),
    )
    op.create_table(
        "approval_pull",
        sa.Column("approval_id", sa.Integer(), nullable=False),
        sa.Column("pull_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["approval_id"], ["approval.id"], name=op.f("fk_approval_pull_approval_id_approval")
        ),
        sa.ForeignKeyConstraint(
            ["pull_id"], ["pull.id"], name=op.f("fk_approval_pull_pull_id_pull")
        ),
        sa.PrimaryKeyConstraint("approval_id", "pull_id", name=op.f("pk_approval_pull")),
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("pull_id", sa.String(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("packet", sa.Integer(), nullable=False),
        sa.Column("rubric_version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sends", sa.Integer(), nullable=False),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decline_kind", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["cycle_id", "reviewer"],
            ["roster.cycle_id", "roster.number"],
            name=op.f("fk_assignment_cycle_id_reviewer_roster"),
        ),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name=op.f("fk_assignment_pull_id_pull")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint(
            "pull_id", "seat", "attempt", name=op.f("uq_assignment_pull_id_seat_attempt")
        ),
    )
    with op.batch_alter_table("assignment", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_assignment_cycle_id_application"),
            ["cycle_id", "application"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_assignment_cycle_id_reviewer_status"),
            ["cycle_id", "reviewer", "status"],
            unique=False,
        )
        batch_op.create_index(
            "ix_assignment_overdue",
            ["cycle_id", "due_at"],
            unique=False,
            sqlite_where=sa.text("status IN ('queued', 'delivered', 'opened')"),
            postgresql_where=sa.text("status IN ('queued', 'delivered', 'opened')"),
        )
        batch_op.create_index(
            "ix_assignment_unsent",
            ["created_at"],
            unique=False,
            sqlite_where=sa.text("status = 'queued'"),
            postgresql_where=sa.text("status = 'queued'"),
        )

    op.create_table(
        "seat",
        sa.Column("pull_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name=op.f("fk_seat_pull_id_pull")),
        sa.PrimaryKeyConstraint("pull_id", "seat", name=op.f("pk_seat")),
    )
    op.create_table(
        "draft",
        sa.Column("assignment_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_draft_assignment_id_assignment")
        ),
        sa.PrimaryKeyConstraint("assignment_id", name=op.f("pk_draft")),
    )
    op.create_table(
        "score",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.String(), nullable=False),
        sa.Column("pull_id", sa.String(), nullable=False),
        sa.Column("cycle_id", sa.String(), nullable=False),
        sa.Column("application", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("late", sa.String(), nullable=True),
        sa.Column("typed_by", sa.String(), nullable=False),
        sa.Column("rubric_version", sa.Integer(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "value >= 0 AND value <= 1000000", name=op.f("ck_score_value_in_scale")
        ),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_score_assignment_id_assignment")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_score")),
        sa.UniqueConstraint(
            "assignment_id", "revision", name=op.f("uq_score_assignment_id_revision")
        ),
    )
    with op.batch_alter_table("score", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_score_cycle_id_application"), ["cycle_id", "application"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_score_cycle_id_reviewer"), ["cycle_id", "reviewer"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_score_pull_id"), ["pull_id"], unique=False)

    op.create_table(
        "adjustment",
        sa.Column("assignment_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "value >= 0 AND value <= 1000000", name=op.f("ck_adjustment_value_in_scale")
        ),
        sa.ForeignKeyConstraint(
            ["assignment_id", "revision"],
            ["score.assignment_id", "score.revision"],
            name=op.f("fk_adjustment_assignment_id_revision_score"),
        ),
        sa.PrimaryKeyConstraint(
            "assignment_id", "revision", "version", name=op.f("pk_adjustment")
        ),
    )
    op.create_table(
        "mark",
        sa.Column("assignment_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("criterion", sa.String(), nullable=False),
        sa.Column("mark", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["assignment_id", "revision"],
            ["score.assignment_id", "score.revision"],
            name=op.f("fk_mark_assignment_id_revision_score"),
        ),
        sa.PrimaryKeyConstraint("assignment_id", "revision", "criterion", name=op.f("pk_mark")),
    )
    op.create_table(
        "remark",
        sa.Column("assignment_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id", "revision"],
            ["score.assignment_id", "score.revision"],
            name=op.f("fk_remark_assignment_id_revision_score"),
        ),
        sa.PrimaryKeyConstraint("assignment_id", "revision", name=op.f("pk_remark")),
    )
    op.execute("INSERT INTO clock (id, offset_seconds) VALUES (1, 0)")


def downgrade() -> None:
    op.drop_table("remark")
    op.drop_table("mark")
    op.drop_table("adjustment")
    with op.batch_alter_table("score", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_score_pull_id"))
        batch_op.drop_index(batch_op.f("ix_score_cycle_id_reviewer"))
        batch_op.drop_index(batch_op.f("ix_score_cycle_id_application"))

    op.drop_table("score")
    op.drop_table("draft")
    op.drop_table("seat")
    with op.batch_alter_table("assignment", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_assignment_unsent",
            sqlite_where=sa.text("status = 'queued'"),
            postgresql_where=sa.text("status = 'queued'"),
        )
        batch_op.drop_index(
            "ix_assignment_overdue",
            sqlite_where=sa.text("status IN ('queued', 'delivered', 'opened')"),
            postgresql_where=sa.text("status IN ('queued', 'delivered', 'opened')"),
        )
        batch_op.drop_index(batch_op.f("ix_assignment_cycle_id_reviewer_status"))
        batch_op.drop_index(batch_op.f("ix_assignment_cycle_id_application"))

    op.drop_table("assignment")
    op.drop_table("approval_pull")
    op.drop_table("selection_attribute")
    op.drop_table("seat_line")
    op.drop_table("roster_absence")
    op.drop_table("pull_kind")
    with op.batch_alter_table("pull", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_pull_unfinished",
            sqlite_where=sa.text("status IN ('proposed', 'open')"),
            postgresql_where=sa.text("status IN ('proposed', 'open')"),
        )

    op.drop_table("pull")
    op.drop_table("place")
    op.drop_table("offer_answer")
    op.drop_table("monitoring_attribute")
    op.drop_table("expertise")
    op.drop_table("document")
    with op.batch_alter_table("wish", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_wish_cycle_id_done"))

    op.drop_table("wish")
    op.drop_table("waiver")
    op.drop_table("topic")
    op.drop_table("signature")
    op.drop_table("rules")
    op.drop_table("rubric")
    with op.batch_alter_table("roster", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_roster_person_id"))

    op.drop_table("roster")
    op.drop_table("proposal")
    op.drop_table("panel")
    with op.batch_alter_table("outcome", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_outcome_cycle_id_version_application"))

    op.drop_table("outcome")
    with op.batch_alter_table("offer", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_offer_cycle_id_version_application"))

    op.drop_table("offer")
    with op.batch_alter_table("note", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_note_cycle_id_application"))

    op.drop_table("note")
    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_message_state_created_at"))
        batch_op.drop_index(batch_op.f("ix_message_cycle_id"))

    op.drop_table("message")
    op.drop_table("event")
    with op.batch_alter_table("endorsement", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_endorsement_cycle_id_application"))

    op.drop_table("endorsement")
    op.drop_table("decision")
    op.drop_table("conflict")
    op.drop_table("cohort_version")
    op.drop_table("attribute_value")
    with op.batch_alter_table("approval", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_approval_cycle_id"))

    op.drop_table("approval")
    with op.batch_alter_table("application", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_application_person_id"))

    op.drop_table("application")
    with op.batch_alter_table("cycle", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_cycle_round_id"))

    op.drop_table("cycle")
    op.drop_table("round")
    op.drop_table("role_grant")
    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_person_email"))

    op.drop_table("person")
    op.drop_table("clock")
