/* SPDX-License-Identifier: MIT */
/*
 * name_guid.c - the GUID that tools derive from a TraceLogging provider's name
 *
 * SHA-1 (FIPS 180-4) names things here; it protects nothing.
 */
#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <wctype.h>

#include <etw/abi.h>
#include "name_guid.h"
#include "utf.h"

#define BLOCK		64
#define SPACE_SIZE	16
/* The name space, two bytes per unit, and SHA-1's padding */
#define MESSAGE_MAX	(SPACE_SIZE + 2 * ETW_NAME_MAX)
#define PADDED_MAX	((MESSAGE_MAX + 9 + BLOCK - 1) / BLOCK * BLOCK)

static uint32_t rotate(uint32_t v, int by)
{
	return v << by | v >> (32 - by);
}

static void sha1_block(uint32_t state[5], const uint8_t *p)
{
	uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
	int i;

	for (i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
	for (; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (i = 0; i < 80; i++) {
		uint32_t f, next;

		if (i < 20)
			f = ((b & c) | (~b & d)) + 0x5A827999;
		else if (i < 40)
			f = (b ^ c ^ d) + 0x6ED9EBA1;
		else if (i < 60)
			f = ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC;
		else
			f = (b ^ c ^ d) + 0xCA62C1D6;
		next = rotate(a, 5) + f + e + w[i];
		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
}

/* message has room for the padding, and is zero after its len bytes. */
static void sha1(uint8_t *message, size_t len, uint8_t digest[20])
{
	uint32_t state[5] = { 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0 };
	size_t whole = (len + 9 + BLOCK - 1) / BLOCK * BLOCK, i;
	uint64_t bits = 8 * (uint64_t)len;

	message[len] = 0x80;
	for (i = 0; i < 8; i++)
		message[whole - 1 - i] = (uint8_t)(bits >> 8 * i);
	for (i = 0; i < whole; i += BLOCK)
		sha1_block(state, message + i);
	for (i = 0; i < 20; i++)
		digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

/* Without the locale, only ASCII letters are converted. */
static uint16_t upper(uint16_t unit, locale_t locale)
{
	if (unit < 0x80)
		return unit >= 'a' && unit <= 'z' ? unit - 32 : unit;
	if (unit >= 0xD800 && unit < 0xE000)
		return unit;
	return locale ? (uint16_t)towupper_l(unit, locale) : unit;
}

static int has_others(const WCHAR *units, long count)
{
	while (count && units[count - 1] < 0x80)
		count--;
	return count != 0;
}

int etw_guid_from_name(const char *name, size_t len, struct etw_guid *guid)
{
	static const uint8_t space[SPACE_SIZE] = {
		0x48, 0x2C, 0x2D, 0xB2, 0xC3, 0x90, 0x47, 0xC8,
		0x87, 0xF8, 0x1A, 0x15, 0xBF, 0xC1, 0x30, 0xFB
	};
	uint8_t message[PADDED_MAX] = { 0 }, digest[20];
	WCHAR units[ETW_NAME_MAX];
	locale_t locale;
	long count, i;

	count = len && len <= ETW_NAME_MAX ? etw_utf8_to_utf16(name, len, units, ETW_NAME_MAX) : -1;
	if (count < 0)
		return -EINVAL;
	memcpy(message, space, sizeof(space));
	/* Opening a locale reads a file, of which few names need anything. */
	locale = has_others(units, count) ? newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL) : NULL;
	for (i = 0; i < count; i++) {
		uint16_t unit = upper(units[i], locale);

		message[SPACE_SIZE + 2 * i] = unit >> 8;
		message[SPACE_SIZE + 2 * i + 1] = (uint8_t)unit;
	}
	if (locale)
		freelocale(locale);
	sha1(message, SPACE_SIZE + 2 * (size_t)count, digest);
	digest[7] = (digest[7] & 0x0F) | 0x50;
	memcpy(guid, digest, sizeof(*guid));
	return 0;
}
