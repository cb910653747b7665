// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel_logger - a controller written for Windows traces the system: the NT Kernel Logger and
 * other system sessions, EnableFlags, group masks, samples, rundowns, and who may
 *
 * TIMEOUT: 600
 * RUN: in turn
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/name_guid.h"
#include "device/provider_list.h"
#include "lib/vm.h"
#include "lib/vm_lib.h"
#include "lib/vm_log.h"
#include "lib/vm_tracefs.h"

#define FILE_NAME	LOG_DIR "/kernel.etl"
#define OTHER_FILE	LOG_DIR "/other.etl"
#define SPACE_KB	(200 * 1024)
#define DISK		"/dev/nullb0"
#define REQUESTS	20
#define PROVIDERS	2048

#define PROCESS		EVENT_TRACE_FLAG_PROCESS
#define CSWITCH		EVENT_TRACE_FLAG_CSWITCH
#define DISK_IO		EVENT_TRACE_FLAG_DISK_IO

#define SWITCH		"sched:sched_switch"
#define WAKEUP		"sched:sched_wakeup"
#define COMPLETE	"block:block_rq_complete"
#define FORK		"sched:sched_process_fork"
#define EXIT		"sched:sched_process_exit"

FIXTURE(klog) {
	int fd;
	TRACEHANDLE session;
	struct vl_log_props props;
	struct etw_guid *guids;
};

FIXTURE_SETUP(klog)
{
	mount("tracefs", VM_TRACEFS, "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	self->guids = calloc(PROVIDERS, sizeof(*self->guids));
	ASSERT_NE(NULL, self->guids);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(SPACE_KB));
}

FIXTURE_TEARDOWN(klog)
{
	vm_stop_all(self->fd);
	/* Whatever was enabled, nothing is left, and nothing has a probe. */
	EXPECT_TRUE(vm_until(!vm_providers(self->fd, self->guids, PROVIDERS)));
	free(self->guids);
	close(self->fd);
	vl_log_dir_end();
}

/* The provider that one of the kernel's trace events is made */
static struct etw_guid guid_of(const char *event)
{
	struct etw_guid guid = { 0 };
	char name[256];

	snprintf(name, sizeof(name), strchr(event, ':') ? "%s%s" : "%s%s",
		 strncmp(event, "profile:", 8) && strncmp(event, "pmu:", 4) ? "tracepoint:" : "", event);
	etw_guid_from_name(name, strlen(name), &guid);
	return guid;
}

/* Has the session this enabled? */
static bool has_guid(int fd, TRACEHANDLE session, const struct etw_guid *guid)
{
	struct etw_provider provider;
	bool found = false;
	unsigned int i;

	if (etw_provider_query(fd, guid, &provider))
		return false;
	for (i = 0; i < provider.enable_count; i++)
		found |= provider.enables[i].session == session;
	etw_provider_free(&provider);
	return found;
}

static bool has(FIXTURE_DATA(klog) *self, const char *event)
{
	const struct etw_guid guid = guid_of(event);

	return has_guid(self->fd, self->session, &guid);
}

static bool has_process(FIXTURE_DATA(klog) *self)
{
	const struct etw_guid guid = ETW_PROCESS_GUID;

	return has_guid(self->fd, self->session, &guid);
}

static ULONG start(FIXTURE_DATA(klog) *self, const char *name, ULONG mode, ULONG flags,
		   const char *file)
{
	self->props = vl_log_props(mode, file, 0);
	self->props.p.BufferSize = 64;
	self->props.p.MaximumBuffers = 200;
	self->props.p.FlushTimer = 1;
	self->props.p.EnableFlags = flags;
	return StartTraceA(&self->session, name, &self->props.p);
}

static ULONG logger(FIXTURE_DATA(klog) *self, ULONG flags)
{
	return start(self, KERNEL_LOGGER_NAMEA, EVENT_TRACE_REAL_TIME_MODE, flags, NULL);
}

