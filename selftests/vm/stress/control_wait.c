// SPDX-License-Identifier: GPL-2.0-only
/*
 * control_wait - nobody waits for a caller who waits for memory or for a page
 *
 * One process may sleep for long within a command: its memory cgroup is over its limit, so the
 * kernel throttles it whenever it allocates; or its arguments lie on a page that its own
 * handler of page faults never delivers.  Meanwhile other processes query, register and exit,
 * and sessions start and stop.  The tests print the longest of these waits, and fail only
 * if somebody was seen waiting for as long as the other one slept; they may wait for each
 * other, and on a slow machine be seen while they do.
 *
 * TIMEOUT: 600
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/fault/vm_group.h"
#include "lib/fault/vm_disk.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/syscall.h>

/* ------------------------------------------------------------- short of memory */

#define FILES		4		/* whose registrations the throttled process enables */
#define SAMPLES		50		/* of the throttled process, asleep */
#define PROVIDER	vm_guid(1)
#define OTHER		vm_guid(2)

enum { QUERY, REGISTER, UNREGISTER, EXIT, STOP, WAITS };

static const char *const wait_names[WAITS] = {
	"query", "register", "unregister", "exit", "stop"
};

struct shared {
	volatile bool end;
	volatile uint64_t enabled;	/* calls of the throttled process */
	volatile uint64_t steps;	/* of the process that is watched */
	volatile pid_t exiting;
	volatile int error;
	volatile uint64_t session;	/* whose group is over its limit */
	volatile uint64_t longest_us[WAITS], count[WAITS];
};

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

static void took(struct shared *s, int what, uint64_t since)
{
	uint64_t us = now_us() - since;

	if (us > s->longest_us[what])
		s->longest_us[what] = us;
	s->count[what]++;
}

static void fail(struct shared *s, int error)
{
	if (error)
		s->error = error;
}

/* Registers much, and enables it again and again as a member of a group that is over its limit. */
static void be_throttled(struct shared *s, uint64_t session)
{
	int fd[FILES], i, j;

	for (i = 0; i < FILES; i++) {
		fd[i] = vm_open();
		for (j = 0; j < ETW_REGISTRATIONS_MAX; j++)
			if (vm_register_flags(fd[i], PROVIDER, ETW_REGISTER_NOTIFY, 0) < 0)
				fail(s, -EIO);
	}
	if (!vm_group_join(""))
		fail(s, -EPERM);
	for (i = 0; !s->end; i++) {
		fail(s, vm_enable(fd[0], session, PROVIDER, 1 + i % 5, 1, 0));
		s->enabled++;
	}
	_exit(0);
}

/* Each step is short and sleeps for nothing but others. */
static void be_watched(struct shared *s)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = OTHER };
	int fd = vm_open(), slot;
	uint64_t began;

	while (!s->end) {
		began = now_us();
		slot = vm_register(fd, OTHER);
		took(s, REGISTER, began);
		fail(s, slot < 0 ? slot : 0);
		s->steps++;
		began = now_us();
		fail(s, vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &q));
		took(s, QUERY, began);
		s->steps++;
		began = now_us();
		fail(s, vm_unregister(fd, slot));
		took(s, UNREGISTER, began);
		s->steps++;
		usleep(1000);
	}
	_exit(0);
}

/* Processes that register, or read the session if there is one, come and exit. */
static void come_and_go(struct shared *s, uint64_t session)
{
	uint64_t began;
	pid_t pid;

	while (!s->end) {
		pid = fork();
		if (!pid) {
			if ((session ? vm_consume(vm_open(), session, 0, NULL) :
				       vm_register(vm_open(), OTHER)) < 0)
				fail(s, -EIO);
			s->exiting = getpid();
			_exit(0);
		}
		while (s->exiting != pid && !s->end)
			usleep(200);
		began = now_us();
		waitpid(pid, NULL, 0);
		s->exiting = 0;
		took(s, EXIT, began);
	}
	_exit(0);
}

static void start_and_stop(struct shared *s)
{
	int fd = vm_open();
	uint64_t session, began;

	while (!s->end) {
		session = vm_start_named(fd, "t-wait-other");
		fail(s, session ? 0 : -EIO);
		fail(s, vm_enable(fd, session, OTHER, 0, 0, 0));
		began = now_us();
		fail(s, vm_stop(fd, session));
		took(s, STOP, began);
		usleep(1000);
	}
	_exit(0);
}

