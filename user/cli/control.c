/* SPDX-License-Identifier: MIT */
/*
 * control.c - what enable, disable and capture share
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <etw/format.h>
#include "provider.h"
#include "session.h"
#include "text.h"
#include "cli/request/probe_missed.h"
#include "cli/request/trace_event.h"
#include "lib/controller/enable.h"
#include "base/guid.h"
#include "device/kdev.h"

bool provider_option(int option, const char *value, struct etw_enable *enable)
{
	switch (option) {
	case PROVIDER_OPT_GROUP:
		enable->property |= ETW_ENABLE_PROVIDER_GROUP;
		return true;
	case PROVIDER_OPT_SOURCE:
		if (etw_guid_parse(value, &enable->source))
			cli_usage("--source: %s is not a GUID", cli_quote(value));
		return true;
	case PROVIDER_OPT_TIMEOUT:
		enable->timeout_ms = cli_timeout("--timeout", value, 0, UINT32_MAX - 1);
		return true;
	default:
		return false;
	}
}

/* What no access list grants */
static const char *beyond_lists(const struct etw_enable *enable)
{
	static const struct etw_guid images = ETW_IMAGE_GUID;

	if (enable->control != ETW_CONTROL_ENABLE)
		return "";
	if (enable->property & ETW_ENABLE_STACK_TRACE)
		return "; stacks take CAP_PERFMON in any case";
	return memcmp(&enable->provider, &images, sizeof(images)) ? "" :
		"; it takes CAP_PERFMON in any case";
}

static int control_fail(const char *session, const char *provider,
			const struct etw_enable *enable, bool capture, int err)
{
	const bool enabling = enable->control == ETW_CONTROL_ENABLE;

	switch (-err) {
	case ENOENT:
		return session_missing(session);
	case ENOSPC:
		return cli_fail("provider %s: %d sessions have it enabled already",
				cli_quote(provider), ETW_PROVIDER_SESSIONS);
	case ETIMEDOUT:
		return cli_fail("provider %s: its callbacks did not finish in time; %s%s",
				cli_quote(provider),
				enable->control == ETW_CONTROL_CAPTURE ?
				"they go on" : "the change is in force",
				enabling && capture ?
				", but it was not asked for its state" : "");
	case EPERM:
		return cli_fail("provider %s: %s%s", cli_quote(provider),
				cli_denied(EPERM, enable->property & ETW_ENABLE_PROVIDER_GROUP ?
					   "the rights \"control\" on the session and \"enable\" on the group" :
					   "the rights \"control\" on the session and \"enable\" on the provider"),
				beyond_lists(enable));
	default:
		return cli_fail("provider %s: %s", cli_quote(provider),
				cli_reason(-err));
	}
}

/* Of asking for the state right behind enabling, which is not undone. */
static int capture_fail(const char *session, const char *provider,
			const struct etw_enable *enable, int err)
{
	/* It was asked all the same, or goes with the session. */
	if (err == -ETIMEDOUT || err == -ENOENT || err == -ESHUTDOWN)
		return control_fail(session, provider, enable, false, err);
	return cli_fail("provider %s: it is enabled, but was not asked for its state: %s",
			cli_quote(provider), cli_reason(-err));
}

/* Something that is meant to be a GUID must not be looked up as a name. */
void provider_check(const char *text)
{
	struct etw_guid guid;

	cli_name("PROVIDER", text);
	if (!etw_guid_parse(text, &guid)) {
		if (etw_guid_is_zero(&guid))
			cli_usage("PROVIDER: the zero GUID is none");
	} else if (text[0] == '{') {
		cli_usage("PROVIDER: %s is not a GUID", cli_quote(text));
	}
}

void provider_check_group(const char *text, const struct etw_enable *enable)
{
	struct etw_guid guid;

	if (enable->property & ETW_ENABLE_PROVIDER_GROUP && etw_guid_parse(text, &guid))
		cli_usage("--group: %s is not a GUID, and groups have no names",
			  cli_quote(text));
}

/* A group that was taken for a provider: nothing would ever come. */
static bool report_group(int fd, const struct etw_enable *enable)
{
	struct etw_guid *groups;
	char text[GUID_TEXT_SIZE];
	bool found = false;
	uint32_t count, i;

	if (etw_provider_guids(fd, etw_kdev_group_enum, &groups, &count))
		return false;
	for (i = 0; i < count && !found; i++)
		found = guid_equal(&groups[i], &enable->provider);
	if (found)
		cli_note("no provider with GUID %s is registered, but a group has it: --group controls that",
			 guid_text(&enable->provider, text));
	free(groups);
	return found;
}

/*
 * Nobody is there to be controlled: that may be what was meant, or the program has
 * another GUID than the one that is made of its name.
 */
