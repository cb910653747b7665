// SPDX-License-Identifier: MIT
/*
 * process_table.c - which process an id stood for at a time
 *
 * A process has a life: from its start to its end, of which either may be unknown. Lives of
 * one id do not overlap, so the one that began last before a time had the id then. A life has
 * names, each from a time on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <etw/format.h>

#include "base/table.h"
#include "process_private.h"

#define BUCKETS		16384
#define MILLISECOND	10000LL		/* in units of FILETIME */

/* A start is computed from two clocks, so it may lie behind the process's first event. */
#define EARLY		(10 * MILLISECOND)
/* While a process ends, drivers still write for it, or release what it had. */
#define LATE		(1000 * MILLISECOND)

struct process_name {
	TAILQ_ENTRY(process_name) by_time;
	int64_t from;
	size_t size;
	bool changed;		/* it was another one before */
	const char *path;	/* "": the same as before */
	char name[];
};

struct life {
	LIST_ENTRY(life) chain;		/* in its bucket, the one used last first */
	TAILQ_ENTRY(life) by_use;
	TAILQ_HEAD(process_names, process_name) names;
	uint32_t pid, parent;
	uint64_t key;		/* 0: not known */
	int64_t start, end;	/* INT64_MIN, INT64_MAX: not known */
	int64_t parent_at;	/* when it had that parent: another one adopts it later */
	unsigned int name_count;
};

struct etw_process_table {
	LIST_HEAD(, life) buckets[BUCKETS];
	TAILQ_HEAD(, life) used;	/* the one used last is the last */
	size_t count, max, bytes;
	uint64_t forgotten;
	struct etw_process_reader reader;
};

struct etw_process_table *etw_process_table_new(size_t max)
{
	struct etw_process_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	TAILQ_INIT(&table->used);
	table->max = max ? max : ETW_PROCESSES_MAX;
	return table;
}

static void free_name(struct etw_process_table *table, struct life *life,
		      struct process_name *name)
{
	TAILQ_REMOVE(&life->names, name, by_time);
	life->name_count--;
	table->bytes -= name->size;
	free(name);
}

static void free_life(struct etw_process_table *table, struct life *life)
{
	struct process_name *name;

	while ((name = TAILQ_FIRST(&life->names)))
		free_name(table, life, name);
	LIST_REMOVE(life, chain);
	TAILQ_REMOVE(&table->used, life, by_use);
	table->count--;
	free(life);
}

void etw_process_table_free(struct etw_process_table *table)
{
	struct life *life;

	if (!table)
		return;
	while ((life = TAILQ_FIRST(&table->used)))
		free_life(table, life);
	etw_process_reader_free(&table->reader);
	free(table);
}

uint64_t etw_process_forgotten(const struct etw_process_table *table)
{
	return table->forgotten;
}

/* --------------------------------------------------------------------- lives */

static size_t bucket_of(uint32_t pid)
{
	return etw_hash_number(etw_hash_seed(), pid) % BUCKETS;
}

static int64_t add_time(int64_t time, int64_t more)
{
	return __builtin_add_overflow(time, more, &time) ? more < 0 ? INT64_MIN : INT64_MAX : time;
}

static struct life *find_key(struct etw_process_table *table, uint32_t pid, uint64_t key)
{
	struct life *life;

	LIST_FOREACH(life, &table->buckets[bucket_of(pid)], chain)
		if (life->pid == pid && life->key == key)
			return life;
	return NULL;
}

/* The life that began last before this time, even if it has ended */
static struct life *find_begun(struct etw_process_table *table, uint32_t pid, int64_t time)
{
	struct life *life, *best = NULL;

	LIST_FOREACH(life, &table->buckets[bucket_of(pid)], chain)
		if (life->pid == pid && life->start <= time && (!best || life->start >= best->start))
			best = life;
	return best;
}

static struct life *find_life(struct etw_process_table *table, uint32_t pid, int64_t time,
			      const uint64_t *key)
{
	struct life *life;

	if (key)
		return find_key(table, pid, *key);
	life = find_begun(table, pid, time);
	if (!life || add_time(life->end, LATE) < time)
		life = find_begun(table, pid, add_time(time, EARLY));
	return life && add_time(life->end, LATE) >= time ? life : NULL;
}

static void use(struct etw_process_table *table, struct life *life)
{
	TAILQ_REMOVE(&table->used, life, by_use);
	TAILQ_INSERT_TAIL(&table->used, life, by_use);
	LIST_REMOVE(life, chain);
	LIST_INSERT_HEAD(&table->buckets[bucket_of(life->pid)], life, chain);
}

static void forget(struct etw_process_table *table, struct life *life)
{
	free_life(table, life);
	table->forgotten++;
}

/* Leave room for one more life of an id: every search for it looks at all of them. */
static void limit_lives(struct etw_process_table *table, uint32_t pid)
{
	struct life *life, *last = NULL;
	unsigned int count = 0;

	LIST_FOREACH(life, &table->buckets[bucket_of(pid)], chain) {
		if (life->pid != pid)
			continue;
		count++;
		last = life;
	}
	if (count >= ETW_PROCESS_LIVES)
		forget(table, last);
}

static struct life *new_life(struct etw_process_table *table, uint32_t pid, int64_t start)
{
	struct life *life = calloc(1, sizeof(*life));

