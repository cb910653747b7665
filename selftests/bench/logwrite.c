// SPDX-License-Identifier: GPL-2.0-only
/*
 * logwrite - the cost of writing a log file, compared with dd into the same file system
 *
 *	logwrite [--json FILE]
 *
 * Run it with scripts/bench, or under "scripts/vm --icount" as root with etw.ko loaded:
 * there a nanosecond is one executed instruction.  Both figures are the CPU time of
 * writing to a tmpfs: by the kernel thread for the session, and by dd, which also reads
 * /dev/zero.  The JSON goes to FILE or to the file named in $ETW_BENCH_JSON.
 *
 * Nothing may be lost, and with the default size of buffers the thread may take no more
 * time than dd, or the program fails.
 */
#include "lib/vm_dev.h"

#include <sys/mount.h>
#include <sys/stat.h>

#include "bench/child.h"
#include "bench/guest.h"
#include "bench/ran.h"

#define DIR_NAME	"/run/etw-bench"
#define MB		64
#define EVENT_MAX	60000
#define DEFAULT_KB	64

struct row {
	uint32_t kb;		/* size of a buffer, and of one write of dd */
	double log, dd;		/* ns per MB */
};

static struct row rows[] = {
	{ .kb = 4 }, { .kb = DEFAULT_KB }, { .kb = 1024 },
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

/* ------------------------------------------------------------------ the session */

static int start(int fd, struct etw_session *s, uint32_t kb)
{
	static const char path[] = DIR_NAME "/log.etl";
	struct etw_session_file file = { .size = sizeof(file), .dir = -1, .file_mode = 0600,
					 .name = VM_PTR(path), .name_len = strlen(path) };
	int ret;

	file.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file.fd < 0)
		return -errno;
	*s = vm_session("etw-bench-log");
	s->mode = 0;
	s->buffer_kb = kb;
	s->min_buffers = kb < 1024 ? 4096 / kb : 16;
	s->max_buffers = 2 * s->min_buffers;
	s->flush_ms = 3600000;
	s->file = VM_PTR(&file);
	ret = vm_start(fd, s);
	close(file.fd);
	return ret;
}

/* Write events of MB in total; the thread runs after every few buffers. */
static int write_events(int fd, int slot, const struct etw_session *s)
{
	static uint8_t payload[EVENT_MAX];
	uint32_t room = s->buffer_kb * 1024 - 256, i;
	uint32_t size = room < sizeof(payload) ? room : sizeof(payload);
	uint32_t count = ((uint64_t)MB << 20) / (size + 256), often = (1 << 20) / size;
	int ret = 0;

	for (i = 1; i <= count && !ret; i++) {
		ret = vm_write(fd, slot, 1, 1, 1, payload, size);
		if (!ret && i % often == 0)
			ret = vm_flush(fd, s->handle);
	}
	return ret ? ret : vm_flush(fd, s->handle);
}

static int measure_log(struct row *r, int fd, int slot)
{
	struct etw_session_log log = { .size = sizeof(log) };
	struct etw_session s, end = { .size = sizeof(end), .log = VM_PTR(&log) };
	double before, after;
	int ret;

	ret = start(fd, &s, r->kb);
	if (ret)
		return fail("a session", ret);
	end.handle = s.handle;
	ret = vm_enable(fd, s.handle, vm_guid(1), 0, 0, 0);
	before = ran_log_threads();
	if (!ret)
		ret = write_events(fd, slot, &s);
	after = ran_log_threads();
	if (!ret)
		ret = vm_ioctl(fd, ETW_IOC_SESSION_STOP, &end);
	else
		vm_stop(fd, s.handle);
	if (ret || after <= before)
		return fail("writing", ret);
	if (log.error || log.buffers_lost || end.events_lost || log.bytes < (MB - 8) << 20)
		return fail("events were lost", -EIO);
	r->log = (after - before) * (1 << 20) / log.bytes;
	return unlink(DIR_NAME "/log.etl");
}

/* ------------------------------------------------------------------------- dd */

static int measure_dd(struct row *r)
{
	struct child_cost cost;
	char bs[32], count[32];
	pid_t pid;

	snprintf(bs, sizeof(bs), "bs=%uK", r->kb);
	snprintf(count, sizeof(count), "count=%u", MB * 1024 / r->kb);
	pid = fork();
	if (!pid) {
		execlp("dd", "dd", "if=/dev/zero", "of=" DIR_NAME "/dd", bs, count,
		       "status=none", NULL);
		_exit(127);
	}
	if (!child_wait(pid, &cost))
		return fail("dd", -ECHILD);
	r->dd = cost.cpu * 1e9 / MB;
	return unlink(DIR_NAME "/dd");
}

static int write_json(const char *path)
{
	FILE *f = fopen(path, "w");
	unsigned int i;

	if (!f)
		return fail(path, 0);
	fprintf(f, "{\n    \"unit\": \"instructions per MB\",\n    \"rows\": [\n");
	for (i = 0; i < ROWS; i++)
		fprintf(f, "      {\"key\": \"log_write_%uk\", \"log\": %.0f, \"dd\": %.0f}%s\n",
			rows[i].kb, rows[i].log, rows[i].dd,
			i + 1 < ROWS ? "," : "");
	fprintf(f, "    ]\n  }\n");
	return fclose(f);
}

static int measure(void)
{
	int fd = vm_open(), slot, ret = 0;
	unsigned int i;

	if (fd < 0)
		return fail(ETW_DEVICE_PATH, fd);
	slot = vm_register(fd, vm_guid(1));
	if (slot < 0)
		return fail("a registration", slot);
	for (i = 0; i < ROWS && !ret; i++) {
		ret = measure_dd(&rows[i]);
		if (!ret)
			ret = measure_log(&rows[i], fd, slot);
	}
	close(fd);
	return ret;
}

int main(int argc, char **argv)
{
	const char *json = json_path(argc, argv);
	bool ok = true;
	unsigned int i;
	int ret;

	mkdir(DIR_NAME, 0700);
	if (mount("tmpfs", DIR_NAME, "tmpfs", 0, "size=256m"))
		return fail("a tmpfs", 0) ? 1 : 0;
	ret = measure();
	umount2(DIR_NAME, MNT_DETACH);
	rmdir(DIR_NAME);
	if (ret)
		return 1;
	printf("%-42s %14s %8s\n", "a log file, in pieces of", "instr. per MB", "dd's");
	for (i = 0; i < ROWS; i++) {
		printf("%5u KB %47.0f %8.0f\n", rows[i].kb, rows[i].log, rows[i].dd);
		if (rows[i].kb == DEFAULT_KB)
			ok = rows[i].log <= rows[i].dd;
	}
	if (json && write_json(json))
		return 1;
	if (!ok)
		fputs("logwrite: it takes longer than dd\n", stderr);
	return !ok;
}
