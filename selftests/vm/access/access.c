// SPDX-License-Identifier: GPL-2.0-only
/*
 * access - the rights that access lists of sessions and providers give
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/vm_access.h"

#define PERFMON	38
#define LOOK	(ETW_RIGHT_QUERY | ETW_RIGHT_ACCESS_REALTIME)

static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };
static const struct vm_who bob = { VM_BOB, VM_BOB, 0, 0, false };
static const struct vm_who member = { VM_BOB, VM_BOB, VM_CLUB, 0, false };
static const struct vm_who monitor = { VM_ALICE, VM_ALICE, 0, PERFMON, false };
static const struct vm_who inside = { VM_ALICE, VM_ALICE, 0, 0, true };

/* Session GUID 0x100, provider GUID 1. */
FIXTURE(access) {
	int fd;
	int slot;
	uint64_t session;
	struct etw_guid sguid, pguid;
	int *result;		/* of each command, shared with children */
};

static uint64_t start(int fd, const char *name, struct etw_guid guid, uint32_t mode)
{
	struct etw_session s = vm_session(name);

	s.guid = guid;
	s.mode |= mode;
	return vm_start(fd, &s) ? 0 : s.handle;
}

FIXTURE_SETUP(access)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	vm_access_clear(self->fd);
	self->sguid = vm_guid(0x100);
	self->pguid = vm_guid(1);
	self->session = start(self->fd, "t-access", self->sguid, ETW_MODE_SYSTEM);
	ASSERT_NE(0, self->session);
	self->result = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->result);
}

FIXTURE_TEARDOWN(access)
{
	vm_access_clear(self->fd);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* ----------------------------------------------------- rights and commands */

static int do_query(void *arg)
{
	FIXTURE_DATA(access) *self = arg;

	return vm_query(self->fd, self->session, NULL);
}

static int do_query_name(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_session s = vm_session("T-ACCESS");

	return vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, &s);
}

static int do_stat(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_session_stat st;

	return vm_stat(self->fd, self->session, &st);
}

static int do_enum(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	uint64_t handle = 0;
	int n = vm_sessions(self->fd, &handle, 1);

	return n < 0 ? n : n == 1 && handle == self->session ? 0 : -EPROTO;
}

static int do_start(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_session s = vm_session("t-access");

	/* It exists: only callers who may start it learn that. */
	s.guid = self->sguid;
	return vm_start(self->fd, &s) == -EEXIST ? 0 : -EPERM;
}

static int do_update(void *arg)
{
	FIXTURE_DATA(access) *self = arg;

	return vm_session_op(self->fd, ETW_IOC_SESSION_UPDATE, self->session, NULL);
}

static int do_flush(void *arg)
{
	FIXTURE_DATA(access) *self = arg;

	return vm_flush(self->fd, self->session);
}

static int capture(FIXTURE_DATA(access) *self, uint32_t flags, struct etw_guid *guids,
		   uint32_t count)
{
	struct etw_session_capture c = {
		.size = sizeof(c), .flags = flags, .handle = self->session,
		.guids = VM_PTR(guids), .count = count, .period_s = 3600 };
	int ret = vm_ioctl(self->fd, ETW_IOC_SESSION_CAPTURE, &c);

	return ret ?: c.count;
}

/* Setting an empty list only requires the right on the session. */
static int do_capture_none(void *arg)
{
	return capture(arg, ETW_CAPTURE_SET, NULL, 0);
}

static int do_capture_tell(void *arg)
{
	return capture(arg, 0, NULL, 0);
}

static int system_command(FIXTURE_DATA(access) *self, uint32_t flags)
{
	struct etw_session_system s = { .size = sizeof(s), .flags = flags,
					.handle = self->session };

	return vm_ioctl(self->fd, ETW_IOC_SESSION_SYSTEM, &s);
}

static int do_system_set(void *arg)
{
	return system_command(arg, ETW_SYSTEM_SET);
}

static int do_system(void *arg)
{
	return system_command(arg, 0);
}

static int do_missed(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_session_missed m = { .size = sizeof(m), .handle = self->session,
					.provider = self->pguid, .events = 1 };

	return vm_ioctl(self->fd, ETW_IOC_SESSION_MISSED, &m);
}

static int do_capture(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_guid guids[] = { self->pguid, self->pguid };

	return capture(self, ETW_CAPTURE_SET, guids, 2) == 2 ? 0 : -errno;
}

static int do_consume(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	int fd = vm_consume(self->fd, self->session, 0, NULL);

	return fd < 0 ? fd : 0;
}

static int do_register(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	int fd = vm_open(), slot = vm_register(fd, self->pguid);

	return slot < 0 ? slot : 0;
}

static int do_provider(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_provider_query q = { .size = sizeof(q), .provider = self->pguid };

	return vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q);
}

