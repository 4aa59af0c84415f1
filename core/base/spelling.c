/* The edit distance of two words, over three rolling rows. */
#include "core/base/spelling.h"

#include <limits.h>
#include <string.h>

#include "core/base/array.h"

int gf_spelling_distance(const char *a, const char *b, bool any_case) {
    enum { LONGEST = 40 };
    int rows[3][LONGEST + 1];
    const int n = (int)strlen(a), m = (int)strlen(b), fold = any_case ? 32 : 0;
    if (n > LONGEST || m > LONGEST)
        return INT_MAX;
    for (int j = 0; j <= m; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int64_t best = gf_min(last[j], now[j - 1]) + 1;
            best = gf_min(best, last[j - 1] + ((a[i - 1] | fold) != (b[j - 1] | fold)));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = gf_min(best, before[j - 2] + 1);
            now[j] = (int)best;
        }
    }
    return rows[n % 3][m];
}
