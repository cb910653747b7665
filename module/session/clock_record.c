// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock_record.c - the record of a change of a session's clock
 *
 * A TraceLogging event that the module writes itself, under a GUID without a registration;
 * include/etw/format.h describes it.  It needs no enabling: every session in which the clock
 * changed has it.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "clock_record.h"
#include "core/record.h"
#include "write/hotpath.h"
#include "write/reserve.h"

/* TraceLogging's types of fields */
#define IN_ANSISTRING	"\2"
#define IN_UINT64	"\12"
#define IN_FILETIME	"\21"

#define NO_TAGS		"\0"

#define SCHEMA	NO_TAGS "ClockChange\0" \
		"Cause\0" IN_ANSISTRING \
		"Clock\0" IN_ANSISTRING \
		"From\0" IN_UINT64 \
		"To\0" IN_UINT64 \
		"FromTime\0" IN_FILETIME \
		"ToTime\0" IN_FILETIME \
		"AsleepNs\0" IN_UINT64

static const struct {
	u16 size;
	char text[sizeof(SCHEMA) - 1];
} __packed schema = { sizeof(schema), SCHEMA };

#define NAME	ETW_CLOCK_PROVIDER_NAME

static const struct {
	u16 size;
	char name[sizeof(NAME)];
} __packed traits = { sizeof(traits), NAME };

static const struct etw_guid provider = ETW_CLOCK_PROVIDER_GUID;

static const struct etw_event_descriptor descriptor = {
	.channel = ETW_CHANNEL_TRACELOGGING,
	.level = 4,
};

struct payload {
	u64 from;
	u64 to;
	u64 from_time;
	u64 to_time;
	u64 asleep_ns;
} __packed;

static const char *const source_names[ETW_SOURCES] = {
	[ETW_SOURCE_TSC] = "TSC",
	[ETW_SOURCE_BOOT] = "CLOCK_BOOTTIME",
	[ETW_SOURCE_WALL] = "CLOCK_REALTIME",
	[ETW_SOURCE_TSC_SHIFTED] = "TSC with an offset",
	[ETW_SOURCE_TSC_COMPUTED] = "CLOCK_BOOTTIME in ticks of the TSC",
};

static u64 moment_of(const struct etw_moment *m, enum etw_clock_source source)
{
	switch (source) {
	case ETW_SOURCE_BOOT:
		return m->at.boot;
	case ETW_SOURCE_WALL:
		return m->at.wall;
	default:
		return m->at.clock;
	}
}

static void set_string(struct etw_data_descriptor *data, const char *string)
{
	*data = (struct etw_data_descriptor){ (unsigned long)string, strlen(string) + 1 };
}

/* The session takes records; the caller holds the lock of epoch.c, so that this stays so. */
void etw_clock_record(struct etw_trace_session *s, const struct etw_clock_change *change)
{
	enum etw_clock_source source = READ_ONCE(s->hot.clock);
	struct payload payload = {
		.from = moment_of(&change->from, source),
		.to = moment_of(&change->to, source),
		.from_time = change->from.at.wall,
		.to_time = change->to.at.wall,
		.asleep_ns = change->to.asleep - change->from.asleep,
	};
	struct etw_data_descriptor data[3];
	struct etw_record_extra extra = { 0 };
	struct etw_record_items items = { .extra = &extra };
	struct etw_record_source record = {
		.provider = &provider,
		.desc = &descriptor,
		.data = data,
		.count = ARRAY_SIZE(data),
		.thread_id = current->pid,
		.process_id = current->tgid,
		.type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE,
	};

	set_string(&data[0], change->cause);
	set_string(&data[1], source_names[source]);
	data[2] = (struct etw_data_descriptor){ (unsigned long)&payload, sizeof(payload) };
	etw_record_add_extra(&extra, ETW_EXT_PROV_TRAITS, &traits, sizeof(traits));
	etw_record_add_extra(&extra, ETW_EXT_EVENT_SCHEMA, &schema, sizeof(schema));
	/* A few hundred bytes: it fits into every buffer. */
	if (WARN_ON_ONCE(etw_record_measure_items(&record, &items)))
		return;
	preempt_disable();
	this_cpu_inc(etw_hotpath_nesting);
	etw_reserve_write(&s->hot, &record, &items, 0);
	this_cpu_dec(etw_hotpath_nesting);
	preempt_enable();
}
