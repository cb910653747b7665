// SPDX-License-Identifier: GPL-2.0-only
/*
 * adversary - processes that write, are stopped, killed and flood; drivers that die in a write or
 * give bad pointers; readers beside the file, and none; no flush timer; disks that are full or
 * frozen; a CPU that goes offline; files that are cut short or emptied, and damaged afterwards;
 * snapshots: at random, the verdicts of etw verify and --strict agree with the writers' tally
 *
 * $ETW_ADVERSARY_RUNS is the number of runs, default 4; $ETW_ADVERSARY_SEED the first seed.
 *
 * TIMEOUT: 3600
 */
#include "lib/pick.h"
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_log.h"
#include "lib/driver/vm_kmod.h"
#include "lib/fault/vm_disk.h"
#include "etl/verify/verify.h"
#include "kmod/etw_test/etw_test.h"

#include <linux/fs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

/* run.sh limits the program; a long run by hand has no other limit. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	86400

#define SPACE_KB	((24 + DISK_MB) * 1024)
#define RUNS		4
#define WRITERS		3
#define EVENTS_MAX	6000	/* of one writer */
#define FILES		8
#define FILE_KB		(24 * LOG_KB)
#define SLACK		VM_FILETIME_SLACK

/* What a writer did, in memory that its death leaves behind */
struct writer {
	atomic_uint attempted;		/* before the write ... */
	atomic_uint returned;		/* ... and after it */
	unsigned int judged;		/* returned before the last flush */
	int64_t time[EVENTS_MAX];	/* FILETIME before the write ... */
	int64_t until[EVENTS_MAX];	/* ... and after it */
	uint8_t there[EVENTS_MAX];	/* times that a file has it */
};

FIXTURE(adversary) {
	struct vl_logger l;
	struct vc_run r;
	struct writer *writers;		/* shared */
	pid_t pids[WRITERS];
	pid_t reader;			/* beside the file; 0: none */
	struct etw_verdict v[FILES];
	char files[FILES][64];
	unsigned int count;
	ULONG mode;
	bool disk;			/* an ext4 is mounted at DISK_DIR */
	const char *dir;		/* of this run's files: LOG_DIR or DISK_DIR */
	int driver;			/* etw_test; it writes as vm_guid(2) */
	unsigned int driver_lost;	/* events of it that are lost */
	unsigned int driver_unknown;	/* that may be */
};

/* Its image has all of its space, so that it outlives a full LOG_DIR. */
static bool make_disk(void)
{
	bool made = vm_disk_make(DISK_USUAL);
	int fd = open(DISK, O_RDWR | O_CLOEXEC);

	made = made && !posix_fallocate(fd, 0, DISK_MB * 1024 * 1024);
	close(fd);
	return made;
}

FIXTURE_SETUP(adversary)
{
	struct etw_test_set types = { .index = 1, .flags = ETW_SET_TYPES, .types = 1 };
	const char *why = vl_logger_begin(&self->l, SPACE_KB);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
	self->disk = make_disk();
	self->driver = vm_test_provider();
	ASSERT_LE(0, self->driver);
	ASSERT_EQ(0, vm_test_register(self->driver, 1, vm_guid(2), 0));
	ASSERT_EQ(0, vm_ioctl(self->driver, ETW_TEST_SET, &types));
	self->writers = mmap(NULL, WRITERS * sizeof(*self->writers), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->writers);
}

FIXTURE_TEARDOWN(adversary)
{
	munmap(self->writers, WRITERS * sizeof(*self->writers));
	close(self->driver);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	if (self->disk)
		umount2(DISK_DIR, MNT_DETACH);
	vl_logger_end(&self->l);
}

/* ------------------------------------------------------------------ writers */

/* Write until killed or at the limit: numbered events of any size, fast or slowly. */
static void write_events(struct writer *w, uint32_t number, bool fast, uint64_t seed)
{
	EVENT_DESCRIPTOR desc = vl_event(7, 1, 1);
	static char payload[4000];
	EVENT_DATA_DESCRIPTOR data[2];
	REGHANDLE reg = vl_register(1);
	uint32_t head[3], n;

	vm_pin(number % 2);
	EventDataDescCreate(&data[0], head, sizeof(head));
	for (n = 0; reg && n < EVENTS_MAX; n++) {
		head[0] = number;
		head[1] = n;
		head[2] = ~n ^ number;
		EventDataDescCreate(&data[1], payload, pick_from(&seed, fast ? 4000 : 300));
		w->time[n] = vm_filetime();
		atomic_store(&w->attempted, n + 1);
		EventWrite(reg, &desc, 2, data);
		w->until[n] = vm_filetime();
		atomic_store(&w->returned, n + 1);
		if (!fast && n % 8 == 7)
			usleep(1000);
	}
	_exit(0);
}

