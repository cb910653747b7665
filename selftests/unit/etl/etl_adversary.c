// SPDX-License-Identifier: MIT
/*
 * An adversary of the judge of log files. Each run simulates one or two sessions, with losses
 * of their own, and then drops, repeats, moves, mixes, cuts off and alters buffers and files.
 * The judge must not call complete what lacks an event of the writers' tally, and the bounds
 * of its gaps must hold every event that is missing. What etw merge makes of some of these files
 * gets the same verdict.
 *
 *	etl_adversary [--runs N] [--seed N]
 *
 * Each run has a seed of its own, the first one that given: --runs 1 --seed N repeats one.
 *
 * What no judge can see: the format has no checksums. After bytes were altered in place, an
 * event with other bytes counts as there, and times and counts are believed as they stand; so
 * those runs check that no event is missing, but not the bounds. And no buffer is replaced by
 * one that may be there, see looks_right(); nor are bounds checked if what gave a buffer of
 * another file away may have been removed.
 */
#include "etl_simulate.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "etl/file.h"
#include "etl/record.h"
#include "etl/verify/verify.h"
#include "lib/tap.h"

#define RUNS		600
#define ANY		0	/* session */
#define STREAMS		2	/* sessions of a run */

static char folder[] = "/tmp/etw-adversary-XXXXXX";

/* What was done to the files of a run */
struct trial {
	struct sim_set set;
	uint32_t streams;	/* sessions */
	bool closed;		/* all of them closed their last file */
	bool altered;		/* bytes were altered in place, or it may look so */
	bool moved;		/* a file has a buffer of another one of its session */
	char done[512];		/* text */
};

static struct {
	unsigned int whole, gaps, unreadable, undamaged;
	unsigned int wrong, outside, low, high, alarm, late, merged, hidden, invented;
} totals;

__attribute__((__format__(__printf__, 2, 3)))
static void note(struct trial *t, const char *format, ...)
{
	size_t len = strlen(t->done);
	va_list args;

	va_start(args, format);
	vsnprintf(t->done + len, sizeof(t->done) - len, format, args);
	va_end(args);
}

/* ------------------------------------------------------------------- damage */

static void insert_into(struct sim_file *f, size_t at, const void *data, size_t len)
{
	sim_room(f, f->len + len);
	insert(f->data, &f->len, at, data, len);
}

/* The offset of some buffer but the header's, by the places of the undamaged file */
static bool pick_buffer(const struct sim_file *f, size_t *at)
{
	if (f->count < 2)
		return false;
	*at = f->at[1 + pick(f->count - 1)];
	return *at + f->size <= f->len;
}

static struct sim_file *pick_file(struct trial *t)
{
	struct sim_file *f = &t->set.files[pick(t->set.count)];

	return f->gone ? NULL : f;
}

static void drop(struct trial *t, struct sim_file *f)
{
	unsigned int n = 1 + pick(3);
	size_t at;

	if (!pick_buffer(f, &at))
		return;
	while (n > 1 && at + n * f->size > f->len)
		n--;
	cut(f->data, &f->len, at, n * f->size);
	note(t, " drop %u at %zu;", n, at);
}

static void duplicate(struct trial *t, struct sim_file *f)
{
	unsigned char copy[SIM_SIZE_MAX];
	size_t from, to;

	if (!pick_buffer(f, &from) || !pick_buffer(f, &to))
		return;
	memcpy(copy, f->data + from, f->size);
	insert_into(f, to, copy, f->size);
	note(t, " copy %zu to %zu;", from, to);
}

static void exchange(struct trial *t, struct sim_file *f)
{
	unsigned char copy[SIM_SIZE_MAX];
	size_t a, b;

	if (!pick_buffer(f, &a) || !pick_buffer(f, &b))
		return;
	memcpy(copy, f->data + a, f->size);
	if (pick(2))
		memcpy(f->data + a, f->data + b, f->size);
	memcpy(f->data + b, copy, f->size);
	note(t, " exchange %zu and %zu;", a, b);
}

