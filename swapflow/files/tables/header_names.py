"""Headers that offices use, as `cells.spelling` reduces them."""

ID_SPELLINGS = (
    "external_id",
    "id",
    "applicant_id",
    "applicant_no",
    "applicant_number",
    "applicant_reference",
    "applicant_ref",
    "application_id",
    "application_no",
    "application_number",
    "application_reference",
    "app_id",
    "app_no",
    "candidate_id",
    "candidate_no",
    "candidate_number",
    "reference",
    "reference_id",
    "reference_no",
    "reference_number",
    "ref",
    "ref_id",
    "ref_no",
    "personal_id",
    "person_id",
    "student_id",
    "cas_id",
    "prospect_id",
    "item_id",
    "paper",
    "paper_id",
    "submission",
    "submission_id",
    "submission_#",
    "submission_number",
    "paper_number",
    "forum",
    "bewerbernr",
    "bewerber_nr",
    "bewerber_id",
    "bewerbernummer",
    "#",
    "no",
    "nr",
)
"""The office's own key; the first found wins only over "#", "no" and "nr", which may be row
numbers."""

WEAK_ID = frozenset({"#", "no", "nr"})
NAME = ("name", "full_name", "applicant", "applicant_name", "candidate", "candidate_name")
FIRST = (
    "first_name", "firstname", "given_name", "given_names", "forename", "vorname",
    "preferred_first_name",
)  # fmt: skip
LAST = ("last_name", "lastname", "surname", "family_name", "nachname")
EMAIL = ("email", "e_mail", "email_address", "e_mail_address", "mail")
STATUS = (
    "status", "application_status", "applicant_status", "candidate_status", "app_status",
    "bewerbungsstatus", "bewerberstatus", "statut", "statut_de_la_candidature", "estado",
    "estado_de_la_solicitud", "stato",
)  # fmt: skip
WITHDRAWN = (
    "withdraw", "withdrawn", "withdrew", "withdrawal", "has_withdrawn", "application_withdrawn",
    "withdrawn_on", "withdrawn_at", "withdrawal_date", "date_withdrawn", "zuruckgezogen",
    "zuruckgezogen_am", "ruckzug", "ruckzug_am", "retire", "retire_le", "desistement", "retirado",
    "desistimiento", "ritirato",
)  # fmt: skip
"""Columns that say whether an applicant takes part, without accents."""

REVIEWER_SPELLINGS = (
    "reviewer_id",
    "reviewer",
    "reviewer_no",
    "reviewer_number",
    "member_#",
    "member",
    "interviewer",
    "interviewer_id",
    "judge",
    "judge_id",
    "panelist",
    "reviewer_email",  # last: EasyChair leaves it empty beside its member #
)
SCORE = (
    "score",
    "overall_score",
    "overall_merit",
    "overall_evaluation",
    "overall",
    "mark",
    "rating",
    "points",
    "punkte",
    "panel_score",
    "utility",
    "rating_list",
    "ratings",
    "recommendation",
    "recommendations",
)

KNOWN = (
    frozenset((*ID_SPELLINGS, *NAME, *FIRST, *LAST, *EMAIL, *REVIEWER_SPELLINGS, *SCORE)) - WEAK_ID
)
"""Words of which two in a row make it a header."""
