/* SPDX-License-Identifier: MIT */
/*
 * system_events.c - the operating system's own events in a session: what EnableFlags and
 * PERFINFO_GROUPMASK select becomes providers that the session enables
 *
 * The kernel remembers what a session was asked for, so any controller can change it. The
 * providers need no process: each lasts while a session has it enabled.
 *
 * Semantics: Microsoft's pages "EVENT_TRACE_PROPERTIES structure", "Configuring and Starting a
 * SystemTraceProvider Session" and "TRACE_QUERY_INFO_CLASS enumeration".
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <evntrace.h>
#include "bridge/sample.h"
#include "bridge/system_class.h"
#include "bridge/trace_schema.h"
#include "device/kdev.h"
#include "enable.h"
#include "system_events.h"

#define CALLBACK_MS	1000	/* until an event's counters run; they start later all the same */
#define RUNDOWN_MS	2000	/* 10,000 processes take some ms */
#define LEVEL_INFO	4

_Static_assert(ETW_SYSTEM_WORDS == SYSTEM_MASK_WORDS, "all of them");

static _Atomic ULONG sample_interval = ETW_SAMPLE_INTERVAL;

ULONG etw_sample_interval(void)
{
	return atomic_load(&sample_interval);
}

void etw_sample_interval_set(ULONG interval)
{
	atomic_store(&sample_interval, interval);
}

/* -------------------------------------------------------------------- making */

/* The code for an error of making providers, which is about no session. */
static ULONG win32_from_make(int err)
{
	static const struct etw_win32_errors table[] = {
		{ ERROR_NOT_SUPPORTED, { ENOENT } },	/* no tracefs */
		{ ERROR_BUSY, { EEXIST } },	/* a session has an older version of an event */
		{ 0, { 0 } },
	};

	return etw_win32_find(table, err);
}

/* What the module has to know; -ENOENT: the event, or the counter, is not there. */
static int read_schema(const char *name, struct trace_schema *schema)
{
	char whole[SAMPLE_NAME];

	return sample_named(name) ? sample_read(name, whole, schema) :
	       trace_schema_read(name + strlen(TRACE_EVENT_PREFIX), schema);
}

/* Make those that old, if there is one, lacks; drop those that this machine does not have. */
static int make_all(int fd, struct trace_set *set, const struct trace_set *old)
{
	struct trace_schema *schema = malloc(sizeof(*schema));
	unsigned int i = 0;
	int err = schema ? 0 : -ENOMEM;

	while (!err && i < set->count) {
		if ((old && trace_set_has(old, &set->guids[i])) ||
		    system_class_own(set->names[i])) {
			i++;
			continue;
		}
		err = read_schema(set->names[i], schema);
		if (!err)
			err = trace_set_register(fd, set, i, schema);
		if (err == -ENOENT) {
			trace_set_drop(set, i);
			err = 0;
		} else {
			i++;
		}
	}
	free(schema);
	return err;
}

ULONG etw_system_make(int fd, ULONG flags, ULONG interval, struct trace_set *set)
{
	int err;

	memset(set, 0, sizeof(*set));
	err = system_flags_add(set, flags, interval);
	if (!err)
		err = make_all(fd, set, NULL);
	if (err)
		trace_set_free(set);
	return err ? win32_from_make(err) : ERROR_SUCCESS;
}

/* ------------------------------------------------------------------ enabling */

static int control(int fd, uint64_t session, const struct etw_guid *guid, uint32_t what,
		   uint32_t timeout_ms)
{
	struct etw_enable enable = {
		.session = session, .provider = *guid, .control = what, .level = LEVEL_INFO,
		.timeout_ms = timeout_ms,
	};
	int err;

	if (!memcmp(guid, &(struct etw_guid)ETW_PROCESS_GUID, sizeof(*guid)))
		enable.any = ETW_PROCESS_KEYWORD;
	err = etw_enable_and_wait(fd, &enable);
	/* It goes on without us. */
	return err == -ETIMEDOUT ? 0 : err;
}

static int enable_one(int fd, uint64_t session, const struct trace_set *set, unsigned int i)
{
	int err = control(fd, session, &set->guids[i], ETW_CONTROL_ENABLE, CALLBACK_MS);

	if (!err && !strcmp(set->names[i], SYSTEM_PROCESS))
		err = control(fd, session, &set->guids[i], ETW_CONTROL_CAPTURE, RUNDOWN_MS);
	return err;
}

/* Disable those before end that other lacks. */
static void disable_except(int fd, uint64_t session, const struct trace_set *set, unsigned int end,
			   const struct trace_set *other)
{
	unsigned int i;

	for (i = 0; i < end; i++)
		if (!trace_set_has(other, &set->guids[i]))
			control(fd, session, &set->guids[i], ETW_CONTROL_DISABLE, 0);
}