static ULONG update(FIXTURE_DATA(klog) *self, ULONG flags)
{
	struct vl_log_props p = vl_log_props(0, NULL, 0);

	p.p.FlushTimer = 0;
	p.p.EnableFlags = flags;
	return ControlTraceA(0, KERNEL_LOGGER_NAMEA, &p.p, EVENT_TRACE_CONTROL_UPDATE);
}

/* What a query returns as EnableFlags; ~0: an error. */
static ULONG flags_of(const char *name)
{
	struct vl_log_props p = vl_log_props(0, NULL, 0);

	return QueryTraceA(0, name, &p.p) ? ~0U : p.p.EnableFlags;
}

/* ---------------------------------------------------------------- in a log file */

/* What a consumer finds */
static struct found {
	struct etw_guid sched, disk, fork, exit, process;
	pid_t child;
	ULONG switches, requests, starts, stops, forks, exits, others;
	ULONG of_child;
	uint32_t dev;			/* the disk's, as the kernel has it */
	bool is_kernel;
} found;

static void WINAPI look_at(PEVENT_RECORD record)
{
	const GUID *guid = &record->EventHeader.ProviderId;
	const struct etw_process_payload *payload = record->UserData;
	const bool by_child = record->EventHeader.ProcessId == (ULONG)found.child;

	if (!memcmp(guid, &found.sched, sizeof(*guid))) {
		found.switches++;
		found.of_child += by_child;
	} else if (!memcmp(guid, &found.disk, sizeof(*guid))) {
		/* Whoever runs then ends a request. */
		found.requests++;
		found.others += record->UserDataLength < sizeof(found.dev) ||
				memcmp(record->UserData, &found.dev, sizeof(found.dev));
	} else if (!memcmp(guid, &found.fork, sizeof(*guid))) {
		found.forks++;
	} else if (!memcmp(guid, &found.exit, sizeof(*guid))) {
		found.exits += by_child;
	} else if (!memcmp(guid, &found.process, sizeof(*guid))) {
		if (payload->pid != (uint32_t)found.child)
			return;
		found.starts += record->EventHeader.EventDescriptor.Opcode == ETW_PROCESS_START;
		found.stops += record->EventHeader.EventDescriptor.Opcode == ETW_PROCESS_STOP;
	} else if (memcmp(guid, &EventTraceGuid, sizeof(*guid))) {
		found.others++;
	}
}

static ULONG consume(const char *file, pid_t child)
{
	EVENT_TRACE_LOGFILEA trace = {
		.LogFileName = (char *)file, .ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD,
		.EventRecordCallback = look_at,
	};
	TRACEHANDLE handle;
	struct stat disk;
	ULONG ret;

	if (stat(DISK, &disk))
		return ERROR_FILE_NOT_FOUND;
	found = (struct found){ .sched = guid_of(SWITCH), .disk = guid_of(COMPLETE),
				.fork = guid_of(FORK), .exit = guid_of(EXIT),
				.process = ETW_PROCESS_GUID, .child = child };
	found.dev = major(disk.st_rdev) << 20 | minor(disk.st_rdev);
	handle = OpenTraceA(&trace);
	if (handle == INVALID_PROCESSTRACE_HANDLE)
		return ERROR_OPEN_FAILED;
	found.is_kernel = trace.IsKernelTrace;
	ret = ProcessTrace(&handle, 1, NULL, NULL);
	CloseTrace(handle);
	return ret;
}

/* Writes to the disk, and sleeps in between. */
static pid_t workload(void)
{
	char count[32], of[] = "of=" DISK;
	pid_t pid = fork();

	if (!pid) {
		snprintf(count, sizeof(count), "count=%d", REQUESTS);
		usleep(20000);
		execlp("dd", "dd", "if=/dev/zero", of, "bs=4096", count, "oflag=direct",
		       "status=none", NULL);
		_exit(127);
	}
	return vm_reap(pid) ? -1 : pid;
}

/* A disk that nothing else uses */
static bool disk_begin(void)
{
	return !system("modprobe -qr null_blk; modprobe -q null_blk nr_devices=1 irqmode=0") &&
	       !access(DISK, F_OK);
}

