// SPDX-License-Identifier: GPL-2.0-only
/* vm_dev.c - /dev/etw for the programs that run in the virtual machine */
#include "lib/vm_dev.h"

#include <dirent.h>
#include <libgen.h>
#include <sys/prctl.h>

long long vm_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

int vm_ioctl(int fd, unsigned long cmd, void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

bool vm_write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

int vm_open(void)
{
	int fd = open(ETW_DEVICE_PATH, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void vm_each_named(const char *begin, bool (*take)(void *context, pid_t pid), void *context)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	bool more = true;

	while (dir && more && (d = readdir(dir))) {
		char path[300], comm[16] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/comm", d->d_name);
		f = atoi(d->d_name) ? fopen(path, "re") : NULL;
		if (f && fgets(comm, sizeof(comm), f) && !strncmp(comm, begin, strlen(begin)))
			more = take(context, atoi(d->d_name));
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
}

void vm_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

bool vm_cpu1_online(bool on)
{
	return vm_write_text(VM_CPU1_ONLINE, on ? "1" : "0");
}

const char *vm_build(void)
{
	static char own[512];
	const char *build = getenv("ETW_BUILD");

	if (build)
		return build;
	if (readlink("/proc/self/exe", own, sizeof(own) - 1) <= 0)
		return "build";
	return dirname(dirname(own));
}

struct etw_guid vm_guid(unsigned int n)
{
	struct etw_guid guid = ETW_GUID(0x7e570000, 0x5e1f, 0x4e57, 0x80, 1, 2, 3, 4,
					5, 6, 7);

	guid.data1 += n;
	return guid;
}

bool vm_guid_zero(const struct etw_guid *guid)
{
	static const struct etw_guid zero;

	return !memcmp(guid, &zero, sizeof(zero));
}

struct etw_session vm_session(const char *name)
{
	return (struct etw_session){
		.size = sizeof(struct etw_session),
		.name = VM_PTR(name),
		.name_len = name ? strlen(name) : 0,
		.buffer_kb = 64,
		.mode = ETW_MODE_REAL_TIME,
	};
}

uint64_t vm_start_named(int fd, const char *name)
{
	struct etw_session s = vm_session(name);

	return vm_start(fd, &s) ? 0 : s.handle;
}

int vm_session_op(int fd, unsigned long cmd, uint64_t handle, struct etw_session *out)
{
	struct etw_session s = { .size = sizeof(s), .handle = handle };
	int ret = vm_ioctl(fd, cmd, &s);

	if (!ret && out)
		*out = s;
	return ret;
}

uint64_t vm_dropped(const struct etw_session_stat *st)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++)
		sum += etw_stat_dropped(st, i);
	return sum;
}

int vm_sessions(int fd, uint64_t *handles, unsigned int capacity)
{
	struct etw_session_enum e = {
		.size = sizeof(e), .handles = VM_PTR(handles), .capacity = capacity };
	int ret = vm_ioctl(fd, ETW_IOC_SESSION_ENUM, &e);

	return ret ? ret : (int)e.count;
}

int vm_providers(int fd, struct etw_guid *guids, unsigned int capacity)
{
	static const struct etw_guid own[] = { ETW_PROCESS_GUID, ETW_IMAGE_GUID, ETW_COUNTERS_GUID };
	struct etw_guid all[capacity + VM_OWN_PROVIDERS];
	struct etw_provider_enum e = {
		.size = sizeof(e), .guids = VM_PTR(all), .capacity = ARRAY_SIZE(all) };
	int ret = vm_ioctl(fd, ETW_IOC_PROVIDER_ENUM, &e);
	unsigned int i, k, n = 0;

	if (ret)
		return ret;
	if (e.count > ARRAY_SIZE(all))
		return -ENOSPC;
	for (i = 0; i < e.count; i++) {
		for (k = 0; k < ARRAY_SIZE(own) && memcmp(&all[i], &own[k], sizeof(*own)); k++)
			;
		if (k < ARRAY_SIZE(own))
			continue;
		if (n == capacity)
			return -ENOSPC;
		guids[n++] = all[i];
	}
	return n;
}

void vm_stop_all(int fd)
{
	uint64_t handles[256];
	int i, n = vm_sessions(fd, handles, 256);

	for (i = 0; i < n && i < 256; i++)
		vm_stop(fd, handles[i]);
}

struct etw_enable vm_enable_arg(uint64_t session, struct etw_guid provider)
{
	return (struct etw_enable){
		.size = sizeof(struct etw_enable),
		.session = session,
		.provider = provider,
		.control = ETW_CONTROL_ENABLE,
	};
}

int vm_enable(int fd, uint64_t session, struct etw_guid provider, uint8_t level, uint64_t any,
	      uint64_t all)
{
	struct etw_enable e = vm_enable_arg(session, provider);

	e.level = level;
	e.any = any;
	e.all = all;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

int vm_disable(int fd, uint64_t session, struct etw_guid provider)
{
	struct etw_enable e = vm_enable_arg(session, provider);

	e.control = ETW_CONTROL_DISABLE;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

int vm_register_flags(int fd, struct etw_guid provider, uint32_t flags, uint64_t cookie)
{
	struct etw_register r = { .size = sizeof(r), .flags = flags,
				  .provider = provider, .cookie = cookie };
	int ret = vm_ioctl(fd, ETW_IOC_REGISTER, &r);

	return ret ? ret : (int)r.slot;
}

int vm_unregister(int fd, uint32_t slot)
{
	struct etw_unregister u = { .size = sizeof(u), .slot = slot };

	return vm_ioctl(fd, ETW_IOC_UNREGISTER, &u);
}

int vm_begin(int *slot)
{
	int fd;

	vm_pin(0);
	fd = vm_open();
	if (fd < 0)
		return fd;
	vm_stop_all(fd);
	*slot = vm_register(fd, vm_guid(1));
	if (*slot >= 0)
		return fd;
	close(fd);
	return *slot;
}

int vm_write(int fd, uint32_t slot, uint16_t id, uint8_t level, uint64_t keyword, const void *data,
	     uint32_t size)
{
	struct etw_data_descriptor d = { .ptr = VM_PTR(data), .size = size };
	struct etw_event_write w = {
		.size = sizeof(w),
		.slot = slot,
		.data_count = 1,
		.data = VM_PTR(&d),
		.desc = { .id = id, .level = level, .keyword = keyword },
	};

	return vm_ioctl(fd, ETW_IOC_WRITE, &w);
}

int vm_consume(int fd, uint64_t session, uint32_t flags, struct etw_consumer_open *out)
{
	struct etw_consumer_open o = { .size = sizeof(o), .session = session,
				       .flags = flags | O_CLOEXEC };
	int ret = vm_ioctl(fd, ETW_IOC_CONSUMER_OPEN, &o);

	if (ret)
		return ret;
	if (out)
		*out = o;
	return o.fd;
}

int vm_give(int cfd, uint32_t index)
{
	struct etw_buffer_give g = { .size = sizeof(g), .index = index };

	return vm_ioctl(cfd, ETW_IOC_BUFFER_GIVE, &g);
}

int vm_consumer_info(int cfd, struct etw_consumer_info *info)
{
	struct etw_consumer_stat st = { .size = sizeof(st) };
	int ret = vm_ioctl(cfd, ETW_IOC_CONSUMER_STAT, &st);

	if (!ret)
		*info = st.info;
	return ret;
}

bool vm_proc_read(pid_t id, const char *file, char *to, size_t room)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", id, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, to, room - 1);
		close(fd);
	}
	to[n > 0 ? n : 0] = 0;
	return n > 0;
}

char vm_proc_state(pid_t id)
{
	char stat[512];
	const char *state = vm_proc_read(id, "stat", stat, sizeof(stat)) ? strrchr(stat, ')') : NULL;

	return state && state[1] ? state[2] : 0;
}

/* The kernel shows the number of the system call, or "running". */
static bool vm_sleeps(pid_t tid)
{
	char text[16];

	return vm_proc_read(tid, "syscall", text, sizeof(text)) && text[0] >= '0' && text[0] <= '9';
}

static bool vm_waits(pid_t tid)
{
	return vm_proc_state(tid) == 'S';
}

static bool vm_others(bool (*are)(pid_t tid))
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *d;
	bool all = dir;

	while (all && (d = readdir(dir)))
		if (d->d_name[0] != '.' && atoi(d->d_name) != gettid())
			all = are(atoi(d->d_name));
	if (dir)
		closedir(dir);
	return all;
}

