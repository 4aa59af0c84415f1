/* Units of length, angle and time, as texts. */
#include "core/base/value/unit.h"

#include <string.h>

static const struct {
    const char *unit;
    double value;
    char kind;
} units[] = {
    {"m", 1, 'm'},
    {"cm", 1e-2, 'm'},
    {"mm", 1e-3, 'm'},
    {"um", 1e-6, 'm'},
    {"nm", 1e-9, 'm'},
    {"A", 1e-10, 'm'},
    {"pm", 1e-12, 'm'},
    {"km", 1e3, 'm'},
    {"inch", 0.0254, 'm'},
    {"deg", 1, 'd'},
    {"arcmin", 1.0 / 60, 'd'},
    {"arcsec", 1.0 / 3600, 'd'},
    {"mas", 1.0 / 3600000, 'd'},
    {"rad", 57.295779513082320877, 'd'},
    {"s", 1, 's'},
    {"ms", 1e-3, 's'},
    {"us", 1e-6, 's'},
    {"min", 60, 's'},
    {"h", 3600, 's'},
};

/* Other programs' words for them. */
static const struct {
    const char *word, *unit;
} words[] = {
    {"micron", "um"},         {"microns", "um"},
    {"micrometer", "um"},     {"micrometre", "um"},
    {"angstrom", "A"},        {"angstroms", "A"},
    {"nanometer", "nm"},      {"nanometre", "nm"},
    {"millimeter", "mm"},     {"millimetre", "mm"},
    {"centimeter", "cm"},     {"centimetre", "cm"},
    {"meter", "m"},           {"metre", "m"},
    {"in", "inch"},           {"degree", "deg"},
    {"degrees", "deg"},       {"sec", "s"},
    {"second", "s"},          {"seconds", "s"},
    {"millisecond", "ms"},    {"minute", "min"},
    {"minutes", "min"},       {"hour", "h"},
    {"hours", "h"},           {"hr", "h"},
    {"picometer", "pm"},      {"meters", "m"},
    {"radian", "rad"},        {"radians", "rad"},
    {"arcsecs", "arcsec"},    {"arcsecond", "arcsec"},
    {"arcseconds", "arcsec"}, {"arcmins", "arcmin"},
    {"arcminute", "arcmin"},  {"arcminutes", "arcmin"},
};

void gf_unit_copy(const char *text, char end, char unit[12]) {
    static const char *const signs[] = {"\\u00B5",  "\xc2\xb5",     "\xce\xbc", "\xb5",
                                        "\xc3\x85", "\xe2\x84\xab", "\\u00C5"};
    enum { MICRO = 4 };
    size_t n = 0;
    text += text ? strspn(text, " ") : 0;
    for (; text && *text && *text != end && *text != '\n' && n + 1 < 12; n++) {
        size_t length = 1;
        unit[n] = *text > ' ' && *text < 127 ? *text : *text == ' ' ? '_' : '?';
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (!strncmp(text, signs[i], strlen(signs[i]))) {
                length = strlen(signs[i]);
                unit[n] = i < MICRO ? 'u' : 'A';
                break;
            }
        text += length;
    }
    unit[n] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(unit, words[i].word))
            strcpy(unit, words[i].unit);
}

double gf_unit_value(const char *unit, char *kind) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].unit)) {
            *kind = units[i].kind;
            return units[i].value;
        }
    return 0;
}