static void start_writers(FIXTURE_DATA(adversary) *self)
{
	unsigned int i;

	memset(self->writers, 0, WRITERS * sizeof(*self->writers));
	for (i = 0; i < WRITERS; i++) {
		bool fast = !pick(3);
		uint64_t seed = 1 + pick(UINT32_MAX);

		self->pids[i] = fork();
		if (!self->pids[i])
			write_events(&self->writers[i], i, fast, seed);
	}
}

static void end_writer(FIXTURE_DATA(adversary) *self, unsigned int i)
{
	if (self->pids[i] <= 0)
		return;
	kill(self->pids[i], SIGKILL);
	waitpid(self->pids[i], NULL, 0);
	self->pids[i] = 0;
}

static void end_writers(FIXTURE_DATA(adversary) *self)
{
	unsigned int i;

	for (i = 0; i < WRITERS; i++)
		end_writer(self, i);
}

/* ------------------------------------------------------------------ session */

static void ignore(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	(void)ctx, (void)b, (void)r;
}

/* A reader that is slow at times, until it is killed or the session has stopped. */
static void start_reader(FIXTURE_DATA(adversary) *self, uint64_t seed)
{
	struct vm_reader r;

	self->reader = fork();
	if (self->reader)
		return;
	if (!vm_reader_open(&r, vm_open(), self->l.session, O_NONBLOCK))
		while (vm_drain(&r, ignore, NULL) == -EAGAIN)
			usleep(pick_from(&seed, 30000));
	_exit(0);
}

static void end_reader(FIXTURE_DATA(adversary) *self)
{
	if (self->reader <= 0)
		return;
	kill(self->reader, SIGKILL);
	waitpid(self->reader, NULL, 0);
	self->reader = 0;
}

/* A file of this run: of a series the one with this number */
static const char *file_path(const FIXTURE_DATA(adversary) *self, unsigned int number)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/n%u.etl", self->dir, number);
	return path;
}

static ULONG start_session(FIXTURE_DATA(adversary) *self)
{
	static const ULONG modes[] = {
		EVENT_TRACE_FILE_MODE_SEQUENTIAL, EVENT_TRACE_FILE_MODE_CIRCULAR,
		EVENT_TRACE_FILE_MODE_NEWFILE,
		EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING,
		EVENT_TRACE_BUFFERING_MODE,
	};
	struct vl_log_props props;
	char series[64];
	ULONG ret;

	self->dir = self->disk && !pick(3) ? DISK_DIR : LOG_DIR;
	snprintf(series, sizeof(series), "%s/n%%d.etl", self->dir);
	self->mode = modes[pick(ARRAY_SIZE(modes))];
	if (self->mode != EVENT_TRACE_BUFFERING_MODE && pick(2))
		self->mode |= EVENT_TRACE_REAL_TIME_MODE;
	props = vl_log_props(self->mode | EVENT_TRACE_USE_KBYTES_FOR_SIZE,
			     self->mode & EVENT_TRACE_FILE_MODE_NEWFILE ? series :
									 file_path(self, 1),
			     self->mode & EVENT_TRACE_FILE_MODE_SEQUENTIAL ? 0 : FILE_KB);
	props.p.MinimumBuffers = 4 + pick(60);
	props.p.MaximumBuffers = props.p.MinimumBuffers;
	props.p.FlushTimer = pick(3);
	ret = StartTraceA(&self->l.session, "log", &props.p);
	ret = ret ? ret : vl_enable(self->l.session, 1, 0, 0, 0);
	ret = ret ? ret : vl_enable(self->l.session, 2, 0, 0, 0);
	if (!ret && self->mode & EVENT_TRACE_REAL_TIME_MODE)
		start_reader(self, 1 + pick(UINT32_MAX));
	return ret;
}

/* A thread of the driver dies while it writes: its buffer is never complete. */
static void driver_dies(FIXTURE_DATA(adversary) *self)
{
	struct etw_test_die d = { .index = 1, .cpu = pick(2), .desc = { .id = 8, .level = 1 } };

	if (vm_ioctl(self->driver, ETW_TEST_DIE, &d))
		return;
	if (!d.result) {
		self->driver_lost++;
		fprintf(stderr, "# a driver died on CPU %u\n", d.cpu);
	} else if (d.result == -EIO) {
		/* It wrote the event, or found no buffer for it. */
		self->driver_unknown++;
	}
}

