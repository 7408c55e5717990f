"""swapflow chooses who reviews what in a pretalx event, while people go on reviewing there.

Submissions and reviewers of the event become a program of swapflow. Its requests become assigned
reviewers in pretalx, and reviews written there become scores, once each: an edited one corrects
its score, a deleted one voids it. Texts stay in pretalx; only the marks come over.

It may be killed and started again at any moment: each look reads both systems and does what is
missing between them. It keeps one file: whom it assigned itself, so that those assigned by hand
stay. `docs/beside-pretalx.md` tells how to run it.
"""

import argparse
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import defaultdict
from http.client import HTTPException
from pathlib import Path


DELETED, GONE = "deleted in pretalx", {"withdrawn", "canceled", "deleted"}


class Refused(Exception):
    """The other system understood, and says no; the next look may find out why."""


class Server:
    """One of the two systems, over JSON."""

    def __init__(self, address, authorization):
        self.address = address.rstrip("/")
        self.headers = {"Authorization": authorization, "Content-Type": "application/json"}

    def call(self, method, path, body=None, **headers):
        """Send a request; gives the JSON of the answer, None for "not there"."""
        address = path if path.startswith("http") else self.address + path
        told = {name.replace("_", "-"): value for name, value in headers.items()} | self.headers
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, told, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read() or "{}")
        except urllib.error.HTTPError as error:
            if error.code == 404 and method == "GET":
                return None
            if error.code == 429 or error.code >= 500:
                raise  # an OSError, as every failure to reach a server: later
            raise Refused(f"{method} {path}: {error.read().decode()[:500]}") from error

    def rows(self, path):
        """Read a list to its end; pretalx names the next page's address, swapflow a cursor."""
        page = self.call("GET", path)
        while page:
            yield from page["results"] if "results" in page else page["items"]
            more = page["next"]
            more = f"{path}?cursor={more}" if more and not more.startswith("http") else more
            page = more and self.call("GET", more)


