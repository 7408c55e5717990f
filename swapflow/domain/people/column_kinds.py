"""What a column of an applicant's data is, by its header: identifying, a judgement, or work.

Only what is known to be work of the applicant is proposed to reviewers of a blind program; what
identifies a person or holds an earlier judgement never is, and what is not known is asked about.
"""

from enum import StrEnum

from swapflow.domain.people.header_words import Vocabulary, split_spellings
from swapflow.domain.people.protected_attributes import protected_trait


class ColumnKind(StrEnum):
    """What a column is to a reviewer of a blind program."""

    IDENTITY = "identity"
    PROTECTED = "protected"
    JUDGEMENT = "judgement"
    WORK = "work"
    UNKNOWN = "unknown"

    @property
    def is_proposed(self) -> bool:
        """Whether it is proposed to be shown."""
        return self is ColumnKind.WORK


IDENTITY = Vocabulary(
    {
        "name": split_spellings(
            """
            name; names; first name; last name; middle name; given name; family name; full name;
            preferred name; legal name; former name; maiden name; surname; forename; nickname;
            initials; signature; salutation; honorific; mr ms; form of address; pronunciation;
            parent; parents; guardian; spouse; emergency contact; next of kin; referee name;
            supervisor name; *vorname*; *nachname*; *familienname*; *geburtsname*; *rufname*;
            *namen; *name; anrede; titel; unterschrift; kürzel; eltern; erziehungsberechtigte*;
            ansprechpartner*; notfallkontakt*; nom; prénom; prénoms; nom de famille; nom de
            naissance; nom d usage; civilité; titre de civilité; signature; parents; tuteur;
            contact d urgence; nombre; nombres; apellido; apellidos; nombre de pila;
            tratamiento; firma; padres; tutor legal; contacto de emergencia; nome; cognome;
            pseudo; représentant légal; personne à prévenir; *vertreter; kontoinhaber*
            """
        ),
        # Who leads or supervises the work names the applicant to readers of the field.
        "supervisor": split_spellings(
            """
            supervisor; advisor; adviser; principal investigator; led by; supervised by;
            *leiter; *leiterin; *leitung; *betreuer*; directeur; directrice; encadrant;
            encadrante; dirigé par; director; directora; tutor; tutora; dirigido por
            """
        ),
        # A life told whole has name, address and schools in it, and no mask finds them all.
        "life": split_spellings(
            """
            cv; c v; curriculum; curriculum vitae; vita; resume; biography; bio; lebenslauf*;
            *werdegang*; biographie; currículum; curriculum vítae; currículum vítae; biografía
            """
        ),
        "phone": split_spellings(
            """
            phone; phones; telephone; tel; mobile; cell; cellphone; fax; whatsapp; signal;
            *telefon*; *handy*; *mobil*; *rufnummer*; festnetz*; téléphone; portable; gsm;
            teléfono; telefono; móvil; celular; contact; contacts; contact
            details; kontakt*; *kontaktdaten; coordonnées; contacto; datos de contacto
            """
        ),
        "mail": split_spellings(
            """
            mail; mails; email; emails; e mail; e mails; *mail; *mailadresse*; *email*;
            courriel; adresse électronique; courrier électronique; mél; correo; correo electrónico
            """
        ),
        "address": split_spellings(
            """
            address; addresses; street; road; city of residence; town; home; residence;
            residency; country of residence; place of residence; county; *adresse*; *anschrift*;
            *strasse*; *straße*; hausnummer*; wohnort*; *wohnsitz*; heimatort*; city; heimat*;
            adresse; rue; ville; domicile; résidence; commune; code postal; pays de résidence;
            dirección; domicilio; calle; ciudad; residencia; código postal; municipio;
            provincia; país de residencia; country; state; zip; zip code; postcode; land;
            *bundesland; ort; plz; postleitzahl; adresszusatz; *ort der; pays;
            département; région; país; localidad; comunidad autónoma; c p
            """
        ),
        "online": split_spellings(
            """
            social media; linkedin; github; gitlab; twitter; x handle; mastodon; bluesky;
            facebook; instagram; tiktok; youtube; orcid; google scholar; researchgate; skype;
            telegram; discord; handle; username; user name; login; profile; website; web site;
            homepage; home page; blog; url; link; links; portfolio link; *profil*; *webseite*;
            *website*; *homepage*; benutzername*; nutzername*; internetseite*; site web; site
            internet; page web; profil; identifiant; réseaux sociaux; página web; sitio web;
            perfil; usuario; redes sociales
            """
        ),
        "picture": split_spellings(
            """
            photo; photos; photograph; picture; portrait; headshot; avatar; video; *foto*;
            *bild; *lichtbild*; passbild*; photographie; foto; fotografía
            """
        ),
        "number": split_spellings(
            """
            passport; id number; identity card; id card; national id; student number; student
            id; matriculation number; registration number; social security; social security
            number; ssn; tax id; national insurance; iban; account; bank account; driving
            licence; driver license; *ausweis*; *passnummer*; matrikel*; *sozialversicherung*;
            steuer*; iban; kontonummer*; bankverbindung*; bewerbernummer*; personalnummer*;
            numéro d étudiant; numéro étudiant; ine; passeport; carte d identité; numéro de
            sécurité sociale; pasaporte; dni; nie; nif; matrícula; número de estudiante;
            documento de identidad; seguridad social
            """
        ),
        "employer": split_spellings(
            """
            employer; current employer; company; firm; arbeitgeber*; firma*; employeur;
            entreprise; empleador; empresa
            """
        ),
    }
)
"""Columns that identify a person."""

