# make            the program ./gpufft
# make check      every test that needs no GPU (tests/check)
# make help       the other targets
#
# CC, CFLAGS, LDFLAGS, PREFIX, LIBDIR and DESTDIR as usual. HARDEN= (empty) turns off stack protection,
# fortified calls and position independence. WERROR=-Werror turns warnings into errors.
# BUILD=dir puts the object files elsewhere.
VERSION := 0.1.0
BUILD   ?= build
PREFIX  ?= /usr/local
CFLAGS  ?= -O2 -g
WERROR  ?=
OPENMP  ?= -fopenmp
PKGS    := libpng libtiff-4 libjpeg zlib jansson expat
# Optional: halves the time that PNG compression takes. ISAL= builds without it.
ISAL    ?= libisal
PKG_CONFIG ?= pkg-config
# VkFFT for `gpufft bench`: a header-only library that needs CUDA's headers. `make VKFFT=DIR` takes
# DIR/vkFFT.h (CUDA=DIR names CUDA's folder). A packaged one (libvkfft-dev) is used if CUDA's
# headers are installed; VKFFT= builds without it.
CUDA  ?= /usr/local/cuda
VKFFT ?= $(if $(wildcard $(CUDA)/include/cuda.h),$(patsubst %/vkFFT.h,%,$(wildcard /usr/include/vkFFT.h)))

# make V=1 shows the commands in full.
V ?= 0
say = @$(if $(filter 0,$(V)),printf '  %-5s %s\n' $(1) $@;,echo '$(subst ','\'',$(2))';) $(2)

need = $(if $(shell command -v $(1) 2>/dev/null),,$(error $(1) is missing: $(2)))
APT := apt-get install -y $(shell head -n 1 tests/packages)
# Goals that need a compiler.
BUILDS := $(filter-out windows check-windows clean help fmt uninstall dist sdist debian-source check-packages,$(or $(MAKECMDGOALS),all))
ifneq ($(BUILDS),)
  $(call need,$(firstword $(CC)),a C compiler; on Debian: $(APT))
  $(call need,$(PKG_CONFIG),pkg-config; on Debian: $(APT))
  MISSING := $(strip $(foreach p,$(PKGS) vulkan,$(shell $(PKG_CONFIG) --exists $(p) || echo $(p))))
  ifneq ($(MISSING),)
    $(error development files are missing for: $(MISSING); on Debian: $(APT))
  endif
  WITH_ISAL := $(if $(ISAL),$(shell $(PKG_CONFIG) --exists $(ISAL) && echo $(ISAL)))
  PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) $(WITH_ISAL)) $(if $(WITH_ISAL),-DGF_WITH_ISAL)
  PKG_LIBS   := $(shell $(PKG_CONFIG) --libs $(PKGS) $(WITH_ISAL))
endif

# Hardening: each flag that the compiler and the linker accept. Fortified calls need optimisation
# and hide errors from the sanitizers; CC or CFLAGS may define their level.
HARDEN ?= 1
comma  := ,
takes   = $(shell t=$$(mktemp); echo 'int main(void) { return 0; }' | \
            $(CC) -Werror $(1) -x c - -o $$t 2>/dev/null && echo '$(1)'; rm -f $$t)
ifneq ($(and $(HARDEN),$(BUILDS)),)
  WITH_PIE := $(call takes,-fPIE -pie)
  H_LINK   := $(filter -pie,$(WITH_PIE)) $(call takes,-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now)
  H_CODE   := $(foreach f,-fstack-protector-strong -fstack-clash-protection,$(call takes,$(f)))
  ifneq ($(if $(findstring _FORTIFY_SOURCE,$(CC) $(CFLAGS))$(SANITIZE),,$(filter -O1 -O2 -O3 -Os -Og -Ofast,$(CFLAGS))),)
    H_CODE += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(if \
              $(call takes,-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -include string.h),3,2)
  endif
endif

