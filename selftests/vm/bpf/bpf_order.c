// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_order - events of the bridge, of a driver, of a program and of a BPF program, by turns and on
 * both CPUs, are in the order in which they happened: by one clock, in one file
 *
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "base/name_guid.h"
#include "etl/record.h"
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_log.h"
#include "lib/vm_lib.h"
#include "lib/vm_tracefs.h"
#include "lib/driver/vm_kmod.h"
#include "kmod/etw_test/etw_test.h"

#include "bpf/events.h"
#include "bpf/object.h"

#define FILE_NAME	LOG_DIR "/a.etl"
#define SPACE_KB	(32 * 1024)
#define GETPPID		"tracepoint:syscalls:sys_enter_getppid"
#define VM_GUID_TEXT_1	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define VM_GUID_TEXT_2	"7e570002-5e1f-4e57-8001-020304050607"
#define TURNS		200
#define EVENTS_MAX	(4 * TURNS + 16)

/* An event of the file: when, and the letter of its provider */
struct one {
	int64_t time;
	unsigned int place;
	char letter;
};

FIXTURE(order) {
	struct vc_run r;
	int fd, driver;
	REGHANDLE program;
	struct etw_guid traced, bpf;
	struct bpf_object *object;
	struct etw_bpf_use use;
	struct one events[EVENTS_MAX];
	unsigned int count;
	bool in_order;			/* of the file */
};

FIXTURE_VARIANT(order) {
	const char *way;		/* of the BPF program's events; NULL: without them */
};

FIXTURE_VARIANT_ADD(order, without_bpf) { .way = NULL };
FIXTURE_VARIANT_ADD(order, functions) { .way = "functions" };
FIXTURE_VARIANT_ADD(order, ring) { .way = "ring" };

FIXTURE_SETUP(order)
{
	libbpf_set_print(NULL);
	mount("tracefs", VM_TRACEFS, "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(SPACE_KB));
	self->driver = vm_test_provider();
	ASSERT_LE(0, self->driver);
	ASSERT_EQ(0, vm_test_register(self->driver, 1, vm_guid(2), 0));
	self->program = vl_register(1);
	ASSERT_EQ(0, etw_guid_from_name(GETPPID, strlen(GETPPID), &self->traced));
}

FIXTURE_TEARDOWN(order)
{
	EventUnregister(self->program);
	close(self->driver);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
	vl_log_dir_end();
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, (char *)NULL)

/* A program that writes an event at each getpgid(), by this way */
static int load(FIXTURE_DATA(order) *self, const char *way)
{
	struct bpf_object *object = bpf_test_open("writer");
	struct bpf_test_control *control;
	struct bpf_program *p;
	int err;

	if (!object)
		return -ENOENT;
	self->object = object;
	bpf_object__for_each_program(p, object)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), "on_getpgid"));
	setenv("ETW_BPF_WAY", way, 1);
	err = ETW_BPF_OPEN(test, object, &self->use);
	unsetenv("ETW_BPF_WAY");
	if (err)
		return err;
	err = bpf_object__load(object);
	if (!err)
		err = etw_bpf_start(&self->use);
	control = err ? NULL : bpf_test_variable(object, ".bss", "control");
	if (!control || !bpf_test_attach(object, "on_getpgid"))
		return err ? err : -EIO;
	control->thread_group = getpid();
	return 0;
}

static char letter_of(const FIXTURE_DATA(order) *self, const struct etw_guid *provider)
{
	const struct etw_guid of_program = vm_guid(1), of_driver = vm_guid(2);

	return !memcmp(provider, &self->traced, sizeof(*provider)) ? 't' :
	       !memcmp(provider, &self->bpf, sizeof(*provider)) ? 'b' :
	       !memcmp(provider, &of_program, sizeof(*provider)) ? 'p' :
	       !memcmp(provider, &of_driver, sizeof(*provider)) ? 'd' : '?';
}

