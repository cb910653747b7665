/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * manifest_input.c - input that is not a manifest or is unusual: encodings, entities,
 * depth, size
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "manifest.h"
#include "base/utf.h"

#define SMALL	HEAD "<events><event value='1' symbol='\xC3\xBC'/></events>" TAIL
#define VALID	HEAD "<events>\n<event value='1' message='gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80'/></events>" TAIL

static const char *said(void)
{
	return problems.count ? problems.list[0].text : "";
}

static void is_wrong(const char *text, unsigned int line, const char *what)
{
	struct rule rule = { text, line, what };

	check_whole(&rule);
}

/* The text as UTF-16 in either byte order, with or without a mark */
static char *utf16(const char *text, bool big, bool mark, size_t *size)
{
	ssize_t units = etw_utf8_to_utf16(text, strlen(text), NULL, 0);
	WCHAR *out = malloc((units + 1) * sizeof(*out));
	ssize_t i;

	out[0] = 0xFEFF;
	etw_utf8_to_utf16(text, strlen(text), out + mark, units);
	units += mark;
	for (i = 0; big && i < units; i++)
		out[i] = (WCHAR)(out[i] << 8 | out[i] >> 8);
	*size = units * 2;
	return (char *)out;
}

static bool is_valid(void)
{
	const struct etw_mf_event *e;

	if (!manifest || manifest->provider_count != 1)
		return false;
	e = etw_mf_event_find(&manifest->providers[0], 1, 0);
	return e && e->line == 5 &&
	       !strcmp(etw_mf_text(manifest, e->message), "gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80");
}

static void check_utf16(void)
{
	char *data, *declared;
	size_t size;
	int i;

	for (i = 0; i < 4; i++) {
		data = utf16(VALID, i & 1, i & 2, &size);
		ok(!read_bytes(data, size) && is_valid(), "UTF-16, %s-endian, %s a mark",
		   i & 1 ? "big" : "little", i & 2 ? "with" : "without");
		free(data);
	}
	declared = malloc(strlen(VALID) + 100);
	sprintf(declared, "<?xml version='1.0' encoding='UTF-16'?>%s", VALID);
	data = utf16(declared, false, true, &size);
	ok(!read_bytes(data, size) && is_valid(), "UTF-16 declared as such");
	is(read_bytes(data, size - 1), -EINVAL, "an odd number of bytes");
	ok(!strcmp(said(), "is not valid UTF-16"), "%s", said());
	/* A lone surrogate in the last line */
	data[size - 4] = 0x00;
	data[size - 3] = (char)0xD8;
	is(read_bytes(data, size), -EINVAL, "a lone surrogate");
	ok(!strcmp(said(), "is not valid UTF-16"), "%s", said());
	is(problems.list[0].line, 9, "with its line");
	free(data);
	free(declared);
}

static void check_encodings(void)
{
	char text[2000];
	const char *p;
	size_t n = 0;

	sprintf(text, "\xEF\xBB\xBF%s", VALID);
	ok(!read_text(text) && is_valid(), "UTF-8 with a mark");
	for (p = VALID; *p; p++) {
		if (*p == '\n')
			text[n++] = '\r';
		text[n++] = *p;
	}
	ok(!read_bytes(text, n) && is_valid(), "CRLF");
	sprintf(text, "<?xml version='1.0' encoding='ISO-8859-1'?>%s%s%s", HEAD,
		"<events>\n<event value='1' message='gr\xFC\xDF &#x1F600;'/></events>", TAIL);
	ok(!read_text(text) && is_valid(), "ISO-8859-1");
	sprintf(text, "<?xml version='1.0' encoding='windows-1252'?>%s%s%s", HEAD,
		"<events>\n<event value='1' message='gr\xFC\xDF &#128512;'/></events>", TAIL);
	ok(!read_text(text) && is_valid(), "windows-1252");
	is_wrong("<?xml version='1.0' encoding='UTF-7'?><a/>", 1,
		 "the encoding UTF-7 is not supported: take UTF-8");
	is_wrong(HEAD "<events>\n<event value='1' message='gr\xFC\xDF'/></events>" TAIL, 5,
		 "not well-formed XML: Input is not proper UTF-8, indicate encoding !");
	is_wrong("<?xml version='1.0' encoding='UTF-16'?><a/>", 1,
		 "not well-formed XML: Document labelled UTF-16 but has UTF-8 content");
}

