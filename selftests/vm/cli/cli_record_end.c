// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_record_end - etw record: how a recording ends, and what it reports then
 */
#include "lib/vm.h"
#include "lib/command/vm_record.h"
#include "lib/vm_traits.h"

#include <pty.h>

static void ends_by(struct __test_metadata *_metadata, FIXTURE_DATA(record) *self, int signal)
{
	struct vl_log log;

	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, NULL));
	ASSERT_TRUE(enabled(self->reg));
	ASSERT_TRUE(writes(self, self->reg, 1, 4));
	ASSERT_EQ(0, kill(self->r.pid, signal));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_TRUE(reported(self, "; Ctrl-C ends it\n"));
	EXPECT_TRUE(reported(self, ": 4 events, "));
	EXPECT_EQ(0, sessions(self));
	log = vl_log_read(OUT);
	EXPECT_EQ(0, log.error);
	EXPECT_FALSE(log.cut_off);
	EXPECT_EQ(4, log.events);
}

TEST_F(record, ends_by_signals)
{
	ends_by(_metadata, self, SIGINT);
	ends_by(_metadata, self, SIGTERM);
	ends_by(_metadata, self, SIGHUP);
}

/* A signal to etw is passed on to the command. */
TEST_F(record, command_is_ended)
{
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, "sh", "-c",
			     "echo > " BEGUN "; exec sleep 600", NULL));
	ASSERT_TRUE(vm_until(exists(BEGUN)));
	ASSERT_EQ(0, kill(self->r.pid, SIGTERM));
	EXPECT_EQ(128 + SIGTERM, vc_end(&self->r));
	EXPECT_EQ(0, sessions(self));
	EXPECT_FALSE(vl_log_read(OUT).cut_off);
}

/* etw on a terminal of its own; what it writes there comes out of *master. */
static pid_t on_terminal(int *master, char **argv)
{
	pid_t pid = forkpty(master, NULL, NULL, NULL);

	if (!pid) {
		execv(vc_path(), argv);
		_exit(125);
	}
	fcntl(*master, F_SETFL, O_NONBLOCK);
	return pid;
}

/* Has it written that so far? */
static bool shows(FIXTURE_DATA(record) *self, int master, const char *text)
{
	size_t len = strlen(self->r.out);
	ssize_t n = read(master, self->r.out + len, VC_TEXT - 1 - len);

	self->r.out[n > 0 ? len + (size_t)n : len] = '\0';
	return strstr(self->r.out, text);
}

/* Ctrl-C goes to both, and to the command once. */
TEST_F(record, terminal)
{
	char *with[] = { (char *)"etw", (char *)"record", (char *)"-p", (char *)GUID_1, (char *)"-o",
			 (char *)OUT, (char *)"sh", (char *)"-c",
			 (char *)"n=0; trap 'n=$((n + 1)); echo > " GO "' INT; echo > " BEGUN
				 "; while ! test -e " LOG_DIR "/end; do sleep 0.05; done; exit $n",
			 NULL };
	char *without[] = { (char *)"etw", (char *)"record", (char *)"-p", (char *)GUID_1,
			    (char *)"-o", (char *)OUT, (char *)"--no-processes", NULL };
	int master;
	pid_t pid;

	pid = on_terminal(&master, with);
	ASSERT_LT(0, pid);
	ASSERT_TRUE(vm_until(exists(BEGUN)));
	ASSERT_EQ(1, write(master, "\003", 1));
	ASSERT_TRUE(vm_until(exists(GO)));
	EXPECT_EQ(1, sessions(self));
	ASSERT_TRUE(make(LOG_DIR "/end", ""));
	EXPECT_TRUE(vm_until(shows(self, master, " 0 events, ")));
	EXPECT_EQ(1 << 8, vm_reap(pid));
	close(master);
	/* Without a command it shows its progress. */
	self->r.out[0] = '\0';
	pid = on_terminal(&master, without);
	ASSERT_LT(0, pid);
	ASSERT_TRUE(enabled(self->reg));
	ASSERT_TRUE(writes(self, self->reg, 1, 3));
	EXPECT_TRUE(vm_until(shows(self, master, " s: 3 events, ")));
	ASSERT_EQ(1, write(master, "\003", 1));
	EXPECT_TRUE(vm_until(shows(self, master, "\": 3 events, ")));
	EXPECT_EQ(0, vm_reap(pid));
	close(master);
	EXPECT_EQ(0, sessions(self));
}

/* The command handles the first Ctrl-C, the second ends the recording. */
TEST_F(record, interrupts)
{
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, "sh", "-c",
			     "trap 'echo > " GO "' INT; trap 'exit 5' TERM; echo > " BEGUN
			     "; while :; do sleep 0.05; done", NULL));
	ASSERT_TRUE(vm_until(exists(BEGUN)));
	ASSERT_EQ(0, kill(self->r.pid, SIGINT));
	ASSERT_TRUE(vm_until(exists(GO)));
	EXPECT_EQ(1, sessions(self));
	EXPECT_EQ(0, waitpid(self->r.pid, NULL, WNOHANG));
	ASSERT_EQ(0, kill(self->r.pid, SIGINT));
	EXPECT_EQ(5, vc_end(&self->r));
	EXPECT_EQ(0, sessions(self));
}

