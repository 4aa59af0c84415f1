/* The reader of PNM files. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    const struct gf_read_options options = {.max_memory = 32 << 20};
    fuzz_read(&gf_format_pnm, data, n, &options);
    return 0;
}
