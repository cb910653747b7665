// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * abi_check.c - the layout of abi.h, held fast in both builds
 *
 * A member may be added at the end of a struct, with a line here; the line of a size changes
 * with it.  The line of a member never changes.
 */
#include "core/port.h"
#include <etw/abi.h>
#include <etw/abi_filter.h>

#define AT(type, member, offset, bytes)					\
	static_assert(offsetof(struct type, member) == (offset) &&	\
		      sizeof(((struct type *)0)->member) == (bytes))
#define SIZE(type, bytes)	static_assert(sizeof(struct type) == (bytes))

AT(etw_session, size, 0, 4);
AT(etw_session, flags, 4, 4);
AT(etw_session, handle, 8, 8);
AT(etw_session, name, 16, 8);
AT(etw_session, name_len, 24, 4);
AT(etw_session, name_cap, 28, 4);
AT(etw_session, name_out, 32, 8);
AT(etw_session, name_out_len, 40, 4);
AT(etw_session, mode, 44, 4);
AT(etw_session, guid, 48, 16);
AT(etw_session, buffer_kb, 64, 4);
AT(etw_session, min_buffers, 68, 4);
AT(etw_session, max_buffers, 72, 4);
AT(etw_session, flush_ms, 76, 4);
AT(etw_session, clock, 80, 4);
AT(etw_session, logger_id, 84, 4);
AT(etw_session, buffers, 88, 4);
AT(etw_session, free_buffers, 92, 4);
AT(etw_session, buffers_written, 96, 4);
AT(etw_session, events_lost, 100, 4);
AT(etw_session, rt_buffers_lost, 104, 4);
AT(etw_session, worker_id, 108, 4);
AT(etw_session, clock_freq, 112, 8);
AT(etw_session, start_clock, 120, 8);
AT(etw_session, start_mono, 128, 8);
AT(etw_session, start_wall, 136, 8);
AT(etw_session, sync_clock, 144, 8);
AT(etw_session, sync_mono, 152, 8);
AT(etw_session, sync_wall, 160, 8);
AT(etw_session, file, 168, 8);
AT(etw_session, log, 176, 8);
AT(etw_session, reserve_buffers, 184, 4);
AT(etw_session, user_budget_kb, 188, 4);
AT(etw_session, discarded_buffers, 192, 8);
AT(etw_session, discarded_events, 200, 8);
SIZE(etw_session, 208);

AT(etw_session_file, size, 0, 4);
AT(etw_session_file, flags, 4, 4);
AT(etw_session_file, fd, 8, 4);
AT(etw_session_file, dir, 12, 4);
AT(etw_session_file, name, 16, 8);
AT(etw_session_file, name_len, 24, 4);
AT(etw_session_file, file_mode, 28, 4);
AT(etw_session_file, max_size, 32, 4);
AT(etw_session_file, first, 36, 4);
AT(etw_session_file, max_number, 40, 4);
AT(etw_session_file, sync_ms, 44, 4);
AT(etw_session_file, zone, 48, 8);
SIZE(etw_session_file, 56);

AT(etw_session_log, size, 0, 4);
AT(etw_session_log, name_cap, 4, 4);
AT(etw_session_log, name, 8, 8);
AT(etw_session_log, name_len, 16, 4);
AT(etw_session_log, error, 20, 4);
AT(etw_session_log, max_size, 24, 4);
AT(etw_session_log, number, 28, 4);
AT(etw_session_log, buffers, 32, 4);
AT(etw_session_log, full, 36, 4);
AT(etw_session_log, bytes, 40, 8);
AT(etw_session_log, buffers_lost, 48, 8);
AT(etw_session_log, events_lost, 56, 8);
AT(etw_session_log, buffers_written, 64, 8);
AT(etw_session_log, former_error, 72, 4);
AT(etw_session_log, sync_ms, 76, 4);
SIZE(etw_session_log, 80);

