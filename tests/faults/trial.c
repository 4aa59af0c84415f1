/* One run of the program in a folder of its own, and what is wrong with what it left. */
#define SYS_PIDFD_OPEN 434 /* the same on every Linux */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/faults.h"

enum { MAX_ARGS = 32, HANG_MS = 10000 };

struct world world;

void fail_hard(const char *what) {
    fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
    exit(2);
}

void place_open(struct place *p, const char *root, const char *name) {
    snprintf(p->folder, sizeof p->folder, "%.200s/%s", root, name);
    snprintf(p->out, sizeof p->out, "%s.out", p->folder);
    p->page_fd = memfd_create("faults", MFD_CLOEXEC);
    if (mkdir(p->folder, 0777) || p->page_fd < 0 || ftruncate(p->page_fd, sizeof *p->page))
        fail_hard(p->folder);
    p->page = mmap(NULL, sizeof *p->page, PROT_READ | PROT_WRITE, MAP_SHARED, p->page_fd, 0);
    if (p->page == MAP_FAILED)
        fail_hard("mmap");
}

void place_close(struct place *p) {
    munmap(p->page, sizeof *p->page);
    close(p->page_fd);
    folder_clear(p->folder, true);
    unlink(p->out);
}

/* "@" becomes the folder of inputs. Splits at spaces. */
static void split(const char *args, const char *in, char *text, size_t size, char **argv) {
    size_t n = 0;
    int argc = 0;
    argv[argc++] = world.program;
    for (const char *p = args; *p && n + strlen(in) + 2 < size && argc < MAX_ARGS - 1;) {
        argv[argc++] = text + n;
        for (; *p && *p != ' '; p++) {
            if (*p == '@')
                n += (size_t)sprintf(text + n, "%s", in);
            else
                text[n++] = *p;
        }
        text[n++] = 0;
        p += *p == ' ';
    }
    argv[argc] = NULL;
}

static void redirect(const char *path, int flags, int to) {
    int fd = open(path, flags, 0666);
    if (fd < 0 || dup2(fd, to) < 0)
        _exit(126);
    if (fd != to)
        close(fd);
}

