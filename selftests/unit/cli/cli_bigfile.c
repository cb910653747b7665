// SPDX-License-Identifier: MIT
/* etw dump of a file much larger than its memory limit; needs no device */
#include "unit/etl/etl_make.h"

#include "lib/tap.h"

#define BUFFERS		4000
#define SIZE		65536	/* of each buffer; the unwritten rest is a hole */
#define FILL		60000	/* bytes of the record in a buffer */
#define CPUS		32
#define LIMIT_KB	100000	/* of address space; the libraries use half of it */

/* Write a buffer with one large record. */
static void put(struct make *m, int i)
{
	struct etw_buffer_header *h = feed_header(&m->feed);
	struct etw_event_header *record = (void *)(m->data + sizeof(*h));

	make_buffer(m, i % CPUS, i + 1);
	feed_event(&m->feed, 1000 + i * 100, 1 + i, NULL, "", 0);
	h = feed_header(&m->feed);
	h->buffer_size = SIZE;
	h->offset = sizeof(*h) + FILL;
	record->size = FILL;
	fwrite(m->data, 1, sizeof(*h) + sizeof(*record), m->file);
	fseek(m->file, SIZE - sizeof(*h) - sizeof(*record), SEEK_CUR);
}

/* Run a command and return the number that it prints. */
static long number(const char *format, const char *path)
{
	char command[512];
	long value = -1;
	FILE *f;

	snprintf(command, sizeof(command), format, LIMIT_KB, path);
	f = popen(command, "r");
	if (!f || fscanf(f, "%ld", &value) != 1)
		value = -1;
	if (f)
		pclose(f);
	return value;
}

int main(void)
{
	static struct make m;
	int i;

	make_begin(&m, 1);
	for (i = 0; i < BUFFERS; i++)
		put(&m, i);
	if (fflush(m.file) || ftruncate(fileno(m.file), MAKE_SIZE + (off_t)BUFFERS * SIZE)) {
		skip("no room for a file of 250 MB, nearly all holes");
		unlink(m.path);
		return done_testing();
	}
	make_end(&m);
	is(number("ulimit -v %d; ETW_DEVICE=/nonexistent build/etw dump --format %%i %s 2>&1 | wc -l",
		  m.path), BUFFERS + 1, "250 MB with 100 MB of address space: each event");
	is(number("ulimit -v %d; ETW_DEVICE=/nonexistent build/etw dump --format %%i %s | "
		  "sort -c -n && echo 1", m.path), 1, "in their order");
	unlink(m.path);
	return done_testing();
}
