/* EACH(M) is M(0) M(1) … M(COUNT - 1). COUNT is given, and undefined at the end. */
#undef EACH
#if COUNT == 1
#define EACH(M) TIMES_1(M)
#elif COUNT == 2
#define EACH(M) TIMES_2(M)
#elif COUNT == 3
#define EACH(M) TIMES_3(M)
#elif COUNT == 4
#define EACH(M) TIMES_4(M)
#elif COUNT == 5
#define EACH(M) TIMES_5(M)
#elif COUNT == 6
#define EACH(M) TIMES_6(M)
#elif COUNT == 7
#define EACH(M) TIMES_7(M)
#elif COUNT == 8
#define EACH(M) TIMES_8(M)
#elif COUNT == 9
#define EACH(M) TIMES_9(M)
#elif COUNT == 10
#define EACH(M) TIMES_10(M)
#elif COUNT == 11
#define EACH(M) TIMES_11(M)
#elif COUNT == 12
#define EACH(M) TIMES_12(M)
#elif COUNT == 13
#define EACH(M) TIMES_13(M)
#elif COUNT == 14
#define EACH(M) TIMES_14(M)
#elif COUNT == 15
#define EACH(M) TIMES_15(M)
#elif COUNT == 16
#define EACH(M) TIMES_16(M)
#elif COUNT == 17
#define EACH(M) TIMES_17(M)
#else
#error no loop of so many turns
#endif
#undef COUNT
