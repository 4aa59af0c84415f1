/* The steps that operations share. */
#include "core/op/operation.h"

#include <stdarg.h>

void gf_operation_note(const struct gf_operation *op, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (op->note)
        op->note(op->caller, text);
}
