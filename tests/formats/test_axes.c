/* TIFF descriptions of stacks: ImageJ's, OME's, and everyone else's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/ome.h"
#include "formats/pick.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static struct gf_axes parse(const char *text, int samples) {
    struct gf_axes a;
    struct gf_ome o;
    gf_axes_start(&a, 48, 64);
    if (!strncmp(text, "ImageJ=", 7)) {
        gf_axes_parse_imagej(text, &a);
    } else if (!gf_ome_read(text, -1, NULL, &o) && o.images) {
        gf_ome_set_samples(&o, samples);
        gf_axes_describe(&a, "OME", &o.pages);
        gf_ome_free(&o);
    } else {
        a.n = 0;
    }
    return a;
}

/* "t 3, z 5 by 0.5 um, …": all that was parsed. */
static const char *shown(const char *text, int samples) {
    static char line[400];
    struct gf_axes a = parse(text, samples);
    size_t n = 0;
    line[0] = 0;
    for (int i = 0; i < a.n; i++) {
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%s %lld", i ? ", " : "", a.axis[i].name,
                              (long long)a.axis[i].extent);
        if (a.axis[i].spacing > 0)
            n += (size_t)snprintf(line + n, sizeof line - n, " by %g %s", a.axis[i].spacing,
                                  a.axis[i].unit);
    }
    return line;
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

static void check(const char *text, int samples, const char *by, const char *want) {
    struct gf_axes a = parse(text, samples);
    const char *is = shown(text, samples);
    CHECK_MSG(a.by && !strcmp(a.by, by) && !strcmp(is, want), "'%s', not '%s'", is, want);
}

static void test_described(void) {
    check(imagej, 1, "ImageJ", "t 3, z 5 by 0.5 um, c 2, y 48, x 64");
    check("ImageJ=1.47a\nimages=540000\nslices=540000\nloop=false\n", 1, "ImageJ",
          "t 1, z 540000, c 1, y 48, x 64");
    check("ImageJ=1.47a\nimages=12\n", 1, "ImageJ", "t 1, z 12, c 1, y 48, x 64");
    check("ImageJ=1.47a\nunit=inch\nfinterval=0.1\n", 1, "ImageJ",
          "t 1 by 0.1 s, z 1, c 1, y 48, x 64");
    check(ome, 1, "OME", "c 3, t 4, z 7 by 1.5 um, y 48 by 0.25 um, x 64 by 0.25 um");
    check(ome, 3, "OME", /* red, green and blue of each pixel */
          "c 1, t 4, z 7 by 1.5 um, y 48 by 0.25 um, x 64 by 0.25 um");
    check("<OME><Pixels SizeZ=\"2\" PhysicalSizeX='3' PhysicalSizeXUnit='&#xB5;m' "
          "PhysicalSizeY='0' PhysicalSizeZ='1,5'/></OME>",
          1, "OME", "t 1, z 2, c 1, y 48, x 64 by 3 um");
    check("<OME><Pixels SizeT='2' TimeIncrement='0.5' SizeC='3' DimensionOrder='XYTZC'/></OME>", 1,
          "OME", "c 3, z 1, t 2 by 0.5 s, y 48, x 64");
    check("<OME><Pixels PhysicalSizeX='3' PhysicalSizeXUnit='\xb5m'/></OME>", 1, "OME",
          "t 1, z 1, c 1, y 48, x 64 by 3 um"); /* a byte of Latin-1 */
    CHECK(parse(imagej, 1).named && parse(ome, 1).named);
    CHECK(!parse("ImageJ=1.47a\nimages=12\n", 1).named); /* depth */
    struct gf_axes a = parse(imagej, 1);
    CHECK(gf_axes_pages(&a) == 30 && gf_axes_groups(&a) == 6);
    CHECK(!gf_axes_spatial(&a, 3, 0) && gf_axes_spatial(&a, 3, 2) == &a.axis[4]);
    a = parse("ImageJ=1.47a\nimages=12\n", 1);
    CHECK(gf_axes_spatial(&a, 3, 0) == &a.axis[1]);
}

