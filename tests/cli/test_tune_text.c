/* The text and the JSON of gpufft tune for a device, the measurements it asks for, and its disk. */
#include <stdarg.h>

#include "cli/commands/tune.c" /* tests are linked without cli/ */
#include "cli/report.c"
#include "cli/text.c"
#include "tests/test.h"

static char errors[1024]; /* what was printed to stderr, '|' after each */

void gf_log_error(const char *format, ...) {
    va_list args;
    const size_t n = strlen(errors);
    va_start(args, format);
    vsnprintf(errors + n, sizeof errors - n, format, args);
    va_end(args);
    strncat(errors, "|", sizeof errors - strlen(errors) - 1);
}

void gf_log_fail(const char *name) {
    gf_log_error("%s: %s", name ? name : "", gf_message());
}

int gf_log_exit(int status, const char *name) {
    if (status)
        gf_log_fail(name);
    return status == GF_EUSAGE ? 2 : status == GF_EABSENT ? 3 : status ? 1 : 0;
}

void gf_log_line(const char *line) {
    puts(line);
}

void gf_log_lost(int error) {
    gf_log_error("%s", strerror(error));
}

const struct gf_opt_group gf_opts_common = {NULL, NULL}, gf_opts_bench_what = {NULL, NULL};

int gf_tune_plans(const struct gf_settings *s, const struct gf_request_device *device,
                  char **operands, int n) {
    (void)s, (void)device, (void)operands, (void)n;
    return 0;
}

static char printed[1 << 14];
static int own_stdout;

static void begin_print(void) {
    FILE *f = tmpfile();
    fflush(stdout);
    own_stdout = dup(STDOUT_FILENO);
    CHECK(f && own_stdout >= 0 && dup2(fileno(f), STDOUT_FILENO) >= 0);
    fclose(f);
    errors[0] = 0;
}

static void end_print(void) {
    fflush(stdout);
    const ssize_t n = pread(STDOUT_FILENO, printed, sizeof printed - 1, 0);
    printed[n > 0 ? n : 0] = 0;
    dup2(own_stdout, STDOUT_FILENO);
    close(own_stdout);
}

static void check_print(const struct gf_speeds *r, bool json, const char *want) {
    begin_print();
    gf_report_print(json, record_form, record_report("gpu:0", r, true));
    end_print();
    CHECK_MSG(!strcmp(printed, want), "\n%s, not\n%s", printed, want);
}

static void test_records(void) {
    struct gf_speeds r = {.threads = 2, .copy = 1.25e10, .fft = {3e8, 2.5e8}, .wavelet = {1e9}};
    check_print(&r, false,
                "gpu:0\n  copy     12.5 GB/s\n"
                "  fft      0.3 at 256x256, 0.25 at 1024x1024, not measured at 4096x4096 (10^9 "
                "samples a second)\n"
                "  wavelet  1 at 1024x1024, not measured at 4096x4096 (10^9 samples a second)\n");
    check_print(
        &r, true,
        "{\"device\":\"gpu:0\",\"threads\":2,\"copy_gb_s\":12.5,\"fft\":[{\"side\":256,\"samples_"
        "s\":300000000.0},"
        "{\"side\":1024,\"samples_s\":250000000.0},{\"side\":4096,\"samples_s\":0.0}],\"wavelet\":["
        "{"
        "\"side\":1024,"
        "\"samples_s\":1000000000.0},{\"side\":4096,\"samples_s\":0.0}],\"noisy\":false,"
        "\"kept\":true,\"version\":2}\n");
    r = (struct gf_speeds){.copy = 4e12,
                           .open = 0.31,
                           .bus = {{1e10, 9e9}, {5e10, 4e10}},
                           .staged = {2e10, 1.6e10},
                           .link = 2e11,
                           .fft = {1e9, 1e9, 1e9},
                           .wavelet = {1e9, 1e9},
                           .noisy = true};
    check_print(&r, false,
                "gpu:0\n  copy     4000 GB/s\n  context  0.31 s to open\n"
                "  bus      10 GB/s to the device and 9 back, page-locked 50 and 40\n"
                "  staged   20 GB/s to the device and 16 back, through buffers\n"
                "  link     200 GB/s each way to other devices\n"
                "  fft      1 at 256x256, 1 at 1024x1024, 1 at 4096x4096 (10^9 samples a second)\n"
                "  wavelet  1 at 1024x1024, 1 at 4096x4096 (10^9 samples a second)\n"
                "  noisy    other work interfered: this record is not used; run tune again\n");
    begin_print();
    gf_report_print(true, record_form, record_report("gpu:0", &r, false));
    end_print();
    CHECK(strstr(printed,
                 "\"open_s\":0.31,\"up_gb_s\":10.0,\"down_gb_s\":9.0,\"pinned_up_gb_s\":50.0,"
                 "\"pinned_down_gb_s\":40.0,\"staged_up_gb_s\":20.0,\"staged_down_gb_s\":16.0,"
                 "\"link_gb_s\":200.0,\"fft\":") &&
          strstr(printed, "\"noisy\":true,\"kept\":false,\"version\":2}"));
}

