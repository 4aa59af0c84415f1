/* gpufft devices: every backend, and for an absent one the reason and the remedy. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/report.h"
#include "core/backend.h"

int gf_command_devices(struct gf_settings *s, char **operands, int n) {
    (void)operands;
    if (n) {
        gf_log_error("devices: takes no operands");
        return 2;
    }
    for (int i = 0; gf_backends[i]; i++) {
        const struct gf_backend *b = gf_backends[i];
        char reason[GF_REASON] = "";
        bool present = b->probe(reason) == 0;
        if (!s->json) {
            printf("%-8s %-8s %s\n", b->name, present ? "present" : "absent", b->what);
            printf("%-17s %s\n", "", reason);
            continue;
        }
        json_t *o = json_object();
        json_object_set_new(o, "backend", json_string(b->name));
        json_object_set_new(o, "what", gf_json_text(b->what));
        json_object_set_new(o, "present", json_boolean(present));
        json_object_set_new(o, "automatic", json_boolean(b->automatic));
        json_object_set_new(o, present ? "description" : "reason", gf_json_text(reason));
        gf_json_print(o);
    }
    return 0;
}
