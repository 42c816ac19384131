# make up: set up and run everything. make test, make lint: set up and check everything. make bench: measure.

PY := .venv/bin/python
PYTEST ?=
# Processes of a test run, for two processors: many tests wait, for a jail's limit, a lease or a browser.
PROCESSES ?= 4
export PATH := $(or $(MINDX_DATA),$(CURDIR)/.mindx)/bwrap/usr/bin:$(PATH)

# Where and when faults strike, and for how long at most.
FAULTS_SEED ?= 1
FAULTS_MINUTES ?= 60

.PHONY: up test test-deep extras extras-openai-agents test-extras faults lint bench bench-sandbox bench-review bench-live bench-pages bench-log bench-executor \
	bench-durable bench-scale bench-models bench-mind bench-memory bench-evolution bench-auditor bench-search \
	bench-recovery bench-parameters bench-everyday bench-bus bench-modular bench-backlog scienceworld bench-scienceworld mutate-sandbox train-entailment

up:
	@scripts/setup.sh requirements.txt
	@scripts/bubblewrap.sh
	@exec $(PY) -m mindx_web.supervisor --end-with-parent

# Browser tests are left out of a run by PYTEST='-m "not browser"'; anything else for pytest goes there too. Hundreds of
# processes start in one run: compiling what they import anew for each of them would be minutes of it.
test: export PYTHONDONTWRITEBYTECODE :=
test:
	@scripts/setup.sh requirements-test.txt
	@scripts/bubblewrap.sh
	@case '$(PYTEST)' in *"not browser"*) ;; *) scripts/chromium.sh ;; esac
	@# Else each of the processes compiles all of it, since they begin together.
	@$(PY) -m compileall -q -j 0 mindx_web review agents library people sandbox
	$(PY) -m pytest -n $(PROCESSES) --dist loadgroup $(PYTEST)

# Everything with new examples for property tests, and with every combination and text of which `make test` tries a share.
test-deep: export TESTS_DEEP := 1
test-deep:
	@$(MAKE) test PYTEST='--hypothesis-profile=search $(PYTEST)'

# Kills, stops and starves the real processes for up to an hour, then prints which faults landed and were survived.
faults:
	@scripts/setup.sh requirements-test.txt
	@scripts/bubblewrap.sh
	@rm -f faults.jsonl
	$(PY) -m pytest tests/faults --faults --faults-seed $(FAULTS_SEED) --faults-minutes $(FAULTS_MINUTES) \
		--faults-results faults.jsonl $(PYTEST)

# Frameworks whose agents can have goals (docs/frameworks.md). The OpenAI Agents SDK has an environment of its own.
extras:
	@scripts/setup.sh requirements.txt
	@scripts/setup.sh requirements-agents.txt

extras-openai-agents:
	@scripts/setup.sh requirements-openai-agents.txt .venv-openai-agents

# The tests that need them, or the official packages of MCP and A2A. `make test` leaves those out whose package is not
# there, and says so.
test-extras: extras extras-openai-agents
	@scripts/setup.sh requirements-interop.txt
	@scripts/setup.sh requirements-test.txt
	@scripts/bubblewrap.sh
	$(PY) -m pytest -n $(PROCESSES) --dist loadgroup -m extras $(PYTEST)

lint:
	@scripts/setup.sh requirements-test.txt
	scripts/lint.sh

bench: bench-sandbox bench-review bench-live bench-pages bench-log bench-executor bench-durable bench-scale bench-models bench-mind \
	bench-memory bench-evolution bench-auditor bench-search bench-recovery bench-parameters bench-everyday bench-bus bench-modular bench-backlog

bench-sandbox:
	@scripts/setup.sh requirements.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.sandbox

bench-review:
	@scripts/setup.sh requirements.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.review

bench-live:
	@scripts/setup.sh requirements.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.live

