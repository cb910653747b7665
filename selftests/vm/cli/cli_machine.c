// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_machine - the machine that a log file is of: which files describe it, and whose names the
 * kernel's addresses have
 */
#include "lib/vm.h"
#include "lib/command/vm_record.h"

#include <linux/capability.h>

#define FILE_A	LOG_DIR "/m.etl"
#define ID_LEN	20

/* The build id of the running kernel, read apart: it stands behind the name "GNU". */
static bool kernel_id(uint8_t id[ID_LEN])
{
	uint8_t notes[4096], *at;
	FILE *f = fopen("/sys/kernel/notes", "r");
	size_t n = f ? fread(notes, 1, sizeof(notes), f) : 0;

	if (f)
		fclose(f);
	at = memmem(notes, n, "\x14\0\0\0\3\0\0\0GNU", 12);
	if (!at || at + 12 + ID_LEN > notes + n)
		return false;
	memcpy(id, at + 12, ID_LEN);
	return true;
}

static void hex(char *to, const uint8_t *bytes, size_t len)
{
	for (; len; len--, bytes++, to += 2)
		sprintf(to, "%02x", *bytes);
}

/* What /proc/modules says of etw.ko's address, as dump prints it */
static bool module_address(char to[64])
{
	unsigned long long address = 0;
	char line[4096], name[64];
	FILE *f = fopen("/proc/modules", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %*u %*s %*s %*s %llx", name, &address) == 2 &&
		    !strcmp(name, "etw"))
			break;
	if (f)
		fclose(f);
	snprintf(to, 64, "Name=\"etw\" Address=0x%llx Size=", address);
	return address && !strcmp(name, "etw");
}

static ULONG control(const char *name, ULONG code)
{
	struct vl_log_props p = vl_log_props(0, NULL, 0);

	return ControlTraceA(0, name, &p.p, code);
}

/* Files that others may read have no addresses of the kernel. */
static void __attribute__((constructor)) private_files(void)
{
	umask(077);
}

/* Does the file describe this machine? */
static bool describes(FIXTURE_DATA(record) *self, const char *file)
{
	char want[64], id[2 * ID_LEN + 1] = "";
	uint8_t bytes[ID_LEN];

	if (!kernel_id(bytes) || !module_address(want))
		return false;
	hex(id, bytes, ID_LEN);
	vc_run(&self->r, "dump", "--machine", file, NULL);
	return vc_report(&self->r, !self->r.status &&
			 strstr(self->r.out, want) && strstr(self->r.out, id) &&
			 vc_lines_with(self->r.out, "Etw-Machine", "Machine info BootId=") == 1);
}

static bool is_silent(FIXTURE_DATA(record) *self, const char *file)
{
	vc_run(&self->r, "dump", "--machine", file, NULL);
	return !self->r.status && !strstr(self->r.out, "Etw-Machine") &&
	       !strstr(self->r.out, "SystemConfig");
}

/* Its session lost nothing, and the appended buffers are no gap. */
static bool is_complete(FIXTURE_DATA(record) *self, const char *file, const char *file2)
{
	return !vc_run(&self->r, "verify", file, file2, NULL) || !vc_report(&self->r, false);
}

/* Events after the recording has begun */
static bool record_some(FIXTURE_DATA(record) *self, unsigned int count)
{
	if (!enabled(self->reg) || !writes(self, self->reg, 4, count))
		return false;
	kill(self->r.pid, SIGINT);
	return !vc_end(&self->r);
}

TEST_F(record, recorded)
{
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, NULL));
	ASSERT_TRUE(record_some(self, 5));
	EXPECT_TRUE(reported(self, "\": 5 events, "));
	EXPECT_TRUE(describes(self, OUT));
	EXPECT_NE(NULL, strstr(self->r.out, "SystemConfig/CPU"));
	EXPECT_TRUE(is_complete(self, OUT, NULL));
	EXPECT_EQ(5, vl_log_read(OUT).events);
	/* By default it is not among what is shown. */
	vc_run(&self->r, "dump", OUT, NULL);
	EXPECT_EQ(NULL, strstr(self->r.out, "Etw-Machine"));
}

