// SPDX-License-Identifier: GPL-2.0-only
/* rules.c - the table of rules, and the walk that checks a file against them (rules.h). */
#include "rules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const rules[RULE_END] = {
	[RULE_HAS_BUFFER] = "a file begins with a whole buffer header",
	[RULE_BUFFER_SIZE] = "BufferSize covers at least the 72 bytes of the buffer's header",
	[RULE_BUFFER_INSIDE] = "a buffer ends inside the file",
	[RULE_NO_REST] = "the run of buffers ends where the file ends",
	[RULE_WRITTEN] = "BuffersWritten is the number of buffers in the file",
	[RULE_MAXIMUM] = "the file is not larger than MaximumFileSize, if there is one",
	[RULE_FIRST_TYPE] = "the first buffer is of type 4, header",
	[RULE_FIRST_PLAIN] = "the first buffer is not compressed",
	[RULE_FIRST_RECORD] = "the first record is SYSTEM32 or SYSTEM64, hook 0, version 2",
	[RULE_FIRST_SIZE] = "the first buffer has the session's size, or 1,024 bytes in a compressed or relogged file",
	[RULE_HEADER_SIZE] = "the first record holds a whole TRACE_LOGFILE_HEADER",
	[RULE_NAMES] = "logger name and file name are UTF-16 with a NUL at the end",
	[RULE_NAMES_END] = "nothing follows the names in the first record",
	[RULE_POINTER_SIZE] = "PointerSize is 4 in a SYSTEM32 record and 8 in a SYSTEM64 record",
	[RULE_CPUS] = "NumberOfProcessors is from 1 to 65,536",
	[RULE_LAYOUT] = "the file layout is version 1.5 or 2.0",
	[RULE_CLOCK] = "the clock type (ReservedFlags) is 1, 2 or 3",
	[RULE_FREQUENCY] = "PerfFreq is more than 0",
	[RULE_LOGICAL_SIZE] = "the header's BufferSize is from 72 bytes to 64 MB",
	[RULE_END_TIME] = "EndTime is not before StartTime",
	[RULE_BOOT_TIME] = "BootTime is not after StartTime",
	[RULE_ONE_HEADER] = "no buffer but the first is of type 4, header",
	[RULE_BUFFER_FLAG] = "BufferFlag has only the bits that are known, 0x7F",
	[RULE_BUFFER_TYPE] = "BufferType is at most 7",
	[RULE_STATE] = "State is 3",
	[RULE_BUFFER_CLOCK] = "a buffer's clock type and frequency are the file's; Windows leaves the type 0, and anything in the frequency",
	[RULE_CPU] = "a buffer's CPU is less than NumberOfProcessors",
	[RULE_PLAIN_SIZE] = "a plain buffer behind the first takes the session's buffer size on disk",
	[RULE_FILL_SMALL] = "Offset, the fill, covers the 72 bytes of the buffer's header",
	[RULE_FILL_LARGE] = "Offset is at most the size on disk, or the session's buffer size in a compressed buffer",
	[RULE_FILL_ALIGNED] = "Offset is a multiple of 8, the end of the last record with its padding",
	[RULE_SAVED] = "SavedOffset is the end of the last record (in the first buffer: of the first records); 0 only in files of layout 1.5",
	[RULE_TAIL] = "the unused tail of a plain buffer is filled with 0xFF",
	[RULE_SEQUENCE] = "sequence numbers are not negative, and unique but where a file was appended to",
	[RULE_SEQUENCE_ORDER] = "the sequence numbers of a CPU's buffers rise; once they start over in a circular file, at will in an appended one",
	[RULE_CODED] = "a compressed buffer decodes to as many bytes as Offset states",
	[RULE_CODED_ALL] = "a compressed buffer has no byte more than decoding takes",
	[RULE_CODED_MODE] = "a compressed buffer lies in a file whose LogFileMode has COMPRESSED_MODE",
	[RULE_MARK] = "byte 3 of a record is 0xC0, or 0x90 in a MESSAGE record",
	[RULE_TYPE] = "byte 2 of a record is a known type",
	[RULE_RECORD_SIZE] = "the size of a record covers its header",
	[RULE_RECORD_INSIDE] = "a record ends inside its buffer's fill",
	[RULE_ORDER] = "the times of a CPU's records do not go back",
	[RULE_WRAP_ORDER] = "the older part of a circular file is not later than the newer one",
	[RULE_ITEM_INSIDE] = "the chain of extended items ends inside its record",
	[RULE_ITEM_SIZE] = "the size of an extended item is that of its head and data, padded to 8 bytes",
	[RULE_ITEM_ALIGNED] = "the size of an extended item is a multiple of 8",
	[RULE_ITEM_LINK] = "of the link word of an extended item only bit 0 is used",
	[RULE_ITEM_TYPE] = "the type of an extended item is from 1 to 18",
	[RULE_ITEM_DATA] = "the data of an extended item has the size of its type",
	[RULE_ITEM_ORDER] = "provider traits (item 12) come before the event schema (item 11)",
};