# Fills a database of its own with 100,000 goals and 10,000,000 log lines first; BENCH_PAGES='--lines 1500000' takes less.
BENCH_PAGES ?=
bench-pages:
	@scripts/setup.sh requirements.txt
	@$(PY) -m benchmarks.pages $(BENCH_PAGES)

# A log of 100 MB in a real Chromium.
bench-log:
	@scripts/setup.sh requirements-test.txt
	@scripts/bubblewrap.sh
	@scripts/chromium.sh chromium
	@$(PY) -m benchmarks.long_log

bench-executor:
	@scripts/setup.sh requirements.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.executor

# Our executor beside LangGraph, DBOS, procrastinate and Celery, which live in an environment of their own. Takes a
# quarter of an hour; BENCH_DURABLE='--rounds 3 --engines mindx langgraph' asks for less (docs/benchmarks.md).
BENCH_DURABLE ?=
BENCH_RUNNING ?=
bench-durable:
	@scripts/setup.sh requirements.txt
	@scripts/setup.sh requirements-bench.txt .venv-bench
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.durable $(BENCH_DURABLE)
	@$(PY) -m benchmarks.durable.running $(BENCH_RUNNING)

# What one ordinary goal costs the running application (docs/scale.md). Takes two minutes.
bench-scale:
	@scripts/setup.sh requirements.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.scale

# Requests of the bus that do nothing beside bare Celery calls and LangGraph, interleaved, and searches among 10,000
# members (docs/bus.md). BENCH_BUS='--rounds 2 --calls 500 --members 2000' asks for less.
BENCH_BUS ?=
bench-bus:
	@scripts/setup.sh requirements.txt
	@scripts/setup.sh requirements-bench.txt .venv-bench
	@$(PY) -m benchmarks.bus $(BENCH_BUS)

# What a step of a modular agent costs at 10 to 5,000 nodes beside LangGraph with its Postgres checkpointer, in turn, and a
# hundred workers killed at random moments (docs/modular.md). BENCH_MODULAR='--nodes 10 500 --kills 20' asks for less.
BENCH_MODULAR ?=
bench-modular:
	@scripts/setup.sh requirements-test.txt
	@scripts/setup.sh requirements-bench.txt .venv-bench
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.modular $(BENCH_MODULAR)

# How soon decisions take effect while 300 goals wait for workers and for a model that thinks for a minute; memory after
# 50 goals, and idleness (docs/benchmarks.md). Takes a quarter of an hour; BENCH_BACKLOG='--goals 60 --only backlog' asks
# for less, '--checkout FOLDER' measures another checkout.
BENCH_BACKLOG ?=
bench-backlog:
	@scripts/setup.sh requirements.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.backlog $(BENCH_BACKLOG)

# From perceiving to a stored intent plan by rules alone, with two hundred of them and five hundred beliefs.
bench-mind:
	@scripts/setup.sh requirements.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.mind $(BENCH_MIND)
	@$(PY) -m benchmarks.commitments

# What planning by a model costs beside the model, and its insights with a million calls (docs/benchmarks.md).
bench-models:
	@scripts/setup.sh requirements-test.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.models
	@$(PY) -m benchmarks.calls

# What memory is worth to plans by a model, and what it costs where it misleads (docs/benchmarks.md).
BENCH_MEMORY ?=
bench-memory:
	@scripts/setup.sh requirements-test.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.memory $(BENCH_MEMORY)
	@$(PY) -m benchmarks.memory_questions

# Ten improvements and ten planted regressions of rules at the replay gate and after it (docs/evolution.md).
bench-evolution:
	@scripts/setup.sh requirements.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.evolution

# Planted gaps, redundancies and risks: what an audit of the past finds of them (docs/evolution.md).
bench-auditor:
	@scripts/setup.sh requirements.txt
	@scripts/bubblewrap.sh
	@$(PY) -m benchmarks.auditor

