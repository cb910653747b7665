// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_autologger - etw autologger: sessions of files, as the boot starts them
 */
#include "lib/vm.h"
#include "lib/vm_log.h"
#include "lib/command/vm_cli.h"

#include <dirent.h>

#define GUID_S		"7e5700a1-5e1f-4e57-8001-020304050607"	/* vm_guid(0xa1) */
#define GUID_1		"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define GUID_2		"7e570002-5e1f-4e57-8001-020304050607"	/* vm_guid(2) */
#define DIR_CONF	"/etc/etw/autologger.d"
#define RUN		"/run/etw/autologger"
#define STATE		"/var/lib/etw/autologger"
#define START(guid)	"start --guid " guid " --buffer-size 8 "
#define SPACE_KB	2048

FIXTURE(autologger) {
	int fd;
	REGHANDLE reg;
	struct vc_run r;
};

static void remove_all(const char *dir)
{
	char path[512];
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
}

static void clean(void)
{
	remove_all(DIR_CONF);
	remove_all(RUN);
	remove_all(STATE);
	rmdir(RUN);
	rmdir(STATE);
}

FIXTURE_SETUP(autologger)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(SPACE_KB));
	mkdir("/etc/etw", 0755);
	mkdir(DIR_CONF, 0755);
	clean();
	self->reg = 0;
}

FIXTURE_TEARDOWN(autologger)
{
	if (self->reg)
		EventUnregister(self->reg);
	clean();
	vm_stop_all(self->fd);
	close(self->fd);
	vl_log_dir_end();
}

static bool conf(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), DIR_CONF "/%s.conf", name);
	f = fopen(path, "w");
	return f && fputs(text, f) >= 0 && !fclose(f);
}

static bool running(const char *name, struct vl_log_props *props)
{
	*props = vl_log_props(0, NULL, 0);
	return !ControlTraceA(0, name, &props->p, EVENT_TRACE_CONTROL_QUERY);
}

static bool lists(FIXTURE_DATA(autologger) *self, const char *name, const char *text)
{
	vc_run(&self->r, "autologger", "list", name, "--json", NULL);
	return vc_printed(&self->r, text);
}

/* B164: the session has the settings of its file, and its status is recorded */
TEST_F(autologger, settings)
{
	GUID guid = vl_guid(0xa1);
	struct vl_log_props p;
	struct stat st;

	ASSERT_TRUE(conf("boot", START(GUID_S) "--clock system --file " LOG_DIR "/b.etl --flush 7 \\\n"
			 "--circular --independent --max-size 3M --min-buffers 20 --max-buffers 40\n"));
	EXPECT_EQ(0, vc_run(&self->r, "autologger", "start", NULL));
	EXPECT_TRUE(vc_printed(&self->r, ""));
	ASSERT_TRUE(running("boot", &p));
	EXPECT_EQ(0, memcmp(&p.p.Wnode.Guid, &guid, sizeof(guid)));
	EXPECT_EQ(8, p.p.BufferSize);
	EXPECT_EQ(2, p.p.Wnode.ClientContext);
	EXPECT_EQ(7, p.p.FlushTimer);
	EXPECT_EQ(0x08000002, p.p.LogFileMode & 0x0800000f);
	EXPECT_EQ(3, p.p.MaximumFileSize);
	EXPECT_LE(20, p.p.MinimumBuffers);
	EXPECT_LE(40, p.p.MaximumBuffers);
	EXPECT_STREQ(LOG_DIR "/b.etl", p.file);
	/* It has events of all users: only root may read it. */
	ASSERT_EQ(0, stat(LOG_DIR "/b.etl", &st));
	EXPECT_EQ(0600, st.st_mode & 07777);
	EXPECT_TRUE(lists(self, "boot", "\"running\":true,\"status\":0,\"status_name\":\"ERROR_SUCCESS\","
			  "\"log_file\":\"" LOG_DIR "/b.etl\",\"providers\":[]}"));
	/* A changed file does not change the session that runs. */
	ASSERT_TRUE(conf("boot", START(GUID_1) "\n"));
	vc_run(&self->r, "autologger", "start", NULL);
	EXPECT_TRUE(vc_refused(&self->r, 1, "session \"boot\" runs already"));
	ASSERT_TRUE(conf("boot", "Nonsense\n"));
	EXPECT_EQ(1, vc_run(&self->r, "autologger", "start", NULL));
	EXPECT_TRUE(lists(self, "boot", "\"running\":true,\"status\":0,"));
	EXPECT_EQ(0, vc_run(&self->r, "autologger", "stop", NULL));
	EXPECT_FALSE(running("boot", &p));
}

