/* Units of files' axes and of options.
 *
 *     char unit[12], kind;
 *     gf_unit_copy("\xc2\xb5m", 0, unit);                 "um"
 *     gf_unit_value(unit, &kind);                        1e-6, 'm' */
#ifndef GF_CORE_BASE_UNIT_H
#define GF_CORE_BASE_UNIT_H

/* Copies a unit behind blanks, up to `end` or a line's end, in ASCII: a micro sign becomes u, an Angstrom sign A,
 * and words become symbols ("micron" um, "angstrom" A, "mm" stays). */
void gf_unit_copy(const char *text, char end, char unit[12]);
/* Converts one of `unit` to metres, degrees (for "deg", "arcmin", "arcsec") or seconds; 0 for an
 * unknown unit. *kind: 'm', 'd' or 's'. */
double gf_unit_value(const char *unit, char *kind);

#endif
