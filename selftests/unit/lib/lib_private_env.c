// SPDX-License-Identifier: MIT
/* The private session that the environment asks for: in which processes it is there */
#include "lib_private.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>

#define GUID_TEXT	"000000a1-0002-0003-0400-000000000000"

static REGHANDLE prov;
static bool is_child;

/* LeakSanitizer cannot look into a set-uid program. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return is_child;
}

static int write_some(int count)
{
	int bad = 0;

	while (count--)
		bad += EventWrite(prov, &event, 0, NULL) != ERROR_SUCCESS;
	return bad;
}

/* ------------------------------------------- what this program does as a child */

#define THREADS	4

static pthread_barrier_t together;

static void *register_and_write(void *bad)
{
	REGHANDLE own;
	int i;

	pthread_barrier_wait(&together);
	*(int *)bad = EventRegister(&guid_a, NULL, NULL, &own) != ERROR_SUCCESS;
	for (i = 0; i < 3; i++)
		*(int *)bad += EventWrite(own, &event, 0, NULL) != ERROR_SUCCESS;
	return NULL;
}

/* Threads that register at the same time */
static int write_together(void)
{
	int bad[THREADS], i, sum = 0;
	pthread_t thread[THREADS];

	pthread_barrier_init(&together, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, register_and_write, &bad[i]);
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		sum += bad[i];
	}
	return sum;
}

static _Atomic bool enough, asked;

static void *ask_zone(void *arg)
{
	time_t now = 0;

	for (; !enough; asked = true)
		localtime(&now);
	return arg;
}

/* Children whose parent had a thread in localtime() at their fork(): glibc's lock is left locked. */
static int write_forked(void)
{
	int i, k, status, bad = 0;
	pthread_t thread;
	pid_t pid;

	if (EventRegister(&guid_a, NULL, NULL, &prov))
		return 1;
	let_threads_sleep();
	pthread_create(&thread, NULL, ask_zone, NULL);
	while (!asked)
		usleep(1000);
	for (i = 0; i < 50 && !bad; i++) {
		pid = fork();
		if (!pid)
			_exit(write_some(1));
		for (k = 0; k < 30000 && waitpid(pid, &status, WNOHANG) != pid; k++)
			usleep(1000);
		bad = k == 30000 || status;
		if (k == 30000)
			kill(pid, SIGKILL);
	}
	enough = true;
	pthread_join(thread, NULL);
	return bad;
}

/* The first registration finds no folder for the file, the second one does. */
static int write_late(void)
{
	char *folder = strdup(strstr(getenv("ETW_PRIVATE_SESSION"), "file=") + 5);
	REGHANDLE early;
	int bad;

	*strrchr(folder, '/') = '\0';
	bad = EventRegister(&guid_a, NULL, NULL, &early) != ERROR_SUCCESS || mkdir(folder, 0700);
	bad += EventRegister(&guid_a, NULL, NULL, &prov) != ERROR_SUCCESS || write_some(3);
	free(folder);
	return bad;
}

static const GUID guid_classic = { 0xD1, 2, 3, { 4 } };
static const GUID guid_class = { 0xD2, 2, 3, { 4 } };
static _Atomic uint64_t logger;		/* of the classic provider */

static ULONG WMIAPI on_request(WMIDPREQUESTCODE code, PVOID context, ULONG *size, PVOID buffer)
{
	(void)size;
	(void)context;
	if (code == WMI_ENABLE_EVENTS)
		logger = GetTraceLoggerHandle(buffer);
	return ERROR_SUCCESS;
}

static int write_classic(void)
{
	EVENT_TRACE_HEADER e = { .Size = sizeof(e), .Guid = guid_class };

	e.Flags = WNODE_FLAG_TRACED_GUID;
	return TraceEvent(logger, &e) != ERROR_SUCCESS;
}

/* Write as most programs do. */
static int write_if_enabled(int count)
{
	return EventEnabled(prov, &event) ? write_some(count) : 100;
}

