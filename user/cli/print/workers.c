/* SPDX-License-Identifier: MIT */
/*
 * workers.c - print the events of files in several threads, their lines in order
 *
 * The main thread reads and selects the events, and copies those to print to batches. Each
 * worker formats one batch at a time, with a printer of its own; the main thread does the
 * same when it has no room for more, and writes the lines of each batch when its turn comes.
 *
 * What depends on the events before stays with the main thread: the names of processes,
 * which it finds before it copies an event, and of providers that no schema names. A batch
 * that needs one of these is formatted once more by the main thread, which then works alone.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "convert/items.h"
#include "workers.h"

#define BATCH_BYTES	(64u << 10)	/* of copies of events */
#define OUT_BYTES	(1u << 20)	/* of lines; a batch with more is formatted in parts */
#define THREADS_MAX	7
#define BATCHES		(2 * THREADS_MAX + 2)

/* What a line needs of an event; its items and its payload follow. */
struct line {
	size_t size;		/* of all that, a multiple of 8 */
	size_t name, path;	/* of the process, in the batch's names; 0: not known */
	int64_t time;
	uint32_t ext_len, data_len;
	uint16_t cpu, logger_id;
	uint16_t buffer_flags;
	uint8_t nanos;
	struct etw_event_header header;
};

struct batch {
	struct etw_text events;
	struct etw_text names;
	size_t name, path;	/* of the last event's process, as in struct line */
	int64_t first, before;	/* for the printer that formats it */
	bool done;
	/* What formatting leaves */
	size_t at;		/* the events up to here are in out */
	int64_t next_before;
	bool lacks_names;
	struct etw_text out;	/* lines */
	struct etw_text unnamed;	/* GUIDs of the providers of events without names */
};

struct worker {
	struct event_workers *workers;
	struct event_printer printer;
	pthread_t thread;
};

struct event_workers {
	struct event_printer *printer;	/* the main thread's */
	event_print_fn *print;
	struct unnamed *unnamed;
	unsigned int wanted, count;
	bool started;
	unsigned int room;		/* batches in use at a time */
	int64_t before;			/* time of the event before */
	pthread_mutex_t lock;
	pthread_cond_t work, finished;
	/* Under the lock: written <= taken <= filled <= written + room; one more may be open */
	uint64_t written, taken, filled;
	bool alone;			/* the workers take no more batches */
	bool ended;
	struct batch batches[BATCHES];
	struct worker list[THREADS_MAX];
};

static struct batch *batch_at(struct event_workers *workers, uint64_t i)
{
	return &workers->batches[i % workers->room];
}

/* ---------------------------------------------------------------- formatting */

static const char *name_at(const struct batch *batch, size_t at)
{
	return at ? batch->names.data + at : NULL;
}

/* Make the event of a line; its other members are zero. */
static void set_event(struct etw_event *event, struct etw_buffer_header *buffer,
		      const struct line *line)
{
	const uint8_t *behind = (const uint8_t *)(line + 1);

	event->record = (struct etw_record_view){
		.header = &line->header, .ext = behind, .ext_len = line->ext_len,
		.data = behind + line->ext_len, .data_len = line->data_len,
	};
	event->time = line->time;
	event->cpu = line->cpu;
	event->logger_id = line->logger_id;
	event->nanos = line->nanos;
	buffer->flags = line->buffer_flags;
	event->buffer = buffer;
}

static void print_line(struct event_workers *workers, struct event_printer *printer,
		       struct batch *batch, const struct line *line,
		       const struct etw_event *event)
{
	const struct etw_process writer = { .name = name_at(batch, line->name),
					    .path = name_at(batch, line->path) };

	printer->writer = &writer;
	workers->print(printer, event);
	printer->writer = NULL;
	if (unnamed_is(printer))
		etw_text_add(&batch->unnamed, (const char *)&event_header(printer)->provider,
			     sizeof(struct etw_guid));
}

/* Format the rest of a batch, or a part of it, into its own text. */
static void format(struct event_workers *workers, struct event_printer *printer, struct batch *batch)
{
	struct etw_buffer_header buffer = { .flags = 0 };
	const struct etw_text own = printer->out;
	struct etw_event event = { .cpu = 0 };
	const struct line *line;

	batch->out.len = batch->unnamed.len = 0;
	printer->out = batch->out;
	printer->first = batch->first;
	printer->before = batch->at ? batch->next_before : batch->before;
	printer->begun = true;
	printer->lacks_names = false;
	for (; batch->at < batch->events.len && printer->out.len < OUT_BYTES; batch->at += line->size) {
		line = (const struct line *)(batch->events.data + batch->at);
		set_event(&event, &buffer, line);
		print_line(workers, printer, batch, line, &event);
	}
	text_check(&batch->unnamed);
	batch->next_before = printer->before;
	batch->lacks_names = printer->lacks_names;
	batch->out = printer->out;
	printer->out = own;
}

