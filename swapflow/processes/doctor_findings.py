"""The checks of servers that are to take over from others."""

from swapflow.engine.ports.health_facts import DoctorFinding, Grade, SentinelFacts, StandbyFacts


LEAST_SENTINELS = 3
"""Fewer cannot agree that a server is gone once one of them is gone with it."""


def standbys(facts: StandbyFacts) -> DoctorFinding:
    """Check whether a review that was acknowledged outlives the primary of the database."""
    check = "the database's replicas"
    found = f"{facts.streaming} of {facts.hosts - 1} replicas follow the primary"
    if not facts.waits:
        setting = (
            f"synchronous_commit is {facts.commit}"
            if facts.named.strip()
            else "synchronous_standby_names is empty"
        )
        return DoctorFinding(
            check=check,
            grade=Grade.WARNING,
            says="a review that was received can be lost when a replica takes over: "
            f"{setting}, so no commit waits for one ({found})",
            cure="ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)', synchronous_commit "
            "stays on (deploy/RUNBOOK.md, PostgreSQL: a replica takes over)",
        )
    if not facts.streaming:
        return fault(
            check,
            "no replica follows the primary, and every commit waits for one: nothing is stored",
            "start a replica; until then ALTER SYSTEM RESET synchronous_standby_names and "
            "SELECT pg_reload_conf()",
        )
    return DoctorFinding(
        check=check,
        grade=Grade.GOOD,
        says=f"a review is acknowledged once a replica has it, too ({found})",
    )


def sentinels(facts: SentinelFacts) -> DoctorFinding:
    """Check whether another server of Redis can take over."""
    check = "Redis' sentinels"
    found = f"{facts.answering} of {facts.named} sentinels answer, {facts.replicas} copies follow"
    problem = ""
    if facts.answering * 2 <= facts.named:
        problem = "most sentinels are away, so no copy can take over"
    elif not facts.replicas:
        problem = "no copy follows the server, so nothing can take over"
    elif facts.named < LEAST_SENTINELS:
        problem = "with fewer than three sentinels no copy takes over when one of them is gone"
    if problem:
        return DoctorFinding(
            check=check,
            grade=Grade.WARNING,
            says=f"{problem} ({found})",
            cure="start them, each on a host of its own; nothing is lost meanwhile: all that "
            "Redis holds can be made again",
        )
    return DoctorFinding(check=check, grade=Grade.GOOD, says=found)


def fault(check: str, says: str, cure: str) -> DoctorFinding:
    """Return a finding that keeps something from its work."""
    return DoctorFinding(check=check, grade=Grade.FAULT, says=says, cure=cure)
