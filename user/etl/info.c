/* SPDX-License-Identifier: MIT */
/*
 * info.c - a log file's header, TRACE_LOGFILE_HEADER
 *
 * Semantics: Microsoft's page "TRACE_LOGFILE_HEADER structure". The two pointers to
 * names have the pointer size of the writer, and no meaning; the names follow the
 * structure as UTF-16 with their NULs.
 */
#include <errno.h>
#include <string.h>

#include <etw/format.h>

#include "info.h"
#include "record.h"
#include "base/utf.h"

_Static_assert(sizeof(TRACE_LOGFILE_HEADER) == 280, "layout of 64 bits");
_Static_assert(offsetof(TRACE_LOGFILE_HEADER, LoggerName) == 56, "layout of 64 bits");
_Static_assert(offsetof(TRACE_LOGFILE_HEADER, TimeZone) == 72, "layout of 64 bits");
_Static_assert(offsetof(TRACE_LOGFILE_HEADER, BootTime) == 248, "layout of 64 bits");

#define FREQUENCY_MAX	1000000000000	/* 1 tick per ps; a faster clock is invalid */
#define CONTINUED	244	/* of etw_log_header */
#define SIZE32		272
#define ZONE32		64	/* offset of TimeZone ... */
#define BOOT32		240	/* ... and of BootTime, where the tail begins */

static void copy_header(TRACE_LOGFILE_HEADER *header, const uint8_t *from, bool wide)
{
	uint8_t *to = (uint8_t *)header;

	if (wide) {
		memcpy(to, from, sizeof(*header));
	} else {
		memset(to, 0, sizeof(*header));
		memcpy(to, from, offsetof(TRACE_LOGFILE_HEADER, LoggerName));
		memcpy(&header->TimeZone, from + ZONE32, sizeof(header->TimeZone));
		memcpy(&header->BootTime, from + BOOT32, SIZE32 - BOOT32);
	}
	header->LoggerName = NULL;
	header->LogFileName = NULL;
}

/* Read the name at *at; an invalid or too long name becomes empty. */
static const uint8_t *take_name(const uint8_t *at, const uint8_t *end, char *name)
{
	WCHAR text[ETW_ETL_NAME_MAX];
	const uint8_t *start = at;
	WCHAR unit = 1;
	ssize_t len;
	size_t n;

	while (end - at >= (ptrdiff_t)sizeof(unit)) {
		memcpy(&unit, at, sizeof(unit));
		at += sizeof(unit);
		if (!unit)
			break;
	}
	n = (at - start) / sizeof(unit) - (unit ? 0 : 1);
	name[0] = '\0';
	if (n > ETW_ETL_NAME_MAX)
		return at;
	memcpy(text, start, n * sizeof(unit));
	len = etw_utf16_to_utf8(text, n, name, ETW_ETL_NAME_MAX);
	name[len > 0 && len <= ETW_ETL_NAME_MAX ? len : 0] = '\0';
	return at;
}

/* Parse the payload of the first record; wide: it has the 64-bit form. */
static int parse(const void *payload, size_t len, bool wide, struct etw_etl_info *info)
{
	size_t size = wide ? sizeof(info->header) : SIZE32;
	const uint8_t *at = payload, *end = at + len;
	uint32_t continued;

	if (len < size)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	copy_header(&info->header, at, wide);
	memcpy(&continued, at + CONTINUED, sizeof(continued));
	/* Windows stores its build number, and anything in the padding. */
	info->continued = wide && !info->header.ProviderVersion &&
			  continued == ETW_LOG_CONTINUED;
	if (info->header.BufferSize < ETW_BUFFER_HEADER_SIZE)
		return -EINVAL;
	at = take_name(at + size, end, info->logger);
	take_name(at, end, info->file);
	return 0;
}

int etw_etl_info_read(const void *buffer, uint32_t end, struct etw_etl_info *info, bool *wide)
{
	struct etw_classic_view classic = { .time = 0 };
	uint32_t offset = sizeof(struct etw_buffer_header);
	struct etw_record_view view;
	uint8_t type;
	int err;

	if (etw_etl_record(buffer, end, &offset, &view, &classic) != 1)
		return -EINVAL;
	type = view.header->type & 0xFF;
	*wide = type == ETW_ETL_SYSTEM64;
	if ((!*wide && type != ETW_ETL_SYSTEM32) || view.header->desc.task)
		return -EINVAL;
	err = parse(view.data, view.data_len, *wide, info);
	if (!err)
		info->start_clock = view.header->timestamp;
	return err;
}

bool etw_etl_same_session(const struct etw_etl_info *a, const struct etw_etl_info *b)
{
	return a->start_clock == b->start_clock &&
	       a->header.StartTime.QuadPart == b->header.StartTime.QuadPart &&
	       !strcmp(a->logger, b->logger);
}

uint64_t etw_etl_frequency(const struct etw_etl_info *info)
{
	const TRACE_LOGFILE_HEADER *header = &info->header;
	uint64_t frequency = header->PerfFreq.QuadPart;

	if (header->ReservedFlags == ETW_CLOCK_SYSTEM)
		return 10000000;
	if (header->ReservedFlags == ETW_CLOCK_CYCLES && header->CpuSpeedInMHz)
		return header->CpuSpeedInMHz * 1000000ull;
	return frequency && frequency <= FREQUENCY_MAX ? frequency : 10000000;
}

#define FILETIME_SECOND	10000000

int64_t etw_etl_end_clock(const struct etw_etl_info *info)
{
	int64_t end = info->header.EndTime.QuadPart, d = end - info->header.StartTime.QuadPart;
	int64_t frequency = (int64_t)etw_etl_frequency(info);

	if (info->header.ReservedFlags == ETW_CLOCK_SYSTEM)
		return end;
	return info->start_clock + d / FILETIME_SECOND * frequency +
	       d % FILETIME_SECOND * frequency / FILETIME_SECOND;
}
