/* The CPU's wavelet transform along time, frame by frame (core/wavelet/stream.h): each level keeps a
 * window of the few planes that its next steps along z need (Chrysafis and Ortega 2000, "Line-based,
 * reduced memory, wavelet image compression"), and emits each finished step at once. */
#ifndef GF_CORE_CPU_DWT_STREAM_H
#define GF_CORE_CPU_DWT_STREAM_H

#include "core/wavelet/stream.h"

extern const struct gf_dwt_streamer gf_cpu_dwt_streamer;

#endif
