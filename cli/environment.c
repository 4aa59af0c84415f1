/* Environment variables. */
#include "cli/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/host/path.h"

static struct gf_environment settings;

static const char *value(const char *name) {
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* $XDG_CACHE_HOME, or ~/.cache; its specification requires that relative paths are ignored. */
static const char *cache_folder(void) {
    static char *own;
    const char *cache = value("XDG_CACHE_HOME"), *home = value("HOME");
    free(own);
    own = NULL;
    if (cache && gf_path_is_absolute(cache))
        return cache;
    if (!home || !gf_path_is_absolute(home) || asprintf(&own, "%s/.cache", home) < 0)
        own = NULL;
    return own;
}

void gf_environment_read(void) {
    /* PoCL would compile each kernel once more for the size of its first launch, half of the time
     * that a first use takes, for no measurable gain. */
    setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
    gf_environment_set_isa(value("GPUFFT_ISA"));
    settings = (struct gf_environment){.kernel_folder = value("GPUFFT_KERNEL_DIR"),
                                       .cache_folder = cache_folder()};
}

const struct gf_environment *gf_environment(void) {
    return &settings;
}

const char *gf_environment_device(void) {
    return value("GPUFFT_DEVICE");
}

const char *gf_environment_plugins(void) {
    return value("GPUFFT_PLUGIN_DIR");
}

/* Returns the variable as a whole number of at least `least`, else `other`. */
static int number(const char *name, int least, int other) {
    const char *text = value(name);
    char *end;
    long v = text ? strtol(text, &end, 10) : 0;
    return !text || *end || v < least || v > INT_MAX ? other : (int)v;
}

int gf_environment_mpi_wait(void) {
    return number("GPUFFT_MPI_WAIT", 1, 60);
}

/* Launchers' variables, by precedence: mpirun inside a Slurm allocation sets both. PMIx has none
 * for the size. */
static const struct {
    const char *name, *mpi, *marks, *size, *rank, *local_size, *local_rank;
} launchers[] = {
    {"mpirun (Open MPI)", "openmpi", NULL, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"mpirun (MPICH)", "mpich", NULL, "PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
    {"srun (PMIx)", "openmpi", "PMIX_NAMESPACE", "SLURM_STEP_NUM_TASKS", "PMIX_RANK", NULL,
     "SLURM_LOCALID"},
    {"srun", NULL, NULL, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", NULL, "SLURM_LOCALID"},
};

struct gf_launcher gf_environment_launcher(void) {
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        int size = number(launchers[i].size, 1, 0), rank = number(launchers[i].rank, 0, -1);
        const char *local = launchers[i].local_size;
        if (rank < 0 || rank >= size || (launchers[i].marks && !value(launchers[i].marks)))
            continue;
        return (struct gf_launcher){.name = launchers[i].name,
                                    .mpi = launchers[i].mpi,
                                    .size = size,
                                    .rank = rank,
                                    .local_size = local ? number(local, 1, 0) : 0,
                                    .local_rank = number(launchers[i].local_rank, 0, 0)};
    }
    return (struct gf_launcher){.size = 1};
}
