/* The environment variables of gpufft(1); read only here and passed on as options. */
#ifndef GF_CLI_ENVIRONMENT_H
#define GF_CLI_ENVIRONMENT_H

#include "core/base/host/environment.h"

/* Reads GPUFFT_ISA, which it passes on, GPUFFT_KERNEL_DIR, XDG_CACHE_HOME and HOME. An empty variable
 * counts as unset. Call it first; tests call it again after setenv(). */
void gf_environment_read(void);
/* The folders that it read, for all that this program opens. */
const struct gf_environment *gf_environment(void);

/* GPUFFT_DEVICE: the device of GPU backends if --device is not given; NULL if unset. */
const char *gf_environment_device(void);

/* GPUFFT_PLUGIN_DIR: the folder of plugins; NULL if unset. */
const char *gf_environment_plugins(void);

/* GPUFFT_MPI_WAIT: how many seconds to wait for the launcher's other processes; 60 if unset. */
int gf_environment_mpi_wait(void);

/* Variables that mpirun, mpiexec or srun sets for the processes that it starts. */
struct gf_launcher {
    const char *name;           /* "mpirun (Open MPI)", …, for messages; NULL: no launcher */
    const char *mpi;            /* its MPI library: "openmpi", "mpich"; NULL: either */
    int size, rank;             /* 1 and 0 without a launcher */
    int local_size, local_rank; /* on this machine; 0: unknown */
};

/* Uses a launcher's variables only if they give a size and a rank below it: Slurm also sets them in
 * batch scripts, whose programs run once. */
struct gf_launcher gf_environment_launcher(void);

#endif
