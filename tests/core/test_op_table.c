/* The table of operations: any of them by its name, its options as texts, arrays and facts; and one that is made up
 * here, to which nothing else is added. */
#include "core/op/frc.h"
#include "core/op/operations.h"
#include "tests/core/op_rig.h"

enum { MOST = 4, SIDE = 48 };

static const struct trial {
    const char *name;
    const char *options[MOST], *wrong, *refusal;
    int n_with; /* further arrays: the samples again for frc, a part of them, or those 3 rows and columns on */
    const char *fact, *column; /* the first value in it, of f64 */
    double value;
} trials[] = {
    {"filter",
     {"lowpass=12px,gaussian", "edges=mirror", "offset=5"},
     "lowpass=x",
     "--lowpass cannot be 'x'",
     0,
     NULL,
     NULL,
     5},
    {"filter",
     {"deconvolve=gaussian:1", "iterations=3"},
     "deconvolve=disk:0",
     "--deconvolve cannot be 'disk:0'",
     0,
     NULL,
     NULL,
     0},
    {"filter", {"convolve=kernel.png"}, "notch=3", "--notch cannot be '3'", 1, NULL, NULL, 0},
    {"window",
     {"window=tukey:0.25", "edges=smooth"},
     "window=flat",
     "--window cannot be 'flat'; it is none, hann",
     0,
     NULL,
     NULL,
     0},
    {"spectrum",
     {"kind=power", "range=0,2.5e6", "scale=sqrt", "norm=ortho"},
     "kind=grey",
     "--kind cannot be 'grey'",
     0,
     NULL,
     NULL,
     0},
    {"match",
     {"peaks=2", "least=0.25", "precision=single"},
     "least=2",
     "--least cannot be '2'; it is a score above 0",
     1,
     "peaks",
     "score",
     1},
    {"frc",
     {"threshold=0.143,half-bit", "randomize=0.2c", "mask=soft:15", "precision=single"},
     "threshold=2",
     "--threshold cannot be '2'",
     1,
     "rings",
     "correlation",
     1},
    {"register",
     {"estimate=rigid", "fill=edge"},
     "estimate=turn",
     "--estimate cannot be 'turn'",
     1,
     "shift",
     NULL,
     -3},
    {"register",
     {"fill=edge", "precision=double"},
     "fill",
     "option 'fill' needs a value",
     1,
     "shift",
     NULL,
     -3},
    {"dwt",
     {"boundary=symmetric", "levels=2", "threshold=soft:50%"},
     "levels=0",
     "--levels cannot be '0'; it is 1 to",
     0,
     NULL,
     NULL,
     0},
    {"idwt",
     {"levels=2", "axes=-1,0", "threshold=hard:2"},
     "axes",
     "option 'axes' needs a value",
     0,
     NULL,
     NULL,
     0},
    {"stats",
     {"psd", "tiles=16,25%", "window=hann"},
     "peak=1",
     "stats has no option 'peak'",
     0,
     "signals",
     "mean",
     0},
};

static struct gf_array make(enum gf_dtype t, int64_t h, int64_t w, int64_t first) {
    const int64_t shape[] = {h, w, 1};
    struct gf_array a, field = op_make(GF_F64, 2, shape, first, 1);
    if (gf_array_alloc(&a, t, 3, shape))
        abort();
    for (int64_t i = 0; i < h * w; i++)
        gf_sample_put(gf_array_at(&a, i), t, floor(gf_sample_get(gf_array_at(&field, i), GF_F64)));
    gf_array_free(&field);
    return a;
}

/* Prints options as words between blanks. */
static void print(const struct gf_operation_kind *kind, const void *options, char text[1024]) {
    static char value[GF_OPT_TEXT_SIZE];
    void *usual = malloc(kind->options.bytes);
    size_t n = 0;
    gf_operation_set(kind, usual, NULL);
    for (int i = 0; i < MOST; i++) {
        struct gf_opt_walk walk = {.level[0].row = kind->options.rows};
        for (const struct gf_opt *o; (o = gf_opt_next(&walk));)
            if (gf_opt_show(o, (const char *)options + walk.at, (char *)usual + walk.at, i, value))
                n += (size_t)snprintf(text + n, 1024 - n, gf_opt_is_flag(o) ? " %s" : " %s=%s",
                                      o->name, value);
    }
    text[n] = 0;
    free(usual);
}

