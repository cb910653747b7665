// SPDX-License-Identifier: GPL-2.0-only
/*
 * group_access - the rights to join, enable and query groups; groups and classic providers
 * in sessions of ETW_MODE_SECURE
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/vm_traits.h"

static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };
static const struct vm_who bob = { VM_BOB, VM_BOB, 0, 0, false };

/* A secure session and a plain one. */
FIXTURE(access) {
	int fd;
	uint64_t secure, plain;
	struct etw_guid sguid, pguid, group;
};

FIXTURE_SETUP(access)
{
	struct etw_session s = vm_session("t-secure");

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_access_clear(self->fd);
	self->sguid = vm_guid(0x101);
	self->pguid = vm_guid(2);
	self->group = vm_guid(70);
	s.guid = self->sguid;
	s.mode |= ETW_MODE_SECURE;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->secure = s.handle;
	self->plain = vm_start_named(self->fd, "t-plain");
	ASSERT_NE(0, self->plain);
}

FIXTURE_TEARDOWN(access)
{
	vm_peer_then = NULL;
	vm_peer_flags = 0;
	vm_access_clear(self->fd);
	vm_stop_all(self->fd);
	close(self->fd);
}

static int join_slot(int fd, int slot)
{
	struct vm_blob traits = vm_group_traits("Member", vm_guid(70));

	return vm_set_slot(fd, slot, ETW_SET_TRAITS, traits.bytes, traits.len, 0);
}

/* Register and join.  A refused registration has no traits, and may set others. */
static int join(void *arg)
{
	struct vm_blob other = vm_traits("Single");
	int fd = vm_open(), slot = vm_register(fd, vm_guid(2)), ret;

	(void)arg;
	if (fd < 0 || slot < 0)
		return -EIO;
	ret = join_slot(fd, slot);
	if (ret == -EPERM &&
	    vm_set_slot(fd, slot, ETW_SET_TRAITS, other.bytes, other.len, 0))
		return -EIO;
	return ret;
}

/* B86: JOIN_GROUP on the group; by default every user has it. */
TEST_F(access, joining)
{
	struct etw_group_query q = { .size = sizeof(q), .group = self->group };

	EXPECT_EQ(0, vm_as(&bob, join, NULL));
	ASSERT_EQ(0, vm_access(self->fd, self->group, VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_JOIN_GROUP)));
	EXPECT_EQ(0, vm_as(&alice, join, NULL));
	EXPECT_EQ(-EPERM, vm_as(&bob, join, NULL));
	/* Refused registrations create no group, and the former members are gone. */
	EXPECT_EQ(-ESRCH, vm_ioctl(self->fd, ETW_IOC_GROUP_QUERY, &q));
	/* The provider's list has no entry about it. */
	ASSERT_EQ(0, vm_access(self->fd, self->pguid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_REGISTER_GUIDS),
			       VM_ALLOW(USER, VM_BOB, ETW_RIGHT_ALL)));
	EXPECT_EQ(0, vm_as(&alice, join, NULL));
	EXPECT_EQ(-EPERM, vm_as(&bob, join, NULL));
	ASSERT_EQ(0, vm_access_remove(self->fd, self->group));
	EXPECT_EQ(0, vm_as(&bob, join, NULL));
	ASSERT_EQ(0, vm_access(self->fd, vm_default,
			       VM_ALLOW(EVERYONE, 0, ETW_RIGHT_REGISTER_GUIDS)));
	EXPECT_EQ(-EPERM, vm_as(&bob, join, NULL));
	EXPECT_EQ(0, join(NULL));
}

/* Kernel modules are not asked. */
TEST_F(access, joining_module)
{
	struct vm_blob traits = vm_group_traits("Member", self->group);
	struct vm_two two;

	ASSERT_EQ(0, vm_two_begin(&two, self->fd));
	ASSERT_EQ(0, vm_access_set(self->fd, self->group, NULL, 0));
	EXPECT_EQ(0, vm_two_traits(&two, 1, &traits));
	EXPECT_EQ(0, vm_two_end(&two));
}

