/* A command's report: a tree of keys and values that is printed as a line of JSON, or as
 * text by a form that names the keys.
 *
 *     json_t *o = GF_REPORT(GF_KEY("bytes_up", up), GF_KEY("device", name),
 *                           GF_KEY_IF(ms > 0, "least_ms", ms));
 *     gf_report_print(s->json, "  bus  {bytes_up:B} to {device}{?least_ms ; {least_ms:.3g} ms}\n", o);
 *
 * A form is text with, in braces,
 *     {key}              a value; a list of numbers as a shape, 3x4
 *     {key:.3g}          a number as printf() writes it, %.3g*1e-9 times that factor; -8s and 5d widths
 *     {key:B}            bytes, 1.5 GiB
 *     {key:9.4n}         9 wide, with at most 4 decimals, fewer for large values
 *     {key:9.4m}         likewise of milliseconds, with three more below 0.01
 *     {key:q}            text in quotes, as CSV has it
 *     {key#level}        1 level, 2 levels
 *     {?key yes|no}      one of two forms; "no" for what is absent, null, false, 0 or empty
 *     {*key form}        the form for each member of a list, or for an object
 *     {?@ , }            within that, what comes before all members but the first
 *     ||                 a |
 * Within a member, keys that it lacks are those of what is around it. Keys that begin with a dot are for
 * forms alone, which leave out the dot. */
#ifndef GF_CLI_REPORT_H
#define GF_CLI_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gf_report_value {
    json_t *json; /* NULL: none */
    double real;  /* told by forms in its place where it is infinite or NaN */
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
/* Takes the value over. */
struct gf_report_value gf_report_json(json_t *v);

/* The value of an expression by its type. */
/* clang-format off */
#define GF_VALUE(v) _Generic((v), bool: gf_report_bool, int: gf_report_whole, unsigned: gf_report_whole, \
    long: gf_report_whole, unsigned long: gf_report_whole, double: gf_report_real, char *: gf_report_text, \
    const char *: gf_report_text, json_t *: gf_report_json)(v)
/* clang-format on */
/* Infinity and NaN, which JSON lacks, are told by forms alone; by GF_REAL() they are null as well. */
#define GF_KEY(key, v)  ((struct gf_report_member){key, GF_VALUE(v)})
#define GF_REAL(key, v) ((struct gf_report_member){key, gf_report_real_or_null(v)})
/* A comparison is an int to GF_KEY(). */
#define GF_BOOL(key, condition) ((struct gf_report_member){key, gf_report_bool(condition)})
#define GF_TRUE_IF(on, key)     GF_KEY_IF(on, key, (bool)true)
/* Absent, or null, unless `on`; then the value is not evaluated. */
#define GF_KEY_IF(on, key, v) \
    ((struct gf_report_member){key, (on) ? GF_VALUE(v) : (struct gf_report_value){NULL, 0}})
#define GF_KEY_OR_NULL(on, key, v) \
    ((struct gf_report_member){key, (on) ? GF_VALUE(v) : gf_report_text(NULL)})

/* Adds members in the order given; returns `o`. */
#define GF_ADD(o, ...) gf_report_add(o, (struct gf_report_member[]){__VA_ARGS__, {NULL, {NULL, 0}}})
#define GF_REPORT(...) GF_ADD(json_object(), __VA_ARGS__)
/* Appends a report of these members to a list. */
#define GF_APPEND(list, ...) json_array_append_new(list, GF_REPORT(__VA_ARGS__))
json_t *gf_report_add(json_t *o, const struct gf_report_member *members);

json_t *gf_json_shape(const int64_t *shape, int n);
/* "z,x": a job's axes, bits. */
json_t *gf_json_axes(unsigned axes, int ndim);

/* A member's text, "" where there is none, and its whole number, 0 where that is none or no int from 0. */
void gf_json_get_text(const json_t *o, const char *key, char *text, size_t size);
int gf_json_get_int(const json_t *o, const char *key);

/* Jansson's setters fail silently. Has it allocate through here, before anything is made with it, so that
 * a report that is incomplete for want of memory is noticed. */
void gf_json_memory_setup(void);
/* Forgets failures of this thread; and true where it got no memory since then. */
void gf_json_memory_begin(void);
bool gf_json_memory_missed(void);

/* The "version" in every line of --json. 2: places are slowest axis first. */
enum { GF_JSON_VERSION = 2, GF_REAL_TEXT = 32 };
/* The shortest text that strtod() takes back to `v`, which is finite; returns `text`. */
const char *gf_real_text(double v, char text[GF_REAL_TEXT]);
/* One line without the newline, on the heap, whose reals have the fewest digits that read back exactly; NULL without
 * memory or for NULL. */
char *gf_json_line(const json_t *value);
/* Prints `o`, with the version of these lines, as one line of JSON on stdout and frees it. */
void gf_json_print(json_t *o);
/* That, or text on stdout. */
void gf_report_print(bool json, const char *form, json_t *o);

#endif
