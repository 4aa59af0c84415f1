/* Shares by rates in units a second, 0 for a device that gets none; equal rates, equal shares:
 *
 *     double rate[2] = {900, 100};
 *     gf_shares_own(rate, NULL, 2, units, owner, NULL, 10);     units[0] is 9 */
#ifndef GF_CORE_SCHEDULE_SHARES_H
#define GF_CORE_SCHEDULE_SHARES_H

#include <stdbool.h>
#include <stdint.h>

/* The device that would finish one more unit first, the first of equal ones, or -1 if all rates are
 * 0. Device i begins late[i] seconds after the others; late may be NULL. */
int gf_shares_earliest(const double *rate, const double *late, int n, const int64_t *units);

/* Deals units one by one, except those taken (may be NULL), to the device that finishes first, and
 * counts them in `units`. Devices alternate according to their rates, so results come roughly in
 * order. A device that would begin after the others are done gets none. */
void gf_shares_own(const double *rate, const double *late, int n, int64_t *units,
                   unsigned char *owner, const unsigned char *taken, int64_t count);

/* Each rate's fraction of the sum; 0 if all are 0. */
void gf_shares_of(const double *rate, int n, double *share);

/* True if device i should stay idle because faster ones would do all `left` units before it did
 * one. */
bool gf_shares_leave(const double *rate, int n, int i, int64_t left);

#endif
