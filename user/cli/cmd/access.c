/* SPDX-License-Identifier: MIT */
/*
 * access.c - etw access: show and change access lists
 *
 * "show" prints the syntax of the access list file, so that its output can be used as
 * that file.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/provider.h"
#include "cli/text.h"
#include "lib/access/access.h"
#include "base/guid.h"
#include "device/kdev.h"

static struct request {
	struct etw_access_list list;	/* the entries given */
	const char *target;		/* NULL: none given */
	bool json;
	struct etw_access_error error;
} request;

enum { OPT_ALLOW = 256, OPT_DENY };

static const struct cli_option options[] = {
	{ "allow", OPT_ALLOW, "WHO=RIGHTS", "add an entry that gives rights; for set and add", NULL },
	{ "deny", OPT_DENY, "WHO=RIGHTS", "add an entry that denies rights; for set and add", NULL },
	CLI_OPTION_JSON(request.json),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Show or change the access lists of sessions and providers.\n"
		"  show [GUID]   print the list of a GUID, or all lists, in the file's form\n"
		"  set GUID      give it a list of the entries that follow\n"
		"  add GUID      append them to the list that applies to it\n"
		"  remove GUID   remove its list; the default list then applies\n"
		"  load [FILE]   replace all lists in the kernel by those of the file\n"
		"GUID may be a provider's name, or \"default\" for all without their own list.\n"
		"WHO is everyone, user:NAME, group:NAME or cap:perfmon, or has a number.\n"
		"RIGHTS are query,control,control-file,enable,log,consume,register,join or all.\n"
		"The first entry that mentions a right decides.",
	.operands = { "ACTION", "[GUID|FILE]" },
	.options = options,
	.example = "etw access add Sample-App --allow user:alice=enable,query",
};

/* ---------------------------------------------------------------- arguments */

static void take_entry(struct request *r, const char *option, uint8_t type)
{
	struct etw_access_entry *entry = &r->list.entries[r->list.count];
	const char *rights = strchr(optarg, '=');
	char who[256];

	if (r->list.count == ETW_ACCESS_ENTRIES_MAX)
		cli_usage("%s: more than %d entries", option, ETW_ACCESS_ENTRIES_MAX);
	if (!rights || (size_t)(rights - optarg) >= sizeof(who))
		cli_usage("%s: %s is not WHO=RIGHTS", option, cli_quote(optarg));
	memcpy(who, optarg, rights - optarg);
	who[rights - optarg] = '\0';
	entry->type = type;
	if (!etw_access_parse_who(who, entry, &r->error))
		cli_usage("%s: %s: %s", option, cli_quote(who), r->error.what);
	if (!etw_access_parse_rights(rights + 1, &entry->rights, &r->error))
		cli_usage("%s: %s: %s", option, cli_quote(rights + 1), r->error.what);
	r->list.count++;
}

/* Set the list's GUID from the operand; false after a message. */
static bool resolve(int fd, struct request *r)
{
	return etw_access_parse_guid(r->target, &r->list.guid) ||
	       provider_resolve(fd, r->target, &r->list.guid);
}

/* ------------------------------------------------------------------ showing */

static void show_text(const struct etw_access_list *list, bool own)
{
	static const struct etw_guid standard = ETW_ACCESS_DEFAULT_GUID;
	char guid[ETW_GUID_TEXT], entry[ETW_ACCESS_ENTRY_TEXT];
	uint32_t i;

	etw_guid_format(&list->guid, guid);
	if (guid_equal(&list->guid, &standard))
		printf("list default%s\n", own ? "" : "\t# built in");
	else
		printf("list %s%s\n", guid, own ? "" : "\t# the default's");
	for (i = 0; i < list->count; i++) {
		etw_access_format_entry(&list->entries[i], entry);
		printf("\t%s\n", entry);
	}
}

