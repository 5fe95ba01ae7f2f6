# laggard: build, install, try, test. `make help` lists the targets. What needs more than a few commands is in scripts/.

SHELL    := /bin/bash
GO       ?= go
CC       ?= gcc
PREFIX   ?= /usr/local
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
ARCH     ?= $(shell $(GO) env GOARCH)
B        := $(CURDIR)/build
BIN      := $(CURDIR)/bin
# The program, its tests and the checks are compiled with the same flags, so that what one has compiled the others use.
export CGO_ENABLED := 0
export GOFLAGS := $(strip -trimpath $(GOFLAGS))
LDFLAGS  := -ldflags '-s -w -X main.version=$(VERSION)' # without debug information: ten of 37 MB
CFLAGS   ?= -O2 -g
SAME     := -ffile-prefix-map=$(CURDIR)=. -frandom-seed=laggard # the same bytes wherever it is built
RECORDER := $(CFLAGS) $(SAME) -std=gnu11 -Wall -Wextra -Werror -fPIC -fvisibility=hidden \
            -fexceptions -fasynchronous-unwind-tables -Irecorder -I$(B)/recorder -include recorder/oldest.h
LTO      ?= -flto -flto-partition=none # a call goes through four files of the recorder: 3 ns; oldest.h has no parts
# Older C libraries keep threads and dlopen in libraries of their own, which newer ones still have, empty.
LIBRARY   = -shared -o $@ $^ $(SANITIZER) -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--as-needed \
            -Wl,-z,now -Wl,-z,defs -Wl,-soname,$(@F)
# Debug information goes into a file beside the library, where gdb finds it: each rank's node reads less, and copies are small.
OBJCOPY   = $(shell $(CC) -print-prog-name=objcopy)
SPLIT     = cd $(@D) && $(OBJCOPY) --only-keep-debug $(@F) $(@F).debug && \
            $(OBJCOPY) --strip-unneeded --add-gnu-debuglink=$(@F).debug $(@F)
Q        := $(if $(V),,@)# make V=1 shows the commands
SAY       = @printf '  %-3s %s\n' $(1) '$(patsubst $(CURDIR)/%,%,$(2))'
MORE     := $(MAKE) --no-print-directory
LIBRARIES := liblaggard.so liblaggard-libc.so liblaggard-before.so liblaggard-behind.so

.PHONY: help build arm64 package-arm64 dyninst-helper install install-files package clean deps demo bench fuzz lint \
        test test-go test-mpi test-browser test-e2e test-slurm test-long

build: $(addprefix $(BIN)/,laggard $(LIBRARIES) laggard-mpi laggard-mpich) dyninst-helper ## everything into bin/ (V=1 shows the commands)

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# ---- the recorder, in C ----

