/* A small font: 5 x 7 pixels, small letters are drawn as capitals. Private to cli/plot*.c. */
#ifndef GF_CLI_PLOT_TEXT_H
#define GF_CLI_PLOT_TEXT_H

enum { GF_GLYPH_WIDTH = 5, GF_GLYPH_HEIGHT = 7, GF_GLYPH_STEP = 6 };

/* Row `y` of a character, the leftmost pixel in bit 4. What the font does not have is a box. */
unsigned gf_glyph_row(char c, int y);

#endif
