// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack_copy - copies of programs' stacks and registers as extended items
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kmod/etw_test/etw_test.h"

#define RSP	7
#define RIP	16

FIXTURE(copy) {
	int fd, kfd, slot;
	uint64_t session;
	struct vm_reader r;
	uint8_t *record;	/* the copy of the event that came */
	size_t len;
	struct etw_ext_user_stack head;
	struct etw_event_write w;
};

static int ask(FIXTURE_DATA(copy) *self, struct etw_guid guid, uint32_t property,
	       const struct etw_filter *f, int n)
{
	return vm_enable_with(self->fd, self->session, guid, property, f, n);
}

FIXTURE_SETUP(copy)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
	self->session = vm_start_named(self->fd, "t-copy");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->record = malloc(65536);
	ASSERT_NE(NULL, self->record);
	ASSERT_EQ(0, ask(self, vm_guid(1), ETW_ENABLE_USER_STACK | ETW_ENABLE_STACK_TRACE, NULL, 0));
	self->w = (struct etw_event_write){ .size = sizeof(self->w), .slot = self->slot,
					    .desc = { .id = 1, .level = 1, .keyword = 1 } };
}

FIXTURE_TEARDOWN(copy)
{
	vm_reader_close(&self->r);
	free(self->record);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* What one event came with */
struct came {
	FIXTURE_DATA(copy) *self;
	unsigned int events, copies, frames;
	uint64_t frame;		/* the first one of the program */
};

/* A vm_record_fn */
static void take(void *arg, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct came *came = arg;
	const struct etw_ext_item *item;
	const uint8_t *at = r->ext;

	came->events++;
	for (; at && at < r->data; at += item->size) {
		item = (const void *)at;
		const uint64_t *frame = (const void *)(item + 1);
		const uint64_t *end = frame + item->data_size / 8;

		if (item->type == ETW_EXT_USER_STACK && ++came->copies) {
			memcpy(came->self->record, item + 1, item->data_size);
			came->self->len = item->data_size;
		}
		while (item->type == ETW_EXT_STACK_TRACE64 && ++frame < end)
			if (*frame < 1ull << 47 && !came->frames++)
				came->frame = *frame;
	}
}

/* Flush, and read what there is. */
static struct came come(FIXTURE_DATA(copy) *self)
{
	struct came came = { .self = self };
	int ret = vm_flush(self->fd, self->session);

	self->len = 0;
	memset(&self->head, 0, sizeof(self->head));
	if (!ret)
		vm_drain(&self->r, take, &came);
	if (self->len >= sizeof(self->head))
		memcpy(&self->head, self->record, sizeof(self->head));
	return came;
}

static const uint8_t *copied(FIXTURE_DATA(copy) *self, size_t *len)
{
	*len = self->len - sizeof(self->head);
	return self->record + sizeof(self->head);
}

/* ------------------------------------------------------------- what is in a copy */

#ifdef __x86_64__
/* ioctl() with known values in registers that a system call keeps */
static int ioctl_with_registers(int fd, unsigned long command, void *arg, uint64_t *sp)
{
	register uint64_t r10 __asm__("r10") = 10, r12 __asm__("r12") = 12;
	register uint64_t r13 __asm__("r13") = 13, r14 __asm__("r14") = 14, r15 __asm__("r15") = 15;
	long ret = SYS_ioctl;

	__asm__ volatile("mov %%rsp, %[sp]\n\tsyscall"
			 : "+a"(ret), [sp] "=&r"(*sp)
			 : "D"(fd), "S"(command), "d"(arg), "b"(11ul), "r"(r10), "r"(r12), "r"(r13),
			   "r"(r14), "r"(r15)
			 : "rcx", "r11", "memory");
	return (int)ret;
}

/* The registers by DWARF's numbers, and the memory from the stack pointer on */
TEST_F(copy, registers_and_memory)
{
	volatile uint8_t marks[3000];
	const uint8_t *bytes;
	struct came came;
	uint64_t sp = 0;
	size_t i, len, at;

	for (i = 0; i < sizeof(marks); i++)
		marks[i] = i % 251;
	ASSERT_EQ(0, ioctl_with_registers(self->fd, ETW_IOC_WRITE, &self->w, &sp));
	came = come(self);
	ASSERT_EQ(1, came.events);
	ASSERT_EQ(1, came.copies);
	EXPECT_EQ(EM_X86_64, self->head.machine);
	EXPECT_EQ(0, self->head.reserved[0] | self->head.reserved[1]);
	EXPECT_EQ((uintptr_t)&self->w, self->head.registers[1]);
	EXPECT_EQ(11, self->head.registers[3]);
	EXPECT_EQ(ETW_IOC_WRITE, self->head.registers[4]);
	EXPECT_EQ((uint64_t)self->fd, self->head.registers[5]);
	EXPECT_EQ(sp, self->head.registers[RSP]);
	for (i = 12; i <= 15; i++)
		EXPECT_EQ(i, self->head.registers[i]);
	EXPECT_EQ(10, self->head.registers[10]);
	/* The other item begins at the same place. */
	EXPECT_LE(1, came.frames);
	EXPECT_EQ(came.frame, self->head.registers[RIP]);
	bytes = copied(self, &len);
	at = (uintptr_t)marks - sp;
	ASSERT_LE(at + sizeof(marks), len);
	for (i = 0; i < sizeof(marks) && bytes[at + i] == i % 251; i++)
		;
	EXPECT_EQ(sizeof(marks), i);
}

/* Write on a stack that ends so many bytes above. */
static int write_near_end(FIXTURE_DATA(copy) *self, char *end, size_t bytes)
{
	char *sp = end - bytes;
	long ret = SYS_ioctl;

	/* The system call touches no stack. */
	__asm__ volatile("xchg %[sp], %%rsp\n\tsyscall\n\tmov %[sp], %%rsp"
			 : "+a"(ret), [sp] "+r"(sp)
			 : "D"(self->fd), "S"(ETW_IOC_WRITE), "d"(&self->w)
			 : "rcx", "r11", "memory");
	return (int)ret;
}

TEST_F(copy, ends_with_the_memory)
{
	static const size_t sizes[] = { 1, 8, 4095, 4096, 4104, ETW_USER_STACK_MAX - 1,
					ETW_USER_STACK_MAX, ETW_USER_STACK_MAX + 1 };
	const size_t room = 2 * ETW_USER_STACK_MAX, nothing = 2 * ETW_USER_STACK_MAX;
	char *pages = mmap(NULL, room + nothing, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct came came;
	const uint8_t *bytes;
	size_t i, len;

	ASSERT_NE(MAP_FAILED, pages);
	ASSERT_EQ(0, mprotect(pages + room, nothing, PROT_NONE));
	memset(pages, 0x5a, room);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_EQ(0, write_near_end(self, pages + room, sizes[i]));
		came = come(self);
		ASSERT_EQ(1, came.copies);
		bytes = copied(self, &len);
		EXPECT_EQ(sizes[i] < ETW_USER_STACK_MAX ? sizes[i] : ETW_USER_STACK_MAX, len);
		EXPECT_TRUE(!len || (bytes[0] == 0x5a && !memcmp(bytes, bytes + 1, len - 1)));
		EXPECT_EQ(0, self->head.absent);
	}
	/* Pages that are not there, as of a large variable that nobody has used, do not end it. */
	ASSERT_EQ(0, madvise(pages + room - 4 * 4096, 4096, MADV_DONTNEED));
	ASSERT_EQ(0, madvise(pages + room - 2 * 4096, 4096, MADV_DONTNEED));
	ASSERT_EQ(0, write_near_end(self, pages + room, 4 * 4096 + 8));
	ASSERT_EQ(1, come(self).copies);
	bytes = copied(self, &len);
	EXPECT_EQ(4 * 4096 + 8, len);
	EXPECT_EQ(1 << 1 | 1 << 3, self->head.absent);
	EXPECT_EQ(0x5a, bytes[7]);
	EXPECT_EQ(0, bytes[8]);
	EXPECT_EQ(0x5a, bytes[8 + 4096]);
	EXPECT_EQ(0x5a, bytes[len - 1]);
	/* A stack pointer that points nowhere, and one that is the kernel's */
	ASSERT_EQ(0, write_near_end(self, pages + room + 16, 0));
	EXPECT_EQ(1, come(self).copies);
	EXPECT_EQ(sizeof(self->head), self->len);
	EXPECT_EQ(0, self->head.absent);
	ASSERT_EQ(0, write_near_end(self, (char *)0xffffffff81000000, 0));
	EXPECT_EQ(1, come(self).copies);
	EXPECT_EQ(sizeof(self->head), self->len);
	munmap(pages, room + nothing);
}
#endif

/* ------------------------------------------------------------------ who gets one */

/* A driver's event has the program that it serves, whatever interrupts that. */
TEST_F(copy, of_a_drivers_event)
{
	struct etw_test_write k = { .count = 1, .size = 8, .descriptors = 1,
				    .desc = { .id = 1, .level = 1, .keyword = 1 } };
	volatile uint64_t mark = 0x6d61726b6d61726b;
	const uint8_t *bytes;
	struct came came;
	size_t len;

	ASSERT_EQ(0, ask(self, (struct etw_guid)ETW_TEST_GUID, ETW_ENABLE_USER_STACK, NULL, 0));
	for (k.context = 0; k.context < 3; k.context++) {
		k.ok = 0;
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &k));
		ASSERT_EQ(1, k.ok);
		came = come(self);
		ASSERT_EQ(1, came.events);
		/* An interrupt may have come in a kernel thread or the idle loop. */
		if (k.context != ETW_TEST_PROCESS)
			continue;
		ASSERT_EQ(1, came.copies);
		EXPECT_EQ(0, came.frames);
		bytes = copied(self, &len);
		EXPECT_LT(0, len);
		EXPECT_NE(NULL, memmem(bytes, len, (const void *)&mark, sizeof(mark)));
	}
}

