/* SPDX-License-Identifier: MIT */
/*
 * enable_list.c - the providers of one command: -p, and the options of etw enable for each
 */
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/provider.h"
#include "enable_list.h"
#include "trace_request.h"
#include "device/provider_list.h"
#include "lib/controller/enable.h"

#define CALLBACKS_MS	1000		/* for callbacks, before the command starts */
#define TIMEOUT_NOT_GIVEN UINT32_MAX	/* more than --timeout takes */

/* With the options for all */
static struct enable_request *add(struct enable_list *l)
{
	struct enable_request *request = cli_calloc(1, sizeof(*request));
	unsigned int i;

	l->list = cli_grow(l->list, l->count, sizeof(struct enable_request *));
	l->list[l->count++] = request;
	enable_request_init(request);
	request->enable.timeout_ms = TIMEOUT_NOT_GIVEN;
	for (i = 0; i < l->common_count; i++)
		enable_request_take(request, l->common[i].option, l->common[i].value);
	return request;
}

void enable_list_add(struct enable_list *l, const char *provider)
{
	add(l)->provider = cli_strdup(provider);
}

static void take_common(struct enable_list *l, int option, char *value)
{
	static struct enable_request checked;

	if (l->common_count == ENABLE_COMMON_MAX)
		cli_usage("more than %d options before the first -p", ENABLE_COMMON_MAX);
	if (!l->common_count)
		enable_request_init(&checked);
	l->common[l->common_count].option = option;
	l->common[l->common_count++].value = value;
	/* Report wrong values even if no -p follows; read files once. */
	enable_request_take(&checked, option, value);
	if (option == ENABLE_OPT_MANIFEST)
		l->common_count--;
}

bool enable_list_take(struct enable_list *l, int option, char *value)
{
	if (option == 'p')
		enable_request_provider(add(l), value);
	else if (!enable_request_has(option))
		return false;
	else if (l->count)
		enable_request_take(l->list[l->count - 1], option, value);
	else
		take_common(l, option, value);
	return true;
}

void enable_list_classes_with(struct enable_list *l, uint32_t property)
{
	unsigned int i;

	for (i = 0; i < l->count; i++)
		if (trace_event_is_class(l->list[i]->provider) && !l->list[i]->items_given)
			l->list[i]->enable.property |= property;
}

bool enable_list_ready(struct enable_list *l)
{
	unsigned int i;

	if (!l->count)
		cli_usage("give the providers: -p");
	for (i = 0; i < l->count; i++) {
		struct enable_request *request = l->list[i];

		provider_check(request->provider);
		provider_check_group(request->provider, &request->enable);
		if (!enable_request_ready(request, request->provider))
			return false;
	}
	return true;
}

static bool resolve(struct enable_request *request, int fd)
{
	return trace_event_named(request->provider) ?
	       trace_request_make(request, fd) :
	       provider_resolve(fd, request->provider, &request->enable.provider);
}

/* What stands for several trace events may share one with others; the last one says how. */
static bool is_twice(const struct enable_request *a, const struct enable_request *b)
{
	if (a->traced.count || b->traced.count)
		return !strcmp(a->provider, b->provider);
	return guid_equal(&a->enable.provider, &b->enable.provider);
}

bool enable_list_find(struct enable_list *l, int fd)
{
	unsigned int i, k;

	for (i = 0; i < l->count; i++) {
		struct enable_request *request = l->list[i];

		if (!resolve(request, fd))
			return false;
		enable_request_prepare(request, &request->enable.provider);
		for (k = 0; k < i; k++)
			if (is_twice(request, l->list[k]))
				cli_usage("-p: provider %s is given twice",
					  cli_quote(request->provider));
	}
	return true;
}

bool enable_list_has(const struct enable_list *l, const struct etw_guid *guid)
{
	unsigned int i = 0;

	while (i < l->count && !enable_request_is_for(l->list[i], guid))
		i++;
	return i < l->count;
}

bool enable_list_has_stacks(const struct enable_list *l)
{
	unsigned int i = 0;

	while (i < l->count && !(l->list[i]->enable.property & ETW_ENABLE_STACK_TRACE))
		i++;
	return i < l->count;
}

const char *enable_list_name(const struct enable_list *l, const struct etw_guid *guid)
{
	unsigned int i, k;

	for (i = 0; i < l->count; i++) {
		const struct enable_request *request = l->list[i];

		for (k = 0; k < request->traced.count; k++)
			if (guid_equal(&request->traced.guids[k], guid))
				return request->traced.names[k];
		if (guid_equal(&request->enable.provider, guid) &&
		    provider_hashed(request->provider, guid))
			return request->provider;
	}
	return NULL;
}

