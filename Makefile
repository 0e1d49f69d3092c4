# make test   set up .venv if need be, then check style and types and run the tests
# make app    set up .venv if need be, then start the browser application on this machine
# make clean  remove the environment and everything that can be made again

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SUDO := $(if $(filter 0,$(shell id -u)),,sudo -n)
APT_GET := $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300
INSTALL_POSTGRES = { command -v apt-get > /dev/null && $(APT_GET) update && \
	$(APT_GET) install --no-install-recommends postgresql > /dev/null; } || true

# The tests of the app run in a browser of this machine; on Debian, root can have it installed here.
PACKAGES := chromium libatomic1 fonts-dejavu-core
BROWSER := for name in chromium chromium-browser google-chrome chrome none; do command -v $$name > /dev/null && break; done
ROOT := test "$$(id -u)" = 0 && command -v apt-get > /dev/null

.PHONY: test postgres app clean
.DEFAULT_GOAL := test

test: $(VENV)/.test-installed postgres
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/python -m pytest --quiet -n 2

$(VENV)/.test-installed: pyproject.toml
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[app,test]"
	@$(BROWSER) || { $(ROOT) && apt-get update -qq && apt-get install -y -qq $(PACKAGES) > /dev/null; } \
		|| echo "The tests of the app need a browser: install $(PACKAGES), or Google Chrome." >&2
	@touch $@

# The tests run SQL on a real PostgreSQL server. Where it cannot be installed from here, they say how to.
postgres:
	@command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || $(INSTALL_POSTGRES)

app: $(VENV)/.app-installed
	@$(BIN)/python -m streamlit run app.py

$(VENV)/.app-installed: pyproject.toml
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[app]"
	@$(BIN)/turs learn sample_data/iris.csv --target species > /dev/null
	@touch $@

clean:
	@rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
