/* `gpufft bench --kind=exchange`: what MPI's processes take to exchange a volume. */
#ifndef GF_CLI_BENCH_EXCHANGE_H
#define GF_CLI_BENCH_EXCHANGE_H

#include "cli/settings.h"

/* Shapes as operands; one line, or with --json one object, for each of them, by the first process. One of
 * them has printed the message where it fails. */
int gf_bench_exchange(const struct gf_settings *s, char *const *operands, int n);

#endif
