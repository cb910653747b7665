// SPDX-License-Identifier: GPL-2.0-only
/*
 * walk.c - a walk of WEVT_TEMPLATE that shares nothing with the reader
 *
 * It is strict where the reader need not be: all lists lie one behind the other, each
 * byte belongs to one of them, names lie in the list that refers to them.
 */
#include <stdint.h>

#include "test.h"

struct walk {
	const unsigned char *d;
	size_t size;		/* as CRIM says */
	size_t at, end;		/* of the list under way */
	size_t first[14];	/* where entries of each kind begin, and how many */
	size_t count[14];
	int version;
	int bad;
};

static const struct kind {
	char signature[5];
	size_t header, entry;
	int name;		/* offset of the name in an entry; -1: none */
} kinds[14] = {
	[0] = { "LEVL", 12, 12, 8 }, [1] = { "TASK", 12, 28, 24 }, [2] = { "OPCO", 12, 12, 8 },
	[3] = { "KEYW", 12, 16, 12 }, [4] = { "EVNT", 16, 48, -1 }, [5] = { "CHAN", 12, 16, 4 },
	[6] = { "MAPS", 12, 4, -1 }, [7] = { "TTBL", 12, 0, -1 }, [8] = { "QTAB", 12, 4, -1 },
	[9] = { "FLTR", 16, 16, 8 }, [12] = { "EVTA", 12, 8, -1 }, [13] = { "PRVA", 12, 8, -1 },
};

static unsigned int u32(const struct walk *w, size_t at)
{
	const unsigned char *p = w->d + at;

	return p[0] | p[1] << 8 | p[2] << 16 | (unsigned int)p[3] << 24;
}

static unsigned int u16(const struct walk *w, size_t at)
{
	return w->d[at] | w->d[at + 1] << 8;
}

static int expect(struct walk *w, int good, const char *what)
{
	if (!good && !w->bad) {
		printf("# at 0x%zx, list at 0x%zx: %s\n", w->at, w->at, what);
		w->bad = 1;
	}
	return !w->bad;
}

/* A name in the list, with its length before it. */
static void name(struct walk *w, size_t at)
{
	size_t len, i;

	if (!expect(w, at > w->at && at + 8 <= w->end, "a name lies outside"))
		return;
	len = u32(w, at);
	if (!expect(w, len >= 8 && len % 4 == 0 && at + len <= w->end, "a name's length"))
		return;
	for (i = 4; i < len && u16(w, at + i); i += 2)
		;
	expect(w, i < len && len - i <= 4, "a name does not end with its NUL");
}

static void bare_name(struct walk *w, size_t at)
{
	while (at + 2 <= w->end && u16(w, at))
		at += 2;
	expect(w, at + 2 <= w->end, "a text has no NUL");
}

/* An event, or a filter, refers to an entry of a kind. */
static void refers(struct walk *w, unsigned int kind, size_t to)
{
	size_t rest = to - w->first[kind];

	expect(w, !to || (to >= w->first[kind] && rest % kinds[kind].entry == 0 &&
			  rest / kinds[kind].entry < w->count[kind]),
	       "an offset is that of no entry");
}

static void template(struct walk *w, size_t at)
{
	unsigned int top, all, i;
	size_t fields;

	top = u32(w, at + 8);
	all = u32(w, at + 12);
	fields = u32(w, at + 16);
	expect(w, top <= all && fields > at + 40 && fields % 4 == 0, "fields of a template");
	expect(w, (w->d[at + 24 + 7] & 0xf0) == 0x50, "a template's identifier");
	expect(w, !memcmp(w->d + at + 40, "\x0f\x01\x01\x00", 4), "binary XML");
	for (i = 0; i < all && !w->bad; i++)
		name(w, u32(w, fields + 20 * i + 16));
}

static void templates(struct walk *w)
{
	size_t at = w->at + 12, i;

	for (i = 0; i < w->count[7] && !w->bad; i++) {
		if (!expect(w, at + 40 <= w->end && !memcmp(w->d + at, "TEMP", 4), "no TEMP"))
			return;
		template(w, at);
		at += u32(w, at + 4);
	}
	expect(w, at == w->end, "templates end elsewhere");
}

static void maps(struct walk *w)
{
	size_t i, at, length = 12 + 4 * w->count[6];

	for (i = 0; i < w->count[6] && !w->bad; i++) {
		at = u32(w, w->first[6] + 4 * i);
		if (!expect(w, at > w->at && at + 20 <= w->end, "a map lies outside"))
			return;
		expect(w, !memcmp(w->d + at + (w->d[at] == 'V' || w->d[at] == 'B'), "MAP", 3),
		       "no map");
		expect(w, u32(w, at + 12) == (w->d[at] == 'B'), "flags of a map");
		expect(w, u32(w, at + 4) == 20 + 8 * u32(w, at + 16), "length of a map");
		name(w, u32(w, at + 8));
		length += u32(w, at + 4);
	}
	expect(w, w->at + length < w->end, "maps are longer than their list");
}

