/* The cache of built kernels against everything that may happen to it. The device is a stand-in
 * whose binaries tell what they were built from. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <dirent.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "cli/environment.h"
#include "core/gpu/cache/compiler_note.h"
#include "core/gpu/cache/kernel_cache.h"
#include "core/gpu/cache/kernel_source.h"
#include "core/base/value/status.h"
#include "tests/test.h"

static char base[64], sources[128], cache[128];

/* ---- the stand-in ---- */

struct gf_gpu_kernel {
    char text[4096];
};

static struct shared {
    atomic_int builds; /* of all processes */
    atomic_int running, most_running;
    atomic_int alive;    /* kernels loaded and not unloaded */
    atomic_int refusals; /* so many loads fail */
} * shared;

static int fake_build(void *gpu, const char *name, const char *source, const char *options,
                      void **binary, size_t *bytes) {
    char text[4096];
    (void)gpu;
    shared->builds++;
    int running = ++shared->running, most = shared->most_running;
    while (running > most && !atomic_compare_exchange_weak(&shared->most_running, &most, running))
        ;
    nanosleep(&(struct timespec){0, 3000000}, NULL);
    shared->running--;
    *binary = NULL;
    *bytes = 0;
    if (strstr(options, "-DBROKEN"))
        return gf_fail(GF_EBACKEND, "building %s: no good: %s", name, options);
    *bytes = (size_t)snprintf(text, sizeof text, "BUILT %s|%s", options, source);
    *binary = malloc(*bytes);
    if (!*binary)
        return gf_fail(GF_ENOMEM, "no memory");
    memcpy(*binary, text, *bytes);
    return 0;
}

static int fake_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                     int64_t local_bytes, struct gf_gpu_kernel **kernel) {
    (void)gpu;
    (void)entry;
    (void)local_bytes;
    *kernel = NULL;
    if (shared->refusals > 0) {
        shared->refusals--;
        return gf_fail(GF_EBACKEND, "the driver dislikes this binary");
    }
    struct gf_gpu_kernel *k = calloc(1, sizeof *k);
    if (!k || bytes >= sizeof k->text)
        return gf_fail(GF_ENOMEM, "no memory");
    memcpy(k->text, binary, bytes);
    shared->alive++;
    *kernel = k;
    return 0;
}

static void fake_unload(void *gpu, struct gf_gpu_kernel *k) {
    (void)gpu;
    if (k)
        shared->alive--;
    free(k);
}

static bool fake_lost(void *gpu) {
    (void)gpu;
    return false;
}

static const struct gf_gpu fake = {.name = "fake",
                                   .build = fake_build,
                                   .load = fake_load,
                                   .unload = fake_unload,
                                   .lost = fake_lost};
static struct gf_gpu_props props = {
    .name = "stand-in", .platform = "none", .driver = "1.0", .compiler = "cc"};

/* ---- helpers ---- */

