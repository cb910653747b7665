// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several manifests of one provider, in each order: each id and version is decoded by the
 * one that describes it; and Binary without a length, which is the event's rest
 */
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

int main(void)
{
	static const unsigned int orders[][3] = {
		{ 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 }, { 0, 2, 1 },
	};
	static const char *const shared[] = { "B2", "A2", "A2", "B2" };
	unsigned int i;

	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	for (i = 0; i < 4; i++) {
		test_loaded(orders[i], shared[i]);
		test_embedded(orders[i], shared[i]);
	}
	return done_testing();
}
