/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * etw_rtl.h - what ported drivers use beside devices; include <wdm.h>
 *
 * Comparing memory, lists, interlocked operations, spin locks and DbgPrint().
 *
 * Semantics: Microsoft's pages "Singly and Doubly Linked Lists", "InterlockedIncrement function",
 * "KeAcquireSpinLock macro" and "DbgPrint function".
 */
#ifndef ETW_WIN32_KM_RTL_H
#define ETW_WIN32_KM_RTL_H

#include <linux/atomic.h>
#include <linux/ctype.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <etw/nt/types.h>

/* How many bytes are equal up to the first that is not */
static inline SIZE_T RtlCompareMemory(const VOID *Source1, const VOID *Source2, SIZE_T Length)
{
	SIZE_T n = 0;

	while (n < Length && ((const u8 *)Source1)[n] == ((const u8 *)Source2)[n])
		n++;
	return n;
}

#define RtlEqualMemory(a, b, len)	(!memcmp((a), (b), (len)))

/* -------------------------------------------------------------------- lists */

/* A head or an entry; an empty list is a head that points to itself */
typedef struct _LIST_ENTRY {
	struct _LIST_ENTRY *Flink;
	struct _LIST_ENTRY *Blink;
} LIST_ENTRY, *PLIST_ENTRY;

typedef struct _SINGLE_LIST_ENTRY {
	struct _SINGLE_LIST_ENTRY *Next;
} SINGLE_LIST_ENTRY, *PSINGLE_LIST_ENTRY;

static inline VOID InitializeListHead(PLIST_ENTRY ListHead)
{
	ListHead->Flink = ListHead;
	ListHead->Blink = ListHead;
}

static inline BOOLEAN IsListEmpty(const LIST_ENTRY *ListHead)
{
	return ListHead->Flink == ListHead;
}

/* TRUE: the list is empty now */
static inline BOOLEAN RemoveEntryList(PLIST_ENTRY Entry)
{
	Entry->Flink->Blink = Entry->Blink;
	Entry->Blink->Flink = Entry->Flink;
	return Entry->Flink == Entry->Blink;
}

/* The first entry, or the head of an empty list */
static inline PLIST_ENTRY RemoveHeadList(PLIST_ENTRY ListHead)
{
	PLIST_ENTRY entry = ListHead->Flink;

	RemoveEntryList(entry);
	return entry;
}

/* The last entry, or the head of an empty list */
static inline PLIST_ENTRY RemoveTailList(PLIST_ENTRY ListHead)
{
	PLIST_ENTRY entry = ListHead->Blink;

	RemoveEntryList(entry);
	return entry;
}

static inline VOID InsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY Entry)
{
	Entry->Flink = ListHead->Flink;
	Entry->Blink = ListHead;
	ListHead->Flink->Blink = Entry;
	ListHead->Flink = Entry;
}

static inline VOID InsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY Entry)
{
	InsertHeadList(ListHead->Blink, Entry);
}

static inline VOID PushEntryList(PSINGLE_LIST_ENTRY ListHead, PSINGLE_LIST_ENTRY Entry)
{
	Entry->Next = ListHead->Next;
	ListHead->Next = Entry;
}

/* NULL: the list is empty */
static inline PSINGLE_LIST_ENTRY PopEntryList(PSINGLE_LIST_ENTRY ListHead)
{
	PSINGLE_LIST_ENTRY entry = ListHead->Next;

	if (entry)
		ListHead->Next = entry->Next;
	return entry;
}

/* --------------------------------------------------------------- spin locks */

typedef spinlock_t KSPIN_LOCK, *PKSPIN_LOCK;

#define KeInitializeSpinLock(SpinLock)	spin_lock_init(SpinLock)

/* Up to DISPATCH_LEVEL: not in a hardirq, nor while interrupts are off */
static inline VOID KeAcquireSpinLock(PKSPIN_LOCK SpinLock, PKIRQL OldIrql) __acquires(SpinLock)
{
	*OldIrql = KeGetCurrentIrql();
	spin_lock_bh(SpinLock);
}

static inline VOID KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql) __releases(SpinLock)
{
	spin_unlock_bh(SpinLock);
}

static inline VOID KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) __acquires(SpinLock)
{
	spin_lock(SpinLock);
}

static inline VOID KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock) __releases(SpinLock)
{
	spin_unlock(SpinLock);
}

/* Any IRQL.  The first entry of the list before, or NULL: it was empty */
static inline PLIST_ENTRY ExInterlockedInsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry,
						      PKSPIN_LOCK Lock)
{
	unsigned long flags;
	PLIST_ENTRY first;

	spin_lock_irqsave(Lock, flags);
	first = IsListEmpty(ListHead) ? NULL : ListHead->Flink;
	InsertHeadList(ListHead, ListEntry);
	spin_unlock_irqrestore(Lock, flags);
	return first;
}