/* B164: without --file the file is named like the session, sequential, of 100 MB at most */
TEST_F(autologger, defaults)
{
	struct vl_log_props p;

	ASSERT_TRUE(conf("by default", "start --guid " GUID_S));
	EXPECT_EQ(0, vc_run(&self->r, "autologger", "start", NULL));
	ASSERT_TRUE(running("by default", &p));
	EXPECT_STREQ("/var/log/etw/by default.etl", p.file);
	EXPECT_EQ(100, p.p.MaximumFileSize);
	EXPECT_EQ(1, p.p.LogFileMode & 0xf);
	EXPECT_EQ(1, p.p.Wnode.ClientContext);
	EXPECT_EQ(0, vc_run(&self->r, "autologger", "stop", NULL));
	EXPECT_FALSE(running("by default", &p));
	EXPECT_EQ(0, unlink("/var/log/etw/by default.etl"));
	/* A manual session is started by its name only. */
	ASSERT_TRUE(conf("by default", "start --manual --real-time --guid " GUID_S));
	EXPECT_EQ(0, vc_run(&self->r, "autologger", "start", NULL));
	EXPECT_FALSE(running("by default", &p));
	EXPECT_EQ(0, vc_run(&self->r, "autologger", "start", "by default", NULL));
	EXPECT_TRUE(running("by default", &p));
	EXPECT_STREQ("", p.file);
}

/* B165: .0001, .0002 and again */
TEST_F(autologger, file_max)
{
	static const char *const files[] = { "0001", "0002", "0001" };
	char name[64];
	unsigned int i;
	struct vl_log_props p;

	ASSERT_TRUE(conf("boot", START(GUID_S) "--file " LOG_DIR "/b.etl --file-max 2\n"));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, vc_run(&self->r, "autologger", "start", NULL));
		ASSERT_TRUE(running("boot", &p));
		snprintf(name, sizeof(name), LOG_DIR "/b.etl.%s", files[i]);
		EXPECT_STREQ(name, p.file);
		EXPECT_EQ(0, vc_run(&self->r, "autologger", "stop", NULL));
		EXPECT_FALSE(vl_log_read(name).cut_off);
	}
	EXPECT_NE(0, access(LOG_DIR "/b.etl.0003", F_OK));
	EXPECT_NE(0, access(LOG_DIR "/b.etl", F_OK));
}

static ULONG told_enabled;
static UCHAR told_level;

static void on_enable(LPCGUID source, ULONG enabled, UCHAR level, ULONGLONG any, ULONGLONG all,
		      PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	(void)source;
	(void)any;
	(void)all;
	(void)filter;
	(void)context;
	told_level = level;
	__atomic_store_n(&told_enabled, enabled, __ATOMIC_RELEASE);
}

/*
 * B166, B168: providers have their settings, and their callbacks report that they are enabled
 */
TEST_F(autologger, providers)
{
	GUID guid = vl_guid(1);
	struct vl_log_props p;
	REGHANDLE other;
	struct vl_log log;

	ASSERT_TRUE(conf("boot", START(GUID_S) "--file " LOG_DIR "/b.etl\n"
			 "enable {" GUID_1 "} --level 3 --any 0x6 --all 2 --ignore-keyword-0 --not-id 9\n"
			 "#enable " GUID_2 " --level 5\n"));
	EXPECT_EQ(0, vc_run(&self->r, "autologger", "start", NULL));
	EXPECT_TRUE(lists(self, "boot", "\"providers\":[{\"provider\":\"{" GUID_1 "}\",\"status\":0,"
			  "\"status_name\":\"ERROR_SUCCESS\"}]}"));
	told_enabled = told_level = 0;
	ASSERT_EQ(0, EventRegister(&guid, on_enable, NULL, &self->reg));
	other = vl_register(2);
	EXPECT_TRUE(vm_until(__atomic_load_n(&told_enabled, __ATOMIC_ACQUIRE) == 1));
	EXPECT_EQ(3, told_level);
	EXPECT_TRUE(EventProviderEnabled(self->reg, 3, 2));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 4, 2));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 3, 4));
	/* Its line is commented out. */
	EXPECT_FALSE(EventProviderEnabled(other, 1, 1));
	EXPECT_EQ(0, vl_write(self->reg, 7, 3, 2, 0));
	EXPECT_EQ(0, vl_write(self->reg, 9, 3, 2, 1));
	EXPECT_EQ(0, vl_write(self->reg, 7, 3, 0, 2));
	EXPECT_EQ(0, vl_write(self->reg, 7, 3, 6, 1));
	/* B167: its name is that of its file */
	p = vl_log_props(0, NULL, 0);
	EXPECT_EQ(0, ControlTraceA(0, "boot", &p.p, EVENT_TRACE_CONTROL_STOP));
	EventUnregister(other);
	log = vl_log_read(LOG_DIR "/b.etl");
	EXPECT_EQ(2, log.events);
	EXPECT_TRUE(log.in_order);
	EXPECT_FALSE(log.cut_off);
}