/*
 * Would a file in which this buffer of another one takes a place look like one that nothing
 * happened to? The only buffer of a file may have any number, and a session of any id may append.
 */
static bool looks_right(struct sim_file *f, const struct sim_file *other, size_t from)
{
	const struct etw_buffer_header *h = (const void *)(other->data + from);

	if (other->stream == f->stream)
		return f->len == 2 * f->size;
	return sim_header(f)->mode & EVENT_TRACE_FILE_MODE_APPEND && !h->sequence;
}

/* Replace a buffer by, or insert, one of another file, which may be of another session. */
static void transplant(struct trial *t, struct sim_file *f)
{
	struct sim_file *other = &t->set.files[pick(t->set.count)];
	bool replace;
	size_t from, to;

	if (other == f || other->size != f->size || !pick_buffer(other, &from) || !pick_buffer(f, &to))
		return;
	replace = pick(2);
	if (replace && looks_right(f, other, from))
		return;
	if (replace)
		memcpy(f->data + to, other->data + from, f->size);
	else
		insert_into(f, to, other->data + from, f->size);
	t->moved |= other->stream == f->stream;
	note(t, " transplant %zu of %s session's to %zu;", from,
	     other->stream == f->stream ? "the same" : "another", to);
}

static void truncate_at(struct trial *t, struct sim_file *f)
{
	size_t at = f->size + pick((uint32_t)(f->len - f->size) + 1);

	if (pick(2))
		at -= at % f->size;
	if (at < f->size)
		return;
	f->len = at;
	note(t, " truncate to %zu;", at);
}

static void zero(struct trial *t, struct sim_file *f)
{
	size_t at;

	if (!pick_buffer(f, &at))
		return;
	memset(f->data + at, 0, f->size);
	note(t, " zero %zu;", at);
}

static void remove_file(struct trial *t, struct sim_file *f)
{
	unsigned int i, left = 0;

	for (i = 0; i < t->set.count; i++)
		left += !t->set.files[i].gone;
	if (left < 2)
		return;
	f->gone = true;
	note(t, " without file %u;", (unsigned int)(f - t->set.files));
}

/* Bytes altered in place; the header's are believed, so it stays as it is. */
static void alter(struct trial *t, struct sim_file *f)
{
	size_t at, len = pick(2) ? 1 : 1 + pick(pick(4) ? 16 : 2 * f->size);
	int how = pick(3);

	if (f->len <= f->size)
		return;
	at = f->size + pick((uint32_t)(f->len - f->size));
	/* Half of them in the head of a buffer or record */
	if (pick(2) && pick_buffer(f, &at))
		at += pick(pick(2) ? ETW_BUFFER_HEADER_SIZE : 160);
	if (at + len > f->len)
		return;
	t->altered = true;
	note(t, " alter %zu of %zu;", len, at);
	for (; len; len--, at++) {
		if (how == 0)
			f->data[at] ^= (unsigned char)(1u << pick(8));
		else
			f->data[at] = (unsigned char)(how == 1 ? 0 : pick(256));
	}
}

/* Bytes too many or too few: all behind them are displaced. */
static void displace(struct trial *t, struct sim_file *f)
{
	unsigned char noise[600];
	size_t at, len = 1 + pick(sizeof(noise)), i;

	at = f->size + pick((uint32_t)(f->len - f->size) + 1);
	t->altered = true;
	if (pick(2)) {
		for (i = 0; i < len; i++)
			noise[i] = (unsigned char)(pick(3) ? pick(256) : 0);
		insert_into(f, at, noise, len);
	} else if (at + len <= f->len) {
		cut(f->data, &f->len, at, len);
	}
	note(t, " displace from %zu;", at);
}

static void damage(struct trial *t)
{
	static void (*const kinds[])(struct trial *, struct sim_file *) = {
		drop, drop, duplicate, exchange, transplant, transplant, truncate_at, zero, remove_file,
		alter, displace,
	};
	struct sim_file *f = pick_file(t);

	t->altered |= t->moved;
	if (f)
		kinds[pick(sizeof(kinds) / sizeof(kinds[0]))](t, f);
}