static void start(const struct place *p, const struct fault_case *c, const char *in,
                  const struct fault *fault, char **argv, int err) {
    char home[260], icd[260], input[512], preload[4200];
    snprintf(home, sizeof home, "HOME=%s/home", world.root);
    snprintf(icd, sizeof icd, "OCL_ICD_VENDORS=%s/none", world.root);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", world.shim);
    snprintf(input, sizeof input, "%s/%s", in, c->stdin ? c->stdin : "");
    char *env[] = {home,
                   icd,
                   "OMP_NUM_THREADS=2",
                   "OMP_WAIT_POLICY=passive",
                   "LC_ALL=C",
                   "PATH=/usr/bin:/bin",
                   "GPUFFT_BACKEND=openmp",
                   fault ? preload : NULL,
                   NULL};
    if (chdir(p->folder))
        _exit(126);
    redirect(c->stdin ? input : "/dev/null", O_RDONLY, 0);
    redirect(p->out, O_WRONLY | O_CREAT | O_TRUNC, 1);
    if (dup2(err, 2) < 0)
        _exit(126);
    if (fault && dup2(p->page_fd, FAULT_FD) < 0)
        _exit(126);
    struct rlimit core = {0, 0};
    setrlimit(RLIMIT_CORE, &core);
    if (fault && fault->limit >= 0) {
        struct rlimit r = {fault->value, fault->value};
        setrlimit((__rlimit_resource_t)fault->limit, &r);
    }
    execve(argv[0], argv, env);
    _exit(126);
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void read_text(const char *path, struct file *f) {
    struct stat st;
    f->path = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        fail_hard(path);
    f->data = malloc((size_t)st.st_size + 1);
    if (!f->data)
        fail_hard("memory");
    ssize_t n = read(fd, f->data, (size_t)st.st_size);
    f->n = n > 0 ? (size_t)n : 0;
    f->data[f->n] = 0;
    close(fd);
}

static void read_pipe(int fd, struct file *f) {
    enum { MOST = 65536 };
    *f = (struct file){.data = malloc(MOST + 1)};
    if (!f->data)
        fail_hard("memory");
    for (ssize_t n; f->n < MOST && (n = read(fd, f->data + f->n, MOST - f->n)) > 0;)
        f->n += (size_t)n;
    f->data[f->n] = 0;
}

static void wait_end(pid_t pid, const struct fault *fault, struct outcome *o) {
    int fd = (int)syscall(SYS_PIDFD_OPEN, pid, 0);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    if (fd < 0)
        fail_hard("pidfd_open");
    if (fault && fault->signal) {
        struct timespec t = {fault->after / 1000000, fault->after % 1000000 * 1000L};
        nanosleep(&t, NULL);
        kill(pid, fault->signal);
    }
    while (poll(&wait, 1, HANG_MS) < 0 && errno == EINTR)
        ;
    o->hung = !(wait.revents & POLLIN);
    if (o->hung)
        kill(pid, SIGKILL);
    waitpid(pid, &o->status, 0);
    close(fd);
}

void run_program(struct place *p, const struct fault_case *c, const char *in,
                 const struct fault *fault, struct outcome *o) {
    char text[4096], *argv[MAX_ARGS];
    double begin = now_ms();
    *o = (struct outcome){0};
    memset(p->page, 0, sizeof *p->page);
    if (fault) {
        p->page->kind = fault->kind;
        p->page->error = fault->error;
        p->page->nth = fault->nth;
        p->page->on = fault->on;
        p->page->named = fault->named;
    }
    split(c->args, in, text, sizeof text, argv);
    /* A pipe, which no limit on files stops; it takes 64 KiB without a reader. */
    int err[2];
    if (pipe2(err, O_CLOEXEC | O_NONBLOCK))
        fail_hard("pipe");
    pid_t pid = fork();
    if (pid < 0)
        fail_hard("fork");
    if (pid == 0)
        start(p, c, in, fault, argv, err[1]);
    close(err[1]);
    wait_end(pid, fault, o);
    o->ms = now_ms() - begin;
    read_text(p->out, &o->out);
    read_pipe(err[0], &o->err);
    close(err[0]);
}

void outcome_free(struct outcome *o) {
    free(o->out.data);
    free(o->err.data);
}

bool run_plain(const char *folder, const char *args) {
    struct place p = {.page_fd = -1};
    struct fault_page page;
    struct fault_case c = {.args = args};
    struct outcome o;
    p.page = &page;
    snprintf(p.folder, sizeof p.folder, "%s", folder);
    snprintf(p.out, sizeof p.out, "%s/plain.out", world.root);
    run_program(&p, &c, folder, NULL, &o);
    bool good = o.status == 0 && !o.hung;
    if (!good)
        fprintf(stderr, "%s", o.err.data);
    outcome_free(&o);
    return good;
}

/* ---- without faults ---- */

void clean_make(struct place *p, const struct fault_case *c, struct clean *clean) {
    struct fault none = {.limit = -1};
    struct outcome o[4];
    *clean = (struct clean){.c = c};
    folder_clear(p->folder, false);
    run_program(p, c, world.in_before, NULL, &o[0]);
    tree_read(p->folder, &clean->before);
    run_program(p, c, world.in, NULL, &o[1]);
    tree_read(p->folder, &clean->after);
    run_program(p, c, world.in, NULL, &o[2]);
    run_program(p, c, world.in, &none, &o[3]);
    for (int i = 0; i < FAULT_KINDS; i++)
        clean->count[i] = p->page->count[i];
    clean->ms = o[3].ms;
    clean->out = o[1].out;
    clean->text = !c->loose && file_equal(&o[1].out, &o[2].out);
    bool bad = clean->before.n != clean->after.n || !p->page->armed;
    for (int i = 0; i < 4; i++)
        bad |= o[i].status || o[i].hung;
    int same = 0;
    for (int i = 0; i < clean->before.n; i++)
        same += file_equal(&clean->before.file[i],
                           tree_find(&clean->after, clean->before.file[i].path));
    bad |= clean->before.n && same == clean->before.n && !c->loose; /* it would show nothing */
    if (bad) {
        fprintf(stderr, "faults: case %s does not run cleanly\n%s%s", c->name, o[1].err.data,
                o[3].err.data);
        exit(2);
    }
    free(o[1].err.data);
    outcome_free(&o[0]);
    outcome_free(&o[2]);
    outcome_free(&o[3]);
    folder_clear(p->folder, false);
}

/* ---- what is wrong ---- */

static bool is_temporary(const char *path) {
    return strstr(path, ".gpufft-") != NULL;
}

/* A record that describes the old data and the new is right as long as some command reads it, which
 * checks all bytes. */
static bool pair_reads(const struct place *p, const char *path) {
    static const char *const commands[] = {"inv", "idwt", "fwd"};
    struct place aside = *p;
    struct fault_page page;
    bool good = false;
    aside.page = &page;
    snprintf(aside.out, sizeof aside.out, "%.260s.pair", p->out);
    for (int i = 0; i < 3 && !good; i++) {
        char line[600];
        struct fault_case c = {.args = line};
        struct outcome o;
        snprintf(line, sizeof line, "%s %s --kind=complex --out=npy:/dev/null", commands[i], path);
        if (i == 1)
            snprintf(line, sizeof line, "idwt %s --out=npy:/dev/null", path);
        run_program(&aside, &c, world.in, NULL, &o);
        good = o.status == 0 && !o.hung;
        outcome_free(&o);
    }
    unlink(aside.out);
    return good;
}

/* The header of a pair if the path is one, and its samples; a killed run may leave one new and one old,
 * with a record that fits neither. */
static bool is_header(const char *path) {
    const size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".hdr");
}

