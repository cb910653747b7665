// SPDX-License-Identifier: MIT
/*
 * Private sessions and what becomes of processes: fork, exec, exit, kill; and of writers that
 * never leave a filtered event
 */
#include "lib_private.h"
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <TraceLoggingProvider.h>

TRACELOGGING_DEFINE_PROVIDER(tl_provider, "Private.Life", (0xC1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0));

static const GUID guid_tl = { 0xC1, 2, 3, { 4 } };

static REGHANDLE prov;
static pid_t main_pid;

/* Children that end while other threads were running have leaks of their own. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return main_pid && getpid() != main_pid;
}

static int write_some(int count)
{
	EVENT_DATA_DESCRIPTOR data;
	int i, bad = 0;

	for (i = 0; i < count; i++) {
		EventDataDescCreate(&data, &i, sizeof(i));
		bad += EventWrite(prov, &event, 1, &data) != ERROR_SUCCESS;
	}
	return bad;
}

static TRACEHANDLE begin(const char *file)
{
	TRACEHANDLE h = start("life", &guid_a, 0, file);

	enable(h, &guid_a, 0, 0);
	let_threads_sleep();
	return h;
}

static int count_entries(const char *path, const char *target)
{
	char name[PATH_MAX], link[PATH_MAX];
	DIR *folder = opendir(path);
	struct dirent *entry;
	int count = 0;
	ssize_t len;

	while (folder && (entry = readdir(folder))) {
		if (*entry->d_name == '.')
			continue;
		if (target) {
			snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
			len = readlink(name, link, sizeof(link) - 1);
			link[len < 0 ? 0 : len] = '\0';
			if (strcmp(link, target))
				continue;
		}
		count++;
	}
	if (folder)
		closedir(folder);
	return count;
}

/* The descriptor of a file that is open; -1: it is not. */
static int fd_of(const char *target)
{
	char name[64], link[PATH_MAX];
	ssize_t len;
	int fd;

	for (fd = 0; fd < 1024; fd++) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		len = readlink(name, link, sizeof(link) - 1);
		link[len < 0 ? 0 : len] = '\0';
		if (!strcmp(link, target))
			return fd;
	}
	return -1;
}

/* Before the first session, and after the last one, there is no thread. */
static void test_nothing_before(void)
{
	TRACEHANDLE h;

	is(write_some(10), 0, "write while there is no session");
	is(count_entries("/proc/self/task", NULL), 1, "one thread");
	h = begin("threads.etl");
	is(count_entries("/proc/self/task", NULL), 2, "the session has one");
	is(stop(h), ERROR_SUCCESS, "stop");
	is(count_entries("/proc/self/task", NULL), 1, "until it ends");
	h = start("memory", &guid_a, EVENT_TRACE_BUFFERING_MODE, NULL);
	is(count_entries("/proc/self/task", NULL), 1, "one that only buffers has none");
	is(stop(h), ERROR_SUCCESS, "stop");
}

static void leave(void *file)
{
	begin(file);
	if (write_some(123))
		_exit(9);
}

static void test_exit(void)
{
	is(in_child(leave, "exit.etl"), 0, "a program that exits without stopping");
	is(read_file(in_dir("exit.etl"), NULL, NULL, NULL), 123, "has all events in its file");
	is(verify(in_dir("exit.etl")), 0, "etw verify: complete");
}

static _Atomic bool leaving, called_late;

static VOID NTAPI on_enable(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
			    ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	(void)source;
	(void)control;
	(void)level;
	(void)any;
	(void)all;
	(void)filter;
	(void)context;
	if (leaving)
		called_late = true;
}

static void set_leaving(void)
{
	leaving = true;
}

/* After the library's destructor: a callback that was asked for has run once all threads sleep. */
static __attribute__((__destructor__(101))) void judge(void)
{
	if (!leaving)
		return;
	let_threads_sleep();
	if (called_late)
		_exit(9);
}

