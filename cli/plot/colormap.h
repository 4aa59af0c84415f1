/* Colour maps of even perceived steps, for grey pictures. */
#ifndef GF_CLI_PLOT_COLORMAP_H
#define GF_CLI_PLOT_COLORMAP_H

/* Their names, NULL at the end; gray is the first. */
extern const char *const gf_colormap_names[];

/* Makes the colours of map number `map`, black to white: within 2/255 of matplotlib's. They are by
 * Smith, van der Walt and Firing 2015 (viridis to inferno, plasma), Nuñez, Anderton and Renslow
 * 2018 (cividis) and Bechtold 2018 (twilight, which ends as it begins, for phases). */
void gf_colormap_make(int map, unsigned char rgb[256][3]);

#endif
