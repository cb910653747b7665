// SPDX-License-Identifier: GPL-2.0-only
/*
 * PID 1 of the test VM (see scripts/vm).
 *
 * The host shares two directories over 9p: its root, read-only, over which a
 * tmpfs overlay is laid, and a control directory with the job to do:
 *
 *   job      NUL-terminated "key=value" strings, an empty string, then argv
 *   out err  the command's output, appended as it comes
 *   status   "exit N" or "signal N", written last
 *
 * A 9p write returns after the host has made it, so whatever was written here
 * is on the host before the machine stops. No status means failure.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEW_ROOT	"/new"
#define MAX_LIST	64

static struct job {
	const char *cwd, *release, *modules, *insmod, *module_args, *out;
	char *bind[MAX_LIST], *env[MAX_LIST];
	int nbind, nenv;
	char **argv;
} job;

static int out_fd = -1, err_fd = -1, status_fd = -1;

static void power_off(void)
{
	sync();
	/* QEMU runs with -no-reboot: this works without ACPI too. */
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void write_all(int fd, const char *buf, size_t len)
{
	while (len) {
		ssize_t n = write(fd, buf, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		buf += n;
		len -= (size_t)n;
	}
}

/* Says why on the command's stderr, or on the console, and stops the machine. */
static void __attribute__((format(printf, 1, 2), noreturn)) fail(const char *fmt, ...)
{
	int err = errno;
	char text[600];
	va_list ap;
	int n;

	n = snprintf(text, sizeof(text), "vm: ");
	va_start(ap, fmt);
	n += vsnprintf(text + n, sizeof(text) - (size_t)n - 100, fmt, ap);
	va_end(ap);
	n += snprintf(text + n, 100, ": %s\n", strerror(err));
	write_all(err_fd >= 0 ? err_fd : STDERR_FILENO, text, (size_t)n);
	power_off();
	__builtin_unreachable();
}

/* Like mkdir -p; what exists already is no error. */
static void make_dirs(const char *path)
{
	char copy[4096], *p;

	snprintf(copy, sizeof(copy), "%s", path);
	for (p = strchr(copy + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(copy, 0755);
		*p = '/';
	}
	mkdir(copy, 0755);
}

static void mount_at(const char *what, const char *where, const char *type,
		     unsigned long flags, const char *options)
{
	make_dirs(where);
	if (mount(what, where, type, flags, options))
		fail("mount %s on %s", type ? type : what, where);
}

/* For what a kernel may lack. */
static void try_mount(const char *what, const char *where, const char *type, const char *options)
{
	make_dirs(where);
	if (mount(what, where, type, 0, options) && errno != ENODEV && errno != ENOENT)
		fprintf(stderr, "vm: mount %s: %s\n", type, strerror(errno));
}

static void load_module(const char *path, const char *args)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail("open %s", path);
	if (syscall(SYS_finit_module, fd, args, 0) && errno != EEXIST)
		fail("load %s", path);
	close(fd);
}

/* The modules that mounting the host's root needs, in load order. */
static void load_boot_modules(void)
{
	FILE *list = fopen("/mods/list", "r");
	char path[256];

	if (!list)
		return;
	while (fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = 0;
		load_module(path, "");
	}
	fclose(list);
}

static char *read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 1 << 20;
	char *buf = malloc(size);
	ssize_t n;

	*len = 0;
	if (fd < 0 || !buf)
		fail("open %s", path);
	while ((n = read(fd, buf + *len, size - 1 - *len)) > 0)
		*len += (size_t)n;
	close(fd);
	buf[*len] = 0;
	return buf;
}

static void job_set(char *key, char *value)
{
	if (!strcmp(key, "cwd"))
		job.cwd = value;
	else if (!strcmp(key, "release"))
		job.release = value;
	else if (!strcmp(key, "modules"))
		job.modules = value;
	else if (!strcmp(key, "insmod"))
		job.insmod = value;
	else if (!strcmp(key, "modargs"))
		job.module_args = value;
	else if (!strcmp(key, "out"))
		job.out = value;
	else if (!strcmp(key, "bind") && job.nbind < MAX_LIST)
		job.bind[job.nbind++] = value;
	else if (!strcmp(key, "env") && job.nenv < MAX_LIST - 1)
		job.env[job.nenv++] = value;
}

