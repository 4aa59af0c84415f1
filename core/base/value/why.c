/* The texts of the reasons. */
#include "core/base/value/why.h"

#define TEXT(NAME, text) text,

const char *gf_why(enum gf_why why) {
    static const char *const texts[] = {GF_WHYS(TEXT)};
    return texts[why];
}
