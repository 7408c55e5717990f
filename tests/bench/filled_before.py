"""The database of `post_bench` for the earlier commit, filled with that commit's own code.

An earlier tree cannot read all that a later one writes, such as a rule that came since. So each
tree fills a file of its own, with the same people, requests and texts. Run with the earlier tree
first on the path as `python filled_before.py FOLDER SIZES`. Its names are looked up by text, since
the present tree has others.
"""

import json
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any


def fill(folder: Path, sizes: dict[str, Any]) -> list[list[str]]:
    """Fill `swapflow.db` in a folder with opened tasks.

    Args:
        folder: Where the file is made.
        sizes: How many `people`, how many tasks each (`packet`), the `cycle` and the `statement`.

    Returns:
        For each person the cookie, then the codes of the tasks.
    """
    people, tasks = sizes["people"], sizes["people"] * sizes["packet"]
    cycle_id, address = sizes["cycle"], "http://testserver"
    site_module: Any = import_module("tests.web.site")
    world: Any = import_module("tests.engine.world")
    assignment: Any = import_module("swapflow.domain.assignment")
    planned: Any = import_module("swapflow.engine.decide").PlannedPull
    database = folder / "swapflow.db"
    import_module("swapflow.ledger.upgrade").upgrade(f"sqlite:///{database}")
    settings = import_module("swapflow.settings").load_settings(
        data_dir=folder, public_url=address
    )
    site = site_module.Site(database, settings=settings)
    rules = replace(site_module.SITE_RULES, budget=2 * tasks, packet=sizes["packet"], batch=1)
    site.product.new_round("round", name="Fall 2027")
    site.product.new_cycle(cycle_id, round_id="round", rules=rules, by="load", name="MS load")
    site.product.import_applications(
        cycle_id,
        [
            world.applicant(
                f"A{n:05d}", name=f"Applicant {n}", fields={"statement": sizes["statement"]}
            )
            for n in range(tasks)
        ],
    )
    site.product.import_reviewers(cycle_id, [site_module.named(n) for n in range(people)])
    site.product.launch(cycle_id, by="load")
    with site.ledger.write(cycle_id) as tx:
        wanted = [
            planned(key=(n, 0, 1), priority=0, reviewers=(n % people,)) for n in range(tasks)
        ]
        import_module("swapflow.engine.dispatch").open_pulls(
            tx, wanted, rules, why=assignment.PullWhy.RULE, decision=0
        )
        now = tx.now
    with site.ledger._database.writing() as connection:
        table: Any = import_module("swapflow.ledger.tables").ASSIGNMENT
        opened = {
            "status": assignment.AssignmentStatus.OPENED.value,
            "opened_at": now,
            "rubric_version": 1,
        }
        connection.execute(table.update().values(**opened))
    cycle = site.product.cycle(cycle_id)
    found = [[_cookie(site, f"r{n}@example.org")] for n in range(people)]
    for one in site.ledger.assignments(cycle_id):
        found[one.reviewer].append(cycle.task_code(one.id))
    site.ledger.dispose()
    return found


def _cookie(site: Any, email: str) -> str:  # noqa: ANN401 - a class of the earlier tree
    methods: Any = import_module("swapflow.office.accounts").Method
    name = import_module("swapflow.web.access").cookie_name(secure=False)
    secret, _ = site.office.start_session(site.account(email), method=methods.LINK, agent="load")
    return f"{name}={secret}"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    filled = fill(folder, json.loads(sys.argv[2]))
    (folder / "filled.json").write_text(json.dumps(filled), encoding="utf-8")