static int judge_pair(const struct place *p, const struct clean *clean, const struct tree *now,
                      const char *path) {
    char samples[600], json[600];
    int new = 0, old = 0;
    snprintf(samples, sizeof samples, "%.*s.img", (int)strlen(path) - 4, path);
    snprintf(json, sizeof json, "%s.json", path);
    const char *const names[] = {path, samples};
    for (int i = 0; i < 2; i++) {
        new += file_equal(tree_find(now, names[i]), tree_find(&clean->after, names[i]));
        old += file_equal(tree_find(now, names[i]), tree_find(&clean->before, names[i]));
    }
    return new == 2 || old == 2 || (tree_find(now, json) && !pair_reads(p, path)) ? 0 : WRONG_MIXED;
}

/* Each output is the old one or the new one, and a record belongs to its data. */
static int judge_files(const struct place *p, const struct clean *clean, const struct tree *now,
                       bool done) {
    char json[600];
    int wrong = 0;
    for (int i = 0; i < clean->after.n; i++) {
        const struct file *want = &clean->after.file[i], *is = tree_find(now, want->path);
        const struct file *was = tree_find(&clean->before, want->path);
        bool is_new = file_equal(is, want), is_old = file_equal(is, was);
        const char *suffix = strrchr(want->path, '.');
        if (is_header(want->path))
            wrong |= judge_pair(p, clean, now, want->path);
        if (clean->c->loose)
            is_new |= is != NULL;
        if (done && !is_new)
            wrong |= WRONG_OUTPUT;
        snprintf(json, sizeof json, "%s.json", want->path);
        const struct file *beside = tree_find(&clean->after, json);
        if (beside) {
            const struct file *record = tree_find(now, json);
            bool both_new = is_new && file_equal(record, beside);
            bool both_old = is_old && file_equal(record, tree_find(&clean->before, json));
            if (!both_new && !both_old && !is_header(want->path))
                wrong |= !is_new && !is_old                      ? WRONG_DESTROYED
                         : !record || !pair_reads(p, want->path) ? WRONG_MIXED
                                                                 : 0;
        } else if (!is_new && !is_old && (!suffix || strcmp(suffix, ".json"))) {
            wrong |= WRONG_DESTROYED;
        }
    }
    return wrong;
}

