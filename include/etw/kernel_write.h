/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * kernel_write.h - part of kernel.h: write an event whose size the compiler knows
 *
 * The driver itself copies the payload, to where __etw_reserve() says, or __etw_examine() if a
 * number in the payload decides.  If there is no room, or the event needs more (another filter of
 * the payload, items, ...), __etw_write() does the whole.
 */
#ifndef ETW_KERNEL_WRITE_H
#define ETW_KERNEL_WRITE_H

#include <linux/instrumented.h>
#include <linux/types.h>
#include <etw/abi.h>
#include <etw/format.h>
#include <etw/move.h>

struct etw_provider;

/* An event between __etw_reserve() and its end; private to etw.ko. */
struct etw_open {
	void *buffer;		/* of the only session; NULL: of several */
	u64 several[2 + 2 * ETW_PROVIDER_SESSIONS];
};

/* __etw_reserve(): there is nothing to do, or it depends on the payload. */
#define ETW_UNWANTED	((void *)1)
#define ETW_EXAMINE	((void *)2)

void *__etw_reserve(struct etw_provider *provider, const struct etw_event_descriptor *desc,
		    u32 size, struct etw_open *open);
void *__etw_examine(struct etw_provider *provider, const struct etw_event_descriptor *desc,
		    u32 size, struct etw_open *open, u32 count,
		    const struct etw_data_descriptor *data);
void __etw_commit(void *buffer, u64 slot);
int __etw_end_several(const void *payload, struct etw_open *open);
int __etw_cancel(void *payload, struct etw_open *open);
int __etw_write(struct etw_provider *provider, const struct etw_event_descriptor *desc, u32 count,
		const struct etw_data_descriptor *data);

/* Kernels that zero all automatic variables would clear it with every event. */
#if __has_attribute(__uninitialized__)
#define __ETW_UNINITIALIZED	__attribute__((__uninitialized__))
#else
#define __ETW_UNINITIALIZED
#endif

/* size: of the payload, as for __etw_reserve() */
static __always_inline int __etw_end_any(const void *payload, u32 size, struct etw_open *open)
{
	if (unlikely(!open->buffer))
		return __etw_end_several(payload, open);
	__etw_commit(open->buffer, ALIGN((u64)ETW_EVENT_HEADER_SIZE + size, ETW_RECORD_ALIGN));
	return 0;
}

/**
 * etw_write_fixed() - write an event whose payload is one object of a constant size
 * @provider: a provider; nothing is written unless it is registered
 * @desc: the event's descriptor, written unchanged
 * @payload: the payload, without padding that must not be seen; read without a guard against
 *	faults, so it should be a variable of the caller's
 * @size: its size, a constant
 *
 * As etw_write() with one piece, which may be as large as an event can be.  Any context, NMI
 * included; does not sleep.
 *
 * Return: as etw_write().
 */
static __always_inline int etw_write_fixed(struct etw_provider *provider,
					   const struct etw_event_descriptor *desc,
					   const void *payload, u32 size)
{
	struct etw_data_descriptor data __ETW_UNINITIALIZED;
	struct etw_open open __ETW_UNINITIALIZED;
	void *to = NULL;

	if (size <= ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE)
		to = __etw_reserve(provider, desc, size, &open);
	if (unlikely(to <= ETW_EXAMINE)) {
		if (to == ETW_UNWANTED)
			return 0;
		data = (struct etw_data_descriptor){
			.ptr = (unsigned long)payload, .size = size };
		if (to)
			to = __etw_examine(provider, desc, size, &open, 1, &data);
		if (to <= ETW_UNWANTED)
			return to ? 0 : __etw_write(provider, desc, 1, &data);
	}
	__builtin_memcpy(to, payload, size);
	return __etw_end_any(to, size, &open);
}

#ifdef CONFIG_X86_64
/* Without loops, so that nothing of data[] is left but what the compiler does not know. */
#define __ETW_PIECES	4
#define __ETW_PIECE_MAX	31
#define __ETW_JOIN(operator, expression)				\
	(__ETW_PIECE(0, expression) operator __ETW_PIECE(1, expression) operator	\
	 __ETW_PIECE(2, expression) operator __ETW_PIECE(3, expression))

