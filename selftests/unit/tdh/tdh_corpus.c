// SPDX-License-Identifier: GPL-2.0-only
/*
 * TDH with real manifests: each event's block is valid, and each of its fields matches
 * the manifest's model.  They are in $ETW_CORPUS/manifests, or
 * ../shared/corpus/manifests; without these, the test is skipped.
 */
#include <dirent.h>
#include <stdio.h>

#include "tdh/model/model.h"
#include "tdh_test.h"
#include "lib/tap.h"

static unsigned int events, wrong;

static void complain(const char *file, ULONG id, const char *what)
{
	if (wrong++ < 10)
		printf("# %s: event %u: %s\n", file, id, what);
}

/* The string begins and ends in the block, or is absent. */
static int string_ok(const void *block, ULONG size, ULONG head, ULONG offset)
{
	const WCHAR *s = (const WCHAR *)(const void *)((const char *)block + offset);
	ULONG left = offset < size ? (size - offset) / 2 : 0;

	if (!offset)
		return 1;
	if (offset < head || offset & 1)
		return 0;
	while (left && *s)
		s++, left--;
	return left != 0;
}

static int names_ok(const TRACE_EVENT_INFO *info, ULONG size, ULONG head)
{
	const ULONG offsets[] = {
		info->ProviderNameOffset, info->LevelNameOffset, info->ChannelNameOffset,
		info->KeywordsNameOffset, info->TaskNameOffset, info->OpcodeNameOffset,
		info->EventMessageOffset, info->ProviderMessageOffset, info->EventNameOffset,
		info->EventAttributesOffset,
	};
	unsigned int i;

	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		if (!string_ok(info, size, head, offsets[i]))
			return 0;
	return info->ProviderNameOffset != 0;
}

static int field_ok(const TRACE_EVENT_INFO *info, ULONG size, ULONG head, ULONG i,
		    const struct etw_mf_field *field)
{
	const EVENT_PROPERTY_INFO *p = &info->EventPropertyInfoArray[i];

	if (!p->NameOffset || !string_ok(info, size, head, p->NameOffset))
		return 0;
	if (p->Flags & PropertyParamCount && p->countPropertyIndex >= i)
		return 0;
	if (p->Flags & PropertyParamLength && p->lengthPropertyIndex >= i)
		return 0;
	if (p->Flags & PropertyStruct)
		return field->flags & ETW_MF_STRUCT &&
		       p->structType.StructStartIndex >= info->TopLevelPropertyCount &&
		       (ULONG)p->structType.StructStartIndex + p->structType.NumOfStructMembers <=
		       info->PropertyCount;
	return p->nonStructType.InType == field->in_type &&
	       !p->nonStructType.MapNameOffset == !field->map &&
	       string_ok(info, size, head, p->nonStructType.MapNameOffset);
}

static ULONG check_maps(EVENT_RECORD *record, TRACE_EVENT_INFO *info)
{
	ULONG i, size, bad = 0;

	for (i = 0; i < info->PropertyCount; i++) {
		EVENT_PROPERTY_INFO *p = &info->EventPropertyInfoArray[i];
		EVENT_MAP_INFO *map;

		if (p->Flags & PropertyStruct || !p->nonStructType.MapNameOffset)
			continue;
		size = 0;
		bad += TdhGetEventMapInformation(record, TEI_MAP_NAME(info, p), NULL, &size) !=
		       ERROR_INSUFFICIENT_BUFFER;
		map = malloc(size);
		bad += TdhGetEventMapInformation(record, TEI_MAP_NAME(info, p), map, &size) != 0;
		free(map);
	}
	return bad;
}

