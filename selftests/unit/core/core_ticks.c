/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core_ticks - ticks of a clock from nanoseconds, at every frequency and over years
 */
#include "core/ticks.h"
#include "lib/tap.h"

#define NS_PER_S	1000000000ULL
#define YEAR_NS		(365 * 24 * 3600 * NS_PER_S)

__extension__ typedef unsigned __int128 wide;

static const u32 frequencies[] = {	/* kHz */
	1, 1000000, 2399998, 4294000, 4294967, 4294968, 4300000, 6000000, UINT32_MAX,
};

#define FREQUENCIES	(sizeof(frequencies) / sizeof(frequencies[0]))

static const u64 times[] = {
	0, 1, 999, UINT32_MAX, UINT32_MAX + 1ULL, NS_PER_S, 3600 * NS_PER_S + 1, YEAR_NS,
	10 * YEAR_NS + 12345, 50 * YEAR_NS,
};

static u64 apart(u64 a, u64 b)
{
	return a < b ? b - a : a - b;
}

/* The rate is the nearest one: twice its error is not more than one part. */
static void test_rate(void)
{
	unsigned int i;

	for (i = 0; i < FREQUENCIES; i++) {
		wide exact = (wide)frequencies[i] << 32;
		wide got = (wide)etw_ticks_rate(frequencies[i]) * 1000000;

		ok((exact > got ? exact - got : got - exact) * 2 <= 1000000,
		   "the rate of %u kHz is the nearest one", frequencies[i]);
	}
}

static void test_ticks(void)
{
	unsigned int i, t;

	for (i = 0; i < FREQUENCIES; i++) {
		u32 khz = frequencies[i];
		u64 rate = etw_ticks_rate(khz);
		bool whole = true, near = true;

		for (t = 0; t < sizeof(times) / sizeof(times[0]); t++) {
			wide exact = (wide)times[t] * khz / 1000000;

			if (exact >> 64)
				continue;
			whole &= etw_ticks(times[t], rate) == (u64)((wide)times[t] * rate >> 32);
			near &= apart(etw_ticks(times[t], rate), exact) <= (times[t] >> 33) + 1;
		}
		ok(whole, "no bit of a product is lost at %u kHz", khz);
		ok(near, "%u kHz is kept within 2^-33 tick per ns for years", khz);
	}
	ok(etw_ticks(NS_PER_S, etw_ticks_rate(6000000)) == 6 * NS_PER_S, "a second at 6 GHz");
	ok(etw_ticks(YEAR_NS, etw_ticks_rate(6000000)) == 6 * YEAR_NS, "a year at 6 GHz");
	ok(etw_ticks(90 * YEAR_NS, etw_ticks_rate(6000000)) == 6 * 90 * YEAR_NS,
	   "90 years at 6 GHz");
}

int main(void)
{
	test_rate();
	test_ticks();
	return done_testing();
}