/* The kernel begins the next file by itself, and numbers the buffers through all of them. */
TEST_F(record, several_files)
{
	static struct vc_run flush;

	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", LOG_DIR "/n%d.etl", "--new-files",
			     "--max-size", "1M", "--session", "x", NULL));
	ASSERT_TRUE(enabled(self->reg));
	ASSERT_TRUE(writes(self, self->reg, 4, 1));
	memset(&flush, 0, sizeof(flush));
	ASSERT_EQ(0, vc_run(&flush, "flush", "x", "--new-file", NULL));
	ASSERT_TRUE(record_some(self, 1));
	EXPECT_TRUE(describes(self, LOG_DIR "/n1.etl"));
	EXPECT_TRUE(describes(self, LOG_DIR "/n2.etl"));
	EXPECT_TRUE(is_complete(self, LOG_DIR "/n1.etl", LOG_DIR "/n2.etl"));
}

/* A file that was moved away does not keep the others from being described. */
TEST_F(record, one_moved)
{
	static struct vc_run flush;
	unsigned int i;

	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", LOG_DIR "/n%d.etl", "--new-files",
			     "--max-size", "1M", "--session", "y", NULL));
	ASSERT_TRUE(enabled(self->reg));
	for (i = 0; i < 2; i++) {
		memset(&flush, 0, sizeof(flush));
		ASSERT_TRUE(writes(self, self->reg, 4, 1));
		ASSERT_EQ(0, vc_run(&flush, "flush", "y", "--new-file", NULL));
	}
	ASSERT_EQ(0, rename(LOG_DIR "/n1.etl", LOG_DIR "/moved.etl"));
	ASSERT_TRUE(record_some(self, 1));
	EXPECT_TRUE(describes(self, LOG_DIR "/n2.etl"));
	EXPECT_TRUE(describes(self, LOG_DIR "/n3.etl"));
	EXPECT_TRUE(is_silent(self, LOG_DIR "/moved.etl"));
}

/* Events of the session: another one that wants that provider does not get them. */
TEST_F(record, circular)
{
	struct vl_log log;

	EXPECT_EQ(0, vc_run(&self->r, "start", "other", "--file", FILE_A, NULL));
	EXPECT_EQ(0, vc_run(&self->r, "enable", "other", "*Etw-Machine", NULL));
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, "--circular", "--max-size",
			     "1M", NULL));
	ASSERT_TRUE(record_some(self, 3));
	EXPECT_TRUE(reported(self, "\": 3 events, "));
	EXPECT_TRUE(describes(self, OUT));
	log = vl_log_read(OUT);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(3, log.events);
	vm_stop_all(self->fd);
	EXPECT_TRUE(is_silent(self, FILE_A));
}

static unsigned int enables;

static void NTAPI forge(LPCGUID source, ULONG code, UCHAR level, ULONGLONG any, ULONGLONG all,
			PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	(void)source;
	(void)level;
	(void)any;
	(void)all;
	(void)filter;
	(void)context;
	enables += code == EVENT_CONTROL_CODE_ENABLE_PROVIDER;
}

/* Nobody else becomes a provider of the description. */
TEST_F(record, forged)
{
	static const struct etw_guid guid = ETW_MACHINE_GUID;
	REGHANDLE forger;

	ASSERT_EQ(0, EventRegister((LPCGUID)&guid, forge, NULL, &forger));
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, "--circular", "--max-size",
			     "1M", NULL));
	ASSERT_TRUE(record_some(self, 3));
	EXPECT_TRUE(describes(self, OUT));
	/* The callbacks of all registrations come in one order. */
	EXPECT_EQ(0, vc_run(&self->r, "start", "x", NULL));
	EXPECT_EQ(0, vc_run(&self->r, "enable", "x", "*Etw-Machine", NULL));
	EXPECT_TRUE(vm_until(enables));
	EXPECT_EQ(1, enables);
	EventUnregister(forger);
}

/* A file that others may read, or a session that others may, does not say where the kernel is. */
TEST_F(record, hidden)
{
	static const char *const files[] = { OUT, FILE_A, LOG_DIR "/c.etl" };
	unsigned int i;

	EXPECT_EQ(0, vc_run(&self->r, "start", "x", "--file", LOG_DIR "/c.etl", "--circular", "--max-size",
			    "1M", "--real-time", NULL));
	EXPECT_EQ(0, vc_run(&self->r, "stop", "x", NULL));
	umask(022);
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "true", NULL));
	EXPECT_EQ(0, vc_run(&self->r, "start", "x", "--file", FILE_A, "--circular", "--max-size", "1M",
			    NULL));
	EXPECT_EQ(0, vc_run(&self->r, "stop", "x", NULL));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		EXPECT_EQ(0, vc_run(&self->r, "dump", "--machine", files[i], NULL));
		EXPECT_NE(NULL, strstr(self->r.out, "Name=\"etw\" Size=")) TH_LOG("%s", files[i]);
		EXPECT_NE(NULL, strstr(self->r.out, "Kernel info BootId="));
		EXPECT_EQ(NULL, strstr(self->r.out, "Address="));
		EXPECT_EQ(NULL, strstr(self->r.out, "Text="));
	}
}