AT(etw_session_enum, size, 0, 4);
AT(etw_session_enum, flags, 4, 4);
AT(etw_session_enum, handles, 8, 8);
AT(etw_session_enum, capacity, 16, 4);
AT(etw_session_enum, count, 20, 4);
AT(etw_session_enum, limit, 24, 4);
AT(etw_session_enum, reserved, 28, 4);
SIZE(etw_session_enum, 32);

AT(etw_consumer_info, pid, 0, 4);
AT(etw_consumer_info, held, 4, 4);
AT(etw_consumer_info, buffers, 8, 8);
AT(etw_consumer_info, events, 16, 8);
AT(etw_consumer_info, buffers_lost, 24, 8);
AT(etw_consumer_info, events_lost, 32, 8);
AT(etw_consumer_info, backlog, 40, 8);
SIZE(etw_consumer_info, 48);

AT(etw_session_stat, size, 0, 4);
AT(etw_session_stat, flags, 4, 4);
AT(etw_session_stat, handle, 8, 8);
AT(etw_session_stat, name, 16, 8);
AT(etw_session_stat, name_len, 24, 4);
AT(etw_session_stat, consumer_cap, 28, 4);
AT(etw_session_stat, consumers, 32, 8);
AT(etw_session_stat, consumer_count, 40, 4);
AT(etw_session_stat, reserved, 44, 4);
AT(etw_session_stat, growth_refused, 44, 4);
AT(etw_session_stat, written, 48, 8);
AT(etw_session_stat, dropped, 56, 48);
AT(etw_session_stat, buffers_delivered, 104, 8);
AT(etw_session_stat, events_delivered, 112, 8);
AT(etw_session_stat, overwritten_buffers, 120, 8);
AT(etw_session_stat, overwritten_events, 128, 8);
AT(etw_session_stat, discarded_buffers, 136, 8);
AT(etw_session_stat, discarded_events, 144, 8);
AT(etw_session_stat, abandoned_buffers, 152, 8);
AT(etw_session_stat, abandoned_events, 160, 8);
AT(etw_session_stat, dropped_later, 168, 80);
AT(etw_session_stat, undecided, 248, 8);
SIZE(etw_session_stat, 256);

AT(etw_session_missed, size, 0, 4);
AT(etw_session_missed, flags, 4, 4);
AT(etw_session_missed, handle, 8, 8);
AT(etw_session_missed, provider, 16, 16);
AT(etw_session_missed, events, 32, 8);
SIZE(etw_session_missed, 40);

AT(etw_filter, ptr, 0, 8);
AT(etw_filter, len, 8, 4);
AT(etw_filter, type, 12, 4);
SIZE(etw_filter, 16);

AT(etw_enable, size, 0, 4);
AT(etw_enable, flags, 4, 4);
AT(etw_enable, session, 8, 8);
AT(etw_enable, provider, 16, 16);
AT(etw_enable, source, 32, 16);
AT(etw_enable, control, 48, 4);
AT(etw_enable, property, 52, 4);
AT(etw_enable, any, 56, 8);
AT(etw_enable, all, 64, 8);
AT(etw_enable, filters, 72, 8);
AT(etw_enable, filter_count, 80, 4);
AT(etw_enable, timeout_ms, 84, 4);
AT(etw_enable, level, 88, 1);
AT(etw_enable, reserved, 89, 7);
SIZE(etw_enable, 96);

AT(etw_register, size, 0, 4);
AT(etw_register, flags, 4, 4);
AT(etw_register, provider, 8, 16);
AT(etw_register, name, 24, 8);
AT(etw_register, name_len, 32, 4);
AT(etw_register, slot, 36, 4);
AT(etw_register, cookie, 40, 8);
SIZE(etw_register, 48);

AT(etw_unregister, size, 0, 4);
AT(etw_unregister, slot, 4, 4);
SIZE(etw_unregister, 8);

