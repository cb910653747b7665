// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracepoint_file - what a tracepoint costs that is recorded, from the hit into the file
 *
 *	tracepoint_file [--json FILE]
 *
 * Run it with scripts/bench, or under "scripts/vm --icount" as root with etw.ko loaded: there is
 * one CPU, and a nanosecond is one instruction.  The tracepoint is that of bench/tracepoint.  A
 * figure has all that the CPU does until the file has the event: the program that hits the
 * tracepoint, the thread of the log file, the loader that forwards what is in its ring, perf's
 * reader, other threads of the kernel, interrupts.  A task of the lowest priority takes the
 * time that no other needs.  Its time is left out, and so is the call itself.  Two runs of
 * different lengths leave out what begins and ends a recording.
 *
 * All files are in memory, so that no disk matters.  perf's reader does what "perf record" does
 * for each event: it sleeps until half of the buffer is full, and writes all of that at once.
 * The JSON goes to FILE or to the file named in $ETW_BENCH_JSON.
 *
 * Nothing may be lost, or the program fails.
 */
#include "lib/vm_dev.h"
#include "bench/guest.h"
#include "bench/traced.h"

#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifdef HAVE_BPF
#include <bpf/libbpf.h>
#include "base/name_guid.h"
#include "bpf/bench.h"
#endif

#define FOLDER		"/run/etw-bench-file"
#define LOG		FOLDER "/log.etl"
#define PERF_DATA	FOLDER "/perf.data"
#define SHORT		4000		/* calls of the two runs */
#define LONG		24000
#define BURST		4000
#define PAUSE_US	30000
#define APART		8000		/* of few instructions */

/* ------------------------------------------------------------------ what it took */

static clockid_t idler_clock;

/* It takes the time that no other task needs. */
static int start_idler(void)
{
	const struct sched_param none = { 0 };
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sched_setscheduler(0, SCHED_IDLE, &none);
		for (;;)
			atomic_signal_fence(memory_order_seq_cst);
	}
	return pid < 0 ? -errno : -clock_getcpuclockid(pid, &idler_clock);
}

/* What the CPU has done for others; that task does not run now. */
static uint64_t work(void)
{
	struct timespec idle;

	clock_gettime(idler_clock, &idle);
	return now() - (idle.tv_sec * 1000000000ull + idle.tv_nsec);
}

/*
 * Bursts, with pauses that the others need less than: on the only CPU a loader gets no more time
 * than the program that hits the tracepoint, which needs much less for an event, and the ring
 * would overflow.  apart: rounds of a loop between two calls.
 */
static void call(unsigned int calls, unsigned int apart)
{
	unsigned int i, k;

	for (i = 1; i <= calls; i++) {
		syscall(SYS_getppid);
		for (k = 0; k < apart; k++)
			atomic_signal_fence(memory_order_seq_cst);
		if (i % BURST == 0)
			usleep(PAUSE_US);
	}
}

/* -------------------------------------------------------------------------- etw */

static struct etw_recording {
	int fd;
	struct etw_session session;
	struct vm_helper loader;
} recording;

/* A session that writes its events to the file, and has the provider enabled */
static int record_start(struct etw_guid provider)
{
	static const char path[] = LOG;
	struct etw_session_file file = { .size = sizeof(file), .dir = -1, .file_mode = 0600,
					 .name = VM_PTR(path), .name_len = strlen(path) };
	struct etw_session *s = &recording.session;
	struct etw_enable enable;
	int ret;

	file.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file.fd < 0)
		return -errno;
	*s = vm_session("etw-bench-file");
	s->mode = 0;
	s->min_buffers = s->max_buffers = 64;
	s->flush_ms = 3600000;
	s->file = VM_PTR(&file);
	ret = vm_start(recording.fd, s);
	close(file.fd);
	enable = vm_enable_arg(s->handle, provider);
	enable.timeout_ms = 0xFFFFFFFF;
	return ret ? ret : vm_ioctl(recording.fd, ETW_IOC_ENABLE, &enable);
}

/* The file has all of these events. */
static int record_finish(unsigned int events)
{
	struct etw_session_stat st;
	int ret;

	do {
		ret = vm_stat(recording.fd, recording.session.handle, &st);
		if (!ret && st.written < events && !vm_dropped(&st))
			usleep(1000);
	} while (!ret && st.written < events && !vm_dropped(&st));
	ret = ret ? ret : vm_flush(recording.fd, recording.session.handle);
	if (!ret && (vm_dropped(&st) || st.written != events)) {
		fprintf(stderr, "%llu of %u events, %llu lost\n", (unsigned long long)st.written,
			events, (unsigned long long)vm_dropped(&st));
		ret = -EBADMSG;
	}
	return ret;
}