static void driver_errs(FIXTURE_DATA(adversary) *self)
{
	struct etw_test_bad b = { .index = 1, .place = ETW_TEST_BAD_PIECE,
				  .kind = ETW_TEST_BAD_GUARD, .count = 1 + pick(20), .size = 8,
				  .desc = { .id = 9, .level = 1 } };

	if (!vm_ioctl(self->driver, ETW_TEST_BAD, &b))
		self->driver_lost += b.count;
}

/* A writer or the reader stops for a while, wherever it is; the reader perhaps for good. */
static void stop_process(const char *name, pid_t pid, bool for_good)
{
	if (pid <= 0)
		return;
	fprintf(stderr, "# stop %s\n", name);
	kill(pid, SIGSTOP);
	usleep(pick(50000));
	if (!for_good)
		kill(pid, SIGCONT);
}

/* Fill LOG_DIR, or freeze the disk. */
static void trouble_disk(FIXTURE_DATA(adversary) *self)
{
	int fd;

	if (!strcmp(self->dir, LOG_DIR)) {
		vl_log_dir_fill();
		usleep(20000 + pick(50000));
		vl_log_dir_free();
		fprintf(stderr, "# full disk\n");
		return;
	}
	fd = open(self->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!ioctl(fd, FIFREEZE, 0)) {
		usleep(20000 + pick(50000));
		ioctl(fd, FITHAW, 0);
		fprintf(stderr, "# frozen disk\n");
	}
	close(fd);
}

static void take_cpu(void)
{
	if (!vm_cpu1_online(false))
		return;
	usleep(pick(30000));
	vm_cpu1_online(true);
	fprintf(stderr, "# CPU 1 was offline\n");
}

/* What happens while the writers write */
static void disturb(FIXTURE_DATA(adversary) *self)
{
	/* A file that another one has replaced would never be begun again. */
	off_t size = self->mode & EVENT_TRACE_FILE_MODE_NEWFILE || pick(2) ? 3 * LOG_KB * 1024 : 0;
	unsigned int victim = pick(WRITERS);

	switch (pick(11)) {
	case 0:
		end_writer(self, victim);
		fprintf(stderr, "# kill %u\n", victim);
		break;
	case 1:
		trouble_disk(self);
		break;
	case 2:
		vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH);
		break;
	case 3:
		if (!pick(3) && !truncate(file_path(self, 1), size))
			fprintf(stderr, "# truncate to %lld\n", (long long)size);
		break;
	case 4:
		driver_dies(self);
		break;
	case 5:
		driver_errs(self);
		break;
	case 6:
		if (self->reader)
			fprintf(stderr, "# kill the reader\n");
		end_reader(self);
		break;
	case 7:
		stop_process("a writer", self->pids[victim], false);
		break;
	case 8:
		stop_process("the reader", self->reader, pick(2));
		break;
	case 9:
		take_cpu();
		break;
	default:
		usleep(pick(30000));
	}
}

/* -------------------------------------------------------------------- tally */

/* Note the events of a file. False: an event is none of ours. */
static bool tally(FIXTURE_DATA(adversary) *self, const char *path)
{
	struct etw_etl_file *file;
	struct etw_event event;
	uint32_t head[3];
	bool good = true;

	if (etw_etl_open(path, NULL, NULL, &file))
		return false;
	while (etw_etl_next(file, &event) == 1) {
		if (event.record.header->desc.id != 7)
			continue;
		memcpy(head, event.record.data, sizeof(head));
		if (head[0] >= WRITERS || head[1] >= EVENTS_MAX || head[2] != (~head[1] ^ head[0]))
			good = false;
		else
			self->writers[head[0]].there[head[1]]++;
	}
	etw_etl_close(file);
	return good;
}

struct missing {
	unsigned int all, covered, denied, twice;
	unsigned int unknown;		/* a writer was killed before it knew their end */
	bool late;			/* the files begin later than the session */
};

/* May an event of that time be in the bounds of some gap? */
static bool in_gap(FIXTURE_DATA(adversary) *self, int64_t from, int64_t until)
{
	unsigned int i;
	uint32_t k;

	for (i = 0; i < self->count; i++)
		for (k = 0; k < self->v[i].gap_count; k++) {
			const struct etw_gap *gap = &self->v[i].gaps[k];

			if (until + SLACK >= gap->first && (!gap->last || from <= gap->last + SLACK))
				return true;
		}
	return false;
}