static bool throttled(pid_t pid)
{
	char at[128];

	return vm_proc_read(pid, "wchan", at, sizeof(at)) && strstr(at, "over_high");
}

/* In a wait that no signal ends, as for a mutex? */
static bool waits(pid_t pid)
{
	return pid > 0 && vm_proc_state(pid) == 'D';
}

FIXTURE(control_wait) {
	int fd;
	uint64_t session;
	struct shared *s;
};

FIXTURE_SETUP(control_wait)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vm_start_named(self->fd, "t-wait");
	ASSERT_NE(0, self->session);
	self->s = mmap(NULL, sizeof(*self->s), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->s);
}

FIXTURE_TEARDOWN(control_wait)
{
	vm_stop_all(self->fd);
	close(self->fd);
	munmap(self->s, sizeof(*self->s));
}

/* What was seen at two successive looks, while the throttled process slept. */
struct looks {
	unsigned int asleep, step_waits, exit_waits;
};

static void look_on(const struct shared *s, pid_t sleeper, pid_t watched, struct looks *l)
{
	uint64_t step = s->steps, enabled = s->enabled;
	pid_t exiting = s->exiting;
	bool step_waits, exit_waits;

	if (!throttled(sleeper))
		return;
	step_waits = waits(watched);
	exit_waits = waits(exiting);
	usleep(5000);
	step_waits = step_waits && waits(watched) && s->steps == step;
	exit_waits = exit_waits && s->exiting == exiting && waits(exiting);
	/* The same sleep, of the same call. */
	if (!throttled(sleeper) || s->enabled != enabled)
		return;
	l->asleep++;
	l->step_waits += step_waits;
	l->exit_waits += exit_waits;
}

TEST_F(control_wait, for_memory)
{
	const char *cannot = vm_group_make("");
	pid_t pid[4] = { 0 };
	struct looks l = { 0 };
	int i;

	if (cannot)
		SKIP(return, "%s", cannot);
	ASSERT_TRUE(vm_group_put("", "memory.high", "65536"));
	for (i = 0; i < 4; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		if (i == 0)
			be_throttled(self->s, self->session);
		if (i == 1)
			be_watched(self->s);
		if (i == 2)
			come_and_go(self->s, 0);
		start_and_stop(self->s);
	}
	EXPECT_TRUE(vm_until((look_on(self->s, pid[0], pid[1], &l), l.asleep >= SAMPLES)));
	self->s->end = true;
	kill(pid[0], SIGKILL);		/* it sleeps for long */
	for (i = 0; i < 4; i++)
		EXPECT_NE(-1, vm_reap(pid[i]));
	for (i = 0; i < WAITS; i++)
		fprintf(stderr, "# longest of %llu times %s: %.1f ms\n",
			(unsigned long long)self->s->count[i], wait_names[i],
			self->s->longest_us[i] / 1000.);
	fprintf(stderr, "# %u looks at the throttled process after %llu calls: others waited at %u, exits at %u\n",
		l.asleep, (unsigned long long)self->s->enabled, l.step_waits, l.exit_waits);
	EXPECT_EQ(0, self->s->error);
	EXPECT_GT(l.asleep / 2, l.step_waits);
	EXPECT_GT(l.asleep / 2, l.exit_waits);
	EXPECT_TRUE(vm_group_remove(""));
}

/* ------------------------------------------------------------- a session's own memory */

#define RING	32	/* buffers of 64 KB */

/*
 * Starts a session and fills its ring before its group is over its limit.  The snapshot then takes
 * as many buffers again, and the kernel makes this process sleep after each few of them.
 */
static void flush_throttled(struct shared *s)
{
	struct etw_session own = vm_session("t-wait-own");
	static char payload[60000];
	int fd = vm_open(), slot = vm_register(fd, PROVIDER), i;

	own.mode = ETW_MODE_BUFFERING;
	own.min_buffers = RING;
	if (!vm_group_join(""))
		fail(s, -EPERM);
	fail(s, vm_start(fd, &own));
	fail(s, vm_enable(fd, own.handle, PROVIDER, 0, 0, 0));
	for (i = 0; i < 2 * RING && !s->error; i++)
		fail(s, vm_write(fd, slot, 1, 1, 1, payload, sizeof(payload)));
	if (!vm_group_put("", "memory.high", "65536"))
		fail(s, -EPERM);
	s->session = s->error ? 0 : own.handle;
	fail(s, vm_flush(fd, own.handle));
	s->end = true;
	_exit(0);
}

