// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory.c - the memory of programs: its layout, its changes while the kernel reads it,
 * and the check for leaked kernel data
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

#include "exec.h"

/* File offsets after the memory with two mappings: one page of each kind per thread. */
#define CONST_AT(thread)	((off_t)(thread) * 2 * PAGE)
#define FLEETING_AT(thread)	(CONST_AT(thread) + PAGE)

/* Checked for leaks: the start of results, and their end at a guard page. */
#define FIRST_BYTES	(6 * PAGE)
#define LAST_BYTES	(2 * PAGE)

static int shared_fd = -1;

/* --------------------------------------------------------------------- layout */

static bool map_at(uintptr_t at, size_t len, int prot, int flags, int fd, off_t offset)
{
	void *p = mmap((void *)at, len, prot, flags | MAP_FIXED_NOREPLACE, fd, offset);

	if (p == (void *)at)
		return true;
	fprintf(stderr, "etw_fuzz: no memory at %#lx: %s\n", (long)at, strerror(errno));
	return false;
}

static bool map_arena(int thread)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS, rw = PROT_READ | PROT_WRITE;
	uintptr_t a = (uintptr_t)arena(thread);

	return map_at(a, PAGE, rw, flags, -1, 0) &&
	       map_at(a + AT_GUARD, PAGE, PROT_NONE, flags, -1, 0) &&
	       map_at(a + AT_DATA, DATA_ROOM, rw, flags, -1, 0) &&
	       map_at(a + AT_GUARD2, PAGE, PROT_NONE, flags, -1, 0) &&
	       map_at(a + AT_CONST, PAGE, PROT_READ, MAP_SHARED, shared_fd, CONST_AT(thread)) &&
	       map_at(a + AT_CONST + ALIAS, PAGE, rw, MAP_SHARED, shared_fd, CONST_AT(thread)) &&
	       map_at(a + AT_FLEETING, PAGE, rw, MAP_SHARED, shared_fd, FLEETING_AT(thread)) &&
	       map_at(a + AT_FLEETING + ALIAS, PAGE, rw, MAP_SHARED, shared_fd,
		      FLEETING_AT(thread));
}

/* Map the memory of all programs; every child inherits it. */
bool memory_init(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS, rw = PROT_READ | PROT_WRITE;
	int fd = memfd_create("etw_fuzz", MFD_CLOEXEC), t;
	bool ok;
	uint32_t i;

	shared_fd = fcntl(fd, F_DUPFD_CLOEXEC, OWN_FDS);
	if (fd >= 0)
		close(fd);
	ok = shared_fd >= 0 && !ftruncate(shared_fd, CONST_AT(THREADS + 1));
	for (t = 0; ok && t <= THREADS; t++)
		ok = map_arena(t);
	ok = ok && map_at(MAPS_BASE, MAPS * MAP_ROOM, PROT_NONE, flags | MAP_NORESERVE, -1, 0) &&
	     map_at(PAYLOAD_BASE, PAYLOAD_ROOM, rw, MAP_SHARED | MAP_ANONYMOUS, -1, 0) &&
	     map_at(PAYLOAD_BASE + PAYLOAD_ROOM, PAGE, PROT_NONE, flags, -1, 0);
	for (i = 0; ok && i < PAYLOAD_ROOM; i++)
		((uint8_t *)PAYLOAD_BASE)[i] = 'A' + i % 57;
	return ok;
}

/* The address where this program can read the memory that the kernel has at arg, or NULL. */
uint8_t *memory_own(int thread, uint8_t *arg)
{
	uint8_t *a = arena(thread);

	if (arg < a || arg >= a + ARENA || (arg >= a + AT_GUARD && arg < a + AT_DATA) ||
	    (arg >= a + AT_GUARD2 && arg < a + AT_CONST))
		return NULL;
	return arg >= a + AT_CONST ? arg + ALIAS : arg;
}

/* -------------------------------------------------------------- changing memory */

static void flip_word(volatile uint32_t *word)
{
	static const uint32_t values[] = { 0, 1, 4096, 0xffffffff, 0x80000000, 65536, 129, 1025 };
	uint32_t old = *word;
	int spin;

	*word = one_in(4) ? old + 1 : values[rnd_below(8)];
	for (spin = rnd_below(400); spin > 0; spin--)
		asm volatile("pause");
	if (!one_in(8))
		*word = old;
}

/* Unmap a page that calls use for a moment, or make it read-only. */
static void flee(int thread)
{
	const int rw = PROT_READ | PROT_WRITE;
	uint8_t *page = arena(thread) + AT_FLEETING;
	int spin;

	switch (rnd_below(3)) {
	case 0:
		mprotect(page, PAGE, PROT_NONE);
		break;
	case 1:
		mprotect(page, PAGE, PROT_READ);
		break;
	default:
		munmap(page, PAGE);
	}
	for (spin = rnd_below(2000); spin > 0; spin--)
		asm volatile("pause");
	/* The address is below all that mmap chooses, so no other mapping takes it. */
	mmap(page, PAGE, rw, MAP_SHARED | MAP_FIXED, shared_fd, FLEETING_AT(thread));
}

/* Change memory that the kernel may be reading, and mostly change it back. */
void memory_change(struct exec *x, int thread)
{
	uint8_t *own = memory_own(thread, atomic_load(&x->arg[thread]));
	uint8_t *a = arena(thread);

	if (!atomic_load(&x->busy[thread]))
		return;
	switch (rnd_below(8)) {
	case 0:
		flip_word((uint32_t *)(a + AT_DATA + rnd_below(64) * 4));
		break;
	case 1:
		flip_word((uint32_t *)(a + AT_GUARD2 - 4 - rnd_below(64) * 4));
		break;
	case 2:
		flip_word((uint32_t *)(a + AT_FLEETING + ALIAS + rnd_below(PAGE / 4) * 4));
		break;
	case 3:
		flee(thread);
		break;
	default:
		/* Change the struct where it lies, or where it ends at the guard page. */
		if (own && (uintptr_t)own % PAGE <= PAGE - 160)
			flip_word((uint32_t *)(own + rnd_below(40) * 4));
		else
			flip_word((uint32_t *)(a + AT_GUARD - 4 - rnd_below(40) * 4));
	}
}

/* --------------------------------------------------------------------- leaks */

/* Before an ioctl, clear what an earlier call or read left. */
void memory_clear(int thread)
{
	uint8_t *a = arena(thread);

	memset(a + AT_DATA, 0, FIRST_BYTES);
	memset(a + AT_GUARD2 - LAST_BYTES, 0, LAST_BYTES);
	memset(a + AT_FLEETING + ALIAS, 0, PAGE);
}

/* User memory that a call filled must not contain kernel data. */
void memory_audit(struct exec *x, int thread, const struct op *op)
{
	uint8_t *a = arena(thread), *own = memory_own(thread, atomic_load(&x->arg[thread]));
	const char *error;

	if (x->prog->flags & PROG_FLIP)
		return;
	/* A session's GUID is random except for a few bits in its first half. */
	if (own && op->size == sizeof(struct etw_session) &&
	    (uintptr_t)own % PAGE <= PAGE - sizeof(struct etw_session))
		memset(own + offsetof(struct etw_session, guid) + 8, 0, 8);
	error = audit_leak(a + AT_STRUCT, PAGE) ?:
		audit_leak(a + AT_DATA, FIRST_BYTES) ?:
		audit_leak(a + AT_GUARD2 - LAST_BYTES, LAST_BYTES) ?:
		audit_leak(a + AT_FLEETING + ALIAS, PAGE);
	if (error)
		finding("%s gave its caller %s", op->name, error);
}