static void read_job(void)
{
	size_t len, argc = 0;
	char *p = read_file("/ctl/job", &len), *end = p + len;

	for (; p < end && *p; p += strlen(p) + 1) {
		char *value = strchr(p, '=');

		if (!value)
			continue;
		*value = 0;
		job_set(p, value + 1);
		p = value + 1;
	}
	job.argv = calloc(len + 1, sizeof(*job.argv));
	for (p++; p < end && job.argv; p += strlen(p) + 1)
		job.argv[argc++] = p;
	if (!argc)
		fail("the job names no command");
}

static int open_control(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		fail("open %s", path);
	return fd;
}

static void mount_control(void)
{
	mount_at("ctl", "/ctl", "9p", 0, "trans=virtio,version=9p2000.L,cache=none,msize=131072");
	err_fd = open_control("/ctl/err", O_WRONLY | O_APPEND);
	out_fd = open_control("/ctl/out", O_WRONLY | O_APPEND);
	status_fd = open_control("/ctl/status", O_WRONLY);
}

static void mount_root(void)
{
	mount_at("host", "/host", "9p", MS_RDONLY,
		 "trans=virtio,version=9p2000.L,cache=loose,msize=512000");
	mount_at("rw", "/rw", "tmpfs", 0, "mode=755,size=75%");
	make_dirs("/rw/upper");
	make_dirs("/rw/work");
	mount_at("overlay", NEW_ROOT, "overlay", 0,
		 "lowerdir=/host,upperdir=/rw/upper,workdir=/rw/work");
}

/*
 * /tmp and /run are the guest's own. A directory of the host below them that
 * the job needs (a checkout in /tmp, say) is opened before they are covered
 * and bound at its old name afterwards.
 */
static void mount_own_trees(void)
{
	int fds[MAX_LIST], i;
	char path[4200], fd_path[64];

	for (i = 0; i < job.nbind; i++) {
		snprintf(path, sizeof(path), NEW_ROOT "%s", job.bind[i]);
		fds[i] = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fds[i] < 0)
			fail("open %s", path);
	}
	mount_at("tmp", NEW_ROOT "/tmp", "tmpfs", 0, "mode=1777");
	mount_at("run", NEW_ROOT "/run", "tmpfs", 0, "mode=755");
	for (i = 0; i < job.nbind; i++) {
		snprintf(path, sizeof(path), NEW_ROOT "%s", job.bind[i]);
		snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d", fds[i]);
		mount_at(fd_path, path, NULL, MS_BIND, NULL);
		close(fds[i]);
	}
}

static void mount_system(void)
{
	char from[4200], to[4200];

	mount_own_trees();
	mount_at("proc", NEW_ROOT "/proc", "proc", 0, NULL);
	mount_at("sys", NEW_ROOT "/sys", "sysfs", 0, NULL);
	mount_at("dev", NEW_ROOT "/dev", "devtmpfs", 0, NULL);
	try_mount("devpts", NEW_ROOT "/dev/pts", "devpts", "gid=5,mode=620,ptmxmode=666");
	try_mount("shm", NEW_ROOT "/dev/shm", "tmpfs", "mode=1777");
	try_mount("debugfs", NEW_ROOT "/sys/kernel/debug", "debugfs", NULL);
	try_mount("tracefs", NEW_ROOT "/sys/kernel/tracing", "tracefs", NULL);
	try_mount("cgroup2", NEW_ROOT "/sys/fs/cgroup", "cgroup2", NULL);
	try_mount("bpf", NEW_ROOT "/sys/fs/bpf", "bpf", NULL);
	symlink("/proc/self/fd", NEW_ROOT "/dev/fd");
	symlink("/proc/self/fd/0", NEW_ROOT "/dev/stdin");
	symlink("/proc/self/fd/1", NEW_ROOT "/dev/stdout");
	symlink("/proc/self/fd/2", NEW_ROOT "/dev/stderr");
	if (job.modules) {
		snprintf(from, sizeof(from), NEW_ROOT "%s", job.modules);
		snprintf(to, sizeof(to), NEW_ROOT "/lib/modules/%s", job.release);
		mount_at(from, to, NULL, MS_BIND, NULL);
	}
	if (job.out)
		mount_at("out", NEW_ROOT "/out", "9p", 0,
			 "trans=virtio,version=9p2000.L,cache=none,msize=512000");
}

