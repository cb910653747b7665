/* SPDX-License-Identifier: MIT */
/*
 * private.c - etw record --private: the command records itself
 *
 * The command gets an environment variable by which libetw starts a private session in each
 * process that registers one of the providers, see user/lib/private/environment.c.  The first
 * process writes FILE, others FILE_PID.
 */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/absolute_path.h"
#include "base/json_writer.h"
#include "base/older_file.h"
#include "cli/cli.h"
#include "cli/output_file.h"
#include "cli/provider.h"
#include "cli/text.h"
#include "cli/verify/verify.h"
#include "lib/private/private.h"
#include "recording.h"

#define FLUSH_MS	1000	/* what a process that is killed loses at most, by default */

/* Options that only sessions of the whole system have */
void record_private_check(const struct record *r)
{
	const uint32_t modes = ETW_MODE_BUFFERING | ETW_MODE_INDEPENDENT | ETW_MODE_SECURE |
			       ETW_MODE_LOCAL_SEQUENCE | ETW_MODE_GLOBAL_SEQUENCE;
	const uint32_t files = ETW_MODE_NEWFILE | ETW_MODE_APPEND | ETW_MODE_PREALLOCATE |
			       ETW_MODE_DELAY_OPEN;

	if (!r->command.argv)
		cli_usage("--private: give the COMMAND that records itself");
	if (r->session.s.mode & modes || r->file.mode & files || r->file.real_time ||
	    r->file.sync_ms || r->session.s.user_budget_kb || r->with_manifests || r->progress)
		cli_usage("--private: of the options of the session and the file only --buffer-size, --min-buffers, --max-buffers, --flush, --clock, --max-size, --circular, --no-per-cpu and --replace apply");
}

/* What a provider may be asked for; wrong usage ends the command. */
static void check_provider(const struct enable_request *request)
{
	if (request->traced.count)
		cli_usage("--private: %s is no provider of a program",
			  cli_quote(request->provider));
	if (request->enable.filter_count || request->capture ||
	    request->enable.property & ~ETW_PRIVATE_PROPERTIES)
		cli_usage("--private: of the options for providers only levels, keywords, --ignore-keyword-0 and --exclude-private apply");
}

static void add_word(struct etw_text *to, const char *word, uint32_t value)
{
	if (value)
		etw_text_printf(to, "%s=%" PRIu32 " ", word, value);
}

static void add_provider(struct etw_text *to, const struct etw_enable *e)
{
	char guid[GUID_TEXT_SIZE];

	etw_text_printf(to, "p=%s,%u,0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx32 " ",
			guid_text(&e->provider, guid), e->level, (uint64_t)e->any, (uint64_t)e->all,
			e->property);
}

/* The variable's value; the caller frees the text. */
static void describe(struct record *r, const char *path, struct etw_text *to)
{
	struct etw_session *s = &r->session.s;
	uint32_t size = startfile_mode(&r->file, &r->session);
	unsigned int i;

	etw_text_printf(to, "name=%s ", r->name);
	add_word(to, "buffer", s->buffer_kb);
	add_word(to, "min", s->min_buffers);
	add_word(to, "max", s->max_buffers);
	add_word(to, "flush", s->flush_ms ? s->flush_ms : FLUSH_MS);
	add_word(to, "mode", s->mode);
	add_word(to, "clock", s->clock);
	add_word(to, "size", size);
	for (i = 0; i < r->providers.count; i++)
		add_provider(to, &r->providers.list[i]->enable);
	etw_text_printf(to, "file=%s", path);
}

/* ------------------------------------------------------------------ afterwards */

/* FILE and all FILE_PID, as glob(3) gives them; they may have any characters. */
static int find_files(const char *path, glob_t *found)
{
	char pattern[2 * PATH_MAX + 8], *to = pattern;
	int err;

	for (; *path && to < pattern + 2 * PATH_MAX; path++) {
		if (strchr("*?[\\", *path))
			*to++ = '\\';
		*to++ = *path;
	}
	*to = '\0';
	err = glob(pattern, 0, NULL, found);
	strcpy(to, "_[0-9]*");
	if (err && err != GLOB_NOMATCH)
		return err;
	err = glob(pattern, err ? 0 : GLOB_APPEND, NULL, found);
	return err == GLOB_NOMATCH ? 0 : err;
}

