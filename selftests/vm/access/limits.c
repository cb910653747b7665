// SPDX-License-Identifier: GPL-2.0-only
/*
 * limits - limits on what the processes of one user take together
 */
#include "lib/vm.h"
#include "lib/vm_access.h"

#include <sys/mman.h>

#define REGISTRATIONS	"/sys/module/etw/parameters/max_user_registrations"
#define TRAITS		"/sys/module/etw/parameters/max_user_traits"
#define FILES		"/sys/module/etw/parameters/max_user_files"

static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };
static const struct vm_who bob = { VM_BOB, VM_BOB, 0, 0, false };
static const struct vm_who alice_inside = { VM_ALICE, VM_ALICE, 0, 0, true };
static const struct vm_who alice_may = { VM_ALICE, VM_ALICE, 0, CAP_SYS_RESOURCE, false };

FIXTURE(limits) {
	int fd;
};

FIXTURE_SETUP(limits)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_access_clear(self->fd);
}

FIXTURE_TEARDOWN(limits)
{
	vm_peer_then = NULL;
	EXPECT_EQ(0, vm_write_file(REGISTRATIONS, "16384"));
	EXPECT_EQ(0, vm_write_file(TRAITS, "4194304"));
	EXPECT_EQ(0, vm_write_file(FILES, "4096"));
	close(self->fd);
}

TEST_F(limits, defaults)
{
	unsigned int registrations = 0, traits = 0, files = 0;
	FILE *f = fopen(REGISTRATIONS, "re"), *g = fopen(TRAITS, "re"), *h = fopen(FILES, "re");

	ASSERT_TRUE(f && g && h);
	EXPECT_EQ(1, fscanf(h, "%u", &files));
	EXPECT_EQ(4096, files);
	fclose(h);
	EXPECT_EQ(1, fscanf(f, "%u", &registrations));
	EXPECT_EQ(1, fscanf(g, "%u", &traits));
	EXPECT_EQ(16384, registrations);
	EXPECT_EQ(4 << 20, traits);
	fclose(f);
	fclose(g);
}

