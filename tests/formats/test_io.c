/* Sources and sinks: what is on the disk after success, failure and everything between. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/io/io.h"
#include "formats/io/keeper.h"
#include "tests/formats/calls.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static unsigned mode_of(const char *path) {
    struct stat st;
    return lstat(path, &st) ? 0 : st.st_mode & 07777;
}

static void test_replace(void) {
    struct gf_sink *s;
    umask(027);
    CHECK_EQ(text_put("new", true, "one"), GF_OK);
    CHECK(file_is("new", "one", 3));
    CHECK_EQ(mode_of("new"), 0640);
    chmod("new", 0604);
    CHECK_EQ(text_put("new", true, "second"), GF_OK);
    CHECK(file_is("new", "second", 6));
    CHECK_EQ(mode_of("new"), 0604);
    umask(022);

    CHECK_EQ(gf_sink_open("new", true, &s), GF_OK);
    CHECK_EQ(gf_sink_write(s, "third", 5), GF_OK);
    CHECK(file_is("new", "second", 6)); /* until the commit */
    CHECK_EQ(scratch_count(), 1 + no_unnamed);
    gf_sink_abort(s);
    CHECK(file_is("new", "second", 6));
    CHECK_EQ(scratch_count(), 1);
    gf_sink_abort(NULL);

    mkdir("folder", 0755);
    CHECK_EQ(text_put("folder", true, "x"), GF_EIO);
    CHECK_EQ(text_put("missing/file", true, "x"), GF_EIO);
    CHECK(strstr(gf_message(), "missing/file") && strstr(gf_message(), "no such file"));
    CHECK_EQ(text_put("", true, "x"), GF_EIO);
    CHECK_EQ(text_put("folder/", true, "x"), GF_EIO);
    CHECK_EQ(text_put("nofolder/", true, "x"), GF_EIO);
    char long_name[300];
    memset(long_name, 'a', sizeof long_name);
    long_name[299] = 0;
    CHECK_EQ(text_put(long_name, true, "x"), GF_EIO);
    rmdir("folder");
    if (geteuid() != 0) { /* root may write everywhere */
        chmod("new", 0400);
        CHECK_EQ(text_put("new", true, "x"), GF_EIO);
        mkdir("locked", 0500);
        CHECK_EQ(text_put("locked/x", true, "x"), GF_EIO);
        rmdir("locked");
    }
    unlink("new");
    CHECK_EQ(scratch_count(), 0);
}

static void test_clobber(void) {
    struct gf_sink *s;
    CHECK_EQ(text_put("a", false, "one"), GF_OK);
    CHECK_EQ(mode_of("a"), 0644);
    CHECK_EQ(text_put("a", false, "two"), GF_EIO);
    CHECK(strstr(gf_message(), "exists"));
    CHECK(file_is("a", "one", 3));
    /* The other writer was faster: found out at the rename, and its file stays. Then without the calls
     * that some file systems do not have. */
    for (int i = 0; i < 4; i++) {
        no_renameat2 = i & 1;
        no_link = i & 2;
        CHECK_EQ(gf_sink_open("b", false, &s), GF_OK);
        CHECK_EQ(gf_sink_write(s, "mine", 4), GF_OK);
        file_put("b", "theirs", 6);
        CHECK_EQ(gf_sink_commit(s), GF_EIO);
        CHECK(strstr(gf_message(), "exists"));
        CHECK(file_is("b", "theirs", 6));
        CHECK_EQ(scratch_count(), 2);
        unlink("b");
        CHECK_EQ(text_put("b", false, "mine"), GF_OK);
        CHECK(file_is("b", "mine", 4));
        CHECK_EQ(scratch_count(), 2);
        unlink("b");
    }
    no_renameat2 = no_link = false;
    unlink("a");
}