static void write_text(const char *folder, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    NEED(f);
    fputs(text, f);
    fclose(f);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static void remove_all(const char *path) {
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* How many files the cache folder holds whose name ends so; the last one's path. */
static int count_files(const char *end, char path[256]) {
    char name[256] = "";
    int n = 0;
    DIR *dir = opendir(cache);
    struct dirent *d;
    while (dir && (d = readdir(dir))) {
        size_t have = strlen(d->d_name), want = strlen(end);
        if (have <= want || strcmp(d->d_name + have - want, end) || d->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s", d->d_name);
        n++;
    }
    if (dir)
        closedir(dir);
    if (path)
        snprintf(path, 256, "%.100s/%.140s", cache, name);
    return n;
}

static struct gf_kernel_request request(const char *file, const char *options) {
    struct gf_kernel_request r = {.entry = "main"};
    snprintf(r.file, sizeof r.file, "%s", file);
    snprintf(r.options, sizeof r.options, "%s", options);
    return r;
}

/* Gets one kernel and sees that it is the right one; returns how often it was built, or -1. */
static int get(const char *file, const char *options) {
    struct gf_kernel_request r = request(file, options);
    char *source = NULL, expected[4096];
    int built = -1, alive = shared->alive;
    if (gf_kernel_cache_get(&fake, NULL, &props, &r, 1, &built, NULL))
        return -1;
    CHECK(!gf_kernel_source(gf_environment(), file, &source));
    snprintf(expected, sizeof expected, "BUILT %s|%s", options, source);
    CHECK_MSG(r.kernel && !strcmp(r.kernel->text, expected), "%s", options);
    CHECK_EQ(shared->alive, alive + 1);
    fake_unload(NULL, r.kernel);
    free(source);
    return built;
}

/* ---- the cache as it should be ---- */

static _Atomic int n_compiling;
static void count_compiling(const char *device) {
    n_compiling += !strcmp(device, props.name);
}

static void test_hits(void) {
    char path[256];
    struct stat st;
    struct gf_kernel_request r[4] = {request("a.cl", "-DN=1"), request("a.cl", "-DN=2"),
                                     request("a.cl", "-DN=5"), request("c.cl", "-DN=1")};
    int built = -1;
    CHECK_EQ(gf_kernel_cache_get(&fake, NULL, &props, r, 4, &built, count_compiling), 0);
    CHECK_EQ(built, 4);
    CHECK_EQ(n_compiling, 4);
    CHECK_EQ(shared->alive, 4);
    CHECK(strstr(r[0].kernel->text, "-DN=1|") && strstr(r[1].kernel->text, "-DN=2|"));
    CHECK(strstr(r[2].kernel->text, "-DN=5|"));
    CHECK(strstr(r[3].kernel->text, "end"));
    for (int i = 0; i < 4; i++)
        fake_unload(NULL, r[i].kernel);
    CHECK_EQ(count_files(".kernel", path), 4);
    CHECK_EQ(count_files("", NULL), 4); /* nothing else is left */
    CHECK(!lstat(path, &st) && (st.st_mode & 07777) == 0600);
    CHECK(!lstat(cache, &st) && (st.st_mode & 07777) == 0700);
    CHECK_EQ(get("a.cl", "-DN=1"), 0);
    CHECK_EQ(get("a.cl", "-DN=2"), 0);
    CHECK_EQ(gf_kernel_cache_get(&fake, NULL, &props, NULL, 0, &built, NULL), 0);
    CHECK_EQ(built, 0);

    char text[GF_REASON];
    gf_kernel_cache_describe(gf_environment(), text);
    CHECK_MSG(!strncmp(text, "4 kernels, ", 11) && strstr(text, cache), "%s", text);
    CHECK(!gf_kernel_cache_is_empty(gf_environment()));

    /* Each part of the key. */
    CHECK_EQ(get("a.cl", "-DN=3"), 1);
    char *const part[] = {props.name, props.platform, props.driver, props.compiler};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        char was = part[i][0];
        part[i][0] = '*';
        CHECK_EQ(get("a.cl", "-DN=1"), 1);
        CHECK_EQ(get("a.cl", "-DN=1"), 0);
        part[i][0] = was;
        CHECK_EQ(get("a.cl", "-DN=1"), 0);
    }
    struct gf_kernel_request other = request("a.cl", "-DN=1");
    CHECK_EQ(gf_kernel_cache_get(&fake, NULL, &props, &other, 1, &built, count_compiling), 0);
    CHECK_EQ(n_compiling, 4); /* kept: nothing is compiled */
    fake_unload(NULL, other.kernel);
    strcpy(other.entry, "other");
    CHECK_EQ(gf_kernel_cache_get(&fake, NULL, &props, &other, 1, &built, NULL), 0);
    CHECK_EQ(built, 1);
    fake_unload(NULL, other.kernel);
    write_text(sources, "b.h", "// b has changed");
    CHECK_EQ(get("a.cl", "-DN=1"), 1);
    CHECK_EQ(get("a.cl", "-DN=1"), 0);
}

/* A note holds for one device, and while the compiler is the same file. */
static void test_compiler_note(void) {
    struct gf_compiler_note note = {.as_ptx = 1}, read;
    struct gf_gpu_props another = props;
    char path[256], relative[] = "a.cl";
    another.extensions = "sm_10";
    snprintf(path, sizeof path, "%s/libcompiler", sources);
    snprintf(note.text, sizeof note.text, "cc 1.0");
    snprintf(note.option, sizeof note.option, "--arch=1");
    CHECK(!gf_compiler_note_file(&note, path) && !gf_compiler_note_file(&note, relative));
    write_text(sources, "libcompiler", "one");
    CHECK(gf_compiler_note_file(&note, path));
    CHECK(!gf_compiler_note_read(&props, &read));
    gf_compiler_note_write(&props, &note);
    CHECK(gf_compiler_note_read(&props, &read) && !memcmp(&read, &note, sizeof note));
    CHECK(!gf_compiler_note_read(&another, &read));
    write_text(sources, "libcompiler", "another one");
    CHECK(!gf_compiler_note_read(&props, &read));
    remove(path);
    CHECK(!gf_compiler_note_read(&props, &read));
    CHECK_EQ(count_files(".compiler", path), 1);
    remove(path);
}

static void test_failures(void) {
    struct gf_kernel_request r[6];
    int built, files = count_files("", NULL);
    for (int i = 0; i < 6; i++) {
        char options[32];
        snprintf(options, sizeof options, i == 4 ? "-DBROKEN=%d" : "-DOTHER=%d", i);
        r[i] = request("a.cl", options);
    }
    CHECK_EQ(gf_kernel_cache_get(&fake, NULL, &props, r, 6, &built, NULL), GF_EBACKEND);
    CHECK_MSG(strstr(gf_message(), "no good: -DBROKEN=4"), "%s", gf_message());
    CHECK_EQ(shared->alive, 0);
    for (int i = 0; i < 6; i++)
        CHECK(r[i].kernel == NULL);
    CHECK(count_files("", NULL) <= files + 5);

    r[2] = request("gone.cl", "");
    CHECK(gf_kernel_cache_get(&fake, NULL, &props, r, 6, NULL, NULL) != 0);
    CHECK(strstr(gf_message(), "gone.cl"));
    CHECK_EQ(shared->alive, 0);

    /* A driver that does not take what is kept gets it afresh, once. */
    CHECK_EQ(get("a.cl", "-DN=1"), 0);
    shared->refusals = 1;
    CHECK_EQ(get("a.cl", "-DN=1"), 1);
    CHECK_EQ(get("a.cl", "-DN=1"), 0);
    shared->refusals = 2;
    int before = shared->builds;
    CHECK_EQ(get("a.cl", "-DN=1"), -1);
    CHECK_MSG(strstr(gf_message(), "dislikes"), "%s", gf_message());
    CHECK_EQ(shared->builds, before + 1);
    CHECK_EQ(shared->refusals, 0);
    CHECK_EQ(get("a.cl", "-DN=1"), 0);
}

static void test_side_by_side(void) {
    struct gf_kernel_request r[24];
    cpu_set_t allowed;
    int built = 0;
    shared->most_running = 0;
    for (int i = 0; i < 24; i++) {
        char options[32];
        snprintf(options, sizeof options, "-DMANY=%d", i);
        r[i] = request("a.cl", options);
    }
    CHECK_EQ(gf_kernel_cache_get(&fake, NULL, &props, r, 24, &built, NULL), 0);
    CHECK_EQ(built, 24);
    for (int i = 0; i < 24; i++) {
        char options[32];
        snprintf(options, sizeof options, "-DMANY=%d|", i);
        CHECK(r[i].kernel && strstr(r[i].kernel->text, options));
        fake_unload(NULL, r[i].kernel);
    }
    CHECK(!sched_getaffinity(0, sizeof allowed, &allowed));
    int cpus = CPU_COUNT(&allowed);
    CHECK(shared->most_running <= (cpus < 8 ? cpus : 8));
    CHECK(cpus == 1 || shared->most_running > 1);
}

/* ---- damage ---- */

/* The one kernel there is has been damaged: it is built again, and kept again. */
static void check_rebuilt(const char *what, long where) {
    int first = get("a.cl", "-DN=1"), second = get("a.cl", "-DN=1");
    CHECK_MSG(first == 1 && second == 0, "%s %ld: built %d, then %d", what, where, first, second);
}

static void test_damage(void) {
    char path[256], aside[256], other[256];
    struct stat st;
    remove_all(cache);
    CHECK_EQ(get("a.cl", "-DN=2"), 1);
    CHECK_EQ(count_files(".kernel", other), 1);
    snprintf(aside, sizeof aside, "%s/aside", base);
    CHECK(!rename(other, aside));
    CHECK_EQ(get("a.cl", "-DN=1"), 1);
    CHECK_EQ(count_files(".kernel", path), 1);
    CHECK(!stat(path, &st));
    long size = (long)st.st_size;
    for (long at = 0; at < size; at++) { /* every bit, by turns */
        unsigned char c;
        int fd = open(path, O_RDWR);
        CHECK(pread(fd, &c, 1, at) == 1);
        c ^= (unsigned char)(1 << at % 8);
        CHECK(pwrite(fd, &c, 1, at) == 1);
        close(fd);
        check_rebuilt("bit flipped at", at);
    }
    for (long to = 0; to < size; to += to < 64 ? 1 : 41) {
        CHECK(!truncate(path, to));
        check_rebuilt("cut off at", to);
    }
    CHECK(!truncate(path, size + 1));
    check_rebuilt("longer", 1);
    CHECK(!truncate(path, (off_t)1 << 40)); /* sparse; must not be read */
    check_rebuilt("longer", 40);
    CHECK(!rename(aside, path)); /* whole, but of another key */
    check_rebuilt("another's", 0);
    CHECK(!chmod(path, 0620));
    check_rebuilt("writable for the group", 0);
    CHECK(!rename(path, aside));
    CHECK(!symlink(aside, path)); /* to the right thing, even */
    check_rebuilt("a link", 0);
    CHECK(!lstat(path, &st) && S_ISREG(st.st_mode));
    CHECK(!unlink(path) && !mkfifo(path, 0600));
    check_rebuilt("a pipe", 0);
    if (geteuid() == 0) {
        CHECK(!chown(path, 12345, (gid_t)-1));
        check_rebuilt("another user's", 0);
    }
    CHECK(!unlink(path) && !mkdir(path, 0700));
    CHECK_EQ(get("a.cl", "-DN=1"), 1);
    CHECK_EQ(get("a.cl", "-DN=1"), 1);
    CHECK_EQ(count_files("", NULL), 1); /* no temporary stays */
    CHECK(!rmdir(path));
    unlink(aside);
}

/* ---- folders ---- */

static void check_nothing_kept(const char *what) {
    char text[GF_REASON];
    int first = get("a.cl", "-DN=1"), second = get("a.cl", "-DN=1");
    CHECK_MSG(first == 1 && second == 1, "%s: built %d, then %d", what, first, second);
    gf_kernel_cache_describe(gf_environment(), text);
    CHECK_MSG(!strncmp(text, "none kept: ", 11) || !strncmp(text, "0 kernels", 9), "%s: %s", what,
              text);
}

static void test_folders(void) {
    char path[256], text[GF_REASON];
    remove_all(cache);
    gf_kernel_cache_describe(gf_environment(), text);
    CHECK_MSG(strstr(text, "nothing there yet"), "%s", text);
    CHECK(gf_kernel_cache_is_empty(gf_environment()));
    CHECK(access(cache, F_OK) != 0); /* to look is not to make */
    CHECK(!mkdir(cache, 0700));
    write_text(cache, "fftw-single.wisdom", "no kernel\n");
    CHECK(gf_kernel_cache_is_empty(gf_environment()));
    remove_all(cache);

    CHECK(!mkdir(cache, 0700) && !chmod(cache, 0770));
    check_nothing_kept("group may write");
    CHECK(!chmod(cache, 0702));
    check_nothing_kept("others may write");
    if (geteuid() == 0) {
        CHECK(!chmod(cache, 0700) && !chown(cache, 12345, (gid_t)-1));
        check_nothing_kept("another user's");
    } else {
        CHECK(!chmod(cache, 0500));
        check_nothing_kept("read-only");
        CHECK(!chmod(cache, 0));
        check_nothing_kept("locked");
    }
    CHECK(!rmdir(cache));
    snprintf(path, sizeof path, "%s/elsewhere", base);
    CHECK(!mkdir(path, 0700) && !symlink(path, cache));
    check_nothing_kept("a link");
    CHECK(!rmdir(path)); /* empty still */
    CHECK(!unlink(cache));
    write_text(base, "gpufft", "a file\n");
    check_nothing_kept("a file");
    CHECK(!unlink(cache));

    setenv("XDG_CACHE_HOME", "/dev/null/place", 1); /* not even root makes that */
    gf_environment_read();
    props.environment = gf_environment();
    check_nothing_kept("nowhere");
    setenv("XDG_CACHE_HOME", "relative", 1); /* its specification has it ignored */
    unsetenv("HOME");
    gf_environment_read();
    props.environment = gf_environment();
    check_nothing_kept("homeless");
    setenv("HOME", base, 1);
    gf_environment_read();
    props.environment = gf_environment();
    CHECK_EQ(get("a.cl", "-DN=1"), 1);
    CHECK_EQ(get("a.cl", "-DN=1"), 0);
    snprintf(path, sizeof path, "%s/.cache/gpufft", base);
    CHECK(!access(path, F_OK));
    setenv("XDG_CACHE_HOME", base, 1);
    gf_environment_read();
    props.environment = gf_environment();

    /* A full disk, or as good as. */
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, 100});
        _exit(get("a.cl", "-DN=1") == 1 && count_files("", NULL) == 0 ? 0 : 1);
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* ---- many processes ---- */

static void test_processes(void) {
    enum { PROCESSES = 16, KERNELS = 6 };
    pid_t child[PROCESSES];
    int failed = test_failed;
    remove_all(cache);
    fflush(NULL);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i])
            continue;
        struct gf_kernel_request r[KERNELS];
        bool good = true;
        for (int round = 0; round < 4; round++) {
            for (int k = 0; k < KERNELS; k++) {
                char options[32];
                snprintf(options, sizeof options, "-DK=%d", (k + i) % KERNELS);
                r[k] = request("a.cl", options);
            }
            good = good && !gf_kernel_cache_get(&fake, NULL, &props, r, KERNELS, NULL, NULL);
            for (int k = 0; k < KERNELS && good; k++) {
                good = strstr(r[k].kernel->text, r[k].options) != NULL;
                fake_unload(NULL, r[k].kernel);
            }
            char path[256];
            if (i % 4 == 0 && count_files(".kernel", path)) /* and some are up to no good */
                good = good && (!truncate(path, 90) || errno == ENOENT);
        }
        _exit(good && test_failed == failed ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 1;
        CHECK(child[i] > 0 && waitpid(child[i], &status, 0) == child[i]);
        CHECK_EQ(status, 0);
    }
    for (int k = 0; k < KERNELS; k++) {
        char options[32];
        snprintf(options, sizeof options, "-DK=%d", k);
        CHECK(get("a.cl", options) >= 0);
        CHECK_EQ(get("a.cl", options), 0);
    }
    CHECK_EQ(count_files(".kernel", NULL), KERNELS);
    CHECK_EQ(count_files("", NULL), KERNELS);
}

