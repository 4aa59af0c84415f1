/* A picture deblurred and written, with its colours, alpha and metadata.
 *
 *     cc deblur.c $(pkg-config --cflags --libs gpufft) && ./a.out blurred.png sharp.png */
#include <gpufft.h>
#include <stdio.h>

int main(int argc, char **argv) {
    const char *const options[] = {"deconvolve=disk:3", NULL};
    struct gpufft *library = NULL;
    struct gpufft_image *picture = NULL;
    struct gpufft_operation *deblur = NULL;
    struct gpufft_array in = {sizeof in}, out = {sizeof out};
    if (argc != 3)
        return fprintf(stderr, "usage: %s IN OUT\n", argv[0]), 2;
    int rc = gpufft_open(NULL, &library);
    if (!rc)
        rc = gpufft_image_read(library, argv[1], &picture);
    if (!rc)
        rc = gpufft_image_samples(picture, &in);
    if (!rc)
        rc = gpufft_operation_open(library, "filter", options, NULL, 0, &deblur);
    if (!rc)
        rc = gpufft_operation_describe(deblur, &in, &out, NULL);
    if (!rc)
        rc = (out.data = gpufft_alloc(gpufft_array_bytes(&out))) ? 0 : GPUFFT_ENOMEM;
    if (!rc)
        rc = gpufft_operation_run(deblur, &in, &out);
    if (!rc)
        rc = gpufft_image_write(library, argv[2], &out, NULL);
    if (rc)
        fprintf(stderr, "%s: %s\n", argv[1], gpufft_message());
    gpufft_free(out.data);
    gpufft_operation_free(deblur);
    gpufft_image_free(picture);
    gpufft_close(library);
    return rc != 0;
}
