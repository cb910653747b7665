/* SPDX-License-Identifier: MIT */
/*
 * decode_corpus - events of real .etl files from Windows
 *
 * A file is a run of buffers, each with a header of 72 bytes (size on disk at 0, filled
 * bytes at 0x30, flags at 0x34) and records aligned to 8.
 */
#include <dirent.h>

#include "decode_event.h"

#define BUFFER_HEAD	72
#define COMPRESSED	0x40
#define ITEMS		16

static unsigned char file[1 << 20];
static unsigned int headers, good_headers, events, known, broken, left_over;
static unsigned int segments, requests, tracelogging;

static unsigned int u16(const unsigned char *p)
{
	return p[0] | p[1] << 8;
}

static unsigned int u32(const unsigned char *p)
{
	return u16(p) | u16(p + 2) << 16;
}

static const char *corpus(void)
{
	const char *dir = getenv("ETW_CORPUS");

	return dir ? dir : "../shared/corpus";
}

/* The first record of a file: SYSTEM32 or SYSTEM64, 32 bytes, then the trace's header. */
static void use_header(const unsigned char *p, size_t size, unsigned int type)
{
	static EVENT_RECORD record;

	record = (EVENT_RECORD){
		.EventHeader.ProviderId = { 0x68fdd900, 0x4a3e, 0x11d1,
			{ 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 } },
		.EventHeader.Flags = EVENT_HEADER_FLAG_CLASSIC_HEADER |
			(type == 1 ? EVENT_HEADER_FLAG_32_BIT_HEADER : 0),
	};
	decode_bytes(&record, p + 32, size - 32);
	headers++;
	good_headers += !decode_ret && !text_ret && strstr(text(), " LogFileNameString=\"") &&
		strstr(text(), " PerfFreq=") && !strstr(text(), "rest=");
}

static void judge(const struct etw_decoded *event)
{
	events++;
	known += !decode_ret;
	broken += text_ret != 0 || json_ret != 0;
	left_over += !decode_ret && strstr(text(), "rest=") != NULL;
	tracelogging += !decode_ret && event->source == ETW_DECODE_TRACELOGGING;
	segments += !decode_ret && strstr(text(), "Address=0x1b0f1000028 Size=0x1ffffd8 Type=");
	requests += !decode_ret && strstr(text(), "Url=\"http://georgis2:80/helloworld.htm\"");
}

/* EVENT_HEADER32 and 64: items lie between header and payload. */
static void use_event(const unsigned char *p, size_t size, unsigned int type)
{
	static EVENT_RECORD record;
	static EVENT_HEADER_EXTENDED_DATA_ITEM items[ITEMS];
	size_t at = 80;
	bool more;

	record = (EVENT_RECORD){ .ExtendedData = items };
	memcpy(&record.EventHeader, p, 80);
	record.EventHeader.Flags |= type == 18 ? EVENT_HEADER_FLAG_32_BIT_HEADER :
		EVENT_HEADER_FLAG_64_BIT_HEADER;
	more = record.EventHeader.Flags & EVENT_HEADER_FLAG_EXTENDED_INFO;
	while (more && at + 8 <= size && record.ExtendedDataCount < ITEMS) {
		items[record.ExtendedDataCount++] = (EVENT_HEADER_EXTENDED_DATA_ITEM){
			.ExtType = (USHORT)u16(p + at + 2), .DataSize = (USHORT)u16(p + at + 6),
			.DataPtr = (uintptr_t)(p + at + 8),
		};
		more = u16(p + at + 4) & 1;
		at += u16(p + at);
	}
	if (at > size)
		abort();
	judge(decode_bytes(&record, p + at, size - at));
}

static void use_buffer(const unsigned char *p, size_t filled)
{
	size_t at = BUFFER_HEAD, size;
	unsigned int type;

	for (; at + 32 <= filled; at += (size + 7) & ~(size_t)7) {
		type = p[at + 2];
		size = type == 18 || type == 19 || (type >= 10 && type <= 21 && type != 16 && type != 17) ?
			u16(p + at) : u16(p + at + 4);
		if (p[at + 3] != 0xC0 || !size || at + size > filled)
			return;
		if ((type == 1 || type == 2) && !u16(p + at + 6))
			use_header(p + at, size, type);
		if (type == 18 || type == 19)
			use_event(p + at, size, type);
	}
}

static void use_file(const char *path)
{
	FILE *f = fopen(path, "re");
	size_t at, step, filled, size;

	if (!f)
		return;
	size = fread(file, 1, sizeof(file), f);
	fclose(f);
	for (at = 0; at + BUFFER_HEAD <= size; at += step) {
		step = u32(file + at);
		filled = u32(file + at + 0x30);
		if (step < BUFFER_HEAD || at + step > size || filled > step)
			return;
		if (!(u16(file + at + 0x34) & COMPRESSED))
			use_buffer(file + at, filled);
	}
}

static struct etw_manifest *load_file(const char *name)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *m = NULL;
	char path[4096];

	snprintf(path, sizeof(path), "%s/manifests/%s", corpus(), name);
	if (!etw_manifest_read_file(path, &m, &problems) && etw_store_add(m))
		abort();
	etw_problems_free(&problems);
	return m;
}

static void use_all(DIR *dir, const char *path)
{
	struct dirent *entry;
	char name[8192];

	while ((entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (len < 4 || strcmp(entry->d_name + len - 4, ".etl"))
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		use_file(name);
	}
}

int main(void)
{
	struct etw_manifest *clr = load_file("microsoft__perfview__ClrEtwAll.man");
	struct etw_manifest *http = load_file("microsoft__Tx__HTTP_Server.man");
	char path[4096];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/etl", corpus());
	dir = opendir(path);
	if (!dir) {
		skip("no .etl files at %s", path);
		return done_testing();
	}
	use_all(dir, path);
	closedir(dir);
	printf("# %u events, %u known, %u of TraceLogging, %u with bytes left over\n", events, known,
	       tracelogging, left_over);
	ok(headers >= 8 && good_headers == headers, "%u of %u traces' headers", good_headers, headers);
	ok(known > 100, "%u of %u events are known", known, events);
	is(broken, 0, "fields end where events do, or before");
	ok(requests > 10, "%u requests of the web server", requests);
	is(left_over, 0, "and no bytes are left over");
	is(segments, 1, "an event of the CLR with the values that PerfView shows");
	etw_store_remove(clr);
	etw_store_remove(http);
	etw_manifest_put(clr);
	etw_manifest_put(http);
	clean_up();
	return done_testing();
}
