/* SPDX-License-Identifier: GPL-2.0-only */
/* ctf.h - a small CTF 1.8 trace for babeltrace2, with the events of bench/decode */
#ifndef BENCH_CTF_H
#define BENCH_CTF_H

#include <stdint.h>

/* Write a trace of @events events into a directory. 0 or -errno. */
static int ctf_write(const char *dir, unsigned int events);

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CTF_MAGIC	0xC1FC1FC1u
#define CTF_PACKET	65536u		/* bytes */

static const char ctf_metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := ch;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"	packet.header := struct { u32 magic; u32 stream_id; }; };\n"
	"clock { name = mono; freq = 1000000000; offset = 1700000000000000000; };\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.mono.value; } := ts;\n"
	"stream { id = 0;\n"
	"	packet.context := struct { ts timestamp_begin; ts timestamp_end;\n"
	"		u64 content_size; u64 packet_size; u32 cpu_id; };\n"
	"	event.header := struct { u16 id; ts timestamp; };\n"
	"	event.context := struct { u32 pid; u32 tid; }; };\n"
	"event { name = \"Bench:Transfer\"; id = 1; stream_id = 0; loglevel = 6;\n"
	"	fields := struct { u32 number; u64 bytes; ch device[16]; string file; }; };\n";

struct ctf_head {
	uint32_t magic, stream;
	uint64_t begin, end, content_bits, packet_bits;
	uint32_t cpu;
} __attribute__((packed));

/* Write the payload of event i, the same bytes for all formats; returns its size. */
static unsigned int bench_payload(unsigned char *to, unsigned int i)
{
	uint32_t number = i;
	uint64_t bytes = (uint64_t)i * 4096;

	memcpy(to, &number, 4);
	memcpy(to + 4, &bytes, 8);
	memcpy(to + 12, "nvme0n1-queue-07", 16);
	memcpy(to + 28, "/var/log/journal/system.journal", 32);
	return 60;
}

static uint64_t bench_ns(unsigned int i)
{
	return (uint64_t)i * 1234;
}

static int ctf_packet(FILE *f, unsigned int *next, unsigned int events)
{
	static unsigned char packet[CTF_PACKET];
	struct ctf_head head = {
		.magic = CTF_MAGIC, .packet_bits = CTF_PACKET * 8, .begin = bench_ns(*next),
		.cpu = 3,
	};
	size_t at = sizeof(head);

	memset(packet, 0, sizeof(packet));
	for (; *next < events && at + 80 <= CTF_PACKET; (*next)++) {
		uint16_t id = 1;
		uint64_t ns = bench_ns(*next);
		uint32_t task[2] = { 4711, 4712 };

		memcpy(packet + at, &id, 2);
		memcpy(packet + at + 2, &ns, 8);
		memcpy(packet + at + 10, task, 8);
		at += 18 + bench_payload(packet + at + 18, *next);
		head.end = ns;
	}
	head.content_bits = at * 8;
	memcpy(packet, &head, sizeof(head));
	return fwrite(packet, CTF_PACKET, 1, f) == 1 ? 0 : -EIO;
}

static int ctf_write(const char *dir, unsigned int events)
{
	char path[4096];
	unsigned int next = 0;
	int ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	fputs(ctf_metadata, f);
	if (fclose(f))
		return -errno;
	snprintf(path, sizeof(path), "%s/stream", dir);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	while (next < events && !ret)
		ret = ctf_packet(f, &next, events);
	if (fclose(f) && !ret)
		ret = -errno;
	return ret;
}

#endif /* BENCH_CTF_H */