/* An event counts as written once its write has returned. */
static struct missing compare(FIXTURE_DATA(adversary) *self)
{
	const struct etw_verdict *first = &self->v[0];
	struct missing m = { 0 };
	unsigned int i, n;

	for (i = 1; i < self->count; i++)
		if (self->v[i].low < first->low)
			first = &self->v[i];
	m.late = first->since;
	for (i = 0; i < WRITERS; i++) {
		struct writer *w = &self->writers[i];

		m.unknown += atomic_load(&w->attempted) != atomic_load(&w->returned);
		for (n = 0; n < EVENTS_MAX; n++) {
			m.twice += w->there[n] > 1;
			if (n >= w->judged || w->there[n])
				continue;
			m.all++;
			if (first->since && w->time[n] <= first->since_time + SLACK)
				continue;
			m.covered++;
			m.denied += !in_gap(self, w->time[n], w->until[n]);
		}
	}
	return m;
}

static bool judge(FIXTURE_DATA(adversary) *self, bool *whole)
{
	unsigned int i;

	*whole = true;
	for (i = 0; i < self->count; i++)
		if (etw_etl_verify(self->files[i], &self->v[i]) || !tally(self, self->files[i]))
			return false;
	if (etw_verdict_finish(self->v, self->count))
		return false;
	for (i = 0; i < self->count; i++)
		*whole &= etw_verdict_whole(&self->v[i]);
	return true;
}

static void find_files(FIXTURE_DATA(adversary) *self)
{
	unsigned int i;

	self->count = 0;
	for (i = 1; self->count < FILES && !access(file_path(self, i), F_OK); i++)
		strcpy(self->files[self->count++], file_path(self, i));
}

/* -------------------------------------------------------------------- damage */

#define BUFFER	(LOG_KB * 1024)

static bool copy_buffer(int fd, unsigned int from, unsigned int to)
{
	static unsigned char data[BUFFER];

	return pread(fd, data, BUFFER, (off_t)from * BUFFER) == BUFFER &&
	       pwrite(fd, data, BUFFER, (off_t)to * BUFFER) == BUFFER;
}

static bool drop_buffer(int fd, unsigned int at, unsigned int count)
{
	for (; at + 1 < count; at++)
		if (!copy_buffer(fd, at + 1, at))
			return false;
	return !ftruncate(fd, (off_t)(count - 1) * BUFFER);
}

static bool zero_buffer(int fd, unsigned int at)
{
	static const unsigned char zeros[BUFFER];

	return pwrite(fd, zeros, BUFFER, (off_t)at * BUFFER) == BUFFER;
}

/* Two buffers change places; the file has room for one behind its end for a moment. */
static bool exchange_buffers(int fd, unsigned int a, unsigned int b, unsigned int count)
{
	return copy_buffer(fd, a, count) && copy_buffer(fd, b, a) && copy_buffer(fd, count, b) &&
	       !ftruncate(fd, (off_t)count * BUFFER);
}

/*
 * Damage a file behind its header's buffer.  False: it has too few buffers, or that did not
 * work.
 */
static bool damage(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	unsigned int how = pick(5), count, at, other;
	bool done = false;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_size < 4 * BUFFER)
		goto out;
	count = st.st_size / BUFFER;
	at = 1 + pick(count - 1);
	other = 1 + pick(count - 1);
	fprintf(stderr, "# %s, %u buffers: damage %u at %u, %u\n", path, count, how, at, other);
	switch (how) {
	case 0:
		done = drop_buffer(fd, at, count);
		break;
	case 1:
		done = zero_buffer(fd, at);
		break;
	case 2:
		done = exchange_buffers(fd, at, other, count);
		break;
	case 3:
		done = copy_buffer(fd, at, other);
		break;
	default:
		done = !ftruncate(fd, (off_t)at * BUFFER + pick(BUFFER));
	}
out:
	if (fd >= 0)
		close(fd);
	return done;
}

/* -------------------------------------------------------------------- checks */

static void forget_verdicts(FIXTURE_DATA(adversary) *self)
{
	unsigned int i;

	for (i = 0; i < self->count; i++)
		etw_verdict_free(&self->v[i]);
	memset(self->v, 0, sizeof(self->v));
}

/*
 * The gaps hold what is missing, and their bounds its number.  driver_lost: so many events of the
 * driver's are surely among it.
 */
