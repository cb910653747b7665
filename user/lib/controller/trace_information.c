/* SPDX-License-Identifier: MIT */
/*
 * trace_information.c - TraceQueryInformation() and TraceSetInformation()
 *
 * Semantics: Microsoft's pages named after the functions and "TRACE_QUERY_INFO_CLASS
 * enumeration".
 */
#include <string.h>
#include <unistd.h>

#include <evntrace.h>
#include "device/kdev.h"
#include "system_events.h"

/* The processing version has not changed since the first release. */
#define PROCESSING_VERSION	1

/* In 100 ns: 10,000 samples a second, and one */
#define SAMPLE_INTERVAL_MIN	1000
#define SAMPLE_INTERVAL_MAX	10000000

/* Data and device of a request */
struct request {
	int fd;
	TRACEHANDLE session;
	void *data;
	ULONG len;	/* in: of data; out, for a query: of the answer */
};

typedef ULONG (*request_fn)(struct request *r);

/* Return the answer, or ERROR_BAD_LENGTH. */
static ULONG answer(struct request *r, const void *from, size_t len)
{
	ULONG room = r->len;

	r->len = len;
	if (room < len)
		return ERROR_BAD_LENGTH;
	if (len)
		memcpy(r->data, from, len);
	return ERROR_SUCCESS;
}

static ULONG query_version(struct request *r)
{
	TRACE_VERSION_INFO info = { .EtwTraceProcessingVersion = PROCESSING_VERSION };

	return answer(r, &info, sizeof(info));
}

static ULONG query_max_loggers(struct request *r)
{
	struct etw_session_enum list = { .capacity = 0 };
	ULONG limit;
	int err;

	err = etw_kdev_session_enum(r->fd, &list);
	if (err)
		return etw_win32_from_errno(err);
	limit = list.limit;
	return answer(r, &limit, sizeof(limit));
}

static ULONG query_stream_count(struct request *r)
{
	struct etw_session session = { .handle = r->session };
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	ULONG count = cpus > 0 ? cpus : 1;
	int err;

	err = etw_kdev_session_query(r->fd, &session);
	if (err)
		return etw_win32_from_errno(err);
	if (session.mode & EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING)
		count = 1;
	return answer(r, &count, sizeof(count));
}

_Static_assert(sizeof(GUID) == sizeof(struct etw_guid), "GUIDs go to the kernel as they are");

static ULONG set_periodic(struct request *r)
{
	TRACE_PERIODIC_CAPTURE_STATE_INFO info = { 0 };
	struct etw_session_capture capture = {
		.flags = ETW_CAPTURE_SET, .handle = r->session,
		.guids = (uintptr_t)r->data + sizeof(info),
	};

	/* An empty buffer ends it. */
	if (r->len) {
		if (r->len < sizeof(info))
			return ERROR_BAD_LENGTH;
		memcpy(&info, r->data, sizeof(info));
		if (r->len != sizeof(info) + info.ProviderCount * sizeof(GUID))
			return ERROR_BAD_LENGTH;
		if (info.Reserved)
			return ERROR_INVALID_PARAMETER;
	}
	capture.count = info.ProviderCount;
	capture.period_s = info.CaptureStateFrequencyInSeconds;
	return etw_win32_from_errno(etw_kdev_session_capture(r->fd, &capture));
}

static ULONG query_periodic(struct request *r)
{
	struct {
		TRACE_PERIODIC_CAPTURE_STATE_INFO info;
		GUID guids[ETW_CAPTURE_MAX];
	} reply;
	struct etw_session_capture capture = {
		.handle = r->session, .guids = (uintptr_t)reply.guids, .count = ETW_CAPTURE_MAX,
	};
	int err;

	memset(&reply, 0, sizeof(reply));
	err = etw_kdev_session_capture(r->fd, &capture);
	if (err)
		return etw_win32_from_errno(err);
	if (capture.count > ETW_CAPTURE_MAX)
		capture.count = ETW_CAPTURE_MAX;
	reply.info.CaptureStateFrequencyInSeconds = capture.period_s;
	reply.info.ProviderCount = capture.count;
	return answer(r, &reply, sizeof(reply.info) + capture.count * sizeof(GUID));
}

/* The providers excluded from a session's groups */
static ULONG set_disallowed(struct request *r)
{
	struct etw_disallow disallow = {
		.session = r->session, .guids = (uintptr_t)r->data,
		.count = r->len / sizeof(GUID),
	};

	if (r->len % sizeof(GUID))
		return ERROR_BAD_LENGTH;
	return etw_win32_from_errno(etw_kdev_disallow_set(r->fd, &disallow));
}

static ULONG query_disallowed(struct request *r)
{
	struct etw_guid guids[ETW_DISALLOW_MAX];
	struct etw_disallow disallow = {
		.session = r->session, .guids = (uintptr_t)guids, .capacity = ETW_DISALLOW_MAX,
	};
	int err = etw_kdev_disallow_query(r->fd, &disallow);

	if (err)
		return etw_win32_from_errno(err);
	if (disallow.count > ETW_DISALLOW_MAX)
		disallow.count = ETW_DISALLOW_MAX;
	return answer(r, guids, disallow.count * sizeof(GUID));
}

