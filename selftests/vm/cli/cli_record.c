// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_record - etw record: the contents of the file, and what stays afterwards
 */
#include "lib/vm.h"
#include "lib/command/vm_record.h"

static const char manifest[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
	" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>"
	"<instrumentation><events><provider name='Test-App' symbol='APP' resourceFileName='a'"
	" messageFileName='a' guid='{" GUID_1 "}'>"
	"<templates><template tid='T'><data name='number' inType='win:UInt32'/></template></templates>"
	"<events><event value='7' symbol='Step' name='Step' level='win:Informational' template='T'/>"
	"</events></provider></events></instrumentation></instrumentationManifest>";

TEST_F(record, command)
{
	struct vl_log log;

	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1 ":4", "-o", OUT, "--",
			     "sh", "-c", WAITS, NULL));
	/* The providers are enabled before it runs. */
	ASSERT_TRUE(vm_until(exists(BEGUN)));
	EXPECT_TRUE(EventProviderEnabled(self->reg, 4, 1));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 5, 1));
	EXPECT_EQ(1, sessions(self));
	ASSERT_TRUE(writes(self, self->reg, 4, 5));
	ASSERT_TRUE(make(GO, ""));
	EXPECT_EQ(3, vc_end(&self->r));
	EXPECT_TRUE(reported(self, "etw: \"" OUT "\": 5 events, "));
	EXPECT_STREQ("", self->r.out);
	EXPECT_EQ(1, vc_lines(self->r.err));
	EXPECT_EQ(0, sessions(self));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 1, 1));
	log = vl_log_read(OUT);
	EXPECT_EQ(0, log.error);
	EXPECT_FALSE(log.cut_off);
	EXPECT_EQ(5, log.events);
	EXPECT_TRUE(log.in_order);
	EXPECT_EQ(0, strncmp(log.info.logger, "etw-record-", 11));
	EXPECT_FALSE(exists(OLD));
}

/* With --json the standard output is the summary alone. */
TEST_F(record, json_of_a_command)
{
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "--json", "--", "sh", "-c",
			    "echo printed", NULL));
	EXPECT_EQ(1, vc_objects(self->r.out));
	EXPECT_TRUE(reported(self, "printed\n"));
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "-q", "--", "sh", "-c",
			    "echo printed", NULL));
	EXPECT_STREQ("printed\n", self->r.out);
}

/* The callback of a program takes its time, and looks at the end whether the command ran. */
struct slow {
	unsigned int calls;
	bool early;		/* the command began before the callback ended */
	long long took;		/* ms */
};

static void slow_callback(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
			  ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	struct slow *slow = context;
	long long begin = vm_ms();

	(void)source, (void)level, (void)any, (void)all, (void)filter;
	if (control != EVENT_CONTROL_CODE_ENABLE_PROVIDER)
		return;
	while (vm_ms() - begin < 200)
		usleep(10000);
	slow->early |= exists(BEGUN);
	slow->took = vm_ms() - begin;
	slow->calls++;
}

TEST_F(record, command_after_the_callbacks)
{
	struct slow slow = { 0 };
	GUID guid = vl_guid(3);
	REGHANDLE reg;
	int i;

	ASSERT_EQ(0, EventRegister(&guid, slow_callback, &slow, &reg));
	/* Again if the machine was so slow that the wait of a second may have ended. */
	for (i = 0; i < 20 && (!slow.calls || slow.took > 700); i++) {
		slow = (struct slow){ 0 };
		unlink(BEGUN);
		EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_3, "-o", OUT, "--", "sh", "-c",
				    "echo > " BEGUN, NULL));
	}
	EXPECT_EQ(1, slow.calls);
	EXPECT_GE(700, slow.took);
	EXPECT_FALSE(slow.early);
	EXPECT_EQ(0, EventUnregister(reg));
}

