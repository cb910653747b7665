// SPDX-License-Identifier: GPL-2.0-only
/*
 * items - the extended items that a session asks for with enable properties
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

static const struct etw_guid kguid = ETW_TEST_GUID;

/* Two sessions: the first asks for items, the second for none. */
FIXTURE(items) {
	int fd;
	int kfd;
	int slot;
	uint64_t session[2];
	struct vm_reader r[2];
	struct vm_events *events[2];
};

FIXTURE_SETUP(items)
{
	int i;

	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
	for (i = 0; i < 2; i++) {
		self->session[i] = vm_start_named(self->fd, i ? "t-plain" : "t-items");
		ASSERT_NE(0, self->session[i]);
		ASSERT_EQ(0, vm_reader_open(&self->r[i], self->fd, self->session[i], O_NONBLOCK));
		self->events[i] = calloc(1, sizeof(*self->events[i]));
		ASSERT_NE(NULL, self->events[i]);
		ASSERT_EQ(0, vm_enable(self->fd, self->session[i], vm_guid(1), 0, 0, 0));
		ASSERT_EQ(0, vm_enable(self->fd, self->session[i], kguid, 0, 0, 0));
	}
}

FIXTURE_TEARDOWN(items)
{
	int i;

	for (i = 0; i < 2; i++) {
		vm_reader_close(&self->r[i]);
		free(self->events[i]);
	}
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* What both sessions got since the last time; 0 or a negative errno. */
static int collect(FIXTURE_DATA(items) *self)
{
	int i, ret = 0;

	for (i = 0; i < 2 && ret >= 0; i++)
		ret = vm_collect(self->fd, self->session[i], &self->r[i], self->events[i]);
	return ret < 0 ? ret : 0;
}

static int ask(FIXTURE_DATA(items) *self, uint32_t property)
{
	int ret = vm_enable_with(self->fd, self->session[0], vm_guid(1), property, NULL, 0);

	return ret ?: vm_enable_with(self->fd, self->session[0], kguid, property, NULL, 0);
}

static int user_event(FIXTURE_DATA(items) *self)
{
	int ret = vm_write(self->fd, self->slot, 1, 1, 1, "items", 6);

	return ret ?: collect(self);
}

static int kernel_event(FIXTURE_DATA(items) *self, uint32_t context)
{
	struct etw_test_write w = { .count = 1, .size = 9, .descriptors = 1, .context = context,
				    .desc = { .id = 1, .level = 1, .keyword = 1 } };
	int ret = vm_ioctl(self->kfd, ETW_TEST_WRITE, &w);

	if (!ret && w.ok != 1)
		ret = w.result ?: -EPROTO;
	return ret ?: collect(self);
}

/* The number that a file of /proc/self holds. */
static uint32_t proc_number(const char *name)
{
	char path[64];
	uint32_t number = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/%s", name);
	f = fopen(path, "re");
	if (f && fscanf(f, "%u", &number) != 1)
		number = 0;
	if (f)
		fclose(f);
	return number;
}

/* B76: each item only if it was asked for, and then once; B77: for that session alone. */
TEST_F(items, each_only_if_asked_for)
{
	static const struct {
		uint32_t property;
		uint16_t type;
	} each[] = {
		{ ETW_ENABLE_SID, ETW_EXT_SID },
		{ ETW_ENABLE_TS_ID, ETW_EXT_TS_ID },
		{ ETW_ENABLE_STACK_TRACE, ETW_EXT_STACK_TRACE64 },
		{ ETW_ENABLE_PROCESS_START_KEY, ETW_EXT_PROCESS_START_KEY },
		{ ETW_ENABLE_EVENT_KEY, ETW_EXT_EVENT_KEY },
		{ ETW_ENABLE_CONTAINER, ETW_EXT_CONTAINER_ID },
		{ ETW_ENABLE_CONTEXT, ETW_EXT_CONTEXT },
	};
	unsigned int i;
	int kind;

	for (i = 0; i < ARRAY_SIZE(each); i++) {
		ASSERT_EQ(0, ask(self, each[i].property));
		for (kind = 0; kind < 4; kind++) {
			ASSERT_EQ(0, kind ? kernel_event(self, kind - 1) : user_event(self));
			ASSERT_EQ(1, self->events[0]->count);
			ASSERT_EQ(1, self->events[1]->count);
			EXPECT_EQ(1, vm_items(&self->events[0]->list[0], each[i].type, NULL));
			EXPECT_EQ(1, vm_item_count(&self->events[0]->list[0]));
			EXPECT_EQ(0, vm_item_count(&self->events[1]->list[0]));
			/* The payload is what it was. */
			EXPECT_EQ(kind ? 9 : 6, self->events[0]->list[0].len);
		}
	}
	ASSERT_EQ(0, ask(self, 0));
	ASSERT_EQ(0, user_event(self));
	EXPECT_EQ(0, vm_item_count(&self->events[0]->list[0]));
}

/* B76: the user is the effective one: S-1-22-1-uid. */
TEST_F(items, sid)
{
	static const uint8_t head[12] = { 1, 2, 0, 0, 0, 0, 0, 22, 1, 0, 0, 0 };
	const uint8_t *sid;
	uint32_t uid;
	uint16_t len;

	ASSERT_EQ(0, ask(self, ETW_ENABLE_SID));
	ASSERT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "root", 4));
	ASSERT_EQ(0, setresuid(-1, 1234567, -1));
	ASSERT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "user", 4));
	ASSERT_EQ(0, setresuid(-1, 0, -1));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(2, self->events[0]->count);
	sid = vm_item(&self->events[0]->list[0], ETW_EXT_SID, &len);
	ASSERT_NE(NULL, sid);
	ASSERT_EQ(16, len);
	EXPECT_EQ(0, memcmp(sid, head, 12));
	memcpy(&uid, sid + 12, 4);
	EXPECT_EQ(0, uid);
	sid = vm_item(&self->events[0]->list[1], ETW_EXT_SID, &len);
	ASSERT_NE(NULL, sid);
	memcpy(&uid, sid + 12, 4);
	EXPECT_EQ(1234567, uid);
}