/* B140 */
TEST_F(klog, to_a_file)
{
	pid_t first, second;

	if (!disk_begin())
		SKIP(return, "there is no null_blk");
	ASSERT_EQ(0, start(self, KERNEL_LOGGER_NAMEA, EVENT_TRACE_FILE_MODE_SEQUENTIAL,
			   PROCESS | DISK_IO | CSWITCH, FILE_NAME));
	EXPECT_TRUE(vl_same_guid(&SystemTraceControlGuid, &self->props.p.Wnode.Guid));
	EXPECT_EQ(PROCESS | DISK_IO | CSWITCH, self->props.p.EnableFlags);
	EXPECT_EQ(PROCESS | DISK_IO | CSWITCH, flags_of("nt kernel LOGGER"));
	first = workload();
	ASSERT_LT(0, first);
	/* Without the disk from now on, with threads */
	ASSERT_EQ(0, update(self, PROCESS | CSWITCH | EVENT_TRACE_FLAG_THREAD));
	EXPECT_EQ(PROCESS | CSWITCH | EVENT_TRACE_FLAG_THREAD, flags_of(KERNEL_LOGGER_NAMEA));
	EXPECT_FALSE(has(self, COMPLETE));
	second = workload();
	ASSERT_LT(0, second);
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_TRUE(vm_until(!vm_providers(self->fd, self->guids, PROVIDERS)));

	ASSERT_EQ(0, consume(FILE_NAME, first));
	EXPECT_TRUE(found.is_kernel);
	EXPECT_EQ(1, found.starts);
	EXPECT_EQ(1, found.stops);
	EXPECT_LT(0, found.of_child);
	EXPECT_LT(found.of_child, found.switches);
	EXPECT_EQ(REQUESTS, found.requests);
	EXPECT_EQ(0, found.others);
	ASSERT_EQ(0, consume(FILE_NAME, second));
	EXPECT_EQ(1, found.starts);
	EXPECT_LT(0, found.of_child);
	EXPECT_LT(0, found.forks);
	EXPECT_EQ(1, found.exits);
	EXPECT_EQ(REQUESTS, found.requests);
	EXPECT_EQ(0, found.others);
	if (!access("/sys/module/null_blk/initstate", F_OK))	/* not built in */
		EXPECT_EQ(0, system("modprobe -r null_blk"));
}

/* Run the controller of selftests/ported; its exit status. */
static int kernlog(const char *environment, char output[256])
{
	char command[512];
	FILE *out;

	output[0] = '\0';
	snprintf(command, sizeof(command), "%s %s/ported/kernlog " FILE_NAME " true 2>&1", environment,
		 vm_build());
	out = popen(command, "re");
	if (!out)
		return -1;
	output[fread(output, 1, 255, out)] = '\0';
	return pclose(out);
}

/* A source as on Windows, built by include paths alone */
TEST_F(klog, ported)
{
	char output[256];

	EXPECT_EQ(0, kernlog("", output));
	EXPECT_STREQ("flags 00000111\nflags 00000010\nkernel trace: yes, events: yes\n", output);
}

/* Where libtracefs cannot be loaded, only the system's events are missing. */
TEST_F(klog, without_libtracefs)
{
	char output[256];
	struct stat st;

	ASSERT_EQ(0, system("echo none >" LOG_DIR "/libtracefs.so.1"));
	EXPECT_NE(0, kernlog("LD_LIBRARY_PATH=" LOG_DIR, output));
	EXPECT_STREQ("StartTrace failed with 50\n", output);
	EXPECT_NE(0, stat(FILE_NAME, &st));
}

/* -------------------------------------------------------------------- what is enabled */

