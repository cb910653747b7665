/* SPDX-License-Identifier: MIT */
/*
 * event.c - an event's schema: TdhGetEventInformation() and related functions
 */
#include <string.h>

#include "tdh/store/store.h"
#include "use.h"

struct building {
	struct etw_use *use;
	struct etw_epi_plan plan;
	const EVENT_DESCRIPTOR *desc;
};

static ULONG fill_manifest(TRACE_EVENT_INFO *info, const struct etw_schema_plan *plan)
{
	const struct etw_mf_provider *provider = plan->provider;
	const struct etw_mf_event *event = plan->event;
	ULONG flags = TEMPLATE_EVENT_DATA;

	if (plan->template && plan->template->user_data)
		flags = TEMPLATE_USER_DATA;
	if (!provider)
		return flags;
	info->ProviderGuid = provider->guid;
	if (provider->has_control_guid) {
		info->EventGuid = provider->control_guid;
		return flags | TEMPLATE_CONTROL_GUID;
	}
	if (event && event->task)
		info->EventGuid = event->task->event_guid;
	return flags;
}

/* The GUIDs, and the flags. */
static ULONG fill_source(TRACE_EVENT_INFO *info, const struct building *b)
{
	const EVENT_RECORD *record = &b->use->record;

	switch (b->use->event->source) {
	case ETW_DECODE_TRACELOGGING:
		info->DecodingSource = DecodingSourceTlg;
		info->ProviderGuid = b->use->event->control_guid;
		return TEMPLATE_EVENT_DATA;
	case ETW_DECODE_CLASSIC:
		info->DecodingSource = DecodingSourceWbem;
		info->ProviderGuid = record->EventHeader.ProviderId;
		if (b->use->plan->provider) {
			info->ProviderGuid = b->use->plan->provider->guid;
			info->EventGuid = record->EventHeader.ProviderId;
		}
		return TEMPLATE_EVENT_DATA;
	default:
		info->DecodingSource = DecodingSourceXMLFile;
		info->ProviderGuid = record->EventHeader.ProviderId;
		return fill_manifest(info, b->use->plan);
	}
}

static ULONG put_keywords(struct etw_block *block, struct etw_decoder *decoder)
{
	const char *name;
	ULONG first = 0, at;
	unsigned int i;

	for (i = 0; (name = etw_decode_keyword(decoder, i)); i++) {
		at = etw_block_string(block, name);
		if (!first)
			first = at;
	}
	if (first)
		etw_block_nul(block);
	return first;
}

static void put_names(struct etw_block *block, TRACE_EVENT_INFO *info, const struct building *b)
{
	const struct etw_decoded *event = b->use->event;
	const struct etw_mf_provider *provider = b->use->plan->provider;
	const bool tracelogging = event->source == ETW_DECODE_TRACELOGGING;

	info->ProviderNameOffset = etw_block_string(block, event->provider);
	info->LevelNameOffset = etw_block_string(block, event->level);
	info->ChannelNameOffset = etw_block_string(block, event->channel);
	info->KeywordsNameOffset = put_keywords(block, b->use->decoder);
	info->TaskNameOffset = etw_block_string(block, tracelogging ? event->event : event->task);
	info->OpcodeNameOffset = etw_block_string(block, event->opcode);
	info->EventMessageOffset = etw_block_string(block, event->message);
	if (provider && provider->message && provider->manifest)
		info->ProviderMessageOffset =
			etw_block_string(block, etw_mf_text(provider->manifest,
							    provider->message));
	if (event->source == ETW_DECODE_CLASSIC)
		return;
	info->EventNameOffset = etw_block_string(block, event->event);
	info->EventAttributesOffset = etw_block_string(block, event->attributes);
}

static void build(struct etw_block *block, void *context)
{
	const size_t head = offsetof(TRACE_EVENT_INFO, EventPropertyInfoArray);
	struct building *b = context;
	TRACE_EVENT_INFO info;
	ULONG flags;
	size_t at;

	memset(&info, 0, sizeof(info));
	/* At least the declared size of the struct. */
	at = etw_block_reserve(block, head + (b->plan.count ? b->plan.count : 1) *
			       sizeof(EVENT_PROPERTY_INFO));
	info.EventDescriptor = *b->desc;
	flags = fill_source(&info, b);
	info.Flags = (TEMPLATE_FLAGS)flags;
	info.Tags = b->use->event->tags;
	info.PropertyCount = b->plan.count;
	info.TopLevelPropertyCount = b->plan.top;
	put_names(block, &info, b);
	etw_block_put(block, at, &info, head);
	etw_epi_put(block, at + head, &b->plan);
}

static ULONG make(struct etw_use *use, const EVENT_DESCRIPTOR *desc, void *buffer, ULONG *size)
{
	const USHORT flags = use->record.EventHeader.Flags;
	struct building b = { .use = use, .desc = desc };
	ULONG ret;

	if (etw_epi_plan(&b.plan, use->plan->template,
			 flags & EVENT_HEADER_FLAG_32_BIT_HEADER ? 4 : 8))
		return ERROR_NOT_ENOUGH_MEMORY;
	ret = etw_block_make(build, &b, buffer, size);
	etw_epi_free(&b.plan);
	return ret;
}

TDHSTATUS TdhGetEventInformation(PEVENT_RECORD Event, ULONG TdhContextCount,
				 PTDH_CONTEXT TdhContext, PTRACE_EVENT_INFO Buffer,
				 ULONG *BufferSize)
{
	struct etw_use use;
	ULONG ret;

	if (!BufferSize || (*BufferSize && !Buffer))
		return ERROR_INVALID_PARAMETER;
	ret = etw_use_begin(&use, Event, TdhContextCount, TdhContext);
	if (ret)
		return ret;
	ret = make(&use, &use.record.EventHeader.EventDescriptor, Buffer, BufferSize);
	etw_use_end(&use);
	return ret;
}

/* Treat the manifest's event as if just written with an empty payload. */
TDHSTATUS TdhGetManifestEventInformation(LPGUID ProviderGuid, PEVENT_DESCRIPTOR EventDescriptor,
					 PTRACE_EVENT_INFO Buffer, ULONG *BufferSize)
{
	const struct etw_mf_provider *provider;
	const struct etw_mf_event *event;
	struct etw_manifest *manifest;
	EVENT_RECORD record;
	struct etw_use use;
	ULONG ret = ERROR_NOT_FOUND;

	if (!ProviderGuid || !EventDescriptor || !BufferSize || (*BufferSize && !Buffer))
		return ERROR_INVALID_PARAMETER;
	provider = etw_store_find_event(ProviderGuid, EventDescriptor->Id,
					EventDescriptor->Version, &event, &manifest);
	if (!provider)
		return ERROR_FILE_NOT_FOUND;
	if (event) {
		memset(&record, 0, sizeof(record));
		record.EventHeader.ProviderId = provider->guid;
		record.EventHeader.EventDescriptor = event->desc;
		record.EventHeader.Flags = EVENT_HEADER_FLAG_64_BIT_HEADER;
		ret = etw_use_begin(&use, &record, 0, NULL);
	}
	if (!ret) {
		ret = make(&use, &event->desc, Buffer, BufferSize);
		etw_use_end(&use);
	}
	etw_manifest_put(manifest);
	return ret;
}
