// SPDX-License-Identifier: GPL-2.0-only
/*
 * secure - sessions of ETW_MODE_SECURE take events only from writers with the right to log
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

static const struct etw_guid kguid = ETW_TEST_GUID;

static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };
static const struct vm_who bob = { VM_BOB, VM_BOB, 0, 0, false };
static const struct vm_who inside = { VM_ALICE, VM_ALICE, 0, 0, true };

/* A secure session and a plain one, both with the provider enabled. */
FIXTURE(secure) {
	int fd;
	uint64_t session, plain;
	struct etw_guid sguid, pguid;
};

FIXTURE_SETUP(secure)
{
	struct etw_session s = vm_session("t-secure");

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_access_clear(self->fd);
	self->sguid = vm_guid(0x101);
	self->pguid = vm_guid(2);
	s.guid = self->sguid;
	s.mode |= ETW_MODE_SECURE;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	EXPECT_EQ(ETW_MODE_REAL_TIME | ETW_MODE_SECURE, s.mode);
	self->session = s.handle;
	self->plain = vm_start_named(self->fd, "t-plain");
	ASSERT_NE(0, self->plain);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->pguid, 0, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->plain, self->pguid, 0, 0, 0));
}

FIXTURE_TEARDOWN(secure)
{
	vm_access_clear(self->fd);
	vm_stop_all(self->fd);
	close(self->fd);
}

static int only_alice(FIXTURE_DATA(secure) *self)
{
	return vm_access(self->fd, self->sguid, VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_LOG_EVENT));
}

static uint64_t written(FIXTURE_DATA(secure) *self, uint64_t session)
{
	struct etw_session_stat st;

	return vm_stat(self->fd, session, &st) || vm_dropped(&st) ? UINT64_MAX : st.written;
}

/* By default every user may log. */
TEST_F(secure, open_by_default)
{
	struct vm_peer p;

	EXPECT_EQ(0, vm_peer_start(&p, &bob, NULL, self->pguid).result);
	EXPECT_EQ(0, vm_peer_write(&p).result);
	EXPECT_EQ(1, written(self, self->session));
	EXPECT_EQ(0, vm_peer_end(&p));
}

/*
 * B148: a writer without LOG_EVENT on the session does not reach it, but loses nothing else.
 */
TEST_F(secure, without_the_right_nothing_is_logged)
{
	struct vm_peer a, b;

	ASSERT_EQ(0, only_alice(self));
	EXPECT_EQ(0, vm_peer_start(&a, &alice, NULL, self->pguid).result);
	EXPECT_EQ(0, vm_peer_start(&b, &bob, NULL, self->pguid).result);
	EXPECT_EQ(0, vm_peer_write(&a).result);
	EXPECT_EQ(1, written(self, self->session));
	EXPECT_EQ(0, vm_peer_write(&b).result);
	EXPECT_EQ(1, written(self, self->session));
	EXPECT_EQ(2, written(self, self->plain));
	/* The same if the session enables the provider after they registered. */
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->pguid));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->pguid, 0, 0, 0));
	EXPECT_EQ(0, vm_peer_write(&a).result);
	EXPECT_EQ(0, vm_peer_write(&b).result);
	EXPECT_EQ(2, written(self, self->session));
	EXPECT_EQ(4, written(self, self->plain));
	EXPECT_EQ(0, vm_peer_end(&a));
	EXPECT_EQ(0, vm_peer_end(&b));
}

/* B148: the provider of such a writer is not even enabled. */
TEST_F(secure, not_enabled_without_the_right)
{
	struct vm_peer a, b;

	ASSERT_EQ(0, vm_disable(self->fd, self->plain, self->pguid));
	ASSERT_EQ(0, only_alice(self));
	EXPECT_EQ(1, vm_peer_start(&a, &alice, NULL, self->pguid).enabled);
	EXPECT_EQ(0, vm_peer_start(&b, &bob, NULL, self->pguid).enabled);
	ASSERT_EQ(0, vm_access(self->fd, self->sguid,
			       VM_ALLOW(USER, VM_BOB, ETW_RIGHT_LOG_EVENT)));
	EXPECT_EQ(0, vm_peer_write(&a).enabled);
	EXPECT_EQ(1, vm_peer_write(&b).enabled);
	EXPECT_EQ(0, vm_peer_end(&a));
	EXPECT_EQ(0, vm_peer_end(&b));
}

/*
 * B148: a changed list is in force when the call returns, whether it gives or takes the right.
 */
