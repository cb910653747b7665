/* SPDX-License-Identifier: MIT */
/*
 * private.c - etw record --private: the command records itself
 *
 * The command gets an environment variable by which libetw starts a private session in each
 * process that registers one of the providers, see user/lib/private/environment.c.  The first
 * process writes FILE, others FILE_PID.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/absolute_path.h"
#include "base/json_writer.h"
#include "base/older_file.h"
#include "cli/cli.h"
#include "cli/machine/append.h"
#include "cli/output_file.h"
#include "cli/provider.h"
#include "cli/text.h"
#include "cli/verify/verify.h"
#include "lib/private/private.h"
#include "recording.h"

#define FLUSH_MS	1000	/* what a process that is killed loses at most, by default */
#define DEFAULT_BUFFER_KB	64	/* of libetw */
#define PATH_LEN_MAX	(ETW_FILE_NAME_MAX - 16)	/* libetw adds _PID_NUMBER */

/* Options that only sessions of the whole system have */
void record_private_check(const struct record *r)
{
	const uint32_t modes = ETW_MODE_BUFFERING | ETW_MODE_INDEPENDENT | ETW_MODE_SECURE |
			       ETW_MODE_LOCAL_SEQUENCE | ETW_MODE_GLOBAL_SEQUENCE;
	const uint32_t files = ETW_MODE_NEWFILE | ETW_MODE_APPEND | ETW_MODE_PREALLOCATE |
			       ETW_MODE_DELAY_OPEN;

	const uint32_t buffer_kb = r->session.s.buffer_kb ? r->session.s.buffer_kb : DEFAULT_BUFFER_KB;

	if (!r->command.argv)
		cli_usage("--private: give the COMMAND that records itself");
	/* The header, the description of the process and events: programs would not begin it. */
	if (r->file.max_size && r->file.max_size < 3 * ((uint64_t)buffer_kb << 10))
		cli_usage("--private: --max-size is less than three buffers, %u KB: a smaller --buffer-size helps",
			  3 * buffer_kb);
	if (r->session.s.mode & modes || r->file.mode & files || r->file.real_time ||
	    r->file.sync_ms || r->session.s.user_budget_kb || r->with_manifests || r->progress)
		cli_usage("--private: of the options of the session and the file only --buffer-size, --min-buffers, --max-buffers, --flush, --clock, --max-size, --circular, --no-per-cpu and --replace apply");
}

/* 92: the longest word of a provider; 128: the other words */
_Static_assert(ETW_PRIVATE_ENV_PROVIDERS * 92 + ETW_NAME_MAX + PATH_LEN_MAX + 128 <
	       ETW_PRIVATE_ENV_SIZE, "the longest value is understood");

/* Programs would ignore a variable that they cannot understand. */
static void check_names(const struct record *r, const char *path)
{
	if (strchr(r->name, ' '))
		cli_usage("--private: the name of the session cannot have spaces");
	if (r->providers.count > ETW_PRIVATE_ENV_PROVIDERS)
		cli_usage("--private: more than %d providers", ETW_PRIVATE_ENV_PROVIDERS);
	if (strlen(path) > PATH_LEN_MAX)
		cli_usage("--private: the name of the file with its folders is longer than %d bytes",
			  PATH_LEN_MAX);
}

