/* Writes JSON, with a check, and reads lists. */
#include "formats/json.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/value/status.h"

int gf_json_text(json_t *root, const char *end, char **text) {
    char *line = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_t *back = line ? json_loads(line, 0, NULL) : NULL;
    int rc = line ? GF_OK : gf_no_memory();
    if (!rc && !json_equal(root, back))
        rc = gf_fail(GF_EIO, "its record does not read back as it was made");
    if (rc || asprintf(text, "%s%s", line, end) < 0) {
        *text = NULL;
        rc = rc ? rc : gf_no_memory();
    }
    json_decref(root);
    json_decref(back);
    free(line);
    return rc;
}

int gf_json_list(const json_t *list, int most, int64_t low, int64_t high, int64_t *out) {
    size_t n = json_is_array(list) ? json_array_size(list) : 0;
    if (n > (size_t)most)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        out[i] = json_integer_value(v);
        if (!json_is_integer(v) || out[i] < low || out[i] > high)
            return 0;
    }
    return (int)n;
}
