/* SPDX-License-Identifier: MIT */
/*
 * inputs.c - log files that a command reads, merged by time
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cli/cli.h"
#include "cli/symbols/recorded.h"
#include "cli/symbols/symbols.h"
#include "inputs.h"
#include "base/older_file.h"
#include "cli/print/clock.h"
#include "tdh/decode/embed.h"

#define LOSSES_MAX	65536	/* records of losses whose copies are recognised */
#define REPORTS_MAX	20	/* of a file; those beyond are only counted */

struct input {
	struct etw_source in;	/* first: the merge has pointers to it */
	const char *path;
	unsigned int clock;	/* see struct etw_stacks_place */
	unsigned int reports;
	uint64_t shown;		/* events in the records of losses that were printed */
};

static const TRACE_LOGFILE_HEADER *header_of(const struct input *in)
{
	return &etw_etl_info(etw_source_file(&in->in))->header;
}

static void on_report(void *context, uint64_t offset, const char *what)
{
	struct input *in = context;

	if (in->reports++ < REPORTS_MAX)
		cli_note("%s: at offset %" PRIu64 ": %s", cli_quote(in->path), offset, what);
}

static int open_fail(const char *path, int err)
{
	if (err == -EINVAL)
		return cli_fail("%s: not a log file (.etl)", cli_quote(path));
	if (err == -ESPIPE)
		return cli_fail("%s: a log file is not read from a pipe or a device",
				cli_quote(path));
	return cli_fail("%s: %s", cli_quote(path), strerror(-err));
}

int inputs_open(struct inputs *inputs, char **paths)
{
	struct input *in;
	unsigned int n = 0;
	int err;

	while (paths[n])
		n++;
	inputs->ended = 1;
	inputs->list = cli_calloc(n, sizeof(*inputs->list));
	inputs->merge = cli_calloc(n, sizeof(struct etw_source *));
	for (; inputs->count < n; inputs->count++) {
		in = &inputs->list[inputs->count];
		in->path = paths[inputs->count];
		err = etw_source_open_file(&in->in, in->path, inputs->again ? NULL : on_report, in);
		if (err)
			return open_fail(in->path, err);
		inputs->merge[inputs->left++] = &in->in;
	}
	return 0;
}

void inputs_close(struct inputs *inputs)
{
	unsigned int i;

	for (i = 0; i < inputs->count; i++)
		etw_source_close(&inputs->list[i].in);
	free(inputs->list);
	free(inputs->merge);
	etw_interner_clear(&inputs->losses);
	etw_stacks_free(&inputs->stacks);
	memset(inputs, 0, sizeof(*inputs));
}

void inputs_until(struct inputs *inputs, int64_t time)
{
	inputs->bounded = true;
	inputs->until = time;
	inputs->late = 0;
	inputs->look = 1;
}

void inputs_skip_until(struct inputs *inputs, int64_t time)
{
	unsigned int i;

	for (i = 0; i < inputs->count; i++)
		etw_etl_skip_until(etw_source_file(&inputs->list[i].in), time);
}

bool inputs_are_ordered(const struct inputs *inputs)
{
	struct etw_etl_count count;
	unsigned int i;

	for (i = 0; i < inputs->count; i++) {
		etw_etl_counts(etw_source_file(&inputs->list[i].in), &count);
		if (count.disorder || count.beyond)
			return false;
	}
	return !inputs->has_stacks;
}

/* Beyond the last event that is wanted stands its stack. */
static int64_t last_time(const struct inputs *inputs)
{
	int64_t time = inputs->until;

	if (inputs->has_stacks && __builtin_add_overflow(time, ETW_STACKS_WAIT, &time))
		time = INT64_MAX;
	return time;
}

/*
 * Is all that comes later than is wanted?  Looking takes time that grows with the files:
 * seldom, if there were late events before and it was not.
 */
static bool is_over(struct inputs *inputs, int64_t time)
{
	int64_t last = last_time(inputs);
	unsigned int i;

	if (!inputs->bounded || time <= last || ++inputs->late < inputs->look)
		return false;
	inputs->look = 16 * inputs->late;
	for (i = 0; i < inputs->left; i++)
		/* An error is met again by reading. */
		if (etw_etl_all_after(etw_source_file(inputs->merge[i]), last) != 1)
			return false;
	return true;
}