static int record_stop(void)
{
	struct etw_session_log log = { .size = sizeof(log) };
	struct etw_session end = { .size = sizeof(end), .log = VM_PTR(&log),
				   .handle = recording.session.handle };
	int ret = vm_ioctl(recording.fd, ETW_IOC_SESSION_STOP, &end);

	close(recording.fd);
	return ret ? ret : log.error || log.buffers_lost || end.events_lost ? -EBADMSG : 0;
}

static int etw_start(void)
{
	int ret;

	recording.fd = vm_open();
	ret = recording.fd < 0 ? recording.fd : traced_by_etw(recording.fd);
	return ret ? ret : record_start(vm_guid(1));
}

#ifdef HAVE_BPF
static int load(struct bpf_object *object, struct etw_bpf_use *use)
{
	int ret = bpf_object__load(object);

	ret = ret ? ret : etw_bpf_start(use);
	if (!ret && !bpf_program__attach(bpf_object__next_program(object, NULL)))
		ret = -errno;
	return ret;
}

/* The loader of the program; it goes the way that the environment says. */
static int serve_bpf(int in, int out, const void *context)
{
	struct bpf_object *object;
	struct etw_bpf_use use;
	char path[600];
	int ret;

	(void)context;
	snprintf(path, sizeof(path), "%s/selftests/bpf/bench.bpf.o", vm_build());
	object = bpf_object__open_file(path, NULL);
	ret = object ? ETW_BPF_OPEN(bench, object, &use) : -errno;
	if (ret)
		return ret;
	ret = load(object, &use);
	if (!ret)
		ret = vm_helper_next(in, out) ? -EIO : 0;
	etw_bpf_close(&use);
	bpf_object__close(object);
	return ret;
}

static int bpf_start(const char *way)
{
	struct etw_guid guid;
	int ret;

	if (etw_guid_from_name("Bench-Bpf", strlen("Bench-Bpf"), &guid))
		return -EINVAL;
	setenv("ETW_BPF_WAY", way, 1);
	ret = vm_helper_start(&recording.loader, serve_bpf, NULL);
	if (ret)
		return vm_helper_end(&recording.loader);
	recording.fd = vm_open();
	return recording.fd < 0 ? recording.fd : record_start(guid);
}

static int functions_start(void)
{
	return bpf_start("functions");
}

static int ring_start(void)
{
	return bpf_start("ring");
}

static int bpf_stop(void)
{
	int ret = record_stop();
	int err = vm_helper_end(&recording.loader);

	return ret ? ret : err;
}
#endif

/* ------------------------------------------------------------------------- perf */

static struct vm_helper reader;
static unsigned int reader_events;
static pid_t traced;

/* Write what came, as "perf record" does. */
static int take(struct perf_event_mmap_page *page, int to)
{
	const size_t size = PERF_PAGES * 4096;
	const char *data = (char *)page + 4096;
	uint64_t head = atomic_load_explicit((_Atomic __u64 *)&page->data_head,
					     memory_order_acquire);
	uint64_t tail = page->data_tail, part;

	for (; tail < head; tail += part) {
		part = size - tail % size;
		if (part > head - tail)
			part = head - tail;
		if (write(to, data + tail % size, part) != (ssize_t)part)
			return -EIO;
	}
	atomic_store_explicit((_Atomic __u64 *)&page->data_tail, tail, memory_order_release);
	return 0;
}

static int serve_perf(int in, int out, const void *context)
{
	struct perf_event_attr attr = traced_by_perf();
	struct perf_event_mmap_page *page;
	struct pollfd fds[2] = { { .events = POLLIN }, { .fd = in, .events = POLLIN } };
	int to = open(PERF_DATA, O_WRONLY | O_CREAT | O_TRUNC, 0600), ret = 0;

	(void)context;
	fds[0].fd = syscall(SYS_perf_event_open, &attr, traced, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fds[0].fd < 0 || to < 0)
		return -errno;
	page = mmap(NULL, (PERF_PAGES + 1) * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0].fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	if (write(out, "", 1) != 1)
		return -EIO;
	while (!ret && !fds[1].revents) {
		poll(fds, 2, -1);
		ret = take(page, to);
	}
	return ret;
}

