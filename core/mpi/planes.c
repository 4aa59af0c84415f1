/* Planes of samples between their file and the exchange. */
#include "core/mpi/planes.h"

#include <math.h>
#include <stdlib.h>
#include <zlib.h>

#include "core/base/clock.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"
#include "core/mpi/file.h"
#include "core/mpi/pencils.h"

static bool across(const struct gf_slabs *v) {
    return v->grid.across > 1;
}

/* Bytes of own lines of a plane. */
static int64_t plane_bytes(const struct gf_planes *p) {
    return p->v->lines.count * p->data.stride[1];
}

static struct gf_file_map map_of(const struct gf_planes *p) {
    return (struct gf_file_map){p->file, p->v->ny, p->data.stride[1]};
}

int gf_planes_open(struct gf_slabs *v, const struct gf_spread_file *file, enum gf_dtype dtype,
                   int64_t channels, struct gf_planes *p) {
    const int64_t row = v->nx * channels * (int64_t)gf_dtype_size(dtype);
    int64_t lines = 0;
    *p = (struct gf_planes){.v = v, .file = file};
    for (int i = 0; i < v->grid.across; i++) {
        const int64_t n = gf_slabs_lines(v, i).count;
        lines = n > lines ? n : lines;
    }
    p->chunk = gf_slabs_chunk(v, lines * row, &p->rounds);
    const int64_t planes = p->chunk < v->planes.count ? p->chunk : v->planes.count;
    const int64_t n = planes > 0 ? planes : 1, own = v->lines.count ? v->lines.count : 1;
    int rc = gf_array_alloc(&p->data, dtype, 4, (int64_t[]){n, own, v->nx, channels});
    if (rc)
        return rc;
    const struct gf_file_map map = map_of(p);
    p->most = p->chunk * lines * row;
    p->parts = malloc((size_t)(n * gf_file_most(&map, own)) * sizeof *p->parts);
    if (across(v))
        p->lines = gf_alloc((size_t)(n * own * v->width * v->point));
    return p->parts && (p->lines || !across(v)) ? 0 : gf_fail(GF_ENOMEM, "out of memory");
}

void gf_planes_close(struct gf_planes *p) {
    gf_array_free(&p->data);
    gf_free(p->lines);
    free(p->parts);
    *p = (struct gf_planes){.v = NULL};
}

/* Planes of round i. */
static struct gf_span round_of(const struct gf_planes *p, int64_t i) {
    const int64_t first = i * p->chunk, left = p->v->planes.count - first;
    return (struct gf_span){first, left < 0 ? 0 : left < p->chunk ? left : p->chunk};
}

/* Own lines of planes of a round as parts of the file. */
static int parts_of(const struct gf_planes *p, struct gf_span planes) {
    const struct gf_slabs *v = p->v;
    const struct gf_file_map map = map_of(p);
    int n = 0;
    for (int64_t z = planes.first; z < planes.first + planes.count; z++)
        for (int64_t y = v->lines.first, run, end = y + v->lines.count; y < end; y += run) {
            int64_t at = gf_file_at(&map, v->planes.first + z, y, &run);
            run = run < end - y ? run : end - y;
            n = gf_file_add(p->parts, n, at, run * map.row);
        }
    return n;
}

/* ---------------------------------------------------------------- in */

/* Counts, or mends, what is not finite in planes from `first` on of the own ones. */
static void look_for_nonfinite(struct gf_planes *p, struct gf_array *in, int64_t first) {
    const struct gf_slabs *v = p->v;
    struct gf_spread *s = v->s;
    int64_t at[GF_MAX_RANK], bad = gf_array_nonfinite(in, at);
    if (bad && s->zero_nonfinite) {
        gf_samples_mend(in, false);
        return;
    }
    int64_t row = (v->planes.first + first + at[0]) * v->ny + v->lines.first + at[1];
    int64_t index = (row * v->nx + at[2]) * in->shape[3] + at[3];
    if (bad && (!s->nonfinite || index < s->first_nonfinite))
        s->first_nonfinite = index;
    s->nonfinite += bad;
}

/* x of own lines: to or from `width` numbers. */
static struct gf_job line_job(const struct gf_slabs *v, int64_t n, enum gf_direction way) {
    const struct gf_job *whole = &v->s->job;
    struct gf_job job = gf_slabs_job(v, n, v->lines.count, 4, way);
    job.shape[2] = v->nx;
    if (way == GF_INVERSE) {
        job.real = job.in_half = v->real;
        job.norm = whole->norm;
        job.out[0] = whole->out[0];
        return job;
    }
    job.channels = whole->channels;
    job.luma = whole->luma;
    job.in_dtype = whole->in_dtype;
    job.out[0].half = v->real;
    job.out[0].packed = v->packed || v->packed_within;
    return job;
}

static int transform(struct gf_planes *p, struct gf_array *in, int64_t first) {
    struct gf_slabs *v = p->v;
    if (!across(v))
        return gf_slabs_planes(v, in, first);
    const int64_t n = in->shape[0];
    struct gf_job job = line_job(v, n, GF_FORWARD);
    struct gf_array out = gf_slabs_array(v, p->lines, v->type, n, v->lines.count, v->width);
    return gf_slabs_transform(v, &job, in, &out, NULL);
}

