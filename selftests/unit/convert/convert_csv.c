// SPDX-License-Identifier: MIT
/* etw convert --to csv: read back with a strict reader of RFC 4180 */
#include "convert_test.h"

#include <fcntl.h>

#include "base/text.h"

/* -------------------------------------------------------------------- reader */

struct table {
	char *text;		/* cells, each with a NUL */
	char **cells;
	size_t count, columns, rows;
	const char *wrong;	/* the error, or NULL */
	size_t at;
};

static void add_cell(struct table *t, char *cell)
{
	if (!(t->count & (t->count + 1)))
		t->cells = realloc(t->cells, (2 * t->count + 2) * sizeof(*t->cells));
	t->cells[t->count++] = cell;
}

/* Read a cell from s on into to; returns the end in s, or NULL. */
static const char *read_cell(struct table *t, const char *s, char **to)
{
	if (*s != '"') {
		for (; *s && *s != ',' && *s != '\r'; s++) {
			if (*s == '"' || (unsigned char)*s < 0x20 || *s == 0x7f) {
				t->wrong = "a character that must be quoted or escaped";
				return NULL;
			}
			*(*to)++ = *s;
		}
		return s;
	}
	for (s++; *s; s++) {
		if (*s == '"' && s[1] != '"')
			return s + 1;
		s += *s == '"';
		if ((unsigned char)*s < 0x20) {
			t->wrong = "a control character";
			return NULL;
		}
		*(*to)++ = *s;
	}
	t->wrong = "no quote at the end";
	return NULL;
}

static void read_table(struct table *t, const struct converted *from)
{
	const char *s = from->data;
	size_t columns = 0;
	char *to;

	memset(t, 0, sizeof(*t));
	t->text = to = malloc(from->len + 1);
	if (strlen(s) != from->len)
		t->wrong = "a NUL";
	while (!t->wrong && *s) {
		add_cell(t, to);
		columns++;
		s = read_cell(t, s, &to);
		if (!s)
			return;
		*to++ = '\0';
		if (*s == ',') {
			s++;
			continue;
		}
		if (s[0] != '\r' || s[1] != '\n') {
			t->wrong = "no comma, and no CR LF";
			t->at = (size_t)(s - from->data);
			return;
		}
		s += 2;
		if (t->rows && columns != t->columns)
			t->wrong = "another number of columns";
		t->columns = columns;
		columns = 0;
		t->rows++;
	}
	if (columns)
		t->wrong = "the last line has no end";
}

static const char *cell(const struct table *t, size_t row, const char *column)
{
	size_t i;

	for (i = 0; i < t->columns; i++)
		if (!strcmp(t->cells[i], column))
			return row < t->rows ? t->cells[row * t->columns + i] : "no such row";
	return "no such column";
}

static void free_table(struct table *t)
{
	free(t->text);
	free(t->cells);
}

static void says(const struct table *t, size_t row, const char *column, const char *want)
{
	const char *got = cell(t, row, column);

	if (!ok(!strcmp(got, want), "row %zu has %s", row, column))
		printf("# got %s, want %s\n", got, want);
}

/* --------------------------------------------------------------------- tests */

static const struct etw_guid activity = { 0xAC, 0, 0, { 1 } }, related = { 0xBD, 0, 0, { 2 } };

static const uint64_t stack[] = { 0, 0xffff800000001234, 0x5678 };

static const struct spec specs[] = {
	{ 100, "Prov,ider", "Plain", 1, 2, .field = "Name", .value = "a,b\"c\r\nd", .value_len = 8,
	  .stack = stack, .stack_len = sizeof(stack) },
	{ 200, "P", "q\"uo,te\nd", 1, 3, .activity = &activity, .related = &related,
	  .field = "pid", .value = "\xff\x00\x1b[", .value_len = 4 },
	{ 300, "P\xfe", "Number\xff", 1, 3,
	  .schema = "In\0\x98\x01" "Number\0\x08", .schema_len = 13,
	  .data = "\x2a\0\0\0\x01", .data_len = 5 },
};

/* Columns that no event has are reported. */
static void test_unseen(const char *path)
{
	struct converted got;

	is(convert_files(&got, "csv", "pid,In.Nmber,Name,fields.Gone", &path, 1), 0,
	   "columns that no event has");
	ok(!strcmp(got.c.notes, "--fields: no event had a field In.Nmber\n"
		   "--fields: no event had a field Gone\n"), "are reported: %s", got.c.notes);
	converted_free(&got);
}

