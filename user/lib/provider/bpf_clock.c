/* SPDX-License-Identifier: MIT */
/*
 * bpf_clock.c - the time of an event that is written later, in the clocks of the sessions
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_clock.h"
#include "device/kdev.h"
#include "device/provider_list.h"
#include "lib/private/clock.h"

#define NS		1000000000ULL
#define RATE_WALL	10000000ULL
#define RENEW_NS	10000000ULL	/* a slewed clock differs by few ns in between */
#define SLEPT_NS	1000000LL	/* more than the clocks differ for other reasons */
#define TRIES		4		/* for a reading that no interrupt delays */
#define CLOSE_NS	2000		/* such a reading takes less */
/* How far two clocks may differ beside their reading, and for rates that are slewed or not exact */
#define OFF_NS		1000000ULL
#define OFF_PART	1000

/* Are the processes that this one makes in its time namespace? Mostly, and without such files, too */
static bool children_stay(void)
{
	char own[NAME_MAX] = "", theirs[NAME_MAX] = "";

	if (readlink("/proc/self/ns/time", own, sizeof(own) - 1) < 0 ||
	    readlink("/proc/self/ns/time_for_children", theirs, sizeof(theirs) - 1) < 0)
		return true;
	return !strcmp(own, theirs);
}

/*
 * What the time namespace adds to clocks. The file tells it of that of children; a process that has
 * just made one for these is taken to be in none.
 */
static void read_offsets(struct etw_bpf_anchor *anchor)
{
	FILE *file = children_stay() ? fopen("/proc/self/timens_offsets", "re") : NULL;
	long long seconds;
	char name[16];
	long ns;

	while (file && fscanf(file, "%15s %lld %ld", name, &seconds, &ns) == 3) {
		if (!strcmp(name, "boottime"))
			anchor->boot_offset = seconds * (int64_t)NS + ns;
		else if (!strcmp(name, "monotonic"))
			anchor->awake_offset = seconds * (int64_t)NS + ns;
	}
	if (file)
		fclose(file);
}

/* As BPF programs read it */
static uint64_t boot_ns(const struct etw_bpf_anchor *anchor)
{
	return private_ns(CLOCK_BOOTTIME) - (uint64_t)anchor->boot_offset;
}

/*
 * In a machine that has slept the TSC may have been reset; the module then adds to it what
 * nobody else knows. The clock that stands still then is read last: a delay between the two must
 * not look like a sleep.
 */
static bool has_slept(const struct etw_bpf_anchor *anchor)
{
	const uint64_t boot = boot_ns(anchor);
	const uint64_t awake = private_ns(CLOCK_MONOTONIC) - (uint64_t)anchor->awake_offset;

	return (int64_t)(boot - awake) > SLEPT_NS;
}

static enum etw_bpf_source source_of(const struct etw_session *s)
{
	if (s->clock_freq == NS)
		return ETW_BPF_BOOT;
	if (s->clock_freq == RATE_WALL)
		return ETW_BPF_WALL;
	return PRIVATE_HAS_TSC ? ETW_BPF_TSC : ETW_BPF_NOW;
}

/* The session whose handle is given, if the caller may see it */
static void read_session(int fd, uint64_t handle, struct etw_bpf_clocks *clocks)
{
	struct etw_session s = { .handle = handle };
	enum etw_bpf_source source;

	if (etw_kdev_session_query(fd, &s) || !s.logger_id || s.logger_id > 64)
		return;
	source = source_of(&s);
	clocks->sessions[source] |= 1ULL << (s.logger_id - 1);
	if (source == ETW_BPF_TSC)
		clocks->tsc_rate = s.clock_freq;
}

static void read_sessions(int fd, struct etw_bpf_clocks *clocks)
{
	uint64_t handles[64];
	struct etw_session_enum list = {
		.handles = (uintptr_t)handles, .capacity = sizeof(handles) / sizeof(*handles),
	};
	uint32_t i;

	if (etw_kdev_session_enum(fd, &list))
		return;
	for (i = 0; i < list.count && i < list.capacity; i++)
		read_session(fd, handles[i], clocks);
}

/* Those that have enabled the provider, itself or by its group */
static uint64_t enabling(int fd, const struct etw_guid *guid)
{
	struct etw_provider provider;
	uint64_t mask = 0;
	uint32_t i;

	if (etw_provider_query(fd, guid, &provider))
		return 0;
	for (i = 0; i < provider.reg_count; i++)
		mask |= provider.regs[i].sessions;
	for (i = 0; i < provider.enable_count; i++)
		mask |= 1ULL << ((provider.enables[i].logger_id - 1) & 63);
	etw_provider_free(&provider);
	return mask;
}