static void show_json(const struct etw_access_list *list, bool own)
{
	char who[ETW_ACCESS_WHO_TEXT], rights[ETW_ACCESS_RIGHTS_TEXT];
	const struct etw_access_entry *entry;
	struct etw_text line = { 0 };

	json_writer_open(&line, NULL, '{');
	json_writer_guid(&line, "guid", &list->guid);
	json_writer_flag(&line, "own", own);
	json_writer_open(&line, "entries", '[');
	for (entry = list->entries; entry < list->entries + list->count; entry++) {
		etw_access_format_who(entry, who);
		etw_access_format_rights(entry->rights, rights);
		json_writer_open(&line, NULL, '{');
		json_writer_word(&line, "type", entry->type == ETW_ACCESS_DENY ? "deny" : "allow");
		json_writer_word(&line, "who", who);
		json_writer_word(&line, "rights", rights);
		json_writer_close(&line, '}');
	}
	json_writer_close(&line, ']');
	json_print(&line);
}

static int show_one(int fd, const struct etw_guid *guid, bool json)
{
	static struct etw_access_list list;
	bool own;
	int err;

	err = etw_access_get(fd, guid, &list, &own);
	if (!err)
		(json ? show_json : show_text)(&list, own);
	return err;
}

/* The default list first, whether it was set or is built in. */
static int show_all(int fd, bool json)
{
	static const struct etw_guid standard = ETW_ACCESS_DEFAULT_GUID;
	static struct etw_access_list list;
	bool shown;
	int err;

	err = show_one(fd, &standard, json);
	if (err && err != -EPERM)
		return err;
	shown = !err;
	while (!(err = etw_access_get_next(fd, &list))) {
		if (!guid_equal(&list.guid, &standard))
			(json ? show_json : show_text)(&list, true);
		shown = true;
	}
	/* A caller who may see only some lists has seen those: success. */
	return err == -ESRCH || (err == -EPERM && shown) ? 0 : err;
}

/* ------------------------------------------------------------------ actions */

static int run_show(int fd, struct request *r)
{
	return r->target ? show_one(fd, &r->list.guid, r->json) : show_all(fd, r->json);
}

/* Does other match every caller that entry matches?  Group members are not looked up. */
static bool covers(const struct etw_access_entry *other, const struct etw_access_entry *entry)
{
	return other->who == ETW_ACCESS_EVERYONE ||
	       (other->who == entry->who && other->id == entry->id);
}

/*
 * The rights that deny entry n does not deny, because entry *by above it allows them; 0 if
 * there are none.  "etw access add" appends entries, so this is easily the case.
 */
static uint32_t access_shadowed(const struct etw_access_list *list, uint32_t n, uint32_t *by)
{
	const struct etw_access_entry *entry = &list->entries[n], *other;
	uint32_t rights = entry->rights;

	if (entry->type != ETW_ACCESS_DENY)
		return 0;
	for (*by = 0; *by < n; ++*by) {
		other = &list->entries[*by];
		if (!(other->rights & rights) || !covers(other, entry))
			continue;
		if (other->type == ETW_ACCESS_ALLOW)
			return other->rights & rights;
		rights &= ~other->rights;	/* denied by other already */
	}
	return 0;
}

/* Report entries, from the given one on, that deny rights allowed by entries above. */
static void report_shadowed(const struct etw_access_list *list, uint32_t first)
{
	char entry[ETW_ACCESS_ENTRY_TEXT], other[ETW_ACCESS_ENTRY_TEXT];
	char rights[ETW_ACCESS_RIGHTS_TEXT];
	uint32_t n, by, left;

	for (n = first; n < list->count; n++) {
		left = access_shadowed(list, n, &by);
		if (!left)
			continue;
		etw_access_format_entry(&list->entries[n], entry);
		etw_access_format_entry(&list->entries[by], other);
		etw_access_format_rights(left, rights);
		cli_note("\"%s\" does not deny %s: \"%s\" above it decides; 'etw access set' with --deny first does",
			 entry, rights, other);
	}
}

static int run_set(int fd, struct request *r)
{
	int err = etw_access_store(fd, &r->list.guid, &r->list, &r->error);

	if (!err)
		report_shadowed(&r->list, 0);
	return err;
}

static int run_add(int fd, struct request *r)
{
	static struct etw_access_list list;
	bool own;
	int err;

	err = etw_access_append(fd, &r->list.guid, r->list.entries, r->list.count, &r->error);
	if (!err && !etw_access_get(fd, &r->list.guid, &list, &own) &&
	    list.count >= r->list.count)
		report_shadowed(&list, list.count - r->list.count);
	return err;
}

