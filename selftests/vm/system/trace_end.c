// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_end - hundreds of trace events end soon after their session: perf waits for grace periods
 * at the end of each, which have to be expedited
 *
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <sys/mount.h>

#include "lib/vm.h"
#include "lib/vm_tracefs.h"

#define TRACEFS	"/sys/kernel/tracing/"
#define MANY	100

static int make(int fd, struct etw_guid guid, const char *event)
{
	struct etw_trace_event e = vm_trace_event(guid, event);

	return vm_ioctl(fd, ETW_IOC_TRACE_EVENT, &e);
}

static int enable(int fd, uint64_t session, struct etw_guid guid)
{
	struct etw_enable e = vm_enable_arg(session, guid);

	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

/* Make and enable so many of the system calls; returns how many there are. */
static unsigned int begin(int fd, uint64_t session)
{
	DIR *dir = opendir(TRACEFS "events/syscalls");
	const struct dirent *d;
	unsigned int n = 0;
	char event[64];

	while (dir && n < MANY && (d = readdir(dir))) {
		snprintf(event, sizeof(event), "syscalls/%.48s", d->d_name);
		if (strncmp(d->d_name, "sys_", 4) || strlen(d->d_name) > 48)
			continue;
		if (make(fd, vm_guid(100 + n), event) || enable(fd, session, vm_guid(100 + n)))
			break;
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

static unsigned long long hits(void)
{
	unsigned long long count = 0, found;
	FILE *f = fopen(TRACEFS "kprobe_profile", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " etw_expedited %llu", &found) == 1)
			count = found;
	if (f)
		fclose(f);
	return count;
}

TEST(grace_periods_are_expedited)
{
	struct etw_session s = vm_session("t-end");
	struct etw_guid guids[8];
	int fd, holder;

	mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	if (access(TRACEFS "kprobe_events", W_OK))
		SKIP(return, "this kernel has no kprobes");
	fd = vm_open();
	holder = vm_open();
	vm_stop_all(fd);
	s.max_buffers = 100;
	ASSERT_EQ(0, vm_start(fd, &s));
	ASSERT_EQ(MANY, begin(holder, s.handle));
	close(holder);
	ASSERT_TRUE(vm_write_text(TRACEFS "kprobe_events",
				  "p:etw_selftest/etw_expedited synchronize_rcu_expedited"));
	ASSERT_TRUE(vm_write_text(TRACEFS "events/etw_selftest/enable", "1"));
	ASSERT_EQ(0, vm_stop(fd, s.handle));
	EXPECT_TRUE(vm_until(!vm_providers(fd, guids, ARRAY_SIZE(guids))));
	EXPECT_LE(MANY, hits());
	EXPECT_TRUE(vm_write_text(TRACEFS "events/etw_selftest/enable", "0"));
	EXPECT_TRUE(vm_write_text(TRACEFS "kprobe_events", "-:etw_selftest/etw_expedited"));
	close(fd);
}

TEST_HARNESS_MAIN
