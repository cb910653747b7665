/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * write.h - TraceLogging: writing an event
 *
 *	TraceLoggingWrite(handle, "Event"[, argument...])
 *	TraceLoggingWriteActivity(handle, "Event", activity, related[, argument...])
 *	TraceLoggingWriteEx(handle, "Event", filter, flags, activity, related[, argument...])
 *
 * Statements without a result.  They take up to 99 arguments, from scalar.h, field.h and
 * value.h, and up to 126 data descriptors: a string or a value needs one; an array, a
 * counted string and a binary need two.  Argument expressions are evaluated once, in their
 * order, and only if a session wants the event.  activity and related are pointers to
 * GUIDs and may be NULL; filter and flags are those of EventWriteEx() or etw_write_ex().
 *
 * In a kernel module an event may use 1,792 bytes of stack, for its data descriptors (16
 * bytes each) and its local variables: values, lengths, pointers.  99 values of one byte
 * fit, or 73 of eight.
 *
 * Context: like EventWrite(); in a kernel module any context, like etw_write().
 *
 * Source: Microsoft's pages "TraceLoggingWrite macro" and "TraceLoggingWriteActivity macro".
 */
#ifndef ETW_TRACELOGGING_WRITE_H
#define ETW_TRACELOGGING_WRITE_H

#include <etw/tracelogging/provider.h>
#include <etw/tracelogging/value.h>

/*
 * The constants of an event.  text is the member for the name, in parentheses; all but
 * the first of ... are arguments.
 */
#define ETW_TL_STATIC(text, level0, keyword0, opcode0, name, ...)			\
	enum {									\
		ETW_TL_EACH(ENUM, __VA_ARGS__)					\
		etw_tl_level = ((level0) ETW_TL_EACH(LEVEL, __VA_ARGS__)) & 255,	\
		etw_tl_opcode = ((opcode0) ETW_TL_EACH(OPCODE, __VA_ARGS__)) & 255,	\
		etw_tl_channel = (ETW_CHANNEL_TRACELOGGING			\
				  ETW_TL_EACH(CHANNEL, __VA_ARGS__)) & 255,	\
		etw_tl_tag = (int)(0 ETW_TL_EACH(TAG, __VA_ARGS__))		\
	};									\
	ETW_TL_CONST etw_tl_descriptor etw_tl_desc = {				\
		0, 0, etw_tl_channel, etw_tl_level, etw_tl_opcode, 0,		\
		((__u64)(keyword0) ETW_TL_EACH(KEYWORD, __VA_ARGS__)) };	\
	ETW_TL_CONST struct __attribute__((__packed__)) {			\
		__u8 etw_tl_type_;							\
		__u8 etw_tl_channel_;							\
		__u8 etw_tl_level_;							\
		__u8 etw_tl_opcode_;							\
		__u64 etw_tl_keyword_;							\
		__u16 etw_tl_size_;							\
		__extension__ __u64 etw_tl_tag_ :				\
			8 * (etw_tl_tag != 0 ? ETW_TL_TAG_LEN(etw_tl_tag) : 1);	\
		ETW_TL_STRIP text;						\
		ETW_TL_EACH(MEMBER, __VA_ARGS__)				\
	} etw_tl_event ETW_TL_SECTION = {					\
		ETW_TL_EVENT, etw_tl_channel, etw_tl_level, etw_tl_opcode,	\
		((__u64)(keyword0) ETW_TL_EACH(KEYWORD, __VA_ARGS__)),		\
		(__u16)(sizeof(etw_tl_event) - ETW_TL_EVENT_HEAD),		\
		ETW_TL_TAG_BYTES(etw_tl_tag), name				\
		ETW_TL_EACH(INIT, __VA_ARGS__)					\
	};									\
	ETW_TL_ASSERT(sizeof(etw_tl_event) - ETW_TL_EVENT_HEAD <= 0xFFFF,	\
		      "metadata over 65,535 bytes")

/* send is (macro, its arguments...); all but the first of ... are the event's arguments. */
#define ETW_TL_DO(handle, level0, keyword0, opcode0, send, name, ...)		\
	ETW_TL_DO_AS((char etw_tl_text_[sizeof(name)]), handle, level0, keyword0,	\
		     opcode0, send, name, __VA_ARGS__)
