// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace.c - make a trace event or BPF programs a provider, with parts that lie anywhere in and
 * behind a record
 *
 * The events are system calls, which programs make all the time; a few calls are not what the
 * kernel takes.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include "exec.h"

#define TRACEFS		"/sys/kernel/tracing"
#define EVENTS_MAX	1024

static unsigned int event_id(const char *name)
{
	char path[512];
	unsigned int id = 0;
	FILE *f;

	snprintf(path, sizeof(path), TRACEFS "/events/syscalls/%s/id", name);
	f = fopen(path, "re");
	if (f && fscanf(f, "%u", &id) != 1)
		id = 0;
	if (f)
		fclose(f);
	return id;
}

/* The ids of the events, found once; each process finds them itself. */
static const unsigned int *event_ids(unsigned int *count)
{
	static unsigned int ids[EVENTS_MAX], found;
	const struct dirent *d;
	DIR *dir;

	if (!found) {
		mount("tracefs", TRACEFS, "tracefs", 0, NULL);
		dir = opendir(TRACEFS "/events/syscalls");
		while (dir && found < EVENTS_MAX && (d = readdir(dir)))
			if (d->d_name[0] == 's')
				ids[found++] = event_id(d->d_name);
		if (dir)
			closedir(dir);
	}
	*count = found;
	return ids;
}

/* Mostly what the kernel takes */
static struct etw_trace_piece make_piece(uint64_t r)
{
	static const uint16_t sizes[] = { 8, 4, 1, 16, 2, 64, 300, 65535 };
	struct etw_trace_piece piece = {
		.kind = r % 5, .size = sizes[(r >> 8) % (sizeof(sizes) / sizeof(*sizes))],
		/* Mostly in the record, else anywhere */
		.offset = r >> 16 & 7 ? r >> 20 & 127 : r >> 20 & 0xffff,
	};

	if (piece.kind == ETW_TRACE_TEXT_AT || piece.kind == ETW_TRACE_ARRAY_AT)
		piece.flags = r >> 40 & 1;
	if (!(r >> 48 & 63)) {
		piece.kind = r >> 54 & 7;
		piece.size = 0;
	}
	return piece;
}

/* Memory at an address in the record; bytes have a length there, and mostly a size that is right. */
static void read_user(struct etw_trace_piece *piece, uint64_t r)
{
	piece->kind = r & 1 ? ETW_TRACE_USER_TEXT : ETW_TRACE_USER_BYTES;
	piece->flags = 0;
	if (piece->kind == ETW_TRACE_USER_BYTES || !(r >> 1 & 31))
		piece->length_offset = r >> 6 & 7 ? r >> 9 & 127 : r >> 9 & 0xffff;
}

/* An event without a field, called "e" */
static const unsigned char schema[] = { 5, 0, 0, 'e', 0 };

static const char names[ETW_TRACE_MANIFEST_MAX + 1];

RUN(trace)
{
	struct etw_trace_piece pieces[ETW_TRACE_PIECES_MAX + 1];
	struct etw_trace_event e = {
		.size = sizeof(e), .provider = fuzz_guids[v[1] % GUIDS], .level = 4,
		.name = (uintptr_t)"fuzz-trace", .name_len = 10, .schema = (uintptr_t)schema,
		.schema_len = sizeof(schema), .pieces = (uintptr_t)pieces,
		.piece_count = v[3] % (ETW_TRACE_PIECES_MAX + 2),
	};
	uint64_t seed = v[2];
	unsigned int count, i;
	const unsigned int *ids = event_ids(&count);

	(void)x;
	(void)thread;
	/* The module does not read the names; one piece, several, or too many */
	if (v[1] >> 10 & 1) {
		e.manifest = (uintptr_t)names;
		e.manifest_len = v[1] >> 11 & 0xffff;
	}
	if (!(v[1] >> 8 & 3) || !count) {
		e.id = count ? ids[seed % count] : 0;
	} else {
		e.flags = ETW_TRACE_SAMPLE | (seed & ETW_TRACE_FREQUENCY);
		e.counter = seed >> 8 & 7;
		e.config = seed >> 16 & 15;
		e.period = 1 + (seed >> 32 & 1023);
	}
	for (i = 0; i < e.piece_count; i++) {
		seed = rnd_mix(seed + i + 1);
		pieces[i] = make_piece(seed);
		if (i < ETW_TRACE_USER_TEXTS && seed >> 60 & 1)
			read_user(&pieces[i], rnd_mix(seed));
	}
	return result(ioctl((int)v[0], ETW_IOC_TRACE_EVENT, &e));
}

/* Mostly what the kernel takes: the events' shares of the metadata and of the pieces add up. */
RUN(bpf)
{
	unsigned char schemas[4 * sizeof(schema)];
	struct etw_trace_piece pieces[4 * ETW_TRACE_PIECES_MAX];
	struct etw_bpf_event events[4] = { };
	uint64_t seed = v[2];
	struct etw_bpf_provider p = {
		.size = sizeof(p), .provider = fuzz_guids[v[1] % GUIDS], .name = (uintptr_t)"fuzz-bpf",
		.name_len = 8, .event_count = v[3] % 6, .events = (uintptr_t)events,
		.schemas = (uintptr_t)schemas, .pieces = (uintptr_t)pieces,
	};
	unsigned int i;

	(void)x;
	(void)thread;
	for (i = 0; i < 4; i++) {
		seed = rnd_mix(seed + i + 1);
		memcpy(schemas + i * sizeof(schema), schema, sizeof(schema));
		events[i].keyword = seed;
		events[i].level = seed >> 8 & 7;
		events[i].record_size = seed >> 16 & 63 ? seed >> 24 & 127 : seed >> 24 & 0xffffff;
		events[i].schema_len = sizeof(schema);
		events[i].piece_count = seed >> 48 & 15 ? seed >> 52 & 3 : seed >> 52;
		if (i < p.event_count) {
			p.schemas_len += sizeof(schema);
			p.piece_count += events[i].piece_count;
		}
	}
	for (i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		seed = rnd_mix(seed + i + 1);
		pieces[i] = make_piece(seed);
		if (!(seed >> 60))
			read_user(&pieces[i], rnd_mix(seed));
	}
	if (!(seed & 31))
		p.schemas_len ^= 1u << (seed >> 8 & 31);
	if (!(seed >> 16 & 31))
		p.piece_count ^= 1u << (seed >> 24 & 31);
	return result(ioctl((int)v[0], ETW_IOC_BPF_PROVIDER, &p));
}