AT(etw_notify, size, 0, 4);
AT(etw_notify, slot, 4, 4);
AT(etw_notify, cookie, 8, 8);
AT(etw_notify, source, 16, 16);
AT(etw_notify, control, 32, 4);
AT(etw_notify, level, 36, 4);
AT(etw_notify, any, 40, 8);
AT(etw_notify, all, 48, 8);
AT(etw_notify, dropped, 56, 4);
AT(etw_notify, logger_id, 60, 4);
AT(etw_notify, filter, 64, 8);
AT(etw_notify, filter_cap, 72, 4);
AT(etw_notify, filter_len, 76, 4);
AT(etw_notify, filter_type, 80, 4);
AT(etw_notify, reserved2, 84, 4);
SIZE(etw_notify, 88);

AT(etw_enable_entry, enabled, 0, 1);
AT(etw_enable_entry, level, 1, 1);
AT(etw_enable_entry, keyword0, 2, 1);
AT(etw_enable_entry, sessions, 3, 1);
AT(etw_enable_entry, generation, 4, 4);
AT(etw_enable_entry, any, 8, 8);
AT(etw_enable_entry, all, 16, 8);
AT(etw_enable_entry, properties, 24, 4);
AT(etw_enable_entry, reserved, 28, 4);
SIZE(etw_enable_entry, 32);

AT(etw_event_write, size, 0, 4);
AT(etw_event_write, slot, 4, 4);
AT(etw_event_write, flags, 8, 4);
AT(etw_event_write, data_count, 12, 4);
AT(etw_event_write, data, 16, 8);
AT(etw_event_write, filter, 24, 8);
AT(etw_event_write, desc, 32, 16);
AT(etw_event_write, activity, 48, 16);
AT(etw_event_write, related, 64, 16);
AT(etw_event_write, stack, 80, 8);
AT(etw_event_write, stack_count, 88, 4);
AT(etw_event_write, lost, 92, 4);
SIZE(etw_event_write, 96);

AT(etw_filter_event_id, in, 0, 1);
AT(etw_filter_event_id, reserved, 1, 1);
AT(etw_filter_event_id, count, 2, 2);
AT(etw_filter_event_id, ids, 4, 128);
SIZE(etw_filter_event_id, 132);

AT(etw_filter_event_name, any, 0, 8);
AT(etw_filter_event_name, all, 8, 8);
AT(etw_filter_event_name, level, 16, 1);
AT(etw_filter_event_name, in, 17, 1);
AT(etw_filter_event_name, count, 18, 2);
AT(etw_filter_event_name, names, 20, 4);
SIZE(etw_filter_event_name, 24);

AT(etw_provider_set, size, 0, 4);
AT(etw_provider_set, slot, 4, 4);
AT(etw_provider_set, flags, 8, 4);
AT(etw_provider_set, types, 12, 4);
AT(etw_provider_set, traits, 16, 8);
AT(etw_provider_set, traits_len, 24, 4);
AT(etw_provider_set, reserved, 28, 4);
SIZE(etw_provider_set, 32);

AT(etw_disallow, size, 0, 4);
AT(etw_disallow, flags, 4, 4);
AT(etw_disallow, session, 8, 8);
AT(etw_disallow, guids, 16, 8);
AT(etw_disallow, capacity, 24, 4);
AT(etw_disallow, count, 28, 4);
SIZE(etw_disallow, 32);

AT(etw_group_member, provider, 0, 16);
AT(etw_group_member, reg, 16, 96);
SIZE(etw_group_member, 112);

AT(etw_group_query, size, 0, 4);
AT(etw_group_query, flags, 4, 4);
AT(etw_group_query, group, 8, 16);
AT(etw_group_query, members, 24, 8);
AT(etw_group_query, member_cap, 32, 4);
AT(etw_group_query, member_count, 36, 4);
AT(etw_group_query, enables, 40, 8);
AT(etw_group_query, enable_cap, 48, 4);
AT(etw_group_query, enable_count, 52, 4);
SIZE(etw_group_query, 56);