/* PERFINFO_GROUPMASK: what of the system a session records */
static ULONG set_system(struct request *r)
{
	ULONG enable[ETW_SYSTEM_WORDS];

	if (r->len != sizeof(enable))
		return ERROR_BAD_LENGTH;
	memcpy(enable, r->data, sizeof(enable));
	if (enable[0] & EVENT_TRACE_FLAG_EXTENSION)
		return ERROR_NOT_SUPPORTED;
	return etw_system_change(r->fd, r->session, enable, ETW_SYSTEM_WORDS, 0);
}

static ULONG query_system(struct request *r)
{
	ULONG enable[ETW_SYSTEM_WORDS], interval;
	ULONG ret = etw_system_query(r->fd, r->session, enable, &interval);

	return ret ? ret : answer(r, enable, sizeof(enable));
}

/* The time between samples: of one session, or of those that this process starts. */
static ULONG set_interval(struct request *r)
{
	TRACE_PROFILE_INTERVAL profile;

	if (r->len != sizeof(profile))
		return ERROR_BAD_LENGTH;
	memcpy(&profile, r->data, sizeof(profile));
	/* The timer is the only source. */
	if (profile.Source || !profile.Interval)
		return ERROR_INVALID_PARAMETER;
	if (profile.Interval < SAMPLE_INTERVAL_MIN)
		profile.Interval = SAMPLE_INTERVAL_MIN;
	if (profile.Interval > SAMPLE_INTERVAL_MAX)
		profile.Interval = SAMPLE_INTERVAL_MAX;
	if (r->session)
		return etw_system_change(r->fd, r->session, NULL, 0, profile.Interval);
	etw_sample_interval_set(profile.Interval);
	return ERROR_SUCCESS;
}

static ULONG query_interval(struct request *r)
{
	TRACE_PROFILE_INTERVAL profile = { .Interval = etw_sample_interval() };
	ULONG enable[ETW_SYSTEM_WORDS];
	ULONG ret = ERROR_SUCCESS;

	if (r->session)
		ret = etw_system_query(r->fd, r->session, enable, &profile.Interval);
	return ret ? ret : answer(r, &profile, sizeof(profile));
}

/*
 * Classes missing here have no meaning for this library on Linux: processor counters, and
 * what only Windows' kernel has.
 */
static const struct {
	TRACE_INFO_CLASS class;
	bool of_session;		/* uses the session handle */
	request_fn query, set;
} classes[] = {
	{ TraceSystemTraceEnableFlagsInfo, true, query_system, set_system },
	{ TraceSampledProfileIntervalInfo, false, query_interval, set_interval },
	{ TraceSetDisallowList, true, NULL, set_disallowed },
	{ TraceVersionInfo, false, query_version, NULL },
	{ TraceDisallowListQuery, true, query_disallowed, NULL },
	{ TracePeriodicCaptureStateListInfo, true, NULL, set_periodic },
	{ TracePeriodicCaptureStateInfo, true, query_periodic, NULL },
	{ TraceMaxLoggersQuery, false, query_max_loggers, NULL },
	{ TraceStreamCount, true, query_stream_count, NULL },
};

/* Run a request. The device is opened only for supported classes. */
static ULONG run(struct request *r, TRACE_INFO_CLASS class, bool set)
{
	request_fn fn = NULL;
	bool of_session = false;
	ULONG ret;
	size_t i;

	if ((unsigned int)class >= MaxTraceSetInfoClass)
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].class == class) {
			fn = set ? classes[i].set : classes[i].query;
			of_session = classes[i].of_session;
		}
	if (!fn)
		return ERROR_NOT_SUPPORTED;
	if ((of_session && !r->session) || (r->len && !r->data))
		return ERROR_INVALID_PARAMETER;
	r->fd = etw_kdev_open();
	if (r->fd < 0)
		return etw_win32_from_open(r->fd);
	ret = fn(r);
	etw_kdev_close(r->fd);
	return ret;
}

ULONG TraceQueryInformation(TRACEHANDLE SessionHandle, TRACE_INFO_CLASS InformationClass,
			    PVOID TraceInformation, ULONG InformationLength,
			    PULONG ReturnLength)
{
	struct request r = {
		.session = SessionHandle, .data = TraceInformation, .len = InformationLength,
	};
	ULONG ret;

	ret = run(&r, InformationClass, false);
	if (ReturnLength && (!ret || ret == ERROR_BAD_LENGTH))
		*ReturnLength = r.len;
	return ret;
}

ULONG TraceSetInformation(TRACEHANDLE SessionHandle, TRACE_INFO_CLASS InformationClass,
			  PVOID TraceInformation, ULONG InformationLength)
{
	struct request r = {
		.session = SessionHandle, .data = TraceInformation, .len = InformationLength,
	};

	return run(&r, InformationClass, true);
}
