// SPDX-License-Identifier: MIT
/* StartTrace and ControlTrace of sessions with log files, over the model of the device */
#include "lib_fake.h"

#include <evntrace.h>
#include <unistd.h>
#include "lib/tap.h"

static struct {
	EVENT_TRACE_PROPERTIES p;
	char text[4096];
} b;

/* Valid properties of a session in real time */
static EVENT_TRACE_PROPERTIES *fresh(void)
{
	memset(&b, 0, sizeof(b));
	b.p.Wnode.BufferSize = sizeof(b);
	b.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
	b.p.LogFileMode = EVENT_TRACE_REAL_TIME_MODE;
	b.p.LoggerNameOffset = sizeof(b.p);
	return &b.p;
}

static struct fake_session *find_fake(TRACEHANDLE handle)
{
	int i = 0;

	while (i < FAKE_SESSIONS - 1 && fake->sessions[i].s.handle != handle)
		i++;
	return &fake->sessions[i];
}

static char path[] = "/tmp/etw-file-XXXXXX";
static TRACEHANDLE handle;

/* B116, B135, B137 */
static void test_file(void)
{
	char *text;
	EVENT_TRACE_PROPERTIES *p = fresh();
	struct fake_session *f;

	text = (char *)p + 2000;
	p->LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_USE_KBYTES_FOR_SIZE;
	p->MaximumFileSize = 77;
	p->LogFileNameOffset = 2000;
	strcpy(text, path);
	is(StartTraceA(&handle, "with a file", p), ERROR_SUCCESS, "start with a file");
	f = find_fake(handle);
	ok(f->file.max_size == 77 && f->file.dir == -1 && f->file.fd >= 0 &&
	   f->s.mode == (ETW_MODE_SEQUENTIAL | ETW_MODE_KBYTES) &&
	   f->log.name_len == strlen(path) && !memcmp(f->path, path, strlen(path)),
	   "the kernel gets it");
	ok(!access(path, F_OK) && fcntl(f->file.fd, F_GETFD) < 0, "it exists, and is closed here");
	ok(p->MaximumFileSize == 77 && p->LogBuffersLost == 6 && !strcmp(text, path),
	   "the session's description of it");
	p = fresh();
	p->LogFileNameOffset = 2000;
	is(QueryTraceA(handle, NULL, p), ERROR_SUCCESS, "query");
	ok(!strcmp(text, path) && p->MaximumFileSize == 77, "returns it, too");
	is(ControlTraceA(handle, NULL, fresh(), EVENT_TRACE_CONTROL_INCREMENT_FILE),
	   ERROR_INVALID_PARAMETER, "no new files");
}

/* B135 */
static void test_update(void)
{
	struct fake_session *f = find_fake(handle);
	EVENT_TRACE_PROPERTIES *p;
	TRACEHANDLE none;
	char *text;

	p = fresh();
	text = (char *)p + 2000;
	p->LogFileMode = 0;
	p->LogFileNameOffset = 2000;
	path[strlen(path) - 1] ^= 1;
	strcpy(text, path);
	is(UpdateTraceA(handle, NULL, p), ERROR_SUCCESS, "on in another file");
	ok(f->file.max_size == 77 && !memcmp(f->path, path, strlen(path)), "of the same size");
	unlink(path);
	p = fresh();
	p->LogFileMode = 0;
	p->LogFileNameOffset = 2000;
	strcpy(text, path);
	fake->error[0x04] = 0;
	fake->error[0x01] = -ENOSPC;
	is(StartTraceA(&none, "none", p), ERROR_NO_SYSTEM_RESOURCES, "no room for a session");
	ok(access(path, F_OK), "leaves no file");
	path[strlen(path) - 1] ^= 1;
	unlink(path);
}

/* B121, B137 */
static void test_new_files(void)
{
	EVENT_TRACE_PROPERTIES *p;
	struct fake_session *f;
	TRACEHANDLE handle = 0;

	p = fresh();
	p->LogFileMode = 0;
	p->LogFileNameOffset = 2000;
	memset((char *)p + 2000, 'x', sizeof(b) - 2000);
	is(StartTraceA(&handle, "endless", p), ERROR_BAD_PATHNAME, "a name without an end");
	p = fresh();
	p->LogFileMode = EVENT_TRACE_FILE_MODE_NEWFILE;
	p->MaximumFileSize = 1;
	p->LogFileNameOffset = 2000;
	strcpy((char *)p + 2000, "/tmp/etw-%d.etl");
	is(StartTraceA(&handle, "files", p), ERROR_SUCCESS, "new files");
	f = find_fake(handle);
	ok(f->file.fd == -1 && f->file.dir >= 0 && f->file.file_mode == 0644,
	   "the kernel gets the directory");
	is(ControlTraceA(handle, NULL, fresh(), EVENT_TRACE_CONTROL_INCREMENT_FILE),
	   ERROR_SUCCESS, "the next one");
	is(f->log.number, 2, "is begun");
	is(StopTraceA(handle, NULL, fresh()), ERROR_SUCCESS, "stop");
	is(StopTraceA(0, "with a file", fresh()), ERROR_SUCCESS, "both");
}

