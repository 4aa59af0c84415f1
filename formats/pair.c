/* A .npy or raw file and its record: both are made ready before the first one is replaced. */
#include "formats/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/status.h"
#include "formats/io_guard.h"
#include "formats/record_file.h"

/* Makes PATH.json ready beside the data. */
static int prepare_record(const char *path, const char *text, bool clobber, struct gf_sink **out) {
    char *name = gf_record_path(path);
    int rc = name && text ? gf_sink_open(name, clobber, out) : gf_fail(GF_ENOMEM, "out of memory");
    if (!rc)
        rc = gf_sink_write(*out, text, strlen(text));
    if (!rc)
        rc = gf_sink_finish(*out);
    free(name);
    return rc;
}

/* An old record is removed or replaced before the data is: in between, and if that fails, a pair that
 * does not belong together is refused by its checksum, and no wrong pair is ever accepted. */
static int commit_pair(const char *path, struct gf_sink **data, struct gf_sink **record,
                       bool stale) {
    int rc = gf_sink_finish(*data);
    if (rc)
        return rc;
    char *name = gf_record_path(path);
    if (!name)
        return gf_fail(GF_ENOMEM, "out of memory");
    bool made = *record != NULL;
    if (*record) {
        rc = gf_sink_commit(*record);
        *record = NULL;
    } else if (stale) {
        rc = gf_guard_open(name);
        if (!rc && unlink(name) && errno != ENOENT)
            rc = gf_fail_errno(GF_EIO, "cannot remove the old record");
    }
    if (!rc) {
        rc = gf_sink_commit(*data);
        *data = NULL;
        if (rc && made)
            unlink(name);
    }
    free(name);
    return rc;
}

int gf_pair_check(const char *path, const struct gf_format *f, const char *record, bool clobber) {
    bool exists = false, ours = true;
    if (!f->record_beside || !record)
        return GF_OK;
    int rc = gf_record_file_probe(path, &exists, &ours);
    if (!rc && exists && (!ours || !clobber))
        rc = gf_fail(GF_EIO, "cannot write '%.100s.json': file exists%s", path,
                     ours ? "" : " and is no spectrum record");
    return rc;
}

int gf_pair_commit(const char *path, const struct gf_format *f, const struct gf_image *image,
                   const struct gf_write_options *options, bool clobber, struct gf_sink *data,
                   uint32_t crc) {
    struct gf_sink *record = NULL;
    char *text = NULL;
    bool exists = false, ours = true, big_endian = f->byte_order && options->big_endian;
    if (!f->record_beside || !gf_sink_is_file(data))
        return gf_sink_commit(data);
    int rc = gf_record_file_probe(path, &exists, &ours);
    if (!rc && image->record) {
        text = gf_record_file_text(f, image, big_endian, gf_sink_size(data), crc);
        rc = prepare_record(path, text, clobber, &record);
    }
    if (!rc)
        rc = commit_pair(path, &data, &record, exists && ours);
    free(text);
    gf_sink_abort(record);
    gf_sink_abort(data);
    return rc;
}