AT(etw_filter_level_kw, any, 0, 8);
AT(etw_filter_level_kw, all, 8, 8);
AT(etw_filter_level_kw, level, 16, 1);
AT(etw_filter_level_kw, in, 17, 1);
SIZE(etw_filter_level_kw, 24);

AT(etw_provider_enum, size, 0, 4);
AT(etw_provider_enum, flags, 4, 4);
AT(etw_provider_enum, guids, 8, 8);
AT(etw_provider_enum, capacity, 16, 4);
AT(etw_provider_enum, count, 20, 4);
SIZE(etw_provider_enum, 24);

AT(etw_provider_reg, pid, 0, 4);
AT(etw_provider_reg, flags, 4, 4);
AT(etw_provider_reg, sessions, 8, 8);
AT(etw_provider_reg, module, 16, 56);
AT(etw_provider_reg, group, 72, 16);
AT(etw_provider_reg, refused, 88, 8);
SIZE(etw_provider_reg, 96);

AT(etw_provider_enable, session, 0, 8);
AT(etw_provider_enable, any, 8, 8);
AT(etw_provider_enable, all, 16, 8);
AT(etw_provider_enable, property, 24, 4);
AT(etw_provider_enable, logger_id, 28, 2);
AT(etw_provider_enable, level, 30, 1);
AT(etw_provider_enable, pid_filtered, 31, 1);
AT(etw_provider_enable, filters, 32, 4);
AT(etw_provider_enable, reserved, 36, 4);
SIZE(etw_provider_enable, 40);

AT(etw_provider_query, size, 0, 4);
AT(etw_provider_query, flags, 4, 4);
AT(etw_provider_query, provider, 8, 16);
AT(etw_provider_query, name_out, 24, 8);
AT(etw_provider_query, name_cap, 32, 4);
AT(etw_provider_query, name_len, 36, 4);
AT(etw_provider_query, regs, 40, 8);
AT(etw_provider_query, reg_cap, 48, 4);
AT(etw_provider_query, reg_count, 52, 4);
AT(etw_provider_query, enables, 56, 8);
AT(etw_provider_query, enable_cap, 64, 4);
AT(etw_provider_query, enable_count, 68, 4);
SIZE(etw_provider_query, 72);

AT(etw_consumer_open, size, 0, 4);
AT(etw_consumer_open, flags, 4, 4);
AT(etw_consumer_open, session, 8, 8);
AT(etw_consumer_open, name, 16, 8);
AT(etw_consumer_open, name_len, 24, 4);
AT(etw_consumer_open, fd, 28, 4);
AT(etw_consumer_open, buffer_size, 32, 4);
AT(etw_consumer_open, clock, 36, 4);
AT(etw_consumer_open, clock_freq, 40, 8);
SIZE(etw_consumer_open, 48);

AT(etw_buffer_take, size, 0, 4);
AT(etw_buffer_take, flags, 4, 4);
AT(etw_buffer_take, index, 8, 4);
AT(etw_buffer_take, used, 12, 4);
AT(etw_buffer_take, sequence, 16, 8);
AT(etw_buffer_take, events, 24, 8);
AT(etw_buffer_take, complete_through, 32, 8);
AT(etw_buffer_take, complete_sequence, 40, 8);
SIZE(etw_buffer_take, 48);

AT(etw_buffer_give, size, 0, 4);
AT(etw_buffer_give, index, 4, 4);
SIZE(etw_buffer_give, 8);

AT(etw_consumer_stat, size, 0, 4);
AT(etw_consumer_stat, flags, 4, 4);
AT(etw_consumer_stat, info, 8, 48);
SIZE(etw_consumer_stat, 56);