static void check_malformed(void)
{
	char nothing = 0;

	is(read_bytes("", 0), -EINVAL, "nothing");
	is(problems.list[0].line, 1, "in line 1");
	ok(!strcmp(said(), "is empty"), "%s", said());
	is(read_bytes("\xFE\xFF", 2), -EINVAL, "only the mark of UTF-16");
	ok(!strcmp(said(), "is empty"), "%s", said());
	is(read_bytes(&nothing, 1), -EINVAL, "a NUL");
	is_wrong("plain text", 1, "not well-formed XML: Start tag expected, '<' not found");
	is_wrong(HEAD "<events>\n<event value='1'></events>" TAIL, 5,
		 "not well-formed XML: Opening and ending tag mismatch: event line 5 and events");
	is_wrong(HEAD "<events>\n<event value=1/></events>" TAIL, 5,
		 "not well-formed XML: AttValue: \" or ' expected");
	is_wrong(HEAD "<events>\n<event value='1' value='2'/></events>" TAIL, 5,
		 "not well-formed XML: Attribute value redefined");
	is_wrong(HEAD "<events>\n\n<event message='a < b'/></events>" TAIL, 6,
		 "not well-formed XML: Unescaped '<' not allowed in attributes values");
	is_wrong(HEAD "<x:events/>" TAIL, 4,
		 "not well-formed XML: Namespace prefix x on events is not defined");
	is_wrong(HEAD "\n<events/>", 5,
		 "not well-formed XML: Premature end of data in tag provider line 3");
}

/* The contents of a file next to the manifest must not be included. */
static void check_entities(void)
{
	char path[] = "/tmp/etw-manifest-XXXXXX", text[2000];
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, "secret", 6) != 6)
		abort();
	close(fd);
	snprintf(text, sizeof(text), "\n<!DOCTYPE a [<!ENTITY x SYSTEM 'file://%s'>]>\n%s"
		 "<events><event value='1' message='&x;'/></events>%s", path, HEAD, TAIL);
	is_wrong(text, 2, "a document type definition (DOCTYPE) is not allowed: entities are neither fetched nor expanded");
	is_wrong("<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/x.dtd'><a/>", 1,
		 "a document type definition (DOCTYPE) is not allowed: entities are neither fetched nor expanded");
	is_wrong("<!DOCTYPE a [\n<!ENTITY l 'lol'><!ENTITY m '&l;&l;&l;&l;&l;&l;&l;&l;&l;&l;'>"
		 "<!ENTITY n '&m;&m;&m;&m;&m;&m;&m;&m;&m;&m;'><!ENTITY o '&n;&n;&n;&n;&n;&n;&n;&n;'>"
		 "<!ENTITY p '&o;&o;&o;&o;&o;&o;&o;&o;&o;&o;'>]>\n<a>&p;&p;&p;&p;&p;</a>", 1,
		 "a document type definition (DOCTYPE) is not allowed: entities are neither fetched nor expanded");
	is_wrong(HEAD "<events>\n<event message='&x;'/></events>" TAIL, 5,
		 "not well-formed XML: Entity 'x' not defined");
	ok(!read_text(HEAD "<events><event value='1' message='&lt;&amp;&gt;&quot;&apos;&#10;&#x41;'/></events>" TAIL) &&
	   !strcmp(etw_mf_text(manifest, manifest->providers[0].events[0].message), "<&>\"'\nA"),
	   "the five XML entities and numeric characters are decoded");
	unlink(path);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* count times what, between before and behind */
static char *repeat(const char *before, const char *what, size_t count, const char *behind)
{
	size_t len = strlen(what);
	char *text = malloc(strlen(before) + len * count + strlen(behind) + 1), *to;

	for (to = stpcpy(text, before); count; count--)
		to = stpcpy(to, what);
	strcpy(to, behind);
	return text;
}

/*
 * Hostile input must not take long: the limit is generous, for sanitizers and a busy
 * machine, but quadratic behaviour exceeds it by far.
 */
static void takes_little(char *text, const char *start, const char *what)
{
	double begin = seconds(), took;
	int err = read_text(text);

	took = seconds() - begin;
	if (!ok(err == -EINVAL && !strncmp(said(), start, strlen(start)) && took < 30, "%s", what))
		printf("# %d after %.1f s: %s\n", err, took, said());
	free(text);
}

static char *many_namespaces(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	for (i = 0; i < 65; i++)
		fprintf(f, "<%s xmlns:x%d='y'>",
			i ? "a" : "assembly xmlns='urn:schemas-microsoft-com:asm.v3'", i);
	fclose(f);
	return text;
}