static void enter_root(void)
{
	if (chdir(NEW_ROOT) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		fail("enter the new root");
}

static void set_up_machine(void)
{
	struct rlimit files = { .rlim_cur = 1024, .rlim_max = 1 << 19 };
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	sethostname("etw-vm", 6);
	if (fd >= 0) {
		ioctl(fd, SIOCSIFFLAGS, &lo);
		close(fd);
	}
	setrlimit(RLIMIT_NOFILE, &files);
}

/*
 * On a busy host a kernel may fail to measure the TSC.  One with no other clock
 * then counts ticks, and all that happens within one has the same time: such a
 * machine ends before it is up, and scripts/vm boots another.
 */
static void check_clock(void)
{
	char name[32] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (read(fd, name, sizeof(name) - 1) > 0 && strstr(name, "jiffies")) {
		fprintf(stderr, "vm: no clock but %s", name);
		power_off();
	}
	close(fd);
}

static void __attribute__((noreturn)) run_command(int out, int err)
{
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	if (chdir(job.cwd ? job.cwd : "/")) {
		dprintf(STDERR_FILENO, "vm: cd %s: %s\n", job.cwd, strerror(errno));
		_exit(126);
	}
	clearenv();
	for (int i = 0; i < job.nenv; i++)
		putenv(job.env[i]);
	execvp(job.argv[0], job.argv);
	dprintf(STDERR_FILENO, "vm: %s: %s\n", job.argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Copies what a pipe holds; returns 0 once it is closed or, at the end, empty. */
static int pump(int from, int to)
{
	static char buf[65536];
	ssize_t n = read(from, buf, sizeof(buf));

	if (n > 0)
		write_all(to, buf, (size_t)n);
	return n > 0 || (n < 0 && errno == EINTR);
}

static void sigchld(int sig)
{
	(void)sig;
}

/* Waits for the command, copying its output and reaping orphans; returns its wait status. */
static int supervise(pid_t child, int out, int err)
{
	struct pollfd fds[2] = {
		{ .fd = out, .events = POLLIN },
		{ .fd = err, .events = POLLIN },
	};
	sigset_t none;
	int status = 0, done = 0, one;
	pid_t pid;

	sigemptyset(&none);
	while (!done) {
		ppoll(fds, 2, NULL, &none);
		for (int i = 0; i < 2; i++) {
			if (fds[i].revents && !pump(fds[i].fd, i ? err_fd : out_fd))
				fds[i].fd = -1;
			fds[i].revents = 0;
		}
		while ((pid = waitpid(-1, &one, WNOHANG)) > 0) {
			if (pid == child) {
				status = one;
				done = 1;
			}
		}
	}
	/* What it left behind may keep the pipes open: take what is there. */
	fcntl(out, F_SETFL, O_NONBLOCK);
	fcntl(err, F_SETFL, O_NONBLOCK);
	while (pump(out, out_fd))
		;
	while (pump(err, err_fd))
		;
	return status;
}

static int spawn_and_wait(void)
{
	struct sigaction act = { .sa_handler = sigchld };
	int out[2], err[2];
	sigset_t chld;
	pid_t child;

	/* SIGCHLD is let in only while polling, so none is missed. */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	sigaction(SIGCHLD, &act, NULL);
	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		fail("pipe");
	child = fork();
	if (child < 0)
		fail("fork");
	if (!child)
		run_command(out[1], err[1]);
	close(out[1]);
	close(err[1]);
	return supervise(child, out[0], err[0]);
}

int main(void)
{
	char text[32];
	int status, n;

	mount_at("proc", "/proc", "proc", 0, NULL);
	mount_at("dev", "/dev", "devtmpfs", 0, NULL);
	load_boot_modules();
	mount_control();
	read_job();
	mount_root();
	mount_system();
	enter_root();
	check_clock();
	set_up_machine();
	/* From here on the machine that ends is ours to explain. */
	write_all(status_fd, "up\n", 3);
	if (job.insmod)
		load_module(job.insmod, job.module_args ? job.module_args : "");
	status = spawn_and_wait();
	if (WIFEXITED(status))
		n = snprintf(text, sizeof(text), "exit %d\n", WEXITSTATUS(status));
	else
		n = snprintf(text, sizeof(text), "signal %d\n", WTERMSIG(status));
	write_all(status_fd, text, (size_t)n);
	power_off();
}
