// SPDX-License-Identifier: GPL-2.0-only
/* TDH's information about providers: fields, events, filters; loading; decoding handles */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tdh_test.h"
#include "lib/tap.h"

static PROVIDER_FIELD_INFOARRAY *fields(EVENT_FIELD_TYPE type, const ULONGLONG *value, ULONG *error)
{
	PROVIDER_FIELD_INFOARRAY *info;
	GUID guid = test_guid;
	ULONG size = 0;

	*error = value ? TdhQueryProviderFieldInformation(&guid, *value, type, NULL, &size) :
			 TdhEnumerateProviderFieldInformation(&guid, type, NULL, &size);
	if (*error != ERROR_INSUFFICIENT_BUFFER)
		return NULL;
	info = malloc(size);
	*error = value ? TdhQueryProviderFieldInformation(&guid, *value, type, info, &size) :
			 TdhEnumerateProviderFieldInformation(&guid, type, info, &size);
	is(info->FieldType, type, "of the type that was asked for");
	return info;
}

static void field(PROVIDER_FIELD_INFOARRAY *info, ULONG i, const char *name, ULONGLONG value,
		  const char *message)
{
	PROVIDER_FIELD_INFO *f = &info->FieldInfoArray[i];

	ok(same16(PFI_FIELD_NAME(info, f), name) && f->Value == value, "%s is %llu", name, value);
	ok(message ? same16(PFI_FIELD_MESSAGE(info, f), message) : !f->DescriptionOffset,
	   "its message: %s", message ? message : "none");
}

static void test_enumerate_fields(void)
{
	PROVIDER_FIELD_INFOARRAY *info;
	ULONG error;

	info = fields(EventKeywordInformation, NULL, &error);
	if (ok(info && info->NumberOfElements == 3, "keywords")) {
		field(info, 0, "Disk", 1, NULL);
		field(info, 1, "Net", 4, "The network");
		field(info, 2, "Test-Tdh/Operational", 1ULL << 63, NULL);
	}
	free(info);
	info = fields(EventLevelInformation, NULL, &error);
	if (ok(info && info->NumberOfElements == 2, "levels")) {
		field(info, 0, "Loud", 16, "Very loud");
		ok(same16(PFI_FIELD_NAME(info, &info->FieldInfoArray[1]), "win:Error"),
		   "a standard one that an event uses");
	}
	free(info);
	info = fields(EventChannelInformation, NULL, &error);
	if (ok(info && info->NumberOfElements == 1, "channels"))
		field(info, 0, "Test-Tdh/Operational", 16, NULL);
	free(info);
	info = fields(EventTaskInformation, NULL, &error);
	if (ok(info && info->NumberOfElements == 2, "tasks"))
		field(info, 1, "Write", 2, "Writing");
	free(info);
	info = fields(EventOpcodeInformation, NULL, &error);
	if (ok(info && info->NumberOfElements >= 2, "opcodes")) {
		field(info, 0, "Own", 21 << 16, "Our own");
		field(info, 1, "Half", 20 << 16 | 1, NULL);
	}
	free(info);
}

/* B212: a mask of keywords gives an entry for each bit that has a name. */
static void test_query_fields(void)
{
	static const ULONGLONG mask = 1ULL << 63 | 0x1f, own = 21 << 16, half = 20 << 16 | 1;
	static const ULONGLONG two = 2, none = 0x10, big = 1ULL << 40, sixteen = 16;
	PROVIDER_FIELD_INFOARRAY *info;
	ULONG error;

	info = fields(EventKeywordInformation, &mask, &error);
	if (ok(info && info->NumberOfElements == 3, "of six bits three have names")) {
		field(info, 0, "Disk", 1, NULL);
		field(info, 1, "Net", 4, "The network");
		field(info, 2, "Test-Tdh/Operational", 1ULL << 63, NULL);
	}
	free(info);
	info = fields(EventOpcodeInformation, &half, &error);
	if (ok(info && info->NumberOfElements == 1, "an opcode of a task"))
		field(info, 0, "Half", half, NULL);
	free(info);
	info = fields(EventOpcodeInformation, &own, &error);
	if (ok(info && info->NumberOfElements == 1, "an opcode without a task"))
		field(info, 0, "Own", own, "Our own");
	free(info);
	info = fields(EventLevelInformation, &two, &error);
	ok(info && same16(PFI_FIELD_NAME(info, info->FieldInfoArray), "win:Error"), "a level");
	free(info);
	info = fields(EventChannelInformation, &sixteen, &error);
	ok(info && info->NumberOfElements == 1, "a channel");
	free(info);
	info = fields(EventTaskInformation, &two, &error);
	ok(info && info->NumberOfElements == 1, "a task");
	free(info);
	ok(!fields(EventKeywordInformation, &none, &error) && error == ERROR_NOT_FOUND,
	   "a bit without a name");
	ok(!fields(EventLevelInformation, &big, &error) && error == ERROR_NOT_FOUND,
	   "an impossible level");
	ok(!fields(EventTaskInformation, &big, &error) && error == ERROR_NOT_FOUND, "nor a task");
	ok(!fields(EventOpcodeInformation, &big, &error) && error == ERROR_NOT_FOUND,
	   "nor an opcode");
}

