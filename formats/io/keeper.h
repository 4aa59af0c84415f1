/* A child process that removes the temporaries of a killed program, which runs no handler. It sees
 * the program's end because the pipe between them closes.
 *
 *     gf_keeper_start();               before libraries start threads
 *     gf_keeper_watch(temporary);      before the file exists; removed when this process ends
 *     gf_keeper_stop();                once all temporaries have been renamed or removed
 *
 * If no child can be started, gf_keeper_watch() does nothing and a kill may leave a temporary. */
#ifndef GF_FORMATS_IO_KEEPER_H
#define GF_FORMATS_IO_KEEPER_H

void gf_keeper_start(void);
void gf_keeper_watch(const char *path);
void gf_keeper_stop(void);

#endif
