/* gpufft demo: lessons, each a folder of numbered panels made by the program's own commands. A lesson
 * is its page, an embedded Markdown document: a title, a text that names its samples, and commands,
 * each an indented line "gpufft …" with its pictures and what is to be seen behind it. A command is
 * words between spaces, optionally with "> FILE" at the end; names of panels begin with two digits
 * and a dash. */
#include "cli/embedded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/report.h"
#include "cli/batch/task.h"
#include "cli/text.h"
#include "core/base/value/sample_value.h"
#include "core/base/value/spelling.h"

enum { MAX_WORDS = 24, MAX_COMMAND = 400 };

/* ---- lessons: Markdown documents among the samples ---- */

/* Advances *f to the next lesson, and returns its name without a suffix; NULL at the end. */
static const char *next_lesson(const struct gf_embedded **f, char name[32]) {
    for (; (*f)->name; ++*f) {
        const char *suffix = strstr((*f)->name, ".md");
        if (suffix) {
            snprintf(name, 32, "%.*s", (int)(suffix - (*f)->name), (*f)->name);
            return name;
        }
    }
    return NULL;
}

/* Sets the line at *at, without its end, and advances; false at the end of the text. */
static bool next_line(const char **at, const char *end, const char **line, int *n) {
    *line = *at;
    *n = *at < end ? (int)strcspn(*at, "\n") : 0; /* a document ends with a line's end */
    *at += *n + 1;
    return *line < end;
}

/* True for a line that is a command; copies its words but "gpufft". */
static bool is_command(const char *line, int n, char words[MAX_COMMAND]) {
    static const char start[] = "    gpufft ";
    const int skip = (int)sizeof start - 1;
    if (n <= skip || strncmp(line, start, (size_t)skip))
        return false;
    snprintf(words, MAX_COMMAND, "%.*s", n - skip, line + skip);
    return true;
}

/* Reads the next "`01-input.png` is the sample `scene.png`" of a lesson's text. */
static bool next_sample(const char **at, char panel[128], char sample[128]) {
    const char *is = strstr(*at, "` is the sample `");
    int from = 0;
    if (!is)
        return false;
    while (is[from - 1] != '`')
        from--;
    snprintf(panel, 128, "%.*s", -from, is + from);
    is = strchr(is + 1, '`') + 1;
    snprintf(sample, 128, "%.*s", (int)strcspn(is, "`"), is);
    *at = is;
    return true;
}

/* Copies the command's next word, or the part after its last =, and advances *at; false at the
 * end. */
static bool next_name(const char **at, char name[128]) {
    const char *word = *at + strspn(*at, " ");
    const int n = (int)strcspn(word, " ");
    int from = n;
    while (from && word[from - 1] != '=')
        from--;
    snprintf(name, 128, "%.*s", n - from, word + from);
    *at = word + n;
    return n > 0;
}

/* ---- running ---- */

static int write_input(const char *sample, const char *panel) {
    const struct gf_embedded *f = gf_embedded_find(sample);
    if (!f)
        return gf_fail(GF_EINVAL, "no sample '%s' in this program", sample);
    return gf_file_write(panel, f->bytes, (size_t)(f->end - f->bytes), true);
}

/* Checks a name that the lesson will write in the working folder. Links are refused: their targets
 * do not belong to the lesson. */
static int check_name(const char *name, bool clobber) {
    struct stat st;
    if (lstat(name, &st))
        return 0;
    if (S_ISLNK(st.st_mode))
        return gf_fail(GF_EIO, "'%s' is a link, and lessons follow none", name);
    return clobber ? 0 : gf_fail(GF_EIO, "'%s' exists, and --no-clobber keeps it", name);
}

/* Checks every file that a command names, and its record. Its inputs are the lesson's too. */
static int check_words(const char *words, bool clobber) {
    int rc = 0;
    for (char name[128], record[136]; !rc && next_name(&words, name);) {
        if (!strrchr(name, '.') || strspn(name, "0123456789.c%") == strlen(name))
            continue;
        snprintf(record, sizeof record, "%s.json", name);
        rc = check_name(name, clobber);
        if (!rc)
            rc = check_name(record, clobber);
    }
    return rc;
}

static int check_names(const char *text, const char *end, bool clobber) {
    char panel[128], sample[128], words[MAX_COMMAND];
    const char *at = text, *line;
    int rc = check_name("README.md", clobber), n;
    while (!rc && next_sample(&at, panel, sample))
        rc = check_name(panel, clobber);
    for (at = text; !rc && next_line(&at, end, &line, &n);)
        if (is_command(line, n, words))
            rc = check_words(words, clobber);
    return rc;
}