/* The first input, by time, that has a further event; *err: why there is none */
static struct etw_source *next_input(struct inputs *inputs, int *err)
{
	if (inputs->current)
		inputs->current->has_next = false;
	inputs->current = etw_source_earliest(inputs->merge, &inputs->left, err);
	return inputs->current;
}

/* Does it repeat an earlier record? */
static bool is_repeated(struct etw_interner *seen, const struct etw_loss *loss)
{
	bool fresh;

	seen->max = LOSSES_MAX;
	/* 0: it cannot be kept, so nothing is known about it. */
	return etw_intern(seen, loss->key, loss->key_len, &fresh) && !fresh;
}

static int next_of_files(struct inputs *inputs, const struct etw_event **event,
			 unsigned int *source)
{
	struct etw_source *in;
	struct etw_loss loss;
	int err = 0;

	do {
		in = next_input(inputs, &err);
	} while (in && etw_loss_of(&in->next, &loss) && is_repeated(&inputs->losses, &loss));
	if (in && is_over(inputs, in->next.time))
		return 0;
	if (in) {
		*event = &in->next;
		*source = (unsigned int)((struct input *)in - inputs->list);
		return 1;
	}
	if (err)
		open_fail(((struct input *)inputs->merge[0])->path, err);
	return err ? -1 : 0;
}

/*
 * Number the machines that files are from: their clocks count from one start, at one rate.
 * Each file also reports as soon as a buffer with a stack is in memory.
 */
static void begin_stacks(struct inputs *inputs)
{
	const TRACE_LOGFILE_HEADER *header, *other;
	unsigned int i, j;

	for (i = 0; i < inputs->count; i++) {
		etw_etl_watch(etw_source_file(&inputs->list[i].in), ETW_STACKS_HOOK,
			      &inputs->has_stacks);
		header = header_of(&inputs->list[i]);
		for (j = 0; j < i; j++) {
			other = header_of(&inputs->list[j]);
			if (other->BootTime.QuadPart == header->BootTime.QuadPart &&
			    other->PerfFreq.QuadPart == header->PerfFreq.QuadPart &&
			    other->ReservedFlags == header->ReservedFlags)
				break;
		}
		inputs->list[i].clock = header->BootTime.QuadPart ? j + 1 : 0;
	}
	inputs->begun = true;
}

/*
 * Events wait for their stacks, but in traces without stacks they need not. A file's next
 * buffer is loaded when the last event of one has been taken, so that event waits for one
 * more: its stack may be the first, at the beginning of the buffer.
 */
int inputs_next(struct inputs *inputs, const struct etw_event **event,
		unsigned int *source)
{
	struct etw_stacks_place place;
	const struct etw_event *ready;
	int ret;

	if (inputs->apart)
		return next_of_files(inputs, event, source);
	if (!inputs->begun)
		begin_stacks(inputs);
	for (;;) {
		ready = etw_stacks_take(&inputs->stacks, inputs->ended != 1 ||
					(!inputs->has_stacks && !inputs->buffer_done), source);
		if (ready) {
			*event = ready;
			return 1;
		}
		if (inputs->ended != 1)
			return inputs->ended;
		ret = next_of_files(inputs, event, source);
		if (ret != 1) {
			inputs->ended = ret;
			continue;
		}
		inputs->buffer_done = (*event)->buffer_done;
		if (!inputs->has_stacks && !inputs->buffer_done && !inputs->stacks.events)
			return 1;
		place = (struct etw_stacks_place){ *source, inputs->list[*source].clock };
		if (etw_stacks_add(&inputs->stacks, *event, place))
			cli_die("out of memory");
	}
}

struct ahead {
	struct etw_interner seen;
	int (*take)(void *context, const struct etw_loss *loss);
	void *context;
};

static int take_ahead(void *context, const struct etw_loss *loss)
{
	struct ahead *ahead = context;

	return is_repeated(&ahead->seen, loss) ? 0 : ahead->take(ahead->context, loss);
}

int inputs_losses_ahead(const struct inputs *inputs,
			int (*take)(void *context, const struct etw_loss *loss), void *context)
{
	struct ahead ahead = { .take = take, .context = context };
	unsigned int i;
	int ret = 0;

	for (i = 0; i < inputs->count && ret <= 0; i++) {
		ret = etw_losses_of(inputs->list[i].path, take_ahead, &ahead);
		if (ret < 0)
			cli_note("%s: not searched for losses: %s",
				 cli_quote(inputs->list[i].path), strerror(-ret));
	}
	etw_interner_clear(&ahead.seen);
	return ret > 0 ? ret : 0;
}