/* What a child of fork() does, by its mode; other was registered before, for another provider. */
static int child_of_fork(char mode, REGHANDLE other)
{
	BOOLEAN on = TRUE;
	REGHANDLE late;
	TRACEHANDLE h;

	switch (mode) {
	case 'g':
		if (fork())
			return wait(NULL) < 0;
		return write_if_enabled(4);
	case 'i':
		return EventSetInformation(other, EventProviderUseDescriptorType, &on, sizeof(on)) ||
		       write_if_enabled(4);
	case 'r':
		return EventRegister(&guid_b, NULL, NULL, &late) || write_if_enabled(4);
	case 's':
		h = start("own", NULL, EVENT_TRACE_BUFFERING_MODE, NULL);
		return !h || write_if_enabled(4) || stop(h);
	case 't':
		return write_classic();
	case 'u':
		return EventUnregister(other) || write_if_enabled(4);
	default:
		return write_some(4);
	}
}

/*
 * The modes: w writes, x executes the program again, m lets several threads register, l registers
 * when the session cannot begin yet, z lets children write whose parent asks for the time zone,
 * others let a child of fork() write.
 */
static int child(const char *modes)
{
	TRACE_GUID_REGISTRATION class = { &guid_class, NULL };
	char *next[] = { "x", (char *)modes + 1, NULL };
	REGHANDLE other = 0;
	TRACEHANDLE classic;
	int bad, status;

	is_child = true;
	if (*modes == 'm')
		return write_together();
	if (*modes == 'z')
		return write_forked();
	if (*modes == 'l')
		return write_late();
	if (EventRegister(&guid_a, NULL, NULL, &prov) || EventRegister(&guid_b, NULL, NULL, &other))
		return 1;
	if (*modes == 't' && RegisterTraceGuidsA(on_request, NULL, &guid_classic, 1, &class, NULL,
						 NULL, &classic))
		return 1;
	bad = write_some(3);
	switch (*modes) {
	default:
		let_threads_sleep();
		if (!fork())
			exit(child_of_fork(*modes, other));
		wait(&status);
		bad += status;
		break;
	case 'w':
		break;
	case 'x':
		execv("/proc/self/exe", next);
		return 2;
	}
	bad += EventUnregister(prov);
	return bad ? 3 : 0;
}

static int run(const char *program, const char *variable, const char *modes)
{
	char *args[] = { (char *)program, (char *)modes, NULL };
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (variable)
			setenv("ETW_PRIVATE_SESSION", variable, 1);
		execv(program, args);
		_exit(99);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* The events of all files whose names begin so, and how many files there are */
static int64_t events_in(const char *name, int *files)
{
	char command[PATH_MAX], path[PATH_MAX];
	int64_t sum = 0;
	FILE *list;

	*files = 0;
	snprintf(command, sizeof(command), "ls -d %s'%s'* 2>/dev/null", dir, name);
	list = popen(command, "r");
	while (list && fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = '\0';
		sum += read_file(path, NULL, NULL, NULL);
		++*files;
	}
	if (list)
		pclose(list);
	return sum;
}

static char *variable(const char *words, const char *file)
{
	static char text[PATH_MAX];

	snprintf(text, sizeof(text), "name=env %sfile=%s%s", words, dir, file);
	return text;
}

/* B153 */
static void test_processes(void)
{
	int files;

	is(run("/proc/self/exe", NULL, "w"), 0, "without the variable");
	is(run("/proc/self/exe", variable("p=" GUID_TEXT ",0,0,0,0 ", "one file"), "w"), 0,
	   "with it");
	is(events_in("one file", &files), 3, "all events");
	is(files, 1, "in one file, whose name has a space");
	is(run("/proc/self/exe", variable("p=" GUID_TEXT " ", "fork"), "f"), 0,
	   "a child of fork() that only writes");
	is(events_in("fork", &files), 7, "has its events, too");
	is(files, 2, "in a file of its own");
	is(run("/proc/self/exe", variable("p=" GUID_TEXT " flush=10 ", "exec"), "xxw"), 0,
	   "a process that executes other programs");
	events_in("exec", &files);
	is(files, 3, "has a file for each");
	is(run("/proc/self/exe", variable("p=" GUID_TEXT " ", "exec"), "w"), 0, "another process");
	events_in("exec", &files);
	is(files, 4, "takes none of these");
	is(run("/proc/self/exe", variable("p=" GUID_TEXT " ", "threads"), "m"), 0,
	   "threads that register at once");
	is(events_in("threads", &files), 3 * THREADS, "have their first events in the file");
	is(files, 1, "which is one");
	is(run("/proc/self/exe", variable("p=" GUID_TEXT " ", "zone"), "z"), 0,
	   "fifty children of a process that asks for the time zone");
	is(run("/proc/self/exe", variable("p=" GUID_TEXT " ", "late/file"), "l"), 0,
	   "a session that cannot begin at once");
	is(events_in("late/file", &files), 3, "begins with the next registration");
}

/* A child has a session as soon as something can be written to it. */
static void test_children(void)
{
	static const struct {
		const char *modes, *what;
		int events;
	} tests[] = {
		{ "e", "a child of fork() that only writes", 7 },
		{ "g", "one whose own child writes if the provider is enabled", 7 },
		{ "i", "one that sets something first", 7 },
		{ "r", "one that registers another provider first", 7 },
		{ "s", "one that starts a session of its own first", 7 },
		{ "t", "one with a classic provider", 4 },
		{ "u", "one that unregisters another provider first", 7 },
	};
	char file[16];
	size_t i;
	int files;

	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		snprintf(file, sizeof(file), "child %s", tests[i].modes);
		is(run("/proc/self/exe", variable("p=" GUID_TEXT " p=000000d1-0002-0003-0400-000000000000 ",
						  file), tests[i].modes), 0, tests[i].what);
		is(events_in(file, &files), tests[i].events, "has its events");
		is(files, 2, "in a file of its own");
	}
}

