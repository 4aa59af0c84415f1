/* Builds reports and prints them as JSON or by a form. */
#include "cli/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/log.h"
#include "cli/text.h"
#include "core/base/job/job.h"
#include "core/base/host/memory.h"
#include "core/base/value/real.h"
#include "core/base/value/status.h"

enum { KEY = 48 };

/* ---- memory ---- */

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

/* ---- values ---- */

/* Makes JSON text of any bytes: invalid UTF-8 becomes U+FFFD. Jansson checks surrogates and
 * overlong forms. */
static json_t *json_text(const char *text) {
    json_t *exact = json_string(text);
    if (exact)
        return exact;
    char *clean = malloc(3 * strlen(text) + 1), *to = clean;
    if (!clean) {
        gf_log_lost(ENOMEM);
        return NULL;
    }
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t n = (size_t)gf_text_sequence(p);
        json_t *one = n ? json_stringn((const char *)p, n) : NULL;
        memcpy(to, one ? (const char *)p : "\xef\xbf\xbd", one ? n : 3);
        to += one ? n : 3;
        p += one ? n : 1;
        json_decref(one);
    }
    json_t *string = json_stringn(clean, (size_t)(to - clean));
    free(clean);
    return string;
}

struct gf_report_value gf_report_bool(bool v) {
    return (struct gf_report_value){json_boolean(v), 0};
}

struct gf_report_value gf_report_whole(long long v) {
    return (struct gf_report_value){json_integer(v), 0};
}

struct gf_report_value gf_report_real(double v) {
    return (struct gf_report_value){isfinite(v) ? json_real(v) : NULL, v};
}

struct gf_report_value gf_report_real_or_null(double v) {
    return (struct gf_report_value){isfinite(v) ? json_real(v) : json_null(), v};
}

struct gf_report_value gf_report_text(const char *v) {
    return (struct gf_report_value){v ? json_text(v) : json_null(), 0};
}

struct gf_report_value gf_report_json(json_t *v) {
    return (struct gf_report_value){v, 0};
}

json_t *gf_report_add(json_t *o, const struct gf_report_member *m) {
    for (; m->key; m++) {
        char key[KEY], text[16];
        if (m->value.json)
            json_object_set_new(o, m->key, m->value.json);
        if (!isfinite(m->value.real)) {
            snprintf(key, sizeof key, ".%s", m->key);
            snprintf(text, sizeof text, "%g", m->value.real);
            json_object_set_new(o, key, json_string(text));
        }
    }
    return o;
}

/* ---- facts ---- */

static struct gf_report_value fact_number(enum gf_fact_kind kind, const void *p) {
    const double real = kind == GF_FACT_REAL ? *(const double *)p : 0;
    return isnan(real)            ? gf_report_text(NULL)
           : kind == GF_FACT_REAL ? gf_report_real(real)
           : kind == GF_FACT_LONG ? gf_report_whole(*(const int64_t *)p)
           : kind == GF_FACT_BOOL ? gf_report_bool(*(const bool *)p)
                                  : gf_report_text(p);
}

static struct gf_report_value fact_value(const struct gf_fact *f, int64_t row) {
    const char *p = (const char *)f->data + (size_t)row * f->stride;
    if (!f->width)
        return fact_number(f->kind, p);
    json_t *list = json_array();
    for (int i = 0; i < f->width; i++) /* double and int64_t alike */
        json_array_append_new(list, fact_number(f->kind, p + (size_t)i * sizeof(double)).json);
    return gf_report_json(list);
}

/* Adds fact[0..n) to an object or a list; row: of a table's columns, else -1. */
static void add_facts(json_t *to, const struct gf_fact *fact, int64_t n, int64_t row) {
    for (const struct gf_fact *f = fact; f < fact + n; f += 1 + f->within) {
        const bool table = f->kind == GF_FACT_TABLE, listed = f->stride && row < 0;
        struct gf_report_value v = f->kind == GF_FACT_RECORD ? gf_report_json(json_object())
                                   : f->kind > GF_FACT_RECORD || listed
                                       ? gf_report_json(json_array())
                                       : fact_value(f, row < 0 ? 0 : row);
        if (f->kind >= GF_FACT_RECORD && !table)
            add_facts(v.json, f + 1, f->within, row);
        for (int64_t i = 0; (table || listed) && i < f->rows; i++) {
            json_t *member = table ? json_object() : fact_value(f, i).json;
            if (table)
                add_facts(member, f + 1, f->within, i);
            json_array_append_new(v.json, member);
        }
        if (f->key)
            GF_ADD(to, (struct gf_report_member){f->key, v});
        else
            json_array_append_new(to, v.json);
    }
}

