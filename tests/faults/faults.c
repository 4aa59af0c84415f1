/* Runs gpufft with one call failing, call after call, and reports what comes out wrong.
 * usage: faults [-s SECONDS] [-S SEED] [CASE[:KIND[:ERROR[:N]]]]...
 * GPUFFT names the program (./gpufft); the shim is beside this one. With -s only as many runs,
 * picked at random, as that time allows. Four parts name one run, whose words are shown. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/faults.h"

enum { ALL_OF = 100, MORE = 200, FEW = 20, KILLS = 500, MAX_CASES = 80 };

/* The faults, and for kills and limits the meaning of `n` of a run. */
static const struct row {
    const char *kind, *error;
    struct fault fault;
    bool slow_too; /* for the cases that run few */
} rows[] = {
    {"alloc", "ENOMEM", {.kind = FAULT_ALLOC, .error = ENOMEM, .limit = -1}, true},
    {"alloc", "ENOMEM-on", {.kind = FAULT_ALLOC, .error = ENOMEM, .on = true, .limit = -1}, true},
    {"mmap", "ENOMEM", {.kind = FAULT_MMAP, .error = ENOMEM, .limit = -1}, true},
    {"thread", "EAGAIN", {.kind = FAULT_THREAD, .error = EAGAIN, .limit = -1}, true},
    {"thread",
     "EAGAIN-on",
     {.kind = FAULT_THREAD, .error = EAGAIN, .on = true, .limit = -1},
     false},
    {"open", "EIO", {.kind = FAULT_OPEN, .error = EIO, .limit = -1}, true},
    {"open", "ENOSPC", {.kind = FAULT_OPEN, .error = ENOSPC, .limit = -1}, false},
    {"open", "EINTR", {.kind = FAULT_OPEN, .error = EINTR, .limit = -1}, false},
    {"read", "EIO", {.kind = FAULT_READ, .error = EIO, .limit = -1}, true},
    {"read", "EINTR", {.kind = FAULT_READ, .error = EINTR, .limit = -1}, false},
    {"read", "short", {.kind = FAULT_READ, .error = FAULT_SHORT, .limit = -1}, false},
    {"write", "EIO", {.kind = FAULT_WRITE, .error = EIO, .limit = -1}, true},
    {"write", "ENOSPC", {.kind = FAULT_WRITE, .error = ENOSPC, .limit = -1}, false},
    {"write", "ENOSPC-on", {.kind = FAULT_WRITE, .error = ENOSPC, .on = true, .limit = -1}, false},
    {"write", "EINTR", {.kind = FAULT_WRITE, .error = EINTR, .limit = -1}, false},
    {"write", "short", {.kind = FAULT_WRITE, .error = FAULT_SHORT, .limit = -1}, false},
    {"sync", "EIO", {.kind = FAULT_SYNC, .error = EIO, .limit = -1}, false},
    {"sync", "ENOSPC", {.kind = FAULT_SYNC, .error = ENOSPC, .limit = -1}, false},
    {"rename", "EIO", {.kind = FAULT_RENAME, .error = EIO, .limit = -1}, true},
    {"rename", "ENOSPC", {.kind = FAULT_RENAME, .error = ENOSPC, .limit = -1}, false},
    {"rename", "EIO-on", {.kind = FAULT_RENAME, .error = EIO, .on = true, .limit = -1}, false},
    {"unlink", "EIO", {.kind = FAULT_UNLINK, .error = EIO, .limit = -1}, true},
    {"unlink",
     "EACCES-on",
     {.kind = FAULT_UNLINK, .error = EACCES, .on = true, .limit = -1},
     false},
    {"close", "EIO", {.kind = FAULT_CLOSE, .error = EIO, .limit = -1}, true},
    {"close", "ENOSPC", {.kind = FAULT_CLOSE, .error = ENOSPC, .limit = -1}, false},
    {"close", "EINTR", {.kind = FAULT_CLOSE, .error = EINTR, .limit = -1}, false},
    {"stat", "EIO", {.kind = FAULT_STAT, .error = EIO, .limit = -1}, true},
    {"stat", "EACCES", {.kind = FAULT_STAT, .error = EACCES, .limit = -1}, false},
    /* Ended by KILL just before the Nth call that changes a file or a folder. */
    {"change", "KILL", {.kind = FAULT_CHANGE, .error = FAULT_KILL, .limit = -1}, false},
    /* The same, and renames, where no file is made without a name. */
    {"named",
     "KILL",
     {.kind = FAULT_CHANGE, .error = FAULT_KILL, .limit = -1, .named = true},
     false},
    {"named", "EIO", {.kind = FAULT_RENAME, .error = EIO, .limit = -1, .named = true}, true},
    /* Ended at a moment that N seeds. */
    {"moment", "KILL", {.kind = -1, .limit = -1, .signal = SIGKILL}, false},
    {"moment", "TERM", {.kind = -1, .limit = -1, .signal = SIGTERM}, false},
    {"moment", "INT", {.kind = -1, .limit = -1, .signal = SIGINT}, false},
    /* ulimit -f: N times 64 bytes; ulimit -v: N MiB. */
    {"limit", "file", {.kind = -1, .limit = RLIMIT_FSIZE, .value = 64}, false},
    {"limit", "memory", {.kind = -1, .limit = RLIMIT_AS, .value = 1 << 20}, false},
};
enum { ROWS = sizeof rows / sizeof *rows };
static const int file_limits[] = {0, 1, 2, 4, 8, 16, 32};

