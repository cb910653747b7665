/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pass.h - TraceLogging: the passes over the arguments of an event
 *
 * The passes, in the order of their results in TraceLoggingWrite() (write.h):
 *	LEVEL, OPCODE, CHANNEL, KEYWORD, TAG	values of the options
 *	ENUM	type and tags of a field as enumerators, because later passes repeat them
 *	MEMBER	members of the struct that is the event's metadata
 *	INIT	values of these members
 *	LOCAL	variables; only this pass evaluates the program's expressions, once
 *	PIECE	data descriptors that point at the variables
 *	STACK	in a kernel module, bytes of the variables
 *
 * A pass has one macro for each kind of argument, selected by the first word of the part
 * of the tuple that the pass uses.
 */
#ifndef ETW_TRACELOGGING_PASS_H
#define ETW_TRACELOGGING_PASS_H

#include <linux/types.h>

#include <etw/tracelogging/for_each.h>

/* ------------------------------------------------------------------- options */

/* If an option is repeated, the last one counts; keywords and tags are or-ed. */
#define ETW_TL_LEVEL(i, m, ma, d, da, c, ca)	ETW_TL_LEVEL_##c ca
#define ETW_TL_OPCODE(i, m, ma, d, da, c, ca)	ETW_TL_OPCODE_##c ca
#define ETW_TL_CHANNEL(i, m, ma, d, da, c, ca)	ETW_TL_CHANNEL_##c ca
#define ETW_TL_KEYWORD(i, m, ma, d, da, c, ca)	ETW_TL_KEYWORD_##c ca
#define ETW_TL_TAG(i, m, ma, d, da, c, ca)	ETW_TL_TAG_##c ca

#define ETW_TL_LEVEL_EtwTlLevel(x)		* 0 + (x)
#define ETW_TL_LEVEL_EtwTlOpcode(x)
#define ETW_TL_LEVEL_EtwTlChannel(x)
#define ETW_TL_LEVEL_EtwTlKeyword(x)
#define ETW_TL_LEVEL_EtwTlTag(x)
#define ETW_TL_LEVEL_EtwTlNone()
#define ETW_TL_OPCODE_EtwTlLevel(x)
#define ETW_TL_OPCODE_EtwTlOpcode(x)		* 0 + (x)
#define ETW_TL_OPCODE_EtwTlChannel(x)
#define ETW_TL_OPCODE_EtwTlKeyword(x)
#define ETW_TL_OPCODE_EtwTlTag(x)
#define ETW_TL_OPCODE_EtwTlNone()
#define ETW_TL_CHANNEL_EtwTlLevel(x)
#define ETW_TL_CHANNEL_EtwTlOpcode(x)
#define ETW_TL_CHANNEL_EtwTlChannel(x)		* 0 + (x)
#define ETW_TL_CHANNEL_EtwTlKeyword(x)
#define ETW_TL_CHANNEL_EtwTlTag(x)
#define ETW_TL_CHANNEL_EtwTlNone()
#define ETW_TL_KEYWORD_EtwTlLevel(x)
#define ETW_TL_KEYWORD_EtwTlOpcode(x)
#define ETW_TL_KEYWORD_EtwTlChannel(x)
#define ETW_TL_KEYWORD_EtwTlKeyword(x)		| (__u64)(x)
#define ETW_TL_KEYWORD_EtwTlTag(x)
#define ETW_TL_KEYWORD_EtwTlNone()
#define ETW_TL_TAG_EtwTlLevel(x)
#define ETW_TL_TAG_EtwTlOpcode(x)
#define ETW_TL_TAG_EtwTlChannel(x)
#define ETW_TL_TAG_EtwTlKeyword(x)
#define ETW_TL_TAG_EtwTlTag(x)			| ((x) & 0xFFFFFFF)
#define ETW_TL_TAG_EtwTlNone()

/* ------------------------------------------------------------------ metadata */

/*
 * Tags are 28 bits, seven in each byte, highest bits first.  Trailing zero bytes are
 * omitted, and every byte but the last has bit 7 set.  Here as a little-endian number.
 */
#define ETW_TL_TAG_LEN(t)							\
	((t) & 0x7F ? 4 : (t) & 0x3FFF ? 3 : (t) & 0x1FFFFF ? 2 : (t) != 0)
#define ETW_TL_TAG_MORE(t)							\
	((t) & 0x7F ? 0x808080u : (t) & 0x3FFF ? 0x8080u : (t) & 0x1FFFFF ? 0x80u : 0)
#define ETW_TL_TAG_BYTES(t)							\
	((__u64)(ETW_TL_TAG_MORE(t) | ((__u32)(t) >> 21 & 0x7F) |		\
		 ((__u32)(t) >> 14 & 0x7F) << 8 | ((__u32)(t) >> 7 & 0x7F) << 16 |	\
		 ((__u32)(t) & 0x7F) << 24))

