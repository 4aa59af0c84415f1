/* An allocator for Jansson that remembers that it had nothing to give. */
#include "cli/json_memory.h"

#include <jansson.h>
#include <stdlib.h>

static _Thread_local bool missed;

static void *allocate(size_t n) {
    void *p = malloc(n);
    missed |= !p;
    return p;
}

void gf_json_memory_setup(void) {
    json_set_alloc_funcs(allocate, free);
}

void gf_json_memory_begin(void) {
    missed = false;
}

bool gf_json_memory_missed(void) {
    return missed;
}