	if (!life)
		return NULL;
	limit_lives(table, pid);
	life->pid = pid;
	life->start = start;
	life->end = life->parent_at = INT64_MAX;
	TAILQ_INIT(&life->names);
	LIST_INSERT_HEAD(&table->buckets[bucket_of(pid)], life, chain);
	TAILQ_INSERT_TAIL(&table->used, life, by_use);
	table->count++;
	return life;
}

/* The life that an event is about, whose writer gives each process a key. */
static struct life *life_of_key(struct etw_process_table *table,
				const struct etw_process_note *note)
{
	struct life *life = find_key(table, note->pid, note->key);

	if (!life)
		life = new_life(table, note->pid, note->start);
	if (life)
		life->key = note->key;
	return life;
}

/* The same without keys: a start begins a life, any other event is about the last one. */
static struct life *life_of_time(struct etw_process_table *table,
				 const struct etw_process_note *note)
{
	struct life *life = find_begun(table, note->pid, note->time);

	if (note->what == ETW_PROCESS_START)
		return life && life->start == note->time ? life :
		       new_life(table, note->pid, note->time);
	if (life && life->end >= note->time)
		return life;
	return new_life(table, note->pid, life ? life->end : INT64_MIN);
}

/* --------------------------------------------------------------------- names */

/* The name at a time; before the first one, that, unless it was changed; NULL: not known. */
static struct process_name *name_at(const struct life *life, int64_t time)
{
	struct process_name *name, *found = TAILQ_FIRST(&life->names);

	if (found && found->from > time && found->changed)
		return NULL;
	TAILQ_FOREACH(name, &life->names, by_time)
		if (name->from <= time)
			found = name;
	return found;
}

/* The path at that time: an event that has none leaves it as it was. */
static const char *path_at(const struct life *life, const struct process_name *at)
{
	const struct process_name *name;
	const char *path = "";
	bool beyond = false;

	TAILQ_FOREACH(name, &life->names, by_time) {
		if (*name->path && (!beyond || !*path))
			path = name->path;
		beyond |= name == at;
	}
	return *path ? path : NULL;
}

static bool is_known(const struct life *life, const struct etw_process_note *note)
{
	const struct process_name *name = name_at(life, note->time);
	const char *path;

	if (!name || strcmp(name->name, note->name))
		return false;
	path = path_at(life, name);
	if (*note->path && (!path || strcmp(path, note->path)))
		return false;
	/* What happened is kept in any case: an earlier change may still come. */
	return note->what == ETW_PROCESS_RUNDOWN || note->what == ETW_PROCESS_STOP ||
	       name->from == note->time;
}

static int add_name(struct etw_process_table *table, struct life *life,
		    const struct etw_process_note *note)
{
	const size_t name_size = strlen(note->name) + 1, path_size = strlen(note->path) + 1;
	const size_t size = sizeof(struct process_name) + name_size + path_size;
	struct process_name *name, *before;

	if (!*note->name || is_known(life, note))
		return 0;
	name = malloc(size);
	if (!name)
		return -ENOMEM;
	name->from = note->time;
	name->size = size;
	name->changed = note->changed;
	memcpy(name->name, note->name, name_size);
	name->path = memcpy(name->name + name_size, note->path, path_size);
	TAILQ_FOREACH_REVERSE(before, &life->names, process_names, by_time)
		if (before->from <= name->from)
			break;
	if (before)
		TAILQ_INSERT_AFTER(&life->names, before, name, by_time);
	else
		TAILQ_INSERT_HEAD(&life->names, name, by_time);
	table->bytes += size;
	if (++life->name_count > ETW_PROCESS_NAMES)
		free_name(table, life, TAILQ_FIRST(&life->names));
	return 0;
}

/* -------------------------------------------------------------------- events */

int etw_process_learn(struct etw_process_table *table, const struct etw_event *event)
{
	struct etw_process_note note;
	struct life *life;
	int ret = etw_process_read(&table->reader, event, &note);

	if (ret != 1)
		return ret;
	life = note.key ? life_of_key(table, &note) : life_of_time(table, &note);
	if (!life)
		return -ENOMEM;
	if (note.parent && note.time < life->parent_at) {
		life->parent = note.parent;
		life->parent_at = note.time;
	}
	if (note.what == ETW_PROCESS_STOP)
		life->end = note.time;
	use(table, life);
	ret = add_name(table, life, &note);
	while (table->count > 1 &&
	       (table->count > table->max || table->bytes > ETW_PROCESSES_BYTES))
		forget(table, TAILQ_FIRST(&table->used));
	return ret ? ret : 1;
}

static bool describe(const struct life *life, int64_t time, struct etw_process *process)
{
	const struct process_name *name = name_at(life, time);

	if (!name)
		return false;
	*process = (struct etw_process){
		.pid = life->pid, .parent = life->parent, .start_key = life->key,
		.name = name->name, .path = path_at(life, name),
	};
	return true;
}

bool etw_process_find(struct etw_process_table *table, uint32_t pid, int64_t time,
		      const uint64_t *key, struct etw_process *process)
{
	struct life *life = find_life(table, pid, time, key);

	if (!life)
		return false;
	use(table, life);
	return describe(life, time, process);
}

bool etw_process_find_parent(struct etw_process_table *table, uint32_t pid, int64_t time,
			     const uint64_t *key, struct etw_process *parent)
{
	struct life *life = find_life(table, pid, time, key);

	if (!life || !life->parent)
		return false;
	if (life->start != INT64_MIN)
		time = life->start;
	return etw_process_find(table, life->parent, time, NULL, parent);
}
