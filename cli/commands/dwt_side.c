/* How such a thread is started and stopped. */
#include "cli/commands/dwt_side.h"

#include <stdio.h>

#include "core/base/status.h"

static void destroy(struct gf_dwt_side *s) {
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
}

int gf_dwt_side_start(struct gf_dwt_side *s, void *(*body)(void *), void *user) {
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    if (!pthread_create(&s->thread, NULL, body, user))
        return 0;
    destroy(s);
    return gf_fail(GF_ENOMEM, "cannot start a thread");
}

void gf_dwt_side_note(struct gf_dwt_side *s, int rc) {
    if (rc && !s->rc) {
        s->rc = rc;
        snprintf(s->message, sizeof s->message, "%s", gf_message());
    }
    pthread_cond_broadcast(&s->changed);
}

int gf_dwt_side_fail(const struct gf_dwt_side *s) {
    return s->rc ? gf_fail((enum gf_status)s->rc, "%s", s->message) : 0;
}

int gf_dwt_side_stop(struct gf_dwt_side *s, int rc) {
    pthread_mutex_lock(&s->lock);
    s->closed = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    destroy(s);
    return rc ? rc : gf_dwt_side_fail(s);
}
