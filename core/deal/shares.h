/* How units of work (pictures, pages, frames) are dealt to devices of different speeds. Rates are
 * units a second, 0 for a device that gets none. Pure functions: the same rates, the same shares.
 *
 *     double rate[2] = {900, 100};
 *     unsigned char owner[10];
 *     int64_t units[2] = {0, 0};
 *     gf_shares_own(rate, NULL, 2, units, owner, NULL, 10);     device 0 gets 9, and units[0] is 9 */
#ifndef GF_CORE_DEAL_SHARES_H
#define GF_CORE_DEAL_SHARES_H

#include <stdbool.h>
#include <stdint.h>

/* The device that would be the first to be done if it took one more unit beside the units[i] that it
 * has; the first of equal ones. -1: all rates are 0. A device begins late[i] seconds after the others;
 * NULL: all begin at once. */
int gf_shares_earliest(const double *rate, const double *late, int n, const int64_t *units);

/* Deals so many units one by one, but for those that are taken (NULL: none is), each to the earliest
 * device, and counts them in `units`. Devices take turns as often as their rates say, so that results
 * come in about the order of the units. A device that would begin after the others are done gets none. */
void gf_shares_own(const double *rate, const double *late, int n, int64_t *units,
                   unsigned char *owner, const unsigned char *taken, int64_t count);

/* Each rate's part of their sum: the parts add up to 1, unless all are 0. */
void gf_shares_of(const double *rate, int n, double *share);

/* Whether device i is better left idle: faster ones will be done with the `left` units, which nobody has
 * begun, before it would be done with one of them. */
bool gf_shares_leave(const double *rate, int n, int i, int64_t left);

#endif
