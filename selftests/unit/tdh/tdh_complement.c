// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several manifests of one provider, in each order: each id and version is decoded by the
 * one that describes it; all that they define is enumerated and embedded; a control GUID
 * counts only without a decode GUID. And Binary without a length, which is the event's rest
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "tdh/decode/decoder.h"

#include "tdh/decode/embed.h"
#include "tdh/store/store.h"
#include "unit/manifest/manifest.h"

static const GUID provider = { 0x11111111, 0x2222, 0x3333, { 0x44, 0x44, 0x55, 0x55, 0x55, 0x55,
							      0x55, 0x55 } };

#define EVENT(id, version, text) \
	"<event value='" id "' version='" version "' template='t' message='" text "'/>"
#define MANIFEST(name, events) \
	HEAD "<tasks><task name='" name "' value='1'/></tasks>" \
	"<templates><template tid='t'><data name='n' inType='win:UInt8'/>" \
	"<data name='rest' inType='win:Binary'/></template></templates><events>" events "</events>" TAIL

static const char *const texts[] = {
	MANIFEST("A", EVENT("1", "0", "A1") EVENT("2", "0", "A2")),
	MANIFEST("B", EVENT("1", "1", "B1.1") EVENT("2", "0", "B2")),
	MANIFEST("C", EVENT("3", "0", "C3 %1 %2")),
};

static struct etw_manifest *read_one(unsigned int i)
{
	struct etw_problems none = { .count = 0 };
	struct etw_manifest *m = NULL;

	etw_manifest_read_memory(texts[i], strlen(texts[i]), "", &m, &none);
	etw_problems_free(&none);
	return m;
}

/* The message of an event, decoded; "": none describes it. */
static const char *text_of(struct etw_decoder *d, uint16_t id, uint8_t version)
{
	static char text[100];
	unsigned char payload[] = { 7, 0xAB, 0xCD };
	EVENT_RECORD e = { .EventHeader = { .ProviderId = provider,
					    .EventDescriptor = { .Id = id, .Version = version } },
			   .UserData = payload, .UserDataLength = sizeof(payload) };
	struct etw_text out = { 0 };
	int ret = etw_decode(d, &e, NULL);

	text[0] = '\0';
	if (!ret && etw_format_message(&out, d))
		snprintf(text, sizeof(text), "%s", out.data);
	etw_text_free(&out);
	return text;
}

static void check_all(struct etw_decoder *d, const char *shared, const char *how)
{
	ok(!strcmp(text_of(d, 1, 0), "A1") && !strcmp(text_of(d, 1, 1), "B1.1"), "%s: by version", how);
	ok(!strcmp(text_of(d, 3, 0), "C3 7 ABCD") || !strcmp(text_of(d, 3, 0), "C3 7 abcd"),
	   "%s: by id, with bytes to the end: %s", how, text_of(d, 3, 0));
	ok(!strcmp(text_of(d, 2, 0), shared), "%s: the newest of two: %s", how, text_of(d, 2, 0));
	ok(!*text_of(d, 9, 0), "%s: described by none", how);
}

static void test_loaded(const unsigned int order[3], const char *shared)
{
	struct etw_manifest *m[3];
	struct etw_decoder *d;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		m[i] = read_one(order[i]);
		ok(m[i] && !etw_store_add(m[i]), "loaded");
	}
	d = etw_decoder_new();
	check_all(d, shared, "loaded");
	etw_decoder_free(d);
	for (i = 0; i < 3; i++) {
		etw_store_remove(m[i]);
		etw_manifest_put(m[i]);
	}
}

static int feed(void *context, const void *record, size_t size)
{
	EVENT_RECORD e = { .EventHeader.Size = 0 };

	(void)size;
	memcpy(&e.EventHeader, record, sizeof(e.EventHeader));
	e.EventHeader.HeaderType = 0;
	e.UserData = (void *)((const char *)record + sizeof(e.EventHeader));
	e.UserDataLength = e.EventHeader.Size - sizeof(e.EventHeader);
	etw_decode(context, &e, NULL);
	return 0;
}