static char *long_end(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	fputs(HEAD "<templates><template tid='t'><UserData>", f);
	for (i = 0; i < 250000; i++)
		fputs("<a b='0123456789012345678901234567890123456789'/>", f);
	fputs("<a", f);
	for (i = 0; i < 200; i++)
		fprintf(f, " a%d=''", i);
	fputs("/></UserData></template></templates></provider></events></instrumentation>"
	      "</instrumentationManifest>", f);
	fclose(f);
	return text;
}

static char *shared_message(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	fputs(HEAD "<events>", f);
	for (i = 0; i < 40000; i++)
		fprintf(f, "<event value='%d' symbol='E%d' message='$(string.long)'/>\n", i, i);
	fputs("</events></provider></events></instrumentation><localization>"
	      "<resources culture='en-US'><stringTable><string id='long' value='", f);
	for (i = 0; i < 1000000; i++)
		fputs("%1 a", f);
	fputs("%100'/></stringTable></resources></localization></instrumentationManifest>", f);
	fclose(f);
	return text;
}

static void check_hostile(void)
{
	char *text;

	takes_little(repeat("", "<a>", 1000000, ""), "the root element a is not a manifest",
		     "a million elements within each other");
	takes_little(repeat(HEAD, "<novelty>", 1000000, ""), "provider: element novelty is not known",
		     "a million unknown ones");
	is(problems.errors, 1, "the depth is the only error");
	ok(strstr(problems.list[problems.count - 1].text, "deeper than 100"), "%s",
	   problems.list[problems.count - 1].text);
	takes_little(repeat(HEAD "<templates><template tid='t'><UserData>", "<a>", 100000, ""),
		     "elements are nested deeper than 100", "deep UserData");
	takes_little(repeat(HEAD "<events><event value='1' message='", "x", 50000000, "'/></events>" TAIL),
		     "is larger than 32 MB", "50 MB");
	is(problems.list[0].line, 1, "in line 1");
	takes_little(repeat(HEAD "<events><event ", "a=''", 1000000, "/></events>" TAIL),
		     "an element has more than 256 attributes", "a million attributes");
	takes_little(many_namespaces(), "more than 64 namespaces are bound", "many namespaces");
	takes_little(repeat(HEAD "<events xmlns:w='http://manifests.microsoft.com/win/2004/08/windows/events'>"
			    "<event value='1' keywords='", "a ", 1000000, "'/></events>" TAIL),
		     "event \"value 1, version 0\": keyword \"a\" is not", "a million keywords");
	takes_little(shared_message(), "event \"E0\": message has %100, and inserts are %1 to %99",
		     "40,000 events with one message of 4 MB");
	takes_little(repeat(HEAD "<events>", "<event value='1' level='no'/>", 300000, "</events>" TAIL),
		     "event \"value 1, version 0\": ", "300,000 wrong events");
	takes_little(repeat(HEAD "<channels>", "<importChannel name='a' chid='b'/>", 300000, "</channels>" TAIL),
		     "provider \"P\": has more than 8 channels", "300,000 channels");
	text = repeat("<instrumentationManifest " NAMESPACES "><instrumentation><events>",
		      "<provider name='P' symbol='P' guid='" GUID_TEXT "'/>", 300000,
		      "</events></instrumentation></instrumentationManifest>");
	takes_little(text, "provider \"P\": a manifest has at most 16", "300,000 providers");
	/* The parser refuses this as too large by itself, because its last tag is long */
	text = long_end();
	is(read_text(text), 0, "12 MB");
	free(text);
	/* A comment may contain what a tag may not. */
	text = repeat(HEAD "<!--<", " a='b'", 1000, "--><events><event value='1'/></events>" TAIL);
	is(read_text(text), 0, "a comment that looks like a long tag");
	free(text);
}

/*
 * Text that hides tags from a scanner, and text where the parser sees tags that are not
 * there, because it goes on after an error.
 */