JUDGEMENT = Vocabulary(
    {
        "score": split_spellings(
            """
            score; scores; rating; ratings; rank; ranking; points awarded; overall; mark given;
            bewertung*; *punktzahl*; rang; rangplatz*; évaluation; classement; puntuación;
            valoración; evaluación; clasificación
            """
        ),
        "decision": split_spellings(
            """
            decision; status; outcome; result; recommendation; shortlist; shortlisted; admitted;
            accepted; rejected; waitlist; waitlisted; offer; interview; stage; *entscheidung*;
            *empfehlung*; zusage*; absage*; ergebnis*; décision; résultat; recommandation;
            statut; decisión; resultado; recomendación; estado
            """
        ),
        "note": split_spellings(
            """
            reviewer; reviewers; reviewer note; reviewer notes; reviewer comment; committee
            note; internal note; internal notes; staff note; staff notes; note; notes; comment;
            comments; remark; remarks; interviewer; assessor; evaluator; jury; panel; dean;
            gutachter*; *gutachten*; *bemerkung*; *anmerkung*; *kommentar*; *notiz*; évaluateur;
            commentaire; commentaires; remarque; remarques; note interne; evaluador; comentario;
            comentarios; observaciones; nota interna; reference letter; recommender; referee
            """
        ),
    }
)
"""Columns that hold what others thought of a person, this year or before."""

WORK = Vocabulary(
    {
        "text": split_spellings(
            """
            statement; personal statement; essay; essays; abstract; summary; motivation; cover
            letter; letter of motivation; research statement; research proposal; proposal;
            project; project description; description; answer; answers; question; experience;
            work sample; writing sample; goals; plans; interests; research
            interests; skills; achievements; publications; text; keywords; topic; topics;
            subject; theme; track; *motivation*; *schreiben; *zusammenfassung*;
            *projekt*; *beschreibung*; *vorhaben*; *erfahrung*; *kenntnisse*; *thema*; *exposé*;
            lettre de motivation; résumé; projet; projet de recherche; expérience; compétences;
            publications; sujet; thème; objectifs; carta de motivación; ensayo; resumen;
            proyecto; experiencia; habilidades; publicaciones; tema; objetivos
            """
        ),
        "record": split_spellings(
            """
            gpa; grade; grades; grade average; final grade; degree; degrees; major; minor;
            field; field of study; discipline; programme; program; course; courses; credits;
            semester; transcript; gre; gmat; toefl; ielts; test score; test scores; language
            skills; availability; hours; start date; *abschluss*; *studiengang*; *studienfach*;
            *fachrichtung*; *durchschnitt*; *abschlussnote*; abiturnote*; *schulnote*; project
            title; paper title; *semester*; *sprachkenntnisse*; *verfügbar*; diplôme; moyenne;
            notes obtenues; filière; discipline; formation; niveau; disponibilité; título
            académico; titulación; carrera; promedio; nota media; especialidad; formación;
            disponibilidad; nivel
            """
        ),
    }
)
"""Columns that hold an applicant's own work and record."""


def column_kind(header: str) -> ColumnKind:
    """Return what a column is: by its longest known run of words, the more careful of equals."""
    if protected_trait(header):
        return ColumnKind.PROTECTED
    found = (
        (*IDENTITY.match(header), ColumnKind.IDENTITY),
        (*JUDGEMENT.match(header), ColumnKind.JUDGEMENT),
        (*WORK.match(header), ColumnKind.WORK),
    )
    # `max` takes the first of equals.
    length, _, kind = max(found, key=lambda one: one[0])
    return kind if length else ColumnKind.UNKNOWN
