/* The commands that are run with faults, and the small pictures they read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/faults/faults.h"

#define RUN(name, args) CASE(name, args " --backend=openmp")
#define PAGES(name, args) \
    { name, args " --backend=openmp", NULL, true, false }
#define CASE(name, args) \
    { name, args, NULL, false, false }

const struct fault_case fault_cases[] = {
    /* Every format in and out. */
    RUN("fwd-png", "fwd @/a.png --out=o.png"),
    RUN("fwd-rgb-png", "fwd @/c.png --out=o.png --png-level=9"),
    RUN("fwd-jpeg", "fwd @/a.jpg --out=o.jpg"),
    RUN("fwd-pgm", "fwd @/a.pgm --out=o.pgm"),
    RUN("fwd-ppm", "fwd @/c.ppm --out=o.ppm"),
    RUN("fwd-tiff", "fwd @/a.tif --out=o.tif"),
    RUN("fwd-tiff-deflate", "fwd @/a.png --out=o.tif --tiff-compression=deflate"),
    RUN("fwd-tiff-lzw", "fwd @/l.tif --out=o.tif --tiff-compression=lzw"),
    RUN("fwd-pfm", "fwd @/a.pfm --out=o.pfm"),
    RUN("fwd-npy", "fwd @/a.npy --complex=o.npy"),
    RUN("fwd-raw", "fwd @/a.raw --shape=12x16 --type=u8 --complex=o.raw"),
    RUN("fwd-complex-tiff", "fwd @/a.png --complex=o.tif --precision=double"),
    RUN("fwd-three", "fwd @/a.png --out=o.png --complex=o.npy --phase=o.tif"),
    RUN("fwd-no-record", "fwd @/a.png --out=o.npy --range=0,9"),
    {"fwd-pipe", "fwd - --out=png:- --backend=openmp", "a.png", false, false},
    {"fwd-pipe-tiff", "fwd - --out=tiff:- --backend=openmp", "a.tif", false, false},
    {"fwd-pipe-npy", "fwd - --out=npy:- --backend=openmp", "a.npy", false, false},
    RUN("fwd-volume", "fwd @/v.raw --shape=4x12x16 --type=u8 --complex=o.npy"),
    RUN("fwd-volume-tiff", "fwd @/v.tif --out=o.tif"),
    RUN("fwd-pages", "fwd @/v.tif --dims=2 --out=o{page}.png"),
    RUN("fwd-scratch",
        "fwd @/v.raw --shape=4x12x16 --type=u8 --complex=o.npy --max-memory=8K --scratch=auto"),
    RUN("fwd-scratch-tiff",
        "fwd @/v.tif --phase=o.tif --magnitude=m.raw --max-memory=9K --scratch=."),
    RUN("line-prime", "fwd @/v.raw --shape=757 --skip=11 --type=u8 --complex=o.npy"),
    RUN("line-scratch",
        "fwd @/v.raw --shape=768 --type=u8 --complex=o.npy --max-memory=5K --scratch=auto"),
    RUN("line-filter-scratch",
        "filter @/v.raw --shape=768 --type=u8 --convolve=@/k.pgm --edges=mirror "
        "--out=o.npy --max-memory=20K --scratch=auto"),
    RUN("filter-scratch", "filter @/v.raw --shape=4x12x16 --type=u8 --lowpass=3 --edges=taper "
                          "--out=o.npy --max-memory=30K --scratch=auto"),
    RUN("smooth-scratch", "filter @/v.raw --shape=4x12x16 --type=u8 --lowpass=3 --edges=smooth "
                          "--out=o.npy --max-memory=60K --scratch=auto"),
    RUN("mask-scratch", "filter @/v.raw --shape=4x12x16 --type=u8 --mask=@/v.tif --out=o.npy "
                        "--max-memory=12K --scratch=auto"),
    RUN("inv-scratch", "inv @/h.npy --out=o.tif --max-memory=5K --scratch=auto"),
    RUN("inv-scratch-tiff", "inv @/f.tif --out=o.npy --max-memory=9K --scratch=."),
    RUN("fwd-verbose", "fwd @/a.png --out=o.png --verbose --json"),
    RUN("fwd-resume", "fwd @/a.png --out=o.png --resume --force"),
    RUN("fwd-folder", "fwd @/folder --out={stem}.png --complex={stem}.npy --jobs=2"),
    RUN("fwd-list", "fwd --files-from=@/list --out={stem}.ppm --jobs=2"),
    /* Page by page, with a thread that reads and one that writes. */
    PAGES("pages-npy", "fwd @/pages.raw --shape=24x40x32 --type=u8 --dims=2 --complex=o.npy "
                       "--max-memory=80K"),
    PAGES("pages-tiff", "fwd @/pages.tif --dims=2 --depth=8 --range=full --out=o.tif --phase=o.npy "
                        "--max-memory=80K"),
    /* Through a scratch file, with a thread that reads and one that writes. */
    PAGES("slabs-filter", "filter @/pages.raw --shape=24x40x32 --type=u8 --lowpass=3 --depth=32 "
                          "--out=o.npy --max-memory=150K --scratch=auto"),
    PAGES("slabs-several", "fwd @/pages.raw --shape=24x40x32 --type=u8 --complex=o.npy --depth=8 "
                           "--range=full --out=p.tif --max-memory=150K --scratch=auto"),
    /* Shared by two devices. */
    {"pages-deal",
     "fwd @/pages.raw --shape=24x40x32 --type=u8 --dims=2 --complex=o.npy "
     "--backend=openmp,openmp",
     NULL, true, false},
    {"folder-deal", "fwd @/folder --out={stem}.png --backend=openmp,openmp --deal=dynamic --jobs=2",
     NULL, true, false},
    {"planes-deal",
     "idwt @/pages.raw --shape=96x8x10 --type=f32 --levels=1 --nan=zero --out=o.npy "
     "--backend=openmp,openmp",
     NULL, true, false},
    PAGES("dwt-planes", "dwt @/pages.tif --out=o.tif --levels=1 --max-memory=80K"),
    PAGES("picture-scratch",
          "fwd @/a.npy --complex=o.npy --out=o.tif --max-memory=14K --scratch=."),
    PAGES("idwt-planes", "idwt @/pages_dwt.npy --out=o.tif --max-memory=110K"),
    PAGES("idwt-pages",
          "idwt @/pages_dwt.npy --out=o.tif --tiff-compression=lzw --max-memory=110K"),
    PAGES("pages-files",
          "filter @/pages.tif --dims=2 --lowpass=5 --out=o{page}.png --max-memory=60K"),
    /* Large enough for two threads. */
    {"fwd-threads", "fwd @/big.pgm --out=o.png --complex=o.npy --threads=2 --backend=openmp", NULL,
     true, false},
    {"filter-threads", "filter @/big.pgm --lowpass=20 --out=o.tif --threads=2 --backend=openmp",
     NULL, true, false},
    {"fwd-fed", "fwd @/big.png --out=o.png --threads=2 --backend=openmp", NULL, true, false},
    {"dwt-threads", "dwt @/big.pgm --levels=2 --out=o.npy --threads=2 --backend=openmp", NULL, true,
     false},
    RUN("inv-tiff", "inv @/s.tif --out=o.png"),
    RUN("inv-npy", "inv @/s.npy --out=o.tif"),
    RUN("inv-raw", "inv @/s.raw --out=o.pgm"),
    RUN("inv-polar", "inv --from-magnitude=@/m.tif --from-phase=@/p.tif --out=o.pfm"),
    RUN("dwt-tiff", "dwt @/a.png --levels=2 --out=o.tif --bands=bands"),
    RUN("dwt-npy", "dwt @/a.tif --levels=1 --threshold=hard:5% --out=o.npy"),
    RUN("dwt-frames", "dwt --frames @/folder --levels=1 --out=o.npy"),
    RUN("idwt-tiff", "idwt @/w.tif --out=o.png"),
    RUN("idwt-npy", "idwt @/w.npy --out=o.pgm"),
    RUN("filter-pair", "filter @/v.raw --shape=4x12x16 --type=u8 --lowpass=3 --out=o.hdr"),
    RUN("fwd-pair", "fwd @/v.raw --shape=4x12x16 --type=u8 --complex=o.img"),
    RUN("filter-png", "filter @/a.png --lowpass=3 --out=o.png"),
    RUN("filter-jpeg", "filter @/c.png --lowpass=3 --out=o.jpg --jpeg-quality=80"),
    RUN("filter-mask", "filter @/a.png --mask=@/m.pgm --out=o.tif"),
    RUN("filter-convolve", "filter @/c.png --convolve=gaussian:2 --edges=mirror --out=o.png"),
    RUN("filter-notch", "filter @/a.png --notch=3,2,1 --mask-out=m.png --out=o.npy"),
    RUN("filter-folder", "filter @/folder --highpass=2 --out={stem}.tif --jobs=2"),
    RUN("stats-csv", "stats @/a.png --peaks=3 --radial=o.csv"),
    RUN("stats-json", "stats @/a.tif --json --radial=o.png"),
    RUN("stats-folder", "stats @/folder --radial={stem}.csv"),
    RUN("stats-tiles", "stats @/a.png --psd --tiles=8 --angular --json"),
    RUN("match", "match @/a.png @/m.pgm --template-mask=@/m.pgm --out=o.npy"),
    RUN("frc", "frc @/a.png @/a.pgm --mask=soft --randomize=0.1 --out=o.csv"),
    RUN("register", "register @/pages.tif @/pages.tif --out=o.tif --csv=o.csv"),
    CASE("info", "info @/a.png @/s.npy @/s.tif @/v.tif"),
    CASE("info-metadata", "info @/meta.tif @/meta.jpg"),
    RUN("filter-metadata", "filter @/meta.tif --lowpass=3 --out=o.png"),
    RUN("filter-metadata-jpeg", "filter @/meta.tif --lowpass=3 --out=o.jpg"),
    RUN("filter-copy", "filter @/meta.jpg --auto-notch --out=o.jpg"),
    RUN("filter-metadata-tiff", "filter @/meta.png --lowpass=3 --out=o.tif"),
    CASE("info-json", "info --json @/a.pgm @/s.raw @/a.pfm"),
    CASE("plan", "plan @/a.png --max-memory=1G --backend=openmp"),
    CASE("plan-shape", "plan 64x512 --type=u16 --kind=complex --out=x.npy --max-memory=1G"),
    /* Devices absent for want of memory are reported so. */
    {"devices", "devices", NULL, false, true},
    CASE("demo-every", "demo @/a.png --every=2 --out=o.png"),
    CASE("help", "fwd --help"),
    {"demo", "demo aliasing --out=d", NULL, true, true},
    {"bench", "bench 16x16 --backend=openmp --repeat=1", NULL, true, true},
    {"selftest", "selftest --backend=openmp", NULL, true, true},
    {NULL, NULL, NULL, false, false},
};

