/* A .npy or raw file and its record, or a NIfTI header, its samples and their record, while they change: ended at every system call, interrupted at
 * every system call, with a rename that fails, with memory that runs out, by two at once. */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "formats/pair.h"
#include "formats/record.h"
#include "tests/formats/calls.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static const struct gf_write_options usual = {.level = -1};

/* A reader's result. */
enum found { ABSENT, REFUSED, OLD, NEW, MIXED };
/* The state before. BOTH: the old data, and a record that a killed commit left. */
enum before { NOTHING, FOREIGN, PAIR, BROKEN, BOTH, N_BEFORE };

struct bytes {
    unsigned char *data;
    size_t n;
};

/* One format's pictures, and the files they make. */
struct world {
    const struct gf_format *format;
    char path[16], beside[32], samples[16]; /* of a header; else "" */
    bool changing;                          /* while someone looks */
    struct gf_image old, new;               /* of the same size; without records */
    char *old_record, *new_record;
    struct bytes old_data, new_data, old_samples, new_samples, old_json, new_json, both_json;
};

/* With `shift` so that a record tells whose it is. */
static char *record_of(bool shift) {
    struct gf_record record = {.version = 1,
                               .kind = GF_COMPLEX,
                               .ndim = 2,
                               .shape = {8, 9},
                               .channels = 3,
                               .color = GF_RGB,
                               .dtype = GF_U8,
                               .depth = 8,
                               .axes = 3,
                               .shift = shift};
    char *text;
    NEED(gf_record_format(&record, &text) == GF_OK);
    return text;
}

static int write_pair(const struct world *w, const struct gf_image *image, char *record) {
    struct gf_image v = *image;
    v.record = record;
    return gf_image_write(w->path, w->format, &v, &usual, true);
}

static void take(const char *path, struct bytes *b) {
    b->data = file_get(path, &b->n);
}

static void put(const char *path, const struct bytes *b) {
    file_put(path, b->data, b->n);
}

/* The record between the old pair and the new one, spelled out here once more. */
static struct bytes join(const struct bytes *now, const struct bytes *before) {
    json_error_t error;
    json_t *root = json_loadb((char *)now->data, now->n, 0, &error);
    json_object_set_new(root, "before", json_loadb((char *)before->data, before->n, 0, &error));
    struct bytes b = {(unsigned char *)json_dumps(root, 0), 0};
    b.n = strlen((char *)b.data);
    json_decref(root);
    return b;
}

static bool is_pair(const struct world *w) {
    return *w->samples;
}

static int files_of(const struct world *w, bool record) {
    return 1 + is_pair(w) + record;
}

/* The headers of a pair differ, since the extents do. */
static void world_make(struct world *w, const struct gf_format *format) {
    *w = (struct world){.format = format};
    const bool pair = format == &gf_format_nifti;
    snprintf(w->path, sizeof w->path, "p.%s", pair ? "hdr" : format->name);
    snprintf(w->samples, sizeof w->samples, "%s", pair ? "p.img" : "");
    snprintf(w->beside, sizeof w->beside, "%s.json", w->path);
    w->old = image_make(GF_C64, 0, 8, 9, pair ? 1 : 3, 1);
    w->new = image_make(GF_C64, 0, pair ? 9 : 8, pair ? 8 : 9, pair ? 1 : 3, 2);
    w->old_record = record_of(false);
    w->new_record = record_of(true);
    NEED(write_pair(w, &w->old, w->old_record) == GF_OK);
    take(w->path, &w->old_data);
    take(w->samples, &w->old_samples);
    take(w->beside, &w->old_json);
    NEED(write_pair(w, &w->new, w->new_record) == GF_OK);
    take(w->path, &w->new_data);
    take(w->samples, &w->new_samples);
    take(w->beside, &w->new_json);
    w->both_json = join(&w->new_json, &w->old_json);
}

static void world_free(struct world *w) {
    unlink(w->path);
    unlink(w->samples);
    unlink(w->beside);
    gf_image_free(&w->old);
    gf_image_free(&w->new);
    free(w->old_record);
    free(w->new_record);
    free(w->old_data.data);
    free(w->new_data.data);
    free(w->old_samples.data);
    free(w->new_samples.data);
    free(w->old_json.data);
    free(w->new_json.data);
    free(w->both_json.data);
}

static void put_data(const struct world *w, bool new) {
    put(w->path, new ? &w->new_data : &w->old_data);
    if (is_pair(w))
        put(w->samples, new ? &w->new_samples : &w->old_samples);
}