TEST_F(record, duration)
{
	long long begin = vm_ms();

	EXPECT_EQ(128 + SIGTERM, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "--duration",
					"0.3", "sleep", "600", NULL));
	EXPECT_LE(300, vm_ms() - begin);
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_1, "-o", OUT, "--duration", "0.9",
			    "--progress", "--no-processes", NULL));
	EXPECT_TRUE(reported(self, " s: 0 events, 0/s, "));
}

TEST_F(record, reports_losses)
{
	char *big = calloc(1, 65536);
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);
	EVENT_DATA_DESCRIPTOR data;
	int i;

	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, "--buffer-size", "16",
			     NULL));
	ASSERT_TRUE(enabled(self->reg));
	ASSERT_TRUE(writes(self, self->reg, 1, 3));
	EventDataDescCreate(&data, big, 20000);
	EXPECT_EQ(ERROR_MORE_DATA, EventWrite(self->reg, &desc, 1, &data));
	EventDataDescCreate(&data, big, 65536);
	EXPECT_EQ(ERROR_ARITHMETIC_OVERFLOW, EventWrite(self->reg, &desc, 1, &data));
	/* More than fits on the disk. */
	EventDataDescCreate(&data, big, 12000);
	for (i = 0; i < 2 * SPACE_KB / 16; i++)
		EventWrite(self->reg, &desc, 1, &data);
	kill(self->r.pid, SIGINT);
	/* A file that the disk has no room for is an error, losses are none. */
	i = vc_end(&self->r);
	EXPECT_EQ(strstr(self->r.err, "the file is incomplete") ? 1 : 0, i);
	EXPECT_TRUE(reported(self, "etw: 1 event lost when written: larger than a buffer\n"));
	EXPECT_TRUE(reported(self, "etw: 1 event lost when written: over 64 KB\n"));
	EXPECT_TRUE(strstr(self->r.err, " lost to the file: No space left on device\n") ||
		    reported(self, "lost when written: no free buffer\n") ||
		    reported(self, "lost when written: user above the fair share of buffers\n"));
	free(big);
}

/* Record three events, and one that is too large if lossy; returns the exit status. */
static int record_events(FIXTURE_DATA(record) *self, const char *option, bool lossy)
{
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);
	static char big[65536];
	EVENT_DATA_DESCRIPTOR data;

	if (!vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, option, NULL) ||
	    !enabled(self->reg) || !writes(self, self->reg, 1, 3))
		return -1;
	EventDataDescCreate(&data, big, sizeof(big));
	if (lossy && EventWrite(self->reg, &desc, 1, &data) != ERROR_ARITHMETIC_OVERFLOW)
		return -1;
	kill(self->r.pid, SIGINT);
	return vc_end(&self->r);
}

TEST_F(record, strict)
{
	EXPECT_EQ(0, record_events(self, "--strict", false));
	EXPECT_EQ(3, record_events(self, "--strict", true));
	EXPECT_TRUE(reported(self, "etw: 1 event lost when written: over 64 KB\n"));
	EXPECT_EQ(3, vl_log_read(OUT).events);
	EXPECT_EQ(0, record_events(self, NULL, true));
	EXPECT_TRUE(reported(self, "etw: 1 event lost when written: over 64 KB\n"));
}

/* A file that takes no more ends it. */
TEST_F(record, full)
{
	char big[3000] = { 0 };
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);
	EVENT_DATA_DESCRIPTOR data;
	struct vl_log log;
	int i;

	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, "--buffer-size", "4",
			     "--max-size", "32K", NULL));
	ASSERT_TRUE(enabled(self->reg));
	EventDataDescCreate(&data, big, sizeof(big));
	for (i = 0; i < 20; i++) {
		EventWrite(self->reg, &desc, 1, &data);
		usleep(1000);
	}
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_TRUE(reported(self, "etw: the file is full\n"));
	EXPECT_TRUE(reported(self, " lost to the file: it is full\n"));
	/* It is full of events; the description of the machine follows. */
	log = vl_log_read(OUT);
	EXPECT_EQ(0, log.error);
	EXPECT_LT(32 * 1024, log.size);
	EXPECT_GE(96 * 1024, log.size);
}