static void report_absent(int fd, const char *text, const struct etw_enable *enable)
{
	char guid[GUID_TEXT_SIZE], other_text[GUID_TEXT_SIZE];
	struct etw_provider provider;
	struct etw_guid other;
	const char *name;
	int err;

	err = etw_provider_query(fd, &enable->provider, &provider);
	if (err && err != -ESRCH)
		return;
	if (!err)
		etw_provider_free(&provider);
	if (provider.reg_count || report_group(fd, enable) ||
	    enable->control == ETW_CONTROL_DISABLE)
		return;
	name = provider_hashed(text, &enable->provider);
	if (name && provider_announced(fd, name, &enable->provider, &other))
		cli_note("nobody has registered %s (the GUID made of %s), but a program announces this name with the GUID %s",
			 guid_text(&enable->provider, guid), cli_quote(name),
			 guid_text(&other, other_text));
	else if (name)
		cli_note("nobody has registered %s (the GUID made of %s) yet",
			 guid_text(&enable->provider, guid), cli_quote(name));
}

int provider_control_late(int fd, const char *provider, struct etw_enable *enable)
{
	int err = etw_enable_and_wait(fd, enable);

	if (err != -ETIMEDOUT)
		return err;
	cli_note("provider %s: its callbacks did not finish in %u ms; they go on",
		 cli_quote(provider), enable->timeout_ms);
	return 0;
}

static int control(int fd, const char *provider, struct etw_enable *enable, unsigned int how)
{
	return how & PROVIDER_LATE ? provider_control_late(fd, provider, enable) :
				     etw_enable_and_wait(fd, enable);
}

/**
 * provider_control_in() - enable, disable or capture in a session that is known
 * @fd: the device
 * @session: the session's name, for messages
 * @provider: GUID or name of the provider, for messages
 * @enable: all of it
 * @how: PROVIDER_*
 *
 * Return: exit status.
 */
int provider_control_in(int fd, const char *session, const char *provider,
			struct etw_enable *enable, unsigned int how)
{
	const bool capture = how & PROVIDER_CAPTURE;
	int err = control(fd, provider, enable, how);

	if (err)
		return control_fail(session, provider, enable, capture, err);
	if (capture) {
		enable->control = ETW_CONTROL_CAPTURE;
		err = control(fd, provider, enable, how);
		if (err)
			return capture_fail(session, provider, enable, err);
	}
	if (!(enable->property & ETW_ENABLE_PROVIDER_GROUP))
		report_absent(fd, provider, enable);
	return 0;
}

/* What the names stand for */
struct targets {
	const char **names;
	struct etw_guid *guids;
	unsigned int count;
};

static void target(struct targets *t, const char *name, const struct etw_guid *guid)
{
	t->names = cli_grow(t->names, t->count, sizeof(*t->names));
	t->guids = cli_grow(t->guids, t->count, sizeof(*t->guids));
	t->names[t->count] = name;
	t->guids[t->count++] = *guid;
}

/* set: of a name that stands for trace events; the targets use its names. */
static bool find_target(int fd, const char *provider, struct targets *t, struct trace_set *set)
{
	struct etw_guid guid;
	unsigned int i;

	if (!trace_event_named(provider)) {
		if (!provider_resolve(fd, provider, &guid))
			return false;
		target(t, provider, &guid);
		return true;
	}
	if (!trace_event_registered(fd, provider, set))
		return false;
	for (i = 0; i < set->count; i++)
		target(t, set->names[i], &set->guids[i]);
	return true;
}

static int control_all(int fd, const char *session, const struct targets *t,
		       const struct etw_enable *enable)
{
	struct etw_enable one;
	unsigned int i;
	int status = 0;

	for (i = 0; i < t->count && !status; i++) {
		one = *enable;
		one.provider = t->guids[i];
		status = provider_control_in(fd, session, t->names[i], &one, 0);
	}
	return status;
}

int provider_control(const char *session, char **providers, struct etw_enable *enable)
{
	static struct session found;
	struct targets targets = { .count = 0 };
	struct trace_set *sets;
	unsigned int count, i;
	int fd, status = 0;

	cli_name("SESSION", session);
	for (count = 0; providers[count]; count++) {
		provider_check(providers[count]);
		provider_check_group(providers[count], enable);
	}
	fd = session_open(session, &found);
	if (fd < 0)
		return 1;
	enable->session = found.s.handle;
	sets = cli_calloc(count, sizeof(*sets));
	for (i = 0; i < count && !status; i++)
		status = !find_target(fd, providers[i], &targets, &sets[i]);
	if (enable->control == ETW_CONTROL_DISABLE)
		probe_missed_record(fd, enable->session);
	if (!status)
		status = control_all(fd, session, &targets, enable);
	probe_missed_end(fd, enable->session);
	for (i = 0; i < count; i++)
		trace_set_free(&sets[i]);
	free(sets);
	free(targets.names);
	free(targets.guids);
	etw_kdev_close(fd);
	return status;
}
