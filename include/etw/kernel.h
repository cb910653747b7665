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
 * While no session has enabled the provider, the test costs one patched-out branch.
 * Writing works in process, softirq, hardirq and NMI context, takes no lock
 * and never sleeps.  The data must be resident kernel memory; the write copies it.
 * Several CPUs may write events of one provider at the same time.  A module that uses
 * these functions holds a reference on etw.ko through its symbols.  If it ends without
 * unregistering a provider, etw.ko does that and complains in the kernel log.
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
#include <etw/kernel_write.h>

struct etw_provider;
struct etw_registration;
struct etw_snapshot;

/**
 * typedef etw_enable_fn - a provider's enable callback
 * @source: SourceId of the enable call, all zero if there is none
 * @control: ETW_CONTROL_ENABLE if any session has the provider enabled, else
 *	ETW_CONTROL_DISABLE; or ETW_CONTROL_CAPTURE: write events that describe the
 *	provider's state.  Ignore other values.
 * @level: highest level any session wants (255: all)
 * @any: union of the sessions' MatchAnyKeyword
 * @all: intersection of the sessions' MatchAllKeyword
 * @filter: filter data that sessions sent to the provider, or NULL; valid until the
 *	callback returns.  @filter->ptr is a kernel address, a multiple of 8.
 *	ETW_FILTER_SCHEMATIZED: a struct etw_filter_header with its data for each
 *	session that sent one, see etw_filter_next(); with ETW_CONTROL_CAPTURE only
 *	the one of the requesting session.  ETW_FILTER_TRACEHANDLE: a u64, the handle
 *	of the session whose state the provider is to describe; its low 16 bits are
 *	the session's logger id.
 * @context: as given to etw_register()
 *
 * Process context in a kernel thread, may sleep.  A registration has one call at
 * a time, in the order of the changes.  At most 8 calls are queued; beyond that, older ones
 * are dropped, because a later one passes the whole state, or asks for it again.  May write
 * events.  May not call etw_unregister() for its own provider (-EDEADLK).  A callback that
 * oopses is not called again.
 */
typedef void (*etw_enable_fn)(const struct etw_guid *source, u32 control,
			      u8 level, u64 any, u64 all,
			      const struct etw_filter *filter, void *context);

/**
 * etw_filter_next() - the next session's filter
 * @header: a filter that the enable callback got
 *
 * Return: the next filter, NULL after the last one.
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
 * @guid: the provider's GUID
 * @reg: etw.ko's registration, NULL while not registered
 *
 * Define one with ETW_DEFINE_PROVIDER() or get one from etw_register_handle().
 * All members are private to etw.ko.
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
 * @...: the provider's GUID, as ETW_GUID(...)
 *
 * Use at file scope.  Other files get it with ETW_DECLARE_PROVIDER().
 */