/* Sets the options by the texts of a trial, or by printed words, which are changed. */
static void set(const struct gf_operation_kind *kind, void *options, const struct trial *t,
                char *words) {
    char *rest = words;
    CHECK_EQ(gf_operation_set(kind, options, NULL), 0);
    for (int i = 0; t && i < MOST && t->options[i]; i++)
        CHECK_MSG(!gf_operation_set(kind, options, t->options[i]), "%s: %s", t->options[i],
                  gf_message());
    for (char *word; words && (word = strtok_r(rest, " ", &rest));)
        CHECK_MSG(!gf_operation_set(kind, options, word), "%s: %s", word, gf_message());
}

static void test_options(void) {
    for (const struct trial *t = trials; t < trials + sizeof trials / sizeof *trials; t++) {
        const struct gf_operation_kind *kind = gf_operation_find(t->name);
        NEED(kind);
        void *options = malloc(kind->options.bytes);
        char first[1024], words[1024], again[1024];
        set(kind, options, t, NULL);
        print(kind, options, first);
        CHECK(strlen(first) > strlen(t->options[0]));
        strcpy(words, first);
        set(kind, options, NULL, words);
        print(kind, options, again);
        CHECK_STR(again, first);
        set(kind, options, NULL, NULL);
        CHECK_EQ(gf_operation_set(kind, options, t->wrong), GF_EUSAGE);
        CHECK_HAS(gf_message(), t->refusal);
        CHECK(!strchr(gf_message(), '\n'));
        free(options);
    }
    CHECK(!gf_operation_find("sharpen"));
    CHECK_STR(gf_message(), "no operation 'sharpen'");
}

static double mean_of(const struct gf_array *a) {
    double sum = 0;
    for (int64_t i = 0; i < gf_array_count(a); i++)
        sum += gf_sample_get(gf_array_at(a, i), a->dtype);
    return sum / (double)gf_array_count(a);
}

/* Checks the trial's value, or of statistics the mean of the samples. */
static void check_fact(const struct trial *t, const struct gf_array *in,
                       const struct gf_facts *facts) {
    const struct gf_fact *f = op_find(facts->fact, facts->n, t->fact);
    if (f && f->kind == GF_FACT_LIST)
        f++; /* its first record */
    if (f && t->column)
        f = op_find(f + 1, f->within, t->column);
    CHECK_MSG(f && f->kind == GF_FACT_REAL, "%s has no %s", t->name, t->fact);
    const double v = f ? *(const double *)f->data : NAN,
                 want = t->value != 0 ? t->value : mean_of(in);
    CHECK_MSG(fabs(v - want) < 0.05, "%s of %s: %g, not %g", t->name, gf_dtype_name(in->dtype), v,
              want);
}

static void run(struct gf_runner *runner, const struct trial *t, enum gf_dtype dtype) {
    const struct gf_operation_kind *kind = gf_operation_find(t->name);
    const bool part = !strcmp(t->name, "match"), kernel = !strcmp(t->name, "filter");
    const int64_t side = part ? 9 : kernel ? 5 : SIDE;
    struct gf_array in = make(dtype, SIDE, SIDE, 0), out = {0},
                    with = make(dtype, side, side, strcmp(t->name, "frc") ? 3 : 0);
    struct gf_operation op = {.kind = kind, .crew = {.runner = runner, .threads = 1}}, empty;
    struct gf_facts facts = {0};
    void *options = malloc(kind->options.bytes);
    set(kind, options, t, NULL);
    CHECK_MSG(!gf_operation_open(&op, options, &with, t->n_with), "%s: %s", t->name, gf_message());
    gf_operation_begin(&op, &in);
    empty = op;
    struct gf_array like = in;
    like.data = NULL;
    CHECK_MSG(!gf_operation_expect(&empty, &like), "%s: %s", t->name, gf_message());
    CHECK_MSG(empty.need > gf_array_bytes(&in) && empty.need < 1 << 24, "%s needs %lld", t->name,
              (long long)empty.need);
    gf_operation_drop(&empty);
    CHECK_MSG(!gf_operation_apply(&op, &in, &out), "%s of %s: %s", t->name, gf_dtype_name(dtype),
              gf_message());
    CHECK_EQ(out.data != NULL, !kind->measures);
    if (kind->facts)
        kind->facts(&op, &facts);
    CHECK(!facts.missed && !facts.depth);
    if (t->fact)
        check_fact(t, &in, &facts);
    if (kernel) /* filters keep the mean, but for --offset */
        CHECK_MSG(fabs(mean_of(&out) - mean_of(&in) - t->value) < 0.6, "%s: mean %g of %g",
                  t->options[0], mean_of(&out), mean_of(&in));
    gf_operation_drop(&op);
    CHECK(!op.state);
    gf_operation_close(&op);
    gf_facts_free(&facts);
    gf_array_free(&in);
    gf_array_free(&with);
    gf_array_free(&out);
    free(options);
}

