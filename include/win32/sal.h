/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sal.h - source annotations, which have no effect with gcc and clang
 *
 * The old annotations without a trailing underscore (__in, __out, ...) are not defined,
 * because the C++ library uses these words as names.
 */
#ifndef ETW_WIN32_SAL_H
#define ETW_WIN32_SAL_H

#define _In_
#define _In_opt_
#define _In_z_
#define _In_opt_z_
#define _In_range_(lo, hi)
#define _In_reads_(n)
#define _In_reads_opt_(n)
#define _In_reads_z_(n)
#define _In_reads_or_z_(n)
#define _In_reads_bytes_(n)
#define _In_reads_bytes_opt_(n)
#define _Out_
#define _Out_opt_
#define _Out_range_(lo, hi)
#define _Out_writes_(n)
#define _Out_writes_opt_(n)
#define _Out_writes_z_(n)
#define _Out_writes_opt_z_(n)
#define _Out_writes_all_(n)
#define _Out_writes_to_(n, used)
#define _Out_writes_to_opt_(n, used)
#define _Out_writes_bytes_(n)
#define _Out_writes_bytes_opt_(n)
#define _Out_writes_bytes_to_(n, used)
#define _Out_writes_bytes_to_opt_(n, used)
#define _Out_writes_bytes_all_(n)
#define _Outptr_
#define _Outptr_opt_
#define _Outptr_result_maybenull_
#define _Outptr_opt_result_maybenull_
#define _Outptr_result_z_
#define _Outptr_result_buffer_(n)
#define _Outptr_result_bytebuffer_(n)
#define _Outref_
#define _COM_Outptr_
#define _Inout_
#define _Inout_opt_
#define _Inout_z_
#define _Inout_updates_(n)
#define _Inout_updates_opt_(n)
#define _Inout_updates_z_(n)
#define _Inout_updates_all_(n)
#define _Inout_updates_to_(n, used)
#define _Inout_updates_bytes_(n)
#define _Inout_updates_bytes_opt_(n)
#define _Inout_updates_bytes_to_(n, used)
#define _Inout_updates_bytes_to_opt_(n, used)
#define _Reserved_
#define _Const_
#define _Notnull_
#define _Maybenull_
#define _Null_terminated_
#define _NullNull_terminated_
#define _Printf_format_string_

#define _Ret_maybenull_
#define _Ret_maybenull_z_
#define _Ret_notnull_
#define _Ret_null_
#define _Ret_z_
#define _Ret_range_(lo, hi)
#define _Ret_writes_(n)
#define _Ret_writes_bytes_(n)
#define _Success_(expr)
#define _Return_type_success_(expr)
#define _Check_return_
#define _Must_inspect_result_
#define _Use_decl_annotations_

#define _Pre_
#define _Pre_opt_
#define _Pre_satisfies_(expr)
#define _Pre_maybenull_
#define _Pre_notnull_
#define _Post_
#define _Post_satisfies_(expr)
#define _Post_invalid_
#define _Post_ptr_invalid_
#define _Post_writable_byte_size_(n)
#define _When_(expr, annotations)
#define _At_(target, annotations)
#define _Group_(annotations)
#define _Analysis_assume_(expr)
#define _Analysis_assume_nullterminated_(expr)

#define _Field_range_(lo, hi)
#define _Field_size_(n)
#define _Field_size_opt_(n)
#define _Field_size_part_(n, used)
#define _Field_size_bytes_(n)
#define _Field_size_bytes_opt_(n)
#define _Field_size_bytes_part_(n, used)
#define _Field_z_
#define _Struct_size_bytes_(n)

#define _Function_class_(name)
#define _IRQL_requires_(irql)
#define _IRQL_requires_max_(irql)
#define _IRQL_requires_min_(irql)
#define _IRQL_requires_same_
#define _Acquires_lock_(lock)
#define _Releases_lock_(lock)
#define _Requires_lock_held_(lock)
#define _Requires_lock_not_held_(lock)
#define _Guarded_by_(lock)
#define _Interlocked_

#endif /* ETW_WIN32_SAL_H */