const char *rule_text(unsigned int number)
{
	return number < RULE_END ? rules[number] : NULL;
}

void check_bad(struct check *c, enum rule rule, uint64_t offset, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	c->violations++;
	if (c->report)
		c->report(c->context, rule, offset, text);
}

/* The walk stopped at this buffer. */
static void stopped(struct check *c, const struct etl_file *e, const struct etl_buf *b, int fault)
{
	uint64_t left = e->size - b->offset;

	switch (fault) {
	case -ETL_BUF_CUT:
		check_bad(c, b->index ? RULE_NO_REST : RULE_HAS_BUFFER, b->offset,
			  "%" PRIu64 " bytes are left", left);
		break;
	case -ETL_BUF_SMALL:
		check_bad(c, RULE_BUFFER_SIZE, b->offset, "it is %u", b->size);
		break;
	default:
		check_bad(c, RULE_BUFFER_INSIDE, b->offset, "it has %u bytes, and %" PRIu64
			  " are left", b->size, left);
	}
}

/* The buffer's contents cannot be read. */
static void unreadable(struct check *c, const struct etl_buf *b, int fault)
{
	if (fault == -ETL_FILL_SMALL)
		check_bad(c, RULE_FILL_SMALL, b->offset, "it is %u", b->fill);
	else if (fault == -ETL_FILL_LARGE)
		check_bad(c, RULE_FILL_LARGE, b->offset, "%u of %u", b->fill, b->size);
	else
		check_bad(c, RULE_CODED, b->offset, "its %u bytes do not", b->size);
}

/* Returns 1 to go on. */
static int one_buffer(struct check *c, struct etl_file *e)
{
	struct etl_buf b;
	int rc = etl_buffer(e, &b);

	if (rc == -ETL_READ || rc == -ETL_MEMORY) {
		errno = rc == -ETL_READ ? EIO : ENOMEM;
		return -1;
	}
	if (!rc) {
		if (!b.index)
			check_bad(c, RULE_HAS_BUFFER, 0, "it is empty");
		return 0;
	}
	if (rc < 0 && rc > -ETL_FILL_SMALL) {
		if (!b.index || !(c->options & CHECK_OPEN))
			stopped(c, e, &b, rc);
		return 0;
	}
	check_buffer(c, &b);
	if (rc == 1) {
		check_tail(c, &b);
		check_records(c, &b);
	} else {
		unreadable(c, &b, rc);
	}
	c->buffers++;
	return 1;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Check the rules that need all buffers. */
static void check_whole(struct check *c, const struct etl_file *e)
{
	uint64_t most = c->head.max_size;

	if (c->seqs && !(c->head.mode & MODE_APPEND)) {
		qsort(c->seq, c->seqs, sizeof(*c->seq), by_number);
		for (size_t i = 1; i < c->seqs; i++)
			if (c->seq[i] == c->seq[i - 1])
				check_bad(c, RULE_SEQUENCE, 0, "%" PRId64 " is there twice",
					  c->seq[i]);
	}
	for (size_t i = 0; i < c->top; i++)
		if (c->cpu[i].wrapped && c->cpu[i].any && c->cpu[i].wrap_last > c->cpu[i].first)
			check_bad(c, RULE_WRAP_ORDER, 0, "CPU %zu: %" PRId64 " after %" PRId64, i,
				  c->cpu[i].wrap_last, c->cpu[i].first);
	if (!c->have_head)
		return;
	if (!(c->options & CHECK_OPEN) && c->head.written != c->buffers)
		check_bad(c, RULE_WRITTEN, 0, "it is %u, and there are %u", c->head.written,
			  c->buffers);
	most *= c->head.mode & MODE_KBYTES ? 1024 : 1024 * 1024;
	if (most && e->size > most)
		check_bad(c, RULE_MAXIMUM, 0, "%" PRIu64 " bytes of at most %" PRIu64, e->size,
			  most);
}

int64_t check_file(const char *path, unsigned int options, rule_fn *report, void *context,
		   struct check *out)
{
	struct check c = { .options = options, .report = report, .context = context };
	struct etl_file e;
	int rc, saved;

	if (etl_open(&e, path))
		return -1;
	c.cpu = calloc(65536, sizeof(*c.cpu));
	rc = c.cpu ? 1 : -1;
	while (rc == 1)
		rc = one_buffer(&c, &e);
	if (!rc)
		check_whole(&c, &e);
	saved = errno;
	etl_close(&e);
	free(c.cpu);
	free(c.seq);
	errno = saved;
	/* Do not leave dangling pointers. */
	c.cpu = NULL;
	c.seq = NULL;
	c.head.names = NULL;
	if (out)
		*out = c;
	return rc < 0 ? -1 : (int64_t)c.violations;
}
