/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * bpf.h - events of BPF programs: for the program (clang -target bpf) and for its loader
 *
 * A header that both include declares the events:
 *
 *	#define SWITCHED(field)					\
 *		field(pid, from, "From")			\
 *		field(text, from_name, "FromName", 16)		\
 *		field(u64, number, "Number")
 *	#define SAMPLE_EVENTS(event)				\
 *		event(switched, SWITCHED, "Switched", 4, 0x1)
 *	ETW_BPF_PROVIDER(sample, "Company-Sample", SAMPLE_EVENTS)
 *
 * That makes a struct switched with the fields, without holes, and its description from the
 * same list.  The program:
 *
 *	if (ETW_BPF_ENABLED(sample, switched)) {
 *		struct switched event = { .from = prev->pid, .number = n };
 *		...
 *		ETW_BPF_WRITE(sample, switched, &event);
 *	}
 *
 * The loader, which is linked with -letw -lbpf and includes <bpf/libbpf.h> before this:
 *
 *	err = ETW_BPF_OPEN(sample, object, &use);	between open and load of the object
 *	err = bpf_object__load(object);
 *	err = etw_bpf_start(&use);			before the programs are attached
 *	...
 *	etw_bpf_close(&use);				before bpf_object__close()
 *
 * The same program goes two ways, which ETW_BPF_OPEN() chooses (bpf_loader.h).  Where the kernel
 * lets all its programs call etw.ko's functions, they write the events, at their place and
 * time.  Elsewhere the events go through a ring buffer to the loader, which writes them.  In
 * an object that was loaded without ETW_BPF_OPEN(), ETW_BPF_WRITE() writes nothing and returns
 * -ENOSYS.
 *
 * #define ETW_BPF_NO_PROCESS before this file in a program that may not call
 * bpf_get_current_pid_tgid(), as those of networking before Linux 6.10.  What goes through the ring
 * then has process and thread 0.
 *
 * Types of fields: u8 u16 u32 u64 s8 s16 s32 s64, hex8 hex16 hex32 hex64, boolean (a byte), pid,
 * tid, pointer (a u64), ipv4, ipv6 (16 bytes), port (both in network byte order), guid, filetime;
 * with their length as the last argument text, an array of characters that is stored up to its
 * first NUL, and bytes; user_text, a u64: the address of a text in the current process, of which
 * the event gets up to 256 characters, as far as they are in memory; at most two in an event.
 */
#ifndef ETW_BPF_H
#define ETW_BPF_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* The declarations of fields */
#define ETW_BPF_MEMBER_(type, member, label, ...) ETW_BPF_DECLARE_##type(member, ##__VA_ARGS__)
#define ETW_BPF_DECLARE_u8(member)		__u8 member;
#define ETW_BPF_DECLARE_u16(member)		__u16 member;
#define ETW_BPF_DECLARE_u32(member)		__u32 member;
#define ETW_BPF_DECLARE_u64(member)		__u64 member;
#define ETW_BPF_DECLARE_s8(member)		__s8 member;
#define ETW_BPF_DECLARE_s16(member)		__s16 member;
#define ETW_BPF_DECLARE_s32(member)		__s32 member;
#define ETW_BPF_DECLARE_s64(member)		__s64 member;
#define ETW_BPF_DECLARE_hex8(member)		__u8 member;
#define ETW_BPF_DECLARE_hex16(member)		__u16 member;
#define ETW_BPF_DECLARE_hex32(member)		__u32 member;
#define ETW_BPF_DECLARE_hex64(member)		__u64 member;
#define ETW_BPF_DECLARE_boolean(member)		__u8 member;
#define ETW_BPF_DECLARE_pid(member)		__u32 member;
#define ETW_BPF_DECLARE_tid(member)		__u32 member;
#define ETW_BPF_DECLARE_pointer(member)		__u64 member;
#define ETW_BPF_DECLARE_ipv4(member)		__u32 member;
#define ETW_BPF_DECLARE_ipv6(member)		__u8 member[16];
#define ETW_BPF_DECLARE_port(member)		__u16 member;
#define ETW_BPF_DECLARE_guid(member)		__u8 member[16];
#define ETW_BPF_DECLARE_filetime(member)	__u64 member;
#define ETW_BPF_DECLARE_text(member, length)	char member[length];
#define ETW_BPF_DECLARE_bytes(member, length)	__u8 member[length];
#define ETW_BPF_DECLARE_user_text(member)	__u64 member;

