/* Options of the whole process: what the user's environment tells code that no other options reach,
 * such as a probe. core/ and formats/ do not read the environment themselves.
 *
 *     gf_process_set(&(struct gf_process){.cache_folder = "/home/me/.cache"});
 *
 * Set them once, before the first backend is probed and before a second thread starts. */
#ifndef GF_CORE_BASE_PROCESS_H
#define GF_CORE_BASE_PROCESS_H

struct gf_process {
    const char *isa; /* the openmp backend's kernels: "plain", "v2", …; NULL: the best */
    const char *kernel_folder; /* GPU kernel sources; NULL: those inside the program */
    const char *cache_folder;  /* the parent of gpufft/, absolute; NULL: nothing is kept */
};

/* Copies the struct; the strings stay the caller's and must last. */
void gf_process_set(const struct gf_process *options);
/* All NULL until they are set. */
const struct gf_process *gf_process(void);

#endif
