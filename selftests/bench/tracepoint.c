// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracepoint - what a tracepoint costs that is traced, by etw, perf and ftrace
 *
 *	tracepoint [--json FILE]
 *
 * Run it with scripts/bench, or under "scripts/vm --icount" as root with etw.ko loaded:
 * there a nanosecond is one executed instruction.  The tracepoint is that of the system call
 * getppid(), syscalls:sys_enter_getppid; the figure is a call with it, less a call without.
 * perf has the settings of "perf record -e" on one thread; its buffer is overwritten, and so
 * is that of ftrace, so that neither has a reader.  The session of etw writes nowhere and
 * has room for all.  The kernel calls ftrace and perf for all tracepoints of system calls at
 * once; etw goes through perf, or through a BPF program (tp_btf/sys_enter) where the build had
 * what that takes.  The program calls etw.ko, or fills a ring, which has no reader either until
 * the figure is taken.  The JSON goes to FILE or to the file named in $ETW_BENCH_JSON.
 *
 * Nothing may be lost, or the program fails.
 */
#include "lib/vm_dev.h"
#include "bench/guest.h"
#include "bench/traced.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifdef HAVE_BPF
#include <bpf/libbpf.h>
#include "base/name_guid.h"
#include "bpf/bench.h"
#endif

#define CALLS		4000
#define INSTANCE	VM_TRACEFS "instances/etw_bench/"

static double call_cost(void)
{
	uint64_t begin;
	int i;

	for (i = 0; i < CALLS / 10; i++)
		syscall(SYS_getppid);
	begin = now();
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return (double)(now() - begin) / CALLS;
}

/* ------------------------------------------------------------------ the tracers */

static int by_etw(double *cost)
{
	struct etw_session s = vm_session("etw-bench-trace");
	struct etw_enable enable;
	struct etw_session_stat st;
	int fd = vm_open(), ret;

	s.min_buffers = s.max_buffers = 64;
	s.flush_ms = 3600000;
	ret = fd < 0 ? fd : vm_start(fd, &s);
	ret = ret ? ret : traced_by_etw(fd);
	enable = vm_enable_arg(s.handle, vm_guid(1));
	enable.timeout_ms = 0xFFFFFFFF;
	ret = ret ? ret : vm_ioctl(fd, ETW_IOC_ENABLE, &enable);
	*cost = call_cost();
	ret = ret ? ret : vm_stat(fd, s.handle, &st);
	if (!ret && (vm_dropped(&st) || st.written < CALLS))
		ret = -EBADMSG;
	vm_stop_all(fd);
	close(fd);
	return ret;
}

#ifdef HAVE_BPF
/* A program at the tracepoint of all system calls; it writes as much as by_etw(), by a kfunc. */
static int bpf_run(int fd, struct bpf_object *object, double *cost)
{
	struct etw_session s = vm_session("etw-bench-bpf");
	struct etw_session_stat st;
	struct etw_enable enable;
	struct etw_guid guids[1 + VM_OWN_PROVIDERS];
	struct bpf_program *program = bpf_object__next_program(object, NULL);
	struct bpf_link *link;
	int ret;

	s.min_buffers = s.max_buffers = 64;
	s.flush_ms = 3600000;
	ret = bpf_object__load(object);
	link = ret ? NULL : bpf_program__attach(program);
	if (!link)
		return ret ? ret : -errno;
	ret = vm_providers(fd, guids, ARRAY_SIZE(guids)) == 1 ? vm_start(fd, &s) : -EBUSY;
	enable = vm_enable_arg(s.handle, guids[0]);
	enable.timeout_ms = 0xFFFFFFFF;
	ret = ret ? ret : vm_ioctl(fd, ETW_IOC_ENABLE, &enable);
	*cost = call_cost();
	ret = ret ? ret : vm_stat(fd, s.handle, &st);
	if (!ret && (vm_dropped(&st) || st.written < CALLS))
		ret = -EBADMSG;
	vm_stop_all(fd);
	bpf_link__destroy(link);
	return ret;
}

static struct bpf_object *open_program(void)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/selftests/bpf/bench.bpf.o", vm_build());
	return bpf_object__open_file(path, NULL);
}

/* What etw_bpf_start() does, without the thread that reads the ring. */
static int start_unread(struct etw_bpf_use *use)
{
	struct bpf_map *map = etw_bpf_map_(use, "etw_bpf_ring_");
	int ret = map ? etw_bpf_map_wanted_(use) : -ENOENT;

	ret = ret ? ret : etw_bpf_start_counting_(use);
	if (ret)
		return ret;
	use->ring_size = bpf_map__max_entries(map);
	use->ring = ring_buffer__new(bpf_map__fd(map), etw_bpf_take_, use, NULL);
	if (!use->ring)
		return -errno;
	etw_bpf_forward_start(use->forwarder, use->wanted);
	return 0;
}