AT(etw_filter_header, id, 0, 2);
AT(etw_filter_header, version, 2, 1);
AT(etw_filter_header, reserved, 3, 5);
AT(etw_filter_header, instance, 8, 8);
AT(etw_filter_header, size, 16, 4);
AT(etw_filter_header, next, 20, 4);
SIZE(etw_filter_header, 24);
static_assert(ETW_FILTER_CHAIN_MAX == ETW_PROVIDER_SESSIONS * ETW_FILTER_DATA_MAX);

AT(etw_payload_header, size, 0, 4);
AT(etw_payload_header, format, 4, 2);
AT(etw_payload_header, events, 6, 2);
SIZE(etw_payload_header, 8);

AT(etw_payload_event, id, 0, 2);
AT(etw_payload_event, version, 2, 1);
AT(etw_payload_event, steps, 3, 1);
AT(etw_payload_event, tests, 4, 1);
AT(etw_payload_event, ors, 5, 1);
AT(etw_payload_event, all, 6, 1);
AT(etw_payload_event, any, 7, 1);
AT(etw_payload_event, at, 8, 4);
AT(etw_payload_event, reserved, 12, 4);
SIZE(etw_payload_event, 16);

AT(etw_payload_step, kind, 0, 1);
AT(etw_payload_step, flags, 1, 1);
AT(etw_payload_step, save, 2, 1);
AT(etw_payload_step, reserved, 3, 1);
AT(etw_payload_step, count, 4, 2);
AT(etw_payload_step, length, 6, 2);
SIZE(etw_payload_step, 8);

AT(etw_payload_test, step, 0, 1);
AT(etw_payload_test, op, 1, 1);
AT(etw_payload_test, type, 2, 1);
AT(etw_payload_test, group, 3, 1);
AT(etw_payload_test, length, 4, 4);
AT(etw_payload_test, value, 8, 16);
SIZE(etw_payload_test, 24);

AT(etw_ext_pid_namespace, process_id, 0, 4);
AT(etw_ext_pid_namespace, thread_id, 4, 4);
AT(etw_ext_pid_namespace, pid_namespace, 8, 4);
AT(etw_ext_pid_namespace, reserved, 12, 4);
SIZE(etw_ext_pid_namespace, 16);

AT(etw_ext_context, context, 0, 1);
AT(etw_ext_context, flags, 1, 1);
AT(etw_ext_context, preempt_depth, 2, 2);
AT(etw_ext_context, reserved, 4, 4);
SIZE(etw_ext_context, 8);

AT(etw_access_entry, type, 0, 1);
AT(etw_access_entry, who, 1, 1);
AT(etw_access_entry, reserved, 2, 2);
AT(etw_access_entry, id, 4, 4);
AT(etw_access_entry, rights, 8, 4);
SIZE(etw_access_entry, 12);

AT(etw_access, size, 0, 4);
AT(etw_access, flags, 4, 4);
AT(etw_access, guid, 8, 16);
AT(etw_access, entries, 24, 8);
AT(etw_access, count, 32, 4);
AT(etw_access, capacity, 36, 4);
AT(etw_access, own, 40, 4);
AT(etw_access, reserved, 44, 4);
SIZE(etw_access, 48);

AT(etw_many_event, size, 0, 4);
AT(etw_many_event, flags, 4, 4);
AT(etw_many_event, schema, 8, 4);
AT(etw_many_event, payload_len, 12, 4);
AT(etw_many_event, time, 16, 8);
AT(etw_many_event, desc, 24, 16);
SIZE(etw_many_event, 40);

AT(etw_write_many, slot, 4, 4);
AT(etw_write_many, flags, 8, 4);
AT(etw_write_many, bytes, 12, 4);
AT(etw_write_many, events, 16, 8);
AT(etw_write_many, filter, 24, 8);
AT(etw_write_many, done, 32, 4);
AT(etw_write_many, lost, 36, 4);
SIZE(etw_write_many, 40);