static void query_session(struct shared *s)
{
	struct etw_session_stat st;
	struct etw_session q;
	int fd = vm_open();
	uint64_t began;

	while (!s->end) {
		began = now_us();
		fail(s, vm_query(fd, s->session, &q));
		fail(s, vm_stat(fd, s->session, &st));
		took(s, QUERY, began);
		s->steps++;
		usleep(1000);
	}
	_exit(0);
}

/* Others query a session, and end their readers, while its own group is short of memory. */
TEST_F(control_wait, for_memory_of_a_session)
{
	const char *cannot = vm_group_make("");
	pid_t pid[3] = { 0 };
	struct looks l = { 0 };
	int i;

	if (cannot)
		SKIP(return, "%s", cannot);
	for (i = 0; i < 3; i++) {
		pid[i] = fork();
		if (pid[i] && !i) {
			ASSERT_TRUE(vm_until(self->s->session || self->s->error));
		}
		ASSERT_EQ(0, self->s->error);
		if (pid[i])
			continue;
		if (i == 0)
			flush_throttled(self->s);
		if (i == 1)
			query_session(self->s);
		come_and_go(self->s, self->s->session);
	}
	EXPECT_TRUE(vm_until((look_on(self->s, pid[0], pid[1], &l),
			      l.asleep >= SAMPLES || self->s->end)));
	self->s->end = true;
	kill(pid[0], SIGKILL);
	for (i = 0; i < 3; i++)
		EXPECT_NE(-1, vm_reap(pid[i]));
	fprintf(stderr, "# %llu queries, at most %.1f ms; %llu exits, at most %.1f ms; asleep at %u looks: queries waited at %u, exits at %u\n",
		(unsigned long long)self->s->count[QUERY], self->s->longest_us[QUERY] / 1000.,
		(unsigned long long)self->s->count[EXIT], self->s->longest_us[EXIT] / 1000.,
		l.asleep, l.step_waits, l.exit_waits);
	EXPECT_EQ(0, self->s->error);
	EXPECT_LT(SAMPLES / 5, l.asleep);
	EXPECT_GT(l.asleep / 2, l.step_waits);
	EXPECT_GT(l.asleep / 2, l.exit_waits);
	EXPECT_TRUE(vm_group_remove(""));
}

/* ------------------------------------------------------------- room for a part of it */

#define CACHE_KB	4096

#define CACHE_FILE	DISK_DIR "/cache"

/* A file that is on its disk, and not in memory: what the disk itself takes is not the group's. */
static bool make_file(void)
{
	static const char block[65536];
	int fd = open(CACHE_FILE, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), i;
	bool made = fd >= 0;

	for (i = 0; i < CACHE_KB / 64 + 8; i++)
		made &= write(fd, block, sizeof(block)) == sizeof(block);
	made &= !fsync(fd) && !posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
	return made;
}

/*
 * Fill the group with pages of the file, which the kernel would reclaim if it had to; then give
 * it room for a part of what enabling takes.
 */
static bool fill_group(unsigned int room_kb)
{
	static char block[65536];
	char limit[32];
	long long used;
	ssize_t n;
	int fd;

	snprintf(limit, sizeof(limit), "%u", CACHE_KB * 1024);
	if (!vm_group_join("") || !vm_group_put("", "memory.max", limit))
		return false;
	fd = open(CACHE_FILE, O_RDONLY | O_CLOEXEC);
	while ((n = read(fd, block, sizeof(block))) > 0)
		;
	close(fd);
	used = vm_group_value("", "memory.current");
	/* The cache has most of it. */
	if (n || used < CACHE_KB * 1024 / 2)
		return false;
	snprintf(limit, sizeof(limit), "%lld", used + room_kb * 1024);
	return vm_group_put("", "memory.max", limit);
}

/*
 * A change that has room for a part of its memory takes that, fails, and frees it.  What it
 * lacked then fits into just that room, so nothing is reclaimed: it must not try for ever.
 */
