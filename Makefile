# shmcoll: one non-recursive makefile. `make help` lists the targets.
V        ?= release
ifeq ($(origin CC),default)
CC       := gcc
endif
PREFIX   ?= /usr/local
DESTDIR  ?=
OUT      ?= out
VERSION  := 0.1.0
SOVERSION := 0
BUILD    := build/$(V)
.DEFAULT_GOAL := all
JOBS     ?= $(shell nproc 2>/dev/null || echo 2)

# Flags of the libraries; written by the dependency step, so that nothing is asked before it is installed.
# Targets that build nothing do not trigger it.
ifneq ($(filter-out help clean layers,$(or $(MAKECMDGOALS),all)),)
include build/config.mk
endif
build/config.mk: deps.sh
	@mkdir -p $(@D)
	@./deps.sh build > $@.new || { rm -f $@.new; exit 1; }
	@mv $@.new $@

WERROR   ?= -Werror
WARN     := -Wall -Wextra $(WERROR) -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes
OPT_release := -O2 -g
OPT_asan    := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT_tsan    := -O1 -g1 -fsanitize=thread
# Ranks that end at a chosen step, for the tests in tests/faults only.
OPT_fault   := -O0 -g1 -DSHMCOLL_FAULT_POINTS
ifeq ($(OPT_$(V)),)
$(error V=$(V) is unknown: use release, asan, tsan or fault)
endif
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -DSHMCOLL_VERSION='"$(VERSION)"' -I. $(OPT_$(V)) -fPIC $(WARN) $(PKG_CFLAGS) $(CFLAGS)
ALL_LIBS   = $(GSL_LIBS) $(LIB_LIBS)