/* The size of a payload of a few short pieces, if the compiler knows it, else -1. */
static __always_inline int __etw_known_size(u32 count, const struct etw_data_descriptor *data)
{
	u32 sizes;

	if (!__builtin_constant_p(count) || count > __ETW_PIECES)
		return -1;
#define __ETW_PIECE(i, member)	(count > (i) ? data[i].member : 0)
	sizes = __ETW_JOIN(|, size);
	if (!__builtin_constant_p(sizes) || sizes > __ETW_PIECE_MAX || __ETW_JOIN(|, reserved))
		return -1;
	return __ETW_JOIN(+, size);
#undef __ETW_PIECE
}

/* Copy a piece, and move on; false: it cannot be read. */
static __always_inline bool __etw_copy_piece(u8 **to, const struct etw_data_descriptor *piece)
{
	const u8 *from = (const u8 *)(unsigned long)piece->ptr;
	u8 *at = *to;

	if (piece->size & 16) {
		ETW_MOVE(u64, at, from, fault);
		ETW_MOVE(u64, at + 8, from + 8, fault);
	}
	if (piece->size & 8)
		ETW_MOVE(u64, at + (piece->size & 16), from + (piece->size & 16), fault);
	if (piece->size & 4)
		ETW_MOVE(u32, at + (piece->size & 24), from + (piece->size & 24), fault);
	if (piece->size & 2)
		ETW_MOVE(u16, at + (piece->size & 28), from + (piece->size & 28), fault);
	if (piece->size & 1)
		ETW_MOVE(u8, at + (piece->size & 30), from + (piece->size & 30), fault);
	instrument_read(from, piece->size);
	*to = at + piece->size;
	return true;
fault:
	return false;
}

/* etw_write(): a payload of this known size. */
static __always_inline int __etw_write_known(struct etw_provider *provider,
					     const struct etw_event_descriptor *desc, u32 count,
					     const struct etw_data_descriptor *data, u32 size)
{
	struct etw_data_descriptor same[__ETW_PIECES] __ETW_UNINITIALIZED;
	struct etw_open open __ETW_UNINITIALIZED;
	void *payload = __etw_reserve(provider, desc, size, &open);
	u8 *at;

	if (unlikely(payload <= ETW_EXAMINE)) {
		if (payload == ETW_UNWANTED)
			return 0;
#define __ETW_PIECE(i, unused)	(count > (i) ? (same[i] = data[i], 0) : 0)
		(void)__ETW_JOIN(|, 0);
#undef __ETW_PIECE
		if (payload)
			payload = __etw_examine(provider, desc, size, &open, count, same);
		if (payload <= ETW_UNWANTED)
			return payload ? 0 : __etw_write(provider, desc, count, same);
	}
	at = payload;
#define __ETW_PIECE(i, unused)	(count > (i) && data[i].size ? data[i].ptr : ~0ULL)
	if (unlikely(!ETW_MAY_READ(__ETW_JOIN(&, 0))))
		return __etw_cancel(payload, &open);
#undef __ETW_PIECE
#define __ETW_PIECE(i, unused)	(count <= (i) || __etw_copy_piece(&at, &data[i]))
	if (unlikely(!(__ETW_JOIN(&&, 0))))
		return __etw_cancel(payload, &open);
#undef __ETW_PIECE
	return __etw_end_any(payload, size, &open);
}

#undef __ETW_JOIN
#endif

/**
 * etw_write() - write an event
 * @provider: a provider; nothing is written unless it is registered
 * @desc: the event's descriptor, written unchanged
 * @count: number of data descriptors, at most 128
 * @data: pieces of the payload, stored one after the other without padding
 *
 * With the task's activity id, see etw_activity_id_control(), and no related one.  Any context,
 * NMI included; does not sleep.  Tests level and keyword itself, but ETW_EVENT_ENABLED() before
 * the call is cheaper.  Cheapest is an event of at most 4 pieces, of at most 31 bytes each,
 * whose number and sizes are constants.
 *
 * Return: 0, even if no session takes the event; -EINVAL: more than 128 pieces;
 * -EOVERFLOW: over 64 KB with header and items; -EMSGSIZE: larger than a session's
 * buffer; -ENOBUFS: a session had no free buffer; -EFAULT: the payload or metadata could not be
 * read.  The sessions that fail count the event as lost; the others get it.
 */
static __always_inline int etw_write(struct etw_provider *provider,
				     const struct etw_event_descriptor *desc, u32 count,
				     const struct etw_data_descriptor *data)
{
#ifdef CONFIG_X86_64
	const int size = __etw_known_size(count, data);

	if (size >= 0)
		return __etw_write_known(provider, desc, count, data, size);
#endif
	return __etw_write(provider, desc, count, data);
}

#endif /* ETW_KERNEL_WRITE_H */