static void test_field_errors(void)
{
	GUID guid = test_guid, bare = decode_guid, nobody = other_guid;
	ULONG size = 0, some = 8;

	is(TdhEnumerateProviderFieldInformation(NULL, EventTaskInformation, NULL, &size),
	   ERROR_INVALID_PARAMETER, "no GUID");
	is(TdhEnumerateProviderFieldInformation(&guid, EventTaskInformation, NULL, NULL),
	   ERROR_INVALID_PARAMETER, "no size");
	is(TdhEnumerateProviderFieldInformation(&guid, EventTaskInformation, NULL, &some),
	   ERROR_INVALID_PARAMETER, "no buffer");
	is(TdhEnumerateProviderFieldInformation(&guid, EventInformationMax, NULL, &size),
	   ERROR_NOT_SUPPORTED, "no such type");
	is(TdhEnumerateProviderFieldInformation(&bare, EventTaskInformation, NULL, &size),
	   ERROR_NOT_FOUND, "a provider that has none");
	is(TdhEnumerateProviderFieldInformation(&nobody, EventTaskInformation, NULL, &size),
	   ERROR_NOT_FOUND, "an unknown provider");
	is(TdhQueryProviderFieldInformation(&nobody, 1, EventTaskInformation, NULL, &size),
	   ERROR_NOT_FOUND, "nor a value of it");
	is(TdhQueryProviderFieldInformation(&guid, 1, (EVENT_FIELD_TYPE)9, NULL, &size),
	   ERROR_NOT_SUPPORTED, "nor a value of that type");
}

static void test_events(void)
{
	GUID guid = test_guid, bare = decode_guid, nobody = other_guid;
	PROVIDER_EVENT_INFO *info;
	ULONG size = 0;

	is(TdhEnumerateManifestProviderEvents(&guid, NULL, &size), ERROR_INSUFFICIENT_BUFFER,
	   "events: no buffer");
	info = malloc(size);
	is(TdhEnumerateManifestProviderEvents(&guid, info, &size), 0, "events");
	is(info->NumberOfEvents, 4, "four");
	is(info->EventDescriptorsArray[0].Version, 2, "descriptors as they are written");
	ok(info->EventDescriptorsArray[0].Keyword == 0x8000000000000005ULL,
	   "with the channel's bit");
	free(info);
	size = 0;
	is(TdhEnumerateManifestProviderEvents(&bare, NULL, &size), ERROR_EMPTY, "no events");
	is(TdhEnumerateManifestProviderEvents(&nobody, NULL, &size), ERROR_FILE_NOT_FOUND,
	   "no such provider");
	is(TdhEnumerateManifestProviderEvents(NULL, NULL, &size), ERROR_INVALID_PARAMETER,
	   "no GUID");
	is(TdhEnumerateManifestProviderEvents(&guid, NULL, NULL), ERROR_INVALID_PARAMETER,
	   "no size");
}

static void test_filters(void)
{
	GUID guid = test_guid, bare = decode_guid;
	PROVIDER_FILTER_INFO **list, *filter;
	ULONG size = 0, count = 9;

	is(TdhEnumerateProviderFilters(&guid, 0, NULL, &count, NULL, &size),
	   ERROR_INSUFFICIENT_BUFFER, "filters: no buffer");
	is(count, 0, "and no buffer");
	list = malloc(size);
	is(TdhEnumerateProviderFilters(&guid, 0, NULL, &count, list, &size), 0, "filters");
	is(count, 2, "two");
	filter = list[0];
	is(filter->Id, 7, "the first one's number");
	is(filter->Version, 1, "and version");
	ok(same16(PFI_FILTER_MESSAGE(filter), "By size"), "message");
	is(filter->PropertyCount, 1, "a field");
	ok(same16(PFI_PROPERTY_NAME(filter, filter->EventPropertyInfoArray), "Value"), "its name");
	is(list[1]->Id, 8, "the second one's number");
	is(list[1]->PropertyCount, 0, "which has no fields");
	free(list);
	size = 0;
	is(TdhEnumerateProviderFilters(&bare, 0, NULL, &count, NULL, &size), ERROR_NOT_FOUND,
	   "a provider without any");
	is(TdhEnumerateProviderFilters(NULL, 0, NULL, &count, NULL, &size), ERROR_INVALID_PARAMETER,
	   "no GUID");
	is(TdhEnumerateProviderFilters(&guid, 0, NULL, NULL, NULL, &size), ERROR_INVALID_PARAMETER,
	   "no count");
	is(TdhEnumerateProviderFilters(&guid, 0, NULL, &count, NULL, NULL), ERROR_INVALID_PARAMETER,
	   "no size");
}

