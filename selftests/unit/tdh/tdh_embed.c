// SPDX-License-Identifier: GPL-2.0-only
/* Schemas within a trace: written, read, used; forged pieces */
#include "unit/etl/etl_write.h"

#include "tdh/decode/embed.h"
#include "tdh/store/store.h"
#include "unit/manifest/manifest.h"

static const GUID provider = { 0x11111111, 0x2222, 0x3333, { 0x44, 0x44, 0x55, 0x55, 0x55, 0x55,
							      0x55, 0x55 } };

static const char schema[] = HEAD
	"<templates><template tid='t'><data name='Size' inType='win:UInt32'/></template>"
	"</templates><events><event value='7' template='t' message='$(string.one)'/>"
	"</events>" TAIL;

/* The records that carry the schema; their bytes, one after the other */
struct records {
	unsigned char *data;
	size_t len, at[300], size[300];
	unsigned int count, stop;
};

static int take_record(void *context, const void *record, size_t size)
{
	struct records *r = context;

	if (r->stop && r->count == r->stop)
		return -EPIPE;
	r->data = realloc(r->data, r->len + size);
	memcpy(r->data + r->len, record, size);
	r->at[r->count] = r->len;
	r->size[r->count++] = size;
	r->len += size;
	return 0;
}

/* Load the manifest into the process only for this call */
static int make_records(const char *text, size_t len, size_t max, struct records *r)
{
	struct etw_problems none = { .count = 0 };
	struct etw_manifest *m;
	int err = etw_manifest_read_memory(text, len, "", &m, &none);

	etw_problems_free(&none);
	if (err)
		return err;
	etw_store_add(m);
	err = etw_embed_records(&provider, 5000, max, take_record, r);
	etw_store_remove(m);
	etw_manifest_put(m);
	return err;
}

static void free_records(struct records *r)
{
	free(r->data);
	*r = (struct records){ .data = NULL };
}

/* The event of a record, as a consumer receives it */
static EVENT_RECORD event_of(const void *record)
{
	EVENT_RECORD e = { .EventHeader.Size = 0 };

	memcpy(&e.EventHeader, record, sizeof(e.EventHeader));
	e.EventHeader.HeaderType = 0;
	e.UserData = (void *)((const char *)record + sizeof(e.EventHeader));
	e.UserDataLength = e.EventHeader.Size - sizeof(e.EventHeader);
	return e;
}

/* Decode event 7 of the provider; "": no schema. */
static const char *decode7(struct etw_decoder *d)
{
	static const GUID other = { .Data1 = 0xFFFF };
	static char text[100];
	uint32_t value = 77;
	EVENT_RECORD e = { .EventHeader = { .ProviderId = provider,
					    .EventDescriptor.Id = 7 },
			   .UserData = &value, .UserDataLength = sizeof(value) };
	struct etw_text out = { 0 };
	int ret = etw_decode(d, &e, NULL);

	text[0] = '\0';
	if (!ret && etw_format_message(&out, d))
		snprintf(text, sizeof(text), "%s", out.data);
	etw_text_free(&out);
	e.EventHeader.ProviderId = other;
	if (etw_decode(d, &e, NULL) != -ENOENT)
		snprintf(text, sizeof(text), "another provider is known, too");
	return text;
}

static int feed(struct etw_decoder *d, const void *record)
{
	EVENT_RECORD e = event_of(record);
	const struct etw_decoded *event;
	int ret = etw_decode(d, &e, &event);

	return ret == -ENOENT && etw_embed_is(&e) && event->event &&
	       !strcmp(event->event, "ManifestData");
}