/* Format the next batch, if there is one; the lock is held. */
static bool take_one(struct event_workers *workers, struct event_printer *printer)
{
	struct batch *batch;

	if (workers->taken == workers->filled)
		return false;
	batch = batch_at(workers, workers->taken++);
	pthread_mutex_unlock(&workers->lock);
	format(workers, printer, batch);
	pthread_mutex_lock(&workers->lock);
	batch->done = true;
	pthread_cond_signal(&workers->finished);
	return true;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct event_workers *workers = worker->workers;

	pthread_mutex_lock(&workers->lock);
	while (!workers->ended)
		if (workers->alone || !take_one(workers, &worker->printer))
			pthread_cond_wait(&workers->work, &workers->lock);
	pthread_mutex_unlock(&workers->lock);
	return NULL;
}

/* Start the workers, with signals left to the main thread; with fewer it just takes longer. */
static void start(struct event_workers *workers)
{
	sigset_t all, before;

	workers->started = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; workers->count < workers->wanted; workers->count++) {
		struct worker *worker = &workers->list[workers->count];
		const struct event_printer *model = workers->printer;

		worker->workers = workers;
		worker->printer = (struct event_printer){
			.time = model->time, .hex = model->hex, .message = model->message,
			.gathers = true, .has_names = model->names,
		};
		if (pthread_create(&worker->thread, NULL, work, worker))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* -------------------------------------------------------------------- writing */

static void write_part(struct event_workers *workers, const struct batch *batch)
{
	struct etw_guid guid;
	size_t at;

	for (at = 0; at < batch->unnamed.len; at += sizeof(guid)) {
		memcpy(&guid, batch->unnamed.data + at, sizeof(guid));
		unnamed_count(workers->unnamed, &guid);
	}
	if (batch->out.len)
		fwrite(batch->out.data, 1, batch->out.len, stdout);
}

/* Write a batch that was formatted, and empty it. */
static void write_batch(struct event_workers *workers, struct batch *batch)
{
	if (batch->lacks_names) {
		batch->at = 0;
		format(workers, workers->printer, batch);
	}
	write_part(workers, batch);
	while (batch->at < batch->events.len && !ferror(stdout)) {
		format(workers, workers->printer, batch);
		write_part(workers, batch);
	}
	batch->events.len = batch->names.len = 0;
	batch->done = false;
}

/*
 * Write the batches that are done until no more than so many are left, and format some if
 * none is done.
 */
static void write_until(struct event_workers *workers, uint64_t left)
{
	struct batch *batch;

	pthread_mutex_lock(&workers->lock);
	while (workers->filled != workers->written) {
		batch = batch_at(workers, workers->written);
		if (batch->done) {
			workers->alone |= batch->lacks_names;
			pthread_mutex_unlock(&workers->lock);
			write_batch(workers, batch);
			pthread_mutex_lock(&workers->lock);
			workers->written++;
		} else if (workers->filled - workers->written <= left) {
			break;
		} else if (!take_one(workers, workers->printer)) {
			pthread_cond_wait(&workers->finished, &workers->lock);
		}
	}
	pthread_mutex_unlock(&workers->lock);
}

/* -------------------------------------------------------------------- filling */

/* The open batch, which has room for another event */
static struct batch *open_batch(struct event_workers *workers, const struct etw_event *event)
{
	struct batch *batch = batch_at(workers, workers->filled);

	if (batch->events.len)
		return batch;
	if (!workers->printer->begun)
		workers->printer->first = workers->before = event->time;
	workers->printer->begun = true;
	batch->first = workers->printer->first;
	batch->before = workers->before;
	batch->at = batch->name = batch->path = 0;
	/* No name is at 0. */
	etw_text_char(&batch->names, '\0');
	return batch;
}

/* Hand the open batch over, if it has events. */
static void close_batch(struct event_workers *workers)
{
	if (!batch_at(workers, workers->filled)->events.len)
		return;
	/* The output of most commands is short. */
	if (workers->filled && !workers->started)
		start(workers);
	pthread_mutex_lock(&workers->lock);
	workers->filled++;
	pthread_cond_signal(&workers->work);
	pthread_mutex_unlock(&workers->lock);
	write_until(workers, workers->count && !workers->alone ? workers->room - 1 : 0);
}

/* Where a string is in the batch's names; mostly the last one was the same. */
static size_t put_name(struct batch *batch, const char *name, size_t last)
{
	size_t at = batch->names.len;

	if (!name)
		return 0;
	if (last && !strcmp(batch->names.data + last, name))
		return last;
	etw_text_add(&batch->names, name, strlen(name) + 1);
	return at;
}

static void find_writer(const struct processes *processes, struct batch *batch,
			const struct etw_event *event)
{
	const void *key = items_find(&event->record, ETW_EXT_PROCESS_START_KEY, sizeof(uint64_t));
	struct etw_process process;
	uint64_t number;

	if (key)
		memcpy(&number, key, sizeof(number));
	if (!processes_find(processes, event->record.header->process_id, event->time,
			    key ? &number : NULL, &process))
		process = (struct etw_process){ .name = NULL };
	batch->name = put_name(batch, process.name, batch->name);
	batch->path = put_name(batch, process.path, batch->path);
	text_check(&batch->names);
}

static void keep_event(struct event_workers *workers, const struct etw_event *event)
{
	const struct etw_record_view *record = &event->record;
	const size_t size = (sizeof(struct line) + record->ext_len + record->data_len + 7) / 8 * 8;
	struct batch *batch = open_batch(workers, event);
	struct line *line = (struct line *)etw_text_room(&batch->events, size);

	text_check(&batch->events);
	if (workers->printer->processes)
		find_writer(workers->printer->processes, batch, event);
	line->size = size;
	line->name = batch->name;
	line->path = batch->path;
	line->time = event->time;
	line->ext_len = record->ext_len;
	line->data_len = record->data_len;
	line->cpu = event->cpu;
	line->logger_id = event->logger_id;
	line->buffer_flags = event->buffer->flags;
	line->nanos = event->nanos;
	line->header = *record->header;
	if (record->ext_len)
		memcpy(line + 1, record->ext, record->ext_len);
	if (record->data_len)
		memcpy((char *)(line + 1) + record->ext_len, record->data, record->data_len);
	etw_text_end(&batch->events, (char *)line + size);
	workers->before = event->time;
	if (batch->events.len >= BATCH_BYTES)
		close_batch(workers);
}

/* Losses name providers by what the main thread knows. */
static void print_loss(struct event_workers *workers, const struct etw_event *event)
{
	struct event_printer *printer = workers->printer;

	event_workers_wait(workers);
	if (printer->begun)
		printer->before = workers->before;
	workers->print(printer, event);
	workers->before = event->time;
	event_write(printer);
}

static void workers_print(struct event_printer *printer, const struct etw_event *event)
{
	struct etw_loss loss;

	printer->is_loss = !printer->hex && etw_loss_of(event, &loss);
	if (printer->is_loss)
		print_loss(printer->workers, event);
	else
		keep_event(printer->workers, event);
}

/* ----------------------------------------------------------- begin and end */

static bool can_have_workers(const struct event_printer *printer, event_print_fn *print)
{
	return (print == event_print_text || print == event_print_json) && !printer->colour &&
	       !printer->layout && !printer->symbols && !printer->given &&
	       (!printer->processes || !printer->processes->procs);
}

/* Processors that this process may use */
static unsigned int count_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned int)CPU_COUNT(&set);
}

