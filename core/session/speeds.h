/* How fast disks were, kept from run to run beside the built kernels (core/gpu/cache/kernel_store.h), by the
 * file system of a folder. Nothing here can make a run fail.
 *
 *     gf_disk_speed_keep("/var/tmp", 1.2e9);
 *     …
 *     double speed = gf_disk_speed("/var/tmp");
 */
#ifndef GF_CORE_SESSION_SPEEDS_H
#define GF_CORE_SESSION_SPEEDS_H

/* Bytes a second, read plus written; 0: not known. */
double gf_disk_speed(const char *folder);
void gf_disk_speed_keep(const char *folder, double bytes_per_second);
/* Deletes those of all disks. 1: there were any, 0: there was none, or a negative code. */
int gf_disk_speeds_forget(void);

#endif