static void check_event(const char *file, const struct etw_mf_provider *provider,
			const struct etw_mf_event *event)
{
	const struct etw_mf_template *fields = event->template;
	EVENT_RECORD record = test_record(event->desc.Id, event->desc.Version, NULL, 0);
	TRACE_EVENT_INFO *info;
	ULONG size = 0, error, head, i;

	events++;
	record.EventHeader.ProviderId = provider->guid;
	record.EventHeader.EventDescriptor = event->desc;
	info = event_info(&record, &error);
	if (!info) {
		complain(file, event->desc.Id, "no schema");
		return;
	}
	TdhGetEventInformation(&record, 0, NULL, NULL, &size);
	head = offsetof(TRACE_EVENT_INFO, EventPropertyInfoArray) +
	       info->PropertyCount * sizeof(EVENT_PROPERTY_INFO);
	if (head > size || info->PropertyCount != (fields ? fields->count : 0) ||
	    info->TopLevelPropertyCount != (fields ? fields->top : 0))
		complain(file, event->desc.Id, "wrong numbers of fields");
	else if (!names_ok(info, size, head))
		complain(file, event->desc.Id, "a name is not in the block");
	else
		for (i = 0; i < info->PropertyCount; i++)
			if (!field_ok(info, size, head, i, &fields->fields[i]))
				complain(file, event->desc.Id, "a field is wrong");
	if (check_maps(&record, info))
		complain(file, event->desc.Id, "a map is missing");
	free(info);
}

/* Each integer field within reach can be filtered. */
static void check_filter(const char *file, const struct etw_mf_provider *provider,
			 const struct etw_mf_event *event)
{
	PAYLOAD_FILTER_PREDICATEA predicate = { NULL, PAYLOADFIELD_EQ, "1" };
	EVENT_FILTER_DESCRIPTOR filter;
	unsigned int i;
	PVOID made;
	ULONG ret;

	for (i = 0; event->template && i < event->template->top; i++) {
		const struct etw_mf_field *field = &event->template->fields[i];

		if (field->flags || field->in_type != TDH_INTYPE_UINT32)
			continue;
		predicate.FieldName = field->name;
		ret = TdhCreatePayloadFilterA(&provider->guid, &event->desc, FALSE, 1, &predicate,
					      &made);
		if (ret == ERROR_NOT_SUPPORTED)
			continue;
		if (ret || TdhAggregatePayloadFilters(1, &made, NULL, &filter)) {
			complain(file, event->desc.Id, "no filter");
			continue;
		}
		TdhCleanupPayloadEventFilterDescriptor(&filter);
		TdhDeletePayloadFilter(&made);
	}
}

static void check_provider(const char *file, const struct etw_mf_provider *provider)
{
	GUID guid = provider->guid;
	ULONG type, size = 0, ret;
	unsigned int i;

	ret = TdhEnumerateManifestProviderEvents(&guid, NULL, &size);
	if (provider->event_count ? ret != ERROR_INSUFFICIENT_BUFFER : ret != ERROR_EMPTY)
		complain(file, 0, "its events are not listed");
	for (type = 0; type < EventInformationMax; type++) {
		size = 0;
		ret = TdhEnumerateProviderFieldInformation(&guid, (EVENT_FIELD_TYPE)type, NULL, &size);
		if (ret != ERROR_INSUFFICIENT_BUFFER && ret != ERROR_NOT_FOUND)
			complain(file, type, "its fields are not listed");
	}
	for (i = 0; i < provider->event_count; i++) {
		check_event(file, provider, &provider->events[i]);
		check_filter(file, provider, &provider->events[i]);
	}
}

static void check_manifest(const char *path, const char *name)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest;
	unsigned int i, before = wrong, had = events;

	if (etw_manifest_read_file(path, &manifest, &problems)) {
		is(TdhLoadManifestA(path), ERROR_XML_PARSE_ERROR,
		   "a refused manifest is not loaded");
		printf("# %s: line %u: %s\n", name, problems.list[0].line, problems.list[0].text);
		etw_problems_free(&problems);
		return;
	}
	etw_problems_free(&problems);
	is(TdhLoadManifestA(path), 0, "load");
	for (i = 0; i < manifest->provider_count; i++)
		check_provider(name, &manifest->providers[i]);
	ok(wrong == before, "%s: %u events", name, events - had);
	is(TdhUnloadManifestA(path), 0, "unload");
	etw_manifest_put(manifest);
}

int main(void)
{
	const char *corpus = getenv("ETW_CORPUS");
	struct dirent **names;
	char folder[512], path[1024];
	int count, i;

	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	snprintf(folder, sizeof(folder), "%s/manifests", corpus ? corpus : "../shared/corpus");
	count = scandir(folder, &names, NULL, alphasort);
	if (count < 0) {
		skip("no manifests in %s", folder);
		return done_testing();
	}
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			check_manifest(path, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	ok(events != 0, "%u events", events);
	return done_testing();
}
