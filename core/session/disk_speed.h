/* Measured disk speeds, kept from run to run beside the built kernels
 * (core/gpu/cache/kernel_store.h), one for each file system. A failure here never fails a run.
 *
 *     gf_disk_speed_keep("/var/tmp", 1.2e9);
 *     …
 *     double speed = gf_disk_speed("/var/tmp"); */
#ifndef GF_CORE_SESSION_DISK_SPEED_H
#define GF_CORE_SESSION_DISK_SPEED_H

/* Bytes a second, read plus written, of the folder's file system; 0 if unknown. */
double gf_disk_speed(const char *folder);
void gf_disk_speed_keep(const char *folder, double bytes_per_second);
/* Deletes all of them. Returns 1 if there were any, 0 if not, or a negative code. */
int gf_disk_speeds_forget(void);

#endif
