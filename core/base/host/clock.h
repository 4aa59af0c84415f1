/* Wall-clock time for measuring how long something takes:
 *
 *     double start = gf_now_ms();
 *     …
 *     ms += gf_now_ms() - start; */
#ifndef GF_CORE_BASE_CLOCK_H
#define GF_CORE_BASE_CLOCK_H

/* Milliseconds since an arbitrary point in the past; never runs backwards. */
double gf_now_ms(void);
/* CPU time of the calling thread, in milliseconds. */
double gf_thread_ms(void);
/* For qsort() of doubles. */
int gf_ascending(const void *a, const void *b);

#endif