static void test_stream(void)
{
	struct etw_decoder *d = etw_decoder_new();
	struct records r = { .data = NULL };
	unsigned int i;
	int good = 0;

	is(make_records(schema, sizeof(schema) - 1, 200, &r), 0, "a schema in small pieces");
	ok(r.count > 5 && r.count < 20, "%u of them", r.count);
	for (i = 0; i < r.count; i++)
		good += r.size[i] <= 200 && r.data[r.at[i] + 80 + 3] == 0x5B &&
			r.data[r.at[i] + 80 + 4] == r.count && r.data[r.at[i] + 80 + 6] == i;
	is(good, r.count, "each as EventSource writes it");
	ok(!*decode7(d), "nothing is known at first");
	/* Feed the pieces from the last to the first */
	for (i = r.count; i-- > 1; )
		good += feed(d, r.data + r.at[i]);
	ok(!*decode7(d), "nor without its first piece");
	good += feed(d, r.data + r.at[0]);
	is(good, 2 * r.count, "pieces are recognised");
	ok(!strcmp(decode7(d), "is 77"), "then it decodes: %s", decode7(d));
	for (i = 0; i < r.count; i++)
		feed(d, r.data + r.at[i]);
	ok(!strcmp(decode7(d), "is 77"), "and once more");
	etw_decoder_free(d);
	free_records(&r);
}

/* Invalid pieces, and more schemas than are kept */
static void test_made_up(void)
{
	static const struct { int at, value; } breaks[] = {
		{ 80, 2 }, { 83, 0 }, { 84, 0 }, { 85, 1 }, { 86, 200 }, { 86, 255 },
	};
	struct etw_decoder *d = etw_decoder_new();
	struct records r = { .data = NULL };
	unsigned int i, k;

	make_records(schema, sizeof(schema) - 1, 300, &r);
	for (k = 0; k < sizeof(breaks) / sizeof(breaks[0]); k++) {
		for (i = 0; i < r.count; i++) {
			unsigned char *p = r.data + r.at[i] + breaks[k].at, old = *p;

			if (i == 1)
				*p = breaks[k].value;
			feed(d, r.data + r.at[i]);
			*p = old;
		}
		ok(!*decode7(d), "a wrong byte %d", breaks[k].at);
	}
	/* Schemas of other processes: each begins, none ends */
	for (k = 0; k < 3000; k++)
		for (i = 1; i < r.count; i++) {
			memcpy(r.data + r.at[i] + 12, &k, 4);
			feed(d, r.data + r.at[i]);
		}
	ok(!*decode7(d), "thousands that do not end");
	for (i = 0; i < r.count; i++) {
		memcpy(r.data + r.at[i] + 12, &k, 4);
		feed(d, r.data + r.at[i]);
	}
	ok(!strcmp(decode7(d), "is 77"), "do not keep away one that does");
	/* A provider must not define another provider's schema. */
	r.data[r.at[0] + 24] ^= 1;
	etw_decoder_free(d);
	d = etw_decoder_new();
	for (i = 0; i < r.count; i++) {
		r.data[r.at[i] + 24] = r.data[r.at[0] + 24];
		feed(d, r.data + r.at[i]);
	}
	ok(!*decode7(d), "another provider's schema");
	etw_decoder_free(d);
	free_records(&r);
}

/* An invalid XML schema follows a good one; then a new one. */
static void test_replaced(void)
{
	static const char newer[] = HEAD
		"<events><event value='7' message='$(string.s)'/></events>" TAIL;
	struct etw_decoder *d = etw_decoder_new();
	struct records r = { .data = NULL };
	unsigned char *copy;

	is(make_records(schema, sizeof(schema) - 1, 0, &r), 0, "a schema in one piece");
	is(r.count, 1, "as long as a record may be");
	feed(d, r.data);
	copy = malloc(r.len);
	memcpy(copy, r.data, r.len);
	copy[200] = '<';
	feed(d, copy);
	ok(!strcmp(decode7(d), "is 77"), "a broken one changes nothing");
	free(copy);
	free_records(&r);
	make_records(newer, sizeof(newer) - 1, 0, &r);
	feed(d, r.data);
	ok(!strcmp(decode7(d), "text"), "a newer one does: %s", decode7(d));
	etw_decoder_free(d);
	free_records(&r);
}

