/* The second pass of a chain. Between two inclusions of plain_pass.h, renames all that the second
 * defines and gives its options (-DNEXT_LENGTH=… and so on) their usual names: C has no templates,
 * OpenCL C no namespaces. */
#ifndef CHAIN_NEXT_H
#define CHAIN_NEXT_H

/* The first pass' types. */
typedef source_element first_source;
typedef word first_word;
#if ELSEWHERE
#define FIRST_ELSEWHERE(pointer) pointer
#define ELSEWHERE_OF_FIRST       , GLOBAL const cplx *elsewhere
#else
#define FIRST_ELSEWHERE(pointer) 0
#define ELSEWHERE_OF_FIRST
#endif

/* Headers to be included again, and their macros that depend on options. kernel_source.c replaces
 * each list by an #undef of every name and, to rename it, a #define. */
#pragma undef SHARE_H TILE_H LINES_H SOURCE_H SOURCE_STAGED_H SINK_H SINK_PAIRS_H SINK_ROWS_H
#pragma undef PASS_H PLAIN_PASS_H ELSEWHERE_PARAMETER LAST PARTS FETCHED PARTNERS SUMS
#pragma undef POINT_IN COORD_IN SIZE_IN ALONG_IN POINT_OUT COORD_OUT SIZE_OUT ALONG_OUT

/* The first pass's results are in the second-level cache. */
#pragma undef READ WRITE ELSEWHERE
#define READ(p)     READ_SHARED(p)
#define WRITE(p, v) WRITE_ONCE(p, v)
#define ELSEWHERE   0

#pragma rename NEXT_ LENGTH POINTS LINES STAGES HELD RADIX0 RADIX1 RADIX2 RADIX3 RADIX4 RADIX5
#pragma rename NEXT_ ROWS_IN ROWS_OUT UNIT_IN UNIT_OUT INDICES PAD_EVERY IDX_STRIDE LINE_STRIDE
#pragma rename NEXT_ WHOLE LOAD STORE SPLIT MULTIPLY_IN MULTIPLY_OUT SCALED MIRROR FOLD_SPLIT
#pragma rename NEXT_ SHORT_IN SHORT_OUT WHOLE_IN WHOLE_OUT UNIT_AXIS_IN UNIT_AXIS_OUT
#pragma rename NEXT_ NEAR_IN NEAR_OUT
#undef MIRRORED
#ifdef NEXT_MIRRORED
#define MIRRORED NEXT_MIRRORED
#endif

/* Types and functions. */
#pragma rename next_ word turn_sides butterflies put got put_results get_operands exchange
#pragma rename next_ transform transform_back share line line_at read_line
#pragma rename next_ source_element source source_of coord_in load_point take_operands
#pragma rename next_ fold_pair load_staged input_of load_two sink_element sink sink_of set_shade
#pragma rename next_ coord_out split_twiddle line_twiddle set_powers step_twiddle
#pragma rename next_ as_number as_sample store_sample
#pragma rename next_ store_point first_of second_of put_line fold_twiddle mirrored_pair pair_of
#pragma rename next_ store_pairs row_word put_sample store_rows load_line store_line
#pragma rename next_ multiply_spectrum count_clipped plain_pass

#endif