static bool pnm(const char *folder, const char *name, const char *head, int n, unsigned seed) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    if (!f)
        return false;
    fputs(head, f);
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        fputc((int)(seed >> 24), f);
    }
    return fclose(f) == 0;
}

/* a.jpg with a colour profile behind its first two bytes, which is little more than a header. */
static bool profile_jpeg(const char *folder) {
    enum { HEAD = 18, PROFILE = 144, ROOM = 10000 };
    unsigned char segment[HEAD + PROFILE] = {0xff, 0xe2, 0, HEAD + PROFILE - 2}, old[ROOM];
    char path[512];
    memcpy(segment + 4, "ICC_PROFILE\0\1\1", 14);
    segment[HEAD + 3] = PROFILE;
    memcpy(segment + HEAD + 16, "RGB ", 4);
    memcpy(segment + HEAD + 36, "acsp", 4);
    snprintf(path, sizeof path, "%s/a.jpg", folder);
    FILE *f = fopen(path, "rbe");
    size_t n = f ? fread(old, 1, ROOM, f) : 0;
    if (f)
        fclose(f);
    snprintf(path, sizeof path, "%s/meta.jpg", folder);
    f = n > 2 ? fopen(path, "wbe") : NULL;
    if (!f)
        return false;
    fwrite(old, 1, 2, f);
    fwrite(segment, 1, sizeof segment, f);
    fwrite(old + 2, 1, n - 2, f);
    return fclose(f) == 0;
}

