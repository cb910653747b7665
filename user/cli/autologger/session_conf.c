/* SPDX-License-Identifier: MIT */
/*
 * session_conf.c - a session that is started at boot, as text
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <evntrace.h>
#include "session_conf.h"
#include "base/guid.h"

#define MB_DEFAULT	100
#define SECTION		"provider"
#define PROPERTIES	(ETW_ENABLE_SID | ETW_ENABLE_TS_ID | ETW_ENABLE_STACK_TRACE |	\
			 ETW_ENABLE_PSM_KEY | ETW_ENABLE_IGNORE_KEYWORD_0 |		\
			 ETW_ENABLE_PROVIDER_GROUP | ETW_ENABLE_PROCESS_START_KEY |	\
			 ETW_ENABLE_EVENT_KEY | ETW_ENABLE_EXCLUDE_INPRIVATE |		\
			 ETW_ENABLE_CONTAINER)

enum kind { NUMBER, WIDE, MODE, PROPERTY, GUID_TEXT, FILE_NAME, REFUSED };

struct key {
	const char *name;
	enum kind kind;
	size_t offset;		/* in the struct of its section */
	uint32_t min, max;	/* of a NUMBER */
	const char *why;	/* REFUSED */
};

#define AT(member)	offsetof(struct etw_autolog_conf, member)

static const struct key session_keys[] = {
	{ "Start", NUMBER, AT(start), 0, 1, NULL },
	{ "Guid", GUID_TEXT, AT(guid), 0, 0, NULL },
	{ "BufferSize", NUMBER, AT(buffer_kb), 0, ETW_BUFFER_KB_MAX, NULL },
	{ "ClockType", NUMBER, AT(clock), 1, 3, NULL },
	{ "DisableRealtimePersistence", NUMBER, AT(no_persistence), 0, 1, NULL },
	{ "FileName", FILE_NAME, AT(file_name), 0, 0, NULL },
	{ "FileMax", NUMBER, AT(file_max), 0, ETW_AUTOLOG_FILES, NULL },
	{ "FlushTimer", NUMBER, AT(flush_s), 0, 86400, NULL },
	{ "LogFileMode", MODE, AT(mode), 0, 0, NULL },
	{ "MaxFileSize", NUMBER, AT(max_size), 0, UINT32_MAX, NULL },
	{ "MaximumBuffers", NUMBER, AT(max_buffers), 0, ETW_BUFFERS_MAX, NULL },
	{ "MinimumBuffers", NUMBER, AT(min_buffers), 0, ETW_BUFFERS_MAX, NULL },
	{ "FileCounter", REFUSED, 0, 0, 0, "it is kept elsewhere, and not to be set" },
	{ "Status", REFUSED, 0, 0, 0, "it is an outcome: see etw autologger list" },
	{ "EnableKernelFlags", REFUSED, 0, 0, 0, "there are no kernel logger's events" },
	{ "Boot", REFUSED, 0, 0, 0, "sessions start when user space does, no earlier" },
};

#undef AT
#define AT(member)	offsetof(struct etw_autolog_provider, member)

static const struct key provider_keys[] = {
	{ "Enabled", NUMBER, AT(enabled), 0, 1, NULL },
	{ "EnableFlags", WIDE, AT(any), 0, 0, NULL },
	{ "EnableLevel", NUMBER, AT(level), 0, 255, NULL },
	{ "EnableProperty", PROPERTY, AT(property), 0, 0, NULL },
	{ "MatchAnyKeyword", WIDE, AT(any), 0, 0, NULL },
	{ "MatchAllKeyword", WIDE, AT(all), 0, 0, NULL },
	{ "Status", REFUSED, 0, 0, 0, "it is an outcome: see etw autologger list" },
};

/* Options of etw enable; what they take is looked at by that. */
static const char *const option_names[] = {
	"keyword", "with", "exe", "container", "package", "app", "id", "not-id", "name",
	"not-name", "name-level", "name-any", "name-all", "fields", "filter", "data",
	"stack-id", "stack-not-id", "stack-name", "stack-not-name", "stack-name-level",
	"stack-name-any", "stack-name-all", "stack-level", "stack-not-level", "stack-any",
	"stack-all",
};

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name;
	uint32_t mode;
} modes[] = {
#define MODE(name)	{ #name, EVENT_TRACE_##name }
	MODE(FILE_MODE_NONE), MODE(FILE_MODE_SEQUENTIAL), MODE(FILE_MODE_CIRCULAR),
	MODE(FILE_MODE_APPEND), MODE(FILE_MODE_NEWFILE), MODE(FILE_MODE_PREALLOCATE),
	MODE(SECURE_MODE), MODE(REAL_TIME_MODE), MODE(DELAY_OPEN_FILE_MODE),
	MODE(BUFFERING_MODE), MODE(USE_KBYTES_FOR_SIZE), MODE(USE_GLOBAL_SEQUENCE),
	MODE(USE_LOCAL_SEQUENCE), MODE(USE_PAGED_MEMORY), MODE(INDEPENDENT_SESSION_MODE),
	MODE(NO_PER_PROCESSOR_BUFFERING), MODE(STOP_ON_HYBRID_SHUTDOWN),
	MODE(PERSIST_ON_HYBRID_SHUTDOWN), MODE(COMPRESSED_MODE),
#undef MODE
};

