/* The reasons for which work is not divided: one for each fact, whatever would divide the work. The
 * manual lists them all. A function that looks for one returns its text, or NULL if there is none:
 *
 *     if (job->shape[0] < 2)
 *         return gf_why(GF_WHY_SINGLE); */
#ifndef GF_CORE_BASE_WHY_H
#define GF_CORE_BASE_WHY_H

/* ROW(NAME, text): of the job's axes, of its samples, of the operation, of the files. */
#define GF_WHYS(ROW) \
    ROW(SLOWEST, "the slowest axis is not transformed") \
    ROW(ALONE, "only the slowest axis is transformed") \
    ROW(SINGLE, "the slowest axis has a single index") \
    ROW(SHORT, "its rows are too short") \
    ROW(LAST, "real samples need a transform of the last axis") \
    ROW(SMALL, "a picture of so few points is transformed in one piece") \
    ROW(CHANNELS, "lines of so many channels are not supported") \
    ROW(LUMA, "lines of luma are not supported") \
    ROW(LINE, "wavelets of a single line are transformed in one piece") \
    ROW(PRIME, "a line whose length is prime is not divided") \
    ROW(ADDED, "integer outputs of a line with --edges are not divided") \
    ROW(MIRROR, "an output of this type has no mirror image") \
    ROW(SAMPLED, "its automatic range is found in one piece") \
    ROW(PLANES, "its planes are not transformed by themselves") \
    ROW(PRECISION, "its numbers are not those of the transform's precision") \
    ROW(MANY, "it has too many outputs") \
    ROW(WAVELET, "wavelets pass plane by plane, not in slabs") \
    ROW(SHARE, "the largest K% are known only when all coefficients are there") \
    ROW(PICTURES, "pictures are made from all coefficients") \
    ROW(BANDS, "bands are made from all coefficients") \
    ROW(BACKEND, "this backend does not transform plane by plane") \
    ROW(MADE, "the filter is made for all planes together") \
    ROW(DECONVOLVE, "--deconvolve takes all samples together") \
    ROW(KERNELS, "its kernels take most of that memory") \
    ROW(SMOOTH, "the smooth part is made of all samples") \
    ROW(RANGE, "--range of a picture is that of all its samples") \
    ROW(DRAWN, "tables, plots and drawn pictures are made in one piece") \
    ROW(NEIGHBOURS, "--nan=interpolate and keep look at whole planes") \
    ROW(ALPHA, "alpha is not supported") \
    ROW(PAIR, "magnitude/phase pairs are not supported") \
    ROW(TWICE, "the input is read twice, and a pipe or a list of frames only once") \
    ROW(INPUT, "this input, such as an array in Fortran order, is read in one piece") \
    ROW(INPUT_ROWS, "its rows are read from uncompressed .tif, .npy, .raw, .fits, .nii and .mrc only") \
    ROW(INPUT_LINES, "lines are read from .npy, .raw, .fits, .nii and .mrc only") \
    ROW(INPUT_PLANES, "only --frames and raw volumes are read plane by plane") \
    ROW(OUTPUT, "only .tif, .npy, .raw, .fits, .nii and .mrc are written in parts") \
    ROW(OUTPUT_PAGE, "{page} is not supported here; write one .tif, .npy or .raw") \
    ROW(OUTPUT_PACKED, \
        "compressed planes (.gz, --tiff-compression) have no position known beforehand") \
    ROW(OUTPUT_PIPE, "a pipe takes a TIFF, and planes out of order, in one piece")

#define GF_WHY_NAME(NAME, text) GF_WHY_##NAME,
enum gf_why { GF_WHYS(GF_WHY_NAME) GF_N_WHYS };

/* Its text, never NULL. */
const char *gf_why(enum gf_why why);

#endif
