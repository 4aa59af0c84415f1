/* The message of each thread's last failure. */
#include "core/base/value/status.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[512];

int gf_fail(enum gf_status code, const char *format, ...) {
    /* The arguments may point into the old message, so it is formatted aside first. */
    char fresh[sizeof message];
    va_list args;
    va_start(args, format);
    vsnprintf(fresh, sizeof fresh, format, args);
    va_end(args);
    for (size_t i = 0; i < sizeof message; i++) {
        message[i] = fresh[i];
        if (!fresh[i])
            break;
    }
    return code;
}

void gf_tell(void (*tell)(void *user, const char *line), void *user, const char *format, ...) {
    char line[1024];
    va_list args;
    if (!tell)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    tell(user, line);
}

int gf_no_memory(void) {
    return gf_fail(GF_ENOMEM, "out of memory");
}

const char *gf_message(void) {
    return message;
}

void gf_failure_keep(struct gf_failure *f, int rc) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (!rc)
        return;
    pthread_mutex_lock(&lock);
    if (!f->status)
        snprintf(f->message, sizeof f->message, "%s", message);
    f->status = f->status ? f->status : rc;
    pthread_mutex_unlock(&lock);
}

int gf_failure_return(const struct gf_failure *f) {
    return f->status ? gf_fail((enum gf_status)f->status, "%s", f->message) : 0;
}
