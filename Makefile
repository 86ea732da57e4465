# Builds and checks the course. `make` alone lists the targets.
#
# Each target makes and fills .venv by itself, from locks with hashes, and again only when a lock or
# pyproject.toml changes. Nothing here needs a GPU, except what `make gpu` is for.
#
#   make PYTHON=/path/to/python3.12   another Python than the first one found
#   make test CHROMIUM=/path/to/chrome JOBS=4
#   make bench-check SIZES="50 100"

JOBS ?= 2
export PYTHON
export CHROMIUM
# Material's notice about the next major version of MkDocs; the versions are pinned.
export NO_MKDOCS_2_WARNING := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Python compiles what it imports; most of what is installed never is.
export PIP_NO_COMPILE := 1
unexport PYTHONHOME
unexport PYTHONPATH
MAKEFLAGS += --no-print-directory

venv := .venv
python := $(venv)/bin/python
# Binaries only: building a source package would fetch tools that no lock names.
pip := $(python) -m pip install --quiet --only-binary :all: --no-deps --require-hashes
# Not in a lock: it is Node's, and no check of a change hangs on it.
lighthouse := npx --yes lighthouse@12.8.2
# The project itself, editable. Its build backend is in every lock.
pip_project := $(python) -m pip install --quiet --no-deps --no-build-isolation --editable .
# The pins of requirements/*.txt hold on each Python from this one on.
oldest_python := 3.11
compile_lock = .venv-lock/bin/python -m uv pip compile --quiet --universal --no-build \
	--python-version $(oldest_python) --fork-strategy fewest --generate-hashes \
	--custom-compile-command "make lock" $(UPGRADE)
cuda_sources := $(wildcard snippets/*/*.cu snippets/*/*.cuh)
workflows := $(wildcard .github/workflows/*.yml)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help site serve check test lint pipelines compile pytest bench bench-check bench-sampling format lighthouse reference gpu lock clean distclean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

site: $(venv)/.site ## Build the site into site/ from the recorded evidence
	COURSE_RUN=$${COURSE_RUN:-never} $(python) -m mkdocs build --strict

serve: $(venv)/.site ## Serve the site on this machine, with findings drawn on its pages
	$(python) -m mkdocs serve

check: $(venv)/.site ## Check the pages against programs and evidence, without building
	$(python) -m build_tools check

test: lint compile pytest ## Run everything that must pass before a change is taken

lint: $(venv)/.test pipelines ## Check formatting, lint, types, import contracts and pipelines
	$(python) -m ruff format --check .
	$(python) -m ruff check .
	$(python) -m mypy
	$(venv)/bin/lint-imports --no-logo
	$(if $(cuda_sources),$(venv)/bin/clang-format --dry-run --Werror $(cuda_sources))

pipelines: $(venv)/.test ## Check what code hosts and the gate run: schemas, permissions, pins, shell
	$(venv)/bin/check-jsonschema --builtin-schema vendor.github-workflows $(workflows)
	$(venv)/bin/zizmor --offline --quiet --persona pedantic $(workflows)
	$(venv)/bin/check-jsonschema --builtin-schema vendor.gitlab-ci .gitlab-ci.yml
	$(venv)/bin/gitlab-ci-verify --no-lint-api
	$(venv)/bin/shellcheck .ci/prepare .ci/run

compile: $(venv)/.test ## Compile every program
	@.ci/prepare command g++
	$(python) -m build_tools compile

pytest: $(venv)/.test ## Run the tests (PYTEST_ARGS="-k name" for some)
	@.ci/prepare command git
	@.ci/prepare command g++
	CHROMIUM="$$(.ci/prepare browser)" PYTHONWARNDEFAULTENCODING=1 \
		$(python) -m pytest --numprocesses $(JOBS) --dist loadfile $(PYTEST_ARGS)

bench-check: $(venv)/.site ## Measure how `course check` grows with the pages of a course
	$(python) tests/benchmarks/check_speed.py $(SIZES)

bench-sampling: $(venv)/.gpu ## Measure on a GPU whether reading its sensors slows down what is timed
	$(python) tests/benchmarks/sampling_cost.py $(PROGRAM)

bench: $(venv)/.site ## Measure a build beside that of the same site without our tools
	$(python) tests/benchmarks/build_speed.py $(SIZES)

lighthouse: $(venv)/.test site ## Ask Lighthouse (Node 20) for the scores of the site on a phone
	CHROMIUM="$$(.ci/prepare browser)" $(python) tests/benchmarks/lighthouse.py site $(lighthouse)

format: $(venv)/.test ## Format Python and CUDA sources in place
	$(python) -m ruff format .
	$(python) -m ruff check --fix .
	$(if $(cuda_sources),$(venv)/bin/clang-format -i $(cuda_sources))

reference: $(venv)/.site ## Write docs/reference from the code
	$(python) -m build_tools.command.reference

gpu: $(venv)/.gpu ## Add to .venv what a GPU machine needs to record evidence

lock: .venv-lock/.done ## Pin the dependencies again (UPGRADE=--upgrade takes newer ones)
	$(compile_lock) pyproject.toml --extra site --extra test --group build \
		--output-file requirements/test.txt
	$(compile_lock) pyproject.toml --extra site --group build \
		--constraint requirements/test.txt --output-file requirements/site.txt
	$(compile_lock) pyproject.toml --extra gpu --group build \
		--constraint requirements/test.txt --output-file requirements/gpu.txt
	$(compile_lock) --group lock --output-file requirements/lock.txt

clean: ## Remove the built site and the caches
	rm -rf site .site-* .site.lock build *.egg-info .cache .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find build_tools tests snippets -name __pycache__ -prune -exec rm -rf {} +

distclean: clean ## Remove the virtual environments too
	rm -rf .venv .venv-lock

# An environment that was moved or copied with the tree points to its old place.
ifneq ($(shell cat $(venv)/.made-in 2>/dev/null),$(CURDIR))
.PHONY: $(python)
endif
$(python):
	@.ci/prepare venv $(venv)

$(venv)/.site: $(python) requirements/site.txt pyproject.toml
	@echo "Installing what the site needs into $(venv)"
	@$(pip) --requirement requirements/site.txt
	@$(pip_project)
	@touch $@

$(venv)/.test: $(venv)/.site requirements/test.txt
	@echo "Installing what the tests need into $(venv)"
	@$(pip) --requirement requirements/test.txt
	@touch $@

$(venv)/.gpu: $(venv)/.site requirements/gpu.txt
	@echo "Installing what a GPU machine needs into $(venv)"
	@$(pip) --requirement requirements/gpu.txt
	@touch $@

.venv-lock/.done: requirements/lock.txt
	@.ci/prepare venv .venv-lock
	@.venv-lock/bin/python -m pip install --quiet --only-binary :all: --no-deps --require-hashes \
		--requirement requirements/lock.txt
	@touch $@