/* Any IRQL.  The last entry of the list before, or NULL: it was empty */
static inline PLIST_ENTRY ExInterlockedInsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry,
						      PKSPIN_LOCK Lock)
{
	unsigned long flags;
	PLIST_ENTRY last;

	spin_lock_irqsave(Lock, flags);
	last = IsListEmpty(ListHead) ? NULL : ListHead->Blink;
	InsertTailList(ListHead, ListEntry);
	spin_unlock_irqrestore(Lock, flags);
	return last;
}

/* Any IRQL.  The entry, or NULL: the list is empty */
static inline PLIST_ENTRY ExInterlockedRemoveHeadList(PLIST_ENTRY ListHead, PKSPIN_LOCK Lock)
{
	unsigned long flags;
	PLIST_ENTRY entry;

	spin_lock_irqsave(Lock, flags);
	entry = IsListEmpty(ListHead) ? NULL : RemoveHeadList(ListHead);
	spin_unlock_irqrestore(Lock, flags);
	return entry;
}

/* --------------------------------------------------- interlocked operations */

/*
 * InterlockedIncrement() and InterlockedDecrement() return the new value, all others the old one.
 * The same with 64 at the end for LONG64.
 */
#define ETW_INTERLOCKED(size, type, atomic)							\
static inline type InterlockedIncrement##size(volatile type *Addend)				\
{												\
	return atomic##_inc_return((atomic##_t *)Addend);					\
}												\
												\
static inline type InterlockedDecrement##size(volatile type *Addend)				\
{												\
	return atomic##_dec_return((atomic##_t *)Addend);					\
}												\
												\
static inline type InterlockedExchangeAdd##size(volatile type *Addend, type Value)		\
{												\
	return atomic##_fetch_add(Value, (atomic##_t *)Addend);					\
}												\
												\
static inline type InterlockedOr##size(volatile type *Destination, type Value)			\
{												\
	return atomic##_fetch_or(Value, (atomic##_t *)Destination);				\
}												\
												\
static inline type InterlockedAnd##size(volatile type *Destination, type Value)			\
{												\
	return atomic##_fetch_and(Value, (atomic##_t *)Destination);				\
}												\
												\
static inline type InterlockedXor##size(volatile type *Destination, type Value)			\
{												\
	return atomic##_fetch_xor(Value, (atomic##_t *)Destination);				\
}												\
												\
static inline type InterlockedExchange##size(volatile type *Target, type Value)			\
{												\
	return atomic##_xchg((atomic##_t *)Target, Value);					\
}												\
												\
static inline type InterlockedCompareExchange##size(volatile type *Destination, type Exchange,	\
						    type Comparand)				\
{												\
	return atomic##_cmpxchg((atomic##_t *)Destination, Comparand, Exchange);		\
}

ETW_INTERLOCKED(, LONG, atomic)
ETW_INTERLOCKED(64, LONG64, atomic64)

static inline PVOID InterlockedExchangePointer(PVOID volatile *Target, PVOID Value)
{
	return xchg(Target, Value);
}

static inline PVOID InterlockedCompareExchangePointer(PVOID volatile *Destination, PVOID Exchange,
						      PVOID Comparand)
{
	return cmpxchg(Destination, Comparand, Exchange);
}

/* ----------------------------------------------------------------- DbgPrint */

struct etw_dbg {
	char text[512];
	size_t count;
	size_t end;			/* what is behind it is left out */
};

struct etw_dbg_spec {
	char flags[6];			/* of "-+ 0#", each at most once */
	int width;			/* 0: none */
	int precision;			/* -1: none */
	char size;			/* 'b' hh, 'h', 0: 32 bits, 'l', 'w', 'q' 64 bits */
	char type;
};

static inline void etw_dbg_byte(struct etw_dbg *out, char c)
{
	if (out->count < out->end)
		out->text[out->count++] = c;
}

static inline void etw_dbg_utf8(struct etw_dbg *out, u32 c)
{
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const u8 first[] = { 0x00, 0xc0, 0xe0, 0xf0 };

	if (out->count + more >= out->end) {
		out->end = out->count;	/* half a character is none */
		return;
	}
	etw_dbg_byte(out, first[more] | c >> 6 * more);
	while (more--)
		etw_dbg_byte(out, 0x80 | (c >> 6 * more & 0x3f));
}

/* Character number @at of a text that may lie anywhere; -1: it cannot be read */
static inline int etw_dbg_unit(const void *text, bool wide, size_t at)
{
	WCHAR unit = 0;
	u8 byte = 0;

	if (wide)
		return copy_from_kernel_nofault(&unit, (const WCHAR *)text + at, sizeof(unit)) ?
		       -1 : unit;
	return copy_from_kernel_nofault(&byte, (const u8 *)text + at, 1) ? -1 : byte;
}