# The library's search among 100,000 components. The first run embeds their sentences, which takes a quarter of an hour;
# BENCH_SEARCH='--components 20000' asks for less.
BENCH_SEARCH ?=
bench-search:
	@scripts/setup.sh requirements.txt
	@$(PY) -m benchmarks.library_search $(BENCH_SEARCH)

# How well recovery learns, in simulated worlds (docs/recovery.md). Takes a minute; BENCH_RECOVERY='--worlds 200' asks for less.
BENCH_RECOVERY ?=
bench-recovery:
	@scripts/setup.sh requirements.txt
	@$(PY) -m benchmarks.recovery $(BENCH_RECOVERY)

# The simulator ScienceWorld in an environment of its own, and Java for it. It is no part of what mindX needs to run.
scienceworld:
	@scripts/setup.sh requirements.txt
	@scripts/setup.sh requirements-scienceworld.txt .venv-scienceworld
	@scripts/debian.sh java default-jre-headless ScienceWorld

# Tasks of ScienceWorld by plan rules (docs/environments.md). BENCH_SCIENCEWORLD='--task melt --split all' asks for less;
# all tasks take most of an hour.
# Without it, the published setting and Table 1 follow for the two tasks that have published figures.
BENCH_SCIENCEWORLD ?=
PUBLISHED_TASKS := --task find-non-living-thing --task melt --split test
bench-scienceworld: scienceworld
ifeq ($(BENCH_SCIENCEWORLD),)
	@$(PY) -m benchmarks.scienceworld --split test
	@$(PY) -m benchmarks.scienceworld $(PUBLISHED_TASKS) --simplified
	@$(PY) -m benchmarks.scienceworld $(PUBLISHED_TASKS) --library 0,25,50,75,100
else
	@$(PY) -m benchmarks.scienceworld $(BENCH_SCIENCEWORLD)
endif

# Everyday goals in plain words, planned without a model and carried out (docs/starter-library.md). BENCH_EVERYDAY='--show
# --phrasing 1 --phrasing 2' shows what became of each; takes some minutes.
BENCH_EVERYDAY ?=
bench-everyday:
	@scripts/setup.sh requirements.txt
	@$(PY) -m benchmarks.everyday $(BENCH_EVERYDAY)

# Switches each of the sandbox's guards off in a copy and shows which attempts then get through. Takes minutes.
mutate-sandbox:
	@scripts/setup.sh requirements-test.txt
	@scripts/bubblewrap.sh
	@$(PY) -m tests.sandbox.escapes.mutate

# Imprecise commands of known meaning, understood without a model (docs/parameters.md). BENCH_PARAMETERS='--hand --show'
# tries those written by hand, '--file FILE --workspace FILE' those of others.
BENCH_PARAMETERS ?=
bench-parameters:
	@scripts/setup.sh requirements.txt
	@$(PY) -m benchmarks.parameters $(BENCH_PARAMETERS)

# The cross-encoder that rules may ask (docs/entailment.md): makes pairs, trains for up to TRAIN_MINUTES, chooses thresholds,
# puts the result into library/language/entailment and measures it. Needs torch's build for processors:
# PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu where pip finds it nowhere else.
ENTAILMENT_DATA ?= data/nli
ENTAILMENT_WORK ?= data/entailment
TRAIN_MINUTES ?= 90
train-entailment:
	@scripts/setup.sh requirements.txt
	@scripts/setup.sh requirements-train.txt .venv-train
	@scripts/debian.sh java default-jre-headless ScienceWorld
	@scripts/debian.sh /usr/share/wordnet/data.noun wordnet-base "Training of entailment"
	OMP_WAIT_POLICY=passive .venv-train/bin/python -m training.entailment $(ENTAILMENT_DATA) $(ENTAILMENT_WORK) \
		--minutes $(TRAIN_MINUTES)
	$(PY) -m training.entailment.calibrate $(ENTAILMENT_WORK)
	$(PY) -m training.entailment.measure $(ENTAILMENT_DATA) $(ENTAILMENT_WORK)
