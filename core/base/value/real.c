/* Writes reals in as many digits as it takes to read them back. */
#include "core/base/value/real.h"

#include <stdio.h>
#include <stdlib.h>

const char *gf_real_text(double v, char text[GF_REAL_TEXT]) {
    for (int digits = 15; digits <= 17; digits++) { /* 17 digits always suffice */
        snprintf(text, GF_REAL_TEXT, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    return text;
}