TEST_F(secure, lists_change_at_once)
{
	struct vm_peer p;
	int i;

	EXPECT_EQ(0, vm_peer_start(&p, &bob, NULL, self->pguid).result);
	for (i = 1; i < 10; i++) {
		ASSERT_EQ(0, only_alice(self));
		EXPECT_EQ(0, vm_peer_write(&p).result);
		EXPECT_EQ(i - 1, written(self, self->session));
		ASSERT_EQ(0, i & 1 ? vm_access_remove(self->fd, self->sguid) :
			     vm_access(self->fd, self->sguid,
				       VM_ALLOW(EVERYONE, 0, ETW_RIGHT_LOG_EVENT)));
		EXPECT_EQ(0, vm_peer_write(&p).result);
		EXPECT_EQ(i, written(self, self->session));
	}
	/* The default's list counts as well. */
	ASSERT_EQ(0, vm_access_remove(self->fd, self->sguid));
	ASSERT_EQ(0, vm_access_set(self->fd, vm_default, NULL, 0));
	EXPECT_EQ(0, vm_peer_write(&p).result);
	EXPECT_EQ(9, written(self, self->session));
	EXPECT_EQ(19, written(self, self->plain));
	EXPECT_EQ(0, vm_peer_end(&p));
}

/* The writer's credentials at registration count; later changes do not. */
TEST_F(secure, credentials_of_registering)
{
	struct vm_peer p, q;

	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(USER, 0, ETW_RIGHT_LOG_EVENT),
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_LOG_EVENT)));
	EXPECT_EQ(0, vm_peer_start(&p, &(struct vm_who){ 0 }, &bob, self->pguid).result);
	EXPECT_EQ(0, vm_peer_write(&p).result);
	EXPECT_EQ(1, written(self, self->session));
	ASSERT_EQ(0, only_alice(self));
	/* Root had every capability at registration, and no list takes that. */
	EXPECT_EQ(0, vm_peer_write(&p).result);
	EXPECT_EQ(2, written(self, self->session));
	/* Root of a container is alice. */
	EXPECT_EQ(0, vm_peer_start(&q, &inside, NULL, self->pguid).result);
	EXPECT_EQ(0, vm_peer_write(&q).result);
	EXPECT_EQ(3, written(self, self->session));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(USER, 0, ETW_RIGHT_LOG_EVENT)));
	EXPECT_EQ(0, vm_peer_write(&q).result);
	EXPECT_EQ(3, written(self, self->session));
	EXPECT_EQ(0, vm_peer_end(&p));
	EXPECT_EQ(0, vm_peer_end(&q));
}

