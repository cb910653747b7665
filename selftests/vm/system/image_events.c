// SPDX-License-Identifier: GPL-2.0-only
/*
 * image_events - the provider Etw-Image: the files that processes map to execute them, and the
 * rundown of those that are mapped
 *
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"
#include "kmod/etw_test/etw_test.h"

#include <etw/format.h>

#define IMAGES_MAX	128
#define PROBES		"/sys/kernel/debug/kprobes/list"
#define OVERLAY		"/tmp/t-image-overlay"

static const struct etw_guid image_guid = ETW_IMAGE_GUID;

struct image {
	struct etw_image_payload id;
	uint8_t opcode;
	uint8_t build_id[20];
	uint16_t build_id_len;
	char path[256];
};

FIXTURE(image) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	pid_t wanted;		/* events of this process only */
	uint32_t total, unknown, count;
	const char *error;
	struct image images[IMAGES_MAX];
};

static void take_unknown(FIXTURE_DATA(image) *self, const struct vm_record *r)
{
	uint32_t pid;

	if (r->len != 20) {
		self->error = "length of ImagesUnknown";
		return;
	}
	memcpy(&pid, r->data + 16, sizeof(pid));
	self->unknown += (pid_t)pid == self->wanted;
}

static void take(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	const uint8_t *data = r->data, *end = r->data + r->len;
	struct image image = { .opcode = r->head->desc.opcode };
	FIXTURE_DATA(image) *self = ctx;

	if (memcmp(&r->head->provider, &image_guid, sizeof(image_guid)))
		return;
	if (image.opcode == ETW_IMAGE_UNKNOWN) {
		take_unknown(self, r);
		return;
	}
	self->total++;
	memcpy(&image.id, data, sizeof(image.id));
	data += sizeof(image.id);
	memcpy(&image.build_id_len, data, sizeof(image.build_id_len));
	data += sizeof(image.build_id_len);
	if (image.build_id_len > sizeof(image.build_id) || data + image.build_id_len >= end ||
	    end[-1] || strlen((const char *)data + image.build_id_len) + 1 !=
	    (size_t)(end - data - image.build_id_len)) {
		self->error = "length";
		return;
	}
	memcpy(image.build_id, data, image.build_id_len);
	snprintf(image.path, sizeof(image.path), "%s", (const char *)data + image.build_id_len);
	if ((pid_t)image.id.pid == self->wanted && self->count < IMAGES_MAX)
		self->images[self->count++] = image;
}

FIXTURE_SETUP(image)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vm_start_named(self->fd, "t-image");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
}

FIXTURE_TEARDOWN(image)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Enable, of the processes that a filter selects if there is one, or something else, and wait. */
static int control_with(FIXTURE_DATA(image) *self, uint32_t what, const struct etw_filter *filter)
{
	struct etw_enable e = vm_enable_arg(self->session, image_guid);

	e.control = what;
	e.level = 4;
	e.timeout_ms = 0xFFFFFFFF;
	e.filters = VM_PTR(filter);
	e.filter_count = !!filter;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static int control(FIXTURE_DATA(image) *self, uint32_t what)
{
	return control_with(self, what, NULL);
}

/* What came since the last time, of one process */
static bool collect(FIXTURE_DATA(image) *self, pid_t pid)
{
	self->wanted = pid;
	self->total = self->unknown = self->count = 0;
	self->error = NULL;
	return !vm_flush(self->fd, self->session) && vm_drain(&self->r, take, self) == -EAGAIN &&
	       !self->error;
}

/* Is there exactly one event with this opcode for a line of /proc/PID/maps? */
static bool has(FIXTURE_DATA(image) *self, uint8_t opcode, uint64_t base, uint64_t size,
		uint64_t offset, const char *path)
{
	const struct image *i;
	uint32_t found = 0;

	for (i = self->images; i < self->images + self->count; i++)
		found += i->opcode == opcode && i->id.base == base && i->id.size == size &&
			 i->id.offset == offset && !strcmp(i->path, path);
	return found == 1;
}

/* All files that the process has mapped to execute them have an event, and nothing else has. */
static bool as_proc(FIXTURE_DATA(image) *self, pid_t pid, uint8_t opcode)
{
	unsigned long long begin, end, offset, inode;
	char name[32], line[4400], path[4096], flags[5];
	uint32_t lines = 0;
	bool ok = true;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx %4s %llx %*s %llu %4095[^\n]", &begin, &end, flags,
			   &offset, &inode, path) != 6 || flags[2] != 'x' || !inode)
			continue;
		lines++;
		if (!has(self, opcode, begin, end - begin, offset, path)) {
			fprintf(stderr, "# no event: %s", line);
			ok = false;
		}
	}
	if (f)
		fclose(f);
	if (lines != self->count)
		fprintf(stderr, "# %u mappings, %u events\n", lines, self->count);
	return ok && lines && lines == self->count;
}

