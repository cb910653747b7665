/* SPDX-License-Identifier: MIT */
/*
 * gzip.c - compress what a format writes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"
#include "gzip.h"

#define WINDOW_GZIP	(15 + 16)	/* the largest window, and a header of gzip */
#define MEMORY		8		/* zlib's default */

struct gzip {
	z_stream stream;
	struct etw_text out;
};

struct gzip *gzip_new(void)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	/* The header has no time, so the same input gives the same file. */
	if (gzip && deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP,
				 MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gzip);
		return NULL;
	}
	return gzip;
}

void gzip_free(struct gzip *gzip)
{
	if (!gzip)
		return;
	deflateEnd(&gzip->stream);
	etw_text_free(&gzip->out);
	free(gzip);
}

int gzip_flush(struct gzip *gzip, struct convert *c, struct etw_text *text, size_t least, bool end)
{
	z_stream *stream = &gzip->stream;
	int ret, err = text->error ? convert_no_memory(c) : 0;
	char *room;

	if (err || (text->len < least && !end))
		return err;
	stream->next_in = (Bytef *)text->data;
	stream->avail_in = (uInt)text->len;
	do {
		room = etw_text_room(&gzip->out, CONVERT_BLOCK);
		if (!room)
			return convert_no_memory(c);
		stream->next_out = (Bytef *)room;
		stream->avail_out = CONVERT_BLOCK;
		ret = deflate(stream, end ? Z_FINISH : Z_NO_FLUSH);
		etw_text_end(&gzip->out, room + CONVERT_BLOCK - stream->avail_out);
		err = convert_flush(c, &gzip->out, end ? 0 : CONVERT_BLOCK);
	} while (!err && ret == Z_OK && (stream->avail_in || !stream->avail_out || end));
	text->len = 0;
	if (!err && ret != Z_OK && ret != Z_STREAM_END && ret != Z_BUF_ERROR)
		err = convert_fail(c, -EIO, "zlib: error %d", ret);
	return err;
}
