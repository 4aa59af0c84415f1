/* An array in, its spectrum out: 4 x 8 real numbers become half a spectrum, and come back.
 *
 *     cc spectrum.c $(pkg-config --cflags --libs gpufft) && ./a.out */
#include <gpufft.h>
#include <stdio.h>

/* Plans a transform and runs it once. */
static int transform(struct gpufft *library, const struct gpufft_transform *t, void *in,
                     void *out) {
    struct gpufft_plan *plan = NULL;
    struct gpufft_bound *bound = NULL;
    int rc = gpufft_plan_make(library, t, &plan);
    if (!rc)
        rc = gpufft_plan_bind(plan, in, out, &bound);
    if (!rc)
        rc = gpufft_run(bound);
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    return rc;
}

int main(void) {
    float samples[4][8], spectrum[4][8 / 2 + 1][2], again[4][8];
    struct gpufft *library = NULL;
    struct gpufft_transform t = {sizeof t, GPUFFT_FORWARD, GPUFFT_F32, GPUFFT_C64, 2, {4, 8}};
    t.half = 1;
    for (int i = 0; i < 32; i++)
        samples[i / 8][i % 8] = (float)(i % 5);
    int rc = gpufft_open(NULL, &library);
    if (!rc)
        rc = transform(library, &t, samples, spectrum);
    struct gpufft_transform back = {sizeof t, GPUFFT_INVERSE, GPUFFT_C64, GPUFFT_F32, 2, {4, 8}};
    back.half = 1;
    if (!rc)
        rc = transform(library, &back, spectrum, again);
    rc ? fprintf(stderr, "%s\n", gpufft_message())
       : printf("sum %.0f, sample (1, 2) %.0f\n", spectrum[0][0][0], again[1][2]);
    gpufft_close(library);
    return rc != 0;
}