/* Some kernels of our own load so little that its description needs less than a small buffer. */
static bool is_small_machine(void)
{
	unsigned int modules = 0;
	FILE *f = fopen("/proc/modules", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		modules++;
	if (f)
		fclose(f);
	return modules < 15;
}

TEST_F(record, too_small)
{
	if (is_small_machine())
		SKIP(return, "the machine's description is small");
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, "--circular", "--max-size",
			     "16K", "--buffer-size", "4", "--no-processes", NULL));
	ASSERT_TRUE(record_some(self, 3));
	EXPECT_TRUE(reported(self, "would take more than a quarter of it"));
	EXPECT_TRUE(is_silent(self, OUT));
	EXPECT_EQ(3, vl_log_read(OUT).events);
}

/* Describing a session never makes it lose events. */
TEST_F(record, small_budget)
{
	if (is_small_machine())
		SKIP(return, "the machine's description is small");
	EXPECT_EQ(0, vc_run(&self->r, "start", "x", "--file", FILE_A, "--circular", "--max-size", "1M",
			    "--user-budget", "8K", NULL));
	EXPECT_EQ(0, vc_run(&self->r, "stop", "x", NULL));
	EXPECT_TRUE(reported(self, "would take more than a quarter of the user's budget"));
	EXPECT_NE(NULL, strstr(self->r.out, ": 0 events lost")) TH_LOG("%s", self->r.out);
	EXPECT_TRUE(is_silent(self, FILE_A));
	EXPECT_EQ(0, vc_run(&self->r, "start", "x", "--file", FILE_A, "--circular", "--max-size", "1M",
			    "--replace", "--buffer-size", "4", "--max-buffers", "4", "--min-buffers", "4",
			    NULL));
	EXPECT_EQ(0, vc_run(&self->r, "stop", "x", NULL));
	EXPECT_TRUE(reported(self, "would take more than a quarter of the session's buffers"));
	EXPECT_TRUE(is_silent(self, FILE_A));
}

/* etw stop describes, a program does not; circular files, too. */
TEST_F(record, stopped)
{
	EXPECT_EQ(0, vc_run(&self->r, "start", "x", "--file", FILE_A, NULL));
	EXPECT_EQ(0, vc_run(&self->r, "enable", "x", GUID_1, NULL));
	ASSERT_TRUE(writes(self, self->reg, 4, 4));
	EXPECT_EQ(0, vc_run(&self->r, "stop", "x", NULL));
	EXPECT_STREQ("", self->r.err);
	EXPECT_EQ(4, vl_log_read(FILE_A).events);
	EXPECT_TRUE(describes(self, FILE_A));
	EXPECT_TRUE(is_complete(self, FILE_A, NULL));
	EXPECT_EQ(0, vc_run(&self->r, "start", "x", "--file", FILE_A, "--circular", "--max-size", "1M",
			    "--replace", NULL));
	EXPECT_EQ(0, vc_run(&self->r, "stop", "x", NULL));
	EXPECT_TRUE(describes(self, FILE_A));
	EXPECT_EQ(0, vc_run(&self->r, "start", "x", "--file", FILE_A, "--replace", NULL));
	EXPECT_EQ(0, control("x", EVENT_TRACE_CONTROL_STOP));
	EXPECT_TRUE(is_silent(self, FILE_A));
}

