/* PNG's chunks of metadata. libpng does not parse them: a mistake in one would fail the file, and
 * none of them changes a sample. What libpng reads, having checked its CRC, is looked at beside it:
 *
 *     gf_png_follow(&chunks, bytes, n);                   for all bytes up to the first IDAT
 *     rc = gf_png_take_metadata(&chunks, &image->metadata);
 *     gf_png_chunks_free(&chunks);
 * / */
#ifndef GF_FORMATS_PNG_METADATA_H
#define GF_FORMATS_PNG_METADATA_H

#include "formats/metadata.h"

enum { GF_PNG_PHYS, GF_PNG_GAMA, GF_PNG_SRGB, GF_PNG_CHRM, GF_PNG_ICCP, GF_PNG_N_CHUNKS };

/* Zeroed at the start of a file. */
struct gf_png_chunks {
    size_t n_skipped;      /* of the signature */
    unsigned char head[8]; /* of the chunk that is read: its length and type */
    size_t n_head;
    uint64_t body, n_body; /* its length, the checksum included, and how much of it was read */
    struct gf_png_chunk {
        unsigned char small[32], *large; /* the bytes; iCCP's are on the heap */
        size_t n;                        /* 0: not there, or not valid */
    } chunk[GF_PNG_N_CHUNKS];
    int taking; /* index of the chunk that is read, or -1 */
    bool ended, no_memory;
};

void gf_png_follow(struct gf_png_chunks *c, const unsigned char *bytes, size_t n);
int gf_png_take_metadata(const struct gf_png_chunks *c, struct gf_metadata *m);
void gf_png_chunks_free(struct gf_png_chunks *c);

/* The chunks to write for a picture of that many colours, without those that it cannot have. To be
 * freed. */
int gf_png_put_metadata(const struct gf_metadata *m, int colors, struct gf_png_chunks *c);
const char *gf_png_chunk_name(int i);
const unsigned char *gf_png_chunk_bytes(const struct gf_png_chunks *c, int i);

#endif