bool vm_others_sleep(void)
{
	return vm_others(vm_sleeps);
}

bool vm_others_wait(void)
{
	return vm_others(vm_waits);
}

int vm_reap(pid_t pid)
{
	pid_t reaped;
	int status;

	/* -1 where there is no such child: nothing to wait for. */
	return vm_until((reaped = waitpid(pid, &status, WNOHANG))) && reaped == pid ? status : -1;
}

int vm_helper_start(struct vm_helper *h, int (*serve)(int in, int out, const void *context),
		    const void *context)
{
	int to[2], from[2];
	char byte;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return -errno;
	h->pid = fork();
	if (!h->pid) {
		close(to[1]);
		close(from[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(-serve(to[0], from[1], context));
	}
	close(to[0]);
	close(from[1]);
	h->to = to[1];
	h->from = from[0];
	return read(h->from, &byte, 1) == 1 ? 0 : -ECHILD;
}

bool vm_helper_next(int in, int out)
{
	char byte = 0;

	return write(out, &byte, 1) == 1 && read(in, &byte, 1) == 1;
}

bool vm_helper_ask(const struct vm_helper *h)
{
	return vm_helper_next(h->from, h->to);
}

int vm_helper_end(struct vm_helper *h)
{
	int status = -1;

	close(h->to);
	if (h->pid > 0)
		waitpid(h->pid, &status, 0);
	close(h->from);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -ECHILD;
}

/* An event arms the timer, and the flush delivers its buffer. */
bool vm_flush_timer(int fd, unsigned int times)
{
	struct etw_session s = vm_session("t-timer"), q;
	int slot = vm_register(fd, vm_guid(0x71));
	unsigned int i;
	bool ok;

	s.flush_ms = 1000;
	if (slot < 0 || vm_start(fd, &s))
		return false;
	ok = !vm_enable(fd, s.handle, vm_guid(0x71), 0, 0, 0);
	for (i = 1; ok && i <= times; i++)
		ok = !vm_write(fd, slot, 1, 1, 1, "x", 1) &&
		     vm_until(vm_query(fd, s.handle, &q) || q.buffers_written >= i);
	vm_stop(fd, s.handle);
	vm_unregister(fd, slot);
	return ok;
}