static int ring_run(int fd, struct etw_bpf_use *use, double *cost)
{
	struct etw_session s = vm_session("etw-bench-ring");
	struct bpf_program *program = bpf_object__next_program(use->object, NULL);
	struct etw_session_stat st;
	struct etw_enable enable;
	struct bpf_link *link;
	struct etw_guid guid;
	int ret;

	s.min_buffers = s.max_buffers = 64;
	s.flush_ms = 3600000;
	ret = bpf_object__load(use->object);
	link = ret ? NULL : bpf_program__attach(program);
	if (!link)
		return ret ? ret : -errno;
	ret = start_unread(use);
	ret = ret ? ret : vm_start(fd, &s);
	if (!ret && etw_guid_from_name("Bench-Bpf", strlen("Bench-Bpf"), &guid))
		ret = -EINVAL;
	enable = vm_enable_arg(s.handle, guid);
	enable.timeout_ms = 0xFFFFFFFF;
	ret = ret ? ret : vm_ioctl(fd, ETW_IOC_ENABLE, &enable);
	*cost = call_cost();
	if (!ret && ring_buffer__consume(use->ring) < CALLS)
		ret = -EBADMSG;
	ret = ret ? ret : vm_stat(fd, s.handle, &st);
	if (!ret && (vm_dropped(&st) || st.written < CALLS))
		ret = -EBADMSG;
	bpf_link__destroy(link);
	vm_stop_all(fd);
	return ret;
}

static int by_ring(double *cost)
{
	struct bpf_object *object = open_program();
	struct etw_bpf_use use;
	int fd = vm_open(), ret = -ENODEV;

	setenv("ETW_BPF_WAY", "ring", 1);
	if (object && fd >= 0)
		ret = ETW_BPF_OPEN(bench, object, &use);
	if (!ret) {
		ret = ring_run(fd, &use, cost);
		etw_bpf_close(&use);
	}
	bpf_object__close(object);
	close(fd);
	return ret;
}

static int by_bpf(double *cost)
{
	struct bpf_object *object;
	__u32 number;
	int fd = vm_open(), handle;
	int ret = fd < 0 ? fd : ETW_BPF_REGISTER(bench, &handle, &number);

	if (ret)
		return ret;
	object = open_program();
	ret = object ? etw_bpf_set_number(object, "bench", number) : -errno;
	ret = ret ? ret : bpf_run(fd, object, cost);
	bpf_object__close(object);
	etw_bpf_unregister(handle);
	close(fd);
	return ret;
}
#endif

static int by_perf(double *cost)
{
	struct perf_event_attr attr = traced_by_perf();
	size_t size = (PERF_PAGES + 1) * 4096;
	uint64_t seen = 0;
	void *ring;
	int fd;

	attr.wakeup_events = 1 << 30;
	attr.write_backward = 1;	/* may be overwritten */
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ring = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	*cost = call_cost();
	if (ring == MAP_FAILED || read(fd, &seen, sizeof(seen)) != sizeof(seen) || seen < CALLS) {
		close(fd);
		return -EBADMSG;
	}
	munmap(ring, size);
	close(fd);
	return 0;
}

static int by_ftrace(double *cost)
{
	bool ok;

	mkdir(INSTANCE, 0700);
	ok = vm_write_text(INSTANCE "events/" TRACED "/enable", "1");
	*cost = call_cost();
	vm_write_text(INSTANCE "events/enable", "0");
	rmdir(INSTANCE);
	return ok ? 0 : -ENOENT;
}

static const struct {
	const char *key, *name;
	int (*run)(double *cost);
} tracers[] = {
	{ "traced_etw", "etw, one session", by_etw },
#ifdef HAVE_BPF
	{ "traced_bpf", "etw, by BPF", by_bpf },
	{ "traced_ring", "etw, by BPF and a ring", by_ring },
#endif
	{ "traced_ftrace", "ftrace", by_ftrace },
	{ "traced_perf", "perf record", by_perf },
};

/* ---------------------------------------------------------------------- results */

int main(int argc, char **argv)
{
	const char *json = json_path(argc, argv);
	const char *keys[ARRAY_SIZE(tracers)];
	double net[ARRAY_SIZE(tracers)], without;
	size_t i;
	int ret;

	mount("tracefs", VM_TRACEFS, "tracefs", 0, NULL);
	without = call_cost();
	for (i = 0; i < ARRAY_SIZE(tracers); i++) {
		keys[i] = tracers[i].key;
		ret = tracers[i].run(&net[i]);
		if (ret == -EOPNOTSUPP) {
			printf("%s: not here\n", tracers[i].name);
			net[i] = -1;
			continue;
		}
		if (ret)
			return fail(tracers[i].name, ret) ? 1 : 0;
		net[i] -= without;
		printf("syscalls:sys_enter_getppid by %-20s %12.0f\n", tracers[i].name, net[i]);
	}
	return json && traced_json(json, keys, net, ARRAY_SIZE(tracers));
}
