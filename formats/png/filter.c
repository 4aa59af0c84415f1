/* PNG's row filters. Unlike decoding, encoding depends only on the original samples, so sixteen
 * bytes are done at a time. */
#include <math.h>
#include <string.h>

#include "formats/png/png.h"

typedef unsigned char bytes16 __attribute__((vector_size(16)));

static inline bytes16 load16(const unsigned char *p) {
    bytes16 v;
    memcpy(&v, p, 16);
    return v;
}

/* out = a - b */
static void subtract(const unsigned char *a, const unsigned char *b, size_t n, unsigned char *out) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        bytes16 v = load16(a + i) - load16(b + i);
        memcpy(out + i, &v, 16);
    }
    for (; i < n; i++)
        out[i] = (unsigned char)(a[i] - b[i]);
}

void gf_png_filter_row(int filter, const unsigned char *row, const unsigned char *above, size_t n,
                       size_t step, unsigned char *out) {
    *out++ = (unsigned char)filter;
    switch (filter) {
    case GF_PNG_ROW_SUB:
        memcpy(out, row, step);
        subtract(row + step, row, n - step, out + step);
        break;
    case GF_PNG_ROW_UP:
        if (above)
            subtract(row, above, n, out);
        else
            memcpy(out, row, n);
        break;
    case GF_PNG_ROW_AVERAGE:
    case GF_PNG_ROW_PAETH:
        for (size_t i = 0; i < n; i++) {
            int left = i < step ? 0 : row[i - step];
            int up = above ? above[i] : 0;
            int corner = above && i >= step ? above[i - step] : 0;
            int guess =
                filter == GF_PNG_ROW_PAETH ? gf_png_paeth(left, up, corner) : (left + up) / 2;
            out[i] = (unsigned char)(row[i] - guess);
        }
        break;
    default:
        memcpy(out, row, n);
    }
}

int gf_png_choose_filter(unsigned candidates, const unsigned char *row, const unsigned char *above,
                         size_t n, size_t step, unsigned char *scratch) {
    int best = GF_PNG_ROW_NONE;
    double best_cost = INFINITY;
    for (int filter = 0; filter <= GF_PNG_ROW_PAETH; filter++) {
        if (!(candidates >> filter & 1))
            continue;
        uint32_t count[256] = {0};
        gf_png_filter_row(filter, row, above, n, step, scratch);
        for (size_t i = 1; i <= n; i++)
            count[scratch[i]]++;
        double cost = 0;
        for (int v = 0; v < 256; v++)
            if (count[v])
                cost -= count[v] * log2(count[v] / (double)n);
        if (cost < best_cost) {
            best = filter;
            best_cost = cost;
        }
    }
    return best;
}