/* An error in one file does not keep the others from starting. */
TEST_F(autologger, errors)
{
	struct vl_log_props p;

	ASSERT_TRUE(conf("a", "\n\n" START(GUID_1) "--new-files\n"));
	ASSERT_TRUE(conf("b", START(GUID_S) "--real-time\nenable None-Such\nenable " GUID_2 "\n"));
	ASSERT_TRUE(conf("c", START(GUID_1) "--file /nonexistent/c.etl\n"));
	ASSERT_TRUE(conf("d", START(GUID_S) "--real-time\n"));
	EXPECT_EQ(1, vc_run(&self->r, "autologger", "start", NULL));
	EXPECT_EQ(4, vc_lines(self->r.err));
	/* B167 */
	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.err, "etw: " DIR_CONF "/a.conf:3: --new-files: ")));
	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.err, "etw: " DIR_CONF "/b.conf:2: no kernel provider")));
	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.err, "/c.conf:1: \"/nonexistent/c.etl\": No such file")));
	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.err, "/d.conf:1: session \"d\": session \"b\" has GUID " GUID_S)));
	EXPECT_FALSE(running("a", &p));
	EXPECT_TRUE(running("b", &p));
	EXPECT_FALSE(running("c", &p));
	EXPECT_FALSE(running("d", &p));
	EXPECT_EQ(0, vc_run(&self->r, "autologger", "list", "-j", NULL));
	EXPECT_EQ(4, vc_objects(self->r.out));
	EXPECT_TRUE(vc_printed(&self->r, "/a.conf\",\"start\":false,\"problem\":\"line 3: --new-files: "));
	EXPECT_TRUE(vc_printed(&self->r, "\"running\":false,\"status\":87,\"status_name\":\"ERROR_INV"));
	EXPECT_TRUE(vc_printed(&self->r, "/b.conf\",\"start\":true,\"problem\":null,\"running\":true,"
			       "\"status\":0,"));
	EXPECT_TRUE(vc_printed(&self->r, "{\"provider\":\"None-Such\",\"status\":4200,"));
	EXPECT_TRUE(vc_printed(&self->r, "{\"provider\":\"" GUID_2 "\",\"status\":0,"));
	EXPECT_TRUE(vc_printed(&self->r, "\"status\":161,"));
	EXPECT_TRUE(vc_printed(&self->r, "\"running\":false,\"status\":183,"));
	/* Started sessions are stopped although their files were removed. */
	remove_all(DIR_CONF);
	EXPECT_EQ(0, vc_run(&self->r, "autologger", "stop", NULL));
	EXPECT_FALSE(running("b", &p));
}

/* A session of that name that another program started is left alone. */
TEST_F(autologger, stops_its_own)
{
	struct vl_log_props p;

	ASSERT_TRUE(conf("boot", START(GUID_S) "--real-time\n"));
	ASSERT_NE(0, vl_start("boot"));
	vc_run(&self->r, "autologger", "stop", "boot", NULL);
	EXPECT_TRUE(vc_refused(&self->r, 1, "session \"boot\" was not started by etw autologger"));
	EXPECT_EQ(1, vc_run(&self->r, "autologger", "start", NULL));
	EXPECT_TRUE(lists(self, "boot", "\"running\":false,\"status\":183,"));
	EXPECT_EQ(0, vc_run(&self->r, "autologger", "stop", NULL));
	EXPECT_TRUE(running("boot", &p));
}

TEST_HARNESS_MAIN