/* Files of other processes of an earlier recording would be mixed up with ours. */
static int clear_others(const struct record *r, const char *path)
{
	glob_t found = { 0 };
	int status = 0;
	size_t i;

	if (find_files(path, &found))
		found.gl_pathc = 0;
	for (i = 0; i < found.gl_pathc && !status; i++) {
		if (!r->file.replace)
			status = cli_fail("%s is there, of an earlier recording: give --replace, or another --output",
					  cli_quote(found.gl_pathv[i]));
		else if (unlink(found.gl_pathv[i]))
			status = cli_fail("%s: %s", cli_quote(found.gl_pathv[i]), strerror(errno));
	}
	globfree(&found);
	return status;
}

static void report(const struct record *r, const glob_t *files)
{
	struct etw_text line = { 0 };
	size_t i;

	if (r->json) {
		json_writer_open(&line, NULL, '{');
		json_writer_unsigned(&line, "events", r->contents.events);
		json_writer_unsigned(&line, "events_lost", r->contents.lost_events);
		json_writer_unsigned(&line, "buffers_lost", r->contents.lost_buffers);
		json_writer_open(&line, "files", '[');
		for (i = 0; i < files->gl_pathc; i++)
			json_writer_string(&line, NULL, files->gl_pathv[i], strlen(files->gl_pathv[i]));
		json_writer_close(&line, ']');
		json_print(&line);
		return;
	}
	if (r->quiet)
		return;
	if (!files->gl_pathc) {
		cli_note("no process that uses libetw registered any of the providers: there is no file");
		return;
	}
	cli_note("%" PRIu64 " event%s of %zu process%s in %s%s", r->contents.events,
		 cli_s(r->contents.events), files->gl_pathc, files->gl_pathc == 1 ? "" : "es",
		 cli_quote(r->file.path), files->gl_pathc == 1 ? "" : " and others beside it, with process ids behind their names");
	if (r->contents.lost_events || r->contents.lost_buffers)
		cli_note("%" PRIu64 " event%s and %" PRIu64 " buffer%s lost: see etw verify",
			 r->contents.lost_events, cli_s(r->contents.lost_events),
			 r->contents.lost_buffers, cli_s(r->contents.lost_buffers));
}

/* Read all files and say what is in them.  Returns the exit status of that. */
static int finish(struct record *r, const char *path)
{
	glob_t files = { 0 };
	int status = 0, err;
	size_t i;

	if (find_files(path, &files))
		status = cli_fail("%s: its files cannot be listed", cli_quote(r->file.path));
	for (i = 0; i < files.gl_pathc; i++) {
		err = log_contents_add(&r->contents, files.gl_pathv[i], INT64_MIN, NULL);
		if (err)
			status = cli_fail("%s: %s", cli_quote(files.gl_pathv[i]), strerror(-err));
	}
	report(r, &files);
	globfree(&files);
	if (!status && r->strict && (r->contents.lost_events || r->contents.lost_buffers))
		status = VERIFY_EXIT_LOST;
	return status;
}

static void move_older(const struct record *r, const char *path, struct etw_older *older)
{
	int err = etw_older_move(older, path, false, !r->file.replace, NULL);

	if (err && err != -ENOENT)
		cli_die("%s: %s", cli_quote(r->file.path), strerror(-err));
}

int record_private(struct record *r)
{
	struct etw_older older = { 0 };
	struct etw_text value = { 0 };
	char path[PATH_MAX];
	enum record_end end;
	unsigned int i;
	int status, err;

	for (i = 0; i < r->providers.count; i++)
		check_provider(r->providers.list[i]);
	/* The processes may change their directories. */
	err = etw_absolute_path(r->file.path, path, sizeof(path));
	if (err)
		return cli_fail("%s: %s", cli_quote(r->file.path), strerror(-err));
	move_older(r, path, &older);
	status = clear_others(r, path);
	describe(r, path, &value);
	if (!status && setenv(ETW_PRIVATE_ENV, value.data, 1))
		status = cli_fail("the environment has no room for the session: %s", strerror(errno));
	if (!status)
		status = command_spawn(&r->command, &r->before);
	etw_text_free(&value);
	if (status) {
		etw_older_restore(&older);
		return status;
	}
	if (older.moved && !r->quiet)
		older_file_note("file", older.moved, etw_older_loses(&older));
	etw_older_drop(&older);
	clock_gettime(CLOCK_MONOTONIC, &r->begin);
	end = record_wait(r);
	record_release_signals(r);
	status = command_status(&r->command, end == RECORD_ASKED);
	err = finish(r, path);
	return status ? status : err;
}