/* At most @max characters; a @counted text has so many, another one ends at a NUL. */
static inline void etw_dbg_text(struct etw_dbg *out, const struct etw_dbg_spec *spec,
				const void *text, bool wide, size_t max, bool counted)
{
	size_t start = out->count, at = 0, fill;
	const char *bad;
	int unit = 0;

	for (max = min(max, sizeof(out->text)); at < max; at++) {
		unit = etw_dbg_unit(text, wide, at);
		if (unit < 0 || (!unit && !counted))
			break;
		if (wide && unit >> 10 == 0xd800 >> 10 && at + 1 < max) {
			int low = etw_dbg_unit(text, wide, at + 1);

			if (low >> 10 == 0xdc00 >> 10) {
				unit = 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff));
				at++;
			}
		}
		if (wide)
			etw_dbg_utf8(out, unit >> 11 == 0xd800 >> 11 ? 0xfffd : unit);
		else
			etw_dbg_byte(out, unit);
	}
	for (bad = unit < 0 ? "(bad)" : ""; *bad; bad++, at++)
		etw_dbg_byte(out, *bad);
	fill = spec->width > at ? spec->width - at : 0;
	fill = min(fill, out->end - out->count);
	if (strchr(spec->flags, '-')) {
		memset(out->text + out->count, ' ', fill);
	} else {
		memmove(out->text + start + fill, out->text + start, out->count - start);
		memset(out->text + start, ' ', fill);
	}
	out->count += fill;
}

static inline void etw_dbg_string(struct etw_dbg *out, const struct etw_dbg_spec *spec,
				  const void *text)
{
	bool wide = spec->type == 'S' ? spec->size != 'h' : spec->size == 'l' || spec->size == 'w';

	etw_dbg_text(out, spec, text ?: "(null)", text && wide,
		     spec->precision < 0 ? SIZE_MAX : spec->precision, false);
}

/* UNICODE_STRING or ANSI_STRING, which have the same layout */
static inline void etw_dbg_counted(struct etw_dbg *out, const struct etw_dbg_spec *spec,
				   const void *from)
{
	bool wide = spec->size == 'w' || spec->size == 'l';
	UNICODE_STRING string;
	size_t n;

	if (!from || copy_from_kernel_nofault(&string, from, sizeof(string)) || !string.Buffer) {
		etw_dbg_text(out, spec, "(null)", false, SIZE_MAX, false);
		return;
	}
	n = wide ? string.Length / sizeof(WCHAR) : string.Length;
	if (spec->precision >= 0)
		n = min_t(size_t, n, spec->precision);
	etw_dbg_text(out, spec, string.Buffer, wide, n, true);
}

static inline void etw_dbg_number(struct etw_dbg *out, const struct etw_dbg_spec *spec,
				  unsigned long long value)
{
	size_t room = out->end - out->count + 1;
	char format[16];

	if (spec->size != 'q' && (spec->type == 'd' || spec->type == 'i'))
		value = spec->size == 'b' ? (s8)value : spec->size == 'h' ? (s16)value : (s32)value;
	else if (spec->size != 'q')
		value = spec->size == 'b' ? (u8)value : spec->size == 'h' ? (u16)value : (u32)value;
	snprintf(format, sizeof(format), "%%%s*.*ll%c", spec->flags, spec->type);
	out->count += min_t(size_t, room - 1,
			    snprintf(out->text + out->count, room, format, spec->width,
				     spec->precision, value));
}

/* One value; false: the type is unknown */
static inline bool etw_dbg_value(struct etw_dbg *out, struct etw_dbg_spec *spec, va_list *args)
{
	WCHAR unit;

	switch (spec->type) {
	case 's':
	case 'S':
		etw_dbg_string(out, spec, va_arg(*args, const void *));
		return true;
	case 'Z':
		etw_dbg_counted(out, spec, va_arg(*args, const void *));
		return true;
	case 'c':
	case 'C':
		unit = va_arg(*args, int);
		etw_dbg_text(out, spec, &unit, spec->type == 'C' ? spec->size != 'h' :
			     spec->size == 'l' || spec->size == 'w', 1, true);
		return true;
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		etw_dbg_number(out, spec, spec->size == 'q' ? va_arg(*args, unsigned long long) :
							      va_arg(*args, unsigned int));
		return true;
	case 'p':
		out->count += scnprintf(out->text + out->count, out->end - out->count + 1, "%p",
					va_arg(*args, const void *));
		return true;
	default:
		return false;
	}
}

