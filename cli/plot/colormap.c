/* Colour maps by a few colours each, with straight lines between them. */
#include "cli/plot/colormap.h"

#include <stdio.h>

const char *const gf_colormap_names[] = {"gray",   "viridis", "magma",    "inferno",
                                         "plasma", "cividis", "twilight", NULL};

/* Eight hexadecimal digits for each colour: its grey, red, green and blue. Chosen as the fewest such
 * that lines between them are nowhere farther than 1.6/255 from the map. */
static const char *const nodes[] = {
    "00000000ffffffff",
    "0044015402450457174821732c443b8448375b8d7d218e8d901fa0889d25ac82aa35b779b84ec36bcb77d153e9c5e0"
    "21f2dde318f8ece51bfffde725",
    "00000004010100050803031217120d3127271258333b0f703d4c117a4f681c8172a02f7f8cca3e729de34e65acf264"
    "5cbbfa7f5ecbfe9d6ce0fec488fffcfdbf",
    "000000040602020e15110a3022240c4f2c3609613a4d0d6c4d6c186e659225687eb9355696d94d3dacef6c23c0f98e"
    "09c7fb9b06cefca80ddbfac228e6f6d746eff2e865f8f3f68afffcffa4",
    "000d08870419068c13370499316700a8428104a7559c179e75c13b829de4695ec1f9973fd6fdb52ee9fbd324fbf2f2"
    "27fff0f921",
    "0000224e11002e6c170132711a0c3470201a386f2f31436d53555c6d86828079afaaa073d1cebc63eae9d34efcfee4"
    "34fffee838",
    "00e2d9e201e1d9e209d4d6dc11bfccd31c9ebbc9297ea4c336698abf416172ba505e4fac5c5b329867521c79704413"
    "5a783711447f301437883b113b94571647a0761f4fac922f50bcae5051c8bc6b59d3c5866adecca186edd7c3b8f7df"
    "d4d6ffe2d9e2"};

void gf_colormap_make(int map, unsigned char rgb[256][3]) {
    unsigned from[4], to[4]; /* grey, red, green, blue */
    for (const char *text = nodes[map]; text[8]; text += 8) {
        sscanf(text, "%2x%2x%2x%2x", &from[0], &from[1], &from[2], &from[3]);
        sscanf(text + 8, "%2x%2x%2x%2x", &to[0], &to[1], &to[2], &to[3]);
        const unsigned span = to[0] - from[0];
        for (unsigned v = from[0]; v <= to[0]; v++)
            for (int c = 1; c < 4; c++)
                rgb[v][c - 1] =
                    (unsigned char)((from[c] * (to[0] - v) + to[c] * (v - from[0]) + span / 2) /
                                    span);
    }
}
