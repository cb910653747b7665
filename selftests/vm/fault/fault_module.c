// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_module - every failure of loading and removing the module, and of the functions that
 * kernel modules call
 *
 * A load has many failures before the module's own code runs.  Those come first, so the
 * points are tried from the last one down, for as long as the module shows that it runs: it
 * logs a parameter that is out of range at once.
 *
 * TIMEOUT: 1800
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault.h"

FAULT_FIXTURE

/* ------------------------------------------------------- calls of other modules */

static int do_register(struct fault_env *e)
{
	return vm_test_register(e->kfd, 1, vm_guid(20), ETW_TEST_CALLBACK);
}

static void unregister(struct fault_env *e)
{
	vm_test_unregister(e->kfd, 1);
}

static int registrations(struct fault_env *e, struct etw_guid guid)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = guid };

	return vm_ioctl(e->fd, ETW_IOC_PROVIDER_QUERY, &q) ? 0 : q.reg_count;
}

static bool is_registered(struct fault_env *e)
{
	struct etw_test_enabled t = { .index = 1, .level = 1, .keyword = 1 };

	return registrations(e, vm_guid(20)) == 1 && !vm_ioctl(e->kfd, ETW_TEST_ENABLED, &t) &&
	       t.event_enabled;
}

static void enable_20(struct fault_env *e)
{
	vm_enable(e->fd, e->base, vm_guid(20), 0, 0, 0);
}

static void disable_20(struct fault_env *e)
{
	vm_disable(e->fd, e->base, vm_guid(20));
}

/* The static provider, while a session has it enabled. */
static void before_static(struct fault_env *e)
{
	vm_test_unregister(e->kfd, 0);
	vm_enable(e->fd, e->base, fault_kguid, 0, 0, 0);
}

static int do_register_static(struct fault_env *e)
{
	return vm_test_register(e->kfd, 0, fault_kguid, 0);
}

static bool key_is(struct fault_env *e, bool on)
{
	struct etw_test_enabled t = { .level = 1, .keyword = 1 };

	/* An unregistered provider cannot be queried; then the write tests the key. */
	if (vm_ioctl(e->kfd, ETW_TEST_ENABLED, &t))
		return !on;
	return t.inline_test == on;
}

static bool is_registered_static(struct fault_env *e)
{
	return registrations(e, fault_kguid) == 1 && key_is(e, true);
}

static void after_static(struct fault_env *e)
{
	vm_disable(e->fd, e->base, fault_kguid);
	do_register_static(e);
}

static void unregister_static(struct fault_env *e)
{
	vm_test_unregister(e->kfd, 0);
}

static void before_unregister(struct fault_env *e)
{
	enable_20(e);
	do_register(e);
}

static int do_unregister(struct fault_env *e)
{
	return vm_test_unregister(e->kfd, 1);
}

static bool is_unregistered(struct fault_env *e)
{
	return !registrations(e, vm_guid(20));
}

static void after_unregister(struct fault_env *e)
{
	unregister(e);
	disable_20(e);
}

static int activity(struct fault_env *e, uint32_t control, struct etw_guid *id)
{
	struct etw_test_activity a = { .control = control, .id = *id };
	int ret = vm_ioctl(e->kfd, ETW_TEST_ACTIVITY, &a);

	*id = a.id;
	return ret ? ret : a.result;
}

static void no_activity(struct fault_env *e)
{
	struct etw_guid id = { 0 };

	activity(e, 2, &id);
}

static int do_activity(struct fault_env *e)
{
	struct etw_guid id = vm_guid(99);

	return activity(e, 2, &id);
}

static bool activity_is_set(struct fault_env *e)
{
	struct etw_guid id = { 0 };

	return !activity(e, 1, &id) && id.data1 == vm_guid(99).data1;
}

static bool activity_is_not_set(struct fault_env *e, const struct fault_state *was, int ret)
{
	struct etw_guid id = { 0 };

	(void)ret;
	return fault_same(e, was, true, false) && !activity(e, 1, &id) && vm_guid_zero(&id);
}

static const struct fault_op api_ops[] = {
	{ .name = "etw_register_handle()", .prepare = enable_20, .call = do_register,
	  .done = is_registered, .undo = unregister, .clean = disable_20, .late = true,
	  .enomem = 3, .efault = 1 },
	{ .name = "etw_register()", .prepare = before_static, .call = do_register_static,
	  .done = is_registered_static, .undo = unregister_static, .clean = after_static,
	  .late = true, .enomem = 3, .efault = 1 },
	{ .name = "etw_unregister_handle()", .prepare = before_unregister,
	  .call = do_unregister, .done = is_unregistered, .clean = after_unregister,
	  .late = true, .once = true, .efault = 1 },
	{ .name = "etw_activity_id_control()", .prepare = no_activity, .call = do_activity,
	  .done = activity_is_set, .judge = activity_is_not_set, .clean = no_activity,
	  .late = true, .enomem = 2, .efault = 1 },
};

FAULT_TEST(kernel_api, api_ops)

/* ------------------------------------------------------------ load and remove */

#define ARGS	"max_sessions=1000"
#define SAYS	"etw: max_sessions=1000 is not between"