/* As the linker writes it: the id behind a note's header and name. */
static bool id_of_file(const char *path, uint8_t id[20])
{
	static const uint8_t note[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	uint8_t page[4096];
	const uint8_t *at = NULL;
	FILE *f = fopen(path, "re");

	if (f && fread(page, sizeof(page), 1, f) == 1)
		at = memmem(page, sizeof(page) - 20, note, sizeof(note));
	if (at)
		memcpy(id, at + sizeof(note), 20);
	if (f)
		fclose(f);
	return at;
}

/* Only a kprobe sees a mapping as it is made. */
static bool sees_loads(void)
{
	return !access(PROBES, F_OK);
}

struct cat {
	pid_t pid;
	int in, out;
};

/* A process that executes cat when it gets a byte. */
static bool cat_begin(struct cat *cat)
{
	int in[2], out[2];
	char c;

	if (pipe(in) || pipe(out))
		return false;
	cat->pid = fork();
	if (!cat->pid) {
		close(in[1]);
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (read(0, &c, 1) == 1)
			execl("/bin/cat", "cat", NULL);
		_exit(99);
	}
	cat->in = in[1];
	cat->out = out[0];
	close(in[0]);
	close(out[1]);
	return cat->pid > 0;
}

/* It answers, so it has loaded all. */
static bool cat_runs(const struct cat *cat)
{
	char c;

	return write(cat->in, "go", 2) == 2 && read(cat->out, &c, 1) == 1;
}

static bool cat_end(const struct cat *cat)
{
	close(cat->in);
	close(cat->out);
	return !vm_reap(cat->pid);
}

/* The program and its libraries, as the process maps them. */
TEST_F(image, program_and_libraries)
{
	struct cat cat;
	uint8_t id[20];
	uint32_t i;

	if (!sees_loads())
		SKIP(return, "there is no " PROBES);
	ASSERT_TRUE(cat_begin(&cat));
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	ASSERT_TRUE(collect(self, cat.pid));
	ASSERT_TRUE(cat_runs(&cat));
	ASSERT_TRUE(collect(self, cat.pid)) TH_LOG("%s", self->error ?: "not read");
	EXPECT_TRUE(as_proc(self, cat.pid, ETW_IMAGE_LOAD));
	EXPECT_LE(3, self->count);	/* cat, the loader, the C library */
	for (i = 0; i < self->count; i++) {
		ASSERT_TRUE(id_of_file(self->images[i].path, id)) TH_LOG("%s", self->images[i].path);
		EXPECT_EQ(20, self->images[i].build_id_len);
		EXPECT_EQ(0, memcmp(id, self->images[i].build_id, 20));
		EXPECT_EQ(cat.pid, self->images[i].id.start_key & ((1 << 22) - 1));
	}
	EXPECT_TRUE(cat_end(&cat));
}

#define BOX	VM_GROUPS "/t-image-box"

/* Give the process a control group of its own. */
static bool to_box(const struct cat *cat)
{
	char text[16];

	if (!vm_groups() || (mkdir(BOX, 0755) && errno != EEXIST))
		return false;
	snprintf(text, sizeof(text), "%d", cat->pid);
	return vm_write_text(BOX "/cgroup.procs", text);
}

/* A filter selects by the process that maps or has mapped, which need not be the one that asks. */
TEST_F(image, of_selected_processes)
{
	struct cat cat, other;
	struct etw_filter filters[] = {
		{ .ptr = VM_PTR(&cat.pid), .len = sizeof(cat.pid), .type = ETW_FILTER_PID },
		{ .ptr = VM_PTR("t-image-box"), .len = 11, .type = ETW_FILTER_CONTAINER },
		{ .ptr = VM_PTR("cat"), .len = 3, .type = ETW_FILTER_EXECUTABLE_NAME },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		/* In this order: the second has the pipes of the first. */
		ASSERT_TRUE(cat_begin(&other) && cat_begin(&cat));
		if (i == 1)
			ASSERT_TRUE(to_box(&cat));
		ASSERT_EQ(0, control_with(self, ETW_CONTROL_ENABLE, &filters[i]));
		ASSERT_TRUE(collect(self, cat.pid));
		EXPECT_EQ(self->count, self->total);
		/* By name it is another program yet. */
		EXPECT_TRUE(i == 2 ? !self->total : as_proc(self, cat.pid, ETW_IMAGE_RUNDOWN));
		EXPECT_TRUE(cat_runs(&cat));
		EXPECT_TRUE(i == 2 || cat_runs(&other));
		ASSERT_TRUE(collect(self, cat.pid));
		EXPECT_EQ(self->count, self->total);
		EXPECT_TRUE(!sees_loads() || as_proc(self, cat.pid, ETW_IMAGE_LOAD));
		ASSERT_EQ(0, control(self, ETW_CONTROL_CAPTURE));
		ASSERT_TRUE(collect(self, cat.pid));
		EXPECT_EQ(self->count, self->total);
		EXPECT_TRUE(as_proc(self, cat.pid, ETW_IMAGE_RUNDOWN));
		EXPECT_TRUE(cat_end(&cat));
		close(other.in);
		close(other.out);
		vm_reap(other.pid);
		rmdir(BOX);
	}
}

/* What one session does changes nothing in another: each has its filter and its rundown. */
TEST_F(image, each_session_its_own)
{
	FIXTURE_DATA(image) all = { .fd = self->fd };
	struct cat cat, other;
	const struct etw_filter filter = { .ptr = VM_PTR(&cat.pid), .len = sizeof(cat.pid),
					   .type = ETW_FILTER_PID };

	all.session = vm_start_named(self->fd, "t-image-all");
	ASSERT_NE(0, all.session);
	ASSERT_EQ(0, vm_reader_open(&all.r, self->fd, all.session, O_NONBLOCK));
	ASSERT_TRUE(cat_begin(&other) && cat_begin(&cat));
	ASSERT_EQ(0, control_with(self, ETW_CONTROL_ENABLE, &filter));
	ASSERT_TRUE(collect(self, cat.pid));
	EXPECT_TRUE(as_proc(self, cat.pid, ETW_IMAGE_RUNDOWN));
	ASSERT_EQ(0, control(&all, ETW_CONTROL_ENABLE));
	ASSERT_TRUE(collect(self, cat.pid) && collect(&all, other.pid));
	EXPECT_EQ(0, self->total);
	EXPECT_TRUE(as_proc(&all, other.pid, ETW_IMAGE_RUNDOWN));
	EXPECT_TRUE(cat_runs(&cat) && cat_runs(&other));
	ASSERT_TRUE(collect(self, cat.pid) && collect(&all, other.pid));
	EXPECT_EQ(self->count, self->total);
	EXPECT_TRUE(!sees_loads() || (as_proc(self, cat.pid, ETW_IMAGE_LOAD) &&
				      as_proc(&all, other.pid, ETW_IMAGE_LOAD)));
	ASSERT_EQ(0, control(self, ETW_CONTROL_DISABLE));
	ASSERT_TRUE(collect(&all, other.pid));
	EXPECT_EQ(0, all.total);
	EXPECT_TRUE(cat_end(&cat) && cat_end(&other));
	vm_reader_close(&all.r);
}

static void *run_on(void *arg)
{
	char c;

	return read(*(int *)arg, &c, 1) < 0 ? NULL : arg;
}

/* The first thread of a process may end before the others. */
TEST_F(image, without_first_thread)
{
	pthread_t thread;
	int ends[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(ends));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(ends[1]);
		if (pthread_create(&thread, NULL, run_on, &ends[0]))
			_exit(1);
		syscall(SYS_exit, 0);
	}
	close(ends[0]);
	ASSERT_TRUE(vm_until(vm_proc_state(pid) == 'Z'));
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	ASSERT_TRUE(collect(self, pid));
	EXPECT_LE(2, self->count);	/* the program and the C library */
	close(ends[1]);
	vm_reap(pid);
}