TEST_F(control_wait, for_the_rest_of_memory)
{
	const char *cannot = vm_group_make("");
	int fd[FILES], i, j;
	pid_t pid;

	if (cannot)
		SKIP(return, "%s", cannot);
	ASSERT_TRUE(vl_log_dir((DISK_MB + 2) * 1024));
	if (!vm_disk_make(DISK_USUAL))
		SKIP(return, "no ext4 on a loop device");
	ASSERT_TRUE(make_file());
	for (i = 0; i < FILES; i++) {
		fd[i] = vm_open();
		for (j = 0; j < ETW_REGISTRATIONS_MAX; j++)
			ASSERT_LE(0, vm_register(fd[i], PROVIDER));
	}
	pid = fork();
	if (!pid) {
		/* Each registration takes 64 bytes or more. */
		if (fill_group(FILES * ETW_REGISTRATIONS_MAX * 64 / 1024 * 6 / 10) &&
		    !vm_enable(fd[0], self->session, PROVIDER, 1, 1, 0))
			self->s->enabled++;
		_exit(0);
	}
	EXPECT_NE(-1, vm_reap(pid)) {
		kill(pid, SIGKILL);
		vm_reap(pid);
	}
	EXPECT_EQ(1, self->s->enabled);
	EXPECT_TRUE(vm_group_remove(""));
	for (i = 0; i < FILES; i++)
		close(fd[i]);
	vl_log_dir_end();
}

/* ------------------------------------------------------------- a page that never comes */

struct stuck {
	int fd;
	unsigned long cmd;
	void *arg;
	int ret;
};

static void *run_stuck(void *arg)
{
	struct stuck *t = arg;

	t->ret = vm_ioctl(t->fd, t->cmd, t->arg);
	return NULL;
}

struct page {
	int uffd;
	void *at;		/* behind a page that is there */
};

static bool page_make(struct page *p)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	p->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	p->at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p->at = (char *)p->at + 4096;
	range.range.start = VM_PTR(p->at);
	range.range.len = 4096;
	return p->uffd >= 0 && !ioctl(p->uffd, UFFDIO_API, &api) &&
	       !ioctl(p->uffd, UFFDIO_REGISTER, &range);
}

static void page_drop(struct page *p)
{
	close(p->uffd);
	munmap((char *)p->at - 4096, 8192);
}

/* Does somebody wait for the page?  Waits for that. */
static bool page_missed(const struct page *p)
{
	struct pollfd ready = { .fd = p->uffd, .events = POLLIN };

	/* Without O_NONBLOCK it would always be an error. */
	return poll(&ready, 1, VM_LIMIT_MS) == 1 && ready.revents & POLLIN;
}

static void page_deliver(const struct page *p)
{
	struct uffdio_zeropage zero = { .range = { VM_PTR(p->at), 4096 } };

	ioctl(p->uffd, UFFDIO_ZEROPAGE, &zero);
}

/* Everything that takes etw_control goes on, in a process that can be killed. */
static bool others_go_on(void)
{
	pid_t pid = fork();
	uint64_t session;
	int fd, status;

	if (!pid) {
		fd = vm_open();
		session = vm_start_named(fd, "t-wait-other");
		_exit(!session || vm_register(fd, OTHER) < 0 ||
		      vm_enable(fd, session, OTHER, 0, 0, 0) || vm_stop(fd, session));
	}
	status = vm_reap(pid);
	return status != -1 && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The command waits for the page, and nobody waits for the command. */
static bool stuck_alone(int fd, unsigned long cmd, void *arg, const struct page *p)
{
	struct stuck t = { .fd = fd, .cmd = cmd, .arg = arg };
	pthread_t thread;
	bool ok;

	if (pthread_create(&thread, NULL, run_stuck, &t))
		return false;
	ok = page_missed(p) && others_go_on();
	page_deliver(p);
	pthread_join(thread, NULL);
	return ok;
}

static const unsigned long all_commands[] = {
	ETW_IOC_WRITE, ETW_IOC_WRITE_MANY, ETW_IOC_CLASSIC, ETW_IOC_NOTIFY, ETW_IOC_REGISTER,
	ETW_IOC_UNREGISTER, ETW_IOC_SESSION_START, ETW_IOC_SESSION_STOP, ETW_IOC_SESSION_QUERY,
	ETW_IOC_SESSION_UPDATE, ETW_IOC_SESSION_FLUSH, ETW_IOC_SESSION_ENUM,
	ETW_IOC_SESSION_STAT, ETW_IOC_SESSION_CAPTURE, ETW_IOC_ENABLE, ETW_IOC_PROVIDER_ENUM,
	ETW_IOC_PROVIDER_QUERY, ETW_IOC_PROVIDER_SET, ETW_IOC_GROUP_ENUM, ETW_IOC_GROUP_QUERY,
	ETW_IOC_DISALLOW_SET, ETW_IOC_DISALLOW_QUERY, ETW_IOC_CONSUMER_OPEN, ETW_IOC_ACCESS_SET,
	ETW_IOC_ACCESS_QUERY, ETW_IOC_ACCESS_REMOVE, ETW_IOC_TRACE_EVENT,
	ETW_IOC_BPF_PROVIDER, ETW_IOC_SESSION_SYSTEM, ETW_IOC_SESSION_MISSED,
};

/* The argument itself is on the page. */
TEST_F(control_wait, for_an_argument)
{
	struct page p;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all_commands); i++) {
		ASSERT_TRUE(page_make(&p));
		EXPECT_TRUE(stuck_alone(self->fd, all_commands[i], p.at, &p)) {
			TH_LOG("command %u", i);
		}
		page_drop(&p);
	}
}

