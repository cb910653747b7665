/* SPDX-License-Identifier: MIT */
/*
 * logfile_header.c - build the TRACE_LOGFILE_HEADER of a session
 *
 * Semantics: Microsoft's page "TRACE_LOGFILE_HEADER structure".
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* tm_gmtoff, tm_zone */
#endif
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "logfile_header.h"

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

void etw_logfile_zone(TIME_ZONE_INFORMATION *zone)
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
