/* Reads the options that a pass is compiled with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/gpu_walk.h"

int64_t walk_option(const struct gf_gpu_pass *pass, const char *name) {
    char wanted[40];
    snprintf(wanted, sizeof wanted, "-D%s=", name);
    const char *at = strstr(pass->kernel.options, wanted);
    return at ? strtoll(at + strlen(wanted), NULL, 10) : -1;
}

int64_t walk_type_bytes(const struct gf_gpu_pass *pass, const char *which) {
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"uchar ", 1}, {"schar ", 1}, {"ushort ", 2}, {"short ", 2},
                 {"uint ", 4},  {"int ", 4},   {"float ", 4},  {"double ", 8}};
    char wanted[16];
    snprintf(wanted, sizeof wanted, "-D%s_T=", which);
    const char *at = strstr(pass->kernel.options, wanted);
    for (size_t i = 0; at && i < sizeof types / sizeof *types; i++)
        if (!strncmp(at + strlen(wanted), types[i].name, strlen(types[i].name)))
            return types[i].bytes;
    return 0;
}
