# Two commands are all that a newcomer needs: `make run` and `make test`.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CLIENTS := tests/openapi/clients
OIDC := tests/identities/oidc_provider
DIST := dist
# The tests start hundreds of processes: with cached bytecode each takes half the time.
export PYTHONDONTWRITEBYTECODE :=
CORES := $(shell getconf _NPROCESSORS_ONLN)
# One test process more than there are cores, because some of them wait for the services that they started.
PROCESSES := $(shell expr $(CORES) + 1)

.PHONY: help run test check soak lint types unit pytest unit-dependencies programs clients screenshots cluster faults bench audit settings catalogs lock release wheel clean

help:            ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/run        ## set everything up and serve on http://127.0.0.1:8000
	@$(BIN)/kalends serve

# The types are checked while the tests run: alone, that would leave all cores but one idle.
test: $(if $(ONLY),$(VENV)/dev)  ## set everything up and run every check and test (ONLY=comments: those in tests/comments, on SQLite)
ifdef ONLY
	@$(BIN)/pytest -q -n $(CORES) --databases=sqlite --no-processes $(addprefix tests/,$(ONLY))
else
	@$(MAKE) --jobs lint unit-dependencies
	@$(MAKE) --jobs types pytest
endif

check:                  ## check the style, the types and what needs neither PostgreSQL, other processes, hostile input nor random walks: in three minutes
	@$(MAKE) lint
	@$(MAKE) --jobs types pytest PROCESSES=$(CORES) OPTIONS="--databases=sqlite --no-processes --no-long-files"

soak:                   ## run every check, and the long forms of the tests: in two hours and more
	@$(MAKE) --jobs lint unit-dependencies
	@$(MAKE) --jobs types pytest OPTIONS=--soak

lint: $(VENV)/dev       ## check the style
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/dev      ## check the types
	@$(BIN)/mypy

unit: unit-dependencies  ## run the tests alone
	@$(MAKE) pytest

pytest:
	@$(BIN)/pytest -n $(PROCESSES) --dist worksteal $(OPTIONS)

unit-dependencies: $(VENV)/dev programs clients

programs: $(VENV)/dev   ## install Chromium, nginx, Caddy, HAProxy and Dovecot for the tests with them, where that is allowed
	@$(BIN)/python -m tests.system_programs

clients: $(CLIENTS)/node_modules/.package-lock.json $(OIDC)/node_modules/.package-lock.json  ## install what writes clients in TypeScript and a provider of OpenID Connect, for the tests, where npm is there

screenshots: $(VENV)/dev  ## take the pictures that the documentation shows
	@$(BIN)/python -m tests.system_programs Chromium
	@$(BIN)/python -m tests.web.screenshots docs/screenshots

cluster: $(VENV)/dev    ## run two servers behind HAProxy on a PostgreSQL cluster of Patroni, until Ctrl-C (POOLER=1: with PgBouncer)
	@$(BIN)/python -W ignore:XDG_RUNTIME_DIR -m tests.faults.servers $(if $(POOLER),--pooler)

faults: $(VENV)/dev     ## make real faults for half an hour and compare, into tests/faults/results (QUICK=1: in two minutes)
	@$(BIN)/python -W ignore:XDG_RUNTIME_DIR -m tests.faults $(if $(QUICK),--quick)

bench: $(VENV)/dev $(VENV)-bench/bench  ## measure speed on both databases, into bench/results (QUICK=1: the short ones, in about five minutes)
	@$(BIN)/python -W ignore:XDG_RUNTIME_DIR -m bench $(if $(QUICK),--quick)

audit: $(VENV)/dev      ## ask over the network whether the locked libraries have known weaknesses, and links to other sites are dead
	@$(BIN)/python -m tests.security.audit

settings: $(VENV)/dev   ## write the tables of docs/settings.md
	@$(BIN)/python -m tests.settings_table

catalogs: $(VENV)/dev  ## write the new messages into the catalogues of all languages, and print how many are not translated
	@$(BIN)/python -m tests.i18n.extraction

lock:                   ## renew the lock files
	@$(BIN)/pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 --extra checkout --extra dev --extra opentelemetry pyproject.toml -o requirements-dev.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 --extra checkout -c requirements-dev.lock pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 --extra bench -c requirements-dev.lock pyproject.toml -o requirements-bench.lock

release: $(VENV)/dev    ## check that this commit can be released, build its files into dist, and print what is missing (SKIP="image soak": leave these out)
	@$(BIN)/python -W ignore:XDG_RUNTIME_DIR -m tests.release $(foreach step,$(SKIP),--skip $(step))

wheel: $(VENV)/run      ## build the wheel, and constraints.txt with the versions that it is tested with, into dist
	@rm -rf $(DIST)
	@$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w $(DIST) .
	@sed -n 's/^\([a-z].*\) \\$$/\1/p' requirements.lock > $(DIST)/constraints.txt

clean:                  ## remove what the commands above made, except the data folder
	@rm -rf $(VENV) $(VENV)-bench $(DIST) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@echo "Making the virtual environment in $(VENV) …"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Kalends needs Python 3.11 or newer.")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing what Kalends needs …"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# The lock file has what Kalends needs too, and all dependencies. Most of it is never imported, so nothing is compiled before it is.
$(VENV)/dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing what Kalends and its tests need …"
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --no-deps --require-hashes -r requirements-dev.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(VENV)/run $@

$(CLIENTS)/node_modules/.package-lock.json: $(CLIENTS)/package-lock.json
	@echo "Installing what writes clients in TypeScript …"
	@npm ci --silent --prefix $(CLIENTS) && touch $@ || echo "npm could not install it: the tests of clients in TypeScript are skipped."

$(OIDC)/node_modules/.package-lock.json: $(OIDC)/package-lock.json
	@echo "Installing a provider of OpenID Connect …"
	@npm ci --silent --prefix $(OIDC) && touch $@ || echo "npm could not install it: the tests of signing in with a real provider are skipped."

$(VENV)-bench/bench: requirements-bench.lock | $(VENV)/bin/python
	@echo "Installing what the service is compared with …"
	@$(PYTHON) -m venv $(VENV)-bench
	@$(VENV)-bench/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.lock
	@touch $@
