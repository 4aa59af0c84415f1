/* The pictures that make_samples writes, each painted by a file of its own. Rows go from the top.
 */
#ifndef GF_SAMPLES_SAMPLES_H
#define GF_SAMPLES_SAMPLES_H

#include "samples/paint.h"

/* A house by a lake, and a still life: size x size, linear light. */
void scene_paint(struct vec *rgb, int size);
void still_paint(struct vec *rgb, int size);

/* A newspaper page with `photo` (encoded grey, 0..1, size x size) as a halftone of 45 degrees. */
enum { PAGE_WIDTH = 600, PAGE_HEIGHT = 480 };
void page_paint(const double *photo, int size, uint8_t *grey);

/* Rings whose frequency grows from 0 in the centre to Nyquist at the edge. */
void zoneplate_paint(uint8_t *grey, int size);
void stars_paint(uint16_t *grey, int width, int height);
/* A ringed planet in a soft glow, on nothing: RGBA, not premultiplied. */
void planet_paint(uint8_t *rgba, int width, int height);
/* The path of a hand that shakes: how long it was where. */
enum { SHAKE_SIZE = 33 };
void shake_paint(uint8_t *grey);
/* Two tones and a chirp, which rises from 0.02 to 0.3 cycles a sample. */
void chirp_play(float *line, int n);

/* A head of ellipsoids: slices from the neck up, the face towards the first row. Voxels are twice
 * as deep as they are wide. */
enum { HEAD_DEPTH = 32, HEAD_HEIGHT = 64, HEAD_WIDTH = 64 };
void head_fill(uint8_t *voxels);

#endif