static void events(struct walk *w)
{
	size_t i, k, last = 0;

	for (i = 0; i < w->count[4] && !w->bad; i++) {
		size_t at = w->first[4] + 48 * i, n = u32(w, at + 36), list = u32(w, at + 40);

		expect(w, u16(w, at) >= last, "events are not in the order of their ids");
		last = u16(w, at);
		refers(w, 2, u32(w, at + 24));
		refers(w, 0, u32(w, at + 28));
		refers(w, 1, u32(w, at + 32));
		refers(w, 5, u32(w, at + 44));
		expect(w, !u32(w, at + 20) || !memcmp(w->d + u32(w, at + 20), "TEMP", 4),
		       "an event's template");
		expect(w, n ? list + 4 * n <= w->end : !list, "an event's keywords");
		for (k = 0; k < n && !w->bad; k++)
			refers(w, 3, u32(w, list + 4 * k));
	}
}

static void attributes(struct walk *w, unsigned int kind)
{
	size_t i;

	for (i = 0; i < w->count[kind] && !w->bad; i++) {
		size_t at = w->first[kind] + 8 * i, to = u32(w, at + 4);

		expect(w, to >= w->first[kind] + 8 * w->count[kind] && to < w->end,
		       "an attribute lies outside");
		if (kind == 12 || u32(w, at) == 0x10000001)
			bare_name(w, to);
		else
			expect(w, to % 4 == 0 && to + 16 <= w->end, "a GUID");
	}
}

static void list(struct walk *w, unsigned int kind)
{
	const struct kind *k = &kinds[kind];
	size_t i;

	w->first[kind] = w->at + k->header;
	w->count[kind] = u32(w, w->at + 8);
	if (!expect(w, w->first[kind] + w->count[kind] * k->entry <= w->end, "entries"))
		return;
	for (i = 0; i < w->count[kind] && k->name >= 0; i++)
		name(w, u32(w, w->first[kind] + i * k->entry + k->name));
	if (kind == 4)
		events(w);
	else if (kind == 6)
		maps(w);
	else if (kind == 7)
		templates(w);
	else if (kind > 9)
		attributes(w, kind);
}

/* Returns where the next list must begin. */
static size_t one_list(struct walk *w, unsigned int kind, size_t at, size_t limit)
{
	size_t length;

	w->at = at;
	if (!expect(w, kind < 14 && kinds[kind].signature[0] && at % 4 == 0 && at + 12 <= limit,
		    "no list"))
		return 0;
	length = u32(w, at + 4);
	expect(w, !memcmp(w->d + at, kinds[kind].signature, 4), "signature");
	if (!length && !u32(w, at + 8) && kind < 4)
		length = 12;
	w->end = at + length;
	if (expect(w, length >= 12 && w->end <= limit, "length of a list"))
		list(w, kind);
	return w->end;
}

static size_t provider(struct walk *w, size_t at)
{
	size_t slots = at + 16, n, i, next, limit;

	w->at = at;
	memset(w->first, 0, sizeof(w->first));
	memset(w->count, 0, sizeof(w->count));
	if (!expect(w, at + 16 <= w->size && !memcmp(w->d + at, "WEVT", 4), "no WEVT"))
		return 0;
	n = u32(w, at + 12);
	limit = at + u32(w, at + 4);
	next = slots + 8 * (w->version == 3 ? 11 : n);
	if (!expect(w, next <= limit && limit <= w->size, "length of a provider"))
		return 0;
	for (i = 0; i < n && !w->bad; i++) {
		unsigned int kind = u32(w, slots + 8 * i);

		if (kind == 4)
			next = (next + 7) / 8 * 8;
		expect(w, u32(w, slots + 8 * i + 4) == next, "a list begins elsewhere");
		next = one_list(w, kind, next, limit);
	}
	expect(w, next == limit, "a provider ends elsewhere");
	return limit;
}

int well_formed(const unsigned char *d, size_t size)
{
	struct walk w = { .d = d, .size = size };
	size_t count, i, next;

	if (!expect(&w, size >= 16 && !memcmp(d, "CRIM", 4), "no CRIM"))
		return 0;
	w.size = u32(&w, 4);
	w.version = u16(&w, 8);
	count = u32(&w, 12);
	expect(&w, w.size + 2 == size && !u16(&w, w.size) && u16(&w, 10) == 1, "header");
	next = 16 + 20 * count;
	for (i = 0; i < count && !w.bad; i++) {
		expect(&w, u32(&w, 16 + 20 * i + 16) == next, "a provider begins elsewhere");
		next = provider(&w, next);
	}
	return expect(&w, next == w.size, "bytes behind the last provider");
}