static int do_providers(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_guid guids[1 + VM_OWN_PROVIDERS];
	int n = vm_providers(self->fd, guids, ARRAY_SIZE(guids));

	if (n < 0)
		return n;
	return n == 1 && !memcmp(guids, &self->pguid, sizeof(guids[0])) ? 0 : -EPROTO;
}

static int do_access_query(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_guid guid = self->sguid;
	int n = vm_access_query(self->fd, &guid, 0, NULL, 0, NULL);

	return n < 0 ? n : 0;
}

static int do_enable(void *arg)
{
	FIXTURE_DATA(access) *self = arg;

	return vm_enable(self->fd, self->session, self->pguid, 1, 1, 0);
}

static int do_stop(void *arg)
{
	FIXTURE_DATA(access) *self = arg;

	return vm_stop(self->fd, self->session);
}

static const struct {
	const char *name;
	int (*fn)(void *arg);
	uint32_t right;		/* any of these */
} commands[] = {
	{ "QUERY", do_query, LOOK },
	{ "QUERY by name", do_query_name, LOOK },
	{ "STAT", do_stat, LOOK },
	{ "ENUM", do_enum, ETW_RIGHT_QUERY },
	{ "START", do_start, ETW_RIGHT_CREATE_REALTIME },
	{ "UPDATE", do_update, ETW_RIGHT_CREATE_REALTIME },
	{ "FLUSH", do_flush, ETW_RIGHT_CREATE_REALTIME },
	{ "CAPTURE, set", do_capture_none, ETW_RIGHT_CREATE_REALTIME },
	{ "CAPTURE", do_capture_tell, LOOK },
	{ "SYSTEM, set", do_system_set, ETW_RIGHT_CREATE_REALTIME },
	{ "MISSED", do_missed, ETW_RIGHT_CREATE_REALTIME },
	{ "SYSTEM", do_system, LOOK | ETW_RIGHT_CREATE_REALTIME },
	{ "CONSUMER_OPEN", do_consume, ETW_RIGHT_ACCESS_REALTIME },
	{ "REGISTER", do_register, ETW_RIGHT_REGISTER_GUIDS },
	{ "PROVIDER_QUERY", do_provider, ETW_RIGHT_QUERY },
	{ "PROVIDER_ENUM", do_providers, ETW_RIGHT_QUERY },
	{ "ACCESS_QUERY", do_access_query, ETW_RIGHT_QUERY },
};

static int do_each(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		self->result[i] = commands[i].fn(self);
	return 0;
}

/* Do exactly the commands succeed that need this right? */
static bool as_by_right(FIXTURE_DATA(access) *self, const struct vm_who *who, uint32_t rights)
{
	unsigned int i, wrong = 0;

	memset(self->result, 0xff, 4096);
	if (vm_as(who, do_each, self))
		return false;
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (self->result[i] == (commands[i].right & rights ? 0 : -EPERM))
			continue;
		fprintf(stderr, "# %s with 0x%x: %d\n", commands[i].name, rights, self->result[i]);
		wrong++;
	}
	return !wrong;
}

/* B158: by default, users provide and CAP_PERFMON controls. */
TEST_F(access, defaults)
{
	EXPECT_TRUE(as_by_right(self, &alice, ETW_RIGHT_REGISTER_GUIDS));
	EXPECT_TRUE(as_by_right(self, &monitor, ETW_RIGHT_ALL));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_enable, self));
	EXPECT_EQ(0, vm_as(&monitor, do_enable, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_stop, self));
	EXPECT_EQ(0, vm_as(&monitor, do_stop, self));
}

/* B160: each right permits its commands, on its object, and no others. */
TEST_F(access, each_right_its_commands)
{
	static const uint32_t rights[] = {
		ETW_RIGHT_QUERY, 2, 4, 8, 0x10, ETW_RIGHT_CREATE_REALTIME,
		ETW_RIGHT_CREATE_ONDISK, ETW_RIGHT_GUID_ENABLE, 0x100, ETW_RIGHT_LOG_EVENT,
		ETW_RIGHT_ACCESS_REALTIME, ETW_RIGHT_REGISTER_GUIDS, ETW_RIGHT_JOIN_GROUP };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rights); i++) {
		ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(USER, VM_ALICE, rights[i])));
		ASSERT_EQ(0, vm_access(self->fd, self->pguid, VM_ALLOW(USER, VM_ALICE, rights[i])));
		EXPECT_TRUE(as_by_right(self, &alice, rights[i]));
	}
	/* And for no other user. */
	EXPECT_TRUE(as_by_right(self, &bob, 0));
}

