"""What names an applicant is masked in a text, however it is spelled."""

import pytest

from swapflow.domain.people.identity_mask import HIDDEN, mask_identity


@pytest.mark.parametrize(
    ("name", "text", "masked"),
    [
        ("Zoë Weiß", "I, Zoe Weiss, and Zoë Weiß.", f"I, {HIDDEN}, and {HIDDEN}."),
        ("Zoë Weiß", "WEISS, ZOË; zoeweiss; ZOE_WEISS.pdf", f"{HIDDEN}; {HIDDEN}; {HIDDEN}.pdf"),
        ("Zoë Weiß", "Zoe\u0308s work", f"{HIDDEN} work"),
        ("Jürgen Müller", "Juergen Mueller, Jurgen Muller", HIDDEN),
        ("Juergen Mueller", "Jürgen Müller", HIDDEN),
        ("Søren Łukasz", "Soren and Lukasz", f"{HIDDEN} and {HIDDEN}"),
        ("Anne-Marie O’Brien", "Marie, O'Brien's", HIDDEN),
        ("Jan van der Berg", "van der Berg und der Mann", f"{HIDDEN} und der Mann"),
        ("Li Wu", "Wu Li knows Li-ion cells", f"{HIDDEN} knows Li-ion cells"),
        ("王芳", "我是王芳。", f"我是{HIDDEN}。"),
        ("Zoë Weiß", "Zoology and whiteness", "Zoology and whiteness"),
        ("", "Nobody", "Nobody"),
    ],
)
def test_a_name_is_masked_in_every_spelling(name: str, text: str, masked: str) -> None:
    assert mask_identity(text, name=name) == masked


@pytest.mark.parametrize(
    "trace",
    [
        "https://x.example.org/cv",
        "www.example.org",
        "linkedin.com/in/zw-1",
        "github.com/zw",
        "zw.github.io",
        "zw.de",
        "zw@example.org",
        "@zw_1",
        "@zw@social.example",
        "+49 170 1234567",
        "0049170/1234567",
    ],
)
def test_links_addresses_handles_and_numbers_are_masked_without_a_scheme_too(trace: str) -> None:
    assert mask_identity(f"see {trace} for more", name="X Y") == f"see {HIDDEN} for more"


@pytest.mark.parametrize(
    "text",
    [
        "e.g. Node.js, i.e. this one",
        "a sentence.Another one",
        "and/or 3/4 of 1.5 to 2.5",
        "10 000 000 people in 2027",
    ],
)
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert mask_identity(text, name="Zoë Weiß") == text


def test_the_id_and_the_own_handle_are_masked_where_they_can_be_no_words() -> None:
    text = "K20271 or zw1999, an essay on physics"

    assert mask_identity(text, name="", email="zw1999@x.org", external_id="K20271") == (
        f"{HIDDEN} or {HIDDEN}, an essay on physics"
    )
    assert mask_identity("on physics", name="", external_id="physics") == "on physics"