/* B134, B140: only what differs is enabled or disabled, whoever asks */
TEST_F(klog, updates)
{
	struct vl_log_props p = vl_log_props(0, NULL, 0);
	pid_t pid;

	ASSERT_EQ(0, logger(self, CSWITCH | EVENT_TRACE_FLAG_DISPATCHER));
	EXPECT_TRUE(has(self, SWITCH) && has(self, WAKEUP) && !has(self, FORK) && !has_process(self));
	pid = fork();
	if (!pid)
		_exit(update(self, CSWITCH | PROCESS) ? 1 : 0);
	ASSERT_EQ(0, vm_reap(pid));
	EXPECT_TRUE(has(self, SWITCH) && !has(self, WAKEUP) && has_process(self));
	/* As the example for updates has it: query, change, update */
	ASSERT_EQ(0, QueryTraceA(0, KERNEL_LOGGER_NAMEA, &p.p));
	EXPECT_EQ(CSWITCH | PROCESS, p.p.EnableFlags);
	EXPECT_TRUE(p.p.LogFileMode & EVENT_TRACE_SYSTEM_LOGGER_MODE);
	p.p.FlushTimer = 5;
	p.p.EnableFlags |= EVENT_TRACE_FLAG_THREAD;
	ASSERT_EQ(0, UpdateTraceA(0, KERNEL_LOGGER_NAMEA, &p.p));
	EXPECT_EQ(CSWITCH | PROCESS | EVENT_TRACE_FLAG_THREAD, p.p.EnableFlags);
	EXPECT_EQ(5, p.p.FlushTimer);
	EXPECT_TRUE(has(self, SWITCH) && has(self, FORK) && has_process(self));
	/* An update that fails changes nothing. */
	p.p.EnableFlags = EVENT_TRACE_FLAG_DISPATCHER;
	p.p.MaximumBuffers = 60001;
	EXPECT_EQ(ERROR_NO_SYSTEM_RESOURCES, UpdateTraceA(0, KERNEL_LOGGER_NAMEA, &p.p));
	EXPECT_EQ(CSWITCH | PROCESS | EVENT_TRACE_FLAG_THREAD, flags_of(KERNEL_LOGGER_NAMEA));
	EXPECT_TRUE(has(self, SWITCH) && has(self, FORK) && !has(self, WAKEUP));
	/* 0 is none of them. */
	ASSERT_EQ(0, update(self, 0));
	EXPECT_FALSE(has(self, SWITCH) || has(self, FORK) || has_process(self));
	EXPECT_TRUE(vm_until(!vm_providers(self->fd, self->guids, PROVIDERS)));
}

/* Each flag by itself, those without a counterpart as well. */
TEST_F(klog, every_flag)
{
	static const ULONG nothing = EVENT_TRACE_FLAG_PROCESS_COUNTERS | EVENT_TRACE_FLAG_REGISTRY |
				     EVENT_TRACE_FLAG_ALPC | EVENT_TRACE_FLAG_DISK_FILE_IO |
				     EVENT_TRACE_FLAG_DRIVER | EVENT_TRACE_FLAG_DEBUG_EVENTS |
				     EVENT_TRACE_FLAG_NO_SYSCONFIG | EVENT_TRACE_FLAG_ENABLE_RESERVE |
				     EVENT_TRACE_FLAG_FORWARD_WMI | 1U << 27;
	unsigned int bit;
	int count;

	ASSERT_EQ(0, logger(self, 0));
	for (bit = 0; bit < 31; bit++) {
		ASSERT_EQ(0, update(self, 1U << bit)) {
			TH_LOG("bit %u", bit);
		}
		EXPECT_EQ(1U << bit, flags_of(KERNEL_LOGGER_NAMEA));
		if (1U << bit == PROCESS) {
			EXPECT_TRUE(has_process(self));
			continue;
		}
		/* What the update before had enabled goes a moment later. */
		EXPECT_TRUE(vm_until((count = vm_providers(self->fd, self->guids, PROVIDERS),
				      1U << bit & nothing ? count == 0 : count > 0)))
		{
			TH_LOG("bit %u: %d providers", bit, count);
		}
	}
	EXPECT_EQ(ERROR_NOT_SUPPORTED, update(self, EVENT_TRACE_FLAG_EXTENSION));
	EXPECT_EQ(1U << 30, flags_of(KERNEL_LOGGER_NAMEA));
}