static int reader_start(void)
{
	traced = getpid();
	return vm_helper_start(&reader, serve_perf, NULL);
}

static int reader_finish(unsigned int events)
{
	reader_events = events;
	return vm_helper_end(&reader);
}

/* Has the file all of these events, and none that says that some were lost? */
static int reader_stop(void)
{
	struct perf_event_header head;
	unsigned int found = 0, lost = 0;
	FILE *f = fopen(PERF_DATA, "re");

	while (f && fread(&head, sizeof(head), 1, f) == 1 && head.size >= sizeof(head)) {
		found += head.type == PERF_RECORD_SAMPLE;
		lost += head.type == PERF_RECORD_LOST;
		if (fseek(f, head.size - sizeof(head), SEEK_CUR))
			break;
	}
	if (f)
		fclose(f);
	return found == reader_events && !lost ? 0 : -EBADMSG;
}

/* --------------------------------------------------------------------- the tracers */

#define NOTHING		NULL, NULL, NULL
#define RECORD(start)	start, record_finish, record_stop
#define BPF(start)	start, record_finish, bpf_stop
#define READER		reader_start, reader_finish, reader_stop

/* Behind each way to call, a row without a tracer first */
static const struct tracer {
	const char *key, *name;
	unsigned int apart;
	int (*start)(void);			/* NULL: nothing traces */
	int (*finish)(unsigned int events);	/* until the file has them */
	int (*stop)(void);
} tracers[] = {
	{ NULL, "nothing", 0, NOTHING },
	{ "filed_etw", "etw", 0, RECORD(etw_start) },
#ifdef HAVE_BPF
	{ "filed_bpf", "etw, by BPF", 0, BPF(functions_start) },
	{ "filed_ring", "etw, by BPF and a ring", 0, BPF(ring_start) },
#endif
	{ "filed_perf", "perf record", 0, READER },
	{ NULL, "nothing, at intervals", APART, NOTHING },
#ifdef HAVE_BPF
	{ "filed_ring_apart", "etw, by BPF and a ring, at intervals", APART, BPF(ring_start) },
#endif
	{ "filed_perf_apart", "perf record, at intervals", APART, READER },
};

/* What it takes to trace so many calls; *took: of this run. */
static int run(const struct tracer *t, unsigned int calls, uint64_t *took)
{
	int ret = t->start ? t->start() : 0, err;

	if (ret)
		return ret;
	*took = work();
	call(calls, t->apart);
	if (t->finish)
		ret = t->finish(calls);
	*took = work() - *took;
	err = t->stop ? t->stop() : 0;
	return ret ? ret : err;
}

static int measure(const struct tracer *t, double *each)
{
	uint64_t few = 0, many = 0;
	int ret = run(t, SHORT, &few);

	ret = ret ? ret : run(t, LONG, &many);
	*each = ((double)many - (double)few) / (LONG - SHORT);
	return ret;
}

/* *net: -1 for those that this kernel lacks.  Returns 0, or -1 and has said why. */
static int measure_all(double *net)
{
	double without = 0;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(tracers); i++) {
		ret = measure(&tracers[i], &net[i]);
		if (ret && ret != -EOPNOTSUPP)
			return fail(tracers[i].name, ret);
		if (!tracers[i].key)
			without = net[i];
		net[i] = ret ? -1 : net[i] - without;
		if (ret)
			printf("%s: not here\n", tracers[i].name);
		else if (tracers[i].key)
			printf("syscalls:sys_enter_getppid into a file by %-40s %8.0f\n",
			       tracers[i].name, net[i]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *json = json_path(argc, argv);
	const char *keys[ARRAY_SIZE(tracers)];
	double net[ARRAY_SIZE(tracers)];
	size_t i;
	int ret;

	mount("tracefs", VM_TRACEFS, "tracefs", 0, NULL);
	mkdir(FOLDER, 0700);
	if (mount("tmpfs", FOLDER, "tmpfs", 0, "size=256m"))
		return fail("a tmpfs", 0) ? 1 : 0;
	ret = start_idler();
	if (ret)
		return fail("a task for the idle time", ret) ? 1 : 0;
	for (i = 0; i < ARRAY_SIZE(tracers); i++)
		keys[i] = tracers[i].key;
	return measure_all(net) || (json && traced_json(json, keys, net, ARRAY_SIZE(tracers)));
}
