// SPDX-License-Identifier: GPL-2.0-only
/* filters.c - the filters of ENABLE: all types, valid and invalid */
#define _GNU_SOURCE
#include "exec.h"

#define PICK(table, value) ((table)[(value) % (sizeof(table) / sizeof((table)[0]))])

/* The data of filters other than PIDs, by requested kind */
static uint32_t filter_data(const struct room *r, struct etw_filter *f, unsigned int what,
			    uint8_t *data, uint64_t seed)
{
	static const char *const names[] = { "etw_fuzz", "/", "a;b;etw_fuzz", "a;", "" };
	static const uint32_t types[] = { ETW_FILTER_EXECUTABLE_NAME, ETW_FILTER_CONTAINER,
					  ETW_FILTER_PACKAGE_ID, ETW_FILTER_PACKAGE_APP_ID };
	struct etw_filter_event_id ids = { .in = seed & 1, .count = 3, .ids = { 0, 7, seed } };
	struct etw_filter_level_kw level = { .any = seed & 3, .level = seed % 7, .in = seed & 1 };
	const char *name = PICK(names, seed);

	if (what >= 26) {
		blob_make(f, data, r->handle, seed);
		return f->len;
	}
	switch (what) {
	case 16: case 17: case 18: case 19:
		f->type = types[what - 16];
		f->len = strlen(name);
		memcpy(data, name, f->len);
		break;
	case 20: case 21: case 22:
		f->type = what == 21 ? ETW_FILTER_STACKWALK : ETW_FILTER_EVENT_ID;
		if (what == 22)
			ids.count = seed >> 8 & 127;
		f->len = 4 + 2 * ids.count;
		memcpy(data, &ids, sizeof(ids));
		break;
	case 24: case 25:
		f->type = what == 24 ? ETW_FILTER_EVENT_NAME : ETW_FILTER_STACKWALK_NAME;
		f->len = bytes_names(data, seed);
		break;
	default:
		f->type = ETW_FILTER_STACKWALK_LEVEL_KW;
		f->len = sizeof(level);
		memcpy(data, &level, sizeof(level));
	}
	return f->len;
}

/* Up to eight filters of all types; the last may occur twice. */
static unsigned int many_filters(struct room *r, struct etw_filter *f, uint64_t seed)
{
	unsigned int n = 1 + (seed >> 12 & 7), i;
	uint8_t data[BLOB_MAX];
	uint32_t len;

	for (i = 0; i < n; i++) {
		len = filter_data(r, &f[i], 16 + (seed >> 16 & 7) + i, data, rnd_mix(seed + i));
		f[i].ptr = put(r, 0, data, len < sizeof(data) ? len : sizeof(data));
	}
	return n;
}

static unsigned int pid_filters(struct room *r, struct etw_filter *f, unsigned int what)
{
	uint32_t own = getpid(), pids[9] = { own, own, 1, 2, 0, 0xffffffff, 99999, own, own };
	unsigned int i, n = 1;

	for (i = 0; i < 14; i++)
		f[i] = (struct etw_filter){ 0, 4, ETW_FILTER_PID };
	switch (what) {
	case 2: f[0].len = 32; break;
	case 3: n = 2; break;
	case 4: f[0].type = ETW_FILTER_NONE; break;
	case 5: f[0].type = 0x80000000; break;
	case 6: f[0].len = 0; break;
	case 7: f[0].len = 3; break;
	case 8: f[0].len = 36; break;
	case 9: n = 2; f[0].type = f[1].type = ETW_FILTER_NONE; break;
	case 10: n = 13; break;
	case 11: n = 14; break;
	case 13: f[0].len = 12; break;
	case 14: n = 2; f[1].type = ETW_FILTER_NONE; break;
	}
	for (i = 0; i < n; i++)
		f[i].ptr = what == 12 ? UNMAPPED : put(r, 0, pids, sizeof(pids));
	return n;
}

uint64_t filters_arg(struct room *r, const struct arg *arg)
{
	unsigned int n, what = arg->value >> 4 & 31;
	struct etw_filter f[14];
	uint8_t data[BLOB_MAX];

	if (arg->mode == ARG_RAW) {
		r->len = 1;
		return raw_pointer(arg->value);
	}
	if (arg->mode == ARG_DEFAULT || !what)
		return r->len = 0;
	if (what < 16) {
		n = pid_filters(r, f, what);
	} else if (what < 26 || what >= 28) {
		n = 1;
		filter_data(r, &f[0], what, data, what < 26 ? arg->value >> 9 : rnd_mix(arg->value));
		f[0].ptr = put(r, arg->value >> 5 & 15, data, f[0].len < 300 ? 300 : sizeof(data));
	} else {
		n = many_filters(r, f, arg->value);
	}
	r->len = n;
	return put(r, arg->value & 15, f, n * sizeof(f[0]));
}
