/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * port.h - the only file of the core that differs between kernel and user space
 *
 * The core is compiled into etw.ko and into libetw.  It uses the kernel's
 * names for types and helpers; user space gets them from here.
 *
 * An etw_word is a 64-bit word that only one CPU (kernel) or one thread (user) changes,
 * though interrupts, NMIs or signals may do so between any two of its instructions.
 * ETW_LOCAL is the cheap form for that: a single instruction without the lock prefix.
 * ETW_SHARED is for words that several CPUs or threads change.  Both are compiler
 * barriers; a given word is always used in the same way.
 */
#ifndef ETW_CORE_PORT_H
#define ETW_CORE_PORT_H

enum etw_use { ETW_LOCAL, ETW_SHARED };

/* The members that follow begin a new cache line. */
#define ETW_OWN_LINE	__attribute__((__aligned__(64)))

#ifdef __KERNEL__

#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/instrumented.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/local64.h>
#include <etw/move.h>

#ifndef CONFIG_64BIT
#error "etw supports 64-bit kernels only"
#endif

typedef local64_t etw_word;

#else /* user space */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#ifndef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#endif
#ifndef noinline
#define noinline	__attribute__((__noinline__))
#endif
#ifndef likely
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#endif
#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define barrier()	__asm__ __volatile__("" : : : "memory")
#define ALIGN(x, a)	(((x) + ((__typeof__(x))(a) - 1)) & ~((__typeof__(x))(a) - 1))
#define IS_ALIGNED(x, a) (((x) & ((__typeof__(x))(a) - 1)) == 0)
/* With one argument, as in the kernel; C11 requires two. */
#undef static_assert
#define static_assert(condition)	_Static_assert(condition, #condition)

typedef struct { u64 value; } etw_word;

#endif

#ifdef __x86_64__
/* ETW_LOCAL: without the lock prefix; the result is in the zero flag. */
static __always_inline bool etw_x86_cmpxchg(etw_word *w, u64 *old, u64 new)
{
	bool same;

	__asm__ volatile("cmpxchgq %[new], %[word]"
			 : "=@ccz" (same), "+a" (*old), [word] "+m" (*w)
			 : [new] "r" (new) : "memory");
	return same;
}

static __always_inline bool etw_x86_add_halves(etw_word *w, u32 low)
{
	u32 *halves = (u32 *)w;
	bool high_bit;

	__asm__ volatile("incl %1\n\taddl %[low], %2"
			 : "=@ccs" (high_bit), "+m" (halves[1]), "+m" (halves[0])
			 : [low] "r" (low) : "memory");
	return high_bit;
}
#endif

#ifdef __KERNEL__

static __always_inline u64 etw_word_read(const etw_word *w)
{
	return local64_read((etw_word *)w);
}

/* C of ring.h */
static __always_inline u64 etw_word_read_acquire(const etw_word *w)
{
	return atomic64_read_acquire((const atomic64_t *)w);
}

/* Only while nobody else may use the word. */
static __always_inline void etw_word_set(etw_word *w, u64 value)
{
	local64_set(w, value);
}

/* As the kernel's try_cmpxchg(): if false, *old becomes the word's value. */
static __always_inline bool etw_word_try_cmpxchg(enum etw_use use, etw_word *w,
						 u64 *old, u64 new)
{
#ifndef CONFIG_X86_64
	const u64 expected = *old;
#endif

	if (use == ETW_SHARED)
		return atomic64_try_cmpxchg((atomic64_t *)w, (s64 *)old, new);
#ifdef CONFIG_X86_64
	return etw_x86_cmpxchg(w, old, new);
#else
	*old = local64_cmpxchg(w, expected, new);
	return *old == expected;
#endif
}

static __always_inline u64 etw_word_add(enum etw_use use, etw_word *w, u64 n)
{
	if (use == ETW_LOCAL)
		return local64_add_return(n, w);
	return atomic64_add_return(n, (atomic64_t *)w);
}