/* B160: rights on sessions are checked on the session, rights on providers on the provider. */
TEST_F(access, each_on_its_object)
{
	unsigned int j;
	bool provider;

	for (j = 0; j < ARRAY_SIZE(commands); j++) {
		provider = commands[j].fn == do_register || commands[j].fn == do_provider ||
			   commands[j].fn == do_providers;
		ASSERT_EQ(0, vm_access(self->fd, provider ? self->sguid : self->pguid,
				       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_ALL)));
		ASSERT_EQ(0, vm_access(self->fd, provider ? self->pguid : self->sguid,
				       VM_DENY(USER, VM_ALICE, ETW_RIGHT_ALL)));
		EXPECT_EQ(-EPERM, vm_as(&alice, commands[j].fn, self))
			TH_LOG("%s", commands[j].name);
	}
}

/* B160: GUID_ENABLE on the provider, and control over the session. */
TEST_F(access, enable_needs_both)
{
	ASSERT_EQ(0, vm_access(self->fd, self->pguid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_GUID_ENABLE)));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_enable, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_CREATE_REALTIME)));
	EXPECT_EQ(0, vm_as(&alice, do_enable, self));
	EXPECT_EQ(-EPERM, vm_as(&bob, do_enable, self));
	ASSERT_EQ(0, vm_access(self->fd, self->pguid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_ALL & ~ETW_RIGHT_GUID_ENABLE)));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_enable, self));
}

/* B160, B36: periodic requests need the same right as a single one. */
TEST_F(access, capture_needs_both)
{
	EXPECT_EQ(-EPERM, vm_as(&alice, do_capture, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_CREATE_REALTIME)));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_capture, self));
	EXPECT_EQ(0, capture(self, 0, NULL, 0));
	ASSERT_EQ(0, vm_access(self->fd, self->pguid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_GUID_ENABLE)));
	EXPECT_EQ(0, vm_as(&alice, do_capture, self));
	EXPECT_EQ(2, capture(self, 0, NULL, 0));
	EXPECT_EQ(-EPERM, vm_as(&bob, do_capture, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_ALL & ~ETW_RIGHT_CREATE_REALTIME)));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_capture, self));
	ASSERT_EQ(0, vm_access(self->fd, vm_default, VM_ALLOW(USER, VM_BOB, ETW_RIGHT_ALL)));
	EXPECT_EQ(-EPERM, vm_as(&bob, do_capture_none, self));
	EXPECT_EQ(2, capture(self, 0, NULL, 0));
}

TEST_F(access, stop_needs_control)
{
	ASSERT_EQ(0, vm_access(self->fd, self->sguid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_ALL & ~ETW_RIGHT_CREATE_REALTIME)));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_stop, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_CREATE_REALTIME)));
	EXPECT_EQ(0, vm_as(&alice, do_stop, self));
	/* It has stopped; callers who never had a right do not learn that. */
	EXPECT_EQ(-EPERM, vm_as(&alice, do_stop, self));
	EXPECT_EQ(-ENOENT, vm_as(&monitor, do_stop, self));
}

/* A user with the right starts a session; a generated GUID has the default list. */
static int starts(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_session s = vm_session("t-users-own");

	s.guid = self->pguid;
	return vm_start(self->fd, &s);
}

static int starts_any(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_session s = vm_session("t-users-any");

	return vm_start(self->fd, &s);
}

TEST_F(access, start)
{
	ASSERT_EQ(0, vm_access(self->fd, self->pguid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_CREATE_REALTIME)));
	EXPECT_EQ(-EPERM, vm_as(&bob, starts, self));
	EXPECT_EQ(0, vm_as(&alice, starts, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, starts_any, self));
	ASSERT_EQ(0, vm_access(self->fd, vm_default,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_CREATE_REALTIME)));
	EXPECT_EQ(0, vm_as(&alice, starts_any, self));
}

/* ------------------------------------------------------------ who is meant */

TEST_F(access, groups_and_capabilities)
{
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(GROUP, VM_CLUB, 1)));
	EXPECT_EQ(-EPERM, vm_as(&bob, do_query, self));
	EXPECT_EQ(0, vm_as(&member, do_query, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(GROUP, VM_BOB, 1)));
	EXPECT_EQ(0, vm_as(&bob, do_query, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_query, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(CAPABILITY, PERFMON, 1)));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_query, self));
	EXPECT_EQ(0, vm_as(&monitor, do_query, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(EVERYONE, 0, 1)));
	EXPECT_EQ(0, vm_as(&alice, do_query, self));
	/* The first entry that names a right decides. */
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_DENY(GROUP, VM_CLUB, 1),
			       VM_ALLOW(EVERYONE, 0, 1)));
	EXPECT_EQ(-EPERM, vm_as(&member, do_query, self));
	EXPECT_EQ(0, vm_as(&bob, do_query, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(EVERYONE, 0, 1),
			       VM_DENY(GROUP, VM_CLUB, 1)));
	EXPECT_EQ(0, vm_as(&member, do_query, self));
}

