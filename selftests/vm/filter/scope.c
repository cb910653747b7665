// SPDX-License-Identifier: GPL-2.0-only
/*
 * scope - filters that select processes by program, container and application
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#define COPY	"/tmp/etw-scope-copy"
#define UNIT	"/etw-scope.slice/snap.pack.app-01234567-89ab-cdef-0123-456789abcdef.scope"

/* Another process with a registration of vm_guid(1). */
struct peer {
	pid_t pid;
	int from;
};

FIXTURE(scope) {
	int fd;
	int slot;
	uint64_t session;
	const struct etw_enable_entry *area;
	struct etw_filter f[4];
	struct peer peer;
};

/* Registers, reports that, and answers each question whether it is enabled. */
static int peer_main(void)
{
	const struct etw_enable_entry *area;
	int slot, fd = vm_open();
	char c;

	slot = vm_register(fd, vm_guid(1));
	area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (slot < 0 || area == MAP_FAILED || write(1, "r", 1) != 1)
		return 1;
	while (read(0, &c, 1) == 1) {
		c = area[slot].enabled ? 'y' : 'n';
		if (write(1, &c, 1) != 1)
			return 1;
	}
	return 0;
}

static bool peer_start(struct peer *p, int *to, const char *program, const char *group)
{
	int in[2], out[2];
	char c;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return false;
	p->pid = fork();
	if (!p->pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (group && !vm_enter_group(group))
			_exit(1);
		execl(program, program, "peer", NULL);
		_exit(1);
	}
	close(in[0]);
	close(out[1]);
	*to = in[1];
	p->from = out[0];
	return p->pid > 0 && read(p->from, &c, 1) == 1 && c == 'r';
}

static int peer_to = -1;

/* 1, 0, or -1 if it does not answer. */
static int peer_enabled(const struct peer *p)
{
	char c = '?';

	if (write(peer_to, "?", 1) != 1 || read(p->from, &c, 1) != 1)
		return -1;
	return c == 'y';
}

static void peer_stop(struct peer *p)
{
	if (p->pid <= 0)
		return;
	close(peer_to);
	close(p->from);
	vm_reap(p->pid);
	p->pid = 0;
}

static bool copy_self(void)
{
	char buf[65536];
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = open(COPY, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, n) != n)
			break;
	close(from);
	return !close(to) && !n;
}

FIXTURE_SETUP(scope)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->area);
	self->session = vm_start_named(self->fd, "t-scope");
	ASSERT_NE(0, self->session);
	ASSERT_TRUE(copy_self());
}

FIXTURE_TEARDOWN(scope)
{
	peer_stop(&self->peer);
	unlink(COPY);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Enable with count filters of names. */
static int enable(FIXTURE_DATA(scope) *self, int count, ...)
{
	va_list ap;
	int i;

	va_start(ap, count);
	for (i = 0; i < count; i++) {
		const char *names;

		self->f[i].type = va_arg(ap, uint32_t);
		names = va_arg(ap, const char *);
		self->f[i].ptr = VM_PTR(names);
		self->f[i].len = strlen(names);
	}
	va_end(ap);
	return vm_enable_with(self->fd, self->session, vm_guid(1), 0, self->f, count);
}

#define OWN_ENABLED	(self->area[self->slot].enabled)

/* B49, B51: by the program's name, for existing registrations and later ones. */
TEST_F(scope, executable)
{
	ASSERT_TRUE(peer_start(&self->peer, &peer_to, COPY, NULL));
	ASSERT_EQ(0, enable(self, 1, ETW_FILTER_EXECUTABLE_NAME, "etw-scope-copy"));
	EXPECT_EQ(1, peer_enabled(&self->peer));
	EXPECT_EQ(0, OWN_ENABLED);
	ASSERT_EQ(0, enable(self, 1, ETW_FILTER_EXECUTABLE_NAME, "nothing;scope"));
	EXPECT_EQ(0, peer_enabled(&self->peer));
	EXPECT_EQ(1, OWN_ENABLED);
	ASSERT_EQ(0, enable(self, 1, ETW_FILTER_EXECUTABLE_NAME, "x;scope;etw-scope-copy"));
	EXPECT_EQ(1, peer_enabled(&self->peer));
	EXPECT_EQ(1, OWN_ENABLED);
	peer_stop(&self->peer);
	ASSERT_TRUE(peer_start(&self->peer, &peer_to, COPY, NULL));
	EXPECT_EQ(1, peer_enabled(&self->peer));
	ASSERT_EQ(0, enable(self, 1, ETW_FILTER_EXECUTABLE_NAME, "etw-scope-cop"));
	EXPECT_EQ(0, peer_enabled(&self->peer));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	EXPECT_EQ(1, peer_enabled(&self->peer));
}

/* B50, with what identifies containers and applications here. */
TEST_F(scope, container_and_application)
{
	if (!vm_groups())
		SKIP(return, "no cgroup2");
	ASSERT_TRUE(!mkdir(VM_GROUPS "/etw-scope.slice", 0755) || errno == EEXIST);
	ASSERT_TRUE(peer_start(&self->peer, &peer_to, COPY, UNIT));
#define SELECTED(type, names) ({					\
	ASSERT_EQ(0, enable(self, 1, type, names));			\
	EXPECT_EQ(0, OWN_ENABLED);					\
	peer_enabled(&self->peer); })
	EXPECT_EQ(1, SELECTED(ETW_FILTER_CONTAINER, "/etw-scope.slice"));
	EXPECT_EQ(0, SELECTED(ETW_FILTER_CONTAINER, "/etw-scope"));
	EXPECT_EQ(1, SELECTED(ETW_FILTER_CONTAINER, "other;etw-scope.slice"));
	EXPECT_EQ(1, SELECTED(ETW_FILTER_PACKAGE_ID, "pack"));
	EXPECT_EQ(0, SELECTED(ETW_FILTER_PACKAGE_ID, "pack.app"));
	EXPECT_EQ(1, SELECTED(ETW_FILTER_PACKAGE_APP_ID, "x;pack.app"));
	EXPECT_EQ(0, SELECTED(ETW_FILTER_PACKAGE_APP_ID, "pack"));