static void test_runs(void) {
    static const enum gf_dtype dtypes[] = {GF_U8, GF_F32, GF_F64};
    struct gf_runner runner;
    gf_runner_open(&runner, op_engine, 0, 1);
    for (const struct trial *t = trials; t < trials + sizeof trials / sizeof *trials; t++)
        for (int i = 0; i < 3; i++)
            run(&runner, t, dtypes[i]);
    const struct gf_operation_kind *kind;
    for (int i = 0; (kind = gf_operation_at(i)); i++) { /* each has a trial */
        bool tried = false;
        for (size_t k = 0; k < sizeof trials / sizeof *trials; k++)
            tried = tried || !strcmp(trials[k].name, kind->name);
        CHECK_MSG(tried, "%s is not tried", kind->name);
    }
    gf_runner_close(&runner);
}

static void test_refusals(void) {
    struct gf_operation op = {.kind = gf_operation_find("match")};
    struct gf_array a = make(GF_F32, 4, 4, 0), complex = a;
    char options[64] = "";
    struct gf_runner runner;
    gf_runner_open(&runner, op_engine, 0, 1);
    NEED(op.kind && op.kind->options.bytes <= sizeof options);
    CHECK_EQ(gf_operation_open(&op, options, &a, 0), GF_EINVAL);
    CHECK_STR(gf_message(), "match takes 1 to 2 further arrays, not 0");
    complex.dtype = GF_C64;
    CHECK_EQ(gf_operation_open(&op, options, &complex, 1), GF_EINVAL);
    CHECK_HAS(gf_message(), "complex samples");
    gf_operation_close(&op);
    op = (struct gf_operation){.kind = gf_operation_find("frc")};
    struct gf_frc_options frc;
    const struct gf_array halves[2] = {{.data = NULL}, a};
    gf_operation_set(op.kind, &frc, NULL);
    CHECK_EQ(gf_operation_set(op.kind, &frc, "mask=ring.png"), 0);
    CHECK_EQ(gf_operation_open(&op, &frc, halves, 1), 0);
    op.crew = (struct gf_crew){.runner = &runner, .threads = 1};
    gf_operation_begin(&op, &a);
    CHECK_EQ(gf_operation_expect(&op, &a), GF_EUSAGE);
    CHECK_STR(gf_message(), "--mask=ring.png: its samples are missing");
    gf_operation_drop(&op);
    gf_operation_close(&op);
    CHECK_EQ(gf_operation_open(&op, &frc, halves, 2), 0);
    gf_operation_begin(&op, &a);
    CHECK_EQ(gf_operation_expect(&op, &a), 0);
    gf_operation_drop(&op);
    gf_operation_close(&op);
    gf_array_free(&a);
    op.kind = gf_operation_find("filter");
    struct gf_filter_options filter;
    gf_operation_set(op.kind, &filter, NULL);
    CHECK_EQ(gf_operation_set(op.kind, &filter, "mask=ring.png"), 0);
    CHECK_EQ(gf_operation_open(&op, &filter, NULL, 0), GF_EUSAGE);
    CHECK_STR(gf_message(), "--mask=ring.png: its samples are missing");
    gf_operation_close(&op);
    CHECK_EQ(gf_operation_set(op.kind, &filter, NULL), 0);
    CHECK_EQ(gf_operation_set(op.kind, &filter, "lowpass=3px"), 0);
    CHECK_EQ(gf_operation_open(&op, &filter, halves, 1), GF_EUSAGE);
    CHECK_STR(gf_message(), "1 more array than the options name");
    gf_operation_close(&op);
    op.kind = gf_operation_find("stats");
    char stats[512];
    NEED(op.kind->options.bytes <= sizeof stats);
    gf_operation_set(op.kind, stats, NULL);
    CHECK_EQ(gf_operation_set(op.kind, stats, "tiles=8"), 0);
    CHECK_EQ(gf_operation_open(&op, stats, NULL, 0), GF_EUSAGE);
    CHECK_HAS(gf_message(), "--tiles needs --psd");
    gf_runner_close(&runner);
}

