/* SPDX-License-Identifier: MIT */
/*
 * enable_request.c - the options of etw enable, and the request that they make
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "enable_request.h"
#include "cli/provider.h"
#include "cli/schema.h"
#include "cli/text.h"
#include "base/guid.h"
#include "base/list.h"

/* Digits of masks */
#define HEX_DIGITS	"0123456789abcdefABCDEF"

#define ENABLE(name, option, arg, help)	{ name, ENABLE_OPT_##option, arg, help, NULL }

const struct cli_option enable_options[] = {
	ENABLE("level", LEVEL, "LEVEL", "up to this level, name or number; default: all"),
	ENABLE("keyword", KEYWORD, "LIST", "events with one of these: Read,0x10; default: all"),
	ENABLE("filter", FILTER, "EXPRESSION", "only if it is true: 'Size >= 4K'"),
	ENABLE("stack", STACK, NULL, "attach the stack of the writer"),
	ENABLE("with", WITH, "ITEMS", "attach sid,login,app,container,context,..."),
	ENABLE("capture", CAPTURE, NULL, "afterwards ask the provider to write its state"),
	ENABLE("manifest", MANIFEST, "FILE", "take names from this manifest first"),
	CLI_HEADING("processes"),
	ENABLE("pid", PID, "PIDS", "only registrations of these processes, at most 8"),
	ENABLE("exe", EXE, "NAMES", "only processes that run a file of that name: bash,sh"),
	ENABLE("container", CONTAINER, "IDS|PATHS", "only processes of these containers or cgroups"),
	ENABLE("package", PACKAGE, "NAMES", "only processes of these flatpaks, snaps or units"),
	ENABLE("app", APP, "NAMES", "only processes of these applications; snap: SNAP.APP"),
	ENABLE("readers", READERS, NULL, "tracepoints: also what this session's readers do"),
	CLI_HEADING("events"),
	ENABLE("any", ANY, "HEX", "those with one of these keywords; also names"),
	ENABLE("all", ALL, "HEX", "only those with all of these keywords"),
	ENABLE("id", ID, "LIST", "only events with these ids or names: 1,5-9,Start"),
	ENABLE("not-id", NOT_ID, "LIST", "all events except those with these ids"),
	ENABLE("name", NAME, "LIST", "only TraceLogging events with these names"),
	ENABLE("not-name", NOT_NAME, "LIST", "all events except those with these names"),
	ENABLE("name-level", NAME_LEVEL, "LEVEL", "test the names of events up to this level only"),
	ENABLE("name-any", NAME_ANY, "HEX", "... and only those with one of these keywords"),
	ENABLE("name-all", NAME_ALL, "HEX", "... and with all of these"),
	ENABLE("fields", FIELDS, "FIELDS", "describe an event for --filter: 'id=7: u32 Size'"),
	ENABLE("payload", PAYLOAD, "EXPR", NULL),
	ENABLE("ignore-keyword-0", IGNORE_KEYWORD_0, NULL, "drop events that have no keyword"),
	ENABLE("exclude-private", EXCLUDE_PRIVATE, NULL, "drop events written as private"),
	CLI_HEADING("stacks"),
	ENABLE("stack-id", STACK_ID, "LIST", "stacks of events with these ids only"),
	ENABLE("stack-not-id", STACK_NOT_ID, "LIST", "stacks of all events except these"),
	ENABLE("stack-name", STACK_NAME, "LIST", "stacks of events with these names only"),
	ENABLE("stack-not-name", STACK_NOT_NAME, "LIST", "stacks of all events except those"),
	ENABLE("stack-name-level", STACK_NAME_LEVEL, "LEVEL", "as --name-level"),
	ENABLE("stack-name-any", STACK_NAME_ANY, "HEX", "as --name-any"),
	ENABLE("stack-name-all", STACK_NAME_ALL, "HEX", "as --name-all"),
	ENABLE("stack-level", STACK_LEVEL, "LEVEL", "stacks of events up to this level only"),
	ENABLE("stack-not-level", STACK_NOT_LEVEL, "LEVEL", "stacks of events above this level only"),
	ENABLE("stack-any", STACK_ANY, "HEX", "... with one of these keywords"),
	ENABLE("stack-all", STACK_ALL, "HEX", "... with all of these keywords"),
	CLI_HEADING("the provider"),
	ENABLE("data", DATA, "ID:HEX", "pass the provider these bytes; or ID.VERSION:HEX"),
	PROVIDER_OPTIONS,
	CLI_OPTION_END
};

