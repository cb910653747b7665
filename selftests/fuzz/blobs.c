// SPDX-License-Identifier: GPL-2.0-only
/*
 * blobs.c - filters with a format of their own: data for callbacks, and payload programs
 *
 * Most are valid, some have a byte or two changed: random bytes alone would not pass the
 * first checks.
 */
#include "exec.h"

#include <etw/abi_filter.h>

static const uint8_t kinds[] = {
	ETW_PAYLOAD_FIXED, ETW_PAYLOAD_STRING8, ETW_PAYLOAD_FIXED, ETW_PAYLOAD_STRING16,
	ETW_PAYLOAD_COUNTED, ETW_PAYLOAD_FIXED, ETW_PAYLOAD_COUNTED_BE, ETW_PAYLOAD_COUNTED32,
	ETW_PAYLOAD_SID, ETW_PAYLOAD_POINTER, ETW_PAYLOAD_FIXED, ETW_PAYLOAD_REST,
};

struct maker {
	uint8_t *to;
	uint32_t at;		/* offset of the next item */
	uint64_t seed;
	uint32_t known;		/* registers */
};

static uint64_t next(struct maker *m)
{
	return m->seed = rnd_mix(m->seed + 0x9e3779b97f4a7c15ull);
}

static struct etw_payload_step make_step(struct maker *m)
{
	static const uint8_t sizes[] = { 4, 1, 2, 8, 16, 5 };
	uint64_t r = next(m);
	struct etw_payload_step s = { .kind = kinds[r % sizeof(kinds)], .count = 1 };

	if (s.kind == ETW_PAYLOAD_FIXED) {
		s.length = sizes[(r >> 8) % sizeof(sizes)];
		if (m->known && !(r >> 16 & 3)) {
			s.flags = ETW_PAYLOAD_LENGTH_FIELD;
			s.length = 0;
		} else if (s.length <= 8 && s.length != 5 && !(r >> 18 & 1)) {
			s.save = 1;
			m->known = 1;
		}
	}
	if (!s.save && s.kind != ETW_PAYLOAD_REST && !(r >> 20 & 3)) {
		s.flags |= m->known ? ETW_PAYLOAD_COUNT_FIELD : 0;
		s.count = m->known ? 0 : r >> 24 & 3;
	}
	return s;
}

static struct etw_payload_test make_test(struct maker *m, const struct etw_payload_step *s,
					 unsigned int step)
{
	static const uint8_t ops[] = { ETW_PAYLOAD_CONTAINS, ETW_PAYLOAD_IS,
				       ETW_PAYLOAD_DOESNTCONTAIN, ETW_PAYLOAD_ISNOT };
	uint64_t r = next(m);
	struct etw_payload_test t = { .step = step };

	if (s->kind == ETW_PAYLOAD_FIXED && !s->flags && s->length == 16) {
		t.type = ETW_PAYLOAD_GUID;
		t.op = ops[1 + 2 * (r & 1)];
		t.value[0] = harmless(r);
	} else if (s->kind == ETW_PAYLOAD_FIXED && !s->flags && s->length <= 8 && s->length != 5) {
		t.type = r & 1;
		t.op = (r >> 1) % 9;
		t.value[0] = 1 + (r >> 8 & 3);
		if (t.op == ETW_PAYLOAD_BETWEEN || t.op == ETW_PAYLOAD_NOTBETWEEN)
			t.value[1] = t.value[0] + 2;
	} else {
		t.type = s->kind == ETW_PAYLOAD_STRING16 || (s->kind != ETW_PAYLOAD_STRING8 && r & 1) ?
			 ETW_PAYLOAD_TEXT16 : ETW_PAYLOAD_TEXT8;
		t.op = ops[r >> 8 & 3];
		t.length = 1 + (r >> 16 & 7);
	}
	return t;
}

static bool testable(const struct etw_payload_step *s)
{
	return s->count == 1 && !(s->flags & ETW_PAYLOAD_COUNT_FIELD) && s->kind < ETW_PAYLOAD_SID;
}

static void add(struct maker *m, const void *bytes, uint32_t len)
{
	memcpy(m->to + m->at, bytes, len);
	m->at += len;
}

