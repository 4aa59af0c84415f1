/* The lessons: what is shown, by which commands. */
#include "cli/demo/demo.h"

const struct gf_lesson gf_lessons[] = {
    {
        .name = "lowpass",
        .title = "Low pass: the coarse without the fine",
        .text =
            "A picture is a sum of waves. In its spectrum each is a point: the slow ones stand "
            "near "
            "the centre, the fast ones outside. Keep the slow ones alone, and edges and grain are "
            "gone while light and shade stay.",
        .input = {{"scene.png", "01-input.png"}},
        .step =
            {{"fwd 01-input.png --out=02-spectrum.png",
              "The logarithm of the magnitude. Most of it lies near the centre."},
             {"filter 01-input.png --lowpass=24 --mask-out=03-mask.png --out=lowpass.tif "
              "--depth=32",
              "The mask is what the spectrum is multiplied by: white keeps, black takes away. The "
              "result is written as floats, so that the next step sees it unrounded."},
             {"fwd lowpass.tif --out=04-filtered-spectrum.png", "The spectrum times the mask."},
             {"filter 01-input.png --lowpass=24 --out=05-result.png",
              "Shapes are still there; shingles, needles and grass are not. Try other radii: 8, "
              "60."}},
    },
    {
        .name = "highpass",
        .title = "High pass: the fine without the coarse",
        .text =
            "The opposite of a low pass. The mean and slow changes of light go, edges and textures "
            "stay. What is left swings around zero, so that a grey is added to show it.",
        .input = {{"scene.png", "01-input.png"}},
        .step =
            {{"fwd 01-input.png --out=02-spectrum.png", "The same spectrum as before."},
             {"filter 01-input.png --highpass=24 --mask-out=03-mask.png --out=highpass.tif "
              "--depth=32",
              "The mask has a hole in its middle, where 1 minus the low pass is 0."},
             {"fwd highpass.tif --out=04-filtered-spectrum.png",
              "The hole in the spectrum. All else looks brighter, since white is the largest value "
              "that is left."},
             {"filter 01-input.png --highpass=24 --offset=mid --out=05-result.png",
              "Grey is zero: the sky is flat, and whatever is sharp is visible, bright on one "
              "side of each edge and dark on the other."}},
    },
    {
        .name = "notch",
        .title = "Notches: taking out periodic noise",
        .text =
            "A bad line has laid three waves over the picture, which cover all of it. In the "
            "spectrum "
            "each is a pair of points. Taking out the points takes out the noise, and little else.",
        .input = {{"scene-noise.png", "01-input.png"}},
        .step =
            {{"fwd 01-input.png --out=02-spectrum.png",
              "Six points brighter than all around them, opposite each other in pairs. The rows of "
              "dashes are the fence's."},
             {"stats 01-input.png --peaks=3 --radial=03-radial.png > 03-peaks.txt",
              "03-peaks.txt lists them: where they are, and the period, direction and amplitude of "
              "each wave. In the plot the two spikes are the rings that go through them; two of "
              "the "
              "waves have the same period, nearly."},
             {"filter 01-input.png --notch=56,-100,3 --notch=104,44,3 --notch=36,20,3 "
              "--mask-out=04-mask.png --out=05-result.png",
              "Six dark dots in the mask, and the waves are gone."},
             {"fwd 05-result.png --out=06-filtered-spectrum.png", "The spectrum without them."},
             {"filter 01-input.png --auto-notch --out=07-by-itself.png",
              "The same without saying where: the program looks for points that stand out from "
              "their ring."}},
    },
    {
        .name = "descreen",
        .title = "Descreening: a halftone back to greys",
        .text =
            "Print knows no grey: it has dots of ink on a lattice, larger where it is darker. The "
            "lattice is periodic, so that its spectrum is points too, at 100 steps to the side "
            "and 80 up and down. What is within them is the picture.",
        .input = {{"halftone.png", "01-input.png"}},
        .step =
            {{"fwd 01-input.png --out=02-spectrum.png",
              "The lattice at 45 degrees, with its harmonics; around each of its points the "
              "picture once more."},
             {"stats 01-input.png --peaks=2 > 03-peaks.txt",
              "The two strongest are the screen: its period is 4.2 samples, at 45 degrees both "
              "ways."},
             {"filter 01-input.png --lowpass=0.15c,butterworth:6 --mask-out=04-mask.png "
              "--out=05-result.png",
              "A low pass whose edge lies between the picture and the screen. The photograph has "
              "greys now. The type is softer: its strokes are as fine as the screen."}},
    },
    {
        .name = "phase",
        .title = "Phase against magnitude: where the picture is",
        .text = "Each point of a spectrum has a magnitude, how strong the wave is, and a phase, "
                "where its "
                "crests are. Spectra are mostly shown as magnitudes. Exchange the phases of two "
                "pictures and see which of the two makes the picture.",
        .input = {{"scene.png", "01-scene.png"}, {"still.png", "02-still.png"}},
        .step =
            {{"fwd 01-scene.png --out=03-scene-magnitude.png --magnitude=scene-magnitude.tif "
              "--phase=scene-phase.tif",
              "The magnitude to look at; magnitude and phase as floats, to go on with."},
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
              "And the other way round: the scene. The picture follows its phase, which determines "
              "where waves meet, and where they meet there are edges."}},
    },
    {
        .name = "gibbs",
        .title = "Gibbs: a sharp edge in one domain rings in the other",
        .text =
            "An ideal low pass cuts the spectrum off at a circle. Each edge of the picture is then "
            "accompanied by ripples with the period of that circle. A soft edge does not ring.",
        .input = {{"still.png", "01-input.png"}},
        .step =
            {{"filter 01-input.png --lowpass=28,ideal --mask-out=02-ideal-mask.png "
              "--out=03-ideal.png",
              "Waves run along every outline, outside and inside."},
             {"filter 01-input.png --lowpass=24,gaussian --mask-out=04-gaussian-mask.png "
              "--out=05-gaussian.png",
              "About as blurred, without a ripple."},
             {"filter 01-input.png --lowpass=28,butterworth:2 --mask-out=06-butterworth-mask.png "
              "--out=07-butterworth.png",
              "In between. A higher order comes closer to the ideal, ripples included: try "
              "butterworth:20."}},
    },
    {
        .name = "aliasing",
        .title = "Aliasing: what is too fine comes back as something coarse",
        .text =
            "The rings become finer from the centre to the edge, where a period takes two samples. "
            "Keep every second sample, and there are not enough of them for the outer rings: they "
            "turn up as rings that were never there. A low pass takes the outer rings out before.",
        .input = {{"zoneplate.png", "01-input.png"}},
        .step =
            {{"demo --every=2 01-input.png --out=02-every-second.png",
              "One centre has become nine: false rings in the middle of each side and in the "
              "corners. No filter can take them out again: nothing tells them from true ones."},
             {"filter 01-input.png --lowpass=45%,butterworth:8 --mask-out=03-mask.png "
              "--out=04-lowpass.png",
              "What is above half of Nyquist is taken out first: there the picture becomes grey."},
             {"demo --every=2 04-lowpass.png --out=05-every-second.png",
              "Half the size, and true: rings where there is room for them, grey where there is "
              "none."},
             {"fwd 02-every-second.png --out=06-aliased-spectrum.png", NULL},
             {"fwd 05-every-second.png --out=07-true-spectrum.png",
              "The spectra of the two. In the first one all that lay outside has been folded in, "
              "up "
              "to the corners; the second one is what was in the middle of the mask."}},
    },
    {
        .name = "convolution",
        .title = "The convolution theorem: a blur is a product",
        .text =
            "A hand that shakes smears every point of a picture along the same path. That is a "
            "convolution: for each sample a sum over the whole path. In the frequency domain it "
            "is one product for each point of the spectrum.",
        .input = {{"scene.png", "01-input.png"}, {"shake.png", "02-path.png"}},
        .step =
            {{"demo --sum=02-path.png 01-input.png --out=03-in-space.png",
              "Sample by sample: each becomes the weighted mean of those that the path led over. "
              "The longer the path, the longer this takes."},
             {"filter 01-input.png --convolve=02-path.png --mask-out=04-mask.png "
              "--out=05-by-spectrum.png",
              "The spectrum times the path's own spectrum, and back: the same picture, sample by "
              "sample, and the path could be as large as the picture at no cost."},
             {"fwd 03-in-space.png --out=06-spectrum.png",
              "The dark lines in the blurred picture's spectrum are the zeros of the path's. What "
              "has been multiplied by zero there is lost."}},
    },
    {
        .name = "wavelets",
        .title = "Wavelets: noise is many small coefficients",
        .text =
            "A wavelet transform splits the picture into a small copy of it and details, by size "
            "and "
            "place. A picture is a few large details, noise is a little of each. So take away the "
            "small ones.",
        .input = {{"still-grain.png", "01-input.png"}},
        .step =
            {{"dwt 01-input.png --levels=4 --out=02-pyramid.png",
              "The small copy in the corner; right, below and diagonal the details of each level, "
              "coarse to fine. The finest are nearly all noise, but for a few edges."},
             {"dwt 01-input.png --levels=4 --out=coefficients.tif", "The same as numbers."},
             {"idwt coefficients.tif --threshold=soft:25 --out=03-denoised.png",
              "Details below 25 are taken for noise and go; the others become smaller by as much. "
              "Walls are smooth, outlines are still sharp."},
             {"filter 01-input.png --lowpass=28 --out=04-lowpass.png",
              "A low pass that is as smooth on the walls: it cannot tell an edge from noise."},
             {"idwt coefficients.tif --threshold=hard:3% --out=05-three-per-cent.png",
              "Of all details the largest 3% alone: also how pictures are made small."}},
    },
    {
        .name = "volume",
        .title = "Three dimensions: a filter for a whole volume",
        .text = "A head in 32 slices is one signal with three axes, and has a spectrum of three "
                "dimensions. A filter on it acts from slice to slice as well as within each.",
        .input = {{"head.tif", "01-head.tif"}},
        .step =
            {{"demo --page=14 01-head.tif --out=02-slice.png",
              "Slice 14 of 64x64. The eyes are three slices below, out of sight."},
             {"fwd 01-head.tif --out=spectrum.tif --depth=8",
              "The spectrum is a volume as well, with the zero frequency in the middle of slice "
              "16."},
             {"demo --page=16 spectrum.tif --out=03-spectrum-slice.png",
              "That slice: the waves that do not change from slice to slice."},
             {"filter 01-head.tif --lowpass=0.08c --dims=2 --out=by-slice.tif", NULL},
             {"demo --page=14 by-slice.tif --out=04-by-slice.png",
              "Every slice by itself, in two dimensions: softer, and no eyes."},
             {"filter 01-head.tif --lowpass=0.08c --out=volume.tif", NULL},
             {"demo --page=14 volume.tif --out=05-volume.png",
              "In three dimensions a ball is kept of the spectrum. The slice has something of its "
              "neighbours: at the top the eyes shine through."},
             {"filter 01-head.tif --lowpass=0.08c --axes=z --out=along-z.tif", NULL},
             {"demo --page=14 along-z.tif --out=06-along-z.png",
              "Along z alone: sharp within the slice, and the eyes plain to see."}},
    },
    {.name = NULL},
};
