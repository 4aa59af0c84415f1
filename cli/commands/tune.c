/* gpufft tune: measures the devices and stores the results for auto, plan and shares. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/command.h"
#include "cli/commands/tune_plans.h"
#include "cli/environment.h"
#include "cli/log.h"
#include "cli/report.h"
#include "core/base/host/clock.h"
#include "core/engine/tune.h"
#include "formats/files.h"

enum { SIDE = 1024, DISK_BYTES = 64 << 20, RUNS = 3, NAME = 64 };

/* PNG and disk speeds in bytes a second. */
struct host_speeds {
    double decode, encode, disk;
};

/* ---- devices ---- */

static json_t *rates_report(const int *side, const double *rate, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        GF_APPEND(list, GF_KEY("side", side[i]), GF_KEY("samples_s", rate[i]));
    return list;
}

static json_t *record_report(const char *device, const struct gf_speeds *r, bool kept) {
    const bool bus = r->bus[0][0] > 0, staged = r->staged[0] > 0;
    return GF_REPORT(
        GF_KEY("device", device), GF_KEY_IF(r->threads, "threads", r->threads),
        GF_KEY("copy_gb_s", r->copy * 1e-9), GF_KEY_IF(r->open > 0, "open_s", r->open),
        GF_KEY_IF(bus, "up_gb_s", r->bus[0][0] * 1e-9),
        GF_KEY_IF(bus, "down_gb_s", r->bus[0][1] * 1e-9),
        GF_KEY_IF(bus, "pinned_up_gb_s", r->bus[1][0] * 1e-9),
        GF_KEY_IF(bus, "pinned_down_gb_s", r->bus[1][1] * 1e-9),
        GF_KEY_IF(staged, "staged_up_gb_s", r->staged[0] * 1e-9),
        GF_KEY_IF(staged, "staged_down_gb_s", r->staged[1] * 1e-9),
        GF_KEY_IF(r->link > 0, "link_gb_s", r->link * 1e-9),
        GF_KEY("fft", rates_report(gf_speeds_fft_side, r->fft, GF_SPEEDS_FFTS)),
        GF_KEY("wavelet", rates_report(gf_speeds_wavelet_side, r->wavelet, GF_SPEEDS_WAVELETS)),
        GF_KEY("noisy", r->noisy), GF_KEY("kept", kept));
}

#define RATES \
    "{?@ , }{?samples_s {samples_s:.3g*1e-9}|not measured} at {side}x{side}} (10^9 samples a " \
    "second)\n"
static const char record_form[] =
    "{device}\n"
    "  copy     {copy_gb_s:.4g} GB/s\n"
    "{?open_s   context  {open_s:.2g} s to open\n}"
    "{?up_gb_s   bus      {up_gb_s:.3g} GB/s to the device and {down_gb_s:.3g} back, page-locked "
    "{pinned_up_gb_s:.3g} and {pinned_down_gb_s:.3g}\n}"
    "{?staged_up_gb_s   staged   {staged_up_gb_s:.3g} GB/s to the device and "
    "{staged_down_gb_s:.3g} "
    "back, through buffers\n}"
    "{?link_gb_s   link     {link_gb_s:.3g} GB/s each way to other devices\n}"
    "  fft      {*fft " RATES "  wavelet  {*wavelet " RATES
    "{?noisy   noisy    other work interfered: this record is not used; run tune again\n}";

/* Returns an exit code. */
static int tune_device(const struct gf_settings *s, const struct gf_request_device *d) {
    struct gf_speeds r;
    const char *device = d->device[0] ? d->device : NULL;
    int rc = gf_backend_usable(gf_environment(), d->backend);
    if (!rc)
        rc = gf_tune_device(d->backend,
                            &(struct gf_backend_options){.environment = gf_environment(),
                                                         .threads = s->threads,
                                                         .device = device,
                                                         .general = true},
                            &r);
    if (rc)
        return gf_log_exit(rc, d->name);
    const bool kept = gf_speeds_keep(gf_environment(), d->backend, device, &r);
    gf_report_print(s->json, record_form, record_report(d->name, &r, kept));
    if (!kept)
        gf_log_error("%s: the record could not be kept; see gpufft devices for the cache", d->name);
    return kept ? 0 : 1;
}