static void check_hidden(void)
{
	static const char many[] = "an element has more than 256 attributes";
	char *text;

	takes_little(repeat("<?x <!--?><instrumentationManifest ", "a='' ", 1000000, "/>"), many,
		     "a comment that begins in an instruction");
	takes_little(repeat(HEAD "<![CDATA[<!-- ]]><events ", "a='' ", 1000000, "/><!-- -->" TAIL),
		     many, "one that begins in CDATA");
	takes_little(repeat(HEAD "<events ", "xmlns:a='' ", 1000000, "/>" TAIL), many,
		     "a million namespaces of a tag");
	takes_little(repeat("<? <instrumentationManifest ", "a='' ", 1000000, "/>?>"), many,
		     "a tag in a malformed instruction");
	takes_little(repeat("<!-- -- --><!DOCTYPE a [<!ATTLIST a ", "a CDATA '' ", 1000000, ">]><a/>"),
		     "a declaration of attributes (ATTLIST) is not allowed", "attributes by declaration");
	text = repeat(HEAD "<!-- <a ", "====", 1000, "--><events><event value='1'/></events>" TAIL);
	is(read_text(text), 0, "a comment of many equals signs");
	free(text);
}

/* Encodings in which bytes other than ASCII's are tags and quotes */
static void check_wide(void)
{
	static const char *const starts[] = { "\0\0\0<", "\0\0<\0", "<\0\0\0<\0?\0",
					      "\x4C\x6F\xA7\x94", "<\0\0\0?\0\0\0x\0\0\0" };
	static const size_t sizes[] = { 4, 4, 8, 4, 12 };
	size_t i;

	for (i = 0; i < 5; i++) {
		is(read_bytes(starts[i], sizes[i]), -EINVAL, "neither bytes nor UTF-16");
		ok(!strcmp(said(), "the encoding is not supported: take UTF-8"), "%s", said());
	}
}

/* Lines beyond 65535, the limit of some tree parsers */
static void check_lines(void)
{
	char *text = repeat(HEAD "<events>", "\n", 200000,
			    "<event\nvalue='1'\nlevel='no'\n/></events>" TAIL);

	is_wrong(text, 200004, "event \"value 1, version 0\": level \"no\" is not defined");
	free(text);
}

static void *read_often(void *context)
{
	struct etw_problems mine = { .count = 0 };
	struct etw_manifest *m;
	unsigned int i, *wrong = context;

	for (i = 0; i < 300; i++) {
		/*
		 * Every third manifest is cut off, so that problems are formatted at the
		 * same time.
		 */
		int want = i % 3 ? 0 : -EINVAL;

		m = NULL;
		if (etw_manifest_check_memory(VALID, strlen(VALID) - (want ? 20 : 0), "n", &m,
					     &mine) != want || !m != !!want)
			++*wrong;
		etw_manifest_put(m);
		etw_problems_free(&mine);
	}
	return NULL;
}

static void check_threads(void)
{
	unsigned int i, wrong[4] = { 0 }, all = 0;
	pthread_t threads[4];

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, read_often, &wrong[i]);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		all += wrong[i];
	}
	is(all, 0, "four threads read at the same time");
}

static void check_files(void)
{
	char path[] = "/tmp/etw-manifest-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, VALID, strlen(VALID)) != (ssize_t)strlen(VALID))
		abort();
	close(fd);
	read_end();
	ok(!etw_manifest_read_file(path, &manifest, &problems) && is_valid(), "a file is read");
	ok(!strcmp(manifest->file, path), "and its name kept");
	etw_manifest_put(manifest);
	manifest = NULL;
	chmod(path, 0);
	if (geteuid())
		is(etw_manifest_read_file(path, &manifest, &problems), -EACCES, "no right to");
	unlink(path);
	is(etw_manifest_read_file(path, &manifest, &problems), -ENOENT, "no such file");
	is(etw_manifest_read_file("/tmp", &manifest, &problems), -EISDIR, "a folder");
	if (mkfifo(path, 0600))
		abort();
	is(etw_manifest_read_regular(path, &manifest, &problems), -ENXIO, "a FIFO, without a wait");
	unlink(path);
	is(etw_manifest_read_regular("/dev/zero", &manifest, &problems), -ENXIO, "a device");
	is(etw_manifest_read_regular("/tmp", &manifest, &problems), -EISDIR, "a folder");
	is(problems.count, 0, "which is not reported as the manifest's error");
	is(etw_manifest_read_memory("x", 1, "n", &manifest, NULL), -EINVAL,
	   "the list of problems may be NULL");
}

int main(void)
{
	ok(read_text(SMALL) == -EINVAL, "a symbol that is no C identifier");
	check_encodings();
	check_utf16();
	check_malformed();
	check_entities();
	check_hostile();
	check_hidden();
	check_wide();
	check_lines();
	check_files();
	check_threads();
	read_end();
	return done_testing();
}