# libtiff, libjpeg and expat are loaded by these names when the first file that needs them is opened.
# An empty name (TIFF_SONAME=, JPEG_SONAME=, EXPAT_SONAME=) links the library instead.
soname = $(shell readelf -d "$$($(CC) -print-file-name=$(1))" 2>/dev/null | \
           sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
ifneq ($(BUILDS),)
  TIFF_SONAME ?= $(call soname,libtiff.so)
  JPEG_SONAME ?= $(call soname,libjpeg.so)
  EXPAT_SONAME ?= $(call soname,libexpat.so)
  TIFF_SONAME := $(TIFF_SONAME)
  JPEG_SONAME := $(JPEG_SONAME)
  EXPAT_SONAME := $(EXPAT_SONAME)
  AS_NEEDED   := $(if $(TIFF_SONAME)$(JPEG_SONAME)$(EXPAT_SONAME),$(call takes,-Wl$(comma)--as-needed))
endif
soname_flags = $(foreach l,TIFF JPEG EXPAT,$(if $($(l)_SONAME),-DGF_$(l)_SONAME='"$($(l)_SONAME)"'))

BARE_CFLAGS = -std=c11 -D_GNU_SOURCE -Wall -Wextra $(WERROR) -I.
ALL_CFLAGS = $(BARE_CFLAGS) -DGF_VERSION='"$(VERSION)"' $(OPENMP) $(PKG_CFLAGS) $(soname_flags) \
             -fPIC -fvisibility=hidden $(H_CODE) $(CFLAGS) $(SANITIZE)
ALL_LDFLAGS = $(H_LINK) $(AS_NEEDED) $(LDFLAGS)
SYSTEM_LIBS ?= -lm -ldl -lpthread
ALL_LIBS   = $(PKG_LIBS) $(SYSTEM_LIBS)

CLI     := $(wildcard cli/*.c cli/*/*.c)
# `make mpi` builds the MPI plugin as a shared object.
# core/base/host/windows has what POSIX has elsewhere.
CORE    := $(filter-out core/mpi/plugin.c $(if $(WINDOWS),,core/base/host/windows/%),$(wildcard core/*/*.c core/*/*/*.c core/*/*/*/*.c))
FORMATS := $(filter-out $(if $(WITH_ISAL),,formats/png/codec_isal.c),$(wildcard formats/*.c formats/*/*.c))
TESTS   := $(wildcard tests/*/test_*.c)
FUZZ    := $(wildcard tests/fuzz/fuzz_*.c)
READERS := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(FUZZ))
# REUSE=dir links that build's objects, except those of the sources in the list OWN.
REUSE ?=
OWN   ?=
from     = $(if $(REUSE),$(if $(filter $(OWN),$(1)),$(BUILD),$(REUSE)),$(BUILD))
obj      = $(foreach f,$(1),$(call from,$(f))/$(f:.c=.o))
# The fault injector: a driver, and a shim that it preloads into the program. Neither links anything else.
FAULTS  := $(filter-out tests/faults/shim.c,$(wildcard tests/faults/*.c))
# Shared code of the tests, linked to every test. They read the environment as the program does.
SUPPORT := $(filter-out $(TESTS) $(FUZZ) tests/faults/% tests/mpi/% tests/windows/% tests/cli/near.c,$(wildcard tests/*/*.c)) cli/environment.c