static int by_time(const void *a, const void *b)
{
	const struct one *x = a, *y = b;

	return x->time != y->time ? (x->time < y->time ? -1 : 1) :
	       x->place < y->place ? -1 : x->place > y->place;
}

/* This process's events, by their time */
static bool read_file(FIXTURE_DATA(order) *self, char letters[EVENTS_MAX])
{
	struct etw_etl_file *file;
	struct etw_event event;
	unsigned int i;
	int ret;

	if (etw_etl_open(FILE_NAME, NULL, NULL, &file))
		return false;
	self->in_order = true;
	while ((ret = etw_etl_next(file, &event)) == 1 && self->count + 1 < EVENTS_MAX) {
		struct one *one = &self->events[self->count];

		if (event.record.header->process_id != (uint32_t)getpid())
			continue;
		*one = (struct one){ .time = event.time * 100 + event.nanos,
				     .place = self->count,
				     .letter = letter_of(self, &event.record.header->provider) };
		if (one->place && one->time < one[-1].time)
			self->in_order = false;
		self->count++;
	}
	etw_etl_close(file);
	qsort(self->events, self->count, sizeof(self->events[0]), by_time);
	for (i = 0; i < self->count; i++)
		letters[i] = self->events[i].letter;
	letters[i] = '\0';
	return !ret;
}

/* Each on the other CPU than the one before */
static void take_turns(struct __test_metadata *_metadata, FIXTURE_DATA(order) *self)
{
	struct etw_test_write w = { .index = 1, .count = 1, .size = 9, .descriptors = 1,
				    .desc = { .id = 8, .level = 1, .keyword = 1 } };
	int i;

	for (i = 0; i < TURNS; i++) {
		vm_pin(i % 2);
		syscall(SYS_getppid);
		vm_pin((i + 1) % 2);
		ASSERT_EQ(0, vl_write(self->program, 7, 1, 1, i));
		vm_pin(i % 2);
		ASSERT_EQ(0, vm_ioctl(self->driver, ETW_TEST_WRITE, &w));
		vm_pin((i + 1) % 2);
		syscall(SYS_getpgid, 0);
	}
}

TEST_F(order, of_time)
{
	char letters[EVENTS_MAX], expected[EVENTS_MAX] = "";
	int i, err;

	if (variant->way) {
		if (access("/sys/kernel/btf/vmlinux", R_OK))
			SKIP(return, "libbpf cannot load these programs: this kernel has no BTF");
		ASSERT_EQ(0, etw_guid_from_name("Test-Bpf", strlen("Test-Bpf"), &self->bpf));
		err = load(self, variant->way);
		if (err == -EOPNOTSUPP && !bpf_test_state_has("tracing"))
			SKIP(return, "BPF programs cannot call this etw.ko: see " BPF_TEST_STATE);
		ASSERT_EQ(0, err);
	}
	ASSERT_EQ(0, RUN("start", "work", "--file", FILE_NAME, "--buffer-size", "1M"));
	ASSERT_EQ(0, RUN("enable", "work", "-p", GETPPID, "-p", VM_GUID_TEXT_1, "-p", VM_GUID_TEXT_2,
			 "--timeout", "60s"))
		TH_LOG("%s", self->r.err);
	if (variant->way)
		ASSERT_EQ(0, RUN("enable", "work", "-p", "Test-Bpf", "--timeout", "60s"));
	take_turns(_metadata, self);
	/* What the ring holds is written then. */
	if (variant->way)
		etw_bpf_close(&self->use);
	ASSERT_EQ(0, RUN("stop", "work", "--strict"));
	for (i = 0; i < TURNS; i++)
		strcat(expected, variant->way ? "tpdb" : "tpd");
	ASSERT_TRUE(read_file(self, letters));
	EXPECT_STREQ(expected, letters);
	/* What comes through the ring is written later, with the time at which it happened. */
	EXPECT_TRUE(self->in_order || (variant->way && !strcmp(variant->way, "ring")));
	/* Its programs end. */
	if (self->object)
		bpf_object__close(self->object);
}

TEST_HARNESS_MAIN
