// SPDX-License-Identifier: GPL-2.0-only
/*
 * wevt_pe - manifests from PE images, with and without satellites, and bare resources
 *
 * The images are built here: headers, one section, and in it a directory of resources of
 * three levels.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/wevt/test.h"

#define RVA		0x3000u		/* address of the section */
#define RAW		0x400u		/* offset of the section in the file */
#define MAX		(256u << 10)

static char dir[] = "/tmp/wevt_pe.XXXXXX";
static struct etw_bytes wevt, english, german;

struct resource {
	const char *type;	/* or NULL and number */
	unsigned int number;
	unsigned int langid;
	const struct etw_bytes *data;
};

struct image {
	unsigned char d[MAX];
	unsigned char *rsrc;
	size_t used;		/* of the section */
};

static void put16(unsigned char *p, unsigned int v)
{
	p[0] = v;
	p[1] = v >> 8;
}

static void put32(unsigned char *p, unsigned int v)
{
	put16(p, v);
	put16(p + 2, v >> 16);
}

static void headers(struct image *m, int wide, size_t size)
{
	unsigned char *pe = m->d + 0x80, *optional = pe + 24, *section;
	unsigned int directories = wide ? 112 : 96, optional_size = directories + 8 * 16;

	memcpy(m->d, "MZ", 2);
	put32(m->d + 60, 0x80);
	memcpy(pe, "PE\0", 4);
	put16(pe + 4, wide ? 0x8664 : 0x14c);
	put16(pe + 6, 1);
	put16(pe + 20, optional_size);
	put16(optional, wide ? 0x20b : 0x10b);
	put32(optional + directories - 4, 16);
	put32(optional + directories + 16, RVA);
	put32(optional + directories + 20, size);
	section = optional + optional_size;
	memcpy(section, ".rsrc", 5);
	put32(section + 8, size);
	put32(section + 12, RVA);
	put32(section + 16, size);
	put32(section + 20, RAW);
}

static unsigned char *directory(struct image *m, unsigned int named, unsigned int numbered)
{
	unsigned char *p = m->rsrc + m->used;

	put16(p + 12, named);
	put16(p + 14, numbered);
	m->used += 16 + 8 * (named + numbered);
	return p;
}

static unsigned int text(struct image *m, const char *s)
{
	unsigned int at = m->used, i;

	put16(m->rsrc + at, strlen(s));
	for (i = 0; s[i]; i++)
		put16(m->rsrc + at + 2 + 2 * i, s[i]);
	m->used += 2 + 2 * i;
	m->used = (m->used + 7) / 8 * 8;
	return at;
}

static unsigned int data(struct image *m, const struct etw_bytes *bytes)
{
	unsigned int entry = m->used;

	m->used += 16;
	put32(m->rsrc + entry, RVA + m->used);
	put32(m->rsrc + entry + 4, bytes->len);
	memcpy(m->rsrc + m->used, bytes->data, bytes->len);
	m->used = (m->used + bytes->len + 7) / 8 * 8;
	return entry;
}

/* Add the languages of a type, from list on; returns their number. */
static int add_type(struct image *m, unsigned char *entry, const struct resource *list, int count)
{
	unsigned char *names, *languages;
	int n = 1, i;

	while (n < count && list[n].number == list->number && list[n].type == list->type)
		n++;
	put32(entry, list->type ? 0x80000000u | text(m, list->type) : list->number);
	put32(entry + 4, 0x80000000u | m->used);
	names = directory(m, 0, 1);
	put32(names + 16, 1);
	put32(names + 20, 0x80000000u | m->used);
	languages = directory(m, 0, n);
	for (i = 0; i < n; i++) {
		put32(languages + 16 + 8 * i, list[i].langid);
		put32(languages + 20 + 8 * i, data(m, list[i].data));
	}
	return n;
}

