"""The whole of a program's rules on one page: as a form, as a text, as a file tried first."""

from swapflow.domain.objective import GroupQuota, GroupTarget
from swapflow.files.rules.rules_file import rules_text
from swapflow.identity.permissions import Role
from tests.web.crawl import Page
from tests.web.forms import send_form
from tests.web.site import Site


HERE = "/setup/fall/rules"


def form_of(site: Site) -> dict[str, str]:
    html = site.signed_in(Role.ADMINISTRATOR).get(HERE).text
    page = Page(f"http://testserver{HERE}", html)
    return next(f.fields for f in page.forms if f.action.endswith("/rules"))


def test_guidance_questions_link_and_confidence_are_set_in_the_form(site: Site) -> None:
    site.launched(launch=False)
    client = site.signed_in(Role.ADMINISTRATOR)
    typed = form_of(site) | {
        "kinds.0.guidance": "Read the essay twice.",
        "kinds.0.questions": "Why here?\n\n  What first?  \n",
        "kinds.0.link": "https://files.example.edu/{external_id}",
        "kinds.0.confidence": "yes",
        "do": "save",
    }

    answer = client.post(HERE, data=typed)

    assert answer.status_code == 303, answer.text
    kind = site.product.cycles.rules("fall").kinds[0]
    assert kind.guidance == "Read the essay twice."
    assert kind.questions == ("Why here?", "What first?")
    assert kind.link == "https://files.example.edu/{external_id}"
    assert kind.confidence is True
    page = client.get(HERE).text
    assert "Why here?\nWhat first?</textarea>" in page


def test_limits_on_groups_and_wishes_are_rows_of_the_form(site: Site) -> None:
    site.launched(launch=False)
    client = site.signed_in(Role.ADMINISTRATOR)
    typed = form_of(site) | {
        "quotas.0.attribute": "site",
        "quotas.0.value": "Leipzig",
        "quotas.0.minimum": "1",
        "quotas.0.maximum_share": "0.5",
        "targets.0.attribute": "area",
        "targets.0.value": "robotics",
        "targets.0.number": "2",
        "targets.0.worth": "0,3",
    }

    wrong = client.post(HERE, data=typed | {"quotas.0.minimum": "900", "do": "save"})
    added = client.post(HERE, data=typed | {"do": "add:quotas"})
    saved = client.post(HERE, data=typed | {"do": "save"})

    assert wrong.status_code == 422
    assert 'id="f-quotas-0-minimum-problem"' in wrong.text
    assert 'name="quotas.1.attribute"' in added.text
    assert saved.status_code == 303, saved.text
    rules = site.product.cycles.rules("fall")
    assert rules.quotas == (
        GroupQuota(attribute="site", value="Leipzig", minimum=1, maximum_share=0.5),
    )
    assert rules.targets == (GroupTarget(attribute="area", value="robotics", number=2, worth=0.3),)
    assert form_of(site)["quotas.0.value"] == "Leipzig"


def test_the_language_of_mails_to_reviewers_is_chosen_among_those_that_are_spoken(
    site: Site,
) -> None:
    site.launched(launch=False)
    client = site.signed_in(Role.ADMINISTRATOR)
    typed = form_of(site)
    assert typed["language"] == ""

    chosen = client.post(HERE, data=typed | {"language": "de", "do": "save"})
    strange = client.post(HERE, data=typed | {"language": "xx", "do": "save"})

    assert chosen.status_code == 303
    assert site.product.cycles.rules("fall").language == "de"
    assert form_of(site)["language"] == "de"
    assert strange.status_code == 422
    assert "mails cannot be written in it here" in strange.text.replace("Mails", "mails")


def test_saving_the_form_as_it_is_changes_nothing(site: Site) -> None:
    site.launched(launch=False)
    before = site.product.cycles.rules("fall")

    answer = site.signed_in(Role.ADMINISTRATOR).post(HERE, data=form_of(site) | {"do": "save"})

    assert answer.status_code == 303
    assert site.product.cycles.rules("fall") == before


def test_a_file_is_tried_first_and_changes_nothing_until_it_is_put_in_force(site: Site) -> None:
    site.launched(launch=False)
    client = site.signed_in(Role.ADMINISTRATOR)
    old = site.product.cycles.rules("fall")
    text = rules_text(old).replace("budget = 60", "budget = 75")
    file = {"file": ("rules.toml", text.encode(), "application/toml")}

    tried = client.post(f"{HERE}/file", data={"do": "try"}, files=file)

    assert tried.status_code == 200
    assert "-budget = 60\n+budget = 75" in tried.text
    assert site.product.cycles.rules("fall") == old
    done = send_form(client, HERE, f"{HERE}/file", {"do": "save", "text": text})
    assert done.status_code == 303
    assert site.product.cycles.rules("fall").budget == 75


def test_a_text_with_a_mistake_comes_back_as_it_was_typed(site: Site) -> None:
    site.launched(launch=False)
    old = site.product.cycles.rules("fall")
    text = rules_text(old).replace("budget = 60", 'budget = "many"')

    for button in ("try", "save"):
        page = site.signed_in(Role.ADMINISTRATOR).post(
            f"{HERE}/file", data={"do": button, "text": text}
        )
        assert page.status_code == 422
        assert "budget = &#34;many&#34;" in page.text
        assert 'id="f-file-problem"' in page.text
    assert site.product.cycles.rules("fall") == old


def test_what_cannot_change_after_the_launch_is_said_when_it_is_tried(site: Site) -> None:
    site.launched()
    rules = site.product.cycles.rules("fall")
    text = rules_text(rules).replace(f"seed = {rules.seed}", f"seed = {rules.seed + 1}")
    client = site.signed_in(Role.ADMINISTRATOR)

    page = client.post(f"{HERE}/file", data={"do": "try", "text": text})

    assert page.status_code == 422
    assert "seed cannot change after launch" in page.text


def test_a_change_after_the_launch_without_a_reason_keeps_the_text(site: Site) -> None:
    site.launched()
    text = rules_text(site.product.cycles.rules("fall")).replace("budget = 60", "budget = 90")
    client = site.signed_in(Role.ADMINISTRATOR)

    page = client.post(f"{HERE}/file", data={"do": "save", "text": text})

    assert page.status_code == 422
    assert 'id="f-file-reason-problem"' in page.text
    assert "budget = 90" in page.text
    assert site.product.cycles.rules("fall").budget == 60