static void test_providers(void)
{
	PROVIDER_ENUMERATION_INFO *info;
	ULONG size = 0, need = 0;

	is(TdhEnumerateProviders(NULL, &size), ERROR_INSUFFICIENT_BUFFER, "providers: no buffer");
	info = malloc(size);
	is(TdhEnumerateProviders(info, &size), 0, "providers");
	is(info->NumberOfProviders, 3, "two of the manifest, one built in");
	ok(same16(PEI_PROVIDER_NAME(info, &info->TraceProviderInfoArray[0]), "MSNT_SystemTrace"),
	   "by name");
	is(info->TraceProviderInfoArray[0].SchemaSource, 1, "a classic one");
	ok(same16(PEI_PROVIDER_NAME(info, &info->TraceProviderInfoArray[1]), "Test-Tdh"), "ours");
	is(info->TraceProviderInfoArray[1].SchemaSource, 0, "of a manifest");
	ok(!memcmp(&info->TraceProviderInfoArray[1].ProviderGuid, &test_guid, sizeof(GUID)),
	   "its GUID");
	is(TdhEnumerateProvidersForDecodingSource(DecodingSourceXMLFile, info, size, &need), 0,
	   "of manifests");
	is(info->NumberOfProviders, 2, "two");
	is(TdhEnumerateProvidersForDecodingSource(DecodingSourceWbem, info, size, &need), 0,
	   "of classic ones");
	is(info->NumberOfProviders, 1, "one");
	is(TdhEnumerateProvidersForDecodingSource(DecodingSourceTlg, info, size, &need), 0,
	   "of TraceLogging");
	is(info->NumberOfProviders, 0, "none");
	is(TdhEnumerateProvidersForDecodingSource(DecodingSourceMax, info, size, &need),
	   ERROR_INVALID_PARAMETER, "of no source");
	is(TdhEnumerateProvidersForDecodingSource(DecodingSourceXMLFile, NULL, 0, NULL),
	   ERROR_INVALID_PARAMETER, "no size");
	is(TdhEnumerateProviders(NULL, NULL), ERROR_INVALID_PARAMETER, "no size");
	free(info);
}

static void test_control_guid(void)
{
	EVENT_DESCRIPTOR desc = { .Id = 1 };
	GUID guid = enable_guid;
	ULONG size = 0;

	is(TdhGetManifestEventInformation(&guid, &desc, NULL, &size), ERROR_NOT_FOUND,
	   "a provider is found by its control GUID");
}

static char *write_manifest(const char *text)
{
	static char path[] = "/tmp/tdh_XXXXXX";
	static char copy[sizeof(path)];
	int fd;

	strcpy(copy, path);
	fd = mkstemp(copy);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		ok(0, "a file for a manifest");
	close(fd);
	return copy;
}

static int known(void)
{
	GUID guid = test_guid;
	ULONG size = 0;

	return TdhEnumerateManifestProviderEvents(&guid, NULL, &size) == ERROR_INSUFFICIENT_BUFFER;
}

