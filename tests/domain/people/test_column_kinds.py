"""What a column is, by its header, in the languages of offices."""

import pytest

from swapflow.domain.people.column_kinds import ColumnKind, column_kind


# From application forms of universities in Germany, France and Spain, by their usual words.
GERMAN = (
    "Anrede, Vorname(n), Nachname, Geburtsname, Rufname, E-Mail-Adresse, Telefonnummer, "
    "Handynummer, Mobil, Straße und Hausnummer, Anschrift, Wohnort, Heimatadresse, Postleitzahl, "
    "Geburtsdatum, Geburtsort, Staatsangehörigkeit, Geschlecht, Familienstand, Matrikelnummer, "
    "Personalausweisnummer, Passbild, Muttersprache, Schwerbehinderung, Konfession, Webseite"
)
FRENCH = (
    "Civilité, Nom de famille, Nom d'usage, Prénoms, Courriel, Adresse électronique, Téléphone "
    "portable, Adresse postale, Ville, Code postal, Pays de résidence, Date de naissance, Lieu de "
    "naissance, Nationalité, Sexe, Situation familiale, Numéro INE, Numéro d'étudiant, Passeport, "
    "Photographie, Langue maternelle, Situation de handicap, Site web, Contact d'urgence"
)
SPANISH = (
    "Tratamiento, Nombre, Apellidos, Correo electrónico, Teléfono móvil, Dirección postal, Calle, "
    "Ciudad, Provincia, Código postal, País de residencia, Fecha de nacimiento, Lugar de "
    "nacimiento, Nacionalidad, Sexo, Estado civil, DNI/NIE, Pasaporte, Fotografía, Lengua "
    "materna, Discapacidad, Página web, Redes sociales, Contacto de emergencia"
)
ENGLISH = (
    "Phone number, Mobile, Home address, LinkedIn profile, linkedin, Twitter, Second e-mail, Name "
    "of parent, Preferred pronunciation, Maiden name, Salutation, Country of residence, "
    "preferredFirstName, student_id, GitHub URL, Photo, Emergency contact"
)


@pytest.mark.parametrize("header", f"{GERMAN}, {FRENCH}, {SPANISH}, {ENGLISH}".split(", "))
def test_what_identifies_a_person_is_never_proposed_to_a_blind_reviewer(header: str) -> None:
    assert column_kind(header) in {ColumnKind.IDENTITY, ColumnKind.PROTECTED}


# A second list, from other forms: work and person stand in one header, or in a short one.
FORMS = (
    "Lebenslauf, Lebenslauf (PDF), Projektleiter, Projektleitung, Name des Betreuers, Land, "
    "Bundesland, PLZ, Gesetzlicher Vertreter, Kontoinhaber, Titel vor Name, Xing-Profil, "
    "Curriculum vitae, CV, Mél, Pays du diplôme, Directeur de thèse, Titre de séjour, "
    "Coordonnées du directeur de projet, Description du projet par le tuteur, N° INE, "
    "Prénom usuel, Tél. portable, Currículum, Proyecto dirigido por, Contacto del proyecto, "
    "Director de tesis, Comunidad autónoma, Primer apellido, NIF/NIE, Foto carné, Biography"
)
# Nothing says what these hold: hidden too, until staff choose them.
UNSURE = (
    "Namenszusatz, Krankenkasse, Beruf der Mutter, Bewerber-ID, Référence, N° candidat, "
    "Profession du père, Lycée d'origine, Avis de l'établissement, RIB, Número de expediente, "
    "Familia numerosa, Universidad de origen, Nota de la entrevista, Situación laboral"
)


@pytest.mark.parametrize("header", FORMS.split(", "))
def test_a_header_of_work_that_names_a_person_identifies(header: str) -> None:
    assert column_kind(header) in {ColumnKind.IDENTITY, ColumnKind.PROTECTED}


@pytest.mark.parametrize("header", UNSURE.split(", "))
def test_what_no_list_knows_is_hidden_by_default(header: str) -> None:
    assert not column_kind(header).is_proposed


@pytest.mark.parametrize(
    "header", ["score", "ratings", "decision", "reviewer_note", "Status", "Empfehlung", "Note"]
)
def test_what_others_judged_is_never_proposed(header: str) -> None:
    assert column_kind(header) is ColumnKind.JUDGEMENT


@pytest.mark.parametrize(
    "header",
    ["statement", "Essay 2", "GPA", "Test score", "Motivationsschreiben", "Abiturnote", "Projet"],
)
def test_an_applicants_own_work_is_proposed(header: str) -> None:
    assert column_kind(header).is_proposed


@pytest.mark.parametrize("header", ["Sort order", "Report", "Airport", "X12", "Package", "colour"])
def test_what_is_not_known_is_left_to_staff(header: str) -> None:
    assert column_kind(header) is ColumnKind.UNKNOWN