const struct enable_item enable_items[] = {
	{ "sid", ETW_ENABLE_SID },
	{ "login", ETW_ENABLE_TS_ID },
	{ "stack", ETW_ENABLE_STACK_TRACE },
	{ "app", ETW_ENABLE_PSM_KEY },
	{ "process-key", ETW_ENABLE_PROCESS_START_KEY },
	{ "event-key", ETW_ENABLE_EVENT_KEY },
	{ "container", ETW_ENABLE_CONTAINER },
	{ "context", ETW_ENABLE_CONTEXT },
	{ "user-stack", ETW_ENABLE_STACK_TRACE | ETW_ENABLE_USER_STACK },
	{ "none", 0 },
	{ NULL, 0 }
};

/* How an option is taken */
struct option_target {
	void (*take)(struct enable_request *r, const char *name, char *text,
		     const struct option_target *target);
	/* Must the option wait until the provider, and with it the manifest, is known? */
	bool (*late)(const char *text);
	size_t where;		/* the offset in the request of what the option sets */
	uint32_t what;		/* a property; the type of a filter */
	bool in;		/* events are wanted, else not wanted */
	bool stack;		/* implies --stack */
};

static void *target_in(struct enable_request *r, const struct option_target *target)
{
	return (char *)r + target->where;
}

/* ----------------------------------------- names that only a manifest defines */

/* Is the level a name, and not a standard one? */
static bool names_level(const char *text)
{
	uint8_t level;

	return cli_is_name(text) && !cli_is_level(text, &level);
}

/* Does a list of ids or masks contain a name? */
static bool has_names(const char *text)
{
	const char *word;
	size_t len;

	while (etw_list_next(&text, ",", &word, &len))
		if (cli_is_name(word))
			return true;
	return false;
}

/* Does one of masks, which need no digit at the front as in "ff"? */
static bool has_names_not_hex(const char *text)
{
	const char *word;
	size_t len;

	while (etw_list_next(&text, ",", &word, &len))
		if (cli_is_name(word) && strspn(word, HEX_DIGITS) < len)
			return true;
	return false;
}

/* Ends the command; names lists those that the provider has. */
static _Noreturn void unknown(const struct etw_providers *providers, const char *option, const char *what,
			      const char *name, struct etw_text *names)
{
	cli_usage("%s: %s has no %s %s%s%s", option, cli_quote(providers->list[0]->name), what,
		  cli_quote(name), *text_data(names) ? "; it has " : "", text_data(names));
}

/* The value of a level or keyword, which the provider has */
static uint64_t named_value(const struct etw_providers *providers, enum etw_part part,
			    const char *option, const char *name)
{
	struct etw_text names = { 0 };
	uint64_t value;

	if (schema_value(providers, part, name, &value))
		return value;
	schema_print_names(providers, part, &names);
	unknown(providers, option, part == ETW_PART_LEVEL ? "level" : "keyword", name, &names);
}

static void add_named_ids(struct enable_request *r, struct filter_ids *ids, const char *option,
			  const char *name)
{
	const struct etw_providers *providers = &r->filters.providers;
	const struct etw_mf_event *event = NULL;
	struct etw_text none = { 0 };

	if (!schema_event(providers, name, NULL))
		unknown(providers, option, "event", name, &none);
	while ((event = schema_event(providers, name, event)))
		filters_add_id(ids, option, event->desc.Id);
}

/* ------------------------------------------------------------------ the options */

/* A level by its name in the manifest, or as cli_level() */
static void take_level(struct enable_request *r, const char *name, char *text,
		       const struct option_target *target)
{
	const struct etw_providers *providers = &r->filters.providers;
	uint8_t *level = target_in(r, target);

	*level = providers->count && names_level(text) ?
		 (uint8_t)named_value(providers, ETW_PART_LEVEL, name, text) : cli_level(name, text);
}