/* What a provider may be asked for; wrong usage ends the command. */
static void check_provider(const struct enable_request *request)
{
	if (request->traced.count)
		cli_usage("--private: %s is not a provider of a program",
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

/* ----------------------------------------------------------------------- files */

/* Files of a recording */
struct files {
	glob_t found;
	size_t count;		/* of these, at the beginning */
};

/* Is this FILE, which is len bytes, or would libetw call a file FILE_PID or FILE_PID_NUMBER so? */
static bool is_recorded(const char *name, size_t len)
{
	const char *at = name + len;
	struct stat st;
	int numbers = 0;

	for (; *at == '_' && numbers < 2; numbers++) {
		size_t digits = strspn(at + 1, "0123456789");

		if (!digits)
			return false;
		at += 1 + digits;
	}
	return !*at && (!numbers || (!lstat(name, &st) && S_ISREG(st.st_mode)));
}

static void keep_recorded(struct files *files, size_t len)
{
	char **names = files->found.gl_pathv, *name;
	size_t i;

	for (i = 0; i < files->found.gl_pathc; i++) {
		name = names[i];
		if (!is_recorded(name, len))
			continue;
		names[i] = names[files->count];
		names[files->count++] = name;
	}
}

/* FILE and the files of other processes; they may have any characters. 0, or glob(3)'s error. */
static int find_files(const char *path, struct files *files)
{
	char pattern[2 * PATH_MAX + 8], *to = pattern;
	const char *from;
	int err;

	for (from = path; *from && to < pattern + 2 * PATH_MAX; from++) {
		if (strchr("*?[\\", *from))
			*to++ = '\\';
		*to++ = *from;
	}
	*to = '\0';
	err = glob(pattern, 0, NULL, &files->found);
	strcpy(to, "_[0-9]*");
	if (err && err != GLOB_NOMATCH)
		return err;
	err = glob(pattern, err ? 0 : GLOB_APPEND, NULL, &files->found);
	keep_recorded(files, strlen(path));
	return err == GLOB_NOMATCH ? 0 : err;
}

/* Files of other processes of an earlier recording would be mixed up with ours. */
static int find_older(const struct record *r, const char *path, struct files *older)
{
	if (find_files(path, older))
		return cli_fail("%s: its files cannot be listed", cli_quote(r->file.path));
	if (!older->count || r->file.replace)
		return 0;
	return cli_fail("%s is there, of an earlier recording: give --replace, or another --output",
			cli_quote(older->found.gl_pathv[0]));
}

/* New files cannot have these names yet, since libetw replaces no file. */
static int remove_older(const struct files *older)
{
	int status = 0;
	size_t i;

	for (i = 0; i < older->count; i++)
		if (unlink(older->found.gl_pathv[i]) && errno != ENOENT)
			status = cli_fail("%s: cannot be removed: %s",
					  cli_quote(older->found.gl_pathv[i]), strerror(errno));
	return status;
}

/* ------------------------------------------------------------------ afterwards */

/* null where there is no file: nobody knows then. */
static void count_json(struct etw_text *line, const char *name, const struct files *files,
		       uint64_t count)
{
	if (files->count)
		json_writer_unsigned(line, name, count);
	else
		json_writer_word(line, name, NULL);
}

static void report_json(const struct record *r, const struct files *files)
{
	struct etw_text line = { 0 };
	size_t i;

	json_writer_open(&line, NULL, '{');
	count_json(&line, "events", files, r->contents.events);
	count_json(&line, "events_lost", files, r->contents.lost_events);
	count_json(&line, "buffers_lost", files, r->contents.lost_buffers);
	json_writer_open(&line, "files", '[');
	for (i = 0; i < files->count; i++)
		json_writer_string(&line, NULL, files->found.gl_pathv[i],
				   strlen(files->found.gl_pathv[i]));
	json_writer_close(&line, ']');
	json_print(&line);
}

static void report(const struct record *r, const struct files *files)
{
	if (!files->count) {
		cli_note("there is no file: no process that uses libetw registered any of the providers, or none could write it");
		return;
	}
	cli_note("%" PRIu64 " event%s of %zu process%s in %s%s", r->contents.events,
		 cli_s(r->contents.events), files->count, files->count == 1 ? "" : "es",
		 cli_quote(r->file.path), files->count == 1 ? "" : " and others beside it, with process ids behind their names");
	if (r->contents.lost_events || r->contents.lost_buffers)
		cli_note("%" PRIu64 " event%s and %" PRIu64 " buffer%s lost: see etw verify",
			 r->contents.lost_events, cli_s(r->contents.lost_events),
			 r->contents.lost_buffers, cli_s(r->contents.lost_buffers));
	if (r->contents.unclosed)
		cli_note("%u file%s not closed, because the process was killed: its latest events may be missing",
			 r->contents.unclosed, r->contents.unclosed == 1 ? " was" : "s were");
}

/* --strict: are all of them complete?  Nobody knows that of a recording without a file. */
static int judge(struct files *files)
{
	char **paths = files->found.gl_pathv, *behind;
	int status;

	if (!files->count)
		return VERIFY_EXIT_LOST;
	behind = paths[files->count];
	paths[files->count] = NULL;
	status = verify_strict(paths);
	paths[files->count] = behind;
	return status;
}

/* Read all files and say what is in them.  Returns the exit status of that. */
static int finish(struct record *r, const char *path)
{
	struct files files = { 0 };
	int status = 0, err;
	size_t i;

	if (find_files(path, &files))
		status = cli_fail("%s: its files cannot be listed", cli_quote(r->file.path));
	for (i = 0; i < files.count; i++) {
		err = log_contents_add(&r->contents, files.found.gl_pathv[i], INT64_MIN, NULL);
		if (err)
			status = cli_fail("%s: %s", cli_quote(files.found.gl_pathv[i]), strerror(-err));
		else
			machine_describe(files.found.gl_pathv[i], 0);
	}
	if (!r->quiet)
		report(r, &files);
	if (r->json)
		report_json(r, &files);
	if (!status && r->strict)
		status = judge(&files);
	globfree(&files.found);
	return status;
}

/* Can files be made beside this one?  What libetw cannot write, a program does not report. */
static int try_folder(const struct record *r, const char *path)
{
	char folder[PATH_MAX];
	size_t len = (size_t)(strrchr(path, '/') - path);
	int fd;

	snprintf(folder, sizeof(folder), "%.*s", len ? (int)len : 1, path);
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* Not every file system has files without a name; its folders are opened as folders. */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return cli_fail("%s: %s", cli_quote(r->file.path), strerror(errno));
	close(fd);
	return 0;
}

/* Errors end the command before anything is changed. */
static void move_older(const struct record *r, const char *path, struct etw_older *older)
{
	int err;

	if (older_log_check(&r->file, r->name) || try_folder(r, path))
		exit(1);
	err = etw_older_move(older, path, false, !r->file.replace, NULL);
	if (err && err != -ENOENT)
		cli_die("%s: cannot be moved to FILE" ETW_OLDER_SUFFIX ": %s",
			cli_quote(r->file.path), older_file_error(err));
}

int record_private(struct record *r)
{
	struct files others = { 0 };
	struct etw_older older = { 0 };
	struct etw_text value = { 0 };
	char path[PATH_MAX];
	enum record_end end;
	unsigned int i;
	int status, err, left;

	for (i = 0; i < r->providers.count; i++)
		check_provider(r->providers.list[i]);
	/* The processes may change their directories. */
	err = etw_absolute_path(r->file.path, path, sizeof(path));
	if (err)
		return cli_fail("%s: %s", cli_quote(r->file.path), strerror(-err));
	check_names(r, path);
	move_older(r, path, &older);
	status = find_older(r, path, &others);
	describe(r, path, &value);
	if (!status && setenv(ETW_PRIVATE_ENV, value.data, 1))
		status = cli_fail("the environment has no room for the session: %s", strerror(errno));
	if (!status)
		status = command_spawn(&r->command, &r->before);
	etw_text_free(&value);
	if (status) {
		etw_older_restore(&older);
		globfree(&others.found);
		return status;
	}
	left = remove_older(&others);
	globfree(&others.found);
	if (older.moved && !r->quiet)
		older_file_note("file", older.moved, etw_older_loses(&older));
	etw_older_drop(&older);
	clock_gettime(CLOCK_MONOTONIC, &r->begin);
	end = record_wait(r);
	record_release_signals(r);
	status = command_status(&r->command, end == RECORD_ASKED);
	err = finish(r, path);
	return status ? status : err ? err : left;
}
