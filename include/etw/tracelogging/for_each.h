/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * for_each.h - TraceLogging: a macro for each of up to 99 arguments
 *
 * ETW_TL_EACH(PASS, name, a, b, c) is ETW_TL_PASS(3, ...a) ETW_TL_PASS(2, ...b)
 * ETW_TL_PASS(1, ...c): every argument is a tuple, which is unpacked for the pass and
 * gets a unique number.  The first argument (the event's name) is skipped.
 *
 * By then, every argument of TraceLoggingWrite() has expanded to such a tuple:
 *
 *	(metadata, (its arguments), data, (its arguments), option, (its argument))
 *
 * The three words select the macro of a pass; EtwTlNone: none.
 */
#ifndef ETW_TRACELOGGING_FOR_EACH_H
#define ETW_TRACELOGGING_FOR_EACH_H

#define ETW_TL_CAT_(a, b)	a##b
#define ETW_TL_CAT(a, b)	ETW_TL_CAT_(a, b)
#define ETW_TL_STRIP(...)	__VA_ARGS__
#define ETW_TL_X(f, ...)	f(__VA_ARGS__)
#define ETW_TL_FIRST_(a, ...)	a
#define ETW_TL_FIRST(...)	ETW_TL_FIRST_(__VA_ARGS__, 0)

#define ETW_TL_EACH(pass, ...) \
	ETW_TL_CAT(ETW_TL_F, ETW_TL_COUNT(__VA_ARGS__))(pass, __VA_ARGS__)
/*
 * An argument may be empty: some sources rely on a compiler that drops the comma before
 * it.  ETW_TL_STRIP itself is then the first word of the tuple, and ETW_TL_A2() supplies
 * the rest.
 */
#define ETW_TL_A(pass, i, arg)	ETW_TL_A2(pass, i, ETW_TL_STRIP arg)
#define ETW_TL_A2(pass, i, ...) \
	ETW_TL_A3(pass, i, __VA_ARGS__, (), EtwTlNone, (), EtwTlNone, (), ~)
#define ETW_TL_A3(pass, i, m, margs, d, dargs, c, carg, ...) \
	ETW_TL_##pass(i, m, margs, d, dargs, c, carg)

/* The number of arguments after the first: 0 to 99. */
#define ETW_TL_COUNT(...) ETW_TL_COUNT_(__VA_ARGS__, \
	99, 98, 97, 96, 95, 94, 93, 92, 91, 90, 89, 88, 87, 86, 85, 84, 83, 82, 81, 80, \
	79, 78, 77, 76, 75, 74, 73, 72, 71, 70, 69, 68, 67, 66, 65, 64, 63, 62, 61, 60, \
	59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, \
	39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, \
	19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, \
	x)
#define ETW_TL_COUNT_(a0, \
	a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, \
	a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, \
	a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, \
	a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, \
	a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, \
	a61, a62, a63, a64, a65, a66, a67, a68, a69, a70, a71, a72, \
	a73, a74, a75, a76, a77, a78, a79, a80, a81, a82, a83, a84, \
	a85, a86, a87, a88, a89, a90, a91, a92, a93, a94, a95, a96, \
	a97, a98, a99, \
	n, ...) n

