/* The progress line: its texts at made-up times, and what a terminal sees of it. */
#include <fcntl.h>
#include <poll.h>
#include <termios.h>

#include "cli/progress.c" /* tests are linked without cli/ */
#include "tests/test.h"

static void check_time(double seconds, const char *want) {
    char text[32];
    time_text(seconds, text, sizeof text);
    CHECK_MSG(!strcmp(text, want), "%g s: '%s', not '%s'", seconds, text, want);
}

/* After so many seconds. */
static void check_count(double seconds, const char *want) {
    char text[WIDTH];
    p.start = gf_now_ms() - seconds * 1e3;
    count_text(text, sizeof text);
    CHECK_MSG(!strcmp(text, want), "'%s', not '%s'", text, want);
}

static void test_texts(void) {
    check_time(0, "0 s");
    check_time(59.4, "59 s");
    check_time(59.6, "1:00");
    check_time(185, "3:05");
    check_time(3599.6, "1:00:00");
    check_time(3723, "1:02:03");
    check_time(1e300, "277:46:40");
    p.total = 1;
    check_count(10, "");
    p.share = 0.25; /* of one large input */
    check_count(10, "25%, 30 s left, ");
    p.total = 0;
    p.share = 0;
    p.pictures = 1; /* of a stream */
    check_count(10, "1 done, ");
    p.pictures = 410;
    check_count(10, "410 done, 41/s, ");
    p.total = 200;
    p.inputs = 20;
    p.pictures = 18;
    p.passed = 0;
    check_count(10, "20 of 200 done, 1.8/s, 1:30 left, ");
    p.passed = 19; /* too few to tell from */
    check_count(10, "20 of 200 done, 1.8/s, ");
    p.passed = 10; /* what was skipped took no time */
    check_count(10, "20 of 200 done, 1.8/s, 3:00 left, ");
    p.share = 0.5; /* of the 21st, which belongs to what is left as well */
    check_count(10, "20 of 200 done, 1.8/s, 2:51 left, ");
    p.inputs = p.passed = 0;
    p.pictures = 0;
    check_count(10, "0 of 200 done, 1:06:30 left, ");
    p.share = 0;
    check_count(10, "0 of 200 done, ");
    p.total = p.inputs = p.passed = 0;
    p.pictures = 0;
}

/* A terminal in place of stderr: its other end. */
static int open_terminal(void) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    CHECK(master >= 0 && !grantpt(master) && !unlockpt(master));
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    struct termios t;
    CHECK(slave >= 0 && !tcgetattr(slave, &t));
    cfmakeraw(&t);
    CHECK(!tcsetattr(slave, TCSANOW, &t));
    CHECK(dup2(slave, STDERR_FILENO) == STDERR_FILENO && !close(slave));
    return master;
}

/* Adds what the terminal shows until `want` is there, or so many milliseconds are over. */
static bool reads(int master, char *text, size_t size, const char *want, int ms) {
    struct pollfd f = {.fd = master, .events = POLLIN};
    const double start = gf_now_ms();
    size_t n = strlen(text);
    while (!(want && strstr(text, want)) && gf_now_ms() - start < ms && n + 1 < size) {
        const ssize_t more = poll(&f, 1, ms) > 0 ? read(master, text + n, size - n - 1) : 0;
        if (more <= 0)
            break;
        n += (size_t)more;
        text[n] = 0;
    }
    return want && strstr(text, want);
}

static bool ends_blank(const char *text) {
    char blank[WIDTH + 3];
    snprintf(blank, sizeof blank, "\r%*s\r", WIDTH, "");
    const size_t n = strlen(text);
    return n >= WIDTH + 2 && !strcmp(text + n - (WIDTH + 2), blank);
}

static void test_terminal(void) {
    const int own = dup(STDERR_FILENO), master = open_terminal();
    static char text[1 << 16];
    setenv("TERM", "xterm", 1);
    gf_progress_start(false, 3);
    const bool running = p.running;
    gf_progress_show("reading", "a\nb\033[2J\177.png");
    gf_progress_share(0.5);
    gf_progress_share(0);
    gf_progress_count(1, 0, 0);
    gf_progress_count(0, 1, 0);
    gf_progress_count(0, 1, 1);
    const bool shown = reads(master, text, sizeof text, "2 of 3 done, reading a?b?[2J?.png", 20000);
    gf_progress_hide();
    const bool first = !strncmp(text, "\r2 of 3 done", 12);
    /* It comes back by itself, with what is new; a name that is too long is cut to the line. */
    text[0] = 0;
    char name[200];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    gf_progress_show("writing", name);
    const bool back = reads(master, text, sizeof text, "writing nnn", 20000);
    const char *line = strstr(text, "\r2 of 3 done");
    reads(master, text, sizeof text, NULL, 100); /* all of it */
    const size_t width = line ? strcspn(line + 1, "\r") : 0;
    gf_progress_stop();
    reads(master, text, sizeof text, NULL, 300);
    dup2(own, STDERR_FILENO);
    close(own);
    close(master);
    CHECK(running && shown && first && back && !p.running);
    CHECK_EQ(width, WIDTH);
    CHECK(ends_blank(text));
}

/* Nothing anywhere else; calls without a line do nothing. */
static void test_silence(void) {
    const int own = dup(STDERR_FILENO), master = open_terminal();
    bool running = false;
    gf_progress_start(true, 3);
    running |= p.running;
    setenv("TERM", "dumb", 1);
    gf_progress_start(false, 3);
    running |= p.running;
    setenv("TERM", "xterm", 1);
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    gf_progress_start(false, 3);
    running |= p.running;
    gf_progress_show("reading", "a");
    gf_progress_share(0.5);
    gf_progress_count(1, 0, 0);
    gf_progress_count(0, 1, 0);
    gf_progress_hide();
    gf_progress_stop();
    dup2(own, STDERR_FILENO);
    close(null);
    close(own);
    close(master);
    CHECK(!running);
}

/* A container may have no file system of pseudo-terminals. */
static bool has_terminals(void) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    const bool has = master >= 0 && !grantpt(master) && !unlockpt(master);
    if (master >= 0)
        close(master);
    return has;
}

int main(void) {
    RUN("the texts of times and counts are short", test_texts());
    if (has_terminals()) {
        RUN("nothing is shown where no terminal reads it", test_silence());
        RUN("a terminal sees one line that is removed again", test_terminal());
    } else {
        printf("skipped: no pseudo-terminal can be opened\n");
    }
    return TEST_END();
}