/* B137 */
static void test_conversion(void)
{
	EVENT_TRACE_PROPERTIES *p = fresh();
	TRACEHANDLE handle = 0;

	p->LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL;
	p->LogFileNameOffset = 2000;
	strcpy((char *)p + 2000, path);
	is(StartTraceA(&handle, "to be read", p), ERROR_SUCCESS, "a file");
	p = fresh();
	is(ControlTraceA(handle, NULL, p, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME),
	   ERROR_SUCCESS, "becomes real time");
	is(p->LogFileMode, EVENT_TRACE_REAL_TIME_MODE, "and reports that");
	fake->error[0x04] = -EINVAL;
	is(ControlTraceA(handle, NULL, fresh(), EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME),
	   ERROR_INVALID_PARAMETER, "a session without a file does not");
	is(StopTraceA(handle, NULL, fresh()), ERROR_SUCCESS, "stop");
	unlink(path);
}

static ULONG flush_to(TRACEHANDLE handle, const char *name)
{
	EVENT_TRACE_PROPERTIES *p = fresh();

	p->LogFileMode = 0;
	p->LogFileNameOffset = 2000;
	strcpy((char *)p + 2000, name);
	return FlushTraceA(handle, NULL, p);
}

/* B129 */
static void test_snapshots(void)
{
	EVENT_TRACE_PROPERTIES *p = fresh();
	TRACEHANDLE handle = 0, plain = 0;
	struct fake_session *f;

	p->LogFileMode = EVENT_TRACE_BUFFERING_MODE | EVENT_TRACE_USE_KBYTES_FOR_SIZE;
	p->LogFileNameOffset = 2000;
	strcpy((char *)p + 2000, path);
	is(StartTraceA(&handle, "black box", p), ERROR_SUCCESS, "buffering, with a file");
	f = find_fake(handle);
	ok(f->file.dir >= 0 && f->file.fd == -1 && f->s.mode == ETW_MODE_BUFFERING &&
	   access(path, F_OK), "without a snapshot yet");
	is(StopTraceA(handle, NULL, fresh()), ERROR_SUCCESS, "stop");

	p = fresh();
	p->LogFileMode = EVENT_TRACE_BUFFERING_MODE;
	is(StartTraceA(&handle, "black box", p), ERROR_SUCCESS, "buffering, without a file");
	f = find_fake(handle);
	memset(&f->log, 0, sizeof(f->log));	/* of the session before it */
	memset(&f->file, 0, sizeof(f->file));
	is(flush_to(handle, path), ERROR_SUCCESS, "a flush names one");
	ok(f->file.fd >= 0 && f->file.dir == -1 && !access(path, F_OK), "the kernel gets it");
	is(strcmp(b.text + 2000 - sizeof(b.p), path), 0, "its name is still there");
	unlink(path);
	fake->error[0x05] = -EDQUOT;
	is(flush_to(handle, path), ERROR_DISK_FULL, "no space");
	ok(access(path, F_OK), "leaves no file");
	is(flush_to(handle, "/nonexistent/x"), ERROR_BAD_PATHNAME, "no such place");
	is(flush_to(handle, ""), ERROR_SUCCESS, "without a name it is for readers");
	/* The same for the session's own file on a full disk. */
	fake->error[0x05] = -EDQUOT;
	is(flush_to(handle, ""), ERROR_DISK_FULL, "no space without a name");
	fake->error[0x05] = -EIO;
	is(flush_to(handle, ""), ERROR_IO_DEVICE, "and a disk that failed");

	is(StartTraceA(&plain, "plain", fresh()), ERROR_SUCCESS, "real time");
	is(flush_to(plain, path), ERROR_SUCCESS, "has no snapshots");
	ok(access(path, F_OK), "so the name means nothing");
	is(StopTraceA(plain, NULL, fresh()), ERROR_SUCCESS, "stop");
	is(StopTraceA(handle, NULL, fresh()), ERROR_SUCCESS, "both");
}

int main(void)
{
	int fd = mkstemp(path);

	fake_init();
	close(fd);
	unlink(path);
	test_file();
	test_update();
	test_new_files();
	test_conversion();
	test_snapshots();
	return done_testing();
}