class Bridge:
    """One event of pretalx beside one program of swapflow."""

    def __init__(self, options):
        self.options, self.kind = options, options.kind
        self.there = Server(options.pretalx, "Token " + os.environ["PRETALX_TOKEN"])
        self.here = Server(options.swapflow + "/api/v1", "Bearer " + os.environ["SWAPFLOW_KEY"])
        self.event, self.cycle = f"/api/events/{options.event}/", f"/cycles/{options.cycle}"
        self.teams = f"/api/organisers/{options.organiser}/teams/?expand=members"
        self.low, self.high = map(float, options.scale.split(":"))
        self.file = Path(options.state)
        self.ours = json.loads(self.file.read_text()) if self.file.exists() else {}

    def act(self, said, method, path, body=None, **headers):
        """Do one thing in swapflow and tell of it; a refusal is told, and looked at again."""
        try:
            self.here.call(method, self.cycle + path, body, **headers)
            print(said, flush=True)
        except Refused as error:
            print(f"not {said}: {error}", flush=True)

    def look(self):
        """Bring both systems together once; gives the program's status."""
        self.me = self.here.call("GET", "/me")["email"]
        status = (self.here.call("GET", self.cycle) or self.make_program())["status"]
        # Reviews first: one that is written after them shows in its submission as not yet seen.
        reviews = list(self.there.rows(self.event + "reviews/"))
        submissions = {row["code"]: row for row in self.there.rows(self.event + "submissions/")}
        if status == "draft":
            self.bring_people(submissions, self.reviewers())
            self.act("launched", "POST", "/launch")
        asked = defaultdict(list)
        for row in self.here.rows(self.cycle + "/requests"):
            asked[row["applicant_id"], row["reviewer_id"]].append(row)
        if status not in ("draft", "finalized"):
            self.bring_people(submissions, self.reviewers())
            self.bring_marks(reviews, submissions, asked)
        for code, submission in submissions.items():
            rows = [row for pair in asked if pair[0] == code for row in asked[pair]]
            waiting = {row["reviewer_id"] for row in rows if row["waits"]}
            reviewed = {row["user"] for row in reviews if row["submission"] == code}
            self.assign(submission, waiting, reviewed)
        return status

    def make_program(self):
        """Make round and program, as far as they are not there."""
        name, rules = self.options.cycle, Path(self.options.rules).read_text(encoding="utf-8")
        if name not in {row["id"] for row in self.here.rows("/rounds")}:
            self.here.call("POST", "/rounds", {"id": name})
        return self.here.call("POST", "/cycles", {"id": name, "round": name, "rules": rules})

    def reviewers(self):
        """Read who reviews the event, by code."""
        return {
            member["code"]: member["name"] or member["code"]
            for team in self.there.rows(self.teams)
            if team["is_reviewer"]
            and (team["all_events"] or self.options.event in team["limit_events"])
            for member in team["members"]
        }

    def bring_people(self, submissions, reviewers):
        """Add who is missing in swapflow; withdraw and release who is gone from pretalx."""
        known = {row["external_id"]: row for row in self.here.rows(self.cycle + "/applicants")}
        roster = {row["external_id"]: row for row in self.here.rows(self.cycle + "/reviewers")}
        page = f"{self.options.pretalx}/orga/event/{self.options.event}/submissions/"
        new = [
            {"external_id": code, "name": row["title"], "fields": {"in pretalx": page + code}}
            for code, row in submissions.items()
            if code not in known and row["state"] == "submitted"
        ]
        people = [
            {"external_id": code, "name": name, "capacity": {self.kind: None}}
            for code, name in reviewers.items()
            if code not in roster
        ]
        for what, rows in (("applicants", new), ("reviewers", people)):
            if rows:
                self.act(f"added {len(rows)} {what}", "POST", "/" + what, {what: rows})
        for code, row in known.items():
            state = submissions.get(code, {}).get("state")
            if state in GONE and row["status"] == "ready":
                move = {"status": "withdrawn", "reason": f"{state} in pretalx"}
                self.act(f"withdrew {code}", "POST", f"/applicants/{row['number']}/status", move)
        for code in roster.keys() - reviewers.keys():
            if roster[code]["active"]:
                path = f"/reviewers/{roster[code]['number']}/release"
                self.act(f"released {code}", "POST", path, {"reason": "left pretalx"})

    def bring_marks(self, reviews, submissions, asked):
        """Make each review one score: entered, corrected, voided or restored."""
        marked = {(r["submission"], r["user"]): r for r in reviews if r["score"] is not None}
        for pair, review in marked.items():
            share = (float(review["score"]) - self.low) / (self.high - self.low)
            self.settle(pair, review["id"], round(100 * min(1, max(0, share)), 2), asked[pair])
        seen = {row["id"] for row in reviews}
        for pair in asked.keys() - marked.keys():
            # A review that is hidden, or slid to another page meanwhile, is not a deleted one.
            if pair[0] in submissions and seen.issuperset(submissions[pair[0]]["reviews"]):
                for score in (row["score"] for row in asked[pair] if row["score"]):
                    if score["counts"] and score["typed_by"] == self.me:
                        what = {"scores": [score["id"]], "reason": DELETED}
                        what["revisions"] = {score["id"]: score["revision"]}
                        self.act(f"voided {pair}", "POST", "/scores/void", what)

    def settle(self, pair, review, mark, asked):
        """Do what brings one review's mark into swapflow, if anything is missing.

        What people did there stays: scores that others typed, corrected or voided.
        """
        answers = [row for row in asked if row["score"]]
        rows = [row for row in answers if row["score"]["counts"]] or answers
        free = [row for row in asked if not row["score"] and not row["given_away"]]
        if free and not any(row["score"]["counts"] for row in rows):
            task = max(free, key=lambda row: row["waits"])
            path = f"/reviewers/{task['reviewer']}/tasks/{task['task']}/review"
            return self.act(f"entered {pair}", "PUT", path, {"score": mark}, If_Match='"0"')
        if not rows:
            new = {"applicant": pair[0], "reviewer": pair[1], "kind": self.kind, "score": mark}
            once = {"Idempotency_Key": f"pretalx-{self.options.event}-{review}"}
            new = {"scores": [new]}
            return self.act(f"kept {pair}", "POST", "/scores/volunteered", new, **once)
        score, why = rows[-1]["score"], {"reason": f"review {review} of pretalx"}
        path = "/scores/" + urllib.parse.quote(score["id"], safe="")
        if score["typed_by"] != self.me:
            return None
        if score["reason_code"] == "voided":
            if rows[-1]["said"] == DELETED:
                again = why | {"scores": [score["id"]]}
                self.act(f"restored {pair}", "POST", "/scores/restore", again)
        elif abs(score["score"] - mark) > 0.005:
            made_from, new = f'"{score["revision"]}"', why | {"score": mark}
            self.act(f"corrected {pair}", "POST", path + "/correction", new, If_Match=made_from)
        elif score["reason_code"] == "not_asked":
            self.act(f"admitted {pair}", "POST", path + "/admission", why)
        return None

    def assign(self, row, waiting, reviewed):
        """Assign in pretalx whom swapflow asks, and nobody else of those it had asked.

        The list is written whole, so it is read just before. Who stands on it and is not noted as
        ours was put there by hand; what is ours is noted before it is done.
        """
        code, before = row["code"], set(row["assigned_reviewers"])
        noted, address = set(self.ours.get(code, ())), f"{self.event}submissions/{code}/"
        if not (waiting - before or noted - before or noted - waiting - reviewed):
            return
        before = set(self.there.call("GET", address)["assigned_reviewers"])
        ours = noted & before | waiting - before
        after = before - (ours - waiting - reviewed) | waiting
        self.note(code, ours)
        if after != before:
            self.there.call("PATCH", address, {"assigned_reviewers": sorted(after)})
            print(f"assigned {code}: {' '.join(sorted(after))}", flush=True)
            self.note(code, ours & after)

    def note(self, code, ours):
        """Write down whom the script assigned; the file is replaced whole."""
        if sorted(ours) != self.ours.get(code, []):
            self.ours[code] = sorted(ours)
            beside = self.file.with_suffix(".new")
            beside.write_text(json.dumps(self.ours))
            beside.replace(self.file)


def main():
    """Look at both again and again, until the list is final."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("pretalx", "organiser", "event", "swapflow", "cycle", "rules"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--kind", default="review", help="what the rules call a review")
    parser.add_argument("--scale", default="0:2", help="lowest and highest score in pretalx")
    parser.add_argument("--state", default="assigned.json", help="where it notes whom it assigned")
    parser.add_argument("--seconds", type=float, default=30, help="between two looks")
    bridge, status = Bridge(parser.parse_args()), ""
    while status != "finalized":
        try:
            status = bridge.look()
        except (OSError, HTTPException, Refused) as error:
            print(f"later: {error}", flush=True)
        time.sleep(bridge.options.seconds)


if __name__ == "__main__":
    main()
