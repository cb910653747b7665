// SPDX-License-Identifier: GPL-2.0-only
/* vm_fault.c - run a system call with its 1st, 2nd, 3rd... point of failure */
#include "lib/fault/vm_fault.h"

int fault_nth_fd = -1;

bool fault_knob(const char *attr, const char *knob, const char *value)
{
	char path[128];
	bool ok;
	int fd;

	snprintf(path, sizeof(path), FAULT_DEBUGFS "/%s/%s", attr, knob);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
	if (!ok)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

const char *fault_ready(void)
{
	static const char *const attrs[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	unsigned int i;
	bool ok = true;

	if (fault_nth_fd < 0)
		fault_nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fault_nth_fd < 0)
		return "no fault injection in this kernel";
	if (access(FAULT_DEBUGFS "/failslab", F_OK))
		mount("debugfs", FAULT_DEBUGFS, "debugfs", 0, NULL);
	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		ok = fault_knob(attrs[i], "verbose", "0") && ok;
		ok = fault_knob(attrs[i], "probability", "0") && ok;
	}
	ok = fault_knob("failslab", "ignore-gfp-wait", "0") && ok;
	ok = fault_knob("fail_page_alloc", "ignore-gfp-wait", "0") && ok;
	ok = fault_knob("fail_page_alloc", "ignore-gfp-highmem", "0") && ok;
	ok = fault_knob("fail_page_alloc", "min-order", "0") && ok;
	/* A missing page of this program would count as a point of failure. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	if (!ok)
		exit(1);	/* fail the test: a knob of fault injection is missing */
	return NULL;
}

bool fault_arm(unsigned int nth)
{
	char buf[16];
	int len = snprintf(buf, sizeof(buf), "%u", nth);

	return pwrite(fault_nth_fd, buf, len, 0) == len;
}

bool fault_disarm(void)
{
	char buf[16] = "";
	ssize_t n = pread(fault_nth_fd, buf, sizeof(buf) - 1, 0);
	int i;

	for (i = 0; i < 3 && pwrite(fault_nth_fd, "0", 1, 0) != 1; i++)
		;
	return n > 0 && atoi(buf) == 0;
}

int fault_count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