static void test_load(void)
{
	char *path = write_manifest(test_manifest), long_path[400];
	WCHAR wide[64];
	size_t i;

	for (i = 0; path[i]; i++)
		wide[i] = (unsigned char)path[i];
	wide[i] = 0;
	is(TdhUnloadManifestFromMemory(test_manifest, sizeof(test_manifest) - 1), 0, "unload");
	ok(!known(), "it is gone");
	is(TdhUnloadManifestFromMemory(test_manifest, sizeof(test_manifest) - 1), ERROR_NOT_FOUND,
	   "once");
	is(TdhLoadManifest(wide), 0, "load a file");
	ok(known(), "it is known");
	is(TdhLoadManifestA(path), 0, "again");
	is(TdhUnloadManifest(wide), 0, "unload it");
	ok(!known(), "once is enough");
	is(TdhUnloadManifestA(path), ERROR_NOT_FOUND, "it is gone");
	unlink(path);
	is(TdhLoadManifestA(path), ERROR_FILE_NOT_FOUND, "a missing file");
	ok(!mkfifo(path, 0600), "a FIFO");
	is(TdhLoadManifestA(path), ERROR_BAD_PATHNAME, "is not a manifest, and does not block");
	unlink(path);
	is(TdhLoadManifest(NULL), ERROR_INVALID_PARAMETER, "no path");
	is(TdhLoadManifestA(""), ERROR_INVALID_PARAMETER, "an empty path");
	memset(long_path, 'x', sizeof(long_path));
	long_path[260] = '\0';
	is(TdhLoadManifestA(long_path), ERROR_INVALID_PARAMETER, "260 characters and a NUL");
	long_path[259] = '\0';
	is(TdhLoadManifestA(long_path), ERROR_BAD_PATHNAME, "259 may be");
	path = write_manifest("<nothing/>");
	is(TdhLoadManifestA(path), ERROR_XML_PARSE_ERROR, "no manifest");
	is(TdhLoadManifestFromBinaryA(path), ERROR_INVALID_DATA, "nor is it a binary");
	unlink(path);
	is(TdhLoadManifestFromBinaryA(path), ERROR_FILE_NOT_FOUND, "a missing file");
	is(TdhLoadManifestFromBinary(NULL), ERROR_INVALID_PARAMETER, "no path");
	is(TdhLoadManifestFromMemory("<x", 2), ERROR_XML_PARSE_ERROR, "no XML in memory");
	is(TdhLoadManifestFromMemory(NULL, 2), ERROR_INVALID_PARAMETER, "no memory");
	is(TdhLoadManifestFromMemory("x", 0), ERROR_INVALID_PARAMETER, "nothing in it");
	is(TdhUnloadManifest(NULL), ERROR_INVALID_PARAMETER, "no path");
	is(TdhUnloadManifestFromMemory(NULL, 1), ERROR_INVALID_PARAMETER, "no memory");
}

static void test_handles(void)
{
	TDH_CONTEXT context = { 4, TDH_CONTEXT_POINTERSIZE, 0 };
	EVENT_RECORD record = big_record();
	WCHAR path[] = { 'a', 0 };
	TDH_HANDLE handle;
	ULONG size = 0;

	is(TdhOpenDecodingHandle(NULL), ERROR_INVALID_PARAMETER, "no place for a handle");
	is(TdhOpenDecodingHandle(&handle), 0, "a handle");
	is(TdhGetDecodingParameter(handle, &context), ERROR_NOT_FOUND, "keeps nothing yet");
	is(TdhSetDecodingParameter(handle, &context), 0, "a pointer size");
	context.ParameterValue = 0;
	is(TdhGetDecodingParameter(handle, &context), 0, "is kept");
	is(context.ParameterValue, 4, "the old value");
	context.ParameterValue = 5;
	is(TdhSetDecodingParameter(handle, &context), ERROR_INVALID_PARAMETER, "another size");
	context = (TDH_CONTEXT){ (uintptr_t)path, TDH_CONTEXT_PDB_PATH, 0 };
	is(TdhSetDecodingParameter(handle, &context), 0, "a path");
	path[0] = 'b';
	is(TdhGetDecodingParameter(handle, &context), 0, "is kept");
	ok(same16((WCHAR *)(uintptr_t)context.ParameterValue, "a"), "as a copy");
	context.ParameterValue = 0;
	is(TdhSetDecodingParameter(handle, &context), ERROR_INVALID_PARAMETER, "no path");
	context.ParameterType = TDH_CONTEXT_MAXIMUM;
	is(TdhSetDecodingParameter(handle, &context), ERROR_NOT_SUPPORTED, "no such parameter");
	is(TdhGetDecodingParameter(handle, &context), ERROR_NOT_SUPPORTED, "nor can it be read");
	is(TdhSetDecodingParameter(NULL, &context), ERROR_INVALID_PARAMETER, "no handle");
	is(TdhGetDecodingParameter(handle, NULL), ERROR_INVALID_PARAMETER, "no context");
	is(TdhGetWppMessage(handle, &record, &size, NULL), ERROR_NOT_SUPPORTED, "WPP");
	is(TdhGetWppMessage(NULL, &record, &size, NULL), ERROR_INVALID_PARAMETER,
	   "without a handle");
	is(TdhGetWppProperty(handle, &record, W("LevelName"), &size, NULL), ERROR_NOT_SUPPORTED,
	   "WPP");
	is(TdhGetWppProperty(handle, &record, NULL, &size, NULL), ERROR_INVALID_PARAMETER,
	   "no name");
	is(TdhCloseDecodingHandle(handle), 0, "close it");
	is(TdhCloseDecodingHandle(NULL), ERROR_INVALID_PARAMETER, "none");
}

int main(void)
{
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	is(load_test_manifest(), 0, "the manifest is good");
	test_enumerate_fields();
	test_query_fields();
	test_field_errors();
	test_events();
	test_filters();
	test_providers();
	test_control_guid();
	test_load();
	test_handles();
	return done_testing();
}
