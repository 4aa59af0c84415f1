/* The CPU's wavelet transform along time, frame by frame (core/wavelet/stream.h): each level keeps
 * a window of the few planes that a step along z still needs (line-based transforms: Chrysafis and
 * Ortega 2000), and hands on what is finished at once. */
#ifndef GF_CORE_CPU_DWT_STREAM_H
#define GF_CORE_CPU_DWT_STREAM_H

#include "core/wavelet/stream.h"

extern const struct gf_dwt_streamer gf_cpu_dwt_streamer;

#endif