int fault_refs(void)
{
	FILE *f = fopen("/sys/module/etw/refcnt", "re");
	int n = -1;

	if (f && fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

bool fault_polls(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, 0) == 1 && p.revents & events;
}

static void fault_look(const struct fault_env *e, struct fault_state *s)
{
	memset(s, 0, sizeof(*s));
	s->st = vm_state_get(e->fd);
	memcpy(s->area, e->area, sizeof(s->area));
	s->key = (struct etw_test_enabled){ .level = 1, .keyword = 1 };
	if (e->kfd >= 0 && vm_ioctl(e->kfd, ETW_TEST_ENABLED, &s->key))
		s->key.level = 0xFF;
	s->fds = fault_count_fds();
	s->maps = vm_count_lines("/proc/self/maps", "etw");
	s->blocks = vm_count_lines("/proc/vmallocinfo", "[etw]");
	s->refs = fault_refs();
	s->notice = fault_polls(e->fd, POLLIN);
}

bool fault_same(const struct fault_env *e, const struct fault_state *was, bool area, bool quiet)
{
	static struct fault_state now;
	const char *what = NULL;

	/* A file's memory is freed by a work after its last close. */
	vm_until(vm_count_lines("/proc/vmallocinfo", "[etw]") <= was->blocks);
	fault_look(e, &now);
	if (!now.st || !was->st)
		what = "a query failed";
	else if (memcmp(was->st, now.st, sizeof(*now.st)))
		what = "sessions or providers";
	else if (area && memcmp(was->area, now.area, sizeof(now.area)))
		what = "the enable area";
	else if (memcmp(&was->key, &now.key, sizeof(now.key)))
		what = "the static key of a kernel provider";
	else if (was->fds != now.fds)
		what = "open files";
	else if (was->maps != now.maps)
		what = "mappings";
	else if (was->blocks < now.blocks)
		what = "memory of the module";
	else if (was->refs != now.refs)
		what = "references on the module";
	else if (was->notice != now.notice)
		what = "a notice";
	if (what && !quiet)
		fprintf(stderr, "# changed: %s (files %d to %d, memory %d to %d, references %d to %d, notice %d to %d)\n",
			what, was->fds, now.fds, was->blocks, now.blocks, was->refs, now.refs,
			was->notice, now.notice);
	if (what && !quiet && was->st)
		vm_state_same(e->fd, was->st);
	free(now.st);
	return !what;
}

/*
 * Allocate and free some memory, because the kernel's own debugging acts every few
 * allocations: it then does not meet the same allocation of ours in every try.
 */
static void fault_shift(unsigned int times)
{
	int ends[2];

	for (; times; times--) {
		if (pipe2(ends, O_CLOEXEC))
			return;
		close(ends[0]);
		close(ends[1]);
	}
}

/* One try.  Returns whether there was a failure at all; counts what was wrong. */
static bool fault_try(struct fault_env *e, const struct fault_op *op, unsigned int nth,
		      struct fault_sum *sum)
{
	static struct fault_state was;
	unsigned int bad = sum->bad;
	bool fired, done;
	int ret;

	if (op->prepare)
		op->prepare(e);
	fault_look(e, &was);
	if (!fault_arm(nth))
		sum->bad++;
	ret = op->call(e);
	fired = fault_disarm();
	done = ret < 0 && op->late && op->done && op->done(e);
	if (ret < 0) {
		sum->enomem += ret == -ENOMEM;
		sum->efault += ret == -EFAULT;
		sum->other += ret != -ENOMEM && ret != -EFAULT;
		if (!fired)
			fprintf(stderr, "# it fails by itself\n");
		sum->bad += !fired;
		if (!done)
			sum->bad += !(op->judge ? op->judge(e, &was, ret) :
				      fault_same(e, &was, true, false));
	} else {
		sum->survived += fired;
		if (op->done && !op->done(e)) {
			fprintf(stderr, "# success, but not all was done\n");
			sum->bad++;
		}
	}
	if ((ret >= 0 || done) && op->undo)
		op->undo(e);
	if (ret >= 0 && !op->once)
		sum->bad += !fault_same(e, &was, false, false);
	if (op->clean)
		op->clean(e);
	free(was.st);
	if (sum->bad != bad)
		fprintf(stderr, "# %s, failure %u: returned %d\n", op->name, nth, ret);
	sum->points += fired;
	return fired;
}

/* Try every nth point in turn, up to the first call without a failure. */
static bool fault_sweep(struct fault_env *e, const struct fault_op *op, unsigned int shift,
			struct fault_sum *sum)
{
	unsigned int nth;
	bool enough;

	memset(sum, 0, sizeof(*sum));
	for (nth = 1; nth <= FAULT_MOST && sum->bad <= 20; nth++) {
		fault_shift(shift * nth % 7);
		if (!fault_try(e, op, nth, sum))
			break;
	}
	sum->bad += nth > FAULT_MOST;
	enough = sum->enomem + sum->survived >= op->enomem && sum->efault >= op->efault &&
		 (op->none || sum->points);
	fprintf(stderr, "# %-34s %3u points: %u ENOMEM, %u EFAULT, %u other, %u without effect%s%s\n",
		op->name, sum->points, sum->enomem, sum->efault, sum->other, sum->survived,
		sum->bad ? ", WRONG" : "", enough ? "" : ", too few");
	return enough;
}

bool fault_all(struct fault_env *e, const struct fault_op *op)
{
	struct fault_sum sum = { 0 };
	int i;

	for (i = 0; i < FAULT_SWEEPS && !sum.bad; i++)
		if (fault_sweep(e, op, i, &sum))
			return !sum.bad;
	return false;
}

void fault_no_notices(struct fault_env *e)
{
	struct etw_notify n;

	do {
		n = (struct etw_notify){ .size = sizeof(n) };
	} while (!vm_ioctl(e->fd, ETW_IOC_NOTIFY, &n));
}

const char *fault_begin(struct fault_env *e)
{
	memset(e, 0, sizeof(*e));
	e->kfd = -1;
	e->tmp = -1;
	e->reader.fd = -1;
	e->map = MAP_FAILED;
	vm_pin(0);
	e->fd = vm_open();
	if (e->fd < 0)
		return "/dev/etw";
	vm_stop_all(e->fd);
	e->kfd = vm_test_provider();
	if (e->kfd < 0)
		return "the kernel's provider";
	e->slot = vm_register_flags(e->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0x51);
	e->slot2 = vm_register_flags(e->fd, vm_guid(1), 0, 0x52);
	e->area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, e->fd, 0);
	if (e->slot < 0 || e->slot2 < 0 || e->area == MAP_FAILED)
		return "a registration";
	e->arg.session = vm_session("t-base");
	e->arg.session.flush_ms = 600000;
	if (vm_start(e->fd, &e->arg.session))
		return "a session";
	e->base = e->arg.session.handle;
	return NULL;
}

void fault_end(struct fault_env *e)
{
	munmap((void *)e->area, ETW_ENABLE_AREA_SIZE);
	vm_stop_all(e->fd);
	close(e->fd);
	close(e->kfd);
	vm_rmmod("etw_test");
}

bool fault_all_works(struct fault_env *e)
{
	struct etw_test_write w = { .count = 3, .size = 8, .descriptors = 1,
				    .desc = { .id = 2, .level = 1, .keyword = 1 } };
	uint64_t handle = vm_start_named(e->fd, "t-works");
	struct vm_reader r = { .fd = -1 };
	bool ok = handle && !vm_enable(e->fd, handle, vm_guid(1), 0, 0, 0) &&
		  !vm_enable(e->fd, handle, fault_kguid, 0, 0, 0) &&
		  !vm_reader_open(&r, e->fd, handle, O_NONBLOCK) &&
		  !vm_write(e->fd, e->slot, 1, 1, 1, "works", 5) &&
		  !vm_ioctl(e->kfd, ETW_TEST_WRITE, &w) && w.ok == 3 &&
		  !vm_stop(e->fd, handle) && !vm_drain(&r, NULL, NULL) && r.events == 4;

	vm_reader_close(&r);
	return ok;
}
