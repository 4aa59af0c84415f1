#include "cli/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 1000, EVERY_MS = 200, WIDTH = 79 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool running, stop, visible;
    int done, total;
    char text[WIDTH + 1];
} p = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Blanks instead of an escape sequence: any terminal understands them. */
static void hide(void) {
    if (p.visible)
        fprintf(stderr, "\r%*s\r", WIDTH, "");
    p.visible = false;
}

static void draw(void) {
    char count[40] = "";
    if (p.total > 1)
        snprintf(count, sizeof count, "%d of %d done, ", p.done, p.total);
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
    p.stop = false;
    p.running = pthread_create(&p.thread, NULL, run, NULL) == 0;
}

void gf_progress_show(int done, const char *what, const char *name) {
    if (!p.running)
        return;
    pthread_mutex_lock(&p.lock);
    p.done = done;
    snprintf(p.text, sizeof p.text, "%s %s", what, name);
    for (char *c = p.text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
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
