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

/* Headers to be included again, and their macros that depend on options. */
#undef SHARE_H
#undef TILE_H
#undef LINES_H
#undef SOURCE_H
#undef SOURCE_STAGED_H
#undef SINK_H
#undef SINK_PAIRS_H
#undef SINK_ROWS_H
#undef PASS_H
#undef ELSEWHERE_PARAMETER
#undef PLAIN_PASS_H
#undef LAST
#undef PARTS
#undef POINT_IN
#undef COORD_IN
#undef SIZE_IN
#undef ALONG_IN
#undef POINT_OUT
#undef COORD_OUT
#undef SIZE_OUT
#undef ALONG_OUT
#undef FETCHED
#undef PARTNERS

/* The first pass's results are in the second-level cache. */
#undef READ
#undef WRITE
#define READ(p)     READ_SHARED(p)
#define WRITE(p, v) WRITE_ONCE(p, v)

#undef ELSEWHERE
#define ELSEWHERE 0
#undef LENGTH
#define LENGTH NEXT_LENGTH
#undef POINTS
#define POINTS NEXT_POINTS
#undef LINES
#define LINES NEXT_LINES
#undef STAGES
#define STAGES NEXT_STAGES
#undef HELD
#define HELD NEXT_HELD
#undef RADIX0
#define RADIX0 NEXT_RADIX0
#undef RADIX1
#define RADIX1 NEXT_RADIX1
#undef RADIX2
#define RADIX2 NEXT_RADIX2
#undef RADIX3
#define RADIX3 NEXT_RADIX3
#undef RADIX4
#define RADIX4 NEXT_RADIX4
#undef RADIX5
#define RADIX5 NEXT_RADIX5
#undef ROWS_IN
#define ROWS_IN NEXT_ROWS_IN
#undef ROWS_OUT
#define ROWS_OUT NEXT_ROWS_OUT
#undef UNIT_IN
#define UNIT_IN NEXT_UNIT_IN
#undef UNIT_OUT
#define UNIT_OUT NEXT_UNIT_OUT
#undef INDICES
#define INDICES NEXT_INDICES
#undef PAD_EVERY
#define PAD_EVERY NEXT_PAD_EVERY
#undef IDX_STRIDE
#define IDX_STRIDE NEXT_IDX_STRIDE
#undef LINE_STRIDE
#define LINE_STRIDE NEXT_LINE_STRIDE
#undef WHOLE
#define WHOLE NEXT_WHOLE
#undef LOAD
#define LOAD NEXT_LOAD
#undef STORE
#define STORE NEXT_STORE
#undef SPLIT
#define SPLIT NEXT_SPLIT
#undef MULTIPLY_IN
#define MULTIPLY_IN NEXT_MULTIPLY_IN
#undef MULTIPLY_OUT
#define MULTIPLY_OUT NEXT_MULTIPLY_OUT
#undef SCALED
#define SCALED NEXT_SCALED
#undef MIRROR
#define MIRROR NEXT_MIRROR
#undef SHORT_IN
#define SHORT_IN NEXT_SHORT_IN
#undef SHORT_OUT
#define SHORT_OUT NEXT_SHORT_OUT
#undef WHOLE_IN
#define WHOLE_IN NEXT_WHOLE_IN
#undef WHOLE_OUT
#define WHOLE_OUT NEXT_WHOLE_OUT
#undef UNIT_AXIS_IN
#define UNIT_AXIS_IN NEXT_UNIT_AXIS_IN
#undef UNIT_AXIS_OUT
#define UNIT_AXIS_OUT NEXT_UNIT_AXIS_OUT
#undef MIRRORED
#ifdef NEXT_MIRRORED
#define MIRRORED NEXT_MIRRORED
#endif
#undef FOLD_SPLIT
#define FOLD_SPLIT NEXT_FOLD_SPLIT
#undef SUMS
#undef NEAR_IN
#define NEAR_IN NEXT_NEAR_IN
#undef NEAR_OUT
#define NEAR_OUT NEXT_NEAR_OUT

/* Types and functions. */
#define word              next_word
#define turn_sides        next_turn_sides
#define butterflies       next_butterflies
#define put               next_put
#define got               next_got
#define put_results       next_put_results
#define get_operands      next_get_operands
#define exchange          next_exchange
#define transform         next_transform
#define transform_back    next_transform_back
#define share             next_share
#define line              next_line
#define line_at           next_line_at
#define read_line         next_read_line
#define source_element    next_source_element
#define source            next_source
#define source_of         next_source_of
#define coord_in          next_coord_in
#define load_point        next_load_point
#define take_operands     next_take_operands
#define fold_pair         next_fold_pair
#define load_staged       next_load_staged
#define input_of          next_input_of
#define load_two          next_load_two
#define sink_element      next_sink_element
#define sink              next_sink
#define sink_of           next_sink_of
#define set_shade         next_set_shade
#define coord_out         next_coord_out
#define split_twiddle     next_split_twiddle
#define line_twiddle      next_line_twiddle
#define as_number         next_as_number
#define as_sample         next_as_sample
#define store_sample      next_store_sample
#define store_point       next_store_point
#define first_of          next_first_of
#define second_of         next_second_of
#define put_line          next_put_line
#define fold_twiddle      next_fold_twiddle
#define mirrored_pair     next_mirrored_pair
#define pair_of           next_pair_of
#define store_pairs       next_store_pairs
#define row_word          next_row_word
#define put_sample        next_put_sample
#define store_rows        next_store_rows
#define load_line         next_load_line
#define store_line        next_store_line
#define multiply_spectrum next_multiply_spectrum
#define count_clipped     next_count_clipped
#define plain_pass        next_plain_pass

#endif
