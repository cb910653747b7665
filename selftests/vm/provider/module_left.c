// SPDX-License-Identifier: GPL-2.0-only
/*
 * module_left - modules that end without unregistering their providers, and callbacks that
 * die
 *
 * TIMEOUT: 600
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_left/etw_left.h"

#define BOTH	(ETW_LEFT_STATIC | ETW_LEFT_HANDLE)

static const struct etw_guid static_guid = ETW_LEFT_GUID;
static const struct etw_guid handle_guid = ETW_LEFT_HANDLE_GUID;
static const struct etw_guid group_guid = ETW_LEFT_GROUP_GUID;

FIXTURE(left) {
	int fd;
	int slot;
	int kmsg;
	uint64_t session;
	char log[4096];		/* lines of etw since the test began */
	unsigned int lines;
};

FIXTURE_SETUP(left)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->session = vm_start_named(self->fd, "t-left");
	ASSERT_NE(0, self->session);
	self->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->kmsg);
	lseek(self->kmsg, 0, SEEK_END);
}

FIXTURE_TEARDOWN(left)
{
	vm_rmmod_try("etw_left");
	vm_stop_all(self->fd);
	close(self->kmsg);
	close(self->fd);
}

/* Collect what etw logged; "" if nothing. */
static const char *logged(FIXTURE_DATA(left) *self)
{
	char line[2048], *text;
	size_t len;
	ssize_t n;

	self->log[0] = 0;
	self->lines = 0;
	while ((n = read(self->kmsg, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		line[n < 0 ? 0 : n] = 0;
		text = strstr(line, ";etw: ");
		if (!text)
			continue;
		len = strlen(self->log);
		snprintf(self->log + len, sizeof(self->log) - len, "%.*s\n",
			 (int)strcspn(text + 1, "\n"), text + 1);
		self->lines++;
	}
	return self->log;
}

/* Is one complaint logged, with that text? */
static bool complained(FIXTURE_DATA(left) *self, const char *text)
{
	if (strstr(logged(self), text) && self->lines == 1)
		return true;
	fprintf(stderr, "# logged %u lines: %s", self->lines, self->log);
	return false;
}

static int load(unsigned int what, const char *more)
{
	char parameters[128];

	snprintf(parameters, sizeof(parameters), "what=%u %s", what, more);
	return vm_insmod_with("etw_left", parameters);
}

static int enable(FIXTURE_DATA(left) *self, struct etw_guid guid, uint32_t timeout_ms)
{
	struct etw_enable e = vm_enable_arg(self->session, guid);

	e.timeout_ms = timeout_ms;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static int registrations(int fd, struct etw_guid guid)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = guid };
	int ret = vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &q);

	return ret == -ESRCH ? 0 : ret ? ret : (int)q.reg_count;
}

static int group_members(int fd)
{
	struct etw_group_query q = { .size = sizeof(q), .group = group_guid };
	int ret = vm_ioctl(fd, ETW_IOC_GROUP_QUERY, &q);

	return ret == -ESRCH ? 0 : ret ? ret : (int)q.member_count;
}

static bool callback_runs(void)
{
	return vm_count_lines("/sys/module/etw_left/parameters/runs", "Y") == 1;
}

/* Do the calls that would use the module's remains work? */
static bool works(FIXTURE_DATA(left) *self)
{
	struct etw_guid guids[] = { static_guid, handle_guid };
	int fd = vm_open(), slot, bad = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(guids); i++) {
		bad += registrations(fd, guids[i]) != 0;
		bad += enable(self, guids[i], 0xFFFFFFFF) != 0;
		slot = vm_register(fd, guids[i]);
		bad += slot < 0 || vm_write(fd, slot, 1, 1, 1, "x", 1);
		bad += vm_unregister(fd, slot) != 0;
	}
	bad += group_members(fd) != 0;
	bad += vm_stop(self->fd, self->session) != 0;
	close(fd);
	return !bad;
}