/* ---- its size ---- */

static void set_age(const char *path, time_t seconds) {
    time_t then = time(NULL) - seconds;
    CHECK(!utimensat(AT_FDCWD, path, (struct timespec[2]){{then, 0}, {then, 0}}, 0));
}

static time_t age(const char *path) {
    struct stat st;
    return stat(path, &st) ? -1 : time(NULL) - st.st_mtime;
}

static void test_size(void) {
    char path[256], name[64];
    remove_all(cache);
    CHECK_EQ(get("a.cl", "-DN=1"), 1);
    CHECK_EQ(count_files(".kernel", path), 1);
    set_age(path, 1800);
    CHECK_EQ(get("a.cl", "-DN=1"), 0);
    CHECK(age(path) >= 1800);
    set_age(path, 7200);
    CHECK_EQ(get("a.cl", "-DN=1"), 0);
    CHECK(age(path) < 60);

    char used[256], left[256], fresh[256], wisdom[256];
    memcpy(used, path, sizeof used);
    for (int i = 0; i < 4100; i++) {
        snprintf(name, sizeof name, "%016x.kernel", i);
        write_text(cache, name, "x");
        snprintf(path, sizeof path, "%s/%s", cache, name);
        set_age(path, i < 50 ? 20000 : 10000);
    }
    write_text(cache, "1-2-3-4.building", "x");
    write_text(cache, "5-6-7-8.building", "x");
    write_text(cache, "fftw-single.wisdom", "x");
    snprintf(left, sizeof left, "%s/1-2-3-4.building", cache);
    snprintf(fresh, sizeof fresh, "%s/5-6-7-8.building", cache);
    snprintf(wisdom, sizeof wisdom, "%s/fftw-single.wisdom", cache);
    set_age(left, 7200);
    set_age(wisdom, 30000);
    CHECK_EQ(get("a.cl", "-DN=1"), 0);
    CHECK_EQ(count_files(".kernel", NULL), 4101); /* a hit costs no look around */
    CHECK_EQ(get("a.cl", "-DN=2"), 1);
    CHECK_EQ(count_files(".kernel", NULL), 4096);
    CHECK(!access(used, F_OK) && !access(fresh, F_OK) && !access(wisdom, F_OK));
    CHECK(access(left, F_OK) != 0);
    int oldest = 0;
    for (int i = 0; i < 50; i++) {
        snprintf(path, sizeof path, "%s/%016x.kernel", cache, i);
        oldest += !access(path, F_OK);
    }
    CHECK_EQ(oldest, 44);

    /* 400 MiB: deletes one of the large ones and all that are older. */
    CHECK(!truncate(wisdom, (off_t)300 << 20)); /* does not count */
    for (int i = 100; i <= 200; i += 100) {
        snprintf(path, sizeof path, "%s/%016x.kernel", cache, i);
        CHECK(!truncate(path, (off_t)200 << 20));
        set_age(path, i == 100 ? 15000 : 9000);
    }
    CHECK_EQ(get("a.cl", "-DN=3"), 1);
    int n = count_files(".kernel", NULL);
    CHECK_EQ(n, 4096 + 1 - 44 - 1);
    CHECK(!access(path, F_OK) && !access(wisdom, F_OK));
    CHECK_EQ(get("a.cl", "-DN=1"), 0);
    CHECK_EQ(get("a.cl", "-DN=3"), 0);
}

