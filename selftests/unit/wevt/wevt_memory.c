// SPDX-License-Identifier: GPL-2.0-only
/*
 * wevt_memory - the binaries without memory: each allocation fails once
 *
 * The linker redirects the libraries' allocations to this file.  ASan detects leaks.
 */
#include <errno.h>

#include "lib/wevt/test.h"

static long countdown = -1;	/* allocations until one fails; -1: none fails, -2: one did */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strndup(const char *s, size_t len);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strndup(const char *s, size_t len);

static int fails(void)
{
	/* At 0 the allocation fails, and -2 records that. */
	if (countdown > 0)
		countdown--;
	else if (!countdown)
		countdown = -2;
	else
		return 0;
	return countdown == -2;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

char *__wrap_strndup(const char *s, size_t len)
{
	return fails() ? NULL : __real_strndup(s, len);
}

static struct etw_manifest *m;
static struct etw_bytes wevt, messages;
static char path[] = "/tmp/wevt_memory.XXXXXX";

static int write_wevt(void)
{
	struct etw_bytes out = { .len = 0 };
	int ret = etw_wevt_write(m, 5, &out, NULL);

	if (ret && out.len)
		ret = 1;
	etw_bytes_free(&out);
	return ret;
}

static int write_messages(void)
{
	struct etw_bytes out = { .len = 0 };
	int ret = etw_msgtable_write(m, 1, &out, NULL);

	if (ret && out.len)
		ret = 1;
	etw_bytes_free(&out);
	return ret;
}

static int write_script(void)
{
	static const char *const names[] = { "a", "b" };
	struct etw_bytes out = { .len = 0 };
	int ret = etw_rc_write(m, names, "c", &out, NULL);

	etw_bytes_free(&out);
	return ret;
}

static int number(void)
{
	struct etw_message_ids ids;
	int ret = etw_message_ids_make(m, &ids, NULL);

	if (!ret)
		etw_message_ids_free(&ids);
	return ret;
}

static int read_wevt(void)
{
	struct etw_manifest *back = NULL;
	int ret = read_resource(wevt.data, wevt.len, messages.data, messages.len, "en-US",
				"x", &back, NULL);

	if (!ret != !!back)
		ret = 1;
	etw_manifest_put(back);
	return ret;
}

static int read_file(void)
{
	struct etw_manifest *back = NULL;
	int ret = etw_manifest_read_binary(path, &back, NULL);

	if (!ret != !!back)
		ret = 1;
	etw_manifest_put(back);
	return ret;
}

static void without(const char *what, int (*run)(void))
{
	long n;
	int ret, wrong = 0;

	for (n = 0; n < 100000; n++) {
		int failed;

		countdown = n;
		ret = run();
		failed = countdown == -2;
		countdown = -1;
		if (!failed)
			break;
		wrong += ret != -ENOMEM;
	}
	ok(!ret, "%s: with memory it is done", what);
	ok(!wrong && n > 0, "%s: each of %ld allocations may fail", what, n);
}

int main(void)
{
	int fd;

	m = read_xml(rich_manifest);
	fd = mkstemp(path);
	if (!ok(m && fd >= 0 && !etw_wevt_write(m, 5, &wevt, NULL) &&
		!etw_msgtable_write(m, 0, &messages, NULL) &&
		write(fd, wevt.data, wevt.len) == (ssize_t)wevt.len, "the binaries"))
		return done_testing();
	without("WEVT_TEMPLATE", write_wevt);
	without("message table", write_messages);
	without("resource script", write_script);
	without("numbers", number);
	without("reading", read_wevt);
	without("reading a file", read_file);
	close(fd);
	unlink(path);
	etw_bytes_free(&wevt);
	etw_bytes_free(&messages);
	etw_manifest_put(m);
	return done_testing();
}