void etw_bpf_clocks_read(struct etw_bpf_clocks *clocks, const struct etw_guid *guid)
{
	uint64_t enabled, known = 0;
	unsigned int i;
	int fd;

	memset(clocks, 0, sizeof(*clocks));
	fd = etw_kdev_open();
	if (fd < 0)
		return;
	read_sessions(fd, clocks);
	enabled = enabling(fd, guid);
	etw_kdev_close(fd);
	for (i = 0; i < ETW_BPF_SOURCES; i++) {
		clocks->sessions[i] &= enabled;
		known |= clocks->sessions[i];
	}
	clocks->sessions[ETW_BPF_NOW] |= enabled & ~known;
	clocks->known = enabled;
}

/*
 * A distance of ns in ticks; of more than a day, which no record waits, it stays a day. Within that
 * a double is as exact as a tick, and needs no division of 128 bits.
 */
static int64_t scaled(int64_t ns, uint64_t rate)
{
	const int64_t day = (int64_t)(86400 * NS);
	const int64_t within = ns > day ? day : ns < -day ? -day : ns;

	return (int64_t)((double)within * (double)rate / (double)NS);
}

/* Has the TSC gone from one anchor to the next as far as it should? */
static bool goes_on(const struct etw_bpf_anchor *from, const struct etw_bpf_anchor *to,
		    uint64_t rate)
{
	const int64_t ns = (int64_t)(to->boot - from->boot);
	const int64_t off = (int64_t)(to->tsc - from->tsc) - scaled(ns, rate);
	const int64_t most = scaled((int64_t)(OFF_NS + from->took + to->took) + ns / OFF_PART, rate);

	return ns > (int64_t)(86400 * NS) || (off >= -most && off <= most);
}

static void read_anchor(struct etw_bpf_anchor *anchor)
{
	uint64_t begin, end, best = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < TRIES && best > CLOSE_NS; i++) {
		uint64_t tsc, wall;

		begin = boot_ns(anchor);
		tsc = private_tsc_ordered();
		wall = private_wall();
		end = boot_ns(anchor);
		if (end - begin >= best)
			continue;
		best = end - begin;
		anchor->took = best;
		anchor->boot = begin + best / 2;
		anchor->tsc = tsc;
		anchor->wall = wall;
	}
}

static void renew(struct etw_bpf_anchor *anchor, const struct etw_bpf_clocks *clocks)
{
	const struct etw_bpf_anchor before = *anchor;

	if (!before.boot)
		read_offsets(anchor);
	if (before.boot && boot_ns(anchor) - before.boot < RENEW_NS)
		return;
	read_anchor(anchor);
	if (has_slept(anchor) || (before.boot && clocks->tsc_rate &&
				  !goes_on(&before, anchor, clocks->tsc_rate)))
		anchor->tsc_failed = true;
}

void etw_bpf_anchor_renew(struct etw_bpf_anchor *anchor, struct etw_bpf_clocks *clocks,
			  uint64_t boot)
{
	/* Most records need no look at a clock: they happened before it was read, or soon after. */
	if (!anchor->boot || (int64_t)(boot - anchor->boot) >= (int64_t)RENEW_NS)
		renew(anchor, clocks);
	if (anchor->tsc_failed) {
		clocks->sessions[ETW_BPF_NOW] |= clocks->sessions[ETW_BPF_TSC];
		clocks->sessions[ETW_BPF_TSC] = 0;
	}
}

void etw_bpf_private_ticks(const struct etw_bpf_anchor *anchor, uint64_t boot,
			   uint64_t times[PRIVATE_CLOCKS])
{
	const int64_t distance = (int64_t)(boot - anchor->boot);
	uint64_t rate, tsc = private_tsc();

	/* What it picks is the TSC wherever any private session has it. */
	if (!anchor->tsc_failed && private_is_tsc(etw_private_clock_pick(ETW_CLOCK_QPC, &rate)))
		tsc = anchor->tsc + scaled(distance, rate);
	times[PRIVATE_TSC] = tsc;
	times[PRIVATE_TSC_ORDERED] = tsc;
	/* As the session's other events, which are of this process */
	times[PRIVATE_BOOT] = boot + (uint64_t)anchor->boot_offset;
	times[PRIVATE_WALL] = anchor->wall + scaled(distance, RATE_WALL);
}

uint64_t etw_bpf_ticks(const struct etw_bpf_clocks *clocks, const struct etw_bpf_anchor *anchor,
		       enum etw_bpf_source source, uint64_t boot)
{
	const int64_t distance = (int64_t)(boot - anchor->boot);

	switch (source) {
	case ETW_BPF_TSC:
		return anchor->tsc + scaled(distance, clocks->tsc_rate);
	case ETW_BPF_BOOT:
		return boot;
	case ETW_BPF_WALL:
		return anchor->wall + scaled(distance, RATE_WALL);
	default:
		return 0;
	}
}
