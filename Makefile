# make            the program ./gpufft
# make check      every test that needs no GPU
# make help       the other targets
#
# CC, CFLAGS, LDFLAGS, PREFIX, DESTDIR as usual. WERROR= (empty) builds with a compiler that warns of
# more than this code's own do; BUILD=dir keeps object files apart.
VERSION := 0.1.0
BUILD   ?= build
PREFIX  ?= /usr/local
CFLAGS  ?= -O2 -g
WERROR  ?=
OPENMP  ?= -fopenmp
PKGS    := libpng libtiff-4 zlib jansson
PKG_CONFIG ?= pkg-config

need = $(if $(shell command -v $(1) 2>/dev/null),,$(error $(1) is missing: $(2)))
APT := apt-get install -y gcc make pkg-config libpng-dev libtiff-dev zlib1g-dev libjansson-dev
NO_TOOLS := clean help fmt
ifneq ($(filter-out $(NO_TOOLS),$(or $(MAKECMDGOALS),all)),)
  $(call need,$(firstword $(CC)),a C compiler; on Debian: $(APT))
  $(call need,$(PKG_CONFIG),pkg-config; on Debian: $(APT))
  MISSING := $(strip $(foreach p,$(PKGS),$(shell $(PKG_CONFIG) --exists $(p) || echo $(p))))
  ifneq ($(MISSING),)
    $(error development files are missing for: $(MISSING); on Debian: $(APT))
  endif
  PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS))
  PKG_LIBS   := $(shell $(PKG_CONFIG) --libs $(PKGS))
endif

ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -DGF_VERSION='"$(VERSION)"' -Wall -Wextra $(WERROR) -I. \
             $(OPENMP) $(PKG_CFLAGS) $(CFLAGS) $(SANITIZE)
ALL_LIBS   = $(PKG_LIBS) -lm -ldl -lpthread

CLI     := $(wildcard cli/*.c)
CORE    := $(wildcard core/*.c)
FORMATS := $(wildcard formats/*.c)
TESTS   := $(wildcard tests/test_*.c)
obj      = $(patsubst %.c,$(BUILD)/%.o,$(1))

# The CPU kernels are one source, built for each precision and instruction set; the running machine
# picks (core/backend_openmp.c). Level "plain" is whatever the compiler targets by itself.
ISAS := plain
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
  ISAS += v2 v3 v4
endif
ISA_plain :=
ISA_v2 := -march=x86-64-v2
ISA_v3 := -march=x86-64-v3 -mprefer-vector-width=256
ISA_v4 := -march=x86-64-v4 -mprefer-vector-width=512
KERNEL_CFLAGS := -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math -fno-signed-zeros
KERNELS := $(foreach i,$(ISAS),$(BUILD)/kernels/cpu/f32_$(i).o $(BUILD)/kernels/cpu/f64_$(i).o) \
           $(call obj,$(wildcard kernels/cpu/*.c))

BELOW := $(call obj,$(CORE)) $(call obj,$(FORMATS)) $(KERNELS)

.PHONY: all check check-full check-gpu lint fmt asan ubsan tsan fuzz bench install uninstall demo samples clean help
.DELETE_ON_ERROR:

all: gpufft

gpufft: $(call obj,$(CLI)) $(BELOW)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

define kernel_rule
$(BUILD)/kernels/cpu/f$(1)_$(2).o: kernels/cpu/kernels.inc
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) $$(KERNEL_CFLAGS) $$(ISA_$(2)) -DGF_REAL_BITS=$(1) -DGF_ISA=$(2) -MMD -MP -x c -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(foreach b,32 64,$(eval $(call kernel_rule,$(b),$(i)))))

$(BUILD)/test_%: $(BUILD)/tests/test_%.o $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(TESTS) $(wildcard tests/fuzz_*.c),$(wildcard tests/*.c))) $(BELOW)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(BUILD)/make_samples: $(call obj,$(wildcard samples/*.c)) $(BELOW)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

clean:
	rm -rf build build-* gpufft

fmt:
	clang-format -i $$(git ls-files '*.c' '*.h' '*.inc' '*.cl')

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d)
