/* The lessons: what each explains, and its commands. */
#include "cli/demo/demo.h"

const struct gf_lesson gf_lessons[] = {
    {
        .name = "lowpass",
        .title = "Low pass: the coarse without the fine",
        .text = "A picture is a sum of waves. In its spectrum each wave is a point: slow waves are "
                "near the centre, fast ones farther out. Keep only the slow ones, and edges and "
                "grain disappear while light and shade remain.",
        .input = {{"scene.png", "01-input.png"}},
        .step = {{"fwd 01-input.png --out=02-spectrum.png",
                  "The logarithm of the magnitude. Most of the energy is near the centre."},
                 {"filter 01-input.png --lowpass=24 --mask-out=03-mask.png --out=lowpass.tif "
                  "--depth=32",
                  "The mask is what the spectrum is multiplied by: white keeps, black removes. The "
                  "result is written as floats, so that the next step reads it unrounded."},
                 {"fwd lowpass.tif --out=04-filtered-spectrum.png", "The spectrum times the mask."},
                 {"filter 01-input.png --lowpass=24 --out=05-result.png",
                  "Shapes are still there; shingles, needles and grass are not. Try other radii: "
                  "8, 60."}},
    },
    {
        .name = "highpass",
        .title = "High pass: the fine without the coarse",
        .text = "The opposite of a low pass: it removes the mean and slow changes of light, and "
                "keeps edges and textures. The result varies around zero, so mid-grey is added to "
                "display it.",
        .input = {{"scene.png", "01-input.png"}},
        .step = {{"fwd 01-input.png --out=02-spectrum.png", "The same spectrum as before."},
                 {"filter 01-input.png --highpass=24 --mask-out=03-mask.png --out=highpass.tif "
                  "--depth=32",
                  "The mask has a hole in its middle, where 1 minus the low pass is 0."},
                 {"fwd highpass.tif --out=04-filtered-spectrum.png",
                  "The hole in the spectrum. The rest is as bright as before, because black and "
                  "white are chosen by where most of the bins are."},
                 {"filter 01-input.png --highpass=24 --offset=mid --out=05-result.png",
                  "Grey is zero: the sky is flat, and sharp details are visible, bright on one "
                  "side of each edge and dark on the other."}},
    },
    {
        .name = "notch",
        .title = "Notches: removing periodic noise",
        .text = "Interference has added three waves to the whole picture. In the spectrum each "
                "wave is a pair of points. Removing the points removes the noise, and little else.",
        .input = {{"scene-noise.png", "01-input.png"}},
        .step = {{"fwd 01-input.png --out=02-spectrum.png",
                  "Six points brighter than their surroundings, in opposite pairs. The fence makes "
                  "the rows of dashes."},
                 {"stats 01-input.png --peaks=3 --radial=03-radial.png > 03-peaks.txt",
                  "03-peaks.txt lists them: where they are, and the period, direction and "
                  "amplitude of each wave. The two spikes in the plot are the rings through these "
                  "points; two of the waves have almost the same period."},
                 {"filter 01-input.png --notch=56,-100,3 --notch=104,44,3 --notch=36,20,3 "
                  "--mask-out=04-mask.png --out=05-result.png",
                  "Six dark dots in the mask, and the waves are gone."},
                 {"fwd 05-result.png --out=06-filtered-spectrum.png", "The spectrum without them."},
                 {"filter 01-input.png --auto-notch --out=07-by-itself.png",
                  "The same without coordinates: the program looks for waves that are the same all "
                  "over the picture, which those of a fence or of bricks are not."}},
    },
    {
        .name = "descreen",
        .title = "Descreening: from a halftone back to greys",
        .text = "Print has no grey: it puts dots of ink on a lattice, larger where the picture is "
                "darker. The lattice is periodic, so its spectrum consists of points too, 100 bins "
                "to the side and 80 up and down. The picture is inside them.",
        .input = {{"halftone.png", "01-input.png"}},
        .step = {{"fwd 01-input.png --out=02-spectrum.png",
                  "The lattice at 45 degrees, with its harmonics; each of its points is surrounded "
                  "by a copy of the picture's spectrum."},
                 {"stats 01-input.png --peaks=2 > 03-peaks.txt",
                  "The two strongest are the screen: its period is 4.2 samples, at 45 degrees in "
                  "both directions."},
                 {"filter 01-input.png --lowpass=0.15c,butterworth:6 --mask-out=04-mask.png "
                  "--out=05-result.png",
                  "A low pass whose edge is between the picture and the screen. The photograph has "
                  "greys now. The type is softer, because its strokes are as fine as the screen."},
                 {"filter 01-input.png --descreen --mask-out=06-lattice-mask.png "
                  "--out=07-by-itself.png",
                  "The same without numbers: the program finds the lattice and dims each of its "
                  "points as far as the screen is stronger than the picture there. What lies "
                  "between the points stays, and with it the edges of the type."}},
    },
    {
        .name = "phase",
        .title = "Phase against magnitude: where the picture is",
        .text = "Each point of a spectrum has a magnitude (how strong the wave is) and a phase "
                "(where its crests are). Spectra are usually displayed as magnitudes. Exchange the "
                "phases of two pictures, and see which of the two determines what you recognise.",
        .input = {{"scene.png", "01-scene.png"}, {"still.png", "02-still.png"}},
        .step = {{"fwd 01-scene.png --out=03-scene-magnitude.png --magnitude=scene-magnitude.tif "
                  "--phase=scene-phase.tif",
                  "The magnitude to look at; magnitude and phase as floats for the next steps."},
                 {"fwd 02-still.png --out=04-still-magnitude.png --magnitude=still-magnitude.tif "
                  "--phase=still-phase.tif",
                  "The two magnitudes look much alike."},
                 {"fwd 01-scene.png --kind=phase --out=05-scene-phase.png",
                  "The phase looks like noise."},
                 {"inv --from-magnitude=scene-magnitude.tif --from-phase=still-phase.tif --depth=8 "
                  "--out=06-still-phase.png",
                  "The scene's magnitude with the still life's phase: the still life."},
                 {"inv --from-magnitude=still-magnitude.tif --from-phase=scene-phase.tif --depth=8 "
                  "--out=07-scene-phase.png",
                  "And the other way round: the scene. The phase determines the picture, because "
                  "it decides where the waves' crests meet, and edges are where they meet."}},
    },
    {
        .name = "gibbs",
        .title = "Gibbs: a sharp edge in one domain rings in the other",
        .text =
            "An ideal low pass cuts the spectrum off at a circle. Ripples with the period of that "
            "circle then accompany each edge of the picture. A soft cut-off does not ring.",
        .input = {{"still.png", "01-input.png"}},
        .step = {{"filter 01-input.png --lowpass=28,ideal --mask-out=02-ideal-mask.png "
                  "--out=03-ideal.png",
                  "Ripples follow every outline, outside and inside."},
                 {"filter 01-input.png --lowpass=24,gaussian --mask-out=04-gaussian-mask.png "
                  "--out=05-gaussian.png",
                  "About as blurred, without ripples."},
                 {"filter 01-input.png --lowpass=28,butterworth:2 "
                  "--mask-out=06-butterworth-mask.png --out=07-butterworth.png",
                  "In between. A higher order is closer to the ideal, ripples included: try "
                  "butterworth:20."}},
    },
    {
        .name = "aliasing",
        .title = "Aliasing: details that are too fine turn into coarse ones",
        .text = "The rings become finer from the centre to the edge, where a period takes two "
                "samples. Keep every second sample, and there are too few for the outer rings: "
                "they appear as rings that do not exist. A low pass removes the outer rings first.",
        .input = {{"zoneplate.png", "01-input.png"}},
        .step =
            {{"demo --every=2 01-input.png --out=02-every-second.png",
              "One centre has become nine: false rings in the middle of each side and in the "
              "corners. No filter can remove them now, because nothing distinguishes them from "
              "true ones."},
             {"filter 01-input.png --lowpass=45%,butterworth:8 --mask-out=03-mask.png "
              "--out=04-lowpass.png",
              "Everything above half of Nyquist is removed first; the picture becomes grey there."},
             {"demo --every=2 04-lowpass.png --out=05-every-second.png",
              "Half the size, and correct: rings where there are enough samples, grey where there "
              "are not."},
             {"fwd 02-every-second.png --out=06-aliased-spectrum.png", NULL},
             {"fwd 05-every-second.png --out=07-true-spectrum.png",
              "The spectra of the two. In the first, everything outside has been folded in, up to "
              "the corners; the second is what the mask kept."}},
    },
    {
        .name = "convolution",
        .title = "The convolution theorem: a blur is a product",
        .text = "A shaking hand smears every point of a picture along the same path. That is a "
                "convolution: for each sample, a sum over the whole path. In the frequency domain "
                "it is one product for each point of the spectrum.",
        .input = {{"scene.png", "01-input.png"}, {"shake.png", "02-path.png"}},
        .step =
            {{"demo --sum=02-path.png 01-input.png --out=03-in-space.png",
              "Sample by sample: each becomes the weighted mean of the samples along the path. The "
              "longer the path, the longer this takes."},
             {"filter 01-input.png --convolve=02-path.png --mask-out=04-mask.png "
              "--out=05-by-spectrum.png",
              "The spectrum times the spectrum of the path, transformed back: the same picture, "
              "sample by sample, and the path could be as large as the picture at no extra cost."},
             {"fwd 03-in-space.png --out=06-spectrum.png",
              "The dark lines in the spectrum of the blurred picture are the zeros of the path's "
              "spectrum. What was multiplied by zero there is lost."}},
    },
    {
        .name = "wavelets",
        .title = "Wavelets: noise is many small coefficients",
        .text = "A wavelet transform splits the picture into a small copy and details of each size "
                "and position. A picture consists of a few large details, noise of many small "
                "ones. So remove the small ones.",
        .input = {{"still-grain.png", "01-input.png"}},
        .step = {{"dwt 01-input.png --levels=4 --out=02-pyramid.png",
                  "The small copy is in the corner; to its right, below it and diagonally are the "
                  "details of each level, coarse to fine. The finest are nearly all noise, except "
                  "for a few edges."},
                 {"dwt 01-input.png --levels=4 --out=coefficients.tif", "The same as numbers."},
                 {"idwt coefficients.tif --threshold=soft:25 --out=03-denoised.png",
                  "Details below 25 count as noise and become zero; the others shrink by the same "
                  "amount. Walls are smooth, outlines are still sharp."},
                 {"filter 01-input.png --lowpass=28 --out=04-lowpass.png",
                  "A low pass that makes the walls as smooth: it cannot distinguish an edge from "
                  "noise."},
                 {"idwt coefficients.tif --threshold=hard:3% --out=05-three-per-cent.png",
                  "Only the largest 3% of all details: this is also how pictures are compressed."}},
    },
    {
        .name = "volume",
        .title = "Three dimensions: a filter for a whole volume",
        .text = "A head in 32 slices is one signal with three axes, and has a spectrum of three "
                "dimensions. A filter acts on it from slice to slice as well as within each slice.",
        .input = {{"head.tif", "01-head.tif"}},
        .step = {{"demo --page=14 01-head.tif --out=02-slice.png",
                  "Slice 14, of 64x64. The eyes are three slices below, and not visible."},
                 {"fwd 01-head.tif --out=spectrum.tif --depth=8",
                  "The spectrum is a volume as well, with the zero frequency in the middle of "
                  "slice 16."},
                 {"demo --page=16 spectrum.tif --out=03-spectrum-slice.png",
                  "That slice: the waves that do not change from slice to slice."},
                 {"filter 01-head.tif --lowpass=0.08c --dims=2 --out=by-slice.tif", NULL},
                 {"demo --page=14 by-slice.tif --out=04-by-slice.png",
                  "Every slice by itself, in two dimensions: softer, and no eyes."},
                 {"filter 01-head.tif --lowpass=0.08c --out=volume.tif", NULL},
                 {"demo --page=14 volume.tif --out=05-volume.png",
                  "In three dimensions the filter keeps a ball of the spectrum. The slice is mixed "
                  "with its neighbours: at the top the eyes shine through."},
                 {"filter 01-head.tif --lowpass=0.08c --axes=z --out=along-z.tif", NULL},
                 {"demo --page=14 along-z.tif --out=06-along-z.png",
                  "Along z alone: sharp within the slice, and the eyes are clearly visible."}},
    },
    {
        .name = "passes",
        .title = "Passes: what costs is the way to memory",
        .text =
            "A transform runs in passes: each reads all of the data once and writes it once. On "
            "large data the arithmetic in between is nearly free, and a pass costs about what "
            "copying costs. So a plan makes as few as it can, and does whatever else there is "
            "to do while the data passes by.",
        .input = {{"scene.png", "01-input.png"}},
        .step =
            {{"plan 01-input.png > 02-plan.txt",
              "02-plan.txt: a pass for each axis. Reading bytes is a part of the first; magnitude, "
              "logarithm, shift and rounding are a part of the last. None of these has a pass of "
              "its own."},
             {"fwd 01-input.png --axes=x --out=03-rows.png",
              "One axis alone: the spectrum of every row, in its row."},
             {"fwd 01-input.png --out=04-rows-and-columns.png",
              "Both: each column of those is transformed too."},
             {"plan 01-input.png --lowpass=24 > 05-filter-plan.txt",
              "A filter transforms there and back, which would be four passes, and multiplies in "
              "between. The plan has three: the second finishes the spectrum, multiplies it and "
              "begins the way back before it writes."},
             {"plan 256^3 --type=c64 --kind=complex --out=npy:plan.npy > 06-volume-plan.txt",
              "Three axes, three passes, and 128 MiB to move each way in each of them, unless two "
              "fit into a cache together: then one of them reads and the other writes."},
             {"bench 1024^2 --kind=c2c --passes --repeat=3 --plan-time=0.1 > 07-measured.txt",
              "Every backend present, with its passes timed one by one. The first lines give the "
              "bandwidth of a copy in memory, the CPU's or a GPU's. A pass at 80% of that cannot "
              "become much faster, whatever is done about its arithmetic. The passes of libraries "
              "cannot be told apart."},
             {"bench 64^2..512^2 --kind=c2c --backend=openmp,c --relative=openmp --repeat=3 "
              "> 08-measured.txt",
              "Both make two passes. The arithmetic of c is plain: two numbers at a time, one "
              "thread. That is what a pass costs when it does not wait for memory."}},
    },
    {.name = NULL},
};
