# Building and running the tests; included by the Makefile. tests/README.md describes the tests. `make help` prints
# the lines that begin with two number signs.

TEST_PROGRAMS := $(addprefix $(BUILD)/,$(basename $(notdir $(TESTS))))
# test_gpu_forced: minutes where a CPU is the OpenCL device; check-gpu and check-full run it.
UNIT_TESTS    := $(filter-out $(addprefix $(BUILD)/,test_backends test_gpu_forced),$(TEST_PROGRAMS))

## check: every test that needs no GPU
# The source rules, the unit tests, every backend present against an independent reference, the command line from
# outside, small sizes under the sanitizers, and PNG without ISA-L. PoCL needs seconds to build a job's kernels and the
# simulated CUDA a fraction of that, so all named jobs run on the simulator, which is stricter about memory and barriers.
# OpenCL runs an eighth of them (check-full runs them all), and one random check in SAMPLE for each of two processes;
# built kernels are kept in the build folder, and are not specialised for the work group of a launch, which would
# double the time (check-full does it). The sanitized build has this machine's CPU kernels only; the build without
# ISA-L compiles only the files that mention it. Single-threaded programs run two at a time.
SAMPLE ?= 600
CPUS   := $(shell nproc 2>/dev/null || echo 2)
ISA_HERE = ./gpufft devices | sed -n 's/.*x86-64-\(v[0-9]\) kernels.*/\1/p; s/.*portable kernels.*/plain/p'
check: export XDG_CACHE_HOME = $(CURDIR)/$(BUILD)/cache
check: export POCL_WORK_GROUP_SPECIALIZATION = 0
check: gpufft man $(TEST_PROGRAMS) $(READERS) $(BUILD)/faults $(BUILD)/near $(FAKE_CUDA) $(FAKE_FFT) $(PLUGINS)
	@mkdir -p $(BUILD)/cache
	@$(MAKE) --no-print-directory $(IN_ASAN) REUSE=$(BUILD) OWN="cli/% core/% formats/% tests/% $(wildcard kernels/cpu/*.c) %_$$($(ISA_HERE)).c" \
	    $(addprefix build-asan/,test_backends test_formats test_png test_png_write test_record)
	@$(MAKE) --no-print-directory BUILD=build-zlib ISAL= REUSE=$(BUILD) OWN="$$(grep -lrE --include=*.c 'GF_WITH_ISAL|codecs\.h' core formats tests | xargs)" \
	    build-zlib/test_png build-zlib/test_png_write
	@tests/run -j2 $(filter-out $(BUILD)/test_gpu,$(UNIT_TESTS)) "env LD_LIBRARY_PATH=$(CURDIR)/$(BUILD)/fake_cuda $(BUILD)/test_gpu" "tests/lint rules" "tests/lint_symbols $(BUILD)" tests/lint_test tests/cli/test_man.sh "tests/fuzz/check $(BUILD)" \
	    "build-asan/test_backends small openmp" build-asan/test_formats build-asan/test_png build-asan/test_png_write build-asan/test_record build-zlib/test_png build-zlib/test_png_write \
	    -j1 "$(BUILD)/test_backends openmp" "$(BUILD)/test_backends optional fftw" \
	    "env LD_LIBRARY_PATH=$(CURDIR)/$(BUILD)/fake_cuda tests/shards 2 $(BUILD)/test_backends named cuda" \
	    "tests/shards 2/16 $(BUILD)/test_backends named optional opencl" \
	    "tests/shards 2/$(SAMPLE) $(BUILD)/test_backends optional opencl" tests/cli/run \
	    -j2 "$(BUILD)/faults -s 30 -S 1" "$(BUILD)/faults -s 30 -S 2"

## check-full: check with every length and many more shapes; most of a day on 2 CPUs
# OpenCL runs in one process per CPU, and its kernels also in a simulator that detects races. About an hour on 16 CPUs.
check-full: export XDG_CACHE_HOME = $(CURDIR)/$(BUILD)/cache
check-full: gpufft man $(TEST_PROGRAMS) $(BUILD)/near $(FAKE_CUDA) $(FAKE_FFT)
	@mkdir -p $(BUILD)/cache
	@tests/run "tests/lint rules" tests/lint_test $(UNIT_TESTS) $(BUILD)/test_gpu_forced "tests/gpu/check_oclgrind $(BUILD)/test_backends $(BUILD)/test_dwt" \
	    "$(BUILD)/test_backends full openmp" "$(BUILD)/test_backends full optional fftw" \
	    "tests/shards $(CPUS) $(BUILD)/test_backends named optional opencl" \
	    "tests/shards $(CPUS) $(BUILD)/test_backends optional opencl" "$(BUILD)/test_opengl full" tests/cli/run tests/cli/test_man.sh

## coverage: lines and branches that the tests run, by folder (gcovr)
# Takes longer than check. COVER_TESTS= names other tests, COVER_KEEP=1 adds to earlier runs. Counters are atomic, so
# threads count exactly; the CPU kernels, which are compiled for each instruction set, are not counted. Test objects
# come from the ordinary build, except those of tests/cli, which include parts of cli/.
IN_COVERAGE := BUILD=build-coverage SANITIZE="--coverage -fprofile-update=atomic -Wl,-u,__gcov_dump" CFLAGS="-O1 -g"
ifneq ($(filter coverage,$(MAKECMDGOALS)),)
  $(call need,gcovr,on Debian: apt-get install -y gcovr)