/*
 * The verifier of older kernels wants every byte of a record on the stack to have been
 * written, so there are no holes.  The end may be padded; the size is that of the fields.
 */
#define ETW_BPF_STRUCT_(event, list_, ...)						\
	struct event { list_(ETW_BPF_MEMBER_) } __attribute__((packed, aligned(8)));	\
	struct etw_bpf_fields_##event { list_(ETW_BPF_MEMBER_) } __attribute__((packed));

#define ETW_BPF_NUMBER_(event, ...)	etw_bpf_event_##event,

/*
 * What a program puts into the ring: this, the record up to a multiple of 8 bytes, and an
 * etw_bpf_ring_text for each user_text.
 */
struct etw_bpf_ring_record {
	__u64 time;		/* CLOCK_BOOTTIME, ns */
	__u32 process, thread;	/* in the initial PID namespace */
	__u32 cpu;
	__u32 event;
};

#define ETW_BPF_RING_TEXT_MAX	256	/* as ETW_TRACE_USER_TEXT_MAX */

struct etw_bpf_ring_text {
	__s32 size;		/* with the NUL; negative: cannot be read */
	char text[ETW_BPF_RING_TEXT_MAX + 4];
};

#define ETW_BPF_DECLARE_EVENTS_(provider, events)					\
	events(ETW_BPF_STRUCT_)								\
	enum { events(ETW_BPF_NUMBER_) etw_bpf_event_count_##provider };

#if defined(__bpf__) || defined(__BPF__)

#include <bpf/bpf_helpers.h>

/* event: its number, from 0.  See the kernel-doc in module/system/bpf_kfuncs.c. */
extern int bpf_etw_enabled(__u32 provider, __u32 event) __ksym __weak;
extern int bpf_etw_write(__u32 provider, __u32 event, const void *data, __u32 data__sz)
	__ksym __weak;

/* The texts of the process, which only the program can read */
#define ETW_BPF_IF_USER_u8(...)
#define ETW_BPF_IF_USER_u16(...)
#define ETW_BPF_IF_USER_u32(...)
#define ETW_BPF_IF_USER_u64(...)
#define ETW_BPF_IF_USER_s8(...)
#define ETW_BPF_IF_USER_s16(...)
#define ETW_BPF_IF_USER_s32(...)
#define ETW_BPF_IF_USER_s64(...)
#define ETW_BPF_IF_USER_hex8(...)
#define ETW_BPF_IF_USER_hex16(...)
#define ETW_BPF_IF_USER_hex32(...)
#define ETW_BPF_IF_USER_hex64(...)
#define ETW_BPF_IF_USER_boolean(...)
#define ETW_BPF_IF_USER_pid(...)
#define ETW_BPF_IF_USER_tid(...)
#define ETW_BPF_IF_USER_pointer(...)
#define ETW_BPF_IF_USER_ipv4(...)
#define ETW_BPF_IF_USER_ipv6(...)
#define ETW_BPF_IF_USER_port(...)
#define ETW_BPF_IF_USER_guid(...)
#define ETW_BPF_IF_USER_filetime(...)
#define ETW_BPF_IF_USER_text(...)
#define ETW_BPF_IF_USER_bytes(...)
#define ETW_BPF_IF_USER_user_text(...)	__VA_ARGS__

#define ETW_BPF_COUNT_TEXT_(type, member, label, ...)	ETW_BPF_IF_USER_##type(+ 1)
#define ETW_BPF_READ_TEXT_(type, member, label, ...)					\
	ETW_BPF_IF_USER_##type(								\
		to->texts[text].size =							\
			bpf_probe_read_user_str(to->texts[text].text,			\
						ETW_BPF_RING_TEXT_MAX + 1,		\
						(const void *)record->member);		\
		text++;)

#define ETW_BPF_COPY_INLINE_MAX	512	/* bytes; clang does not make larger copies */

/* count: of events; behind their words is the thread that reads the ring, which is left out */
static __always_inline _Bool etw_bpf_ring_wants_(void *wanted, __u32 event, __u32 count)
{
	const volatile __u64 *word = bpf_map_lookup_elem(wanted, &event);

	if (!word || !*word)
		return 0;
#ifndef ETW_BPF_NO_PROCESS
	word = bpf_map_lookup_elem(wanted, &count);
	/* 0 is the idle task, and not known yet. */
	if (!word || (*word && *word == (__u32)bpf_get_current_pid_tgid()))
		return 0;
#endif
	return 1;
}

