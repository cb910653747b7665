/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * kernel.h - tracing a driver: the API of etw.ko for kernel modules
 *
 *	#include <etw/kernel.h>
 *
 *	ETW_DEFINE_PROVIDER(my_provider,
 *			    ETW_GUID(0x01234567, 0x89ab, 0xcdef, 0, 1, 2, 3, 4, 5, 6, 7));
 *	static const struct etw_event_descriptor my_event = {
 *		.id = 1, .level = 4, .keyword = 0x1 };
 *
 *	init:	err = etw_register(&my_provider, "My-Driver", NULL, NULL);
 *	use:	if (ETW_EVENT_ENABLED(my_provider, &my_event)) {
 *			struct etw_data_descriptor d[] = {
 *				etw_data(&sector, sizeof(sector)),
 *				etw_data(name, strlen(name) + 1) };
 *			etw_write(&my_provider, &my_event, ARRAY_SIZE(d), d);
 *		}
 *	exit:	etw_unregister(&my_provider);
 *
 * The test costs a patched-out branch while nobody has the provider enabled.
 * Writing works in process, softirq, hardirq and NMI context, takes no lock
 * and never sleeps; the data must be resident kernel memory.  A module that
 * uses these functions holds a reference on etw.ko through its symbols.
 *
 * Semantics: Microsoft's EtwRegister, EtwSetInformation, EtwWrite,
 * EtwWriteTransfer, EtwWriteEx, EtwWriteString, EtwEventEnabled,
 * EtwProviderEnabled and EtwActivityIdControl pages; negative errno instead of
 * NTSTATUS.
 */
#ifndef ETW_KERNEL_H
#define ETW_KERNEL_H

#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/types.h>
#include <etw/abi.h>
#include <etw/filter.h>

struct etw_provider;
struct etw_registration;
struct etw_snapshot;

/**
 * typedef etw_enable_fn - a provider's enable callback
 * @source: SourceId of the enable call, all zero if there is none
 * @control: ETW_CONTROL_ENABLE if any session has the provider enabled, else
 *	ETW_CONTROL_DISABLE; or ETW_CONTROL_CAPTURE.  Ignore other values.
 * @level: highest level any session wants (255: all)
 * @any: union of the sessions' MatchAnyKeyword
 * @all: intersection of the sessions' MatchAllKeyword
 * @filter: what sessions told the provider with it, or NULL; gone when the
 *	callback returns.  @filter->ptr is an address in the kernel, a multiple of
 *	8.  ETW_FILTER_SCHEMATIZED: a struct etw_filter_header with its data, one
 *	for each session that gave one, see etw_filter_next(); with
 *	ETW_CONTROL_CAPTURE that of the session that asks.  ETW_FILTER_TRACEHANDLE:
 *	a u64, the handle of the session that the state is to tell about; its low
 *	16 bits are the session's logger id.
 * @context: as given to etw_register()
 *
 * Process context on a workqueue of etw.ko's, may sleep; one at a time for each
 * registration, in the order of the changes.  At most 64 calls wait; then those
 * with ETW_CONTROL_CAPTURE are dropped first, and after them the oldest, since each
 * other tells the whole state.  May write events.  May not call etw_unregister()
 * of its own provider (-EDEADLK).
 */
typedef void (*etw_enable_fn)(const struct etw_guid *source, u32 control,
			      u8 level, u64 any, u64 all,
			      const struct etw_filter *filter, void *context);

/**
 * etw_filter_next() - the next session's filter
 * @header: one of the filters that a callback got
 *
 * Return: NULL after the last one.
 */
static inline const struct etw_filter_header *
etw_filter_next(const struct etw_filter_header *header)
{
	return header->next ? (const void *)((const u8 *)header + header->next) : NULL;
}

/**
 * struct etw_provider - a provider of a kernel module
 * @enable: composite of the enabling sessions; written by etw.ko
 * @snapshot: the enabling sessions, RCU; written by etw.ko
 * @key: static key of ETW_DEFINE_PROVIDER(), NULL for a run-time handle
 * @guid: identity
 * @reg: etw.ko's side of it while registered
 *
 * Define it with ETW_DEFINE_PROVIDER() or get one from
 * etw_register_handle(); touch no member.
 */
