/* The layout comes from the first bytes, as a command line would give it. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct gf_read_options options = {.max_memory = 32 << 20};
    if (n < 8)
        return 0;
    options.raw.ndim = data[0] % 5;
    for (int i = 0; i < 3; i++)
        options.raw.shape[i] = (int8_t)data[1 + i];
    if (data[4] & 1)
        options.raw.shape[0] = (int64_t)data[4] << 55;
    options.raw.dtype = (enum gf_dtype)(data[5] % GF_N_DTYPES);
    options.raw.big_endian = data[6] & 1;
    options.channels_last = data[6] & 2;
    options.raw.offset = (int8_t)data[7];
    fuzz_read(&gf_format_raw, data + 8, n - 8, &options);
    return 0;
}