/* -------------------------------------------------------------------- files */

static void path_of(unsigned int i, char path[64])
{
	snprintf(path, 64, "%s/%u.etl", folder, i);
}

static void save(const struct sim_set *set)
{
	char path[64];
	unsigned int i;
	FILE *f;

	for (i = 0; i < set->count; i++) {
		if (set->files[i].gone)
			continue;
		path_of(i, path);
		f = fopen(path, "w");
		if (!f || fwrite(set->files[i].data, set->files[i].len, 1, f) != 1 || fclose(f))
			abort();
	}
}

/*
 * Note which events a reader of the file gets. altered: records that are no event of the
 * tally; strange: events of another session
 */
static void read_file(struct trial *t, unsigned int i, unsigned int *altered,
		      unsigned int *strange)
{
	struct etw_loss_payload loss;
	struct etw_etl_file *file;
	uint32_t words[SIM_WORDS];
	struct etw_event e;
	char path[64];

	path_of(i, path);
	if (etw_etl_open(path, NULL, NULL, &file))
		return;
	while (etw_etl_next(file, &e) == 1) {
		if (etw_etl_is_system(e.record.header) || etw_loss_parse(&e.record, &loss))
			continue;
		if (e.record.data_len >= sizeof(words))
			memcpy(words, e.record.data, sizeof(words));
		if (e.record.data_len < sizeof(words) || words[2] != (~words[1] ^ words[0]) ||
		    words[1] >= t->set.event_count ||
		    t->set.events[words[1]].stream != words[0])
			++*altered;
		else if (words[0] == t->set.files[i].stream)
			t->set.events[words[1]].seen++;
		else
			++*strange;
	}
	etw_etl_close(file);
}

/* ------------------------------------------------------------------ judging */

struct judged {
	struct etw_verdict v[SIM_FILES];
	struct sim_file *file[SIM_FILES];
	unsigned int count;
	bool unreadable;
};

static void judge(struct trial *t, struct judged *j)
{
	char path[64];
	unsigned int i;

	memset(j, 0, sizeof(*j));
	for (i = 0; i < t->set.count; i++) {
		if (t->set.files[i].gone)
			continue;
		path_of(i, path);
		j->file[j->count] = &t->set.files[i];
		if (etw_etl_verify(path, &j->v[j->count]))
			j->unreadable = true;
		else
			j->count++;
	}
	if (etw_verdict_finish(j->v, j->count))
		abort();
}

/* Is an event newer than what a file covers whose session went on, as it truly did? */
static bool is_newer(const struct judged *j, const struct etw_verdict *v,
		     const struct sim_event *e)
{
	if (!v->continued || !j->file[v - j->v]->continued)
		return false;
	/* Its highest number may be another file's. */
	if (v->shuffled && e->time > v->end)
		return true;
	return e->sequence < 0 ? e->time > v->settled : e->sequence > v->high;
}

static bool is_older(const struct etw_verdict *v, const struct sim_event *e)
{
	return v->since && e->time <= v->since_time;
}

/*
 * Do the verdicts speak of an event? Files of a session are one trace, but each snapshot of
 * its memory is one by itself.
 */
static bool covers(const struct judged *j, const struct sim_event *e)
{
	const struct etw_verdict *low = NULL, *high = NULL, *v;
	unsigned int i;

	for (i = 0; i < j->count; i++) {
		v = &j->v[i];
		if (j->file[i]->stream != e->stream)
			continue;
		if (v->info.header.LogFileMode & EVENT_TRACE_BUFFERING_MODE) {
			if (!is_older(v, e) && !is_newer(j, v, e))
				return true;
			continue;
		}
		if (!low || v->low < low->low)
			low = v;
		if (!high || v->high > high->high)
			high = v;
	}
	return low && !is_older(low, e) && !is_newer(j, high, e);
}