# The CPU kernels are one source, compiled for each precision and instruction set; the program picks
# one at run time (core/cpu/backend_openmp.c). "plain" is the compiler's default target.
ISAS := $(if $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),v4 v3 v2) plain
ISA_plain :=
ISA_v2 := -march=x86-64-v2
ISA_v3 := -march=x86-64-v3 -mprefer-vector-width=256
ISA_v4 := -march=x86-64-v4 -mprefer-vector-width=512
# -g1: functions and lines, but no variables, which are a third of the compiler's time here.
KERNEL_CFLAGS := -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math $(patsubst -g,-g1,$(filter -g,$(CFLAGS)))
$(BUILD)/kernels/%: H_CODE := # slows the loops
# Threads may have small stacks: no function takes more than 64 KiB. Sanitizers and -O0 need more.
LEAN := $(if $(SANITIZE)$(filter -O0,$(CFLAGS)),,$(call takes,-Werror=frame-larger-than=65536))
$(BUILD)/cli/% $(BUILD)/core/% $(BUILD)/formats/% $(BUILD)/kernels/%: ALL_CFLAGS += $(LEAN)
$(BUILD)/kernels/cpu/exact.o: ALL_CFLAGS += -O3
$(BUILD)/core/compare/correlate.o $(BUILD)/core/restore/richardson.o $(BUILD)/core/restore/tiles.o: ALL_CFLAGS += -O3 -fno-math-errno -fno-trapping-math # vectors
$(BUILD)/core/cpu/backend_c.o: ALL_CFLAGS += -fno-tree-vectorize -fno-tree-slp-vectorize # a baseline
KERNELS := $(foreach i,$(ISAS),$(foreach b,32 64,$(call obj,kernels/cpu/f$(b)_$(i).c))) \
           $(call obj,$(wildcard kernels/cpu/*.c))

# The tests run once: they compile in a third of the time if their loops are not optimized, and with no more than lines.
TEST_CFLAGS := $(patsubst -O2,-Og,$(filter -O2,$(CFLAGS))) $(patsubst -g,-g1,$(filter -g,$(CFLAGS)))
$(patsubst %.c,$(BUILD)/%.o,$(TESTS)): ALL_CFLAGS += $(TEST_CFLAGS)

# The GPU kernels' sources are embedded in the program (core/gpu/cache/kernel_source.h).
EMBEDDED := $(wildcard kernels/*.cl kernels/*.h kernels/gl/*)
# A checksum of the planner is embedded too: kept plans are valid for one planner and its kernels.
PLANNER := $(sort $(wildcard core/gpu/plan/*.[ch]))
define embed
{ echo '#include "core/gpu/cache/kernel_source.h"'; \
	  echo 'const struct gf_kernel_file gf_kernel_files[] = {'; \
	  for f in $(EMBEDDED); do echo "{\"$${f##*/}\", \"$${f#kernels/}\", (const unsigned char[]){"; \
	    od -An -v -tx1 $$f | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'; echo '0}},'; done; \
	  echo '{0, 0, 0}};'; \
	  echo "const char gf_planner_sum[] = \"$$(cat $(PLANNER) $(EMBEDDED) | cksum | tr ' ' -)\";"; } >$@
endef

# A font, scripts, lessons in the order of `gpufft demo`, and the samples that these start from are embedded too
# (cli/embedded.h).
LESSONS := peaks lowpass highpass notch descreen phase gibbs window aliasing convolution deblur wavelets volume passes \
           match resolution register stripes paint
LESSON_SAMPLES := halftone.png head.tif scene.png scene-noise.png scene-stripes.png strokes.png shake.png still.png \
                  still-grain.png zoneplate.png
INSIDE := cli/plot/strokes.font $(wildcard cli/commands/completion/*) $(LESSONS:%=cli/demo/lessons/%.md) \
          $(LESSON_SAMPLES:%=samples/%)
define embed_files
{ echo '#include "cli/embedded.h"'; n=0; \
	  for f in $(INSIDE); do n=$$((n + 1)); echo "static const unsigned char s$$n[] = {"; \
	    od -An -v -tu1 $$f | sed 's/ *\([0-9][0-9]*\)/\1,/g'; echo '0};'; done; \
	  echo 'const struct gf_embedded gf_embedded_files[] = {'; n=0; \
	  for f in $(INSIDE); do n=$$((n + 1)); echo "{\"$${f##*/}\", s$$n, s$$n + sizeof s$$n - 1},"; done; \
	  echo '{0, 0, 0}};'; } >$@
endef

ifneq ($(VKFFT),)
  $(BUILD)/core/vendor/vkfft.o: ALL_CFLAGS += -DGF_WITH_VKFFT -isystem $(VKFFT) -isystem $(CUDA)/include -Wno-error
  ALL_LIBS += -L$(CUDA)/lib64 -L$(CUDA)/lib64/stubs -lcudart -lnvrtc -lcuda
endif

BELOW := $(call obj,$(CORE)) $(call obj,$(FORMATS)) $(KERNELS) $(call obj,kernels_embedded.c)