static void test_made(void)
{
	static struct make m;
	struct converted got;
	struct table t;
	const char *path = m.path;

	make_begin(&m, 1);
	put_specs(&m, specs, 3);
	make_buffer(&m, 1, 1);
	feed_event(&m.feed, 1250, 77, NULL, "\1\2\3", 3);
	make_put(&m);
	make_end(&m);
	is(convert_file(&got, "csv", m.path), 0, "events are written");
	read_table(&t, &got);
	ok(!t.wrong, "as RFC 4180 has it: %s", t.wrong ? t.wrong : "yes");
	is(t.rows, 6, "a line for each, and one of names");
	says(&t, 2, "provider_name", "Prov,ider");
	says(&t, 2, "event", "Plain");
	says(&t, 2, "fields", "{\"Name\":\"a,b\\\"c\\r\\nd\"}");
	says(&t, 2, "time", "2022-06-18T04:26:40.0000001Z");
	says(&t, 2, "timestamp", "1100");
	says(&t, 2, "items", "{\"stack\":[\"0xffff800000001234\",\"0x5678\"]}");
	says(&t, 3, "event", "q\"uo,te\\nd");
	says(&t, 3, "activity", "000000ac-0000-0000-0100-000000000000");
	says(&t, 3, "related", "000000bd-0000-0000-0200-000000000000");
	says(&t, 3, "pid", "1");
	says(&t, 4, "id", "77");
	says(&t, 4, "rest", "010203");
	says(&t, 4, "fields", "");
	says(&t, 5, "fields", "{\"In\":{\"Number\":42}}");
	says(&t, 5, "rest", "01");
	free_table(&t);
	converted_free(&got);

	is(convert_files(&got, "csv", "event,Name,fields.pid,pid,In.Number,In,source,data,cpu",
			 &path, 1), 0, "chosen columns");
	read_table(&t, &got);
	ok(!t.wrong && t.columns == 9, "have these names: %s", t.wrong ? t.wrong : "yes");
	says(&t, 2, "Name", "a,b\"c\\r\\nd");
	says(&t, 3, "Name", "");
	/* Two columns are called "pid". */
	ok(t.rows > 3 && !strcmp(t.cells[3 * 9 + 2], "\xc3\xbf\\u0000\\u001b["),
	   "a field by its full name: %s", t.cells[3 * 9 + 2]);
	ok(t.rows > 3 && !strcmp(t.cells[3 * 9 + 3], "1"),
	   "a field of all events by the short name");
	says(&t, 5, "In.Number", "42");
	says(&t, 5, "In", "{Number=42}");
	says(&t, 4, "data", "010203");
	says(&t, 4, "cpu", "1");
	free_table(&t);
	converted_free(&got);
	is(convert_files(&got, "csv", "event,,pid", &path, 1), -EINVAL, "a column without a name");
	ok(strstr(got.c.problem, "\"event,,pid\": the list has an empty part"), "is reported");
	converted_free(&got);
	test_unseen(path);
	unlink(m.path);
}

static void test_corpus(const char *path)
{
	struct etw_text time = { .len = 0 };
	struct converted got;
	struct table t;
	size_t i, differ = 0;
	int err = convert_file(&got, "csv", path);

	read_table(&t, &got);
	for (i = 1; i < t.rows; i++) {
		time.len = 0;
		etw_text_time(&time, (uint64_t)got.times[i - 1]);
		differ += strcmp(cell(&t, i, "time"), time.data) != 0;
	}
	ok(!err && !t.wrong && t.rows == got.events + 1 && !differ,
	   "%s: %zu lines, times and order agree", strrchr(path, '/') + 1, t.rows);
	free_table(&t);
	converted_free(&got);
	etw_text_free(&time);
}

static void test_full(void)
{
	static struct make m;
	struct converted got;
	const struct convert_format *format = find_format("csv");
	int fd = open("/dev/full", O_WRONLY), err;

	make_begin(&m, 1);
	make_end(&m);
	memset(&got, 0, sizeof(got));
	got.c.format = format;
	got.c.out = fd;
	got.c.state = calloc(1, format->size);
	err = format->open(&got.c);
	is(err ? err : format->close(&got.c, true), -ENOSPC, "a full disk is an error");
	ok(strstr(got.c.problem, "No space left"), "it is reported");
	free(got.c.state);
	close(fd);
	unlink(m.path);
}

int main(void)
{
	test_made();
	test_full();
	each_of_corpus(test_corpus);
	return done_testing();
}
