// SPDX-License-Identifier: MIT
/*
 * tdh_consumer.c - decode and print the events of a session or a log file with TDH
 *
 *	tdh_consumer SESSION|FILE [MANIFEST]...
 *
 * TdhGetEventInformation() returns an event's schema; TdhFormatProperty() then formats the
 * payload, value by value.  The program saves values that are array counts or lengths
 * of later fields.  Programs that need not run on Windows are shorter with
 * <etw/decode.h>.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <tdh.h>

#define NUMBERS		256	/* fields whose value may be a count or a length */

/* The current position in an event's payload */
struct place {
	TRACE_EVENT_INFO *info;
	EVENT_RECORD *event;
	BYTE *data;
	USHORT left;
	ULONG pointer_size;
	USHORT numbers[NUMBERS];	/* values of the fields before this position */
};

/* Prints a UTF-16 string as UTF-8. */
static void put(const WCHAR *s)
{
	unsigned long c;

	for (; s && *s; s++) {
		c = *s;
		if ((c & 0xFC00) == 0xD800 && (s[1] & 0xFC00) == 0xDC00)
			c = 0x10000 + ((c & 0x3FF) << 10) + (*++s & 0x3FF);
		if (c < 0x80)
			putchar((int)c);
		else if (c < 0x800)
			printf("%c%c", (int)(0xC0 | c >> 6), (int)(0x80 | (c & 0x3F)));
		else if (c < 0x10000)
			printf("%c%c%c", (int)(0xE0 | c >> 12), (int)(0x80 | (c >> 6 & 0x3F)),
			       (int)(0x80 | (c & 0x3F)));
		else
			printf("%c%c%c%c", (int)(0xF0 | c >> 18), (int)(0x80 | (c >> 12 & 0x3F)),
			       (int)(0x80 | (c >> 6 & 0x3F)), (int)(0x80 | (c & 0x3F)));
	}
}

/* The map of a field, to be freed by the caller; NULL: it has none. */
static EVENT_MAP_INFO *get_map(struct place *at, EVENT_PROPERTY_INFO *property)
{
	PWSTR name = TEI_MAP_NAME(at->info, property);
	EVENT_MAP_INFO *map = NULL;
	ULONG size = 0;

	if (!name)
		return NULL;
	if (TdhGetEventMapInformation(at->event, name, NULL, &size) == ERROR_INSUFFICIENT_BUFFER)
		map = malloc(size);
	if (map && TdhGetEventMapInformation(at->event, name, map, &size)) {
		free(map);
		map = NULL;
	}
	return map;
}

static USHORT length_of(const struct place *at, const EVENT_PROPERTY_INFO *property)
{
	if (property->Flags & PropertyParamLength)
		return property->lengthPropertyIndex < NUMBERS ?
		       at->numbers[property->lengthPropertyIndex] : 0;
	/* The manifest may omit the length of an IPv6 address; TdhFormatProperty() needs it. */
	if (property->nonStructType.InType == TDH_INTYPE_BINARY &&
	    property->nonStructType.OutType == TDH_OUTTYPE_IPV6 && !property->length)
		return 16;
	return property->length;
}

static ULONG count_of(const struct place *at, const EVENT_PROPERTY_INFO *property)
{
	if (property->Flags & PropertyParamCount)
		return property->countPropertyIndex < NUMBERS ?
		       at->numbers[property->countPropertyIndex] : 0;
	return property->count;
}

/* Saves a value that may be the count or length of a later field. */
static void keep(struct place *at, ULONG index, const EVENT_PROPERTY_INFO *property)
{
	size_t size = property->length < sizeof(USHORT) ? property->length : sizeof(USHORT);

	if (index >= NUMBERS)
		return;
	at->numbers[index] = 0;
	memcpy(&at->numbers[index], at->data, size < at->left ? size : at->left);
}

/* Prints one value and moves past it in the payload. */
static ULONG print_value(struct place *at, EVENT_PROPERTY_INFO *property, EVENT_MAP_INFO *map)
{
	CHAR fixed[256], *text = fixed;
	ULONG size = sizeof(fixed), ret;
	USHORT used = 0;

	for (;;) {
		ret = TdhFormatPropertyA(at->info, map, at->pointer_size,
					 property->nonStructType.InType,
					 property->nonStructType.OutType, length_of(at, property),
					 at->left, at->data, &size, text, &used);
		if (ret == ERROR_INSUFFICIENT_BUFFER && text == fixed) {
			text = malloc(size);
			if (text)
				continue;
			ret = ERROR_OUTOFMEMORY;
		}
		/* The map has no name for this value: print the number. */
		if (ret != ERROR_EVT_INVALID_EVENT_DATA || !map)
			break;
		map = NULL;
	}
	if (!ret) {
		fputs(text, stdout);
		at->data += used;
		at->left = (USHORT)(at->left - used);
	}
	if (text != fixed)
		free(text);
	return ret;
}

