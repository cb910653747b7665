/* SPDX-License-Identifier: MIT */
/*
 * session.c - describe the machine by events in a session, whose file is circular
 *
 * Nothing can follow the events of such a file. So they are written as the last ones before the
 * session stops, and to this session alone, as a provider that the command registers for it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/request/start_options.h"
#include "device/kdev.h"
#include "etl/record.h"
#include "lib/controller/enable.h"
#include "session.h"

#define WAIT_MS		2000	/* for the provider to be enabled */

struct out {
	int fd;
	uint32_t slot;
	uint64_t others;	/* sessions that do not get the events */
};

/* As a record that is complete, but the session adds the rest of the header. */
static int write_record(void *context, const void *record, size_t size)
{
	const struct out *out = context;
	struct etw_data_descriptor data[3];
	struct etw_classic_view classic;
	struct etw_record_view view;
	struct etw_ext_view item;
	uint32_t at = 0, count = 0;
	struct etw_event_write write = {
		.slot = out->slot, .data = (uintptr_t)data, .filter = out->others,
	};

	/* Records of Windows' kernel logger are only in files that something is appended to. */
	classic.time = 0;
	if (etw_etl_record(record, (uint32_t)size, &at, &view, &classic) != 1 ||
	    etw_etl_is_system(view.header))
		return 0;
	for (at = 0; count < 2 && etw_ext_next(&view, &at, &item) == 1; count++)
		data[count] = (struct etw_data_descriptor){
			(uintptr_t)item.data, item.data_len,
			item.type == ETW_EXT_EVENT_SCHEMA ? ETW_DATA_EVENT_METADATA :
							   ETW_DATA_PROVIDER_METADATA,
		};
	data[count++] = (struct etw_data_descriptor){
		(uintptr_t)view.data, (uint32_t)view.data_len, ETW_DATA_PAYLOAD,
	};
	write.data_count = count;
	write.desc = view.header->desc;
	return etw_kdev_command(out->fd, ETW_IOC_WRITE, &write, sizeof(write));
}

/*
 * Only the registration of this process is enabled: others of that name could put anything into
 * the file, as much as they like, and would be waited for.
 */
static int control(int fd, const struct session *session, uint32_t what)
{
	const uint32_t self = (uint32_t)getpid();
	const struct etw_filter filter = {
		.ptr = (uintptr_t)&self, .len = sizeof(self), .type = ETW_FILTER_PID,
	};
	struct etw_enable enable = {
		.session = session->s.handle,
		.provider = ETW_MACHINE_GUID,
		.control = what,
		.level = 4,
		.any = ETW_MACHINE_KEYWORD,
		.filters = (uintptr_t)&filter,
		.filter_count = 1,
		.timeout_ms = WAIT_MS,
	};
	int err = etw_enable_and_wait(fd, &enable);

	return err == -ETIMEDOUT ? 0 : err;
}

static int write_all(const struct session *session, const struct machine *machine)
{
	static const char name[] = ETW_MACHINE_PROVIDER_NAME;
	struct etw_register reg = {
		.provider = ETW_MACHINE_GUID, .name = (uintptr_t)name, .name_len = sizeof(name) - 1,
	};
	struct etw_provider_set set = { .flags = ETW_SET_TYPES, .types = 1 };
	struct out out = { .fd = etw_kdev_open() };
	int err;

	if (out.fd < 0)
		return out.fd;
	err = etw_kdev_register(out.fd, &reg);
	set.slot = out.slot = reg.slot;
	out.others = ~(UINT64_C(1) << (session->s.logger_id - 1));
	if (!err)
		err = etw_kdev_provider_set(out.fd, &set);
	if (!err)
		err = control(out.fd, session, ETW_CONTROL_ENABLE);
	if (!err) {
		err = machine_records(machine, 0, write_record, &out);
		control(out.fd, session, ETW_CONTROL_DISABLE);
	}
	etw_kdev_close(out.fd);
	return err;
}

static int add_size(void *context, const void *record, size_t size)
{
	(void)record;
	*(uint64_t *)context += size;
	return 0;
}

/*
 * Readers of the session get its events, whoever may read the file. And a file that has the
 * name meanwhile says nothing of the session's.
 */
static void hide(struct machine *machine, const struct session *session)
{
	struct stat st;

	if (session->s.mode & ETW_MODE_REAL_TIME || stat(session->log.name, &st) ||
	    older_log_is_of_another(session->log.name, session))
		memset(&st, 0, sizeof(st));
	machine_hide(machine, &st);
}

/*
 * What has no room for the description? NULL: all has. In the file it overwrites older events: as
 * many as are worth it. For the buffers and the budget other writers contend: the description
 * takes no more than a quarter of them, because then one of the two would be lost.
 */
static const char *lacks_room(const struct session *session, const struct machine *machine)
{
	const struct etw_session *s = &session->s;
	const uint64_t file = (uint64_t)session->log.log.max_size <<
			      (s->mode & ETW_MODE_KBYTES ? 10 : 20);
	const uint64_t buffers = ((uint64_t)s->max_buffers * s->buffer_kb) << 10;
	uint64_t size = 0;

	machine_records(machine, 0, add_size, &size);
	if (size > file / 4)
		return "it";
	if (size > buffers / 4)
		return "the session's buffers";
	if (s->user_budget_kb && s->user_budget_kb != ETW_BUDGET_NONE &&
	    size > ((uint64_t)s->user_budget_kb << 10) / 4)
		return "the user's budget";
	return NULL;
}

void machine_write(const char *name, const struct session *session, bool quiet)
{
	struct machine machine = { .host = "" };
	const char *lacks;
	int err = 0;

	if (!(session->s.mode & ETW_MODE_CIRCULAR) || !session->log.log.name_len)
		return;
	machine_collect(&machine, "");
	hide(&machine, session);
	lacks = lacks_room(session, &machine);
	if (!lacks)
		err = write_all(session, &machine);
	else if (!quiet)
		cli_note("session %s: its file does not describe the machine, which would take more than a quarter of %s",
			 cli_quote(name), lacks);
	machine_free(&machine);
	if (err && !quiet)
		cli_note("session %s: its file does not describe the machine: %s", cli_quote(name),
			 err == -ENOSPC ? "8 sessions are doing that" : cli_reason(-err));
}
