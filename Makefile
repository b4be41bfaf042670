# Study Platform. `make help` lists the targets.
PYTHON3 ?= python3
LAUNCH = $(PYTHON3) -P studyplatform/launch.py
.PHONY: run test test-all test-app dev check format contract messages bench bench-progress bench-tutor help clean
.DEFAULT_GOAL := help

run: ## Set up what is missing and serve everything on http://127.0.0.1:8000 (HOST, PORT, DATA_DIR)
	@exec $(LAUNCH) run

test: ## What CI runs: linters, types, Python, islands, browser; SQLite, PostgreSQL and Redis
	@exec $(LAUNCH) test

test-all: ## The same with everything that takes long: all of it on both databases, every page in every look
	@exec $(LAUNCH) test --all

test-app: ## The tests that concern one app, e.g. make test-app APP=learning
	@exec $(LAUNCH) test --app $(APP)

dev: ## Like run, with reload on change of Python, templates, TypeScript and CSS
	@exec $(LAUNCH) dev

check: ## Formatters, linters, type checks; changes nothing
	@exec $(LAUNCH) check

format: ## Format and fix what can be fixed by a tool
	@exec $(LAUNCH) format

contract: ## Write the API schema and the error catalog for TypeScript
	@exec $(LAUNCH) contract

messages: ## Update and compile the translations; NEW=de adds a language (docs/translating.md)
	@exec $(LAUNCH) messages $(NEW)

bench: ## Measure pages and the pipeline against a reference in the same run
	@exec $(LAUNCH) bench

bench-progress: ## Count saves of progress a second, beside a bare view
	@exec $(LAUNCH) bench progress

bench-tutor: ## Count how often the tutor finds the right passage
	@exec $(LAUNCH) bench tutor

clean: ## Remove what was built; data under var/ stays
	rm -rf .venv node_modules static/dist .mypy_cache .ruff_cache .pytest_cache .checks

help: ## Show this
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'