TEST_F(klog, group_mask)
{
	/* PERF_DISPATCHER and PERF_SYSCALL, and what has no meaning here */
	ULONG mask[8] = { CSWITCH, 0x200, 0, 0, 7, 0, 0, 0x80000000 }, got[9] = { 0 };
	ULONG len = 0;

	ASSERT_EQ(0, logger(self, PROCESS));
	ASSERT_EQ(0, TraceSetInformation(self->session, TraceSystemTraceEnableFlagsInfo, mask,
					 sizeof(mask)));
	EXPECT_TRUE(has(self, SWITCH) && has(self, WAKEUP) && !has_process(self));
	EXPECT_EQ(CSWITCH, flags_of(KERNEL_LOGGER_NAMEA));
	ASSERT_EQ(0, TraceQueryInformation(self->session, TraceSystemTraceEnableFlagsInfo, got,
					   sizeof(got), &len));
	EXPECT_EQ(sizeof(mask), len);
	EXPECT_EQ(0, memcmp(mask, got, sizeof(mask)));
	/* EnableFlags are the first word. */
	ASSERT_EQ(0, update(self, EVENT_TRACE_FLAG_THREAD));
	EXPECT_TRUE(has(self, FORK) && has(self, WAKEUP) && !has(self, SWITCH));
	EXPECT_EQ(ERROR_BAD_LENGTH,
		  TraceQueryInformation(self->session, TraceSystemTraceEnableFlagsInfo, got, 31, &len));
	EXPECT_EQ(ERROR_BAD_LENGTH,
		  TraceSetInformation(self->session, TraceSystemTraceEnableFlagsInfo, mask, 4));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  TraceSetInformation(0, TraceSystemTraceEnableFlagsInfo, mask, sizeof(mask)));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND,
		  TraceSetInformation(self->session + 0x10000, TraceSystemTraceEnableFlagsInfo, mask,
				      sizeof(mask)));
	self->session = vl_start("plain");
	ASSERT_NE(0, self->session);
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  TraceSetInformation(self->session, TraceSystemTraceEnableFlagsInfo, mask,
				      sizeof(mask)));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  TraceQueryInformation(self->session, TraceSystemTraceEnableFlagsInfo, got,
					sizeof(got), &len));
}

TEST_F(klog, samples)
{
	TRACE_PROFILE_INTERVAL interval = { .Interval = 20000 }, got = { 0 };
	ULONG len = 0;

	ASSERT_EQ(0, TraceQueryInformation(0, TraceSampledProfileIntervalInfo, &got, sizeof(got), &len));
	EXPECT_EQ(10000, got.Interval);
	ASSERT_EQ(0, TraceSetInformation(0, TraceSampledProfileIntervalInfo, &interval,
					 sizeof(interval)));
	ASSERT_EQ(0, logger(self, EVENT_TRACE_FLAG_PROFILE));
	EXPECT_TRUE(has(self, "profile:500"));
	interval.Interval = 100000;
	ASSERT_EQ(0, TraceSetInformation(self->session, TraceSampledProfileIntervalInfo, &interval,
					 sizeof(interval)));
	EXPECT_TRUE(has(self, "profile:100") && !has(self, "profile:500"));
	ASSERT_EQ(0, TraceQueryInformation(self->session, TraceSampledProfileIntervalInfo, &got,
					   sizeof(got), &len));
	EXPECT_EQ(100000, got.Interval);
	EXPECT_EQ(EVENT_TRACE_FLAG_PROFILE, flags_of(KERNEL_LOGGER_NAMEA));
	interval.Interval = 1;
	ASSERT_EQ(0, TraceSetInformation(0, TraceSampledProfileIntervalInfo, &interval,
					 sizeof(interval)));
	ASSERT_EQ(0, TraceQueryInformation(0, TraceSampledProfileIntervalInfo, &got, sizeof(got), &len));
	EXPECT_EQ(1000, got.Interval);
	interval.Source = 2;
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  TraceSetInformation(0, TraceSampledProfileIntervalInfo, &interval, sizeof(interval)));
	interval = (TRACE_PROFILE_INTERVAL){ .Interval = 10000 };
	ASSERT_EQ(0, TraceSetInformation(0, TraceSampledProfileIntervalInfo, &interval,
					 sizeof(interval)));
}

/* -------------------------------------------------------------------- system sessions */

