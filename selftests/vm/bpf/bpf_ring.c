// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_ring - events of BPF programs that go through a ring buffer: the choice of the way, the same
 * events as by kfuncs, their time and place, and what the ring loses
 *
 * KERNEL: every
 * TIMEOUT: 900
 */
#define _GNU_SOURCE
#include "bpf/ring.h"

#include <dirent.h>

#include "lib/command/vm_cli.h"
#include "lib/driver/vm_kmod.h"

#include "bpf/large.h"

/* ----------------------------------------------------------------------- choice */

/* Which way for these programs of an object?  The provider's number, or a negative errno. */
static int64_t choice(const char *object_name, const char *only, const char *way)
{
	struct bpf_object *object = bpf_test_open(object_name);
	struct bpf_program *p;
	struct etw_bpf_use use;
	int64_t chosen;

	if (!object)
		return -ENOENT;
	bpf_object__for_each_program(p, object)
		bpf_program__set_autoload(p, !only || !strcmp(bpf_program__name(p), only));
	setenv("ETW_BPF_WAY", way, 1);
	chosen = strcmp(object_name, "network") ? ETW_BPF_OPEN(test, object, &use) :
						  ETW_BPF_OPEN(large, object, &use);
	unsetenv("ETW_BPF_WAY");
	if (!chosen) {
		chosen = use.number;
		if (bpf_object__load(object) || etw_bpf_start(&use))
			chosen = -EIO;
		etw_bpf_close(&use);
	}
	bpf_object__close(object);
	return chosen;
}

/* By functions where all programs may call them; and it loads in either case. */
TEST_F(ring, choice)
{
	NEED_TYPES();
	EXPECT_EQ(bpf_test_state_has("tracing"), choice("writer", "on_syscall", "") > 0);
	EXPECT_EQ(bpf_test_state_has("kprobe"), choice("kinds", "of_kprobe", "") > 0);
	EXPECT_LE(0, choice("kinds", "of_tracepoint", ""));
	EXPECT_LE(0, choice("kinds", "of_perf", ""));
	EXPECT_EQ(0, choice("network", NULL, ""));
	EXPECT_EQ(-EOPNOTSUPP, choice("network", NULL, "functions"));
	EXPECT_EQ(0, choice("kinds", "of_kprobe", "ring"));
	EXPECT_EQ(-EINVAL, choice("kinds", "of_kprobe", "pigeon"));
}

/* Put a copy of etw.ko, whose types are removed, in its place. */
static bool load_without_types(void)
{
	char path[VM_MODULE_PATH], line[VM_MODULE_PATH + 100];

	snprintf(line, sizeof(line), "objcopy --remove-section=.BTF %s /tmp/etw.ko",
		 vm_module_path("etw", path));
	return !system(line) && !vm_rmmod("etw") && !system("insmod /tmp/etw.ko");
}

/* In a child, as libetw keeps the device open.  0: as it should be. */
static int choose_without_types(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(choice("writer", "on_syscall", "") ? 1 :
		      choice("writer", "on_syscall", "functions") != -EOPNOTSUPP ? 2 : 0);
	return vm_reap(pid);
}

/* A module that was built without pahole has no types: events go through the ring. */
TEST(module_without_types)
{
	static struct vc_run run;

	NEED_TYPES();
	ASSERT_TRUE(load_without_types());
	EXPECT_FALSE(bpf_test_state_has("tracing"));
	EXPECT_EQ(0, choose_without_types());
	vc_run(&run, "doctor", NULL);
	EXPECT_NE(NULL, strstr(run.out, "the module has no BTF")) TH_LOG("%s", run.out);
	ASSERT_EQ(0, vm_rmmod("etw"));
	ASSERT_EQ(0, vm_insmod_with("etw", getenv("ETW_MODULE_ARGS") ?: ""));
}

/* -------------------------------------------------------------------- both ways */

struct way_events {
	struct vm_event numbered, named;
	char schema[2][300];
};

