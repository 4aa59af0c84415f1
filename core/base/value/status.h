/* Error codes, and the message of a thread's last failure.
 *
 * Every fallible function returns 0 or one of these negative codes. The function that detects a
 * failure sets the message; its callers only return the code:
 *     return gf_fail(GF_EFORMAT, "bad CRC in IDAT");
 * Only cli/ prints or exits; it prints the message after the file's name. */
#ifndef GF_CORE_BASE_STATUS_H
#define GF_CORE_BASE_STATUS_H

enum gf_status {
    GF_OK = 0,
    GF_EUSAGE = -1,   /* the arguments alone show the mistake                   exit 2 */
    GF_EFORMAT = -2,  /* a file is broken, or not what it was taken for         exit 1 */
    GF_EIO = -3,      /* open, read, write, rename or close failed              exit 1 */
    GF_ENOMEM = -4,   /* memory is short, or the need is above the limit        exit 1 */
    GF_EABSENT = -5,  /* the requested backend or device is not present         exit 3 */
    GF_EINVAL = -6,   /* the data does not suit the request                     exit 1 */
    GF_EUNSUPP = -7,  /* legal, but not supported here                          exit 1 */
    GF_EBACKEND = -8, /* a backend's own library or device failed               exit 1 */
    GF_EUNABLE = -9,  /* the requested backend cannot do this job      exit 3, of many files 1 */
    /* Only libgpufft has these: */
    GF_ECANCELED = -10, /* its caller asked for the end */
    GF_ECLOSED = -11,   /* the library was closed */
    GF_EFORK = -12,     /* the library was opened before a fork */
};

/* Keeps the formatted message for gf_message() and returns `code`. One line, no full stop. */
int gf_fail(enum gf_status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Gives tell() the formatted line, of at most 1023 bytes; nothing if it is NULL. */
void gf_tell(void (*tell)(void *user, const char *line), void *user, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* gf_fail(GF_ENOMEM, "out of memory"). */
int gf_no_memory(void);

/* The last message of the calling thread; never NULL; valid until its next gf_fail(). */
const char *gf_message(void);

/* Carries the first failure among several threads, with its message, to the thread that waits for
 * them:
 *     struct gf_failure failed = {0};
 *     in any thread      gf_failure_keep(&failed, rc);       0 is no failure
 *     after all of them  return gf_failure_return(&failed);  0 if there was none */
struct gf_failure {
    int status;
    char message[512];
};
void gf_failure_keep(struct gf_failure *f, int rc);
int gf_failure_return(const struct gf_failure *f);

#endif