static void test_links(void) {
    struct stat st;
    mkdir("d", 0755);
    file_put("d/target", "old", 3);
    CHECK_EQ(symlink("d/target", "one"), 0);
    CHECK_EQ(symlink("one", "two"), 0);
    CHECK_EQ(text_put("two", true, "new"), GF_OK);
    CHECK(file_is("d/target", "new", 3));
    CHECK(!lstat("two", &st) && S_ISLNK(st.st_mode));
    CHECK(!lstat("one", &st) && S_ISLNK(st.st_mode));
    CHECK_EQ(text_put("two", false, "x"), GF_EIO);
    unlink("d/target");
    CHECK_EQ(text_put("two", true, "again"), GF_OK); /* a link to nothing makes what it points to */
    CHECK(file_is("d/target", "again", 5));
    CHECK_EQ(symlink("loop", "loop"), 0);
    CHECK_EQ(text_put("loop", true, "x"), GF_EIO);
    unlink("loop");
    unlink("one");
    unlink("two");
    unlink("d/target");
    CHECK_EQ(rmdir("d"), 0);
    CHECK_EQ(scratch_count(), 0);
}

/* A full disk, as far as a test can have one. */
static void test_short_writes(void) {
    size_t n = 1 << 20;
    char *data = calloc(1, n);
    struct rlimit old, limit;
    struct gf_sink *s;
    file_put("f", "old", 3);
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = 700001; /* within a write, so that a part of it is accepted */
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_EQ(gf_sink_open("f", true, &s), GF_OK);
    CHECK_EQ(gf_sink_write(s, data, n), GF_EIO);
    CHECK(strstr(gf_message(), "file too large"));
    CHECK_EQ(gf_sink_write(s, data, 1), GF_EIO); /* a failed sink stays failed */
    CHECK_EQ(gf_sink_commit(s), GF_EIO);
    limit.rlim_cur = 10;
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_EQ(gf_sink_open("f", true, &s), GF_OK);
    CHECK_EQ(gf_sink_write(s, data, 1000), GF_OK); /* still in the buffer */
    CHECK_EQ(gf_sink_commit(s), GF_EIO);
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK(file_is("f", "old", 3));
    CHECK_EQ(scratch_count(), 1);
    unlink("f");
    if (access("/dev/full", W_OK) == 0) {
        CHECK_EQ(text_put("/dev/full", true, "x"), GF_EIO);
        CHECK(strstr(gf_message(), "/dev/full") && strstr(gf_message(), "no space left"));
    }
    free(data);
}

/* Forks a reader of a FIFO that takes `n` bytes into the file `to` and exits. */
static pid_t fork_reader(const char *fifo, const char *to, size_t n) {
    pid_t pid = fork();
    if (pid == 0) {
        char buffer[4096];
        int in = open(fifo, O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0644);
        for (size_t done = 0; done < n;) {
            size_t part = n - done < sizeof buffer ? n - done : sizeof buffer;
            ssize_t got = read(in, buffer, part);
            if (got <= 0)
                break;
            done += (size_t)write(out, buffer, (size_t)got);
        }
        _exit(0);
    }
    return pid;
}

static void test_streams(void) {
    struct gf_sink *s;
    struct stat st;
    mkfifo("fifo", 0644);
    pid_t pid = fork_reader("fifo", "got", 100);
    CHECK_EQ(text_put("fifo", false, "through"), GF_OK); /* a FIFO is there to be written to */
    waitpid(pid, NULL, 0);
    CHECK(file_is("got", "through", 7));
    CHECK(!stat("fifo", &st) && S_ISFIFO(st.st_mode));
    unlink("got");

    /* Going back: all is kept until the commit. */
    pid = fork_reader("fifo", "got", 100);
    CHECK_EQ(gf_sink_open("fifo", true, &s), GF_OK);
    CHECK(!gf_sink_is_file(s));
    gf_sink_keep(s);
    char back[8] = "";
    CHECK_EQ(gf_sink_write(s, "0123456789", 10), GF_OK);
    CHECK_EQ(gf_sink_seek(s, 2), GF_OK);
    CHECK_EQ(gf_sink_write(s, "ab", 2), GF_OK);
    CHECK_EQ(gf_sink_seek(s, 12), GF_OK);
    CHECK_EQ(gf_sink_write(s, "z", 1), GF_OK);
    CHECK_EQ(gf_sink_seek(s, 1), GF_OK);
    CHECK_EQ(gf_sink_read(s, back, 4), 4);
    CHECK(!memcmp(back, "1ab4", 4));
    CHECK_EQ(gf_sink_size(s), 13);
    CHECK_EQ(gf_sink_commit(s), GF_OK);
    waitpid(pid, NULL, 0);
    CHECK(file_is("got", "01ab456789\0\0z", 13));
    unlink("got");

    /* The reader exits: an error, not a signal (which this program ignores). */
    pid = fork_reader("fifo", "got", 10);
    CHECK_EQ(gf_sink_open("fifo", true, &s), GF_OK);
    size_t n = 1 << 20;
    char *data = calloc(1, n);
    CHECK_EQ(gf_sink_write(s, data, n), GF_EIO);
    CHECK(strstr(gf_message(), "broken pipe"));
    CHECK_EQ(gf_sink_commit(s), GF_EIO);
    waitpid(pid, NULL, 0);
    free(data);
    unlink("got");
    unlink("fifo");
    CHECK_EQ(text_put("/dev/null", false, "x"), GF_OK);
    CHECK_EQ(scratch_count(), 0);
}

