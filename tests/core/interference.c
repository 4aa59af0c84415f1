/* Ways to spoil a picture: blur, the losses of a JPEG, interference; files, and how much two differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/core/regular_structures.h"

static const double PI = 3.14159265358979323846;

enum { BLOCK = 8 };

static void blur_line(float *v, int n, int step, double sigma, float *room) {
    int reach = (int)ceil(3 * sigma);
    for (int i = 0; i < n; i++) {
        double sum = 0, weights = 0;
        for (int k = -reach; k <= reach; k++) {
            int at = i + k < 0 ? -i - k : i + k >= n ? 2 * n - 2 - i - k : i + k;
            double weight = exp(-0.5 * k * k / sigma / sigma);
            sum += weight * (double)v[at * step];
            weights += weight;
        }
        room[i] = (float)(sum / weights);
    }
    for (int i = 0; i < n; i++)
        v[i * step] = room[i];
}

void gf_made_blur(struct gf_made_picture *p, double sigma, float *room) {
    for (int c = 0; c < p->channels && sigma > 0.2; c++) {
        for (int y = 0; y < p->height; y++)
            blur_line(p->px + y * p->width * p->channels + c, p->width, p->channels, sigma, room);
        for (int x = 0; x < p->width; x++)
            blur_line(p->px + x * p->channels + c, p->height, p->width * p->channels, sigma, room);
    }
}

static void transform_block(double v[BLOCK][BLOCK], bool back) {
    double t[BLOCK][BLOCK], u[BLOCK][BLOCK] = {{0}};
    for (int k = 0; k < BLOCK; k++)
        for (int i = 0; i < BLOCK; i++)
            t[k][i] = sqrt((k ? 2. : 1.) / BLOCK) * cos(PI * k * (2 * i + 1) / (2 * BLOCK));
    for (int pass = 0; pass < 2; pass++) {
        for (int a = 0; a < BLOCK; a++)
            for (int b = 0; b < BLOCK; b++) {
                u[b][a] = 0;
                for (int i = 0; i < BLOCK; i++)
                    u[b][a] += (back ? t[i][b] : t[b][i]) * v[a][i];
            }
        memcpy(v, u, sizeof u);
    }
}

void gf_made_lose(struct gf_made_picture *p, double quality) {
    double scale = quality < 50 ? 50 / quality : 2 - quality / 50;
    for (int c = 0; c < p->channels; c++)
        for (int y = 0; y + BLOCK <= p->height; y += BLOCK)
            for (int x = 0; x + BLOCK <= p->width; x += BLOCK) {
                double v[BLOCK][BLOCK];
                float *at = p->px + (y * p->width + x) * p->channels + c;
                for (int i = 0; i < BLOCK * BLOCK; i++)
                    v[i / BLOCK][i % BLOCK] =
                        255 * (double)at[(i / BLOCK * p->width + i % BLOCK) * p->channels];
                transform_block(v, false);
                for (int i = 0; i < BLOCK * BLOCK; i++) {
                    double step = fmax(1, scale * (12 + 1.1 * pow(i / BLOCK + i % BLOCK, 1.8)));
                    v[i / BLOCK][i % BLOCK] = step * nearbyint(v[i / BLOCK][i % BLOCK] / step);
                }
                transform_block(v, true);
                for (int i = 0; i < BLOCK * BLOCK; i++)
                    at[(i / BLOCK * p->width + i % BLOCK) * p->channels] =
                        (float)(v[i / BLOCK][i % BLOCK] / 255);
            }
}

/* A linear congruential generator: 0 .. 1. */
static double draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40) / 16777216.;
}

static double between(uint64_t *state, double from, double to) {
    return from + (to - from) * draw(state);
}

static void add(struct gf_made_picture *p, const double f[2], double phase, double amplitude) {
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            for (int c = 0; c < p->channels; c++)
                p->px[(y * p->width + x) * p->channels + c] +=
                    (float)(amplitude * cos(2 * PI * (f[0] * y + f[1] * x) + phase));
}

