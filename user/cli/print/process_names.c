/* SPDX-License-Identifier: MIT */
/*
 * process_names.c - the names of processes and threads that wrote events
 *
 * A slot of the cache has the thread that had an id at the last lookup, and the time for which
 * that is certain: from the thread's start, as in /proc, to the lookup.  An event within this
 * time is the thread's.  An earlier event is of another thread, whose name is gone.  A later
 * event needs another lookup.
 *
 * /proc has start times in ticks of 1/100 s since boot.  The tick of its start counts as the
 * thread's own, because an id is reused only after all others, which takes longer.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "process_names.h"

#define SLOTS		4096	/* a power of 2 */
#define PROBES		8
#define NAME_SIZE	64
#define STAT_START	22	/* field of /proc/PID/stat: the start */
#define SECOND		10000000LL	/* in the unit of events' times */
#define INIT_PID_NS	0xEFFFFFFCu	/* inode number of the initial PID namespace */

/* A start key: units of 2^20 ns since boot, then the id (see module/write/extended_items.c) */
#define KEY_ID_BITS	22
#define KEY_UNIT_SHIFT	20

struct slot {
	uint32_t pid, tid;
	bool used;
	bool named;		/* name and the times below are valid */
	uint64_t start;		/* ticks since boot */
	int64_t from, until;	/* when the thread had the id */
	int64_t looked;		/* last lookup, successful or not */
	char name[NAME_SIZE];
};

/* Two clocks at the same moment, in the unit of events' times */
struct moment {
	int64_t wall;		/* since 1601 */
	int64_t boot;		/* since the machine was booted */
	int64_t apart;		/* time between the two readings, at most */
};

struct procs {
	int proc;		/* directory */
	long ticks;		/* per second */
	void (*now)(struct moment *moment);
	int64_t offset;		/* wall - boot, until the clock is set */
	int64_t apart;		/* of the moment of offset */
	bool set;		/* the clock was set: times prove nothing any more */
	struct slot *last;	/* found last: not reused by the next lookup */
	struct slot slots[SLOTS];
};

static int64_t unit_of(const struct timespec *ts)
{
	return ts->tv_sec * SECOND + ts->tv_nsec / 100;
}

/* Take the best of a few tries. */
static void read_clocks(struct moment *moment)
{
	struct timespec before, wall, after;
	int64_t apart;
	int tries;

	moment->apart = INT64_MAX;
	for (tries = 0; tries < 8 && moment->apart > SECOND / 10000; tries++) {
		clock_gettime(CLOCK_BOOTTIME, &before);
		clock_gettime(CLOCK_REALTIME, &wall);
		clock_gettime(CLOCK_BOOTTIME, &after);
		apart = unit_of(&after) - unit_of(&before);
		if (apart >= moment->apart)
			continue;
		moment->apart = apart;
		moment->boot = unit_of(&before);
		moment->wall = unit_of(&wall) + ETW_UNIX_EPOCH_100NS;
	}
}

/* Is /proc that of the initial PID namespace, whose ids events have? */
static bool ids_are_ours(void)
{
	char self[32], own[32];
	struct stat ns;
	ssize_t len = readlink("/proc/self", self, sizeof(self) - 1);

	if (len < 0 || stat("/proc/self/ns/pid", &ns))
		return false;
	self[len] = '\0';
	snprintf(own, sizeof(own), "%d", getpid());
	return !strcmp(self, own) && ns.st_ino == INIT_PID_NS;
}

static struct procs *procs_open(const char *proc, long ticks,
				void (*now)(struct moment *moment))
{
	struct procs *procs = calloc(1, sizeof(*procs));
	struct moment moment;

	if (!procs)
		cli_die("out of memory");
	procs->proc = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (procs->proc < 0) {
		free(procs);
		return NULL;
	}
	procs->ticks = ticks > 0 ? ticks : 100;
	procs->now = now;
	now(&moment);
	procs->offset = moment.wall - moment.boot;
	procs->apart = moment.apart;
	return procs;
}

struct procs *procs_new(void)
{
	return ids_are_ours() ? procs_open("/proc", sysconf(_SC_CLK_TCK), read_clocks) : NULL;
}

void procs_free(struct procs *procs)
{
	if (!procs)
		return;
	close(procs->proc);
	free(procs);
}

/* ------------------------------------------------------------------- looking */