/* Redirects standard output into an unnamed file until restore(). */
static int redirect(FILE **to, int *keep) {
    gf_log_flush_stdout();
    *to = tmpfile();
    *keep = *to ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
    if (*keep >= 0 && dup2(fileno(*to), STDOUT_FILENO) >= 0)
        return 0;
    int rc = gf_fail_errno(GF_EIO, "cannot redirect standard output");
    if (*keep >= 0)
        close(*keep);
    if (*to)
        fclose(*to);
    return rc;
}

/* Restores standard output and writes the printed text to the file `name`. */
static int restore(FILE *from, int keep, const char *name) {
    char text[1 << 15];
    gf_log_flush_stdout();
    dup2(keep, STDOUT_FILENO);
    close(keep);
    rewind(from);
    size_t n = fread(text, 1, sizeof text, from);
    int rc = ferror(from) || !feof(from) ? gf_fail(GF_EIO, "cannot write '%s': too much text", name)
                                         : gf_file_write(name, text, n, true);
    fclose(from);
    return rc;
}

/* Runs a command line as main() would; returns its exit code. */
static int run_words(const char *words) {
    char *word[MAX_WORDS + 2] = {(char *)"gpufft"}, *text = strdup(words), *rest = text;
    const char *to = NULL;
    FILE *kept = NULL;
    int n = 1, keep = -1, code = 1, rc = 0;
    if (!text) {
        gf_log_error("out of memory");
        return 1;
    }
    for (char *w; n <= MAX_WORDS && (w = strsep(&rest, " "));)
        if (*w)
            word[n++] = w;
    if (n > 3 && !strcmp(word[n - 2], ">")) {
        to = word[n - 1];
        n -= 2;
        rc = redirect(&kept, &keep);
    }
    word[n] = NULL;
    if (!rc) {
        code = gf_run_line(n, word);
        rc = to ? restore(kept, keep, to) : 0;
    }
    if (rc)
        code = gf_log_exit(rc, NULL);
    free(text);
    return code;
}

/* Prints the text up to the next command as comments; *at is then that command's line. */
static void print_text(const char **at, const char *end) {
    char words[MAX_COMMAND];
    const char *line, *after = *at;
    for (int n; next_line(&after, end, &line, &n) && !is_command(line, n, words); *at = after)
        if (n && *line != '!') /* no picture */
            printf("%s%.*s\n", *line == '#' ? "" : "# ", n, line);
}

/* Copies the lesson's samples and its page into the working folder. */
static int write_files(const struct gf_embedded *lesson, const char *text) {
    char panel[128], sample[128];
    int rc = 0;
    for (const char *at = text; !rc && next_sample(&at, panel, sample);)
        rc = write_input(sample, panel);
    return rc ? rc : gf_file_write("README.md", text, (size_t)(lesson->end - lesson->bytes), true);
}

/* Runs a lesson in the working folder, which messages call `out`, from its first command on. */
static int run_lesson(const struct gf_embedded *lesson, const char *name, const char *at,
                      const char *out, bool clobber) {
    const char *text = (const char *)lesson->bytes, *end = (const char *)lesson->end, *line;
    char words[MAX_COMMAND];
    int rc = check_names(text, end, clobber), code = 0;
    if (!rc)
        rc = write_files(lesson, text);
    if (rc) {
        gf_fail(rc, "lesson '%s': %s", name, gf_message());
        return gf_log_exit(rc, out);
    }
    for (int n; !code && next_line(&at, end, &line, &n) && is_command(line, n, words);) {
        printf("gpufft %s\n", words);
        print_text(&at, end);
        gf_log_flush_stdout();
        code = run_words(words);
        if (code)
            gf_log_error("demo: lesson '%s' ends here", name);
    }
    return code;
}

static int enter(const char *folder) {
    if ((mkdir(folder, 0777) && errno != EEXIST) || chdir(folder))
        return gf_fail_errno(GF_EIO, "cannot make or enter the folder");
    return 0;
}

/* Prints `cd` and the folder, quoted for a shell. */
static void print_cd(const char *out, const char *below) {
    fputs("cd '", stdout);
    for (const char *p = out; *p; p++)
        *p == '\'' ? fputs("'\\''", stdout) : putchar(*p);
    printf("%s%s'\n", below ? "/" : "", below ? below : "");
}

/* Runs a lesson in the folder `out` or in a folder of its name there, and returns to the old
 * working folder. */