/* A file that has the name meanwhile is left alone, whatever it is. */
TEST_F(record, replaced)
{
	EXPECT_EQ(0, vc_run(&self->r, "start", "x", "--file", FILE_A, NULL));
	EXPECT_EQ(0, control("x", EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(0, vc_run(&self->r, "start", "x", "--file", OUT, NULL));
	ASSERT_EQ(0, rename(FILE_A, OUT));
	EXPECT_EQ(0, vc_run(&self->r, "stop", "x", NULL));
	EXPECT_STREQ("", self->r.err);
	EXPECT_TRUE(is_silent(self, OUT));
}

TEST_F(record, flushed)
{
	EXPECT_EQ(0, vc_run(&self->r, "start", "x", "--buffering", NULL));
	EXPECT_EQ(0, vc_run(&self->r, "enable", "x", GUID_1, NULL));
	ASSERT_TRUE(writes(self, self->reg, 4, 4));
	EXPECT_EQ(0, vc_run(&self->r, "flush", "x", "--file", FILE_A, NULL));
	EXPECT_EQ(1, vc_lines(self->r.err));
	EXPECT_EQ(4, vl_log_read(FILE_A).events);
	EXPECT_TRUE(describes(self, FILE_A));
	EXPECT_TRUE(is_complete(self, FILE_A, NULL));
}

/* Who may not see the kernel's addresses records a file without any. */
TEST_F(record, unprivileged)
{
	EXPECT_EQ(0, chmod(LOG_DIR, 0777));
	self->r.nobody = true;
	self->r.capability = CAP_PERFMON;
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "true", NULL));
	EXPECT_EQ(0, vc_run(&self->r, "dump", "--machine", OUT, NULL));
	EXPECT_NE(NULL, strstr(self->r.out, "Name=\"etw\" Size="));
	EXPECT_NE(NULL, strstr(self->r.out, "Kernel info BootId="));
	EXPECT_EQ(NULL, strstr(self->r.out, "Address="));
	EXPECT_EQ(NULL, strstr(self->r.out, "Text="));
}

/* Replace all of these bytes in a file. Returns how often they were there. */
static unsigned int patch(const char *path, const void *from, const void *to, size_t len)
{
	static uint8_t bytes[4 << 20];
	FILE *f = fopen(path, "r+");
	size_t n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
	unsigned int count = 0;
	uint8_t *at = bytes;

	for (; (at = memmem(at, n - (size_t)(at - bytes), from, len)); at += len, count++)
		memcpy(at, to, len);
	if (!f || fseek(f, 0, SEEK_SET) || fwrite(bytes, 1, n, f) != n)
		count = 0;
	return f && !fclose(f) ? count : 0;
}

/* The boot id as a GUID in memory */
static bool boot_id(uint8_t id[16])
{
	struct etw_guid guid;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	unsigned int b[8], i;
	int n = f ? fscanf(f, "%8x-%4hx-%4hx-%2x%2x-%2x%2x%2x%2x%2x%2x", &guid.data1, &guid.data2,
			   &guid.data3, &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &b[6], &b[7]) : 0;

	if (f)
		fclose(f);
	for (i = 0; i < 8; i++)
		guid.data4[i] = (uint8_t)b[i];
	memcpy(id, &guid, sizeof(guid));
	return n == 11;
}

/* Frames of the kernel that have the name of a function; of others, modules may have one. */
static unsigned int named(FIXTURE_DATA(record) *self)
{
	vc_run(&self->r, "dump", "--stack", OUT, NULL);
	return vc_lines_with(self->r.out, "        0xffffffff", "+0x") -
	       vc_lines_with(self->r.out, "        0xffffffff", " etw+0x");
}

/* The names of the boot that runs; of another boot of this kernel; none of another kernel. */
TEST_F(record, stacks)
{
	uint8_t boot[16], other_boot[16], id[ID_LEN], other_id[ID_LEN];
	unsigned int names;

	ASSERT_TRUE(boot_id(boot) && kernel_id(id));
	ASSERT_EQ(0, vc_run(&self->r, "record", "-p", "tracepoint:sched:sched_process_exit", "--stack",
			    "-o", OUT, "true", NULL));
	names = named(self);
	EXPECT_LT(3, names);
	EXPECT_NE(NULL, strstr(self->r.out, "do_exit+0x"));
	memcpy(other_boot, boot, sizeof(boot));
	other_boot[5] ^= 0x10;
	EXPECT_LT(2, patch(OUT, boot, other_boot, sizeof(boot)));
	EXPECT_EQ(names, named(self));
	memcpy(other_id, id, sizeof(id));
	other_id[7]++;
	EXPECT_EQ(1, patch(OUT, id, other_id, sizeof(id)));
	EXPECT_EQ(0, named(self));
	EXPECT_TRUE(reported(self, "the trace is of another kernel than the one that runs here"));
	/* It is the build that counts only in another boot. */
	EXPECT_LT(2, patch(OUT, other_boot, boot, sizeof(boot)));
	EXPECT_EQ(names, named(self));
}

TEST_HARNESS_MAIN
