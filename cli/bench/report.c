/* The head of the page of --report: the command that makes it, and the machine. */
#include <stdio.h>

#include "cli/bench/bench.h"

/* The command line that makes such a page; folders and files of this machine by what they are. */
static void print_command(FILE *f, const struct gf_settings *s, char *const *operands, int n) {
    const struct gf_bench_settings *o = &s->bench;
    fprintf(f, "    gpufft bench --report=DIR");
    if (o->backends)
        fprintf(f, " --backend=%s", o->backends);
    if (s->device)
        fprintf(f, " --device=%s", s->device);
    if (o->mkl)
        fprintf(f, " --mkl=PATH");
    if (o->ipp)
        fprintf(f, " --ipp=FOLDER");
    for (int i = 0; i < o->threads.n; i++)
        fprintf(f, "%s%d", i ? "," : " --threads=", o->threads.count[i]);
    if (o->repeat)
        fprintf(f, " --repeat=%d", o->repeat);
    else
        fprintf(f, " --time=%g", o->seconds);
    if (o->plan_seconds > 0)
        fprintf(f, " --plan-time=%g", o->plan_seconds);
    if (s->max_memory)
        fprintf(f, " --max-memory=%lldM", (long long)(s->max_memory >> 20));
    for (int i = 0; i < n; i++)
        fprintf(f, " %s", operands[i]);
    fputc('\n', f);
}

static void describe_machine(FILE *f, const struct gf_bench *b) {
    const struct gf_bench_host *h = &b->host;
    fprintf(f, "%s, %d core%s, %d thread%s; it copies %.3g GB/s (read + written).\n", h->cpu,
            h->cores, h->cores == 1 ? "" : "s", h->threads, h->threads == 1 ? "" : "s",
            h->copy * 1e-9);
    fprintf(f,
            "\n| entrant | what it is | its code | on | copies, GB/s |\n|---|---|---|---|---|\n");
    for (int i = 0; i < b->n; i++) {
        const struct gf_bench_entrant *e = &b->entrant[i];
        char reason[GF_REASON] = "";
        int first = 0;
        while (b->entrant[first].backend != e->backend)
            first++;
        if (first < i)
            snprintf(reason, sizeof reason, "as %s", b->entrant[first].name);
        else
            gf_backend_probe(e->backend, reason);
        fprintf(f, "| %s | %s | %s | ", e->name, reason, e->code_path);
        if (e->resident)
            fprintf(f, "%s | %.3g |\n", e->device.name, e->device.copy * 1e-9);
        else
            fprintf(f, "the CPU%s | %.3g |\n", e->threads == 1 ? ", one thread" : "",
                    h->copy * 1e-9);
    }
}

void gf_bench_report_begin(FILE *f, const struct gf_bench *b, char *const *operands, int n) {
    fprintf(f, "# FFTs and wavelets compared\n\ngpufft " GF_VERSION
               " measured and wrote this page:\n\n");
    print_command(f, b->s, operands, n);
    fputc('\n', f);
    describe_machine(f, b);
    fprintf(f,
            "\nArrays are in memory, in that of the device where the entrant works on one; single "
            "precision. A time is the median of the runs of one entrant, which took turns with "
            "those of the others, planning and compiling not included; ~ marks one above twice the "
            "least, ^ one at less than a quarter of the GFLOP/s of the size before, measured four "
            "times. Generic path: code for every CPU, where this one has AVX2. Every answer was "
            "checked before it was timed. GFLOP/s: by 5 N log2 N "
            "operations, for wavelets 8 per sample, axis and level. GB/s: what the passes read and "
            "write; of copy: its share of the copy bandwidth.\n");
}