static void test_words(void)
{
	static const char *const bad[] = {
		"", "p=1 ", "p=" GUID_TEXT ",x ", "p=" GUID_TEXT " buffer=x ", "p=" GUID_TEXT " what=1 ",
		"p=" GUID_TEXT " mode=0x100 ", "p=" GUID_TEXT " clock=9 ", "p=" GUID_TEXT " word ",
	};
	int files;
	size_t i;

	is(run("/proc/self/exe", variable("p=" GUID_TEXT ",3,0,0,0 ", "level"), "w"), 0, "a level");
	is(events_in("level", &files), 0, "that the events do not have");
	is(run("/proc/self/exe", variable("p=" GUID_TEXT ",4,0x10,0x10,0 buffer=4 min=8 max=9 clock=2 ",
					  "words"), "w"), 0, "all words");
	is(events_in("words", &files), 3, "are taken");
	is(run("/proc/self/exe", variable("p=11111111-0002-0003-0400-000000000000 ", "other"), "w"), 0,
	   "another provider");
	events_in("other", &files);
	is(files, 0, "makes no file");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		is(run("/proc/self/exe", variable(bad[i], "bad"), "w"), 0, "a variable that is wrong");
	is(run("/proc/self/exe", "name=x p=" GUID_TEXT " file=relative", "w"), 0, "a relative name");
	is(run("/proc/self/exe", "", "w"), 0, "an empty one");
	events_in("bad", &files);
	is(files, 0, "makes no file");
}

/* Programs that run with more rights than their caller must not write where they say. */
static void test_secure(void)
{
	char command[PATH_MAX], program[128];
	int files;

	snprintf(program, sizeof(program), "%ssetuid", dir);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s && chown 65534 %s && chmod 4755 %s && "
		 "chmod 777 %s", (int)getpid(), program, program, program, dir);
	if (geteuid() || system(command)) {
		skip("only root can make a set-uid program");
		return;
	}
	is(run(program, variable("p=" GUID_TEXT " ", "secure"), "w"), 0, "a set-uid program");
	events_in("secure", &files);
	is(files, 0, "ignores the variable");
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return child(argv[1]);
	dir_make();
	test_processes();
	test_children();
	test_words();
	test_secure();
	dir_remove();
	return done_testing();
}