.PHONY: all library examples mpi man completions check test build-sanitized build-without-isal long-programs check-all \
        check-long check-full check-compare check-destripe check-directcompute check-formats check-gpu check-mpi \
        check-packages check-peers check-psd check-python check-register check-restore coverage faults lint fmt asan \
        ubsan tsan fuzz bench bench-mpi install install-library uninstall demo samples dist sbom sdist debian-source \
        debian clean help
.DELETE_ON_ERROR:
.SECONDARY:

## all: the program ./gpufft
all: gpufft

# The kernels come first, and the slowest of them: with -j2 both processors are busy to the end.
gpufft build-windows/gpufft.exe build-asan/gpufft build-lint/gpufft build-tsan/gpufft build-coverage/gpufft: $(KERNELS) $(BELOW) $(call obj,$(CLI) files_embedded.c)
	$(call say,LINK,$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS))

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<)

# Depends on the folders as well, so that removing a kernel rebuilds the table.
$(BUILD)/kernels_embedded.c: $(EMBEDDED) $(PLANNER) kernels kernels/gl core/gpu/cache/kernel_source.h
	@mkdir -p $(@D)
	$(call say,EMBED,$(embed))

$(BUILD)/kernels_embedded.o: $(BUILD)/kernels_embedded.c
	$(call say,CC,$(CC) $(ALL_CFLAGS) -c -o $@ $<)

$(BUILD)/files_embedded.c: $(INSIDE)
	@mkdir -p $(@D)
	$(call say,EMBED,$(embed_files))

$(BUILD)/files_embedded.o: $(BUILD)/files_embedded.c cli/embedded.h
	$(call say,CC,$(CC) $(ALL_CFLAGS) -c -o $@ $<)

define kernel_rule
$(BUILD)/kernels/cpu/f$(1)_$(2).o: kernels/cpu/kernels.inc
	@mkdir -p $$(@D)
	$$(call say,CC,$$(CC) $$(ALL_CFLAGS) $$(KERNEL_CFLAGS) $$(ISA_$(2)) -DGF_REAL_BITS=$(1) -DGF_ISA=$(2) -MMD -MP -x c -c -o $$@ $$<)
endef
$(foreach i,$(ISAS),$(foreach b,32 64,$(eval $(call kernel_rule,$(b),$(i)))))

# A test links what it calls of the program, without debug information (TEST_LDFLAGS= keeps it): a third of the time.
TEST_LDFLAGS ?= $(if $(SANITIZE),,-Wl,-S)
$(BUILD)/tests.a: $(call obj,$(SUPPORT)) $(BELOW)
	$(call say,AR,rm -f $@ && $(AR) rcs $@ $^)

define test_rule
$(BUILD)/$(basename $(notdir $(1))): $(call obj,$(1)) $(BUILD)/tests.a
	$$(call say,LINK,$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) $$(TEST_LDFLAGS) -o $$@ $$(filter-out %.a,$$^) $$(filter %.a,$$^) $$(ALL_LIBS))
endef
$(foreach t,$(TESTS),$(eval $(call test_rule,$(t))))
$(BUILD)/test_api_random: TEST_LDFLAGS += $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc aligned_alloc strdup strndup)
$(BUILD)/test_options: $(filter-out $(BUILD)/cli/main.o,$(call obj,$(CLI))) $(BUILD)/files_embedded.o

# The library: the program's objects, which see each other alone. gpufft_ names are its own.
LIBRARY := $(addprefix $(BUILD)/,libgpufft.so.0 libgpufft.a)
OBJCOPY ?= objcopy
## library, install-library: libgpufft, shared and static; header and pkg-config file too
library: $(LIBRARY)

$(BUILD)/libgpufft.so.0: $(BELOW) core/api/gpufft.map
	$(call say,LINK,$(CC) $(ALL_CFLAGS) $(filter-out -pie,$(ALL_LDFLAGS)) -shared -Wl$(comma)-soname=$(@F) -Wl$(comma)-z$(comma)defs \
	    -Wl$(comma)--version-script=core/api/gpufft.map -o $@ $(filter %.o,$^) $(ALL_LIBS))

