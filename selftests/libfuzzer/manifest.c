// SPDX-License-Identifier: GPL-2.0-only
/*
 * manifest - XML manifests, with the compiler's rules and for the decoder: the manifest is
 * complete, or a problem is reported; what the decoder takes decodes events, and can be
 * written and read again
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "libfuzzer/event.h"
#include "tdh/manifest/xml_write.h"
#include "tdh/store/store.h"

#define EVENTS_USED	16	/* of each provider */
#define PAYLOAD_MAX	256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_template(const struct etw_mf_template *t)
{
	unsigned int i;

	if (t->top > t->count)
		abort();
	for (i = 0; i < t->count; i++) {
		const struct etw_mf_field *f = &t->fields[i];

		if (!f->name || !(f->flags & ETW_MF_STRUCT) != !!f->in_type)
			abort();
		if (f->flags & ETW_MF_STRUCT && (i >= t->top || f->first < t->top ||
						 f->first + f->members > t->count))
			abort();
		/* A count or length refers to an earlier field. */
		if (f->flags & ETW_MF_COUNT_FIELD && f->count >= i)
			abort();
		if (f->flags & ETW_MF_LENGTH_FIELD && f->length >= i)
			abort();
	}
}

static void check_provider(const struct etw_manifest *m, const struct etw_mf_provider *p,
			   bool strict)
{
	unsigned int i;

	if (p->manifest != m || !p->name || !p->symbol)
		abort();
	for (i = 0; i < p->template_count; i++)
		check_template(&p->templates[i]);
	for (i = 0; i < p->event_count; i++) {
		const struct etw_mf_event *e = &p->events[i];

		const struct etw_mf_event *found =
			etw_mf_event_find(p, e->desc.Id, e->desc.Version);

		/* Of equal ones, which only the decoder takes, the first counts. */
		if (!found || found > e || (strict && found != e))
			abort();
		if (e->message && !etw_mf_text(m, e->message))
			abort();
	}
	for (i = 0; i < p->map_count; i++)
		etw_mf_map_find(&p->maps[i], 1);
}

/* An event with the input's last bytes as its payload */
static void decode(struct etw_decoder *decoder, const struct etw_mf_provider *p,
		   const struct etw_mf_event *e, const uint8_t *data, size_t size)
{
	const size_t most = size < PAYLOAD_MAX ? size : PAYLOAD_MAX;
	struct input in = { data + size - most, most };
	static struct etw_text text;
	size_t len;
	EVENT_RECORD record = {
		.EventHeader = { .ProviderId = p->guid, .EventDescriptor = e->desc },
		.UserData = take_block(&in, most, &len), .UserDataLength = (USHORT)most,
	};
	const struct etw_decoded *decoded;
	int ret = etw_decode(decoder, &record, &decoded);

	if (!ret)
		use_event(decoder, &text);
	else if (ret != -ENOMEM && ret != -ENOENT && ret != -EBADMSG)
		abort();
	free(record.UserData);
}

static void use(struct etw_manifest *m, const uint8_t *data, size_t size)
{
	struct etw_decoder *decoder = etw_decoder_new();
	const struct etw_mf_provider *p;
	struct etw_text xml = { .data = NULL };
	unsigned int i, j;
	int ret;

	if (!decoder || etw_store_add(m))
		abort();
	for (i = 0; i < m->provider_count; i++) {
		p = &m->providers[i];
		for (j = 0; j < p->event_count && j < EVENTS_USED; j++)
			decode(decoder, p, &p->events[j], data, size);
		ret = etw_manifest_xml(p, &xml);
		if (ret && ret != -EINVAL && ret != -ENOMEM)
			abort();
		etw_text_cut(&xml, 0);
	}
	etw_text_free(&xml);
	etw_decoder_free(decoder);
	if (etw_store_remove(m))
		abort();
}

static int read_with(bool strict, const uint8_t *data, size_t size)
{
	struct etw_problems problems = { 0 };
	struct etw_manifest *manifest = NULL;
	unsigned int i;
	int err;

	err = strict ? etw_manifest_check_memory(data, size, "fuzz", &manifest, &problems) :
		       etw_manifest_read_memory(data, size, "fuzz", &manifest, &problems);
	if (err != 0 && err != -EINVAL && err != -ENOMEM)
		abort();
	if (!err != !problems.errors && err != -ENOMEM)
		abort();
	if (!err) {
		for (i = 0; i < manifest->provider_count; i++)
			check_provider(manifest, &manifest->providers[i], strict);
		if (!strict)
			use(manifest, data, size);
		etw_manifest_put(manifest);
	}
	etw_problems_free(&problems);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int strict, lenient;

	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	strict = read_with(true, data, size);
	lenient = read_with(false, data, size);

	/* What the compiler takes, the decoder takes. */
	if (!strict && lenient == -EINVAL)
		abort();
	return 0;
}