static void test_seek(void) {
    struct gf_sink *s;
    uint32_t seed = 7;
    enum { N = 3 << 20, STEPS = 400 };
    unsigned char *image = calloc(1, N), *piece = malloc(N);
    int64_t size = 0;
    CHECK_EQ(gf_sink_open("f", true, &s), GF_OK);
    for (int i = 0; i < STEPS; i++) {
        size_t n = random_next(&seed) % (i % 50 ? 5000 : 600000);
        int64_t at = i % 3 ? gf_sink_tell(s) : (int64_t)(random_next(&seed) % (N - 600000));
        if (at + (int64_t)n > N)
            at = 0;
        CHECK_EQ(gf_sink_seek(s, at), GF_OK);
        if (i % 7 == 6) {
            int64_t got = gf_sink_read(s, piece, n), left = size > at ? size - at : 0;
            CHECK_EQ(got, (int64_t)n < left ? (int64_t)n : left);
            CHECK(!memcmp(piece, image + at, (size_t)got));
            continue;
        }
        for (size_t k = 0; k < n; k++)
            piece[k] = image[(size_t)at + k] = (unsigned char)random_next(&seed);
        CHECK_EQ(gf_sink_write(s, piece, n), GF_OK);
        if (n && at + (int64_t)n > size)
            size = at + (int64_t)n;
    }
    CHECK_EQ(gf_sink_size(s), size);
    CHECK_EQ(gf_sink_commit(s), GF_OK);
    CHECK(file_is("f", image, (size_t)size));
    free(image);
    free(piece);
    unlink("f");
}

/* Nothing can be written after this. */
static void test_end(void) {
    struct gf_sink *s[5], *late;
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        CHECK_EQ(gf_sink_open(name, true, &s[i]), GF_OK);
    }
    CHECK_EQ(scratch_count(), no_unnamed ? 5 : 0);
    gf_sink_remove_temporaries();
    CHECK_EQ(scratch_count(), 0);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(gf_sink_commit(s[i]), GF_EIO); /* and not a crash */
    CHECK_EQ(gf_sink_open("late", true, &late), GF_EIO);
    CHECK_EQ(scratch_count(), 0);
}

/* The end of a program that opened no output touches no pages for it: a fault takes about 1 us. In a
 * child, before anything is opened here. */
static void test_cheap_end(void) {
    pid_t pid = fork();
    if (pid == 0) {
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        gf_sink_remove_temporaries();
        getrusage(RUSAGE_SELF, &after);
        _exit(after.ru_minflt - before.ru_minflt < 50 ? 0 : 1);
    }
    int status = -1;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK_EQ(status, 0);
}

/* The temporaries of a process that is killed right after they have names are removed, and the files that
 * it completed stay. */
