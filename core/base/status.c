/* The message of each thread's last failure. */
#include "core/base/status.h"

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

const char *gf_message(void) {
    return message;
}
