/* Inputs are never written, and two outputs never meet in one file. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/io/io.h"
#include "formats/io/guard.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static void test_guard(void) {
    const char *texts[] = {"x", "y"};
    const struct gf_claimant a = {texts[0], texts}, b = {texts[1], texts};
    struct gf_claimant other;
    mkdir("folder", 0755);
    CHECK_EQ(symlink("folder", "soft"), 0);
    CHECK_EQ(text_put("folder/in", true, "text"), GF_OK);
    CHECK_EQ(link("folder/in", "hard"), 0);
    CHECK_EQ(symlink("soft/later", "dangling"), 0);
    gf_guard_begin();
    CHECK_EQ(gf_guard_read_picture("folder/in", "folder/in"), GF_OK);
    CHECK_EQ(gf_guard_read("folder/later", "later"), GF_OK);
    const char *const read[] = {"folder/in", "soft/in",        "./folder/../soft/./in",
                                "hard",      "folder/in.json", "soft/later",
                                "dangling"};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        CHECK_EQ(gf_guard_claim(read[i], &a, &other), GF_EUSAGE);
        CHECK(!other.in && strstr(gf_message(), read[i]));
        CHECK_EQ(text_put(read[i], true, "gone"), GF_EIO);
        CHECK(message_is_good(gf_message()));
    }
    CHECK(file_is("folder/in", "text", 4));

    CHECK_EQ(gf_guard_claim("folder/out", &a, &other), GF_OK);
    CHECK_EQ(gf_guard_claim("folder/out", &a, &other), GF_OK);
    CHECK_EQ(gf_guard_claim("soft/out", &b, &other), GF_EUSAGE);
    CHECK(other.in == a.in && other.what == a.what);
    CHECK_EQ(text_put("folder/out", true, "one"), GF_OK);
    CHECK_EQ(text_put("soft/out", true, "two"), GF_EIO);
    CHECK(file_is("folder/out", "one", 3));
    CHECK_EQ(gf_guard_claim("/dev/null", &a, &other), 1);
    CHECK_EQ(gf_guard_claim("/dev/null", &b, &other), 1);
    for (int i = 0; i < 1000; i++) { /* the table grows and keeps what it has */
        char name[32];
        snprintf(name, sizeof name, "folder/%d", i);
        CHECK_EQ(gf_guard_claim(name, &a, &other), GF_OK);
    }
    CHECK_EQ(gf_guard_claim("soft/17", &b, &other), GF_EUSAGE);
    CHECK_EQ(gf_guard_claim("hard", &b, &other), GF_EUSAGE);
    gf_guard_end();
    CHECK_EQ(text_put("soft/out", true, "two"), GF_OK);
    CHECK_EQ(text_put("folder/in", true, "new"), GF_OK);
    unlink("hard");
    unlink("soft");
    unlink("dangling");
    unlink("folder/in");
    unlink("folder/out");
    rmdir("folder");
}

static void replace(const char *path) {
    CHECK_EQ(text_put("newer", true, "newer"), GF_OK);
    CHECK_EQ(rename("newer", path), 0);
}

/* Another process replaces outputs after they were claimed: an inode that it frees may be the next file's,
 * and one of several names may have lost one of them. */
static void test_guard_replaced(void) {
    static const char *const texts[] = {"v", "w", "x", "y", "z"};
    struct gf_claimant who[5], other;
    for (int i = 0; i < 5; i++)
        who[i] = (struct gf_claimant){texts[i], texts};
    CHECK_EQ(text_put("first", true, "text"), GF_OK);
    gf_guard_begin();
    CHECK_EQ(gf_guard_claim("first", &who[0], &other), GF_OK);
    CHECK_EQ(rename("first", "second"), 0);
    CHECK_EQ(gf_guard_claim("second", &who[1], &other), GF_OK);
    CHECK_EQ(link("second", "third") | link("second", "fourth") | link("second", "fifth"), 0);
    CHECK_EQ(gf_guard_claim("third", &who[2], &other), GF_OK);
    CHECK_EQ(gf_guard_claim("third", &who[2], &other), GF_OK);
    replace("third");
    CHECK_EQ(gf_guard_claim("fourth", &who[3], &other), GF_OK);
    CHECK_EQ(gf_guard_claim("fifth", &who[4], &other), GF_EUSAGE);
    CHECK(other.in == who[3].in);
    unlink("fourth");
    CHECK_EQ(gf_guard_claim("fifth", &who[4], &other), GF_OK);
    gf_guard_end();
    unlink("second");
    unlink("third");
    unlink("fifth");
}

int main(void) {
    scratch_enter();
    RUN("inputs are never written, and outputs never meet", test_guard());
    RUN("outputs that another process replaces still do not meet", test_guard_replaced());
    scratch_leave();
    return TEST_END();
}