static void world_set(const struct world *w, enum before before) {
    static const char broken[] = "{\"gpufft\":1,\"data\":7}";
    unlink(w->path);
    unlink(w->samples);
    unlink(w->beside);
    if (before != NOTHING)
        put_data(w, false);
    if (before == PAIR)
        put(w->beside, &w->old_json);
    else if (before == BOTH)
        put(w->beside, &w->both_json);
    else if (before == BROKEN)
        file_put(w->beside, broken, sizeof broken - 1);
}

static bool same_text(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

static enum found look(const struct world *w, const char *old_record, const char *new_record) {
    struct gf_read_options options = {.channels_last = true};
    struct gf_image image, outline;
    enum found found = MIXED;
    if (w->format == &gf_format_raw && access(w->beside, F_OK) == 0 && old_record && new_record)
        options.channels_last = false; /* the record alone describes the bytes */
    else if (w->format == &gf_format_raw) {
        options.raw.ndim = 3;
        memcpy(options.raw.shape, (int64_t[]){8, 9, 3}, sizeof options.raw.shape);
        options.raw.dtype = GF_C64;
    }
    int rc = gf_image_read(w->path, &options, &image, NULL);
    options.header_only = true;
    if (rc) {
        CHECK(message_is_good(gf_message()));
        return access(w->path, F_OK) ? ABSENT : REFUSED;
    }
    if (!w->changing) {
        CHECK_EQ(gf_image_read(w->path, &options, &outline, NULL), GF_OK);
        CHECK(same_text(outline.record, image.record));
        gf_image_free(&outline);
    }
    if (image_same(&image, &w->old) && same_text(image.record, old_record))
        found = OLD;
    else if (image_same(&image, &w->new) && same_text(image.record, new_record))
        found = NEW;
    gf_image_free(&image);
    return found;
}

/* A pair that was killed between its renames is refused. */
static bool is_allowed(const struct world *w, enum before before, enum found found, bool killed) {
    static const enum found start[N_BEFORE] = {ABSENT, OLD, OLD, REFUSED, OLD};
    return found == NEW || found == start[before] || (killed && is_pair(w) && found == REFUSED);
}

/* ---- ended and interrupted ---- */

static void on_signal(int number) {
    gf_sink_remove_temporaries();
    _exit(128 + number);
}

static void child(const struct world *w, char *record) {
    struct sigaction action = {.sa_handler = on_signal};
    sigfillset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        _exit(99);
    raise(SIGSTOP);
    _exit(write_pair(w, &w->new, record) ? 1 : 0);
}

/* Lets the child make `steps` system calls and sends the signal at the entry into the next. True
 * when it ended before that. */
static bool run_until(pid_t pid, int steps, int number) {
    int status;
    bool sent = false, inside = false;
    waitpid(pid, &status, 0);
    CHECK_MSG(WIFSTOPPED(status), "ptrace() is not permitted: status %x", (unsigned)status);
    if (!WIFSTOPPED(status))
        return true;
    ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
    for (int pass_on = 0; WIFSTOPPED(status);) {
        bool entry = WSTOPSIG(status) == (SIGTRAP | 0x80) && (inside = !inside);
        if (!sent && entry && steps-- == 0) {
            kill(pid, number);
            sent = true;
        }
        ptrace(sent ? PTRACE_CONT : PTRACE_SYSCALL, pid, NULL, pass_on);
        if (waitpid(pid, &status, 0) < 0)
            break;
        pass_on = WIFSTOPPED(status) && WSTOPSIG(status) == number ? number : 0;
    }
    if (!sent)
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    else if (number == SIGKILL)
        CHECK(WIFSIGNALED(status));
    return !sent;
}

static void remove_temporaries(void) {
    DIR *d = opendir(".");
    NEED(d);
    for (const struct dirent *e; (e = readdir(d));)
        if (!strncmp(e->d_name, ".gpufft-", 8))
            CHECK(!unlink(e->d_name));
    closedir(d);
}

/* After INT, TERM or HUP the pair is just the one or just the other, byte for byte. */
static void check_tidy(const struct world *w, enum before before, const char *record,
                       enum found found, int step) {
    size_t n;
    struct bytes first = {NULL, 0}, json;
    take(w->beside, &json);
    enum found now = found;
    world_set(w, before);
    take(w->beside, &first);
    const struct bytes *want = now != NEW ? &first : &w->new_json;
    bool none = now == NEW ? !record : !first.data;
    n = json.n;
    CHECK_MSG(none ? !json.data : json.data && n == want->n && !memcmp(json.data, want->data, n),
              "%s, before %d, step %d: the record is neither", w->path, (int)before, step);
    free(json.data);
    free(first.data);
}

static void test_at_every_step(const struct world *w, enum before before, char *record,
                               int number) {
    bool ended = false;
    int step = 0, n_old = 0, n_new = 0;
    for (; step < 2000 && !ended; step++) {
        world_set(w, before);
        int there = scratch_count();
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            child(w, record);
        ended = run_until(pid, step, number);
        if (number == SIGKILL)
            remove_temporaries();
        enum found found = look(w, before == FOREIGN ? NULL : w->old_record, record);
        CHECK_MSG(is_allowed(w, before, found, number == SIGKILL),
                  "%s, before %d, %s record, signal %d, step %d: %d", w->path, (int)before,
                  record ? "with a" : "without a", number, step, (int)found);
        n_old += found != NEW;
        n_new += found == NEW;
        if (number != SIGKILL) {
            int files = scratch_count(),
                most = there > files_of(w, true) ? there : files_of(w, true);
            CHECK_MSG(files <= most, "step %d: %d files", step, files);
            check_tidy(w, before, record, found, step);
        }
    }
    CHECK(ended && n_old > 0 && n_new > 0);
}

static void test_ended(const struct world *w, int which) {
    for (enum before before = NOTHING; before < N_BEFORE; before++)
        for (int how = 0; how < 4; how++)
            if (case_takes(4 * (int)before + how + 7 * which, 6))
                test_at_every_step(w, before, how & 1 ? w->new_record : NULL,
                                   how & 2 ? SIGTERM : SIGKILL);
}

/* ---- the record of two ---- */

static void test_both(const struct world *w) {
    world_set(w, BOTH);
    CHECK_EQ(look(w, w->old_record, w->new_record), OLD);
    if (is_pair(w)) { /* either of its files alone is new */
        put(w->path, &w->new_data);
        CHECK_EQ(look(w, w->old_record, w->new_record), REFUSED);
        put_data(w, false);
        put(w->samples, &w->new_samples);
        CHECK_EQ(look(w, w->old_record, w->new_record), REFUSED);
    }
    put_data(w, true);
    CHECK_EQ(look(w, w->old_record, w->new_record), NEW);
    struct bytes other = {NULL, 0};
    take(is_pair(w) ? w->samples : w->path, &other);
    other.data[other.n - 1] ^= 1;
    put(is_pair(w) ? w->samples : w->path, &other);
    CHECK_EQ(look(w, w->old_record, w->new_record), REFUSED);
    CHECK(strstr(gf_message(), "describes a different file"));
    free(other.data);
    /* The next commit takes the one that fits along, and none where none does. */
    CHECK_EQ(write_pair(w, &w->new, w->new_record), GF_OK);
    CHECK(file_is(w->beside, w->new_json.data, w->new_json.n));
    static const char *const bad[] = {"7", "null", "{}", "{\"data\":{}}",
                                      "{\"data\":{\"format\":null,\"bytes\":1}}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[2048];
        int n = snprintf(text, sizeof text, "%.*s,\"before\":%s}", (int)w->new_json.n - 2,
                         (char *)w->new_json.data, bad[i]);
        file_put(w->beside, text, (size_t)n);
        CHECK_MSG(look(w, w->old_record, w->new_record) == REFUSED, "%s", bad[i]);
    }
}

/* ---- what fails ---- */

/* The data, or the samples behind their header, cannot go to its place: a folder has taken it meanwhile. */
static void test_failed_rename(const struct world *w, enum before before, char *record) {
    struct gf_image v = w->new;
    struct gf_pair_files files = {NULL, NULL};
    struct bytes first, json;
    v.record = record;
    world_set(w, before);
    take(w->beside, &first);
    CHECK_EQ(gf_sink_open(is_pair(w) ? w->samples : w->path, true, &files.data), GF_OK);
    if (is_pair(w))
        CHECK_EQ(gf_sink_open(w->path, true, &files.header), GF_OK);
    struct gf_encoder e = {.format = w->format,
                           .sink = files.data,
                           .header = files.header,
                           .image = &v,
                           .options = &usual};
    CHECK_EQ(gf_encoder_write(&e), GF_OK);
    const char *taken = is_pair(w) ? w->samples : w->path;
    unlink(taken);
    mkdir(taken, 0755);
    int rc = gf_pair_commit(w->path, w->format, &v, &usual, true, &files);
    CHECK_MSG(rc == GF_EIO && strstr(gf_message(), "is a directory"), "%d %s", rc, gf_message());
    rmdir(taken);
    take(w->beside, &json);
    CHECK_MSG(json.n == first.n && !json.data == !first.data &&
                  (!json.data || !memcmp(json.data, first.data, json.n)),
              "before %d: the record that was there is not there again", (int)before);
    const bool has_header = is_pair(w) && before != NOTHING;
    CHECK(!has_header || file_is(w->path, w->old_data.data, w->old_data.n));
    CHECK_EQ(scratch_count(), has_header + (first.data != NULL));
    free(json.data);
    free(first.data);
}

static int allocations_left;

static void *allocate(size_t n) {
    return allocations_left-- > 0 ? malloc(n) : NULL;
}

/* Each allocation of the JSON library fails (without LONG=1 a third of them), and all that follow: the old pair or the
 * new. */
static void test_memory(const struct world *w, enum before before) {
    int rc = 1, n = 0;
    for (; n < 5000 && rc; n++) {
        if (!case_takes(n, 3))
            continue;
        world_set(w, before);
        json_set_alloc_funcs(allocate, free);
        allocations_left = n;
        rc = write_pair(w, &w->new, w->new_record);
        json_set_alloc_funcs(malloc, free);
        enum found found = look(w, before == FOREIGN ? NULL : w->old_record, w->new_record);
        CHECK_MSG(found == (rc ? OLD : NEW), "%d allocations: status %d, %d", n, rc, (int)found);
        CHECK_EQ(scratch_count(), files_of(w, before != FOREIGN || !rc));
    }
    CHECK(n > 50 && !rc);
}

/* ---- two at once ---- */

static pid_t start_writer(const struct world *w, const struct gf_image *image, char *record) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int failed = 0;
        for (int i = 0; i < 60; i++)
            failed += write_pair(w, image, record) != GF_OK;
        _exit(failed > 0);
    }
    return pid;
}

