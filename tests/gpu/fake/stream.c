/* Queues and events. A command runs when something waits for it, or for one behind it. */
#include "tests/gpu/fake/fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { UNTIMED = 2, NON_BLOCKING = 1 };

struct command {
    int (*run)(void *data);
    void *data;
    struct command *next;
};

/* Streams and events stay until the program ends: others may still name them. */
struct fake_stream {
    struct fake_device *device;
    int number; /* of the device's queues, by when they were made */
    bool gone;
    long given, done; /* commands */
    struct command *first, *last;
    struct fake_stream *next;
};
static struct fake_stream *streams;

struct event {
    struct fake_device *device;
    bool gone, timed, reached;
    struct fake_stream *stream; /* it was recorded in last, behind so many commands */
    long behind;
    double milliseconds;
    struct event *next;
};
static struct event *events;

/* ---- running ---- */

static void run_until(struct fake_stream *s, long end) {
    while (s->done < end) {
        struct command *c = s->first;
        s->first = c->next;
        if (!s->device->failed) {
            int code = fake_injected(FAKE_COMMAND, s->device);
            code = code ? code : c->run(c->data);
            if (code) { /* else it may have failed in another queue, which this command waited for */
                fake_note("a command of Fake %c ends with %d", 'A' + s->device->number, code);
                s->device->failed = code;
            }
        }
        s->done++;
        free(c->data);
        free(c);
    }
}

int fake_enqueue(struct fake_stream *s, int (*run)(void *data), void *data) {
    struct command *c = malloc(sizeof *c);
    const char *order = getenv("FAKE_CUDA_ORDER");
    *c = (struct command){run, data, NULL};
    if (s->first)
        s->last->next = c;
    else
        s->first = c;
    s->last = c;
    s->given++;
    if (order && !strcmp(order, "eager"))
        run_until(s, s->given);
    return s->device->failed;
}

void fake_finish_stream(struct fake_stream *s) {
    run_until(s, s->given);
}

void fake_finish(struct fake_device *device) {
    for (struct fake_stream *s = streams; s; s = s->next)
        if (s->device == device)
            run_until(s, s->given);
}

/* ---- streams ---- */

static struct fake_stream *add_stream(struct fake_device *device) {
    struct fake_stream *s = calloc(1, sizeof *s);
    s->device = device;
    for (const struct fake_stream *other = streams; other; other = other->next)
        s->number += other->device == device;
    s->next = streams;
    return streams = s;
}

void fake_note_command(const struct fake_stream *s, const char *format, ...) {
    char text[160];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fake_note("    Fake %c queue %d: %s", 'A' + s->device->number, s->number, text);
}

struct fake_stream *fake_stream(void *handle) {
    enum { PER_THREAD = 2 }; /* and 1 the legacy stream, which NULL is, too */
    struct fake_device *d = fake_current();
    const bool own = (uintptr_t)handle <= PER_THREAD;
    if (own && !d->own)
        d->own = add_stream(d);
    if (own)
        return d->own;
    for (struct fake_stream *s = streams; s; s = s->next)
        if (s == handle)
            return s->gone || s->device != d ? NULL : s;
    return NULL;
}

int cuStreamCreate(void **stream, unsigned flags) {
    const int code = fake_enter(__func__);
    if (code || flags > NON_BLOCKING)
        return fake_end(code ? code : INVALID_VALUE);
    *stream = add_stream(fake_current());
    return fake_end(0);
}

int cuStreamDestroy_v2(void *stream) {
    const int code = fake_enter(__func__);
    struct fake_stream *s = code ? NULL : fake_stream(stream);
    if (!s || !stream)
        return fake_end(code ? code : INVALID_HANDLE);
    fake_finish_stream(s);
    s->gone = true;
    return fake_end(0);
}

int cuStreamSynchronize(void *stream) {
    const int code = fake_enter(__func__);
    struct fake_stream *s = code ? NULL : fake_stream(stream);
    if (!s)
        return fake_end(code ? code : INVALID_HANDLE);
    fake_finish_stream(s);
    return fake_end(s->device->failed);
}

/* ---- events ---- */

static struct event *find_event(const void *handle) {
    for (struct event *e = events; e; e = e->next)
        if (e == handle)
            return e->gone ? NULL : e;
    return NULL;
}

int cuEventCreate(void **event, unsigned flags) {
    const int code = fake_enter(__func__);
    if (code)
        return fake_end(code);
    struct event *e = calloc(1, sizeof *e);
    *e = (struct event){.device = fake_current(), .timed = !(flags & UNTIMED), .next = events};
    *event = events = e;
    return fake_end(0);
}

int cuEventDestroy_v2(void *event) {
    const int code = fake_enter(__func__);
    struct event *e = find_event(event);
    if (code || !e)
        return fake_end(code ? code : INVALID_HANDLE);
    e->gone = true;
    return fake_end(0);
}

static int reach_event(void *data) {
    struct event *e = *(struct event **)data;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    e->milliseconds = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    e->reached = true;
    return 0;
}

int cuEventRecord(void *event, void *stream) {
    int code = fake_enter(__func__);
    struct event *e = find_event(event);
    struct fake_stream *s = code ? NULL : fake_stream(stream);
    if (code || !e || !s || s->device != e->device)
        return fake_end(code ? code : INVALID_HANDLE);
    struct event **data = malloc(sizeof *data);
    *data = e;
    e->reached = false;
    e->stream = s;
    e->behind = s->given + 1;
    return fake_end(fake_enqueue(s, reach_event, data));
}

struct place {
    struct fake_stream *stream;
    long behind;
};

static int await(void *data) {
    const struct place *p = data;
    run_until(p->stream, p->behind);
    return 0;
}

/* For what the event was recorded behind last; nothing where it never was. */
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    int code = fake_enter(__func__);
    const struct event *e = find_event(event);
    struct fake_stream *s = code ? NULL : fake_stream(stream);
    if (code || !e || !s || flags)
        return fake_end(code ? code : INVALID_HANDLE);
    if (!e->stream)
        return fake_end(0);
    struct place *p = malloc(sizeof *p);
    *p = (struct place){e->stream, e->behind};
    return fake_end(fake_enqueue(s, await, p));
}

int cuEventSynchronize(void *event) {
    int code = fake_enter(__func__);
    const struct event *e = find_event(event);
    if (code || !e)
        return fake_end(code ? code : INVALID_HANDLE);
    if (e->stream)
        run_until(e->stream, e->behind);
    return fake_end(e->device->failed);
}

int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
    enum { NOT_READY = 600 };
    int code = fake_enter(__func__);
    const struct event *a = find_event(from), *b = find_event(to);
    if (!code && (!a || !b || !a->timed || !b->timed || !a->stream || !b->stream))
        code = INVALID_HANDLE;
    if (!code && (!a->reached || !b->reached))
        code = NOT_READY;
    if (!code)
        *milliseconds = (float)(b->milliseconds - a->milliseconds);
    return fake_end(code);
}

void fake_streams_drop(struct fake_device *device) {
    int left = 0;
    for (struct fake_stream *s = streams; s; s = s->next)
        if (s->device == device) {
            left += !s->gone && s != device->own;
            s->gone = true;
        }
    for (struct event *e = events; e; e = e->next)
        if (e->device == device) {
            left += !e->gone;
            e->gone = true;
        }
    device->own = NULL;
    if (left && !device->failed) /* else nothing could be given back */
        fake_note("left: %d streams and events", left);
}