/* B76: the id of the login session, as /proc has it, and 0 without one */
TEST_F(items, login_session)
{
	int status, fd;
	pid_t pid;

	ASSERT_EQ(0, ask(self, ETW_ENABLE_TS_ID));
	ASSERT_EQ(0, kernel_event(self, ETW_TEST_PROCESS));
	/* On a machine without audit or login there is no login session. */
	EXPECT_EQ(proc_number("sessionid") == UINT32_MAX ? 0 : proc_number("sessionid"),
		  vm_item_number(&self->events[0]->list[0], ETW_EXT_TS_ID));
	if (access("/proc/self/loginuid", F_OK))
		SKIP(return, "no audit in this kernel");
	pid = fork();
	if (!pid) {
		struct etw_test_write w = { .count = 1, .size = 4, .descriptors = 1,
					    .desc = { .id = 2, .level = 1, .keyword = 1 } };

		fd = open("/proc/self/loginuid", O_WRONLY | O_CLOEXEC);
		if (fd < 0 || dprintf(fd, "0") != 1 || vm_ioctl(self->kfd, ETW_TEST_WRITE, &w))
			_exit(255);
		_exit(proc_number("sessionid"));
	}
	status = vm_reap(pid);
	ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 255);
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(1, self->events[0]->count);
	EXPECT_EQ(WEXITSTATUS(status),
		  vm_item_number(&self->events[0]->list[0], ETW_EXT_TS_ID) & 0xff);
	EXPECT_NE(0, vm_item_number(&self->events[0]->list[0], ETW_EXT_TS_ID));
}