/* The keywords of a list of masks and names */
static uint64_t keywords(const struct enable_request *r, const char *name, char *text, bool hex)
{
	char **words = cli_list(name, text, ",");
	uint64_t mask = 0;
	size_t i;

	for (i = 0; words[i]; i++) {
		if (!cli_is_name(words[i]) || (hex && !words[i][strspn(words[i], HEX_DIGITS)]))
			mask |= cli_hex(name, words[i]);
		else
			mask |= named_value(&r->filters.providers, ETW_PART_KEYWORD, name, words[i]);
	}
	free(words);
	return mask;
}

static void take_keywords(struct enable_request *r, const char *name, char *text,
			  const struct option_target *target)
{
	*(__u64 *)target_in(r, target) |= keywords(r, name, text, false);
}

/* A mask, whose digits may be letters only: no keyword is called "ff" here. */
static void take_hex(struct enable_request *r, const char *name, char *text,
		     const struct option_target *target)
{
	*(__u64 *)target_in(r, target) = keywords(r, name, text, true);
	r->filters.stack_level_given |= target->stack;
}

/* Properties of a list like sid,login */
static uint32_t items(const char *name, const char *text)
{
	char **words = cli_list(name, text, ",");
	uint32_t properties = 0;
	size_t i;

	for (i = 0; words[i]; i++)
		properties |= enable_items[cli_choice(name, words[i], enable_items,
						      sizeof(*enable_items))].property;
	free(words);
	return properties;
}

static void take_pid(struct filters *filters, const char *name, const char *text)
{
	char **words = cli_list(name, text, ",");
	uint32_t low, high;
	size_t i;

	for (i = 0; words[i]; i++) {
		cli_range(name, words[i], 1, INT32_MAX, &low, &high);
		for (; low <= high; low++) {
			if (filters->pid_count == ETW_PID_FILTER_MAX)
				cli_usage("%s: more than %d processes", name, ETW_PID_FILTER_MAX);
			filters->pids[filters->pid_count++] = low;
		}
	}
	free(words);
}

/* Names of programs and the like, as the kernel takes them: with a semicolon in between */
static void take_name(struct enable_request *r, const char *name, char *text,
		      const struct option_target *target)
{
	char **words = cli_list(name, text, ",;");
	struct filter_names *names = target_in(r, target);
	size_t i, len;

	names->type = target->what;
	/* No program has such a name, so it could never match. */
	if (names->type == ETW_FILTER_EXECUTABLE_NAME && strpbrk(text, "/*"))
		cli_usage("%s: %s: give the name of the file, without directory and wildcards",
			  name, cli_quote(text));
	for (i = 0; words[i]; i++) {
		len = strlen(words[i]);
		if (names->len + !!names->len + len > sizeof(names->text))
			cli_usage("%s: more than %d bytes of names", name, ETW_FILTER_NAMES_MAX);
		if (names->len)
			names->text[names->len++] = ';';
		memcpy(names->text + names->len, words[i], len);
		names->len += len;
	}
	free(words);
}

static void check_in(const char *name, bool given, bool before, bool now)
{
	if (given && before != now)
		cli_usage("%s: give either the events wanted or those not wanted", name);
}

/* A list like 1,5,10-20,Start */
static void take_ids(struct enable_request *r, const char *name, char *text,
		     const struct option_target *target)
{
	struct filter_ids *ids = target_in(r, target);
	char **words = cli_list(name, text, ",");
	uint32_t first, last;
	size_t i;

	check_in(name, ids->given, ids->ids.in, target->in);
	ids->given = true;
	ids->ids.in = target->in;
	for (i = 0; words[i]; i++) {
		if (cli_is_name(words[i])) {
			add_named_ids(r, ids, name, words[i]);
			continue;
		}
		cli_range(name, words[i], 0, UINT16_MAX, &first, &last);
		for (; first <= last; first++)
			filters_add_id(ids, name, first);
	}
	free(words);
}