/*
 * The type of a field, with its out-type and tags if it has any, is one bit-field of one
 * to six bytes, because C has no array whose length and number of initializers depend on
 * an expression.
 */
#define ETW_TL_TYPE_LEN(in, out, tags)						\
	(1 + ((out) != 0 || (tags) != 0) + ETW_TL_TAG_LEN(tags))
#define ETW_TL_TYPE_BYTES(in, out, tags)					\
	((__u64)(in) | ((out) != 0 || (tags) != 0 ? 0x80 : 0) | (__u64)(out) << 8 |	\
	 ((tags) != 0 ? 0x8000 : 0) | ETW_TL_TAG_BYTES(tags) << 16)

/*
 * Check that a type uses only bits 0 to 6 and that a structure has 1 to 127 members (an
 * opaque type of the same number is no structure).  Callers divide 1 by the result.
 */
#define ETW_TL_TYPE_OK(in, out)							\
	((unsigned int)(in) < 128 && (unsigned int)(out) < 128 &&		\
	 (((in) & 31) != 24 || ((in) & 0x60) == 0x60 || (out) != 0))

#define ETW_TL_ENUM(i, m, ma, d, da, c, ca)	ETW_TL_X(ETW_TL_ENUM_##m, i, ETW_TL_STRIP ma)
#define ETW_TL_ENUM_EtwTlNone(i, none)
#define ETW_TL_ENUM_ETW_TL_STRIP(i, none)
#define ETW_TL_ENUM_EtwTlField(i, name, in, out, tags)				\
	etw_tl_in##i = (in), etw_tl_out##i = (out),				\
	etw_tl_tags##i = (int)((tags) & 0xFFFFFFF),				\
	etw_tl_ok##i = 1 / ETW_TL_TYPE_OK(etw_tl_in##i, etw_tl_out##i),
#define ETW_TL_ENUM_EtwTlFixed(i, name, in, out, tags, n)			\
	ETW_TL_ENUM_EtwTlField(i, name, (in) | TlgInCcount, out, tags)		\
	etw_tl_n##i = 1 / ((n) > 0 && (n) < 0x10000),
#define ETW_TL_ENUM_EtwTlSchema(i, name, protocol, schema, size, tags)		\
	ETW_TL_ENUM_EtwTlField(i, name, (protocol) | TlgInCustom, 0, tags)

#define ETW_TL_MEMBER(i, m, ma, d, da, c, ca)	ETW_TL_X(ETW_TL_MEMBER_##m, i, ETW_TL_STRIP ma)
#define ETW_TL_MEMBER_EtwTlNone(i, none)
#define ETW_TL_MEMBER_ETW_TL_STRIP(i, none)
#define ETW_TL_MEMBER_EtwTlField(i, name, in, out, tags)			\
	char etw_tl_name##i[sizeof(name)];						\
	__extension__ __u64 etw_tl_type##i : 8 * ETW_TL_TYPE_LEN(etw_tl_in##i,	\
					etw_tl_out##i, etw_tl_tags##i);
#define ETW_TL_MEMBER_EtwTlFixed(i, name, in, out, tags, n)			\
	ETW_TL_MEMBER_EtwTlField(i, name, in, out, tags)			\
	__u16 etw_tl_count##i;
#define ETW_TL_MEMBER_EtwTlSchema(i, name, protocol, schema, size, tags)	\
	ETW_TL_MEMBER_EtwTlField(i, name, protocol, 0, tags)			\
	__u16 etw_tl_size##i;								\
	__u8 etw_tl_schema##i[size];
/* Chunks of a provider's traits: provider.h */
#define ETW_TL_MEMBER_EtwTlTrait(i, type, ctype, value)				\
	__u16 etw_tl_size##i;								\
	__u8 etw_tl_type##i;								\
	ctype etw_tl_value##i;