TEST_F(image, what_is_executable)
{
	const long page = sysconf(_SC_PAGESIZE);
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *code, *data, *plain;

	if (!sees_loads())
		SKIP(return, "there is no " PROBES);
	ASSERT_LT(0, n);
	path[n] = '\0';
	ASSERT_LE(0, file);
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	ASSERT_TRUE(collect(self, getpid()));
	code = mmap(NULL, 2 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, page);
	data = mmap(NULL, page, PROT_READ, MAP_PRIVATE, file, 5 * page);	/* not joined to code */
	plain = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(code != MAP_FAILED && data != MAP_FAILED && plain != MAP_FAILED);
	ASSERT_TRUE(collect(self, getpid()));
	EXPECT_EQ(1, self->count);
	EXPECT_TRUE(has(self, ETW_IMAGE_LOAD, (uintptr_t)code, 2 * page, page, path));
	/* It becomes executable later. */
	ASSERT_EQ(0, mprotect(data, page, PROT_READ | PROT_EXEC));
	ASSERT_TRUE(collect(self, getpid()));
	EXPECT_EQ(1, self->count);
	EXPECT_TRUE(has(self, ETW_IMAGE_LOAD, (uintptr_t)data, page, 5 * page, path));
	munmap(code, 2 * page);
	munmap(data, page);
	munmap(plain, page);
	close(file);
}