static void check_bounds(struct __test_metadata *_metadata, FIXTURE_DATA(adversary) *self,
			 const struct missing *m, unsigned int driver_lost, bool whole)
{
	uint64_t least, most, all_most = 0;
	unsigned int i;

	EXPECT_EQ(0, m->denied);
	EXPECT_TRUE(!whole || !(m->covered + driver_lost));
	for (i = 0; i < self->count; i++) {
		etw_verdict_lost(&self->v[i], &least, &most);
		EXPECT_LE(least, m->all + m->unknown + self->driver_lost + self->driver_unknown);
		all_most = all_most > UINT64_MAX - most ? UINT64_MAX : all_most + most;
	}
	EXPECT_GE(all_most, m->covered + driver_lost);
}

static void run_damaged(struct __test_metadata *_metadata, FIXTURE_DATA(adversary) *self)
{
	struct missing m;
	unsigned int i;
	bool whole;

	if (!damage(self->files[pick(self->count)]))
		return;
	forget_verdicts(self);
	for (i = 0; i < WRITERS; i++)
		memset(self->writers[i].there, 0, sizeof(self->writers[i].there));
	EXPECT_TRUE(judge(self, &whole));
	m = compare(self);
	fprintf(stderr, "# damaged: %u missing, %u of them covered; %s\n", m.all, m.covered,
		whole ? "whole" : "gaps");
	/* The report of what the driver lost may be what the damage took. */
	check_bounds(_metadata, self, &m, 0, whole);
}

/* The last flush.  It makes a buffering session's snapshot, while writers go on. */
static void flush(FIXTURE_DATA(adversary) *self)
{
	bool buffering = self->mode == EVENT_TRACE_BUFFERING_MODE;
	unsigned int i;

	if (!buffering)
		end_writers(self);
	for (i = 0; i < WRITERS; i++)
		self->writers[i].judged = atomic_load(&self->writers[i].returned);
	vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH);
	end_writers(self);
}

static void run(struct __test_metadata *_metadata, FIXTURE_DATA(adversary) *self)
{
	int session, stop, status, i;
	bool overwrites, whole, full;
	struct missing m;

	self->driver_lost = 0;
	self->driver_unknown = 0;
	ASSERT_EQ(0, start_session(self));
	start_writers(self);
	for (i = 2 + pick(8); i; i--)
		disturb(self);
	flush(self);
	end_reader(self);
	session = vc_run(&self->r, "verify", "log", NULL);
	stop = vc_run(&self->r, "stop", "log", "--strict", NULL);
	/* By trouble_disk(), or by the file itself */
	full = strstr(self->r.err, "is incomplete: No space left on device");
	find_files(self);
	ASSERT_LT(0, self->count);
	EXPECT_TRUE(judge(self, &whole));
	m = compare(self);
	overwrites = self->mode & (EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_BUFFERING_MODE);
	fprintf(stderr, "# mode %x, %u files in %s: %u missing, %u of them covered, %u of the driver; ",
		self->mode, self->count, self->dir, m.all, m.covered, self->driver_lost);
	fprintf(stderr, "%s; verify %d, stop %d\n", whole ? "whole" : "gaps", session, stop);
	EXPECT_EQ(0, m.twice);
	/* A series of more files than are judged begins late and ends early. */
	if (self->count < FILES)
		check_bounds(_metadata, self, &m, overwrites || m.late ? 0 : self->driver_lost,
			     whole);
	/* The session is judged by its counters, so also what was overwritten is there. */
	if (!overwrites && self->count < FILES) {
		EXPECT_TRUE(!(m.all + self->driver_lost) || session == 3);
		EXPECT_TRUE(!(m.all + self->driver_lost) || stop == 3 || (stop == 1 && full));
	}
	EXPECT_TRUE(session == 0 || session == 3);
	if (self->count == 1) {
		status = vc_run(&self->r, "verify", self->files[0], NULL);
		EXPECT_EQ(whole ? 0 : 3, status);
		status = vc_run(&self->r, "dump", self->files[0], "--strict", NULL);
		EXPECT_EQ(whole ? 0 : 3, status);
	}
	if (self->count < FILES)
		run_damaged(_metadata, self);
	forget_verdicts(self);
	for (i = 0; i < (int)self->count; i++)
		unlink(self->files[i]);
}

TEST_F(adversary, verdicts)
{
	const char *runs = getenv("ETW_ADVERSARY_RUNS"), *seed = getenv("ETW_ADVERSARY_SEED");
	unsigned int first = seed ? atoi(seed) : getpid(), i, n = runs ? atoi(runs) : RUNS;

	for (i = 0; i < n && _metadata->passed; i++) {
		pick_seed = (first + i) * 0x9E3779B97F4A7C15u + 1;
		fprintf(stderr, "# seed %u\n", first + i);
		run(_metadata, self);
	}
}

TEST_HARNESS_MAIN
