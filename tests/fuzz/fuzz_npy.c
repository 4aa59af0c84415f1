/* The reader of .npy files, with and without a channel axis. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct gf_read_options options = {.max_memory = 32 << 20};
    fuzz_read(&gf_format_npy, data, n, &options);
    options.channels_last = true;
    fuzz_read(&gf_format_npy, data, n, &options);
    return 0;
}
