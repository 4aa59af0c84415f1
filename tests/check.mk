# Building and running the tests; included by the Makefile. tests/README.md describes the tests. `make help` prints
# the lines that begin with two number signs.

TEST_PROGRAMS := $(addprefix $(BUILD)/,$(basename $(notdir $(TESTS))))
UNIT_TESTS    := $(filter-out $(addprefix $(BUILD)/,test_backends test_gpu_forced),$(TEST_PROGRAMS))
RUN_PARTS     := BUILD=$(BUILD) tests/check

# The sanitized build and the one without ISA-L compile these sources; they link other objects of BUILD.
OWN_ASAN := $(CLI) $(FORMATS) $(wildcard core/base/*/*.c core/api/*.c tests/core/*api*.c tests/formats/*.c)
OWN_ZLIB := formats/png/codec_zlib.c tests/formats/test_png.c tests/formats/test_png_write.c
READ_ASAN := $(addprefix build-asan/,test_api test_api_ends test_api_operations test_api_pictures test_api_random test_formats test_png test_png_write test_record)
REUSED := $(sort $(KERNELS) $(foreach f,$(CORE) $(FORMATS) $(SUPPORT) kernels_embedded.c files_embedded.c,$(BUILD)/$(f:.c=.o)))
NEEDED := gpufft $(LIBRARY) $(BUILD)/near $(BUILD)/far.so $(FAKE_CUDA) $(FAKE_FFT) $(SHADERC) $(PLUGINS)

## check, test: every test that needs no GPU (tests/check lists its parts)
check: $(NEEDED) man $(TEST_PROGRAMS) $(READERS) $(BUILD)/faults build-sanitized build-without-isal
	@$(RUN_PARTS) check

test: check

## build-sanitized, build-without-isal, long-programs: what check and check-long build
build-sanitized: $(REUSED)
	@$(MAKE) --no-print-directory $(IN_ASAN) REUSE=$(BUILD) OWN="$(OWN_ASAN)" $(READ_ASAN)

build-without-isal: $(REUSED)
	@$(MAKE) --no-print-directory BUILD=build-zlib ISAL= REUSE=$(BUILD) OWN="$(OWN_ZLIB)" build-zlib/test_png

## check-long: the slow tests; about 20 minutes on 2 CPUs
check-long: long-programs
	@$(RUN_PARTS) long

# The sanitized kernels are those of this machine's CPU; other objects come from BUILD.
ISA_HERE = ./gpufft devices | sed -n 's/.*x86-64-\(v[0-9]\) kernels.*/\1/p; s/.*portable kernels.*/plain/p'
OWN_LONG = $(CLI) $(CORE) $(FORMATS) $(wildcard kernels/cpu/*.c tests/core/*.c) $(foreach b,32 64,kernels/cpu/f$(b)_$(shell $(ISA_HERE)).c)
long-programs: $(NEEDED) $(TEST_PROGRAMS) $(BUILD)/faults
	@$(MAKE) --no-print-directory $(subst build-asan,build-asan-kernels,$(IN_ASAN)) REUSE=$(BUILD) OWN="$(OWN_LONG)" build-asan-kernels/test_backends
	@$(MAKE) --no-print-directory $(IN_ASAN) REUSE=$(BUILD) OWN="$(OWN_ASAN)" build-asan/gpufft
	@$(MAKE) --no-print-directory BUILD=build-zlib ISAL= REUSE=$(BUILD) OWN="$(OWN_ZLIB)" build-zlib/test_png_write

## check-full: check with every length and many more shapes; most of a day on 2 CPUs
# OpenCL runs in one process per CPU, and its kernels also in a simulator that detects races. About an hour on 16 CPUs.
check-full: $(NEEDED) man $(TEST_PROGRAMS)
	@$(RUN_PARTS) full

## coverage: lines and branches that the tests run, by folder (gcovr)
# Takes longer than check. COVER_TESTS= names other tests, COVER_KEEP=1 adds to earlier runs. Counters are atomic, so
# threads count exactly; the CPU kernels, which are compiled for each instruction set, are not counted. Test objects
# come from the ordinary build, except those of tests/cli, which include parts of cli/.
IN_COVERAGE := BUILD=build-coverage SANITIZE="--coverage -fprofile-update=atomic -Wl,-u,__gcov_dump" CFLAGS="-O1 -g"
OWN_COVERAGE := $(CLI) $(CORE) $(FORMATS) $(wildcard tests/cli/*.c kernels/cpu/*.c)
ifneq ($(filter coverage,$(MAKECMDGOALS)),)
  $(call need,gcovr,on Debian: apt-get install -y gcovr)
endif
coverage: export XDG_CACHE_HOME = $(CURDIR)/build-coverage/cache
coverage: export GPUFFT = build-coverage/gpufft
coverage: $(NEEDED) man $(TEST_PROGRAMS)
	@mkdir -p build-coverage
	@ln -sfn ../$(BUILD) build-coverage/build # where tests look for plugins
	@ln -sfn ../$(BUILD)/fake_cuda build-coverage/fake_cuda
	@$(MAKE) --no-print-directory $(IN_COVERAGE) REUSE=$(BUILD) OWN="$(OWN_COVERAGE)" \
	    build-coverage/gpufft $(patsubst $(BUILD)/%,build-coverage/%,$(TEST_PROGRAMS))
	@$(if $(COVER_KEEP),,find build-coverage -name '*.gcda' -delete)
	@$(if $(COVER_TESTS),tests/run $(COVER_TESTS),BUILD=build-coverage tests/check cover) || echo "some tests failed: the figures below are those of what ran"
	@tests/coverage build-coverage

## check-all: every check target that this machine can run; lists what the others need
check-all:
	@tests/check_all "$(MAKE)"

## faults: every system call and allocation made to fail once, kills, a full disk
# Ten minutes on 2 CPUs. Lines that begin with 'known' report defects of libraries.
faults: gpufft $(BUILD)/faults
	@SHOW='skipped|known' tests/run $(BUILD)/faults

## check-mpi: 1 to 7 processes against one, for each MPI
# Also kills processes, compares the exchange with MPI's own, and sends messages above 2^31 bytes (4.2 GiB of memory).
# About ten minutes on 2 CPUs.
in_ranks = mpirun.$(1) $(if $(filter openmpi,$(1)),--oversubscribe) -n $(2) $(BUILD)/reference-$(1)
check-mpi bench-mpi: export OMPI_ALLOW_RUN_AS_ROOT = 1
check-mpi bench-mpi: export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = 1
check-mpi: gpufft mpi $(BUILD)/test_mpi $(foreach m,openmpi mpich,$(if $(MPICC_$(m)),$(BUILD)/reference-$(m)))
	@RANKS="1 2 3 4 5 6 7" JOBS=1 tests/run $(BUILD)/test_mpi "tests/cli/run mpi ranks link" $(foreach m,openmpi mpich,$(if $(MPICC_$(m)), \
	    $(foreach n,1 2 3 5 7,"$(call in_ranks,$(m),$(n)) exchange") "$(call in_ranks,$(m),2) large"))

## check-windows: gpufft.exe under Wine: what only Windows has, and the tests of the command line that suit it
check-windows: windows
	tests/windows/check

## bench-mpi: times of the exchange and of FFTW's MPI transforms
bench-mpi: $(BUILD)/reference-openmpi
	$(call in_ranks,openmpi,2) times 256x256x256
	$(call in_ranks,openmpi,2) fftw 256
	$(call in_ranks,openmpi,2) fftw 512

## check-restore: --deconvolve beside scikit-image, by PSNR and time; PHOTOS='a.png b.png'
check-restore: gpufft
	python3 tests/core/check_restore.py $(PHOTOS)
	python3 tests/core/check_restore.py --time

## check-formats: MRC, FITS, NIfTI, TIFF stacks, Zarr against mrcfile, astropy, nibabel, tifffile, zarr (pip install)
check-formats: gpufft
	for f in mrc fits nifti tiff zarr; do python3 -W ignore tests/formats/check_$$f.py ./gpufft || exit 1; done

## check-compare: match and frc against scikit-image and NumPy (pip install)
check-compare: gpufft
	python3 tests/core/check_compare.py ./gpufft

## check-peers: frc beside RELION's relion_postprocess (Debian: relion; pip install mrcfile)
check-peers: gpufft
	python3 tests/core/check_peers.py ./gpufft

## check-destripe: filter --destripe on 400 ordinary pictures, and beside pystripe (pip install scikit-image; pystripe)
check-destripe: gpufft
	python3 tests/core/check_destripe.py ./gpufft

## check-psd: windows, densities and slopes against scipy.signal and fields of known slopes (pip install scipy)
check-psd: gpufft
	python3 tests/core/check_psd.py ./gpufft

## check-register: gpufft register against scikit-image (pip install): errors, unrelated pictures, times; minutes
check-register: gpufft
	python3 tests/core/check_register.py ./gpufft

## check-python: the Python module against SciPy and PyWavelets, and their own tests on it (pip install scipy PyWavelets pytest)
check-python: gpufft $(LIBRARY) $(FAKE_CUDA)
	tests/python/check $(BUILD)

## check-packages: make install, Debian's packages, wheel and sdist in bare Debian 12 and 13 (root, debootstrap); half an hour
check-packages:
	tests/check_packages

## check-gpu: the GPU backends on random and large jobs
check-gpu: gpufft $(BUILD)/near $(addprefix $(BUILD)/,test_gpu test_kernel_cache test_backends test_dwt test_dwt_stream test_dwt_gpu test_gpu_forced test_gpu_slabs test_gpu_team)
	@tests/gpu/check_gpu $(BUILD)

## check-directcompute: Direct3D 11 by DXVK in a bare Debian sid (root, debootstrap), natively and under Wine; half an hour
check-directcompute: gpufft $(BUILD)/test_directcompute $(BUILD)/near windows
	@tests/gpu/check_directcompute $(BUILD)

## asan, ubsan, tsan: the unit tests under the sanitizers
ASAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# -Og and -g1 halve the compiler's time, and -Og finds uses of unset variables that are none. The kernels at -O1: at -O3
# one of them takes 2 minutes.
IN_ASAN := BUILD=build-asan SANITIZE="$(ASAN)" CFLAGS="-Og -g1 -Wno-maybe-uninitialized" KERNEL_CFLAGS="-O1 $(filter-out -O3,$(KERNEL_CFLAGS))"
# The leak checker reads the thread-local memory of libraries opened at run time, and crashes if a thread ends
# meanwhile (every second run on a busy machine). Not intercepting __tls_get_addr avoids this.
asan ubsan: export ASAN_OPTIONS = intercept_tls_get_addr=0
asan ubsan: $(TESTS)
	@$(MAKE) --no-print-directory $(IN_ASAN) $(patsubst $(BUILD)/%,build-asan/%,$(TEST_PROGRAMS))
	@tests/run $(patsubst $(BUILD)/%,build-asan/%,$(TEST_PROGRAMS))

# clang's OpenMP runtime, whose archer tool tells the sanitizer about barriers and locks. Also runs the program over
# folders.
TSAN := CC=clang BUILD=build-tsan SANITIZE=-fsanitize=thread CFLAGS="-O1 -g -Wno-unknown-pragmas"
tsan: $(TESTS)
	@$(MAKE) --no-print-directory $(TSAN) $(patsubst $(BUILD)/%,build-tsan/%,$(TEST_PROGRAMS)) build-tsan/gpufft
	@TSAN_OPTIONS="ignore_noninstrumented_modules=1 die_after_fork=0" GPUFFT=build-tsan/gpufft tests/run $(patsubst $(BUILD)/%,build-tsan/%,$(UNIT_TESTS)) "build-tsan/test_backends small openmp" "tests/cli/run folders"

## fuzz: fuzzes each reader for FUZZ_SECONDS (60; clang)
FUZZ_SECONDS ?= 60
FUZZERS := $(patsubst tests/fuzz/%.c,build-fuzz/%,$(FUZZ))
FUZZ_BELOW := $(FORMATS) $(wildcard core/base/*/*.c)
build-fuzz/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.h $(FUZZ_BELOW)
	@mkdir -p build-fuzz
	clang -std=c11 -D_GNU_SOURCE -I. $(PKG_CFLAGS) -O1 -g -fopenmp -fsanitize=fuzzer,address,undefined -o $@ $< $(FUZZ_BELOW) $(ALL_LIBS)

# The fuzz targets without libFuzzer, as programs that read the files named (tests/fuzz/check).
$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.h $(call obj,$(FUZZ_BELOW))
	$(call say,LINK,$(CC) $(ALL_CFLAGS) -DGF_FUZZ_STANDALONE $(ALL_LDFLAGS) -o $@ $(filter-out %.h,$^) $(ALL_LIBS))
fuzz: gpufft $(FUZZERS)
	@mkdir -p build-fuzz/seeds && tests/fuzz/check --seeds build-fuzz/seeds
	@for f in $(FUZZERS); do mkdir -p $$f.corpus && $$f -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -timeout=10 $$f.corpus build-fuzz/seeds || exit 1; done

## lint: source rules, layout, clang's warnings, and warnings of the GPU kernels
lint: $(BUILD)/test_gpu_plans
	@PKG_CFLAGS="$(PKG_CFLAGS)" tests/lint
	@tests/gpu/lint_kernels $(BUILD)/test_gpu_plans
	@$(MAKE) --no-print-directory BUILD=build-lint WERROR=-Werror CFLAGS=-O1 build-lint/gpufft
