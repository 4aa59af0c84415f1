/* halftone.png: a newspaper page. Letters are strokes of a broad pen, thick downwards and thin
 * across, drawn with the picture's screen on a raster four times as fine as the page. */
#include "samples/samples.h"

#include <stdlib.h>
#include <string.h>

enum { FINE = 4, FINE_WIDTH = PAGE_WIDTH * FINE, FINE_HEIGHT = PAGE_HEIGHT * FINE };

static uint8_t *ink; /* FINE_HEIGHT x FINE_WIDTH, 1: black */

/* Strokes as pairs of x (0..8) and y (hex; 3: base line, 8: height of an x, B: of a capital),
 * separated by spaces; a stroke that begins with ~ is bent smoothly. */
static const struct {
    char letter;
    const char *strokes;
} font[] = {
    {'a', "~07184846 4643 ~4606033344"},
    {'b', "0B03 ~060848430305"},
    {'c', "~474808034344"},
    {'d', "4B43 ~464808034345"},
    {'e', "0646 ~464808034344"},
    {'f', "~3B1B19 1913 0838"},
    {'g', "4842 ~464808034345 ~42400001"},
    {'h', "0B03 ~06084846 4643"},
    {'i', "0803 0A0A"},
    {'j', "1812 ~121000 1A1A"},
    {'k', "0B03 4805 1643"},
    {'l', "0B03"},
    {'m', "0803 ~06083836 3633 ~36386866 6663"},
    {'n', "0803 ~06084846 4643"},
    {'o', "~050848430305"},
    {'p', "0800 ~060848430305"},
    {'q', "4840 ~464808034345"},
    {'r', "0803 ~06083837"},
    {'s', "~4738080645431304"},
    {'t', "1A14 ~141333 0838"},
    {'u', "0805 ~05034345 4843"},
    {'v', "082348"},
    {'w', "0813385368"},
    {'x', "0843 0348"},
    {'y', "0823 4810"},
    {'z', "08480343"},
    {'A', "033B63 1656"},
    {'B', "0B03 ~0B5B5707 ~07575303"},
    {'C', "~5A5B0B035354"},
    {'D', "0B03 ~0B6B6303"},
    {'E', "5B0B0353 0747"},
    {'F', "5B0B03 0747"},
    {'G', "~5A5B0B035357 5737"},
    {'H', "0B03 5B53 0757"},
    {'I', "0B03"},
    {'J', "4B45 ~45430305"},
    {'K', "0B03 5B06 2853"},
    {'L', "0B0353"},
    {'M', "030B366B63"},
    {'N', "030B535B"},
    {'O', "~070B6B630307"},
    {'P', "0B03 ~0B5B5606"},
    {'Q', "~070B6B630307 3562"},
    {'R', "0B03 ~0B5B5707 2753"},
    {'S', "~595B0B0757530305"},
    {'T', "0B6B 3B33"},
    {'U', "0B06 ~06035356 565B"},
    {'V', "0B336B"},
    {'W', "0B234A638B"},
    {'X', "0B53 035B"},
    {'Y', "0B376B 3733"},
    {'Z', "0B5B0353"},
    {'0', "~070B5B530307"},
    {'1', "092B23"},
    {'2', "~090B5B5703 0353"},
    {'3', "~0A0B5B5727 ~2757530304"},
    {'4', "4B0555 4B43"},
    {'5', "5B0B07 ~0758530304"},
    {'6', "~4B0B06 ~060858530306"},
    {'7', "0B5B13"},
    {'8', "~27070B5B5727 ~270703535727"},
    {'9', "~135358 ~585B0B065658"},
    {'.', "0303"},
    {',', "1302"},
    {'-', "0636"},
    {'\'', "0B0A"},
    {':', "0303 0707"},
};

/* A size of type: pixels a unit of the font, and the pen's half width across and along. */
struct type {
    double unit, pen_x, pen_y;
};

/* ---- The pen; x and y in pixels of the page ---- */

static void draw_line(const struct type *type, double x0, double y0, double x1, double y1) {
    double dx = (x1 - x0) / type->pen_x, dy = (y1 - y0) / type->pen_y;
    double norm = fmax(dx * dx + dy * dy, 1e-12);
    int left = (int)((fmin(x0, x1) - type->pen_x) * FINE);
    int right = (int)((fmax(x0, x1) + type->pen_x) * FINE) + 1;
    int top = (int)((fmin(y0, y1) - type->pen_y) * FINE);
    int bottom = (int)((fmax(y0, y1) + type->pen_y) * FINE) + 1;
    for (int j = top < 0 ? 0 : top; j <= bottom && j < FINE_HEIGHT; j++)
        for (int i = left < 0 ? 0 : left; i <= right && i < FINE_WIDTH; i++) {
            double u = ((i + 0.5) / FINE - x0) / type->pen_x;
            double v = ((j + 0.5) / FINE - y0) / type->pen_y;
            double t = clamp((u * dx + v * dy) / norm, 0, 1);
            double a = u - t * dx, b = v - t * dy;
            if (a * a + b * b < 1)
                ink[j * FINE_WIDTH + i] = 1;
        }
}