static void test_keeper(void) {
    enum { TRIES = 500 };
    const int before = scratch_count();
    const char *path;
    struct gf_sink *s;
    pid_t pid = fork();
    if (pid == 0) {
        gf_keeper_start();
        gf_keeper_start(); /* there is one */
        if (!gf_sink_open("complete", true, &s) && !gf_sink_commit(s) &&
            !gf_sink_open("first", true, &s) && !gf_sink_lend(s, 0, &path) &&
            !gf_sink_open("second", true, &s) && !gf_sink_lend(s, 10, &path) &&
            scratch_count() == before + 3) {
            keep_counts();
            raise(SIGKILL);
        }
        _Exit(1);
    }
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
    for (int i = 0; i < TRIES && scratch_count() > before + 1; i++)
        usleep(10000);
    CHECK_EQ(scratch_count(), before + 1);
    CHECK(!access("complete", F_OK));
    unlink("complete");
    pid = fork();
    if (pid == 0) { /* its end is waited for; without it nothing is watched */
        gf_keeper_start();
        gf_keeper_stop();
        gf_keeper_stop();
        gf_keeper_watch("complete");
        _Exit(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 1);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* The next process removes the leftovers of a killed one, and nothing else. */
static void test_leftovers(void) {
    static const char *const others[] = {"left/.gpufft-notes", "left/.gpufft-0123456789abcdef.tmp~",
                                         "left/.gpufft-0123456789ABCDEF.tmp",
                                         "left/.gpufft-0123456789abcde.tmp", "left/gpufft.tmp"};
    const char *path;
    struct gf_sink *s;
    int go[2], ready[2], status;
    char byte;
    mkdir("left", 0755);
    CHECK(!pipe(go) && !pipe(ready));
    for (int i = 0; i < 5; i++)
        file_put(others[i], "x", 1);
    mkdir("left/.gpufft-0123456789abcdef.tmp", 0755);
    CHECK(!symlink("gpufft.tmp", "left/.gpufft-1123456789abcdef.tmp"));
    pid_t living = fork();
    if (living == 0) {
        close(go[1]);
        if (!gf_sink_open("left/living", true, &s) && !gf_sink_lend(s, 0, &path) &&
            write(ready[1], "", 1) == 1 && read(go[0], &byte, 1) == 0)
            _Exit(gf_sink_commit(s) ? 1 : 0);
        _Exit(2);
    }
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    pid_t killed = fork();
    if (killed == 0) {
        for (int i = 0; i < 3; i++)
            if (gf_sink_open("left/killed", true, &s) || gf_sink_lend(s, 0, &path))
                _Exit(2);
        keep_counts();
        raise(SIGKILL);
    }
    CHECK(waitpid(killed, &status, 0) == killed && WIFSIGNALED(status));
    CHECK_EQ(chdir("left"), 0);
    CHECK_EQ(scratch_count(), 11);
    CHECK_EQ(text_put(no_unnamed ? ".././left/next" : "../left/next", true, "next"), GF_OK);
    CHECK_EQ(scratch_count(), 9); /* one that is in use, and the new one */
    CHECK_EQ(chdir(".."), 0);
    close(go[1]);
    CHECK(waitpid(living, &status, 0) == living && status == 0);
    CHECK(!access("left/living", F_OK));
    for (int i = 0; i < 5; i++)
        CHECK_EQ(unlink(others[i]), 0);
    CHECK_EQ(rmdir("left/.gpufft-0123456789abcdef.tmp"), 0);
    CHECK_EQ(unlink("left/.gpufft-1123456789abcdef.tmp"), 0);
    CHECK_EQ(unlink("left/living") | unlink("left/next"), 0);
    CHECK_EQ(rmdir("left"), 0);
    close(go[0]);
    close(ready[0]);
    close(ready[1]);
}

/* A sweep is at the file before it is locked: another name is taken. And a path that leaves no room for it. */
static void test_names(void) {
    static char path[PATH_MAX];
    taken_locks = no_unnamed ? 3 : 0;
    CHECK_EQ(text_put("swept", true, "text"), GF_OK);
    CHECK_EQ(taken_locks, 0);
    CHECK(file_is("swept", "text", 4));
    unlink("swept");
    taken_locks = no_unnamed ? 1000 : 0;
    CHECK_EQ(text_put("swept", true, "text"), no_unnamed ? GF_EIO : GF_OK);
    taken_locks = 0;
    unlink("swept");
    for (size_t i = 0; i + 3 < sizeof path; i += 2)
        memcpy(path + i, "./x", 4);
    CHECK_EQ(text_put(path, true, "text"), GF_EIO);
    CHECK(strstr(gf_message(), "file name too long"));
    CHECK_EQ(scratch_count(), 0);
}

static void test_temporaries(void) {
    static struct gf_sink *many[520];
    int opened = 0;
    for (; opened < 520; opened++)
        if (gf_sink_open("same", true, &many[opened]))
            break;
    CHECK_EQ(opened, 512);
    CHECK(message_is_good(gf_message()));
    while (opened)
        gf_sink_abort(many[--opened]);
    CHECK_EQ(scratch_count(), 0);
}

static void *write_many(void *name) {
    intptr_t failures = 0;
    for (int i = 0; i < 50; i++)
        failures += text_put(name, true, name) != GF_OK;
    return (void *)failures;
}

static void test_threads(void) {
    static char names[6][4] = {"p0", "p1", "p2", "p3", "p4", "p5"};
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, write_many, names[i < 6 ? i : 5]);
    for (int i = 0; i < 8; i++) {
        void *failures;
        pthread_join(threads[i], &failures);
        CHECK_EQ((intptr_t)failures, 0);
    }
    for (int i = 0; i < 6; i++) {
        CHECK(file_is(names[i], names[i], 2));
        unlink(names[i]);
    }
    CHECK_EQ(scratch_count(), 0);
}

/* The same questions to a file, to memory and to a pipe. */
static void check_source(struct gf_source *s, const unsigned char *data, int64_t n) {
    unsigned char *got = malloc((size_t)n + 100);
    CHECK_EQ(gf_source_peek(s, got, 10), 10);
    CHECK(!memcmp(got, data, 10));
    CHECK_EQ(gf_source_tell(s), 0);
    CHECK_EQ(gf_source_read(s, got, 7), 7);
    CHECK_EQ(gf_source_seek(s, 3), GF_OK);
    CHECK_EQ(gf_source_read(s, got, 100000), 100000);
    CHECK(!memcmp(got, data + 3, 100000));
    CHECK_EQ(gf_source_size(s), n);
    CHECK_EQ(gf_source_known_size(s), n);
    CHECK_EQ(gf_source_seek(s, n - 5), GF_OK);
    CHECK_EQ(gf_source_peek(s, got, 10), 5);
    CHECK_EQ(gf_source_read(s, got, 10), 5);
    CHECK(!memcmp(got, data + n - 5, 5));
    CHECK_EQ(gf_source_read(s, got, 10), 0);
    CHECK_EQ(gf_source_read_exactly(s, got, 1), GF_EFORMAT);
    CHECK_EQ(gf_source_seek(s, n + 1000), GF_OK);
    CHECK_EQ(gf_source_read(s, got, 10), 0);
    CHECK(gf_source_seek(s, -1) < 0);
    CHECK_EQ(gf_source_seek(s, 0), GF_OK);
    CHECK_EQ(gf_source_read_exactly(s, got, (size_t)n), GF_OK);
    CHECK(!memcmp(got, data, (size_t)n));
    free(got);
    gf_source_close(s);
}

static pid_t fork_writer(const char *fifo, const unsigned char *data, size_t n) {
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open(fifo, O_WRONLY);
        for (size_t done = 0; done < n;) {
            size_t part = n - done < 7777 ? n - done : 7777;
            ssize_t put_out = write(fd, data + done, part);
            if (put_out < 0)
                break;
            done += (size_t)put_out;
        }
        _exit(0);
    }
    return pid;
}