/* A list of event names like Start,Stop */
static void take_events(struct enable_request *r, const char *name, char *text,
			const struct option_target *target)
{
	const size_t head = offsetof(struct etw_filter_event_name, names);
	struct filter_events *events = target_in(r, target);
	char **words = cli_list(name, text, ",");
	size_t i, n;

	check_in(name, events->given, events->head.in, target->in);
	events->given = true;
	events->head.in = target->in;
	for (i = 0; words[i]; i++) {
		n = strlen(words[i]);
		if (head + events->len + n + 1 > sizeof(events->bytes))
			cli_usage("%s: more than %zu bytes of names", name,
				  sizeof(events->bytes) - head);
		memcpy(events->bytes + head + events->len, words[i], n);
		events->len += n + 1;
		events->head.count++;
	}
	free(words);
}

/* Restrict a filter by names to events of this level ... */
static void take_events_level(struct enable_request *r, const char *name, char *text,
			      const struct option_target *target)
{
	struct filter_events *events = target_in(r, target);

	events->narrowed = name;
	events->head.level = cli_level(name, text);
}

/* ... and these keywords: what is their offset in the filter. */
static void take_events_hex(struct enable_request *r, const char *name, char *text,
			    const struct option_target *target)
{
	struct filter_events *events = target_in(r, target);
	uint64_t mask = cli_hex(name, text);

	events->narrowed = name;
	memcpy(events->bytes + target->what, &mask, sizeof(mask));
}

static void take_stack_level(struct enable_request *r, const char *name, char *text,
			     const struct option_target *target)
{
	struct filters *filters = &r->filters;

	check_in(name, filters->stack_in_given, filters->stack_level.in, target->in);
	filters->stack_level_given = filters->stack_in_given = true;
	filters->stack_level.in = target->in;
	take_level(r, name, text, target);
}

#define AT(member)	offsetof(struct enable_request, member)
#define OPTION(name)	[ENABLE_OPT_##name - ENABLE_OPT_BASE]

/* The options that several others resemble; take_other() takes the rest. */
static const struct option_target option_targets[ENABLE_OPT_END - ENABLE_OPT_BASE] = {
	OPTION(LEVEL) = { .take = take_level, .late = names_level, .where = AT(enable.level) },
	OPTION(KEYWORD) = { .take = take_keywords, .late = has_names, .where = AT(enable.any) },
	OPTION(ANY) = { .take = take_hex, .late = has_names_not_hex, .where = AT(enable.any) },
	OPTION(ALL) = { .take = take_hex, .late = has_names_not_hex, .where = AT(enable.all) },
	OPTION(EXE) = { .take = take_name, .where = AT(filters.exe),
			.what = ETW_FILTER_EXECUTABLE_NAME },
	OPTION(CONTAINER) = { .take = take_name, .where = AT(filters.container),
			      .what = ETW_FILTER_CONTAINER },
	OPTION(PACKAGE) = { .take = take_name, .where = AT(filters.package),
			    .what = ETW_FILTER_PACKAGE_ID },
	OPTION(APP) = { .take = take_name, .where = AT(filters.app),
			.what = ETW_FILTER_PACKAGE_APP_ID },
	OPTION(ID) = { .take = take_ids, .late = has_names, .where = AT(filters.ids), .in = true },
	OPTION(NOT_ID) = { .take = take_ids, .late = has_names, .where = AT(filters.ids) },
	OPTION(NAME) = { .take = take_events, .where = AT(filters.events), .in = true },
	OPTION(NOT_NAME) = { .take = take_events, .where = AT(filters.events) },
	OPTION(NAME_LEVEL) = { .take = take_events_level, .where = AT(filters.events) },
	OPTION(NAME_ANY) = { .take = take_events_hex, .where = AT(filters.events),
			     .what = offsetof(struct etw_filter_event_name, any) },
	OPTION(NAME_ALL) = { .take = take_events_hex, .where = AT(filters.events),
			     .what = offsetof(struct etw_filter_event_name, all) },
	OPTION(STACK_ID) = { .take = take_ids, .late = has_names, .where = AT(filters.stack_ids),
			     .in = true, .stack = true },
	OPTION(STACK_NOT_ID) = { .take = take_ids, .late = has_names,
				 .where = AT(filters.stack_ids), .stack = true },
	OPTION(STACK_NAME) = { .take = take_events, .where = AT(filters.stack_events),
			       .in = true, .stack = true },
	OPTION(STACK_NOT_NAME) = { .take = take_events, .where = AT(filters.stack_events),
				   .stack = true },
	OPTION(STACK_NAME_LEVEL) = { .take = take_events_level, .where = AT(filters.stack_events) },
	OPTION(STACK_NAME_ANY) = { .take = take_events_hex, .where = AT(filters.stack_events),
				   .what = offsetof(struct etw_filter_event_name, any) },
	OPTION(STACK_NAME_ALL) = { .take = take_events_hex, .where = AT(filters.stack_events),
				   .what = offsetof(struct etw_filter_event_name, all) },
	OPTION(STACK_LEVEL) = { .take = take_stack_level, .late = names_level,
				.where = AT(filters.stack_level.level), .in = true, .stack = true },
	OPTION(STACK_NOT_LEVEL) = { .take = take_stack_level, .late = names_level,
				    .where = AT(filters.stack_level.level), .stack = true },
	OPTION(STACK_ANY) = { .take = take_hex, .late = has_names_not_hex,
			      .where = AT(filters.stack_level.any), .stack = true },
	OPTION(STACK_ALL) = { .take = take_hex, .late = has_names_not_hex,
			      .where = AT(filters.stack_level.all), .stack = true },
};

