/* Texts of devices that are kept once, as lists of devices are made again and again. */
#include "core/base/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char *gf_device_text(const char *text) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct kept {
        struct kept *next;
        char text[];
    } * first;
    pthread_mutex_lock(&lock);
    struct kept *k = first;
    while (k && strcmp(k->text, text))
        k = k->next;
    if (!k && (k = malloc(sizeof *k + strlen(text) + 1))) {
        strcpy(k->text, text);
        k->next = first;
        first = k;
    }
    pthread_mutex_unlock(&lock);
    return k ? k->text : "";
}
