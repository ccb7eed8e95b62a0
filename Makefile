# Everything a newcomer needs: `make demo` and `make test`, from a clone, on a fresh machine.
VENV     ?= .venv
PYTHON   ?= python3
BIN      := $(VENV)/bin
TOPOLOGY ?= topologies/one-lan.yaml
SCENARIO ?=
SEED     ?= 1
RUNS     ?= 500

.DEFAULT_GOAL := help
.PHONY: help setup demo run test lint soak bench down

help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  Variables: TOPOLOGY=$(TOPOLOGY) SCENARIO=$(SCENARIO) SEED=$(SEED) RUNS=$(RUNS) VENV=$(VENV)"

setup: $(VENV)/.ready ## Make the virtual environment (and, as root, install missing Debian packages)

$(VENV)/.ready: pyproject.toml constraints.txt .ci/install-system-packages
	@.ci/install-system-packages "$(PYTHON)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing Python packages into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: setup ## Five nodes on a lossy LAN, one stands still for a while: the verdict
	$(BIN)/transis run topologies/one-lan.yaml --scenario pause-one --seed $(SEED)

run: setup ## Run a topology: make run TOPOLOGY=… SCENARIO=… SEED=…
	$(BIN)/transis run $(TOPOLOGY) $(if $(SCENARIO),--scenario $(SCENARIO)) --seed $(SEED)

test: setup lint ## Lint, type-check and run every test
	$(BIN)/pytest -n auto

lint: setup ## ruff, mypy strict, direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

soak: setup ## Many seeded schedules over all services and impairments
	$(BIN)/transis soak --runs $(RUNS) --seed $(SEED)

bench: setup ## The engine alone: messages per second through one core
	$(BIN)/python -m bench.engine

down: ## Remove what runs and tools left behind
	rm -rf runs failures build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
