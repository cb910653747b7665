// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_processes - the names of processes in what the command records and shows; the writers
 * say themselves who they are, as /proc has it
 */
#include <sys/prctl.h>

#include "lib/vm.h"
#include "lib/command/vm_trace.h"

#include <etw/format.h>

#define COPY		"/run/etw-after"

/* Events have the numbers of these steps as ids. */
enum { STEP_FORKED = 1, STEP_RENAMED, STEP_EXECUTED, STEP_THERE };

/* What a writer says of itself */
struct said {
	int step;
	pid_t pid;
	char name[16], path[256];
};

FIXTURE(processes) {
	struct vm_trace t;
	int tally[2];
};

static void say(int tally, int step)
{
	struct said said = { .step = step, .pid = getpid() };
	FILE *f = fopen("/proc/self/comm", "r");
	ssize_t n = readlink("/proc/self/exe", said.path, sizeof(said.path) - 1);

	if (!f || n <= 0 || fscanf(f, "%15s", said.name) != 1)
		_exit(1);
	fclose(f);
	if (write(tally, &said, sizeof(said)) != sizeof(said))
		_exit(1);
}

/* Write one event, and say who did. */
static void step(int fd, int slot, int tally, int number)
{
	say(tally, number);
	if (slot < 0 || vm_write(fd, slot, number, 4, 1, "x", 1))
		_exit(2);
}

/* Register a provider whose GUID is not made of its name, by the name or by traits that have it. */
static int announce(const char *name)
{
	struct etw_register r = { .size = sizeof(r), .provider = vm_guid(2), .name = VM_PTR(name),
				  .name_len = strlen(name) };
	struct etw_provider_set set = { .size = sizeof(set), .flags = ETW_SET_TRAITS };
	char traits[128] = { 0 };
	int fd = vm_open();

	if (!strncmp(name, "Trait", 5))
		r.name_len = 0;
	if (vm_ioctl(fd, ETW_IOC_REGISTER, &r))
		return 1;
	set.slot = r.slot;
	set.traits = VM_PTR(traits);
	set.traits_len = 2 + strlen(name) + 1;
	memcpy(traits, &(uint16_t){ set.traits_len }, 2);
	strcpy(traits + 2, name);
	return r.name_len ? 0 : vm_ioctl(fd, ETW_IOC_PROVIDER_SET, &set) != 0;
}

/* A copy of this program under another name: the last step of a child */
__attribute__((__constructor__))
static void copy(int argc, char **argv)
{
	int fd;

	if (argc == 3 && !strcmp(argv[1], "announce"))
		_exit(announce(argv[2]));
	if (argc != 3 || strcmp(argv[1], "step"))
		return;
	fd = vm_open();
	step(fd, vm_register(fd, vm_guid(1)), atoi(argv[2]), STEP_EXECUTED);
	_exit(0);
}

FIXTURE_SETUP(processes)
{
	ASSERT_EQ(0, vm_trace_begin(&self->t));
	ASSERT_EQ(0, pipe(self->tally));
	ASSERT_EQ(0, system("cp /proc/$PPID/exe " COPY));
}

FIXTURE_TEARDOWN(processes)
{
	vm_trace_end(&self->t);
	close(self->tally[0]);
	close(self->tally[1]);
	unlink(COPY);
}

/* A short life with three names.  It is over when this returns. */
static bool live(FIXTURE_DATA(processes) *self)
{
	char number[16];
	pid_t pid = fork();
	int fd, slot;

	if (!pid) {
		fd = vm_open();
		slot = vm_register(fd, vm_guid(1));
		step(fd, slot, self->tally[1], STEP_FORKED);
		prctl(PR_SET_NAME, "renamed", 0, 0, 0);
		step(fd, slot, self->tally[1], STEP_RENAMED);
		snprintf(number, sizeof(number), "%d", self->tally[1]);
		execl(COPY, "unused", "step", number, NULL);
		_exit(3);
	}
	return pid > 0 && vm_reap(pid) == 0;
}

