/* SPDX-License-Identifier: MIT */
/*
 * interface.c - do the module and this command know the same commands?
 *
 * No command runs.  Its size, the first member of its argument, lies right before a page that
 * cannot be read: the module refuses a size below its own with EINVAL, and cannot read what
 * follows any other.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cli/cli.h"
#include "device/kdev.h"
#include "checks.h"
#include "files.h"
#include "report.h"

struct known {
	unsigned int command;
	uint32_t size;
	uint32_t first;		/* published size; smaller ones are refused */
};

#define KNOWN(name, type)		{ ETW_IOC_##name, sizeof(struct type), sizeof(struct type) }
#define GROWN(name, type, first)	{ ETW_IOC_##name, sizeof(struct type), first }

static const struct known commands[] = {
	GROWN(SESSION_START, etw_session, ETW_SESSION_SIZE_FIRST),
	GROWN(SESSION_STAT, etw_session_stat, ETW_SESSION_STAT_SIZE_FIRST),
	KNOWN(SESSION_ENUM, etw_session_enum), KNOWN(SESSION_CAPTURE, etw_session_capture),
	KNOWN(SESSION_SYSTEM, etw_session_system), KNOWN(SESSION_MISSED, etw_session_missed),
	KNOWN(ENABLE, etw_enable),
	KNOWN(DISALLOW_SET, etw_disallow), KNOWN(REGISTER, etw_register),
	KNOWN(UNREGISTER, etw_unregister), KNOWN(NOTIFY, etw_notify),
	KNOWN(PROVIDER_ENUM, etw_provider_enum), KNOWN(PROVIDER_QUERY, etw_provider_query),
	KNOWN(PROVIDER_SET, etw_provider_set), KNOWN(GROUP_QUERY, etw_group_query),
	GROWN(TRACE_EVENT, etw_trace_event, ETW_TRACE_EVENT_SIZE_FIRST),
	KNOWN(BPF_PROVIDER, etw_bpf_provider),
	KNOWN(WRITE, etw_event_write), KNOWN(CLASSIC, etw_classic_write),
	KNOWN(WRITE_MANY, etw_write_many),
	KNOWN(CONSUMER_OPEN, etw_consumer_open), KNOWN(ACCESS_SET, etw_access),
};

/* The module's answer to a size; page: see above */
static int answer(int fd, unsigned int command, uint32_t size, char *page)
{
	uint32_t *at = (uint32_t *)(page - sizeof(size));

	*at = size;
	return etw_kdev_ops->ioctl(fd, command, at);
}

/* How many are unknown, and smaller or larger in the module; false: none could be asked. */
static bool ask(int fd, unsigned int *missing, unsigned int *smaller, unsigned int *larger)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (pages == MAP_FAILED)
		return false;
	if (mprotect(pages + size, size, PROT_NONE)) {
		munmap(pages, 2 * size);
		return false;
	}
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		const struct known *known = &commands[i];
		int err = answer(fd, known->command, known->size, pages + size);

		*missing += err == -ENOTTY;
		*larger += err == -EINVAL;
		if (err != -ENOTTY && err != -EINVAL)
			*smaller += answer(fd, known->command, known->first - 1, pages + size) != -EINVAL;
	}
	munmap(pages, 2 * size);
	return true;
}

static const char *newer_command_fix(void)
{
	if (doctor_has_package("etw-tools"))
		return doctor_fix("make deb && sudo apt-get install ./build/deb/*.deb");
	return doctor_fix("make cli && sudo make install-user");
}

void doctor_interface(const struct doctor *doctor)
{
	const char *fix = doctor_fix("sudo modprobe -r etw && sudo modprobe etw");
	unsigned int missing = 0, smaller = 0, larger = 0;
	const unsigned int count = sizeof(commands) / sizeof(*commands);

	if (doctor->fd < 0 || !ask(doctor->fd, &missing, &smaller, &larger))
		doctor_unknown("interface", "not known without the device");
	else if (missing == count)
		doctor_wrong("interface", NULL, "%s is not a device of the module", device_path());
	else if (larger)
		doctor_wrong("interface", newer_command_fix(),
			     "the loaded module is newer than this command, and refuses some of its requests");
	else if (missing || smaller)
		doctor_warn("interface", fix,
			    "the loaded module is older than this command, and may refuse some of its requests");
	else
		doctor_ok("interface", "the module and this command have the same commands");
}