static void test_sources(void) {
    enum { N = 300001 };
    unsigned char *data = malloc(N), *got = malloc(N);
    struct gf_source *s;
    uint32_t seed = 3;
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)random_next(&seed);
    CHECK_EQ(gf_source_open_memory(data, N, &s), GF_OK);
    check_source(s, data, N);
    file_put("in", data, N);
    CHECK_EQ(gf_source_open("in", &s), GF_OK);
    check_source(s, data, N);
    mkfifo("fifo", 0644);
    pid_t pid = fork_writer("fifo", data, N);
    CHECK_EQ(gf_source_open("fifo", &s), GF_OK);
    CHECK_EQ(gf_source_known_size(s), -1);
    check_source(s, data, N);
    waitpid(pid, NULL, 0);

    pid = fork_writer("fifo", data, N);
    CHECK_EQ(gf_source_open("fifo", &s), GF_OK);
    gf_source_forward(s);
    CHECK_EQ(gf_source_read(s, got, 1000), 1000);
    CHECK_EQ(gf_source_seek(s, 70000), GF_OK);
    CHECK_EQ(gf_source_read(s, got, 200000), 200000);
    CHECK(!memcmp(got, data + 70000, 200000));
    CHECK(gf_source_seek(s, 10) < 0);
    CHECK_EQ(gf_source_read(s, got, N), N - 270000);
    CHECK(!memcmp(got, data + 270000, N - 270000));
    gf_source_close(s);
    waitpid(pid, NULL, 0);

    pid = fork_writer("fifo", data, N);
    CHECK_EQ(gf_source_open("fifo", &s), GF_OK);
    gf_source_limit(s, 200000);
    CHECK_EQ(gf_source_size(s), GF_ENOMEM);
    CHECK(message_is_good(gf_message()));
    gf_source_close(s);
    waitpid(pid, NULL, 0);

    CHECK_EQ(gf_source_open("missing", &s), GF_EIO);
    CHECK(!strcmp(gf_message(), "no such file or directory"));
    CHECK_EQ(gf_source_open(".", &s), GF_EIO);
    CHECK(!strcmp(gf_message(), "is a directory"));
    unlink("in");
    unlink("fifo");
    free(data);
    free(got);
}