TEST_F(copy, not_beside_a_stack_of_the_writer)
{
	uint64_t own[2] = { 0x1000, 0x1001 };
	struct came came;

	self->w.stack = VM_PTR(own);
	self->w.stack_count = 2;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	came = come(self);
	EXPECT_EQ(1, came.events);
	EXPECT_EQ(0, came.copies);
	EXPECT_EQ(2, came.frames);
}

/* Filters for stacks are about copies, too. */
TEST_F(copy, not_of_other_ids)
{
	struct etw_filter_event_id data;
	struct etw_filter f = vm_id_filter(&data, ETW_FILTER_STACKWALK, true, VM_IDS(1));
	struct came came;

	ASSERT_EQ(0, ask(self, vm_guid(1), ETW_ENABLE_USER_STACK, &f, 1));
	for (self->w.desc.id = 1; self->w.desc.id <= 2; self->w.desc.id++)
		ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	came = come(self);
	EXPECT_EQ(2, came.events);
	EXPECT_EQ(1, came.copies);
}

/* Copies and stacks are of the sessions that asked for them. */
TEST_F(copy, of_one_session_of_two)
{
	struct etw_session other = vm_session("t-copy-other");
	struct vm_reader own = self->r;
	struct came came;

	ASSERT_EQ(0, vm_start(self->fd, &other));
	ASSERT_EQ(0, vm_enable_with(self->fd, other.handle, vm_guid(1), ETW_ENABLE_STACK_TRACE, NULL, 0));
	ASSERT_EQ(0, ask(self, vm_guid(1), ETW_ENABLE_USER_STACK, NULL, 0));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	came = come(self);
	EXPECT_EQ(1, came.copies);
	EXPECT_EQ(0, came.frames);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, other.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_flush(self->fd, other.handle));
	came = come(self);
	EXPECT_EQ(1, came.events);
	EXPECT_EQ(0, came.copies);
	EXPECT_LE(1, came.frames);
	vm_reader_close(&self->r);
	self->r = own;
}

/* An event that its copy would make too large for the buffer, or for a record, has none. */
TEST_F(copy, over_the_buffer)
{
	struct etw_session small = vm_session("t-copy-small");
	static char large[60000];
	volatile char deep[16384];	/* so much that a copy certainly has */
	struct etw_session_stat st;
	struct came came;

	for (size_t i = 0; i < sizeof(deep); i++)
		deep[i] = 1;
	small.buffer_kb = 4;
	ASSERT_EQ(0, vm_start(self->fd, &small));
	ASSERT_EQ(0, vm_enable_with(self->fd, small.handle, vm_guid(1), ETW_ENABLE_USER_STACK, NULL, 0));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	ASSERT_EQ(0, vm_stat(self->fd, small.handle, &st));
	EXPECT_EQ(1, st.written);
	ASSERT_EQ(0, vm_stop(self->fd, small.handle));
	EXPECT_EQ(1, come(self).copies);
	ASSERT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, large, sizeof(large)));
	came = come(self);
	EXPECT_EQ(1, came.events);
	EXPECT_EQ(0, came.copies);
}

TEST_HARNESS_MAIN