/* Has the module said something since the last time? */
static bool has_begun(int kmsg)
{
	char buf[8192];
	bool yes = false;
	ssize_t n;

	while ((n = read(kmsg, buf, sizeof(buf) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		buf[n < 0 ? 0 : n] = 0;
		yes = yes || strstr(buf, SAYS);
	}
	return yes;
}

/* A process that forks, executes and exits would meet a probe that was left behind. */
static void disturb_probes(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(0);
	}
	vm_reap(pid);
}

static unsigned int hotplug_states(void)
{
	return vm_count_lines("/sys/devices/system/cpu/hotplug/states", "etw");
}

/* Of a module that was loaded without a failure */
static unsigned int states_of_module;

/* Nothing at all is left of the module. */
static bool gone(void)
{
	disturb_probes();
	return access("/sys/module/etw", F_OK) && access(ETW_DEVICE_PATH, F_OK) &&
	       !vm_count_lines("/proc/modules", "etw ") &&
	       !hotplug_states() &&
	       !vm_count_lines("/proc/misc", "etw");
}

static bool works(void)
{
	int fd, slot = -1;
	bool ok;

	if (!vm_until((fd = vm_open()) >= 0))
		return false;
	disturb_probes();
	slot = vm_register(fd, vm_guid(1));
	ok = slot >= 0 && vm_start_named(fd, "t-works") &&
	     hotplug_states() == states_of_module;
	vm_stop_all(fd);
	close(fd);
	return ok;
}

struct loads {
	int ko;
	int kmsg;
	unsigned int failed, survived, bad;
};

static int load(struct loads *l)
{
	return syscall(SYS_finit_module, l->ko, ARGS, 0) ? -errno : 0;
}

/* One load with that failure.  False: it failed before the module's own code ran. */
static bool try_load(struct loads *l, unsigned int nth)
{
	bool fired, begun, ok;
	int ret;

	has_begun(l->kmsg);
	fault_arm(nth);
	ret = load(l);
	fired = fault_disarm();
	begun = has_begun(l->kmsg);
	if (ret) {
		l->failed += begun;
		ok = fired && ret == -ENOMEM && gone();
	} else {
		l->survived += fired;
		ok = works() && !vm_rmmod("etw") && gone();
	}
	if (!ok) {
		fprintf(stderr, "# load, failure %u: returned %d\n", nth, ret);
		l->bad++;
	}
	return !ret || begun;
}

FIXTURE(load) {
	struct loads l;
};

FIXTURE_SETUP(load)
{
	const char *why = fault_ready();
	char path[VM_MODULE_PATH];

	if (why)
		SKIP(return, "%s", why);
	vm_rmmod_try("etw_test");
	self->l.ko = open(vm_module_path("etw", path), O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->l.ko);
	self->l.kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->l.kmsg);
	lseek(self->l.kmsg, 0, SEEK_END);
	/* Slab pages are allocated now and then, which would change the count. */
	ASSERT_TRUE(fault_knob("fail_page_alloc", "min-order", "20"));
	if (access("/sys/module/etw", F_OK))
		ASSERT_EQ(0, load(&self->l));
	states_of_module = hotplug_states();
	ASSERT_LT(0, states_of_module);
	ASSERT_EQ(0, vm_rmmod("etw"));
}

/* The runner expects the module to be there. */
FIXTURE_TEARDOWN(load)
{
	if (_metadata->skip)
		return;
	fault_knob("fail_page_alloc", "min-order", "0");
	close(self->l.kmsg);
	if (access("/sys/module/etw", F_OK))
		EXPECT_EQ(0, load(&self->l));
	EXPECT_TRUE(works());
	close(self->l.ko);
}

#define MANY	1000000
#define LOADS	120	/* a load takes a second where faults can be injected */

/* The number of points of a load.  Reading the module's file may be one. */
static unsigned int count_points(struct loads *l)
{
	char buf[16] = "";
	int ret;

	if (!fault_arm(MANY))
		return 0;
	ret = load(l);
	if (pread(fault_nth_fd, buf, sizeof(buf) - 1, 0) <= 0)
		ret = -EIO;
	fault_disarm();
	return ret || vm_rmmod("etw") || !gone() ? 0 : MANY - atoi(buf);
}

/*
 * About every third point, but never at an even distance: each of our objects may be followed
 * by one of a leak detector.  ETW_FAULT_ALL=1 in the environment: every point.
 */
TEST_F_TIMEOUT(load, loading, 1800)
{
	unsigned int total, step, tried = 0;
	int nth;

	if (_metadata->skip)
		return;
	total = count_points(&self->l);
	ASSERT_LT(100, total);
	step = getenv("ETW_FAULT_ALL") ? 1 : total / LOADS | 1;
	/* The count varies a little: begin beyond the end. */
	for (nth = total + 3; nth > 0 && try_load(&self->l, nth); nth -= step)
		tried++;
	TH_LOG("load: %u points, %u tried from the last one to %d: %u failed, %u without effect",
	       total, tried, nth, self->l.failed, self->l.survived);
	EXPECT_EQ(0, self->l.bad);
	EXPECT_LE(5, self->l.failed);
}

TEST_F_TIMEOUT(load, removing, 800)
{
	unsigned int nth, failed = 0;
	bool fired = true;
	int ret;

	if (_metadata->skip)
		return;
	for (nth = 1; fired && nth < FAULT_MOST; nth++) {
		ASSERT_EQ(0, load(&self->l));
		ASSERT_TRUE(works());
		fault_arm(nth);
		ret = vm_rmmod_try("etw");
		fired = fault_disarm();
		if (ret) {
			EXPECT_TRUE(fired);
			EXPECT_TRUE(works());
			EXPECT_EQ(0, vm_rmmod("etw"));
			failed++;
		}
		EXPECT_TRUE(gone());
	}
	TH_LOG("removal: %u points, %u failed", nth - 2, failed);
	EXPECT_FALSE(fired);
	EXPECT_LE(1, failed);
}

TEST_HARNESS_MAIN
