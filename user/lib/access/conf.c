/* SPDX-License-Identifier: MIT */
/*
 * conf.c - parse and edit access lists as text
 *
 * Users and groups are written as numbers: their names may not be known yet when the
 * file is read at boot.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "base/grow.h"
#include "base/guid.h"
#include "base/list.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/* -------------------------------------------------------------------- words */

static const struct etw_guid by_default = ETW_ACCESS_DEFAULT_GUID;

#define NAMES_TEXT	65536	/* room for a user or a group, with its members */

struct word {
	const char *word;
	uint32_t value;
};

/* NULL ends each table. */
static const struct word rights_words[] = {
	{ "query", ETW_RIGHT_QUERY },
	{ "control", ETW_RIGHT_CREATE_REALTIME },
	{ "control-file", ETW_RIGHT_CREATE_ONDISK },
	{ "enable", ETW_RIGHT_GUID_ENABLE },
	{ "log", ETW_RIGHT_LOG_EVENT },
	{ "consume", ETW_RIGHT_ACCESS_REALTIME },
	{ "register", ETW_RIGHT_REGISTER_GUIDS },
	{ "join", ETW_RIGHT_JOIN_GROUP },
	{ "register-kernel", ETW_RIGHT_REGISTER_KERNEL },
	{ NULL, 0 }
};

static const struct word capability_words[] = {
	{ "perfmon", CAP_PERFMON },
	{ "sys_admin", CAP_SYS_ADMIN },
	{ NULL, 0 }
};

static bool wrong(struct etw_access_error *error, const char *what)
{
	snprintf(error->what, sizeof(error->what), "%s", what);
	return false;
}

static const struct word *find(const struct word *words, const char *word, size_t len)
{
	for (; words->word; words++)
		if (strlen(words->word) == len && !memcmp(words->word, word, len))
			return words;
	return NULL;
}

static const char *word_of(const struct word *words, uint32_t value)
{
	for (; words->word; words++)
		if (words->value == value)
			return words->word;
	return NULL;
}

bool etw_access_parse_guid(const char *word, struct etw_guid *guid)
{
	if (!strcmp(word, "default")) {
		*guid = by_default;
		return true;
	}
	return !etw_guid_parse(word, guid) && !etw_guid_is_zero(guid);
}

/* Parse a decimal number up to max, digits only. */
static bool number(const char *text, uint32_t max, uint32_t *value)
{
	unsigned long long n;

	if (!*text || strlen(text) > 10 || text[strspn(text, "0123456789")])
		return false;
	n = strtoull(text, NULL, 10);
	*value = n;
	return n <= max;
}

/* The id of a user or of a group, by number or by name. */
static bool account(const char *name, bool is_group, uint32_t *id)
{
	struct passwd user, *found_user = NULL;
	struct group group, *found_group = NULL;
	char *text;

	if (number(name, UINT32_MAX - 1, id))
		return true;
	text = malloc(NAMES_TEXT);
	if (!text)
		return false;
	if (is_group && !getgrnam_r(name, &group, text, NAMES_TEXT, &found_group) && found_group)
		*id = found_group->gr_gid;
	if (!is_group && !getpwnam_r(name, &user, text, NAMES_TEXT, &found_user) && found_user)
		*id = found_user->pw_uid;
	free(text);
	return found_user || found_group;
}

static bool capability(const char *name, uint32_t *id)
{
	const struct word *word = find(capability_words, name, strlen(name));

	if (!word)
		return number(name, CAP_LAST_CAP, id);
	*id = word->value;
	return true;
}

/* A user or group by its name or number */
static bool take_account(const char *name, bool is_group, struct etw_access_entry *entry,
			 struct etw_access_error *error)
{
	entry->who = is_group ? ETW_ACCESS_GROUP : ETW_ACCESS_USER;
	if (account(name, is_group, &entry->id))
		return true;
	error->unknown = *name && name[strspn(name, "0123456789")];
	return wrong(error, is_group ? "no such group" : "no such user");
}