static void test_two_writers(struct world *w) {
    int status, running = 2, counts[MIXED + 1] = {0};
    world_set(w, PAIR);
    w->changing = true;
    start_writer(w, &w->old, w->old_record);
    start_writer(w, &w->new, w->new_record);
    while (running) {
        counts[look(w, w->old_record, w->new_record)]++;
        if (waitpid(-1, &status, WNOHANG) > 0) {
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            running--;
        }
    }
    w->changing = false;
    CHECK_EQ(counts[MIXED], 0);
    CHECK(is_pair(w) || counts[REFUSED] == 0);
    CHECK_EQ(counts[ABSENT], 0);
    enum found last = look(w, w->old_record, w->new_record);
    CHECK(last == OLD || last == NEW);
    CHECK(file_is(w->beside, last == OLD ? w->old_json.data : w->new_json.data,
                  last == OLD ? w->old_json.n : w->new_json.n));
    CHECK_EQ(scratch_count(), files_of(w, true));
}

static void test_failed_renames(const struct world *w) {
    for (enum before before = NOTHING; before < N_BEFORE; before++) {
        test_failed_rename(w, before, w->new_record);
        test_failed_rename(w, before, NULL);
    }
}

int main(void) {
    static const struct gf_format *const formats[] = {&gf_format_npy, &gf_format_raw,
                                                      &gf_format_nifti};
    scratch_enter();
    for (int i = 0; i < 3; i++) {
        const char *name = formats[i]->name;
        struct world w;
        no_unnamed = i == 1;
        world_make(&w, formats[i]);
        RUN(case_name("%s: a record of two is read with either, and not with a mixture", name),
            test_both(&w));
        RUN(case_name("%s: a rename that fails leaves what was there", name),
            test_failed_renames(&w));
        RUN(case_name("%s: memory that runs out leaves the old pair or the new", name),
            test_memory(&w, FOREIGN);
            test_memory(&w, PAIR); test_memory(&w, BOTH));
        RUN(case_name("%s: two writers never leave a mixture", name), test_two_writers(&w));
        RUN(case_name("%s: a writer that ends at any system call leaves the old pair or the new",
                      name),
            test_ended(&w, i));
        world_free(&w);
        RUN(case_name("%s: nothing is left over", name), CHECK_EQ(scratch_count(), 0));
    }
    scratch_leave();
    return TEST_END();
}
