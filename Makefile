# shmcoll: one non-recursive makefile. `make help` lists the targets.
V        ?= release
CC       ?= gcc
PREFIX   ?= /usr/local
DESTDIR  ?=
BUILD    := build/$(V)
PKGS     := hwloc yaml-0.1 jansson gsl
WARN     := -Wall -Wextra -Werror -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes
OPT_release := -O2 -g
OPT_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT_tsan    := -O1 -g -fsanitize=thread
CFLAGS   += -std=c11 -D_GNU_SOURCE -I. $(OPT_$(V)) -fPIC -fvisibility=hidden $(WARN) $(shell pkg-config --cflags $(PKGS))
LDFLAGS  += $(OPT_$(V))
LDLIBS   := $(shell pkg-config --libs $(PKGS)) -lnuma -lm -lpthread

LIB_SRC  := $(wildcard model/*.c model/protocol/*.c model/formats/*.c sim/*.c kernels/*.c)
CMD_SRC  := $(wildcard experiments/*.c)
BENCH_SRC := $(wildcard experiments/bench/*.c)
TEST_SRC := $(wildcard tests/*/test_*.c)
obj = $(patsubst %.c,$(BUILD)/%.o,$(1))

all: $(BUILD)/libshmcoll.a $(if $(CMD_SRC),$(BUILD)/shmcoll)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/libshmcoll.a: $(call obj,$(LIB_SRC))
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/shmcoll: $(call obj,$(CMD_SRC)) $(BUILD)/libshmcoll.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# A test is tests/DIR/test_NAME.c with all helpers of its directory: what is not itself a test or a fuzz target.
.SECONDEXPANSION:
test_helpers = $(call obj,$(filter-out tests/$(1)/test_%.c tests/$(1)/fuzz_%.c,$(wildcard tests/$(1)/*.c)))
$(BUILD)/tests/%: $(BUILD)/tests/%.o $$(call test_helpers,$$(*D)) $(BUILD)/libshmcoll.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

TESTS := $(patsubst %.c,$(BUILD)/%,$(TEST_SRC))
tests: $(TESTS)

.PHONY: all tests clean
clean:
	rm -rf build out
-include $(shell find build -name '*.d' 2>/dev/null)