/* A program that does not answer delays the command, but not for ever. */
TEST_F(record, callbacks_that_never_end)
{
	int slot = vm_register_flags(self->fd, vm_guid(3), ETW_REGISTER_NOTIFY, 0);

	ASSERT_LE(0, slot);
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_3, "-o", OUT, "--", "true", NULL));
	EXPECT_TRUE(reported(self, "its callbacks did not finish in 1000 ms; they go on\n"));
	EXPECT_EQ(1, vc_run(&self->r, "record", "-p", GUID_3, "--timeout", "20", "-o", OUT, "--",
			    "true", NULL));
	EXPECT_TRUE(reported(self, "its callbacks did not finish in time"));
	EXPECT_EQ(0, sessions(self));
}

/* Options before the first provider are for all of them, those after one for that one. */
TEST_F(record, options_of_providers)
{
	ASSERT_TRUE(vc_start(&self->r, "record", "--level", "3", "-p", GUID_1, "-p", GUID_2 ":5",
			     "--any", "0x2", "-o", OUT, "-q", "--session", "mine", NULL));
	ASSERT_TRUE(enabled(self->reg));
	ASSERT_TRUE(vm_until(EventProviderEnabled(self->other, 5, 2)));
	EXPECT_TRUE(EventProviderEnabled(self->reg, 3, 1));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 4, 1));
	EXPECT_FALSE(EventProviderEnabled(self->other, 5, 1));
	EXPECT_NE(0, ControlTraceA(0, "other", &(struct vl_log_props){ 0 }.p, 0));
	kill(self->r.pid, SIGINT);
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_STREQ("", self->r.err);
	EXPECT_STREQ("mine", vl_log_read(OUT).info.logger);
}

/*
 * A command that cannot run, or a provider that cannot be enabled, leaves nothing behind and
 * removes nothing.
 */
static void left_nothing(struct __test_metadata *_metadata, FIXTURE_DATA(record) *self,
			 int status, const char *text)
{
	EXPECT_TRUE(vc_refused(&self->r, status, text));
	EXPECT_EQ(0, sessions(self));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 1, 1));
	EXPECT_TRUE(holds(OUT, "before"));
	EXPECT_FALSE(exists(OLD));
	EXPECT_FALSE(exists(LOG_DIR "/b.etl"));
}

TEST_F(record, leaves_nothing)
{
	struct vl_log_props props;
	TRACEHANDLE eight[8];
	char name[8];
	int i;

	ASSERT_TRUE(make(OUT, "before"));
	vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "/nonexistent", NULL);
	left_nothing(_metadata, self, 127, "\"/nonexistent\": cannot be run: No such file");
	vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "/run", NULL);
	left_nothing(_metadata, self, 126, "\"/run\": cannot be run: Permission denied");
	vc_run(&self->r, "record", "-p", GUID_1, "-o", LOG_DIR "/b.etl", "/run", NULL);
	left_nothing(_metadata, self, 126, "cannot be run");
	vc_run(&self->r, "record", "-p", GUID_1, "-p", "None-Such", "-o", OUT, NULL);
	left_nothing(_metadata, self, 1, "no kernel provider and no manifest is named");
	vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "--max-size", "64K", NULL);
	left_nothing(_metadata, self, 1, "--max-size takes three buffers or more");
	vc_run(&self->r, "record", "-p", GUID_1, "-p", "{" GUID_1 "}", "-o", OUT, NULL);
	left_nothing(_metadata, self, 2, "is given twice");
	for (i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		eight[i] = vl_start(name);
		ASSERT_EQ(0, vl_enable(eight[i], 2, 0, 0, 0));
	}
	vc_run(&self->r, "record", "-p", GUID_1, "-p", GUID_2, "-o", OUT, NULL);
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, vl_log_control(eight[i], EVENT_TRACE_CONTROL_STOP, &props));
	left_nothing(_metadata, self, 1, "8 sessions have it enabled already");
}

