/* How fast this machine copies, which bounds every pass over memory.
 *
 *     double rate;
 *     rc = gf_bandwidth_copy(threads, &rate);    bytes read plus bytes written, per second */
#ifndef GF_CORE_BASE_BANDWIDTH_H
#define GF_CORE_BASE_BANDWIDTH_H

/* The best of several copies by `threads` threads between arrays larger than the last-level cache;
 * takes about a second. GF_ENOMEM. */
int gf_bandwidth_copy(int threads, double *bytes_a_second);

#endif
