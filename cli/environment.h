/* The environment variables that gpufft(1) lists. They are read here and travel as options. */
#ifndef GF_CLI_ENVIRONMENT_H
#define GF_CLI_ENVIRONMENT_H

/* Tells core/base/process.h what GPUFFT_ISA, GPUFFT_KERNEL_DIR, XDG_CACHE_HOME and HOME say. An
 * empty variable counts as unset. Call it first; a test calls it again after setenv(). */
void gf_environment_read(void);

/* GPUFFT_DEVICE: the device of GPU backends where --device is not given; NULL where unset. */
const char *gf_environment_device(void);

#endif
