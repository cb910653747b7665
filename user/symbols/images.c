/* SPDX-License-Identifier: MIT */
/*
 * images.c - which file a process could execute at an address, from a trace's own events
 *
 * What is known of a process id is a list by time. The kernel writes the mappings of a program
 * before it says that the program was executed, so that event does not tell old mappings from new
 * ones: a later mapping at the same place does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/table.h"
#include "etl/record.h"
#include "images.h"

#define FORKS_MAX	64	/* parents that are asked for what they had mapped */
#define ANSWERS		4096	/* kept, a power of two */
#define ENDED_BEFORE	(10 * 10000000ll)	/* 10 s: events are late by far less */

enum note_kind { NOTE_MAPPED, NOTE_RUNDOWN, NOTE_START };

struct note {
	int64_t time;
	uint64_t begin, end, offset;
	uint64_t key;			/* of the process; 0: not known */
	const struct image_file *file;	/* NOTE_START: NULL */
	uint32_t parent;		/* NOTE_START */
	enum note_kind kind;
};

struct process {
	uint32_t pid;
	struct note *notes;
	uint32_t count;
	int64_t ended;			/* 0: not known */
};

struct answer {
	uint64_t address;
	int64_t since, until;		/* it holds in this time */
	uint32_t pid, version;		/* version 0: none */
	struct image image;
};

struct images {
	struct etw_table processes, files;
	size_t notes, bytes;
	bool any;
	uint64_t left_out;
	int64_t latest;
	uint32_t version;		/* another one after each change; from 1 */
	struct answer answers[ANSWERS];
};

struct images *images_new(void)
{
	struct images *images = calloc(1, sizeof(*images));

	if (images)
		images->version = 1;
	return images;
}

static void free_process(void *entry)
{
	struct process *process = entry;

	free(process->notes);
	free(process);
}

void images_free(struct images *images)
{
	if (!images)
		return;
	etw_table_clear(&images->processes, free_process);
	etw_table_clear(&images->files, free);
	free(images);
}

bool images_any(const struct images *images)
{
	return images->any;
}

uint64_t images_left_out(const struct images *images)
{
	return images->left_out;
}

/* ---------------------------------------------------------------------- tables */

static uint64_t pid_hash(uint32_t pid)
{
	return etw_hash_number(etw_hash_seed(), pid);
}

static bool has_pid(const void *entry, const void *key)
{
	return ((const struct process *)entry)->pid == *(const uint32_t *)key;
}

static struct process *process_find(const struct images *images, uint32_t pid)
{
	return etw_table_find(&images->processes, pid_hash(pid), has_pid, &pid);
}

