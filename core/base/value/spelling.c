/* Finds the nearest of some names by its edit distance. */
#include "core/base/value/spelling.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/base/value/array.h"

/* The edit distance without regard to case, a swap of neighbours counting as one (optimal string
 * alignment), over three rolling rows; INT_MAX for words of more than 40 characters. */
static int distance(const char *a, const char *b) {
    enum { LONGEST = 40, CASE = 32 /* bit of an ASCII letter */ };
    int rows[3][LONGEST + 1];
    const int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST)
        return INT_MAX;
    for (int j = 0; j <= m; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int64_t best = gf_min(last[j], now[j - 1]) + 1;
            best = gf_min(best, last[j - 1] + ((a[i - 1] | CASE) != (b[j - 1] | CASE)));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = gf_min(best, before[j - 2] + 1);
            now[j] = (int)best;
        }
    }
    return rows[n % 3][m];
}

const char *gf_spelling_near(const char *word, const char *const *names) {
    const char *near = NULL;
    const size_t length = strlen(word);
    /* Two slips in seven letters make another word: "sharpen" is not "shape". */
    int best = length < 8 ? 2 : 3;
    for (int i = 0; names[i]; i++) {
        /* A beginning counts as one slip: 'mag' means 'magnitude'. */
        const bool begins = length >= 3 && !strncmp(word, names[i], length);
        const int slips = begins && strcmp(word, names[i]) ? 1 : distance(word, names[i]);
        if (slips < best) {
            best = slips;
            near = names[i];
        }
    }
    return near;
}

void gf_spelling_list(const char *const *names, char *text, size_t size) {
    *text = 0;
    for (int i = 0; names[i]; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? ", " : "", names[i]);
    }
}

bool gf_spelling_has(const char *list, const char *word) {
    const size_t n = strlen(word);
    for (const char *p = list; (p = strstr(p, word)); p++)
        if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}