TEST_F(limits, registrations_of_a_user)
{
	struct vm_peer first, second, refused, other, may;

	ASSERT_EQ(0, vm_write_file(REGISTRATIONS, "2"));
	EXPECT_EQ(0, vm_peer_start(&first, &alice, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_start(&second, &alice, NULL, vm_guid(1)).result);
	EXPECT_EQ(-ENOSPC, vm_peer_start(&refused, &alice, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_start(&other, &bob, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_start(&may, &alice_may, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_end(&refused));
	EXPECT_EQ(0, vm_peer_end(&may));
	EXPECT_EQ(0, vm_peer_end(&first));
	EXPECT_EQ(0, vm_peer_start(&first, &alice, NULL, vm_guid(1)).result);
	EXPECT_EQ(-ENOSPC, vm_peer_start(&refused, &alice, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_end(&refused));
	EXPECT_EQ(0, vm_peer_end(&first));
	EXPECT_EQ(0, vm_peer_end(&second));
	EXPECT_EQ(0, vm_peer_end(&other));
}

static int come_and_go(void *unused)
{
	int fd = vm_open(), i, slot;

	for (i = 0; i < 100; i++) {
		slot = vm_register(fd, vm_guid(1));
		if (slot < 0)
			return slot;
		if (vm_unregister(fd, slot))
			return -EIO;
	}
	return 0;
}

/* A registration is charged until its memory is free, but none is refused for that. */
TEST_F(limits, registrations_are_given_back)
{
	ASSERT_EQ(0, vm_write_file(REGISTRATIONS, "1"));
	EXPECT_EQ(0, vm_as(&alice, come_and_go, NULL));
}

/* ------------------------------------------------------------------- files */

static void *map_area(int fd)
{
	return mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, fd, 0);
}

/* Take ten files, some by a mapping alone; the number of the step that failed. */
static int fill_files(void *unused)
{
	int fds[10], more, i, slot;
	void *area;

	for (i = 0; i < 10; i++) {
		fds[i] = vm_open();
		slot = i % 2 ? vm_register(fds[i], vm_guid(1)) : 0;
		area = i % 2 ? NULL : map_area(fds[i]);
		/* What it has registered is no reason to keep the memory, and none to free it. */
		if (area == MAP_FAILED || slot < 0 || (i % 2 && vm_unregister(fds[i], slot)))
			return -1;
		if (area)
			munmap(area, ETW_ENABLE_AREA_SIZE);
	}
	more = vm_open();
	if (more < 0 || vm_register(more, vm_guid(1)) != -ENOSPC)
		return -2;
	if (map_area(more) != MAP_FAILED || errno != ENOSPC)
		return -3;
	/* A file that is closed makes room at once, also if it has registrations. */
	for (i = 0; i < 50; i++) {
		if (vm_register(fds[i % 10], vm_guid(2)) < 0)
			return -4;
		close(fds[i % 10]);
		fds[i % 10] = vm_open();
		if (vm_register(fds[i % 10], vm_guid(1)) < 0)
			return -5;
	}
	return vm_register(more, vm_guid(1)) == -ENOSPC ? 0 : -6;
}

TEST_F(limits, files_of_a_user)
{
	ASSERT_EQ(0, vm_write_file(FILES, "10"));
	EXPECT_EQ(0, vm_as(&alice, fill_files, NULL));
	/* All are given back. */
	EXPECT_EQ(0, vm_as(&alice, fill_files, NULL));
}

/* ------------------------------------------------------------------ traits */

/* Set traits of this size in bytes. */
static int set_traits(int fd, int slot, uint16_t len)
{
	static uint8_t blob[UINT16_MAX];
	struct etw_provider_set set = { .size = sizeof(set), .slot = slot,
					.flags = ETW_SET_TRAITS, .traits = VM_PTR(blob),
					.traits_len = len };
	uint16_t chunk = len - 3;

	memcpy(blob, &len, sizeof(len));
	blob[2] = 0;			/* no name */
	memcpy(blob + 3, &chunk, sizeof(chunk));
	blob[5] = 200;			/* a chunk of an unknown type */
	return vm_ioctl(fd, ETW_IOC_PROVIDER_SET, &set);
}

/* With traits of 100,000 bytes; the number of the step that failed. */
static int fill_traits(void *unused)
{
	int fd = vm_open(), a = vm_register(fd, vm_guid(1)), b = vm_register(fd, vm_guid(2)), i;

	if (set_traits(fd, a, 60000))
		return -1;
	if (set_traits(fd, b, 60000) != -ENOSPC)
		return -2;
	if (set_traits(fd, b, 40001) != -ENOSPC || set_traits(fd, b, 40000))
		return -3;
	/* Refused for another reason, and so not paid for. */
	if (vm_unregister(fd, b) || set_traits(fd, a, 40000) != -EEXIST ||
	    set_traits(fd, b, 40000) != -EBADF)
		return -4;
	b = vm_register(fd, vm_guid(2));
	if (set_traits(fd, b, 40000))
		return -5;
	if (vm_unregister(fd, a))
		return -6;
	for (i = 0; i < 50; i++) {
		a = vm_register(fd, vm_guid(1));
		if (set_traits(fd, a, 60000) || vm_unregister(fd, a))
			return -7;
	}
	return 0;
}

TEST_F(limits, traits_of_a_user)
{
	ASSERT_EQ(0, vm_write_file(TRAITS, "100000"));
	EXPECT_EQ(0, vm_as(&alice, fill_traits, NULL));
}

static int large_traits(int fd, int slot)
{
	return set_traits(fd, slot, UINT16_MAX);
}

TEST_F(limits, traits_of_several_processes)
{
	struct vm_peer first, refused, other, may;

	vm_peer_then = large_traits;
	ASSERT_EQ(0, vm_write_file(TRAITS, "100000"));
	EXPECT_EQ(0, vm_peer_start(&first, &alice, NULL, vm_guid(1)).result);
	EXPECT_EQ(-ENOSPC, vm_peer_start(&refused, &alice, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_start(&other, &bob, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_start(&may, &alice_may, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_end(&first));
	EXPECT_EQ(0, vm_peer_end(&refused));
	EXPECT_EQ(0, vm_peer_end(&other));
	EXPECT_EQ(0, vm_peer_end(&may));
}

/* --------------------------------------------------------- user namespaces */

/* Register until that fails; -1: it was not the limit that ended it. */
static int take_all(int fd)
{
	int n = 0, slot;

	while ((slot = vm_register(fd, vm_guid(1))) >= 0)
		n++;
	return slot == -ENOSPC ? n : -1;
}

struct inside {
	int to[2], from[2];
	pid_t pid;
};

static void say_and_wait(struct inside *in, int number)
{
	char go;

	if (write(in->from[1], &number, sizeof(number)) != sizeof(number) ||
	    read(in->to[0], &go, 1) != 1)
		_exit(1);
}

/* Alice in her own namespace, with five more users, one of whom makes another one. */
static void inside_main(struct inside *in)
{
	int fd, i, n = 0;

	if (vm_become(&alice) || prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER))
		_exit(2);
	say_and_wait(in, 0);
	fd = vm_open();
	for (i = 0; i <= 5; i++) {
		if (setresuid(i, 0, 0))
			_exit(3);
		n += take_all(fd);
	}
	say_and_wait(in, n);
	if (vm_unregister(fd, 0) || setresuid(3, 3, 3) || unshare(CLONE_NEWUSER))
		_exit(4);
	n = take_all(fd);
	say_and_wait(in, n);
	_exit(0);
}

/* The child's answer, or -1; it continues when the parent writes to it. */
static int hear(struct inside *in)
{
	struct pollfd ready = { .fd = in->from[0], .events = POLLIN };
	int number;

	return poll(&ready, 1, VM_LIMIT_MS) == 1 &&
	       read(in->from[0], &number, sizeof(number)) == sizeof(number) ? number : -1;
}

static bool go_on(struct inside *in)
{
	return write(in->to[1], "g", 1) == 1;
}

static int map_users(pid_t pid)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	ret = vm_write_file(path, "0 1000 1\n1 100000 5\n");
	snprintf(path, sizeof(path), "/proc/%d/gid_map", pid);
	return ret ?: vm_write_file(path, "0 1000 1\n");
}

/* The creator of the namespace is charged for all users inside it. */
TEST_F(limits, subordinate_users_pay_together)
{
	struct vm_peer p;
	struct inside in;

	ASSERT_EQ(0, vm_write_file(REGISTRATIONS, "10"));
	ASSERT_EQ(0, pipe(in.to));
	ASSERT_EQ(0, pipe(in.from));
	in.pid = fork();
	if (!in.pid)
		inside_main(&in);
	ASSERT_EQ(0, hear(&in));
	ASSERT_EQ(0, map_users(in.pid));
	ASSERT_TRUE(go_on(&in));
	EXPECT_EQ(10, hear(&in));
	/* Her limit is also used up outside, and in another namespace. */
	EXPECT_EQ(-ENOSPC, vm_peer_start(&p, &alice, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_end(&p));
	EXPECT_EQ(-ENOSPC, vm_peer_start(&p, &alice_inside, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_end(&p));
	EXPECT_EQ(0, vm_peer_start(&p, &bob, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_end(&p));
	/* One was released: a nested namespace can use it. */
	ASSERT_TRUE(go_on(&in));
	EXPECT_EQ(1, hear(&in));
	ASSERT_TRUE(go_on(&in));
	EXPECT_EQ(0, vm_reap(in.pid));
	/* Nothing stays charged. */
	EXPECT_EQ(0, vm_peer_start(&p, &alice, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_end(&p));
}

/* The charges of one container do not affect another. */
TEST_F(limits, containers_of_root_pay_for_themselves)
{
	static const struct vm_who inside = { 0, 0, 0, 0, true };
	struct vm_peer first, second;

	ASSERT_EQ(0, vm_write_file(REGISTRATIONS, "1"));
	EXPECT_EQ(0, vm_peer_start(&first, &inside, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_start(&second, &inside, NULL, vm_guid(1)).result);
	EXPECT_EQ(0, vm_peer_end(&first));
	EXPECT_EQ(0, vm_peer_end(&second));
}

TEST_HARNESS_MAIN