struct etw_provider {
	struct etw_enable_entry enable;
	struct etw_snapshot __rcu *snapshot;
	struct static_key *key;
	struct etw_guid guid;
	struct etw_registration *reg;
};

/**
 * ETW_DECLARE_PROVIDER() - declare a provider defined in another file
 * @_name: C name of the object
 */
#define ETW_DECLARE_PROVIDER(_name)					\
	DECLARE_STATIC_KEY_FALSE(_name##_etw_key);			\
	extern struct etw_provider _name

/**
 * ETW_DEFINE_PROVIDER() - define a static provider object
 * @_name: C name of the object
 * @...: its GUID, as ETW_GUID(...)
 *
 * At file scope.  Share it between files with ETW_DECLARE_PROVIDER().
 */
#define ETW_DEFINE_PROVIDER(_name, ...)					\
	ETW_DECLARE_PROVIDER(_name);					\
	DEFINE_STATIC_KEY_FALSE(_name##_etw_key);			\
	struct etw_provider _name = {					\
		.key = &_name##_etw_key.key,				\
		.guid = __VA_ARGS__,					\
	}

/**
 * ETW_ENABLED() - would an event of this level and keyword be wanted?
 * @_name: object of ETW_DEFINE_PROVIDER() (not a pointer)
 * @_level: the event's level
 * @_keyword: the event's keyword
 *
 * A patched-out branch while nobody enabled the provider.  Any context.
 */
#define ETW_ENABLED(_name, _level, _keyword)				\
	(static_branch_unlikely(&_name##_etw_key) &&			\
	 etw_entry_wants(&(_name).enable, (_level), (_keyword)))

/**
 * ETW_EVENT_ENABLED() - would this event be wanted?
 * @_name: object of ETW_DEFINE_PROVIDER() (not a pointer)
 * @_desc: the event's struct etw_event_descriptor *
 */
#define ETW_EVENT_ENABLED(_name, _desc)					\
	ETW_ENABLED(_name, (_desc)->level, (_desc)->keyword)

/**
 * ETW_WRITE() - write an event if it is wanted
 * @_name: object of ETW_DEFINE_PROVIDER() (not a pointer)
 * @_desc: struct etw_event_descriptor *
 * @_count: number of data descriptors, at most 128
 * @_data: struct etw_data_descriptor *; evaluated only if the event is wanted
 *
 * Return: as etw_write(), 0 if the event is not wanted.
 */
#define ETW_WRITE(_name, _desc, _count, _data)				\
	(ETW_EVENT_ENABLED(_name, _desc) ?				\
	 etw_write(&(_name), (_desc), (_count), (_data)) : 0)

/**
 * etw_data() - describe one piece of an event's payload
 * @ptr: kernel memory, resident, unchanged until the write returns
 * @size: bytes
 */
static __always_inline struct etw_data_descriptor etw_data(const void *ptr,
							   u32 size)
{
	return (struct etw_data_descriptor){
		.ptr = (unsigned long)ptr, .size = size };
}

/**
 * etw_data_typed() - describe something of an event that is no payload
 * @type: ETW_DATA_*
 * @ptr: as for etw_data()
 * @size: bytes; metadata begin with their own size as a u16
 *
 * For a provider that has traits or called etw_use_descriptor_types().
 */
static __always_inline struct etw_data_descriptor etw_data_typed(u8 type, const void *ptr,
								 u32 size)
{
	return (struct etw_data_descriptor){
		.ptr = (unsigned long)ptr, .size = size, .reserved = type };
}

/**
 * ETW_HANDLE_ENABLED() - would this event of a run-time handle be wanted?
 * @_handle: struct etw_provider * of etw_register_handle()
 * @_desc: the event's struct etw_event_descriptor *
 *
 * As ETW_EVENT_ENABLED(), for a provider that has no static key: while nobody
 * enabled it, a load and a branch for events of a level above 0.  Any context.
 */
#define ETW_HANDLE_ENABLED(_handle, _desc)				\
	etw_entry_wants(&(_handle)->enable, (_desc)->level, (_desc)->keyword)

/*
 * Functions.  Each has its kernel-doc where it is defined, in etw's module/; in
 * short:
 *
 * etw_register(), etw_register_handle(): provider, GUID; name that "etw list" shows,
 * or NULL; callback and its context, or NULL.  Process context, sleep.  0; -EBUSY: it
 * is registered; -EINVAL: the GUID is zero; -ENAMETOOLONG: over 1,024 bytes; -ENOMEM.
 * __etw_register_traits(): with traits, as TraceLoggingRegister() does; also -EINVAL: they
 * are malformed.
 * etw_unregister(), etw_unregister_handle(): process context, sleep, wait for writes
 * and for the callback; 0, or -EDEADLK from the provider's own callback.  Not
 * registered, NULL: 0.
 */
int __etw_register(struct etw_provider *provider, struct module *owner,
		   const char *name, etw_enable_fn callback, void *context);
int __etw_register_traits(struct etw_provider *provider, struct module *owner,
			  const void *traits, u32 len, etw_enable_fn callback, void *context);
int __etw_register_handle(const struct etw_guid *guid, struct module *owner,
			  const char *name, etw_enable_fn callback,
			  void *context, struct etw_provider **handle);

/* See __etw_register(). */
#define etw_register(_provider, _label, _callback, _context)		\
	__etw_register((_provider), THIS_MODULE, (_label), (_callback), (_context))

/* See __etw_register_handle(). */
#define etw_register_handle(_guid, _label, _callback, _context, _handle)	\
	__etw_register_handle((_guid), THIS_MODULE, (_label), (_callback),	\
			      (_context), (_handle))

int etw_unregister(struct etw_provider *provider);
int etw_unregister_handle(struct etw_provider *handle);

/*
 * Traits are laid out as format.h says, and copied; with them data descriptors have
 * types, which etw_use_descriptor_types() has without.  Of a registered provider, in
 * process context; sleep.  0; -EBADF: it is not registered; -EEXIST: it has traits;
 * -EINVAL: they are malformed; -ENOMEM.
 */
int etw_set_traits(struct etw_provider *provider, const void *traits, u32 len);
int etw_use_descriptor_types(struct etw_provider *provider, bool use);

/*
 * Any context, NMI included; none sleeps.  activity NULL: the task's id; related NULL:
 * none.  0, also if no session wants the event; -EINVAL: more than 128 pieces, unknown
 * flags, no string; lost and counted: -EOVERFLOW: over 64 KB, -EMSGSIZE: larger than a
 * session's buffer, -ENOBUFS: a session had no free buffer.
 */
int etw_write(struct etw_provider *provider,
	      const struct etw_event_descriptor *desc, u32 count,
	      const struct etw_data_descriptor *data);
int etw_write_transfer(struct etw_provider *provider,
		       const struct etw_event_descriptor *desc,
		       const struct etw_guid *activity,
		       const struct etw_guid *related, u32 count,
		       const struct etw_data_descriptor *data);

/* etw_write_ex(): EVENT_WRITE_FLAG_* */
#define ETW_EX_NO_FAULTING	0x1
#define ETW_EX_INPRIVATE	0x2

/* exclude: bit i keeps the event from the session with logger id i + 1. */
int etw_write_ex(struct etw_provider *provider,
		 const struct etw_event_descriptor *desc, u64 exclude, u32 flags,
		 const struct etw_guid *activity, const struct etw_guid *related,
		 u32 count, const struct etw_data_descriptor *data);

/* string: UTF-16, up to a 0 unit; stored with that. */
int etw_write_string(struct etw_provider *provider, u8 level, u64 keyword,
		     const struct etw_guid *activity, const u16 *string);

/* Any context.  Yes is no promise; level 0 and keyword 0: does any session listen? */
bool etw_event_enabled(const struct etw_provider *provider,
		       const struct etw_event_descriptor *desc);
bool etw_provider_enabled(const struct etw_provider *provider, u8 level,
			  u64 keyword);

/* etw_activity_id_control(): EVENT_ACTIVITY_CTRL_* */
#define ETW_ACTIVITY_GET	1	/* *id = the task's id */
#define ETW_ACTIVITY_SET	2	/* the task's id = *id */
#define ETW_ACTIVITY_CREATE	3	/* *id = a new id */
#define ETW_ACTIVITY_GET_SET	4	/* swap *id and the task's id */
#define ETW_ACTIVITY_CREATE_SET	5	/* the task's id = a new one, *id = the old one */

/* Of the task, in process context.  0; -EINVAL: unknown control, NULL; -ENOMEM. */
int etw_activity_id_control(u32 control, struct etw_guid *id);

#endif /* ETW_KERNEL_H */
