/* SPDX-License-Identifier: MIT */
/*
 * decode_plain - fields of the top level, which have a short way to text, against the same
 * fields in a structure, which have none
 */
#include "decode_event.h"

#define ROUNDS	20000
#define FIELDS	6

static unsigned int state = 1;

static unsigned int any(unsigned int limit)
{
	state = state * 1103515245u + 12345;
	return (state >> 16) % limit;
}

struct meta {
	unsigned char data[256];
	size_t len;
};

static void put(struct meta *m, const void *data, size_t len)
{
	memcpy(m->data + m->len, data, len);
	m->len += len;
}

static void put_field(struct meta *m, char name, unsigned int in, unsigned int out)
{
	const unsigned char field[] = { (unsigned char)name, 0, (unsigned char)(in | 0x80),
					(unsigned char)out };

	put(m, field, sizeof(field));
}

/* An event of these fields and of z, the fields within a structure s or not */
static void make_meta(struct meta *m, const unsigned int types[FIELDS][2], unsigned int count,
		      bool nested)
{
	unsigned int i;

	m->len = 0;
	put(m, "\0\0\0E", 5);
	if (nested)
		put_field(m, 's', 24, count);
	for (i = 0; i < count; i++)
		put_field(m, (char)('a' + i), types[i][0], types[i][1]);
	put_field(m, 'z', 4, 0);
	m->data[0] = (unsigned char)m->len;
}

static void decode(const struct meta *m, const unsigned char *payload, size_t size)
{
	EVENT_HEADER_EXTENDED_DATA_ITEM item = {
		.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, .DataSize = (USHORT)m->len,
		.DataPtr = (uintptr_t)m->data,
	};
	EVENT_RECORD record = { .ExtendedData = &item, .ExtendedDataCount = 1 };

	decode_bytes(&record, payload, size);
}

/* Numbers of any size, strings of each kind with and without a need for escapes */
static size_t make_payload(unsigned char *to)
{
	static const char letters[] = "abc \"\\\n\x7f\xc3\xa4\xe9";
	size_t size = any(64), i;

	for (i = 0; i < size; i++) {
		switch (any(6)) {
		case 0:
			to[i] = (unsigned char)any(256);
			break;
		case 1:
		case 2:
			to[i] = (unsigned char)any(4);
			break;
		default:
			to[i] = (unsigned char)letters[any(4) ? any(4) : any(sizeof(letters) - 1)];
		}
	}
	return size;
}

static bool is_equal(const char *got, const char *want, const char *what)
{
	if (!strcmp(got, want))
		return true;
	printf("# %s: got  %s\n# want %s\n", what, got, want);
	return false;
}

/*
 * What the flat event should be, from the nested one: without begin, and without the end of
 * the structure, which is the last one before z or the rest, or else of all.
 */
static char *flatten(const char *nested, const char *begin, const char *last)
{
	char *want = strdup(nested), *at = strstr(want, begin), *end, *next;

	if (!at)
		return want;
	memmove(at, at + strlen(begin), strlen(at + strlen(begin)) + 1);
	for (end = NULL, next = want; (next = strstr(next, last)); next++)
		end = next;
	if (end)
		memmove(end, end + 1, strlen(end));
	/* Text hides fields of NOPRINT, perhaps all that the structure has. */
	if (*want == ' ')
		memmove(want, want + 1, strlen(want));
	return want;
}

static bool round_trip(void)
{
	/* All in-types, those of a fixed size most often */
	unsigned int types[FIELDS][2], count = 1 + any(FIELDS), i;
	unsigned char payload[64];
	struct meta flat, nested;
	char *text_want, *json_want;
	size_t size = make_payload(payload);
	bool right;

	for (i = 0; i < count; i++) {
		types[i][0] = any(3) ? 1 + any(10) : 1 + any(23);
		types[i][1] = any(2) ? 0 : any(38);
	}
	make_meta(&flat, types, count, false);
	make_meta(&nested, types, count, true);
	decode(&nested, payload, size);
	/* The structure ends before z, if the payload has that. */
	text_want = flatten(text(), "s={", strstr(text(), "} z=") ? "} z=" : "}");
	json_want = flatten(json(), "\"s\":{", strstr(json(), "},\"z\"") ? "},\"z\"" : "}");
	decode(&flat, payload, size);
	right = is_equal(text(), text_want, "text") & is_equal(json(), json_want, "JSON");
	free(text_want);
	free(json_want);
	return right;
}

int main(void)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < ROUNDS && wrong < 4; i++)
		wrong += !round_trip();
	ok(!wrong, "%u events of all types, many of them cut off", ROUNDS);
	clean_up();
	return done_testing();
}