static void get_schema(struct __test_metadata *_metadata, const struct vm_event *e,
		       char schema[300])
{
	uint16_t len = 0;
	const void *data = vm_item(e, ETW_EXT_EVENT_SCHEMA, &len);

	ASSERT_NE(NULL, data);
	ASSERT_GE(300, len);
	memcpy(schema, data, len);
}

static void go(struct __test_metadata *_metadata, FIXTURE_DATA(ring) *self, const char *way,
	       struct way_events *got)
{
	ASSERT_TRUE(load(self, way)) TH_LOG("%s: %s", way, strerror(-self->loader->err));
	EXPECT_EQ(!strcmp(way, "ring"), !self->loader->number);
	self->count = 0;
	self->numbered = 0;
	self->in_order = 0;
	self->events->count = 0;
	call(10);
	EXPECT_EQ(0, self->control->enabled);
	self->control->calls = 0;
	ASSERT_EQ(0, enable(self, 0, 0));
	call(100);
	syscall(SYS_getpgid, 0);
	ASSERT_TRUE(collect_until(self, 101));
	EXPECT_EQ(100, self->in_order);
	EXPECT_EQ(100, self->control->enabled);
	EXPECT_EQ(0, self->control->results);
	got->numbered = self->events->list[0];
	got->named = self->events->list[100];
	get_schema(_metadata, &got->numbered, got->schema[0]);
	get_schema(_metadata, &got->named, got->schema[1]);
	ASSERT_EQ(0, control(self, ETW_CONTROL_DISABLE, 0, 0));
	call(10);
	EXPECT_EQ(100, self->control->enabled);
	EXPECT_EQ(0, unload(self));
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(101, self->count);
	EXPECT_EQ(0, self->dropped);
}

static void expect_same(struct __test_metadata *_metadata, const struct way_events *a,
			const struct way_events *b, unsigned int which)
{
	const struct vm_event *x = which ? &a->named : &a->numbered;
	const struct vm_event *y = which ? &b->named : &b->numbered;
	uint16_t size, longer;

	EXPECT_EQ(0, memcmp(&x->head.provider, &y->head.provider, sizeof(x->head.provider)));
	EXPECT_EQ(0, memcmp(&x->head.desc, &y->head.desc, sizeof(x->head.desc)));
	/* Three fields more, and all others as they were */
	EXPECT_EQ(x->len + 12, y->len);
	EXPECT_EQ(0, memcmp(x->data, y->data, x->len));
	memcpy(&size, a->schema[which], sizeof(size));
	memcpy(&longer, b->schema[which], sizeof(longer));
	EXPECT_LT(size, longer);
	EXPECT_EQ(0, memcmp(a->schema[which] + 2, b->schema[which] + 2, size - 2));
	EXPECT_EQ(0, strcmp(b->schema[which] + size, "OriginProcessId"));
}

TEST_F(ring, same_as_functions)
{
	static struct way_events functions, ring;
	uint32_t origin[3];

	NEED_TYPES();
	if (!bpf_test_state_has("tracing"))
		SKIP(return, "BPF programs cannot call this etw.ko: see " BPF_TEST_STATE);
	go(_metadata, self, "functions", &functions);
	/* A module's GUID is refused to a process. */
	ASSERT_TRUE(vm_until(!bpf_test_registered(self->fd, self->guid)));
	go(_metadata, self, "ring", &ring);
	expect_same(_metadata, &functions, &ring, 0);
	expect_same(_metadata, &functions, &ring, 1);
	EXPECT_EQ(getpid(), functions.numbered.head.process_id);
	EXPECT_NE(getpid(), ring.numbered.head.process_id);
	memcpy(origin, ring.numbered.data + 16, sizeof(origin));
	EXPECT_EQ(getpid(), origin[0]);
	EXPECT_EQ(gettid(), origin[1]);
	EXPECT_GT(sysconf(_SC_NPROCESSORS_CONF), origin[2]);
}

