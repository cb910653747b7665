/* SPDX-License-Identifier: MIT */
/* decode_text - numbers, times and untrusted characters in a growing text */
#include <inttypes.h>
#include <locale.h>
#include <time.h>

#include "decode_event.h"

static struct etw_text t;

static const char *take(void)
{
	static char copy[4096];

	snprintf(copy, sizeof(copy), "%s", t.data ? t.data : "");
	etw_text_cut(&t, 0);
	return copy;
}

static void test_numbers(void)
{
	uint64_t value = 1;
	char want[128];
	int i, wrong = 0;

	/* All lengths, and around powers of ten */
	for (i = 0; i < 20; i++, value *= 10) {
		uint64_t around[] = { value - 1, value, value + 1, value * 9 + 7 };
		size_t k;

		for (k = 0; k < COUNT(around); k++) {
			snprintf(want, sizeof(want), "%" PRIu64 " %" PRId64 " 0x%" PRIx64 " %07" PRIu64,
				 around[k], (int64_t)(0 - around[k]), around[k], around[k]);
			etw_text_unsigned(&t, around[k], 1);
			etw_text_char(&t, ' ');
			etw_text_signed(&t, (int64_t)(0 - around[k]));
			etw_text_char(&t, ' ');
			etw_text_0x(&t, around[k]);
			etw_text_char(&t, ' ');
			etw_text_unsigned(&t, around[k], 7);
			if (strcmp(t.data, want))
				printf("# got %s, want %s\n", t.data, want);
			wrong += strcmp(take(), want) != 0;
		}
	}
	is(wrong, 0, "numbers of all lengths are as printf() has them");
	etw_text_signed(&t, INT64_MIN);
	is_text(take(), "-9223372036854775808", "the least");
	etw_text_0x(&t, UINT64_MAX);
	is_text(take(), "0xffffffffffffffff", "the greatest");
	etw_text_unsigned(&t, 7, 40);
	is(strlen(take()), 40, "as many digits as are asked for");
}

/* Numbers of all kinds: random bits, and few decimals */
static void test_read_back(void)
{
	uint64_t bits = 1, wrong = 0;
	double value, back;
	float f;
	int i;

	for (i = 0; i < 60000; i++) {
		bits = bits * 6364136223846793005u + 1442695040888963407u;
		memcpy(&value, &bits, sizeof(value));
		if (i % 2)
			value = (double)(int64_t)(bits >> 30) / (i % 3 ? 1000 : 1e7);
		f = i % 2 ? (float)value : (float)(int)(bits >> 40) / 100;
		if (value != value || value - value != 0)
			continue;
		etw_text_float(&t, value, 17);
		back = strtod(t.data, NULL);
		wrong += memcmp(&back, &value, sizeof(back)) != 0;
		take();
		etw_text_float(&t, (double)f, 9);
		wrong += strtof(t.data, NULL) != f;
		take();
	}
	is(wrong, 0, "floats and doubles read back");
}

static void test_floats(void)
{
	static const double values[] = { 0, -0.0, 1, 0.1, 1e100, 5e-324, 1.7976931348623157e308,
					 123456789012345680.0, 2.5e-7 };
	double back;
	size_t i;

	for (i = 0; i < COUNT(values); i++) {
		etw_text_float(&t, values[i], 17);
		back = strtod(t.data, NULL);
		ok(!memcmp(&back, &values[i], sizeof(back)), "%s reads back", take());
	}
	test_read_back();
	if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
		etw_text_float(&t, 0.5, 17);
		is_text(take(), "0.5", "a point in any locale");
		setlocale(LC_NUMERIC, "C");
	}
}

/* Every day for 1000 years, and the last representable day */
static void test_times(void)
{
	char want[64];
	uint64_t day, wrong = 0;

	for (day = 0; day < 365243; day++) {
		time_t when = (time_t)(day * 86400) - 11644473600 + (time_t)(day % 86400);
		struct tm tm;

		gmtime_r(&when, &tm);
		strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S.0000001Z", &tm);
		etw_text_time(&t, (day * 86400 + day % 86400) * 10000000 + 1);
		wrong += strcmp(take(), want) != 0;
	}
	is(wrong, 0, "1000 years of days");
	etw_text_time(&t, UINT64_MAX);
	is_text(take(), "060056-05-28T05:36:10.9551615Z", "the last time");
}

static void test_characters(void)
{
	static const char json_bad[] = "a\"\\\n\x01\xf3\xa0\x81\x81\xff";
	static const char unsafe[] =
		"a\"\\\n\r\t\x01\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81z";
	static const char bad[] = "a\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82z";

	etw_text_escape(&t, unsafe, sizeof(unsafe) - 1);
	is_text(take(), "a\\\"\\\\\\n\\r\\t\\u0001\\u007f\\u009b\\u{202e}\\u{e0041}z",
		"control characters are escaped");
	etw_text_escape(&t, bad, sizeof(bad) - 1);
	is_text(take(), "a\\xc0\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xe2\\x82z",
		"invalid UTF-8, byte by byte");
	etw_text_json_string(&t, json_bad, sizeof(json_bad) - 1);
	is_text(take(), "\"a\\\"\\\\\\n\\u0001\\udb40\\udc41\xef\xbf\xbd\"", "a JSON string");
	etw_text_cp1252(&t, "\x80\x93Z\xe4\x81\"", 6, ETW_TEXT_ESCAPED);
	is_text(take(), "\xe2\x82\xac\xe2\x80\x9cZ\xc3\xa4\\u0081\\\"", "Windows-1252");
	etw_text_string16(&t, "\"\0\x3d\xd8\0\xde\x3d\xd8\n\0\0\xdc", 12, ETW_TEXT_JSON);
	is_text(take(), "\\\"\xf0\x9f\x98\x80\xef\xbf\xbd\\n\xef\xbf\xbd", "UTF-16 in JSON");
	etw_text_string16(&t, "a\0\"\0\n\0b", 7, ETW_TEXT_RAW);
	is_text(take(), "a\"\n", "UTF-16 unchanged, without half a unit");
	ok(etw_utf8_valid("plain text, \xc3\xa4", 14) && !etw_utf8_valid(bad, 3),
	   "UTF-8 is recognised");
}

/* Plain characters are checked eight at a time: try each position in strings of each length */
static void test_plain(void)
{
	static const char odd[] = { '"', '\\', '\n', 0x7f, '\x80', '\xff', 0x1f };
	unsigned int len, at, k, wrong = 0;
	char s[40], *exact;

	for (len = 1; len < sizeof(s); len++) {
		for (at = 0; at <= len; at++) {
			for (k = 0; k < sizeof(odd); k++) {
				exact = malloc(len);
				memset(exact, 'p', len);
				if (at < len)
					exact[at] = odd[k];
				wrong += etw_text_plain(&t, exact, len) != at || t.len != at;
				etw_text_cut(&t, 0);
				wrong += etw_text_quote_plain(&t, exact, len) != (at == len);
				wrong += t.len != (at == len ? len + 2 : 0);
				etw_text_cut(&t, 0);
				free(exact);
			}
		}
	}
	is(wrong, 0, "any length, any place");
}

int main(void)
{
	test_numbers();
	test_floats();
	test_times();
	test_characters();
	test_plain();
	etw_text_free(&t);
	clean_up();
	return done_testing();
}