TEST_F(record, old_file)
{
	struct stat st;

	ASSERT_TRUE(make(OUT, "before"));
	ASSERT_TRUE(make(OLD, "long ago"));
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "true", NULL));
	EXPECT_TRUE(holds(OLD, "before"));
	EXPECT_TRUE(reported(self, "the file of this name is now \"" OLD "\""));
	EXPECT_EQ(0, vl_log_read(OUT).error);
	/* A symbolic link is moved itself; an empty file keeps its attributes. */
	ASSERT_EQ(0, unlink(OUT) | symlink(OLD, OUT));
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "true", NULL));
	ASSERT_EQ(0, lstat(OLD, &st));
	EXPECT_TRUE(S_ISLNK(st.st_mode));
	ASSERT_EQ(0, unlink(OLD) | truncate(OUT, 0) | chmod(OUT, 0600));
	EXPECT_EQ(126, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "/run", NULL));
	EXPECT_TRUE(holds(OUT, ""));
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "true", NULL));
	ASSERT_EQ(0, stat(OUT, &st));
	EXPECT_EQ(0600, st.st_mode & 07777);
	EXPECT_EQ(0, vl_log_read(OUT).error);
	EXPECT_FALSE(exists(OLD));
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "--append", "true", NULL));
	EXPECT_EQ(0, vl_log_read(OUT).error);
	EXPECT_FALSE(exists(OLD));
}

TEST_F(record, new_files)
{
	ASSERT_TRUE(make(LOG_DIR "/n1.etl", "before"));
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", LOG_DIR "/n%d.etl",
			    "--new-files", "--max-size", "1M", "true", NULL));
	EXPECT_TRUE(holds(LOG_DIR "/n1.etl", "before"));
	EXPECT_EQ(0, vl_log_read(LOG_DIR "/n2.etl").error);
	EXPECT_TRUE(reported(self, "\"" LOG_DIR "/n2.etl\": 0 events"));
}

TEST_F(record, json)
{
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, "--json", "--quiet",
			     "--", "sh", "-c", WAITS, NULL));
	ASSERT_TRUE(vm_until(exists(BEGUN)));
	ASSERT_TRUE(writes(self, self->reg, 4, 2));
	ASSERT_TRUE(make(GO, ""));
	EXPECT_EQ(3, vc_end(&self->r));
	EXPECT_EQ(1, vc_objects(self->r.out));
	EXPECT_STREQ("", self->r.err);
	self->r.status = 0;
	EXPECT_TRUE(vc_printed(&self->r, "\"mode\":\"file\""));
	EXPECT_TRUE(vc_printed(&self->r, "\"file\":{\"name\":\"" OUT "\",\"kind\":\"sequential\""));
	EXPECT_TRUE(vc_printed(&self->r, "\"lost\":{\"no_buffer\":0,"));
	EXPECT_TRUE(vc_printed(&self->r, "\"moved\":null,\"providers\":[{\"provider\":\"" GUID_1
			       "\",\"provider_name\":null,\"events\":2}],\"process_events\":"));
	EXPECT_TRUE(vc_printed(&self->r, ",\"exit_status\":3}"));
}

/* Events that name processes are in the file, and counted apart. */
TEST_F(record, names)
{
	struct vl_log log;

	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "true", NULL));
	EXPECT_TRUE(reported(self, ": 0 events, "));
	EXPECT_TRUE(reported(self, " seconds; besides, "));
	log = vl_log_read(OUT);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(0, log.events);
	EXPECT_LT(1, log.agree.records);
	/* Given by -p, they are events like others. */
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", "Etw-Process", "-o", OUT, "true", NULL));
	EXPECT_FALSE(strstr(self->r.err, ": 0 events, ") || strstr(self->r.err, "besides"));
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "--no-processes", "true",
			    NULL));
	EXPECT_FALSE(strstr(self->r.err, "besides"));
	/* They do not fill a small file. */
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "--buffer-size", "4K",
			    "--max-size", "16K", "true", NULL));
	EXPECT_TRUE(reported(self, "the names of all processes would take more than a quarter of its 16 KB"));
}