/* The name may hold anything, parentheses too: it ends at the last one. */
static bool parse_stat(char *line, char name[NAME_SIZE], uint64_t *start)
{
	char *open = strchr(line, '('), *close = strrchr(line, ')'), *at;
	int field;

	if (!open || !close || close < open)
		return false;
	*close = '\0';
	snprintf(name, NAME_SIZE, "%s", open + 1);
	at = close + 1;
	for (field = 2; at && field < STAT_START; field++) {
		at = strchr(at, ' ');
		at += at ? 1 : 0;
	}
	if (!at || *at < '0' || *at > '9')
		return false;
	*start = strtoull(at, NULL, 10);
	return true;
}

static bool read_stat(const struct procs *procs, uint32_t pid, uint32_t tid,
		      char name[NAME_SIZE], uint64_t *start)
{
	char path[64], line[1024];
	ssize_t len;
	int fd;

	if (pid == tid)
		snprintf(path, sizeof(path), "%u/stat", pid);
	else
		snprintf(path, sizeof(path), "%u/task/%u/stat", pid, tid);
	fd = openat(procs->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (len <= 0)
		return false;
	line[len] = '\0';
	return parse_stat(line, name, start);
}

/* Look a thread up.  If the id is not used, what is known of its last thread stays. */
static void look(struct procs *procs, struct slot *slot)
{
	char name[NAME_SIZE];
	struct moment now;
	uint64_t start;
	bool found;

	/* Read the clock first: a thread that is found then was alive at that time, too. */
	procs->now(&now);
	found = read_stat(procs, slot->pid, slot->tid, name, &start);
	if (llabs(now.wall - now.boot - procs->offset) >
	    SECOND / procs->ticks + now.apart + procs->apart)
		procs->set = true;
	slot->looked = now.wall;
	if (!found)
		return;
	memcpy(slot->name, name, sizeof(name));
	slot->named = true;
	slot->start = start;
	slot->from = (int64_t)(start * (uint64_t)(SECOND / procs->ticks)) + procs->offset;
	slot->until = now.wall;
}

/* ------------------------------------------------------------------- finding */

/* The slot of these ids; a new one replaces the slot with the oldest lookup. */
static struct slot *find_slot(struct procs *procs, uint32_t pid, uint32_t tid)
{
	uint32_t hash = (pid * 2654435761u ^ tid * 2246822519u) >> 16;
	struct slot *oldest = NULL;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		struct slot *slot = &procs->slots[(hash + i) & (SLOTS - 1)];

		if (slot->used && slot->pid == pid && slot->tid == tid) {
			procs->last = slot;
			return slot;
		}
		if (slot == procs->last)
			continue;
		if (!oldest || (oldest->used && (!slot->used || slot->looked < oldest->looked)))
			oldest = slot;
	}
	memset(oldest, 0, sizeof(*oldest));
	oldest->used = true;
	oldest->pid = pid;
	oldest->tid = tid;
	oldest->looked = INT64_MIN;
	procs->last = oldest;
	return oldest;
}

/* Is it the process with this key?  Its start is compared in both units. */
static bool has_key(const struct procs *procs, const struct slot *slot, uint64_t key)
{
	const uint64_t tick = 1000000000ull / procs->ticks;
	uint64_t first = key >> KEY_ID_BITS << KEY_UNIT_SHIFT;

	return slot->named && (key & ((1u << KEY_ID_BITS) - 1)) == slot->pid &&
	       slot->start * tick < first + (1u << KEY_UNIT_SHIFT) &&
	       (slot->start + 1) * tick > first;
}

/*
 * Look the process with this key up again, because names change.  If another process has its
 * id by now, keep the last name.
 */
static void look_by_key(struct procs *procs, struct slot *slot, uint64_t key)
{
	struct slot before = *slot;

	look(procs, slot);
	if (has_key(procs, &before, key) && !has_key(procs, slot, key))
		*slot = before;
}

const char *procs_get(struct procs *procs, uint32_t pid, uint32_t tid, int64_t time,
		      const uint64_t *key)
{
	struct slot *slot;

	if (!pid)
		return "swapper";
	slot = find_slot(procs, pid, tid);
	if (key && pid == tid) {
		if (time > slot->looked)
			look_by_key(procs, slot, *key);
		return has_key(procs, slot, *key) ? slot->name : NULL;
	}
	if (time > slot->looked)
		look(procs, slot);
	if (procs->set || !slot->named || time < slot->from || time > slot->until)
		return NULL;
	return slot->name;
}