#undef SELECTED
	peer_stop(&self->peer);
	ASSERT_EQ(0, enable(self, 1, ETW_FILTER_PACKAGE_ID, "pack"));
	ASSERT_TRUE(peer_start(&self->peer, &peer_to, COPY, UNIT));
	EXPECT_EQ(1, peer_enabled(&self->peer));
	peer_stop(&self->peer);
	rmdir(VM_GROUPS UNIT);
	rmdir(VM_GROUPS "/etw-scope.slice");
}

/* B52: several filters must all agree, the PIDs included. */
TEST_F(scope, all_must_agree)
{
	uint32_t pid;

	ASSERT_TRUE(peer_start(&self->peer, &peer_to, COPY, NULL));
	ASSERT_EQ(0, enable(self, 2, ETW_FILTER_EXECUTABLE_NAME, "scope;etw-scope-copy",
			    ETW_FILTER_CONTAINER, "/nowhere"));
	EXPECT_EQ(0, peer_enabled(&self->peer));
	EXPECT_EQ(0, OWN_ENABLED);
	self->f[0].ptr = VM_PTR("scope;etw-scope-copy");
	self->f[1] = (struct etw_filter){ .ptr = VM_PTR(&pid), .len = 4, .type = ETW_FILTER_PID };
	pid = self->peer.pid;
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, vm_guid(1), 0, self->f, 2));
	EXPECT_EQ(1, peer_enabled(&self->peer));
	EXPECT_EQ(0, OWN_ENABLED);
	pid = getpid();
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, vm_guid(1), 0, self->f, 2));
	EXPECT_EQ(0, peer_enabled(&self->peer));
	EXPECT_EQ(1, OWN_ENABLED);
}

/* As with a PID filter, no module is selected. */
TEST_F(scope, not_the_kernel)
{
	struct etw_test_enabled e = { .index = 1, .level = 1, .keyword = 1 };
	int kfd;

	kfd = vm_kmod_fresh("etw_test");
	ASSERT_LE(0, kfd);
	ASSERT_EQ(0, enable(self, 1, ETW_FILTER_EXECUTABLE_NAME, "scope"));
	ASSERT_EQ(0, vm_test_register(kfd, 1, vm_guid(1), 0));
	ASSERT_EQ(0, vm_ioctl(kfd, ETW_TEST_ENABLED, &e));
	EXPECT_FALSE(e.event_enabled);
	ASSERT_EQ(0, enable(self, 1, ETW_FILTER_EXECUTABLE_NAME, "etw_test"));
	ASSERT_EQ(0, vm_ioctl(kfd, ETW_TEST_ENABLED, &e));
	EXPECT_FALSE(e.event_enabled);
	EXPECT_EQ(0, OWN_ENABLED);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, vm_ioctl(kfd, ETW_TEST_ENABLED, &e));
	EXPECT_TRUE(e.event_enabled);
	close(kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
}

/* B44; the earlier enabling does not change. */
TEST_F(scope, refused)
{
	static char names[ETW_FILTER_NAMES_MAX + 2];
	struct etw_filter *f = self->f;

	memset(names, 'n', sizeof(names) - 1);
	ASSERT_EQ(0, enable(self, 1, ETW_FILTER_EXECUTABLE_NAME, "scope"));
	EXPECT_EQ(-EINVAL, enable(self, 1, ETW_FILTER_EXECUTABLE_NAME, names));
	EXPECT_EQ(-EINVAL, enable(self, 1, ETW_FILTER_CONTAINER, ""));
	EXPECT_EQ(-EINVAL, enable(self, 1, ETW_FILTER_PACKAGE_ID, "a;"));
	EXPECT_EQ(-EINVAL, enable(self, 1, ETW_FILTER_PACKAGE_APP_ID, ";a"));
	EXPECT_EQ(-EINVAL, enable(self, 2, ETW_FILTER_CONTAINER, "a", ETW_FILTER_CONTAINER, "b"));
	f[0] = (struct etw_filter){ .ptr = VM_PTR("a\0b"), .len = 3,
				    .type = ETW_FILTER_EXECUTABLE_NAME };
	EXPECT_EQ(-EINVAL, vm_enable_with(self->fd, self->session, vm_guid(1), 0, f, 1));
	f[0].ptr = 8;
	EXPECT_EQ(-EFAULT, vm_enable_with(self->fd, self->session, vm_guid(1), 0, f, 1));
	EXPECT_EQ(1, OWN_ENABLED);
	names[ETW_FILTER_NAMES_MAX] = 0;
	EXPECT_EQ(0, enable(self, 1, ETW_FILTER_EXECUTABLE_NAME, names));
	EXPECT_EQ(0, OWN_ENABLED);
}

/* Before the harness has a look at the arguments. */
__attribute__((__constructor__))
static void as_peer(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "peer"))
		_exit(peer_main());
}

TEST_HARNESS_MAIN