/* B76: the same for all threads of a process, and for no other process. */
TEST_F(items, process_start_key)
{
	struct etw_test_write w = { .count = 1, .size = 4, .descriptors = 1,
				    .desc = { .id = 2, .level = 1, .keyword = 1 } };
	uint64_t own, key;
	pid_t pid;
	int i;

	ASSERT_EQ(0, ask(self, ETW_ENABLE_PROCESS_START_KEY));
	ASSERT_EQ(0, user_event(self));
	own = vm_item_number(&self->events[0]->list[0], ETW_EXT_PROCESS_START_KEY);
	EXPECT_NE(0, own);
	ASSERT_EQ(0, kernel_event(self, ETW_TEST_PROCESS));
	EXPECT_EQ(own, vm_item_number(&self->events[0]->list[0], ETW_EXT_PROCESS_START_KEY));
	for (i = 0; i < 3; i++) {
		pid = fork();
		if (!pid)
			_exit(vm_ioctl(self->kfd, ETW_TEST_WRITE, &w) != 0);
		ASSERT_EQ(0, vm_reap(pid));
		ASSERT_EQ(0, collect(self));
		ASSERT_EQ(1, self->events[0]->count);
		key = vm_item_number(&self->events[0]->list[0], ETW_EXT_PROCESS_START_KEY);
		EXPECT_NE(0, key);
		EXPECT_NE(own, key);
		EXPECT_EQ(pid, self->events[0]->list[0].head.process_id);
		own = key;
	}
}

/* B76: one event has one key in all sessions, and no other event has it. */
TEST_F(items, event_key)
{
	uint64_t keys[60];
	int i, j;

	ASSERT_EQ(0, ask(self, ETW_ENABLE_EVENT_KEY));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session[1], vm_guid(1),
				    ETW_ENABLE_EVENT_KEY | ETW_ENABLE_SID, NULL, 0));
	for (i = 0; i < 60; i++) {
		vm_pin(i & 1);
		ASSERT_EQ(0, vm_write(self->fd, self->slot, i, 1, 1, &i, sizeof(i)));
	}
	vm_pin(0);
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(60, self->events[0]->count);
	ASSERT_EQ(60, self->events[1]->count);
	memset(keys, 0, sizeof(keys));
	for (i = 0; i < 60; i++)
		keys[self->events[0]->list[i].head.desc.id] =
			vm_item_number(&self->events[0]->list[i], ETW_EXT_EVENT_KEY);
	for (i = 0; i < 60; i++) {
		EXPECT_NE(0, keys[i]);
		EXPECT_EQ(keys[self->events[1]->list[i].head.desc.id],
			  vm_item_number(&self->events[1]->list[i], ETW_EXT_EVENT_KEY));
		for (j = 0; j < i; j++)
			EXPECT_NE(keys[i], keys[j]);
	}
}

/* The key of an event that a new session gets; 0: none. */
static uint64_t a_key(struct __test_metadata *_metadata)
{
	static struct vm_events events;
	struct vm_reader r;
	uint64_t session, key = 0;
	int slot, fd = vm_begin(&slot);

	ASSERT_LE(0, fd);
	session = vm_start_named(fd, "t-keys");
	ASSERT_NE(0, session);
	ASSERT_EQ(0, vm_reader_open(&r, fd, session, O_NONBLOCK));
	ASSERT_EQ(0, vm_enable_with(fd, session, vm_guid(1), ETW_ENABLE_EVENT_KEY, NULL, 0));
	ASSERT_EQ(0, vm_write(fd, slot, 1, 1, 1, "key", 3));
	if (vm_collect(fd, session, &r, &events) == 1)
		key = vm_item_number(&events.list[0], ETW_EXT_EVENT_KEY);
	vm_reader_close(&r);
	vm_stop_all(fd);
	close(fd);
	return key;
}

/* Nor has an event that is written after the module was loaded anew. */
TEST(event_keys_go_on)
{
	uint64_t before, after;

	vm_pin(0);
	before = a_key(_metadata);
	ASSERT_EQ(0, vm_rmmod("etw"));
	ASSERT_EQ(0, vm_insmod("etw"));
	after = a_key(_metadata);
	EXPECT_NE(0, before);
	EXPECT_EQ(before >> 48, after >> 48);
	EXPECT_GT(after, before);
}

/* An item that holds this UTF-16 string with its NUL. */
static bool is_utf16(const uint8_t *data, uint16_t len, const char *text)
{
	size_t i, n = strlen(text) + 1;

	for (i = 0; data && len == 2 * n && i < n; i++)
		if (data[2 * i] != (uint8_t)text[i] || data[2 * i + 1])
			return false;
	return data && len == 2 * n;
}

