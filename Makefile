# Study Platform. `make help` lists the targets.
# The first Python of 3.11 or newer; one that can't make virtual environments only if there is no other.
ifndef PYTHON3
PYTHON3 := $(shell \
	for modules in sys,ensurepip,venv sys; do \
		for python in python3.13 python3.12 python3.11 python3; do \
			$$python -I -c "import $$modules; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && echo $$python && exit; \
		done; \
	done; echo python3)
endif
NO_PYTHON = Study Platform needs Python 3.11 or newer, and none is installed. \
	Debian, Ubuntu, as root: apt-get update && apt-get install -y git make python3 python3-venv
LAUNCH = command -v "$(PYTHON3)" >/dev/null || { echo "$(NO_PYTHON)" >&2; exit 1; }; \
	exec "$(PYTHON3)" -I -X utf8 studyplatform/launch
.PHONY: run test test-all test-app dev check format contract messages bench bench-progress bench-tutor bench-abuse help clean
.DEFAULT_GOAL := help

run: ## Set up what is missing and serve everything on http://127.0.0.1:8000 (HOST, PORT, DATA_DIR)
	@$(LAUNCH) run

test: ## What CI runs: linters, types, Python, islands, browser; SQLite, PostgreSQL and Redis
	@$(LAUNCH) test

test-all: ## The same with everything that takes long: all of it on both databases, every page in every look
	@$(LAUNCH) test --all

test-app: ## The tests that concern one app, e.g. make test-app APP=learning
	@$(LAUNCH) test --app $(APP)

dev: ## Like run, with reload on change of Python, templates, TypeScript and CSS
	@$(LAUNCH) dev

check: ## Formatters, linters, type checks; changes nothing
	@$(LAUNCH) check

format: ## Format and fix what can be fixed by a tool
	@$(LAUNCH) format

contract: ## Write the API schema and the error catalog for TypeScript
	@$(LAUNCH) contract

messages: ## Update and compile the translations; NEW=de adds a language (docs/translating.md)
	@$(LAUNCH) messages $(NEW)

bench: ## Measure pages and the pipeline against a reference in the same run
	@$(LAUNCH) bench

bench-progress: ## Count saves of progress a second, beside a bare view
	@$(LAUNCH) bench progress

bench-abuse: ## Send the worst requests known to every address; fails if one costs 0.5 s of CPU
	@$(LAUNCH) bench abuse

bench-tutor: ## Count how often the tutor finds the right passage
	@$(LAUNCH) bench tutor

clean: ## Remove what was built; data under var/ stays
	rm -rf .venv node_modules static/dist .mypy_cache .ruff_cache .pytest_cache .checks

help: ## Show this
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'
