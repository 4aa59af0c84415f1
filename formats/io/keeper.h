/* A process that removes temporaries whose maker was killed: no handler runs then. It knows of the
 * maker's end because the pipe between them does.
 *
 *     gf_keeper_start();               before libraries start threads
 *     gf_keeper_watch(temporary);      from here on it is removed when this process ends; without a
 *                                      keeper this does nothing
 *     gf_keeper_stop();                the temporaries were renamed, or removed
 *
 * formats/io/temporary.c has each of them watched before it exists.
 *
 * Without a process (none can be started) a kill may leave a temporary, and nothing else is different. */
#ifndef GF_FORMATS_IO_KEEPER_H
#define GF_FORMATS_IO_KEEPER_H

void gf_keeper_start(void);
void gf_keeper_watch(const char *path);
void gf_keeper_stop(void);

#endif
