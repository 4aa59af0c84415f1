/* The scale that follows from a job, whether two jobs are equal, and the reports of runs. */
#include "core/base/job/job.h"

#include <math.h>

int64_t gf_job_points(const struct gf_job *job) {
    int64_t n = job->elsewhere ? job->elsewhere : 1;
    for (int i = 0; i < job->ndim; i++)
        if (job->axes >> i & 1)
            n *= job->shape[i];
    return n;
}

bool gf_job_counts_part(const struct gf_job *job) {
    bool part = false;
    for (int i = 0; i < job->ndim; i++)
        part = part || gf_job_counted(job, i) < job->shape[i];
    return part;
}

double gf_job_scale(const struct gf_job *job) {
    double n = (double)gf_job_points(job);
    if (job->op == GF_FILTER)
        return job->whole.axes ? 1 : 1 / n;
    if (job->norm == GF_NORM_ORTHO)
        return 1 / sqrt(n);
    bool scaled = (job->norm == GF_NORM_BACKWARD) == (job->direction == GF_INVERSE);
    return scaled ? 1 / n : 1;
}

bool gf_job_is_bounded(const struct gf_job *job) {
    return job->direction == GF_FORWARD && job->op != GF_FILTER &&
           gf_dtype_is_integer(job->in_dtype) && gf_dtype_size(job->in_dtype) <= 2;
}

bool gf_job_is_real(const struct gf_job *job) {
    return job->direction == GF_FORWARD ? !gf_dtype_is_complex(job->in_dtype) : job->real;
}

bool gf_job_is_bare(const struct gf_job *job) {
    const struct gf_output *out = &job->out[0];
    bool is_double = job->precision == GF_DOUBLE, real_in = !gf_dtype_is_complex(job->in_dtype);
    enum gf_dtype real = is_double ? GF_F64 : GF_F32, complex = is_double ? GF_C128 : GF_C64;
    if (job->op != GF_FFT || job->n_out != 1 || job->channels != 1 || gf_job_scale(job) != 1 ||
        out->shift || job->in_shift)
        return false;
    if (job->direction == GF_INVERSE && job->real)
        return job->in_half && job->in_dtype == complex && out->kind == GF_REAL &&
               out->dtype == real;
    return job->in_dtype == (real_in ? real : complex) && out->kind == GF_COMPLEX &&
           out->dtype == complex && out->half == real_in;
}

static bool same_wavelet(const struct gf_wavelet *a, const struct gf_wavelet *b) {
    return a->name == b->name && a->levels == b->levels && a->boundary == b->boundary &&
           a->threshold == b->threshold && a->percent == b->percent && a->amount == b->amount;
}

static bool same_output(const struct gf_output *a, const struct gf_output *b) {
    return a->kind == b->kind && a->dtype == b->dtype && a->map == b->map && a->scale == b->scale &&
           a->range == b->range && a->low == b->low && a->high == b->high && a->shift == b->shift &&
           a->half == b->half && a->packed == b->packed && a->packed_within == b->packed_within;
}

bool gf_job_equal(const struct gf_job *a, const struct gf_job *b) {
    bool same = a->direction == b->direction && a->ndim == b->ndim && a->channels == b->channels &&
                a->axes == b->axes && a->in_dtype == b->in_dtype && a->luma == b->luma &&
                a->in_shift == b->in_shift && a->in_half == b->in_half && a->real == b->real &&
                a->lean == b->lean && a->spend_input == b->spend_input && a->placed == b->placed &&
                a->precision == b->precision && a->norm == b->norm &&
                a->elsewhere == b->elsewhere && a->line == b->line && a->in_pitch == b->in_pitch &&
                a->out_pitch == b->out_pitch && a->whole.axes == b->whole.axes &&
                a->whole.step == b->whole.step && a->n_out == b->n_out && a->op == b->op &&
                same_wavelet(&a->wavelet, &b->wavelet) && a->filter == b->filter &&
                a->filter_serial == b->filter_serial;
    for (int i = 0; same && i < a->ndim; i++)
        same = a->shape[i] == b->shape[i] && gf_job_counted(a, i) == gf_job_counted(b, i) &&
               a->whole.shape[i] == b->whole.shape[i] && a->whole.first[i] == b->whole.first[i];
    for (int i = 0; same && i < a->n_out; i++)
        same = same_output(&a->out[i], &b->out[i]);
    return same;
}

void gf_report_range(const struct gf_job *job, int i, double low, double high,
                     struct gf_report *report) {
    const struct gf_output *o = &job->out[i];
    bool shown = gf_output_is_display(o);
    bool positive = o->kind == GF_MAGNITUDE || o->kind == GF_POWER;
    high = !shown ? 0 : o->kind == GF_PHASE ? 3.14159265358979323846 : high;
    report->high[i] = high;
    report->low[i] = shown && positive ? low : -high;
}

void gf_report_energy(double kept, double lost, struct gf_report *report) {
    report->kept = kept;
    report->lost = lost;
    report->imag_ratio = lost == 0 || (isinf(lost) && isinf(kept)) ? 0 : sqrt(lost / kept);
}
