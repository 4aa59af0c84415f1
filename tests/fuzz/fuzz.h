/* Shared by the fuzzers. Each is a libFuzzer target; with -DGF_FUZZ_STANDALONE it is a program
 * that runs the files given as arguments, for compilers without libFuzzer and for single findings.
 */
#ifndef GF_TESTS_FUZZ_H
#define GF_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/value/status.h"
#include "formats/format.h"
#include "tests/formats/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Reads the bytes and looks at every sample. */
static inline void fuzz_read(const struct gf_format *f, const uint8_t *data, size_t n,
                             const struct gf_read_options *options) {
    struct gf_source *source;
    struct gf_image image = {0};
    if (gf_source_open_memory(data, n, &source))
        return;
    int rc = read_format(f, source, options, &image);
    if (rc > 0 || (rc && !*gf_message()))
        abort();
    if (!rc && !options->header_only) {
        const unsigned char *p = image.px.data;
        int64_t bytes = gf_array_count(&image.px) * (int64_t)gf_dtype_size(image.px.dtype);
        unsigned sum = 0;
        for (int64_t i = 0; i < bytes; i++)
            sum = sum * 31 + p[i];
        if (sum == 0x12345678 && image.px.shape[0] == 0) /* a branch, so that the sum counts */
            abort();
    }
    gf_image_free(&image);
    gf_source_close(source);
}

#ifdef GF_FUZZ_STANDALONE
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) {
            perror(argv[i]);
            return 1;
        }
        fseek(f, 0, SEEK_END);
        long size = ftell(f);
        rewind(f);
        /* exactly as long as the file, so that a checker sees a byte too far */
        uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
        size_t n = data && size > 0 ? fread(data, 1, (size_t)size, f) : 0;
        fclose(f);
        LLVMFuzzerTestOneInput(data, n);
        free(data);
    }
    return 0;
}
#endif

#endif
