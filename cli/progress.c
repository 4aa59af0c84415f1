/* The progress line of long runs on a terminal. */
#include "cli/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/host/clock.h"
#include "formats/io/io.h"

enum { FIRST_MS = 1000, EVERY_MS = 200, WIDTH = 79 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool running, stop, visible;
    int total, inputs, passed; /* inputs: all, finished, skipped of these */
    int64_t pictures;
    double share; /* of one input */
    double start; /* gf_now_ms() */
    char text[WIDTH + 1], name[256];
} p = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Spaces instead of an escape sequence: any terminal understands them. */
static void hide(void) {
    if (p.visible)
        fprintf(stderr, "\r%*s\r", WIDTH, "");
    p.visible = false;
}

/* "12 s", "3:05", "1:02:03" */
static void time_text(double seconds, char *text, size_t size) {
    long s = seconds < 1e6 ? (long)(seconds + 0.5) : 1000000;
    if (s < 60)
        snprintf(text, size, "%ld s", s);
    else if (s < 3600)
        snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

/* "12 of 200 done, 41.0/s, 5 s left, " as far as known. */
static void count_text(char *text, size_t size) {
    double seconds = (gf_now_ms() - p.start) * 1e-3;
    int worked = p.inputs - p.passed;
    char left[32];
    size_t n = 0;
    text[0] = 0;
    if (p.total > 1)
        n = (size_t)snprintf(text, size, "%d of %d done, ", p.inputs, p.total);
    else if (p.pictures)
        n = (size_t)snprintf(text, size, "%lld done, ", (long long)p.pictures);
    if (p.pictures > 1)
        n += (size_t)snprintf(text + n, size - n, "%.*f/s, ", p.pictures < 10 * seconds,
                              (double)p.pictures / seconds);
    if (p.total > 1 && (worked > 1 || p.share > 0)) {
        time_text((p.total - p.inputs - p.share) * seconds / (worked + p.share), left, sizeof left);
        snprintf(text + n, size - n, "%s left, ", left);
    } else if (p.share > 0) {
        time_text(seconds * (1 - p.share) / p.share, left, sizeof left);
        snprintf(text + n, size - n, "%.0f%%, %s left, ", 100 * p.share, left);
    }
}

static void draw(void) {
    char count[WIDTH];
    count_text(count, sizeof count);
    fprintf(stderr, "\r%s%-*.*s", count, WIDTH - (int)strlen(count), WIDTH - (int)strlen(count),
            p.text);
    p.visible = true;
}

static void wait_ms(int ms) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    while (!p.stop && pthread_cond_timedwait(&p.wake, &p.lock, &t) == 0)
        ;
}

static void *run(void *unused) {
    (void)unused;
    pthread_mutex_lock(&p.lock);
    wait_ms(FIRST_MS);
    while (!p.stop) {
        draw();
        wait_ms(EVERY_MS);
    }
    hide();
    pthread_mutex_unlock(&p.lock);
    return NULL;
}

void gf_progress_start(bool quiet, int total) {
    const char *term = getenv("TERM");
    if (quiet || !isatty(STDERR_FILENO) || (term && !strcmp(term, "dumb")))
        return;
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&p.wake, &attr);
    pthread_condattr_destroy(&attr);
    p.total = total;
    p.start = gf_now_ms();
    p.stop = false;
    p.running = pthread_create(&p.thread, NULL, run, NULL) == 0;
}

const char *gf_progress_name(void) {
    return p.name;
}

void gf_progress_show(const char *what, const char *name) {
    pthread_mutex_lock(&p.lock);
    snprintf(p.name, sizeof p.name, "%s", name);
    snprintf(p.text, sizeof p.text, "%s %s", what, name);
    gf_clean_text(p.text, sizeof p.text, p.text);
    pthread_mutex_unlock(&p.lock);
}

void gf_progress_compiling(const char *device) {
    pthread_mutex_lock(&p.lock);
    snprintf(p.text, sizeof p.text, "compiling kernels for %.38s (first use, kept)", device);
    pthread_mutex_unlock(&p.lock);
}

void gf_progress_share(double done) {
    if (!p.running)
        return;
    pthread_mutex_lock(&p.lock);
    p.share = done;
    pthread_mutex_unlock(&p.lock);
}

void gf_progress_count(int pictures, int inputs, int passed) {
    if (!p.running)
        return;
    pthread_mutex_lock(&p.lock);
    p.pictures += pictures;
    p.inputs += inputs;
    p.passed += passed;
    pthread_mutex_unlock(&p.lock);
}

void gf_progress_hide(void) {
    if (!p.running)
        return;
    pthread_mutex_lock(&p.lock);
    hide();
    pthread_mutex_unlock(&p.lock);
}

void gf_progress_stop(void) {
    if (!p.running)
        return;
    pthread_mutex_lock(&p.lock);
    p.stop = true;
    pthread_cond_signal(&p.wake);
    pthread_mutex_unlock(&p.lock);
    pthread_join(p.thread, NULL);
    p.running = false;
}