/* NULL: no memory. */
static struct process *process_get(struct images *images, uint32_t pid)
{
	struct process *process = process_find(images, pid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	if (etw_table_add(&images->processes, pid_hash(pid), process)) {
		free(process);
		return NULL;
	}
	return process;
}

static uint64_t file_hash(const struct image_file *file)
{
	return etw_hash(etw_hash(0, file->build_id, file->build_id_len), file->path,
			strlen(file->path));
}

static bool same_file(const void *entry, const void *key)
{
	const struct image_file *one = entry, *other = key;

	return one->build_id_len == other->build_id_len &&
	       !memcmp(one->build_id, other->build_id, one->build_id_len) &&
	       !strcmp(one->path, other->path);
}

/* The one that stays; NULL and *err 0: there is no room for it. */
static const struct image_file *file_get(struct images *images, const struct image_file *like,
					 int *err)
{
	const uint64_t hash = file_hash(like);
	struct image_file *file = etw_table_find(&images->files, hash, same_file, like);
	const size_t len = strlen(like->path) + 1;

	*err = 0;
	if (file)
		return file;
	if (images->files.count >= IMAGES_FILES_MAX || len > IMAGES_BYTES - images->bytes)
		return NULL;
	file = malloc(sizeof(*file) + len);
	if (!file || etw_table_add(&images->files, hash, file)) {
		free(file);
		*err = -ENOMEM;
		return NULL;
	}
	*file = *like;
	file->path = memcpy(file + 1, like->path, len);
	images->bytes += len;
	return file;
}

const struct image_file *images_file(struct images *images, const struct image_file *like)
{
	int err;

	return file_get(images, like, &err);
}

/* ----------------------------------------------------------------------- notes */

static int compare(const void *a, const void *b)
{
	const struct note *one = a, *other = b;

	if (one->time != other->time)
		return one->time < other->time ? -1 : 1;
	if (one->kind != other->kind)
		return one->kind == NOTE_START ? -1 : other->kind == NOTE_START ? 1 :
		       one->kind < other->kind ? -1 : 1;
	if (one->begin != other->begin)
		return one->begin < other->begin ? -1 : 1;
	return one->end < other->end ? -1 : one->end > other->end;
}

/* How many notes are not later than that */
static uint32_t until(const struct process *process, int64_t time)
{
	uint32_t low = 0, high = process->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (process->notes[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where it belongs; false: it is there already, for files may be read twice. */
static bool find_place(const struct process *process, const struct note *note, uint32_t *at)
{
	int order = -1;

	for (*at = until(process, note->time); *at; --*at) {
		order = compare(&process->notes[*at - 1], note);
		if (order <= 0)
			break;
	}
	return order || !*at;
}

/* Forget what processes had that ended a while ago. */
static void make_room(struct images *images)
{
	struct process *process;
	size_t i;

	for (i = 0; i < images->processes.size; i++) {
		process = images->processes.slots[i].entry;
		if (!process || !process->ended ||
		    process->ended > images->latest - ENDED_BEFORE)
			continue;
		images->notes -= process->count;
		free(process->notes);
		process->notes = NULL;
		process->count = 0;
		process->ended = 0;
	}
	images->version++;
}

static int note_add(struct images *images, uint32_t pid, const struct note *note)
{
	struct process *process = process_get(images, pid);
	struct note *grown;
	uint32_t at;

	if (!process)
		return -ENOMEM;
	if (!find_place(process, note, &at))
		return 0;
	if (images->notes >= IMAGES_MAX) {
		make_room(images);
		at = at < process->count ? at : process->count;
	}
	if (images->notes >= IMAGES_MAX || process->count >= IMAGES_EACH_MAX) {
		images->left_out++;
		return 0;
	}
	grown = etw_grow(process->notes, process->count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	process->notes = grown;
	memmove(process->notes + at + 1, process->notes + at,
		(process->count - at) * sizeof(*process->notes));
	process->notes[at] = *note;
	process->count++;
	images->notes++;
	images->version++;
	return 0;
}

static int mapping_add(struct images *images, uint32_t pid, struct note *note,
		       const struct image_file *file)
{
	int err;

	note->file = file_get(images, file, &err);
	if (!note->file) {
		images->left_out += !err;
		return err;
	}
	images->any = true;
	return note_add(images, pid, note);
}

/* ---------------------------------------------------------------------- events */

bool images_is(const struct etw_event *event)
{
	return etw_kind_names_image(event->record.header);
}

static int take_image(struct images *images, const struct etw_event *event)
{
	const struct etw_record_view *record = &event->record;
	const uint8_t opcode = record->header->desc.opcode;
	const char *at = record->data, *end = at + record->data_len;
	struct etw_image_payload payload;
	struct image_file file = { .path = NULL };
	struct note note = { .time = event->time };
	uint16_t len;

	if ((opcode != ETW_IMAGE_LOAD && opcode != ETW_IMAGE_RUNDOWN) ||
	    record->data_len < sizeof(payload) + sizeof(len))
		return 0;
	memcpy(&payload, at, sizeof(payload));
	memcpy(&len, at + sizeof(payload), sizeof(len));
	at += sizeof(payload) + sizeof(len);
	if (len > end - at || !memchr(at + len, '\0', (size_t)(end - at) - len) ||
	    payload.base + payload.size < payload.base)
		return 0;
	if (len <= sizeof(file.build_id)) {
		memcpy(file.build_id, at, len);
		file.build_id_len = (uint8_t)len;
	}
	file.path = at + len;
	note.begin = payload.base;
	note.end = payload.base + payload.size;
	note.offset = payload.offset;
	note.key = payload.start_key;
	note.kind = opcode == ETW_IMAGE_LOAD ? NOTE_MAPPED : NOTE_RUNDOWN;
	return mapping_add(images, payload.pid, &note, &file);
}

static int take_process(struct images *images, const struct etw_event *event)
{
	const uint8_t opcode = event->record.header->desc.opcode;
	struct etw_process_payload payload;
	struct process *process;
	struct note note = { .time = event->time, .kind = NOTE_START };

	if ((opcode != ETW_PROCESS_START && opcode != ETW_PROCESS_STOP) ||
	    event->record.data_len < sizeof(payload))
		return 0;
	memcpy(&payload, event->record.data, sizeof(payload));
	if (opcode == ETW_PROCESS_STOP) {
		process = process_find(images, payload.pid);
		if (process)
			process->ended = event->time;
		return 0;
	}
	note.key = payload.start_key;
	note.parent = payload.parent;
	return note_add(images, payload.pid, &note);
}

void images_pass(struct images *images, int64_t time)
{
	if (time > images->latest)
		images->latest = time;
}

int images_take(struct images *images, const struct etw_event *event)
{
	images_pass(images, event->time);
	if (images_is(event))
		return take_image(images, event);
	return etw_kind_names_process(event->record.header) ? take_process(images, event) : 0;
}

/* --------------------------------------------------------------------- finding */

static bool covers(const struct note *note, uint64_t address)
{
	return note->file && address >= note->begin && address < note->end;
}

static bool other_process(const struct note *one, const struct note *other)
{
	return one->key && other->key && one->key != other->key;
}

/* The note for it among the first so many of a process; NULL and *start: it is its parent's. */
static const struct note *find_back(const struct process *process, uint32_t count,
				    uint64_t address, const struct note **start)
{
	const struct note *note;
	uint32_t i;

	*start = NULL;
	for (i = count; i; i--) {
		note = &process->notes[i - 1];
		if (other_process(note, &process->notes[count - 1]))
			return NULL;
		if (note->kind == NOTE_START)
			*start = note;
		if (note->kind == NOTE_START || covers(note, address))
			return note->file ? note : NULL;
	}
	return NULL;
}

/* What a later rundown found was there before, too. */
static const struct note *find_ahead(const struct process *process, uint32_t from,
				     uint64_t address)
{
	const struct note *note;
	uint32_t i;

	for (i = from; i < process->count; i++) {
		note = &process->notes[i];
		if (note->kind == NOTE_START)
			return NULL;
		if (note->kind == NOTE_RUNDOWN && covers(note, address))
			return note;
	}
	return NULL;
}

static const struct note *find_note(const struct images *images, const struct process *process,
				    int64_t time, uint64_t address)
{
	const struct process *ancestor = process;
	const struct note *note, *start;
	int64_t forked = time;
	unsigned int forks;

	for (forks = 0; ancestor && forks < FORKS_MAX; forks++) {
		note = find_back(ancestor, until(ancestor, forked), address, &start);
		if (note)
			return note;
		if (!start)
			break;
		forked = start->time;
		ancestor = process_find(images, start->parent);
	}
	/* A parent may have had it before its own rundown, too. */
	note = find_ahead(process, until(process, time), address);
	return note || !ancestor || ancestor == process ? note :
	       find_ahead(ancestor, until(ancestor, forked), address);
}

/* The time between two notes of a process */
static void find_period(const struct process *process, int64_t time, int64_t *since, int64_t *end)
{
	const uint32_t count = until(process, time);

	*since = count ? process->notes[count - 1].time : INT64_MIN;
	*end = count < process->count ? process->notes[count].time : INT64_MAX;
}

uint32_t images_period(const struct images *images, uint32_t pid, int64_t time, int64_t *since,
		       int64_t *end)
{
	const struct process *process = process_find(images, pid);

	*since = INT64_MIN;
	*end = INT64_MAX;
	if (process)
		find_period(process, time, since, end);
	return images->version;
}

uint32_t images_version(const struct images *images)
{
	return images->version;
}

static void answer(const struct images *images, const struct process *process, int64_t time,
		   uint64_t address, struct answer *to)
{
	const struct note *note = find_note(images, process, time, address);

	*to = (struct answer){
		.address = address, .pid = process->pid, .version = images->version,
	};
	find_period(process, time, &to->since, &to->until);
	if (note)
		to->image = (struct image){ note->file, note->begin, note->end, note->offset };
}

bool images_find(struct images *images, uint32_t pid, int64_t time, uint64_t address,
		 struct image *image)
{
	const uint64_t hash = etw_hash_number(etw_hash_seed(), address ^ (uint64_t)pid << 48);
	struct answer *known = &images->answers[hash % ANSWERS];
	const struct process *process;

	if (known->version != images->version || known->pid != pid || known->address != address ||
	    time < known->since || time >= known->until) {
		process = process_find(images, pid);
		if (!process)
			return false;
		answer(images, process, time, address, known);
	}
	*image = known->image;
	return image->file;
}