static ULONG print_fields(struct place *at, ULONG first, ULONG count, int indent)
{
	ULONG i, element, ret = ERROR_SUCCESS;

	for (i = first; i < first + count && !ret; i++) {
		EVENT_PROPERTY_INFO *property = &at->info->EventPropertyInfoArray[i];
		EVENT_MAP_INFO *map = NULL;
		ULONG elements = count_of(at, property);

		if (!(property->Flags & PropertyStruct)) {
			map = get_map(at, property);
			keep(at, i, property);
		}
		for (element = 0; element < elements && !ret; element++) {
			printf("%*s", indent, "");
			put(TEI_PROPERTY_NAME(at->info, property));
			if (property->Flags & (PropertyParamCount | PropertyParamFixedCount))
				printf("[%u]", element);
			if (property->Flags & PropertyStruct) {
				putchar('\n');
				ret = print_fields(at, property->structType.StructStartIndex,
						   property->structType.NumOfStructMembers,
						   indent + 4);
				continue;
			}
			fputs(": ", stdout);
			ret = print_value(at, property, map);
			putchar('\n');
		}
		free(map);
	}
	return ret;
}

static void print_schema(TRACE_EVENT_INFO *info)
{
	const WCHAR *keyword = TEI_KEYWORDS_NAME(info);

	put(TEI_PROVIDER_NAME(info));
	putchar(' ');
	put(TEI_TASK_NAME(info));
	if (info->OpcodeNameOffset) {
		putchar('/');
		put(TEI_OPCODE_NAME(info));
	}
	printf(" id %u version %u", info->EventDescriptor.Id, info->EventDescriptor.Version);
	if (info->LevelNameOffset) {
		fputs(" level ", stdout);
		put(TEI_LEVEL_NAME(info));
	}
	for (; keyword && *keyword; keyword++) {
		putchar(' ');
		put(keyword);
		while (*keyword)
			keyword++;
	}
	putchar('\n');
}

static VOID WINAPI on_event(PEVENT_RECORD event)
{
	TRACE_EVENT_INFO *info = NULL;
	struct place at;
	ULONG size = 0, ret;

	if (event->EventHeader.Flags & EVENT_HEADER_FLAG_STRING_ONLY) {
		put((const WCHAR *)event->UserData);
		putchar('\n');
		return;
	}
	ret = TdhGetEventInformation(event, 0, NULL, NULL, &size);
	if (ret == ERROR_INSUFFICIENT_BUFFER) {
		info = malloc(size);
		ret = info ? TdhGetEventInformation(event, 0, NULL, info, &size) :
			     ERROR_OUTOFMEMORY;
	}
	if (!ret) {
		memset(&at, 0, sizeof(at));
		at.info = info;
		at.event = event;
		at.data = event->UserData;
		at.left = event->UserDataLength;
		at.pointer_size = event->EventHeader.Flags & EVENT_HEADER_FLAG_32_BIT_HEADER ? 4 : 8;
		print_schema(info);
		ret = print_fields(&at, 0, info->TopLevelPropertyCount, 4);
	}
	if (ret)
		printf("    error %u (%u bytes)\n", ret, event->UserDataLength);
	free(info);
}

/* Called after each buffer's events; FALSE would make ProcessTrace() return. */
static ULONG WINAPI on_buffer(PEVENT_TRACE_LOGFILEA trace)
{
	(void)trace;
	fflush(stdout);
	return TRUE;
}

/* The rule of "etw dump": names with a slash or ending in .etl are log files. */
static int is_file(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 4 && !strcasecmp(name + len - 4, ".etl"));
}

/* Ends ProcessTrace() at Ctrl-C, even while no event arrives. */
static void *close_on_interrupt(void *handle)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	if (!sigwait(&set, &sig))
		CloseTrace(*(PROCESSTRACE_HANDLE *)handle);
	return NULL;
}

static ULONG process(char *session)
{
	EVENT_TRACE_LOGFILEA trace;
	PROCESSTRACE_HANDLE handle;
	pthread_t thread;
	sigset_t set;
	ULONG ret;

	memset(&trace, 0, sizeof(trace));
	trace.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD;
	if (is_file(session)) {
		trace.LogFileName = session;
	} else {
		trace.LoggerName = session;
		trace.ProcessTraceMode |= PROCESS_TRACE_MODE_REAL_TIME;
	}
	trace.EventRecordCallback = on_event;
	trace.BufferCallback = on_buffer;
	handle = OpenTraceA(&trace);
	if (handle == INVALID_PROCESSTRACE_HANDLE)
		return GetLastError();
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&thread, NULL, close_on_interrupt, &handle)) {
		CloseTrace(handle);
		return ERROR_NO_SYSTEM_RESOURCES;
	}
	ret = ProcessTrace(&handle, 1, NULL, NULL);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	CloseTrace(handle);
	return ret;
}

int main(int argc, char **argv)
{
	ULONG ret;
	int i;

	if (argc < 2) {
		fputs("usage: tdh_consumer SESSION|FILE [MANIFEST]...\n", stderr);
		return 2;
	}
	for (i = 2; i < argc; i++) {
		ret = TdhLoadManifestA(argv[i]);
		if (ret) {
			fprintf(stderr, "tdh_consumer: %s: error %u\n", argv[i], ret);
			return 1;
		}
	}
	ret = process(argv[1]);
	if (ret)
		fprintf(stderr, "tdh_consumer: error %u%s\n", ret,
			ret == ERROR_WMI_INSTANCE_NOT_FOUND ? " (no such session)" : "");
	return ret ? 1 : 0;
}
