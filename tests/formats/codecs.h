/* The codecs of PNG in this build. */
#ifndef GF_TESTS_FORMATS_CODECS_H
#define GF_TESTS_FORMATS_CODECS_H

#include "formats/png/codec.h"

static const struct gf_codec *const codecs[] = {
    &gf_codec_zlib,
#ifdef GF_WITH_ISAL
    &gf_codec_isal,
#endif
};
enum { N_CODECS = sizeof codecs / sizeof *codecs };

#endif