void inputs_schemas(const struct inputs *inputs)
{
	unsigned int i;
	int ret;

	for (i = 0; i < inputs->count; i++) {
		ret = etw_embed_scan(NULL, inputs->list[i].path);
		if (ret == -ENOMEM)
			cli_die("out of memory");
		if (ret < 0)
			cli_note("%s: not searched for schemas: %s",
				 cli_quote(inputs->list[i].path), strerror(-ret));
	}
}

unsigned int inputs_machines(const struct inputs *inputs, struct machines *machines)
{
	unsigned int i, undescribed = 0;
	int err;

	for (i = 0; i < inputs->count; i++) {
		err = machines_read(machines, inputs->list[i].path, &undescribed);
		if (err == -ENOMEM)
			cli_die("out of memory");
		if (err)
			cli_note("%s: not searched for its machine: %s",
				 cli_quote(inputs->list[i].path), strerror(-err));
	}
	return undescribed;
}

void inputs_symbols(const struct inputs *inputs, struct symbols *symbols,
		    const struct machines *machines, unsigned int undescribed)
{
	const bool of_boot = inputs_are_of_boot(inputs);
	const bool of_one = machines->count <= 1 && (inputs->count == 1 || !undescribed || of_boot);
	unsigned int i;
	int err;

	symbols_choose(symbols, machines, undescribed, of_boot);
	for (i = 0; i < inputs->count; i++) {
		err = recorded_read(symbols_symbolizer(symbols), inputs->list[i].path, of_one);
		if (err == -ENOMEM)
			cli_die("out of memory");
		if (err)
			cli_note("%s: not searched for names of functions: %s",
				 cli_quote(inputs->list[i].path), strerror(-err));
	}
}

int inputs_fail(const struct inputs *inputs, unsigned int source, int err)
{
	return open_fail(inputs->list[source].path, err);
}

const char *inputs_shown_text(uint64_t shown, uint64_t all)
{
	static char text[64];

	snprintf(text, sizeof(text), ", %" PRIu64 " of them shown above", shown);
	return !shown ? "" : shown >= all ? ", as shown above" : text;
}

void inputs_shown(struct inputs *inputs, unsigned int source, const struct etw_loss *loss)
{
	/* Those of the stream are not in the header's number. */
	if (!etw_loss_of_stream(loss->payload.code) && loss->payload.events > 0)
		inputs->list[source].shown += (uint64_t)loss->payload.events;
}

static void report(const struct input *in)
{
	const TRACE_LOGFILE_HEADER *header = header_of(in);
	struct etw_etl_count count;

	etw_etl_counts(etw_source_file(&in->in), &count);
	if (in->reports > REPORTS_MAX)
		cli_note("%s: %u more places that make no sense", cli_quote(in->path),
			 in->reports - REPORTS_MAX);
	if (etw_etl_cut_off(etw_source_file(&in->in)))
		cli_note("%s: it was not closed: its session runs, or did not end well",
			 cli_quote(in->path));
	if (count.missing)
		cli_note("%s: %" PRIu64 " of %u buffers %s missing", cli_quote(in->path),
			 count.missing, header->BuffersWritten, count.missing == 1 ? "is" : "are");
	if (header->EventsLost)
		cli_note("%s: %u event%s lost when written%s", cli_quote(in->path),
			 header->EventsLost, cli_s(header->EventsLost),
			 inputs_shown_text(in->shown, header->EventsLost));
	if (header->BuffersLost)
		cli_note("%s: %u buffer%s lost to the file", cli_quote(in->path),
			 header->BuffersLost, cli_s(header->BuffersLost));
}

void inputs_report(const struct inputs *inputs)
{
	unsigned int i;

	for (i = 0; i < inputs->count; i++)
		report(&inputs->list[i]);
}

#define SECOND	10000000LL

/* No machine boots within a second; clocks may have been adjusted by less. */
bool inputs_are_of_boot(const struct inputs *inputs)
{
	struct timespec up;
	unsigned int i;
	int64_t apart;

	clock_gettime(CLOCK_BOOTTIME, &up);
	for (i = 0; i < inputs->count; i++) {
		if (__builtin_sub_overflow(clock_now() - up.tv_sec * SECOND - up.tv_nsec / 100,
					   header_of(&inputs->list[i])->BootTime.QuadPart, &apart) ||
		    apart > SECOND || apart < -SECOND)
			return false;
	}
	return true;
}

