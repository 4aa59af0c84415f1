/* TIFF descriptions of stacks: ImageJ's, OME's, and everyone else's. */
#include <stdlib.h>
#include <string.h>

#include "formats/stack.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static struct gf_stack parse(const char *text, int samples) {
    struct gf_stack s;
    gf_stack_parse(text, samples, &s);
    return s;
}

static const char imagej[] =
    "ImageJ=1.53t\nimages=30\nchannels=2\nslices=5\nframes=3\nhyperstack=true\n"
    "mode=grayscale\nunit=\\u00B5m\nspacing=0.5\nloop=false\n";
static const char ome[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!-- OME -->\n"
    "<OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\"><Image ID=\"Image:0\">"
    "<Pixels ID=\"Pixels:0\" DimensionOrder=\"XYZTC\" Type=\"uint16\" SizeX=\"64\" SizeY=\"48\"\n"
    " SizeZ=\"7\" SizeC=\"3\" SizeT=\"4\" PhysicalSizeX=\"0.25\" PhysicalSizeXUnit=\"\xc2\xb5m\" "
    "PhysicalSizeY=\"0.25\" PhysicalSizeZ=\"1.5\"><TiffData/></Pixels></Image></OME>";

static void test_described(void) {
    struct gf_stack s = parse(imagej, 1);
    CHECK(!strcmp(s.by, "ImageJ") && s.pages == 30 && s.c == 2 && s.z == 5 && s.t == 3);
    CHECK(!strcmp(s.order, "tzc") && !strcmp(s.unit, "um") && s.spacing[0] == 0.5);
    s = parse("ImageJ=1.47a\nimages=540000\nslices=540000\nloop=false\n", 1);
    CHECK(s.pages == 540000 && s.z == 540000 && s.c == 1 && s.t == 1 && !*s.unit);
    s = parse("ImageJ=1.47a\nimages=12\n", 1);
    CHECK(s.pages == 12 && s.z == 12);
    s = parse("ImageJ=1.47a\nunit=inch\n", 1);
    CHECK(s.by && s.pages == 1);
    s = parse(ome, 1);
    CHECK(!strcmp(s.by, "OME") && s.pages == 84 && s.c == 3 && s.z == 7 && s.t == 4);
    CHECK(!strcmp(s.order, "ctz") && !strcmp(s.unit, "um") && s.spacing[0] == 1.5 &&
          s.spacing[2] == 0.25 && !s.elsewhere);
    s = parse(ome, 3); /* red, green and blue of each pixel */
    CHECK(s.c == 1 && s.pages == 28);
    s = parse("<OME><Pixels SizeZ=\"2\"><UUID FileName=\"b.tif\"/></Pixels></OME>", 1);
    CHECK(s.z == 2 && s.elsewhere && !strcmp(s.order, "tzc"));
}

/* Anyone else's text is no description of a stack, whatever words are in it. */
static void test_others(void) {
    static const char *const words[] = {
        "images=5",   "channels=3", "ImageJ",      "slices=7",       "frames=9",
        "<Pixels",    "<?xml",      "SizeC=\"4\"", "a stack of",     "hyperstack=true",
        "{\"shape\"", "OME",        "Adobe",       "DimensionOrder", "\n"};
    static const char *const whole[] = {
        "",
        "200 images of a wall, ImageJ=no",
        " ImageJ=1.5\nimages=7\n",
        "{\"gpufft\": 1, \"shape\": [4, 16, 16], \"kind\": \"complex\"}",
        "{\"shape\": [5, 16, 16], \"images\": 5}",
        "<?xml version=\"1.0\"?><svg><Pixels SizeT=\"3\"/></svg>",
        "<?xml version=\"1.0\"?><OME></OME>",
        "NanoZoomer\nimages=3\nslices=2\n",
    };
    uint32_t seed = 9;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        CHECK_MSG(!parse(whole[i], 1).by, "'%s'", whole[i]);
    for (int i = 0; i < 400; i++) {
        char text[400] = "Picture";
        for (uint32_t n = 2 + random_next(&seed) % 12; n > 0; n--) {
            strcat(text, random_next(&seed) % 2 ? " " : "\n");
            strcat(text, words[random_next(&seed) % (sizeof words / sizeof *words)]);
        }
        struct gf_stack s = parse(text, 1);
        CHECK_MSG(!s.by && s.pages == 1, "'%s'", text);
    }
}

/* Cut and changed anywhere, and as long as it is in memory. */
static void test_hostile(void) {
    uint32_t seed = 4;
    for (int i = 0; i < 20000; i++) {
        const char *from = i % 2 ? imagej : ome;
        size_t n = 1 + random_next(&seed) % strlen(from);
        char *text = malloc(n + 1);
        memcpy(text, from, n);
        text[n] = 0;
        for (int k = 0; k < 4 && n > 7; k++)
            text[7 + random_next(&seed) % (n - 7)] = (char)(1 + random_next(&seed) % 255);
        struct gf_stack s = parse(text, 1 + i % 4);
        bool good =
            s.pages >= 0 && s.z >= 1 && s.c >= 1 && s.t >= 1 && strlen(s.unit) < sizeof s.unit;
        for (int k = 0; k < 3; k++)
            good = good && s.spacing[k] >= 0 && s.spacing[k] <= 1e12;
        for (const char *p = s.unit; *p; p++)
            good = good && *p >= ' ' && *p < 127;
        CHECK(good && (!s.by || strspn(s.order, "tzc") == 3));
        free(text);
    }
    CHECK(parse("ImageJ=\nimages=99999999999999999999\nframes=1e300\nchannels=-4\nspacing=nan\n", 1)
              .pages < 2);
}

int main(void) {
    test_described();
    test_others();
    test_hostile();
    return TEST_END();
}
