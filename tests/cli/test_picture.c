/* Drawn spectra: colour maps beside matplotlib's, and views beside sums over all bins: what they show, how large they
 * are, that no peak is lost; and where rings and labels are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/picture.c" /* tests are linked without cli/ */
#include "tests/test.h"

/* A canvas that keeps what is drawn. */
static struct gf_point ring_seen[64], label_seen[64];
static char text_seen[64][48];
static int n_rings_seen, n_labels_seen, rulers_seen;

static void see_line(void *to, const struct gf_point *p, int64_t n,
                     const struct gf_stroke *stroke) {
    (void)to;
    if (stroke->width < 2 && n > 2 && n_rings_seen < 64) /* the bright one; its centre */
        ring_seen[n_rings_seen++] = (struct gf_point){(p[0].x + p[n / 2].x) / 2, p[0].y};
}

static void see_label(void *to, const struct gf_label *label) {
    (void)to;
    if (label->color.rgb[0] != bright.rgb[0] || n_labels_seen == 64)
        return;
    snprintf(text_seen[n_labels_seen], 48, "%s", label->text);
    label_seen[n_labels_seen++] = label->at;
}

double gf_label_width(const struct gf_label *label) {
    return 7. * (double)strlen(label->text);
}

int gf_raster_draw(const struct gf_array *px, double scale,
                   int (*draw)(void *user, const struct gf_canvas *canvas), void *user) {
    const struct gf_canvas canvas = {.line = see_line, .label = see_label};
    CHECK(px->shape[2] == 3 && scale >= 1);
    n_rings_seen = n_labels_seen = rulers_seen = 0;
    return draw(user, &canvas);
}

void gf_plot_draw_rulers(const struct gf_canvas *canvas, const struct gf_plot_axis *x,
                         const struct gf_plot_axis *y) {
    (void)canvas;
    rulers_seen++;
    CHECK(fabs(x->low + 0.505) < 1e-9 &&
          fabs(y->low + 0.5 + 1. / 80) < 1e-9); /* 100 wide, 40 high */
    CHECK(fabs(x->high - 0.495) < 1e-9 && fabs(y->high - 0.5 + 1. / 80) < 1e-9);
    CHECK(x->linear && y->linear);
}

/* matplotlib 3.8's colours at 0, 64, 128, 191 and 255 of 255. */
static void test_colormaps(void) {
    static const int at[] = {0, 64, 128, 191, 255};
    static const struct {
        const char *name;
        unsigned rgb[5];
    } want[] = {{"gray", {0, 0x404040, 0x808080, 0xbfbfbf, 0xffffff}},
                {"viridis", {0x440154, 0x3b528b, 0x21918c, 0x5cc863, 0xfde725}},
                {"magma", {0x000004, 0x51127c, 0xb73779, 0xfb8761, 0xfcfdbf}},
                {"inferno", {0x000004, 0x57106e, 0xbc3754, 0xf98c0a, 0xfcffa4}},
                {"plasma", {0x0d0887, 0x7e03a8, 0xcc4778, 0xf89441, 0xf0f921}},
                {"cividis", {0x00224e, 0x434e6c, 0x7d7c78, 0xbbad6d, 0xfee838}},
                {"twilight", {0xe2d9e2, 0x6275ba, 0x301437, 0xb25652, 0xe2d9e2}}};
    unsigned char rgb[256][3];
    for (int i = 0; i < 7; i++) {
        CHECK(gf_colormap_names[i] && !strcmp(gf_colormap_names[i], want[i].name));
        memset(rgb, 1, sizeof rgb);
        gf_colormap_make(i, rgb);
        for (int k = 0; k < 5; k++)
            for (int c = 0; c < 3; c++) {
                const int byte = (int)(want[i].rgb[k] >> (16 - 8 * c) & 255), got = rgb[at[k]][c];
                CHECK_MSG(abs(got - byte) <= 2, "%s[%d]: channel %d is %d, not %d", want[i].name,
                          at[k], c, got, byte);
            }
        for (int v = 1; v < 256 && i; v++) /* no jumps */
            for (int c = 0; c < 3; c++)
                CHECK_MSG(abs(rgb[v][c] - rgb[v - 1][c]) <= 8, "%s jumps at %d", want[i].name, v);
    }
    CHECK(!gf_colormap_names[7]);
}