/* A number in a column of what an operation finds with two arrays of one type, of which the second is a stack if there
 * is a page. Without a key the number of its output's samples that are no floats. */
static double found(const char *name, const char *precision, const char *key, int64_t page) {
    const bool part = !strcmp(name, "match");
    const int64_t shape[] = {2, SIDE, SIDE, 1};
    struct gf_array in = make(GF_F64, SIDE, SIDE, 0),
                    with = make(GF_F64, part ? 9 : SIDE, part ? 9 : SIDE, 3), stack = {0},
                    out = {0};
    struct gf_operation op = {.kind = gf_operation_find(name)};
    struct gf_facts facts = {0};
    struct gf_runner runner;
    void *options = calloc(1, op.kind->options.bytes);
    gf_runner_open(&runner, op_engine, 0, 1);
    op.crew = (struct gf_crew){.runner = &runner, .threads = 1};
    op.page = page;
    for (int i = 0; i < 2; i++) {
        op.of.spacing[i] = 2e-10;
        op.of.kind[i] = 'm';
    }
    op.of.unit = "A";
    CHECK_EQ(gf_array_alloc(&stack, GF_F64, 4, shape), 0);
    for (int i = 0; i < 2 && !part; i++) {
        struct gf_array to = gf_array_index(&stack, 0, i);
        gf_array_copy(&to, i ? &in : &with);
    }
    gf_operation_set(op.kind, options, NULL);
    CHECK_EQ(gf_operation_set(op.kind, options, precision), 0);
    CHECK_EQ(gf_operation_open(&op, options, page ? &stack : &with, 1), 0);
    gf_operation_begin(&op, &in);
    CHECK_MSG(!gf_operation_apply(&op, &in, &out), "%s: %s", name, gf_message());
    op.kind->facts(&op, &facts);
    const struct gf_fact *f = op_column(&facts, part ? "peaks" : "rings", key ? key : "");
    double v = f->data ? op_value(f, part ? 0 : 5, 0) : 0;
    for (int64_t i = 0; i < SIDE * SIDE && !key; i++)
        v += ((double *)out.data)[i] != (float)((double *)out.data)[i];
    if (!part && key)
        CHECK_STR(op_column(&facts, "crossings", "resolution")->unit, "A");
    op_drop(&op);
    gf_facts_free(&facts);
    gf_array_free(&in);
    gf_array_free(&with);
    gf_array_free(&stack);
    gf_array_free(&out);
    gf_runner_close(&runner);
    free(options);
    return v;
}

static void test_precision(void) {
    CHECK(found("register", "precision=single", NULL, 0) == 0);
    CHECK(found("register", "precision=double", NULL, 0) > SIDE * SIDE / 2);
    const double score = found("match", "precision=single", "score", 0),
                 correlation = found("frc", "precision=single", "correlation", 0);
    CHECK(fabs(found("match", "precision=double", "score", 0) - 1) < 1e-13);
    CHECK_MSG(fabs(score - 1) > 1e-9 && fabs(score - 1) < 1e-5, "%.17g", score);
    CHECK(fabs(found("frc", "precision=double", "correlation", 0) + 0.0660578310360177) < 1e-13);
    CHECK_MSG(fabs(correlation + 0.0660578310360177) > 1e-9 &&
                  fabs(correlation + 0.0660578310360177) < 1e-6,
              "%.17g", correlation);
}

static void test_pages(void) {
    CHECK(fabs(found("frc", "precision=double", "correlation", 1) + 0.0660578310360177) < 1e-13);
    CHECK(fabs(found("frc", "precision=double", "correlation", 2) - 1) < 1e-13);
    CHECK(fabs(found("frc", "precision=double", "frequency", 2) - 5 / (SIDE * 2.0)) < 1e-13);
}

