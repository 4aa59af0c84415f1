/* A filter on a stream of frames: one operation, whose plan and filter are made with the first frame.
 *
 *     cc frames.c $(pkg-config --cflags --libs gpufft) && ./a.out <frames.u8 >smooth.u8 */
#include <gpufft.h>
#include <stdio.h>

enum { HEIGHT = 48, WIDTH = 64 };

int main(void) {
    static unsigned char frame[HEIGHT][WIDTH], smooth[HEIGHT][WIDTH];
    const char *const options[] = {"lowpass=12px,gaussian", "edges=mirror", NULL};
    struct gpufft *library = NULL;
    struct gpufft_operation *filter = NULL;
    struct gpufft_array in = {sizeof in, GPUFFT_U8, 2, {HEIGHT, WIDTH}}, out = in;
    in.data = frame;
    out.data = smooth;
    int rc = gpufft_open(NULL, &library);
    if (!rc)
        rc = gpufft_operation_open(library, "filter", options, NULL, 0, &filter);
    while (!rc && fread(frame, sizeof frame, 1, stdin) == 1) {
        rc = gpufft_operation_run(filter, &in, &out);
        if (!rc)
            fwrite(smooth, sizeof smooth, 1, stdout);
    }
    if (rc)
        fprintf(stderr, "%s\n", gpufft_message());
    gpufft_operation_free(filter);
    gpufft_close(library);
    return rc != 0;
}
