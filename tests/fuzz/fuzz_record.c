/* The record, and the round trip of what it accepts. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "formats/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct gf_record record, again;
    char *text = malloc(n + 1);
    if (!text)
        return 0;
    memcpy(text, data, n);
    text[n] = 0;
    if (!gf_record_parse(text, &record)) {
        char *written;
        if (gf_record_format(&record, &written) || gf_record_parse(written, &again) ||
            again.axes != record.axes || again.ndim != record.ndim ||
            again.channels != record.channels)
            abort();
        free(written);
    }
    free(text);
    return 0;
}