static void take_other(struct enable_request *r, int option, const char *name, const char *text)
{
	switch (option) {
	case ENABLE_OPT_PID:
		take_pid(&r->filters, name, text);
		break;
	case ENABLE_OPT_FIELDS:
		event_filter_fields(&r->filters.event_filter, name, text);
		break;
	case ENABLE_OPT_FILTER:
		event_filter_expression(&r->filters.event_filter, name, text);
		break;
	case ENABLE_OPT_PAYLOAD:
		event_filter_payload(name, text);
	case ENABLE_OPT_DATA:
		blob_parse(&r->filters.blob, name, text);
		break;
	case ENABLE_OPT_WITH:
		r->enable.property |= items(name, text);
		r->items_given = true;
		break;
	case ENABLE_OPT_STACK:
		r->enable.property |= ETW_ENABLE_STACK_TRACE;
		break;
	case ENABLE_OPT_READERS:
		r->enable.property |= ETW_ENABLE_READERS;
		break;
	case ENABLE_OPT_IGNORE_KEYWORD_0:
		r->enable.property |= ETW_ENABLE_IGNORE_KEYWORD_0;
		break;
	case ENABLE_OPT_EXCLUDE_PRIVATE:
		r->enable.property |= ETW_ENABLE_EXCLUDE_INPRIVATE;
		break;
	case ENABLE_OPT_CAPTURE:
		r->capture = true;
		break;
	case ENABLE_OPT_MANIFEST:
		schema_load(name, text, true);
		break;
	}
}

/* An option as messages name it */
static const char *option_name(int option)
{
	static char names[ENABLE_OPT_END - ENABLE_OPT_BASE][24];
	char *name = names[option - ENABLE_OPT_BASE];
	const struct cli_option *o = enable_options;

	while (o->value != option)
		o++;
	snprintf(name, sizeof(names[0]), "--%s", o->name);
	return name;
}

static void take(struct enable_request *r, int option, char *value)
{
	const struct option_target *target = &option_targets[option - ENABLE_OPT_BASE];
	const char *name = r->within ? r->within : option_name(option);

	if (!target->take) {
		take_other(r, option, name, value);
		return;
	}
	target->take(r, name, value, target);
	if (target->stack)
		r->enable.property |= ETW_ENABLE_STACK_TRACE;
}

bool enable_request_has(int option)
{
	const struct cli_option *o = enable_options;

	while (o->name && o->value != option)
		o++;
	return o->name;
}

bool enable_request_take(struct enable_request *r, int option, char *value)
{
	const struct option_target *target;

	if (provider_option(option, value, &r->enable))
		return true;
	if (option < ENABLE_OPT_BASE || option >= ENABLE_OPT_END)
		return false;
	target = &option_targets[option - ENABLE_OPT_BASE];
	if (!target->late || !target->late(value)) {
		take(r, option, value);
		return true;
	}
	if (r->late_count == ENABLE_LATE_MAX)
		cli_usage("more than %d options with names", ENABLE_LATE_MAX);
	r->late[r->late_count].option = option;
	r->late[r->late_count].within = r->within;
	r->late[r->late_count++].value = value;
	return true;
}

/* ------------------------------------------------------------------- the request */