/* A large part of a file on several threads: behind a window that was read before, up to the end of the
 * file, and beyond it. */
static void test_read_threads(void) {
    enum { MOST = (41 << 20) + 12345, BEFORE = 1001 };
    unsigned char *data = malloc(MOST), *got = malloc(MOST);
    struct gf_source *s;
    CHECK(data && got);
    if (!data || !got)
        return;
    for (int i = 0; i < MOST; i++)
        data[i] = (unsigned char)((unsigned)i * 2654435761u >> 24);
    FILE *f = fopen("large", "w");
    CHECK(f && fwrite(data, 1, MOST, f) == MOST && !fclose(f));
    for (int cut = 0; cut < 2; cut++) { /* shorter than it was when it was opened */
        const int64_t size = cut ? MOST / 2 : MOST;
        CHECK_EQ(gf_source_open("large", &s), GF_OK);
        gf_source_set_threads(s, 4);
        CHECK(!truncate("large", size));
        CHECK_EQ(gf_source_read(s, got, BEFORE), BEFORE);
        CHECK_EQ(gf_source_read(s, got + BEFORE, MOST - BEFORE), size - BEFORE);
        CHECK(!memcmp(got, data, (size_t)size));
        CHECK_EQ(gf_source_tell(s), size);
        CHECK_EQ(gf_source_read(s, got, MOST), 0);
        CHECK_EQ(gf_source_seek(s, 7), GF_OK);
        CHECK_EQ(gf_source_read(s, got, 40 << 20), cut ? size - 7 : 40 << 20);
        CHECK(!memcmp(got, data + 7, (size_t)(cut ? size - 7 : 40 << 20)));
        gf_source_close(s);
    }
    unlink("large");
    free(data);
    free(got);
}

static void test_end_apart(void) {
    pid_t pid = fork();
    if (pid == 0) {
        no_unnamed = false;
        test_failed = 0;
        test_end();
        _exit(test_failed != 0);
    }
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static void test_files(const char *how) {
    RUN(case_name("an output replaces its file at once%s", how), test_replace());
    RUN(case_name("an output that exists stays unless forced%s", how), test_clobber());
    RUN(case_name("links are followed and stay links%s", how), test_links());
    RUN(case_name("a full disk leaves the old file%s", how), test_short_writes());
    RUN(case_name("pipes and devices are written to%s", how), test_streams());
    RUN(case_name("an output is written at any place%s", how), test_seek());
    RUN(case_name("a killed process leaves complete files alone%s", how), test_keeper());
    RUN(case_name("only leftovers of killed processes are removed%s", how), test_leftovers());
    RUN(case_name("temporaries find a free name, or say that there is none%s", how), test_names());
    RUN(case_name("temporaries are removed at the end, however many%s", how), test_temporaries());
    RUN(case_name("threads write their outputs side by side%s", how), test_threads());
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    umask(022);
    scratch_enter();
    RUN("the end of a program without outputs touches no pages", test_cheap_end());
    RUN("large parts of a file are read on several threads", test_read_threads());
    test_files("");
    no_unnamed = true;
    test_files(", without unnamed files");
    RUN("sources give the bytes of files and pipes from any place", test_sources());
    RUN("nothing can be written after the end", test_end_apart(); test_end());
    scratch_leave();
    return TEST_END();
}
