# SPDX-License-Identifier: MIT
# `make help` lists the targets.

SHELL := /bin/bash -o pipefail
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
PYTHON ?= /usr/bin/python3
ARGS ?=
STEP ?= 1
T ?= 30
ONLY ?=

# One set of flags for everything that is built for development, so that one build serves
# build, test, lab, docs and check. `make WARNINGS= test` builds with a compiler that warns
# about more than ours does.
WARNINGS ?= -Xswiftc -warnings-as-errors
DEBUG := $(WARNINGS)
RELEASE := -c release --static-swift-stdlib
DOCS := .build/docs
SOURCES := Package.swift Sources Tests Examples Benchmarks

.PHONY: help deps build build-release test swift-test integration faults crash cut lab simulate \
	model mutants play bench check lint \
	format docs asan tsan sanitized fuzz fuzz-tls hostile coverage install uninstall clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r target text; do printf '  %-14s %s\n' "$$target" "$$text"; done

deps: ## install the Debian packages that building and testing need; starts no service
	@scripts/deps build test

build: ## build the programs and libraries for development
	@scripts/deps build
	$(SWIFT) build $(DEBUG)

build-release: ## build optimised programs that need no Swift at run time
	@scripts/deps build
	$(SWIFT) build $(RELEASE) --product ttt
	$(SWIFT) build $(RELEASE) --product ttt-mdns

test: deps swift-test integration faults lab ## run every test that can run here

# Tests that compute, or that wait for a terminal, keep every thread busy; those that wait for
# sockets with real deadlines would starve beside them, so they run by themselves.
SOCKETS := OnlinePlayTests|ServiceDiscoveryTests\.ServiceDiscoveryTests|TableTests

swift-test:
	$(SWIFT) build $(DEBUG) --build-tests
	$(SWIFT) test $(DEBUG) --skip-build --skip '$(SOCKETS)'
	$(SWIFT) test $(DEBUG) --skip-build --filter '$(SOCKETS)'

# The programs under test are those that `swift build` makes.
integration: ## run the tests of the program on this machine
	@scripts/deps build test
	$(SWIFT) build $(DEBUG)
	$(PYTHON) scripts/run-tests Tests/Integration

faults: ## run the tests of the program while disks, processes and connections fail (needs root)
	@scripts/deps build test
	$(SWIFT) build $(DEBUG)
	$(PYTHON) scripts/run-tests Tests/Faults

crash: ## kill the program at each of its fsyncs, and let each fsync and write fail (2 minutes)
	@scripts/deps build test
	$(SWIFT) build $(DEBUG)
	$(PYTHON) Tests/Faults/crash.py

cut: ## cut a match's connection at every byte (half an hour); STEP=50 at every 50th
	@scripts/deps build test
	$(SWIFT) build $(DEBUG)
	$(PYTHON) Tests/Faults/cut.py $(STEP)

lab: ## run the tests of the program on several hosts in network namespaces (needs root)
	@scripts/deps build test
	$(SWIFT) build $(DEBUG)
	$(PYTHON) scripts/run-tests Tests/Lab

# The simulator is built as one module, which is much faster to run than the package's build.
SIMULATOR := .build/simulator/simulate
SIMULATED := $(wildcard Sources/SessionProtocol/* Sources/MatchProtocol/* Sources/TicTacToe/* \
	Tests/TestSupport/* Tests/Simulation/* Tests/Simulate/*) scripts/simulator
N ?= 20000

$(SIMULATOR): $(SIMULATED)
	scripts/simulator $@

simulate: $(SIMULATOR) ## play N matches with all that can fail, or SEED again, step by step
ifdef SEED
	@$(SIMULATOR) seed $(SEED) '$(WITHOUT)' $(STRIKES)
else
	@$(SIMULATOR) $(N) | tee .build/simulator/figures
	@# The same seeds in another process must go the same way, to the last bit.
	@[ $(N) -gt 20000 ] || \
		[ "$$($(SIMULATOR) $(N) | grep ^trace)" = "$$(grep ^trace .build/simulator/figures)" ]
endif

# Plies, crashes and cuts of each game that is searched; 1-2-2 takes some minutes.
SEARCH ?= 2-1-1 1-2-1 1-1-2

model: $(SIMULATOR) ## check the model of a match kept over cuts and crashes, and all of a short game
	@scripts/deps model
	@scripts/model
	@$(foreach search,$(SEARCH),$(SIMULATOR) search $(subst -, ,$(search)) &&) true

mutants: ## plant faults in the machines and the journal; the simulation must find each
	@scripts/mutants $(N)

play: build-release ## build and play: run it in two terminals
	@.build/release/ttt play $(ARGS)

bench: ## measure against a C program in the same run
	@scripts/deps build
	@Benchmarks/run

check: deps lint test simulate model docs fuzz fuzz-tls ## what CI runs (half an hour)
	$(MAKE) asan RINGS=--filter
	$(MAKE) tsan RINGS=--filter

lint: ## check the form of the sources and what no compiler checks
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)
	$(PYTHON) scripts/lint-sources

format: ## bring the sources into form
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

docs: ## build the reference and fail on a link that leads nowhere
	@scripts/deps build test
	scripts/docs $(DOCS) $(DEBUG)

asan: SANITIZER := address
asan: sanitized ## run the Swift tests under the address sanitizer

tsan: SANITIZER := thread
tsan: sanitized ## run the Swift tests under the thread sanitizer

sanitized: deps
	scripts/sanitize $(SANITIZER) '$(SOCKETS)' $(RINGS)

fuzz: ## feed what reads foreign bytes with random ones; T=5 for 5 seconds a target
	@scripts/deps build test
	$(PYTHON) scripts/fuzz $(T) frames session code match journal adverts commands display

fuzz-tls: ## the same for the host's side of TLS, before the peer has shown its key
	@scripts/deps build test
	$(PYTHON) scripts/fuzz $(T) tls

hostile: N = 1000
hostile: build-release ## attack the released program and say what it withstands; N=50 for less
	@scripts/deps build test
	@N=$(N) TTT_PROGRAM=$(CURDIR)/.build/release/ttt $(PYTHON) Tests/Hostile/hostile.py $(ONLY)

coverage: deps ## run the Swift tests and say what they cover
	$(SWIFT) test --enable-code-coverage --scratch-path .build/coverage
	scripts/coverage .build/coverage

install: build-release ## install into $(DESTDIR)$(PREFIX)
	install -D -m 755 .build/release/ttt $(DESTDIR)$(PREFIX)/bin/ttt
	install -D -m 755 .build/release/ttt-mdns $(DESTDIR)$(PREFIX)/libexec/ttt/ttt-mdns

uninstall: ## remove what install installed
	rm -f $(DESTDIR)$(PREFIX)/bin/ttt $(DESTDIR)$(PREFIX)/libexec/ttt/ttt-mdns

clean: ## remove everything that was built
	rm -rf .build