int main(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    strcpy(base, "/tmp/gpufft-test-XXXXXX");
    NEED(shared != MAP_FAILED && mkdtemp(base));
    snprintf(sources, sizeof sources, "%s/kernels", base);
    snprintf(cache, sizeof cache, "%s/gpufft", base);
    NEED(!mkdir(sources, 0700));
    setenv("XDG_CACHE_HOME", base, 1);
    setenv("GPUFFT_KERNEL_DIR", sources, 1);
    gf_environment_read();
    props.environment = gf_environment();
    write_text(sources, "b.h", "// b\n");
    write_text(sources, "a.cl", "int a;\n#include \"b.h\"\n");
    write_text(sources, "c.cl", "the end\n");
    RUN("a kernel is built once", test_hits());
    RUN("a note holds for one device and one compiler", test_compiler_note());
    RUN("kernels that do not build are reported and not kept", test_failures());
    RUN("kernels are built side by side", test_side_by_side());
    RUN("damaged kernels are built again", test_damage());
    RUN("folders that cannot be written leave the cache off", test_folders());
    RUN("processes at once build each kernel and damage none", test_processes());
    RUN("old kernels are removed when the cache is too large", test_size());
    RUN("no kernel is left open", CHECK_EQ(shared->alive, 0));
    remove_all(base);
    return TEST_END();
}
