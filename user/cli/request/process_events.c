/* SPDX-License-Identifier: MIT */
/*
 * process_events.c - have sessions record which process an id stands for, and which files it maps
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <etw/format.h>
#include "cli/cli.h"
#include "cli/provider.h"
#include "device/provider_list.h"
#include "lib/controller/enable.h"
#include "process_events.h"

#define WAIT_MS		2000	/* for a rundown, of which 10,000 processes take some ms */
#define RUNDOWN_BYTES	384	/* of one process, in a buffer */
#define IMAGES_BYTES	4096	/* likewise, of the files that it maps */
#define LEVEL_INFO	4

static const struct etw_guid process_guid = ETW_PROCESS_GUID, image_guid = ETW_IMAGE_GUID;

static int control_of(int fd, const struct session *session, const struct etw_guid *provider,
		      uint64_t keywords, uint32_t what)
{
	struct etw_enable enable = {
		.session = session->s.handle,
		.provider = *provider,
		.control = what,
		.level = LEVEL_INFO,
		.any = keywords,
		.timeout_ms = WAIT_MS,
	};
	int err = etw_enable_and_wait(fd, &enable);

	/* It goes on without us. */
	return err == -ETIMEDOUT ? 0 : err;
}

static int control(int fd, const struct session *session, uint32_t what)
{
	return control_of(fd, session, &process_guid,
			  ETW_PROCESS_KEYWORD | ETW_PROCESS_PROVIDERS, what);
}

static int control_images(int fd, const struct session *session, uint32_t what)
{
	return control_of(fd, session, &image_guid, ETW_IMAGE_KEYWORD, what);
}

/* Enabling succeeds also if nobody has registered it, as with an older module. */
static bool is_missing(int fd)
{
	struct etw_provider provider;
	int err = etw_provider_query(fd, &process_guid, &provider);
	bool missing = err ? err == -ESRCH : !provider.reg_count;

	if (!err)
		etw_provider_free(&provider);
	return missing;
}

void process_events_end(int fd, const struct session *session)
{
	control(fd, session, ETW_CONTROL_DISABLE);
	if (session->images)
		control_images(fd, session, ETW_CONTROL_DISABLE);
}

void process_events_again(int fd, const struct session *session)
{
	control(fd, session, ETW_CONTROL_CAPTURE);
}

static unsigned long processes(void)
{
	unsigned long count = 0;
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir)))
		count += isdigit((unsigned char)entry->d_name[0]) != 0;
	if (dir)
		closedir(dir);
	return count;
}

/* Bytes that it keeps; 0: no limit */
static uint64_t room_of(const struct session *session)
{
	const uint32_t mode = session->s.mode;

	if (mode & ETW_MODE_BUFFERING)
		return (uint64_t)session->s.max_buffers * session->s.buffer_kb << 10;
	return (uint64_t)session->log.log.max_size << (mode & ETW_MODE_KBYTES ? 10 : 20);
}

static bool fits(const struct session *session, unsigned int bytes)
{
	const uint64_t room = room_of(session);

	return !room || processes() * bytes <= room / 4;
}

/* false: they would take the room of the events. */
static bool have_room(const char *name, const struct session *session, bool quiet)
{
	const uint64_t room = room_of(session);

	if (fits(session, RUNDOWN_BYTES))
		return true;
	if (!quiet)
		cli_note("session %s: the names of all processes would take more than a quarter of its %llu KB, so some may be missing",
			 cli_quote(name), (unsigned long long)room >> 10);
	return false;
}

/* Enabling it writes what is mapped already. */
static void images_begin(int fd, const char *name, const struct session *session, bool quiet)
{
	int err;

	if (!fits(session, IMAGES_BYTES)) {
		if (!quiet)
			cli_note("session %s: what all processes map would take more than a quarter of its room, so functions in stacks may have no names",
				 cli_quote(name));
		return;
	}
	err = control_images(fd, session, ETW_CONTROL_ENABLE);
	if (err && err != -ENOENT && !quiet)
		cli_note("session %s records no names of functions: Etw-Image: %s",
			 cli_quote(name), err == -ENOSPC ? "8 sessions have it already" :
			 cli_denied(-err, "CAP_PERFMON"));
}

void process_events_begin(int fd, const char *name, const struct session *session, bool quiet)
{
	int err;

	if (!session->processes)
		return;
	err = control(fd, session, ETW_CONTROL_ENABLE);
	if (!err && have_room(name, session, quiet))
		err = control(fd, session, ETW_CONTROL_CAPTURE);
	if (!err && !quiet && is_missing(fd))
		cli_note("session %s records no names of processes: the loaded etw.ko has no provider Etw-Process",
			 cli_quote(name));
	/* The session is gone: whatever comes next says so. */
	if (err && err != -ENOENT && !quiet)
		cli_note("session %s records no names of processes: Etw-Process: %s",
			 cli_quote(name), err == -ENOSPC ? "8 sessions have it already" :
			 cli_denied(-err, "the right \"enable\" on it"));
	if (!err && session->images)
		images_begin(fd, name, session, quiet);
}

static bool has_session(const struct etw_provider *provider, uint64_t handle)
{
	unsigned int i;

	for (i = 0; i < provider->enable_count; i++)
		if (provider->enables[i].session == handle)
			return true;
	return false;
}

/* Has the session enabled it? Then it holds its own events, and one more is welcome. */
static bool is_enabled(int fd, const struct session *session, const struct etw_guid *guid)
{
	struct etw_provider provider;
	bool found;

	if (etw_provider_query(fd, guid, &provider))
		return false;
	found = has_session(&provider, session->s.handle);
	etw_provider_free(&provider);
	return found;
}

bool process_events_are_beside(int fd, const char *name)
{
	static struct session session;
	struct etw_provider *list;
	unsigned int count, i;
	bool found = false;

	if (session_do(fd, etw_kdev_session_query, name, &session) ||
	    provider_list(fd, &list, &count))
		return false;
	for (i = 0; i < count && !found; i++)
		found = !guid_equal(&list[i].guid, &process_guid) && has_session(&list[i], session.s.handle);
	provider_list_free(list, count);
	return found;
}

void process_events_refresh(int fd, const char *name, bool quiet)
{
	const uint32_t overwrites = ETW_MODE_BUFFERING | ETW_MODE_CIRCULAR;
	static struct session session;

	memset(&session, 0, sizeof(session));
	if (session_do(fd, etw_kdev_session_query, name, &session) ||
	    !(session.s.mode & overwrites) || !is_enabled(fd, &session, &process_guid) ||
	    !have_room(name, &session, quiet))
		return;
	process_events_again(fd, &session);
	if (is_enabled(fd, &session, &image_guid) && fits(&session, IMAGES_BYTES))
		control_images(fd, &session, ETW_CONTROL_CAPTURE);
}
