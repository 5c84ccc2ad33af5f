# `make run` and `make test` do everything on a fresh machine with Python 3.11 or newer.
VENV := .venv
PYTHON := $(VENV)/bin/python
BASE_PYTHON ?= python3

.PHONY: run test lint messages lock clean

run: $(VENV)/.installed
	exec $(PYTHON) manage.py serve --demo $(SERVE)

test: $(VENV)/.installed-dev
	bash .ci/provide-browser
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy .
	$(if $(PYTEST),$(PYTHON) -m pytest $(PYTEST),.ci/test-in-halves $(PYTHON))

lint: $(VENV)/.installed-dev
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy .

# uv where it is there, else venv and pip: the pins and hashes are the same.
$(VENV)/bin/python:
	if command -v uv >/dev/null; then uv venv --quiet --python $(BASE_PYTHON) $(VENV); else $(BASE_PYTHON) -m venv $(VENV); fi

define install
	@echo "Installing the packages of $(1) (a minute the first time)"
	@if command -v uv >/dev/null; then uv pip install --quiet --python $(PYTHON) --require-hashes -r $(1); \
	else $(PYTHON) -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1); fi
endef

$(VENV)/.installed: requirements.txt | $(VENV)/bin/python
	$(call install,requirements.txt)
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt | $(VENV)/bin/python
	$(call install,requirements-dev.txt)
	@touch $@ $(VENV)/.installed

# Needs GNU gettext (apt-get install gettext); nobody needs it to run Citeweb, because the compiled file is committed.
# Run it, write what is missing in citeweb/locale/fa/LC_MESSAGES/django.po, and run it again.
messages: $(VENV)/.installed
	$(PYTHON) manage.py makemessages --locale fa --no-wrap --add-location file --ignore $(VENV) --ignore var --ignore tests --ignore bench
	$(PYTHON) manage.py compilemessages --locale fa --ignore $(VENV)

# Needs uv; writes the pins with hashes from the short input files.
lock:
	uv pip compile --universal --generate-hashes --python-version 3.11 --upgrade requirements.in -o requirements.txt
	uv pip compile --universal --generate-hashes --python-version 3.11 --upgrade requirements-dev.in -o requirements-dev.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
