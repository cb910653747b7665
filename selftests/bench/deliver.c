// SPDX-License-Identifier: GPL-2.0-only
/*
 * deliver - the cost of a buffer from its first event to its reader, by number of CPUs
 *
 *	deliver [--json FILE]
 *
 * Run it with scripts/bench, or under "scripts/vm --icount" as root with etw.ko loaded:
 * there a nanosecond is one executed instruction.  Kernels count possible CPUs, which need
 * not exist: scripts/bench runs the program twice, the second time on a machine booted with
 * "possible_cpus=256".  The figure is for a buffer of 4 KB that one event of a process
 * fills: the write, the delivery, and the copy that a reader gets.  The CPU is never idle
 * meanwhile.  The JSON goes to FILE or to the file named in $ETW_BENCH_JSON.
 *
 * Nothing may be lost, or the program fails.
 */
#include "lib/vm_buf.h"
#include "bench/guest.h"

#define BUFFERS	64	/* that wait at a time */
#define ROUNDS	64

/* The number of possible CPUs: the file has a list like 0-255. */
static unsigned int possible_cpus(void)
{
	unsigned int first = 0, last = 0;
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");

	if (f) {
		if (fscanf(f, "%u-%u", &first, &last) < 2)
			last = first;
		fclose(f);
	}
	return last + 1;
}

static void ignore(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	(void)ctx;
	(void)b;
	(void)r;
}

/* Every event needs a buffer of its own; the last one stays open. */
static int fill_and_read(int fd, int slot, struct vm_reader *r, unsigned int count)
{
	static uint8_t payload[3000];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < count && !ret; i++)
		ret = vm_write(fd, slot, 1, 1, 1, payload, sizeof(payload));
	for (i = 1; i < count && !ret; i++)
		ret = vm_read_one(r, ignore, NULL) == 1 ? 0 : -EIO;
	return ret;
}

static int measure(int fd, int slot, double *each)
{
	struct etw_session s = vm_session("etw-bench-deliver");
	struct etw_session_stat st;
	struct vm_reader r;
	unsigned int i;
	uint64_t begin;
	int ret;

	s.buffer_kb = 4;
	s.min_buffers = s.max_buffers = 4 * BUFFERS;
	s.flush_ms = 3600000;
	ret = vm_start(fd, &s);
	ret = ret ? ret : vm_enable(fd, s.handle, vm_guid(1), 0, 0, 0);
	ret = ret ? ret : vm_reader_open(&r, fd, s.handle, 0);
	/* The first round leaves a buffer that only the next one fills. */
	ret = ret ? ret : fill_and_read(fd, slot, &r, BUFFERS + 1);
	begin = now();
	for (i = 0; i < ROUNDS && !ret; i++)
		ret = fill_and_read(fd, slot, &r, BUFFERS);
	*each = (double)(now() - begin) / (ROUNDS * (BUFFERS - 1));
	ret = ret ? ret : vm_stat(fd, s.handle, &st);
	if (!ret && (vm_dropped(&st) || r.error))
		ret = -EBADMSG;
	vm_reader_close(&r);
	return ret;
}

static int write_json(const char *path, double each)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return fail(path, -errno);
	fprintf(f, "{\n    \"unit\": \"instructions per buffer\",\n"
		"    \"rows\": [\n      {\"key\": \"deliver\", \"cpus\": %u, \"net\": %.0f}\n    ]\n  }\n",
		possible_cpus(), each);
	return fclose(f) ? fail(path, -errno) : 0;
}

int main(int argc, char **argv)
{
	const char *json = json_path(argc, argv);
	int fd, slot, ret;
	double each = 0;

	fd = vm_open();
	if (fd < 0)
		return fail(ETW_DEVICE_PATH, fd) ? 1 : 0;
	vm_stop_all(fd);
	slot = vm_register(fd, vm_guid(1));
	ret = slot < 0 ? slot : measure(fd, slot, &each);
	vm_stop_all(fd);
	close(fd);
	if (ret)
		return fail("a session", ret) ? 1 : 0;
	printf("a buffer of 4 KB written, delivered and read, %u possible CPUs %12.0f\n",
	       possible_cpus(), each);
	return json && write_json(json, each);
}
