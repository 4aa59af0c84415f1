/* Copies with streaming stores where the CPU has them. */
#include "core/base/streaming.h"

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LEAST = 1024, VECTOR = 16, LINE = 64 };

void gf_copy_streaming(void *to, const void *from, size_t bytes) {
#ifdef __SSE2__
    if (bytes >= LEAST) {
        char *t = to;
        const char *f = from;
        const size_t head = -(uintptr_t)to % LINE, lines = (bytes - head) / LINE * LINE;
        memcpy(t, f, head);
        t += head;
        f += head;
        for (size_t i = 0; i < lines; i += LINE)
            for (size_t j = i; j < i + LINE; j += VECTOR)
                _mm_stream_si128((__m128i *)(t + j), _mm_loadu_si128((const __m128i *)(f + j)));
        _mm_sfence();
        to = t + lines;
        from = f + lines;
        bytes -= head + lines;
    }
#endif
    memcpy(to, from, bytes);
}
