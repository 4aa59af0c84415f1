/* Pictures for the search for periodic noise, each made from a number alone: regular structures, whose
 * periods belong to the picture, and interference that is added to a picture.
 *
 *     struct gf_made_picture p;
 *     if (gf_made_thing(7, 900, &p) && gf_made_save(&p, "7.ppm"))
 *         …
 *     gf_made_free(&p);
 */
#ifndef GF_TESTS_CORE_REGULAR_STRUCTURES_H
#define GF_TESTS_CORE_REGULAR_STRUCTURES_H

#include <stdbool.h>
#include <stdint.h>

struct gf_made_picture {
    int width, height, channels; /* 1 or 3 */
    int white;                   /* 255 or 65535 */
    double period;               /* of the structure, in samples before perspective */
    const char *kind;
    float *px; /* 0 .. 1, channels last; the caller frees it with gf_made_free() */
};

enum { GF_MADE_KINDS = 32 };

/* Picture number `number` of regular structures: kind number % GF_MADE_KINDS, with jitter of 0 to 3
 * samples, perspective, shade, structures before it, blur, noise and the losses of a JPEG, as the number
 * says; sides of 200 to `most` samples. False without memory. */
bool gf_made_thing(int number, int most, struct gf_made_picture *p);
const char *gf_made_kind(int number);
/* Shapes that hide each other, of all sizes, as a photograph has them; nothing in it is regular. */
bool gf_made_shapes(int number, int width, int height, struct gf_made_picture *p);
/* By a gaussian; `room` has as many numbers as the longer side. */
void gf_made_blur(struct gf_made_picture *p, double sigma, float *room);
/* The losses of a JPEG of that quality: its steps grow with frequency, about as the usual table's do. */
void gf_made_lose(struct gf_made_picture *p, double quality);
/* Adds interference number `number` to a picture: one to three waves of 3 to 40 levels of 255, a hum
 * with harmonics, or offsets of a sensor's columns. Returns what it is. */
const char *gf_made_interfere(int number, struct gf_made_picture *p);
/* As PGM or PPM, rounded and clipped. */
bool gf_made_save(const struct gf_made_picture *p, const char *path);
/* Reads what gf_made_save() or gpufft wrote: binary PGM or PPM. */
bool gf_made_load(const char *path, struct gf_made_picture *p);
/* The peak signal to noise ratio in dB; 99 for equal pictures, 0 for pictures of different shapes. */
double gf_made_psnr(const struct gf_made_picture *a, const struct gf_made_picture *b);
void gf_made_free(struct gf_made_picture *p);

#endif