struct parser {
	struct etw_autolog_conf *conf;
	struct etw_autolog_provider *provider;	/* whose section this is; NULL: none yet */
	struct etw_autolog_provider nobody;	/* whose it is if its first line was wrong */
	void (*tell)(void *context, const struct etw_autolog_error *error);
	void *context;
	unsigned int line;
};

static int fail(struct parser *p, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

static int fail(struct parser *p, const char *format, ...)
{
	struct etw_autolog_error error = { .line = p->line };
	va_list args;

	va_start(args, format);
	vsnprintf(error.what, sizeof(error.what), format, args);
	va_end(args);
	p->tell(p->context, &error);
	return -EINVAL;
}

/* ------------------------------------------------------------------ values */

/* Decimal, or hexadecimal behind 0x; no signs, no blanks. */
static bool parse_number(const char *text, uint64_t *value)
{
	bool hex = !strncasecmp(text, "0x", 2);
	const char *digits = hex ? "0123456789abcdefABCDEF" : "0123456789";

	text += hex ? 2 : 0;
	if (!*text || text[strspn(text, digits)])
		return false;
	errno = 0;
	*value = strtoull(text, NULL, hex ? 16 : 10);
	return !errno;
}

static int take_number(struct parser *p, const struct key *key, const char *text, uint32_t *to)
{
	uint64_t value;

	if (!parse_number(text, &value))
		return fail(p, "%s: not a number", key->name);
	if (value < key->min || value > key->max)
		return fail(p, "%s: not within %u to %u", key->name, key->min, key->max);
	*to = (uint32_t)value;
	return 0;
}

/* One name of a mode, with or without its EVENT_TRACE_. */
static bool find_mode(const char *word, size_t len, uint32_t *mode)
{
	const size_t prefix = strlen("EVENT_TRACE_");
	size_t i;

	if (len > prefix && !strncasecmp(word, "EVENT_TRACE_", prefix)) {
		word += prefix;
		len -= prefix;
	}
	for (i = 0; i < COUNT(modes); i++) {
		if (strlen(modes[i].name) == len && !strncasecmp(modes[i].name, word, len)) {
			*mode |= modes[i].mode;
			return true;
		}
	}
	return false;
}

/* A number, or names with | between them. */
static int take_mode(struct parser *p, const char *text, uint32_t *to)
{
	uint32_t mode = 0;
	uint64_t value;
	size_t len;

	if (parse_number(text, &value) && value <= UINT32_MAX) {
		mode = (uint32_t)value;
	} else {
		for (;; text += len + 1) {
			text += strspn(text, " \t");
			len = strcspn(text, " \t|");
			if (!find_mode(text, len, &mode))
				return fail(p, "LogFileMode: \"%.*s\" is no mode", (int)len, text);
			text += len;
			len = strspn(text, " \t");
			if (!text[len])
				break;
			if (text[len] != '|')
				return fail(p, "LogFileMode: a | is missing between two modes");
		}
	}
	if (mode & EVENT_TRACE_FILE_MODE_NEWFILE)
		return fail(p, "LogFileMode: not with EVENT_TRACE_FILE_MODE_NEWFILE; FileMax keeps several files");
	if (mode & (EVENT_TRACE_PRIVATE_LOGGER_MODE | EVENT_TRACE_PRIVATE_IN_PROC))
		return fail(p, "LogFileMode: private sessions belong to a process");
	if (mode & EVENT_TRACE_SYSTEM_LOGGER_MODE)
		return fail(p, "LogFileMode: there are no kernel logger's events");
	*to = mode;
	return 0;
}

static int take_text(struct parser *p, const struct key *key, const char *text, char **to)
{
	if (strlen(text) > ETW_FILE_NAME_MAX - strlen(".0001"))
		return fail(p, "%s: more than %zu bytes", key->name,
			    ETW_FILE_NAME_MAX - strlen(".0001"));
	if (*text != '/')
		return fail(p, "%s: not an absolute path", key->name);
	p->conf->file_line = p->line;
	*to = strdup(text);
	return *to ? 0 : -ENOMEM;
}

static int take_value(struct parser *p, const struct key *key, const char *text, void *to)
{
	uint64_t value;

	switch (key->kind) {
	case NUMBER:
		return take_number(p, key, text, to);
	case WIDE:
		if (!parse_number(text, to))
			return fail(p, "%s: not a number of 64 bits", key->name);
		return 0;
	case PROPERTY:
		if (!parse_number(text, &value))
			return fail(p, "%s: not a number", key->name);
		if (value & ~(uint64_t)PROPERTIES)
			return fail(p, "%s: not known here: 0x%llx", key->name,
				    (unsigned long long)(value & ~(uint64_t)PROPERTIES));
		*(uint32_t *)to = (uint32_t)value;
		return 0;
	case MODE:
		return take_mode(p, text, to);
	case GUID_TEXT:
		if (etw_guid_parse(text, to) || etw_guid_is_zero(to))
			return fail(p, "%s: not a GUID", key->name);
		p->conf->guid_line = p->line;
		return 0;
	case FILE_NAME:
		return take_text(p, key, text, to);
	default:
		return fail(p, "%s: %s", key->name, key->why);
	}
}

/* ------------------------------------------------------------------- lines */

static int add_option(struct parser *p, const char *name, const char *text)
{
	struct etw_autolog_provider *to = p->provider;
	struct etw_autolog_option *option;

	if (to->option_count == ETW_AUTOLOG_OPTIONS)
		return fail(p, "more than %d options of one provider", ETW_AUTOLOG_OPTIONS);
	if (!to->options)
		to->options = calloc(ETW_AUTOLOG_OPTIONS, sizeof(*to->options));
	if (!to->options)
		return -ENOMEM;
	option = &to->options[to->option_count];
	option->value = strdup(text);
	if (!option->value)
		return -ENOMEM;
	option->name = name;
	option->line = p->line;
	to->option_count++;
	return 0;
}

/* key = value; the key may not come twice in its section. */
static int take_pair(struct parser *p, const char *name, const char *text)
{
	const struct key *keys = p->provider ? provider_keys : session_keys;
	size_t count = p->provider ? COUNT(provider_keys) : COUNT(session_keys), i;
	uint32_t *given = p->provider ? &p->provider->given : &p->conf->given;
	void *section = p->provider ? (void *)p->provider : (void *)p->conf;

	if (!*text)
		return fail(p, "%s: the value is missing", name);
	for (i = 0; i < count; i++) {
		if (strcasecmp(keys[i].name, name))
			continue;
		if (*given & 1u << i)
			return fail(p, "%s is given twice", keys[i].name);
		*given |= 1u << i;
		return take_value(p, &keys[i], text, (char *)section + keys[i].offset);
	}
	for (i = 0; p->provider && i < COUNT(option_names); i++)
		if (!strcmp(option_names[i], name))
			return add_option(p, option_names[i], text);
	return fail(p, "\"%.40s\" is no value of a %s", name, p->provider ? "provider" : "session");
}

static void free_provider(struct etw_autolog_provider *provider)
{
	size_t i;

	for (i = 0; i < provider->option_count; i++)
		free(provider->options[i].value);
	free(provider->options);
	free(provider->name);
	memset(provider, 0, sizeof(*provider));
}

/* What follows is of no provider that is known. */
static void begin_nobody(struct parser *p)
{
	free_provider(&p->nobody);
	p->provider = &p->nobody;
}

/* [provider NAME], without the brackets */
static int begin_provider(struct parser *p, char *text)
{
	struct etw_autolog_conf *conf = p->conf;
	struct etw_autolog_provider *list;
	size_t word = strcspn(text, " \t"), i;
	char *name = text + word + strspn(text + word, " \t");

	if (word != strlen(SECTION) || strncasecmp(text, SECTION, word) || !*name)
		return fail(p, "expected [" SECTION " GUID] or [" SECTION " NAME]");
	if (strlen(name) > ETW_NAME_MAX)
		return fail(p, "the name is longer than %d bytes", ETW_NAME_MAX);
	for (i = 0; i < conf->provider_count; i++)
		if (!strcasecmp(conf->providers[i].name, name))
			return fail(p, "this provider has a section already, in line %u",
				    conf->providers[i].line);
	if (conf->provider_count == ETW_AUTOLOG_PROVIDERS)
		return fail(p, "more than %d providers", ETW_AUTOLOG_PROVIDERS);
	/* By powers of two. */
	if (!(conf->provider_count & (conf->provider_count - 1))) {
		list = realloc(conf->providers, (conf->provider_count ? 2 * conf->provider_count :
						 1) * sizeof(*list));
		if (!list)
			return -ENOMEM;
		conf->providers = list;
	}
	p->provider = &conf->providers[conf->provider_count];
	memset(p->provider, 0, sizeof(*p->provider));
	p->provider->name = strdup(name);
	if (!p->provider->name)
		return -ENOMEM;
	p->provider->line = p->line;
	conf->provider_count++;
	return 0;
}

/* Without blanks at its ends. */
static char *trim(char *text, char *end)
{
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	*end = '\0';
	return text;
}

static int take_line(struct parser *p, const char *text, size_t len)
{
	char copy[ETW_AUTOLOG_LINE + 1], *line, *equals;
	size_t i;

	p->line++;
	if (len > ETW_AUTOLOG_LINE)
		return fail(p, "a line of more than %d bytes", ETW_AUTOLOG_LINE);
	for (i = 0; i < len; i++)
		if (((unsigned char)text[i] < ' ' || text[i] == 0x7f) && text[i] != '\t' &&
		    !(text[i] == '\r' && i == len - 1))
			return fail(p, "control character 0x%02x", (unsigned char)text[i]);
	memcpy(copy, text, len);
	line = trim(copy, copy + len);
	if (!*line || *line == '#' || *line == ';')
		return 0;
	len = strlen(line);
	if (*line == '[') {
		begin_nobody(p);
		if (line[len - 1] != ']')
			return fail(p, "the ] is missing");
		return begin_provider(p, trim(line + 1, line + len - 1));
	}
	equals = strchr(line, '=');
	if (!equals || equals == line)
		return fail(p, "expected a name, = and a value");
	return take_pair(p, trim(line, equals), equals + 1 + strspn(equals + 1, " \t"));
}

/* ------------------------------------------------------------------- whole */

static bool is_given(uint32_t given, const struct key *keys, const char *name)
{
	unsigned int i = 0;

	while (strcmp(keys[i].name, name))
		i++;
	return given & 1u << i;
}

static int check(struct parser *p)
{
	struct etw_autolog_conf *conf = p->conf;
	int ret = 0;
	size_t i;

	for (i = 0; i < conf->provider_count; i++) {
		p->line = conf->providers[i].line;
		if (is_given(conf->providers[i].given, provider_keys, "EnableFlags") &&
		    is_given(conf->providers[i].given, provider_keys, "MatchAnyKeyword"))
			ret = fail(p, "EnableFlags and MatchAnyKeyword are the same here: give one");
	}
	p->line = 0;
	if (!is_given(conf->given, session_keys, "Start"))
		ret = fail(p, "Start is missing");
	if (!is_given(conf->given, session_keys, "Guid"))
		ret = fail(p, "Guid is missing");
	if (conf->file_max && !etw_autolog_has_file(conf))
		ret = fail(p, "FileMax: the session has no file");
	if (!is_given(conf->given, session_keys, "MaxFileSize") && etw_autolog_has_file(conf))
		conf->max_size = conf->mode & EVENT_TRACE_USE_KBYTES_FOR_SIZE ?
				 MB_DEFAULT << 10 : MB_DEFAULT;
	return ret;
}

int etw_autolog_parse_all(const char *text, size_t len, struct etw_autolog_conf *conf,
			  void (*tell)(void *context, const struct etw_autolog_error *error),
			  void *context)
{
	struct parser p = { .conf = conf, .tell = tell, .context = context };
	size_t at = 0;
	int ret = 0, err;

	memset(conf, 0, sizeof(*conf));
	conf->clock = ETW_CLOCK_QPC;
	conf->mode = EVENT_TRACE_FILE_MODE_SEQUENTIAL;
	while (ret != -ENOMEM && at < len) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;

		err = take_line(&p, text + at, n);
		ret = err ? err : ret;
		at += n + 1;
	}
	free_provider(&p.nobody);
	err = ret == -ENOMEM ? 0 : check(&p);
	return err ? err : ret;
}

static void keep_first(void *context, const struct etw_autolog_error *error)
{
	struct etw_autolog_error *first = context;

	if (!first->what[0])
		*first = *error;
}

int etw_autolog_parse(const char *text, size_t len, struct etw_autolog_conf *conf,
		      struct etw_autolog_error *error)
{
	memset(error, 0, sizeof(*error));
	return etw_autolog_parse_all(text, len, conf, keep_first, error);
}

void etw_autolog_free(struct etw_autolog_conf *conf)
{
	size_t i;

	for (i = 0; i < conf->provider_count; i++)
		free_provider(&conf->providers[i]);
	free(conf->providers);
	free(conf->file_name);
	memset(conf, 0, sizeof(*conf));
}

bool etw_autolog_has_file(const struct etw_autolog_conf *conf)
{
	return conf->file_name || conf->mode & (EVENT_TRACE_FILE_MODE_SEQUENTIAL |
						EVENT_TRACE_FILE_MODE_CIRCULAR |
						EVENT_TRACE_FILE_MODE_APPEND) ||
	       !(conf->mode & (EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_BUFFERING_MODE));
}