/* The calls of a child. */
struct attempt {
	unsigned long cmd;
	void *arg;
};

static int try_it(void *arg)
{
	struct attempt *a = arg;
	int fd = vm_open();

	return fd < 0 ? -EIO : vm_ioctl(fd, a->cmd, a->arg);
}

#define BOB(nr, what)	vm_as(&bob, try_it, &(struct attempt){ nr, what })

/* B160: the rights of the group's GUID, and those of the session. */
TEST_F(access, rights_on_groups)
{
	struct etw_group_query q = { .size = sizeof(q), .group = self->group };
	struct etw_provider_enum all = { .size = sizeof(all) };
	struct etw_disallow d = { .size = sizeof(d), .session = self->plain };
	struct etw_enable e = vm_enable_arg(self->plain, self->group);

	e.property = ETW_ENABLE_PROVIDER_GROUP;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	EXPECT_EQ(-EPERM, BOB(ETW_IOC_GROUP_QUERY, &q));
	EXPECT_EQ(-EPERM, BOB(ETW_IOC_GROUP_ENUM, &all));
	EXPECT_EQ(-EPERM, BOB(ETW_IOC_ENABLE, &e));
	EXPECT_EQ(-EPERM, BOB(ETW_IOC_DISALLOW_SET, &d));
	EXPECT_EQ(-EPERM, BOB(ETW_IOC_DISALLOW_QUERY, &d));
	d.session = 0x7777;
	EXPECT_EQ(-EPERM, BOB(ETW_IOC_DISALLOW_SET, &d));
	EXPECT_EQ(-ENOENT, vm_ioctl(self->fd, ETW_IOC_DISALLOW_SET, &d));
	ASSERT_EQ(0, vm_access(self->fd, self->group,
			       VM_ALLOW(USER, VM_BOB, ETW_RIGHT_QUERY | ETW_RIGHT_GUID_ENABLE)));
	EXPECT_EQ(0, BOB(ETW_IOC_GROUP_QUERY, &q));
	EXPECT_EQ(0, BOB(ETW_IOC_GROUP_ENUM, &all));
	EXPECT_EQ(-EPERM, BOB(ETW_IOC_ENABLE, &e));	/* not their session */
	ASSERT_EQ(0, vm_access(self->fd, self->sguid,
			       VM_ALLOW(USER, VM_BOB, ETW_RIGHT_CREATE_REALTIME)));
	e.session = self->secure;
	d.session = self->secure;
	EXPECT_EQ(0, BOB(ETW_IOC_ENABLE, &e));
	EXPECT_EQ(0, BOB(ETW_IOC_DISALLOW_SET, &d));
	EXPECT_EQ(-EPERM, BOB(ETW_IOC_DISALLOW_QUERY, &d));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(USER, VM_BOB, ETW_RIGHT_QUERY)));
	EXPECT_EQ(0, BOB(ETW_IOC_DISALLOW_QUERY, &d));
	EXPECT_EQ(-EPERM, BOB(ETW_IOC_DISALLOW_SET, &d));
}

/* Bob's results, in shared memory. */
struct found {
	struct etw_group_member members[4];
	struct etw_guid groups[4];
	uint32_t member_count, group_count;
};

static int look(void *arg)
{
	struct found *f = arg;
	struct etw_group_query q = { .size = sizeof(q), .group = vm_guid(70),
				     .members = VM_PTR(f->members), .member_cap = 4 };
	struct etw_provider_enum all = { .size = sizeof(all), .guids = VM_PTR(f->groups),
					 .capacity = 4 };
	int fd = vm_open(), ret;

	memset(f, 0, sizeof(*f));
	ret = fd < 0 ? fd : vm_ioctl(fd, ETW_IOC_GROUP_QUERY, &q);
	if (!ret)
		ret = vm_ioctl(fd, ETW_IOC_GROUP_ENUM, &all);
	f->member_count = q.member_count;
	f->group_count = all.count;
	return ret;
}

