# swapflow from a bare Python 3.11+ and make: no root, no running service, nothing else.
# Every target sets up what it needs. Figures end up as var/NAME.json beside what is printed.

# The first Python here that is new enough; choose another with `make PYTHON=/path/to/python3`.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo $$name; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install

.DEFAULT_GOAL := help
.PHONY: help setup demo quick test test-all test-rest test-browser walks screenshots slow check audit bench bench-pages sizes load load-web scaling web-memory sharing resting starve chaos races drills failover fuzz study openapi messages lock site clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

setup: $(VENV)/.ready  ## Install swapflow and its tools into .venv; nothing outside is touched

demo: setup  ## Run a whole simulated round through the real parts; data under var/demo/
	$(BIN)/swapflow demo $(if $(KEEP),--keep)

quick: setup  ## Run what tells most in a minute: 4,400 tests without a server
	TESTS_TIER=quick $(BIN)/python -m pytest -n auto --dist loadfile --maxprocesses 4 -q

test: setup  ## Run what needs nothing but Python, about a quarter of an hour of one processor
	TESTS_TIER=everyday $(BIN)/python -m pytest -m "not slow" -n auto --dist loadfile

test-all: setup  ## Run everything but the slow tests (needs Debian's servers and a browser)
	TESTS_TIER=full $(BIN)/python -m pytest -m "not slow" -n auto --dist loadfile

test-rest: setup  ## Run what `make test-all` runs beyond `make quick`
	TESTS_DONE=quick $(MAKE) test-all

test-browser: setup  ## Run the browser tests alone (needs Chromium)
	$(BIN)/python -m pytest -m browser tests/browser

walks: setup  ## Walk through the jobs of an office in a browser and count the acts, into var/walks.json
	$(BIN)/python -m tests.walks

screenshots: setup  ## Take every page into var/screenshots/, and the README's pictures into docs/pictures/
	$(BIN)/python -m tests.browser.screenshots

slow: setup  ## Run the long statistical tests and recorded rounds, about 20 minutes
	$(BIN)/python -m pytest -m slow

check: setup  ## Check style, types, which module may import which, licences and pages on trust
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.support.licences
	$(BIN)/python -m tests.support.trust

audit: setup  ## Ask the Python index for known faults of what the lock names (needs a network)
	@test -x var/audit/bin/pip-audit || { $(PYTHON) -m venv var/audit && \
		var/audit/bin/python -m pip --quiet --disable-pip-version-check install pip-audit; }
	var/audit/bin/pip-audit --strict --no-deps --disable-pip -r requirements.lock

bench: setup  ## Measure speed on this machine, into var/bench.json
	$(BIN)/python -m tests.bench

sizes: setup  ## Measure what an installation is made of, into var/sizes.json
	$(BIN)/python -m tests.bench.sizes

bench-pages: setup  ## Time the pages of big programs, 300 ms with 20,000 applicants at most, into var/pages.json
	$(BIN)/python -m tests.bench.pages

load: setup  ## Run three cycles at once for MINUTES (10), DATABASE sqlite or postgresql, into var/load.json
	$(BIN)/python -m tests.bench.load --minutes $(or $(MINUTES),10) \
		--database $(or $(DATABASE),sqlite)

load-web: setup  ## Run 200 reviewers who type at once for two minutes, into var/web.json
	$(BIN)/python -m tests.bench.web_load $(LOAD)

scaling: setup  ## Print how many processes reviewers at work need, from what load-web and load measured
	$(BIN)/python -m tests.bench.scaling

web-memory: setup  ## Print what two web processes that rest hold, and what it is made of, into var/web-memory.json
	$(BIN)/python -m tests.bench.web_memory

starve: setup  ## Time sign-in, liveness and inbox under dripping webhooks and a held lock, into var/starve.json
	$(BIN)/python -m tests.bench.starve

chaos: setup  ## Break a running system 200 times (SEED, FAULTS, DATABASE, COORDINATORS, BREAK), into var/chaos.json
	$(BIN)/python -m tests.chaos --seed $(or $(SEED),1) --faults $(or $(FAULTS),200) \
		--database $(or $(DATABASE),sqlite) --coordinators $(or $(COORDINATORS),2) \
		$(if $(BREAK),--break $(BREAK))

