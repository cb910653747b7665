// SPDX-License-Identifier: GPL-2.0-only
/* vm_km.c - the expected events of the module etw_km, byte by byte */
#include "lib/driver/vm_km.h"

void km_add(struct km_want *w, const void *data, size_t len)
{
	if (w->len + len <= sizeof(w->data))
		memcpy(w->data + w->len, data, len);
	w->len += len;
}

/* ASCII as UTF-16, count units of it */
static void km_wide(struct km_want *w, const char *text, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		km_number(w, (uint8_t)text[i], 2);
}

/* One element of each type that has elements of one size, in the manifest's order */
static void km_guid(struct km_want *w, unsigned int i)
{
	static const struct etw_guid guids[] = {
		ETW_KM_GUID, ETW_KM_DECODE_GUID,
		ETW_KM_CONTROL_GUID
	};

	km_add(w, &guids[i], sizeof(guids[i]));
}

static void km_systemtime(struct km_want *w, unsigned int i)
{
	const uint16_t time[] = { 2026 + i, 1, 4, 15, 12, 34, 56, 789 };

	km_add(w, time, sizeof(time));
}

static void km_real(struct km_want *w, unsigned int i, size_t size)
{
	float f = ETW_KM_FLOAT(i);
	double d = ETW_KM_DOUBLE(i);

	if (size == 4)
		km_add(w, &f, 4);
	else
		km_add(w, &d, 8);
}

/* n elements of each type, one type after the other; yes: the value of Boolean */
static void km_elements(struct km_want *w, unsigned int n)
{
	static const struct {
		char kind;
		uint8_t size;
	} types[] = {
		{ 'n', 1 }, { 'n', 1 }, { 'n', 2 }, { 'n', 2 }, { 'n', 4 }, { 'n', 4 },
		{ 'n', 8 }, { 'n', 8 }, { 'r', 4 }, { 'r', 8 }, { 'n', 4 }, { 'g', 16 },
		{ 'n', 8 }, { 'n', 8 }, { 's', 16 }, { 'n', 4 }, { 'n', 8 },
	};
	static const uint8_t bytes[9] = { 11, 12, 13, 14, 15, 16, 17, 18, 19 };
	unsigned int t, i;

	for (t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		for (i = 0; i < n; i++) {
			if (types[t].kind == 'r')
				km_real(w, i, types[t].size);
			else if (types[t].kind == 'g')
				km_guid(w, i);
			else if (types[t].kind == 's')
				km_systemtime(w, i);
			else
				km_number(w, ETW_KM_VALUE(i), types[t].size);
		}
	}
	km_add(w, bytes, 3 * n);
}

static void km_scalars(struct km_want *w)
{
	static const uint8_t sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8 };
	unsigned int i;

	for (i = 0; i < sizeof(sizes); i++)
		km_number(w, ETW_KM_VALUE(0), sizes[i]);
	km_real(w, 0, 4);
	km_real(w, 0, 8);
	km_number(w, 1, 4);
	km_guid(w, 0);
	km_number(w, ETW_KM_VALUE(0), 8);
	km_number(w, ETW_KM_VALUE(0), 8);
	km_systemtime(w, 0);
	km_number(w, ETW_KM_VALUE(1), 4);
	km_number(w, ETW_KM_VALUE(1), 8);
}

static void km_strings(struct km_want *w)
{
	static const uint8_t sid[] = ETW_KM_SID;

	km_wide(w, "w\xef" "de", 5);
	km_add(w, "narrow", 7);
	km_wide(w, "NULL", 5);
	km_add(w, "NULL", 5);
	km_add(w, sid, sizeof(sid));
	km_number(w, 0x1234, 2);
}

static void km_lengths(struct km_want *w)
{
	static const uint8_t ipv6[16] = { 0x20, 1, 0xd, 0xb8, [15] = 1 };
	static const uint8_t bytes[] = { 11, 12, 13, 14, 15 };

	km_wide(w, "four", 4);
	km_add(w, "abc", 3);
	km_add(w, bytes, 5);
	km_add(w, ipv6, 16);
}

static void km_field_lengths(struct km_want *w)
{
	static const uint8_t bytes[] = { 11, 12, 13, 14 };

	km_number(w, 2, 1);
	km_wide(w, "tw", 2);
	km_number(w, 4, 2);
	km_add(w, "abcd", 4);
	km_add(w, bytes, 4);
}

static void km_counted(struct km_want *w)
{
	static const uint8_t bytes[] = { 11, 12, 13, 14 };

	km_number(w, 6, 2);
	km_wide(w, "abc", 3);
	km_number(w, 2, 2);
	km_add(w, "xy", 2);
	km_number(w, 4, 2);
	km_add(w, bytes, 4);
	km_number(w, 0x12345678, 4);
}

static void km_packed(struct km_want *w)
{
	static const uint8_t sids[] = { 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
					1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0, 0 };

	km_wide(w, "a\0b", 4);
	km_add(w, "ab\0c", 5);
	km_add(w, sids, sizeof(sids));
	km_wide(w, "\2a\4bc", 5);
	km_number(w, 2, 1);
	km_add(w, "x\0y", 4);
}

static void km_structs(struct km_want *w)
{
	static const uint8_t bytes[] = { 11, 12, 13 };

	km_number(w, 0x01020304, 4);
	km_number(w, 0x0506, 2);
	km_number(w, 7, 2);
	km_add(w, "x", 2);
	km_number(w, 8, 2);
	km_add(w, "yz", 3);
	km_number(w, 3, 4);
	km_add(w, bytes, 3);
	km_number(w, 9, 1);
}

static void km_many(struct km_want *w)
{
	char text[32];
	int i;

	for (i = 0; i < ETW_KM_MANY; i++) {
		snprintf(text, sizeof(text), "text number %02d", i);
		km_add(w, text, strlen(text) + 1);
	}
	for (i = 0; i < ETW_KM_MANY; i++)
		km_number(w, ETW_KM_VALUE(i), 8);
}

void km_payload(struct km_want *w, uint16_t id)
{
	*w = (struct km_want){ .id = id };
	switch (id) {
	case 1: km_scalars(w); break;
	case 2: km_strings(w); break;
	case 3: km_lengths(w); break;
	case 4: km_field_lengths(w); break;
	case 5: km_counted(w); break;
	case 6: km_elements(w, 2); break;
	case 7:
		km_number(w, ETW_KM_ELEMENTS, 2);
		km_elements(w, ETW_KM_ELEMENTS);
		break;
	case 8: km_packed(w); break;
	case 9: km_structs(w); break;
	case 10:
		km_number(w, 2, 4);
		km_number(w, 0x80000001, 4);
		km_number(w, 3, 2);
		break;
	case 11: km_many(w); break;
	case 12: break;
	case 13: km_number(w, 13, 4); break;
	}
}
