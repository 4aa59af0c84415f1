/* The FFTW backend's planning modes and the wisdom they keep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/environment.h"
#include "core/base/job/backend.h"
#include "core/base/value/status.h"
#include "tests/test.h"

static char folder[64], file[128];

/* Transforms an impulse at the origin in the given mode; true when all comes out as 1. */
static bool transform(const char *mode) {
    struct gf_job job = {.ndim = 2,
                         .shape = {60, 64},
                         .channels = 1,
                         .axes = 3,
                         .in_dtype = GF_F32,
                         .n_out = 1,
                         .out = {{.kind = GF_REAL, .dtype = GF_F32}}};
    struct gf_backend_options options = {
        .environment = gf_environment(), .threads = 1, .fftw_plan = mode};
    static float data[60 * 64], result[60 * 64];
    int64_t shape[3] = {60, 64, 1};
    struct gf_array in = gf_array_wrap(data, GF_F32, 3, shape);
    struct gf_array out = gf_array_wrap(result, GF_F32, 3, shape);
    struct gf_report report;
    struct gf_plan *plan = NULL;
    void *context = NULL;
    bool fine = false;
    data[0] = 1;
    if (gf_backend_fftw.open(&gf_backend_fftw, &options, &context) ||
        gf_backend_plan(&gf_backend_fftw, context, &job, &plan))
        goto out;
    for (int run = 0; run < 2; run++) { /* a plan serves more than once */
        memset(result, 0, sizeof result);
        if (gf_plan_exec(plan, &in, &out, &report))
            goto out;
        fine = true;
        for (int i = 0; i < 60 * 64; i++)
            fine = fine && fabsf(result[i] - 1) < 1e-5f;
    }
out:
    if (plan)
        gf_plan_drop(plan);
    if (context)
        gf_backend_fftw.close(context);
    return fine;
}

/* In a process of its own, since FFTW's wisdom stays with the process. */
static bool transform_afresh(const char *mode) {
    int status = 1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(transform(mode) ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void write_file(const char *text) {
    FILE *f = fopen(file, "w");
    CHECK(f != NULL);
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static int64_t file_size(void) {
    struct stat st;
    return lstat(file, &st) ? -1 : (int64_t)st.st_size;
}

static void test_wisdom(void) {
    struct stat st;
    CHECK(transform_afresh("estimate"));
    CHECK(file_size() < 0); /* estimates keep nothing */
    CHECK(transform_afresh("measure"));
    int64_t size = file_size();
    CHECK(size > 0);
    CHECK(!lstat(file, &st) && (st.st_mode & 0777) == 0600);
    char gpufft[128];
    snprintf(gpufft, sizeof gpufft, "%s/gpufft", folder);
    CHECK(!lstat(gpufft, &st) && (st.st_mode & 0777) == 0700);
    CHECK(transform_afresh("patient"));

    static const char *const damage[] = {"", "(fftw-3.3", "((((((((", "no wisdom at all\n"};
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        write_file(damage[i]);
        CHECK_MSG(transform_afresh("measure"), "with wisdom '%s'", damage[i]);
        CHECK(file_size() > 100);
    }
    CHECK(!truncate(file, size / 2));
    CHECK(transform_afresh("measure"));
    CHECK(file_size() > 100 && file_size() != size / 2); /* other times, other plans */

    /* Nobody writes into this FIFO; alarm() ends a child that waits for it. */
    unlink(file);
    CHECK(!mkfifo(file, 0600));
    CHECK(transform_afresh("measure"));
    CHECK(file_size() > 100);

    /* A folder that others may write into is not to be trusted. */
    unlink(file);
    chmod(gpufft, 0777);
    CHECK(transform_afresh("measure"));
    CHECK(file_size() < 0);
    rmdir(gpufft);
    CHECK(!symlink("/", gpufft));
    CHECK(transform_afresh("measure"));
    unlink(gpufft);
    setenv("XDG_CACHE_HOME", "/dev/null/place", 1); /* not even root makes that */
    gf_environment_read();
    CHECK(transform_afresh("measure"));
}

static void test_unknown(void) {
    struct gf_backend_options options = {
        .environment = gf_environment(), .threads = 1, .fftw_plan = "guess"};
    void *context;
    CHECK_EQ(gf_backend_fftw.open(&gf_backend_fftw, &options, &context), GF_EUSAGE);
    CHECK_HAS(gf_message(), "guess");
}

/* FFTW would end the process. */
static void test_prime(void) {
    struct gf_job job = {.ndim = 1,
                         .shape = {68719476731}, /* 2^36 - 5 */
                         .channels = 1,
                         .axes = 1,
                         .in_dtype = GF_C64,
                         .n_out = 1,
                         .out = {{.kind = GF_COMPLEX, .dtype = GF_C64}}};
    struct gf_backend_options options = {.environment = gf_environment(), .threads = 1};
    struct gf_plan *plan = NULL;
    void *context = NULL;
    NEED(!gf_backend_fftw.open(&gf_backend_fftw, &options, &context));
    CHECK_EQ(gf_backend_plan(&gf_backend_fftw, context, &job, &plan), GF_ENOMEM);
    CHECK_HAS(gf_message(), "needs 3.0 TiB");
    CHECK(!plan);
    gf_backend_fftw.close(context);
}

int main(void) {
    char reason[GF_REASON] = "";
    if (gf_backend_fftw.probe(&gf_backend_fftw, NULL, reason)) {
        printf("skipped: %s\n", reason);
        return 0;
    }
    RUN("an unknown planning mode is refused by name", test_unknown());
    strcpy(folder, "/tmp/gpufft-test-XXXXXX");
    NEED(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/gpufft/fftw-single.wisdom", folder);
    setenv("XDG_CACHE_HOME", folder, 1);
    gf_environment_read();
    RUN("a prime beyond all memory is refused", test_prime());
    RUN("wisdom is kept, read again and survives damage", test_wisdom());
    rmdir(folder);
    return TEST_END();
}