sharing: setup  ## Count the decisions a second of one coordinator and of two, into var/sharing.json
	$(BIN)/python -m tests.bench.sharing --seconds $(or $(SECONDS),10)

resting: setup  ## Time start, idle turns and take-over with 1,000 programs at rest (PROGRAMS, DATABASE), into var/resting.json
	$(BIN)/python -m tests.bench.resting --programs $(or $(PROGRAMS),1000) \
		--database $(or $(DATABASE),sqlite)

races: setup  ## Confirm pages 500 times (TRIES, SEED, DATABASE, BREAK) while others act, into var/races.json
	$(BIN)/python -m tests.races --tries $(or $(TRIES),500) --seed $(or $(SEED),1) \
		--database $(or $(DATABASE),both) $(if $(BREAK),--break $(BREAK))

drills: setup  ## Carry out the runbook on a running deployment, into deploy/DRILLS.md
	$(BIN)/python -m tests.system.drills

failover: setup  ## Kill PostgreSQL's primary, then Redis' master, under load: seconds without service, into var/failover.json
	$(BIN)/python -m tests.system.fail_over

study: setup  ## Run every study at a reduced size, into docs/studies/quick/ and var/study.json
	$(BIN)/swapflow study paper --out docs/studies/quick --page docs/studies/quick/README.md \
		$(if $(DATA),--data $(DATA),$(if $(wildcard ../shared/data),--data ../shared/data))
	@mkdir -p var && cp docs/studies/quick/study.json var/study.json

fuzz: setup  ## Feed spoilt files to every reader for MINUTES (30), from SEED (1)
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),30) --seed $(or $(SEED),1)

openapi: setup  ## Write the description of the JSON API anew, into docs/openapi.json
	$(BIN)/python -m swapflow.web.api.openapi > docs/openapi.json

messages: setup  ## Collect the messages that people read, into swapflow/locale/
	$(BIN)/python -m tests.support.messages

lock:  ## Choose versions anew and write both lock files (needs uv)
	uv lock
	uv export --quiet --format requirements-txt --no-header --no-emit-project --all-extras \
		--all-groups -o requirements.lock
	uv export --quiet --format requirements-txt --no-header --no-emit-project --extra sso \
		--extra traces --no-default-groups --group build -o deploy/requirements.lock

site:  ## Build the pages under docs/ as a site with search, into var/site/ (needs a network)
	@test -x var/site-tools/bin/mkdocs || { $(PYTHON) -m venv var/site-tools && \
		var/site-tools/bin/python -m pip --quiet --disable-pip-version-check install \
		--no-deps --require-hashes -r deploy/site.lock; }
	NO_MKDOCS_2_WARNING=1 var/site-tools/bin/mkdocs build --strict

clean:  ## Remove what setup and the tools have made; var/ stays
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache \
		.import_linter_cache .hypothesis .coverage

# pip is silent but for one line that counts; when it fails, its last lines follow.
$(VENV)/.ready: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "swapflow needs Python 3.11 or newer, and finds none on the \
	PATH. Install one, or name it: make PYTHON=/path/to/python3 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Setting up $(VENV) with $$($(PYTHON) --version), about two minutes the first time"
	@$(PYTHON) -m venv $(VENV) || { echo "This Python cannot make virtual environments. \
	On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@{ $(PIP) --require-hashes -r requirements.lock 2>&1; echo "pip ended with $$?"; } | awk \
		-v all="$$(grep -c '^[a-z].*==' requirements.lock)" \
		-v live="$$(test -t 2 && echo 1)" \
		'/^(Collecting|Processing)/ {if (++seen % 40 == 0 || live) \
			{printf "%s  %d of up to %d packages", live ? "\r" : "", seen, all; fflush()}} \
		/^Installing collected/ {printf ", installing"; fflush()} \
		/^pip ended with/ {print ""; code = $$4; next} \
		{last[NR] = $$0} \
		END {if (code) for (i = NR > 30 ? NR - 30 : 1; i < NR; i++) print last[i]; exit code}'
	@$(PIP) --quiet --no-deps --no-build-isolation -e .
	@touch $@
