/* Not a reader, but hand-made: what the fast deflate encoder writes, zlib must read as it was. */
#include "tests/fuzz.h"

#include <string.h>
#include <zlib.h>

#include "formats/png.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    size_t bound = gf_fast_deflate_bound(n);
    unsigned char *packed = malloc(2 * bound), *back = malloc(2 * n + 1);
    if (!packed || !back)
        abort();
    size_t first = gf_fast_deflate(data, n, false, packed);
    size_t second = gf_fast_deflate(data, n, true, packed + first);
    z_stream z = {.next_in = packed, .avail_in = (uInt)(first + second)};
    z.next_out = back;
    z.avail_out = (uInt)(2 * n + 1);
    if (first > bound || second > bound || inflateInit2(&z, -MAX_WBITS) ||
        inflate(&z, Z_FINISH) != Z_STREAM_END || z.avail_in || z.total_out != 2 * n ||
        memcmp(back, data, n) || memcmp(back + n, data, n))
        abort();
    inflateEnd(&z);
    free(packed);
    free(back);
    return 0;
}