SOURCES := $(filter-out recorder/libc/%,$(wildcard recorder/*/*.c))
HEADERS := $(wildcard recorder/*.h recorder/*/*.h) $(addprefix $(B)/recorder/,format.h mpi/numbers.h python/layouts.h)
OBJECTS := $(patsubst recorder/%.c,$(B)/recorder/%.o,$(SOURCES)) $(B)/recorder/mpi/table.o $(B)/recorder/start/wrappers.o

GENERATED := $(addprefix $(B)/recorder/,format.h mpi/numbers.h mpi/table.c python/layouts.h slowdown/functions.h start/wrappers.c)
$(GENERATED) &: $(wildcard model/mpi/*.tbl model/format/*.tbl binary/cpython/* model/mpi/*.go model/format/*.go recorder/gen/*.go model/format/schema/*.go)
	$(call SAY,GEN,$(GENERATED))
	$(Q)$(GO) run ./recorder/gen $(B)/recorder

$(B)/recorder/%.o: recorder/%.c $(HEADERS)
	$(call SAY,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(RECORDER) $(LTO) -c $< -o $@

$(B)/recorder/%.o: $(B)/recorder/%.c $(HEADERS)
	$(call SAY,CC,$<)
	$(Q)$(CC) $(RECORDER) -c $< -o $@

$(BIN)/liblaggard.so: $(OBJECTS)
	$(call SAY,LD,$@)
	@mkdir -p $(BIN)
	$(Q)$(CC) $(CFLAGS) $(SAME) $(LTO) $(LIBRARY)
	$(Q)$(SPLIT)

# A library of its own: functions of the C library are interposed only where that is wanted.
$(B)/recorder/libc/%.o: LTO :=
$(BIN)/liblaggard-libc.so: $(patsubst recorder/%.c,$(B)/recorder/%.o,$(wildcard recorder/libc/*.c))
	$(call SAY,LD,$@)
	@mkdir -p $(BIN)
	$(Q)$(CC) $(CFLAGS) $(SAME) $(LIBRARY)
	$(Q)$(SPLIT)

# What makes a rank slow in a campaign (laggard inject), before the recorder and behind it.
$(B)/slowdown/%.o: injector/slowdown/%.c injector/slowdown/slowdown.h $(B)/recorder/slowdown/functions.h
	$(call SAY,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(RECORDER) -c $< -o $@

$(B)/slowdown/entries.o: injector/slowdown/entries.S $(B)/recorder/slowdown/functions.h
	$(call SAY,AS,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAME) -I$(B)/recorder -c $< -o $@

$(BIN)/liblaggard-before.so: $(addprefix $(B)/slowdown/,before.o entries.o files.o) $(BIN)/liblaggard-behind.so
$(BIN)/liblaggard-behind.so: $(B)/slowdown/behind.o
$(BIN)/liblaggard-before.so $(BIN)/liblaggard-behind.so:
	$(call SAY,LD,$@)
	@mkdir -p $(BIN)
	$(Q)$(CC) $(CFLAGS) $(SAME) $(LIBRARY)
	$(Q)$(SPLIT)

# ---- the program, in Go ----

GOFILES := $(shell find . -path ./build -prune -o -name '*.go' -print) go.mod go.sum python/laggard_pytest.py

$(BIN)/laggard: $(GOFILES)
	$(call SAY,GO,$@)
	$(Q)GOARCH=$(ARCH) $(GO) build -buildvcs=false $(LDFLAGS) -o $@ ./mpiapp

$(BIN)/laggard-mpi: MPI := openmpi
$(BIN)/laggard-mpich: MPI := mpich
$(BIN)/laggard-mpi $(BIN)/laggard-mpich: $(GOFILES)
	$(Q)if ! command -v mpicc.$(MPI) >/dev/null; then echo '  $(@F) is left out: no $(MPI) (Debian: lib$(MPI)-dev)'; \
	else echo '  GO  bin/$(@F)'; scripts/go-mpi $(MPI) build $(LDFLAGS) -o $@ ./mpiapp; fi

dyninst-helper: $(BIN)/laggard-dyninst ## the helper of slice --backend dyninst, if Dyninst is found

$(BIN)/laggard-dyninst: $(wildcard slicing/dyninst/helper/*)
	$(Q)scripts/build-dyninst-helper $@

# The same rules with another compiler; what they make is kept apart.
ARM64_CC ?= aarch64-linux-gnu-gcc
ARM64    := ARCH=arm64 CC=$(ARM64_CC) B=$(B)/arm64 BIN=$(B)/arm64/bin

arm64: ## laggard and the recorder for aarch64, into build/arm64/bin (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
	@$(MORE) $(ARM64) $(addprefix $(B)/arm64/bin/,laggard $(LIBRARIES))

# ---- install ----

install: build install-files ## into PREFIX (default /usr/local)
	for f in $(BIN)/laggard-mpi $(BIN)/laggard-mpich; do [ ! -e $$f ] || install -m 755 $$f $(DESTDIR)$(PREFIX)/bin || exit 1; done
	[ ! -e $(BIN)/laggard-dyninst ] || install -m 755 $(BIN)/laggard-dyninst $(DESTDIR)$(PREFIX)/lib/laggard

# What needs nothing of the machine: neither an MPI nor another C library.
install-files: $(addprefix $(BIN)/,laggard $(LIBRARIES))
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin lib/laggard share/laggard/python)
	install -m 755 $(BIN)/laggard $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(addprefix $(BIN)/,$(LIBRARIES)) $(DESTDIR)$(PREFIX)/lib/laggard
	install -m 644 $(patsubst %,$(BIN)/%.debug,$(LIBRARIES)) $(DESTDIR)$(PREFIX)/lib/laggard
	install -m 644 python/laggard_pytest.py python/laggard_build.py python/pyproject.toml python/README.md $(DESTDIR)$(PREFIX)/share/laggard/python
	$(GO) run $(LDFLAGS) ./mpiapp manual $(DESTDIR)$(PREFIX)/share

package: ## tarball, .deb and .rpm of what runs everywhere, into build/packages; the same bytes each time
	scripts/build-packages $(B)/packages $(VERSION) $(ARCH)

package-arm64: ## the same packages for aarch64, into build/arm64/packages
	@$(MORE) $(ARM64) package

clean:
	rm -rf $(BIN) $(B)

# ---- try, test, measure; deps, demo and test install what is missing, as root on a Debian ----

PACKAGES ?= test

deps: ## install what building and testing need (PACKAGES=slurm, platforms, long: what those tests need)
	@scripts/install-packages $(PACKAGES)

demo: ## run a real program of 16 ranks that hangs, and see why; installs gcc and Open MPI
	@scripts/install-packages demo
	@$(MORE) $(BIN)/laggard $(BIN)/liblaggard.so
	@scripts/run-demo

# Without Slurm test-slurm is skipped. The report counts the skipped tests of all suites.
test: deps ## everything; installs what is missing
	-@scripts/install-packages slurm
	@rm -rf $(B)/tests
	@$(MORE) build lint test-go test-mpi test-browser test-e2e test-slurm; status=$$?; \
	$(GO) run ./scripts/testreport $(B)/tests && exit $$status

# Hundreds of real jobs are started and killed in test-e2e and test-slurm, and launchers fail now and then by themselves:
# up to eight failed cases of some 1,300 get one more try, by then on a quiet machine. A fault of ours fails again, and the report
# names each that needed it.
SUITE = @mkdir -p $(B)/tests && $(GO) tool gotestsum --format pkgname --jsonfile $(B)/tests/$@.json
RETRY = --rerun-fails=1 --rerun-fails-max-failures=8

test-go: ## what needs no MPI
	$(SUITE) -- -timeout 30m ./...

test-mpi: ## the reductions, under real MPI
	@scripts/test-mpi

test-browser: ## the page of the report, every control, in a real browser
	$(SUITE) -- -tags browser -timeout 20m ./mpiapp/browser

test-e2e: ## real MPI programs with known hangs, recorded and diagnosed
	$(SUITE) $(RETRY) --packages=./mpiapp/e2e/... -- -tags e2e -parallel 4 -timeout 60m

test-slurm: build ## the job scripts, on a Slurm of its own with four nodes
	$(SUITE) $(RETRY) --packages=./mpiapp/e2e -- -tags e2e,slurm -count=1 -timeout 20m -run '^(TestSlurm|TestSlurmEnding|TestSlurmSteps|TestSignalsSlurm)$$'

test-long: $(if $(RUN),build) ## what takes longer than test may: RUN=NAME; without a name, a list
	@scripts/test-long $(RUN)

fuzz: ## every fuzz target, each for FUZZTIME (100s)
	@scripts/fuzz

lint: $(addprefix $(BIN)/,$(LIBRARIES)) ## formatting, vet, staticcheck, shellcheck, dead code, import directions, what the C library must have
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	GOARCH=arm64 $(GO) vet ./...
	$(GO) tool staticcheck ./...
	scripts/find-dead-code
	$(GO) test ./mpiapp -run '^(TestImportDirections|TestMayImport|TestScriptsPassShellcheck)$$'
	$(GO) test ./recorder/floors

bench: build ## what recording costs, for docs/results/benchmarks.md (RUN=usage, volume, movement; RUN=scale: a diagnosis, for docs/results/scale.svg)
	@scripts/bench $(RUN)
