/* Shared by the driver and the shim: one page of memory that the program inherits as a descriptor.
 * The driver names the call that fails, the shim counts and reports what became of it. */
#ifndef GF_TESTS_FAULTS_PAGE_H
#define GF_TESTS_FAULTS_PAGE_H

#include <stdatomic.h>

/* FAULT_CHANGE counts every call that changes a folder or a file: where kills are aimed. */
enum fault_kind {
    FAULT_ALLOC,
    FAULT_MMAP,
    FAULT_THREAD,
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_SYNC,
    FAULT_RENAME,
    FAULT_UNLINK,
    FAULT_CLOSE,
    FAULT_STAT,
    FAULT_CHANGE,
    FAULT_KINDS
};

enum { FAULT_FD = 900, FAULT_SHORT = -1, FAULT_KILL = -2 };

struct fault_page {
    int kind;  /* enum fault_kind */
    int error; /* an errno, FAULT_SHORT or FAULT_KILL */
    int nth;   /* from 1; 0: none fails */
    int on;    /* the later ones fail too */
    int named; /* the file system has no files without names */
    atomic_int count[FAULT_KINDS];
    atomic_int fired;
    int fired_on_stderr;
    int armed; /* main() has begun */
    int crash_signal;
    char site[600];  /* "module+offset" of the callers, the innermost first */
    char crash[600]; /* likewise, where the signal came from */
};

#endif