void event_workers_begin(struct event_printer *printer, event_print_fn **print,
		      struct unnamed *unnamed)
{
	const unsigned int cpus = count_cpus();
	struct event_workers *workers;

	if (cpus < 2 || !can_have_workers(printer, *print))
		return;
	workers = cli_calloc(1, sizeof(*workers));
	workers->printer = printer;
	workers->print = *print;
	workers->unnamed = unnamed;
	workers->wanted = cpus - 1 < THREADS_MAX ? cpus - 1 : THREADS_MAX;
	workers->room = 2 * workers->wanted + 2;
	pthread_mutex_init(&workers->lock, NULL);
	pthread_cond_init(&workers->work, NULL);
	pthread_cond_init(&workers->finished, NULL);
	printer->workers = workers;
	printer->gathers = true;
	*print = workers_print;
}

void event_workers_wait(struct event_workers *workers)
{
	close_batch(workers);
	write_until(workers, 0);
}

void event_workers_schema(struct event_workers *workers, const struct etw_event *event)
{
	unsigned int i;

	event_workers_wait(workers);
	if (!workers->started)
		start(workers);
	pthread_mutex_lock(&workers->lock);
	for (i = 0; i < workers->count; i++)
		event_learn(&workers->list[i].printer, event);
	pthread_mutex_unlock(&workers->lock);
}

void event_workers_free(struct event_workers *workers)
{
	unsigned int i;

	if (!workers)
		return;
	pthread_mutex_lock(&workers->lock);
	workers->ended = true;
	pthread_cond_broadcast(&workers->work);
	pthread_mutex_unlock(&workers->lock);
	for (i = 0; i < workers->count; i++) {
		pthread_join(workers->list[i].thread, NULL);
		event_release(&workers->list[i].printer);
	}
	for (i = 0; i < BATCHES; i++) {
		etw_text_free(&workers->batches[i].events);
		etw_text_free(&workers->batches[i].names);
		etw_text_free(&workers->batches[i].out);
		etw_text_free(&workers->batches[i].unnamed);
	}
	pthread_cond_destroy(&workers->finished);
	pthread_cond_destroy(&workers->work);
	pthread_mutex_destroy(&workers->lock);
	free(workers);
}