bool inputs_make(const char *folder, int seed) {
    static const char *const lines[] = {
        "demo a.pgm --every=1 --out=a.png",
        "demo a.pgm --every=1 --out=a.tif",
        "demo a.pgm --every=1 --out=l.tif --tiff-compression=lzw",
        "demo a.pgm --every=1 --out=a.npy",
        "demo c.ppm --every=1 --out=c.png",
        "demo big.pgm --every=1 --out=big.png",
        "demo c.ppm --every=1 --out=a.jpg",
        "fwd a.pgm --out=a.pfm",
        "fwd a.pgm --complex=s.tif",
        "fwd a.pgm --complex=s.npy",
        "fwd a.pgm --complex=s.raw",
        "fwd a.pgm --out=m.tif --scale=linear --phase=p.tif",
        "fwd v.raw --shape=4x12x16 --type=u8 --half --complex=h.npy",
        "fwd v.raw --shape=4x12x16 --type=u8 --complex=f.tif",
        "dwt a.pgm --levels=2 --out=w.tif",
        "dwt a.pgm --levels=2 --out=w.npy",
        "filter v.raw --shape=4x12x16 --type=u8 --lowpass=9 --out=v.tif",
        "filter pages.raw --shape=24x40x32 --type=u8 --lowpass=9 --out=pages.tif",
        "dwt pages.raw --shape=24x40x32 --type=u8 --levels=2 --out=pages_dwt.npy",
        "demo a.pgm --every=1 --out=folder/1.png",
        "demo b.pgm --every=1 --out=folder/2.tif",
        "demo b.pgm --every=1 --out=folder/3.pgm",
    };
    char path[512];
    snprintf(path, sizeof path, "%s/folder", folder);
    if (mkdir(folder, 0777) || mkdir(path, 0777) ||
        !pnm(folder, "a.pgm", "P5\n16 12\n255\n", 192, (unsigned)seed) ||
        !pnm(folder, "b.pgm", "P5\n16 12\n255\n", 192, (unsigned)seed + 1) ||
        !pnm(folder, "k.pgm", "P5\n7 1\n255\n", 7, (unsigned)seed + 2) ||
        !pnm(folder, "m.pgm", "P5\n16 12\n255\n", 192, (unsigned)seed + 2) ||
        !pnm(folder, "c.ppm", "P6\n16 12\n255\n", 576, (unsigned)seed + 3) ||
        !pnm(folder, "big.pgm", "P5\n1000 800\n255\n", 800000, (unsigned)seed + 6) ||
        !pnm(folder, "a.raw", "", 192, (unsigned)seed + 4) ||
        !pnm(folder, "v.raw", "", 768, (unsigned)seed + 5) ||
        !pnm(folder, "pages.raw", "", 24 * 40 * 32, (unsigned)seed + 7) ||
        !pnm(folder, "folder/notes.txt", "no picture\n", 0, 0))
        return false;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!run_plain(folder, lines[i])) {
            fprintf(stderr, "faults: cannot make an input: gpufft %s\n", lines[i]);
            return false;
        }
    if (!profile_jpeg(folder) || !run_plain(folder, "filter meta.jpg --lowpass=6 --out=meta.tif") ||
        !run_plain(folder, "filter meta.jpg --lowpass=6 --out=meta.png"))
        return false;
    snprintf(path, sizeof path, "%s/list", folder);
    FILE *f = fopen(path, "we");
    if (!f)
        return false;
    fprintf(f, "%s/a.png\n%s/c.ppm\n", folder, folder);
    return fclose(f) == 0;
}
