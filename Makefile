# make run: try the product.  make test: prove it.  ARGS="..." goes on to the command behind a target.

PY ?= python3
PORT ?= 8000
VAR_DIR ?= var
V := .venv
PYTHON := $(V)/bin/python
MANAGE := $(PYTHON) manage.py
PIP := $(PYTHON) -m pip install --disable-pip-version-check -q --require-hashes --only-binary :all:
CATALOGUES := $(wildcard locale/*/LC_MESSAGES/*.po)
export VAR_DIR QUICK PORT
# Tests are many processes of the same modules: what one has compiled the others need not.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run setup test walk faults lint audit bench load worker beat messages screenshots lock

# The files in $(V) that these rules make say what is installed: a second call has nothing to do.
$(PYTHON):
	@$(PY) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit(f"Python 3.11 or newer is needed; $(PY) is {v[0]}.{v[1]}. Name another one: make PY=python3.12")'
	@$(PY) -m venv $(V) || { rm -f $(PYTHON); exit 1; }

$(V)/.base: requirements/base.txt | $(PYTHON)
	@echo "Installing what the site needs into $(V) (half a minute)"
	@$(PIP) -r $< && touch $@

$(V)/.dev: requirements/dev.txt $(V)/.base
	@echo "Installing what the tests need into $(V) (a minute)"
	@$(PIP) -r $< && touch $@

$(V)/.bench: requirements/bench.txt $(V)/.dev
	@echo "Installing the libraries that the engine is compared with into $(V)"
	@$(PIP) -r $< && touch $@

$(V)/.mo: $(CATALOGUES) $(V)/.base
	@$(if $(CATALOGUES),$(V)/bin/pybabel -q compile -d locale -D django)
	@touch $@

setup: $(V)/.base $(V)/.mo
	@$(MANAGE) migrate -v 0
	@[ -z "$$SECRET_KEY" ] || $(MANAGE) collectstatic --no-input -v 0
	@$(MANAGE) demo --if-empty

# The sweep does what workers do in a large installation. Both end with this shell, on Ctrl-C too.
run: setup
	@echo "The site: http://localhost:$(PORT)/"
	@if [ -f "$(VAR_DIR)/demo-logins.txt" ]; then echo "Sign-ins:"; cat "$(VAR_DIR)/demo-logins.txt"; fi
	@trap 'kill $$sweep $$server 2>/dev/null' EXIT; trap 'exit 0' INT; trap 'exit 143' TERM HUP; \
	$(MANAGE) sweep --every 5 & sweep=$$!; \
	$(MANAGE) runserver --noreload 0.0.0.0:$(PORT) & server=$$!; \
	wait $$server

worker beat: $(V)/.base $(V)/.mo
	@[ -n "$$REDIS_URL" ] || { echo "REDIS_URL is not set: without Redis, tasks run in the server's process." >&2; exit 2; }
	$(V)/bin/celery -A wsd_site $@ --loglevel INFO $(if $(filter worker,$@),--concurrency 2 --without-gossip --without-mingle) $(ARGS)

# First, on SQLite, the tests of the database that ask for no page, and those of the admin and of what
# programs write (tests/lanes.py); then everything, on PostgreSQL where there is one.
# There many wait for the processes they start: three workers keep two cores busy.
# Exit code 5 is "nothing selected": ARGS may name only tests of the second run.
test: $(V)/.dev $(V)/.mo
	WSD_TEST_SERVICES=0 $(PYTHON) -m pytest -n 2 --dist worksteal -m sqlite $(ARGS) || [ $$? = 5 ]
	$(PYTHON) -m pytest -n 3 --dist worksteal $(ARGS)

# Every page as every kind of visitor, with another league's names and ids everywhere; make test does a slice.
walk: $(V)/.dev $(V)/.mo
	WALK_ALL=1 WSD_TEST_SERVICES=0 $(PYTHON) -m pytest -n 2 --dist worksteal tests/test_isolation.py $(ARGS)

# The long runs of what make test does a slice of; nothing may be missing here.
faults: walk
	HISTORY_STEPS=$${HISTORY_STEPS:-10000} WSD_TEST_SERVICES=0 $(PYTHON) -m pytest tests/faults/test_histories.py $(ARGS)
	WALK_ALL=1 REQUIRE_SERVICES=1 $(PYTHON) -m pytest -n 2 tests/test_isolation.py $(ARGS)
	HISTORY_STEPS=$${HISTORY_STEPS:-10000} FAULT_SECONDS=$${FAULT_SECONDS:-60} REQUIRE_SERVICES=1 $(PYTHON) -m pytest -m faults --timeout=900 --durations=10 $(ARGS)

lint: $(V)/.dev $(V)/.mo
	$(V)/bin/ruff check
	$(V)/bin/ruff format --check
	$(V)/bin/mypy
	$(V)/bin/lint-imports --no-cache
	$(V)/bin/djlint --lint --quiet templates
	$(MANAGE) makemigrations --check --dry-run
	DEBUG=0 SECRET_KEY=$$($(PYTHON) -c 'import secrets; print(secrets.token_urlsafe(50))') ALLOWED_HOSTS=example.org $(MANAGE) check --deploy --fail-level WARNING
	$(PYTHON) -m tests.translations
	@! grep -nE '://|--(extra-)?index|--find-links' requirements/*.txt requirements/*.in || { echo "A lock names no address: packages come from wherever pip is configured to look."; exit 1; }

# Asks PyPI's vulnerability service about every locked package. ARGS="-s osv" asks another one.
# Strict: a package that the service does not know is no clean package.
audit: $(V)/.dev
	@found=$$($(V)/bin/pip-audit --strict --disable-pip --progress-spinner off -r requirements/dev.txt $(ARGS)); code=$$?; \
	[ -z "$$found" ] || { echo "$$found"; exit 1; }; \
	[ $$code = 0 ] || { echo "The vulnerability service could not be asked: nothing is known about the locked packages." >&2; exit 2; }

bench: $(V)/.bench $(V)/.mo
	$(PYTHON) -m bench $(ARGS)

# Visitors and organizers at a whole installation for LOAD_SECONDS (120), then LOAD_BURST (1000) games at once.
load: $(V)/.dev $(V)/.mo
	$(PYTHON) -m bench.load

# Collects the texts to translate into locale/; needs xgettext (apt-get install gettext).
messages: $(V)/.base
	$(MANAGE) makemessages -l bg -l tr --no-obsolete --add-location file --ignore "$(V)/*" --ignore "$(VAR_DIR)/*" --ignore "tests/*"

# Takes the README's pictures anew; needs Chromium (apt-get install chromium).
screenshots: $(V)/.dev $(V)/.mo
	$(PYTHON) -m docs.screenshots

# Pins anew; one file serves every Python from 3.11. ARGS=--upgrade takes the newest within the ranges.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate $(ARGS) requirements/base.in -o requirements/base.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate $(ARGS) -c requirements/base.txt requirements/dev.in -o requirements/dev.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate $(ARGS) -c requirements/base.txt -c requirements/dev.txt requirements/bench.in -o requirements/bench.txt