static void leave_with_callback(void *file)
{
	REGHANDLE reg;
	TRACEHANDLE h;

	if (EventRegister(&guid_b, on_enable, NULL, &reg))
		_exit(8);
	h = begin(file);
	if (EnableTraceEx2(h, &guid_b, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 0, 0, 0, INFINITE, NULL))
		_exit(8);
	atexit(set_leaving);
}

/* The program's objects are destroyed by then. */
static void test_exit_callbacks(void)
{
	is(in_child(leave_with_callback, "callback.etl"), 0, "no callback runs during exit()");
	is(verify(in_dir("callback.etl")), 0, "etw verify: complete");
}

static _Atomic bool enough;
static _Atomic int running;

static void *endless(void *arg)
{
	(void)arg;
	write_some(1);
	running++;
	while (!enough)
		write_some(1);
	return NULL;
}

static void leave_busy(void *file)
{
	pthread_t thread;

	begin(file);
	pthread_create(&thread, NULL, endless, NULL);
	write_some(1000);
}

/* Threads may write while exit() stops the session. */
static void test_exit_busy(void)
{
	int i, bad = 0;

	for (i = 0; i < 10; i++)
		bad += in_child(leave_busy, "busy.etl") != 0 ||
		       read_file(in_dir("busy.etl"), NULL, NULL, NULL) < 1;
	is(bad, 0, "while a thread writes");
}

/* Wait until so many buffers are in the file; then the process ends as arg says. */
static void end_after(TRACEHANDLE h, ULONG buffers)
{
	struct block *b;
	ULONG ret;

	do {
		write_some(10);
		b = control(h, EVENT_TRACE_CONTROL_QUERY, &ret);
	} while (!ret && b->p.BuffersWritten < buffers);
}

static void kill_self(void *file)
{
	end_after(begin(file), 20);
	raise(SIGKILL);
}

static void quit(void *file)
{
	end_after(begin(file), 20);
	_exit(3);
}

static void become_another(void *file)
{
	end_after(begin(file), 20);
	execl("/bin/true", "true", NULL);
	_exit(9);
}

/* What was full is in the file. */
static void test_death(void)
{
	is(in_child(kill_self, "kill.etl"), -SIGKILL, "killed");
	ok(read_file(in_dir("kill.etl"), NULL, NULL, NULL) > 300, "its full buffers can be read");
	ok(verify(in_dir("kill.etl")) != 0, "etw verify knows that it is not closed");
	is(in_child(quit, "quit.etl"), 3, "_exit()");
	ok(read_file(in_dir("quit.etl"), NULL, NULL, NULL) > 300, "likewise");
	is(in_child(become_another, "exec.etl"), 0, "exec()");
	ok(read_file(in_dir("exec.etl"), NULL, NULL, NULL) > 300, "likewise");
}

static void child_of_fork(void *arg)
{
	TRACEHANDLE *parent = arg, h;
	struct block *b;
	ULONG ret;
	int bad = 0;

	bad += EventEnabled(prov, &event) != FALSE;
	bad += write_some(50);
	b = control(*parent, EVENT_TRACE_CONTROL_FLUSH, &ret);
	(void)b;
	bad += ret != ERROR_WMI_INSTANCE_NOT_FOUND;
	bad += count_entries("/proc/self/fd", in_dir("parent.etl")) != 0;
	h = begin("child.etl");
	bad += !h || write_some(7);
	exit(bad);
}

/* B25: a child has no session and no descriptor of its parent's file; it may start its own. */
static void test_fork(void)
{
	TRACEHANDLE h = begin("parent.etl");
	struct reading r;
	int i;

	is(count_entries("/proc/self/fd", in_dir("parent.etl")), 1, "the parent has its file open");
	is(write_some(100), 0, "the parent writes");
	is(in_child(child_of_fork, &h), 0, "a child");
	is(write_some(100), 0, "the parent goes on");
	for (i = 0; i < 5; i++)
		if (!fork())
			exit(write_some(5));
	while (wait(NULL) > 0)
		;
	is(stop(h), ERROR_SUCCESS, "stop");
	is(read_file(in_dir("parent.etl"), NULL, NULL, &r), 200, "the parent's events");
	is(verify(in_dir("parent.etl")), 0, "etw verify: complete");
	is(read_file(in_dir("child.etl"), NULL, NULL, NULL), 7, "the child's");
	is(verify(in_dir("child.etl")), 0, "etw verify: complete");
}

