/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * evntdesc.h - inline helpers of evntprov.h that fill descriptors; include that
 *
 * None of them checks its arguments, fails or keeps a pointer beyond what the
 * descriptor itself holds.
 *
 * Semantics: Microsoft's pages "EventDataDescCreate function" and
 * "EventDescCreate function", and the pages of the others by their names.
 */
#ifndef ETW_EVNTDESC_H
#define ETW_EVNTDESC_H

#ifndef ETW_EVNTPROV_H
#error "include <evntprov.h>"
#endif

ETW_BEGIN_DECLS

/* Point at DataSize bytes, which must stay until the event is written */
static inline VOID EventDataDescCreate(PEVENT_DATA_DESCRIPTOR EventDataDescriptor,
				       const VOID *DataPtr, ULONG DataSize)
{
	EventDataDescriptor->Ptr = (ULONG_PTR)DataPtr;
	EventDataDescriptor->Size = DataSize;
	EventDataDescriptor->Reserved = 0;
}

static inline VOID EventDescCreate(PEVENT_DESCRIPTOR EventDescriptor, USHORT Id,
				   UCHAR Version, UCHAR Channel, UCHAR Level,
				   USHORT Task, UCHAR Opcode, ULONGLONG Keyword)
{
	EventDescriptor->Id = Id;
	EventDescriptor->Version = Version;
	EventDescriptor->Channel = Channel;
	EventDescriptor->Level = Level;
	EventDescriptor->Task = Task;
	EventDescriptor->Opcode = Opcode;
	EventDescriptor->Keyword = Keyword;
}

static inline VOID EventDescZero(PEVENT_DESCRIPTOR EventDescriptor)
{
	EventDescCreate(EventDescriptor, 0, 0, 0, 0, 0, 0, 0);
}

static inline USHORT EventDescGetId(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Id;
}

static inline UCHAR EventDescGetVersion(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Version;
}

static inline USHORT EventDescGetTask(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Task;
}

static inline UCHAR EventDescGetOpcode(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Opcode;
}

static inline UCHAR EventDescGetChannel(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Channel;
}

static inline UCHAR EventDescGetLevel(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Level;
}

static inline ULONGLONG EventDescGetKeyword(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Keyword;
}

/* The setters return the descriptor, so that calls can be chained. */

static inline PEVENT_DESCRIPTOR EventDescSetId(PEVENT_DESCRIPTOR EventDescriptor,
					       USHORT Id)
{
	EventDescriptor->Id = Id;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetVersion(PEVENT_DESCRIPTOR EventDescriptor,
						    UCHAR Version)
{
	EventDescriptor->Version = Version;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetTask(PEVENT_DESCRIPTOR EventDescriptor,
						 USHORT Task)
{
	EventDescriptor->Task = Task;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetOpcode(PEVENT_DESCRIPTOR EventDescriptor,
						   UCHAR Opcode)
{
	EventDescriptor->Opcode = Opcode;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetLevel(PEVENT_DESCRIPTOR EventDescriptor,
						  UCHAR Level)
{
	EventDescriptor->Level = Level;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetChannel(PEVENT_DESCRIPTOR EventDescriptor,
						    UCHAR Channel)
{
	EventDescriptor->Channel = Channel;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetKeyword(PEVENT_DESCRIPTOR EventDescriptor,
						    ULONGLONG Keyword)
{
	EventDescriptor->Keyword = Keyword;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescOrKeyword(PEVENT_DESCRIPTOR EventDescriptor,
						   ULONGLONG Keyword)
{
	EventDescriptor->Keyword |= Keyword;
	return EventDescriptor;
}

ETW_END_DECLS

#endif /* ETW_EVNTDESC_H */