/* B160: the right on a group does not reveal providers on which the caller has no right. */
TEST_F(access, members_that_may_be_seen)
{
	const struct etw_guid first = vm_guid(5), second = vm_guid(6), none = { 0 };
	int a = vm_register(self->fd, first), b = vm_register(self->fd, second);
	struct found *f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, f);
	ASSERT_EQ(0, join_slot(self->fd, a));
	ASSERT_EQ(0, join_slot(self->fd, b));
	ASSERT_EQ(0, vm_group_enable(self->fd, self->plain, vm_guid(71), 0, 0));
	EXPECT_EQ(-EPERM, vm_as(&bob, look, f));
	ASSERT_EQ(0, vm_access(self->fd, self->group, VM_ALLOW(USER, VM_BOB, ETW_RIGHT_QUERY)));
	EXPECT_EQ(0, vm_as(&bob, look, f));
	EXPECT_EQ(0, f->member_count);
	EXPECT_EQ(0, memcmp(&f->members[0].provider, &none, sizeof(none)));
	EXPECT_EQ(1, f->group_count);
	EXPECT_EQ(0, memcmp(&f->groups[0], &self->group, sizeof(none)));
	ASSERT_EQ(0, vm_access(self->fd, second, VM_ALLOW(USER, VM_BOB, ETW_RIGHT_QUERY)));
	EXPECT_EQ(0, vm_as(&bob, look, f));
	EXPECT_EQ(1, f->member_count);
	EXPECT_EQ(0, memcmp(&f->members[0].provider, &second, sizeof(none)));
	EXPECT_EQ(0, memcmp(&f->members[1].provider, &none, sizeof(none)));
	EXPECT_EQ(0, look(f));
	EXPECT_EQ(2, f->member_count);
	EXPECT_EQ(2, f->group_count);
	munmap(f, sizeof(*f));
}

static uint64_t written(FIXTURE_DATA(access) *self, uint64_t session)
{
	struct etw_session_stat st;

	return vm_stat(self->fd, session, &st) || vm_dropped(&st) ? UINT64_MAX : st.written;
}

static int may_log(FIXTURE_DATA(access) *self, unsigned int uid)
{
	return vm_access(self->fd, self->sguid, VM_ALLOW(USER, uid, ETW_RIGHT_LOG_EVENT));
}

/* B148, B84: the group's members that may log, joined before or after, while lists change. */
TEST_F(access, members_of_a_secure_session)
{
	struct vm_peer a, b;
	int round;

	vm_peer_then = join_slot;
	ASSERT_EQ(0, may_log(self, VM_ALICE));
	EXPECT_EQ(0, vm_peer_start(&a, &alice, NULL, self->pguid).result);
	ASSERT_EQ(0, vm_group_enable(self->fd, self->secure, self->group, 0, 0));
	ASSERT_EQ(0, vm_group_enable(self->fd, self->plain, self->group, 0, 0));
	EXPECT_EQ(0, vm_peer_start(&b, &bob, NULL, self->pguid).result);
	for (round = 0; round < 4; round++) {
		/* In every other round it is bob. */
		ASSERT_EQ(0, may_log(self, round & 1 ? VM_BOB : VM_ALICE));
		EXPECT_EQ(0, vm_peer_write(&a).result);
		EXPECT_EQ(round + !(round & 1), written(self, self->secure));
		EXPECT_EQ(0, vm_peer_write(&b).result);
		EXPECT_EQ(round + 1, written(self, self->secure));
		EXPECT_EQ(2 * round + 2, written(self, self->plain));
	}
	/* A provider that the session disallows stays out, whatever the list says. */
	ASSERT_EQ(0, vm_disallow(self->fd, self->secure, &self->pguid, 1));
	ASSERT_EQ(0, vm_access_remove(self->fd, self->sguid));
	EXPECT_EQ(0, vm_peer_write(&b).result);
	EXPECT_EQ(4, written(self, self->secure));
	ASSERT_EQ(0, vm_disallow(self->fd, self->secure, NULL, 0));
	EXPECT_EQ(0, vm_peer_write(&b).result);
	EXPECT_EQ(0, vm_peer_write(&a).result);
	EXPECT_EQ(6, written(self, self->secure));
	EXPECT_EQ(0, vm_peer_end(&a));
	EXPECT_EQ(0, vm_peer_end(&b));
}