/* Do the lines of "--format %i %p %n" and of the paths say the same as the writers? */
static bool agrees(FIXTURE_DATA(processes) *self, const char *what, unsigned int count)
{
	struct said said;
	char line[128], filter[512];

	while (count--) {
		if (read(self->tally[0], &said, sizeof(said)) != sizeof(said))
			return false;
		snprintf(line, sizeof(line), "%d %d %s\n", said.step, said.pid, said.name);
		RUN("dump", what, "--provider", PROVIDER, "--format", "%i %p %n");
		if (!vc_report(&self->t.r, !self->t.r.status && strstr(self->t.r.out, line)))
			return false;
		snprintf(filter, sizeof(filter),
			 "process == '%s' && process_path == '%s' && pid == %d && id == %d && process_parent == cli_processes",
			 said.name, said.path, said.pid, said.step);
		RUN("dump", what, "--filter", filter, "--format", "%i %p %n");
		if (said.step != STEP_THERE &&
		    !vc_report(&self->t.r, !self->t.r.status && !strcmp(self->t.r.out, line)))
			return false;
	}
	return true;
}

/* A process that ended before anybody read the file, and one that was there before */
TEST_F(processes, file)
{
	ASSERT_EQ(0, RUN("start", "names", "--processes", "--file", LOG));
	ASSERT_EQ(0, RUN("enable", "names", PROVIDER));
	ASSERT_TRUE(live(self));
	step(self->t.fd, self->t.slot, self->tally[1], STEP_THERE);
	ASSERT_EQ(0, RUN("stop", "names"));
	EXPECT_TRUE(agrees(self, LOG, 4));
	RUN("dump", LOG, "--json", "--filter", "id == 3");
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, "\"process_name\":\"etw-after\",\"process_path\":\""
							      COPY "\"")));
	RUN("dump", LOG, "--format", "%P %e");
	EXPECT_TRUE(vc_report(&self->t.r, !strstr(self->t.r.out, "Etw-Process")));
	RUN("dump", LOG, "--format", "%P %e", "--processes");
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, "Etw-Process ProcessExec")));
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, "Etw-Process ProcessRundown")));
	RUN("convert", LOG, "--to", "csv", "--fields", "id,process,process_path,process_parent");
	EXPECT_TRUE(vc_printed(&self->t.r, "3,etw-after," COPY ",cli_processes\r\n"));
	RUN("convert", LOG, "--to", "chrome");
	EXPECT_TRUE(vc_printed(&self->t.r, "\"process_name\",\"args\":{\"name\":\"etw-after\"}"));
}

/* The ring has overwritten the beginning; the flush names those who are there. */
TEST_F(processes, flight_recorder)
{
	struct said said;
	char line[64];
	int i;

	ASSERT_EQ(0, RUN("start", "names", "--processes", "--buffering", "--min-buffers", "8",
			 "--max-buffers", "20", "--buffer-size", "32"));
	ASSERT_EQ(0, RUN("enable", "names", PROVIDER));
	for (i = 0; i < 20000; i++)
		ASSERT_EQ(0, vm_write(self->t.fd, self->t.slot, 9, 4, 1, "x", 1));
	step(self->t.fd, self->t.slot, self->tally[1], STEP_THERE);
	ASSERT_EQ(0, RUN("flush", "names", "--file", LOG));
	EXPECT_TRUE(vc_report(&self->t.r, !strstr(self->t.r.err, "names")));
	ASSERT_EQ(sizeof(said), read(self->tally[0], &said, sizeof(said)));
	snprintf(line, sizeof(line), "%d %s\n", said.pid, said.name);
	RUN("dump", LOG, "--filter", "id == 4", "--format", "%p %n");
	EXPECT_STREQ(line, self->t.r.out);
	RUN("dump", LOG, "--filter", "id == 9 && process != cli_processes");
	EXPECT_STREQ("", self->t.r.out);
}

/* Summaries count the events that were asked for; those that name processes are said besides. */
TEST_F(processes, counted_besides)
{
	ASSERT_EQ(0, RUN("start", "names", "--processes", "--buffering"));
	ASSERT_EQ(0, RUN("enable", "names", PROVIDER));
	ASSERT_EQ(0, vm_write(self->t.fd, self->t.slot, 9, 4, 1, "x", 1));
	ASSERT_EQ(0, vm_write(self->t.fd, self->t.slot, 9, 4, 1, "x", 1));
	ASSERT_EQ(0, RUN("flush", "names", "--file", LOG, "--json"));
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, "\"events\":2,\"process_events\":")));
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.err, ": 2 events, ") &&
			      strstr(self->t.r.err, " that name processes\n")));
	RUN("verify", LOG);
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, ": 2 events in ") &&
			      strstr(self->t.r.out, " that name processes\n")));
	RUN("verify", LOG, "--json");
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, "\"events\":2,\"process_events\":")));
	RUN("dump", LOG, "--provider", PROVIDER, "--format", "%i");
	EXPECT_STREQ("9\n9\n", self->t.r.out);
	/* They are no reason to replace the file, ... */
	ASSERT_EQ(0, RUN("flush", "names", "--file", LOG));
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.err, "no events: \"" LOG "\" is as it was\n")));
	EXPECT_NE(0, access(LOG ".old", F_OK));
	/* ... unless the session has nothing else. */
	ASSERT_EQ(0, RUN("disable", "names", PROVIDER));
	ASSERT_EQ(0, RUN("flush", "names", "--file", LOG));
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.err, ": 0 events; besides, ")));
	EXPECT_EQ(0, unlink(LOG ".old"));
}

