/* A command's report: a tree of keys and values, printed as a line of JSON, or as text by a form that
 * names the keys.
 *
 *     json_t *o = GF_REPORT(GF_KEY("bytes_up", up), GF_KEY("device", name),
 *                           GF_KEY_IF(ms > 0, "least_ms", ms));
 *     gf_report_print(s->json, "bus {bytes_up:B} to {device}{?least_ms ; {least_ms:.3g} ms}\n", o);
 *
 * A form is text with, in braces,
 *     {key}              a value; a list of numbers as a shape, 3x4
 *     {key:-23.2f}       such a list as a place, x first: 36.00,20.25
 *     {key:r}            a number in as few digits as read back exactly
 *     {key:.3g}          a number in printf()'s format; %.3g*1e-9 scales it; -8s and 5d are widths
 *     {key:B}            bytes, 1.5 GiB
 *     {key:9.4n}         9 wide, with at most 4 decimals, fewer for large values
 *     {key:9.4m}         the same for milliseconds, with three more below 0.01
 *     {key:q}            text quoted for CSV
 *     {key#level}        1 level, 2 levels
 *     {?key yes|no}      one of two forms; "no" for absent, null, false, 0 or empty
 *     {*key form}        the form for each member of a list, or for an object
 *     {?@ , }            within it, text before all members but the first
 *     ||                 a |
 * A member's form finds missing keys in the enclosing values. Keys that begin with a dot are for
 * forms only, which omit the dot. */
#ifndef GF_CLI_REPORT_H
#define GF_CLI_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "core/op/facts.h"

struct gf_report_value {
    json_t *json; /* NULL: none */
    double real;  /* forms print it if infinite or NaN */
};
struct gf_report_member {
    const char *key;
    struct gf_report_value value;
};

struct gf_report_value gf_report_bool(bool v);
struct gf_report_value gf_report_whole(long long v);
struct gf_report_value gf_report_real(double v);
struct gf_report_value gf_report_real_or_null(double v);
/* NULL is null. */
struct gf_report_value gf_report_text(const char *v);
/* Takes ownership. */
struct gf_report_value gf_report_json(json_t *v);

/* Converts an expression by its type. */
/* clang-format off */
#define GF_VALUE(v) _Generic((v), bool: gf_report_bool, int: gf_report_whole, unsigned: gf_report_whole, \
    long: gf_report_whole, unsigned long: gf_report_whole, long long: gf_report_whole, unsigned long long: gf_report_whole, double: gf_report_real, char *: gf_report_text, \
    const char *: gf_report_text, json_t *: gf_report_json)(v)
/* clang-format on */
/* JSON lacks infinity and NaN: only forms print them; GF_REAL() also makes them null. */
#define GF_KEY(key, v)  ((struct gf_report_member){key, GF_VALUE(v)})
#define GF_REAL(key, v) ((struct gf_report_member){key, gf_report_real_or_null(v)})
/* GF_KEY() would take a comparison for an int. */
#define GF_BOOL(key, condition) ((struct gf_report_member){key, gf_report_bool(condition)})
#define GF_TRUE_IF(on, key)     GF_KEY_IF(on, key, (bool)true)
/* Unless `on`, the member is absent or null and the value not evaluated. */
#define GF_KEY_IF(on, key, v) \
    ((struct gf_report_member){key, (on) ? GF_VALUE(v) : (struct gf_report_value){NULL, 0}})
#define GF_KEY_OR_NULL(on, key, v) \
    ((struct gf_report_member){key, (on) ? GF_VALUE(v) : gf_report_text(NULL)})

/* Adds members in order; returns `o`. */
#define GF_ADD(o, ...) gf_report_add(o, (struct gf_report_member[]){__VA_ARGS__, {NULL, {NULL, 0}}})
#define GF_REPORT(...) GF_ADD(json_object(), __VA_ARGS__)
/* Appends a report of these members to a list. */
#define GF_APPEND(list, ...) json_array_append_new(list, GF_REPORT(__VA_ARGS__))
json_t *gf_report_add(json_t *o, const struct gf_report_member *members);

/* Adds what an operation found; returns `o`. Frees the facts, whose lack of memory counts as the report's. */
json_t *gf_report_facts(json_t *o, struct gf_facts *facts);

json_t *gf_json_shape(const int64_t *shape, int n);
/* `unit`: NULL, or factors. */
json_t *gf_json_reals(const double *v, const double *unit, int n);
/* Returns a job's axes as text: "z,x". */
json_t *gf_json_axes(unsigned axes, int ndim);

/* Jansson's setters fail silently. Makes it allocate through this file, so that incomplete reports
 * are noticed. Call it before using Jansson. */
void gf_json_memory_setup(void);
/* Clear this thread's allocation failures; true if one occurred since. */
void gf_json_memory_begin(void);
bool gf_json_memory_missed(void);

/* The "version" in every line of --json. 2: places are slowest axis first. */
enum { GF_JSON_VERSION = 2 };
/* Prints `o` by the form, or as a line of JSON with "version", and frees it. */
void gf_report_print(bool json, const char *form, json_t *o);
/* Writes `o` by the form, or without one as a line of JSON, to a file, and frees it. */
int gf_report_save(const char *form, json_t *o, const char *path, bool clobber);

#endif
