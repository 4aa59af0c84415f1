/* Pipes whose bytes come one by one, and names that were reserved in vain. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/io/io.h"
#include "tests/formats/calls.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static void test_peek(void) {
    struct gf_source *s;
    char got[16] = "";
    CHECK_EQ(mkfifo("fifo", 0600), 0);
    const int fd = open("fifo", O_RDWR);
    CHECK_EQ(gf_source_open("fifo", &s), GF_OK);
    CHECK_EQ(write(fd, "012345678", 9), 9);
    CHECK_EQ(gf_source_peek(s, got, 9), 9);
    CHECK_EQ(write(fd, "9", 1), 1);
    CHECK_EQ(gf_source_peek(s, got, 10), 10);
    CHECK_STR(got, "0123456789");
    CHECK(gf_source_byte(s) == '0' && gf_source_tell(s) == 1);
    gf_source_close(s);
    close(fd);
    unlink("fifo");
}

/* On a file system without links and RENAME_NOREPLACE, whose temporary goes before the rename. */
static void test_reserved(void) {
    struct gf_sink *s;
    no_unnamed = no_renameat2 = no_link = true;
    CHECK_EQ(gf_sink_open("new", false, &s), GF_OK);
    CHECK_EQ(gf_sink_write(s, "x", 1), GF_OK);
    DIR *folder = opendir(".");
    for (struct dirent *e; (e = readdir(folder));)
        if (!strncmp(e->d_name, ".gpufft-", 8))
            unlink(e->d_name);
    closedir(folder);
    CHECK_EQ(gf_sink_commit(s), GF_EIO);
    CHECK_EQ(scratch_count(), 0);
    no_unnamed = no_renameat2 = no_link = false;
}

int main(void) {
    scratch_enter();
    RUN("a pipe is peeked to the last byte", test_peek());
    RUN("a name that was reserved in vain is free again", test_reserved());
    scratch_leave();
    return TEST_END();
}