const char *inputs_path(const struct inputs *inputs, unsigned int source)
{
	return inputs->list[source].path;
}

struct etw_etl_file *inputs_file(const struct inputs *inputs, unsigned int source)
{
	return etw_source_file(&inputs->list[source].in);
}

bool inputs_have(const struct inputs *inputs, const struct stat *file)
{
	struct stat own;
	unsigned int i;

	for (i = 0; i < inputs->count; i++)
		if (!stat(inputs->list[i].path, &own) && own.st_dev == file->st_dev &&
		    own.st_ino == file->st_ino)
			return true;
	return false;
}

int inputs_check_older(const struct inputs *inputs, const char *path)
{
	size_t len = strlen(path);
	struct stat there;
	int status = 0;
	char *older;

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (asprintf(&older, "%.*s" ETW_OLDER_SUFFIX, (int)len, path) < 0)
		cli_die("out of memory");
	if (!stat(older, &there) && (inputs_have(inputs, &there) ||
				     (S_ISDIR(there.st_mode) && inputs_within(inputs, &there))))
		status = cli_fail("%s: not written, because the older one would replace the input %s",
				  cli_quote(path), cli_quote(older));
	free(older);
	return status;
}

/* Is there this folder on the way to path, which is changed? */
static bool is_below(char *path, const struct stat *folder)
{
	struct stat own;
	char *slash;

	while ((slash = strrchr(path, '/'))) {
		slash[slash == path] = '\0';
		if (!stat(path, &own) && own.st_dev == folder->st_dev &&
		    own.st_ino == folder->st_ino)
			return true;
		if (slash == path)
			return false;
	}
	return false;
}

/* A link's own place, and that of what it leads to */
static bool lies_below(const char *path, const struct stat *folder)
{
	const char *base = strrchr(path, '/');
	char *dir = base ? strndup(path, (size_t)(base + 1 - path)) : strdup(".");
	char *real, *file = realpath(path, NULL), *full;
	bool below;

	real = dir ? realpath(dir, NULL) : NULL;
	if (asprintf(&full, "%s/", real ? real : "") < 0)
		cli_die("out of memory");
	below = is_below(full, folder) || (file && is_below(file, folder));
	free(full);
	free(file);
	free(real);
	free(dir);
	return below;
}

const char *inputs_within(const struct inputs *inputs, const struct stat *folder)
{
	unsigned int i;

	for (i = 0; i < inputs->count; i++)
		if (lies_below(inputs->list[i].path, folder))
			return inputs->list[i].path;
	return NULL;
}

unsigned int inputs_progress(const struct inputs *inputs)
{
	struct etw_etl_count count;
	double done = 0, all = 0;
	unsigned int i;

	for (i = 0; i < inputs->count; i++) {
		etw_etl_counts(etw_source_file(&inputs->list[i].in), &count);
		all += (double)count.size;
		if (count.buffers)
			done += (double)count.size * (double)count.buffers_read /
				(double)count.buffers;
	}
	return all > 0 && done < all ? (unsigned int)(done * 1000 / all) : 1000;
}

int64_t inputs_start(const struct inputs *inputs)
{
	int64_t start = INT64_MAX, own;
	unsigned int i;

	for (i = 0; i < inputs->count; i++) {
		own = header_of(&inputs->list[i])->StartTime.QuadPart;
		if (own < start)
			start = own;
	}
	return start;
}

int64_t inputs_end(const struct inputs *inputs)
{
	int64_t end = INT64_MIN, own;
	unsigned int i;

	for (i = 0; i < inputs->count; i++) {
		own = etw_etl_end_time(inputs_file(inputs, i));
		if (own > end)
			end = own;
	}
	return end;
}

void inputs_losses(const struct inputs *inputs, uint64_t *events, uint64_t *buffers)
{
	unsigned int i;

	*events = *buffers = 0;
	for (i = 0; i < inputs->count; i++) {
		*events += header_of(&inputs->list[i])->EventsLost;
		*buffers += header_of(&inputs->list[i])->BuffersLost;
	}
}
