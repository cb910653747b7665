/* SPDX-License-Identifier: MIT */
/*
 * xpress.c - decompress and compress buffers (plain LZ77 of [MS-XCA])
 *
 * The input consists of groups: a 32-bit word of flags, then one item per bit, from the
 * highest. 0 is a literal byte; 1 is a match of 16 bits, 13 of distance and 3 of
 * length. Longer lengths continue in half a byte, which two matches share, then in a
 * byte, then in 16 and 32 bits.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "xpress.h"

#define MATCH_MIN	3u

struct source {
	const uint8_t *at, *end;
	const uint8_t *half;	/* the byte with an unused half, or NULL */
};

static bool take(struct source *s, void *to, size_t len)
{
	if ((size_t)(s->end - s->at) < len)
		return false;
	memcpy(to, s->at, len);
	s->at += len;
	return true;
}

static bool take_half(struct source *s, uint32_t *value)
{
	if (s->half) {
		*value = *s->half >> 4;
		s->half = NULL;
		return true;
	}
	if (s->at == s->end)
		return false;
	s->half = s->at++;
	*value = *s->half & 15;
	return true;
}

/* Read the length that follows a match with all three length bits set. */
static bool take_length(struct source *s, uint32_t *length)
{
	uint32_t value;
	uint16_t word;
	uint8_t byte;

	if (!take_half(s, &value))
		return false;
	if (value < 15) {
		*length = value + 7;
		return true;
	}
	if (!take(s, &byte, 1))
		return false;
	if (byte < 255) {
		*length = byte + 15u + 7u;
		return true;
	}
	if (!take(s, &word, sizeof(word)))
		return false;
	value = word;
	if (!value && !take(s, &value, sizeof(value)))
		return false;
	*length = value;	/* the whole length, not the remainder */
	return value >= 15 + 7;
}

/* Copies of up to this size may write, and read, that much. */
#define WILD	16u

/* Copy a match of this length and distance, which fit the output. */
static inline void copy_bytes(uint8_t *out, size_t distance, size_t length, size_t room)
{
	const uint8_t *from = out - distance;
	size_t part;

	/* Most matches are short: copy whole blocks, the last one beyond the match. */
	if (distance >= WILD && room - length >= WILD) {
		uint8_t *end = out + length;

		do {
			memcpy(out, from, WILD);
			out += WILD;
			from += WILD;
		} while (out < end);
		return;
	}
	/* A match may overlap its output: the available bytes double each time. */
	for (; length; length -= part, out += part) {
		part = (size_t)(out - from) < length ? (size_t)(out - from) : length;
		memcpy(out, from, part);
	}
}

static inline bool copy_match(struct source *s, uint8_t *out, size_t *at, size_t len)
{
	uint32_t length, distance;
	uint16_t match;

	if (!take(s, &match, sizeof(match)))
		return false;
	distance = (match >> 3) + 1u;
	length = match & 7;
	if (length == 7 && !take_length(s, &length))
		return false;
	if (distance > *at || length > len - *at || len - *at - length < MATCH_MIN)
		return false;
	length += MATCH_MIN;
	copy_bytes(out + *at, distance, length, len - *at);
	*at += length;
	return true;
}

/* Copy up to 32 literal bytes. */
static inline bool copy_literals(struct source *s, uint8_t *out, size_t room, unsigned int n)
{
	if (n <= WILD && (size_t)(s->end - s->at) >= WILD && room >= WILD) {
		memcpy(out, s->at, WILD);
		s->at += n;
		return true;
	}
	return take(s, out, n);
}

int etw_xpress_decompress(const uint8_t *in, size_t in_len, uint8_t *out, size_t out_len)
{
	/* in is NULL if there is nothing. */
	struct source s = { .at = in, .end = in_len ? in + in_len : in };
	unsigned int left = 0, n;
	uint32_t flags = 0;	/* the next item's is the highest bit */
	size_t at = 0;

	while (at < out_len) {
		if (!left) {
			if (!take(&s, &flags, sizeof(flags)))
				return -EINVAL;
			left = 32;
		}
		/* Literals come in runs: one step for all, up to the next match. */
		n = flags ? (unsigned int)__builtin_clz(flags) : 32;
		if (n > left)
			n = left;
		if (n > out_len - at)
			n = (unsigned int)(out_len - at);
		if (n && !copy_literals(&s, out + at, out_len - at, n))
			return -EINVAL;
		at += n;
		left -= n;
		if (!left || at == out_len)
			continue;
		if (!copy_match(&s, out, &at, out_len))
			return -EINVAL;
		flags = n < 31 ? flags << (n + 1) : 0;
		left--;
	}
	return 0;
}

/* ------------------------------------------------------------------ compress */

/*
 * A hash table and a chain of older positions with the same hash find positions where the
 * same three bytes occurred before; a limited number is tried. The longest match is taken,
 * unless the next position has a longer one.
 */
#define WINDOW		8192u		/* how far a match reaches back */
#define HASH_BITS	ETW_XPRESS_HASH_BITS
#define TRIES		16		/* older positions tried */
#define GOOD		32u		/* bytes that need no better match */
#define ROOM_STEP	20		/* bytes that one step may write, and the end */

