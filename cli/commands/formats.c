/* gpufft formats: lists what can be read and written, and what an absent format needs. */

#include "cli/command.h"
#include "cli/report.h"

/* "u8 u16 f32" */
static json_t *types_report(unsigned dtypes) {
    json_t *list = json_array();
    for (int t = 0; t < GF_N_DTYPES; t++)
        if (dtypes >> t & 1)
            json_array_append_new(list, json_string(gf_dtype_name((enum gf_dtype)t)));
    return list;
}

static json_t *report(const struct gf_format *f) {
    const bool present = !f->load || f->load() == 0;
    const bool writes = f->write || f->put_pages;
    return GF_REPORT(GF_KEY("format", f->name), GF_KEY("suffixes", f->suffixes),
                     GF_KEY("summary", f->summary), GF_KEY("present", present),
                     GF_KEY("reads", present), GF_BOOL("writes", present && writes),
                     GF_KEY("types", types_report(writes ? f->dtypes : 0)),
                     GF_BOOL("pages", f->read_part != NULL), GF_BOOL(".only_read", !writes),
                     GF_KEY_IF(!present, "reason", gf_message()));
}

static const char form[] = "{format:-8s} {?present {?only_read reads        |reads, writes}"
                           "|absent       }  {summary}\n"
                           "                        {?present .{suffixes}|{reason}}\n";

static int run(struct gf_settings *s, char **operands, int n) {
    (void)operands;
    if (n)
        return gf_fail(GF_EUSAGE, "takes no operands");
    for (int i = 0; gf_formats[i]; i++)
        gf_report_print(s->json, form, report(gf_formats[i]));
    return 0;
}

static const struct gf_opt_group *const groups[] = {&gf_opts_common, NULL};

const struct gf_command gf_command_formats = {
    .name = "formats",
    .operands = "",
    .summary = "every file format, or why one is absent",
    .groups = groups,
    .text = true,
    .examples = "  gpufft formats\n",
    .run = run,
};
