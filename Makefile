# laggard: build, install, try, test. `make help` lists the targets.

SHELL    := /bin/bash
GO       ?= go
CC       ?= gcc
PREFIX   ?= /usr/local
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
B        := $(CURDIR)/build
BIN      := $(CURDIR)/bin
LDFLAGS  := -ldflags '-X main.version=$(VERSION)'
CFLAGS   ?= -O2 -g
SAME     := -ffile-prefix-map=$(CURDIR)=. -frandom-seed=laggard # the same bytes wherever it is built
RECORDER := $(CFLAGS) $(SAME) -std=gnu11 -Wall -Wextra -Werror -fPIC -fvisibility=hidden \
            -fexceptions -fasynchronous-unwind-tables -Irecorder -I$(B)/recorder -include recorder/oldest.h
LTO      ?= -flto -flto-partition=none # a call goes through four files of the recorder: 3 ns; oldest.h has no parts
# Older C libraries keep threads and dlopen in libraries of their own, which newer ones still have, empty.
THREADS  := -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--as-needed

.PHONY: help build arm64 package-arm64 deps demo test test-go test-mpi test-e2e test-slurm test-browser test-ends test-all test-kills test-steady test-attach test-platforms test-arm64 test-race test-sanitizers lint bench bench-volume bench-movement bench-usage bench-scale dyninst-helper \
        deps-demo deps-slurm deps-platforms demo-run fuzz install install-files package clean

build: $(BIN)/laggard $(BIN)/liblaggard.so $(BIN)/liblaggard-libc.so $(BIN)/laggard-mpi $(BIN)/laggard-mpich dyninst-helper ## everything into bin/

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