$(BUILD)/libgpufft.a: $(BELOW)
	$(call say,AR,rm -f $@ && $(CC) -r -nostdlib -o $(BUILD)/gpufft.o $^ && $(OBJCOPY) -w --keep-global-symbol='gpufft_*' $(BUILD)/gpufft.o && $(AR) rcs $@ $(BUILD)/gpufft.o)

$(BUILD)/make_samples: $(call obj,$(wildcard samples/*.c)) $(BELOW)
	$(call say,LINK,$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS))

# One plugin for each MPI library whose compiler is installed: mpicc.openmpi and mpicc.mpich, as Debian
# names them, or mpicc. MPICC_openmpi= and MPICC_mpich= leave one out.
mpi_of = $(if $(shell command -v mpicc),$(if $(shell mpicc -dM -E -include mpi.h -x c /dev/null 2>/dev/null | grep OMPI_MAJOR),openmpi,mpich))
ifneq ($(filter mpi check test long-programs check-long check-full check-mpi coverage bench-mpi install,$(MAKECMDGOALS)),)
  MPICC_openmpi ?= $(or $(shell command -v mpicc.openmpi),$(if $(filter openmpi,$(mpi_of)),mpicc))
  MPICC_mpich   ?= $(or $(shell command -v mpicc.mpich),$(if $(filter mpich,$(mpi_of)),mpicc))
endif
# strip: without it two absent plugins leave a blank, which $(if) takes as true.
PLUGINS := $(strip $(foreach m,openmpi mpich,$(if $(MPICC_$(m)),$(BUILD)/gpufft-mpi-$(m).so)))
## mpi: the plugins for mpirun (Open MPI, MPICH)
mpi: $(PLUGINS)
	$(if $(PLUGINS),,$(error no mpicc; on Debian: apt-get install -y openmpi-bin libopenmpi-dev mpich libmpich-dev))

$(BUILD)/gpufft-mpi-%.so: core/mpi/plugin.c core/base/host/transport.h
	@mkdir -p $(@D)
	$(call say,MPICC,$(MPICC_$*) $(BARE_CFLAGS) -O2 -g $(H_CODE) $(filter-out -pie,$(H_LINK)) -fPIC -shared -o $@ $<)
	@chmod go-w $@ $(@D)

# Includes FFTW's MPI transforms if libfftw3-mpi-dev is installed, which is built for Open MPI.
$(BUILD)/reference-%: tests/mpi/reference.c core/mpi/plugin.c $(BELOW)
	$(call say,MPICC,$(MPICC_$*) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(if $(filter openmpi,$*),$(if $(wildcard /usr/include/fftw3-mpi.h),-DWITH_FFTW -lfftw3f_mpi -lfftw3f)) $(ALL_LIBS))

# The manual: hand-written pages, into which make_man inserts the tables of commands and options.
PAGES := $(patsubst man/%.in,$(BUILD)/man/%,$(wildcard man/*.1.in))
## man: the manual; man -l build/man/gpufft.1 shows it
man: $(PAGES)

$(BUILD)/make_man: $(BUILD)/man/make_man.o $(filter-out $(BUILD)/cli/main.o,$(call obj,$(CLI))) $(BUILD)/files_embedded.o $(BELOW)
	$(call say,LINK,$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS))

$(BUILD)/man/%.1: man/%.1.in man/options.in tests/cli/closure.table $(BUILD)/make_man
	@mkdir -p $(@D)
	$(call say,MAN,$(BUILD)/make_man $< man/options.in tests/cli/closure.table >$@)

# Completion scripts, and where below share/ each shell looks for its own.
FOR_bash := bash-completion/completions/gpufft
FOR_zsh  := zsh/site-functions/_gpufft
FOR_fish := fish/vendor_completions.d/gpufft.fish
SHELLS   := bash zsh fish
## completions: completion scripts for bash, zsh and fish
completions: $(addprefix $(BUILD)/completion.,$(SHELLS))

$(BUILD)/completion.%: gpufft
	$(call say,SHELL,./gpufft completion $* >$@)

$(BUILD)/faults: $(call obj,$(FAULTS)) | $(BUILD)/faults_shim.so
	$(call say,LINK,$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^)

# Built without sanitizers and fortified headers, because it defines the functions that they wrap.
$(BUILD)/faults_shim.so: tests/faults/shim.c tests/faults/page.h
	@mkdir -p $(@D)
	$(call say,LINK,$(CC) $(BARE_CFLAGS) -O2 -g -fPIC -fno-builtin -U_FORTIFY_SOURCE -shared -o $@ $<)

# A simulated CUDA driver with up to four GPUs, NVRTC and cuFFT (tests/gpu/fake/fake.h): one library under three names.
# The stamp invalidates kernels that an older simulator compiled.
FAKE := $(wildcard tests/gpu/fake/*.c)
FAKE_STAMP = fake_stamp_$(shell cat tests/gpu/fake/nvrtc.c tests/gpu/fake/prelude.h | cksum | tr ' ' _)
FAKE_CUDA := $(addprefix $(BUILD)/fake_cuda/,libcuda.so.1 libnvrtc.so.13 libcufft.so.12)
$(BUILD)/fake_cuda/libcuda.so.1: $(FAKE) $(wildcard tests/gpu/fake/*.h)
	@mkdir -p $(@D)
	$(call say,LINK,$(CC) $(BARE_CFLAGS) -O2 -g -U_FORTIFY_SOURCE -DFAKE_STAMP='"$(FAKE_STAMP)"' -DFAKE_PRELUDE='"$(CURDIR)/tests/gpu/fake/prelude.h"' -fPIC -shared -o $@ $(FAKE) -lm -ldl)
$(filter-out %/libcuda.so.1,$(FAKE_CUDA)): $(BUILD)/fake_cuda/libcuda.so.1
	$(call say,LINK,ln -sf libcuda.so.1 $@)

# Debian 12's libshaderc1 lacks the symbols of glslang and SPIRV-Tools, so it does not load. This library adds them from
# the static ones (glslang-dev, spirv-tools). libOGLCompiler.a is glslang's before version 14, whose Debian has no such fault.
SHADERC := $(if $(wildcard /usr/lib/*/libOGLCompiler.a),$(BUILD)/shaderc/libshaderc_shared.so.1)
$(BUILD)/shaderc/libshaderc_shared.so.1:
	@mkdir -p $(@D)
	$(call say,LINK,$(CC) -shared -o $@ -Wl$(comma)--no-as-needed -l:libshaderc.so.1 -Wl$(comma)--whole-archive \
	    -lglslang -lMachineIndependent -lGenericCodeGen -lOSDependent -lOGLCompiler -lSPIRV -lHLSL -lSPIRV-Tools-opt -lSPIRV-Tools -Wl$(comma)--no-whole-archive)

