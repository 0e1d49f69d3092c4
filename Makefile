# make test   set up .venv if need be, then check style and types and run the tests
# make app    set up .venv if need be, then start the browser application on this machine
# make wheel  build the wheel, install it into a clean environment and see that `turs app` starts from an empty folder
# make clean  remove the environment and everything that can be made again

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RIGHT_PYTHON = $(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("TURS Studio needs Python 3.11 or newer: name one, such as make app PYTHON=python3.12")'
SUDO := $(if $(filter 0,$(shell id -u)),,sudo -n)
APT_GET := $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300

# What the tests need beside Python: a PostgreSQL server and a browser. On Debian they are installed where they are missing.
MISSING = $(shell { command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } > /dev/null 2>&1 || echo postgresql; \
	for name in chromium chromium-browser google-chrome chrome; do command -v $$name && break; done > /dev/null 2>&1 \
	|| echo chromium libatomic1 fonts-dejavu-core)

.PHONY: test system app wheel clean
.DEFAULT_GOAL := test

test: $(VENV)/.test-installed system
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/python -m pytest --quiet -n 2

$(VENV)/.test-installed: pyproject.toml
	@test -x $(BIN)/pip || { $(RIGHT_PYTHON) && $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[app,test]"
	@touch $@

system:
	@test -z "$(MISSING)" || { $(APT_GET) update && $(APT_GET) install --no-install-recommends $(MISSING) > /dev/null; } \
		|| echo "Some tests need what could not be installed: $(MISSING)" >&2

app: $(VENV)/.app-installed
	@$(BIN)/python -m streamlit run app.py

$(VENV)/.app-installed: pyproject.toml
	@echo "Setting up $(VENV): about two minutes and 1 GB the first time" >&2
	@test -x $(BIN)/pip || { $(RIGHT_PYTHON) && $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[app]"
	@$(BIN)/turs learn sample_data/iris.csv --target species > /dev/null
	@touch $@

wheel: $(VENV)/.test-installed
	@rm -rf build dist
	@$(BIN)/python -m build --wheel > /dev/null
	@$(PYTHON) -m venv build/clean
	@build/clean/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*.whl)[app]"
	@build/clean/bin/python tests/wheel.py

clean:
	@rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