/* Steps and tests of one event; the tests go to tests, too. */
static void add_event(struct maker *m, unsigned int i, struct etw_payload_test *tests,
		      unsigned int *count)
{
	struct etw_payload_event event = { .id = 1 + 6 * i, .at = m->at, .steps = 1 + next(m) % 6,
					   .ors = next(m) & 1 };
	struct etw_payload_step steps[6];
	unsigned int j;

	m->known = 0;
	for (j = 0; j < event.steps; j++) {
		steps[j] = make_step(m);
		add(m, &steps[j], sizeof(steps[j]));
	}
	for (j = 0; j < event.steps; j++) {
		if (!testable(&steps[j]))
			continue;
		tests[*count] = make_test(m, &steps[j], j);
		add(m, &tests[*count], sizeof(tests[0]));
		(*count)++;
		event.tests++;
	}
	*(next(m) & 1 ? &event.all : &event.any) = 1;
	memcpy(m->to + sizeof(struct etw_payload_header) + i * sizeof(event), &event, sizeof(event));
}

static void add_texts(struct maker *m, struct etw_payload_test *tests, unsigned int count)
{
	unsigned int i, j, width, whole;

	for (i = 0; i < count; i++) {
		if (tests[i].type < ETW_PAYLOAD_TEXT8)
			continue;
		width = tests[i].type == ETW_PAYLOAD_TEXT16 ? 2 : 1;
		whole = tests[i].length * width;
		if (tests[i].op == ETW_PAYLOAD_CONTAINS || tests[i].op == ETW_PAYLOAD_DOESNTCONTAIN)
			whole += tests[i].length;
		tests[i].value[0] = m->at;
		memset(m->to + m->at, 0, (whole + 7) & ~7u);
		for (j = 0; j < tests[i].length; j++)
			m->to[m->at + j * width] = "aAbB"[next(m) & 3];
		m->at += (whole + 7) & ~7u;
	}
}

/* The texts' offsets are known only now. */
static void set_texts(struct maker *m, const struct etw_payload_test *tests, unsigned int events)
{
	struct etw_payload_event event;
	unsigned int i;

	for (i = 0; i < events; i++) {
		memcpy(&event, m->to + sizeof(struct etw_payload_header) + i * sizeof(event),
		       sizeof(event));
		memcpy(m->to + event.at + event.steps * sizeof(struct etw_payload_step), tests,
		       event.tests * sizeof(*tests));
		tests += event.tests;
	}
}

static uint32_t make_program(uint8_t *to, uint64_t seed)
{
	struct maker m = { .to = to, .seed = seed };
	struct etw_payload_header head = { .format = ETW_PAYLOAD_FORMAT,
					   .events = 1 + (seed >> 4 & 1) };
	struct etw_payload_test tests[12];
	unsigned int i, count = 0;

	m.at = sizeof(head) + head.events * sizeof(struct etw_payload_event);
	for (i = 0; i < head.events; i++)
		add_event(&m, i, tests, &count);
	add_texts(&m, tests, count);
	set_texts(&m, tests, head.events);
	head.size = m.at;
	memcpy(to, &head, sizeof(head));
	return m.at;
}

static uint32_t make_data(uint8_t *to, uint64_t seed)
{
	static const uint16_t sizes[] = { 24, 25, 32, 1000, 1024, 1025, 23, 0 };
	struct etw_filter_header head = { .id = seed, .version = seed >> 8,
					  .size = sizes[seed >> 16 & 7] };

	if (!(seed >> 20 & 15))
		head.next = 24;
	memset(to, 0x33, 1032);
	memcpy(to, &head, sizeof(head));
	return head.size;
}

/* to has room for BLOB_MAX bytes. */
void blob_make(struct etw_filter *f, uint8_t *to, uint64_t handle, uint64_t seed)
{
	unsigned int i;

	switch (seed & 3) {
	case 0:
		f->type = ETW_FILTER_SCHEMATIZED;
		f->len = make_data(to, seed >> 2);
		break;
	case 1:
		f->type = ETW_FILTER_TRACEHANDLE;
		f->len = seed & 0x70 ? 8 : 4;
		memcpy(to, &handle, 8);
		break;
	default:
		f->type = ETW_FILTER_PAYLOAD;
		f->len = make_program(to, seed >> 2);
	}
	/* Half of them are damaged. */
	for (i = seed >> 40 & 3; i > 1 && f->len; i--)
		to[rnd_mix(seed + i) % f->len] ^= 1u << (seed >> 44 & 7);
	if (!(seed >> 48 & 15))
		f->len += 1;
}
