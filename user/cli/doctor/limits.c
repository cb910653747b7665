/* SPDX-License-Identifier: MIT */
/*
 * limits.c - how near the module's and this user's limits are
 */
#include <inttypes.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <unistd.h>
#include "cli/cli.h"
#include "device/kdev.h"
#include "checks.h"
#include "files.h"
#include "report.h"

#define PARAMETERS	"/sys/module/etw/parameters"
#define NEARLY(used, limit)	((used) / 9 >= (limit) / 10)	/* 90 % */

static void check_memory(const struct doctor *doctor)
{
	uint64_t used_kb, limit_mb;

	if (!doctor_number(&used_kb, PARAMETERS "/memory_kb") ||
	    !doctor_number(&limit_mb, PARAMETERS "/max_memory_mb")) {
		doctor_unknown("memory", doctor->loaded ? "the module does not say what sessions take" :
			       "not known without the module");
	} else if (NEARLY(used_kb, limit_mb << 10)) {
		doctor_warn("memory", doctor_fix("echo %" PRIu64 " | sudo tee " PARAMETERS "/max_memory_mb",
						  2 * limit_mb),
			    "sessions take %" PRIu64 " KB of the %" PRIu64 " MB that all together may have",
			    used_kb, limit_mb);
	} else {
		doctor_ok("memory", "sessions take %" PRIu64 " KB of the %" PRIu64 " MB that all together may have",
			  used_kb, limit_mb);
	}
}

/* Buffers of the smallest size that "etw start" gives a session without options */
static uint64_t least_session_kb(void)
{
	return 2 * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) * 64;
}

static void check_locked(const struct doctor *doctor)
{
	const uint64_t least = least_session_kb();
	struct rlimit limit;

	if (doctor->caps & UINT64_C(1) << CAP_IPC_LOCK || getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY)
		doctor_ok("memlock", "no limit for your sessions' buffers");
	else if (limit.rlim_cur >> 10 < least)
		doctor_warn("memlock", doctor_fix("sudo prlimit --pid $$ --memlock=%" PRIu64, 16 * least << 10),
			    "your sessions may take %" PRIu64 " KB together (ulimit -l); one needs %" PRIu64,
			    (uint64_t)limit.rlim_cur >> 10, least);
	else
		doctor_ok("memlock", "your sessions may take %" PRIu64 " KB together (ulimit -l)",
			  (uint64_t)limit.rlim_cur >> 10);
}

/* Only what the caller may query is counted. */
static void check_numbers(const struct doctor *doctor)
{
	uint64_t handles[ETW_SESSIONS_MAX], registrations = 0;
	struct etw_session_enum all = { .handles = (uintptr_t)handles,
					.capacity = ETW_SESSIONS_MAX };
	struct etw_provider_enum providers = { .capacity = 0 };

	if (doctor->fd < 0 || etw_kdev_session_enum(doctor->fd, &all)) {
		doctor_unknown("numbers", doctor->fd < 0 ? "not known without the device" :
			       "you may not query sessions");
		return;
	}
	etw_kdev_provider_enum(doctor->fd, &providers);
	doctor_number(&registrations, PARAMETERS "/max_user_registrations");
	if (all.count >= all.limit)
		doctor_wrong("numbers", doctor_fix("etw list sessions"),
			     "%u sessions run, no more can: stop one that is not needed", all.count);
	else
		doctor_ok("numbers", "%u of at most %u sessions, %u provider%s, at most %" PRIu64 " registrations of a user",
			  all.count, all.limit, providers.count, cli_s(providers.count),
			  registrations);
}

void doctor_limits(const struct doctor *doctor)
{
	check_memory(doctor);
	check_locked(doctor);
	check_numbers(doctor);
}
