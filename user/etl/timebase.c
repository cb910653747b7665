/* SPDX-License-Identifier: MIT */
/*
 * timebase.c - ticks of a session's clock as FILETIME
 */
#include <stdbool.h>

#include "timebase.h"

#define SECOND		10000000	/* in FILETIME units */
#define RATE_SHIFT	64
#define TICKS_NEAR	((uint64_t)1 << 62)
#define RATE_MAX	((wide)1 << 96)	/* faster than any real clock */

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

/*
 * Both arguments are above 0. Rounds up, so that whole units convert exactly: rounded
 * down, a clock of 1 GHz would be late by one unit at each of them.
 */
static etw_time_rate rate_of(uint64_t time, uint64_t ticks)
{
	uwide rate = (((uwide)time << RATE_SHIFT) + (ticks - 1)) / ticks;

	return rate > (uwide)RATE_MAX ? RATE_MAX : (etw_time_rate)rate;
}

static void straight(struct etw_timebase *base, const struct etw_time_pair *at,
		     etw_time_rate rate)
{
	base->clock = at->clock;
	base->time = at->time;
	base->part = 0;
	base->rate = rate;
	base->until = at->clock;
	base->after = rate;
}

void etw_timebase_init(struct etw_timebase *base, uint64_t frequency,
		       const struct etw_time_pair *at)
{
	base->nominal = rate_of(SECOND, frequency ? frequency : SECOND);
	straight(base, at, base->nominal);
}

void etw_timebase_through(struct etw_timebase *base, const struct etw_time_pair *at,
			  const struct etw_time_pair *a, const struct etw_time_pair *b)
{
	straight(base, at, rate_of((uint64_t)b->time - (uint64_t)a->time,
				   (uint64_t)b->clock - (uint64_t)a->clock));
}

/* Rounds down, so that a later tick is never earlier; saturates. */
static int64_t line(int64_t clock0, int64_t time0, etw_time_rate rate, int64_t clock)
{
	wide ticks = (wide)clock - clock0, time;

	if (__builtin_mul_overflow(ticks, rate, &time))
		return ticks < 0 ? INT64_MIN : INT64_MAX;
	time = (time >> RATE_SHIFT) + time0;
	return time > INT64_MAX ? INT64_MAX : time < INT64_MIN ? INT64_MIN : (int64_t)time;
}

/*
 * The distance from the anchor to a clock, with RATE_SHIFT fractional bits; false: out
 * of range.
 */
static bool distance(const struct etw_timebase *base, int64_t clock, wide *to)
{
	const int64_t bend = clock <= base->until ? clock : base->until;
	const uint64_t ticks = (uint64_t)clock - (uint64_t)base->until;
	wide first, second;

	/* Mostly there is one rate, below one unit per tick: nothing can overflow. */
	if (base->until == base->clock && clock >= base->until && ticks < TICKS_NEAR &&
	    !(base->after >> RATE_SHIFT)) {
		*to = (wide)((uwide)ticks * (uint64_t)base->after + base->part);
		return true;
	}
	if (__builtin_mul_overflow((wide)bend - base->clock, base->rate, &first) ||
	    __builtin_mul_overflow((wide)clock - bend, base->after, &second) ||
	    __builtin_add_overflow(first, second, to))
		return false;
	return !__builtin_add_overflow(*to, (wide)base->part, to);
}

/* Rounds down, so that a later tick is never earlier; saturates. */
static int64_t convert(const struct etw_timebase *base, int64_t clock, uint64_t *part)
{
	wide time;

	*part = 0;
	if (!distance(base, clock, &time))
		return clock < base->clock ? INT64_MIN : INT64_MAX;
	*part = (uint64_t)time;
	time = (time >> RATE_SHIFT) + base->time;
	if (time > INT64_MAX || time < INT64_MIN)
		*part = 0;
	return time > INT64_MAX ? INT64_MAX : time < INT64_MIN ? INT64_MIN : (int64_t)time;
}

int64_t etw_timebase_convert(const struct etw_timebase *base, int64_t clock)
{
	uint64_t part;

	return convert(base, clock, &part);
}

int64_t etw_timebase_exact(const struct etw_timebase *base, int64_t clock, uint8_t *nanos)
{
	uint64_t part;
	int64_t time = convert(base, clock, &part);

	*nanos = (uint8_t)((uwide)part * 100 >> RATE_SHIFT);
	return time;
}

/* The rate between two pairs; nominal unless they are far enough apart. */
static etw_time_rate true_rate(const struct etw_timebase *base,
			  const struct etw_time_pair *old,
			  const struct etw_time_pair *recent)
{
	wide ticks = (wide)recent->clock - old->clock;
	wide time = (wide)recent->time - old->time;
	etw_time_rate rate;

	if (time < SECOND / 2 || ticks <= 0)
		return base->nominal;
	rate = rate_of((uint64_t)time, (uint64_t)ticks);
	/* A clock that is off by a tenth is not the clock in the header. */
	if (rate > base->nominal * 11 / 10 || rate < base->nominal * 9 / 10)
		return base->nominal;
	return rate;
}

void etw_timebase_steer(struct etw_timebase *base, int64_t at,
			const struct etw_time_pair *old,
			const struct etw_time_pair *recent)
{
	etw_time_rate rate = true_rate(base, old, recent);
	int64_t truth = line(recent->clock, recent->time, rate, at);
	uint64_t part;
	int64_t now = convert(base, at, &part);
	wide error = (wide)truth - now, second;

	base->clock = at;
	base->time = now;
	base->part = part;
	/* Far behind: jump. Otherwise run faster or slower, by at most half. */
	if (error > SECOND) {
		base->time = truth;
		base->part = 0;
		error = 0;
	}
	if (error > SECOND / 2)
		error = SECOND / 2;
	if (error < -SECOND / 2)
		error = -SECOND / 2;
	base->rate = rate + rate * error / SECOND;
	base->after = rate;
	/* The error is corrected one second later. */
	second = rate ? ((wide)SECOND << RATE_SHIFT) / rate : 0;
	base->until = at > INT64_MAX - second ? INT64_MAX : (int64_t)(at + second);
}
