/* SPDX-License-Identifier: MIT */
/*
 * lib_private.h - private sessions by the public functions alone, and their files read back
 */
#ifndef ETW_TEST_LIB_PRIVATE_H
#define ETW_TEST_LIB_PRIVATE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>
#include <etw/winerror.h>
#include "lib/tap.h"

#define UNUSED	__attribute__((__unused__))

static const GUID guid_a UNUSED = { 0xA1, 2, 3, { 4 } };
static const GUID guid_b UNUSED = { 0xB1, 2, 3, { 4 } };
static const EVENT_DESCRIPTOR event UNUSED = { .Id = 7, .Level = 4, .Keyword = 0x10 };

/* A folder of this test's own, with its "/" */
static char dir[64];

static UNUSED void dir_make(void)
{
	strcpy(dir, "/tmp/etw-private-XXXXXX");
	if (!mkdtemp(dir))
		exit(1);
	strcat(dir, "/");
	/* There is no device, whatever this machine has. */
	setenv("ETW_DEVICE", "/nonexistent/etw", 1);
}

static UNUSED void dir_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		exit(1);
}

static UNUSED const char *in_dir(const char *name)
{
	static char paths[4][PATH_MAX];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%s%s", dir, name);
	return path;
}

/* Properties with room for names */
struct block {
	EVENT_TRACE_PROPERTIES p;
	char name[1025];
	char file[1025];
};

static UNUSED struct block *block_of(const GUID *guid, ULONG mode, const char *file)
{
	static struct block blocks[4];
	static int next;
	struct block *b = &blocks[next++ % 4];

	memset(b, 0, sizeof(*b));
	b->p.Wnode.BufferSize = sizeof(*b);
	b->p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
	if (guid)
		b->p.Wnode.Guid = *guid;
	b->p.LogFileMode = mode;
	b->p.LoggerNameOffset = offsetof(struct block, name);
	if (file) {
		b->p.LogFileNameOffset = offsetof(struct block, file);
		snprintf(b->file, sizeof(b->file), "%s%s", *file == '/' ? "" : dir, file);
	}
	return b;
}

#define PRIVATE	(EVENT_TRACE_PRIVATE_LOGGER_MODE | EVENT_TRACE_PRIVATE_IN_PROC)

/* Start a session of buffers of 4 KB; 0: it failed. */
static UNUSED TRACEHANDLE start(const char *name, const GUID *guid, ULONG mode, const char *file)
{
	struct block *b = block_of(guid, PRIVATE | mode, file);
	TRACEHANDLE h = 0;
	ULONG ret;

	b->p.BufferSize = 4;
	b->p.MinimumBuffers = 64;
	ret = StartTraceA(&h, name, &b->p);
	if (ret)
		printf("# StartTrace %s: %lu\n", name, (unsigned long)ret);
	return h;
}

static UNUSED ULONG enable(TRACEHANDLE h, const GUID *guid, UCHAR level, ULONG64 any)
{
	return EnableTraceEx2(h, guid, EVENT_CONTROL_CODE_ENABLE_PROVIDER, level, any, 0, 0, NULL);
}

/* The session's state after a command; LogFileNameOffset is set. */
static UNUSED struct block *control(TRACEHANDLE h, ULONG code, ULONG *ret)
{
	struct block *b = block_of(NULL, 0, "");

	b->file[0] = '\0';
	*ret = ControlTraceA(h, NULL, &b->p, code);
	return b;
}

static UNUSED ULONG stop(TRACEHANDLE h)
{
	ULONG ret;

	control(h, EVENT_TRACE_CONTROL_STOP, &ret);
	return ret;
}

/* ------------------------------------------------------------- reading back */

typedef void (*seen_fn)(const EVENT_RECORD *record, void *arg);

struct reading {
	seen_fn fn;
	void *arg;
	uint64_t events, lost, disorder;
	int64_t last;
};

static VOID WINAPI on_event(PEVENT_RECORD record)
{
	static const GUID header = {
		0x68fdd900, 0x4a3e, 0x11d1, { 0x84, 0xf4, 0, 0, 0xf8, 0x04, 0x64, 0xe3 }
	};
	struct reading *r = record->UserContext;

	if (!memcmp(&record->EventHeader.ProviderId, &header, sizeof(header)))
		return;
	/* The library's own records of losses */
	if (!(record->EventHeader.Flags & EVENT_HEADER_FLAG_PRIVATE_SESSION) &&
	    !(record->EventHeader.Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER) &&
	    !(record->EventHeader.Flags & EVENT_HEADER_FLAG_TRACE_MESSAGE)) {
		r->lost++;
		return;
	}
	r->events++;
	r->disorder += record->EventHeader.TimeStamp.QuadPart < r->last;
	r->last = record->EventHeader.TimeStamp.QuadPart;
	if (r->fn)
		r->fn(record, r->arg);
}

/* Read a file; the number of its events, or -1: it cannot be opened. */
static UNUSED int64_t read_file(const char *path, seen_fn fn, void *arg, struct reading *out)
{
	struct reading r = { .fn = fn, .arg = arg };
	EVENT_TRACE_LOGFILEA log = {
		.LogFileName = (LPSTR)path,
		.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD,
		.EventRecordCallback = on_event,
		.Context = &r,
	};
	TRACEHANDLE h = OpenTraceA(&log);

	if (h == INVALID_PROCESSTRACE_HANDLE)
		return -1;
	if (ProcessTrace(&h, 1, NULL, NULL))
		r.events = -1;
	CloseTrace(h);
	if (out)
		*out = r;
	return r.events;
}

/* What "etw verify" says of a file: 0 is complete. */
static UNUSED int verify(const char *path)
{
	const char *build = getenv("ETW_BUILD");
	char command[PATH_MAX + 64];
	int status;

	snprintf(command, sizeof(command), "%s/etw verify %s >%sverify.out 2>&1",
		 build ? build : "build", path, dir);
	status = system(command);
	if (status) {
		snprintf(command, sizeof(command), "sed 's/^/# /' %sverify.out", dir);
		if (system(command))
			return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
 * Wait until all other threads sleep. AddressSanitizer's allocator does not survive a fork() while
 * a thread that is just beginning uses it; glibc's does.
 */
static UNUSED void let_threads_sleep(void)
{
	char name[300], line[512];
	struct dirent *entry;
	bool all = false;
	DIR *folder;
	FILE *f;

	while (!all) {
		all = true;
		folder = opendir("/proc/self/task");
		while (folder && (entry = readdir(folder))) {
			if (*entry->d_name == '.' || atoi(entry->d_name) == gettid())
				continue;
			snprintf(name, sizeof(name), "/proc/self/task/%s/stat", entry->d_name);
			f = fopen(name, "r");
			if (!f || !fgets(line, sizeof(line), f) || !strstr(line, ") S "))
				all = false;
			if (f)
				fclose(f);
		}
		if (folder)
			closedir(folder);
	}
}

/* Run something in a child; its exit status, or minus the signal that ended it. */
static UNUSED int in_child(void (*fn)(void *), void *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		fn(arg);
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1000;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#endif /* ETW_TEST_LIB_PRIVATE_H */