/* Other people's code that cannot do without what fails. */
static const struct known {
    const char *module; /* whose the failing code is */
    int kind;           /* of the call that failed */
    int wrong;          /* enum wrong that it explains */
    const char *reason;
} known[] = {
    {"libtiff.so", FAULT_ALLOC, WRONG_CRASH | WRONG_TEMPORARY,
     "libtiff 4.5 uses a field's or a codec's memory that it did not get"},
    {"libfftw3", FAULT_ALLOC, WRONG_CRASH, "FFTW ends the program where it gets no memory"},
    {"ld-linux", FAULT_ALLOC, WRONG_CODE | WRONG_TEMPORARY,
     "the loader ends the program where it gets no memory"},
};

enum state { NOT_RUN, PASSED, FAILED, UNREACHED, KNOWN };

struct test {
    int c, row, nth;
};
struct result {
    int state, wrong, known;
    char site[300];
};

static struct clean clean[MAX_CASES];
static int n_cases;
static struct test *tests;
static int n_tests, capacity;
static struct result *results; /* shared */
static atomic_int *next_test;
static uint64_t seed = 1;
static int run_count[MAX_CASES][ROWS + 1],
    failed_count[MAX_CASES][ROWS + 1]; /* the last: the disk */
static int disk_passed, disk_failed;

static uint64_t pick(uint64_t *state, uint64_t n) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % n;
}

/* ---- which runs ---- */

static void add(int c, int row, int nth) {
    if (n_tests == capacity) {
        capacity = capacity ? 2 * capacity : 4096;
        tests = realloc(tests, (size_t)capacity * sizeof *tests);
        if (!tests)
            fail_hard("memory");
    }
    tests[n_tests++] = (struct test){c, row, nth};
}

static void add_calls(int c, int row, int count) {
    uint64_t state = seed + (uint64_t)row * 7919 + (uint64_t)c;
    bool few = clean[c].c->few;
    if (few && count > FEW) {
        for (int i = 0; i < FEW; i++)
            add(c, row, 1 + (int)pick(&state, (uint64_t)count));
        return;
    }
    for (int n = 1; n <= count && (n <= ALL_OF || count <= ALL_OF + MORE); n++)
        add(c, row, n);
    for (int i = 0; count > ALL_OF + MORE && i < MORE; i++)
        add(c, row, ALL_OF + 1 + (int)pick(&state, (uint64_t)(count - ALL_OF)));
}

/* True where "CASE:KIND:ERROR:N" names it, as far as it is given. */
static bool named(const char *name, const struct test *t) {
    char full[200];
    snprintf(full, sizeof full, "%s:%s:%s:%d", clean[t->c].c->name, rows[t->row].kind,
             rows[t->row].error, t->nth);
    size_t n = strlen(name);
    return !strncmp(full, name, n) && (!full[n] || full[n] == ':');
}