TEST_F(left, init_fails)
{
	ASSERT_EQ(-ENODEV, load(BOTH | ETW_LEFT_TRAITS | ETW_LEFT_CALLBACK, "fails=1"));
	EXPECT_TRUE(complained(self, "module etw_left ended without unregistering provider "
				     ETW_LEFT_NAME " {7e57ab1e-0002-4e57-8001-020304050607} "
				     "and others"));
	EXPECT_TRUE(works(self));
	EXPECT_STREQ("", logged(self));
}

TEST_F(left, init_fails_while_enabled)
{
	ASSERT_EQ(0, enable(self, static_guid, 0));
	ASSERT_EQ(0, enable(self, handle_guid, 0));
	ASSERT_EQ(-ENODEV, load(BOTH | ETW_LEFT_CALLBACK, "fails=1 sleep=300"));
	EXPECT_TRUE(complained(self, ETW_LEFT_NAME));
	EXPECT_TRUE(works(self));
}

TEST_F(left, removed_while_enabled)
{
	ASSERT_EQ(0, load(BOTH | ETW_LEFT_TRAITS, ""));
	ASSERT_EQ(0, enable(self, static_guid, 0));
	ASSERT_EQ(0, enable(self, handle_guid, 0));
	EXPECT_EQ(1, registrations(self->fd, static_guid));
	EXPECT_EQ(1, group_members(self->fd));
	ASSERT_EQ(0, vm_rmmod("etw_left"));
	EXPECT_TRUE(complained(self, "module etw_left ended without unregistering"));
	EXPECT_TRUE(works(self));
}

/* Neither an owner nor a callback: only the caller shows whose the handle is. */
TEST_F(left, removed_without_an_owner)
{
	ASSERT_EQ(0, load(ETW_LEFT_HANDLE | ETW_LEFT_ANONYMOUS, ""));
	ASSERT_EQ(0, enable(self, handle_guid, 0));
	ASSERT_EQ(0, vm_rmmod("etw_left"));
	EXPECT_TRUE(complained(self, "7e57ab1e-0003-4e57-8001-020304050607"));
	EXPECT_TRUE(works(self));
}

TEST_F(left, removed_while_the_callback_runs)
{
	long long begun;

	ASSERT_EQ(0, load(BOTH | ETW_LEFT_CALLBACK, "sleep=2000"));
	begun = vm_ms();
	ASSERT_EQ(0, enable(self, static_guid, 0));
	ASSERT_TRUE(vm_until(callback_runs()));
	ASSERT_EQ(0, vm_rmmod("etw_left"));
	EXPECT_LE(1900, vm_ms() - begun);
	EXPECT_TRUE(complained(self, "module etw_left ended without unregistering"));
	EXPECT_TRUE(works(self));
}

/* Once in a session that is stopped while the module still has its providers. */
TEST_F(left, enabled_again_and_again)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, load(BOTH | ETW_LEFT_CALLBACK, i % 2 ? "fails=1" : "") ?
			  !(i % 2) : i % 2);
		ASSERT_EQ(0, enable(self, static_guid, 0xFFFFFFFF));
		if (!(i % 2)) {
			ASSERT_EQ(0, vm_rmmod("etw_left"));
		}
		EXPECT_TRUE(complained(self, ETW_LEFT_NAME));
	}
	EXPECT_TRUE(works(self));
}

/*
 * A callback that dies completes the enable call that waits for it, is not called again,
 * and lets its module go.
 */
TEST_F(left, callback_dies)
{
	ASSERT_EQ(0, load(BOTH | ETW_LEFT_CALLBACK, "dies=1"));
	EXPECT_EQ(0, enable(self, static_guid, 60000));
	EXPECT_TRUE(complained(self, "the enable callback of module etw_left died"));
	EXPECT_EQ(0, enable(self, static_guid, 60000));
	EXPECT_STREQ("", logged(self));
	ASSERT_EQ(0, vm_rmmod("etw_left"));
	EXPECT_TRUE(complained(self, "module etw_left ended without unregistering"));
	EXPECT_TRUE(works(self));
}

TEST_HARNESS_MAIN
