/* The place of an output: a path, a path with its type before it ("png:-"), or a template.
 *
 *     rc = gf_template_parse("--out", "out/{stem}.png", &template);
 *     rc = gf_template_expand(&template, "in/a.tif", "magnitude", NULL, &path);   "out/a.png"
 */
#ifndef GF_CLI_BATCH_TEMPLATE_H
#define GF_CLI_BATCH_TEMPLATE_H

#include "formats/format.h"

/* True if it exists and is regular. */
bool gf_path_is_file(const char *path);

/* The folders of --recursive, as prefixes of their pictures' names that end with a slash. */
struct gf_roots {
    char **path;
    int n;
};

struct gf_template {
    const char *option;             /* "--out", for messages */
    const char *text;               /* without the type prefix */
    const struct gf_format *prefix; /* the type that a prefix names, or NULL */
    const struct gf_roots *roots;   /* {dir} is relative to one of them; NULL: {dir} is empty */
    bool has_stem, has_page, has_time, has_channel, has_dir;
    bool known_ext; /* {ext} is png if the input's suffix is unknown */
};

/* The numbers of a plane or picture in its file, from 0; time and channel are 0 in a file without
 * such an axis. */
struct gf_indices {
    int64_t page, time, channel;
};

/* Expands "DIR/" to "DIR/{dir}/{stem}_{kind}.SUFFIX", with the type before it ("tiff:DIR/") or else
 * `suffix`. The caller frees *out, which is NULL for any other text. */
int gf_template_of_folder(const char *text, const char *suffix, char **out);

/* GF_EUSAGE for an unknown {name}, a folder, or "-" without a type. `text` is borrowed. */
int gf_template_parse(const char *option, const char *text, struct gf_template *out);

/* Makes the path for this input; the caller frees it. Without `at` (NULL) {page}, {t} and {c}
 * stay, so that paths can be compared before they are known. */
int gf_template_expand(const struct gf_template *t, const char *in, const char *kind,
                       const struct gf_indices *at, char **path);

/* True if names of planes or pictures of one file differ. */
static inline bool gf_template_counts(const struct gf_template *t) {
    return t->has_page || t->has_time || t->has_channel;
}

/* Finds the type of an expanded `path` by its prefix or suffix; GF_EUSAGE if neither names one. */
int gf_template_format(const struct gf_template *t, const char *path,
                       const struct gf_format **format);

#endif
