/* What a pass along an axis moves, and what that costs with a given tile. */
#include "core/gpu/plan/cost.h"

#include <math.h>

/* Share of the device's copy bandwidth that segments of so many bytes reach, read or written, each
 * apart at a large stride. Measured on a Hopper GPU, which moves at least a sector of 32 bytes,
 * and where pixels written one by one cost more than floats. */
static double share(double segment, bool written, int element) {
    static const struct {
        double bytes, read, write;
    } table[] = {
        {16, 0.44, 0.12}, {32, 0.68, 0.70}, {64, 0.75, 0.80}, {128, 0.91, 0.87}, {256, 0.95, 0.95}};
    enum { N = sizeof table / sizeof *table };
    if (element < 4) { /* pixels: by their number */
        segment *= (written ? 8.0 : 16.0) / element / 2;
        written = false;
    }
    if (segment <= table[0].bytes)
        return (written ? table[0].write : table[0].read) * segment / table[0].bytes;
    for (int i = 1; i < N; i++)
        if (segment <= table[i].bytes) {
            double t = (segment - table[i - 1].bytes) / (table[i].bytes - table[i - 1].bytes);
            double a = written ? table[i - 1].write : table[i - 1].read;
            double b = written ? table[i].write : table[i].read;
            return a + t * (b - a);
        }
    return 0.95;
}

void gf_gpu_axis_pass_bytes(struct gf_gpu_pass_builder *b) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    double points = (double)ap->length, elements = b->lines * points;
    int64_t complex = b->p->job.precision == GF_DOUBLE ? 16 : 8;
    int64_t in = gf_gpu_samples_in(ap) ? (int64_t)gf_dtype_size(ap->in_type) : complex;
    int64_t out = gf_gpu_samples_out(ap) ? (int64_t)gf_dtype_size(ap->out_type) : complex;
    b->in_bytes = in;
    b->out_bytes = out;
    b->read = elements * (double)in * (ap->load == LOAD_PAIR ? 2 : 1);
    if (ap->convolution && ap->multiply_in) /* points past the end are not read */
        b->read *= (double)b->args.axis_size / (double)ap->convolution;
    b->written = elements * (double)out * (ap->store == STORE_PAIR ? 2 : 1);
    if (ap->convolution && ap->multiply_out && ap->dir != 0 && gf_gpu_samples_out(ap))
        b->written *= (double)b->args.axis_size / (double)ap->convolution;
    if (ap->store == STORE_SAMPLE && ap->mirror)
        b->written *= 2;
    if (ap->load == LOAD_PACKED) { /* two lines each */
        b->read *= 2;
        b->written *= 2;
    }
    if (ap->filtered)
        b->read += (double)b->p->bytes[GF_GPU_FILTER];
}

/* Bytes that are adjacent in memory and move together: along the line where its points are
 * neighbours, across the fast index where those are; fewer where other elements are in between. */
static double run_of(int64_t step, int64_t fast, int64_t points, int lines, int64_t bytes) {
    int64_t near = step < fast || lines == 1 ? step : fast;
    double run = (double)(near == step ? points : lines) * (double)bytes;
    if (near > 1 && near * bytes >= 32)
        return (double)bytes;
    /* Scattered inside a sector, which moves whole. Pairs of samples are two lines of one tile. */
    if (near >= 4)
        return 32.0 / (double)near;
    return run;
}

double gf_gpu_axis_pass_cost(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    const struct index_args *fast = &b->args.index[0];
    double run_in = run_of(b->in_step, fast->in, t->length, t->lines, b->in_bytes);
    double run_out = run_of(b->out_step, fast->out, t->length, t->lines, b->out_bytes);
    if (b->ap->load == LOAD_PAIR && b->args.pair_in == 1)
        run_in *= 2;
    if (b->ap->load == LOAD_TWO_HALVES && b->args.pair_in == 1 && fast->in == 2)
        run_in = 2.0 * t->lines * (double)b->in_bytes;
    if (b->ap->store == STORE_PAIR && b->args.pair_out == 1)
        run_out *= 2;
    double full =
        (double)((fast->count + t->lines - 1) / t->lines * t->lines) / (double)fast->count;
    double cost = b->read / share(run_in, false, (int)b->in_bytes) +
                  b->written / share(run_out, true, (int)b->out_bytes);
    double points = b->lines * (double)b->ap->length * full;
    /* A filter's table across its rows: neighbouring lines share what the second level cache holds.
     */
    if (b->ap->filtered && b->args.filter_along != 1)
        cost += 3 * (double)b->p->bytes[GF_GPU_FILTER];
    /* Twice the arithmetic needs twice as many other groups that move memory meanwhile. */
    if (t->algorithm != GF_GPU_PLAIN && !b->p->props.is_cpu)
        cost *= 1 + 0.8 * fmax(0, 1 - t->resident * t->threads / 1024.0);
    double word = b->p->job.precision == GF_DOUBLE ? 2 : 1;
    cost *= (t->resident > 1 ? 1 : 1.25) * (1 + t->threads / 20000.0);
    /* A line's whole convolution keeps the tile's memory busy: two random permutations besides the
     * exchanges of two transforms. */
    bool prime = t->algorithm == GF_GPU_BLUESTEIN || t->algorithm == GF_GPU_RADER;
    double busy = b->p->props.is_cpu ? 4 : prime ? (t->rows_in ? 2.8 : 2.1) : 0.7;
    return cost + points * t->work * word * busy;
}