#define ETW_TL_DO_AS(text, handle, level0, keyword0, opcode0, send, name, ...)	\
	do {									\
		ETW_TL_STATIC(text, level0, keyword0, opcode0, name, __VA_ARGS__);	\
		const TraceLoggingHProvider etw_tl_p = (handle);		\
										\
		if (ETW_TL_WANTED(handle)) {					\
			ETW_TL_EACH(LOCAL, __VA_ARGS__)				\
			etw_tl_piece etw_tl_pieces[] = {			\
				etw_tl_typed(etw_tl_p->traits, etw_tl_p->traits_size,	\
					     ETW_DATA_PROVIDER_METADATA),	\
				etw_tl_typed(&etw_tl_event.etw_tl_size_,		\
					     sizeof(etw_tl_event) - ETW_TL_EVENT_HEAD,	\
					     ETW_DATA_EVENT_METADATA)		\
				ETW_TL_EACH(PIECE, __VA_ARGS__)			\
			};							\
										\
			ETW_TL_ASSERT(sizeof(etw_tl_pieces) / sizeof(etw_tl_pieces[0]) <= 128,	\
				      "over 128 data descriptors");		\
			ETW_TL_STACK_CHECK(__VA_ARGS__);			\
			ETW_TL_X send;						\
		}								\
	} while (0)

/* The number of pieces; separate from their array, for functions that are macros. */
#define ETW_TL_PIECES	(sizeof(etw_tl_pieces) / sizeof(etw_tl_pieces[0]))

#ifdef __KERNEL__

#define ETW_TL_STACK_CHECK(...)							\
	ETW_TL_ASSERT(sizeof(etw_tl_pieces) ETW_TL_EACH(STACK, __VA_ARGS__) <= 1792,	\
		      "the fields of one event take over 1,792 bytes of the kernel's stack")

typedef struct etw_event_descriptor etw_tl_descriptor;

/* The address of an array is a constant; see struct _tlgProvider_t. */
#define ETW_TL_WANTED(handle)							\
	(__builtin_choose_expr(							\
		__builtin_types_compatible_p(__typeof__(handle), struct _tlgProvider_t[1]),	\
		static_branch_unlikely(&(handle)->key), 1) &&			\
	 etw_entry_wants(&etw_tl_p->provider.enable, etw_tl_level, etw_tl_desc.keyword))
#define ETW_TL_SEND(activity, related)						\
	etw_write_transfer(&etw_tl_p->provider, &etw_tl_desc, (activity), (related),	\
			   ETW_TL_PIECES, etw_tl_pieces)
#define ETW_TL_SEND_EX(filter, flags, activity, related)			\
	etw_write_ex(&etw_tl_p->provider, &etw_tl_desc, (filter), (flags), (activity),	\
		     (related), ETW_TL_PIECES, etw_tl_pieces)

#else

#define ETW_TL_STACK_CHECK(...)	ETW_TL_ASSERT(1, "")

typedef EVENT_DESCRIPTOR etw_tl_descriptor;

#define ETW_TL_WANTED(handle)	etw_tl_wants(etw_tl_p, etw_tl_level, etw_tl_desc.Keyword)
#define ETW_TL_SEND(activity, related)						\
	TLG_EVENT_WRITE_TRANSFER(etw_tl_p->RegHandle, &etw_tl_desc, (activity), (related),	\
				 ETW_TL_PIECES, etw_tl_pieces)
#define ETW_TL_SEND_EX(filter, flags, activity, related)			\
	TLG_EVENT_WRITE_EX(etw_tl_p->RegHandle, &etw_tl_desc, (filter), (flags), (activity),	\
			   (related), ETW_TL_PIECES, etw_tl_pieces)

#endif

#define TraceLoggingWrite(handle, ...)						\
	ETW_TL_DO(handle, 5, 0, 0, (ETW_TL_SEND, NULL, NULL),			\
		  ETW_TL_FIRST(__VA_ARGS__), __VA_ARGS__)
#define TraceLoggingWriteActivity(handle, name, activity, ...)			\
	ETW_TL_DO(handle, 5, 0, 0, (ETW_TL_SEND, activity, ETW_TL_FIRST(__VA_ARGS__)),	\
		  name, __VA_ARGS__)
#define TraceLoggingWriteEx(handle, name, filter, flags, activity, ...)		\
	ETW_TL_DO(handle, 5, 0, 0,						\
		  (ETW_TL_SEND_EX, filter, flags, activity, ETW_TL_FIRST(__VA_ARGS__)),	\
		  name, __VA_ARGS__)

#endif /* ETW_TRACELOGGING_WRITE_H */