/*
 * Reading through pointers that a driver passed to etw_write(), in any context.
 *  etw_may_read()	ask first: false if such an address cannot be read here.  For several
 *			addresses at once, ask about the AND of all.
 *  ETW_MOVE()		copy an integer of this type, or go to the label if it cannot be read
 *  etw_read_words()	copy 8-byte words, more than a few; false if they cannot be read
 *  etw_was_read()	tell the sanitizers afterwards
 */
#ifdef CONFIG_X86_64
static __always_inline bool etw_may_read(u64 address)
{
	return ETW_MAY_READ(address);
}

static __always_inline bool etw_read_words(u8 **to, const u8 **from, u64 count)
{
	/* After a fault count is what remains. */
	asm volatile("1: rep movsq\n2:\n"
		     _ASM_EXTABLE(1b, 2b)
		     : "+D" (*to), "+S" (*from), "+c" (count) : : "memory");
	return !count;
}
#else
static __always_inline bool etw_may_read(u64 address)
{
	return true;
}

#define ETW_MOVE(type, to, from, label) \
do { \
	if (unlikely(copy_from_kernel_nofault((to), (from), sizeof(type)))) \
		goto label; \
} while (0)

static __always_inline bool etw_read_words(u8 **to, const u8 **from, u64 count)
{
	if (unlikely(copy_from_kernel_nofault(*to, *from, count * 8)))
		return false;
	*to += count * 8;
	*from += count * 8;
	return true;
}
#endif

static __always_inline void etw_was_read(const void *from, u32 n)
{
	instrument_read(from, n);
}

#else /* user space */

static __always_inline u64 etw_word_read(const etw_word *w)
{
	return __atomic_load_n(&w->value, __ATOMIC_RELAXED);
}

static __always_inline u64 etw_word_read_acquire(const etw_word *w)
{
	return __atomic_load_n(&w->value, __ATOMIC_ACQUIRE);
}

static __always_inline void etw_word_set(etw_word *w, u64 value)
{
	__atomic_store_n(&w->value, value, __ATOMIC_RELAXED);
}

static __always_inline bool etw_word_try_cmpxchg(enum etw_use use, etw_word *w,
						 u64 *old, u64 new)
{
#ifdef __x86_64__
	if (use == ETW_LOCAL)
		return etw_x86_cmpxchg(w, old, new);
#endif
	(void)use;
	return __atomic_compare_exchange_n(&w->value, old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static __always_inline u64 etw_word_add(enum etw_use use, etw_word *w, u64 n)
{
#ifdef __x86_64__
	if (use == ETW_LOCAL) {
		u64 old = n;

		__asm__ volatile("xaddq %0, %1"
				 : "+r" (old), "+m" (w->value)
				 : : "memory", "cc");
		return old + n;
	}
#endif
	(void)use;
	return __atomic_add_fetch(&w->value, n, __ATOMIC_SEQ_CST);
}


/* In a program, as on Windows, a bad pointer is the program's own fault. */
#define etw_may_read(address)	((void)(address), true)
#define ETW_MOVE(type, to, from, label) \
do { \
	if (!__builtin_memcpy((to), (from), sizeof(type))) \
		goto label; \
} while (0)
#define etw_was_read(from, n)	((void)(from), (void)(n))
#define __no_stack_protector

static __always_inline bool etw_read_words(u8 **to, const u8 **from, u64 count)
{
	memcpy(*to, *from, count * 8);
	*to += count * 8;
	*from += count * 8;
	return true;
}

#endif /* __KERNEL__ */

static __always_inline bool etw_word_cmpxchg(enum etw_use use, etw_word *w, u64 old, u64 new)
{
	return etw_word_try_cmpxchg(use, w, &old, new);
}

/*
 * Add 1 to the word's high half, then low to its low one, which does not overflow: is the
 * highest bit of that set?
 */
static __always_inline bool etw_word_add_halves(enum etw_use use, etw_word *w, u32 low)
{
#ifdef __x86_64__
	if (use == ETW_LOCAL)
		return etw_x86_add_halves(w, low);
#endif
	return etw_word_add(use, w, 1ULL << 32 | low) >> 31 & 1;
}

#endif /* ETW_CORE_PORT_H */