# Stand-ins for MKL and IPP: one library under their names. MKL's code paths are copies, not links, because the
# program identifies them by file.
FAKE_FFT := $(addprefix $(BUILD)/fake_fft/,libmkl_rt.so libmkl_def.so.2 libmkl_avx2.so.2 libippcore.so.12 \
    $(foreach cpu,k0 l9 y8,libipps$(cpu).so.12 libippi$(cpu).so.12))
$(BUILD)/fake_fft/libmkl_rt.so: tests/cli/fake/fft.c
	@mkdir -p $(@D)
	$(call say,LINK,$(CC) $(BARE_CFLAGS) -O2 -fPIC -shared -o $@ $< -lm -ldl)
$(BUILD)/fake_fft/libipp%: $(BUILD)/fake_fft/libmkl_rt.so
	$(call say,LINK,ln -sf libmkl_rt.so $@)
$(BUILD)/fake_fft/libmkl_%.so.2: $(BUILD)/fake_fft/libmkl_rt.so
	$(call say,LINK,cp $< $@)

# Compares results in tests/cli/closure.test and cuda.test.
$(BUILD)/near: tests/cli/near.c
	@mkdir -p $(@D)
	$(call say,LINK,$(CC) $(BARE_CFLAGS) -O2 -o $@ $< -lm)

