/* SPDX-License-Identifier: MIT */
/*
 * timebase.c - ticks of a session's clock as FILETIME
 */
#include "timebase.h"

#define SECOND		10000000	/* in FILETIME units */
#define RATE_SHIFT	48

__extension__ typedef __int128 wide;

void etw_timebase_init(struct etw_timebase *base, uint64_t frequency,
		       const struct etw_time_pair *at)
{
	if (!frequency)
		frequency = SECOND;
	base->clock = at->clock;
	base->time = at->time;
	/* Rounded up, so that whole units come out as such. */
	base->nominal = (((wide)SECOND << RATE_SHIFT) + frequency - 1) / frequency;
	base->rate = base->nominal;
}

/* Rounded down, so that a later tick is never earlier. */
static int64_t line(int64_t clock0, int64_t time0, uint64_t rate, int64_t clock)
{
	wide ticks = (wide)clock - clock0;

	return time0 + (int64_t)(ticks * rate >> RATE_SHIFT);
}

int64_t etw_timebase_convert(const struct etw_timebase *base, int64_t clock)
{
	return line(base->clock, base->time, base->rate, clock);
}

/* The rate between two pairs; nominal unless they are far enough apart. */
static uint64_t true_rate(const struct etw_timebase *base,
			  const struct etw_time_pair *old,
			  const struct etw_time_pair *recent)
{
	wide ticks = (wide)recent->clock - old->clock;
	wide time = (wide)recent->time - old->time;
	wide rate;

	if (time < SECOND / 2 || ticks <= 0)
		return base->nominal;
	rate = (time << RATE_SHIFT) / ticks;
	/* A clock that is off by a tenth is not the one we were told about. */
	if (rate > (wide)base->nominal * 11 / 10 || rate < (wide)base->nominal * 9 / 10)
		return base->nominal;
	return rate;
}

void etw_timebase_steer(struct etw_timebase *base, int64_t at,
			const struct etw_time_pair *old,
			const struct etw_time_pair *recent)
{
	uint64_t rate = true_rate(base, old, recent);
	int64_t truth = line(recent->clock, recent->time, rate, at);
	int64_t now = etw_timebase_convert(base, at);
	int64_t error = truth - now;

	base->clock = at;
	base->time = now;
	/* Far behind: jump.  Else run faster or slower, by half at the most. */
	if (error > SECOND) {
		base->time = truth;
		error = 0;
	}
	if (error > SECOND / 2)
		error = SECOND / 2;
	if (error < -SECOND / 2)
		error = -SECOND / 2;
	base->rate = rate + (int64_t)((wide)rate * error / SECOND);
}