/* B139 */
TEST_F(klog, system_loggers)
{
	const ULONG mode = EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_SYSTEM_LOGGER_MODE;
	TRACEHANDLE first;
	char name[] = "s0";

	ASSERT_EQ(0, start(self, "mine", mode, CSWITCH, NULL));
	first = self->session;
	EXPECT_TRUE(has(self, SWITCH));
	EXPECT_FALSE(vl_same_guid(&SystemTraceControlGuid, &self->props.p.Wnode.Guid));
	EXPECT_EQ(CSWITCH, flags_of("mine"));
	/* Beside the NT Kernel Logger, of which there is one */
	ASSERT_EQ(0, logger(self, CSWITCH));
	EXPECT_TRUE(has(self, SWITCH));
	EXPECT_EQ(ERROR_ALREADY_EXISTS, logger(self, CSWITCH));
	for (name[1] = '0'; name[1] < '6'; name[1]++)
		ASSERT_EQ(0, start(self, name, mode, 0, NULL));
	EXPECT_EQ(ERROR_NO_SYSTEM_RESOURCES, start(self, "ninth", mode, 0, NULL));
	EXPECT_NE(0, vl_start("plain"));
	ASSERT_EQ(0, vl_control(first, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(0, start(self, "ninth", mode, EVENT_TRACE_FLAG_THREAD, NULL));
	EXPECT_TRUE(has(self, FORK) && !has(self, SWITCH));
}

TEST_F(klog, refused)
{
	struct vl_props p = vl_props();

	p.p.Wnode.Guid = SystemTraceControlGuid;
	p.p.EnableFlags = CSWITCH;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, StartTraceA(&self->session, "mine", &p.p));
	EXPECT_EQ(ERROR_NOT_SUPPORTED, logger(self, EVENT_TRACE_FLAG_EXTENSION));
	self->session = vl_start("plain");
	p = vl_props();
	p.p.EnableFlags = CSWITCH;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, UpdateTraceA(self->session, NULL, &p.p));
	EXPECT_EQ(ERROR_BAD_PATHNAME, start(self, KERNEL_LOGGER_NAMEA, 0, CSWITCH, "/nowhere/a.etl"));
}

/* The ninth session of one event: nothing is left of it, its file neither. */
TEST_F(klog, enabled_in_part)
{
	const struct etw_guid guid = guid_of(SWITCH);
	struct etw_enable e;
	char name[] = "s0";
	struct stat st;

	ASSERT_EQ(0, logger(self, CSWITCH));
	for (name[1] = '1'; name[1] < '0' + ETW_PROVIDER_SESSIONS; name[1]++) {
		e = vm_enable_arg(vl_start(name), guid);
		ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	}
	EXPECT_EQ(ERROR_NO_SYSTEM_RESOURCES, start(self, "mine", EVENT_TRACE_SYSTEM_LOGGER_MODE,
						   CSWITCH | EVENT_TRACE_FLAG_JOB, FILE_NAME));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, QueryTraceA(0, "mine", &self->props.p));
	EXPECT_NE(0, stat(FILE_NAME, &st));
	/* Nor does an update that fails leave a part. */
	ASSERT_EQ(0, start(self, "mine", EVENT_TRACE_SYSTEM_LOGGER_MODE | EVENT_TRACE_REAL_TIME_MODE,
			   EVENT_TRACE_FLAG_THREAD, NULL));
	self->props.p.EnableFlags = EVENT_TRACE_FLAG_JOB | CSWITCH;
	EXPECT_EQ(ERROR_NO_SYSTEM_RESOURCES, UpdateTraceA(self->session, NULL, &self->props.p));
	EXPECT_EQ(EVENT_TRACE_FLAG_THREAD, flags_of("mine"));
	EXPECT_TRUE(has(self, FORK) && !has(self, "cgroup:cgroup_mkdir"));
}