static void test_refused(void)
{
	struct records r = { .stop = 2 };

	is(etw_embed_records(&provider, 0, 0, take_record, &r), -ENOENT, "an unknown provider");
	is(make_records(schema, sizeof(schema) - 1, 90, &r), -E2BIG, "too many pieces");
	is(make_records(schema, sizeof(schema) - 1, 88, &r), -E2BIG, "pieces of nothing");
	is(make_records(schema, sizeof(schema) - 1, 200, &r), -EPIPE, "the error of put()");
	is(r.count, 2, "and no more of it");
	free_records(&r);
}

static void test_scan(bool late)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = BUFFER };
	struct etw_decoder *d = etw_decoder_new();
	uint64_t sum = 0, cpus[CPUS] = { 0 };
	struct records r = { .data = NULL };
	struct etw_etl_writer *w;
	unsigned int i;
	int good = 0;

	make_records(schema, sizeof(schema) - 1, 500, &r);
	is(etw_etl_create(path, &options, &w), 0, "a file");
	if (late)
		write_many(w, 1000, false, &sum, cpus);
	for (i = 0; i < r.count; i++)
		good += !etw_etl_write(w, 0, r.data + r.at[i], r.size[i]);
	if (!late)
		write_many(w, 1000, false, &sum, cpus);
	is(good, r.count, "the schema is written");
	is(etw_etl_finish(w, 0, NULL), 0, "finish");
	is(etw_embed_scan(d, path), 1, "it is found");
	ok(!strcmp(decode7(d), "is 77"), "and used");
	is(etw_embed_scan(d, path), 0, "nothing new the second time");
	etw_decoder_free(d);
	free_records(&r);
	unlink(path);
}

/* The output of a command, with its line ends */
static const char *run(const char *command, const char *file)
{
	static char out[4096];
	char all[512];
	FILE *f;

	snprintf(all, sizeof(all), "ETW_DEVICE=/nonexistent %s %s", command, file);
	f = popen(all, "r");
	out[f ? fread(out, 1, sizeof(out) - 1, f) : 0] = '\0';
	if (f && pclose(f))
		strcat(out, "failed");
	return out;
}

/* The commands, on a machine without installed manifests */
static void test_commands(void)
{
	struct etw_etl_options options = { .like = &like };
	struct records r = { .data = NULL };
	struct { struct etw_event_header h; uint32_t size; } event = {
		.h = { .size = 84, .type = ETW_TYPE_EVENT64, .timestamp = 9000, .desc.id = 7 },
		.size = 77,
	};
	struct etw_etl_writer *w;
	const char *out;
	int good = 0;

	memcpy(&event.h.provider, &provider, sizeof(provider));
	make_records(schema, sizeof(schema) - 1, 0, &r);
	etw_etl_create(path, &options, &w);
	good += !etw_etl_write(w, 0, &event, 84);
	good += !etw_etl_write(w, 0, r.data, r.len);
	good += !etw_etl_finish(w, 0, NULL);
	is(good, 3, "an event, with its schema after it");
	out = run("build/etw dump --format '%i %m %{Size}'", path);
	ok(strstr(out, "7 is 77 77\n") && !strstr(out, "65534"), "etw dump: %s", out);
	out = run("build/etw convert --to json -q", path);
	ok(strstr(out, "\"Size\":77") && !strstr(out, "65534"), "etw convert: %s", out);
	out = run("build/etw dump --filter 'Size == 77' --format %i", path);
	ok(!strcmp(out, "7\n"), "etw dump --filter: %s", out);
	out = run("build/etw dump --raw", path);
	ok(strstr(out, "65534") || strstr(out, "ManifestData"), "--raw shows the schema, too");
	free_records(&r);
	unlink(path);
}

static void test_scan_errors(void)
{
	struct etw_decoder *d = etw_decoder_new();

	is(etw_embed_scan(d, "/nonexistent"), -ENOENT, "no file");
	put_text(path, "no log");
	is(etw_embed_scan(d, path), -EINVAL, "no log");
	unlink(path);
	etw_decoder_free(d);
}

int main(void)
{
	/* Ignore manifests installed on this machine */
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	set_up();
	test_stream();
	test_made_up();
	test_replaced();
	test_refused();
	test_scan(false);
	test_scan(true);
	test_scan_errors();
	test_commands();
	tear_down();
	return done_testing();
}