/* Complete but for one address each. */
static struct etw_data_descriptor piece = { .size = 8 };
static struct etw_filter filter = { .len = 8, .type = ETW_FILTER_PID };
static struct etw_enable enable_many, enable_one;
static struct etw_event_write event = { .size = sizeof(event), .data_count = 1 };
static struct etw_write_many many = { .size = sizeof(many), .bytes = sizeof(struct etw_many_event) };
static struct etw_register reg = { .size = sizeof(reg), .name_len = 8 };
static struct etw_provider_set traits = { .size = sizeof(traits), .flags = ETW_SET_TRAITS,
					  .traits_len = 32 };
static struct etw_session query = { .size = sizeof(query), .name_cap = 8 };
static struct etw_session named = { .size = sizeof(named), .name_len = 6 };
static struct etw_session start;
static struct etw_session_enum sessions = { .size = sizeof(sessions), .capacity = 8 };
static struct etw_session_stat counters = { .size = sizeof(counters), .consumer_cap = 8 };
static struct etw_session_capture captured = { .size = sizeof(captured), .count = 1 };
static struct etw_session_capture capture = { .size = sizeof(capture), .count = 1, .period_s = 9,
					      .flags = ETW_CAPTURE_SET };
static struct etw_provider_enum providers = { .size = sizeof(providers), .capacity = 8 };
static struct etw_provider_query regs = { .size = sizeof(regs), .reg_cap = 4 };
static struct etw_provider_query enables = { .size = sizeof(enables), .enable_cap = 4 };
static struct etw_group_query group = { .size = sizeof(group), .enable_cap = 4 };
static struct etw_disallow disallow = { .size = sizeof(disallow), .count = 1 };
static struct etw_disallow disallowed = { .size = sizeof(disallowed), .capacity = 1 };
static struct etw_access access_new = { .size = sizeof(access_new), .count = 1 };
static struct etw_access access_old = { .size = sizeof(access_old), .capacity = 4 };
static const unsigned char trace_metadata[] = { 5, 0, 0, 'e', 0 };
static struct etw_trace_event trace_name = { .size = sizeof(trace_name), .name_len = 7 };
static struct etw_trace_event trace_schema = { .size = sizeof(trace_schema), .name_len = 7,
					       .schema_len = sizeof(trace_metadata) };
static struct etw_trace_event trace_parts = { .size = sizeof(trace_parts), .name_len = 7,
					      .schema_len = sizeof(trace_metadata),
					      .piece_count = 1 };
static const struct etw_bpf_event bpf_event = { .schema_len = sizeof(trace_metadata),
						.piece_count = 1 };
#define BPF_PROVIDER { .size = sizeof(struct etw_bpf_provider), .name_len = 7, .event_count = 1, \
		       .schemas_len = sizeof(trace_metadata), .piece_count = 1 }
static struct etw_bpf_provider bpf_name = BPF_PROVIDER, bpf_events = BPF_PROVIDER,
	bpf_schemas = BPF_PROVIDER, bpf_parts = BPF_PROVIDER;
static struct etw_notify notice = { .size = sizeof(notice), .filter_cap = ETW_FILTER_CHAIN_MAX };