/* A number or a star at *at, within what a message can hold; @none: neither */
static inline int etw_dbg_limit(const char **at, va_list *args, int none)
{
	const int most = sizeof(((struct etw_dbg *)0)->text);
	int value = none;

	if (**at == '*') {
		(*at)++;
		value = va_arg(*args, int);
		return clamp(value, -most, most);
	}
	for (; isdigit(**at); (*at)++)
		value = min(most, max(value, 0) * 10 + **at - '0');
	return value;
}

/* The size in front of a type, as a letter of struct etw_dbg_spec */
static inline char etw_dbg_size(const char **at)
{
	static const struct {
		char text[4];
		char size;
	} sizes[] = {
		{ "I64", 'q' }, { "I32", 0 }, { "I", 'q' }, { "ll", 'q' }, { "l", 'l' },
		{ "hh", 'b' }, { "h", 'h' }, { "w", 'w' }, { "z", 'q' }, { "t", 'q' }, { "j", 'q' },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t n = strlen(sizes[i].text);

		if (!strncmp(*at, sizes[i].text, n)) {
			*at += n;
			return sizes[i].size;
		}
	}
	return 0;
}

/* The specification behind a %; returns what is behind it. */
static inline const char *etw_dbg_spec(struct etw_dbg_spec *spec, const char *at, va_list *args)
{
	size_t flags = 0;

	memset(spec, 0, sizeof(*spec));
	for (; *at && strchr("-+ 0#", *at); at++)
		if (!strchr(spec->flags, *at))
			spec->flags[flags++] = *at;
	spec->width = etw_dbg_limit(&at, args, 0);
	if (spec->width < 0) {
		if (!strchr(spec->flags, '-'))
			spec->flags[flags] = '-';
		spec->width = -spec->width;
	}
	spec->precision = -1;
	if (*at == '.') {
		at++;
		spec->precision = etw_dbg_limit(&at, args, 0);
	}
	spec->size = etw_dbg_size(&at);
	spec->type = *at;
	return *at ? at + 1 : at;
}

/**
 * DbgPrint() - write a message to the kernel log, at the level of debugging
 * @Format: Microsoft's; behind a type that is not listed, the rest is printed as it is:
 *
 *	%d %i %u %o %x %X	32 bits, also with l; 64 with I64 or ll, as wide as a pointer with I
 *	%s %hs, %S %ws %ls	text that ends in a NUL: bytes, WCHARs
 *	%Z, %wZ			PANSI_STRING, PUNICODE_STRING
 *	%c %hc, %C %wc %lc	a byte, a WCHAR
 *	%p			Linux's %p, which hides the address
 *
 * Any IRQL.  At most 511 bytes; WCHARs become UTF-8.  Text at a wrong address is "(bad)".
 *
 * Return: STATUS_SUCCESS; STATUS_INVALID_PARAMETER: no format.
 */
static noinline __maybe_unused ULONG DbgPrint(PCSTR Format, ...)
{
	struct etw_dbg_spec spec;
	struct etw_dbg out;
	va_list args;

	if (!Format)
		return STATUS_INVALID_PARAMETER;
	out.count = 0;
	out.end = sizeof(out.text) - 1;
	va_start(args, Format);
	while (*Format) {
		const char *begin = Format++;

		if (*begin != '%') {
			etw_dbg_byte(&out, *begin);
		} else if (*Format == '%') {
			etw_dbg_byte(&out, *Format++);
		} else {
			Format = etw_dbg_spec(&spec, Format, &args);
			if (etw_dbg_value(&out, &spec, &args))
				continue;
			while (*begin)
				etw_dbg_byte(&out, *begin++);
			break;
		}
	}
	va_end(args);
	out.text[out.count] = 0;
	printk(KERN_DEBUG "%s", out.text);
	return STATUS_SUCCESS;
}

/* The component and the level select nothing. */
#define DbgPrintEx(ComponentId, Level, ...)					\
	((void)(ComponentId), (void)(Level), DbgPrint(__VA_ARGS__))
#define KdPrint(args)			DbgPrint args
#define KdPrintEx(args)			DbgPrintEx args

/* A checked build unless the driver defines DBG; a name of many drivers of Linux, too */
#ifdef ETW_DRIVER_LICENSE
#ifndef DBG
#define DBG				1
#endif
#if DBG
#define ASSERT(e)			NT_ASSERT(e)
#else
#undef KdPrint
#undef KdPrintEx
#define KdPrint(args)			((void)0)
#define KdPrintEx(args)			((void)0)
#define ASSERT(e)			((void)0)
#endif
#define ASSERTMSG(message, e)		ASSERT(e)
#endif

#define DPFLTR_IHVDRIVER_ID		77
#define DPFLTR_DEFAULT_ID		101
#define DPFLTR_ERROR_LEVEL		0
#define DPFLTR_WARNING_LEVEL		1
#define DPFLTR_TRACE_LEVEL		2
#define DPFLTR_INFO_LEVEL		3

#endif /* ETW_WIN32_KM_RTL_H */
