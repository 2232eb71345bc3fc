# Everything happens in .venv, which the first run makes. `make help` lists what there is.
PYTHON ?= python3
ARGS ?=
EXTRAS ?=
CORPUS ?=
SIZE ?=
RUNS ?= 3
VENV := .venv
DEMO := .demo
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help run test lint bench screenshots clean venv

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /make \1: /p' Makefile

run: venv  ## start the app; without a display, train a sample and write a picture and the merges to .demo
	@if $(BIN)/python bpe_gui/display.py; then \
		$(BIN)/python .ci/qt_libraries.py $${DISPLAY:+xcb} $${WAYLAND_DISPLAY:+wayland} && \
		exec $(BIN)/bpe-gui $(ARGS); \
	else \
		$(BIN)/python .ci/qt_libraries.py offscreen && \
		echo "There is no display: DISPLAY and WAYLAND_DISPLAY are not set, or nothing answers there." && \
		echo "Training a sample off screen instead; these files show the result:" && \
		QT_QPA_PLATFORM=offscreen $(BIN)/bpe-gui --offscreen-demo $(DEMO) $(ARGS) && \
		{ $(BIN)/python -m core.kernels || true; }; \
	fi

test: venv  ## run the tests off screen; ARGS="-k word" picks some, EXTRAS=spark makes those on Spark run too
	@$(BIN)/python .ci/qt_libraries.py offscreen
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest $(ARGS)

lint: venv  ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/mypy

bench: venv  ## time ours and other tools in turn; CORPUS=file SIZE=1,10,100 RUNS=3, and more in ARGS="--help"
	@$(BIN)/python -c "import gigabpe, gigatoken" 2>/dev/null || \
		$(BIN)/python -m pip install --disable-pip-version-check -c .ci/constraints.txt -e .[bench] || \
		echo "Not all of the other tools could be installed; the benchmark leaves out those that are missing."
	$(BIN)/python tests/benchmarks $(if $(CORPUS),--corpus "$(CORPUS)") $(if $(SIZE),--size $(SIZE)) --runs $(RUNS) $(ARGS)

screenshots: venv  ## take the README's pictures anew
	@$(BIN)/python .ci/qt_libraries.py offscreen
	QT_QPA_PLATFORM=offscreen $(BIN)/bpe-gui --screenshots resources/screenshots

clean:  ## remove .venv and everything else that make made
	rm -rf $(VENV) $(DEMO) .bench build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find .ci bpe_gui core resources tests -name __pycache__ -prune -exec rm -rf {} +

venv:
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) here. Install Python 3.11 or newer, or name one: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) .ci/set_up.py $(VENV) $(EXTRAS)
