// SPDX-License-Identifier: GPL-2.0-only
/*
 * lockdown - a kernel that is locked down for confidentiality gives no addresses away
 *
 * Lockdown cannot be taken back, and no module can be loaded after it, so this runs as the
 * last program of a machine, and only with ETW_LOCKDOWN=1.
 */
#include "lib/vm.h"
#include "lib/vm_abi.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include <etw/format.h>
#include "kmod/etw_test/etw_test.h"

#include <sys/mount.h>

#define LOCKDOWN	"/sys/kernel/security/lockdown"

static const struct etw_guid guid = ETW_TEST_GUID;
static const struct etw_guid image_guid = ETW_IMAGE_GUID;

/*
 * Write an event in the kernel and read it; how many stacks has it?  Negative: it has not come.
 * Events of Etw-Image, which was enabled for a moment, may come with it.
 */
static int stacks(int fd, int kfd, uint64_t session, struct vm_reader *r)
{
	struct etw_test_write w = { .count = 1, .size = 8, .descriptors = 1,
				    .desc = { .id = 1, .level = 1 } };
	static struct vm_events events;
	int ret = vm_ioctl(kfd, ETW_TEST_WRITE, &w);
	const struct vm_event *e;

	ret = ret ?: vm_collect(fd, session, r, &events);
	if (ret < 0)
		return ret;
	if (events.count > VM_KEPT)
		return -E2BIG;
	for (e = events.list; e < events.list + events.count; e++)
		if (!memcmp(&e->head.provider, &guid, sizeof(guid)))
			return vm_items(e, ETW_EXT_STACK_TRACE64, NULL);
	return -ENOMSG;
}

/* Commands that give addresses away */
enum { TRACE_EVENT, BPF_PROVIDER, IMAGES, COMMANDS };

/* What each of them says to root */
static void try_commands(int fd, uint64_t session, int result[COMMANDS])
{
	struct etw_bpf_provider bpf;
	struct etw_trace_event trace;
	struct env e = { .fd = fd };

	fill_trace(&e, &trace);
	trace.size = sizeof(trace);
	result[TRACE_EVENT] = vm_ioctl(fd, ETW_IOC_TRACE_EVENT, &trace);
	fill_bpf(&e, &bpf);
	bpf.size = sizeof(bpf);
	result[BPF_PROVIDER] = vm_ioctl(fd, ETW_IOC_BPF_PROVIDER, &bpf);
	result[IMAGES] = vm_enable(fd, session, image_guid, 0, 0, 0);
}

TEST(no_addresses)
{
	struct etw_session s = vm_session("lockdown");
	const char *wanted = getenv("ETW_LOCKDOWN");
	int fd = vm_open(), kfd, result[COMMANDS], i;
	struct vm_reader r;

	if (!wanted)
		SKIP(return, "ETW_LOCKDOWN=1 runs it");
	ASSERT_LE(0, fd);
	kfd = vm_test_provider();
	ASSERT_LE(0, kfd);
	ASSERT_EQ(0, vm_start(fd, &s));
	ASSERT_EQ(0, vm_reader_open(&r, fd, s.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_enable_with(fd, s.handle, guid, ETW_ENABLE_STACK_TRACE, NULL, 0));
	EXPECT_EQ(1, stacks(fd, kfd, s.handle, &r));
	try_commands(fd, s.handle, result);
	EXPECT_LE(0, result[TRACE_EVENT]);
	EXPECT_EQ(0, result[IMAGES]);
	EXPECT_EQ(0, vm_disable(fd, s.handle, image_guid));
	mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	if (!vm_write_text(LOCKDOWN, "confidentiality"))
		SKIP(return, "this kernel has no lockdown");
	/* The session that had them before has none from the next flush on. */
	ASSERT_EQ(0, vm_flush(fd, s.handle));
	EXPECT_EQ(0, stacks(fd, kfd, s.handle, &r));
	EXPECT_EQ(-EPERM, vm_enable_with(fd, s.handle, guid, ETW_ENABLE_STACK_TRACE, NULL, 0));
	EXPECT_EQ(0, vm_enable_with(fd, s.handle, guid, ETW_ENABLE_SID, NULL, 0));
	EXPECT_EQ(0, stacks(fd, kfd, s.handle, &r));
	try_commands(fd, s.handle, result);
	for (i = 0; i < COMMANDS; i++) {
		EXPECT_EQ(-EPERM, result[i]) {
			TH_LOG("command %d", i);
		}
	}
	vm_reader_close(&r);
	EXPECT_EQ(0, vm_stop(fd, s.handle));
	close(kfd);
	close(fd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
}

TEST_HARNESS_MAIN