static void list_tests(char **only, int n_only) {
    int writers = 0, kept = 0;
    for (int c = 0; c < n_cases; c++)
        writers += clean[c].after.n && !clean[c].c->few;
    for (int c = 0; c < n_cases; c++)
        for (int row = 0; row < ROWS; row++) {
            const struct fault *f = &rows[row].fault;
            bool writes = clean[c].after.n && !clean[c].c->few;
            if (clean[c].c->few && !rows[row].slow_too)
                continue;
            if (f->kind >= 0 && (f->kind != FAULT_CHANGE || clean[c].after.n))
                add_calls(c, row, clean[c].count[f->kind]);
            else if (f->signal && writes)
                for (int i = 0; i < (KILLS / 3 + writers) / writers; i++)
                    add(c, row, i);
            else if (f->limit == (int)RLIMIT_FSIZE && writes)
                for (size_t i = 0; i < sizeof file_limits / sizeof *file_limits; i++)
                    add(c, row, file_limits[i]);
            else if (f->limit == (int)RLIMIT_AS)
                for (int mib = 16; mib <= 56; mib++)
                    add(c, row, mib);
        }
    for (int i = 0; i < n_tests && n_only; i++)
        for (int k = 0; k < n_only; k++)
            if (named(only[k], &tests[i])) {
                tests[kept++] = tests[i];
                break;
            }
    n_tests = n_only ? kept : n_tests;
}

/* Tests that every sample includes, since they found most. */
static bool always(const struct test *t) {
    const char *name = clean[t->c].c->name, *kind = rows[t->row].kind;
    bool memory =
        !strcmp(kind, "alloc") && (!strcmp(name, "fwd-png") || !strcmp(name, "info-json"));
    return memory || !strcmp(kind, "thread");
}

/* For a sample: any order, but for some at the front. */
static void shuffle(void) {
    uint64_t state = seed;
    int front = 0;
    for (int i = n_tests - 1; i > 0; i--) {
        int k = (int)pick(&state, (uint64_t)i + 1);
        struct test t = tests[i];
        tests[i] = tests[k];
        tests[k] = t;
    }
    for (int i = 0; i < n_tests; i++)
        if (always(&tests[i])) {
            struct test t = tests[front];
            tests[front++] = tests[i];
            tests[i] = t;
        }
}

/* ---- running them ---- */

static struct fault fault_of(const struct test *t) {
    struct fault f = rows[t->row].fault;
    uint64_t state = seed * 1000003 + (uint64_t)t->nth * 9176 + (uint64_t)t->c;
    pick(&state, 2);
    f.nth = f.kind >= 0 ? t->nth : 0;
    if (f.limit >= 0)
        f.value *= (rlim_t)t->nth;
    if (f.signal)
        f.after = (unsigned)pick(&state, (uint64_t)(clean[t->c].ms * 1200) + 1);
    if (f.kind < 0)
        f.kind = FAULT_ALLOC; /* none: nth is 0 */
    return f;
}

/* The module of the innermost frame outside the C library, which is where a crash shows. */
static const char *module_of(const char *site, char *name, size_t size) {
    const char *p = site;
    while (!strncmp(p, "libc.so", 7) && strchr(p, ' '))
        p = strchr(p, ' ') + 1;
    snprintf(name, size, "%.*s", (int)strcspn(p, "+"), p);
    return name;
}

/* The first call that failed may be another thread's: the loader's own end shows in the status. */
static int find_known(const struct place *p, const struct fault *f, int wrong, int status) {
    enum { LOADER_EXIT = 127 };
    char crash[64], site[64];
    module_of(p->page->crash, crash, sizeof crash);
    module_of(p->page->site, site, sizeof site);
    const char *module = wrong & WRONG_CRASH                                       ? crash
                         : WIFEXITED(status) && WEXITSTATUS(status) == LOADER_EXIT ? "ld-linux"
                                                                                   : site;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].kind == f->kind && (wrong & ~known[i].wrong) == 0 &&
            !strncmp(module, known[i].module, strlen(known[i].module)))
            return (int)i;
    return -1;
}

static void keep_result(struct result *r, const struct place *p, const struct fault *f, int wrong,
                        int status, bool reached) {
    r->wrong = wrong;
    r->known = wrong ? find_known(p, f, wrong, status) : -1;
    r->state = wrong ? (r->known >= 0 ? KNOWN : FAILED) : reached ? PASSED : UNREACHED;
    snprintf(r->site, sizeof r->site, "%.299s",
             wrong & WRONG_CRASH && *p->page->crash ? p->page->crash : p->page->site);
}