AT(etw_classic_write, slot, 4, 4);
AT(etw_classic_write, kind, 8, 4);
AT(etw_classic_write, logger_id, 12, 4);
AT(etw_classic_write, guid, 16, 16);
AT(etw_classic_write, type, 32, 1);
AT(etw_classic_write, level, 33, 1);
AT(etw_classic_write, version, 34, 2);
AT(etw_classic_write, number, 36, 2);
AT(etw_classic_write, options, 38, 2);
AT(etw_classic_write, instance, 40, 4);
AT(etw_classic_write, parent, 44, 4);
AT(etw_classic_write, parent_guid, 48, 16);
AT(etw_classic_write, data, 64, 8);
AT(etw_classic_write, data_count, 72, 4);
AT(etw_classic_write, reserved, 76, 4);
SIZE(etw_classic_write, 80);

AT(etw_session_capture, flags, 4, 4);
AT(etw_session_capture, handle, 8, 8);
AT(etw_session_capture, guids, 16, 8);
AT(etw_session_capture, count, 24, 4);
AT(etw_session_capture, period_s, 28, 4);
SIZE(etw_session_capture, 32);

AT(etw_trace_piece, offset, 0, 2);
AT(etw_trace_piece, size, 2, 2);
AT(etw_trace_piece, kind, 4, 1);
AT(etw_trace_piece, flags, 5, 1);
AT(etw_trace_piece, length_offset, 6, 2);
SIZE(etw_trace_piece, 8);

AT(etw_trace_event, flags, 4, 4);
AT(etw_trace_event, provider, 8, 16);
AT(etw_trace_event, name, 24, 8);
AT(etw_trace_event, name_len, 32, 4);
AT(etw_trace_event, id, 36, 4);
AT(etw_trace_event, schema, 40, 8);
AT(etw_trace_event, schema_len, 48, 4);
AT(etw_trace_event, piece_count, 52, 4);
AT(etw_trace_event, pieces, 56, 8);
AT(etw_trace_event, keyword, 64, 8);
AT(etw_trace_event, level, 72, 1);
AT(etw_trace_event, opcode, 73, 1);
AT(etw_trace_event, task, 74, 2);
AT(etw_trace_event, counter, 76, 4);
AT(etw_trace_event, config, 80, 8);
AT(etw_trace_event, period, 88, 8);
AT(etw_trace_event, manifest, 96, 8);
AT(etw_trace_event, manifest_len, 104, 4);
AT(etw_trace_event, reserved, 108, 4);
SIZE(etw_trace_event, 112);
AT(etw_trace_sample, address, 0, 8);
AT(etw_trace_sample, counted, 8, 8);
AT(etw_trace_sample, in_kernel, 16, 4);
AT(etw_trace_sample, cpu, 20, 4);
SIZE(etw_trace_sample, 24);

AT(etw_bpf_event, keyword, 0, 8);
AT(etw_bpf_event, level, 8, 1);
AT(etw_bpf_event, opcode, 9, 1);
AT(etw_bpf_event, task, 10, 2);
AT(etw_bpf_event, record_size, 12, 4);
AT(etw_bpf_event, schema_len, 16, 4);
AT(etw_bpf_event, piece_count, 20, 4);
SIZE(etw_bpf_event, 24);

AT(etw_bpf_provider, flags, 4, 4);
AT(etw_bpf_provider, provider, 8, 16);
AT(etw_bpf_provider, name, 24, 8);
AT(etw_bpf_provider, name_len, 32, 4);
AT(etw_bpf_provider, event_count, 36, 4);
AT(etw_bpf_provider, events, 40, 8);
AT(etw_bpf_provider, schemas, 48, 8);
AT(etw_bpf_provider, pieces, 56, 8);
AT(etw_bpf_provider, schemas_len, 64, 4);
AT(etw_bpf_provider, piece_count, 68, 4);
AT(etw_bpf_provider, number, 72, 4);
AT(etw_bpf_provider, reserved, 76, 4);
SIZE(etw_bpf_provider, 80);