/* The directories of the planes of OME's description, by letters: "ba" if plane 0 is in directory 1; the
 * other file's name; or "?" for a text that is refused. */
static const char *mapped(const char *data, const char *path, int64_t which) {
    enum { PAGES = 6 };
    static char line[80];
    char text[2000];
    int64_t page[PAGES];
    struct gf_ome o;
    snprintf(text, sizeof text,
             "\xef\xbb\xbf<?xml version='1.0'?>\n<O:OME xmlns:O='x' UUID='urn:u'><!-- <Pixels/> -->"
             "<O:Image Name='one'><O:Pixels SizeX='4' SizeY='4' SizeZ = '2' SizeC='3' SizeT='1' "
             "DimensionOrder='XYZCT'>%s</O:Pixels></O:Image>"
             "<O:Image Name='&lt;two&gt;'><O:Pixels SizeZ='2'><O:TiffData IFD='4' PlaneCount='2'/>"
             "</O:Pixels></O:Image></O:OME>",
             data);
    if (gf_ome_read(text, which, path, &o))
        return "?";
    CHECK(o.images == 2 && !strcmp(o.list, "0 'one', 1 '<two>'"));
    const int64_t planes = gf_ome_planes(&o);
    strcpy(line, o.other);
    if (!gf_ome_map(&o, PAGES, page))
        for (int64_t i = 0; i < planes; i++)
            snprintf(line + i, sizeof line - (size_t)i, "%c", 'a' + (int)page[i]);
    gf_ome_free(&o);
    return line;
}