/* CAP_PERFMON is given by lists and can be withheld; CAP_SYS_ADMIN cannot. */
TEST_F(access, root_is_not_locked_out)
{
	unsigned int j;

	ASSERT_EQ(0, vm_access_set(self->fd, vm_default, NULL, 0));
	ASSERT_EQ(0, vm_access_set(self->fd, self->sguid, NULL, 0));
	ASSERT_EQ(0, vm_access(self->fd, self->pguid, VM_DENY(USER, 0, ETW_RIGHT_ALL),
			       VM_DENY(EVERYONE, 0, ETW_RIGHT_ALL)));
	EXPECT_TRUE(as_by_right(self, &alice, 0));
	EXPECT_TRUE(as_by_right(self, &monitor, 0));
	for (j = 0; j < ARRAY_SIZE(commands); j++)
		EXPECT_EQ(0, commands[j].fn(self))
			TH_LOG("command %u", j);
	EXPECT_EQ(0, vm_access_remove(self->fd, vm_default));
}

/* Effective ids decide: a program that has dropped its rights has none. */
static int query_as_effective(void *arg)
{
	return seteuid(VM_BOB) ? -EIO : do_query(arg);
}

TEST_F(access, effective_user)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(USER, VM_BOB, 1)));
	pid = fork();
	if (!pid)
		_exit(setegid(VM_BOB) ? 255 : -query_as_effective(self));
	status = vm_reap(pid);
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(USER, 0, 1)));
	pid = fork();
	if (!pid)
		_exit(setegid(VM_BOB) ? 255 : -query_as_effective(self));
	status = vm_reap(pid);
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(EPERM, WEXITSTATUS(status));
}

/* Root of a container has the rights of the user that they are outside. */
TEST_F(access, root_of_a_container)
{
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(USER, 0, 1),
			       VM_ALLOW(GROUP, 0, 1), VM_ALLOW(CAPABILITY, PERFMON, 1),
			       VM_ALLOW(CAPABILITY, CAP_SYS_ADMIN, 1)));
	EXPECT_EQ(-EPERM, vm_as(&inside, do_query, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(USER, VM_ALICE, 1)));
	EXPECT_EQ(0, vm_as(&inside, do_query, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(GROUP, VM_ALICE, 1)));
	EXPECT_EQ(0, vm_as(&inside, do_query, self));
}

/* B161: a GUID without a list of its own has the default one; removing restores that. */
TEST_F(access, default_list)
{
	ASSERT_EQ(0, vm_access(self->fd, vm_default, VM_ALLOW(USER, VM_ALICE, 1)));
	EXPECT_EQ(0, vm_as(&alice, do_query, self));
	EXPECT_EQ(-EPERM, vm_as(&bob, do_query, self));
	/* The default list also decides who may register: nobody. */
	EXPECT_EQ(-EPERM, vm_as(&bob, do_register, self));
	ASSERT_EQ(0, vm_access(self->fd, self->sguid, VM_ALLOW(USER, VM_BOB, 1)));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_query, self));
	EXPECT_EQ(0, vm_as(&bob, do_query, self));
	ASSERT_EQ(0, vm_access_remove(self->fd, self->sguid));
	EXPECT_EQ(0, vm_as(&alice, do_query, self));
	EXPECT_EQ(-EPERM, vm_as(&bob, do_query, self));
	ASSERT_EQ(0, vm_access_remove(self->fd, vm_default));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_query, self));
	EXPECT_EQ(0, vm_as(&bob, do_register, self));
	/* Removing again changes nothing. */
	EXPECT_EQ(0, vm_access_remove(self->fd, vm_default));
}

/* B159: without the right, nobody can register; existing registrations stay. */
TEST_F(access, register_needs_the_right)
{
	struct etw_session_stat st;

	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->pguid, 0, 0, 0));
	ASSERT_EQ(0, vm_access(self->fd, self->pguid,
			       VM_DENY(USER, VM_ALICE, ETW_RIGHT_REGISTER_GUIDS),
			       VM_ALLOW(EVERYONE, 0, ETW_RIGHT_REGISTER_GUIDS)));
	EXPECT_EQ(-EPERM, vm_as(&alice, do_register, self));
	EXPECT_EQ(-EPERM, vm_as(&inside, do_register, self));
	EXPECT_EQ(0, vm_as(&bob, do_register, self));
	ASSERT_EQ(0, vm_access_set(self->fd, self->pguid, NULL, 0));
	EXPECT_EQ(-EPERM, vm_as(&bob, do_register, self));
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "still", 5));
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(1, st.written);
}

TEST_HARNESS_MAIN