static void has_none(void *name)
{
	exit(fd_of(in_dir(name)) >= 0);
}

/* The session's thread opens the file, when the first buffer is full. */
static void test_fork_delayed(void)
{
	TRACEHANDLE h = start("delayed", &guid_a, EVENT_TRACE_DELAY_OPEN_FILE_MODE, "delayed.etl");
	int tries;

	enable(h, &guid_a, 0, 0);
	write_some(200);
	for (tries = 0; tries < 10000 && fd_of(in_dir("delayed.etl")) < 0; tries++)
		usleep(1000);
	let_threads_sleep();
	is(in_child(has_none, "delayed.etl"), 0, "a child does not have a file that was opened late");
	is(stop(h), ERROR_SUCCESS, "stop");
}

static void has_number(void *fd)
{
	exit(fcntl(*(int *)fd, F_GETFD) < 0);
}

/* The thread closes a file and cannot open the next one: its descriptor's number is free again. */
static void test_fork_next(void)
{
	struct block *b = block_of(&guid_a, PRIVATE | EVENT_TRACE_FILE_MODE_NEWFILE |
				   EVENT_TRACE_USE_KBYTES_FOR_SIZE, "folder/next%d.etl");
	TRACEHANDLE h;
	int fd, tries;

	mkdir(in_dir("folder"), 0700);
	b->p.BufferSize = 4;
	b->p.MaximumFileSize = 16;
	is(StartTraceA(&h, "next", &b->p), ERROR_SUCCESS, "a file after the other");
	enable(h, &guid_a, 0, 0);
	fd = fd_of(in_dir("folder/next1.etl"));
	ok(fd >= 0 && !rename(in_dir("folder"), in_dir("moved")), "the next one cannot be made");
	for (tries = 0; tries < 10000 && fcntl(fd, F_GETFD) >= 0; tries++) {
		write_some(10);
		usleep(1000);
	}
	let_threads_sleep();
	is(dup2(1, fd), fd, "the program takes the number");
	is(in_child(has_number, &fd), 0, "a child keeps it");
	close(fd);
	stop(h);
}

/* Threads write while others fork: parent and child both go on. */
static void test_fork_busy(void)
{
	TRACEHANDLE h = begin("forks.etl");
	int i, status, bad = 0;
	pthread_t thread[2];
	char name[32];
	pid_t pid;

	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, endless, NULL);
	while (running < 2)
		usleep(100);
	for (i = 0; i < 40; i++) {
		fflush(stdout);
		pid = fork();
		if (!pid) {
			snprintf(name, sizeof(name), "fork%d.etl", i);
			exit(!begin(name) || write_some(11));
		}
		bad += waitpid(pid, &status, 0) != pid || status;
		snprintf(name, sizeof(name), "fork%d.etl", i);
		bad += read_file(in_dir(name), NULL, NULL, NULL) != 11;
	}
	enough = true;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	is(bad, 0, "forty children of a process whose threads write");
	is(stop(h), ERROR_SUCCESS, "stop");
	ok(read_file(in_dir("forks.etl"), NULL, NULL, NULL) > 0, "its own file");
}