/* The sample that pixel (py, px) should show: by the bins [b, b + 1) / bins that touch [p, p + 1) / size. */
static int expected(const struct gf_view *v, const unsigned char *from, bool largest, int64_t py,
                    int64_t px) {
    int64_t n[2] = {0, 0}, all[2][512];
    const int64_t p[2] = {py, px};
    int best = 0;
    for (int i = 0; i < 2; i++)
        for (int64_t b = 0; b < v->bins[i]; b++)
            if ((b + 1) * v->size[i] > p[i] * v->bins[i] &&
                b * v->size[i] < (p[i] + 1) * v->bins[i])
                all[i][n[i]++] = v->first[i] + b;
    if (!largest)
        return from[all[0][(n[0] - 1) / 2] * v->shape[1] + all[1][(n[1] - 1) / 2]];
    for (int64_t y = 0; y < n[0]; y++)
        for (int64_t x = 0; x < n[1]; x++)
            best = from[all[0][y] * v->shape[1] + all[1][x]] > best
                       ? from[all[0][y] * v->shape[1] + all[1][x]]
                       : best;
    return best;
}

static void check_view(const struct gf_view *v, bool largest, int n_channels) {
    const int64_t n = v->shape[0] * v->shape[1];
    const int64_t shape[] = {v->size[0] + v->margin, v->size[1] + v->margin, n_channels};
    unsigned char *from = malloc((size_t)n),
                  *to = malloc((size_t)(shape[0] * shape[1] * n_channels));
    unsigned char colors[256][3];
    int64_t wrong = 0;
    CHECK(from && to);
    for (int64_t i = 0; i < n; i++)
        from[i] = (unsigned char)(rand() % 200);
    from[n / 3] = 255;
    for (int i = 0; i < 256; i++)
        for (int c = 0; c < 3; c++)
            colors[i][c] = (unsigned char)(c == 1 ? 255 - i : i);
    const struct gf_array a =
        gf_array_wrap(from, GF_U8, 3, (int64_t[]){v->shape[0], v->shape[1], 1});
    const struct gf_array b = gf_array_wrap(to, GF_U8, 3, shape);
    gf_view_draw(v, &a, largest, colors, 2, &b);
    for (int64_t y = 0; y<v->size[0]; y += n> 5000 ? 7 : 1)
        for (int64_t x = 0; x<v->size[1]; x += n> 5000 ? 3 : 1) {
            const unsigned char *p = &to[(y * shape[1] + v->margin + x) * n_channels];
            const int want = expected(v, from, largest, y, x);
            wrong += p[0] != want || (n_channels == 3 && (p[1] != 255 - want || p[2] != want));
        }
    CHECK_MSG(wrong == 0, "%lldx%lld: %lld pixels are wrong", (long long)v->shape[0],
              (long long)v->shape[1], (long long)wrong);
    free(from);
    free(to);
}

static void test_views(void) {
    static const int64_t shapes[][2] = {{1, 1},   {1, 7},     {5, 1},   {16, 16},
                                        {37, 53}, {300, 301}, {40, 500}};
    static const int64_t zooms[] = {1, 2, 3, 7, 64, 512}, mosts[] = {0, 128, 200};
    struct gf_view v;
    for (int k = 0; k < 7 * 6 * 3 * 2; k++) {
        const int64_t *n = shapes[k % 7], zoom = zooms[k / 7 % 6], most = mosts[k / 42 % 3];
        const bool rulers = k / 126;
        const int at[2] = {(int)((n[0] - 1) / 2),
                           -(int)(n[1] / 2)}; /* the last row, the first column */
        CHECK_EQ(gf_view_make(&v, n, zoom, at, most, rulers), 0);
        const int64_t side = v.size[0] > v.size[1] ? v.size[0] : v.size[1],
                      longer = n[0] > n[1] ? n[0] : n[1];
        CHECK((v.margin > 0) == rulers && v.scale >= 1);
        for (int i = 0; i < 2; i++) {
            CHECK(v.first[i] >= 0 && v.bins[i] >= 1 && v.first[i] + v.bins[i] <= n[i]);
            CHECK(v.first[i] <= at[i] + n[i] / 2 && at[i] + n[i] / 2 < v.first[i] + v.bins[i]);
            CHECK(zoom > 1 || (v.bins[i] == n[i] && !v.first[i]));
            CHECK(most == 0 ? v.size[i] == v.bins[i] * zoom : v.size[i] + v.margin <= most);
        }
        if (!most && zoom > 1) /* all of it, or as large as it was, within one bin */
            CHECK((v.bins[0] == n[0] && v.bins[1] == n[1]) ||
                  side < (longer > 512 ? longer : 512) + zoom);
        if (side <= 600)
            check_view(&v, k % 3 != 0, k % 2 ? 3 : 1);
    }
    CHECK_EQ(gf_view_make(&v, shapes[4], 2, (int[]){18, 26}, 0, false),
             0); /* 37x53: -18 to 18, -26 to 26 */
    CHECK_EQ(gf_view_make(&v, shapes[4], 2, (int[]){19, 0}, 0, false), GF_EINVAL);
    CHECK_EQ(gf_view_make(&v, shapes[4], 2, (int[]){0, -27}, 0, false), GF_EINVAL);
    CHECK_EQ(gf_view_make(&v, shapes[3], 2, (int[]){8, 0}, 0, false), GF_EINVAL); /* 16: -8 to 7 */
}