/* A file that is no program has a path and no build id; nor has one whose header is cut off. */
TEST_F(image, no_build_id)
{
	const char *path = "/tmp/t-image-plain";
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	void *code;

	if (!sees_loads())
		SKIP(return, "there is no " PROBES);
	ASSERT_LE(0, file);
	ASSERT_EQ(5, write(file, "\177ELF\2", 5));
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	ASSERT_TRUE(collect(self, getpid()));
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	ASSERT_NE(MAP_FAILED, code);
	ASSERT_EQ(0, unlink(path));
	ASSERT_TRUE(collect(self, getpid()));
	ASSERT_EQ(1, self->count);
	EXPECT_STREQ(path, self->images[0].path);
	EXPECT_EQ(0, self->images[0].build_id_len);
	/* The rundown finds it without its name. */
	ASSERT_EQ(0, control(self, ETW_CONTROL_CAPTURE));
	ASSERT_TRUE(collect(self, getpid()));
	EXPECT_TRUE(has(self, ETW_IMAGE_RUNDOWN, (uintptr_t)code, 4096, 0,
			"/tmp/t-image-plain (deleted)"));
	munmap(code, 4096);
	close(file);
}

/* A file of overlayfs has the path by which it was mapped, and not that in the layer below. */
TEST_F(image, overlay)
{
	const char *path = OVERLAY "/top/program";
	int file;
	void *code;

	if (!sees_loads())
		SKIP(return, "there is no " PROBES);
	ASSERT_EQ(0, system("mkdir -p " OVERLAY " && mount -t tmpfs none " OVERLAY " && cd " OVERLAY
			    " && mkdir low up work top && cp /bin/true low/program"));
	if (mount("none", OVERLAY "/top", "overlay", 0, "lowerdir=" OVERLAY "/low,upperdir="
		  OVERLAY "/up,workdir=" OVERLAY "/work")) {
		umount(OVERLAY);
		SKIP(return, "there is no overlayfs");
	}
	file = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	ASSERT_TRUE(collect(self, getpid()));
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	ASSERT_NE(MAP_FAILED, code);
	ASSERT_TRUE(collect(self, getpid()));
	EXPECT_TRUE(has(self, ETW_IMAGE_LOAD, (uintptr_t)code, 4096, 0, path))
		TH_LOG("%s", self->images[0].path);
	EXPECT_EQ(20, self->images[0].build_id_len);
	munmap(code, 4096);
	close(file);
	EXPECT_EQ(0, umount(OVERLAY "/top"));
	EXPECT_EQ(0, umount(OVERLAY));
}

/* What is mapped already, when it is enabled and when it is asked for */
TEST_F(image, rundown)
{
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, control(self, i ? ETW_CONTROL_CAPTURE : ETW_CONTROL_ENABLE));
		ASSERT_TRUE(collect(self, getpid())) TH_LOG("%s", self->error ?: "not read");
		EXPECT_TRUE(as_proc(self, getpid(), ETW_IMAGE_RUNDOWN));
		EXPECT_LT(self->count, self->total);	/* others' */
		EXPECT_EQ(0, self->unknown);
	}
}

/* A process that never gives its mappings free does not stop the rundown, and is named. */
TEST_F(image, one_that_cannot_be_asked)
{
	int test = vm_kmod_fresh("etw_test"), unused = 0;
	pid_t pid;

	ASSERT_LE(0, test);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		vm_ioctl(test, ETW_TEST_HOLD, &unused);
		_exit(0);
	}
	/* Until the child holds it, its mappings are written. */
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	ASSERT_TRUE(collect(self, pid));
	ASSERT_TRUE(vm_until(!control(self, ETW_CONTROL_CAPTURE) && collect(self, pid) &&
			     self->unknown));
	EXPECT_EQ(0, self->count);
	EXPECT_EQ(1, self->unknown);
	ASSERT_EQ(0, control(self, ETW_CONTROL_CAPTURE));
	ASSERT_TRUE(collect(self, getpid()));
	EXPECT_TRUE(as_proc(self, getpid(), ETW_IMAGE_RUNDOWN));
	kill(pid, SIGKILL);
	EXPECT_TRUE(WIFSIGNALED(vm_reap(pid)));
	close(test);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
}

static bool is_probed(void)
{
	FILE *f = fopen(PROBES, "re");
	bool found = false;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		found |= strstr(line, "perf_event_mmap") != NULL;
	if (f)
		fclose(f);
	return found;
}

/* Mappings cost nothing while nobody asks for them. */
TEST_F(image, probe_while_enabled)
{
	int i;

	if (!sees_loads())
		SKIP(return, "there is no " PROBES);
	for (i = 0; i < 3; i++) {
		EXPECT_TRUE(vm_until(!is_probed()));
		ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
		EXPECT_TRUE(is_probed());
		ASSERT_EQ(0, control(self, ETW_CONTROL_DISABLE));
	}
	EXPECT_TRUE(vm_until(!is_probed()));
}

TEST_HARNESS_MAIN