static void test_map(void) {
#define ENDED "<O:TiffData FirstC='2'>"
    static const struct {
        const char *data, *path, *want;
        int64_t which;
    } cases[] = {
        {"<O:TiffData/>", NULL, "abcdef", -1},
        {"<O:TiffData></O:TiffData>", NULL, "abcdef", -1},
        {"<O:TiffData IFD='0' PlaneCount='6'/>", NULL, "abcdef", 0},
        {"<O:TiffData IFD='2' PlaneCount='4'/><O:TiffData FirstC='2' PlaneCount='2'/>", NULL,
         "cdefab", -1},
        {"<O:TiffData IFD='5'/><O:TiffData FirstZ='1' IFD=\"4\"/><O:TiffData FirstC='1'/>", NULL,
         "feabcd", -1},                                        /* one directory, one, all */
        {"<O:TiffData IFD='1' NumPlanes='5'/>", NULL, "", -1}, /* one is missing */
        {"<O:TiffData IFD='9' FirstC='7'/><O:TiffData/>", NULL, "abcdef", -1},
        {"<O:TiffData IFD='x'/>", NULL, "?", -1},
        {"<O:TiffData PlaneCount='-1'/>", NULL, "?", -1},
        {"<O:TiffData/>", NULL, "ef", 1},
        {"<O:TiffData/>", NULL, "?", 2},
        {"<O:TiffData PlaneCount='4'/>" ENDED "<O:UUID FileName='b'>urn:v</O:UUID></O:TiffData>",
         "in/a", "b", 0},
        {"<O:TiffData PlaneCount='4'/>" ENDED "<O:UUID FileName='b'>urn:u</O:UUID></O:TiffData>",
         "in/a", "abcdab", -1}, /* it has this file's UUID, */
        {"<O:TiffData PlaneCount='4'/>" ENDED "<O:UUID FileName='b'/></O:TiffData>", "b", "abcdab",
         -1}, /* or name, */
        {"<O:TiffData><O:UUID FileName='b'>urn:v</O:UUID></O:TiffData>", "in/a", "b", 0},
        {"<O:TiffData><O:UUID FileName='b'/></O:TiffData>", "in/a", "abcdef", 0}, /* renamed */
        {"<O:TiffData><O:UUID FileName='b'>urn:v</O:UUID></O:TiffData>", "in/a", "ef", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *is = mapped(cases[i].data, cases[i].path, cases[i].which);
        CHECK_MSG(!strcmp(is, cases[i].want), "%zu: '%s', not '%s'", i, is, cases[i].want);
    }
    struct gf_ome o;
    CHECK(!gf_ome_read("<OME><BinaryOnly MetadataFile=\"c.xml\"/></OME>", -1, "a", &o) &&
          !o.images && !strcmp(o.other, "c.xml"));
    CHECK_EQ(gf_ome_read("<!DOCTYPE OME [<!ENTITY a \"b\">]><OME/>", -1, NULL, &o), GF_EFORMAT);
    CHECK_EQ(gf_ome_read("<!DOCTYPE x [<!ENTITY a \"b\">]><x:OME/>", -1, NULL, &o), GF_EFORMAT);
    CHECK(!gf_ome_read("<!DOCTYPE svg [<!ENTITY a \"OME\">]><svg/>", -1, NULL, &o) && !o.images);
    CHECK_EQ(gf_ome_read("<OME><Image></OME>", -1, NULL, &o), GF_EFORMAT);
    CHECK_EQ(gf_ome_read("<OME><Pixels SizeZ='2' SizeT='3'/></OME>", -1, NULL, &o), GF_EFORMAT);
}

/* Every page of a t, z, c file, read as volumes or all together, whole and in part. */
static void test_counts(void) {
    enum { T = 3, Z = 5, C = 2 };
    for (int volumes = 0; volumes < 2; volumes++)
        for (int selects = 0; selects < 2; selects++) {
            const int64_t shape[] = {T * Z * C, 48, 64, 1};
            struct gf_image image = {.ndim = 3, .px = gf_array_wrap(NULL, GF_U8, 4, shape)};
            struct gf_read_options options = {.volumes = volumes, .n_select = selects};
            struct gf_pick p;
            options.select[0] = (struct gf_range_of){"t", 1, 2};
            image.axes = parse("ImageJ=1\nimages=30\nchannels=2\nslices=5\nframes=3\n", 1);
            CHECK_EQ(gf_pick_make(&options, &image, &p), 0);
            CHECK(p.images == (volumes ? (selects ? 2 : T) * C : 1));
            for (p.image = 0; p.image < p.images; p.image++)
                for (int64_t i = 0; i < p.pages; i++) {
                    const struct gf_pick_count t = gf_pick_counts(&p, GF_TIME),
                                               c = gf_pick_counts(&p, GF_CHANNEL);
                    const int64_t page = gf_pick_page(&p, i);
                    CHECK(t.first + i / t.step % t.count == page / (Z * C));
                    CHECK(c.first + i / c.step % c.count == page % C);
                }
        }
}

/* A transformed axis has frequencies; of pages along several axes only those of space change. */
static void test_transformed(void) {
    struct gf_axes a;
    const int64_t shape[] = {4, 8, 16};
    for (int oblique = 0; oblique < 2; oblique++) {
        gf_axes_start(&a, 8, 16);
        a.axis[0].spacing = 0.5;
        strcpy(a.axis[0].unit, "um");
        a.axis[1].spacing = 2;
        gf_axes_add(&a, "z", 4, 3, "a_long_unit");
        a.oblique = oblique;
        gf_axes_transform(&a, 3, shape, 7);
        CHECK(a.axis[1].spacing == (oblique ? 0 : 0.25) &&
              a.axis[2].spacing == (oblique ? 0 : 1. / 32));
        CHECK_STR(a.axis[1].unit, "1/um");
        CHECK_STR(a.axis[2].unit, "");
        CHECK_STR(a.axis[0].unit, "1/a_long_un");
    }
    gf_axes_start(&a, 8, 16);
    a.axis[0].spacing = a.axis[1].spacing = 1;
    gf_axes_transform(&a, 2, shape + 1, 2); /* along x */
    CHECK(a.axis[0].spacing == 1 && a.axis[1].spacing == 1. / 16);
    gf_axes_add(&a, "z", 4, 0.5, "um");
    gf_axes_add(&a, "t", 3, 5, "s");
    gf_axes_transform(&a, 3, (const int64_t[]){4, 8, 16}, 1); /* of each volume */
    CHECK(a.axis[0].spacing == 5 && a.axis[1].spacing == 0.5);
    gf_axes_transform(&a, 3, (const int64_t[]){12, 8, 16}, 1); /* across all pages */
    CHECK(a.axis[0].spacing == 0 && a.axis[3].spacing == 1. / 16);
}

/* Axes that are dropped, and axes beyond the most there may be. */
static void test_dropped(void) {
    for (int space = 0; space < 2; space++) {
        struct gf_axes a = parse(imagej, 1);
        gf_axes_drop_pages(&a, space);
        CHECK_EQ(a.n, space ? 2 : 3);
        CHECK_STR(a.axis[0].name, space ? "y" : "z");
        CHECK(!a.named);
    }
    struct gf_axes a;
    gf_axes_start(&a, 8, 16);
    for (int i = 0; i < GF_MAX_AXES; i++)
        gf_axes_add(&a, "n", 2, 1, "");
    CHECK(a.n == GF_MAX_AXES && a.axis[GF_MAX_AXES - 1].extent == 16);
    CHECK(gf_positive("1e12") == 1e12 && gf_positive("1.1e12") == 0 && gf_positive("5x") == 0 &&
          gf_positive("2.5 um") == 2.5 && gf_positive("-1") == 0 && gf_positive("") == 0);
}

static void test_units(void) {
    static const char *const cases[][2] = {{"\\u00B5m", "um"},
                                           {"\xc2\xb5m", "um"},
                                           {"micron", "um"},
                                           {"\xc3\x85", "A"},
                                           {"Angstrom", "Angstrom"},
                                           {"angstrom", "A"},
                                           {"nm\nx=1", "nm"},
                                           {"a very long unit", "a_very_long"},
                                           {"", ""}};
    char unit[12], kind = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gf_unit_copy(cases[i][0], '"', unit);
        CHECK_MSG(!strcmp(unit, cases[i][1]), "'%s', not '%s'", unit, cases[i][1]);
    }
    CHECK(gf_unit_value("A", &kind) * 1e10 == 1 && kind == 'm');
    CHECK(gf_unit_value("arcsec", &kind) * 3600 == 1 && kind == 'd');
    CHECK(!(gf_unit_value("parsec", &kind) > 0));
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
        CHECK_MSG(!parse(whole[i], 1).n, "'%s'", whole[i]);
    for (int i = 0; i < 400; i++) {
        char text[400] = "Picture";
        for (uint32_t n = 2 + random_next(&seed) % 12; n > 0; n--) {
            strcat(text, random_next(&seed) % 2 ? " " : "\n");
            strcat(text, words[random_next(&seed) % (sizeof words / sizeof *words)]);
        }
        CHECK_MSG(!parse(text, 1).n, "'%s'", text);
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
        struct gf_axes a = parse(text, 1 + i % 4);
        bool good = a.n == 0 || (a.n == 5 && gf_axes_pages(&a) >= 1 && a.axis[3].extent == 48);
        for (int k = 0; k < a.n; k++) {
            good = good && a.axis[k].extent >= 1 && a.axis[k].spacing >= 0 &&
                   a.axis[k].spacing <= 1e12 && strlen(a.axis[k].unit) < sizeof a.axis[k].unit;
            for (const char *p = a.axis[k].unit; *p; p++)
                good = good && *p > ' ' && *p < 127;
        }
        CHECK(good);
        free(text);
    }
    struct gf_axes a =
        parse("ImageJ=\nimages=99999999999999999999\nframes=1e300\nchannels=-4\nspacing=nan\n", 1);
    CHECK(gf_axes_pages(&a) < 2);
}

int main(void) {
    if (gf_expat_load()) {
        fprintf(stderr, "test_axes: skipped: %s\n", gf_message());
        return TEST_END();
    }
    RUN("descriptions by ImageJ and OME give the axes", test_described());
    RUN("OME's TiffData map planes to pages", test_map());
    RUN("every page has its place in t, z and c", test_counts());
    RUN("transformed axes have frequencies", test_transformed());
    RUN("axes are dropped and added to the most there are", test_dropped());
    RUN("units are written in one way", test_units());
    RUN("other texts are no description of a stack", test_others());
    RUN("descriptions that are cut or changed are refused or read", test_hostile());
    return TEST_END();
}
