/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * interlockedapi.h - atomic operations, each a full barrier
 *
 * InterlockedIncrement() and InterlockedDecrement() return the new value, all others the old
 * one; the same with 64 at the end for LONG64.
 *
 * Semantics: Microsoft's pages of the functions.
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_INTERLOCKEDAPI_H
#define ETW_WIN32_INTERLOCKEDAPI_H

ETW_BEGIN_DECLS

#define ETW_INTERLOCKED_VALUE(name, type, operation)						\
static inline type name(type volatile *Target, type Value)					\
{												\
	return operation(Target, Value, __ATOMIC_SEQ_CST);					\
}

#define ETW_INTERLOCKED(size, type)								\
ETW_INTERLOCKED_VALUE(InterlockedExchange##size, type, __atomic_exchange_n)			\
ETW_INTERLOCKED_VALUE(InterlockedExchangeAdd##size, type, __atomic_fetch_add)			\
ETW_INTERLOCKED_VALUE(InterlockedAnd##size, type, __atomic_fetch_and)				\
ETW_INTERLOCKED_VALUE(InterlockedOr##size, type, __atomic_fetch_or)				\
ETW_INTERLOCKED_VALUE(InterlockedXor##size, type, __atomic_fetch_xor)				\
												\
static inline type InterlockedIncrement##size(type volatile *Addend)				\
{												\
	return __atomic_add_fetch(Addend, 1, __ATOMIC_SEQ_CST);					\
}												\
												\
static inline type InterlockedDecrement##size(type volatile *Addend)				\
{												\
	return __atomic_sub_fetch(Addend, 1, __ATOMIC_SEQ_CST);					\
}												\
												\
static inline type InterlockedCompareExchange##size(type volatile *Destination, type Exchange,	\
						    type Comparand)				\
{												\
	__atomic_compare_exchange_n(Destination, &Comparand, Exchange, 0, __ATOMIC_SEQ_CST,	\
				    __ATOMIC_SEQ_CST);						\
	return Comparand;									\
}

ETW_INTERLOCKED(, LONG)
ETW_INTERLOCKED(64, LONG64)

static inline PVOID InterlockedExchangePointer(PVOID volatile *Target, PVOID Value)
{
	return __atomic_exchange_n(Target, Value, __ATOMIC_SEQ_CST);
}

static inline PVOID InterlockedCompareExchangePointer(PVOID volatile *Destination, PVOID Exchange,
						      PVOID Comparand)
{
	__atomic_compare_exchange_n(Destination, &Comparand, Exchange, 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return Comparand;
}

ETW_END_DECLS

#endif /* ETW_WIN32_INTERLOCKEDAPI_H */