LIB_SRC   := $(wildcard model/*.c model/protocol/*.c model/channel/*.c model/schedule/*.c model/formats/*.c sim/*.c partition/*.c kernels/*.c kernels/channels/*.c)
# With these only tests of the kernels are built, which simulate nothing.
ifneq ($(filter tsan fault,$(V)),)
LIB_SRC   := $(filter-out sim/% partition/% model/goal_% model/formats/%,$(LIB_SRC)) $(wildcard model/formats/presets*.c)
endif
CMD_SRC   := $(wildcard experiments/*.c)
# Parts that the MPI benchmark is linked with.
BENCH_PARTS := experiments/bench/contender.c experiments/bench/contest.c experiments/bench/p2p_plan.c experiments/bench/compare_options.c
BENCH_SRC := $(filter-out experiments/bench/mpi_% $(BENCH_PARTS),$(wildcard experiments/bench/*.c))
MPI_SRC   := $(wildcard experiments/bench/mpi_*.c)
TEST_SRC  := $(filter-out tests/stress/% tests/faults/%,$(wildcard tests/*/test_*.c))
FAULT_SRC := $(if $(filter fault,$(V)),$(wildcard tests/faults/test_*.c))
STRESS_SRC := $(wildcard tests/stress/test_*.c)
GUEST_SRC := $(wildcard tests/numa_guest/guest_*.c)
# Helpers, linked with every test of their directory: what is not itself a test, a fuzz target or a program of the guest.
HELP_SRC  := $(foreach f,$(wildcard tests/*/*.c),$(if $(filter test_% fuzz_% guest_%,$(notdir $(f))),,$(f)))
obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
INTERNAL  := $(BUILD)/internal.a
COMMAND   := $(BUILD)/shmcoll
TESTS     := $(patsubst %.c,$(BUILD)/%,$(TEST_SRC))
STRESS    := $(patsubst %.c,$(BUILD)/%,$(STRESS_SRC))
FAULTS    := $(patsubst %.c,$(BUILD)/%,$(FAULT_SRC))
# Fuzz targets without a fuzzer.
REPLAYS   := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
GUESTS    := $(patsubst %.c,$(BUILD)/%,$(GUEST_SRC))
BENCHES   := $(patsubst %.c,$(BUILD)/%,$(BENCH_SRC))
MPI_BENCHES := $(patsubst %.c,$(BUILD)/%.openmpi,$(MPI_SRC)) $(patsubst %.c,$(BUILD)/%.mpich,$(MPI_SRC))
# Objects of the command without its main, for tests of experiments/.
CMD_PARTS := $(filter-out experiments/main.c,$(CMD_SRC))

## all: the libraries and the shmcoll command (V=release|asan|tsan, CC=gcc|clang)
all: $(INTERNAL) $(if $(wildcard experiments/main.c),$(COMMAND))

$(BUILD)/%.o: %.c | build/config.mk
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Everything, for the command and the tests; what is installed shows the public symbols only.
$(INTERNAL): $(call obj,$(LIB_SRC))
	@rm -f $@
	$(AR) rcs $@ $^

$(COMMAND): $(call obj,$(CMD_SRC)) $(INTERNAL)
	$(CC) $(OPT_$(V)) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

.SECONDEXPANSION:
# A bare % would be replaced by the stem before the second expansion.
percent := %
$(TESTS) $(STRESS) $(FAULTS) $(GUESTS): $(BUILD)/%: $(BUILD)/%.o $$(filter $$(dir $$@)$$(percent),$(call obj,$(HELP_SRC))) $(INTERNAL)
	$(CC) $(OPT_$(V)) $(LDFLAGS) -o $@ $(filter %.o,$^) $(INTERNAL) $(ALL_LIBS) -lcmocka
# Stress tests and those of faults use the helpers of the kernels' tests.
$(STRESS) $(FAULTS): $(filter $(BUILD)/tests/kernels/%,$(call obj,$(HELP_SRC)))

# Its allocations fail when it says so.
$(BUILD)/tests/partition/test_no_memory: LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=mmap,--wrap=SCOTCH_contextAlloc,--wrap=SCOTCH_contextExit

# Tests of the command's parts link them as well.
$(filter $(BUILD)/tests/cli/% $(BUILD)/tests/experiments/%,$(TESTS)): $(call obj,$(CMD_PARTS))

$(REPLAYS): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/tests/fuzz/replay.o $(call obj,$(CMD_PARTS)) $(INTERNAL)
	$(CC) $(OPT_$(V)) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(BENCHES): $(BUILD)/%: $(BUILD)/%.o $(INTERNAL)
	$(CC) $(OPT_$(V)) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(BUILD)/%.openmpi: %.c $(call obj,$(BENCH_PARTS)) $(INTERNAL) | build/config.mk
	@mkdir -p $(@D)
	OMPI_CC=$(CC) mpicc.openmpi $(ALL_CFLAGS) -o $@ $(filter %.c %.o,$^) $(INTERNAL) $(LIB_LIBS)
$(BUILD)/%.mpich: %.c $(call obj,$(BENCH_PARTS)) $(INTERNAL) | build/config.mk
	@mkdir -p $(@D)
	MPICH_CC=$(CC) mpicc.mpich $(ALL_CFLAGS) -o $@ $(filter %.c %.o,$^) $(INTERNAL) $(LIB_LIBS)

tests: $(TESTS)
# Those of some directories: tests-kernels, tests-model and so on.
tests-%: $$(filter $$(BUILD)/tests/$$*/$$(percent),$$(TESTS)) ;
stress-programs: $(STRESS)
fault-programs: $(FAULTS)
guest-programs: $(GUESTS)
bench-programs: $(BENCHES)
replay-programs: $(REPLAYS)

## demo: calibrate this host, then predict, simulate, run and compare; figures and data in out/
demo: deps-figures
	@$(MAKE) --no-print-directory -s -j$(JOBS) V=release all
	@experiments/demo.sh build/release/shmcoll $(OUT)

## check: build and run every test, with sanitizers too (under 8 minutes)
check: deps-check
	@tests/run_check.sh "$(MAKE)" $(JOBS)

## stress: full products, kill tests and fuzzing (under 40 minutes)
stress: deps-check deps-stress
	@tests/run_stress.sh "$(MAKE)" $(JOBS)

## bench: measured claims of speed, beside Open MPI, MPICH and SimGrid (under 30 minutes; QUICK=1: under 3; LOGGOPSIM=PATH: that too)
bench: deps-bench
	@$(MAKE) --no-print-directory -s -j$(JOBS) V=release all bench-programs $(MPI_BENCHES)
	@experiments/bench/run_bench.sh build/release $(OUT) $(if $(QUICK),--quick)

## figures: every figure and table that needs no long measurement, as pdf, svg, png and csv in out/
figures: deps-figures
	@$(MAKE) --no-print-directory -s -j$(JOBS) V=release all
	@build/release/shmcoll figure all -o $(OUT)

## layers: check who includes whom, and that libraries neither print nor exit
layers:
	@tests/run_layers.sh

deps-%: build/config.mk
	@./deps.sh $*

# The installed libraries: one object in which only the names in shmcoll.sym are global.
$(BUILD)/libshmcoll.o: $(call obj,$(LIB_SRC)) shmcoll.sym
	$(LD) -r -o $@ $(call obj,$(LIB_SRC))
	objcopy --keep-global-symbols=shmcoll.sym $@
$(BUILD)/libshmcoll.a: $(BUILD)/libshmcoll.o
	@rm -f $@
	$(AR) rcs $@ $^
$(BUILD)/shmcoll.map: shmcoll.sym
	@{ echo 'SHMCOLL_$(SOVERSION) { global:'; sed '/^#/d; /^$$/d; s/$$/;/' $<; echo 'local: *; };'; } > $@
$(BUILD)/libshmcoll.so.$(SOVERSION): $(call obj,$(LIB_SRC)) $(BUILD)/shmcoll.map
	$(CC) -shared $(OPT_$(V)) $(LDFLAGS) -Wl,-soname,$(@F) -Wl,--version-script=$(BUILD)/shmcoll.map -Wl,--no-undefined \
	    -o $@ $(call obj,$(LIB_SRC)) $(LIB_LIBS)
$(BUILD)/shmcoll.pc: Makefile
	@printf '%s\n' 'prefix=$(PREFIX)' 'Name: shmcoll' \
	    'Description: collectives over shared memory of NUMA nodes: cost model, simulator and kernels' 'Version: $(VERSION)' \
	    'Libs: -L$${prefix}/lib -lshmcoll' 'Libs.private: $(LIB_LIBS)' \
	    'Cflags: -I$${prefix}/include/shmcoll' > $@
$(BUILD)/shmcoll.1: $(COMMAND)
	$(COMMAND) --generate man > $@
$(BUILD)/shmcoll.bash: $(COMMAND)
	$(COMMAND) --generate bash > $@

# What embeds the library may include; the rest is internal.
PUBLIC_HEADERS := $(addprefix model/,node.h tree.h tree_joined.h step.h protocol.h scenario.h segment_layout.h bcast_cost.h \
    schedule.h numbering.h fat_tree.h loggp.h network.h channel.h channel/channel_shape.h channel/channel_thresholds.h \
    formats/node_load.h formats/node_yaml.h formats/presets.h) \
    $(addprefix partition/,graph.h partition.h partitioner.h bound.h hierarchy.h mapping.h) \
    $(addprefix kernels/,comm.h copy.h allgather_schedule.h channels/endpoint.h)
I = $(DESTDIR)$(PREFIX)
## install: command, libraries, headers, pkg-config file, manual page and completion (PREFIX, DESTDIR)
install: $(addprefix $(BUILD)/,shmcoll libshmcoll.a libshmcoll.so.$(SOVERSION) shmcoll.pc shmcoll.1 shmcoll.bash)
	install -d $(I)/bin $(I)/lib/pkgconfig $(I)/share/man/man1 $(I)/share/bash-completion/completions $(I)/share/shmcoll/plots
	install $(COMMAND) $(I)/bin/
	install -m 644 $(BUILD)/libshmcoll.a $(BUILD)/libshmcoll.so.$(SOVERSION) $(I)/lib/
	ln -sf libshmcoll.so.$(SOVERSION) $(I)/lib/libshmcoll.so
	install -m 644 $(BUILD)/shmcoll.pc $(I)/lib/pkgconfig/
	install -m 644 $(BUILD)/shmcoll.1 $(I)/share/man/man1/
	install -m 644 $(BUILD)/shmcoll.bash $(I)/share/bash-completion/completions/shmcoll
	install -m 644 $(wildcard plots/*.gp) $(wildcard plots/published*.csv) $(I)/share/shmcoll/plots/
	for h in $(PUBLIC_HEADERS); do install -D -m 644 $$h $(I)/include/shmcoll/$$h || exit 1; done

## clean: remove what was built
clean:
	rm -rf build out

## help: this list
help:
	@sed -n 's/^## \([a-z]*\): /\1\t/p' Makefile | expand -t 10

.PHONY: all tests stress-programs fault-programs guest-programs bench-programs replay-programs demo check stress bench figures layers install clean help
-include $(patsubst %.o,%.d,$(call obj,$(LIB_SRC) $(CMD_SRC) $(TEST_SRC) $(STRESS_SRC) $(FAULT_SRC) $(GUEST_SRC) $(HELP_SRC) $(wildcard tests/fuzz/fuzz_*.c) $(BENCH_SRC) $(BENCH_PARTS)))