/* The files that processes map are all that this session has. */
TEST_F(processes, images_alone)
{
	unsigned int i;

	ASSERT_EQ(0, RUN("start", "images", "--buffering"));
	ASSERT_EQ(0, RUN("enable", "images", "Etw-Image"));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, system("true"));
		ASSERT_EQ(0, RUN("flush", "images", "--file", LOG));
		EXPECT_TRUE(vc_report(&self->t.r, !strstr(self->t.r.err, "no events") &&
				      !strstr(self->t.r.err, ": 0 events")));
	}
	EXPECT_EQ(0, unlink(LOG ".old"));
}

/* A reader has the names even of those that ended before it looked. */
TEST_F(processes, live)
{
	struct said said;
	char line[64];
	int i;

	ASSERT_EQ(0, RUN("start", "names", "--processes"));
	ASSERT_EQ(0, RUN("enable", "names", PROVIDER));
	ASSERT_TRUE(live(self));
	ASSERT_EQ(0, RUN("flush", "names"));
	ASSERT_EQ(0, RUN("dump", "names", "--count", "3", "--format", "%i %p %n"));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(sizeof(said), read(self->tally[0], &said, sizeof(said)));
		snprintf(line, sizeof(line), "%d %d %s\n", said.step, said.pid, said.name);
		EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, line)));
	}
}

/* Events come a second later: by then the writer has ended. */
TEST_F(processes, watch)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", self->tally[1]);
	RUN("watch", "-p", PROVIDER, "--format", "%P %i %n", COPY, "step", number);
	EXPECT_STREQ(PROVIDER " 3 etw-after\n", self->t.r.out);
	RUN("watch", "-p", "Etw-Process", "--format", "%P %e", "true");
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, "Etw-Process ProcessExec\n")));
}

/* A program that has ended had the name with another GUID than the one made of it. */
TEST_F(processes, name_of_an_ended_program)
{
	static const char *const names[] = { "*MyProvider", "*Traits.Name" };
	const char *expected = "a program that has ended announced the name with another GUID: -p 7e570002-5e1f-4e57-8001-020304050607\n";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		ASSERT_EQ(0, RUN("record", "-p", names[i], "-o", LOG, "--replace", COPY, "announce",
				 names[i] + 1));
		EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.err, expected)));
		ASSERT_EQ(0, RUN("watch", "-p", names[i], COPY, "announce", names[i] + 1));
		EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.err, expected)));
	}
	RUN("dump", LOG, "--processes", "--filter", "Name == 'Traits.Name'", "--format", "%P %e %{Provider}");
	EXPECT_STREQ("Etw-Process ProviderName 7e570002-5e1f-4e57-8001-020304050607\n", self->t.r.out);
	RUN("record", "-p", names[0], "-o", LOG, "--replace", COPY, "announce", "Another");
	EXPECT_TRUE(vc_report(&self->t.r, !strstr(self->t.r.err, "another GUID") &&
			      strstr(self->t.r.err, "is not registered now that the command has ended")));
}

TEST_F(processes, record_and_options)
{
	ASSERT_EQ(0, RUN("record", "-p", PROVIDER, "-q", "-o", LOG, "sh", "-c", "exec true"));
	RUN("dump", LOG, "--filter", "Name == true", "--processes", "--format", "%e");
	EXPECT_TRUE(vc_printed(&self->t.r, "ProcessExec\n"));
	RUN("dump", LOG, "--provider", "Etw-Process", "--format", "%e");
	EXPECT_TRUE(vc_printed(&self->t.r, "ProcessRundown/DCStart\n"));
	ASSERT_EQ(0, RUN("record", "-p", PROVIDER, "-q", "--no-processes", "-o", LOG, "true"));
	RUN("dump", LOG, "--processes", "--format", "%P");
	EXPECT_TRUE(vc_report(&self->t.r, !strstr(self->t.r.out, "Etw-Process")));
}

TEST_HARNESS_MAIN
