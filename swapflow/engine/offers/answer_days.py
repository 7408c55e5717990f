"""Days by which graduate schools have agreed to let applicants answer."""

from datetime import datetime
from zoneinfo import ZoneInfo


APRIL, DAY, SEASON_BEGINS = 4, 15, 9


def is_before_april_15(until: datetime, zone: str) -> bool:
    """Whether an offer must be answered before the 15 April of its season.

    A season begins in September: a day from May to August is one of its late offers.

    Source:
        Council of Graduate Schools, Resolution Regarding Graduate Scholars, Fellows, Trainees and
        Assistants: nobody has to answer an offer of financial support before 15 April.
    """
    local = until.astimezone(ZoneInfo(zone))
    return local.month >= SEASON_BEGINS or (local.month, local.day) < (APRIL, DAY)