bool etw_access_parse_who(const char *word, struct etw_access_entry *entry,
			  struct etw_access_error *error)
{
	const char *name = strchr(word, ':');
	size_t len = name ? (size_t)(name - word) : 0;

	error->unknown = false;
	entry->id = 0;
	entry->who = ETW_ACCESS_EVERYONE;
	if (!strcmp(word, "everyone"))
		return true;
	if (len == 4 && !memcmp(word, "user", 4))
		return take_account(name + 1, false, entry, error);
	if (len == 5 && !memcmp(word, "group", 5))
		return take_account(name + 1, true, entry, error);
	if (len == 3 && !memcmp(word, "cap", 3)) {
		entry->who = ETW_ACCESS_CAPABILITY;
		return capability(name + 1, &entry->id) || wrong(error, "no such capability");
	}
	return wrong(error, "neither everyone, user:U, group:G nor cap:C");
}

bool etw_access_parse_rights(const char *word, uint32_t *rights,
			     struct etw_access_error *error)
{
	const struct word *right;
	const char *name;
	char *end;
	size_t len;
	int ret;

	*rights = 0;
	if (!strncmp(word, "0x", 2) && strlen(word) <= 6 && word[2] &&
	    !word[2 + strspn(word + 2, "0123456789abcdef")]) {
		*rights = strtoul(word, &end, 16);
		return (*rights && !(*rights & ~ETW_RIGHT_VALID)) ||
		       wrong(error, "the rights are 0 or have unknown bits");
	}
	while ((ret = etw_list_next(&word, ",", &name, &len)) == 1) {
		right = find(rights_words, name, len);
		if (right)
			*rights |= right->value;
		else if (len == 3 && !memcmp(name, "all", 3))
			*rights |= ETW_RIGHT_ALL;
		else
			return wrong(error, "unknown right");
	}
	return !ret || wrong(error, "the list has an empty part");
}

void etw_access_format_who(const struct etw_access_entry *entry, char out[ETW_ACCESS_WHO_TEXT])
{
	static const char *const sorts[] = {
		[ETW_ACCESS_USER] = "user", [ETW_ACCESS_GROUP] = "group",
		[ETW_ACCESS_CAPABILITY] = "cap",
	};
	const char *word = NULL;

	if (entry->who == ETW_ACCESS_CAPABILITY)
		word = word_of(capability_words, entry->id);
	if (entry->who == ETW_ACCESS_EVERYONE)
		snprintf(out, ETW_ACCESS_WHO_TEXT, "everyone");
	else if (word)
		snprintf(out, ETW_ACCESS_WHO_TEXT, "cap:%s", word);
	else
		snprintf(out, ETW_ACCESS_WHO_TEXT, "%s:%u", sorts[entry->who & 3], entry->id);
}

void etw_access_format_rights(uint32_t rights, char out[ETW_ACCESS_RIGHTS_TEXT])
{
	const struct word *word;
	uint32_t named = 0;
	size_t at = 0;

	for (word = rights_words; word->word; word++)
		named |= word->value;
	if ((rights & ETW_RIGHT_ALL) == ETW_RIGHT_ALL) {
		at = snprintf(out, ETW_ACCESS_RIGHTS_TEXT, "all");
		rights &= ~ETW_RIGHT_ALL;
	} else if (rights & ~named || !rights) {
		snprintf(out, ETW_ACCESS_RIGHTS_TEXT, "0x%x", rights);
		return;
	}
	for (word = rights_words; word->word; word++)
		if (rights & word->value)
			at += snprintf(out + at, ETW_ACCESS_RIGHTS_TEXT - at, "%s%s",
				       at ? "," : "", word->word);
}

void etw_access_format_entry(const struct etw_access_entry *entry,
			     char out[ETW_ACCESS_ENTRY_TEXT])
{
	char who[ETW_ACCESS_WHO_TEXT], rights[ETW_ACCESS_RIGHTS_TEXT];

	etw_access_format_who(entry, who);
	etw_access_format_rights(entry->rights, rights);
	snprintf(out, ETW_ACCESS_ENTRY_TEXT, "%s %s %s",
		 entry->type == ETW_ACCESS_DENY ? "deny" : "allow", who, rights);
}

