/* The driver of the fault runs: cases, trees of files, one run of the program, and what is wrong. */
#ifndef GF_TESTS_FAULTS_FAULTS_H
#define GF_TESTS_FAULTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "tests/faults/page.h"

/* ---- cases ---- */

struct fault_case {
    const char *name;
    const char *args;  /* "@" is the folder of inputs */
    const char *stdin; /* in the folder of inputs, or NULL */
    bool few;          /* slow: 20 calls of each kind, one error each */
    bool loose;        /* its text differs from run to run */
};
extern const struct fault_case fault_cases[]; /* ends with name == NULL */

/* Makes the inputs of all cases in `folder` with the program; `seed` makes other contents. */
bool inputs_make(const char *folder, int seed);

/* ---- trees of files ---- */

struct file {
    char *path; /* in the folder */
    unsigned char *data;
    size_t n;
};
struct tree {
    struct file *file;
    int n, capacity;
};
void tree_read(const char *folder, struct tree *t);
void tree_write(const char *folder, const struct tree *t);
void tree_free(struct tree *t);
const struct file *tree_find(const struct tree *t, const char *path);
bool file_equal(const struct file *a, const struct file *b);
/* Removes what is in `folder`, and the folder itself where `self`. */
void folder_clear(const char *folder, bool self);

/* ---- one run ---- */

/* A fault to inject. */
struct fault {
    int kind, error, nth;
    bool on;
    int limit;    /* RLIMIT_..., or -1 */
    rlim_t value; /* of the limit */
    int signal;   /* sent after `after` microseconds; 0: none */
    unsigned after;
    bool named; /* no file is made without a name */
};
struct outcome {
    bool hung;
    int status; /* of waitpid() */
    double ms;
    struct file out, err;
};
/* The place in which a worker runs the program: `folder` for outputs, `page` seen by the shim. */
struct place {
    char folder[256], out[280];
    int page_fd;
    struct fault_page *page;
};
void place_open(struct place *p, const char *root, const char *name);
void place_close(struct place *p);
/* Runs `args` with the inputs of folder `in`. fault == NULL: without the shim. */
void run_program(struct place *p, const struct fault_case *c, const char *in,
                 const struct fault *fault, struct outcome *o);
void outcome_free(struct outcome *o);
void fail_hard(const char *what);                     /* the test itself cannot go on */
bool run_plain(const char *folder, const char *args); /* true: exit 0 */

/* ---- what a case does when nothing goes wrong ---- */

struct clean {
    const struct fault_case *c;
    struct tree before, after; /* an earlier good output of other inputs; what replaces it */
    struct file out;
    bool text; /* `out` is the same every time */
    int count[FAULT_KINDS];
    double ms;
};
void clean_make(struct place *p, const struct fault_case *c, struct clean *clean);

/* ---- what is wrong ---- */

enum wrong {
    WRONG_HANG = 1,
    WRONG_CRASH = 2,
    WRONG_OUTPUT = 4,
    WRONG_TEXT = 8,
    WRONG_MIXED = 16,
    WRONG_TEMPORARY = 32,
    WRONG_DESTROYED = 64,
    WRONG_SILENT = 128,
    WRONG_GAVE_UP = 256,
    WRONG_EXTRA = 512,
    WRONG_CODE = 1024,
    WRONG_LEFTOVER = 2048,
};
int judge(struct place *p, const struct clean *clean, const struct fault *fault,
          const struct outcome *o);
/* Resets the folder, runs, judges. */
int trial(struct place *p, const struct clean *clean, const struct fault *fault, struct outcome *o);
#define DISK_FILLER "filler" /* a file that a trial may find in its folder */
void wrong_text(int wrong, char *text, size_t size);

/* Runs on a full disk, over the cases that write; false: none could be had, and why. */
typedef void trial_report(int case_index, int pages, int wrong, const struct place *p,
                          const struct outcome *o);
bool full_disk(const struct clean *clean, int n, trial_report *report, char *why, size_t size);

extern struct world {
    char root[200], in[220], in_before[220];
    char program[4096], shim[4096];
} world;

#endif
