/* The reader of TIFF files. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    const struct gf_read_options options = {.max_memory = 32 << 20, .volumes = true};
    fuzz_read(&gf_format_tiff, data, n, &options);
    return 0;
}
