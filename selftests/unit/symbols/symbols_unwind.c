// SPDX-License-Identifier: MIT
/*
 * Copies of this program's own stack, unwound by its tables: the same frames as libgcc finds, also
 * through signals and code without tables; what is cut is said to be, and nonsense ends.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "lib/tap.h"
#include "symbols/unwind.h"

/* Most programs have no frame pointers. */
#define NOINLINE	__attribute__((__noinline__, __noclone__, __optimize__("omit-frame-pointer")))
#define FRAMES		256

/* ---------------------------------------------------------------------- the files */

static struct file {
	const char *path;
	struct elf_functions *functions;
} files[64];
static unsigned int file_count, missing;
static struct cfi_cache *cache;

static int no_debug(void *context, const uint8_t *build_id, size_t len)
{
	(void)context, (void)build_id, (void)len;
	return -1;
}

static struct elf_functions *open_once(const char *path)
{
	static const struct elf_debug debug = { .find = no_debug };
	unsigned int i;

	for (i = 0; i < file_count; i++)
		if (!strcmp(files[i].path, path))
			return files[i].functions;
	files[i].path = strdup(path);
	files[i].functions = elf_functions_open(open(path, O_RDONLY | O_CLOEXEC), &debug);
	file_count++;
	return files[i].functions;
}

struct search {
	uint64_t address, offset;
	const char *path;
};

static int look(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *s = context;
	unsigned int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uint64_t begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || s->address < begin || s->address - begin >= p->p_memsz)
			continue;
		s->path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
		s->offset = s->address - begin + p->p_offset;
		return 1;
	}
	return 0;
}

/* unwind_find */
static bool find(void *context, uint64_t address, struct elf_functions **file, uint64_t *in_file)
{
	struct search s = { .address = address };

	(void)context;
	if (!dl_iterate_phdr(look, &s))
		return false;
	*file = s.path[0] == '/' && !missing ? open_once(s.path) : NULL;
	if (*file && !elf_functions_at_offset(*file, s.offset, 0, in_file))
		*file = NULL;
	return true;
}

/* ----------------------------------------------------------------------- a copy */

static struct {
	struct etw_ext_user_stack head;
	uint8_t bytes[ETW_USER_STACK_MAX];
} item;
static size_t item_len;
static uint64_t wanted[FRAMES];
static int wanted_count;
static const char *stack_end;	/* of the thread */

static _Unwind_Reason_Code want(struct _Unwind_Context *context, void *arg)
{
	(void)arg;
	/* It ends with 0. */
	if (wanted_count < FRAMES && _Unwind_GetIP(context))
		wanted[wanted_count++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

/* Whatever lies on the stack, also between variables */
static NOINLINE __attribute__((__no_sanitize__("address"))) void copy_words(uint64_t from, size_t size)
{
	const volatile uint8_t *at = (const void *)(uintptr_t)from;
	size_t i;

	for (i = 0; i < size; i++)
		item.bytes[i] = at[i];
}

/* Copy the registers and the stack as the module does, and ask libgcc for the frames. */
static NOINLINE void capture(void)
{
	__u64 *r = item.head.registers;
	size_t size;

	__asm__ volatile("mov %%rax, 0(%0)\n\tmov %%rdx, 8(%0)\n\tmov %%rcx, 16(%0)\n\t"
			 "mov %%rbx, 24(%0)\n\tmov %%rsi, 32(%0)\n\tmov %%rdi, 40(%0)\n\t"
			 "mov %%rbp, 48(%0)\n\tmov %%rsp, 56(%0)\n\tmov %%r8, 64(%0)\n\t"
			 "mov %%r9, 72(%0)\n\tmov %%r10, 80(%0)\n\tmov %%r11, 88(%0)\n\t"
			 "mov %%r12, 96(%0)\n\tmov %%r13, 104(%0)\n\tmov %%r14, 112(%0)\n\t"
			 "mov %%r15, 120(%0)\n\tlea 0(%%rip), %%rcx\n\tmov %%rcx, 128(%0)"
			 : : "r"(r) : "rcx", "memory");
	item.head.machine = EM_X86_64;
	size = (size_t)(stack_end - (const char *)(uintptr_t)r[7]);
	if (size > sizeof(item.bytes))
		size = sizeof(item.bytes);
	copy_words(r[7], size);
	item_len = sizeof(item.head) + size;
	wanted_count = 0;
	_Unwind_Backtrace(want, NULL);
	__asm__ volatile("");	/* no tail call */
}

/* The frames of the copy are libgcc's, all of them. */
static void check(const char *name)
{
	struct unwound frames[FRAMES];
	unsigned int n, i;
	bool whole;

	n = unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
	for (i = 1; i < n && i < (unsigned int)wanted_count; i++)
		if (frames[i].address != wanted[i])
			break;
	ok(whole && n == (unsigned int)wanted_count && i == n && frames[0].exact && !frames[1].exact,
	   "%s: %u frames of %d, %u equal, %s", name, n, wanted_count, i, whole ? "whole" : "cut");
}

/* ------------------------------------------------------------------------ shapes */

static volatile unsigned int sink;

static NOINLINE unsigned int deep(unsigned int depth)
{
	if (!depth)
		capture();
	else
		sink += deep(depth - 1);
	return sink + depth;
}

static NOINLINE int with_alloca(size_t size)
{
	volatile char *room = __builtin_alloca(size);

	room[0] = 1;
	capture();
	return room[0];
}

static NOINLINE __attribute__((__optimize__("no-omit-frame-pointer"))) unsigned int with_pointer(void)
{
	sink += deep(2);
	return sink;
}

static int compare(const void *a, const void *b)
{
	if (!item_len)
		capture();
	return *(const int *)a - *(const int *)b;
}

static void on_signal(int signal)
{
	(void)signal;
	capture();
}

static NOINLINE void raised(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	__asm__ volatile("");
}

static void *in_thread(void *arg)
{
	pthread_attr_t attr;
	size_t size;
	void *begin;

	(void)arg;
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &begin, &size);
	pthread_attr_destroy(&attr);
	stack_end = (const char *)begin + size;
	deep(3);
	check("in a thread");
	return NULL;
}

static void test_shapes(void)
{
	int numbers[] = { 3, 1, 2, 5, 4 };
	const char *end = stack_end;
	pthread_t thread;
	struct unwound frames[FRAMES];
	unsigned int n, i, exact = 0;
	bool whole;

	deep(0);
	check("a function");
	deep(40);
	check("forty callers");
	with_alloca(3000);
	check("a frame of variable size");
	with_pointer();
	check("a frame pointer among others");
	item_len = 0;
	qsort(numbers, 5, sizeof(numbers[0]), compare);
	check("called by libc");
	raised(0);
	check("in a signal handler");
	n = unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
	for (i = 1; i < n; i++)
		exact += frames[i].exact;
	is(exact, 1, "the place that the signal interrupted is exact");
	if (!pthread_create(&thread, NULL, in_thread, NULL))
		pthread_join(thread, NULL);
	stack_end = end;
}

/* Code that a compiler has made has no tables: push rbp; mov rbp, rsp; call rdi; pop rbp; ret */
static void test_made_code(void)
{
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void (*)(void));
	struct unwound frames[FRAMES];
	unsigned int n;
	bool whole;

	if (page == MAP_FAILED) {
		skip("no memory for code");
		return;
	}
	memcpy(page, code, sizeof(code));
	memcpy(&call, &page, sizeof(call));
	call(capture);
	n = unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
	ok(whole && n > 4 && frames[1].address == (uintptr_t)page + 6,
	   "code without tables is followed by its frame pointer: %u frames", n);
	munmap(page, 4096);
}