struct packer {
	const uint8_t *in;
	uint32_t len, at;
	uint8_t *out;
	size_t room, used;
	size_t flags_at;	/* offset in out */
	uint32_t flags;
	unsigned int bits;	/* flags used */
	size_t half_at;		/* offset in out of a byte with a free half; 0: none */
	struct etw_xpress_work *work;
};

static uint32_t hash_at(const uint8_t *p)
{
	uint32_t three = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;

	return three * 0x9E3779B1u >> (32 - HASH_BITS);
}

/* Positions are stored from 1, so that 0 means none. */
static void note(struct packer *p, uint32_t at)
{
	uint32_t hash;

	if (p->len - at < MATCH_MIN)
		return;
	hash = hash_at(p->in + at);
	p->work->older[at % WINDOW] = p->work->last[hash];
	p->work->last[hash] = at + 1;
}

static uint32_t common(const uint8_t *a, const uint8_t *b, uint32_t most)
{
	uint32_t n = 0;
	uint64_t x, y;

	while (most - n >= sizeof(x)) {
		memcpy(&x, a + n, sizeof(x));
		memcpy(&y, b + n, sizeof(y));
		if (x != y)
			return n + (__builtin_ctzll(x ^ y) >> 3);
		n += sizeof(x);
	}
	while (n < most && a[n] == b[n])
		n++;
	return n;
}

/* The longest match at a position and its distance; 0: none. */
static uint32_t find(const struct packer *p, uint32_t at, uint32_t *distance)
{
	uint32_t best = 0, most = p->len - at, from, n;
	int tries;

	if (most < MATCH_MIN)
		return 0;
	from = p->work->last[hash_at(p->in + at)];
	for (tries = TRIES; from && tries; tries--) {
		if (at - (from - 1) > WINDOW)
			break;
		n = common(p->in + from - 1, p->in + at, most);
		if (n > best && n >= MATCH_MIN) {
			best = n;
			*distance = at - (from - 1);
			if (n >= GOOD)
				break;
		}
		/* A position overwritten by a later one ends the chain. */
		n = p->work->older[(from - 1) % WINDOW];
		if (n >= from)
			break;
		from = n;
	}
	return best;
}

static void put(struct packer *p, const void *value, size_t len)
{
	memcpy(p->out + p->used, value, len);
	p->used += len;
}

/* Write one flag bit; the word for 32 flags lies where the first one was needed. */
static void put_flag(struct packer *p, unsigned int flag)
{
	if (p->bits == 32) {
		memcpy(p->out + p->flags_at, &p->flags, sizeof(p->flags));
		p->flags_at = p->used;
		p->used += sizeof(p->flags);
		p->bits = 0;
		p->flags = 0;
	}
	p->flags = p->flags << 1 | flag;
	p->bits++;
}

/* Two lengths share a byte: the first uses its lower half. */
static void put_half(struct packer *p, uint32_t value)
{
	if (p->half_at) {
		p->out[p->half_at] |= value << 4;
		p->half_at = 0;
		return;
	}
	p->half_at = p->used;
	p->out[p->used++] = value;
}

static void put_match(struct packer *p, uint32_t length, uint32_t distance)
{
	uint32_t left = length - MATCH_MIN;
	uint16_t word = (distance - 1) << 3 | (left < 7 ? left : 7);
	uint8_t byte;

	put_flag(p, 1);
	put(p, &word, sizeof(word));
	if (left < 7)
		return;
	put_half(p, left - 7 < 15 ? left - 7 : 15);
	if (left - 7 < 15)
		return;
	byte = left - 7 - 15 < 255 ? left - 7 - 15 : 255;
	put(p, &byte, sizeof(byte));
	if (byte < 255)
		return;
	/* The whole length, not the remainder */
	word = left <= UINT16_MAX ? left : 0;
	put(p, &word, sizeof(word));
	if (!word)
		put(p, &left, sizeof(left));
}

static void put_byte(struct packer *p)
{
	put_flag(p, 0);
	p->out[p->used++] = p->in[p->at];
	note(p, p->at++);
}

/* Write a literal byte or a match. */
static void step(struct packer *p)
{
	uint32_t distance = 0, later = 0, length, next, end;

	length = find(p, p->at, &distance);
	if (!length) {
		put_byte(p);
		return;
	}
	if (length < GOOD) {
		note(p, p->at);
		next = find(p, p->at + 1, &later);
		if (next > length) {
			put_flag(p, 0);
			p->out[p->used++] = p->in[p->at++];
			return;
		}
		put_match(p, length, distance);
		end = p->at++ + length;
	} else {
		put_match(p, length, distance);
		end = p->at + length;
	}
	while (p->at < end)
		note(p, p->at++);
}

size_t etw_xpress_compress(const uint8_t *in, size_t in_len, uint8_t *out, size_t room,
			   struct etw_xpress_work *work)
{
	struct packer p = {
		.in = in, .len = in_len, .out = out, .room = room, .work = work,
		.used = sizeof(uint32_t),
	};

	if (in_len > ETW_XPRESS_MAX || room < ROOM_STEP)
		return 0;
	memset(work->last, 0, sizeof(work->last));
	while (p.at < p.len) {
		if (p.room - p.used < ROOM_STEP)
			return 0;
		step(&p);
	}
	/* Fill the remaining flags with 1: a match after the end of the input marks the end. */
	do
		put_flag(&p, 1);
	while (p.bits < 32);
	memcpy(p.out + p.flags_at, &p.flags, sizeof(p.flags));
	return p.used;
}