/* ---- codec and disk ---- */

/* A ramp with noise, which PNG compresses about as well as a photograph, to half. */
static int make_picture(struct gf_image *image) {
    const int64_t shape[3] = {SIDE, SIDE, 1};
    uint32_t state = 1;
    *image = (struct gf_image){.ndim = 2, .color = GF_GRAY};
    int rc = gf_array_alloc(&image->px, GF_U8, 3, shape);
    unsigned char *at = rc ? NULL : image->px.data;
    for (int i = 0; at && i < SIDE * SIDE; i++) {
        state = state * 1664525u + 1013904223u;
        at[i] = (unsigned char)(i % SIDE / 8 + (int)(state >> 28));
    }
    return rc;
}

static int time_codec(struct host_speeds *h) {
    const struct gf_write_options options = {.level = -1, .threads = 1};
    struct gf_image image, back;
    int rc = make_picture(&image);
    for (int i = 0; i < RUNS && !rc; i++) {
        char path[NAME]; /* separate names, because a run may not write an output twice */
        snprintf(path, sizeof path, ".gpufft-tune-%ld-%d.png", (long)getpid(), i);
        double start = gf_now_ms();
        rc = gf_image_write(path, &gf_format_png, &image, &options, true);
        double written = gf_now_ms();
        if (!rc)
            rc = gf_image_read(path, &(struct gf_read_options){.threads = 1}, &back, NULL);
        unlink(path);
        if (rc)
            break;
        gf_image_free(&back);
        const double encode = SIDE * SIDE / (written - start) * 1e3;
        const double decode = SIDE * SIDE / (gf_now_ms() - written) * 1e3;
        h->encode = encode > h->encode ? encode : h->encode;
        h->decode = decode > h->decode ? decode : h->decode;
    }
    gf_image_free(&image);
    return rc;
}

/* Times writing a file to disk and reading it back. */
static int time_disk(const char *path, struct host_speeds *h) {
    char *data = malloc(DISK_BYTES);
    ssize_t got = 1;
    int64_t n = 0;
    if (!data)
        return gf_no_memory();
    for (int i = 0; i < DISK_BYTES; i++)
        data[i] = (char)((unsigned)i * 2654435761u >> 24);
    double start = gf_now_ms();
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (fd >= 0 && n < DISK_BYTES && (got = write(fd, data + n, (size_t)(DISK_BYTES - n))) > 0)
        n += got;
    bool good = fd >= 0 && n == DISK_BYTES && !fsync(fd);
    if (good)
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    for (n = 0; good && n < DISK_BYTES && (got = pread(fd, data, DISK_BYTES, n)) > 0;)
        n += got;
    if (good && n == DISK_BYTES)
        h->disk = 2.0 * DISK_BYTES / (gf_now_ms() - start) * 1e3;
    free(data);
    if (fd >= 0)
        close(fd);
    return h->disk > 0 ? 0 : gf_fail(GF_EIO, "cannot write and read '%s'", path);
}

/* Measures in the current folder and deletes the files. */
static int time_host(struct host_speeds *h) {
    char path[NAME];
    *h = (struct host_speeds){.decode = 0};
    int rc = time_codec(h);
    if (rc)
        return rc;
    snprintf(path, sizeof path, ".gpufft-tune-%ld", (long)getpid());
    rc = time_disk(path, h);
    unlink(path);
    if (!rc)
        gf_speeds_keep_disk(gf_environment(), ".", h->disk);
    return rc;
}

/* ---- the command ---- */

static int forget(const struct gf_settings *s) {
    const int was = gf_speeds_forget(gf_environment());
    if (was < 0)
        return was;
    gf_report_print(s->json,
                    "{?deleted the record of speeds is deleted|there is no record of speeds}\n",
                    GF_REPORT(GF_BOOL("deleted", was != 0)));
    return 0;
}

static int export_plans(const struct gf_settings *s) {
    char *text = gf_speeds_export_plans(gf_environment());
    int rc = text ? gf_file_write(s->export_to, text, strlen(text), true) : gf_no_memory();
    free(text);
    return gf_log_exit(rc, s->export_to);
}

