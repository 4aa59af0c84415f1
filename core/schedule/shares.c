/* Shares in proportion to rates. */
#include "core/schedule/shares.h"

int gf_shares_earliest(const double *rate, const double *late, int n, const int64_t *units) {
    int best = -1;
    double first = 0;
    for (int i = 0; i < n; i++) {
        if (!(rate[i] > 0))
            continue;
        const double done = (late ? late[i] : 0) + (double)(units[i] + 1) / rate[i];
        if (best < 0 || done < first) {
            best = i;
            first = done;
        }
    }
    return best;
}

void gf_shares_own(const double *rate, const double *late, int n, int64_t *units,
                   unsigned char *owner, const unsigned char *taken, int64_t count) {
    for (int64_t u = 0; u < count; u++) {
        if (taken && taken[u])
            continue;
        int i = gf_shares_earliest(rate, late, n, units);
        owner[u] = (unsigned char)(i < 0 ? 0 : i);
        units[owner[u]]++;
    }
}

void gf_shares_of(const double *rate, int n, double *share) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += rate[i];
    for (int i = 0; i < n; i++)
        share[i] = sum > 0 ? rate[i] / sum : 0;
}

bool gf_shares_leave(const double *rate, int n, int i, int64_t left) {
    double others = 0;
    for (int k = 0; k < n && rate[i] > 0; k++)
        if (rate[k] > rate[i]) /* the fastest never stays idle, so every unit is taken */
            others += (double)(int64_t)(rate[k] / rate[i]); /* whole units in the time of one */
    return others >= (double)left;
}