/* The sessions that enable the provider's only registration, as bits. */
static uint64_t sessions_of(FIXTURE_DATA(access) *self)
{
	struct etw_provider_reg reg = { 0 };
	struct etw_provider_query q = { .size = sizeof(q), .provider = self->pguid,
					.regs = VM_PTR(&reg), .reg_cap = 1 };

	return vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q) || q.reg_count != 1 ?
	       UINT64_MAX : reg.sessions;
}

static uint64_t bit_of(FIXTURE_DATA(access) *self, uint64_t session)
{
	struct etw_session s;

	return vm_query(self->fd, session, &s) ? 0 : 1ull << (s.logger_id - 1);
}

static int join_in_vain(int fd, int slot)
{
	int types = vm_set_slot(fd, slot, ETW_SET_TYPES, NULL, 0, 1);

	return join_slot(fd, slot) == -EINVAL && types == -EINVAL ? 0 : -EIO;
}

/* B21: a classic provider has one session, also when a list changes; it joins no group. */
TEST_F(access, classic)
{
	struct vm_peer p;

	vm_peer_flags = ETW_REGISTER_CLASSIC;
	vm_peer_then = join_in_vain;
	ASSERT_EQ(0, may_log(self, VM_ALICE));
	ASSERT_EQ(0, vm_group_enable(self->fd, self->plain, self->group, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->plain, self->pguid, 0, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->secure, self->pguid, 0, 0, 0));
	EXPECT_EQ(0, vm_peer_start(&p, &bob, NULL, self->pguid).result);
	EXPECT_EQ(bit_of(self, self->plain), sessions_of(self));
	/* The secure session enabled it last, but only enabling takes it over. */
	ASSERT_EQ(0, may_log(self, VM_BOB));
	EXPECT_EQ(bit_of(self, self->plain), sessions_of(self));
	ASSERT_EQ(0, vm_enable(self->fd, self->secure, self->pguid, 0, 0, 0));
	EXPECT_EQ(bit_of(self, self->secure), sessions_of(self));
	ASSERT_EQ(0, vm_enable(self->fd, self->plain, self->pguid, 0, 0, 0));
	EXPECT_EQ(bit_of(self, self->plain), sessions_of(self));
	ASSERT_EQ(0, vm_access_remove(self->fd, self->sguid));
	EXPECT_EQ(bit_of(self, self->plain), sessions_of(self));
	EXPECT_EQ(0, vm_peer_end(&p));
}

/* The answer of alice's classic provider to a question. */
struct classic_report {
	unsigned int notices;		/* since the last time */
	struct etw_notify last;
	int written[2];			/* results of writing to the two sessions */
};

static int classic_write(int fd, int slot, uint32_t logger_id)
{
	struct etw_classic_write w = { .size = sizeof(w), .slot = slot, .logger_id = logger_id,
				       .kind = ETW_CLASSIC_EVENT, .guid = vm_guid(7) };

	return vm_ioctl(fd, ETW_IOC_CLASSIC, &w);
}

