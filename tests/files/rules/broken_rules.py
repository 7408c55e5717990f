"""Rules files with one fault each, and what is said of it."""

TOP = "budget = 1000\n"
REST = """
[[places]]
name = "all"
number = 2
[[kinds]]
name = "review"
cost = 10
maximum = 3
"""
GOOD = TOP + REST
AFTER = """[[kinds]]
name = "visit"
cost = 30
maximum = 1
requires = "review"
requires_count = {}
"""
ADVANCED = GOOD + "[advanced]\n"
FLOOR = GOOD + '[[floors]]\nkind = "review"\ncount = 2\n'
RUBRIC = GOOD + '[[rubrics]]\nkind = "review"\n[[rubrics.criteria]]\nname = "Depth"\n'
DIVERSE = GOOD + '[objective]\nname = "diverse"\n'

_NO_SPANS = (
    "Christmas",
    "2026-02-30",
    "2027-01-01 to 2026-12-24",
    "2026-01-01 to 2028-01-01",
)


PROBLEMS: list[tuple[str, str]] = [
    (REST, "budget: it is missing. Add a whole number, e.g. 20"),
    (GOOD.replace("1000", "0"), "budget = 0: it must be at least 1. Write 1 or more"),
    (
        GOOD.replace("1000", '"1000"'),
        'budget = "1000": it should be a whole number, e.g. 20. Remove the quotes',
    ),
    (
        GOOD.replace("1000", "10.5"),
        "budget = 10.5: it should be a whole number, e.g. 20. Round it to a whole number",
    ),
    (
        GOOD.replace("1000", "true"),
        "budget = true: it should be a whole number, e.g. 20. Write it that way",
    ),
    (
        GOOD.replace("1000", "9"),
        (
            "budget = 9: the cheapest review costs 10, so not one review can be paid. Raise the "
            "budget to 10 or more, in the same unit as the costs"
        ),
    ),
    (
        FLOOR.replace("1000", "39"),
        (
            "budget = 39: the floors alone cost 40 even if there were only as many "
            "applicants as "
            "places (2). Raise the budget, or lower counts under [[floors]] or costs under "
            "[[kinds]]"
        ),
    ),
    (
        "reserve = 1.0\n" + GOOD,
        (
            "reserve = 1: the reserve is a share of the budget, from 0 up to but not 1. Write "
            "0.05 for 5 percent"
        ),
    ),
    ("packet = 0\n" + GOOD, "packet = 0: it must be at least 1. Write 1 or more"),
    (
        "session_days = 0\n" + GOOD,
        (
            "session_days = 0: a device stays signed in for an hour to 90 days. "
            "Write 30, or 0.5 for twelve hours"
        ),
    ),
    (
        'sign_in = "password"\n' + GOOD,
        'sign_in = "password": it is one of "any" or "provider". Choose one of them',
    ),
    ("signatures = 0\n" + GOOD, "signatures = 0: it must be at least 1. Write 1 or more"),
    (
        'rule = "best"\n' + GOOD,
        'rule = "best": it is one of "budget", "certified" or "paper". Choose one of them',
    ),
    (
        'zone = "Mars/North"\n' + GOOD,
        (
            'zone = "Mars/North": this time zone is not known. Write one like '
            '"Europe/Berlin", '
            '"America/New_York", "UTC" or "AoE" (anywhere on Earth)'
        ),
    ),
    (
        'language = "klingon"\n' + GOOD,
        (
            'language = "klingon": mails cannot be written in it here. Write one of '
            '"en", "de", or remove the line'
        ),
    ),
    (
        "blidn = true\n" + GOOD,
        "blidn = true: this setting is not known here. Did you mean blind? Otherwise remove it",
    ),
    (
        "delta = 0.1\n" + GOOD,
        "delta = 0.1: this setting is not known here. Move it to advanced",
    ),
    (
        ADVANCED + "budget = 5\n",
        (
            "advanced, budget = 5: this setting is not known here. Move it to the top of the "
            "file, "
            "above every [table]"
        ),
    ),
    (
        GOOD + "colour = 5\n",
        (
            'kinds 1 ("review"), colour = 5: this setting is not known here. Remove it; the '
            "settings here are name, cost, gain, requires, requires_count, maximum, total, "
            "seats, quorum, approval, window_days, guidance, questions, link, confidence"
        ),
    ),
    (
        "deadline = 2026-01-01\napplications_close = 2026-01-02\n" + GOOD,
        (
            "applications_close = 2026-01-02T23:59:59+00:00: applications close after the "
            "deadline (2026-01-01T23:59:59+00:00). Move one of the two"
        ),
    ),
    (
        'deadline = "soon"\n' + GOOD,
        (
            'deadline = "soon": it should be a date or a time without quotes, e.g. '
            "2026-01-31 or "
            "2026-01-31T18:00:00. Write it that way"
        ),
    ),
    (
        'zone = "Europe/Berlin"\ndeadline = 2026-03-29T02:30:00\n' + GOOD,
        (
            "deadline = 2026-03-29 02:30:00: the clocks in Europe/Berlin skip this hour. "
            "Write "
            "another hour"
        ),
    ),
    (
        GOOD.replace("number = 2", "number = 0"),
        (
            'places 1 ("all"), number = 0: a line needs at least one place. Write 1 or more, '
            "or "
            "remove the line"
        ),
    ),
    (
        TOP + REST[REST.index("[[kinds]]") :],
        "places: it is missing. Add a table [[places]] for each line of places",
    ),
    (
        "places = []\n" + TOP + REST[REST.index("[[kinds]]") :],
        (
            "places: there is no place to fill. Add a table [[places]] with a name and a "
            "number, "
            'e.g. name = "all", number = 20'
        ),
    ),
    (
        "kinds = []\n" + TOP + REST[: REST.index("[[kinds]]")],
        (
            "kinds: there is no way to gather scores. Add a table [[kinds]], e.g. name = "
            '"review", cost = 20, maximum = 4'
        ),
    ),
    (
        GOOD + '[[places]]\nname = "all"\nnumber = 1\n',
        'places = "all": the same name is there 2 times. Rename or remove the others',
    ),
    (
        GOOD.replace('"review"', '"Big Review"'),
        (
            'kinds 1 ("Big Review"), name = "Big Review": the name of a review or '
            "interview is made of small "
            "letters, digits, - and _, begins with a letter and has at most 24 characters. "
            "Write "
            'a name such as "review" or "interview"'
        ),
    ),
    (
        GOOD.replace("cost = 10", "cost = -5"),
        'kinds 1 ("review"), cost = -5: it must be at least 1. Write 1 or more',
    ),
    (
        GOOD + "gain = 0\n",
        (
            'kinds 1 ("review"), gain = 0: the gain says how many reviews one of these is '
            "worth, "
            "so it is above 0. Write 1 for the first one, and e.g. 6 for an interview that "
            "tells "
            "as much as six reviews"
        ),
    ),
    (
        GOOD + "gain = inf\n",
        ('kinds 1 ("review"), gain = Infinity: it is no finite number. Write an ordinary number'),
    ),
    (
        GOOD + "quorum = 2\n",
        (
            'kinds 1 ("review"), quorum = 2: a quorum of 2 cannot be met with 1 reviewer. Write a '
            "number from 1 to 1, or raise `seats`"
        ),
    ),
    (
        GOOD + "total = 0\n",
        'kinds 1 ("review"), total = 0: it must be at least 1. Write 1 or more',
    ),
    (
        GOOD + "window_days = -1\n",
        (
            'kinds 1 ("review"), window_days = -1: no reviewer can answer before being asked. '
            "Write "
            "the days a reviewer has, or 0 for no due date"
        ),
    ),
    (
        GOOD + 'requires = "exam"\n',
        (
            'kinds 1 ("review"), requires = "exam": there is no review of that name; there '
            'are "review". Name one of them, or add it under [[kinds]]'
        ),
    ),
    (
        GOOD + 'requires = "review"\n',
        (
            'kinds 1 ("review"), requires = "review": these reviews wait for each other, so '
            "none "
            "can ever begin: review → review. Remove one `requires` in that circle"
        ),
    ),
    (
        GOOD + "requires_count = 2\n",
        (
            'kinds 1 ("review"), requires_count = 2: it counts the review that must come '
            "first, and none is named. Name that review under `requires`, or remove "
            "`requires_count`"
        ),
    ),
    (
        GOOD + AFTER.format(4),
        (
            'kinds 2 ("visit"), requires_count = 4: an applicant gets 3 review at most, so '
            "no visit could ever begin. Lower it to 3, or raise the maximum of review"
        ),
    ),
    (
        GOOD + AFTER.format(0),
        'kinds 2 ("visit"), requires_count = 0: it must be at least 1. Write 1 or more',
    ),
    (
        FLOOR.replace('kind = "review"', 'kind = "reveiw"'),
        (
            'floors 1, kind = "reveiw": there is no review of that name; there are '
            '"review". '
            "Name one of them, or add it under [[kinds]]"
        ),
    ),
    (
        FLOOR.replace("count = 2", "count = 4"),
        (
            'floors 1 ("review"), count = 4: review is allowed at most 3 times per applicant '
            "(its "
            "maximum). Lower the count, or raise the maximum of review"
        ),
    ),
    (
        FLOOR.replace("count = 2", "count = 0"),
        'floors 1 ("review"), count = 0: it must be at least 1. Write 1 or more',
    ),
    (
        FLOOR + '[[floors]]\nkind = "review"\ncount = 1\n',
        (
            'floors = "review for all": the same pair of kind and for is there 2 times. '
            "Rename or remove the others"
        ),
    ),
    (
        RUBRIC,
        (
            'rubrics 1 ("review"), criteria 1 ("Depth"), marks: it is missing. Add a list '
            "such "
            'as [{ mark = 1, means = "weak" }, { mark = 5, means = "strong" }]'
        ),
    ),
    (
        RUBRIC + "marks = [{ mark = 1 }]\n",
        (
            'rubrics 1 ("review"), criteria 1 ("Depth"), marks = 1: a scale needs at least '
            "two "
            'marks. Write e.g. [{ mark = 1, means = "weak" }, { mark = 5, means = "strong" }]'
        ),
    ),
    (
        RUBRIC + "marks = [{ mark = 2 }, { mark = 1 }]\n",
        (
            'rubrics 1 ("review"), criteria 1 ("Depth"), marks = 2, 1: the marks go from the '
            "lowest to the highest, each one once. Put them in order and remove repeated ones"
        ),
    ),
    (
        RUBRIC + "weight = 0\nmarks = [{ mark = 1 }, { mark = 2 }]\n",
        (
            'rubrics 1 ("review"), criteria 1 ("Depth"), weight = 0: a weight is above 0. '
            "Write 1 "
            "for an ordinary criterion, or remove the criterion"
        ),
    ),
    (
        DIVERSE,
        (
            'objective, attribute = "": the objective "diverse" spreads places over the '
            "groups of "
            'an attribute. Name the column, e.g. attribute = "research area", or write name = '
            '"top-k"'
        ),
    ),
    (
        DIVERSE + 'attribute = "Gender"\n',
        (
            'objective, attribute = "Gender": it is on the list of protected traits and their '
            "proxies (sex), and no legal basis is recorded. Choose another attribute; or have "
            "counsel write the legal basis, approver, date and place into legal_basis"
        ),
    ),
    (
        DIVERSE + 'attribute = "area"\n[advanced]\ncertificate = "pairwise"\n',
        (
            'advanced, certificate = "pairwise": "pairwise" compares single applicants: for '
            '"top-k" only. Write certificate = "mixture", or objective name = "top-k"'
        ),
    ),
    (
        'confidential = ["reference", " "]\n' + GOOD,
        (
            'confidential = " ": a blank is in the name of every document and field. '
            "Write a word of the names that are meant, such as reference"
        ),
    ),
    (
        'holidays = "DE-XX"\n' + GOOD,
        (
            'holidays = "DE-XX": no public holidays are known for it. Write DE alone, or with its '
            "region: DE-BB, DE-BE, DE-BW, DE-BY, DE-HB, DE-HE, DE-HH, DE-MV, DE-NI, DE-NW, DE-RP, "
            "DE-SH, DE-SL, DE-SN, DE-ST, DE-TH, DE-Augsburg"
        ),
    ),
    (
        'holidays = "Germany"\n' + GOOD,
        (
            'holidays = "GERMANY": no public holidays are known for it. Write a country or a '
            "country and its region, such as DE-BW, US-CA or IE"
        ),
    ),
    *(
        (
            f'closed = ["2026-12-24", "{days}"]\n' + GOOD,
            (
                f'closed = "{days}": this is no day and no span of at most 366 days. '
                "Write 2026-12-24, or 2026-12-24 to 2027-01-01"
            ),
        )
        for days in _NO_SPANS
    ),
    (
        GOOD + '[automatic]\npurpose = " "\napprover = "A"\ndate = 2026-01-01\n',
        (
            'automatic, purpose = "": programs may score applicants only with purpose, '
            "approver "
            "and date on record. Fill in purpose, or remove the table [automatic]"
        ),
    ),
    (
        GOOD + '[automatic]\npurpose = "x"\napprover = "A"\ndate = "May"\n',
        'automatic, date = "May": this is no date. Write year-month-day, e.g. 2026-01-31',
    ),
    (
        ADVANCED + "delta = 1\n",
        (
            "advanced, delta = 1: delta is the probability with which the promise may fail, "
            "so it "
            "lies between 0 and 1 and is neither. Write 0.05 for one in twenty"
        ),
    ),
    (
        ADVANCED + "delta = 0\n",
        (
            "advanced, delta = 0: delta is the probability with which the promise may fail, "
            "so it "
            "lies between 0 and 1 and is neither. Write 0.05 for one in twenty"
        ),
    ),
    (
        ADVANCED + "epsilon = -0.1\n",
        (
            "advanced, epsilon = -0.1: epsilon is what one accepts to miss, so it is 0 or more. "
            "Write "
            "0, or e.g. 0.1 (a tenth of one applicant's full score)"
        ),
    ),
    (
        ADVANCED + "sigma = 0\n",
        (
            "advanced, sigma = 0: sigma says how far marks lie from an applicant's true "
            "score, so "
            "it is above 0. Write e.g. 0.16 (on a scale of 0 to 1), or remove the line where "
            "rule "
            'is "budget"'
        ),
    ),
    (
        'rule = "certified"\n' + GOOD,
        (
            'advanced, sigma: the rule "certified" needs the spread of marks, sigma. Write '
            "last "
            "year's spread, or 0.16 where none is known (a scale of 0 to 1)"
        ),
    ),
    (ADVANCED + "rho = 0\n", "advanced, rho = 0: rho is above 0. Write 3, the usual value"),
    (
        ADVANCED + "kind_overlap = 0.25\n",
        (
            "advanced, kind_overlap = 0.25: the share near the cut who get another review "
            "by chance is from 0 to 0.2. Write 0.1 for one in ten, or 0 for none"
        ),
    ),
    (
        ADVANCED + "settled = 1\n",
        (
            "advanced, settled = 1: `settled` is a share of the list's value, from 0 up "
            "to but not 1. Write 0.0005, the usual value"
        ),
    ),
    (
        ADVANCED + "max_applicants = 2\n",
        (
            "advanced, max_applicants = 2: there are 2 places, so with no more applicants "
            "than "
            "that there is nothing to choose. Write the most applicants that can come, or "
            "remove "
            "the line"
        ),
    ),
    (
        ADVANCED + 'dispatch = "lockstep"\nout = 3\n',
        (
            'advanced, out = 3: out belongs to dispatch = "rolling"; in "lockstep" the size '
            "is "
            'batch. Remove out, or write dispatch = "rolling"'
        ),
    ),
    (
        ADVANCED + "batch = 0\n",
        "advanced, batch = 0: it must be at least 1. Write 1 or more",
    ),
    (
        ADVANCED + "seed = -1\n",
        "advanced, seed = -1: it must be at least 0. Write 0 or more",
    ),
]
"""A file, and the one problem that is found in it."""