/* As long as a session has the provider of functions enabled, its GUID is not a process's. */
TEST_F(ring, held_by_functions)
{
	NEED_TYPES();
	if (!bpf_test_state_has("tracing"))
		SKIP(return, "BPF programs cannot call this etw.ko: see " BPF_TEST_STATE);
	ASSERT_TRUE(load(self, "functions"));
	ASSERT_EQ(0, enable(self, 0, 0));
	EXPECT_EQ(0, unload(self));
	EXPECT_TRUE(bpf_test_registered(self->fd, self->guid));
	EXPECT_FALSE(load(self, "ring"));
	EXPECT_EQ(-EEXIST, self->loader->err);
	EXPECT_NE(0, vm_reap(self->pid));
	self->pid = 0;
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	ASSERT_TRUE(vm_until(!bpf_test_registered(self->fd, self->guid)));
	EXPECT_TRUE(load(self, "ring"));
	EXPECT_EQ(0, unload(self));
}

/* Level and keyword decide in the program. */
TEST_F(ring, what_selects_them)
{
	static const struct { uint8_t level; uint64_t any; bool numbered, named; } ways[] = {
		{ 3, 0, false, false }, { 4, 0, true, false }, { 5, 0, true, true },
		{ 0, 1, true, false }, { 0, 2, false, true }, { 0, 4, false, false },
		{ 5, 3, true, true },
	};
	unsigned int i;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		self->control->enabled = 0;
		self->count = 0;
		ASSERT_EQ(0, enable(self, ways[i].level, ways[i].any));
		call(3);
		syscall(SYS_getpgid, 0);
		EXPECT_EQ(3 * ways[i].numbered, self->control->enabled) TH_LOG("way %u", i);
		EXPECT_TRUE(collect_until(self, 3 * ways[i].numbered + ways[i].named)) {
			TH_LOG("way %u", i);
		}
	}
	EXPECT_EQ(0, self->control->results);
	EXPECT_EQ(0, unload(self));
}

/* An event has the time when it happened, however late it is written. */
TEST_F(ring, time)
{
	uint64_t before, after;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	ASSERT_TRUE(freeze(self));
	before = wall();
	call(100);
	after = wall();
	usleep(50000);
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	ASSERT_TRUE(collect_until(self, 100));
	EXPECT_EQ(100, self->in_order);
	/* The clocks are not read at one instant. */
	EXPECT_LE(before, self->first + 10000);
	EXPECT_GE(after + 10000, self->last);
	EXPECT_EQ(0, unload(self));
}

/* All that was sent has come or is counted, with its cause, in the session that wanted it. */
TEST_F(ring, overflow)
{
	uint64_t lost;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	ASSERT_TRUE(freeze(self));
	call(CALLS);
	lost = self->control->results;
	EXPECT_EQ(-ENOBUFS, self->control->result);
	EXPECT_LT(0, lost);
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	ASSERT_TRUE(collect_until(self, CALLS));
	EXPECT_EQ(lost, self->dropped);
	EXPECT_EQ(lost, self->drain);
	EXPECT_EQ(CALLS - lost, self->count);
	/* There is room again. */
	call(5);
	ASSERT_TRUE(collect_until(self, CALLS + 5));
	EXPECT_EQ(lost, self->dropped);
	EXPECT_EQ(0, unload(self));
}

/* The loader's thread that reads the ring; 0: none. *blocked: the signals that it does not take */
static uint32_t forwarding_thread(pid_t pid, uint64_t *blocked)
{
	char path[64], line[128];
	uint32_t found = 0;
	struct dirent *entry;
	DIR *dir;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/status", pid, entry->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f)) {
			if (!strncmp(line, "Name:\t" ETW_BPF_THREAD, 12))
				found = (uint32_t)atoi(entry->d_name);
			if (found && sscanf(line, "SigBlk: %lx", blocked) == 1)
				break;
		}
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* What the loader does to write events is no event: there would be no end of it. */
TEST_F(ring, own_calls)
{
	uint64_t blocked = 0;
	uint32_t thread, tid;
	unsigned int i, own = 0;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	thread = forwarding_thread(self->pid, &blocked);
	ASSERT_NE(0, thread);
	EXPECT_TRUE(blocked & 1ULL << (SIGTERM - 1));
	EXPECT_TRUE(blocked & 1ULL << (SIGUSR1 - 1));
	ASSERT_EQ(0, enable(self, 0, 0));
	self->control->calls = 0;
	self->control->thread_group = self->pid;
	self->control->every = 1;
	/* It looks for losses ten times a second, whatever happens. */
	ASSERT_TRUE(vm_until(self->control->calls > 5));
	self->control->every = 0;
	ASSERT_TRUE(collect(self));
	for (i = 0; i < self->events->count && i < VM_KEPT; i++) {
		memcpy(&tid, self->events->list[i].data + 4, sizeof(tid));
		own += tid == thread;
	}
	EXPECT_EQ(0, own);
	EXPECT_EQ(0, unload(self));
}