static int classic_peer(struct etw_guid guid, const uint32_t loggers[2], int in, int out)
{
	int fd = vm_open(), slot, i;
	char c;

	slot = vm_register_flags(fd, guid, ETW_REGISTER_CLASSIC | ETW_REGISTER_NOTIFY, 0);
	if (slot < 0)
		return 2;
	for (;;) {
		struct classic_report r = { .notices = 0 };
		struct etw_notify n = { .size = sizeof(n) };

		while (!vm_ioctl(fd, ETW_IOC_NOTIFY, &n)) {
			r.notices++;
			r.last = n;
			n = (struct etw_notify){ .size = sizeof(n) };
		}
		for (i = 0; i < 2; i++)
			r.written[i] = classic_write(fd, slot, loggers[i]);
		if (write(out, &r, sizeof(r)) != sizeof(r))
			return 3;
		if (read(in, &c, 1) != 1)
			return 0;
	}
}

/* The callback ran once, and writing to one session worked, or to none. */
static bool says(const struct classic_report *r, uint32_t control, uint32_t logger_id,
		 int first, int second)
{
	return r->notices == 1 && r->last.control == control &&
	       r->last.logger_id == logger_id && r->written[0] == first &&
	       r->written[1] == second;
}

static bool listen_to(int in, struct classic_report *r)
{
	struct pollfd ready = { .fd = in, .events = POLLIN };

	return poll(&ready, 1, VM_LIMIT_MS) == 1 && read(in, r, sizeof(*r)) == sizeof(*r);
}

static bool ask(int out, int in, struct classic_report *r)
{
	return write(out, "w", 1) == 1 && listen_to(in, r);
}

/*
 * B21, B148: a list that takes the right from a classic provider takes its only session. The
 * callback reports that it is disabled, writes fail, and neither another session nor the
 * removal of the list enables it; the next enabling does.
 */
TEST_F(access, classic_loses_its_session)
{
	struct classic_report r;
	struct etw_session s[2];
	int to[2], from[2];
	pid_t pid;

	ASSERT_EQ(0, vm_query(self->fd, self->secure, &s[0]));
	ASSERT_EQ(0, vm_query(self->fd, self->plain, &s[1]));
	ASSERT_EQ(0, vm_enable(self->fd, self->plain, self->pguid, 0, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->secure, self->pguid, 0, 0, 0));
	ASSERT_EQ(0, pipe(to));
	ASSERT_EQ(0, pipe(from));
	pid = fork();
	if (!pid) {
		close(to[1]);
		_exit(vm_become(&alice) ? 1 :
		      classic_peer(self->pguid, (uint32_t[]){ s[0].logger_id, s[1].logger_id },
				   to[0], from[1]));
	}
	close(to[0]);
	close(from[1]);
	ASSERT_TRUE(listen_to(from[0], &r));
	EXPECT_TRUE(says(&r, ETW_CONTROL_ENABLE, s[0].logger_id, 0, -ENOENT));
	ASSERT_EQ(0, may_log(self, VM_BOB));
	EXPECT_EQ(0, sessions_of(self));
	ASSERT_TRUE(ask(to[1], from[0], &r));
	EXPECT_TRUE(says(&r, ETW_CONTROL_DISABLE, 0, -ENOENT, -ENOENT));
	ASSERT_EQ(0, may_log(self, VM_ALICE));
	EXPECT_EQ(0, sessions_of(self));
	ASSERT_TRUE(ask(to[1], from[0], &r));
	EXPECT_EQ(0, r.notices);
	EXPECT_EQ(-ENOENT, r.written[0]);
	EXPECT_EQ(-ENOENT, r.written[1]);
	ASSERT_EQ(0, vm_enable(self->fd, self->secure, self->pguid, 0, 0, 0));
	ASSERT_TRUE(ask(to[1], from[0], &r));
	EXPECT_TRUE(says(&r, ETW_CONTROL_ENABLE, s[0].logger_id, 0, -ENOENT));
	EXPECT_EQ(2, written(self, self->secure));
	EXPECT_EQ(0, written(self, self->plain));
	close(to[1]);
	close(from[0]);
	EXPECT_EQ(0, vm_reap(pid));
}

TEST_HARNESS_MAIN
