// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_mode - what the command prints about who wrote an event, and about refused GUIDs
 */
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#include <sys/stat.h>

#define DIR	"/run/etw-mode"
#define TRACE	DIR "/trace.etl"
#define GUID	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define ALICE	1000

FIXTURE(cli_mode) {
	int fd, kfd;
	struct vc_run r;
};

FIXTURE_SETUP(cli_mode)
{
	vm_pin(0);
	mkdir(DIR, 0755);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->kfd = vm_kmod_fresh("etw_test");
	ASSERT_LE(0, self->kfd);
}

FIXTURE_TEARDOWN(cli_mode)
{
	vm_stop_all(self->fd);
	close(self->kfd);
	close(self->fd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, NULL)
#define PRINTED(text)	EXPECT_TRUE(vc_printed(&self->r, text))

/* Does the file, which may be binary, contain the bytes? */
static bool contains(const char *path, const char *bytes)
{
	static char text[1 << 20];
	FILE *f = fopen(path, "re");
	size_t len = f ? fread(text, 1, sizeof(text), f) : 0;

	if (f)
		fclose(f);
	return memmem(text, len, bytes, strlen(bytes));
}

/* A log file with event 1 of a process and event 2 of a driver, of the same GUID. */
static int make_trace(FIXTURE_DATA(cli_mode) *self)
{
	struct etw_test_write w = { .index = 1, .count = 1, .size = 1, .descriptors = 1,
				    .desc = { .id = 2, .level = 1, .keyword = 1 } };
	int slot = vm_register(self->fd, vm_guid(1)), ret;

	unlink(TRACE);
	ret = vm_test_register(self->kfd, 1, vm_guid(1), 0) | RUN("start", "mode", "--file", TRACE) |
	      RUN("enable", "mode", GUID) | vm_write(self->fd, slot, 1, 1, 1, "x", 1) |
	      vm_ioctl(self->kfd, ETW_TEST_WRITE, &w);
	return ret | RUN("stop", "mode");
}

TEST_F(cli_mode, dump)
{
	ASSERT_EQ(0, make_trace(self));
	RUN("dump", TRACE, "--format", "%i=%M");
	PRINTED("1=user\n2=kernel\n");
	RUN("dump", TRACE, "--filter", "mode == kernel", "--format", "%i");
	PRINTED("2\n");
	EXPECT_EQ(1, vc_lines(self->r.out));
	RUN("dump", TRACE, "--filter", "mode != kernel", "--json");
	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.out, "\"mode\":\"user\"")));
	EXPECT_EQ(1, vc_objects(self->r.out));
	RUN("dump", TRACE, "--filter", "mode == driver");
	EXPECT_NE(0, self->r.status);
}

TEST_F(cli_mode, convert)
{
	ASSERT_EQ(0, make_trace(self));
	RUN("convert", TRACE, "-o", DIR "/t.csv", "--replace", "--fields", "id,mode");
	EXPECT_TRUE(contains(DIR "/t.csv", "1,user\r\n2,kernel\r\n"));
	RUN("convert", TRACE, "-o", DIR "/t.json", "--replace", "--to", "chrome");
	EXPECT_TRUE(contains(DIR "/t.json", "\"mode\":\"user\""));
	EXPECT_TRUE(contains(DIR "/t.json", "\"mode\":\"kernel\""));
	RUN("convert", TRACE, "-o", DIR "/t.pftrace", "--replace", "--to", "perfetto");
	EXPECT_TRUE(contains(DIR "/t.pftrace", "mode"));
	EXPECT_TRUE(contains(DIR "/t.pftrace", "kernel"));
	RUN("convert", TRACE, "-o", DIR "/ctf", "--replace", "--to", "ctf");
	EXPECT_TRUE(contains(DIR "/ctf/metadata", "mode"));
	/* Merging keeps it. */
	RUN("merge", TRACE, "-o", DIR "/merged.etl", "--replace");
	RUN("dump", DIR "/merged.etl", "--format", "%i=%M");
	PRINTED("1=user\n2=kernel\n");
}

/* --with context: in text, JSON and filters, and through conversions and merging */
TEST_F(cli_mode, context)
{
	struct etw_test_write w = { .index = 1, .count = 1, .size = 1, .descriptors = 1,
				    .context = ETW_TEST_HARDIRQ,
				    .desc = { .id = 2, .level = 1, .keyword = 1 } };
	int slot = vm_register(self->fd, vm_guid(1));

	unlink(TRACE);
	ASSERT_EQ(0, vm_test_register(self->kfd, 1, vm_guid(1), 0));
	RUN("start", "mode", "--file", TRACE);
	RUN("enable", "mode", GUID, "--with", "context");
	ASSERT_EQ(0, vm_write(self->fd, slot, 1, 1, 1, "x", 1));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &w));
	RUN("list", "providers", "-v");
	PRINTED("context");
	RUN("stop", "mode");
	RUN("dump", TRACE, "--format", "%i%x");
	PRINTED("1context=task\n2context=hardirq,irqs-off");
	RUN("dump", TRACE, "--filter", "context == hardirq", "--json");
	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.out, "\"context\":{\"type\":\"hardirq\",\"irqs_off\":true")));
	EXPECT_EQ(1, vc_objects(self->r.out));
	RUN("convert", TRACE, "-o", DIR "/c.csv", "--replace", "--fields", "id,items");
	EXPECT_TRUE(contains(DIR "/c.csv", "\"\"type\"\":\"\"hardirq\"\""));
	RUN("convert", TRACE, "-o", DIR "/c.json", "--replace", "--to", "chrome");
	EXPECT_TRUE(contains(DIR "/c.json", "\"type\":\"hardirq\""));
	RUN("convert", TRACE, "-o", DIR "/c.pftrace", "--replace", "--to", "perfetto");
	EXPECT_TRUE(contains(DIR "/c.pftrace", "hardirq"));
	RUN("convert", TRACE, "-o", DIR "/cctf", "--replace", "--to", "ctf");
	EXPECT_TRUE(contains(DIR "/cctf/metadata", "context;"));
	RUN("merge", TRACE, "-o", DIR "/cm.etl", "--replace");
	RUN("dump", DIR "/cm.etl", "--filter", "context == task", "--format", "%i%x");
	PRINTED("1context=task\n");
}

/* The kernel cannot test it for each event, and need not: enable asks for one provider. */
TEST_F(cli_mode, enable)
{
	RUN("start", "mode");
	RUN("enable", "mode", GUID, "--filter", "mode == user");
	EXPECT_TRUE(vc_report(&self->r, self->r.status && strstr(self->r.err, "mode")));
}

TEST_F(cli_mode, list)
{
	int slot;

	ASSERT_EQ(0, seteuid(ALICE));
	slot = vm_register(self->fd, vm_guid(1));
	ASSERT_EQ(0, seteuid(0));
	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vm_test_register(self->kfd, 1, vm_guid(1), 0));
	EXPECT_EQ(-EACCES, vm_write(self->fd, slot, 1, 1, 1, "x", 1));
	RUN("list", "providers", "-v");
	PRINTED("refused because a kernel module has the GUID, writes refused: 1");
	RUN("list", "providers", "--json");
	PRINTED("\"refused\":true,\"writes_refused\":1");
}

TEST_HARNESS_MAIN