static int enable_traced(struct enable_request *request, int fd, const struct session *session,
			 unsigned int how)
{
	unsigned int i;
	int status = 0;

	for (i = 0; i < request->traced.count && !status; i++) {
		request->traced_enabled = i;
		trace_request_use(request, i);
		status = provider_control_in(fd, session->name, request->traced.names[i],
					     &request->enable, how);
	}
	request->enable.provider = request->traced.guids[0];
	return status;
}

static int enable_one(struct enable_request *request, int fd, const struct session *session,
		      bool before_command)
{
	struct etw_enable *enable = &request->enable;
	unsigned int how = request->capture ? PROVIDER_CAPTURE : 0;

	/* The kernel's own events, probes as well, begin when the provider's callback has run. */
	const uint32_t wait_ms = request->traced.count ? TRACE_REQUEST_MS :
				 before_command ? CALLBACKS_MS : 0;

	enable->session = session->s.handle;
	if (enable->timeout_ms == TIMEOUT_NOT_GIVEN) {
		enable->timeout_ms = wait_ms;
		how |= wait_ms ? PROVIDER_LATE : 0;
	}
	if (!request->traced.count)
		return provider_control_in(fd, session->name, request->provider, enable, how);
	return enable_traced(request, fd, session, how);
}

/* The option that selects processes, or NULL */
static const char *process_option(const struct filters *filters)
{
	return filters->pid_count ? "--pid" : filters->exe.len ? "--exe" :
	       filters->container.len ? "--container" : filters->package.len ? "--package" :
	       filters->app.len ? "--app" : NULL;
}

/* Has a kernel module registered it, whose events no such option selects? */
static bool is_of_module(int fd, const struct etw_guid *guid)
{
	struct etw_provider provider;
	bool found = false;
	unsigned int i;

	if (etw_provider_query(fd, guid, &provider))
		return false;
	for (i = 0; i < provider.reg_count && !found; i++)
		found = provider.regs[i].flags & ETW_REG_KERNEL &&
			!(provider.regs[i].flags & ETW_REG_SYSTEM);
	etw_provider_free(&provider);
	return found;
}

/* Providers that the option leaves nothing of */
struct left_out {
	const char *option, *first;
	bool others;
};

static void add_left_out(struct left_out *left, const char *option, const char *provider)
{
	left->others |= left->first != NULL;
	if (!left->first) {
		left->option = option;
		left->first = provider;
	}
}

static void find_left_out(struct left_out *left, const struct enable_request *request, int fd)
{
	const struct trace_set *traced = &request->traced;
	const char *option = process_option(&request->filters);
	unsigned int i;

	if (!option || request->enable.property & ETW_ENABLE_PROVIDER_GROUP)
		return;
	for (i = 0; i < traced->count; i++)
		if (is_of_module(fd, &traced->guids[i]))
			add_left_out(left, option, traced->names[i]);
	if (!traced->count && is_of_module(fd, &request->enable.provider))
		add_left_out(left, option, request->provider);
}

/* A kernel module runs in any process, so the kernel lets none of its events pass such a filter. */
static void report_left_out(const struct enable_list *l, int fd)
{
	struct left_out left = { .first = NULL };
	unsigned int i;

	for (i = 0; i < l->count; i++)
		find_left_out(&left, l->list[i], fd);
	if (left.first)
		cli_note("%s selects programs, so no event of the kernel provider %s%s comes",
			 left.option, cli_quote(left.first), left.others ? " or of the others" : "");
}

int enable_list_enable(struct enable_list *l, int fd, const struct session *session,
		       bool before_command)
{
	int status = 0;

	for (l->enabled = 0; l->enabled < l->count && !status; l->enabled += !status)
		status = enable_one(l->list[l->enabled], fd, session, before_command);
	if (!status)
		report_left_out(l, fd);
	return status;
}

void enable_list_disable(const struct enable_list *l, int fd, const struct session *session)
{
	unsigned int i, k;

	for (i = 0; i < l->count; i++) {
		const struct etw_enable *enable = &l->list[i]->enable;
		const struct trace_set *traced = &l->list[i]->traced;
		struct etw_enable disable = {
			.control = ETW_CONTROL_DISABLE,
			.session = session->s.handle,
			.provider = enable->provider,
			.property = enable->property & ETW_ENABLE_PROVIDER_GROUP,
		};

		etw_enable_and_wait(fd, &disable);
		for (k = 1; k < traced->count; k++) {
			disable.provider = traced->guids[k];
			etw_enable_and_wait(fd, &disable);
		}
	}
}

void enable_list_free(struct enable_list *l)
{
	unsigned int i;

	for (i = 0; i < l->count; i++) {
		enable_request_free(l->list[i]);
		free((char *)l->list[i]->provider);
		free(l->list[i]);
	}
	free(l->list);
	memset(l, 0, sizeof(*l));
}
