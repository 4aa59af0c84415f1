/* The environment variables that gpufft(1) lists. They are read here only and passed on as options. */
#ifndef GF_CLI_ENVIRONMENT_H
#define GF_CLI_ENVIRONMENT_H

/* Passes GPUFFT_ISA, GPUFFT_KERNEL_DIR, XDG_CACHE_HOME and HOME to core/base/process.h. An empty variable counts as
 * unset. Call it first; a test calls it again after setenv(). */
void gf_environment_read(void);

/* GPUFFT_DEVICE: the device of GPU backends if --device is not given; NULL if unset. */
const char *gf_environment_device(void);

/* GPUFFT_PLUGIN_DIR: the folder of plugins; NULL where unset. */
const char *gf_environment_plugins(void);

/* GPUFFT_MPI_WAIT: the seconds in which the other processes of a launcher are to come; 60 where unset. */
int gf_environment_mpi_wait(void);

/* Variables that mpirun, mpiexec or srun sets for the processes that it starts. */
struct gf_launcher {
    const char *name; /* "mpirun (Open MPI)", …, for messages; NULL: there is no launcher */
    const char *mpi;  /* the MPI library that it belongs to: "openmpi", "mpich"; NULL: either */
    int size, rank;   /* 1 and 0 without a launcher */
    int local_size, local_rank; /* on this machine; 0 where that is not known */
};

/* Takes a launcher's variables only where they name a size and a rank below it: those of Slurm are
 * in batch scripts too, whose programs run once. */
struct gf_launcher gf_environment_launcher(void);

#endif
