/* Several threads with one plan, which each binds to its own array, here in place.
 *
 *     cc threads.c -pthread $(pkg-config --cflags --libs gpufft) && ./a.out */
#include <gpufft.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, N = 1000 };

static struct gpufft_plan *plan;
static double numbers[THREADS][N][2];

static void *transform(void *mine) {
    struct gpufft_bound *bound = NULL;
    if (gpufft_plan_bind(plan, mine, mine, &bound) || gpufft_run(bound))
        fprintf(stderr, "%s\n", gpufft_message());
    gpufft_bound_free(bound);
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    struct gpufft *library;
    struct gpufft_options o = {sizeof o, "openmp", NULL, 1};
    struct gpufft_transform t = {sizeof t, GPUFFT_FORWARD, GPUFFT_C128, GPUFFT_C128, 1, {N}};
    t.in_place = 1;
    if (gpufft_open(&o, &library) || gpufft_plan_make(library, &t, &plan))
        return fprintf(stderr, "%s\n", gpufft_message()), 1;
    for (int i = 0; i < THREADS; i++) {
        numbers[i][1][0] = i;
        pthread_create(&thread[i], NULL, transform, numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("F(0) = %.0f in the last of %d threads\n", numbers[THREADS - 1][0][0], THREADS);
    gpufft_plan_free(plan);
    gpufft_close(library);
    return 0;
}
