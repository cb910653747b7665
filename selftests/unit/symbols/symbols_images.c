// SPDX-License-Identifier: MIT
/* symbols_images - which file a process had mapped at an address, by events in any order */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "symbols/images.h"

#define SECOND	10000000ll
#define BIN	0x400000ull
#define LIB	0x7f0000000000ull

static struct etw_event_header header;
static struct etw_event event;
static unsigned char payload[512];

static void give(struct images *images, const struct etw_guid *guid, uint8_t opcode, int64_t time,
		 size_t len)
{
	header = (struct etw_event_header){ .provider = *guid, .desc.opcode = opcode,
					    .type = ETW_TYPE_EVENT64,
					    .flags = ETW_EVENT_KERNEL_MODE };
	event = (struct etw_event){ .time = time };
	event.record.header = &header;
	event.record.data = payload;
	event.record.data_len = (uint32_t)len;
	if (images_take(images, &event))
		abort();
}

static void image(struct images *images, uint8_t opcode, int64_t time, uint32_t pid, uint64_t key,
		  uint64_t base, const char *path)
{
	const struct etw_guid guid = ETW_IMAGE_GUID;
	struct etw_image_payload p = { .base = base, .size = 0x2000, .offset = 0x1000,
				       .start_key = key, .pid = pid };
	const uint16_t id_len = 3;
	size_t len = sizeof(p);

	memcpy(payload, &p, len);
	memcpy(payload + len, &id_len, 2);
	memcpy(payload + len + 2, "\1\2\3", 3);
	strcpy((char *)payload + len + 5, path);
	give(images, &guid, opcode, time, len + 5 + strlen(path) + 1);
}

static void started(struct images *images, uint8_t opcode, int64_t time, uint32_t pid,
		    uint32_t parent, uint64_t key)
{
	const struct etw_guid guid = ETW_PROCESS_GUID;
	struct etw_process_payload p = { .pid = pid, .parent = parent, .start_key = key };

	memcpy(payload, &p, sizeof(p));
	memcpy(payload + sizeof(p), "x\0", 3);
	give(images, &guid, opcode, time, sizeof(p) + 3);
}

/* The path that is mapped there then, "" if none is known */
static const char *at(struct images *images, uint32_t pid, int64_t time, uint64_t address)
{
	struct image found;

	return images_find(images, pid, time, address, &found) ? found.file->path : "";
}

static void check_times(void)
{
	struct images *i = images_new();
	struct image found;

	ok(!images_any(i) && !*at(i, 7, 5, BIN), "nothing is known");
	image(i, ETW_IMAGE_LOAD, 1 * SECOND, 7, 1, BIN, "/bin/a");
	image(i, ETW_IMAGE_LOAD, 3 * SECOND, 7, 1, BIN, "/bin/b");
	ok(images_any(i) && !strcmp(at(i, 7, 1 * SECOND, BIN), "/bin/a") &&
	   !strcmp(at(i, 7, 2 * SECOND, BIN + 0x1fff), "/bin/a"), "from when it was mapped on");
	ok(!strcmp(at(i, 7, 3 * SECOND, BIN), "/bin/b"), "a later mapping replaces an earlier one");
	ok(!*at(i, 7, 0, BIN) && !*at(i, 7, 2 * SECOND, BIN + 0x2000) &&
	   !*at(i, 7, 2 * SECOND, BIN - 1) && !*at(i, 8, 2 * SECOND, BIN),
	   "not before, beside, or in another process");
	ok(images_find(i, 7, 2 * SECOND, BIN + 5, &found) && found.begin == BIN &&
	   found.end == BIN + 0x2000 && found.offset == 0x1000 && found.file->build_id_len == 3 &&
	   !memcmp(found.file->build_id, "\1\2\3", 3), "what is known of it");
	/* Late: between the two */
	image(i, ETW_IMAGE_LOAD, 2 * SECOND, 7, 1, BIN, "/bin/c");
	ok(!strcmp(at(i, 7, 2 * SECOND, BIN), "/bin/c") &&
	   !strcmp(at(i, 7, 3 * SECOND - 1, BIN), "/bin/c") &&
	   !strcmp(at(i, 7, 3 * SECOND, BIN), "/bin/b"), "an event that comes late");
	images_free(i);
}

static void check_rundown(void)
{
	struct images *i = images_new();

	image(i, ETW_IMAGE_RUNDOWN, 5 * SECOND, 7, 1, LIB, "/lib/a");
	image(i, ETW_IMAGE_LOAD, 6 * SECOND, 7, 1, BIN, "/lib/b");
	ok(!strcmp(at(i, 7, 0, LIB), "/lib/a"), "what a rundown finds was there before");
	ok(!*at(i, 7, 0, BIN), "what is mapped later was not");
	started(i, ETW_PROCESS_START, 4 * SECOND, 7, 1, 1);
	ok(!*at(i, 7, 3 * SECOND, LIB) && !strcmp(at(i, 7, 4 * SECOND, LIB), "/lib/a"),
	   "but not before the process began");
	images_free(i);
}