/* Resources of one type are adjacent, named types first. Returns the file's size. */
static size_t build(struct image *m, int wide, const struct resource *list, int count)
{
	unsigned int named = 0, numbered = 0;
	unsigned char *root;
	int i, types = 0;

	memset(m, 0, sizeof(*m));
	m->rsrc = m->d + RAW;
	for (i = 0; i < count; i++) {
		if (i && list[i].type == list[i - 1].type && list[i].number == list[i - 1].number)
			continue;
		if (list[i].type)
			named++;
		else
			numbered++;
	}
	root = directory(m, named, numbered);
	for (i = 0; i < count; types++)
		i += add_type(m, root + 16 + 8 * types, list + i, count - i);
	headers(m, wide, m->used);
	return RAW + m->used;
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void save(const char *name, const void *bytes, size_t size)
{
	FILE *f = fopen(path_of(name), "wb");

	if (f) {
		fwrite(bytes, 1, size, f);
		fclose(f);
	}
}

static int read_file(const char *name, struct etw_manifest **m)
{
	struct etw_problems problems = { .count = 0 };
	int ret = etw_manifest_read_binary(path_of(name), m, &problems);

	if (ret == -EINVAL)
		ok(problems.errors > 0, "%s: a problem says why", name);
	etw_problems_free(&problems);
	return ret;
}

/* Its text in the culture, or "" */
static const char *in_culture(const struct etw_manifest *m, const char *culture)
{
	const struct etw_mf_event *e = etw_mf_event_find(&m->providers[0], 9, 1);
	unsigned int i;

	for (i = 0; i < m->culture_count; i++) {
		if (!strcmp(m->cultures[i], culture))
			return e && e->message && e->message->text[i] ? e->message->text[i] : "";
	}
	return "";
}

static void has(const char *name, const char *en, const char *de)
{
	struct etw_manifest *m = NULL;

	if (!ok(!read_file(name, &m), "%s is read", name))
		return;
	is(m->provider_count, 2, name);
	ok(!strcmp(in_culture(m, "en-US"), en), "%s: English is \"%s\"", name, en);
	ok(!strcmp(in_culture(m, "de-DE"), de), "%s: German is \"%s\"", name, de);
	etw_manifest_put(m);
}

#define EN	"e.9 text"
#define DE	"Größe %1 \xf0\x9f\x98\x80"

static const struct resource all[] = {
	{ "WEVT_TEMPLATE", 0, 0x409, &wevt },
	{ NULL, 11, 0x407, &german }, { NULL, 11, 0x409, &english },
};

static void test_images(void)
{
	static struct image m;
	static const struct resource icons = { NULL, 3, 0x409, &english };
	const struct resource lower = { "wevt_template", 0, 0, &wevt };

	save("wide.dll", m.d, build(&m, 1, all, 3));
	has("wide.dll", EN, DE);
	save("narrow.exe", m.d, build(&m, 0, all, 3));
	has("narrow.exe", EN, DE);
	save("plain.sys", m.d, build(&m, 1, all, 1));
	has("plain.sys", "", "");
	save("lower.dll", m.d, build(&m, 1, &lower, 1));
	has("lower.dll", "", "");
	save("icons.dll", m.d, build(&m, 1, &icons, 1));
	is(read_file("icons.dll", &(struct etw_manifest *){ NULL }), -ENOENT,
	   "an image without the resource");
	put32(m.d + 0x80 + 24 + 112 + 16, 0);
	save("none.dll", m.d, RAW);
	is(read_file("none.dll", &(struct etw_manifest *){ NULL }), -ENOENT,
	   "an image without resources");
}

static void test_satellites(void)
{
	static struct image m;

	mkdir(path_of("en-US"), 0700);
	mkdir(path_of("de-DE"), 0700);
	mkdir(path_of("backup"), 0700);
	save("split.dll", m.d, build(&m, 1, all, 1));
	save("en-US/split.dll.mui", m.d, build(&m, 1, &all[2], 1));
	save("de-DE/split.dll.mui", m.d, build(&m, 1, &all[1], 1));
	save("backup/split.dll.mui", "MZ", 2);
	has("split.dll", EN, DE);
	save("beside.dll", m.d, build(&m, 1, all, 1));
	save("beside.dll.mui", m.d, build(&m, 1, &all[1], 1));
	has("beside.dll", "", DE);
	/* A broken satellite adds nothing, and removes nothing. */
	save("beside.dll.mui", m.d, RAW + 20);
	has("beside.dll", "", "");
	save("beside.dll.mui", "junk", 4);
	has("beside.dll", "", "");
}

static void test_bare(void)
{
	static const char script[] =
		"LANGUAGE 0x9,0x1\n1 11 \"MSG00001.bin\"\nLANGUAGE 0x7,0x1\n1 11 \"MSG00002.bin\"\n"
		"LANGUAGE 0xc,0x1\n1 11 \"../MSG00003.bin\"\n1 WEVT_TEMPLATE \"bareTEMP.BIN\"\n";

	save("bareTEMP.BIN", wevt.data, wevt.len);
	has("bareTEMP.BIN", "", "");
	save("bare.rc", script, sizeof(script) - 1);
	has("bareTEMP.BIN", "", "");
	save("MSG00001.bin", english.data, english.len);
	save("MSG00002.bin", german.data, german.len);
	has("bareTEMP.BIN", EN, DE);
	save("other.bin", wevt.data, wevt.len);
	has("other.bin", "", "");
}

static void test_errors(void)
{
	struct etw_manifest *m = NULL;

	is(read_file("missing.dll", &m), -ENOENT, "a file that is not there");
	is(read_file("", &m), -EISDIR, "a folder");
	save("empty.dll", "", 0);
	is(read_file("empty.dll", &m), -EINVAL, "an empty file");
	save("xml.man", "<xml/>", 6);
	is(read_file("xml.man", &m), -EINVAL, "neither image nor resource");
	mkfifo(path_of("fifo"), 0600);
	ok(read_file("fifo", &m) < 0, "a pipe does not block");
	ok(!m, "no file gives a manifest");
}

/* Images made by another resource compiler and linker, if available. */
static void test_linked(void)
{
	static const char script[] =
		"LANGUAGE 0x9,0x1\n1 11 \"MSG00001.bin\"\nLANGUAGE 0x7,0x1\n1 11 \"MSG00002.bin\"\n"
		"1 WEVT_TEMPLATE \"bareTEMP.BIN\"\n";
	char command[512];

	if (system("{ command -v llvm-rc && command -v lld-link; } >/dev/null 2>&1")) {
		skip("no llvm-rc and lld-link to make an image with");
		return;
	}
	save("linked.rc", script, sizeof(script) - 1);
	snprintf(command, sizeof(command), "cd %s && llvm-rc linked.rc -FO linked.res && "
		 "lld-link /dll /noentry /machine:x64 /out:linked.dll linked.res", dir);
	if (ok(!system(command), "llvm-rc and lld-link accept our files"))
		has("linked.dll", EN, DE);
}

/* Every byte of headers and directories changed, and the file cut anywhere. */
static void test_hostile(void)
{
	static const unsigned char values[] = { 0x00, 0x7f, 0xff };
	static struct image m;
	size_t size = build(&m, 1, all, 3), at, i, wrong = 0, n = 0;
	int fd = open(path_of("hostile.dll"), O_RDWR | O_CREAT, 0600);

	for (at = 0; at < RAW + 400; at++) {
		if (at > 0x80 + 24 + 112 + 8 * 16 + 40 && at < RAW)
			continue;
		for (i = 0; i < sizeof(values); i++, n++) {
			struct etw_manifest *got = NULL;
			unsigned char old = m.d[at];
			int ret;

			m.d[at] = values[i];
			wrong += pwrite(fd, m.d, size, 0) != (ssize_t)size;
			ret = etw_manifest_read_binary(path_of("hostile.dll"), &got, NULL);
			wrong += ret > 0 || !ret != !!got;
			etw_manifest_put(got);
			m.d[at] = old;
		}
	}
	ok(!wrong, "any of %zu changes of headers is read or refused", n);
	wrong = pwrite(fd, m.d, size, 0) != (ssize_t)size;
	for (at = size; at-- > 0; at -= at > 2000 ? 97 : 0) {
		struct etw_manifest *got = NULL;

		wrong += ftruncate(fd, at) != 0;
		wrong += etw_manifest_read_binary(path_of("hostile.dll"), &got, NULL) > 0;
		etw_manifest_put(got);
	}
	ok(!wrong, "cut anywhere, it is read or refused");
	close(fd);
}

int main(void)
{
	struct etw_manifest *m = read_xml(rich_manifest);
	char command[64];

	if (!ok(m && mkdtemp(dir), "a folder"))
		return done_testing();
	ok(!etw_wevt_write(m, 5, &wevt, NULL) && !etw_msgtable_write(m, 0, &english, NULL) &&
	   !etw_msgtable_write(m, 1, &german, NULL), "the resources");
	etw_manifest_put(m);
	test_images();
	test_satellites();
	test_bare();
	test_linked();
	test_errors();
	test_hostile();
	etw_bytes_free(&wevt);
	etw_bytes_free(&english);
	etw_bytes_free(&german);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ok(!system(command), "the folder is removed");
	return done_testing();
}
