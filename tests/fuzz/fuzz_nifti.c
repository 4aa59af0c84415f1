/* The reader of NIfTI files. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fuzz_read(&gf_format_nifti, data, n, &(struct gf_read_options){.max_memory = 32 << 20});
    return 0;
}