static int enable_pid(FIXTURE_DATA(secure) *self, uint32_t pid)
{
	struct etw_filter f = { VM_PTR(&pid), sizeof(pid), ETW_FILTER_PID };
	struct etw_enable e = vm_enable_arg(self->session, self->pguid);

	e.filters = VM_PTR(&f);
	e.filter_count = 1;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

/* A PID filter selects once: a process that lost the right is not selected again. */
TEST_F(secure, with_a_pid_filter)
{
	struct vm_peer a, b;

	EXPECT_EQ(0, vm_peer_start(&a, &alice, NULL, self->pguid).result);
	EXPECT_EQ(0, vm_peer_start(&b, &bob, NULL, self->pguid).result);
	ASSERT_EQ(0, enable_pid(self, b.pid));
	EXPECT_EQ(0, vm_peer_write(&a).result);
	EXPECT_EQ(0, vm_peer_write(&b).result);
	EXPECT_EQ(1, written(self, self->session));
	ASSERT_EQ(0, only_alice(self));
	EXPECT_EQ(0, vm_peer_write(&a).result);
	EXPECT_EQ(0, vm_peer_write(&b).result);
	EXPECT_EQ(1, written(self, self->session));
	ASSERT_EQ(0, vm_access_remove(self->fd, self->sguid));
	EXPECT_EQ(0, vm_peer_write(&b).result);
	EXPECT_EQ(1, written(self, self->session));
	ASSERT_EQ(0, enable_pid(self, b.pid));
	EXPECT_EQ(0, vm_peer_write(&b).result);
	EXPECT_EQ(2, written(self, self->session));
	EXPECT_EQ(0, vm_peer_end(&a));
	EXPECT_EQ(0, vm_peer_end(&b));
}

/* Kernel modules need no right. */
TEST_F(secure, kernel_provider)
{
	struct etw_test_write w = { .count = 1, .size = 9, .descriptors = 1,
				    .desc = { .id = 1, .level = 1, .keyword = 1 } };
	int kfd;

	kfd = vm_test_provider();
	ASSERT_LE(0, kfd);
	ASSERT_EQ(0, vm_access_set(self->fd, self->sguid, NULL, 0));
	EXPECT_EQ(0, vm_enable(self->fd, self->session, kguid, 0, 0, 0));
	EXPECT_EQ(0, vm_ioctl(kfd, ETW_TEST_WRITE, &w));
	EXPECT_EQ(1, written(self, self->session));
	/* And they stay enabled when lists change. */
	ASSERT_EQ(0, only_alice(self));
	EXPECT_EQ(0, vm_ioctl(kfd, ETW_TEST_WRITE, &w));
	EXPECT_EQ(2, written(self, self->session));
	close(kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
}

/* Writers die and lists change, and nothing is left behind. */
TEST_F(secure, dying_writers)
{
	struct vm_peer peers[8];
	unsigned int round, i;

	for (round = 0; round < 4; round++) {
		for (i = 0; i < ARRAY_SIZE(peers); i++)
			ASSERT_EQ(0, vm_peer_start(&peers[i], i & 1 ? &alice : &bob, NULL,
						   self->pguid).result);
		for (i = 0; i < ARRAY_SIZE(peers); i++) {
			ASSERT_EQ(0, kill(peers[i].pid, SIGKILL));
			ASSERT_EQ(0, i & 2 ? only_alice(self) :
				     vm_access_remove(self->fd, self->sguid));
		}
		for (i = 0; i < ARRAY_SIZE(peers); i++)
			EXPECT_EQ(SIGKILL, vm_peer_end(&peers[i]));
	}
	EXPECT_EQ(0, written(self, self->session));
	EXPECT_EQ(0, written(self, self->plain));
}

/* ------------------------------------------------------------ notifications */

struct two {
	struct etw_guid guids[2];
	int ready[2], go[2];		/* pipes */
};

/* The last notice of each registration has the filter of its own GUID. */
static int tells_of_its_own(int fd)
{
	struct etw_filter_header h[ETW_PROVIDER_SESSIONS];
	unsigned int i, id[2] = { 0 };

	for (i = 0; i < 16; i++) {
		struct etw_notify n = { .size = sizeof(n), .filter = VM_PTR(h),
					.filter_cap = sizeof(h) };
		int ret = vm_ioctl(fd, ETW_IOC_NOTIFY, &n);

		if (ret == -EAGAIN)
			return id[0] == 1 && id[1] == 2 ? 0 : -EILSEQ;
		if (ret || n.cookie > 1)
			return -EPROTO;
		id[n.cookie] = n.filter_len ? h[0].id : 0;
	}
	return -EOVERFLOW;
}

static int register_two(void *arg)
{
	struct two *two = arg;
	int fd = vm_open(), i;
	char c = 0;

	for (i = 0; i < 2; i++)
		if (vm_register_flags(fd, two->guids[i], ETW_REGISTER_NOTIFY, i) < 0)
			return -EPROTO;
	if (write(two->ready[1], &c, 1) != 1 || read(two->go[0], &c, 1) != 1)
		return -EPIPE;
	return tells_of_its_own(fd);
}

/* Both GUIDs have a filter; then the right is taken and given back. */
static int enable_and_change(FIXTURE_DATA(secure) *self, const struct two *two)
{
	int i, ret;

	for (i = 0; i < 2; i++) {
		struct etw_filter_header h = { .id = i + 1, .size = sizeof(h) };
		struct etw_filter f = { VM_PTR(&h), sizeof(h), ETW_FILTER_SCHEMATIZED };
		struct etw_enable e = vm_enable_arg(self->session, two->guids[i]);

		e.filters = VM_PTR(&f);
		e.filter_count = 1;
		ret = vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
		if (ret)
			return ret;
	}
	return vm_access_set(self->fd, self->sguid, NULL, 0) ?:
	       vm_access_remove(self->fd, self->sguid);
}

/* B33: one change of a list concerns two GUIDs: each callback gets its own filter. */
TEST_F(secure, two_providers_with_filters)
{
	struct two two = { .guids = { vm_guid(11), vm_guid(12) } };
	int status;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(two.ready));
	ASSERT_EQ(0, pipe(two.go));
	pid = fork();
	if (!pid)
		_exit(vm_become(&alice) ? 255 : -register_two(&two));
	close(two.ready[1]);
	close(two.go[0]);
	EXPECT_EQ(1, read(two.ready[0], &c, 1));
	EXPECT_EQ(0, enable_and_change(self, &two));
	EXPECT_EQ(1, write(two.go[1], &c, 1));
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	close(two.ready[0]);
	close(two.go[1]);
}

TEST_HARNESS_MAIN