/* A picture of 40 rows and 100 columns, five pixels a bin. */
static void test_marks(void) {
    static unsigned char px[(200 + 62) * (500 + 62) * 3];
    struct gf_notes notes = {.n_marks = 3, .unit = "sample", .spacing = {1, 1}};
    struct gf_view v;
    notes.mark[0] = (struct gf_mark){{5, 10}, true, "first"};
    notes.mark[1] = (struct gf_mark){{-20, 49}, true, "edge"}; /* its twin at 20, -49 is outside */
    notes.mark[2] = (struct gf_mark){{6, 11}, false, "near"};
    CHECK_EQ(gf_view_make(&v, (int64_t[]){40, 100}, 5, (int[]){0, 0}, 0, true), 0);
    const int64_t shape[] = {v.size[0] + v.margin, v.size[1] + v.margin, 3};
    CHECK(v.size[0] == 200 && v.size[1] == 500 && shape[0] * shape[1] * 3 == (int64_t)sizeof px);
    const struct gf_array picture = gf_array_wrap(px, GF_U8, 3, shape);
    CHECK_EQ(gf_view_annotate(&v, &notes, &picture), 0);
    CHECK_EQ(n_rings_seen, 4);
    CHECK_EQ(rulers_seen, 1);
    CHECK(n_labels_seen == 3 && !strcmp(text_seen[0], "first") && !strcmp(text_seen[2], "near"));
    const double want[4][2] = {{5, 10}, {-5, -10}, {-20, 49}, {6, 11}};
    for (int i = 0; i < 4; i++) { /* in units of the canvas */
        CHECK(fabs(ring_seen[i].y * v.scale - (want[i][0] + 20.5) * 5) < 1e-6);
        CHECK(fabs(ring_seen[i].x * v.scale - (double)v.margin - (want[i][1] + 50.5) * 5) < 1e-6);
    }
    for (int i = 0; i < 3; i++) { /* inside; on no other label */
        CHECK(label_seen[i].x * v.scale >= (double)v.margin &&
              label_seen[i].x + 35 <= (double)shape[1] / v.scale);
        CHECK(label_seen[i].y > FONT && label_seen[i].y * v.scale < 200);
        for (int k = 0; k < i; k++)
            CHECK(fabs(label_seen[i].y - label_seen[k].y) >= FONT ||
                  fabs(label_seen[i].x - label_seen[k].x) >= 28);
    }
    CHECK(px[0] == 255 && px[3 * v.margin] == 0 && px[3 * shape[0] * shape[1] - 1] == 255);
}

/* n marks, a bin or none apart, in 256x256 pixels. */
static void check_crowd(int n, int64_t apart, int least, int most) {
    static unsigned char px[256 * 256 * 3];
    struct gf_notes notes = {.n_marks = n, .unit = "sample", .spacing = {1, 1}};
    const struct gf_array picture = gf_array_wrap(px, GF_U8, 3, (int64_t[]){256, 256, 3});
    struct gf_view v;
    for (int i = 0; i < n; i++)
        notes.mark[i] = (struct gf_mark){{20 + i % 3 * apart, 30 + i * apart}, true, "12.34 px"};
    CHECK_EQ(gf_view_make(&v, (int64_t[]){256, 256}, 1, (int[]){0, 0}, 0, false), 0);
    CHECK_EQ(gf_view_annotate(&v, &notes, &picture), 0);
    CHECK_EQ(n_rings_seen, 2 * n);
    CHECK_MSG(n_labels_seen >= least && n_labels_seen <= most, "%d labels of %d", n_labels_seen, n);
    for (int i = 0; i < n_labels_seen; i++)
        for (int k = 0; k < i; k++)
            CHECK(fabs(label_seen[i].y - label_seen[k].y) >= FONT ||
                  fabs(label_seen[i].x - label_seen[k].x) >= 7 * 8);
}

int main(void) {
    RUN("colour maps are matplotlib's", test_colormaps());
    RUN("a view shows each bin at its place and loses no peak", test_views());
    RUN("rings and labels of peaks are drawn where the peaks are", test_marks());
    RUN("labels of close peaks move apart", check_crowd(8, 2, 8, 8));
    RUN("labels without a place of their own are left out", check_crowd(30, 0, 15, 29));
    return TEST_END();
}