/* ------------------------------------------------------------------- what is cut */

static char other_stack[32768];

static void test_cut(void)
{
	stack_t other = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	struct unwound all[FRAMES], frames[FRAMES];
	unsigned int n, few, i, bad = 0, least = FRAMES;
	const char *end = stack_end;
	bool whole;
	size_t len;

	deep(20);
	n = unwind(&item, item_len, cache, find, NULL, all, FRAMES, &whole);
	for (len = 0; len < item_len; len += 8) {
		few = unwind(&item, len, cache, find, NULL, frames, FRAMES, &whole);
		for (i = 0; i < few && i < n && frames[i].address == all[i].address; i++)
			;
		bad += i < few || (whole && few < n);
		least = few < least ? few : least;
	}
	ok(!bad && !least, "cut anywhere: the inner frames are the same, and the rest is missing");
	few = unwind(&item, item_len, cache, find, NULL, frames, 5, &whole);
	ok(few == 5 && !whole, "no room for more");
	missing = 1;
	few = unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
	ok(few == 1 && !whole, "without the files nothing is guessed");
	missing = 0;
	/* The page after the next one is within the variable, its caller's frame behind that. */
	with_alloca(14000);
	n = unwind(&item, item_len, cache, find, NULL, all, FRAMES, &whole);
	item.head.absent = 1 << 2;
	few = unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
	ok(few == n && whole, "a page that was not present and holds nothing of use");
	item.head.absent = 0xFFF8;
	few = unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
	ok(few > 0 && few < n && !whole, "pages that were not present end it: %u frames of %u", few, n);
	item.head.absent = 0;
	item.head.machine = EM_386;
	is(unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole), 0, "another machine");

	stack_end = other_stack + sizeof(other_stack);
	sigaltstack(&other, NULL);
	raised(SA_ONSTACK);
	n = unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
	ok(!whole && n >= 3 && frames[n - 1].exact,
	   "from another stack to the interrupted place, whose stack is not there");
	stack_end = end;
}

/* ---------------------------------------------------------------------- nonsense */

static uint64_t random_word(void)
{
	const uint64_t any = (uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ (uint64_t)random();

	switch (random() % 4) {
	case 0:
		return item.head.registers[7] + any % sizeof(item.bytes);
	case 1:
		return (uintptr_t)capture + any % 4096;
	case 2:
		return (uintptr_t)raise + any % 4096;
	default:
		return any;
	}
}

static void test_nonsense(void)
{
	struct unwound frames[FRAMES];
	unsigned int i, k, bad = 0, most = 0, n;
	uint64_t word;
	bool whole;

	srandom(1);
	for (i = 0; i < 3000; i++) {
		deep(3);
		for (k = random() % 200; k; k--) {
			word = random_word();
			memcpy(item.bytes + random() % 600 * 8, &word, sizeof(word));
		}
		for (k = random() % 3; k; k--)
			item.head.registers[random() % ETW_USER_STACK_REGISTERS] = random_word();
		n = unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
		bad += n > FRAMES;
		most = n > most ? n : most;
	}
	ok(!bad && most > 3, "3,000 stacks with nonsense in them end: at most %u frames", most);
}

int main(void)
{
	cache = cfi_cache_new();
	stack_end = __builtin_frame_address(0);
	/* What main() returns to, and the arguments, are above. */
	stack_end += 512;
	test_shapes();
	test_made_code();
	test_cut();
	test_nonsense();
	while (file_count--) {
		elf_functions_close(files[file_count].functions);
		free((char *)files[file_count].path);
	}
	cfi_cache_free(cache);
	return done_testing();
}