/* If another program stops the session, the recording ends, and the file is complete. */
TEST_F(record, stopped)
{
	struct vc_run other;

	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, "--session", "x", NULL));
	ASSERT_TRUE(enabled(self->reg));
	EXPECT_EQ(0, vc_run(&other, "stop", "x", NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_TRUE(reported(self, "session \"x\" was stopped by another process"));
	EXPECT_FALSE(vl_log_read(OUT).cut_off);
}

/* Each provider's events are counted, as etw convert counts them, and the silent ones are named. */
TEST_F(record, counts)
{
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-p", GUID_2, "-p", GUID_3, "-o", OUT,
			     NULL));
	ASSERT_TRUE(enabled(self->reg) && enabled(self->other));
	ASSERT_TRUE(writes(self, self->reg, 1, 5));
	kill(self->r.pid, SIGINT);
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_TRUE(reported(self, "etw: \"" OUT "\": 5 events, "));
	EXPECT_TRUE(reported(self, "etw: 5 events of " GUID_1 "\n"));
	EXPECT_TRUE(reported(self, "provider \"" GUID_2 "\" is registered, but no event was recorded\n"));
	EXPECT_TRUE(reported(self, "provider \"" GUID_3 "\" is not registered: "));
	EXPECT_EQ(0, vc_run(&self->r, "convert", OUT, "-o", LOG_DIR "/a.csv", NULL));
	EXPECT_TRUE(reported(self, "\": 5 events"));
	EXPECT_EQ(0, vc_run(&self->r, "merge", OUT, "-o", LOG_DIR "/b.etl", NULL));
	EXPECT_TRUE(reported(self, "\": 5 events, "));
	/* Those of an earlier recording are not counted. */
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "--append", "-o", OUT, NULL));
	ASSERT_TRUE(enabled(self->reg));
	ASSERT_TRUE(writes(self, self->reg, 1, 2));
	kill(self->r.pid, SIGINT);
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_TRUE(reported(self, ": 2 more events, "));
}

/* What was asked for by *NAME has that name in the counts. */
TEST_F(record, counts_by_name)
{
	/* The GUID that TraceLogging makes of Company.Component */
	static const GUID guid = { 0x24c4f725, 0xd690, 0x5da9,
				   { 0x50, 0xda, 0xf8, 0xa2, 0x55, 0x7d, 0x33, 0x3b } };
	REGHANDLE named;

	ASSERT_EQ(0, EventRegister(&guid, NULL, NULL, &named));
	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-p", "*Company.Component", "-o", OUT,
			     NULL));
	ASSERT_TRUE(enabled(self->reg) && enabled(named));
	ASSERT_TRUE(writes(self, self->reg, 1, 2) && writes(self, named, 1, 3));
	kill(self->r.pid, SIGINT);
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_TRUE(reported(self, "etw: 3 events of \"*Company.Component\"\n"));
	EXPECT_EQ(0, EventUnregister(named));
}

/* A name that is announced with another GUID than the one made of it */
TEST_F(record, announced_name)
{
	struct vm_blob traits = vm_traits("Announced");

	ASSERT_EQ(0, EventSetInformation(self->other, EventProviderSetTraits, traits.bytes,
					 traits.len));
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", "*Announced", "-o", OUT, "--", "true", NULL));
	EXPECT_TRUE(reported(self, "a program announces the name with another GUID: -p " GUID_2 "\n"));
	EXPECT_EQ(0, vc_run(&self->r, "watch", "-p", "*Announced", "--", "true", NULL));
	EXPECT_TRUE(reported(self, "a program announces the name with another GUID: -p " GUID_2 "\n"));
	EXPECT_EQ(0, vc_run(&self->r, "start", "mine", NULL));
	EXPECT_EQ(0, vc_run(&self->r, "enable", "mine", "*announced", NULL));
	EXPECT_TRUE(reported(self, "but a program announces this name with the GUID " GUID_2 "\n"));
}

/* Killed, it leaves the session: the next recording reports that, and etw stop ends it. */
TEST_F(record, killed)
{
	struct vl_log log;
	char name[32];
	int status;

	ASSERT_TRUE(vc_start(&self->r, "record", "-p", GUID_1, "-o", OUT, NULL));
	ASSERT_TRUE(enabled(self->reg));
	ASSERT_EQ(0, kill(self->r.pid, SIGKILL));
	ASSERT_EQ(self->r.pid, waitpid(self->r.pid, &status, 0));
	snprintf(name, sizeof(name), "etw-record-%d", self->r.pid);
	ASSERT_TRUE(writes(self, self->reg, 1, 3));
	EXPECT_EQ(0, vc_run(&self->r, "record", "-p", GUID_2, "-o", LOG_DIR "/b.etl", "true", NULL));
	EXPECT_TRUE(reported(self, name));
	EXPECT_TRUE(reported(self, "\" still runs, though its etw record is gone: "
				   "etw stop \"etw-record-"));
	EXPECT_EQ(0, vc_run(&self->r, "stop", name, NULL));
	log = vl_log_read(OUT);
	EXPECT_EQ(3, log.events);
	EXPECT_FALSE(log.cut_off);
}

TEST_HARNESS_MAIN