# Preloaded by tests/cli/mpi.test.
$(BUILD)/far.so: tests/mpi/far.c
	@mkdir -p $(@D)
	$(call say,LINK,$(CC) $(BARE_CFLAGS) -O2 -fPIC -shared -o $@ $< -ldl)

include tests/check.mk

# ---------------------------------------------------------------- using it

LIBDIR ?= $(PREFIX)/lib
# The first folder below PREFIX that python3 searches. If it searches none there, PYTHONPATH must name this one.
python_folder = $(shell python3 -c 'import site, sys; print(next(d for d in [*site.getsitepackages(), site.getusersitepackages()] \
    if d.startswith(sys.argv[1] + "/lib")))' $(PREFIX) 2>/dev/null)
PYTHON_FOLDER ?= $(or $(python_folder),$(PREFIX)/lib/python3/dist-packages)/gpufft
INSTALLED = $(PYTHON_FOLDER) $(addprefix $(LIBDIR)/,libgpufft.a libgpufft.so libgpufft.so.0 pkgconfig/gpufft.pc) \
            $(addprefix $(PREFIX)/,bin/gpufft bin/gpufft-bench-report include/gpufft.h lib/gpufft/gpufft-mpi-openmpi.so \
            lib/gpufft/gpufft-mpi-mpich.so $(foreach s,$(SHELLS),share/$(FOR_$(s))) share/man/man3/gpufft.3 $(PAGES:$(BUILD)/man/%=share/man/man1/%))
# Uninstalling also removes folders that are then empty, inner ones first, except those that /usr and /usr/local always have.
up   = $(sort $(patsubst %/,%,$(dir $(1))))
KEPT = $(if $(DESTDIR),,$(foreach p,/usr /usr/local,$(p) $(addprefix $(p)/,bin include lib share share/man)) $(wildcard $(addprefix /usr/local/,lib/python3.* lib/python3.*/dist-packages)))
FOLDERS = $(filter-out $(KEPT),$(filter $(PREFIX)/%,$(call up,$(INSTALLED)) $(call up,$(call up,$(INSTALLED))) \
          $(call up,$(call up,$(call up,$(INSTALLED))))) $(PREFIX))
ldconfig = $(if $(DESTDIR),,[ "$$(id -u)" -ne 0 ] || ldconfig)