/* A quadratic B-spline that starts and ends in the outer points. */
static void draw_bent(const struct type *type, const double (*p)[2], int n) {
    double x = p[0][0], y = p[0][1];
    for (int i = 1; i < n - 1; i++) {
        bool last = i == n - 2;
        double ex = last ? p[i + 1][0] : 0.5 * (p[i][0] + p[i + 1][0]);
        double ey = last ? p[i + 1][1] : 0.5 * (p[i][1] + p[i + 1][1]);
        double sx = x, sy = y;
        for (int k = 1; k <= 8; k++) {
            double t = k / 8.0, a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
            double nx = a * sx + b * p[i][0] + c * ex, ny = a * sy + b * p[i][1] + c * ey;
            draw_line(type, x, y, nx, ny);
            x = nx;
            y = ny;
        }
    }
}

static int hex(char c) {
    return c <= '9' ? c - '0' : c - 'A' + 10;
}

static const char *strokes_of(char letter) {
    for (size_t i = 0; i < sizeof font / sizeof font[0]; i++)
        if (font[i].letter == letter)
            return font[i].strokes;
    return "";
}

/* Draws a letter with its base line at y; returns its advance. */
static double draw_letter(const struct type *type, char letter, double x, double y, bool draw) {
    double wide = letter == ' ' ? 1.2 : 0;
    for (const char *s = strokes_of(letter); *s;) {
        double p[12][2];
        bool bent = *s == '~';
        int n = 0;
        for (s += bent; *s && *s != ' '; s += 2, n++) {
            wide = fmax(wide, s[0] - '0');
            p[n][0] = x + (s[0] - '0') * type->unit;
            p[n][1] = y - (hex(s[1]) - 3) * type->unit;
        }
        s += *s == ' ';
        if (draw && bent)
            draw_bent(type, (const double(*)[2])p, n);
        for (int i = 1; draw && !bent && i < n; i++)
            draw_line(type, p[i - 1][0], p[i - 1][1], p[i][0], p[i][1]);
    }
    return (wide + 1.15) * type->unit + 2 * type->pen_x * 0.6;
}

/* The width of the first n letters; draws them when asked. `stretch` widens the spaces. */
static double set_text(const struct type *type, const char *text, int n, double x, double y,
                       double stretch, bool draw) {
    double start = x;
    for (int i = 0; i < n; i++)
        x += draw_letter(type, text[i], x, y, draw) + (text[i] == ' ' ? stretch : 0);
    return x - start;
}

static void centred(const struct type *type, const char *text, double middle, double y) {
    int n = (int)strlen(text);
    set_text(type, text, n, middle - 0.5 * set_text(type, text, n, 0, 0, 0, false), y, 0, true);
}

/* Sets justified lines into a column until its foot; returns what did not fit. */
static const char *set_column(const struct type *type, const char *text, double x, double y,
                              double width, double foot, double pitch) {
    for (; *text && y < foot; y += pitch) {
        int n = 0, fits = 0, gaps = 0, inner = 0;
        for (;; n++) {
            if (text[n] == ' ' || text[n] == '\n' || !text[n]) {
                if (set_text(type, text, n, 0, 0, 0, false) > width)
                    break;
                fits = n;
                inner = gaps++;
                if (text[n] != ' ')
                    break;
            }
        }
        bool ends = text[fits] != ' ';
        double slack = width - set_text(type, text, fits, 0, 0, 0, false);
        set_text(type, text, fits, x, y, ends || !inner ? 0 : slack / inner, true);
        text += fits + (text[fits] != 0);
    }
    return text;
}

/* ---- The picture ---- */

enum { LEVELS = 256, CELL = 6 /* pixels, along x and y: two dots, at 45 degrees */ };

static double spot(double x, double y) {
    return 0.5 * (cos(2 * PI * (x + y) / CELL) + cos(2 * PI * (x - y) / CELL));
}

/* The share of the cell where the spot function is above a level, so that a dot inks as much paper
 * as the photograph is dark. */
static void measure_spot(double share[LEVELS + 1]) {
    enum { N = 128 };
    memset(share, 0, (LEVELS + 1) * sizeof *share);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double s = spot((i + 0.5) * CELL / N, (j + 0.5) * CELL / N);
            share[(int)clamp((s + 1) / 2 * LEVELS, 0, LEVELS - 1)] += 1.0 / (N * N);
        }
    for (int i = LEVELS - 1; i >= 0; i--)
        share[i] += share[i + 1];
}

