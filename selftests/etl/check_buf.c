// SPDX-License-Identifier: GPL-2.0-only
/* check_buf.c - the rules of buffers (rules.h). */
#include <inttypes.h>
#include <stdlib.h>

#include "rules.h"

static void check_first(struct check *c, const struct etl_buf *b)
{
	if (b->type != BUF_TYPE_HEADER)
		check_bad(c, RULE_FIRST_TYPE, b->offset + 0x36, "it is of type %u", b->type);
	if (b->flag & BUF_COMPRESSED)
		check_bad(c, RULE_FIRST_PLAIN, b->offset + 0x34, "its flags are 0x%x", b->flag);
}

static void check_clock(struct check *c, const struct etl_buf *b)
{
	unsigned int type = b->clock & 7;
	uint64_t freq = b->clock >> 3;

	if (!c->have_head || !type)
		return;
	if (type != c->head.clock || freq != (uint64_t)c->head.freq)
		check_bad(c, RULE_BUFFER_CLOCK, b->offset + 0x20, "clock %u of %" PRIu64
			  " Hz in a file with clock %u of %" PRId64 " Hz", type, freq,
			  c->head.clock, c->head.freq);
}

/* Keep all sequence numbers, to check at the end that each occurs once. */
static void keep_sequence(struct check *c, const struct etl_buf *b)
{
	if (c->seqs == c->seq_cap) {
		size_t cap = c->seq_cap ? 2 * c->seq_cap : 1024;
		int64_t *seq = realloc(c->seq, cap * sizeof(*seq));

		if (!seq)
			return;		/* check_whole() compares one number less */
		c->seq = seq;
		c->seq_cap = cap;
	}
	c->seq[c->seqs++] = b->seq;
}

static void check_sequence(struct check *c, const struct etl_buf *b)
{
	struct check_cpu *cpu = &c->cpu[b->cpu];

	if (b->seq < 0)
		check_bad(c, RULE_SEQUENCE, b->offset + 0x18, "it is %" PRId64, b->seq);
	keep_sequence(c, b);
	/* A circular file returns to its oldest buffers, or an older session begins. */
	if (cpu->seen && b->seq <= cpu->seq) {
		if (c->head.mode & MODE_CIRCULAR && !cpu->wrapped)
			cpu->wrapped = 1;
		else if (!(c->head.mode & MODE_APPEND))
			check_bad(c, RULE_SEQUENCE_ORDER, b->offset + 0x18,
				  "CPU %u: %" PRId64 " after %" PRId64, b->cpu, b->seq, cpu->seq);
	}
	if (c->top <= b->cpu)
		c->top = b->cpu + 1u;
	cpu->seen = 1;
	cpu->seq = b->seq;
}

static void check_sizes(struct check *c, const struct etl_buf *b)
{
	if (b->fill % 8)
		check_bad(c, RULE_FILL_ALIGNED, b->offset + 0x30, "it is %u", b->fill);
	if (!c->have_head || !b->index)
		return;
	if (b->flag & BUF_COMPRESSED) {
		if (c->buffer_size && b->data && b->fill > c->buffer_size)
			check_bad(c, RULE_FILL_LARGE, b->offset + 0x30, "%u of %u", b->fill,
				  c->buffer_size);
		if (!(c->head.mode & MODE_COMPRESSED))
			check_bad(c, RULE_CODED_MODE, b->offset + 0x34, "it is 0x%x", c->head.mode);
		if (b->data && b->coded != b->size - BUF_HEAD)
			check_bad(c, RULE_CODED_ALL, b->offset, "%u bytes of %u", b->coded,
				  b->size - BUF_HEAD);
	} else if (c->buffer_size && b->size != c->buffer_size) {
		check_bad(c, RULE_PLAIN_SIZE, b->offset, "%u, not %u", b->size, c->buffer_size);
	}
}

void check_buffer(struct check *c, const struct etl_buf *b)
{
	if (!b->index)
		check_first(c, b);
	else if (b->type == BUF_TYPE_HEADER)
		check_bad(c, RULE_ONE_HEADER, b->offset + 0x36, "number %u is", b->index);
	if (b->flag & ~0x7f)
		check_bad(c, RULE_BUFFER_FLAG, b->offset + 0x34, "it is 0x%x", b->flag);
	if (b->type > BUF_TYPE_LAST)
		check_bad(c, RULE_BUFFER_TYPE, b->offset + 0x36, "it is %u", b->type);
	if (b->state != 3)
		check_bad(c, RULE_STATE, b->offset + 0x2c, "it is %u", b->state);
	if (c->cpus && b->cpu >= c->cpus)
		check_bad(c, RULE_CPU, b->offset + 0x28, "CPU %u of %u", b->cpu, c->cpus);
	check_clock(c, b);
	check_sizes(c, b);
	if (b->index)
		check_sequence(c, b);
}

void check_tail(struct check *c, const struct etl_buf *b)
{
	if (b->flag & BUF_COMPRESSED)
		return;
	for (uint32_t i = b->fill; i < b->size; i++) {
		if (b->disk[i] != 0xff) {
			check_bad(c, RULE_TAIL, b->offset + i, "0x%02x", b->disk[i]);
			return;
		}
	}
}

/* @first_end: end of the buffer's first record; 0 if SavedOffset is not the end of a record. */
void check_saved(struct check *c, const struct etl_buf *b, uint32_t first_end)
{
	if (!b->saved && c->have_head && c->head.version[2] == 1 && c->head.version[3] == 5)
		return;
	if (b->saved == b->fill || (!b->index && first_end))
		return;
	check_bad(c, RULE_SAVED, b->offset + 4, "%u, with a fill of %u", b->saved, b->fill);
}