static int judge_exit(const struct place *p, const struct clean *clean, const struct fault *fault,
                      const struct outcome *o) {
    bool cut = fault->signal || fault->error == FAULT_KILL;
    if (fault->limit >= 0 && !p->page->armed) /* the loader's affair */
        return 0;
    if (WIFSIGNALED(o->status)) /* by ours, before main() catches it */
        return cut && WTERMSIG(o->status) == (fault->signal ? fault->signal : SIGKILL)
                   ? 0
                   : WRONG_CRASH;
    int code = WEXITSTATUS(o->status), wrong = 0;
    if (fault->signal)
        return code && code != 128 + fault->signal ? WRONG_CODE : 0;
    bool verdict = clean->c->loose && strstr((char *)o->out.data, "FAILED"); /* selftest's words */
    if (code && !o->err.n && !p->page->fired_on_stderr && !verdict)
        wrong |= WRONG_SILENT;
    if (!code && clean->text && !file_equal(&o->out, &clean->out))
        wrong |= WRONG_TEXT;
    if (code && (fault->error == EINTR || fault->error == FAULT_SHORT))
        wrong |= WRONG_GAVE_UP;
    if (code > 3)
        wrong |= WRONG_CODE;
    return wrong;
}

/* The next run into the folder removes what a killed one left. */
static int judge_next(struct place *p, const struct clean *clean) {
    struct tree now;
    struct outcome o;
    int wrong = 0;
    run_program(p, clean->c, world.in, NULL, &o);
    outcome_free(&o);
    tree_read(p->folder, &now);
    for (int i = 0; i < now.n; i++)
        wrong |= is_temporary(now.file[i].path) ? WRONG_LEFTOVER : 0;
    tree_free(&now);
    return wrong;
}

int judge(struct place *p, const struct clean *clean, const struct fault *fault,
          const struct outcome *o) {
    struct tree now;
    bool left = false;
    if (o->hung)
        return WRONG_HANG;
    bool killed = fault->error == FAULT_KILL || fault->signal == SIGKILL;
    bool may_leave = killed || fault->kind == FAULT_UNLINK;
    bool may_mix = may_leave || fault->on; /* the record in between stays too */
    int wrong = judge_exit(p, clean, fault, o);
    tree_read(p->folder, &now);
    wrong |= judge_files(p, clean, &now, WIFEXITED(o->status) && !WEXITSTATUS(o->status));
    for (int i = 0; i < now.n; i++) {
        const char *path = now.file[i].path;
        if (is_temporary(path)) {
            left = true;
            wrong |= may_leave ? 0 : WRONG_TEMPORARY;
        } else if (!tree_find(&clean->after, path) && strcmp(path, DISK_FILLER) &&
                   !(strstr(path, ".hdr.json") && may_mix)) {
            wrong |= WRONG_EXTRA;
        }
    }
    tree_free(&now);
    return left && may_leave ? wrong | judge_next(p, clean) : wrong;
}

int trial(struct place *p, const struct clean *clean, const struct fault *fault,
          struct outcome *o) {
    folder_clear(p->folder, false);
    tree_write(p->folder, &clean->before);
    run_program(p, clean->c, world.in, fault, o);
    return judge(p, clean, fault, o);
}

void wrong_text(int wrong, char *text, size_t size) {
    static const char *const what[] = {
        "hang",
        "crash",
        "exit 0 with a wrong or missing output",
        "exit 0 with wrong text on stdout",
        "data and record of different runs",
        "a temporary is left",
        "an earlier output is destroyed",
        "no message",
        "an interrupted or short call is not retried",
        "a file that nobody asked for",
        "an exit status of its own",
        "the next run does not remove a temporary",
    };
    size_t n = 0;
    text[0] = 0;
    for (int i = 0; i < 12; i++)
        if (wrong >> i & 1 && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "; " : "", what[i]);
}