void enable_request_provider(struct enable_request *request, const char *text)
{
	const char *quoted = cli_quote(text);
	size_t size = strlen(text) + 1;
	char *name = cli_calloc(size + strlen("-p ") + strlen(quoted) + 1, 1);
	char *level = NULL, *keywords = NULL;

	/* Errors in a part quote the whole, which is stored behind the name. */
	sprintf(memcpy(name, text, size) + size, "-p %s", quoted);
	request->provider = name;
	level = trace_event_named(name) ? (char *)trace_event_name_end(name) : strchr(name, ':');
	if (level && !*level)
		level = NULL;
	if (level) {
		*level++ = '\0';
		keywords = strchr(level, ':');
	}
	if (keywords)
		*keywords++ = '\0';
	request->within = name + size;
	if (level && *level)
		enable_request_take(request, ENABLE_OPT_LEVEL, level);
	if (keywords && *keywords)
		enable_request_take(request, strncasecmp(keywords, "0x", 2) ? ENABLE_OPT_KEYWORD :
				    ENABLE_OPT_ANY, keywords);
	request->within = NULL;
}

/*
 * The kernel applies a filter by PID once, to the processes that exist.  If none did, it
 * would silently replace the earlier filter by one that selects nothing.
 */
static bool processes_exist(const struct filters *filters)
{
	uint32_t i;

	for (i = 0; i < filters->pid_count; i++) {
		if (kill((pid_t)filters->pids[i], 0) && errno == ESRCH) {
			cli_fail("--pid: no process %u", filters->pids[i]);
			return false;
		}
	}
	return true;
}

static void check_group(const struct enable_request *request)
{
	const struct filters *filters = &request->filters;

	if (request->enable.property & ETW_ENABLE_PROVIDER_GROUP &&
	    (filters->ids.given || filters->events.given || filters->event_filter.count ||
	     request->late_count))
		cli_usage("--group: its members have no ids, names or fields of events in common");
}

/* Names and expressions mean something only once the provider is known. */
static bool has_to_wait(const struct enable_request *request)
{
	return !request->prepared && (request->late_count || request->filters.event_filter.count);
}

void enable_request_prepare(struct enable_request *request, const struct etw_guid *guid)
{
	unsigned int i;

	/* Filters for trace events are made for each by itself. */
	if (!has_to_wait(request) ||
	    (request->provider && trace_event_named(request->provider) &&
	     !request->late_count))
		return;
	if (request->provider && trace_event_named(request->provider))
		cli_usage("%s: %s is neither a number nor a level that %s has",
			  request->late[0].within ? request->late[0].within :
			  option_name(request->late[0].option), cli_quote(request->late[0].value),
			  cli_quote(request->provider));
	request->filters.providers = schema_providers(guid);
	if (!request->filters.providers.count && request->late_count)
		cli_usage("%s: no manifest of provider %s is installed or given by --manifest",
			  request->late[0].within ? request->late[0].within :
			  option_name(request->late[0].option), cli_quote(request->provider));
	for (i = 0; i < request->late_count; i++) {
		request->within = request->late[i].within;
		take(request, request->late[i].option, request->late[i].value);
	}
	request->late_count = 0;
	request->prepared = true;
	filters_use(&request->filters, &request->enable);
}

void enable_request_init(struct enable_request *request)
{
	memset(request, 0, sizeof(*request));
	request->enable.control = ETW_CONTROL_ENABLE;
	request->filters.stack_level.in = 1;
}

bool enable_request_ready(struct enable_request *request, const char *provider)
{
	request->provider = provider;
	check_group(request);
	if (!processes_exist(&request->filters))
		return false;
	if (!has_to_wait(request))
		filters_use(&request->filters, &request->enable);
	else if (provider_known(provider, &request->enable.provider))
		enable_request_prepare(request, &request->enable.provider);
	return true;
}

void enable_request_free(struct enable_request *request)
{
	event_filter_free(&request->filters.event_filter);
	free(request->given);
	trace_set_free(&request->traced);
}

bool enable_request_is_for(const struct enable_request *request, const struct etw_guid *guid)
{
	return guid_equal(&request->enable.provider, guid) ||
	       trace_set_has(&request->traced, guid);
}