/* Decoded with the schemas in the file alone; the event of the file's header comes first. */
static bool decodes(FIXTURE_DATA(record) *self, const char *path)
{
	vc_run(&self->r, "dump", path, NULL);
	return vc_lines(self->r.out) == 2 && vc_printed(&self->r, " Test-App Step info number=");
}

static ULONG control(const char *name, ULONG code)
{
	struct vl_log_props p = vl_log_props(0, NULL, 0);

	return ControlTraceA(0, name, &p.p, code);
}

TEST_F(record, with_manifests)
{
	struct vl_log log;
	int i;

	ASSERT_TRUE(make(LOG_DIR "/app.man", manifest));
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", "Test-App:Verbose", "-p", GUID_2, "-o", OUT,
			     "--with-manifests", "--manifest", LOG_DIR "/app.man", NULL));
	ASSERT_TRUE(enabled(self->reg));
	ASSERT_TRUE(writes(self, self->reg, 4, 1));
	kill(self->r.pid, SIGINT);
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_TRUE(reported(self, "etw: with the manifest of 1 provider\n"));
	log = vl_log_read(OUT);
	EXPECT_EQ(0, log.error);
	EXPECT_FALSE(log.cut_off);
	EXPECT_TRUE(decodes(self, OUT));
	/* Each of several files has them. */
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", LOG_DIR "/n%d.etl", "--new-files",
			     "--max-size", "1M", "--with-manifests", "--manifest", LOG_DIR "/app.man",
			     "--session", "x", NULL));
	ASSERT_TRUE(enabled(self->reg));
	for (i = 1; i <= 2; i++) {
		ASSERT_TRUE(writes(self, self->reg, 4, 1));
		if (i == 1) {
			ASSERT_EQ(0, control("x", EVENT_TRACE_CONTROL_FLUSH));
			ASSERT_EQ(0, control("x", EVENT_TRACE_CONTROL_INCREMENT_FILE));
		}
	}
	kill(self->r.pid, SIGINT);
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_TRUE(decodes(self, LOG_DIR "/n1.etl"));
	EXPECT_TRUE(decodes(self, LOG_DIR "/n2.etl"));
}

/* The newest events are written when the recording ends, and not before. */
TEST_F(record, buffering)
{
	struct vl_log log;
	char text[64];
	struct stat st;

	ASSERT_TRUE(make(LOG_DIR "/app.man", manifest));
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, "--buffering",
			     "--buffer-size", "4", "--no-processes", "--with-manifests", "--manifest",
			     LOG_DIR "/app.man", NULL));
	ASSERT_TRUE(enabled(self->reg));
	ASSERT_TRUE(writes(self, self->reg, 4, 2000));
	EXPECT_TRUE(stat(OUT, &st) || !st.st_size);
	kill(self->r.pid, SIGINT);
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_TRUE(reported(self, " events overwritten by newer ones\n"));
	log = vl_log_read(OUT);
	EXPECT_EQ(0, log.error);
	EXPECT_FALSE(log.cut_off);
	EXPECT_LT(0, log.first);
	/*
	 * Events that are not in the file were overwritten, and are not counted as recorded.
	 */
	snprintf(text, sizeof(text), "\": %u events, ", 2000 - log.first);
	EXPECT_TRUE(reported(self, text));
	snprintf(text, sizeof(text), "etw: %u events overwritten", log.first);
	EXPECT_TRUE(reported(self, text));
	EXPECT_TRUE(reported(self, "etw: with the manifest of 1 provider\n"));
	EXPECT_EQ(0, vc_run(&self->r, "dump", OUT, NULL));
	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.out, " Test-App Step info number=1999\n")));
	EXPECT_EQ(0, sessions(self));
}

TEST_HARNESS_MAIN
