/* Writes Jansson's values with the fewest digits that each real needs; json_dumps() has one precision for all. */
#include "cli/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"

const char *gf_real_text(double v, char text[GF_REAL_TEXT]) {
    for (int digits = 15; digits <= 17; digits++) { /* 17 always suffice */
        snprintf(text, GF_REAL_TEXT, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    return text;
}

/* Keeps a real recognisable: 3 is written 3.0. */
static int write_real(FILE *f, double v) {
    char text[GF_REAL_TEXT];
    gf_real_text(v, text);
    return fprintf(f, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

/* Returns a negative number if something could not be written. */
static int write_value(FILE *f, const json_t *value);

static int write_array(FILE *f, const json_t *array) {
    int rc = 0;
    for (size_t i = 0; i < json_array_size(array) && rc >= 0; i++) {
        fputc(i ? ',' : '[', f);
        rc = write_value(f, json_array_get(array, i));
    }
    fputs(json_array_size(array) ? "]" : "[]", f);
    return rc;
}

static int write_object(FILE *f, json_t *object) {
    const char *key, *before = "{";
    json_t *value;
    int rc = 0;
    json_object_foreach(object, key, value) {
        if (*key == '.') /* for text only, see cli/report.h */
            continue;
        json_t *name = json_string(key); /* Jansson escapes it */
        fputs(before, f);
        if (rc >= 0 && (rc = write_value(f, name)) >= 0 && fputc(':', f) >= 0)
            rc = write_value(f, value);
        json_decref(name);
        before = ",";
    }
    fputs(*before == ',' ? "}" : "{}", f);
    return rc;
}

static int write_value(FILE *f, const json_t *value) {
    if (json_is_real(value))
        return write_real(f, json_real_value(value));
    if (json_is_array(value))
        return write_array(f, value);
    if (json_is_object(value))
        return write_object(f, (json_t *)value);
    return json_dumpf(value, f, JSON_ENCODE_ANY | JSON_COMPACT);
}

char *gf_json_line(const json_t *value) {
    char *text = NULL;
    size_t n = 0;
    FILE *f = value ? open_memstream(&text, &n) : NULL;
    if (!f)
        return NULL;
    int rc = write_value(f, value);
    if (gf_text_close(f, &text))
        return NULL;
    if (rc < 0) {
        free(text);
        return NULL;
    }
    return text;
}