static void test_embedded(const unsigned int order[3], const char *shared)
{
	struct etw_decoder *d = etw_decoder_new();
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct etw_manifest *m = read_one(order[i]);

		etw_store_add(m);
		is(etw_embed_records(&provider, 1, 0, feed, d), 0, "embedded");
		etw_store_remove(m);
		etw_manifest_put(m);
	}
	check_all(d, shared, "embedded");
	etw_decoder_free(d);
}

/* ------------------------------------------------------------- all that they define */

#define HALF(level, keyword, opcode, filter, events) \
	HEAD "<levels><level name='L" level "' value='" level "'/></levels>" \
	"<tasks><task name='T" level "' value='1'><opcodes><opcode name='O" opcode "' value='" opcode \
	"'/></opcodes></task></tasks><keywords><keyword name='K" keyword "' mask='" keyword "'/></keywords>" \
	"<events>" events "</events><filters><filter name='F" filter "' value='" filter "'/></filters>" TAIL

static const char *const halves[] = {
	HALF("17", "0x1", "20", "1", "<event value='1'/><event value='2'/>"),
	HALF("18", "0x2", "21", "2", "<event value='2'/><event value='3' version='1'/>"),
};

static void count_fields(EVENT_FIELD_TYPE type, const ULONGLONG *value, ULONG want, const char *what)
{
	GUID guid = provider;
	ULONG size = 0, error;
	PROVIDER_FIELD_INFOARRAY *info;

	error = value ? TdhQueryProviderFieldInformation(&guid, *value, type, NULL, &size) :
			TdhEnumerateProviderFieldInformation(&guid, type, NULL, &size);
	if (!ok(error == ERROR_INSUFFICIENT_BUFFER, "%s: there", what))
		return;
	info = malloc(size);
	if (value)
		TdhQueryProviderFieldInformation(&guid, *value, type, info, &size);
	else
		TdhEnumerateProviderFieldInformation(&guid, type, info, &size);
	is(info->NumberOfElements, want, what);
	free(info);
}

static void check_enumerations(void)
{
	const ULONGLONG both = 3;
	PROVIDER_EVENT_INFO *events;
	GUID guid = provider;
	ULONG size = 0, filters = 0;
	PPROVIDER_FILTER_INFO *list;

	count_fields(EventLevelInformation, NULL, 2, "levels of both");
	count_fields(EventKeywordInformation, NULL, 2, "keywords of both");
	count_fields(EventKeywordInformation, &both, 2, "each keyword of a mask");
	count_fields(EventOpcodeInformation, NULL, 2, "opcodes of both");
	count_fields(EventTaskInformation, NULL, 1, "a task of one value, once");
	TdhEnumerateManifestProviderEvents(&guid, NULL, &size);
	events = malloc(size);
	is(TdhEnumerateManifestProviderEvents(&guid, events, &size), 0, "events");
	is(events->NumberOfEvents, 3, "each id and version once");
	free(events);
	size = 0;
	TdhEnumerateProviderFilters(&guid, 0, NULL, &filters, NULL, &size);
	list = malloc(size);
	is(TdhEnumerateProviderFilters(&guid, 0, NULL, &filters, list, &size), 0, "filters");
	ok(filters == 2 && list[0]->Id == 2 && list[1]->Id == 1, "of both");
	free(list);
}

static struct etw_manifest *load(const char *text)
{
	struct etw_problems none = { .count = 0 };
	struct etw_manifest *m = NULL;

	etw_manifest_read_memory(text, strlen(text), "", &m, &none);
	etw_problems_free(&none);
	ok(m && !etw_store_add(m), "loaded");
	return m;
}

static void unload(struct etw_manifest *m)
{
	etw_store_remove(m);
	etw_manifest_put(m);
}

static void test_enumerations(void)
{
	struct etw_manifest *a = load(halves[0]), *b = load(halves[1]);
	struct etw_decoder *d = etw_decoder_new();
	const struct etw_mf_event *event;
	struct etw_manifest *in;

	check_enumerations();
	is(etw_embed_records(&provider, 1, 0, feed, d), 0, "both are embedded");
	unload(a);
	unload(b);
	ok(!etw_store_find(&provider, &in), "none is loaded any more");
	for (unsigned int id = 1; id <= 3; id++) {
		EVENT_RECORD e = { .EventHeader = { .ProviderId = provider, .EventDescriptor = {
			.Id = (USHORT)id, .Version = id == 3 } } };

		etw_decode(d, &e, NULL);
		event = d->plan ? d->plan->event : NULL;
		ok(event && event->desc.Id == id, "event %u is described by the trace", id);
	}
	etw_decoder_free(d);
}