#define SLICE	"/etw-test.slice"
#define SCOPE	SLICE "/app-flatpak-org.etw.Test-17.scope"

static bool leave_groups(void)
{
	bool ok = vm_enter_group("/");

	rmdir(VM_GROUPS SCOPE);
	rmdir(VM_GROUPS SLICE);
	return ok;
}

/* B76: where the writer runs, and from which package, for sessions that ask for it */
TEST_F(items, container_and_application)
{
	static const char *const paths[] = { "/", SLICE, SCOPE };
	const char *data;
	uint16_t len;
	unsigned int i;

	if (!vm_groups())
		SKIP(return, "no cgroup2");
	ASSERT_EQ(0, ask(self, ETW_ENABLE_CONTAINER | ETW_ENABLE_PSM_KEY));
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		ASSERT_TRUE(vm_enter_group(paths[i]));
		ASSERT_EQ(0, user_event(self));
		ASSERT_EQ(1, self->events[0]->count);
		ASSERT_EQ(1, self->events[1]->count);
		EXPECT_EQ(0, vm_item_count(&self->events[1]->list[0]));
		data = vm_item(&self->events[0]->list[0], ETW_EXT_CONTAINER_ID, &len);
		ASSERT_NE(NULL, data);
		EXPECT_EQ(strlen(paths[i]) + 1, len);
		EXPECT_STREQ(paths[i], data);
		data = vm_item(&self->events[0]->list[0], ETW_EXT_PSM_KEY, &len);
		EXPECT_EQ(i == 2, is_utf16((const uint8_t *)data, len, "org.etw.Test"));
		EXPECT_EQ(i == 2, data != NULL);
	}
	ASSERT_EQ(0, kernel_event(self, ETW_TEST_HARDIRQ));
	data = vm_item(&self->events[0]->list[0], ETW_EXT_CONTAINER_ID, &len);
	EXPECT_NE(NULL, data);
	EXPECT_TRUE(leave_groups());
}

/* B76: the key of a package comes only if it was asked for, and then once. */
TEST_F(items, application_only_if_asked_for)
{
	static const uint32_t others = ETW_ENABLE_SID | ETW_ENABLE_TS_ID | ETW_ENABLE_CONTAINER |
				       ETW_ENABLE_PROCESS_START_KEY | ETW_ENABLE_EVENT_KEY;
	const struct vm_event *e = &self->events[0]->list[0];
	int kind;

	if (!vm_groups())
		SKIP(return, "no cgroup2");
	ASSERT_TRUE(vm_enter_group(SLICE));
	ASSERT_TRUE(vm_enter_group(SCOPE));
	for (kind = 0; kind < 2; kind++) {
		ASSERT_EQ(0, ask(self, ETW_ENABLE_PSM_KEY));
		ASSERT_EQ(0, kind ? kernel_event(self, ETW_TEST_PROCESS) : user_event(self));
		ASSERT_EQ(1, self->events[0]->count);
		ASSERT_EQ(1, self->events[1]->count);
		EXPECT_EQ(1, vm_items(e, ETW_EXT_PSM_KEY, NULL));
		EXPECT_EQ(1, vm_item_count(e));
		EXPECT_EQ(0, vm_item_count(&self->events[1]->list[0]));
		ASSERT_EQ(0, ask(self, others));
		ASSERT_EQ(0, kind ? kernel_event(self, ETW_TEST_PROCESS) : user_event(self));
		EXPECT_EQ(0, vm_items(e, ETW_EXT_PSM_KEY, NULL));
		EXPECT_EQ(5, vm_item_count(e));
		/* The other one asks: the first does not get it with its own. */
		ASSERT_EQ(0, vm_enable_with(self->fd, self->session[1], kind ? kguid : vm_guid(1),
					    ETW_ENABLE_PSM_KEY, NULL, 0));
		ASSERT_EQ(0, kind ? kernel_event(self, ETW_TEST_PROCESS) : user_event(self));
		EXPECT_EQ(5, vm_item_count(e));
		EXPECT_EQ(0, vm_items(e, ETW_EXT_PSM_KEY, NULL));
		EXPECT_EQ(1, vm_items(&self->events[1]->list[0], ETW_EXT_PSM_KEY, NULL));
		EXPECT_EQ(1, vm_item_count(&self->events[1]->list[0]));
		ASSERT_EQ(0, vm_enable_with(self->fd, self->session[1], kind ? kguid : vm_guid(1),
					    0, NULL, 0));
	}
	EXPECT_TRUE(leave_groups());
}