static const struct way {
	const char *name;
	unsigned long cmd;
	void *arg;
	__u64 *to;
} ways[] = {
	/* Before the filter, of no process, which lets no event pass */
	{ "payload", ETW_IOC_WRITE, &event, &piece.ptr },
	{ "events", ETW_IOC_WRITE_MANY, &many, &many.events },
	{ "filters", ETW_IOC_ENABLE, &enable_many, &enable_many.filters },
	{ "a filter", ETW_IOC_ENABLE, &enable_one, &filter.ptr },
	{ "name", ETW_IOC_REGISTER, &reg, &reg.name },
	{ "traits", ETW_IOC_PROVIDER_SET, &traits, &traits.traits },
	{ "name out", ETW_IOC_SESSION_QUERY, &query, &query.name_out },
	{ "session's name", ETW_IOC_SESSION_STOP, &named, &named.name },
	{ "file", ETW_IOC_SESSION_START, &start, &start.file },
	{ "handles", ETW_IOC_SESSION_ENUM, &sessions, &sessions.handles },
	{ "consumers", ETW_IOC_SESSION_STAT, &counters, &counters.consumers },
	{ "captured", ETW_IOC_SESSION_CAPTURE, &captured, &captured.guids },
	{ "captures", ETW_IOC_SESSION_CAPTURE, &capture, &capture.guids },
	{ "providers", ETW_IOC_PROVIDER_ENUM, &providers, &providers.guids },
	{ "registrations", ETW_IOC_PROVIDER_QUERY, &regs, &regs.regs },
	{ "enablements", ETW_IOC_PROVIDER_QUERY, &enables, &enables.enables },
	{ "group's enablements", ETW_IOC_GROUP_QUERY, &group, &group.enables },
	{ "disallow list", ETW_IOC_DISALLOW_SET, &disallow, &disallow.guids },
	{ "disallowed", ETW_IOC_DISALLOW_QUERY, &disallowed, &disallowed.guids },
	{ "access list", ETW_IOC_ACCESS_SET, &access_new, &access_new.entries },
	{ "access", ETW_IOC_ACCESS_QUERY, &access_old, &access_old.entries },
	{ "filter data", ETW_IOC_NOTIFY, &notice, &notice.filter },
	{ "trace event's name", ETW_IOC_TRACE_EVENT, &trace_name, &trace_name.name },
	{ "trace event's schema", ETW_IOC_TRACE_EVENT, &trace_schema, &trace_schema.schema },
	{ "trace event's parts", ETW_IOC_TRACE_EVENT, &trace_parts, &trace_parts.pieces },
	{ "BPF provider's name", ETW_IOC_BPF_PROVIDER, &bpf_name, &bpf_name.name },
	{ "BPF provider's events", ETW_IOC_BPF_PROVIDER, &bpf_events, &bpf_events.events },
	{ "BPF provider's schemas", ETW_IOC_BPF_PROVIDER, &bpf_schemas, &bpf_schemas.schemas },
	{ "BPF provider's parts", ETW_IOC_BPF_PROVIDER, &bpf_parts, &bpf_parts.pieces },
};

static void name_all(uint64_t session, uint32_t slot)
{
	const struct etw_guid listed = vm_guid(3);

	enable_many = vm_enable_arg(session, PROVIDER);
	enable_many.filter_count = 1;
	enable_one = enable_many;
	enable_one.filters = VM_PTR(&filter);
	event.slot = slot;
	many.slot = slot;
	event.data = VM_PTR(&piece);
	traits.slot = slot;
	start = vm_session("t-wait-file");
	reg.provider = regs.provider = enables.provider = group.group = PROVIDER;
	access_new.guid = access_old.guid = listed;
	bpf_events.name = bpf_schemas.name = bpf_parts.name = VM_PTR("t-trace");
	bpf_schemas.events = bpf_parts.events = VM_PTR(&bpf_event);
	bpf_parts.schemas = VM_PTR(trace_metadata);
	trace_name.provider = trace_schema.provider = trace_parts.provider = OTHER;
	trace_name.id = trace_schema.id = trace_parts.id = 1;
	trace_name.schema_len = sizeof(trace_metadata);
	trace_name.schema = trace_parts.schema = VM_PTR(trace_metadata);
	trace_schema.name = trace_parts.name = VM_PTR("t-trace");
	query.handle = counters.handle = captured.handle = capture.handle = session;
	disallow.session = disallowed.session = session;
}