/* A child of vfork() is its parent's thread until it executes something. */
static void test_vfork(void)
{
	TRACEHANDLE h = begin("vfork.etl");
	volatile ULONG ret = 0;
	pid_t pid = vfork();

	if (!pid) {
		EventWrite(prov, &event, 0, NULL);
		ret = stop(h);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	is(ret, ERROR_NOT_SUPPORTED, "a child of vfork() cannot stop its parent's session");
	is(stop(h), ERROR_SUCCESS, "stop");
	is(read_file(in_dir("vfork.etl"), NULL, NULL, NULL), 1, "a child of vfork() writes to it");
}

/* A file of the program's own, which takes the number of the log file's descriptor. */
static int take_number(const char *log, const char *own)
{
	int number = fd_of(log), fd = open(own, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (number < 0 || fd < 0 || write(fd, "database", 8) != 8 || dup2(fd, number) != number)
		exit(1);
	close(fd);
	return number;
}

static bool is_untouched(int fd)
{
	char text[16];

	return pread(fd, text, sizeof(text), 0) == 8 && !memcmp(text, "database", 8);
}

/* A program that closes all descriptors and opens its own file keeps that, and the log its events. */
static void test_closed(void)
{
	TRACEHANDLE h = begin("closed.etl");
	ULONG ret;
	int fd;

	write_some(100);
	control(h, EVENT_TRACE_CONTROL_FLUSH, &ret);
	fd = take_number(in_dir("closed.etl"), in_dir("own"));
	write_some(300);
	control(h, EVENT_TRACE_CONTROL_FLUSH, &ret);
	is(ret, ERROR_SUCCESS, "flush after the descriptor was replaced");
	ok(is_untouched(fd), "the program's own file is as it was");
	close(fd);
	fd = take_number(in_dir("closed.etl"), in_dir("own"));
	write_some(50);
	is(stop(h), ERROR_SUCCESS, "stop after it was replaced again");
	ok(is_untouched(fd), "the program's own file is as it was");
	is(close(fd), 0, "and open");
	is(read_file(in_dir("closed.etl"), NULL, NULL, NULL), 450, "all events are in the log file");
	is(verify(in_dir("closed.etl")), 0, "etw verify: complete");
}

/* As that, and the log file is another one by now: its events are lost. */
static void test_lost(void)
{
	TRACEHANDLE h = begin("lost.etl");
	struct block *b;
	ULONG ret;
	int fd, other;

	fd = take_number(in_dir("lost.etl"), in_dir("own"));
	unlink(in_dir("lost.etl"));
	other = open(in_dir("lost.etl"), O_RDWR | O_CREAT, 0600);
	is(write(other, "database", 8), 8, "another file of that name");
	write_some(50);
	control(h, EVENT_TRACE_CONTROL_FLUSH, &ret);
	is(ret, ERROR_IO_DEVICE, "flush");
	b = control(h, EVENT_TRACE_CONTROL_STOP, &ret);
	is(ret, ERROR_IO_DEVICE, "stop");
	ok(b->p.LogBuffersLost > 0, "the buffers are counted as lost");
	ok(is_untouched(fd) && is_untouched(other), "neither file was written to");
	close(fd);
	close(other);
}

static void count_ids(const EVENT_RECORD *r, void *own)
{
	*(int *)own += r->EventHeader.ThreadId == (ULONG)gettid();
}

/* The first event of this thread is written by a child of vfork(), which has its variables. */
static void *vfork_first(void *own)
{
	TRACEHANDLE h = begin("ids.etl");
	pid_t pid = vfork();

	if (!pid) {
		EventWrite(prov, &event, 0, NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	write_some(1);
	stop(h);
	read_file(in_dir("ids.etl"), count_ids, own, NULL);
	return NULL;
}

static void test_vfork_ids(void)
{
	pthread_t thread;
	int own = 0;

	pthread_create(&thread, NULL, vfork_first, &own);
	pthread_join(thread, NULL);
	is(own, 1, "a thread's event has its own id after that of a child of vfork()");
}

/* ------------------------------------------------------------------- no room */

/* The last buffer is written by the call that stops the session. */
static void exceed_limit(void *file)
{
	const struct rlimit limit = { 16384, 16384 };
	TRACEHANDLE h = begin(file);

	setrlimit(RLIMIT_FSIZE, &limit);
	write_some(301);
	exit(stop(h) != ERROR_SUCCESS);
}

static void fill_disk(void *file)
{
	struct block *b = block_of(&guid_a, PRIVATE, file);
	char byte[4096] = { 0 };
	TRACEHANDLE h;
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", in_dir("disk"), "tmpfs", 0, "size=16k"))
		exit(1);
	fd = open(in_dir("disk/other"), O_WRONLY | O_CREAT, 0600);
	while (write(fd, byte, sizeof(byte)) > 0)
		;
	exit(StartTraceA(&h, "disk", &b->p) == ERROR_DISK_FULL ? 0 : 2);
}

static void test_no_room(void)
{
	int ret;

	is(in_child(exceed_limit, "limit.etl"), 0, "stop a session whose file may not grow any more");
	ok(read_file(in_dir("limit.etl"), NULL, NULL, NULL) > 50, "it has the first events");
	mkdir(in_dir("disk"), 0700);
	ret = in_child(fill_disk, "disk/full.etl");
	if (ret == 1)
		skip("only root can mount");
	else
		is(ret, 0, "a file on a full disk: ERROR_DISK_FULL");
}

/* --------------------------------------------------------- writers that stay inside */

#define LIMIT_S	60	/* a child that takes longer hangs */

static TRACEHANDLE session;

/* Run something in a child, which blocks signals if it hangs; its exit status, or -1. */
static int ends(void (*fn)(void))
{
	int status, tries;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		fn();
		exit(0);
	}
	for (tries = 0; tries < LIMIT_S * 100; tries++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return -1;
}

/* Enable with a filter that events of id 7 pass, so that their writers are counted. */
static ULONG enable_filtered(TRACEHANDLE h, const GUID *guid)
{
	EVENT_FILTER_EVENT_ID ids = { .FilterIn = TRUE, .Count = 1, .Events = { 7 } };
	EVENT_FILTER_DESCRIPTOR filter = { (uintptr_t)&ids, sizeof(ids), EVENT_FILTER_TYPE_EVENT_ID };
	ENABLE_TRACE_PARAMETERS params = {
		.Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
		.EnableFilterDesc = &filter, .FilterDescCount = 1,
	};

	return EnableTraceEx2(h, guid, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 0, 0, 0, 0, &params);
}

static void begin_filtered(void)
{
	if (TraceLoggingRegister(tl_provider))
		_exit(91);
	session = start("guard", NULL, 0, "guard.etl");
	if (enable_filtered(session, &guid_a) || enable(session, &guid_tl, 0, 0))
		_exit(92);
}

/* Ends in the handler of SIGSEGV. */
static void write_fault(void)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EVENT_DATA_DESCRIPTOR data;

	EventDataDescCreate(&data, page, 8);
	EventWrite(prov, &event, 1, &data);
	_exit(93);
}

static void end_filtered(void)
{
	if (enable_filtered(session, &guid_a) || enable_filtered(session, &guid_a))
		_exit(94);
	TraceLoggingUnregister(tl_provider);
	if (EventUnregister(prov) || stop(session))
		_exit(95);
}

static __thread sigjmp_buf away;

static void jump_away(int number)
{
	siglongjmp(away, number);
}

static void *leave_by_jump(void *arg)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!sigsetjmp(away, 1))
		write_fault();
	/* With the provider's traits */
	if (!sigsetjmp(away, 1))
		TraceLoggingWrite(tl_provider, "Fault", TraceLoggingBinary(page, 8, "data"));
	return arg;
}

static void jump_here(void)
{
	begin_filtered();
	signal(SIGSEGV, jump_away);
	leave_by_jump(NULL);
	end_filtered();
}

static void jump_elsewhere(void)
{
	pthread_t thread;

	begin_filtered();
	signal(SIGSEGV, jump_away);
	pthread_create(&thread, NULL, leave_by_jump, NULL);
	pthread_join(thread, NULL);
	end_filtered();
}

static void jump_and_exit(void)
{
	begin_filtered();
	signal(SIGSEGV, jump_away);
	leave_by_jump(NULL);
}

static void exit_now(int number)
{
	exit(number ? 5 : 0);
}

static void exit_inside(void)
{
	begin_filtered();
	signal(SIGSEGV, exit_now);
	write_fault();
}

static void end_now(int number)
{
	end_filtered();
	_exit(number ? 6 : 0);
}

static void end_inside(void)
{
	begin_filtered();
	signal(SIGSEGV, end_now);
	write_fault();
}

static void test_stuck(void)
{
	is(ends(jump_here), 0, "the thread that left a write by siglongjmp() stops the session");
	is(ends(jump_elsewhere), 0, "another thread does");
	is(ends(jump_and_exit), 0, "exit() does");
	is(ends(exit_inside), 5, "exit() in a signal handler inside a write");
	is(ends(end_inside), 6, "a signal handler inside a write stops the session");
}

#define RELAYS	1000

static struct relay {
	void *page;
	sem_t inside, go_on;
	pthread_t thread;
} relay[RELAYS];

static _Atomic bool changed;

/* The thread waits inside its write, then goes on. */
static void on_relay(int number, siginfo_t *info, void *context)
{
	int i;

	(void)number;
	(void)context;
	for (i = 0; i < RELAYS; i++) {
		if (relay[i].page != info->si_addr)
			continue;
		sem_post(&relay[i].inside);
		while (sem_wait(&relay[i].go_on))
			;
		mprotect(relay[i].page, 4096, PROT_READ);
	}
}

static void *write_relay(void *arg)
{
	EVENT_DATA_DESCRIPTOR data;
	struct relay *r = arg;

	EventDataDescCreate(&data, r->page, 8);
	EventWrite(prov, &event, 1, &data);
	return NULL;
}

static void *change_filter(void *arg)
{
	if (enable_filtered(session, &guid_a))
		_exit(96);
	changed = true;
	return arg;
}

static void relay_enter(int i)
{
	struct relay *r = &relay[i];

	r->page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sem_init(&r->inside, 0, 0);
	sem_init(&r->go_on, 0, 0);
	if (pthread_create(&r->thread, NULL, write_relay, r))
		_exit(97);
	while (sem_wait(&r->inside))
		;
}

static void relay_leave(int i)
{
	sem_post(&relay[i].go_on);
	pthread_join(relay[i].thread, NULL);
}

static void hand_over(void)
{
	struct sigaction action = { .sa_sigaction = on_relay, .sa_flags = SA_SIGINFO };
	pthread_t thread;
	int i;

	begin_filtered();
	sigaction(SIGSEGV, &action, NULL);
	relay_enter(0);
	pthread_create(&thread, NULL, change_filter, NULL);
	for (i = 1; i < RELAYS && !changed; i++) {
		usleep(10000);
		relay_enter(i);
		relay_leave(i - 1);
	}
	if (!changed)
		_exit(98);
	relay_leave(i - 1);
	pthread_join(thread, NULL);
	end_filtered();
}

static void test_relay(void)
{
	is(ends(hand_over), 0, "a filter is replaced while there is always a writer inside");
}

int main(void)
{
	main_pid = getpid();
	dir_make();
	is(EventRegister(&guid_a, NULL, NULL, &prov), ERROR_SUCCESS, "register");
	test_nothing_before();
	test_exit();
	test_exit_callbacks();
	test_exit_busy();
	test_death();
	test_closed();
	test_lost();
	test_fork();
	test_fork_delayed();
	test_fork_next();
	test_fork_busy();
	test_vfork();
	test_vfork_ids();
	test_no_room();
	test_stuck();
	test_relay();
	is(EventUnregister(prov), ERROR_SUCCESS, "unregister");
	dir_remove();
	return done_testing();
}