SOURCES := $(filter-out recorder/libc/%,$(wildcard recorder/*/*.c))
HEADERS := $(wildcard recorder/*.h recorder/*/*.h) $(B)/recorder/mpi/numbers.h
OBJECTS := $(patsubst recorder/%.c,$(B)/recorder/%.o,$(SOURCES)) $(B)/recorder/mpi/table.o $(B)/recorder/start/wrappers.o
GOFILES := $(shell find . -path ./build -prune -o -name '*.go' -print) go.mod go.sum python/laggard_pytest.py

GENERATED := $(addprefix $(B)/recorder/,mpi/numbers.h mpi/table.c start/wrappers.c)
$(GENERATED) &: model/mpi/functions.tbl $(wildcard model/mpi/*.go) $(wildcard recorder/gen/*.go)
	$(GO) run ./recorder/gen $(B)/recorder

$(B)/recorder/%.o: recorder/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(RECORDER) $(LTO) -c $< -o $@

$(B)/recorder/%.o: $(B)/recorder/%.c $(HEADERS)
	$(CC) $(RECORDER) -c $< -o $@

$(BIN)/liblaggard.so: $(OBJECTS)
	@mkdir -p $(BIN)
	$(CC) $(CFLAGS) $(SAME) $(LTO) -shared -o $@ $^ $(THREADS) -Wl,-z,now -Wl,-z,defs -Wl,-soname,liblaggard.so

# A library of its own: functions of the C library are interposed only where that is wanted.
$(B)/recorder/libc/%.o: recorder/libc/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(RECORDER) -c $< -o $@

$(BIN)/liblaggard-libc.so: $(patsubst recorder/%.c,$(B)/recorder/%.o,$(wildcard recorder/libc/*.c))
	@mkdir -p $(BIN)
	$(CC) $(CFLAGS) $(SAME) -shared -o $@ $^ $(THREADS) -Wl,-z,now -Wl,-z,defs -Wl,-soname,liblaggard-libc.so

$(BIN)/laggard: $(GOFILES)
	CGO_ENABLED=0 GOARCH=$(ARCH) $(GO) build -trimpath -buildvcs=false $(LDFLAGS) -o $@ ./mpiapp

# The same rules with another compiler; what they make is kept apart.
ARCH     ?= $(shell $(GO) env GOARCH)
ARM64_CC ?= aarch64-linux-gnu-gcc
ARM64    := ARCH=arm64 CC=$(ARM64_CC) B=$(B)/arm64 BIN=$(B)/arm64/bin

arm64: ## laggard and the recorder for aarch64, into build/arm64/bin (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
	$(MAKE) --no-print-directory $(ARM64) \
	  $(addprefix $(B)/arm64/bin/,laggard liblaggard.so liblaggard-libc.so)

package-arm64: ## the same packages for aarch64, into build/arm64/packages
	$(MAKE) --no-print-directory $(ARM64) package

# gompi names libmpi; for MPICH that name is given to its library at link time.
OMPI_CC   = $(shell command -v mpicc.openmpi)
MPICH_CC  = $(shell command -v mpicc.mpich)
MPICH_LIB = $(firstword $(wildcard /usr/lib/*/libmpich.so /usr/lib64/mpich/lib/libmpi.so))
MPICH_INC = $(firstword $(wildcard /usr/include/*/mpich /usr/include/mpich-x86_64))
MPICH_ENV = CGO_CFLAGS=-I$(MPICH_INC) CGO_LDFLAGS=-L$(B)/mpich

$(BIN)/laggard-mpi: $(GOFILES)
	@if [ -z "$(OMPI_CC)" ]; then echo 'laggard-mpi is left out: no OpenMPI (Debian: libopenmpi-dev)'; \
	else set -x; CGO_ENABLED=1 $(GO) build -tags mpi $(LDFLAGS) -o $@ ./mpiapp; fi

$(BIN)/laggard-mpich: $(GOFILES)
	@if [ -z "$(MPICH_CC)" ]; then echo 'laggard-mpich is left out: no MPICH (Debian: libmpich-dev)'; \
	else mkdir -p $(B)/mpich; ln -sfn $(MPICH_LIB) $(B)/mpich/libmpi.so; set -x; \
	CGO_ENABLED=1 $(MPICH_ENV) $(GO) build -tags mpi $(LDFLAGS) -o $@ ./mpiapp; fi

# The helper needs Dyninst 13 (DYNINST_ROOT, or the usual places); laggard works without it.
HELPER := $(wildcard slicing/dyninst/helper/*)

dyninst-helper: $(BIN)/laggard-dyninst ## the helper of slice --backend dyninst, if Dyninst is found

$(BIN)/laggard-dyninst: $(HELPER)
	@mkdir -p $(BIN) $(B)
	@if ! command -v cmake >/dev/null; then echo 'laggard-dyninst is left out: no cmake'; \
	elif ! cmake -S slicing/dyninst/helper -B $(B)/dyninst >$(B)/dyninst.log 2>&1; then \
	  echo "laggard-dyninst is left out: $$(grep -m1 -A2 -E '^ *(Dyninst is not found|Could not find a package|Could NOT find)' $(B)/dyninst.log | tr -s '\n ' ' ')"; \
	else cmake --build $(B)/dyninst && cp $(B)/dyninst/laggard-dyninst $@; fi

# ---- what the machine must have ----

# need names Debian packages; as root they are installed, otherwise it is said
# which to install.
define need
	@command -v $(GO) >/dev/null || { echo 'Go is missing: install it from go.dev/dl'; exit 1; }
	@missing=''; \
	if command -v dpkg >/dev/null; then \
	  for p in $(1); do dpkg -s $$p 2>/dev/null | grep -q '^Status: install ok' || missing="$$missing $$p"; done; \
	else \
	  for c in $(2); do command -v $$c >/dev/null || missing="$$missing $$c"; done; \
	fi; \
	[ -z "$$missing" ] && exit 0; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  echo "installing:$$missing"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >$(B)/apt.log 2>&1 \
	    || { tail -5 $(B)/apt.log; exit 1; }; \
	elif command -v apt-get >/dev/null; then \
	  echo "missing:$$missing"; echo "install with: sudo apt-get install$$missing"; exit 1; \
	else \
	  echo "missing:$$missing (Debian's names are: $(1))"; exit 1; \
	fi
endef

PLATFORM_PACKAGES := debootstrap qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross
DEMO_PACKAGES := gcc libc6-dev openmpi-bin libopenmpi-dev
TEST_PACKAGES := $(DEMO_PACKAGES) g++ gfortran mpich libmpich-dev lammps lammps-examples binutils gcc-aarch64-linux-gnu g++-aarch64-linux-gnu gfortran-aarch64-linux-gnu qemu-user-static strace shellcheck elfutils gdb clang llvm chromium python3-mpi4py python3-numpy python3-petsc4py python3-pytest
SLURM_PACKAGES := slurm-wlm munge

$(B):
	@mkdir -p $@

deps: | $(B) ## install what building and testing need
	$(call need,$(TEST_PACKAGES),gcc g++ gfortran mpicc mpirun lmp)

deps-slurm: | $(B)
	$(call need,$(SLURM_PACKAGES),slurmctld slurmd munged sbatch)

deps-platforms: | $(B)
	$(call need,$(PLATFORM_PACKAGES),debootstrap)

deps-demo: | $(B)
	$(call need,$(DEMO_PACKAGES),gcc mpicc mpirun)

# ---- try it ----

MPICC  = $(firstword $(shell command -v mpicc.openmpi mpicc))
MPIRUN = $(firstword $(shell command -v mpirun.openmpi mpirun))
ROOT_FLAGS = $(shell [ "$$(id -u)" = 0 ] && echo --allow-run-as-root)

demo: deps-demo ## run a real program of 16 ranks that hangs, and see why
	@$(MAKE) --no-print-directory $(BIN)/laggard $(BIN)/liblaggard.so
	@$(MAKE) --no-print-directory demo-run

demo-run:
	@mkdir -p $(B)/demo
	@$(MPICC) -g -O1 -o $(B)/demo/halo mpiapp/testdata/programs/demo.c -lm
	@rm -rf $(B)/demo/run
	@echo '$$ laggard run --timeout 10s -- mpirun -np 16 ./halo   (rank 11 will get stuck; it takes some seconds)'
	@TMPDIR=$(B)/demo timeout 120 $(BIN)/laggard run --exit-code -o $(B)/demo/run --timeout 10s -- \
	  $(MPIRUN) $(ROOT_FLAGS) --oversubscribe -np 16 $(B)/demo/halo; [ $$? = 3 ] # 3: the job hung, as it is meant to

# ---- checks ----

test: deps ## everything; installs what is missing
	@$(MAKE) --no-print-directory build lint test-go test-mpi test-browser test-e2e test-slurm

test-go: ## what needs no MPI
	$(GO) test -timeout 30m ./...

# The reductions under real MPI, by the suite that the in-process ones pass.
test-mpi: | $(B)
	$(GO) test -c -tags mpi -o $(B)/reduce.openmpi.test ./reduce
	@mkdir -p $(B)/mpich $(B)/tmp-mpi && ln -sfn $(MPICH_LIB) $(B)/mpich/libmpi.so
	$(MPICH_ENV) $(GO) test -c -tags mpi -o $(B)/reduce.mpich.test ./reduce
	for n in 1 5 9; do TMPDIR=$(B)/tmp-mpi timeout 120 mpirun.openmpi $(ROOT_FLAGS) --oversubscribe -np $$n $(B)/reduce.openmpi.test || exit 1; done
	for n in 1 4; do TMPDIR=$(B)/tmp-mpi timeout 120 mpirun.mpich -np $$n $(B)/reduce.mpich.test || exit 1; done

# Hundreds of real jobs are started and killed here, and launchers fail now and
# then by themselves: up to three failed cases get one more try, and the report
# names them. A fault of ours fails again.
test-e2e: ## real MPI programs with known hangs, recorded and diagnosed
	$(GO) tool gotestsum --format pkgname --rerun-fails=1 --rerun-fails-max-failures=3 --packages=./mpiapp/e2e/... -- -tags e2e -parallel 4 -timeout 60m

# Where Slurm cannot be installed, the test says so and is skipped. One more try
# as above.
test-slurm: deps ## the job scripts, on a Slurm of its own with four nodes
	@$(MAKE) --no-print-directory build
	-@$(MAKE) --no-print-directory deps-slurm
	$(GO) tool gotestsum --format pkgname --rerun-fails=1 --rerun-fails-max-failures=3 --packages=./mpiapp/e2e -- -tags e2e,slurm -count=1 -timeout 10m -run '^TestSlurm$$'

# Longer than make test may take; LAGGARD_TRIALS says how often, LAGGARD_SEED which
# ranks and moments, LAGGARD_LOAD how many busy processes run beside.
test-ends: ## ranks of real programs killed, stopped or ended at random: who is named (docs/accuracy.md)
	$(GO) test -tags e2e,long ./mpiapp/e2e -run '^(TestEnds|TestBeforeInit)$$' -v -count=1 -timeout 6h

test-all: ## test-e2e with every case on each MPI, where test-e2e has one on this and the next on that
	LAGGARD_ALL=1 $(MAKE) --no-print-directory test-e2e

test-kills: ## all ranks killed at 1,000 random moments: what is left is readable
	LAGGARD_KILLS=500 $(GO) test -tags e2e ./mpiapp/e2e -run '^TestKilled$$' -count=1 -timeout 6h

test-steady: ## healthy jobs beside heavy CPU and disk load: none may be ended or suspected
	$(GO) test -tags e2e,long ./mpiapp/e2e -run '^TestSteady$$' -v -count=1 -timeout 6h

test-attach: ## more hangs that nobody recorded, attach killed 200 times beside a job, 512 ranks, LAMMPS
	$(GO) test -tags e2e,long ./mpiapp/e2e -run '^TestAttach(Long|Many|LAMMPS)$$' -v -count=1 -timeout 1h

test-platforms: deps-platforms build arm64 ## the same binaries on other releases of Debian (needs root; LAGGARD_SUITES names some)
	$(GO) test -tags platforms ./mpiapp/platforms -v -count=1 -timeout 6h

test-arm64: deps ## slices of all programs for AArch64, under an emulator
	LAGGARD_ALL=1 $(GO) test ./slicing/native -run '^TestAccuracyArm64$$' -v -count=1 -timeout 2h

test-race: ## what needs no MPI, under Go's race detector
	$(GO) test -race -timeout 60m ./...

# AddressSanitizer's runtime is linked into the recorder, which comes first of all libraries, as the runtime must. The
# library for functions of the C library stays plain: those are called before the runtime is ready. Two tortures are
# left out under it: it takes more address space than one leaves, and it refuses dlopen with RTLD_DEEPBIND.
SANITIZED := ^Test(Tortures|FullDisk|ClosedDescriptors|Handlers|Usage|UsageOfThreads|Volume|ChangedBuffers)$$
ASAN := -static-libasan -Wl,--whole-archive $(shell $(CC) -print-file-name=libasan.a) -Wl,--no-whole-archive -lstdc++ -lm
SANITIZED_RUN = LAGGARD_LIBRARY=$(B)/$(1)/bin/liblaggard.so $(2) \
  $(GO) test -tags e2e ./mpiapp/e2e -run '$(SANITIZED)' $(3) -count=1 -timeout 2h

test-sanitizers: deps build ## the recorder itself built with UBSan, then with AddressSanitizer, under real MPI programs
	$(MAKE) --no-print-directory B=$(B)/undefined BIN=$(B)/undefined/bin LTO= \
	  CFLAGS='-O1 -g -fsanitize=undefined -fno-sanitize-recover=all' $(B)/undefined/bin/liblaggard.so
	$(MAKE) --no-print-directory B=$(B)/address BIN=$(B)/address/bin LTO= THREADS='$(ASAN) $(THREADS)' \
	  CFLAGS='-O1 -g -fsanitize=address' $(B)/address/bin/liblaggard.so
	cp $(BIN)/liblaggard-libc.so $(B)/undefined/bin && cp $(BIN)/liblaggard-libc.so $(B)/address/bin
	$(call SANITIZED_RUN,undefined)
	$(call SANITIZED_RUN,address,ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0,-skip '//(opens_libraries|little_memory)$$')

test-browser: ## the page of the report, every control, in a real browser
	$(GO) test -tags browser -timeout 20m ./mpiapp/browser

# go test -list prints a package's targets and then its name. All take about an hour.
FUZZTIME ?= 100s

fuzz: | $(B) ## every fuzz target, each for FUZZTIME (100s); a target that fails does not stop the others
	@set -e -o pipefail; \
	$(GO) test -list '^Fuzz' ./... | awk '/^Fuzz/ {f[++n] = $$1} /^ok/ {while (n) print $$2, f[n--]}' >$(B)/fuzz.txt; \
	failed=; while read -r package target; do \
	  echo "$$package $$target"; \
	  $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package </dev/null || failed+=" $$target"; \
	done <$(B)/fuzz.txt; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

lint: $(BIN)/liblaggard.so $(BIN)/liblaggard-libc.so ## formatting, vet, staticcheck, import directions, what the C library must have
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	CGO_ENABLED=0 GOARCH=arm64 $(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) test ./mpiapp -run '^TestImportDirections$$'
	$(GO) test ./recorder/floors

install: build install-files ## into PREFIX (default /usr/local)
	install -m 755 $(wildcard $(BIN)/laggard-mpi $(BIN)/laggard-mpich) $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(wildcard $(BIN)/laggard-dyninst) $(DESTDIR)$(PREFIX)/lib/laggard || true

# What needs nothing of the machine: neither an MPI nor another C library.
install-files: $(BIN)/laggard $(BIN)/liblaggard.so $(BIN)/liblaggard-libc.so
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/laggard
	install -m 755 $(BIN)/laggard $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BIN)/liblaggard.so $(BIN)/liblaggard-libc.so $(DESTDIR)$(PREFIX)/lib/laggard
	install -d $(DESTDIR)$(PREFIX)/share/laggard/python
	install -m 644 python/laggard_pytest.py python/pyproject.toml python/README.md $(DESTDIR)$(PREFIX)/share/laggard/python
	CGO_ENABLED=0 $(GO) run $(LDFLAGS) ./mpiapp manual $(DESTDIR)$(PREFIX)/share

NFPM     = $(GO) run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.44.2
RELEASE  = $(patsubst v%,%,$(VERSION))
PACKAGES = $(B)/packages
COMMITTED  = $(shell git log -1 --format=%ct)

package: ## tarball, .deb and .rpm of what runs everywhere, into build/packages; the same bytes each time
	rm -rf $(PACKAGES) && mkdir -p $(PACKAGES)
	$(MAKE) --no-print-directory install-files DESTDIR=$(PACKAGES)/stage PREFIX=/usr
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$(COMMITTED) -C $(PACKAGES)/stage --transform 's,^usr,laggard-$(RELEASE),' \
	  -cf - usr | gzip -n >$(PACKAGES)/laggard-$(RELEASE).tar.gz
	for kind in deb rpm; do ARCH=$(ARCH) STAGE=$(PACKAGES)/stage VERSION=0.0.0+$(RELEASE) SOURCE_DATE_EPOCH=$(COMMITTED) CGO_ENABLED=0 \
	  $(NFPM) package --config configs/package/nfpm.yaml --packager $$kind --target $(PACKAGES) || exit 1; done
	rm -rf $(PACKAGES)/stage
	sha256sum $(PACKAGES)/*

clean:
	rm -rf $(BIN) $(B)

# ---- figures (docs/benchmarks.md); nothing else should run meanwhile ----

LAMMPS_IN := /usr/share/lammps/examples/crack/in.crack
BENCH = $(GO) run ./recorder/bench -lib $(BIN)/liblaggard.so

bench: deps ## what the recorder and the diagnosis cost
	@$(MAKE) --no-print-directory build
	mpicc.openmpi -O2 -g recorder/bench/testdata/percall.c -o $(B)/percall.openmpi
	mpicc.mpich -O2 -g recorder/bench/testdata/percall.c -o $(B)/percall.mpich
	$(BENCH) -cpu 1 -pairs 15 -percall $(B)/percall.openmpi
	$(BENCH) -cpu 1 -pairs 15 -percall $(B)/percall.mpich
	mpicxx.openmpi -O2 -g recorder/bench/testdata/perthrow.cc -o $(B)/perthrow
	$(BENCH) -cpu 1 -pairs 15 -percall $(B)/perthrow
	mkdir -p $(B)/lammps && cp $(LAMMPS_IN) $(B)/lammps/
	cd $(B)/lammps && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(GO) run -C $(CURDIR) ./recorder/bench \
	  -lib $(BIN)/liblaggard.so -pairs 45 -name 'LAMMPS crack, 2 ranks' -- mpirun.openmpi --bind-to none -np 2 lmp -in $(B)/lammps/in.crack -log none

bench-usage: deps ## what recording every call's arguments costs (run --record usage)
	@$(MAKE) --no-print-directory build
	mpicc.openmpi -O2 -g recorder/bench/testdata/percall.c -o $(B)/percall.openmpi
	mpicc.openmpi -O2 -g recorder/bench/testdata/loop.c -o $(B)/loop.openmpi
	$(BENCH) -record usage -cpu 1 -pairs 15 -percall $(B)/percall.openmpi
	mkdir -p $(B)/lammps && cp $(LAMMPS_IN) $(B)/lammps/
	cd $(B)/lammps && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(GO) run -C $(CURDIR) ./recorder/bench -record usage \
	  -lib $(BIN)/liblaggard.so -pairs 45 -name 'LAMMPS crack, 4 ranks' -- mpirun.openmpi --oversubscribe --bind-to none -np 4 lmp -in $(B)/lammps/in.crack -log none
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(BENCH) -record usage -pairs 15 -name 'exchange and sum, 2 ranks' -- \
	  mpirun.openmpi --bind-to none -np 2 $(B)/loop.openmpi 300000

# A program that does nothing but send: blocks of 1 KB from all to all.
bench-volume: deps ## what recording the volume of communication costs
	@$(MAKE) --no-print-directory build
	mpicc.openmpi -O2 -g recorder/bench/testdata/percall.c -o $(B)/percall.openmpi
	mpicc.mpich -O2 -g recorder/bench/testdata/percall.c -o $(B)/percall.mpich
	mpicc.openmpi -O2 -g mpiapp/testdata/programs/scaling/allgather.c -o $(B)/allgather
	$(BENCH) -record volume -cpu 1 -pairs 15 -percall $(B)/percall.openmpi
	$(BENCH) -record volume -cpu 1 -pairs 15 -percall $(B)/percall.mpich
	mkdir -p $(B)/lammps && cp $(LAMMPS_IN) $(B)/lammps/
	cd $(B)/lammps && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(GO) run -C $(CURDIR) ./recorder/bench -record volume \
	  -lib $(BIN)/liblaggard.so -pairs 45 -name 'LAMMPS crack, 2 ranks' -- mpirun.openmpi --bind-to none -np 2 lmp -in $(B)/lammps/in.crack -log none
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(BENCH) -record volume -pairs 25 -name 'allgather over TCP, 2 ranks' -- \
	  mpirun.openmpi --bind-to none --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include lo -np 2 $(B)/allgather 20000 1024

# What a recorded event of data movement costs, and what the recording does to a
# program that computes and one that communicates.
MOVEMENT_BENCH = OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
  $(GO) run -C $(CURDIR) ./recorder/bench -record movement -lib $(BIN)/liblaggard.so

bench-movement: deps ## what recording data movements costs
	@$(MAKE) --no-print-directory build
	mpicc.openmpi -O2 -g -fno-builtin-memcpy recorder/bench/testdata/permove.c -o $(B)/permove
	$(MOVEMENT_BENCH) -cpu 1 -pairs 15 -percall $(B)/permove
	mkdir -p $(B)/lammps && cp $(LAMMPS_IN) $(B)/lammps/
	cd $(B)/lammps && $(MOVEMENT_BENCH) -pairs 25 -name 'LAMMPS crack, 4 ranks' -- \
	  mpirun.openmpi --bind-to none --oversubscribe -np 4 lmp -in $(B)/lammps/in.crack -log none
	mpicc.openmpi -O2 -g -fno-builtin-memcpy mpiapp/testdata/programs/move_header.c -o $(B)/move_header
	$(MOVEMENT_BENCH) -pairs 25 -name 'messages only, 4 ranks' -- mpirun.openmpi --bind-to none --oversubscribe -np 4 $(B)/move_header good 20000
	$(GO) test ./analysis/movement -run '^$$' -bench 'Chains|Distances' -benchtime 1x -cpu 1

bench-scale: deps ## time of a diagnosis against ranks, as a plot (docs/scale.svg)
	@$(MAKE) --no-print-directory build
	$(GO) run ./mpiapp/bench -laggard $(BIN)/laggard -o docs/scale.svg \
	  -mpi "mpirun.openmpi $(ROOT_FLAGS) --oversubscribe -np % $(BIN)/laggard-mpi"