static __always_inline void etw_bpf_ring_count_lost_(void *lost, __u32 event)
{
	__u64 *count = bpf_map_lookup_elem(lost, &event);

	/* An NMI may come in between. */
	if (count)
		__sync_fetch_and_add(count, 1);
}

static __always_inline void etw_bpf_ring_head_(struct etw_bpf_ring_record *head, __u32 event)
{
#ifdef ETW_BPF_NO_PROCESS
	const __u64 who = 0;
#else
	const __u64 who = bpf_get_current_pid_tgid();
#endif

	head->time = bpf_ktime_get_boot_ns();
	head->process = who >> 32;
	head->thread = who;
	head->cpu = bpf_get_smp_processor_id();
	head->event = event;
}

#define ETW_BPF_RING_WRITE_(event, list_, ...)						\
	static __always_inline __attribute__((unused))					\
	int etw_bpf_ring_write_##event(void *ring, void *wanted, void *lost,		\
				       __u32 count, const struct event *record)		\
	{										\
		struct {								\
			struct etw_bpf_ring_record head;				\
			struct event record;						\
			struct etw_bpf_ring_text texts[0 list_(ETW_BPF_COUNT_TEXT_)];	\
		} *to;									\
		__u32 text __attribute__((unused)) = 0;					\
											\
		if (!etw_bpf_ring_wants_(wanted, etw_bpf_event_##event, count))		\
			return 0;							\
		to = bpf_ringbuf_reserve(ring, sizeof(*to), 0);				\
		if (!to) {								\
			etw_bpf_ring_count_lost_(lost, etw_bpf_event_##event);		\
			return -105;							\
		}									\
		etw_bpf_ring_head_(&to->head, etw_bpf_event_##event);			\
		if (sizeof(struct etw_bpf_fields_##event) <= ETW_BPF_COPY_INLINE_MAX)	\
			__builtin_memcpy(&to->record, record,				\
					 ETW_BPF_INLINE_SIZE_(event));			\
		else									\
			bpf_probe_read_kernel(&to->record,				\
					      sizeof(struct etw_bpf_fields_##event),	\
					      record);					\
		list_(ETW_BPF_READ_TEXT_)						\
		bpf_ringbuf_submit(to, 0);						\
		return 0;								\
	}

#define ETW_BPF_INLINE_SIZE_(event)							\
	(sizeof(struct etw_bpf_fields_##event) <= ETW_BPF_COPY_INLINE_MAX ?		\
	 sizeof(struct etw_bpf_fields_##event) : 1)

/* The loader sets the size of the ring; that here suits pages of every size. */
#define ETW_BPF_MAPS_(provider)								\
	struct {									\
		__uint(type, BPF_MAP_TYPE_RINGBUF);					\
		__uint(max_entries, 65536);						\
	} etw_bpf_ring_##provider SEC(".maps");						\
	struct {									\
		__uint(type, BPF_MAP_TYPE_ARRAY);					\
		__uint(map_flags, BPF_F_MMAPABLE);					\
		__uint(max_entries, etw_bpf_event_count_##provider + 1);		\
		__type(key, __u32);							\
		__type(value, __u64);							\
	} etw_bpf_wanted_##provider SEC(".maps");					\
	struct {									\
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);				\
		__uint(max_entries, etw_bpf_event_count_##provider);			\
		__type(key, __u32);							\
		__type(value, __u64);							\
	} etw_bpf_lost_##provider SEC(".maps");

/**
 * ETW_BPF_PROVIDER() - declare a provider and its events, at file scope, in one file of a program
 * @provider: its name in C
 * @label: its name, a string; the GUID is made of it as TraceLogging does
 * @events: a macro that lists events: event(name, fields, "Name", level, keyword) each, where
 *	name becomes a struct and fields is a macro that lists field(type, member, "Name")
 */
#define ETW_BPF_PROVIDER(provider, label, events)					\
	ETW_BPF_DECLARE_EVENTS_(provider, events)					\
	const volatile __u32 etw_bpf_number_##provider = 0;				\
	const volatile __u32 etw_bpf_by_ring_##provider = 0;				\
	ETW_BPF_MAPS_(provider)								\
	events(ETW_BPF_RING_WRITE_)

/*
 * May a session want this event?  Any context.  The verifier knows both variables, and does not
 * look at the way that is not taken.
 */
#define ETW_BPF_ENABLED(provider, event)						\
	(etw_bpf_number_##provider ?							\
		bpf_etw_enabled(etw_bpf_number_##provider, etw_bpf_event_##event) :	\
	 etw_bpf_by_ring_##provider ?							\
		etw_bpf_ring_wants_(&etw_bpf_wanted_##provider, etw_bpf_event_##event,	\
				    etw_bpf_event_count_##provider) : 0)

/*
 * Write an event; record: its struct *.  It lies on the stack or in a map that is not read-only.
 * 0, also if no session takes it; -ENOSYS: nobody has opened the provider; -ENOBUFS: the ring is
 * full, and the loss counted; else as bpf_etw_write().
 */
#define ETW_BPF_WRITE(provider, event, record) ({					\
	const struct event *etw_bpf_record_ = (record);					\
	etw_bpf_number_##provider ?							\
		bpf_etw_write(etw_bpf_number_##provider, etw_bpf_event_##event,		\
			      etw_bpf_record_, sizeof(struct etw_bpf_fields_##event)) :	\
	etw_bpf_by_ring_##provider ?							\
		etw_bpf_ring_write_##event(&etw_bpf_ring_##provider,			\
					   &etw_bpf_wanted_##provider,			\
					   &etw_bpf_lost_##provider,			\
					   etw_bpf_event_count_##provider, etw_bpf_record_) : \
		-38; })

#else /* the loader */

#include <stddef.h>

enum etw_bpf_type {
	ETW_BPF_u8, ETW_BPF_u16, ETW_BPF_u32, ETW_BPF_u64,
	ETW_BPF_s8, ETW_BPF_s16, ETW_BPF_s32, ETW_BPF_s64,
	ETW_BPF_hex8, ETW_BPF_hex16, ETW_BPF_hex32, ETW_BPF_hex64,
	ETW_BPF_boolean, ETW_BPF_pid, ETW_BPF_tid, ETW_BPF_pointer,
	ETW_BPF_ipv4, ETW_BPF_ipv6, ETW_BPF_port, ETW_BPF_guid, ETW_BPF_filetime,
	ETW_BPF_text, ETW_BPF_bytes, ETW_BPF_user_text,
	ETW_BPF_TYPES
};

struct etw_bpf_field {
	const char *name;
	enum etw_bpf_type type;
	__u32 offset;		/* in the record */
	__u32 size;		/* bytes */
};

struct etw_bpf_event_info {
	const char *name;
	__u8 level;
	__u64 keyword;
	__u8 opcode;
	__u16 task;
	const struct etw_bpf_field *fields;
	__u32 field_count;
	__u32 size;		/* of the record */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Make a provider for BPF programs.  It lasts until etw_bpf_unregister() or the end of the
 * process, and after that until no session has it enabled.  *number is for the programs.
 *
 * 0, or a negative errno, and *handle is -1 and *number 0: -ENOENT, -ENXIO: etw.ko is not loaded;
 * -ENOTTY: it is too old; -EOPNOTSUPP: BPF programs cannot call it, and
 * /sys/module/etw/parameters/bpf says why; -EPERM: CAP_PERFMON is needed, and a kernel that is
 * not locked down; -EEXIST: the provider exists with other events; -EINVAL: an event is too large
 * or has too many fields; -ENOSPC: there are too many providers; -ENOMEM.
 */
__attribute__((visibility("default")))
int etw_bpf_register(const char *name, const struct etw_bpf_event_info *events,
		     unsigned int event_count, int *handle, __u32 *number);
__attribute__((visibility("default")))
void etw_bpf_unregister(int handle);	/* -1: does nothing */

/*
 * The other way, for bpf_loader.h and loaders without libbpf: a provider of this process, which
 * writes what programs have put into their ring.  Its events have three fields more, as the
 * process, thread and CPU of their header are the writer's.
 */
struct etw_bpf_forwarder;

/*
 * 0, or a negative errno: of etw_bpf_register() but -EOPNOTSUPP and -ENOTTY; -EEXIST: a kernel
 * module has the provider, or programs had that call etw.ko, and a session still has it enabled.
 */
__attribute__((visibility("default")))
int etw_bpf_forward_open(const char *name, const struct etw_bpf_event_info *events,
			 unsigned int event_count, struct etw_bpf_forwarder **forwarder);
/*
 * Keep wanted[] up to date from now on: an event's word is 0 while no session wants it.  It has
 * a word for each event, and stays until etw_bpf_forward_close() or a call with NULL, which set all
 * to 0.
 */
__attribute__((visibility("default")))
void etw_bpf_forward_start(struct etw_bpf_forwarder *forwarder, volatile __u64 *wanted);
/*
 * A descriptor for poll(): readable while a session waits for what the programs have put into the
 * ring, as before it is flushed or stopped.  Whoever gets it, before etw_bpf_forward_start(), sees
 * to it that the thread that reads the ring then calls etw_bpf_forward_asked(), writes all that the
 * ring has, reports what it has lost, and calls etw_bpf_forward_told() with the number that the
 * former has returned.  The session goes on without it after two seconds, and counts an unknown
 * loss if it ends.  If nobody gets it, no session waits.
 */
__attribute__((visibility("default")))
int etw_bpf_forward_fd(struct etw_bpf_forwarder *forwarder);
__attribute__((visibility("default")))
unsigned int etw_bpf_forward_asked(struct etw_bpf_forwarder *forwarder);
__attribute__((visibility("default")))
void etw_bpf_forward_told(struct etw_bpf_forwarder *forwarder, unsigned int asked);
/*
 * Write a record of the ring, together with others: at the latest etw_bpf_forward_flush() does, to
 * be called once the ring has no more.  One thread at a time.  0, or a negative errno: the sessions
 * that wanted this event, or earlier ones, have counted them as lost.
 */
__attribute__((visibility("default")))
int etw_bpf_forward_write(struct etw_bpf_forwarder *forwarder, const void *record, size_t size);
__attribute__((visibility("default")))
int etw_bpf_forward_flush(struct etw_bpf_forwarder *forwarder);
/* The ring has lost so many: the sessions that want the event count them.  One thread at a time. */
__attribute__((visibility("default")))
void etw_bpf_forward_lost(struct etw_bpf_forwarder *forwarder, unsigned int event, __u64 count);
/*
 * The name of a thread that forwards, by which etw list finds it: this, and data1 of the GUID as
 * eight digits
 */
#define ETW_BPF_THREAD	"etwbpf"
__attribute__((visibility("default")))
const char *etw_bpf_forward_name(const struct etw_bpf_forwarder *forwarder);
__attribute__((visibility("default")))
void etw_bpf_forward_close(struct etw_bpf_forwarder *forwarder);	/* NULL: nothing */

#ifdef __cplusplus
}
#endif

#define ETW_BPF_FIELD_(type, member, label, ...)					\
	{ label, ETW_BPF_##type, offsetof(etw_bpf_self, member),			\
	  sizeof(((etw_bpf_self *)0)->member) },

#define ETW_BPF_DESCRIBE_(event, list_, label, level_, keyword_, ...)			\
	static inline struct etw_bpf_event_info etw_bpf_info_##event(void)		\
	{										\
		typedef struct event etw_bpf_self;					\
		static const struct etw_bpf_field fields_[] = { list_(ETW_BPF_FIELD_) };	\
											\
		return (struct etw_bpf_event_info){					\
			.name = label, .level = level_, .keyword = keyword_,		\
			.fields = fields_,						\
			.field_count = sizeof(fields_) / sizeof(*fields_),		\
			.size = sizeof(struct etw_bpf_fields_##event), ##__VA_ARGS__ };	\
	}

#define ETW_BPF_INFO_(event, ...)	etw_bpf_info_##event(),

#define ETW_BPF_PROVIDER(provider, label, events)					\
	ETW_BPF_DECLARE_EVENTS_(provider, events)					\
	events(ETW_BPF_DESCRIBE_)							\
	static inline int etw_bpf_register_##provider(int *handle, __u32 *number)	\
	{										\
		const struct etw_bpf_event_info infos[] = { events(ETW_BPF_INFO_) };	\
											\
		return etw_bpf_register(label, infos, sizeof(infos) / sizeof(*infos),	\
					handle, number);				\
	}										\
	static inline int								\
	etw_bpf_describe_##provider(int (*take)(void *context, const char *name,	\
						const struct etw_bpf_event_info *infos,	\
						unsigned int count), void *context)	\
	{										\
		const struct etw_bpf_event_info infos[] = { events(ETW_BPF_INFO_) };	\
											\
		return take(context, label, infos, sizeof(infos) / sizeof(*infos));	\
	}

/* etw_bpf_register() for the provider of an ETW_BPF_PROVIDER() */
#define ETW_BPF_REGISTER(provider, handle, number)					\
	etw_bpf_register_##provider(handle, number)

#ifdef LIBBPF_MAJOR_VERSION
#include <etw/bpf_loader.h>
#endif

#endif /* __bpf__ */
#endif /* ETW_BPF_H */