static void test_choice(void) {
    struct gf_settings s = {.backend = "openmp"};
    const struct gf_request_device *device = s.request.device;
    CHECK(!choose(&s) && s.request.n == 1 && !strcmp(device->name, "openmp") && !device->device[0]);
    s.device = "1";
    CHECK(choose(&s) == GF_EABSENT && !s.request.list && !strcmp(device->name, "openmp:1"));
    s = (struct gf_settings){.backend = "openmp,openmp"};
    CHECK(!choose(&s) && s.request.n == 2 && device[1].backend == &gf_backend_openmp);
    s.backend = "auto";
    CHECK(!choose(&s) && s.request.n >= 1 && device[s.request.n - 1].backend == &gf_backend_openmp);
}

/* A backend that is none, so that the host alone is measured: in a folder, and where nothing can be written. */
static void test_host(void) {
    char folder[] = "/tmp/test_tune_text.XXXXXX", *operand = folder;
    struct gf_settings s = {.backend = "none", .json = true};
    CHECK(mkdtemp(folder) && !chdir(folder));
    begin_print();
    s.forget = true;
    int code = run(&s, &operand, 1);
    CHECK(code == GF_EUSAGE &&
          !strcmp(gf_message(), "--forget, --export, --import and a shape exclude each other"));
    s.forget = false;
    errors[0] = 0;
    code = run(&s, NULL, 0);
    end_print();
    CHECK_EQ(code, 2);
    CHECK_MSG(!strncmp(errors, "none: no backend 'none'", 23), "%s", errors);
    CHECK_MSG(strstr(printed, "{\"device\":\"host\",\"png_decode_mb_s\":"), "%s", printed);
    CHECK(strstr(printed, "\"png_encode_mb_s\":") && strstr(printed, "\"disk_mb_s\":"));
    s.json = false;
    begin_print();
    run(&s, NULL, 0);
    end_print();
    CHECK_MSG(strstr(printed, "host\n  png      reads ") && strstr(printed, "  disk     "), "%s",
              printed);
    CHECK(!chdir("/proc") && !rmdir(folder)); /* nothing was left there */
    begin_print();
    code = run(&s, NULL, 0);
    end_print();
    CHECK(code >= 1 && errors[0] && !strstr(printed, "host"));
    struct host_speeds h = {.disk = 0};
    CHECK_EQ(time_disk("/proc/none", &h), GF_EIO);
    CHECK(h.disk == 0 && !strcmp(gf_message(), "cannot write and read '/proc/none'"));
    CHECK(time_host(&h) && h.encode == 0);
}

int main(void) {
    RUN("a device's speeds are printed as text and as JSON", test_records());
    RUN("tune measures the devices that were asked for, or all", test_choice());
    RUN("tune measures the disk, and says where it cannot write", test_host());
    return TEST_END();
}
