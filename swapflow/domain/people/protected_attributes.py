"""Attributes that need a recorded legal basis to decide: protected traits and proxies.

The list errs on the safe side. A column that it lists by mistake is still imported, as a
monitoring attribute; `select:NAME` and a legal basis in the rules override that.
"""

import re
import unicodedata


PROTECTED: dict[str, tuple[str, ...]] = {
    "sex": ("sex", "gender", "gender identity", "sexe", "geschlecht", "pronoun", "pronouns"),
    "sexual orientation": ("sexual orientation", "lgbt", "lgbtq", "lgbtqia"),
    "race or ethnicity": (
        "race",
        "ethnicity",
        "ethnic group",
        "ethnic origin",
        "ethnic",
        "racial",
        "skin colour",
        "skin color",
        "hispanic",
        "latino",
        "tribe",
        "caste",
        "urm",
        "underrepresented minority",
        "minority",
        "indigenous",
    ),
    "age": (
        "age",
        "age band",
        "age group",
        "birth date",
        "birthdate",
        "birthday",
        "birth year",
        "year of birth",
        "date of birth",
        "dob",
        "alter",
        "geburtsdatum",
    ),
    "nationality or origin": (
        "nationality",
        "national origin",
        "citizenship",
        "citizen",
        "country of birth",
        "birth country",
        "place of birth",
        "birthplace",
        "birth place",
        "country of origin",
        "immigration",
        "immigration status",
        "visa",
        "visa status",
        "staatsangehörigkeit",
        "nationalität",
    ),
    "language": ("first language", "native language", "mother tongue", "home language"),
    "disability or health": (
        "disability",
        "disabled",
        "disabilities",
        "handicap",
        "health condition",
        "medical condition",
        "neurodivergent",
    ),
    "religion or belief": ("religion", "religious", "faith", "belief", "creed"),
    "politics and unions": ("political party", "political opinion", "union membership"),
    "family": (
        "marital status",
        "marital",
        "married",
        "civil status",
        "family status",
        "pregnant",
        "pregnancy",
        "children",
        "parental status",
        "caring responsibilities",
    ),
    "genes and body": ("genetic information", "height", "weight", "photo", "photograph"),
    "veteran status": ("veteran", "veteran status", "military status"),
    "place of living (proxy)": (
        "postcode",
        "post code",
        "postal code",
        "zip",
        "zip code",
        "zipcode",
        "plz",
        "neighbourhood",
        "neighborhood",
    ),
    "means (proxy)": (
        "income",
        "household income",
        "family income",
        "free school meals",
        "pell",
        "first generation",
        "socioeconomic status",
        "ses",
    ),
}
"""Spellings by trait, in lower case with single spaces."""

_TRAIT = {spelling: trait for trait, spellings in PROTECTED.items() for spelling in spellings}
_LONGEST = max(len(spelling.split()) for spelling in _TRAIT)
_CAMEL = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])")
_WORD = re.compile(r"\w+")


def protected_trait(name: str) -> str:
    """Return the protected trait or proxy that a column's name refers to; "" for none.

    The name matches when any run of whole words in it is on the list, in any spelling:
    "Applicant's gender (self-declared)", "BirthDate", "date_of_birth". Parts of words do not
    count: "Language skills" and "Package" are free.
    """
    spaced = _CAMEL.sub(" ", unicodedata.normalize("NFC", name)).replace("_", " ")
    words = [word.casefold() for word in _WORD.findall(spaced)]
    # Longest runs first: a whole phrase decides before one word of it does.
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            trait = _TRAIT.get(" ".join(words[start : start + length]))
            if trait:
                return trait
    return ""


def is_protected(name: str) -> bool:
    """Whether a column's name refers to a protected trait or a proxy for one."""
    return bool(protected_trait(name))