static void check_forks(void)
{
	struct images *i = images_new();

	image(i, ETW_IMAGE_RUNDOWN, 1 * SECOND, 7, 1, LIB, "/lib/a");
	started(i, ETW_PROCESS_START, 2 * SECOND, 8, 7, 2);
	image(i, ETW_IMAGE_LOAD, 3 * SECOND, 7, 1, LIB, "/lib/new");
	started(i, ETW_PROCESS_START, 4 * SECOND, 9, 8, 3);
	ok(!strcmp(at(i, 8, 5 * SECOND, LIB), "/lib/a") &&
	   !strcmp(at(i, 9, 5 * SECOND, LIB), "/lib/a"),
	   "a process has what its parent had when it was forked, and a grandchild too");
	image(i, ETW_IMAGE_LOAD, 6 * SECOND, 9, 3, LIB, "/lib/own");
	ok(!strcmp(at(i, 9, 7 * SECOND, LIB), "/lib/own") &&
	   !strcmp(at(i, 9, 5 * SECOND, LIB), "/lib/a"), "until it maps its own");
	/* The id is used again, by a process whose start was lost. */
	image(i, ETW_IMAGE_LOAD, 8 * SECOND, 9, 4, BIN, "/bin/next");
	ok(!*at(i, 9, 9 * SECOND, LIB) && !strcmp(at(i, 9, 9 * SECOND, BIN), "/bin/next"),
	   "another process of the same id has nothing of the one before");
	/* A process that is its own ancestor */
	started(i, ETW_PROCESS_START, 2 * SECOND, 20, 21, 5);
	started(i, ETW_PROCESS_START, 2 * SECOND, 21, 20, 6);
	ok(!*at(i, 20, 5 * SECOND, LIB), "parents in a circle end");
	images_free(i);
}

static void check_hostile(void)
{
	const struct etw_guid guid = ETW_IMAGE_GUID;
	struct images *i = images_new();
	struct etw_image_payload p = { .base = UINT64_MAX - 5, .size = 100, .pid = 7 };
	uint16_t id_len = 500;
	size_t len;

	for (len = 0; len < 80; len++) {
		memset(payload, 'x', sizeof(payload));
		memcpy(payload, &p, sizeof(p));
		memcpy(payload + sizeof(p), &id_len, 2);
		give(i, &guid, ETW_IMAGE_LOAD, 1, len);
	}
	ok(!images_any(i), "payloads that are too short, or have no end");
	image(i, ETW_IMAGE_UNKNOWN, 1, 7, 1, BIN, "/bin/a");
	ok(!images_any(i), "what a process could not be asked for maps nothing");
	header.desc.opcode = ETW_IMAGE_LOAD;
	header.flags = ETW_EVENT_USER_MODE;
	ok(!images_take(i, &event) && !images_any(i), "events of a process that uses the GUID");
	images_free(i);
}

/* More than there is room for, in all orders of time */
static void check_bounds(void)
{
	struct images *i = images_new();
	char path[32];
	uint32_t n;

	for (n = 0; n < IMAGES_EACH_MAX + 10; n++)
		image(i, ETW_IMAGE_LOAD, (int64_t)(n * 7919 % 65536) + 1, 7, 1, BIN + n * 0x2000ull,
		      "/bin/a");
	is((int)images_left_out(i), 10, "what one process may have is bounded, and the rest counted");
	for (n = 0; n < IMAGES_FILES_MAX + 5; n++) {
		snprintf(path, sizeof(path), "/lib/%u", n);
		image(i, ETW_IMAGE_LOAD, 1, 1000 + n / 100, 1, LIB + n % 100 * 0x2000ull, path);
	}
	is((int)images_left_out(i), 16, "so are files, of which one is the other process's");
	images_free(i);
	i = images_new();
	for (n = 0; n < IMAGES_MAX + 100; n++) {
		if (n % 10 == 9)
			started(i, ETW_PROCESS_STOP, n * (SECOND / 1000), 1 + n / 10, 0, n / 10);
		image(i, ETW_IMAGE_LOAD, n * (SECOND / 1000), 1 + n / 10, 0, LIB + n * 0x2000ull,
		      "/lib/a");
	}
	ok(!images_left_out(i) && !strcmp(at(i, 1 + (n - 2) / 10, n * SECOND, LIB + (n - 2) * 0x2000ull),
					  "/lib/a") && !*at(i, 1, n * SECOND, LIB),
	   "what processes had that ended long ago makes room");
	images_free(i);
}

int main(void)
{
	check_times();
	check_rundown();
	check_forks();
	check_hostile();
	check_bounds();
	return done_testing();
}