static void add_waves(struct gf_made_picture *p, uint64_t *state) {
    int n = 1 + (int)(3 * draw(state));
    for (int i = 0; i < n; i++) {
        double period = 2.2 * pow(60 / 2.2, draw(state)), angle = PI * draw(state);
        double amplitude = 3 * pow(40 / 3., draw(state)) / 255;
        add(p, (double[]){sin(angle) / period, cos(angle) / period}, 6.28 * draw(state), amplitude);
    }
}

/* Mains hum in the rows, clipped: harmonics 1 to 4, phase-locked. */
static void add_hum(struct gf_made_picture *p, uint64_t *state) {
    double period = between(state, 8, 40), angle = between(state, -0.1, 0.1),
           start = 6.28 * draw(state);
    double amplitude = between(state, 4, 20) / 255, even = between(state, 0, 0.5);
    int n = 2 + (int)(3 * draw(state));
    for (int k = 1; k <= n; k++)
        add(p, (double[]){k * cos(angle) / period, k * sin(angle) / period}, k * start,
            amplitude * (k == 1  ? 1
                         : k % 2 ? 1. / k
                                 : even / k));
}

/* Each column of a group of 2 to 8 has its own offset. */
static void add_columns(struct gf_made_picture *p, uint64_t *state) {
    int group = 2 << (int)(3 * draw(state));
    double offset[8];
    for (int i = 0; i < group; i++)
        offset[i] = between(state, -12, 12) / 255;
    for (long i = 0; i < (long)p->width * p->height * p->channels; i++)
        p->px[i] += (float)offset[i / p->channels % p->width % group];
}

const char *gf_made_interfere(int number, struct gf_made_picture *p) {
    uint64_t state = 977u * (uint64_t)number + 5;
    draw(&state);
    int kind = number % 6;
    if (kind < 4)
        add_waves(p, &state);
    else if (kind == 4)
        add_hum(p, &state);
    else
        add_columns(p, &state);
    return kind < 4 ? "waves" : kind == 4 ? "hum" : "columns";
}

bool gf_made_save(const struct gf_made_picture *p, const char *path) {
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    fprintf(f, "P%d\n%d %d\n%d\n", p->channels > 1 ? 6 : 5, p->width, p->height, p->white);
    for (long i = 0; i < (long)p->width * p->height * p->channels; i++) {
        int v = (int)(fmin(fmax((double)p->px[i], 0), 1) * p->white + 0.5);
        if (p->white > 255)
            putc(v >> 8, f);
        putc(v & 255, f);
    }
    return fclose(f) == 0;
}

bool gf_made_load(const char *path, struct gf_made_picture *p) {
    FILE *f = fopen(path, "rb");
    int kind;
    *p = (struct gf_made_picture){.kind = "file"};
    if (!f)
        return false;
    bool fine =
        fscanf(f, "P%d %d %d %d", &kind, &p->width, &p->height, &p->white) == 4 && getc(f) > 0;
    p->channels = kind == 6 ? 3 : 1;
    long n = (long)p->width * p->height * p->channels;
    p->px = fine ? malloc((size_t)n * sizeof *p->px) : NULL;
    for (long i = 0; i < n && p->px; i++) {
        int v = getc(f);
        if (p->white > 255)
            v = v << 8 | getc(f);
        p->px[i] = (float)v / (float)p->white;
    }
    fine = p->px && !feof(f);
    fclose(f);
    return fine;
}

double gf_made_psnr(const struct gf_made_picture *a, const struct gf_made_picture *b) {
    double sum = 0;
    long n = (long)a->width * a->height * a->channels;
    if (a->width != b->width || a->height != b->height || a->channels != b->channels)
        return 0;
    for (long i = 0; i < n; i++)
        sum += pow((double)(a->px[i] - b->px[i]), 2);
    return sum > 0 ? fmin(99, 10 * log10((double)n / sum)) : 99;
}