/* So that each query finds something. */
static int find_something(int fd, uint64_t session)
{
	static struct etw_guid listed = ETW_GUID(3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3);
	static struct etw_filter_header header = { .size = sizeof(header) };
	struct etw_filter data = { VM_PTR(&header), sizeof(header), ETW_FILTER_SCHEMATIZED };
	struct etw_enable e = vm_enable_arg(session, PROVIDER);
	int err;

	e.property = ETW_ENABLE_PROVIDER_GROUP;
	err = vm_ioctl(fd, ETW_IOC_ENABLE, &e);
	e.property = 0;
	e.filters = VM_PTR(&data);
	e.filter_count = 1;
	err = err ? err : vm_ioctl(fd, ETW_IOC_ENABLE, &e);
	disallow.guids = capture.guids = VM_PTR(&listed);
	err = err ? err : vm_ioctl(fd, ETW_IOC_DISALLOW_SET, &disallow);
	return err ? err : vm_ioctl(fd, ETW_IOC_SESSION_CAPTURE, &capture);
}

/* What an argument points to is on the page. */
TEST_F(control_wait, for_what_an_argument_points_to)
{
	int slot = vm_register_flags(self->fd, PROVIDER, ETW_REGISTER_NOTIFY, 0);
	int consumer = vm_consume(self->fd, self->session, 0, NULL);
	const struct way *way;
	struct page p;

	ASSERT_LE(0, slot);
	ASSERT_LE(0, consumer);
	name_all(self->session, slot);
	ASSERT_EQ(0, find_something(self->fd, self->session));
	for (way = ways; way < ways + ARRAY_SIZE(ways); way++) {
		ASSERT_TRUE(page_make(&p));
		*way->to = VM_PTR(p.at);
		EXPECT_TRUE(stuck_alone(self->fd, way->cmd, way->arg, &p)) {
			TH_LOG("%s", way->name);
		}
		page_drop(&p);
	}
	close(consumer);
}

/*
 * The command waits for data on the page; meanwhile its slot gets another registration, of a
 * classic provider.  Returns what the command does.
 */
static int write_late(int fd, int slot, unsigned long cmd, void *arg, const struct page *p)
{
	struct stuck t = { .fd = fd, .cmd = cmd, .arg = arg };
	pthread_t thread;
	bool changed;

	if (pthread_create(&thread, NULL, run_stuck, &t))
		return -ENOMEM;
	changed = page_missed(p) && !vm_unregister(fd, slot) &&
		  vm_register_flags(fd, PROVIDER, ETW_REGISTER_CLASSIC, 0) == slot;
	page_deliver(p);
	pthread_join(thread, NULL);
	return changed ? t.ret : -ECHILD;
}

/* What may be written is asked again once the data are there. */
TEST_F(control_wait, for_data_of_another_registration)
{
	struct etw_data_descriptor data = { .size = 8 };
	struct etw_event_write w = { .size = sizeof(w), .data_count = 1, .data = VM_PTR(&data) };
	struct etw_many_event head = { .size = sizeof(head) + 8, .payload_len = 8 };
	struct etw_write_many m = { .size = sizeof(m), .bytes = sizeof(head) + 8 };
	struct etw_session_stat st;
	struct page p;
	int fd, i, slot;

	ASSERT_EQ(0, vm_enable(self->fd, self->session, PROVIDER, 0, 0, 0));
	for (i = 0; i < 2; i++) {
		fd = vm_open();
		slot = vm_register(fd, PROVIDER);
		ASSERT_LE(0, slot);
		w.slot = m.slot = slot;
		if (!page_make(&p))
			SKIP(return, "no userfaultfd");
		data.ptr = VM_PTR(p.at);
		m.events = VM_PTR(p.at) - sizeof(head);
		memcpy((char *)p.at - sizeof(head), &head, sizeof(head));
		EXPECT_EQ(i ? 0 : -EINVAL,
			  write_late(fd, slot, i ? ETW_IOC_WRITE_MANY : ETW_IOC_WRITE,
				     i ? (void *)&m : &w, &p));
		page_drop(&p);
		close(fd);
	}
	EXPECT_EQ(1, m.lost);
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(0, st.written + vm_dropped(&st));
}

TEST_HARNESS_MAIN
