/* The ground of the landscape: its height in metres over x (to the right) and z (into the picture);
 * the lake is where it is below 0. */
#ifndef GF_SAMPLES_LAND_H
#define GF_SAMPLES_LAND_H

#include "samples/paint.h"

enum { LAND_FAR_SHORE = 118 }; /* about here the lake ends */

/* To be called once, before land_hit(). */
void land_survey(void);
double land_height(double x, double z);
/* From the heights `step` away on all sides. */
struct vec land_normal(double x, double z, double step);
/* Walks along the ray from t to limit, with steps that follow the height above the ground, and
 * returns where they meet; < 0 when they do not. */
double land_hit(struct vec from, struct vec dir, double t, double limit);

#endif
