/* SPDX-License-Identifier: MIT */
/*
 * stream.c - the packets of a stream file
 *
 * A packet is written when it is large, where a loss begins and ends, and when the CPU
 * changes, which happens only if there are more CPUs than streams.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"
#include "base/atomic_file.h"

#define PACKET_SIZE	65536		/* bytes; a packet that has as many is written */
#define PACKET_KEEP	(1u << 20)	/* a larger buffer is freed */

/* As the metadata describe it */
struct packet_head {
	uint32_t magic, stream;
	uint64_t instance;
	uint64_t begin, end;		/* ns since 1970 */
	uint64_t content, size;		/* bits */
	uint64_t sequence, discarded;
	uint32_t cpu;
} __attribute__((packed));

static int write_all(struct convert *c, int fd, const struct etw_text *text)
{
	int err = etw_write_all(fd, text->data, text->len);

	return err ? convert_fail(c, err, "%s: %s", c->path, strerror(-err)) : 0;
}

static int create(struct convert *c, const char *name, int *fd)
{
	char *path;
	int err = 0;

	if (asprintf(&path, "%s/%s", c->path, name) < 0)
		return convert_no_memory(c);
	*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (*fd < 0)
		err = convert_fail(c, -errno, "%s: %s", path, strerror(errno));
	free(path);
	return err;
}

int ctf_write_file(struct convert *c, const char *name, const struct etw_text *text)
{
	int fd, err;

	if (text->error)
		return convert_no_memory(c);
	err = create(c, name, &fd);
	if (err)
		return err;
	err = write_all(c, fd, text);
	if (close(fd) && !err)
		err = convert_fail(c, -errno, "%s/%s: %s", c->path, name, strerror(errno));
	return err;
}

static int begin_packet(struct convert *c, struct ctf_stream *stream, uint32_t slot, uint64_t time)
{
	static const struct packet_head none;
	char name[32];
	int err;

	if (!stream->used) {
		snprintf(name, sizeof(name), "stream_%u", slot);
		err = create(c, name, &stream->fd);
		if (err)
			return err;
		stream->used = true;
	}
	stream->packet.len = 0;
	etw_text_add(&stream->packet, (const char *)&none, sizeof(none));
	stream->begin = time;
	stream->open = true;
	return stream->packet.error ? convert_no_memory(c) : 0;
}

struct ctf_stream *ctf_stream_of(struct convert *c, struct ctf_stream *streams, uint32_t cpu,
				 uint64_t time, int *err)
{
	uint32_t slot = cpu % CTF_STREAMS;
	struct ctf_stream *stream = &streams[slot];

	*err = 0;
	if (stream->open && stream->cpu != cpu)
		*err = ctf_stream_flush(c, stream);
	stream->cpu = cpu;
	if (!*err && !stream->open)
		*err = begin_packet(c, stream, slot, time > stream->last ? time : stream->last);
	return *err ? NULL : stream;
}

int ctf_stream_flush(struct convert *c, struct ctf_stream *stream)
{
	struct packet_head head;
	int err;

	ctf_gap_share(stream);
	head = (struct packet_head){
		.magic = CTF_MAGIC, .instance = stream->cpu % CTF_STREAMS,
		.begin = stream->begin, .end = stream->last, .cpu = stream->cpu,
		.content = 8 * (uint64_t)stream->packet.len, .sequence = stream->sequence++,
		.discarded = stream->discarded,
	};
	head.size = head.content;
	if (stream->packet.error)
		return convert_no_memory(c);
	memcpy(stream->packet.data, &head, sizeof(head));
	err = write_all(c, stream->fd, &stream->packet);
	stream->open = false;
	if (stream->packet.cap > PACKET_KEEP)
		etw_text_free(&stream->packet);
	return err;
}

int ctf_stream_end_event(struct convert *c, struct ctf_stream *stream, uint64_t time)
{
	stream->last = time;
	if (stream->packet.error)
		return convert_no_memory(c);
	return stream->packet.len >= PACKET_SIZE ? ctf_stream_flush(c, stream) : 0;
}

/* A packet has the counter at its end: the difference of two packets was lost between them. */
int ctf_stream_lost(struct convert *c, struct ctf_stream *stream, uint64_t events)
{
	int err = stream->open ? ctf_stream_flush(c, stream) : 0;

	stream->discarded += events;
	return err;
}

int ctf_stream_close(struct convert *c, struct ctf_stream *stream)
{
	int err = 0;

	if (stream->used && close(stream->fd))
		err = convert_fail(c, -errno, "%s: %s", c->path, strerror(errno));
	etw_text_free(&stream->packet);
	return err;
}