#define ETW_DEFINE_PROVIDER(_name, ...)					\
	ETW_DECLARE_PROVIDER(_name);					\
	DEFINE_STATIC_KEY_FALSE(_name##_etw_key);			\
	struct etw_provider _name = {					\
		.key = &_name##_etw_key.key,				\
		.guid = __VA_ARGS__,					\
	}

/**
 * ETW_ENABLED() - may a session want an event of this level and keyword?
 * @_name: object of ETW_DEFINE_PROVIDER() (not a pointer)
 * @_level: the event's level
 * @_keyword: the event's keyword
 *
 * Costs a patched-out branch while no session has enabled the provider.  Any context.
 */
#define ETW_ENABLED(_name, _level, _keyword)				\
	(static_branch_unlikely(&_name##_etw_key) &&			\
	 etw_entry_wants(&(_name).enable, (_level), (_keyword)))

/**
 * ETW_EVENT_ENABLED() - may a session want this event?
 * @_name: object of ETW_DEFINE_PROVIDER() (not a pointer)
 * @_desc: the event's struct etw_event_descriptor *
 *
 * Like ETW_ENABLED().  Any context.
 */
#define ETW_EVENT_ENABLED(_name, _desc)					\
	ETW_ENABLED(_name, (_desc)->level, (_desc)->keyword)

/**
 * ETW_WRITE() - write an event if a session may want it
 * @_name: object of ETW_DEFINE_PROVIDER() (not a pointer)
 * @_desc: struct etw_event_descriptor *
 * @_count: number of data descriptors, at most 128
 * @_data: struct etw_data_descriptor *; evaluated only if a session may want the event
 *
 * Any context, including NMI; does not sleep.
 *
 * Return: like etw_write(), 0 if no session wants the event.
 */
#define ETW_WRITE(_name, _desc, _count, _data)				\
	(ETW_EVENT_ENABLED(_name, _desc) ?				\
	 etw_write(&(_name), (_desc), (_count), (_data)) : 0)

/**
 * etw_data() - describe one piece of an event's payload
 * @ptr: resident kernel memory, no alignment needed; must not change until the write
 *	returns
 * @size: bytes, may be 0
 */
#define etw_data(ptr, size)	etw_data_typed(0, ptr, size)

/**
 * etw_data_typed() - describe a part of an event that is not payload
 * @type: ETW_DATA_*
 * @pointer: as @ptr for etw_data()
 * @bytes: its size; metadata start with their own size as a u16
 *
 * Only for a provider that has traits or called etw_use_descriptor_types(); the type is
 * otherwise ignored.
 */
#define etw_data_typed(type, pointer, bytes)				\
	((struct etw_data_descriptor){					\
		(unsigned long)(1 ? (pointer) : (const void *)0), (bytes), (u8)(type) })

/**
 * ETW_HANDLE_ENABLED() - may a session want this event of a run-time handle?
 * @_handle: struct etw_provider * of etw_register_handle()
 * @_desc: the event's struct etw_event_descriptor *
 *
 * Like ETW_EVENT_ENABLED(), for a provider without a static key.  Costs a load and a
 * branch for events of a level above 0 while no session has enabled the provider.
 * Any context.
 */
#define ETW_HANDLE_ENABLED(_handle, _desc)				\
	etw_entry_wants(&(_handle)->enable, (_desc)->level, (_desc)->keyword)

/*
 * Functions.  The full kernel-doc is at their definitions, in module/provider/ and
 * module/write/.  In short:
 *
 * etw_register(), etw_register_handle(): register a provider, or a GUID known only at
 * run time.  name: shown by "etw list", copied, or NULL.  callback, context: may be NULL.
 * Process context, may sleep; not under cpus_read_lock().  0; -EBUSY: the provider is
 * registered already; -EINVAL: the GUID is zero; -ENAMETOOLONG: the name is over 1,024
 * bytes; -ENOMEM.
 *
 * __etw_register_traits(): the same with traits, for TraceLoggingRegister().  Also
 * -EINVAL: the traits are malformed.
 *
 * etw_unregister(), etw_unregister_handle(): process context, sleep; not under
 * cpus_read_lock().  They wait until no writer uses the registration and the callback has
 * returned.  0, also if the provider is not registered or the handle is NULL; -EDEADLK from the
 * provider's own callback.  The handle is freed: no write with it may begin once the function was
 * called.
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
 * etw_set_traits(): set the traits (layout: format.h) of a registered provider, once.
 * They are copied, and switch on the types of data descriptors.
 * etw_use_descriptor_types(): switch the types on or off without traits.
 * Process context, may sleep; not under cpus_read_lock().  0; -EBADF: the provider is
 * not registered; -EEXIST: it has traits already; -EINVAL: the traits are malformed;
 * -ENOMEM.
 */
int etw_set_traits(struct etw_provider *provider, const void *traits, u32 len);
int etw_use_descriptor_types(struct etw_provider *provider, bool use);

/*
 * Write an event, as etw_write() of kernel_write.h.  The provider need not be
 * registered: nothing is written then.  activity NULL: the task's id; related NULL: none.
 * 0, also if no session wants the event; -EINVAL: more than 128 pieces, unknown flags, no
 * string.  If a session lost the event, which the session counts: -EOVERFLOW: over 64 KB,
 * -EMSGSIZE: larger than a session's buffer, -ENOBUFS: a session had no free buffer.
 */
int etw_write_transfer(struct etw_provider *provider,
		       const struct etw_event_descriptor *desc,
		       const struct etw_guid *activity,
		       const struct etw_guid *related, u32 count,
		       const struct etw_data_descriptor *data);

/**
 * ETW_WRITE_FIXED() - write an event whose payload is one object, if a session may want it
 * @_name: object of ETW_DEFINE_PROVIDER() (not a pointer)
 * @_desc: struct etw_event_descriptor *
 * @_object: a packed struct, or another object of a constant size; evaluated only if a session
 *	may want the event
 *
 *	struct request { u32 length; u64 sector; } __packed;
 *	...
 *	ETW_WRITE_FIXED(my_provider, &my_event, ((struct request){ length, sector }));
 *
 * Any context, NMI included; does not sleep.
 *
 * Return: like etw_write(), 0 if no session wants the event.
 */
#define ETW_WRITE_FIXED(_name, _desc, _object)				\
	(ETW_EVENT_ENABLED(_name, _desc) ?				\
	 etw_write_fixed(&(_name), (_desc), &(_object), sizeof(_object)) : 0)

/* etw_write_ex(): EVENT_WRITE_FLAG_* */
#define ETW_EX_NO_FAULTING	0x1	/* no effect: a kernel write never faults */
#define ETW_EX_INPRIVATE	0x2	/* not to sessions with ETW_ENABLE_EXCLUDE_INPRIVATE */

/* exclude: bit i excludes the session with logger id i + 1. */
int etw_write_ex(struct etw_provider *provider,
		 const struct etw_event_descriptor *desc, u64 exclude, u32 flags,
		 const struct etw_guid *activity, const struct etw_guid *related,
		 u32 count, const struct etw_data_descriptor *data);

/* string: UTF-16, NUL-terminated; stored with its NUL. */
int etw_write_string(struct etw_provider *provider, u8 level, u64 keyword,
		     const struct etw_guid *activity, const u16 *string);

/*
 * May a session want such an event?  Any context.  True does not promise that a session
 * gets it.  etw_provider_enabled() with level 0 and keyword 0: has any session enabled
 * the provider?
 */
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

/*
 * Get, set or create the activity id of the current task.  Process context, may sleep;
 * ETW_ACTIVITY_CREATE and _GET: any context.  0; -EINVAL: unknown control, id is NULL;
 * -ENOMEM.
 */
int etw_activity_id_control(u32 control, struct etw_guid *id);

#endif /* ETW_KERNEL_H */
