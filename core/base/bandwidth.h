/* The yardstick of every pass over memory: how fast this machine copies. */
#ifndef GF_CORE_BASE_BANDWIDTH_H
#define GF_CORE_BASE_BANDWIDTH_H

/* Bytes read plus bytes written a second by `threads` threads copying between arrays that are
 * larger than the last-level cache, the best of a few runs. GF_ENOMEM when there is no room. */
int gf_bandwidth_copy(int threads, double *bytes_a_second);

#endif
