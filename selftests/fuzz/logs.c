// SPDX-License-Identifier: GPL-2.0-only
/*
 * logs.c - log files of sessions: the targets of etw_session.file and .log
 *
 * Files are memfds, which leave nothing behind, or files in a tmpfs directory; the
 * descriptors are closed with the child that runs the program.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/stat.h>

#include "exec.h"

#define LOG_DIR	"/tmp/etw_fuzz_log"

/* A descriptor for fd or dir; mostly of the right kind. */
static int some_fd(unsigned int seed, bool dir)
{
	static int files[4] = { -1, -1, -1, -1 }, directory = -1;
	unsigned int which = seed & 3;

	switch (seed >> 2 & 15) {
	case 1: return -1;
	case 2: return seed >> 6 & 7;		/* any kind of descriptor */
	case 3: return 0x7fffffff;
	case 4: dir = !dir; break;
	}
	if (dir) {
		if (directory < 0) {
			mkdir(LOG_DIR, 0700);
			directory = open(LOG_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		}
		return directory;
	}
	if (files[which] < 0)
		files[which] = memfd_create("log", MFD_CLOEXEC);
	return files[which];
}

/* Few sessions have a file. */
uint64_t logfile_arg(struct room *r, const struct arg *arg)
{
	static const char *const names[] = { "l%d.etl", "log.etl", "/a/b/c%d", "..", "x/", "%d%d" };
	uint64_t seed = arg->value;
	bool dir = seed >> 4 & 1;
	const char *name = names[(seed >> 5 & 15) < 6 ? seed >> 5 & 15 : 0];
	struct etw_session_file f = {
		.size = sizeof(f), .fd = -1, .dir = -1, .file_mode = 0600,
		.name_len = strlen(name), .max_size = seed >> 9 & 7 ? (seed >> 9 & 7) * 16 : 0,
		.first = seed >> 12 & 1, .max_number = seed >> 13 & 3,
	};

	if (arg->mode == ARG_DEFAULT || !(seed & 3))
		return 0;
	if (arg->mode == ARG_RAW)
		return raw_pointer(seed);
	if (dir)
		f.dir = some_fd(seed >> 16, true);
	else
		f.fd = some_fd(seed >> 16, false);
	switch (seed >> 32 & 31) {
	case 1: f.flags = ETW_FILE_NEXT; break;
	case 2: f.flags = ETW_FILE_END; break;
	case 3: f.sync_ms = seed >> 40 & 0xfff; break;
	case 4: f.size += 8; break;
	case 5: f.size = seed >> 40 & 0xff; break;
	case 6: f.file_mode = 07777; break;
	case 7: f.dir = some_fd(seed >> 40, true); break;
	case 8: f.name_len = ETW_FILE_NAME_MAX + (seed >> 40 & 1); break;
	case 9: f.zone = 8; break;
	case 10: f.max_size = UINT32_MAX; break;
	case 11: f.name_len = 0; break;
	case 12: f.first = UINT32_MAX; break;
	case 13: f.flags = 4; break;
	}
	f.name = put(r, seed >> 48 & 15, name, strlen(name) + 1);
	return put(r, seed >> 52 & 15, &f, sizeof(f));
}

uint64_t logout_arg(struct room *r, const struct arg *arg)
{
	char room[64] = { 0 };
	struct etw_session_log log = { .size = sizeof(log), .name_cap = arg->value >> 8 & 63 };

	if (arg->mode == ARG_RAW)
		return raw_pointer(arg->value);
	if (arg->mode == ARG_DEFAULT || !(arg->value & 1))
		return 0;
	if ((arg->value >> 1 & 15) == 1)
		log.size = arg->value >> 16 & 0xff;
	log.name = put(r, arg->value >> 24 & 15, room, sizeof(room));
	return put(r, arg->value >> 28 & 15, &log, sizeof(log));
}