static bool in_gap(const struct judged *j, const struct sim_event *e)
{
	unsigned int i;
	uint32_t k;

	for (i = 0; i < j->count; i++) {
		if (j->file[i]->stream != e->stream)
			continue;
		for (k = 0; k < j->v[i].gap_count; k++) {
			const struct etw_gap *gap = &j->v[i].gaps[k];

			if (e->time >= gap->first && (!gap->last || e->time <= gap->last))
				return true;
		}
	}
	return false;
}

static bool whole(const struct judged *j, uint32_t stream)
{
	unsigned int i;

	for (i = 0; i < j->count; i++)
		if ((stream == ANY || j->file[i]->stream == stream) && !etw_verdict_whole(&j->v[i]))
			return false;
	return true;
}

/* FILETIME since the simulated time began */
static int64_t since_start(int64_t time)
{
	return time - MAKE_START;
}

static void explain(const struct trial *t, const struct judged *j, const char *what,
		    uint64_t seed)
{
	unsigned int i;
	uint32_t k;

	printf("# seed %" PRIu64 ": %s:%s\n", seed, what, t->done);
	for (i = 0; i < j->count; i++) {
		printf("#  file of session %u, buffers %" PRId64 " to %" PRId64 "%s%s\n",
		       j->file[i]->stream, j->v[i].low, j->v[i].high, j->v[i].since ? ", since" : "",
		       j->v[i].continued ? ", continued" : "");
		for (k = 0; k < j->v[i].gap_count && k < 8; k++)
			printf("#   %s: time %" PRId64 " to %" PRId64 ", number %" PRId64 " to %" PRId64 ", %" PRId64 " buffers, %" PRId64 " events, %s\n",
			       etw_gap_texts[j->v[i].gaps[k].cause].key,
			       since_start(j->v[i].gaps[k].first),
			       since_start(j->v[i].gaps[k].last),
			       j->v[i].gaps[k].from, j->v[i].gaps[k].to,
			       (int64_t)j->v[i].gaps[k].buffers, (int64_t)j->v[i].gaps[k].events,
			       j->v[i].gaps[k].detail ? j->v[i].gaps[k].detail : "");
	}
}

struct tally {
	uint64_t missing;	/* of what the verdicts speak of ... */
	uint64_t of[STREAMS + 1];	/* missing at all, of each session */
	uint64_t twice;
	uint64_t lost;		/* missing, and not overwritten */
	uint64_t denied;	/* missing where the verdict on the session is complete */
	uint64_t outside;	/* missing and in no gap */
};

static void count(struct trial *t, const struct judged *j, struct tally *n)
{
	uint32_t i;

	memset(n, 0, sizeof(*n));
	for (i = 0; i < t->set.event_count; i++) {
		const struct sim_event *e = &t->set.events[i];
		bool is_whole = whole(j, e->stream);

		if (e->seen > 1 && is_whole)
			n->twice++;
		if (e->seen)
			continue;
		n->of[e->stream]++;
		n->lost += !e->overwritten;
		if (!covers(j, e))
			continue;
		n->missing++;
		n->denied += is_whole;
		n->outside += !is_whole && !in_gap(j, e);
	}
}

/* Does each file claim no more than what its session lost, and all of them enough? */
static void check_counts(const struct trial *t, const struct judged *j, const struct tally *n,
			 uint64_t seed)
{
	uint64_t most = 0, low, high;
	unsigned int i;

	for (i = 0; i < j->count; i++) {
		etw_verdict_lost(&j->v[i], &low, &high);
		most = most > ETW_GAP_UNKNOWN - high ? ETW_GAP_UNKNOWN : most + high;
		if (low <= n->of[j->file[i]->stream])
			continue;
		totals.low++;
		explain(t, j, "fewer are missing", seed);
	}
	if (most < n->missing) {
		totals.high++;
		explain(t, j, "more are missing", seed);
	}
}

/*
 * Does each verdict on undamaged files cover all that was delivered with or after the first
 * buffer that its file kept?
 */
