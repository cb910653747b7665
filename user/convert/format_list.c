/* SPDX-License-Identifier: MIT */
/*
 * format_list.c - all formats of user/convert
 */
#include "convert.h"

const struct convert_format *const convert_formats[] = {
	&convert_csv,
	&convert_chrome,
	&convert_perfetto,
	&convert_ctf,
	&convert_folded,
	&convert_speedscope,
	&convert_pprof,
	NULL
};