/* Reads and transforms a round's planes, perhaps none. */
static int take(struct gf_planes *p, struct gf_span planes, bool failed) {
    struct gf_slabs *v = p->v;
    struct gf_spread *s = v->s;
    const double start = gf_now_ms();
    /* After a failure of its own a rank keeps step with the others. */
    const int parts = failed ? 0 : parts_of(p, planes);
    int rc = gf_file_transfer(v->ranks, p->parts, parts, p->most, p->data.data, false);
    s->ms_read += gf_now_ms() - start;
    if (rc || !parts)
        return rc;
    struct gf_array in = gf_array_slice(&p->data, 0, 0, planes.count);
    if (s->swap)
        s->swap(&in);
    look_for_nonfinite(p, &in, planes.first);
    return transform(p, &in, planes.first);
}

int gf_planes_take(struct gf_planes *p) {
    struct gf_slabs *v = p->v;
    int rc = across(v) ? gf_pencils_expect_columns(v) : gf_slabs_expect_rows(v);
    for (int64_t i = 0; i < p->rounds && !v->ranks->broken; i++) {
        const struct gf_span planes = round_of(p, i);
        int bad = take(p, planes, rc != 0);
        rc = rc ? rc : bad;
        /* What the others wait for, also after a failure. */
        bad = across(v) ? gf_pencils_send_columns(v, planes.first, planes.count, p->lines)
                        : gf_slabs_send_planes(v, planes.first, planes.count);
        rc = rc ? rc : bad;
    }
    int bad = gf_slabs_arrive(v);
    rc = gf_ranks_agree(v->ranks, rc ? rc : bad);
    return rc || !across(v) ? rc : gf_pencils_columns(v);
}

/* ---------------------------------------------------------------- out */

/* The two inner axes of n planes. */
static struct gf_job plane_job(const struct gf_slabs *v, int64_t n) {
    const struct gf_job *whole = &v->s->job;
    struct gf_job job = gf_slabs_job(v, n, v->ny, 6, GF_INVERSE);
    job.shape[2] = v->nx;
    job.real = job.in_half = v->real;
    job.norm = whole->norm;
    job.out[0] = whole->out[0];
    return job;
}

static int make(struct gf_planes *p, struct gf_span planes) {
    struct gf_slabs *v = p->v;
    struct gf_spread *s = v->s;
    struct gf_report report = {.clipped = {0}};
    struct gf_array out = gf_array_slice(&p->data, 0, 0, planes.count), in;
    struct gf_job job;
    int64_t at[GF_MAX_RANK];
    if (across(v)) {
        gf_pencils_take_lines(v, planes.first, planes.count, p->lines);
        job = line_job(v, planes.count, GF_INVERSE);
        in = gf_slabs_array(v, p->lines, v->type, planes.count, v->lines.count, v->width);
    } else {
        job = plane_job(v, planes.count);
        in = gf_slabs_array(v, v->by_planes + planes.first * v->ny * v->row, v->type, planes.count,
                            v->ny, v->cols);
    }
    int rc = gf_slabs_transform(v, &job, &in, &out, &report);
    if (rc)
        return rc;
    s->report.clipped[0] += report.clipped[0];
    s->overflowed += gf_array_nonfinite(&out, at);
    p->crc32 = (uint32_t)crc32_z(p->crc32, out.data, (size_t)(planes.count * plane_bytes(p)));
    return 0;
}

int gf_planes_give(struct gf_planes *p) {
    struct gf_slabs *v = p->v;
    int rc = 0;
    for (int64_t i = 0; i < p->rounds && !rc; i++) {
        const struct gf_span planes = round_of(p, i);
        const int parts = planes.count && v->lines.count ? parts_of(p, planes) : 0;
        rc = gf_ranks_agree(v->ranks, parts ? make(p, planes) : 0);
        if (!rc)
            rc = gf_file_transfer(v->ranks, p->parts, parts, p->most, p->data.data, true);
    }
    return rc;
}

/* The sum of all planes, from those of all ranks, each of which has whole ones. */
static int join_sums(struct gf_planes *p, uint32_t *sum) {
    struct gf_ranks *ranks = p->v->ranks;
    uint32_t *all = malloc((size_t)ranks->size * sizeof *all);
    const int64_t plane = p->v->ny * p->data.stride[1];
    uLong total = 0;
    int rc = gf_ranks_agree(ranks, all ? 0 : gf_fail(GF_ENOMEM, "out of memory"));
    if (!rc)
        rc = gf_ranks_gather(ranks, &p->crc32, sizeof p->crc32, all);
    for (int i = 0; i < p->v->grid.down && !rc; i++) {
        struct gf_span planes = gf_slab_planes(p->v->nz, p->v->grid.down, i, p->v->shares.planes);
        total = crc32_combine(total, all[i], (z_off_t)(planes.count * plane));
    }
    *sum = (uint32_t)total;
    free(all);
    return rc;
}

int gf_planes_add_up(struct gf_planes *p) {
    struct gf_slabs *v = p->v;
    struct gf_spread *s = v->s;
    double found[2] = {(double)s->report.clipped[0], (double)s->overflowed};
    int rc = 0;
    if (!p->file->strip)
        rc = across(v) ? gf_file_crc(v->ranks, p->file->path, p->file->at,
                                     v->nz * v->ny * p->data.stride[1], &s->crc32)
                       : join_sums(p, &s->crc32);
    if (!rc)
        rc = gf_ranks_sum(v->ranks, found, 2);
    s->report.clipped[0] = (int64_t)found[0];
    s->overflowed = (int64_t)found[1];
    return rc;
}