# The library's version is in its symbols; 0 is that of its interface. The pkg-config file finds its prefix by its own place.
install-library: $(LIBRARY)
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PYTHON_FOLDER)
	install -D -m 644 core/api/gpufft.h $(DESTDIR)$(PREFIX)/include/gpufft.h
	install -m 644 $(LIBRARY) $(DESTDIR)$(LIBDIR)/
	ln -sf libgpufft.so.0 $(DESTDIR)$(LIBDIR)/libgpufft.so
	printf '%s\n' 'prefix=$${pcfiledir}/$(shell realpath -m --relative-to=$(LIBDIR)/pkgconfig $(PREFIX))' 'libdir=$${pcfiledir}/..' \
	    'Name: gpufft' 'Description: Fourier transforms on the CPU and on GPUs' 'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' \
	    'Libs: -L$${libdir} -lgpufft' 'Libs.private: $(PKG_LIBS) $(OPENMP) -lm -ldl -lpthread' >$(DESTDIR)$(LIBDIR)/pkgconfig/gpufft.pc
	install -D -m 644 man/gpufft.3 $(DESTDIR)$(PREFIX)/share/man/man3/gpufft.3
	install -m 644 core/api/python/gpufft/*.py core/api/python/gpufft/py.typed $(DESTDIR)$(PYTHON_FOLDER)/
	$(ldconfig)

## install, uninstall: program, library, Python module, manual and completions below DESTDIR and PREFIX
install: gpufft man completions $(PLUGINS) install-library
	$(if $(PLUGINS),install -d $(DESTDIR)$(PREFIX)/lib/gpufft && install -m 755 $(PLUGINS) $(DESTDIR)$(PREFIX)/lib/gpufft/)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 gpufft $(DESTDIR)$(PREFIX)/bin/gpufft
	install -m 755 man/bench-report $(DESTDIR)$(PREFIX)/bin/gpufft-bench-report
	install -m 644 $(PAGES) $(DESTDIR)$(PREFIX)/share/man/man1/
	$(foreach s,$(SHELLS),install -D -m 644 $(BUILD)/completion.$(s) $(DESTDIR)$(PREFIX)/share/$(FOR_$(s)) &&) true

uninstall:
	rm -rf $(addprefix $(DESTDIR),$(INSTALLED))
	@rmdir $(addprefix $(DESTDIR),$(FOLDERS)) 2>/dev/null || true
	$(ldconfig)

## samples: draws the pictures of samples/ again, byte for byte the same
samples: $(BUILD)/make_samples
	$(BUILD)/make_samples samples
	@$(MAKE) --no-print-directory gpufft
	samples/panels ./gpufft samples/lessons

## demo: transforms a sample into spectrum.png
demo: gpufft
	./gpufft fwd samples/scene.png --out spectrum.png
	@echo "the spectrum of samples/scene.png is in $(CURDIR)/spectrum.png"

.PHONY: windows check-windows
## windows: gpufft.exe and a zip of it for Windows, with MinGW-w64, in build-windows
windows:
	core/base/host/windows/build $(VERSION)

## examples: makes the files that the README's examples name, in examples/
examples: gpufft
	samples/examples $@
	@echo 'cd examples && export PATH=$$PWD/..:$$PATH'

## bench: measures this machine
bench: gpufft
	./gpufft bench

## dist: the source as gpufft-VERSION.tar.xz, reproducible
# The files that git tracks, sorted, with one time: SOURCE_DATE_EPOCH, or that of the last commit.
DIST := gpufft-$(VERSION)
DISTDIR ?= .
DIST_XZ ?= -9
dist:
	git ls-files -z | tar --null --files-from=- --sort=name --owner=0 --group=0 --numeric-owner --mode=go=u,go-w \
	    --mtime=@$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} --transform='s,^,$(DIST)/,' -c | xz $(DIST_XZ) >$(DISTDIR)/$(DIST).tar.xz

## debian, debian-source: Debian's packages into build-packages/ (dpkg-buildpackage), or only their source
# debian/ is made of core/api/debian, at the top of a copy.
debian-source:
	rm -rf build-packages/debian && mkdir -p build-packages/debian
	@$(MAKE) --no-print-directory dist DISTDIR=build-packages/debian DIST_XZ=-1
	cd build-packages/debian && tar xf $(DIST).tar.xz && mv $(DIST).tar.xz gpufft_$(VERSION).orig.tar.xz && cp -r $(DIST)/core/api/debian $(DIST)/
	sed '1,4d; s/^$$/./; s/^/ /' LICENSE >>build-packages/debian/$(DIST)/debian/copyright

debian: debian-source
	cd build-packages/debian/$(DIST) && dpkg-buildpackage -us -uc

## sdist: Python's source distribution into build-packages/ (core/api/python/bundle makes the wheel, on Debian 12)
sdist:
	@mkdir -p build-packages
	python3 core/api/python/make_wheel.py build-packages

## sbom: the bill of materials (SPDX 2.3), build/gpufft.spdx.json: what is linked, and what is opened at run time
sbom: gpufft
	python3 core/api/python/make_sbom.py $(VERSION) gpufft >$(BUILD)/gpufft.spdx.json

help:
	@sed -n 's/^## \([^:]*\): /\1\t/p' $(MAKEFILE_LIST) | sort | awk -F'\t' '{ printf "%-18s %s\n", $$1, $$2 }'

## clean: removes build products
clean:
	rm -rf build build-* examples gpufft spectrum.png gpufft-*.tar.xz

## fmt: formats the source with clang-format
fmt:
	clang-format -i $$(git ls-files '*.c' '*.h')

-include $(wildcard $(addprefix $(BUILD)/,*/*.d */*/*.d */*/*/*.d */*/*/*/*.d */*/*/*/*/*.d))
