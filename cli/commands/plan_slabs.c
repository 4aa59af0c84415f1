/* The walks of a job in slabs, its blocks and its scratch file. */
#include "cli/commands/plan_slabs.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/batch/report.h"
#include "cli/batch/slabs.h"
#include "core/base/memory.h"
#include "core/session/speeds.h"

/* Of the task's scratch or output folder; 0: not known. */
static double disk_speed(const struct gf_task *t) {
    char *folder = gf_slabs_folder(t);
    double speed = folder ? gf_disk_speed(folder) : 0;
    free(folder);
    return speed;
}

static void print_walks(const struct gf_task *t, const struct gf_slab_plan *p) {
    const double speed = disk_speed(t);
    char a[GF_SIZE_TEXT], b[GF_SIZE_TEXT];
    for (int i = 0; i < p->n_walks; i++)
        printf("  walk %-4d %s\n            reads %s, writes %s\n", i + 1, p->walk[i].what,
               gf_memory_text(p->walk[i].bytes_read, a),
               gf_memory_text(p->walk[i].bytes_written, b));
    printf("  disk      %s moved, %s of scratch; ", gf_memory_text(gf_slab_bytes_moved(p), a),
           gf_memory_text(p->exchange_bytes, b));
    if (speed > 0)
        printf("at least %.3g s at the %.0f MB/s of its last run\n",
               (double)gf_slab_bytes_moved(p) / speed, speed * 1e-6);
    else
        printf("its speed is unknown\n");
}

void gf_plan_slabs_print(const struct gf_task *t, const struct gf_slab_plan *p) {
    char a[GF_SIZE_TEXT];
    if (!p->exchange_bytes) {
        printf("  planes    one after the other, %s of memory\n",
               gf_memory_text(p->memory_bytes, a));
        print_walks(t, p);
        return;
    }
    printf("  slabs     with --scratch: %lld of up to %lld %s, %lld blocks of %s, %s of memory\n",
           (long long)p->n_slabs, (long long)p->slab_pages, gf_slabs_unit(p),
           (long long)p->n_blocks, p->picture || p->line ? "columns" : "rows",
           gf_memory_text(p->memory_bytes, a));
    if (p->line)
        printf("  cut       %lld rows of %lld points\n", (long long)p->pages, (long long)p->rows);
    print_walks(t, p);
}

json_t *gf_plan_slabs_json(const struct gf_task *t, const struct gf_slab_plan *p) {
    const double speed = disk_speed(t);
    json_t *o = json_object(), *walks = json_array();
    json_object_set_new(o, "slabs", json_integer(p->n_slabs));
    json_object_set_new(o, "blocks", json_integer(p->n_blocks));
    if (p->line)
        json_object_set_new(o, "cut", gf_json_shape((int64_t[]){p->pages, p->rows}, 2));
    for (int i = 0; i < p->n_walks; i++) {
        json_t *walk = json_object();
        json_object_set_new(walk, "what", gf_json_text(p->walk[i].what));
        json_object_set_new(walk, "bytes_read", json_integer(p->walk[i].bytes_read));
        json_object_set_new(walk, "bytes_written", json_integer(p->walk[i].bytes_written));
        json_array_append_new(walks, walk);
    }
    json_object_set_new(o, "walks", walks);
    json_object_set_new(o, "bytes_moved", json_integer(gf_slab_bytes_moved(p)));
    json_object_set_new(o, "bytes_scratch", json_integer(p->exchange_bytes));
    json_object_set_new(o, "bytes_needed", json_integer(p->memory_bytes));
    if (speed > 0) {
        json_object_set_new(o, "disk_mb_s", json_real(speed * 1e-6));
        json_object_set_new(o, "least_s", json_real((double)gf_slab_bytes_moved(p) / speed));
    }
    return o;
}
