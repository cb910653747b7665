/* SPDX-License-Identifier: MIT */
/* core_payload.h - handmade payload filter programs */
#ifndef ETW_UNIT_CORE_PAYLOAD_H
#define ETW_UNIT_CORE_PAYLOAD_H

#include <stdlib.h>
#include <string.h>
#include "core/payload.h"
#include "lib/pick.h"

/* A handmade program: one event of id 7, up to 8 steps, 18 tests, one text each. */
struct program {
	struct etw_payload_event event;
	struct etw_payload_step steps[8];
	struct etw_payload_test tests[18];
	const void *texts[18];
};

static u32 width(const struct etw_payload_test *t)
{
	return t->type == ETW_PAYLOAD_TEXT16 ? 2 : t->type == ETW_PAYLOAD_TEXT8;
}

/* The bytes of the program, in an allocation of that size; *len. */
static u8 *bytes_of(const struct program *p, u32 *len)
{
	u32 steps = p->event.steps, tests = p->event.tests, at = 24, text, i;
	struct etw_payload_header head = { .format = ETW_PAYLOAD_FORMAT, .events = 1 };
	struct etw_payload_event event = p->event;
	u8 *to = calloc(1, 16384), *exact;

	event.id = 7;
	event.at = at;
	memcpy(to + 8, &event, sizeof(event));
	memcpy(to + at, p->steps, steps * 8);
	at += steps * 8;
	text = at + tests * 24;
	for (i = 0; i < tests; i++, at += 24) {
		struct etw_payload_test t = p->tests[i];
		u32 n = t.length * width(&t);

		if (width(&t)) {
			t.value[0] = text;
			if (n && p->texts[i])
				memcpy(to + text, p->texts[i], n);
			if (t.op == ETW_PAYLOAD_CONTAINS || t.op == ETW_PAYLOAD_DOESNTCONTAIN)
				n += t.length;
			text += ALIGN(n, 8u);
		}
		memcpy(to + at, &t, sizeof(t));
	}
	*len = head.size = text;
	memcpy(to, &head, sizeof(head));
	exact = malloc(text);
	memcpy(exact, to, text);
	free(to);
	return exact;
}

/* A valid program: a number, a string, a counted array. */
static inline struct program right(void)
{
	return (struct program){
		.event = { .steps = 4, .tests = 2, .all = 1 },
		.steps = { { .kind = ETW_PAYLOAD_FIXED, .count = 1, .length = 4 },
			   { .kind = ETW_PAYLOAD_STRING8, .count = 1 },
			   { .kind = ETW_PAYLOAD_FIXED, .count = 1, .length = 1, .save = 1 },
			   { .kind = ETW_PAYLOAD_FIXED, .flags = ETW_PAYLOAD_COUNT_FIELD,
			     .length = 2 } },
		.tests = { { .step = 0, .op = ETW_PAYLOAD_GE, .value = { 4096 } },
			   { .step = 1, .op = ETW_PAYLOAD_CONTAINS, .type = ETW_PAYLOAD_TEXT8,
			     .length = 3 } },
		.texts = { NULL, "Log" },
	};
}

static inline int load(const struct program *p)
{
	u32 len;
	u8 *bytes = bytes_of(p, &len);
	int ret = etw_payload_load(bytes, len);

	free(bytes);
	return ret;
}

#define REFUSED(name, change)						\
	do {								\
		struct program p = right();				\
									\
		change;							\
		is(load(&p), -EINVAL, name);				\
	} while (0)

#endif /* ETW_UNIT_CORE_PAYLOAD_H */
