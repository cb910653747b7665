/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * value.h - TraceLogging: TraceLoggingValue(), a field with the type of its value
 *
 *	TraceLoggingValue(value[, "name"[, "description"[, tags]]])
 *
 * Takes bool, characters, integers of all sizes, enumerations, float and double; in
 * programs GUID, FILETIME and SYSTEMTIME, in kernel modules struct etw_guid; char strings
 * and UTF-16 strings (NULL: empty); SID *, which must not be NULL, as the SID; any other
 * pointer, PSID included, as its address.  long has 64 bits here.
 * Windows has it for C++ only.  C uses _Generic, which cannot distinguish a UTF-16 unit
 * from a 16-bit integer.
 *
 * Source: Microsoft's page "TraceLoggingValue macro".
 */
#ifndef ETW_TRACELOGGING_VALUE_H
#define ETW_TRACELOGGING_VALUE_H

#include <etw/tracelogging/field.h>

struct _SID;			/* winsec.h */

#define TraceLoggingValue(...) \
	ETW_TL_ANY(ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(#__VA_ARGS__, __VA_ARGS__))
#define ETW_TL_ANY(...)		ETW_TL_ANY_(__VA_ARGS__)
#define ETW_TL_ANY_(value, name, tags)						\
	(EtwTlField, (name, ETW_TL_AUTO_IN(value), ETW_TL_AUTO_OUT(value), tags),	\
	 EtwTlAuto, (value), ETW_TL_NONE)

#ifdef __cplusplus

#include <type_traits>

struct etw_tl_address;		/* stands for all other pointers */

/* In-type and out-type of a C++ type; no members if TraceLoggingValue() does not take it. */
template <typename T, typename = void> struct etw_tl_type { };

#define ETW_TL_TYPE(ctype, i, o)						\
	template <> struct etw_tl_type<ctype> {					\
		static constexpr int in = i, out = o;				\
	}

ETW_TL_TYPE(bool, TlgInUINT8, TlgOutBOOLEAN);
ETW_TL_TYPE(char, TlgInUINT8, TlgOutSTRING);
ETW_TL_TYPE(char16_t, TlgInUINT16, TlgOutSTRING);
#if __SIZEOF_WCHAR_T__ == 2
ETW_TL_TYPE(wchar_t, TlgInUINT16, TlgOutSTRING);
ETW_TL_TYPE(const wchar_t *, TlgInUNICODESTRING, 0);
#endif
ETW_TL_TYPE(signed char, TlgInINT8, 0);
ETW_TL_TYPE(unsigned char, TlgInUINT8, 0);
ETW_TL_TYPE(short, TlgInINT16, 0);
ETW_TL_TYPE(unsigned short, TlgInUINT16, 0);
ETW_TL_TYPE(int, TlgInINT32, 0);
ETW_TL_TYPE(unsigned int, TlgInUINT32, 0);
ETW_TL_TYPE(long, TlgInINTPTR, 0);
ETW_TL_TYPE(unsigned long, TlgInUINTPTR, 0);
ETW_TL_TYPE(long long, TlgInINT64, 0);
ETW_TL_TYPE(unsigned long long, TlgInUINT64, 0);
ETW_TL_TYPE(float, TlgInFLOAT, 0);
ETW_TL_TYPE(double, TlgInDOUBLE, 0);
ETW_TL_TYPE(struct etw_tl_address, TlgInPOINTER, 0);
ETW_TL_TYPE(GUID, TlgInGUID, 0);
ETW_TL_TYPE(FILETIME, TlgInFILETIME, 0);
ETW_TL_TYPE(SYSTEMTIME, TlgInSYSTEMTIME, 0);
ETW_TL_TYPE(const char *, TlgInANSISTRING, 0);
ETW_TL_TYPE(const char16_t *, TlgInUNICODESTRING, 0);
ETW_TL_TYPE(const struct _SID *, TlgInSID, 0);

/* Strings and SIDs need not be const; all other pointers are addresses. */
template <typename T> struct etw_tl_type<T *> {
private:
	typedef etw_tl_type<typename std::conditional<
		std::is_same<T, char>::value || std::is_same<T, char16_t>::value ||
		std::is_same<T, struct _SID>::value ||
		(std::is_same<T, wchar_t>::value && sizeof(wchar_t) == 2),
		const T *, struct etw_tl_address>::type> as;
public:
	static constexpr int in = as::in, out = as::out;
};

template <typename T>
struct etw_tl_type<T, typename std::enable_if<std::is_enum<T>::value>::type>
	: etw_tl_type<typename std::underlying_type<T>::type> { };

#define ETW_TL_AUTO_TYPE(value)	etw_tl_type<typename std::decay<decltype(value)>::type>
#define ETW_TL_AUTO_IN(value)	ETW_TL_AUTO_TYPE(value)::in
#define ETW_TL_AUTO_OUT(value)	ETW_TL_AUTO_TYPE(value)::out
#define ETW_TL_AUTO(name, value)	auto const name = (value);
#define ETW_TL_AUTO_PIECE(name)	etw_tl_auto(name)

template <typename T> inline etw_tl_piece etw_tl_auto(const T &value)
{
	return etw_tl_data(&value, sizeof(value));
}

inline etw_tl_piece etw_tl_auto(const char *const &value)
{
	return etw_tl_str8(value);
}

inline etw_tl_piece etw_tl_auto(char *const &value)
{
	return etw_tl_str8(value);
}

inline etw_tl_piece etw_tl_auto(const char16_t *const &value)
{
	return etw_tl_str16(value);
}

inline etw_tl_piece etw_tl_auto(char16_t *const &value)
{
	return etw_tl_str16(value);
}

inline etw_tl_piece etw_tl_auto(const struct _SID *const &value)
{
	return etw_tl_sid(value);
}

inline etw_tl_piece etw_tl_auto(struct _SID *const &value)
{
	return etw_tl_sid(value);
}

#if __SIZEOF_WCHAR_T__ == 2
inline etw_tl_piece etw_tl_auto(const wchar_t *const &value)
{
	return etw_tl_str16(value);
}

inline etw_tl_piece etw_tl_auto(wchar_t *const &value)
{
	return etw_tl_str16(value);
}
#endif

#else /* C */

#ifdef __KERNEL__
#define ETW_TL_GENERIC_STRUCTS	struct etw_guid : TlgInGUID
#else
#define ETW_TL_GENERIC_STRUCTS							\
	GUID : TlgInGUID, FILETIME : TlgInFILETIME, SYSTEMTIME : TlgInSYSTEMTIME
#endif

#define ETW_TL_AUTO_IN(value)							\
	_Generic((value),							\
		 _Bool : TlgInUINT8,						\
		 char : TlgInUINT8,						\
		 signed char : TlgInINT8,					\
		 unsigned char : TlgInUINT8,					\
		 short : TlgInINT16,						\
		 unsigned short : TlgInUINT16,					\
		 int : TlgInINT32,						\
		 unsigned int : TlgInUINT32,					\
		 long : TlgInINTPTR,						\
		 unsigned long : TlgInUINTPTR,					\
		 long long : TlgInINT64,					\
		 unsigned long long : TlgInUINT64,				\
		 float : TlgInFLOAT,						\
		 double : TlgInDOUBLE,						\
		 char * : TlgInANSISTRING,					\
		 const char * : TlgInANSISTRING,				\
		 unsigned short * : TlgInUNICODESTRING,				\
		 const unsigned short * : TlgInUNICODESTRING,			\
		 struct _SID * : TlgInSID,					\
		 const struct _SID * : TlgInSID,				\
		 ETW_TL_GENERIC_STRUCTS,					\
		 default : TlgInPOINTER)
#define ETW_TL_AUTO_OUT(value)							\
	_Generic((value), _Bool : TlgOutBOOLEAN, char : TlgOutSTRING, default : TlgOutNULL)

/* Only pointers may lack a type above.  sparse does not support all of these extensions. */
#ifdef __CHECKER__
#define ETW_TL_AUTO(name, value)	const __typeof__(0 ? (value) : (value)) name = (value);
#else
#define ETW_TL_AUTO(name, value)						\
	__extension__ const __auto_type name = (value);				\
	ETW_TL_ASSERT(ETW_TL_AUTO_IN(name) != TlgInPOINTER ||			\
		      __builtin_classify_type(name) == 5, "TraceLoggingValue() takes no such type");
#endif

ETW_TL_INLINE etw_tl_piece etw_tl_auto(const void *value, __u32 size)
{
	return etw_tl_data(value, size);
}

ETW_TL_INLINE etw_tl_piece etw_tl_auto8(const void *value, __u32 size)
{
	(void)size;
	return etw_tl_str8(*(const char *const *)value);
}

ETW_TL_INLINE etw_tl_piece etw_tl_auto16(const void *value, __u32 size)
{
	(void)size;
	return etw_tl_str16(*(const void *const *)value);
}

ETW_TL_INLINE etw_tl_piece etw_tl_auto_sid(const void *value, __u32 size)
{
	(void)size;
	return etw_tl_sid(*(const void *const *)value);
}

#define ETW_TL_AUTO_PIECE(name)							\
	_Generic((name),							\
		 char * : etw_tl_auto8,						\
		 const char * : etw_tl_auto8,					\
		 unsigned short * : etw_tl_auto16,				\
		 const unsigned short * : etw_tl_auto16,			\
		 struct _SID * : etw_tl_auto_sid,				\
		 const struct _SID * : etw_tl_auto_sid,				\
		 default : etw_tl_auto)(&(name), sizeof(name))

#endif /* C */

#endif /* ETW_TRACELOGGING_VALUE_H */