/* ------------------------------------------------------------------- parsing */

#define WORDS_MAX	4	/* one more than a line may have */
#define WORD_MAX	255

struct token {
	char text[WORD_MAX + 1];
	unsigned int column;
};

struct parser {
	const char *text;
	size_t len, at;			/* at: start of the next line */
	unsigned int line;
	struct token words[WORDS_MAX];
	unsigned int count;
	etw_access_skipped *skipped;
	struct etw_access_conf *conf;
	struct etw_access_error *error;
};

static int fail(struct parser *p, unsigned int column, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

static int fail(struct parser *p, unsigned int column, const char *format, ...)
{
	va_list args;

	p->error->line = p->line;
	p->error->column = column;
	va_start(args, format);
	vsnprintf(p->error->what, sizeof(p->error->what), format, args);
	va_end(args);
	return -EINVAL;
}

/* Like fail(), but error->what is set already. */
static int fail_word(struct parser *p, const struct token *word)
{
	p->error->line = p->line;
	p->error->column = word->column;
	return -EINVAL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* Allow only text in comments, so that a terminal shows all of the file. */
static int check_comment(struct parser *p, const char *line, size_t i, size_t len)
{
	for (; i < len; i++)
		if (is_control(line[i]) && !is_blank(line[i]))
			return fail(p, i + 1, "control character 0x%02x", line[i]);
	return 0;
}

/* Split the next line into words; 0 or -EINVAL. */
static int split(struct parser *p)
{
	const char *line = p->text + p->at;
	const char *end = memchr(line, '\n', p->len - p->at);
	size_t len = end ? (size_t)(end - line) : p->len - p->at, i = 0, start;

	p->line++;
	p->count = 0;
	p->at += len + (end != NULL);
	for (;;) {
		while (i < len && is_blank(line[i]))
			i++;
		if (i < len && line[i] == '#')
			return check_comment(p, line, i, len);
		if (i == len)
			return 0;
		for (start = i; i < len && !is_blank(line[i]) && line[i] != '#'; i++)
			if (is_control(line[i]))
				return fail(p, i + 1, "control character 0x%02x", line[i]);
		if (i - start > WORD_MAX)
			return fail(p, start + 1, "word of more than %d bytes", WORD_MAX);
		if (p->count == WORDS_MAX)
			return fail(p, start + 1, "unexpected word");
		memcpy(p->words[p->count].text, line + start, i - start);
		p->words[p->count].text[i - start] = '\0';
		p->words[p->count++].column = start + 1;
	}
}

static int need_words(struct parser *p, unsigned int count, const char *usage)
{
	const struct token *last = &p->words[p->count - 1];

	if (p->count < count)
		return fail(p, last->column + strlen(last->text), "expected: %s", usage);
	if (p->count > count)
		return fail(p, p->words[count].column, "unexpected word; expected: %s", usage);
	return 0;
}

static int begin_list(struct parser *p, size_t start)
{
	struct etw_access_conf *conf = p->conf;
	struct etw_access_list *list;
	struct etw_guid guid;

	if (need_words(p, 2, "list GUID"))
		return -EINVAL;
	if (!etw_access_parse_guid(p->words[1].text, &guid))
		return fail(p, p->words[1].column, "neither a GUID nor \"default\"");
	if (etw_access_conf_find(conf, &guid))
		return fail(p, p->words[1].column, "this GUID has a list already");
	if (conf->count == ETW_ACCESS_LISTS_MAX)
		return fail(p, 1, "more than %d lists", ETW_ACCESS_LISTS_MAX);
	list = etw_grow(conf->lists, conf->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	conf->lists = list;
	list = &conf->lists[conf->count++];
	memset(list, 0, sizeof(*list));
	list->guid = guid;
	list->start = start;
	list->end = p->at;
	return 0;
}

/* Leave out an entry of whom nobody is; false: that would be wrong. */
static bool skip_entry(struct parser *p, uint8_t type)
{
	if (!p->skipped || !p->error->unknown || type != ETW_ACCESS_ALLOW)
		return false;
	fail_word(p, &p->words[1]);
	p->skipped(p->error);
	memset(p->error, 0, sizeof(*p->error));
	return true;
}

static int add_entry(struct parser *p, uint8_t type)
{
	struct etw_access_entry entry = { .type = type };
	struct etw_access_list *list;
	bool skip;

	if (!p->conf->count)
		return fail(p, p->words[0].column, "there is no list above");
	list = &p->conf->lists[p->conf->count - 1];
	if (need_words(p, 3, "allow|deny WHO RIGHTS"))
		return -EINVAL;
	if (list->count == ETW_ACCESS_ENTRIES_MAX)
		return fail(p, p->words[0].column, "more than %d entries", ETW_ACCESS_ENTRIES_MAX);
	skip = !etw_access_parse_who(p->words[1].text, &entry, p->error);
	if (skip && !skip_entry(p, type))
		return fail_word(p, &p->words[1]);
	if (!etw_access_parse_rights(p->words[2].text, &entry.rights, p->error))
		return fail_word(p, &p->words[2]);
	if (!skip)
		list->entries[list->count++] = entry;
	list->end = p->at;
	return 0;
}

static int take_line(struct parser *p)
{
	size_t start = p->at;
	int ret = split(p);

	if (ret || !p->count)
		return ret;
	if (!strcmp(p->words[0].text, "list"))
		return begin_list(p, start);
	if (!strcmp(p->words[0].text, "allow"))
		return add_entry(p, ETW_ACCESS_ALLOW);
	if (!strcmp(p->words[0].text, "deny"))
		return add_entry(p, ETW_ACCESS_DENY);
	return fail(p, p->words[0].column, "expected list, allow or deny");
}

int etw_access_parse(const char *text, size_t len, etw_access_skipped *skipped,
		     struct etw_access_conf *conf, struct etw_access_error *error)
{
	struct parser p = {
		.text = text, .len = len, .skipped = skipped, .conf = conf, .error = error,
	};
	int ret = 0;

	memset(conf, 0, sizeof(*conf));
	memset(error, 0, sizeof(*error));
	while (!ret && p.at < len)
		ret = take_line(&p);
	return ret;
}

void etw_access_conf_free(struct etw_access_conf *conf)
{
	free(conf->lists);
	memset(conf, 0, sizeof(*conf));
}

const struct etw_access_list *etw_access_conf_find(const struct etw_access_conf *conf,
						   const struct etw_guid *guid)
{
	size_t i;

	for (i = 0; i < conf->count; i++)
		if (!memcmp(&conf->lists[i].guid, guid, sizeof(*guid)))
			return &conf->lists[i];
	return NULL;
}

/* ------------------------------------------------------------------ editing */

static int print_list(FILE *to, const struct etw_access_list *list)
{
	char guid[ETW_GUID_TEXT], entry[ETW_ACCESS_ENTRY_TEXT];
	uint32_t i;

	etw_guid_format(&list->guid, guid);
	if (!memcmp(&list->guid, &by_default, sizeof(by_default)))
		strcpy(guid, "default");
	fprintf(to, "list %s\n", guid);
	for (i = 0; i < list->count; i++) {
		etw_access_format_entry(&list->entries[i], entry);
		fprintf(to, "\t%s\n", entry);
	}
	return ferror(to);
}

char *etw_access_edit(const char *text, size_t len, const struct etw_access_conf *conf,
		      const struct etw_guid *guid, const struct etw_access_list *list,
		      size_t *out_len)
{
	const struct etw_access_list *old = etw_access_conf_find(conf, guid);
	size_t start = old ? old->start : len, end = old ? old->end : len;
	char *out = NULL;
	FILE *to = open_memstream(&out, out_len);
	bool bad;

	if (!to)
		return NULL;
	fwrite(text, 1, start, to);
	/* The last line lacks its newline. */
	if (list && start && text[start - 1] != '\n')
		fputc('\n', to);
	if (list)
		print_list(to, list);
	fwrite(text + end, 1, len - end, to);
	bad = ferror(to);
	if (fclose(to) || bad) {
		free(out);
		return NULL;
	}
	return out;
}