#define ETW_TL_MEMBER_EtwTlText(i, type, text)					\
	__u16 etw_tl_size##i;								\
	__u8 etw_tl_type##i;								\
	ETW_TL_CHARS_MEMBER(text, etw_tl_value##i);

#define ETW_TL_INIT(i, m, ma, d, da, c, ca)	ETW_TL_X(ETW_TL_INIT_##m, i, ETW_TL_STRIP ma)
#define ETW_TL_INIT_EtwTlNone(i, none)
#define ETW_TL_INIT_ETW_TL_STRIP(i, none)
#define ETW_TL_INIT_EtwTlField(i, name, in, out, tags)				\
	, name, ETW_TL_TYPE_BYTES(etw_tl_in##i, etw_tl_out##i, etw_tl_tags##i)
#define ETW_TL_INIT_EtwTlFixed(i, name, in, out, tags, n)			\
	ETW_TL_INIT_EtwTlField(i, name, in, out, tags), (n)
#define ETW_TL_INIT_EtwTlSchema(i, name, protocol, schema, size, tags)		\
	ETW_TL_INIT_EtwTlField(i, name, protocol, 0, tags), (size), { ETW_TL_STRIP schema }
#define ETW_TL_INIT_EtwTlTrait(i, type, ctype, value)				\
	, (__u16)(3 + sizeof(ctype)), (type), ETW_TL_STRIP value
#define ETW_TL_INIT_EtwTlText(i, type, text)					\
	, (__u16)(2 + sizeof(text)), (type), text

/* ------------------------------------------------------------------- payload */

#define ETW_TL_LOCAL(i, m, ma, d, da, c, ca)	ETW_TL_X(ETW_TL_LOCAL_##d, i, ETW_TL_STRIP da)
#define ETW_TL_PIECE(i, m, ma, d, da, c, ca)	ETW_TL_X(ETW_TL_PIECE_##d, i, ETW_TL_STRIP da)

#define ETW_TL_LOCAL_EtwTlNone(i, none)
#define ETW_TL_PIECE_EtwTlNone(i, none)

/* A value */
#define ETW_TL_LOCAL_EtwTlVal(i, ctype, value)	ctype const etw_tl_v##i = (value);
#define ETW_TL_PIECE_EtwTlVal(i, ctype, value)	, etw_tl_data(&etw_tl_v##i, sizeof(etw_tl_v##i))

/* A value of any type that has the given size */
#define ETW_TL_LOCAL_EtwTlSized(i, size, value)				\
	__typeof__(value) const etw_tl_v##i = (value);
#define ETW_TL_PIECE_EtwTlSized(i, size, value)				\
	, etw_tl_data(&etw_tl_v##i + 0 * sizeof(char[sizeof(etw_tl_v##i) == (size) ? 1 : -1]), size)

/* NUL-terminated strings */
#define ETW_TL_LOCAL_EtwTlStr8(i, value)	const char *const etw_tl_v##i = (value);
#define ETW_TL_PIECE_EtwTlStr8(i, value)	, etw_tl_str8(etw_tl_v##i)
#define ETW_TL_LOCAL_EtwTlStr16(i, ctype, value)	ctype const *const etw_tl_v##i = (value);
#define ETW_TL_PIECE_EtwTlStr16(i, ctype, value)	, etw_tl_str16(etw_tl_v##i)

/* A u16 number of bytes, then the bytes */
#define ETW_TL_LOCAL_EtwTlCounted(i, ctype, unit, p, n)				\
	ctype const *const etw_tl_v##i = (p);					\
	const __u16 etw_tl_c##i = etw_tl_bytes((size_t)(n), unit);
#define ETW_TL_PIECE_EtwTlCounted(i, ctype, unit, p, n)				\
	, etw_tl_data(&etw_tl_c##i, 2), etw_tl_data(etw_tl_v##i, etw_tl_c##i)

/* The same from a struct with Buffer and Length, which counts bytes */
#define ETW_TL_LOCAL_EtwTlBuffer(i, ctype, p)					\
	ctype const *const etw_tl_v##i = (p);					\
	const __u16 etw_tl_c##i = etw_tl_bytes((size_t)etw_tl_v##i->Length, 1);
#define ETW_TL_PIECE_EtwTlBuffer(i, ctype, p)					\
	, etw_tl_data(&etw_tl_c##i, 2), etw_tl_data(etw_tl_v##i->Buffer, etw_tl_c##i)

/* Elements of 64 bits may be of either type that has them, long (INT64) or long long. */
#ifdef __cplusplus
extern "C++" {
template<typename T> struct EtwTlPointer {
	static const T *Of(const T *p) { return p; }
};

template<> struct EtwTlPointer<__s64> {
	static const void *Of(const long *p) { return p; }
	static const void *Of(const long long *p) { return p; }
};

template<> struct EtwTlPointer<__u64> {
	static const void *Of(const unsigned long *p) { return p; }
	static const void *Of(const unsigned long long *p) { return p; }
};
}
#define ETW_TL_POINTER(ctype, p)	((ctype const *)EtwTlPointer<ctype>::Of(p))
#else
#define ETW_TL_POINTS(p, type)							\
	(__builtin_types_compatible_p(__typeof__(&*(p)), type *) ||		\
	 __builtin_types_compatible_p(__typeof__(&*(p)), const type *))
#define ETW_TL_POINTER(ctype, p)						\
	__builtin_choose_expr(							\
		(__builtin_types_compatible_p(ctype, __s64) && ETW_TL_POINTS(p, long)) || \
		(__builtin_types_compatible_p(ctype, __u64) && ETW_TL_POINTS(p, unsigned long)), \
		(ctype const *)(const void *)(p), (p))
#endif

/* A u16 number of elements, then the elements */
#define ETW_TL_LOCAL_EtwTlArray(i, ctype, p, n)					\
	ctype const *const etw_tl_v##i = ETW_TL_POINTER(ctype, p);		\
	const __u16 etw_tl_c##i = etw_tl_elements((size_t)(n));
#define ETW_TL_PIECE_EtwTlArray(i, ctype, p, n)					\
	, etw_tl_data(&etw_tl_c##i, 2),						\
	etw_tl_data(etw_tl_v##i, etw_tl_c##i * (__u32)sizeof(*etw_tl_v##i))

/* Elements whose number is in the metadata */
#define ETW_TL_LOCAL_EtwTlElements(i, ctype, p, n)				\
	ctype const *const etw_tl_v##i = ETW_TL_POINTER(ctype, p);
#define ETW_TL_PIECE_EtwTlElements(i, ctype, p, n)				\
	, etw_tl_data(etw_tl_v##i, (__u32)(n) * (__u32)sizeof(*etw_tl_v##i))

/* The same for elements of any type that has the given size */
#define ETW_TL_LOCAL_EtwTlSizedArray(i, size, p, n)				\
	const void *const etw_tl_v##i = (p);					\
	const __u16 etw_tl_c##i = etw_tl_elements((size_t)(n));
#define ETW_TL_PIECE_EtwTlSizedArray(i, size, p, n)				\
	, etw_tl_data(&etw_tl_c##i, 2), etw_tl_data(etw_tl_v##i, etw_tl_c##i * (__u32)(size))
#define ETW_TL_LOCAL_EtwTlSizedElements(i, size, p, n)	const void *const etw_tl_v##i = (p);
#define ETW_TL_PIECE_EtwTlSizedElements(i, size, p, n)				\
	, etw_tl_data(etw_tl_v##i, (__u32)(n) * (__u32)(size))

#define ETW_TL_LOCAL_EtwTlSid(i, p)	const void *const etw_tl_v##i = (p);
#define ETW_TL_PIECE_EtwTlSid(i, p)	, etw_tl_sid(etw_tl_v##i)

/* Bytes, copied unchanged */
#define ETW_TL_LOCAL_EtwTlBytes(i, p, size, type)				\
	const void *const etw_tl_v##i = (p);					\
	const __u32 etw_tl_c##i = (__u32)(size);
#define ETW_TL_PIECE_EtwTlBytes(i, p, size, type)				\
	, etw_tl_typed(etw_tl_v##i, etw_tl_c##i, (type))

/* A value whose C type selects the field's type: value.h */
#define ETW_TL_LOCAL_EtwTlAuto(i, value)	ETW_TL_AUTO(etw_tl_v##i, value)
#define ETW_TL_PIECE_EtwTlAuto(i, value)	, ETW_TL_AUTO_PIECE(etw_tl_v##i)

/* Bytes of the LOCAL variables, in the order above */
#define ETW_TL_STACK(i, m, ma, d, da, c, ca)	ETW_TL_STACK_##d(i)
#define ETW_TL_STACK_EtwTlNone(i)
#define ETW_TL_STACK_EtwTlVal(i)		+ sizeof(etw_tl_v##i)
#define ETW_TL_STACK_EtwTlSized(i)		+ sizeof(etw_tl_v##i)
#define ETW_TL_STACK_EtwTlStr8(i)		+ sizeof(etw_tl_v##i)
#define ETW_TL_STACK_EtwTlStr16(i)		+ sizeof(etw_tl_v##i)
#define ETW_TL_STACK_EtwTlCounted(i)		+ sizeof(etw_tl_v##i) + sizeof(etw_tl_c##i)
#define ETW_TL_STACK_EtwTlBuffer(i)		+ sizeof(etw_tl_v##i) + sizeof(etw_tl_c##i)
#define ETW_TL_STACK_EtwTlArray(i)		+ sizeof(etw_tl_v##i) + sizeof(etw_tl_c##i)
#define ETW_TL_STACK_EtwTlElements(i)		+ sizeof(etw_tl_v##i)
#define ETW_TL_STACK_EtwTlSizedArray(i)		+ sizeof(etw_tl_v##i) + sizeof(etw_tl_c##i)
#define ETW_TL_STACK_EtwTlSizedElements(i)	+ sizeof(etw_tl_v##i)
#define ETW_TL_STACK_EtwTlSid(i)		+ sizeof(etw_tl_v##i)
#define ETW_TL_STACK_EtwTlBytes(i)		+ sizeof(etw_tl_v##i) + sizeof(etw_tl_c##i)
#define ETW_TL_STACK_EtwTlAuto(i)		+ sizeof(etw_tl_v##i)

#endif /* ETW_TRACELOGGING_PASS_H */