endif
COVER_TESTS ?= $(patsubst $(BUILD)/%,build-coverage/%,$(filter-out $(BUILD)/test_gpu,$(UNIT_TESTS))) \
               "env LD_LIBRARY_PATH=$(CURDIR)/$(BUILD)/fake_cuda build-coverage/test_gpu" "build-coverage/test_backends openmp" \
               "build-coverage/test_backends optional fftw" "tests/shards 2/$(SAMPLE) build-coverage/test_backends optional opencl" \
               tests/cli/run tests/cli/test_man.sh
coverage: export XDG_CACHE_HOME = $(CURDIR)/build-coverage/cache
coverage: export POCL_WORK_GROUP_SPECIALIZATION = 0
coverage: export GPUFFT = build-coverage/gpufft
coverage: gpufft man $(TEST_PROGRAMS) $(BUILD)/near $(FAKE_CUDA) $(FAKE_FFT) $(PLUGINS)
	@mkdir -p build-coverage/cache && ln -sfn ../$(BUILD) build-coverage/build # where tests look for plugins
	@$(MAKE) --no-print-directory $(IN_COVERAGE) REUSE=$(BUILD) OWN="cli/% core/% formats/% tests/cli/% $(wildcard kernels/cpu/*.c)" \
	    build-coverage/gpufft $(patsubst $(BUILD)/%,build-coverage/%,$(TEST_PROGRAMS))
	@$(if $(COVER_KEEP),,find build-coverage -name '*.gcda' -delete)
	@tests/run $(COVER_TESTS) || echo "some tests failed: the figures below are those of what ran"
	@tests/coverage build-coverage

## check-long: the slow tests: all of the closure table, kills, flipped bits, generated pictures
# CLOSURE=long runs all rows of tests/cli/closure.table; LONG=1 makes each CUDA call fail once.
check-long: export XDG_CACHE_HOME = $(CURDIR)/$(BUILD)/cache
check-long: export POCL_WORK_GROUP_SPECIALIZATION = 0
check-long: gpufft $(BUILD)/near $(BUILD)/test_jpeg $(BUILD)/test_nifti $(BUILD)/test_things $(FAKE_CUDA) $(FAKE_FFT) $(PLUGINS)
	@mkdir -p $(BUILD)/cache
	@tests/run "env CLOSURE=long tests/cli/run closure" "env KILLS=200 tests/cli/run safety" "env LONG=1 tests/cli/run cuda" "env JPEG_FLIPS=5000 $(BUILD)/test_jpeg" "$(BUILD)/test_nifti long" "$(BUILD)/test_things long"

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

## bench-mpi: times of the exchange and of FFTW's MPI transforms
bench-mpi: $(BUILD)/reference-openmpi
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

## check-gpu: the GPU backends on random and large jobs
check-gpu: gpufft $(BUILD)/near $(addprefix $(BUILD)/,test_gpu test_kernel_cache test_backends test_dwt test_dwt_stream test_dwt_gpu test_gpu_forced test_gpu_slabs test_gpu_team)
	@tests/gpu/check_gpu $(BUILD)

## asan, ubsan, tsan: the unit tests under the sanitizers
ASAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# -O1 for the kernels too: at -O3 the compiler takes 2 minutes for one of them.
IN_ASAN := BUILD=build-asan SANITIZE="$(ASAN)" CFLAGS="-O1 -g" KERNEL_CFLAGS="-O1 $(filter-out -O3,$(KERNEL_CFLAGS))"
# The leak checker reads the thread-local memory of libraries opened at run time, and crashes if a thread ends
# meanwhile (every second run on a busy machine). Not intercepting __tls_get_addr avoids this.
check asan ubsan: export ASAN_OPTIONS = intercept_tls_get_addr=0
asan ubsan: $(TESTS)
	@$(MAKE) --no-print-directory $(IN_ASAN) $(patsubst $(BUILD)/%,build-asan/%,$(TEST_PROGRAMS))
	@tests/run $(patsubst $(BUILD)/%,build-asan/%,$(TEST_PROGRAMS))

# clang's OpenMP runtime, whose archer tool tells the sanitizer about barriers and locks. Also runs the program over
# folders.
TSAN := CC=clang BUILD=build-tsan SANITIZE=-fsanitize=thread CFLAGS="-O1 -g -Wno-unknown-pragmas"
tsan: $(TESTS)
	@$(MAKE) --no-print-directory $(TSAN) $(patsubst $(BUILD)/%,build-tsan/%,$(TEST_PROGRAMS)) build-tsan/gpufft
	@TSAN_OPTIONS="ignore_noninstrumented_modules=1" GPUFFT=build-tsan/gpufft tests/run $(patsubst $(BUILD)/%,build-tsan/%,$(UNIT_TESTS)) "build-tsan/test_backends small openmp" "tests/cli/run folders"

## fuzz: fuzzes each reader for FUZZ_SECONDS (60; clang)
FUZZ_SECONDS ?= 60
FUZZERS := $(patsubst tests/fuzz/%.c,build-fuzz/%,$(FUZZ))
FUZZ_BELOW := $(FORMATS) $(wildcard core/base/*.c)
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

build-lint/gpufft build-tsan/gpufft build-coverage/gpufft: $(call obj,$(CLI)) $(BUILD)/files_embedded.o $(BELOW)
	$(call say,LINK,$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS))