json_t *gf_report_facts(json_t *o, struct gf_facts *facts) {
    missed |= facts->missed;
    add_facts(o, facts->fact, facts->n, -1);
    gf_facts_free(facts);
    return o;
}

json_t *gf_json_shape(const int64_t *shape, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_integer(shape[i]));
    return list;
}

json_t *gf_json_reals(const double *v, const double *unit, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_real(v[i] * (unit ? unit[i] : 1)));
    return list;
}

json_t *gf_json_axes(unsigned axes, int ndim) {
    char text[2 * GF_MAX_DIMS + 1] = "";
    int n = 0;
    for (int i = 0; i < ndim; i++)
        if (axes >> i & 1)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%c", n ? "," : "",
                          "zyx"[GF_MAX_DIMS - ndim + i]);
    return json_string(text);
}

/* ---- JSON: json_dumps() has one precision for all reals ---- */

/* Writes 3 as 3.0, so that it stays a real. */
static int write_real(FILE *f, double v) {
    char text[GF_REAL_TEXT];
    gf_real_text(v, text);
    return fprintf(f, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

/* Returns a negative number on failure. */
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
        if (*key == '.') /* for forms only */
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

/* Returns a line without newline, to be freed; reals have the fewest digits that read back exactly.
 * NULL without memory or for NULL. */
static char *json_line(const json_t *value) {
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

/* ---- forms ---- */

/* The scope of keys: a list's member, then the enclosing values. */
struct scope {
    const json_t *value;
    long long index;
    const struct scope *outer;
};

static const json_t *find(const struct scope *s, const char *key) {
    const json_t *v = NULL;
    for (; s && !v; s = s->outer) {
        v = json_object_get(s->value, key);
        v = v ? v : json_object_get(s->value, key + 1);
    }
    return v;
}

/* Copies the key at *at after a dot, and advances *at. */
static void take_key(const char **at, char key[KEY]) {
    int n = (int)strcspn(*at, " :#|}");
    snprintf(key, KEY, ".%.*s", n, *at);
    *at += n;
}

static bool holds(const json_t *v) {
    return json_is_true(v) || json_is_object(v) || json_array_size(v) || json_string_length(v) ||
           json_number_value(v) != 0;
}

static void write_shape(FILE *f, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++)
        fprintf(f, "%s%lld", i ? "x" : "", (long long)json_integer_value(json_array_get(list, i)));
}

/* "36.00,20.25", the last member first, in the width and with the decimals of `how`. */
static void write_place(FILE *f, const json_t *list, const char *how) {
    char text[160] = "", *point;
    int used = 0;
    const int width = (int)strtol(how, &point, 10), decimals = (int)strtol(point + 1, NULL, 10);
    for (size_t i = json_array_size(list); i-- > 0 && used < (int)sizeof text;)
        used += snprintf(text + used, sizeof text - (size_t)used, "%.*f%s", decimals,
                         json_number_value(json_array_get(list, i)), i ? "," : "");
    fprintf(f, "%*s", width, text);
}

static void write_quoted(FILE *f, const char *text) {
    putc('"', f);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', f);
        putc(*text, f);
    }
    putc('"', f);
}

/* Writes a number in format how[0..n), which follows the colon. */
static void write_number(FILE *f, const json_t *v, const char *how, int n) {
    const char *factor = memchr(how, '*', (size_t)n);
    const double x = json_number_value(v) * (factor ? strtod(factor + 1, NULL) : 1);
    const char kind = how[(factor ? factor - how : n) - 1];
    char size[GF_SIZE_TEXT], format[16], shown[64], *point;
    int width = (int)strtol(how, &point, 10);
    if (kind == 'B') {
        fputs(gf_memory_text(json_integer_value(v), size), f);
    } else if (kind == 'r') {
        fputs(gf_real_text(x, shown), f);
    } else if (kind == 'd') {
        fprintf(f, "%*lld", width, (long long)json_integer_value(v));
    } else if (kind == 'n' || kind == 'm') {
        int decimals = (int)strtol(point + 1, NULL, 10) - (x >= 1) - (x >= 10) - (x >= 100);
        decimals += kind == 'm' && x < 0.01 ? 3 : 0;
        fprintf(f, "%*.*f", width, decimals > 0 ? decimals : 0, x);
    } else {
        snprintf(format, sizeof format, "%%%.*s", (int)(factor ? factor - how : n), how);
        snprintf(shown, sizeof shown, format, x);
        fprintf(f, format, strtod(shown, NULL) == 0 ? 0 : x); /* no -0.000 */
    }
}

/* how[0..n) follows the key. */
static void write_formatted(FILE *f, const json_t *v, const char *how, int n) {
    const long long count = json_integer_value(v);
    if (*how == '#')
        fprintf(f, "%lld %.*s%s", count, n - 1, how + 1, count == 1 ? "" : "s");
    else if (json_is_string(v) && n && how[n - 1] == 'q')
        write_quoted(f, json_string_value(v));
    else if (json_is_string(v))
        fprintf(f, "%*s", n ? (int)strtol(how + 1, NULL, 10) : 0, json_string_value(v));
    else if (json_is_array(v) && n)
        write_place(f, v, how + 1);
    else if (json_is_array(v))
        write_shape(f, v);
    else if (n)
        write_number(f, v, how + 1, n - 1);
    else if (json_is_integer(v))
        fprintf(f, "%lld", count);
    else
        fprintf(f, "%g", json_number_value(v));
}

/* Writes to the end of the form or, within braces, of the part, and returns that end. `f` NULL:
 * skips it. */
static const char *write_form(FILE *f, const char *at, const struct scope *s);

static const char *write_choice(FILE *f, const char *at, const struct scope *s) {
    char key[KEY];
    take_key(&at, key);
    const bool yes = key[1] == '@' ? s->index != 0 : holds(find(s, key));
    if (*at == ' ')
        at = write_form(yes ? f : NULL, at + 1, s);
    return *at == '|' ? write_form(yes ? NULL : f, at + 1, s) : at;
}

static const char *write_members(FILE *f, const char *at, const struct scope *s) {
    char key[KEY];
    take_key(&at, key);
    const json_t *v = find(s, key);
    const bool list = json_is_array(v);
    const size_t n = list ? json_array_size(v) : json_is_object(v);
    for (size_t i = 0; i < n; i++) {
        const struct scope in = {list ? json_array_get(v, i) : v, (long long)i, s};
        write_form(f, at + 1, &in);
    }
    return write_form(NULL, at + 1, s);
}

static const char *write_braces(FILE *f, const char *at, const struct scope *s) {
    char key[KEY];
    if (*at == '?')
        return write_choice(f, at + 1, s);
    if (*at == '*')
        return write_members(f, at + 1, s);
    take_key(&at, key);
    const int n = (int)strcspn(at, "}");
    const json_t *v = find(s, key);
    if (f && v && !json_is_null(v))
        write_formatted(f, v, at, n);
    return at + n;
}

static const char *write_form(FILE *f, const char *at, const struct scope *s) {
    for (;;) {
        size_t n = strcspn(at, "{|}");
        if (f)
            fwrite(at, 1, n, f);
        at += n;
        if (*at == '|' && at[1] == '|') {
            if (f)
                fputc('|', f);
            at += 2;
        } else if (*at == '{') {
            at = write_braces(f, at + 1, s);
            at += *at == '}';
        } else {
            return at;
        }
    }
}

static void write_report(FILE *f, const char *form, const json_t *o) {
    const struct scope s = {o, 0, NULL};
    write_form(f, form, &s);
}

/* ---- printing ---- */

void gf_report_print(bool json, const char *form, json_t *o) {
    if (json)
        json_object_set_new(o, "version", json_integer(GF_JSON_VERSION));
    char *line = json ? json_line(o) : NULL;
    if (gf_json_memory_missed() || (json && !line))
        gf_log_lost(ENOMEM);
    else if (json)
        gf_log_line(line);
    else
        write_report(stdout, form, o);
    json_decref(o);
    gf_json_memory_begin();
    free(line);
}

int gf_report_save(const char *form, json_t *o, const char *path, bool clobber) {
    struct gf_text t;
    int rc = gf_text_open(&t);
    char *line = form || rc ? NULL : json_line(o);
    if (!rc && form)
        write_report(t.f, form, o);
    if (line)
        fprintf(t.f, "%s\n", line);
    if (!rc) {
        const bool missed = gf_json_memory_missed() || (!form && !line);
        rc = gf_text_save(&t, missed ? gf_no_memory() : 0, path, clobber);
    }
    json_decref(o);
    free(line);
    return rc;
}