/* Enable those that old lacks, or none. */
static int enable_all(int fd, uint64_t session, const struct trace_set *set,
		      const struct trace_set *old)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < set->count && !err; i++)
		if (!trace_set_has(old, &set->guids[i]))
			err = enable_one(fd, session, set, i);
	if (err)
		disable_except(fd, session, set, i, old);
	return err;
}

static int exchange(int fd, uint64_t session, struct etw_session_system *system)
{
	system->flags = ETW_SYSTEM_SET;
	system->handle = session;
	return etw_kdev_session_system(fd, system);
}

ULONG etw_system_begin(int fd, uint64_t session, ULONG flags, ULONG interval,
		       const struct trace_set *set)
{
	struct etw_session_system system = { .enable = { flags }, .sample_interval = interval };
	const struct trace_set none = { .count = 0 };
	int err = exchange(fd, session, &system);

	if (!err)
		err = enable_all(fd, session, set, &none);
	return etw_win32_from_errno(err);
}

/* ------------------------------------------------------------------ changing */

static ULONG interval_of(const struct etw_session_system *system)
{
	return system->sample_interval ? system->sample_interval : ETW_SAMPLE_INTERVAL;
}

static int read_system(int fd, uint64_t session, struct etw_session_system *system)
{
	*system = (struct etw_session_system){ .handle = session };
	return etw_kdev_session_system(fd, system);
}

/* From what the session had to what it shall have, or nothing. */
static ULONG apply(int fd, uint64_t session, const struct etw_session_system *had,
		   const struct etw_session_system *shall)
{
	struct trace_set old = { .count = 0 }, new = { .count = 0 };
	ULONG ret;
	int err;

	err = system_flags_add(&old, system_mask_flags(had->enable), interval_of(had));
	if (!err)
		err = system_flags_add(&new, system_mask_flags(shall->enable), interval_of(shall));
	if (!err)
		err = make_all(fd, &new, &old);
	ret = err ? win32_from_make(err) : ERROR_SUCCESS;
	if (!err) {
		err = enable_all(fd, session, &new, &old);
		ret = etw_win32_from_errno(err);
	}
	if (!err)
		disable_except(fd, session, &old, old.count, &new);
	trace_set_free(&old);
	trace_set_free(&new);
	return ret;
}

ULONG etw_system_change(int fd, uint64_t session, const ULONG *enable, unsigned int words,
			ULONG interval)
{
	struct etw_session_system had, shall;
	ULONG ret;
	int err;

	err = read_system(fd, session, &had);
	if (err)
		return etw_win32_from_errno(err);
	shall = had;
	if (words)
		memcpy(shall.enable, enable, words * sizeof(*enable));
	if (interval)
		shall.sample_interval = interval;
	ret = apply(fd, session, &had, &shall);
	if (!ret)
		ret = etw_win32_from_errno(exchange(fd, session, &shall));
	return ret;
}

ULONG etw_system_query(int fd, uint64_t session, ULONG enable[ETW_SYSTEM_WORDS], ULONG *interval)
{
	struct etw_session_system system;
	int err = read_system(fd, session, &system);

	if (err)
		return etw_win32_from_errno(err);
	memcpy(enable, system.enable, sizeof(system.enable));
	*interval = interval_of(&system);
	return ERROR_SUCCESS;
}

ULONG etw_system_rundown(int fd, uint64_t session, ULONG timeout_ms)
{
	static const struct {
		ULONG flag;
		struct etw_guid provider;
	} rundowns[] = {
		{ EVENT_TRACE_FLAG_PROCESS, ETW_PROCESS_GUID },
		{ EVENT_TRACE_FLAG_IMAGE_LOAD, ETW_IMAGE_GUID },
	};
	ULONG enable[ETW_SYSTEM_WORDS], interval, flags;
	ULONG ret = etw_system_query(fd, session, enable, &interval), other;
	struct etw_enable capture = {
		.session = session, .control = ETW_CONTROL_CAPTURE, .timeout_ms = timeout_ms,
	};
	size_t i;

	if (ret)
		return ret;
	flags = system_mask_flags(enable);
	for (i = 0; i < sizeof(rundowns) / sizeof(*rundowns); i++) {
		if (!(flags & rundowns[i].flag))
			continue;
		capture.provider = rundowns[i].provider;
		other = etw_win32_from_errno(etw_enable_and_wait(fd, &capture));
		ret = ret ? ret : other;
	}
	return ret;
}