static int import_plans(const struct gf_settings *s) {
    enum { MOST = 1 << 20 };
    struct gf_source *source = NULL;
    char *text = malloc(MOST);
    int64_t bytes = 0;
    int kept = 0, others = 0;
    int rc = text ? gf_source_open(s->import_from, &source) : gf_no_memory();
    if (!rc && (bytes = gf_source_read(source, text, MOST)) < 0)
        rc = (int)bytes;
    if (!rc)
        rc = gf_speeds_import_plans(gf_environment(), text, (size_t)bytes, &kept, &others);
    gf_source_close(source);
    free(text);
    if (rc)
        return gf_log_exit(rc, s->import_from);
    gf_report_print(s->json, "{kept#plan} kept, {of_others} of another version ignored\n",
                    GF_REPORT(GF_KEY("kept", kept), GF_KEY("of_others", others)));
    return 0;
}

/* Sets s->request to the devices to measure: all, or the named ones. */
static int choose(struct gf_settings *s) {
    const bool named = strcmp(s->backend, "auto"), list = gf_request_is_list(s->backend, s->device);
    if (named && !list)
        return gf_request_one(gf_environment(), &s->request, gf_backends, s->backend, s->device);
    return gf_request_list(gf_environment(), &s->request, gf_backends,
                           named || s->device ? s->backend : "all", s->device);
}

static int run(struct gf_settings *s, char **operands, int n) {
    struct host_speeds host;
    if (s->forget + !!s->export_to + !!s->import_from + (n > 0) > 1)
        return gf_fail(GF_EUSAGE, "--forget, --export, --import and a shape exclude each other");
    if (s->forget)
        return forget(s);
    if (s->export_to || s->import_from)
        return s->export_to ? export_plans(s) : import_plans(s);
    int rc = choose(s);
    if (rc && s->request.list)
        return rc;
    int code = gf_log_exit(rc, s->request.device->name);
    for (int i = 0; i < s->request.n; i++) {
        const struct gf_request_device *d = &s->request.device[i];
        const int rates = n ? 0 : tune_device(s, d);
        const int plans = rates ? rates : gf_tune_plans(s, d, operands, n);
        code = plans > code ? plans : code;
    }
    if (n)
        return code;
    rc = time_host(&host);
    if (rc) {
        gf_log_fail(NULL);
        return code > 1 ? code : 1;
    }
    gf_report_print(
        s->json,
        "{device}\n"
        "  png      reads {png_decode_mb_s:.0f} MB/s, writes {png_encode_mb_s:.0f} MB/s, "
        "on one thread\n"
        "  disk     {disk_mb_s:.0f} MB/s, read and written, in this folder\n",
        GF_REPORT(GF_KEY("device", "host"), GF_KEY("png_decode_mb_s", host.decode * 1e-6),
                  GF_KEY("png_encode_mb_s", host.encode * 1e-6),
                  GF_KEY("disk_mb_s", host.disk * 1e-6)));
    return code;
}

static const struct gf_opt_group group = GF_GROUP(
    "Tune",
    GF_TEXT(
        "backend", backend, "NAME",
        "measure this backend, or a list such as cuda:0,openmp (default: the CPU and every GPU)",
        .letter = 'b'),
    GF_TEXT("device", device, "N|NAME", "measure this device, or a list such as 0,1"),
    GF_INTEGER("threads", threads, "N", 1, 4096, "CPU threads (default: OMP_NUM_THREADS, or all)"),
    GF_FLAG("forget", forget, "delete what was measured before, and measure nothing"),
    GF_TEXT("export", export_to, "FILE", "write the plans that were measured to FILE"),
    GF_TEXT("import", import_from, "FILE",
            "keep the plans of such a FILE, for devices of the same name and driver"));
static const struct gf_opt_group *const groups[] = {&group, &gf_opts_bench_what, &gf_opts_common,
                                                    NULL};

const struct gf_command gf_command_tune = {
    .name = "tune",
    .operands = "[SHAPE|RANGE...]",
    .summary = "measure the devices, for auto, plan and shares",
    .groups = groups,
    .text = true,
    .examples = "  gpufft tune\n"
                "  gpufft tune --backend=cuda:0 --json\n"
                "  gpufft tune 4096x4096 256^3 --backend=cuda\n"
                "  gpufft tune --export plans.txt\n"
                "  gpufft tune --forget\n",
    .run = run,
};
