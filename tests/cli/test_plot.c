/* The layout of a plot, on a canvas that keeps what is drawn: where curves, ticks and names are. */
#include "cli/plot/layout.c" /* tests are linked without cli/ */

#include <string.h>

#include "tests/test.h"

enum { MOST = 400 };
static struct {
    struct gf_point p[8];
    int64_t n;
    double width;
} lines[MOST];
static struct {
    char text[32], power[16];
    struct gf_point at;
} labels[MOST];
static int n_lines, n_labels, n_dots;
static struct gf_point last_dot;

static void see_line(void *to, const struct gf_point *p, int64_t n,
                     const struct gf_stroke *stroke) {
    (void)to;
    CHECK(n <= 8 && n_lines < MOST);
    memcpy(lines[n_lines].p, p, (size_t)n * sizeof *p);
    lines[n_lines].n = n;
    lines[n_lines++].width = stroke->width;
}

static void see_dot(void *to, struct gf_point p, double radius, struct gf_plot_color color) {
    (void)to, (void)radius, (void)color;
    last_dot = p;
    n_dots++;
}

static void see_label(void *to, const struct gf_label *label) {
    (void)to;
    CHECK(n_labels < MOST);
    snprintf(labels[n_labels].text, 32, "%s", label->text);
    snprintf(labels[n_labels].power, 16, "%s", label->power ? label->power : "");
    labels[n_labels++].at = label->at;
}

double gf_label_width(const struct gf_label *label) {
    return 7. * (double)strlen(label->text);
}

static void draw(const struct gf_plot *plot) {
    const struct gf_canvas canvas = {.line = see_line, .dot = see_dot, .label = see_label};
    n_lines = n_labels = n_dots = 0;
    CHECK_EQ(gf_plot_draw(plot, &canvas), 0);
}

/* The k-th curve drawn: the last one of the plot is drawn first. */
static const struct gf_point *curve(int k) {
    for (int i = 0; i < n_lines; i++)
        if (lines[i].width == 2 && k-- == 0)
            return lines[i].p;
    CHECK_MSG(false, "no such curve");
    return lines[0].p;
}

static int label(const char *text, const char *power) {
    for (int i = 0; i < n_labels; i++)
        if (!strcmp(labels[i].text, text) && !strcmp(labels[i].power, power))
            return i;
    CHECK_MSG(false, "no label %s %s", text, power);
    return 0;
}

static bool is_at(struct gf_point p, double x, double y) {
    return fabs(p.x - x) < 1e-6 && fabs(p.y - y) < 1e-6;
}

enum { X0 = 86, Y0 = 420 - 58, Y1 = 40 }; /* left, bottom and top of the axes */

/* Fourteen decades are shown: what is farther below lies on the axis, and so do its name's line and dot. */
static void test_below(void) {
    const double x[] = {1, 10, 100}, y[] = {1, 1e-40, 1e-7}, low[] = {1e-3, 1e-7, 1e-30};
    const struct gf_plot_curve c[] = {{.x = x, .y = y, .n = 3},
                                      {.x = x, .y = low, .n = 3, .name = "low"}};
    draw(&(struct gf_plot){.title = "t", .x_label = "x", .y_label = "y", .curve = c, .n = 2});
    const double right = 800 - (7 * 3 + 30), middle = (X0 + right) / 2;
    CHECK(is_at(curve(1)[0], X0, Y1) && is_at(curve(1)[1], middle, Y0));
    CHECK(is_at(curve(1)[2], right, (Y0 + Y1) / 2.));
    CHECK(is_at(curve(0)[0], X0, Y1 + (Y0 - Y1) * 3 / 14.) && is_at(curve(0)[2], right, Y0));
    CHECK(is_at(lines[n_lines - 1].p[0], right, Y0) &&
          is_at(lines[n_lines - 1].p[1], right + 14, Y0 - 2));
    CHECK(is_at(labels[label("10", "-14")].at, X0 - 9, Y0 + 0.35 * 15));
    label("10", "0");
}

/* Points that a logarithmic axis lacks are left out; a single one is a dot. */
static void test_missing(void) {
    const double x[] = {0, 2, 20}, y[] = {5, 3, 0}, at[] = {2, 20}, to[] = {3, 30};
    const struct gf_plot_curve c[] = {{.x = x, .y = y, .n = 3}, {.x = at, .y = to, .n = 2}};
    draw(&(struct gf_plot){
        .title = "t", .x_label = "x", .y_label = "y", .curve = c, .n = 2, .nyquist = 10});
    const double right = 800 - 24, decade = (Y0 - Y1) / (log10(50) - log10(2));
    CHECK_EQ(n_dots, 1);
    CHECK(is_at(last_dot, X0, Y0 - decade * log10(1.5)) &&
          is_at(curve(0)[0], last_dot.x, last_dot.y));
    CHECK(is_at(curve(0)[1], right, Y0 - decade * log10(15)));
    CHECK(is_at(labels[label("Nyquist", "")].at, X0 + (right - X0) * log10(5) - 4, Y1 + 15));
    CHECK(is_at(labels[label("20", "")].at, X0 - 9, Y0 - decade + 0.35 * 15) ||
          is_at(labels[label("20", "")].at, right, Y0 + 8 + 15));
    CHECK(fabs(labels[label("5", "")].at.x - X0) > 1); /* named on both axes; below first */
}

/* A linear axis ends at ticks, with negative numbers too; names keep apart. */
static void test_linear(void) {
    const double x[] = {0, 50}, y[] = {-0.43, 0.91}, z[] = {0.2, 0.9}, w[] = {0.1, 0.905};
    const struct gf_plot_curve c[] = {{.x = x, .y = y, .n = 2, .name = "a"},
                                      {.x = x, .y = z, .n = 2, .name = "b"},
                                      {.x = x, .y = w, .n = 2, .name = "c"}};
    draw(&(struct gf_plot){.title = "t",
                           .x_label = "x",
                           .y_label = "y",
                           .linear_x = true,
                           .linear_y = true,
                           .curve = c,
                           .n = 3});
    const double right = 800 - 37, one = (Y0 - Y1) / 1.6; /* from -0.6 to 1 in steps of 0.2 */
    CHECK(is_at(curve(2)[0], X0, Y0 - one * 0.17) && is_at(curve(2)[1], right, Y0 - one * 1.51));
    CHECK(is_at(labels[label("-0.6", "")].at, X0 - 9, Y0 + 0.35 * 15));
    CHECK(is_at(labels[label("1", "")].at, X0 - 9, Y1 + 0.35 * 15));
    CHECK(is_at(labels[label("50", "")].at, right, Y0 + 8 + 15));
    CHECK(is_at(labels[label("y", "")].at, 20, (Y0 + Y1) / 2.));
    const double a = labels[label("a", "")].at.y, b = labels[label("b", "")].at.y,
                 between = labels[label("c", "")].at.y;
    CHECK(between - a >= 15 * 1.15 - 0.01 && b - between >= 15 * 1.15 - 0.01);
    CHECK(a >= Y1 && b < Y1 + 6 * 15);
}

int main(void) {
    RUN("what is fourteen decades below the highest lies on the axis", test_below());
    RUN("points that a logarithmic axis lacks are left out", test_missing());
    RUN("a linear axis ends at ticks, and names keep apart", test_linear());
    return TEST_END();
}