/* A path that does not fit is cut at a component. */
TEST_F(items, deep_group)
{
	char path[800] = "", name[1000], part[32];
	const char *data;
	uint16_t len;
	int i;

	if (!vm_groups())
		SKIP(return, "no cgroup2");
	ASSERT_EQ(0, ask(self, ETW_ENABLE_CONTAINER));
	for (i = 0; i < 25; i++) {
		snprintf(part, sizeof(part), "/etw-deep-%015d", i);
		strcat(path, part);
		ASSERT_TRUE(vm_enter_group(path));
	}
	ASSERT_EQ(0, user_event(self));
	data = vm_item(&self->events[0]->list[0], ETW_EXT_CONTAINER_ID, &len);
	ASSERT_NE(NULL, data);
	/* Components of 25 bytes with their slash; 512 bytes with the NUL. */
	EXPECT_EQ(20 * 25 + 1, len);
	EXPECT_EQ(0, memcmp(path, data, len - 1));
	EXPECT_EQ(0, data[len - 1]);
	EXPECT_TRUE(vm_enter_group("/"));
	for (i = 25; i > 0; i--) {
		path[25 * i] = 0;
		snprintf(name, sizeof(name), VM_GROUPS "%s", path);
		EXPECT_EQ(0, rmdir(name));
	}
}

/* Items make a record larger: an event that does not fit is counted, for that session. */
TEST_F(items, too_large_with_items)
{
	const uint32_t room = 65536 - 72 - 80;
	struct etw_session_stat st;
	uint8_t *data = calloc(1, 65536);

	ASSERT_EQ(0, ask(self, ETW_ENABLE_SID));
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, data, room - 24));
	EXPECT_EQ(-EMSGSIZE, vm_write(self->fd, self->slot, 1, 1, 1, data, room - 16));
	EXPECT_EQ(-EOVERFLOW, vm_write(self->fd, self->slot, 1, 1, 1, data, 65535 - 80 - 23));
	ASSERT_EQ(0, vm_stat(self->fd, self->session[0], &st));
	EXPECT_EQ(1, st.written);
	EXPECT_EQ(1, st.dropped[ETW_DROP_BUFFER_SIZE]);
	EXPECT_EQ(1, st.dropped[ETW_DROP_EVENT_SIZE]);
	ASSERT_EQ(0, vm_stat(self->fd, self->session[1], &st));
	EXPECT_EQ(2, st.written);
	EXPECT_EQ(1, vm_dropped(&st));
	free(data);
}

/* The copy of the properties for the library, in the enable area. */
TEST_F(items, area_shows_properties)
{
	const struct etw_enable_entry *area;

	area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, area);
	EXPECT_EQ(0, area[self->slot].properties);
	ASSERT_EQ(0, ask(self, ETW_ENABLE_SID | ETW_ENABLE_STACK_TRACE));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session[1], vm_guid(1), ETW_ENABLE_TS_ID,
				    NULL, 0));
	EXPECT_EQ(ETW_ENABLE_SID | ETW_ENABLE_STACK_TRACE | ETW_ENABLE_TS_ID,
		  area[self->slot].properties);
	ASSERT_EQ(0, vm_disable(self->fd, self->session[0], vm_guid(1)));
	EXPECT_EQ(ETW_ENABLE_TS_ID, area[self->slot].properties);
	munmap((void *)area, ETW_ENABLE_AREA_SIZE);
	EXPECT_EQ(-EINVAL, ask(self, 0x40));
	EXPECT_EQ(-EINVAL, ask(self, 0x80000000));
}

TEST_HARNESS_MAIN