static bool covers_enough(const struct trial *t, const struct judged *j)
{
	unsigned int i, k;

	for (i = 0; i < j->count && !t->done[0]; i++) {
		const struct sim_file *f = j->file[i];
		int64_t first = INT64_MAX;

		/* Any session of an appended file may lack its first buffers. */
		if (j->v[i].info.header.LogFileMode & EVENT_TRACE_FILE_MODE_APPEND)
			continue;
		for (k = 1; k < f->count; k++) {
			const struct etw_buffer_header *h = (const void *)(f->data + f->at[k]);

			first = h->timestamp < first ? h->timestamp : first;
		}
		if (j->v[i].since && f->count > 1 &&
		    j->v[i].since_time > filetime((uint64_t)first))
			return false;
	}
	return true;
}

static void check(struct trial *t, const struct judged *j, uint64_t seed)
{
	unsigned int altered = 0, strange[SIM_FILES] = { 0 }, i;
	struct tally n;

	for (i = 0; i < t->set.event_count; i++)
		t->set.events[i].seen = 0;
	for (i = 0; i < t->set.count; i++)
		if (!t->set.files[i].gone)
			read_file(t, i, &altered, &strange[i]);
	count(t, j, &n);
	for (i = 0; i < j->count; i++)
		if (etw_verdict_whole(&j->v[i]) && strange[j->file[i] - t->set.files])
			n.twice++;
	if (n.twice || n.denied > altered || (n.denied && !t->altered)) {
		totals.wrong++;
		explain(t, j, "called complete", seed);
	}
	if (n.outside && !t->altered) {
		totals.outside++;
		explain(t, j, "missing outside of the gaps", seed);
	}
	if (!t->altered)
		check_counts(t, j, &n, seed);
	if (!t->done[0] && t->closed && !n.lost && !whole(j, ANY)) {
		totals.alarm++;
		explain(t, j, "not called complete", seed);
	}
	if (!covers_enough(t, j)) {
		totals.late++;
		explain(t, j, "covers too little", seed);
	}
	totals.undamaged += !t->done[0];
	totals.unreadable += j->unreadable;
	if (whole(j, ANY))
		totals.whole++;
	else
		totals.gaps++;
}

/* ------------------------------------------------------------------ merging */

#define MERGE_EACH	8	/* runs: each starts a process */

static bool has_events(const struct judged *j)
{
	unsigned int i;

	for (i = 0; i < j->count; i++)
		if (j->v[i].events)
			return true;
	return false;
}

/* Merge the files; or split them, and merge the parts. */
static bool merge(const struct judged *j, const struct trial *t, const char *to, bool split)
{
	static const char *const commands[] = {
		"%1$s merge -q --replace -o %2$s %3$s 2>%4$s.err",
		"p=%2$s.d; mkdir $p; (%1$s split -q --by events=9 -o $p/%%d %3$s && "
		"%1$s merge -q --replace -o %2$s $p/*) 2>%4$s.err; s=$?; rm -r $p; exit $s",
	};
	char command[4096], list[SIM_FILES * 65] = "", path[64];
	unsigned int i;

	for (i = 0; i < j->count; i++) {
		path_of((unsigned int)(j->file[i] - t->set.files), path);
		strcat(strcat(list, " "), path);
	}
	snprintf(command, sizeof(command), commands[split], "ETW_DEVICE=/nonexistent build/etw", to,
		 list, to);
	return !system(command);
}

/*
 * A file that is made of others is no more whole than they are, and no less. Without an event
 * split writes no part.
 */
static void check_merged(const struct trial *t, const struct judged *j, uint64_t seed)
{
	bool split = has_events(j) && pick(2);
	struct etw_verdict v;
	char to[64];
	int64_t since = 0;
	unsigned int i;

	if (j->unreadable || !j->count)
		return;
	path_of(SIM_FILES, to);
	if (!merge(j, t, to, split) || etw_etl_verify(to, &v) || etw_verdict_finish(&v, 1))
		abort();
	for (i = 0; i < j->count; i++)
		if (j->v[i].since && j->v[i].since_time > since)
			since = j->v[i].since_time;
	totals.merged++;
	if ((etw_verdict_whole(&v) && !whole(j, ANY)) ||
	    (since && (!v.since || v.since_time < since))) {
		totals.hidden++;
		printf("# merged: %s, since %" PRId64 ", not %" PRId64 "\n",
		       etw_verdict_whole(&v) ? "whole" : "with gaps",
		       v.since ? since_start(v.since_time) : 0, since ? since_start(since) : 0);
		explain(t, j, "called complete after merging", seed);
	}
	if ((!etw_verdict_whole(&v) && whole(j, ANY)) || (v.since && !since)) {
		totals.invented++;
		explain(t, j, "not called complete after merging", seed);
	}
	etw_verdict_free(&v);
}

