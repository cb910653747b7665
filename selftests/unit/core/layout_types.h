/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout_types.h - layout of the types that are not ETW's own; see layout.c
 */
#ifndef ETW_LAYOUT_TYPES_H
#define ETW_LAYOUT_TYPES_H

#define TYPES(S, F)							\
	S(LARGE_INTEGER, 8, 8)						\
	F(LARGE_INTEGER, LowPart, 0, 4)					\
	F(LARGE_INTEGER, HighPart, 4, 4)				\
	F(LARGE_INTEGER, u.LowPart, 0, 4)				\
	F(LARGE_INTEGER, u.HighPart, 4, 4)				\
	F(LARGE_INTEGER, QuadPart, 0, 8)				\
	S(ULARGE_INTEGER, 8, 8)						\
	F(ULARGE_INTEGER, LowPart, 0, 4)				\
	F(ULARGE_INTEGER, HighPart, 4, 4)				\
	F(ULARGE_INTEGER, QuadPart, 0, 8)				\
	S(FILETIME, 8, 4)						\
	F(FILETIME, dwLowDateTime, 0, 4)				\
	F(FILETIME, dwHighDateTime, 4, 4)				\
	S(SYSTEMTIME, 16, 2)						\
	F(SYSTEMTIME, wYear, 0, 2)					\
	F(SYSTEMTIME, wMonth, 2, 2)					\
	F(SYSTEMTIME, wDayOfWeek, 4, 2)					\
	F(SYSTEMTIME, wDay, 6, 2)					\
	F(SYSTEMTIME, wHour, 8, 2)					\
	F(SYSTEMTIME, wMinute, 10, 2)					\
	F(SYSTEMTIME, wSecond, 12, 2)					\
	F(SYSTEMTIME, wMilliseconds, 14, 2)				\
	S(TIME_ZONE_INFORMATION, 172, 4)				\
	F(TIME_ZONE_INFORMATION, Bias, 0, 4)				\
	F(TIME_ZONE_INFORMATION, StandardName, 4, 64)			\
	F(TIME_ZONE_INFORMATION, StandardDate, 68, 16)			\
	F(TIME_ZONE_INFORMATION, StandardBias, 84, 4)			\
	F(TIME_ZONE_INFORMATION, DaylightName, 88, 64)			\
	F(TIME_ZONE_INFORMATION, DaylightDate, 152, 16)			\
	F(TIME_ZONE_INFORMATION, DaylightBias, 168, 4)			\
	S(GUID, 16, 4)							\
	F(GUID, Data1, 0, 4)						\
	F(GUID, Data2, 4, 2)						\
	F(GUID, Data3, 6, 2)						\
	F(GUID, Data4, 8, 8)

#endif /* ETW_LAYOUT_TYPES_H */
