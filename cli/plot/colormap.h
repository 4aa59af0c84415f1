/* Colour maps of even perceived steps, for grey pictures. */
#ifndef GF_CLI_PLOT_COLORMAP_H
#define GF_CLI_PLOT_COLORMAP_H

extern const char *const gf_colormap_names[]; /* gray first, NULL at the end */

/* Makes the colours of map number `map`, black to white: within 2/255 of matplotlib's, by Smith, van
 * der Walt and Firing 2015 (viridis to plasma), Nuñez, Anderton and Renslow 2018 (cividis) and
 * Bechtold 2018 (twilight, which ends as it begins, for phases). */
void gf_colormap_make(int map, unsigned char rgb[256][3]);

#endif
