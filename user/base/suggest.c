/* SPDX-License-Identifier: MIT */
/*
 * suggest.c - which name was meant by one that does not exist
 *
 * The nearest is suggested: the one that takes the fewest letters inserted, left out, replaced or
 * exchanged with their neighbours. Case does not count. Short words allow one such mistake, longer
 * ones two or three; and a word of three letters or more may be the beginning of a name.
 */
#include <string.h>
#include <strings.h>
#include "suggest.h"

static size_t allowed(size_t len)
{
	return len < 3 ? 0 : len < 6 ? 1 : len < 10 ? 2 : 3;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Both have at most SUGGEST_MAX bytes. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][SUGGEST_MAX + 1], *now = rows[0], *above = rows[1], *above2 = rows[2], *old;
	size_t i, j;

	for (j = 0; j <= b_len; j++)
		now[j] = j;
	for (i = 1; i <= a_len; i++) {
		old = above2;
		above2 = above;
		above = now;
		now = old;
		now[0] = i;
		for (j = 1; j <= b_len; j++) {
			const char x = lower(a[i - 1]), y = lower(b[j - 1]);

			now[j] = least(least(above[j], now[j - 1]) + 1, above[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
				now[j] = least(now[j], above2[j - 2] + 1);
		}
	}
	return now[b_len];
}

void suggest_begin_len(struct suggest *s, const char *word, size_t len)
{
	*s = (struct suggest){ .word = word, .len = len, .distance = 2 * allowed(len) + 2 };
}

void suggest_begin(struct suggest *s, const char *word)
{
	suggest_begin_len(s, word, strlen(word));
}

void suggest_try(struct suggest *s, const char *name)
{
	const size_t len = strlen(name), most = allowed(s->len);
	size_t far;

	if (!most || s->len > SUGGEST_MAX || len > SUGGEST_MAX)
		return;
	far = 2 * distance(s->word, s->len, name, len);
	/* Of equally near ones the first; a beginning is a little worse than the most mistakes. */
	if (far > 2 * most && len > s->len && !strncasecmp(name, s->word, s->len))
		far = 2 * most + 1;
	if (far >= s->distance)
		return;
	s->distance = far;
	memcpy(s->best, name, len + 1);
}
