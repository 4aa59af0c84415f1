/* Loops as text: compilers keep an array in registers if every index is a constant, and not all
 * unroll a loop to see that it is.
 *
 * TIMES_n(M) is M(0) M(1) … M(n - 1), POINTS_n(M, b) is M(b, 0) M(b, 1) … M(b, n - 1); each.glsl
 * and stage.glsl choose n. They nest in each other. */

#define TIMES_1(M)  M(0)
#define TIMES_2(M)  TIMES_1(M) M(1)
#define TIMES_3(M)  TIMES_2(M) M(2)
#define TIMES_4(M)  TIMES_3(M) M(3)
#define TIMES_5(M)  TIMES_4(M) M(4)
#define TIMES_6(M)  TIMES_5(M) M(5)
#define TIMES_7(M)  TIMES_6(M) M(6)
#define TIMES_8(M)  TIMES_7(M) M(7)
#define TIMES_9(M)  TIMES_8(M) M(8)
#define TIMES_10(M) TIMES_9(M) M(9)
#define TIMES_11(M) TIMES_10(M) M(10)
#define TIMES_12(M) TIMES_11(M) M(11)
#define TIMES_13(M) TIMES_12(M) M(12)
#define TIMES_14(M) TIMES_13(M) M(13)
#define TIMES_15(M) TIMES_14(M) M(14)
#define TIMES_16(M) TIMES_15(M) M(15)
#define TIMES_17(M) TIMES_16(M) M(16)

#define POINTS_2(M, b)  M(b, 0) M(b, 1)
#define POINTS_3(M, b)  POINTS_2(M, b) M(b, 2)
#define POINTS_4(M, b)  POINTS_3(M, b) M(b, 3)
#define POINTS_5(M, b)  POINTS_4(M, b) M(b, 4)
#define POINTS_6(M, b)  POINTS_5(M, b) M(b, 5)
#define POINTS_7(M, b)  POINTS_6(M, b) M(b, 6)
#define POINTS_8(M, b)  POINTS_7(M, b) M(b, 7)
#define POINTS_9(M, b)  POINTS_8(M, b) M(b, 8)
#define POINTS_10(M, b) POINTS_9(M, b) M(b, 9)
#define POINTS_11(M, b) POINTS_10(M, b) M(b, 10)
#define POINTS_12(M, b) POINTS_11(M, b) M(b, 11)
#define POINTS_13(M, b) POINTS_12(M, b) M(b, 12)
#define POINTS_14(M, b) POINTS_13(M, b) M(b, 13)
#define POINTS_15(M, b) POINTS_14(M, b) M(b, 14)
#define POINTS_16(M, b) POINTS_15(M, b) M(b, 15)
#define POINTS_17(M, b) POINTS_16(M, b) M(b, 16)
#define POINTS_18(M, b) POINTS_17(M, b) M(b, 17)
#define POINTS_19(M, b) POINTS_18(M, b) M(b, 18)
#define POINTS_20(M, b) POINTS_19(M, b) M(b, 19)
#define POINTS_21(M, b) POINTS_20(M, b) M(b, 20)
#define POINTS_22(M, b) POINTS_21(M, b) M(b, 21)
#define POINTS_23(M, b) POINTS_22(M, b) M(b, 22)
#define POINTS_24(M, b) POINTS_23(M, b) M(b, 23)
#define POINTS_25(M, b) POINTS_24(M, b) M(b, 24)

/* Four and five points, as arguments. */
#define FOUR(o) x[o], x[o + 1], x[o + 2], x[o + 3]
#define FIVE(o) FOUR(o), x[o + 4]