static void print_photo(const double *photo, int size, int left, int top, int width, int height,
                        double from_x, double from_y, double step) {
    double share[LEVELS + 1];
    measure_spot(share);
    for (int j = 0; j < height * FINE; j++)
        for (int i = 0; i < width * FINE; i++) {
            double x = (double)i / FINE, y = (double)j / FINE;
            double u = from_x + x * step, v = from_y + y * step;
            int a = (int)clamp(u, 0, size - 2), b = (int)clamp(v, 0, size - 2);
            const double *p = photo + (int64_t)b * size + a;
            double light = mix(mix(p[0], p[1], u - a), mix(p[size], p[size + 1], u - a), v - b);
            double dark = clamp(1.2 - 1.45 * light, 0.02, 0.97); /* as contrasty as print must be */
            double s = (spot(left + x, top + y) + 1) / 2 * LEVELS;
            ink[(top * FINE + j) * FINE_WIDTH + left * FINE + i] =
                dark > share[(int)clamp(s, 0, LEVELS - 1)];
        }
}

static void rule(double x0, double y0, double x1, double y1, double thick) {
    struct type pen = {1, thick / 2, thick / 2};
    draw_line(&pen, x0, y0, x1, y1);
}

static const char story[] =
    "From our own reporter. The lake lay still until a little after ten, when a boat put out from "
    "the far shore and the first waves reached the pier. They came at even distances, and those "
    "who "
    "stood on the planks agreed that one could count them.\n"
    "A teacher from the village did more than count. Every shape, she told the children, is a sum "
    "of waves: long ones for the hills, short ones for the grass, and for the fence a wave that "
    "fits "
    "between two pickets, with its overtones.\n"
    "Take the waves away one by one, and the picture goes with them, the fine lines first. Take "
    "away "
    "a single one that does not belong, and the picture comes back clean. Nobody would believe it "
    "before she had shown it with the fence.\n"
    "The owner of the house would rather keep his fence. He has painted it twice this summer, and "
    "its spectrum, he says, is nobody's business. The teacher has offered him the phase.\n"
    "Look at this page through a lens, and you will find that our printer uses no grey at all. He "
    "has black dots, large and small, in rows at an angle of 45 degrees, where the eye minds them "
    "least. In the spectrum those rows are a lattice of bright points about the centre. Dim the "
    "points, and the dots melt into the photograph that they were made from.\n"
    "Weather. Clouds of every size, half as strong at twice the frequency. Wind weak, with gusts "
    "that run along the water and leave again. At night clear, so that the stars stand as sharp as "
    "the lens allows.\n"
    "Lost, between the mill and the lake: one phase, wrapped. The finder is asked to leave the "
    "magnitude where it is, since nothing can be seen in it.\n";

void page_paint(const double *photo, int size, uint8_t *grey) {
    static const struct type title = {4.4, 3.1, 0.9}, head = {1.96, 1.3, 0.6},
                             small = {0.98, 0.5, 0.42}, body = {0.96, 0.56, 0.42};
    const double margin = 18, gutter = 14, pitch = 11.2, middle = PAGE_WIDTH / 2.0;
    const double column = (PAGE_WIDTH - 2 * margin - 2 * gutter) / 3;
    const int photo_left = 18, photo_top = 112, photo_height = 252;
    const int photo_width = (int)(2 * column + gutter);
    ink = calloc((size_t)FINE_WIDTH * FINE_HEIGHT, 1);
    if (!ink)
        abort();
    centred(&title, "THE DAILY SPECTRUM", middle, 52);
    rule(margin, 61, PAGE_WIDTH - margin, 61, 1.6);
    set_text(&small, "No. 512", 7, margin, 73, 0, true);
    centred(&small, "A paper for both domains", middle, 73);
    set_text(&small, "Price: two pixels", 17, PAGE_WIDTH - margin - 88, 73, 0, true);
    rule(margin, 78, PAGE_WIDTH - margin, 78, 0.8);
    centred(&head, "WAVES SEEN ON THE LAKE: A FENCE EXPLAINS THEM", middle, 102);
    print_photo(photo, size, photo_left, photo_top, photo_width, photo_height, 10, 126, 1.2);
    centred(&small, "The house with its fence, and the boat that made the waves.",
            photo_left + photo_width / 2.0, photo_top + photo_height + 12);

    double x = margin, under = photo_top + photo_height + 28, foot = PAGE_HEIGHT - 12;
    const char *rest = story;
    for (int i = 0; i < 3; i++, x += column + gutter) {
        rest = set_column(&body, rest, x, i < 2 ? under : photo_top + 8, column, foot, pitch);
        if (i)
            rule(x - gutter / 2, i < 2 ? under - 8 : photo_top, x - gutter / 2, foot - 4, 0.6);
    }

    for (int y = 0; y < PAGE_HEIGHT; y++)
        for (int px = 0; px < PAGE_WIDTH; px++) {
            int n = 0;
            for (int k = 0; k < FINE * FINE; k++)
                n += ink[(y * FINE + k / FINE) * FINE_WIDTH + px * FINE + k % FINE];
            grey[y * PAGE_WIDTH + px] = (uint8_t)(238 - n * 208 / (FINE * FINE));
        }
    free(ink);
}