static int teach(const struct gf_embedded *lesson, const char *name, const char *out,
                 bool own_folder, bool clobber) {
    int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = back < 0 ? gf_fail_errno(GF_EIO, "cannot come back from the folder") : enter(out);
    if (!rc && own_folder)
        rc = enter(name);
    int code = gf_log_exit(rc, out);
    if (!rc) {
        const char *at = (const char *)lesson->bytes;
        print_text(&at, (const char *)lesson->end);
        print_cd(out, own_folder ? name : NULL);
        code = run_lesson(lesson, name, at, out, clobber);
        printf(own_folder ? "cd - >/dev/null\n\n" : "");
    }
    if (back >= 0 && fchdir(back) && !code)
        code = gf_log_exit(gf_fail_errno(GF_EIO, "cannot go back to the folder"), NULL);
    close(back);
    return code;
}

/* ---- steps without a transform: --every and --sum ---- */

/* Makes *out a view of samples 0, step, 2 step, … along every axis. */
static void take_every(const struct gf_image *in, int64_t step, struct gf_image *out) {
    out->px = in->px;
    out->px.base = NULL;
    for (int i = 0; i < in->ndim; i++) {
        out->px.shape[i] = gf_divide_up(in->px.shape[i], step);
        out->px.stride[i] *= step;
    }
}

/* A nonzero sample of the kernel, and its offset from sample n/2. */
struct tap {
    int64_t y, x;
    double weight;
};

/* Reads the taps and normalises their sum to 1. */
static int read_taps(const struct gf_image *kernel, struct tap **taps, int64_t *n) {
    const struct gf_array *k = &kernel->px;
    double whole = 0;
    if (kernel->ndim != 2 || k->shape[2] != 1)
        return gf_fail(GF_EINVAL, "--sum: the kernel must be a grey picture");
    *taps = malloc((size_t)gf_array_count(k) * sizeof **taps);
    if (!*taps)
        return gf_no_memory();
    for (int64_t j = 0; j < k->shape[0]; j++)
        for (int64_t i = 0; i < k->shape[1]; i++) {
            const char *p = (const char *)k->data + j * k->stride[0] + i * k->stride[1];
            struct tap t = {j - k->shape[0] / 2, i - k->shape[1] / 2, gf_sample_get(p, k->dtype)};
            whole += t.weight;
            if (t.weight != 0)
                (*taps)[(*n)++] = t;
        }
    if (!(whole > 0))
        return gf_fail(GF_EINVAL, "--sum: the kernel's samples add up to %g", whole);
    for (int64_t i = 0; i < *n; i++)
        (*taps)[i].weight /= whole;
    return 0;
}

static int64_t wrap(int64_t k, int64_t n) {
    return (k % n + n) % n;
}

/* Returns a sample of the periodic convolution by definition: the sum of k(j, i) p(y - j, x -
 * i). */
static double sum_at(const struct gf_array *p, const struct tap *tap, int64_t n, int64_t y,
                     int64_t x, int64_t channel) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t v = wrap(y - tap[i].y, p->shape[0]), u = wrap(x - tap[i].x, p->shape[1]);
        const char *from = (const char *)p->data + v * p->stride[0] + u * p->stride[1];
        sum += tap[i].weight * gf_sample_get(from + channel * p->stride[2], p->dtype);
    }
    return sum;
}

static int take_sum(const struct gf_image *in, const struct gf_image *kernel,
                    struct gf_image *out) {
    struct tap *tap = NULL;
    int64_t n = 0;
    if (in->ndim != 2)
        return gf_fail(GF_EINVAL, "--sum takes a picture, and this has %d axes", in->ndim);
    int rc = read_taps(kernel, &tap, &n);
    if (!rc)
        rc = gf_array_alloc(&out->px, in->px.dtype, 3, in->px.shape);
    for (int64_t y = 0; y < in->px.shape[0] && !rc; y++)
        for (int64_t x = 0; x < in->px.shape[1]; x++)
            for (int64_t c = 0; c < in->px.shape[2]; c++) {
                char *to = (char *)out->px.data + y * out->px.stride[0] + x * out->px.stride[1] +
                           c * out->px.stride[2];
                gf_sample_put(to, out->px.dtype, sum_at(&in->px, tap, n, y, x, c));
            }
    free(tap);
    return rc;
}

static int run_by_hand(const struct gf_settings *s, const char *in,
                       const struct gf_template *where) {
    struct gf_image image = {0}, kernel = {0}, out = {0};
    const struct gf_format *format;
    struct gf_write_options options = gf_settings_write_options(s);
    int rc = gf_template_format(where, where->text, &format);
    if (!rc)
        rc = gf_load_picture(s, in, false, &image);
    if (rc)
        goto out;
    out = (struct gf_image){
        .ndim = image.ndim, .color = image.color, .alpha = image.alpha, .depth = image.depth};
    if (s->demo.every)
        take_every(&image, s->demo.every, &out);
    else if (!(rc = gf_load_picture(s, s->demo.sum, false, &kernel)))
        rc = take_sum(&image, &kernel, &out);
    if (!rc)
        rc = gf_format_accepts(format, &out);
    if (!rc)
        rc = gf_image_write(where->text, format, &out, &options, s->clobber);
out:
    gf_image_free(&image);
    gf_image_free(&kernel);
    gf_image_free(&out);
    return rc;
}

