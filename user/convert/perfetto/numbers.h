/* SPDX-License-Identifier: MIT */
/*
 * numbers.h - numbers of the message fields that we write
 *
 * Source: protos/perfetto/trace/ of the Perfetto project: trace_packet.proto,
 * clock_snapshot.proto, interned_data/interned_data.proto and in track_event/
 * track_event.proto, track_descriptor.proto, process_descriptor.proto,
 * thread_descriptor.proto, debug_annotation.proto; profiling/profile_common.proto.
 */
#ifndef ETW_CONVERT_PERFETTO_NUMBERS_H
#define ETW_CONVERT_PERFETTO_NUMBERS_H

enum { TRACE_PACKET = 1 };

enum trace_packet {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,		/* trusted_packet_sequence_id */
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_FIRST = 87,		/* first_packet_on_sequence */
};

enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };

enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6 };

enum track_event {
	TRACK_EVENT_CATEGORY_IID = 3,
	TRACK_EVENT_ANNOTATION = 4,
	TRACK_EVENT_TYPE = 9,
	TRACK_EVENT_NAME_IID = 10,
	TRACK_EVENT_TRACK = 11,
	TRACK_EVENT_CATEGORY = 22,
	TRACK_EVENT_NAME = 23,
	TRACK_EVENT_FLOW = 47,		/* fixed64 */
	TRACK_EVENT_CALLSTACK_IID = 56,
};

enum { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_INSTANT = 3 };

enum track_descriptor {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
};

enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

enum debug_annotation {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_BOOL = 2,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_NAME = 10,
	ANNOTATION_DICT = 11,
	ANNOTATION_ARRAY = 12,
	ANNOTATION_STRING_IID = 17,
};

enum interned_data {
	INTERNED_CATEGORIES = 1,
	INTERNED_NAMES = 2,
	INTERNED_ANNOTATIONS = 3,
	INTERNED_FUNCTIONS = 5,
	INTERNED_FRAMES = 6,
	INTERNED_CALLSTACKS = 7,
	INTERNED_VALUES = 29,		/* debug_annotation_string_values */
};

/* Of all that is interned the first field, and of strings the second */
enum { INTERNED_IID = 1, INTERNED_STRING = 2 };
enum { CALLSTACK_FRAME = 2 };
enum { FRAME_FUNCTION = 2, FRAME_KIND = 7 };
enum { KIND_NATIVE = 1, KIND_KERNEL = 2 };

#endif /* ETW_CONVERT_PERFETTO_NUMBERS_H */