static void run_test(struct place *p, int i, bool show) {
    const struct test *t = &tests[i];
    struct fault f = fault_of(t);
    struct outcome o;
    int wrong = trial(p, &clean[t->c], &f, &o);
    if (wrong & WRONG_HANG) { /* or the machine was busy */
        outcome_free(&o);
        wrong = trial(p, &clean[t->c], &f, &o);
    }
    bool reached = !f.nth || p->page->fired || f.error == FAULT_KILL;
    keep_result(&results[i], p, &f, wrong, o.status, reached);
    if (show)
        printf("status %x, %s\n%s", (unsigned)o.status, reached ? "reached" : "not reached",
               o.err.data);
    outcome_free(&o);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void work(int worker, double deadline) {
    char name[32];
    struct place p;
    snprintf(name, sizeof name, "w%d", worker);
    place_open(&p, world.root, name);
    for (int i; (i = atomic_fetch_add(next_test, 1)) < n_tests && now_s() < deadline;)
        run_test(&p, i, false);
    place_close(&p);
}

static void run_tests(double deadline) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    fflush(NULL);
    for (int w = 0; w < cpus; w++) {
        pid_t pid = fork();
        if (pid < 0)
            fail_hard("fork");
        if (pid == 0) {
            work(w, deadline);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
}

/* ---- what came of them ---- */

/* "function file:line" of the innermost frames of the program itself. */
static void print_frames(const char *site) {
    char command[4400], line[300];
    int shown = 0;
    const char *slash = strrchr(world.program, '/');
    size_t own = strlen(slash + 1);
    for (const char *p = site; p && *p && shown < 4;
         p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL) {
        int n = (int)strcspn(p, " ");
        const char *plus = memchr(p, '+', (size_t)n);
        if (strncmp(p, slash + 1, own) || p[own] != '+' || !plus) {
            printf("        %.*s\n", n, p);
            continue;
        }
        snprintf(command, sizeof command, "addr2line -s -p -f -i -e '%s' %.*s 2>/dev/null",
                 world.program, (int)(n - (plus - p) - 1), plus + 1);
        FILE *f = popen(command, "r");
        while (f && fgets(line, sizeof line, f))
            printf("        %s", line);
        if (f)
            pclose(f);
        shown++;
    }
}

/* One line for all runs of a case in which the same call fails with the same outcome. */
static void print_result(int i, bool *told) {
    const struct test *t = &tests[i];
    char text[400];
    int count = 0;
    for (int k = i; k < n_tests; k++)
        if (results[k].state == results[i].state && tests[k].c == t->c && tests[k].row == t->row &&
            results[k].wrong == results[i].wrong) {
            told[k] = true;
            count++;
        }
    wrong_text(results[i].wrong, text, sizeof text);
    printf("%s: %s %s %s %d: %s (%d)%s%s\n", results[i].state == KNOWN ? "known" : "failed",
           clean[t->c].c->name, rows[t->row].kind, rows[t->row].error, t->nth, text, count,
           results[i].state == KNOWN ? ": " : "",
           results[i].state == KNOWN ? known[results[i].known].reason : "");
    if (results[i].state == FAILED || n_tests == 1)
        print_frames(results[i].site);
}

static void print_table(void) {
    printf("runs of each kind, and failed ones after a slash:\n%-18s", "");
    for (int row = 0; row < ROWS; row++)
        if (row == 0 || strcmp(rows[row].kind, rows[row - 1].kind))
            printf(" %8s", rows[row].kind);
    printf(" %8s\n", "disk");
    for (int c = 0; c < n_cases; c++) {
        printf("%-18s", clean[c].c->name);
        for (int row = 0; row <= ROWS;) {
            int runs = 0, failed = 0, first = row;
            char text[32];
            do {
                runs += run_count[c][row];
                failed += failed_count[c][row];
                row++;
            } while (row < ROWS && !strcmp(rows[row].kind, rows[first].kind));
            snprintf(text, sizeof text, failed ? "%d/%d" : "%d", runs, failed);
            printf(" %8s", text);
        }
        printf("\n");
    }
}

/* The failures come last, where the end of a long log shows them. */
static int report(void) {
    int by_state[5] = {0};
    bool *told = calloc((size_t)n_tests + 1, sizeof *told);
    for (int i = 0; i < n_tests; i++) {
        by_state[results[i].state]++;
        run_count[tests[i].c][tests[i].row] += results[i].state != NOT_RUN;
        failed_count[tests[i].c][tests[i].row] += results[i].state == FAILED;
    }
    print_table();
    for (int state = KNOWN; told && state >= FAILED; state -= KNOWN - FAILED)
        for (int i = 0; i < n_tests; i++)
            if ((int)results[i].state == state && !told[i])
                print_result(i, told);
    free(told);
    printf("%d not run, %d not reached, %d known\n", by_state[NOT_RUN], by_state[UNREACHED],
           by_state[KNOWN]);
    printf("%d passed, %d failed\n", by_state[PASSED] + disk_passed,
           by_state[FAILED] + disk_failed);
    return by_state[FAILED] + disk_failed > 0;
}

static void disk_result(int c, int pages, int wrong, const struct place *p,
                        const struct outcome *o) {
    char text[400];
    (void)p;
    run_count[c][ROWS]++;
    failed_count[c][ROWS] += wrong != 0;
    disk_passed += !wrong;
    disk_failed += wrong != 0;
    wrong_text(wrong, text, sizeof text);
    if (wrong)
        printf("failed: %s disk %d pages free: %s\n        %s", clean[c].c->name, pages, text,
               o->err.data);
}

/* ---- setting up ---- */

static void find_programs(const char *self) {
    const char *program = getenv("GPUFFT"), *slash = strrchr(self, '/');
    char shim[4096];
    snprintf(shim, sizeof shim, "%.*sfaults_shim.so", slash ? (int)(slash - self + 1) : 0, self);
    if (!realpath(program ? program : "./gpufft", world.program))
        fail_hard(program ? program : "./gpufft");
    if (!realpath(shim, world.shim))
        fail_hard(shim);
}

static void world_make(void) {
    char path[256];
    snprintf(world.root, sizeof world.root, "%s/faults-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(world.root))
        fail_hard(world.root);
    snprintf(world.in, sizeof world.in, "%s/in", world.root);
    snprintf(world.in_before, sizeof world.in_before, "%s/in0", world.root);
    snprintf(path, sizeof path, "%s/none", world.root);
    mkdir(path, 0777);
    if (!inputs_make(world.in, 1) || !inputs_make(world.in_before, 100))
        exit(2);
}

static pid_t main_process;
static void world_clear(void) {
    if (getpid() == main_process && *world.root)
        folder_clear(world.root, true);
}
static void on_signal(int number) {
    exit(128 + number);
}

static bool wanted(const struct fault_case *c, char **only, int n) {
    for (int i = 0; i < n; i++) {
        size_t m = strcspn(only[i], ":");
        if (m == strlen(c->name) && !strncmp(only[i], c->name, m))
            return true;
    }
    return !n;
}

static void *shared(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        fail_hard("mmap");
    return p;
}

int main(int argc, char **argv) {
    double seconds = 0;
    char why[200];
    struct place p;
    for (int option; (option = getopt(argc, argv, "s:S:")) != -1;) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'S')
            seed = strtoull(optarg, NULL, 10);
        else
            return 2;
    }
    char **only = argv + optind;
    int n_only = argc - optind;
    find_programs(argv[0]);
    main_process = getpid();
    atexit(world_clear);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    double deadline = now_s() + (seconds > 0 ? seconds : 1e9);
    world_make();
    place_open(&p, world.root, "first");
    for (const struct fault_case *c = fault_cases; c->name; c++)
        if (wanted(c, only, n_only) && n_cases < MAX_CASES && !(seconds > 0 && c->few && c->loose))
            clean_make(&p, c, &clean[n_cases++]);
    list_tests(only, n_only);
    results = shared((size_t)(n_tests + 1) * sizeof *results);
    next_test = shared(sizeof *next_test);
    if (seconds > 0)
        shuffle();
    if (n_tests == 1)
        run_test(&p, 0, true);
    else
        run_tests(deadline);
    place_close(&p);
    if (!n_only && !full_disk(clean, n_cases, disk_result, why, sizeof why))
        printf("skipped: a full disk: %s\n", why);
    return report();
}
