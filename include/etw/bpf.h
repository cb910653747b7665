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
 * The loader, which is linked with -letw and includes <bpf/libbpf.h> before this:
 *
 *	err = ETW_BPF_REGISTER(sample, &handle, &number);
 *	err = etw_bpf_set_number(object, "sample", number);	between open and load
 *	...
 *	etw_bpf_unregister(handle);
 *
 * A program with number 0 loads on every kernel and writes nothing; ETW_BPF_WRITE() returns
 * -ENOSYS.  That is what it gets where etw.ko is not loaded or BPF programs cannot call it.
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

#define ETW_BPF_DECLARE_EVENTS_(provider, events)					\
	events(ETW_BPF_STRUCT_)								\
	enum { events(ETW_BPF_NUMBER_) etw_bpf_event_count_##provider };

#if defined(__bpf__) || defined(__BPF__)

#include <bpf/bpf_helpers.h>

/* event: its number, from 0.  See the kernel-doc in module/system/bpf_kfuncs.c. */
extern int bpf_etw_enabled(__u32 provider, __u32 event) __ksym __weak;
extern int bpf_etw_write(__u32 provider, __u32 event, const void *data, __u32 data__sz)
	__ksym __weak;

/**
 * ETW_BPF_PROVIDER() - declare a provider and its events, at file scope, in one file of a program
 * @provider: its name in C
 * @label: its name, a string; the GUID is made of it as TraceLogging does
 * @events: a macro that lists events: event(name, fields, "Name", level, keyword) each, where
 *	name becomes a struct and fields is a macro that lists field(type, member, "Name")
 */
#define ETW_BPF_PROVIDER(provider, label, events)					\
	ETW_BPF_DECLARE_EVENTS_(provider, events)					\
	const volatile __u32 etw_bpf_number_##provider = 0;

/* May a session want this event?  Any program that may call the kfuncs, any context. */
#define ETW_BPF_ENABLED(provider, event)						\
	(etw_bpf_number_##provider &&							\
	 bpf_etw_enabled(etw_bpf_number_##provider, etw_bpf_event_##event))

/*
 * Write an event; record: its struct *.  It lies on the stack or in a map that is not read-only.
 * 0, also if no session takes it; -ENOSYS: number 0; else as bpf_etw_write().
 */
#define ETW_BPF_WRITE(provider, event, record) ({					\
	const struct event *etw_bpf_record_ = (record);					\
	etw_bpf_number_##provider ?							\
		bpf_etw_write(etw_bpf_number_##provider, etw_bpf_event_##event,		\
			      etw_bpf_record_, sizeof(struct etw_bpf_fields_##event)) :	\
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
	}

/* etw_bpf_register() for the provider of an ETW_BPF_PROVIDER() */
#define ETW_BPF_REGISTER(provider, handle, number)					\
	etw_bpf_register_##provider(handle, number)

#ifdef LIBBPF_MAJOR_VERSION
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * Give an object that was opened and not loaded the number of a provider, by the provider's name
 * in C.  0; -ENOENT: it has no such provider.  A skeleton's user can set the member
 * rodata->etw_bpf_number_NAME instead.
 */
static inline int etw_bpf_set_number(struct bpf_object *object, const char *provider,
				     __u32 number)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata");
	const struct btf *btf = bpf_object__btf(object);
	const struct btf_var_secinfo *var;
	const struct btf_type *section;
	char *data, name[128];
	size_t size;
	int i, id;

	data = map ? (char *)bpf_map__initial_value(map, &size) : NULL;
	id = btf ? btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC) : -1;
	if (!data || id < 0)
		return -ENOENT;
	snprintf(name, sizeof(name), "etw_bpf_number_%s", provider);
	section = btf__type_by_id(btf, id);
	var = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section); i++, var++) {
		if (!strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, var->type)->name_off),
			    name) && var->offset + sizeof(number) <= size) {
			memcpy(data + var->offset, &number, sizeof(number));
			return 0;
		}
	}
	return -ENOENT;
}
#endif /* LIBBPF_MAJOR_VERSION */

#endif /* __bpf__ */
#endif /* ETW_BPF_H */
