// SPDX-License-Identifier: GPL-2.0-only
/*
 * walk.c - an independent walk of an .etl file.
 *
 * Written from the format's page alone (reference/etl-format.md, and sections 2.3 and 7
 * of etw-surface.md), without knowledge of the project's reader and writer: C and libc,
 * no header and no code of the project.  Tests compare this program's lists with the
 * library's: where both readers agree, they read the page the same way.
 *
 *     walk [-r] FILE   a line per record, in the file's order, then a summary
 *     walk -t FILE     the corpus' lists: the columns of its .events.tsv files
 *     walk -s FILE     the summary alone
 *     walk -b FILE     a line per buffer header, then the summary
 *
 * A line per record, fields with a tab between: number of the buffer, its offset in the
 * file and the record's in the uncompressed buffer ("65536+72"), CPU, type, size, time,
 * provider or hook, id (EVENT) or opcode (FULL, INSTANCE), payload bytes, SHA-1 of the
 * whole record (12 digits). The summary's lines start with '#'. A buffer or record that
 * cannot be read is reported on standard error with its offset; the walk goes on with the
 * next buffer, and the exit status is 1.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

/* The set of providers: open addressing, never more than half full. */
struct set {
	unsigned char (*key)[16];
	unsigned char *used;
	size_t cap, n;
};

static size_t slot(const struct set *s, const unsigned char *g)
{
	size_t i = (size_t)((le64(g) ^ le64(g + 8)) * 0x9e3779b97f4a7c15u >> 20) & (s->cap - 1);

	while (s->used[i] && memcmp(s->key[i], g, 16))
		i = (i + 1) & (s->cap - 1);
	return i;
}

static void grow(struct set *s)
{
	struct set old = *s;

	s->cap = old.cap ? 2 * old.cap : 256;
	s->key = calloc(s->cap, 16);
	s->used = calloc(s->cap, 1);
	if (!s->key || !s->used) {
		fprintf(stderr, "walk: out of memory\n");
		exit(1);
	}
	for (size_t i = 0; i < old.cap; i++) {
		if (old.used[i]) {
			size_t at = slot(s, old.key[i]);

			memcpy(s->key[at], old.key[i], 16);
			s->used[at] = 1;
		}
	}
	free(old.key);
	free(old.used);
}

static void add(struct set *s, const unsigned char *g)
{
	size_t i;

	if (2 * s->n >= s->cap)
		grow(s);
	i = slot(s, g);
	if (s->used[i])
		return;
	memcpy(s->key[i], g, 16);
	s->used[i] = 1;
	s->n++;
}

struct walk {
	char mode;		/* 'r' records, 't' the corpus' columns, 's' summary, 'b' buffers */
	uint64_t records;
	struct set providers;
	struct etl_head head;
	int have_head, bad;
};

static void complain(struct walk *w, const struct etl_buf *b, uint32_t at, int fault)
{
	fprintf(stderr, "walk: buffer %u at offset %" PRIu64 "+%u: %s\n", b->index, b->offset, at,
		etl_fault_text(fault));
	w->bad = 1;
}

static void origin(const struct etl_rec *r, char text[37])
{
	if (r->guid)
		etl_guid_text(r->guid, text);
	else
		snprintf(text, 37, "0x%04x", r->hook);
}

static void line(const struct etl_buf *b, const struct etl_rec *r)
{
	char from[37], sum[13];

	origin(r, from);
	sha1_text(r->raw, r->size, sum);
	printf("%u\t%" PRIu64 "+%u\t%u\t%s\t%u\t%" PRId64 "\t%s\t%u\t%u\t%s\n", b->index,
	       b->offset, r->at, b->cpu, etl_type_name(r->type), r->size, r->time, from,
	       etl_is_event(r->type) ? r->id : r->opcode, r->payload_len, sum);
}

/* The columns of the corpus' lists; columns that a type does not have stay empty. */
static void tsv_line(const struct walk *w, const struct etl_buf *b, const struct etl_rec *r)
{
	static const unsigned char none[16];
	const unsigned char *p = r->items;
	char from[37], sum[13], activity[37] = "", items[1024] = "";
	struct etl_item it;
	size_t n = 0;

	origin(r, from);
	printf("%" PRIu64 "\t%u\t%u\t%s\t%s\t", w->records, b->index, b->cpu,
	       etl_type_name(r->type), from);
	if (etl_is_event(r->type)) {
		printf("%u\t%u\t%u\t%u\t%u\t%u\t0x%" PRIx64 "\t0x%x\t0x%x\t", r->id, r->version,
		       r->channel, r->level, r->opcode, r->task, r->keyword, r->flags,
		       r->property);
		if (memcmp(r->activity, none, 16))
			etl_guid_text(r->activity, activity);
	} else if (r->guid) {
		printf("\t%u\t\t%u\t%u\t\t\t\t\t", r->version, r->level, r->opcode);
	} else {
		printf("\t%u\t\t\t\t\t\t\t\t", r->version);
	}
	while (p && etl_item(r, &p, &it) == 1 && n < sizeof(items) - 16)
		n += (size_t)snprintf(items + n, sizeof(items) - n, "%s%u:%u", n ? "," : "",
				      it.type, it.len);
	sha1_text(r->payload, r->payload_len, sum);
	printf("%u\t%u\t%" PRId64 "\t%s\t%s\t%u\t%s\n", r->pid, r->tid, r->time, activity, items,
	       r->payload_len, sum);
}