/* B61: by the session's handle, and by a filter that names another one's */
TEST_F(klog, rundown)
{
	EVENT_FILTER_DESCRIPTOR filter = { .Type = EVENT_FILTER_TYPE_TRACEHANDLE };
	ENABLE_TRACE_PARAMETERS params = { .Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
					   .EnableFilterDesc = &filter, .FilterDescCount = 1 };
	struct vl_reader *reader;
	ULONG64 target;
	ULONG once;

	ASSERT_EQ(0, logger(self, PROCESS));
	target = self->session;
	reader = vl_read(KERNEL_LOGGER_NAMEA);
	ASSERT_NE(NULL, reader);
	EXPECT_TRUE(vm_until((vl_control(target, EVENT_TRACE_CONTROL_FLUSH),
			      atomic_load(&reader->count) > 20)));
	once = atomic_load(&reader->count);
	ASSERT_EQ(0, EnableTraceEx2(target, &SystemTraceControlGuid,
				    EVENT_CONTROL_CODE_CAPTURE_STATE, 0, 0, 0, VL_TIMEOUT, NULL));
	EXPECT_TRUE(vl_got(reader, target, 2 * once - 10));
	/* From another session, for this one */
	self->session = vl_start("plain");
	filter.Ptr = (uintptr_t)&target;
	filter.Size = sizeof(target);
	ASSERT_EQ(0, EnableTraceEx2(self->session, &SystemTraceControlGuid,
				    EVENT_CONTROL_CODE_CAPTURE_STATE, 0, 0, 0, VL_TIMEOUT, &params));
	EXPECT_TRUE(vl_got(reader, target, 3 * once - 20));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnableTraceEx2(self->session, &SystemTraceControlGuid,
				 EVENT_CONTROL_CODE_CAPTURE_STATE, 0, 0, 0, 0, NULL));
	ASSERT_EQ(0, vl_control(target, EVENT_TRACE_CONTROL_STOP));
	EXPECT_LT(0, vl_end(reader));
}

/* What is mapped already is recorded when the flag is set, and when it is asked for. */
TEST_F(klog, images)
{
	const struct etw_guid image = ETW_IMAGE_GUID;
	struct vl_reader *reader;
	ULONG once;

	ASSERT_EQ(0, logger(self, EVENT_TRACE_FLAG_IMAGE_LOAD));
	EXPECT_TRUE(has_guid(self->fd, self->session, &image));
	EXPECT_TRUE(has(self, "module:module_load"));
	reader = vl_read(KERNEL_LOGGER_NAMEA);
	ASSERT_NE(NULL, reader);
	/* This program, the C library and the loader, and those of others */
	EXPECT_TRUE(vm_until((vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH),
			      atomic_load(&reader->count) > 5)));
	once = atomic_load(&reader->count);
	ASSERT_EQ(0, EnableTraceEx2(self->session, &SystemTraceControlGuid,
				    EVENT_CONTROL_CODE_CAPTURE_STATE, 0, 0, 0, VL_TIMEOUT, NULL));
	EXPECT_TRUE(vl_got(reader, self->session, once + 5));
	ASSERT_EQ(0, update(self, 0));
	EXPECT_FALSE(has_guid(self->fd, self->session, &image));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_LT(0, vl_end(reader));
}

/* ------------------------------------------------------------------------- rights */

/* B160: who may not trace starts nothing, and leaves an older file as it was */
TEST_F(klog, rights)
{
	struct stat st = { 0 };
	int status = 0;
	pid_t pid;

	ASSERT_EQ(0, system("echo older >" OTHER_FILE "; chmod 666 " OTHER_FILE "; chmod 777 " LOG_DIR));
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
		    setresuid(65534, 65534, 65534))
			_exit(1);
		if (start(self, KERNEL_LOGGER_NAMEA, 0, CSWITCH, OTHER_FILE) != ERROR_ACCESS_DENIED)
			_exit(2);
		_exit(start(self, KERNEL_LOGGER_NAMEA, 0, 0, FILE_NAME) == ERROR_ACCESS_DENIED ? 0 : 3);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, WEXITSTATUS(status));
	ASSERT_EQ(0, stat(OTHER_FILE, &st));
	EXPECT_EQ(6, st.st_size);
	EXPECT_NE(0, stat(FILE_NAME, &st));
	EXPECT_EQ(~0U, flags_of(KERNEL_LOGGER_NAMEA));
}

TEST_HARNESS_MAIN