/* ------------------------------------------------------------------- control GUIDs */

#define CONTROLLED \
	"<instrumentationManifest " NAMESPACES "><instrumentation><events>" \
	"<provider name='C' guid='{99999999-2222-3333-4444-555555555555}' controlGuid='" GUID_TEXT "' symbol='C'>" \
	"<events><event value='1'/><event value='9'/></events></provider></events></instrumentation></instrumentationManifest>"

static const char *provider_of(uint16_t id)
{
	static char name[10];
	const struct etw_mf_event *event;
	struct etw_manifest *in;
	const struct etw_mf_provider *p = etw_store_find_event(&provider, id, 0, &event, &in);

	snprintf(name, sizeof(name), "%s%s", p ? p->name : "", event ? "" : "-");
	if (p)
		etw_manifest_put(in);
	return name;
}

static void test_control(void)
{
	struct etw_manifest *own = load(halves[0]), *other = load(CONTROLLED);

	ok(!strcmp(provider_of(1), "P"), "the decode GUID, though loaded before: %s", provider_of(1));
	ok(!strcmp(provider_of(9), "P-"), "no event of another decode GUID: %s", provider_of(9));
	unload(own);
	ok(!strcmp(provider_of(9), "C"), "the control GUID alone: %s", provider_of(9));
	unload(other);
}

/* ------------------------------------------------------------------------- folders */

static unsigned int opens;

/* In place of the C library's: folders are opened by it. */
int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	opens++;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* Looking for two unknown events opens the folder once, unless it is time to check it. */
static bool misses_are_kept(void)
{
	unsigned int before, i;

	for (i = 0; i < 100; i++) {
		provider_of(100 + i);
		before = opens;
		provider_of(300 + i);
		if (opens == before && opens)
			return true;
	}
	return false;
}

static void write_text(const char *folder, const char *name, const char *text)
{
	char path[200], temporary[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(temporary, sizeof(temporary), "%s/.new", folder);
	f = fopen(temporary, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) || rename(temporary, path))
		ok(0, "cannot write %s", path);
}

/* A loaded manifest has the provider: the folders are first asked for another event. */
static void test_folders(void)
{
	static const char name[] = "11111111-2222-3333-4444-555555555555.man";
	char folder[] = "/tmp/tdh_complement_XXXXXX", path[200];
	struct etw_manifest *own;
	unsigned int i, generation;

	if (!mkdtemp(folder)) {
		ok(0, "no folder");
		return;
	}
	setenv("ETW_MANIFEST_PATH", folder, 1);
	etw_store_refresh();
	own = load(halves[0]);
	ok(!strcmp(provider_of(1), "P"), "an event of the loaded one");
	ok(!strcmp(provider_of(7), "P-"), "one that is in no manifest");
	ok(misses_are_kept(), "which does not open the folder for each");
	generation = etw_store_generation();
	write_text(folder, name, HEAD "<events><event value='7'/></events>" TAIL);
	for (i = 0; i < 600 && etw_store_generation() == generation; i++)
		usleep(50000);
	ok(i < 600, "decoders learn that the folder has changed");
	ok(!strcmp(provider_of(7), "P"), "is found once a folder has it");
	unload(own);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	static const unsigned int orders[][3] = {
		{ 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 }, { 0, 2, 1 },
	};
	static const char *const shared[] = { "B2", "A2", "A2", "B2" };
	unsigned int i;

	/* First: nothing has looked into a folder yet. */
	test_folders();
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	etw_store_refresh();
	for (i = 0; i < 4; i++) {
		test_loaded(orders[i], shared[i]);
		test_embedded(orders[i], shared[i]);
	}
	test_enumerations();
	test_control();
	return done_testing();
}
