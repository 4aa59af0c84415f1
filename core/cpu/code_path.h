/* Notes in gf_backend.code_path that a library does not know this CPU. */
#ifndef GF_CORE_CPU_CODE_PATH_H
#define GF_CORE_CPU_CODE_PATH_H

#include <string.h>

#include "core/base/job/backend.h"
#include "kernels/cpu/cpu.h"

/* Adds ", generic path" to the name of code without AVX if this CPU has AVX2: the fallback of libraries that do not
 * know the CPU. "" stays. */
static inline void gf_code_path_note(char text[GF_CODE_PATH]) {
    const size_t n = strlen(text);
    if (n && !strcasestr(text, "avx") && gf_cpu_kernels_find(32, "v3"))
        snprintf(text + n, GF_CODE_PATH - n, ", generic path");
}

#endif
