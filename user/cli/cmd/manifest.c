/* SPDX-License-Identifier: MIT */
/*
 * manifest.c - etw manifest: install, list, show and check manifests
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cli.h"
#include "manifest.h"
#include "base/read_all.h"
#include "cli/schema.h"
#include "cli/text.h"
#include "mc/mc.h"
#include "tdh/store/store.h"

static struct manifest_request request;

static const struct cli_option options[] = {
	{ "user", 'u', NULL, "use the user's folder; for install and remove",
	  CLI_FLAG(request.user) },
	CLI_OPTION_JSON(request.json),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Install the manifests that give events their names, or show them.\n"
		"  install FILE...      for all users, in /etc/etw/manifests; with --user for\n"
		"                       yourself, in ~/.local/share/etw/manifests\n"
		"  remove PROVIDER...   by name, GUID, or name of the file\n"
		"  list                 list the installed providers and their files\n"
		"  show PROVIDER        show its keywords, tasks and events with their fields;\n"
		"                       PROVIDER is a name, a GUID, or a manifest file\n"
		"  check FILE...        report the errors and warnings of manifests",
	.operands = { "ACTION", "[FILE|PROVIDER]..." },
	.options = options,
	.example = "etw manifest install my-driver.man",
};

static const struct action {
	const char *name;
	int (*run)(const struct manifest_request *request);
	unsigned int least, most;	/* number of operands */
	bool user, json;		/* takes --user, --json */
} actions[] = {
	{ "install", manifest_install, 1, ~0u, true, false },
	{ "remove", manifest_remove, 1, ~0u, true, false },
	{ "list", manifest_list, 0, 0, false, true },
	{ "show", manifest_show, 1, 1, false, true },
	{ "check", manifest_check, 1, ~0u, false, false },
	{ .name = NULL }
};

static void check_usage(const struct action *action, const struct manifest_request *r)
{
	unsigned int count = 0;

	while (r->operands[count])
		count++;
	if (count < action->least)
		cli_usage("%s: missing %s", action->name,
			  action->run == manifest_install || action->run == manifest_check ?
			  "FILE" : "PROVIDER");
	if (count > action->most)
		cli_usage("unexpected argument %s", cli_quote(r->operands[action->most]));
	if (r->user && !action->user)
		cli_usage("%s: takes no --user", action->name);
	if (r->json && !action->json)
		cli_usage("%s: takes no --json", action->name);
}

int cmd_manifest(int argc, char **argv)
{
	const struct action *action;

	request.operands = cli_parse(&syntax, argc, argv);
	action = &actions[cli_choice("ACTION", *request.operands++, actions, sizeof(*actions))];
	check_usage(action, &request);
	return action->run(&request);
}

/* ------------------------------------------------------------------- for all */

const char *manifest_text(const char *s)
{
	static struct etw_text texts[8];
	static unsigned int next;
	struct etw_text *text = &texts[next++ % 8];

	text->len = 0;
	if (!s || !*s)
		return "";
	etw_text_safe(text, s, strlen(s));
	return text_data(text);
}

void manifest_report_problems(void)
{
	unsigned int i;
	char *problem;

	for (i = 0; (problem = etw_store_problem(i)); i++) {
		cli_note("%s", manifest_text(problem));
		free(problem);
	}
}

bool manifest_folder(const struct manifest_request *request, struct etw_folder *folder)
{
	static struct etw_folder folders[ETW_FOLDERS_MAX];
	enum etw_folder_kind kind = request->user ? ETW_FOLDER_USER : ETW_FOLDER_MACHINE;
	unsigned int count = etw_folders(folders), i;

	for (i = 0; i < count; i++) {
		if (folders[i].kind == kind || folders[i].kind == ETW_FOLDER_GIVEN) {
			*folder = folders[i];
			return true;
		}
	}
	if (request->user && !geteuid())
		cli_fail("--user: root has no folder of its own, omit the option");
	else
		cli_fail("no folder to install into: HOME and ETW_MANIFEST_PATH name none");
	return false;
}

/* -------------------------------------------------------------------- reading */

/* Read a whole file; the caller frees it.  NULL after a message. */
static char *read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err;
	const char *why = NULL;
	char *data = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		why = strerror(errno);
	} else if (!S_ISREG(st.st_mode)) {
		why = "no regular file";
	} else if (st.st_size > ETW_FOLDER_FILE_MAX) {
		why = "larger than any manifest";
	} else {
		err = etw_read_all(fd, (size_t)st.st_size, &data, size);
		why = err ? strerror(-err) : NULL;
	}
	if (fd >= 0)
		close(fd);
	if (why)
		cli_fail("%s: %s", cli_quote(path), why);
	return data;
}

bool manifest_read(const char *path, struct etw_manifest **manifest, void **data, size_t *size)
{
	struct etw_problems problems = { .count = 0 };
	size_t bytes;
	char *read = read_file(path, &bytes);
	int err;

	if (!read)
		return false;
	err = etw_manifest_read_memory(read, bytes, path, manifest, &problems);
	if (err)
		cli_fail("%s", schema_first_error(path, &problems, err));
	else
		schema_note_warnings(path, &problems);
	etw_problems_free(&problems);
	if (err || !data) {
		free(read);
	} else {
		*data = read;
		*size = bytes;
	}
	return !err;
}

/* --------------------------------------------------------------------- check */

static void print_counts(const char *path, const char *verdict, const struct etw_manifest *manifest)
{
	unsigned int i, events = 0;

	for (i = 0; i < manifest->provider_count; i++)
		events += manifest->providers[i].event_count;
	printf("%s: %s: %u provider%s, %u event%s\n", manifest_text(path), verdict,
	       manifest->provider_count, cli_s(manifest->provider_count), events, cli_s(events));
}

/* What the decoder takes of a manifest that the compiler refuses */
static void print_readable(const char *path, const char *data, size_t size)
{
	struct etw_problems none = { .count = 0 };
	struct etw_manifest *manifest;

	if (!etw_manifest_read_memory(data, size, path, &manifest, &none)) {
		print_counts(path, "not for the compiler, but decodes", manifest);
		etw_manifest_put(manifest);
	}
	etw_problems_free(&none);
}

/* The compiler's rules; the decoder tolerates what breaks them. */
static int check_one(const char *path)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest = NULL;
	size_t size;
	char *data = read_file(path, &size);
	int err;

	if (!data)
		return 1;
	err = etw_manifest_check_memory(data, size, path, &manifest, &problems);
	if (!err)
		err = etw_mc_check(manifest, &problems);
	etw_mc_print_problems(stdout, path, &problems);
	etw_problems_free(&problems);
	if (err == -EINVAL)
		print_readable(path, data, size);
	free(data);
	if (err)
		cli_fail("%s: %s", cli_quote(path),
			 err == -EINVAL ? "the manifest is wrong" : strerror(-err));
	else
		print_counts(path, "good", manifest);
	etw_manifest_put(manifest);
	return err ? 1 : 0;
}

int manifest_check(const struct manifest_request *request)
{
	int status = 0;
	char **path;

	for (path = request->operands; *path; path++)
		status |= check_one(*path);
	return status;
}
