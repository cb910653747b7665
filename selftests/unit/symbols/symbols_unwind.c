// SPDX-License-Identifier: MIT
/*
 * Copies of this program's own stack, unwound by its tables: the same frames as libgcc finds, also
 * through signals and code without tables; what is cut is said to be, and nonsense ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include "lib/tap.h"
#include "symbols/unwind.h"
#include "symbols_copy.h"

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

static uint64_t wanted[FRAMES];
static int wanted_count;

static _Unwind_Reason_Code want(struct _Unwind_Context *context, void *arg)
{
	(void)arg;
	/* It ends with 0. */
	if (wanted_count < FRAMES && _Unwind_GetIP(context))
		wanted[wanted_count++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

/* Ask libgcc for the frames of the copy, too. */
static NOINLINE void capture(void)
{
	copy_stack();
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

/* -------------------------------------------------------------- no table at the begin */

/*
 * Three functions that stop while their return address is at the stack pointer: one without an
 * entry, as clone3() of glibc at its system call, and one that is left for such a place behind
 * another function, and behind too many bytes.
 */
void bare(void), leaps(void), strays(void);
__asm__(".text\n"
	"bare:	nop; int3; ret\n"
	"leaps:	jmp 1f\n"
	".cfi_startproc\n	ret\n.cfi_endproc\n"
	"1:	int3; ret\n"
	"strays: jmp 1f; .fill 256, 1, 0x90\n"
	"1:	int3; ret\n");

/* As the kernel finds it: the registers where the program was stopped */
static void on_trap(int signal, siginfo_t *info, void *context)
{
	static const int order[ETW_USER_STACK_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP
	};
	const ucontext_t *u = context;
	size_t size, i;

	(void)signal, (void)info;
	for (i = 0; i < ETW_USER_STACK_REGISTERS; i++)
		item.head.registers[i] = (uint64_t)u->uc_mcontext.gregs[order[i]];
	size = (size_t)(stack_end - (const char *)(uintptr_t)item.head.registers[7]);
	if (size > sizeof(item.bytes))
		size = sizeof(item.bytes);
	copy_words(item.head.registers[7], size);
	item_len = sizeof(item.head) + size;
}

static NOINLINE void call_bare(void)
{
	wanted_count = 0;
	_Unwind_Backtrace(want, NULL);
	bare();
	__asm__ volatile("");
}

static NOINLINE void call_leaps(void)
{
	leaps();
	__asm__ volatile("");
}

static NOINLINE void call_strays(void)
{
	strays();
	__asm__ volatile("");
}

static NOINLINE void call_by_pointer(void (*volatile function)(void))
{
	function();
	__asm__ volatile("");
}

/* The frames if the word at the stack pointer were this one */
static unsigned int frames_if(uint64_t word)
{
	struct unwound frames[FRAMES];
	bool whole;

	memcpy(item.bytes, &word, sizeof(word));
	/* So that there is no other way to the caller */
	item.head.registers[6] = 1;
	return unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
}

static void test_no_table(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	struct unwound frames[FRAMES];
	unsigned int n, i;
	uint64_t returns;
	bool whole;

	sigaction(SIGTRAP, &action, NULL);
	call_bare();
	n = unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
	for (i = 2; i < n && i <= (unsigned int)wanted_count; i++)
		if (frames[i].address != wanted[i - 1])
			break;
	ok(whole && n == (unsigned int)wanted_count + 1 && i == n && frames[0].exact &&
	   !frames[1].exact && frames[0].address == (uintptr_t)bare + 2,
	   "no table where the processor was, but a return address: %u frames of %d", n, wanted_count);
	returns = frames[1].address;
	ok(frames_if(returns) > 1, "which is behind a call of this function");
	is(frames_if(returns + 1), 1, "not behind a call");
	is(frames_if(frames[2].address), 1, "behind a call of another function");
	is(frames_if((uintptr_t)raise + 5), 1, "in another file");
	is(frames_if(item.head.registers[7]), 1, "no code");
	is(frames_if(0), 1, "nothing");
	is(frames_if(UINT64_MAX), 1, "an address of the kernel");
	item_len = sizeof(item.head) + 7;
	is(frames_if(returns), 1, "not copied");
	call_leaps();
	memcpy(&returns, item.bytes, sizeof(returns));
	is(frames_if(returns), 1, "another function is between");
	call_strays();
	memcpy(&returns, item.bytes, sizeof(returns));
	is(frames_if(returns), 1, "the function begins too far before");
	call_by_pointer(bare);
	memcpy(&returns, item.bytes, sizeof(returns));
	is(frames_if(returns), 1, "a call that does not say where it leads");
}

static void *nothing(void *arg)
{
	return arg;
}

static void start_thread(void)
{
	pthread_t thread;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	_exit(pthread_create(&thread, NULL, nothing, NULL));
}

/* The registers and the stack of a child, whose memory is laid out as this one's */
static void copy_child(pid_t pid)
{
	struct iovec to = { item.bytes, sizeof(item.bytes) }, from;
	struct user_regs_struct r;
	size_t size;

	ptrace(PTRACE_GETREGS, pid, NULL, &r);
	memcpy(item.head.registers, (__u64[]){ r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp,
					       r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15,
					       r.rip }, sizeof(item.head.registers));
	size = (size_t)(stack_end - (const char *)(uintptr_t)r.rsp);
	if (size < to.iov_len)
		to.iov_len = size;
	from = (struct iovec){ (void *)(uintptr_t)r.rsp, to.iov_len };
	if (process_vm_readv(pid, &to, 1, &from, 1, 0) == (ssize_t)to.iov_len)
		item_len = sizeof(item.head) + to.iov_len;
}

/* Let a child run up to the system call by which glibc starts a thread. */
static void stop_at_clone3(void)
{
	struct user_regs_struct r;
	const pid_t pid = fork();
	int status;

	item_len = 0;
	if (!pid)
		start_thread();
	while (!item_len && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (!ptrace(PTRACE_GETREGS, pid, NULL, &r) && r.orig_rax == SYS_clone3)
			copy_child(pid);
		else if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL))
			break;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static void test_clone3(void)
{
	struct unwound frames[FRAMES];
	unsigned int n, i;
	bool whole;

	stop_at_clone3();
	if (!item_len) {
		skip("pthread_create() does not call clone3(), or no child can be traced");
		return;
	}
	n = unwind(&item, item_len, cache, find, NULL, frames, FRAMES, &whole);
	for (i = 1; i < n; i++)
		if (frames[i].address - (uintptr_t)start_thread < 512)
			break;
	ok(whole && i > 1 && i < n, "at the system call that starts a thread: %u frames", n);
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
	test_no_table();
	test_cut();
	test_nonsense();
	test_clone3();
	while (file_count--) {
		elf_functions_close(files[file_count].functions);
		free((char *)files[file_count].path);
	}
	cfi_cache_free(cache);
	return done_testing();
}