static void buffer_line(const struct etl_buf *b)
{
	printf("%u\t%" PRIu64 "\tsize %u\tsaved %u\tcurrent %u\ttime %" PRId64 "\tseq %" PRId64
	       "\tclock %u/%" PRIu64 "\tcpu %u\tlogger %u\tstate %u\tfill %u\tflag 0x%x\ttype %u\n",
	       b->index, b->offset, b->size, b->saved, b->current, b->time, b->seq,
	       (unsigned int)(b->clock & 7), b->clock >> 3, b->cpu, b->logger, b->state, b->fill,
	       b->flag, b->type);
}

static void records(struct walk *w, const struct etl_buf *b)
{
	uint32_t pos = BUF_HEAD;
	struct etl_rec r;
	int rc;

	while ((rc = etl_record(b, &pos, &r)) != 0) {
		if (rc < 0) {
			complain(w, b, r.at, rc);
			if (rc > -ETL_ITEM_CUT)
				return;
		}
		if (!w->records && etl_is_system(r.type) && !r.hook)
			w->have_head = !etl_head(&r, &w->head);
		if (w->mode == 'r')
			line(b, &r);
		else if (w->mode == 't')
			tsv_line(w, b, &r);
		if (r.guid)
			add(&w->providers, r.guid);
		w->records++;
	}
}

static void summary(const struct walk *w, const struct etl_file *e)
{
	printf("# bytes %" PRIu64 "\n# buffers %u\n# records %" PRIu64 "\n# providers %zu\n",
	       e->size, e->buffers, w->records, w->providers.n);
	if (!w->have_head)
		return;
	printf("# events lost %u\n# buffers lost %u\n# buffers written %u\n", w->head.events_lost,
	       w->head.buffers_lost, w->head.written);
	printf("# cpus %u\n# buffer size %u\n# mode 0x%x\n# pointer size %u\n# maximum size %u\n",
	       w->head.cpus, w->head.buffer_size, w->head.mode, w->head.pointer_size,
	       w->head.max_size);
	printf("# clock %u\n# frequency %" PRId64 "\n# boot time %" PRId64 "\n# start time %" PRId64
	       "\n# end time %" PRId64 "\n", w->head.clock, w->head.freq, w->head.boot_time,
	       w->head.start_time, w->head.end_time);
}

static int walk(struct walk *w, struct etl_file *e)
{
	struct etl_buf b;
	int rc;

	if (w->mode == 't')
		puts("n\tbuffer\tcpu\trectype\tprovider_or_hook\tid\tver\tchan\tlevel\topcode\t"
		     "task\tkeyword\tflags\tprop\tpid\ttid\tts\tactivity\text_types\t"
		     "payload_len\tpayload_sha1");
	while ((rc = etl_buffer(e, &b)) != 0) {
		if (w->mode == 'b' && b.size)
			buffer_line(&b);
		if (rc < 0)
			complain(w, &b, 0, rc);
		if (rc < 0 && rc > -ETL_FILL_SMALL)
			break;
		if (rc == 1)
			records(w, &b);
	}
	if (w->mode != 't')
		summary(w, e);
	return w->bad;
}

int main(int argc, char **argv)
{
	struct walk w = { .mode = 'r' };
	struct etl_file e;
	int rc;

	if (argc == 3 && argv[1][0] == '-' && argv[1][1] && strchr("rtsb", argv[1][1]) &&
	    !argv[1][2]) {
		w.mode = argv[1][1];
		argv++;
		argc--;
	}
	if (argc != 2) {
		fprintf(stderr, "usage: walk [-r|-t|-s|-b] FILE\n");
		return 2;
	}
	if (etl_open(&e, argv[1])) {
		fprintf(stderr, "walk: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	rc = walk(&w, &e);
	etl_close(&e);
	free(w.providers.key);
	free(w.providers.used);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "walk: cannot write the list\n");
		return 1;
	}
	return rc;
}