/* ---- the command ---- */

static void list_lessons(bool json) {
    const struct gf_embedded *f = gf_embedded_files;
    for (char name[32], title[128]; next_lesson(&f, name); f++) {
        const char *text = (const char *)f->bytes + 2; /* "# Title" */
        snprintf(title, sizeof title, "%.*s", (int)strcspn(text, "\n"), text);
        gf_report_print(json, "{lesson:-12s} {title}\n",
                        GF_REPORT(GF_KEY("lesson", name), GF_KEY("title", title)));
    }
}

static const char *lesson_name(int i) {
    static char name[32];
    const struct gf_embedded *f = gf_embedded_files;
    const char *found = "all";
    for (int k = 0; k < i && found; k++, f++)
        found = next_lesson(&f, name);
    return found;
}

static const struct gf_embedded *find_lesson(const char *name) {
    static char all[64][32];
    const char *names[64] = {NULL};
    const struct gf_embedded *f = gf_embedded_files;
    for (int i = 0; i < 63 && next_lesson(&f, all[i]); i++, f++) {
        if (!strcmp(all[i], name))
            return f;
        names[i] = all[i];
    }
    const char *near = gf_spelling_near(name, names);
    if (near)
        gf_fail(GF_EUSAGE, "no lesson '%s'; did you mean '%s'?", name, near);
    else
        gf_fail(GF_EUSAGE, "no lesson '%s'; gpufft demo lists them", name);
    return NULL;
}

static int by_hand(const struct gf_settings *s, char **operands, int n) {
    if (n != 1 || !s->out)
        return gf_fail(GF_EUSAGE, "--every and --sum take one picture and --out=OUT");
    struct gf_targets targets = {.n = 1, .target = {{.label = "picture", .plain = true}}};
    int rc = gf_template_parse("--out", s->out, &targets.target[0].where);
    if (!rc)
        rc = gf_inputs_guard(s, operands, 1);
    if (!rc)
        rc = gf_targets_claim(s, &targets, operands, 1);
    if (!rc)
        rc = run_by_hand(s, operands[0], &targets.target[0].where);
    if (rc == GF_EUSAGE)
        return rc;
    return gf_log_exit(rc, operands[0]);
}

static int run(struct gf_settings *s, char **operands, int n) {
    int worst = 0;
    bool all = n == 1 && !strcmp(operands[0], "all");
    if (s->demo.every || s->demo.sum)
        return by_hand(s, operands, n);
    if (!n) {
        list_lessons(s->json);
        return 0;
    }
    for (int i = 0; i < n && !all; i++)
        if (!find_lesson(operands[i]))
            return GF_EUSAGE;
    if (!s->out || !*s->out)
        return gf_fail(GF_EUSAGE, "no folder; give --out=DIR");
    const struct gf_embedded *f = gf_embedded_files;
    for (char name[32]; all && next_lesson(&f, name); f++) {
        int code = teach(f, name, s->out, true, s->clobber);
        worst = code > worst ? code : worst;
    }
    for (int i = 0; i < n && !all; i++) {
        int code = teach(find_lesson(operands[i]), operands[i], s->out, n > 1, s->clobber);
        worst = code > worst ? code : worst;
    }
    return worst;
}

static const struct gf_opt_group demo_group = GF_GROUP(
    "Lessons, and their steps without a transform",
    GF_TEXT("out", out, "DIR",
            "the folder for the panels; several lessons get one folder each inside it",
            .letter = 'o'),
    GF_INTEGER("every", demo.every, "N", 1, 1 << 20,
               "instead of a lesson: write every Nth sample of the picture IN along each axis to "
               "--out=OUT"),
    GF_TEXT("sum", demo.sum, "KERNEL",
            "instead of a lesson: write IN convolved with the picture KERNEL, sample by sample, to "
            "--out=OUT"));

static const struct gf_opt_group *const groups[] = {&demo_group, &gf_opts_files, &gf_opts_raw,
                                                    &gf_opts_common, NULL};

const struct gf_command gf_command_demo = {
    .name = "demo",
    .operands = "[NAME|all]... --out=DIR",
    .summary = "a lesson as numbered pictures",
    .text = true,
    .groups = groups,
    .known = lesson_name,
    .examples = "  gpufft demo\n"
                "  gpufft demo phase --out=phase\n"
                "  gpufft demo all --out=lessons\n",
    .notes = "A lesson prints its commands, runs them in DIR, and writes DIR/README.md, which\n"
             "shows them with their pictures.\n",
    .run = run,
};