#define ETW_TL_F0(p, n)
#define ETW_TL_F1(p, n, a)		ETW_TL_A(p, 1, a)
#define ETW_TL_F2(p, n, a, ...)	ETW_TL_A(p, 2, a) ETW_TL_F1(p, n, __VA_ARGS__)
#define ETW_TL_F3(p, n, a, ...)	ETW_TL_A(p, 3, a) ETW_TL_F2(p, n, __VA_ARGS__)
#define ETW_TL_F4(p, n, a, ...)	ETW_TL_A(p, 4, a) ETW_TL_F3(p, n, __VA_ARGS__)
#define ETW_TL_F5(p, n, a, ...)	ETW_TL_A(p, 5, a) ETW_TL_F4(p, n, __VA_ARGS__)
#define ETW_TL_F6(p, n, a, ...)	ETW_TL_A(p, 6, a) ETW_TL_F5(p, n, __VA_ARGS__)
#define ETW_TL_F7(p, n, a, ...)	ETW_TL_A(p, 7, a) ETW_TL_F6(p, n, __VA_ARGS__)
#define ETW_TL_F8(p, n, a, ...)	ETW_TL_A(p, 8, a) ETW_TL_F7(p, n, __VA_ARGS__)
#define ETW_TL_F9(p, n, a, ...)	ETW_TL_A(p, 9, a) ETW_TL_F8(p, n, __VA_ARGS__)
#define ETW_TL_F10(p, n, a, ...)	ETW_TL_A(p, 10, a) ETW_TL_F9(p, n, __VA_ARGS__)
#define ETW_TL_F11(p, n, a, ...)	ETW_TL_A(p, 11, a) ETW_TL_F10(p, n, __VA_ARGS__)
#define ETW_TL_F12(p, n, a, ...)	ETW_TL_A(p, 12, a) ETW_TL_F11(p, n, __VA_ARGS__)
#define ETW_TL_F13(p, n, a, ...)	ETW_TL_A(p, 13, a) ETW_TL_F12(p, n, __VA_ARGS__)
#define ETW_TL_F14(p, n, a, ...)	ETW_TL_A(p, 14, a) ETW_TL_F13(p, n, __VA_ARGS__)
#define ETW_TL_F15(p, n, a, ...)	ETW_TL_A(p, 15, a) ETW_TL_F14(p, n, __VA_ARGS__)
#define ETW_TL_F16(p, n, a, ...)	ETW_TL_A(p, 16, a) ETW_TL_F15(p, n, __VA_ARGS__)
#define ETW_TL_F17(p, n, a, ...)	ETW_TL_A(p, 17, a) ETW_TL_F16(p, n, __VA_ARGS__)
#define ETW_TL_F18(p, n, a, ...)	ETW_TL_A(p, 18, a) ETW_TL_F17(p, n, __VA_ARGS__)
#define ETW_TL_F19(p, n, a, ...)	ETW_TL_A(p, 19, a) ETW_TL_F18(p, n, __VA_ARGS__)
#define ETW_TL_F20(p, n, a, ...)	ETW_TL_A(p, 20, a) ETW_TL_F19(p, n, __VA_ARGS__)
#define ETW_TL_F21(p, n, a, ...)	ETW_TL_A(p, 21, a) ETW_TL_F20(p, n, __VA_ARGS__)
#define ETW_TL_F22(p, n, a, ...)	ETW_TL_A(p, 22, a) ETW_TL_F21(p, n, __VA_ARGS__)
#define ETW_TL_F23(p, n, a, ...)	ETW_TL_A(p, 23, a) ETW_TL_F22(p, n, __VA_ARGS__)
#define ETW_TL_F24(p, n, a, ...)	ETW_TL_A(p, 24, a) ETW_TL_F23(p, n, __VA_ARGS__)
#define ETW_TL_F25(p, n, a, ...)	ETW_TL_A(p, 25, a) ETW_TL_F24(p, n, __VA_ARGS__)
#define ETW_TL_F26(p, n, a, ...)	ETW_TL_A(p, 26, a) ETW_TL_F25(p, n, __VA_ARGS__)
#define ETW_TL_F27(p, n, a, ...)	ETW_TL_A(p, 27, a) ETW_TL_F26(p, n, __VA_ARGS__)
#define ETW_TL_F28(p, n, a, ...)	ETW_TL_A(p, 28, a) ETW_TL_F27(p, n, __VA_ARGS__)
#define ETW_TL_F29(p, n, a, ...)	ETW_TL_A(p, 29, a) ETW_TL_F28(p, n, __VA_ARGS__)
#define ETW_TL_F30(p, n, a, ...)	ETW_TL_A(p, 30, a) ETW_TL_F29(p, n, __VA_ARGS__)
#define ETW_TL_F31(p, n, a, ...)	ETW_TL_A(p, 31, a) ETW_TL_F30(p, n, __VA_ARGS__)
#define ETW_TL_F32(p, n, a, ...)	ETW_TL_A(p, 32, a) ETW_TL_F31(p, n, __VA_ARGS__)
#define ETW_TL_F33(p, n, a, ...)	ETW_TL_A(p, 33, a) ETW_TL_F32(p, n, __VA_ARGS__)
#define ETW_TL_F34(p, n, a, ...)	ETW_TL_A(p, 34, a) ETW_TL_F33(p, n, __VA_ARGS__)
#define ETW_TL_F35(p, n, a, ...)	ETW_TL_A(p, 35, a) ETW_TL_F34(p, n, __VA_ARGS__)
#define ETW_TL_F36(p, n, a, ...)	ETW_TL_A(p, 36, a) ETW_TL_F35(p, n, __VA_ARGS__)
#define ETW_TL_F37(p, n, a, ...)	ETW_TL_A(p, 37, a) ETW_TL_F36(p, n, __VA_ARGS__)
#define ETW_TL_F38(p, n, a, ...)	ETW_TL_A(p, 38, a) ETW_TL_F37(p, n, __VA_ARGS__)
#define ETW_TL_F39(p, n, a, ...)	ETW_TL_A(p, 39, a) ETW_TL_F38(p, n, __VA_ARGS__)
#define ETW_TL_F40(p, n, a, ...)	ETW_TL_A(p, 40, a) ETW_TL_F39(p, n, __VA_ARGS__)
#define ETW_TL_F41(p, n, a, ...)	ETW_TL_A(p, 41, a) ETW_TL_F40(p, n, __VA_ARGS__)
#define ETW_TL_F42(p, n, a, ...)	ETW_TL_A(p, 42, a) ETW_TL_F41(p, n, __VA_ARGS__)
#define ETW_TL_F43(p, n, a, ...)	ETW_TL_A(p, 43, a) ETW_TL_F42(p, n, __VA_ARGS__)
#define ETW_TL_F44(p, n, a, ...)	ETW_TL_A(p, 44, a) ETW_TL_F43(p, n, __VA_ARGS__)
#define ETW_TL_F45(p, n, a, ...)	ETW_TL_A(p, 45, a) ETW_TL_F44(p, n, __VA_ARGS__)
#define ETW_TL_F46(p, n, a, ...)	ETW_TL_A(p, 46, a) ETW_TL_F45(p, n, __VA_ARGS__)
#define ETW_TL_F47(p, n, a, ...)	ETW_TL_A(p, 47, a) ETW_TL_F46(p, n, __VA_ARGS__)
#define ETW_TL_F48(p, n, a, ...)	ETW_TL_A(p, 48, a) ETW_TL_F47(p, n, __VA_ARGS__)
#define ETW_TL_F49(p, n, a, ...)	ETW_TL_A(p, 49, a) ETW_TL_F48(p, n, __VA_ARGS__)
#define ETW_TL_F50(p, n, a, ...)	ETW_TL_A(p, 50, a) ETW_TL_F49(p, n, __VA_ARGS__)
#define ETW_TL_F51(p, n, a, ...)	ETW_TL_A(p, 51, a) ETW_TL_F50(p, n, __VA_ARGS__)
#define ETW_TL_F52(p, n, a, ...)	ETW_TL_A(p, 52, a) ETW_TL_F51(p, n, __VA_ARGS__)
#define ETW_TL_F53(p, n, a, ...)	ETW_TL_A(p, 53, a) ETW_TL_F52(p, n, __VA_ARGS__)
#define ETW_TL_F54(p, n, a, ...)	ETW_TL_A(p, 54, a) ETW_TL_F53(p, n, __VA_ARGS__)
#define ETW_TL_F55(p, n, a, ...)	ETW_TL_A(p, 55, a) ETW_TL_F54(p, n, __VA_ARGS__)
#define ETW_TL_F56(p, n, a, ...)	ETW_TL_A(p, 56, a) ETW_TL_F55(p, n, __VA_ARGS__)
#define ETW_TL_F57(p, n, a, ...)	ETW_TL_A(p, 57, a) ETW_TL_F56(p, n, __VA_ARGS__)
#define ETW_TL_F58(p, n, a, ...)	ETW_TL_A(p, 58, a) ETW_TL_F57(p, n, __VA_ARGS__)
#define ETW_TL_F59(p, n, a, ...)	ETW_TL_A(p, 59, a) ETW_TL_F58(p, n, __VA_ARGS__)
#define ETW_TL_F60(p, n, a, ...)	ETW_TL_A(p, 60, a) ETW_TL_F59(p, n, __VA_ARGS__)
#define ETW_TL_F61(p, n, a, ...)	ETW_TL_A(p, 61, a) ETW_TL_F60(p, n, __VA_ARGS__)
#define ETW_TL_F62(p, n, a, ...)	ETW_TL_A(p, 62, a) ETW_TL_F61(p, n, __VA_ARGS__)
#define ETW_TL_F63(p, n, a, ...)	ETW_TL_A(p, 63, a) ETW_TL_F62(p, n, __VA_ARGS__)
#define ETW_TL_F64(p, n, a, ...)	ETW_TL_A(p, 64, a) ETW_TL_F63(p, n, __VA_ARGS__)
#define ETW_TL_F65(p, n, a, ...)	ETW_TL_A(p, 65, a) ETW_TL_F64(p, n, __VA_ARGS__)
#define ETW_TL_F66(p, n, a, ...)	ETW_TL_A(p, 66, a) ETW_TL_F65(p, n, __VA_ARGS__)
#define ETW_TL_F67(p, n, a, ...)	ETW_TL_A(p, 67, a) ETW_TL_F66(p, n, __VA_ARGS__)
#define ETW_TL_F68(p, n, a, ...)	ETW_TL_A(p, 68, a) ETW_TL_F67(p, n, __VA_ARGS__)
#define ETW_TL_F69(p, n, a, ...)	ETW_TL_A(p, 69, a) ETW_TL_F68(p, n, __VA_ARGS__)
#define ETW_TL_F70(p, n, a, ...)	ETW_TL_A(p, 70, a) ETW_TL_F69(p, n, __VA_ARGS__)
#define ETW_TL_F71(p, n, a, ...)	ETW_TL_A(p, 71, a) ETW_TL_F70(p, n, __VA_ARGS__)
#define ETW_TL_F72(p, n, a, ...)	ETW_TL_A(p, 72, a) ETW_TL_F71(p, n, __VA_ARGS__)
#define ETW_TL_F73(p, n, a, ...)	ETW_TL_A(p, 73, a) ETW_TL_F72(p, n, __VA_ARGS__)
#define ETW_TL_F74(p, n, a, ...)	ETW_TL_A(p, 74, a) ETW_TL_F73(p, n, __VA_ARGS__)
#define ETW_TL_F75(p, n, a, ...)	ETW_TL_A(p, 75, a) ETW_TL_F74(p, n, __VA_ARGS__)
#define ETW_TL_F76(p, n, a, ...)	ETW_TL_A(p, 76, a) ETW_TL_F75(p, n, __VA_ARGS__)
#define ETW_TL_F77(p, n, a, ...)	ETW_TL_A(p, 77, a) ETW_TL_F76(p, n, __VA_ARGS__)
#define ETW_TL_F78(p, n, a, ...)	ETW_TL_A(p, 78, a) ETW_TL_F77(p, n, __VA_ARGS__)
#define ETW_TL_F79(p, n, a, ...)	ETW_TL_A(p, 79, a) ETW_TL_F78(p, n, __VA_ARGS__)
#define ETW_TL_F80(p, n, a, ...)	ETW_TL_A(p, 80, a) ETW_TL_F79(p, n, __VA_ARGS__)
#define ETW_TL_F81(p, n, a, ...)	ETW_TL_A(p, 81, a) ETW_TL_F80(p, n, __VA_ARGS__)
#define ETW_TL_F82(p, n, a, ...)	ETW_TL_A(p, 82, a) ETW_TL_F81(p, n, __VA_ARGS__)
#define ETW_TL_F83(p, n, a, ...)	ETW_TL_A(p, 83, a) ETW_TL_F82(p, n, __VA_ARGS__)
#define ETW_TL_F84(p, n, a, ...)	ETW_TL_A(p, 84, a) ETW_TL_F83(p, n, __VA_ARGS__)
#define ETW_TL_F85(p, n, a, ...)	ETW_TL_A(p, 85, a) ETW_TL_F84(p, n, __VA_ARGS__)
#define ETW_TL_F86(p, n, a, ...)	ETW_TL_A(p, 86, a) ETW_TL_F85(p, n, __VA_ARGS__)
#define ETW_TL_F87(p, n, a, ...)	ETW_TL_A(p, 87, a) ETW_TL_F86(p, n, __VA_ARGS__)
#define ETW_TL_F88(p, n, a, ...)	ETW_TL_A(p, 88, a) ETW_TL_F87(p, n, __VA_ARGS__)
#define ETW_TL_F89(p, n, a, ...)	ETW_TL_A(p, 89, a) ETW_TL_F88(p, n, __VA_ARGS__)
#define ETW_TL_F90(p, n, a, ...)	ETW_TL_A(p, 90, a) ETW_TL_F89(p, n, __VA_ARGS__)
#define ETW_TL_F91(p, n, a, ...)	ETW_TL_A(p, 91, a) ETW_TL_F90(p, n, __VA_ARGS__)
#define ETW_TL_F92(p, n, a, ...)	ETW_TL_A(p, 92, a) ETW_TL_F91(p, n, __VA_ARGS__)
#define ETW_TL_F93(p, n, a, ...)	ETW_TL_A(p, 93, a) ETW_TL_F92(p, n, __VA_ARGS__)
#define ETW_TL_F94(p, n, a, ...)	ETW_TL_A(p, 94, a) ETW_TL_F93(p, n, __VA_ARGS__)
#define ETW_TL_F95(p, n, a, ...)	ETW_TL_A(p, 95, a) ETW_TL_F94(p, n, __VA_ARGS__)
#define ETW_TL_F96(p, n, a, ...)	ETW_TL_A(p, 96, a) ETW_TL_F95(p, n, __VA_ARGS__)
#define ETW_TL_F97(p, n, a, ...)	ETW_TL_A(p, 97, a) ETW_TL_F96(p, n, __VA_ARGS__)
#define ETW_TL_F98(p, n, a, ...)	ETW_TL_A(p, 98, a) ETW_TL_F97(p, n, __VA_ARGS__)
#define ETW_TL_F99(p, n, a, ...)	ETW_TL_A(p, 99, a) ETW_TL_F98(p, n, __VA_ARGS__)

#endif /* ETW_TRACELOGGING_FOR_EACH_H */
