/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tl_capture.h - captures what TraceLogging passes to libetw
 *
 * For C and C++. Include it first, in one file of a program: it defines the functions
 * that the headers call under other names.
 */
#ifndef TL_CAPTURE_H
#define TL_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <evntprov.h>
#include <etw/filter.h>

struct tl_caught {
	unsigned int count;		/* of events since tl_forget() */
	REGHANDLE handle;
	EVENT_DESCRIPTOR desc;
	int has_activity, has_related;
	GUID activity, related;
	ULONG64 filter;
	ULONG flags;
	ULONG pieces;
	unsigned char types[128];
	unsigned char traits[256], meta[70000], payload[140000];
	size_t traits_size, meta_size, payload_size;
	int bad;			/* metadata with a wrong size */
};

static struct tl_caught tl_caught;
static struct etw_enable_entry tl_entry = { 1, 255, 1, 1, 0, ~0ULL, 0, 0, 0 };
static const struct etw_enable_entry *volatile tl_current = &tl_entry;
static ULONG tl_register_error;
static GUID tl_registered;
static PENABLECALLBACK tl_callback;
static void *tl_callback_context;
static unsigned int tl_unregistered;
static GUID tl_thread_id;		/* the thread's activity id */
static unsigned int tl_made_ids;

static inline void tl_forget(void)
{
	tl_caught.count = 0;
	tl_caught.meta_size = 0;
	tl_caught.payload_size = 0;
	tl_caught.traits_size = 0;
	tl_caught.bad = 0;
}

static inline void tl_take_piece(const EVENT_DATA_DESCRIPTOR *data, unsigned char *to,
				 size_t *size)
{
	if (data->Size)
		memcpy(to + *size, (const void *)(ULONG_PTR)data->Ptr, data->Size);
	*size += data->Size;
}

static inline int tl_says(const unsigned char *blob, size_t size)
{
	return size >= 2 && (size_t)(blob[0] | blob[1] << 8) == size;
}

static inline ULONG tl_write_ex(REGHANDLE handle, PCEVENT_DESCRIPTOR desc, ULONG64 filter,
				ULONG flags, LPCGUID activity, LPCGUID related, ULONG count,
				PEVENT_DATA_DESCRIPTOR data)
{
	unsigned int n = tl_caught.count + 1;
	ULONG i;

	tl_forget();
	tl_caught.count = n;
	tl_caught.handle = handle;
	tl_caught.desc = *desc;
	tl_caught.filter = filter;
	tl_caught.flags = flags;
	tl_caught.has_activity = activity != NULL;
	tl_caught.has_related = related != NULL;
	if (activity)
		tl_caught.activity = *activity;
	if (related)
		tl_caught.related = *related;
	tl_caught.pieces = count;
	for (i = 0; i < count; i++) {
		tl_caught.types[i] = data[i].Type;
		if (data[i].Type == EVENT_DATA_DESCRIPTOR_TYPE_PROVIDER_METADATA)
			tl_take_piece(&data[i], tl_caught.traits, &tl_caught.traits_size);
		else if (data[i].Type == EVENT_DATA_DESCRIPTOR_TYPE_EVENT_METADATA)
			tl_take_piece(&data[i], tl_caught.meta, &tl_caught.meta_size);
		else
			tl_take_piece(&data[i], tl_caught.payload, &tl_caught.payload_size);
	}
	tl_caught.bad = !tl_says(tl_caught.traits, tl_caught.traits_size) ||
			!tl_says(tl_caught.meta, tl_caught.meta_size);
	return ERROR_SUCCESS;
}

static inline ULONG tl_write_transfer(REGHANDLE handle, PCEVENT_DESCRIPTOR desc,
				      LPCGUID activity, LPCGUID related, ULONG count,
				      PEVENT_DATA_DESCRIPTOR data)
{
	return tl_write_ex(handle, desc, 0, 0, activity, related, count, data);
}

ETW_BEGIN_DECLS

/* Replaces etw_tl_register(), which the headers declare */
ETW_API ULONG tl_register_here(LPCGUID id, const void *traits, PENABLECALLBACK callback,
			       PVOID context, PREGHANDLE handle,
			       const struct etw_enable_entry *const volatile **enable)
{
	*handle = 0;
	if (tl_register_error)
		return tl_register_error;
	tl_registered = *id;
	tl_callback = callback;
	tl_callback_context = context;
	*handle = 0x10001;
	*enable = &tl_current;
	return traits ? ERROR_SUCCESS : ERROR_INVALID_PARAMETER;
}

ETW_END_DECLS

static inline ULONG tl_unregister(REGHANDLE handle)
{
	tl_unregistered += handle == 0x10001;
	return ERROR_SUCCESS;
}

static inline ULONG tl_activity_id(ULONG code, LPGUID id)
{
	GUID old = tl_thread_id;

	if (code == EVENT_ACTIVITY_CTRL_CREATE_ID) {
		memset(id, 0, sizeof(*id));
		id->Data1 = ++tl_made_ids;
		return ERROR_SUCCESS;
	}
	if (code != EVENT_ACTIVITY_CTRL_GET_SET_ID && code != EVENT_ACTIVITY_CTRL_SET_ID)
		abort();
	tl_thread_id = *id;
	if (code == EVENT_ACTIVITY_CTRL_GET_SET_ID)
		*id = old;
	return ERROR_SUCCESS;
}

#define EventWriteTransfer	tl_write_transfer
#define EventWriteEx		tl_write_ex
#define EventUnregister		tl_unregister
#define EventActivityIdControl	tl_activity_id
#define etw_tl_register		tl_register_here

#endif /* TL_CAPTURE_H */