static int run_remove(int fd, struct request *r)
{
	return etw_access_store(fd, &r->list.guid, NULL, &r->error);
}

static void note_skipped(const struct etw_access_error *error)
{
	cli_note("%s:%u:%u: %s: the entry is left out",
		 cli_quote(request.target ? request.target : etw_access_path()), error->line,
		 error->column, error->what);
}

static int run_load(int fd, struct request *r)
{
	return etw_access_load(fd, r->target, note_skipped, &r->error);
}

static const struct action {
	const char *name;
	int (*run)(int fd, struct request *r);
	bool entries;		/* needs entries; other actions refuse them */
	bool guid;		/* needs a GUID */
	bool file;		/* the operand is a file */
	bool changes;		/* changes lists, which needs more rights than showing them */
} actions[] = {
	{ "show", run_show, false, false, false, false },
	{ "set", run_set, true, true, false, true },
	{ "add", run_add, true, true, false, true },
	{ "remove", run_remove, false, true, false, true },
	{ "load", run_load, false, false, true, true },
	{ .name = NULL }
};

static void check_usage(const struct action *action, const struct request *r)
{
	struct etw_guid guid;

	if (action->guid && !r->target)
		cli_usage("%s: missing GUID", action->name);
	if (r->target && !*r->target)
		cli_usage("%s: the name is empty", action->name);
	if (r->target && !action->file && !etw_guid_parse(r->target, &guid) &&
	    etw_guid_is_zero(&guid))
		cli_usage("%s: the zero GUID is none", action->name);
	if (action->entries && !r->list.count)
		cli_usage("%s: give --allow or --deny", action->name);
	if (!action->entries && r->list.count)
		cli_usage("%s: takes no --allow and no --deny", action->name);
	if (r->json && action->run != run_show)
		cli_usage("%s: prints nothing, so takes no --json", action->name);
}

/* Report an error that concerns the whole file. */
static int file_fail(const struct action *action, const struct request *r, const char *path,
		     int err)
{
	/* These errors depend on the caller more than on the file. */
	const char *takes = action->changes && path != r->target &&
			    (err == -EACCES || err == -EPERM || err == -EROFS) ?
		"; lists are changed with CAP_SYS_ADMIN and by those who may write this file" : "";

	return cli_fail("%s: %s%s", cli_quote(path),
			err == -EINVAL ? "no regular file" : r->error.what, takes);
}

static int access_fail(const struct action *action, const struct request *r, int err)
{
	const char *path = action->file && r->target ? r->target : etw_access_path();
	const char *reason = cli_denied(-err, "the right \"query\" on the GUID");

	if (r->error.line)
		return cli_fail("%s:%u:%u: %s", cli_quote(path), r->error.line,
				r->error.column, r->error.what);
	if (r->error.what[0])
		return file_fail(action, r, path, err);
	if (err == -ENOSPC)
		return cli_fail("more than %d entries or %d lists", ETW_ACCESS_ENTRIES_MAX,
				ETW_ACCESS_LISTS_MAX);
	if (err == -EPERM && action->changes)
		reason = "not permitted: lists are changed with CAP_SYS_ADMIN in the initial user namespace";
	if (r->target)
		return cli_fail("%s: %s: %s", action->name, cli_quote(r->target), reason);
	return cli_fail("%s: %s", action->name, reason);
}

int cmd_access(int argc, char **argv)
{
	struct request *r = &request;
	const struct action *action;
	char **operands;
	int option, fd, err;

	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		if (option == OPT_ALLOW)
			take_entry(r, "--allow", ETW_ACCESS_ALLOW);
		else
			take_entry(r, "--deny", ETW_ACCESS_DENY);
	}
	operands = cli_operands(&syntax, argc, argv);
	action = &actions[cli_choice("ACTION", operands[0], actions, sizeof(*actions))];
	r->target = operands[1];
	memset(&r->error, 0, sizeof(r->error));
	check_usage(action, r);
	fd = device_open();
	if (fd < 0)
		return 1;
	if (r->target && !action->file && !resolve(fd, r)) {
		etw_kdev_close(fd);
		return 1;
	}
	err = action->run(fd, r);
	etw_kdev_close(fd);
	return err ? access_fail(action, r, err) : 0;
}