/* -------------------------------------------------------------------- a run */

static void make(struct trial *t)
{
	enum sim_kind kind = pick(SIM_KINDS);
	uint64_t start = 1000 + pick(100000), end;
	bool closed, later;

	t->set.count = 0;
	t->set.event_count = 0;
	t->streams = 1 + !pick(3);
	end = sim_session(&t->set, kind, 1, 3, start, &t->closed);
	if (t->streams == 2) {
		/* Later, or at the same time on other CPUs */
		later = pick(3);
		start = later ? end + SIM_APART + pick(100000) : start + pick(2000);
		sim_session(&t->set, pick(2) ? kind : pick(SIM_KINDS), 2,
			    later ? 3 : 4, start, &closed);
		t->closed &= closed;
	}
	t->altered = false;
	t->moved = false;
	t->done[0] = '\0';
}

static void run(struct trial *t, uint64_t seed)
{
	struct judged j;
	unsigned int n, i;

	pick_seed = seed * 0x9E3779B97F4A7C15u + 1;
	make(t);
	for (n = pick(5) ? 1 + pick(3) : 0; n; n--)
		damage(t);
	save(&t->set);
	judge(t, &j);
	check(t, &j, seed);
	if (seed % MERGE_EACH == 0)
		check_merged(t, &j, seed);
	for (i = 0; i < SIM_FILES; i++)
		etw_verdict_free(&j.v[i]);
}

static void clean(void)
{
	char path[64];
	unsigned int i;

	for (i = 0; i <= SIM_FILES; i++) {
		path_of(i, path);
		unlink(path);
	}
	strcat(path, ".err");
	unlink(path);
	rmdir(folder);
}

int main(int argc, char **argv)
{
	static struct trial t;
	uint64_t seed = 1, runs = RUNS, i;

	for (; argc > 2; argc -= 2, argv += 2) {
		if (!strcmp(argv[1], "--runs"))
			runs = strtoull(argv[2], NULL, 0);
		else if (!strcmp(argv[1], "--seed"))
			seed = strtoull(argv[2], NULL, 0);
		else
			break;
	}
	if (!mkdtemp(folder))
		abort();
	for (i = 0; i < runs; i++)
		run(&t, seed + i);
	clean();
	for (i = 0; i < SIM_FILES; i++)
		free(t.set.files[i].data);
	free(t.set.events);
	printf("# seeds %" PRIu64 " to %" PRIu64 ": %u complete, %u with gaps, %u of them unreadable, %u undamaged\n",
	       seed, seed + runs - 1, totals.whole, totals.gaps, totals.unreadable,
	       totals.undamaged);
	printf("# %u of them merged\n", totals.merged);
	is(totals.wrong, 0, "nothing is called complete that is not");
	is(totals.outside, 0, "every missing event is within the bounds of a gap");
	is(totals.low, 0, "no fewer events are missing than the verdict says");
	is(totals.high, 0, "no more events are missing than the verdict says");
	is(totals.alarm, 0, "what lost nothing is called complete");
	is(totals.late, 0, "the verdict covers all that a file has kept");
	is(totals.hidden, 0, "nothing is called complete when it is merged");
	is(totals.invented, 0, "what is complete stays so when it is merged");
	/* A few runs may all have the same verdict. */
	if (runs >= RUNS)
		ok(totals.whole && totals.gaps, "both verdicts were given");
	return done_testing();
}