/* ------------------------------------------------------------ others, the command */

/* A program of networking, with a large record that lies in a map */
TEST_F(ring, large_from_network)
{
	struct bpf_object *object = bpf_test_open("network");
	LIBBPF_OPTS(bpf_test_run_opts, packet);
	static unsigned char data[64];
	struct etw_bpf_use use;
	struct etw_guid guids[1 + VM_OWN_PROVIDERS];
	struct bpf_program *program;

	NEED_TYPES();
	ASSERT_NE(NULL, object);
	ASSERT_EQ(0, ETW_BPF_OPEN(large, object, &use));
	EXPECT_EQ(0, use.number);
	ASSERT_EQ(0, bpf_object__load(object));
	ASSERT_EQ(0, etw_bpf_start(&use));
	ASSERT_EQ(1, vm_providers(self->fd, guids, ARRAY_SIZE(guids)));
	self->guid = guids[0];
	ASSERT_EQ(0, enable(self, 0, 0));
	program = bpf_object__find_program_by_name(object, "on_packet");
	packet.data_in = data;
	packet.data_size_in = sizeof(data);
	packet.repeat = 50;
	ASSERT_EQ(0, bpf_prog_test_run_opts(bpf_program__fd(program), &packet));
	ASSERT_TRUE(collect_until(self, 50));
	EXPECT_EQ(50, self->in_order);
	EXPECT_EQ(4 + 2 + 3001 + 4 + 12, self->events->list[49].len);
	etw_bpf_close(&use);
	bpf_object__close(object);
}

/* The command shows the way, and decodes what came by it. */
TEST_F(ring, command)
{
	static struct vc_run run;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, vc_run(&run, "list", "providers", "-v", NULL)) TH_LOG("%s", run.err);
	EXPECT_NE(NULL, strstr(run.out, "Test-Bpf")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, ", forwards a BPF ring")) TH_LOG("%s", run.out);
	ASSERT_EQ(0, vc_run(&run, "list", "providers", "--json", NULL)) TH_LOG("%s", run.err);
	EXPECT_NE(NULL, strstr(run.out, "\"bpf_ring\":true")) TH_LOG("%s", run.out);
	ASSERT_EQ(0, vc_run(&run, "start", "t-ring-file", "--file", "/tmp/ring.etl", NULL)) {
		TH_LOG("%s", run.err);
	}
	ASSERT_EQ(0, vc_run(&run, "enable", "t-ring-file", "-p", "*Test-Bpf", NULL)) {
		TH_LOG("%s", run.err);
	}
	/* Of the fixture's session, which has another clock, the test sees when they came. */
	ASSERT_EQ(0, enable(self, 0, 0));
	call(1);
	syscall(SYS_getpgid, 0);
	ASSERT_TRUE(collect_until(self, 2));
	ASSERT_EQ(0, unload(self));
	ASSERT_EQ(0, vc_run(&run, "stop", "t-ring-file", NULL));
	ASSERT_EQ(0, vc_run(&run, "dump", "/tmp/ring.etl", NULL)) TH_LOG("%s", run.err);
	EXPECT_NE(NULL, strstr(run.out, "Test-Bpf Numbered")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, "Argument=0x123456789abcdef0")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, "From=fe80::")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, "OriginCpu=")) TH_LOG("%s", run.out);
}

TEST_HARNESS_MAIN