/* ---- an operation that is made up: samples times a number, and the largest product ---- */

struct times {
    double by;
    bool negative;
};

struct product {
    struct gf_array px;
    double largest;
};

#define GF_AT(field) offsetof(struct times, field)

static const struct gf_opt times_rows[] = {
    GF_NUMBER("by", by, "N", 0, "it is a number above 0", "multiply by N (default: 2)"),
    GF_FLAG("negative", negative, "multiply by -N"),
    {0}};

static int times_describe(struct gf_operation *op) {
    op->inner = &op->job;
    op->need = op->crew.held + 2 * gf_operation_out_bytes(op);
    return 0;
}

static int times_take(struct gf_operation *op) {
    const struct times *o = op->shared;
    struct product *p = op->state;
    int rc = gf_array_alloc(&p->px, op->in.dtype, op->in.rank, op->in.shape);
    for (int64_t i = 0; i < gf_array_count(&op->in) && !rc; i++) {
        const double v =
            gf_sample_get(gf_array_at(&op->in, i), op->in.dtype) * (o->negative ? -o->by : o->by);
        p->largest = i ? fmax(p->largest, v) : v;
        gf_sample_put(gf_array_at(&p->px, i), p->px.dtype, v);
    }
    op->in = p->px;
    op->in.base = NULL;
    return rc;
}

static void times_drop(struct gf_operation *op) {
    gf_array_free(&((struct product *)op->state)->px);
}

static void times_facts(const struct gf_operation *op, struct gf_facts *to) {
    GF_FACT(to, "largest", NULL, &((struct product *)op->state)->largest);
}

static void test_made_up(void) {
    static const struct times two = {2, false};
    static const struct gf_operation_kind kind = {.name = "times",
                                                  .options = {times_rows, sizeof two, &two, NULL},
                                                  .gives = GF_REAL,
                                                  .describe = times_describe,
                                                  .take = times_take,
                                                  .state = sizeof(struct product),
                                                  .drop = times_drop,
                                                  .facts = times_facts};
    struct gf_operation op = {.kind = &kind};
    struct gf_array in = make(GF_F32, 3, 5, 0), out = {0};
    struct gf_facts facts = {0};
    struct times options;
    struct gf_runner runner;
    gf_runner_open(&runner, op_engine, 0, 1);
    op.crew = (struct gf_crew){.runner = &runner, .threads = 1};
    gf_operation_set(&kind, &options, NULL);
    CHECK(options.by == 2);
    CHECK_EQ(gf_operation_set(&kind, &options, "by=0"), GF_EUSAGE);
    CHECK_STR(gf_message(), "--by cannot be '0'; it is a number above 0");
    CHECK_EQ(gf_operation_set(&kind, &options, "by=3"), 0);
    CHECK_EQ(gf_operation_set(&kind, &options, "negative"), 0);
    CHECK(options.by == 3 && options.negative);
    CHECK_EQ(gf_operation_set(&kind, &options, "no-negative"), 0);
    CHECK_EQ(gf_operation_open(&op, &options, NULL, 0), 0);
    gf_operation_begin(&op, &in);
    CHECK_EQ(gf_operation_apply(&op, &in, &out), 0);
    double largest = 0;
    for (int64_t i = 0; i < 15 && out.data; i++) {
        const double v = ((const float *)out.data)[i];
        largest = fmax(largest, v);
        CHECK_EQ(v, 3 * ((const float *)in.data)[i]);
    }
    times_facts(&op, &facts);
    CHECK(facts.n == 1 && *(const double *)facts.fact[0].data == largest);
    gf_operation_drop(&op);
    gf_facts_free(&facts);
    gf_array_free(&in);
    gf_array_free(&out);
    gf_runner_close(&runner);
}

int main(void) {
    NEED(!op_begin());
    RUN("options are printed as they were set, and wrong ones refused", test_options());
    RUN("each operation runs on u8, f32 and f64, says its need and its facts", test_runs());
    RUN("arrays and options that do not fit are refused", test_refusals());
    RUN("match, frc and register compute in the precision that is asked for", test_precision());
    RUN("frc compares with a stack's page, in the unit of the samples", test_pages());
    RUN("an operation that is made up runs like the others", test_made_up());
    op_end();
    return TEST_END();
}
