/* SPDX-License-Identifier: MIT */
/*
 * logfile_header.c - build the TRACE_LOGFILE_HEADER of a session or of a file that this
 * library writes
 *
 * Semantics: Microsoft's page "TRACE_LOGFILE_HEADER structure".
 */
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "logfile_header.h"
#include "write_private.h"

_Static_assert(sizeof(TRACE_LOGFILE_HEADER) == sizeof(struct etw_log_header), "the same");

#define SHORT_STEP	1024	/* short header buffers are a multiple of this */
#define POINTERS_AT	(ETW_LOG_HEADER_AT + offsetof(struct etw_log_header, logger_name))
#define SYSTEM32	1	/* record type, its low byte */

/* Read a clock in units of 100 ns. */
static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t))
		return 0;
	return (int64_t)t.tv_sec * 10000000 + t.tv_nsec / 100;
}

static void copy_zone_name(WCHAR out[32], const char *name)
{
	int i;

	for (i = 0; name && i < 31 && name[i] > 0; i++)
		out[i] = name[i];
}

static void read_zone(TIME_ZONE_INFORMATION *zone)
{
	time_t now = time(NULL);
	struct tm local;

	if (!localtime_r(&now, &local))
		return;
	zone->Bias = -local.tm_gmtoff / 60;
	if (local.tm_isdst > 0) {
		zone->Bias += 60;
		zone->DaylightBias = -60;
		copy_zone_name(zone->DaylightName, local.tm_zone);
	} else {
		copy_zone_name(zone->StandardName, local.tm_zone);
	}
}

/*
 * localtime_r() takes a lock that a child of fork() inherits locked if another thread of its parent
 * had it: the child uses what its parent has found.
 */
void etw_logfile_zone(TIME_ZONE_INFORMATION *zone)
{
	static TIME_ZONE_INFORMATION first;
	static _Atomic pid_t first_by;		/* 0: nobody, -1: it is not complete yet */
	pid_t by = atomic_load(&first_by), here = getpid();

	if (by > 0 && by != here) {
		*zone = first;
		return;
	}
	read_zone(zone);
	if (!by && atomic_compare_exchange_strong(&first_by, &by, -1)) {
		first = *zone;
		atomic_store(&first_by, here);
	}
}

void etw_logfile_header(TRACE_LOGFILE_HEADER *header, const struct etw_session_info *info)
{
	struct timespec tick;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	memset(header, 0, sizeof(*header));
	header->BufferSize = info->buffer_size;
	/* Windows 10, file layout 1.5: the format that this library writes */
	header->VersionDetail.MajorVersion = 10;
	header->VersionDetail.SubVersion = 1;
	header->VersionDetail.SubMinorVersion = 5;
	header->NumberOfProcessors = cpus > 0 ? cpus : 1;
	if (!clock_getres(CLOCK_REALTIME_COARSE, &tick))
		header->TimerResolution = tick.tv_nsec / 100;
	header->LogFileMode = info->mode;
	header->StartBuffers = 1;
	header->PointerSize = 8;
	/* Readers use it to convert CPU cycles to time. */
	if (info->clock != ETW_CLOCK_SYSTEM && info->clock_freq != 1000000000)
		header->CpuSpeedInMHz = info->clock_freq / 1000000;
	etw_logfile_zone(&header->TimeZone);
	header->BootTime.QuadPart = ETW_UNIX_EPOCH_100NS +
		read_clock(CLOCK_REALTIME) - read_clock(CLOCK_BOOTTIME);
	header->PerfFreq.QuadPart = info->clock_freq;
	header->StartTime.QuadPart = info->start_wall;
	header->ReservedFlags = info->clock;
}

/*
 * Convert from the 64-bit to the 32-bit layout: each pointer shrinks by 4 bytes, and
 * everything after it moves. Returns the bytes used afterwards.
 */
static uint32_t make_narrow(uint8_t *buffer)
{
	const uint32_t less = 8;
	struct etw_buffer_header top;
	struct etw_system_header record;
	uint32_t end;

	memcpy(&top, buffer, sizeof(top));
	memcpy(&record, buffer + sizeof(top), sizeof(record));
	end = sizeof(top) + record.size;
	memmove(buffer + POINTERS_AT + 8, buffer + POINTERS_AT + 16,
		end - (POINTERS_AT + 16));
	end -= less;
	record.size -= less;
	record.type = (record.type & 0xFF00) | SYSTEM32;
	top.offset = (end + ETW_RECORD_ALIGN - 1) / ETW_RECORD_ALIGN * ETW_RECORD_ALIGN;
	memset(buffer + end, 0, top.offset - end);
	memset(buffer + top.offset, ETW_TAIL_BYTE, less);
	top.saved_offset = top.offset;
	top.current_offset = top.offset;
	memcpy(buffer, &top, sizeof(top));
	memcpy(buffer + sizeof(top), &record, sizeof(record));
	return top.offset;
}

uint32_t etw_etl_head_build(uint8_t *buffer, const struct etw_etl_info *info, bool short_head)
{
	struct etw_log_head head = {
		.start_clock = info->start_clock,
		.thread_id = gettid(),
		.process_id = getpid(),
		.logger = info->logger,
		.logger_len = strlen(info->logger),
		.file = info->file,
		.file_len = strlen(info->file),
	};
	uint32_t size = info->header.BufferSize, used;
	struct etw_buffer_header top;

	memcpy(&head.header, &info->header, sizeof(head.header));
	/* Padding of the other structure; what its file lacks is not known of this one. */
	head.header.continued = 0;
	head.header.logger_name = 0;
	head.header.file_name = 0;
	etw_log_head_build(buffer, &head);
	if (info->header.PointerSize == 4)
		make_narrow(buffer);
	if (!short_head)
		return size;
	memcpy(&top, buffer, sizeof(top));
	used = (top.offset + SHORT_STEP - 1) / SHORT_STEP * SHORT_STEP;
	if (used > size)
		used = size;
	top.buffer_size = used;
	memcpy(buffer, &top, sizeof(top));
	return used;
}

void etw_etl_info_session(struct etw_etl_info *info, const struct etw_session_info *session)
{
	memset(info, 0, sizeof(*info));
	etw_logfile_header(&info->header, session);
	info->start_clock = session->start_clock;
	strcpy(info->logger, session->name);
}

void etw_etl_info_here(struct etw_etl_info *info)
{
	struct etw_session_info here = {
		.clock = ETW_CLOCK_QPC,
		.clock_freq = 1000000000,
	};
	struct timespec mono;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	here.start_clock = mono.tv_sec * 1000000000ull + mono.tv_nsec;
	here.start_wall = ETW_UNIX_EPOCH_100NS + read_clock(CLOCK_REALTIME);
	etw_etl_info_session(info, &here);
}
