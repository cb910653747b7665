/* SPDX-License-Identifier: MIT */
/* tdh_test.h - a manifest with a bit of everything, its events, and UTF-16 text */
#ifndef ETW_UNIT_TDH_TEST_H
#define ETW_UNIT_TDH_TEST_H

#include <stdlib.h>
#include <string.h>
#include <tdh.h>

#define W(s)	((PWSTR)(uintptr_t)ETW_WIDE(s))

/* {6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e01} */
static const GUID test_guid = {
	0x6c0f2a5e, 0x7d54, 0x4a39, { 0x9d, 0x4e, 0x2b, 0x9a, 0x1f, 0x0d, 0x8e, 0x01 }
};
/* Belongs to no provider */
static const GUID other_guid = {
	0x6c0f2a5e, 0x7d54, 0x4a39, { 0x9d, 0x4e, 0x2b, 0x9a, 0x1f, 0x0d, 0x8e, 0xff }
};
/* The second provider's decode GUID, and its control GUID */
static const GUID decode_guid = {
	0x6c0f2a5e, 0x7d54, 0x4a39, { 0x9d, 0x4e, 0x2b, 0x9a, 0x1f, 0x0d, 0x8e, 0x02 }
};
static const GUID enable_guid = {
	0x6c0f2a5e, 0x7d54, 0x4a39, { 0x9d, 0x4e, 0x2b, 0x9a, 0x1f, 0x0d, 0x8e, 0x03 }
};
/* The eventGUID of the task Read */
static const GUID read_guid = {
	0x6c0f2a5e, 0x7d54, 0x4a39, { 0x9d, 0x4e, 0x2b, 0x9a, 0x1f, 0x0d, 0x8e, 0x04 }
};

static const char test_manifest[] =
"<?xml version='1.0' encoding='utf-8'?>\n"
"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'\n"
" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'\n"
" xmlns:xs='http://www.w3.org/2001/XMLSchema'>\n"
"<instrumentation><events>\n"
"<provider name='Test-Tdh' guid='{6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e01}' symbol='TestTdh'\n"
"  resourceFileName='t.dll' messageFileName='t.dll' message='$(string.provider)'>\n"
" <channels><channel name='Test-Tdh/Operational' chid='Op' type='Operational' value='16'/></channels>\n"
" <levels><level name='Loud' value='16' message='$(string.loud)'/></levels>\n"
" <tasks>\n"
"  <task name='Read' value='1' eventGUID='{6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e04}'>\n"
"   <opcodes><opcode name='Half' value='20'/></opcodes></task>\n"
"  <task name='Write' value='2' message='$(string.write)'/>\n"
" </tasks>\n"
" <opcodes><opcode name='Own' value='21' message='$(string.own)'/></opcodes>\n"
" <keywords>\n"
"  <keyword name='Disk' mask='0x1'/>\n"
"  <keyword name='Net' mask='0x4' message='$(string.net)'/>\n"
" </keywords>\n"
" <maps>\n"
"  <valueMap name='Colors'>\n"
"   <map value='1' message='$(string.red)'/><map value='2' message='$(string.green)'/>\n"
"  </valueMap>\n"
"  <bitMap name='Bits'>\n"
"   <map value='0x1' message='$(string.one)'/><map value='0x4' message='$(string.four)'/>\n"
"  </bitMap>\n"
" </maps>\n"
" <templates>\n"
"  <template tid='Big'>\n"
"   <data name='Count' inType='win:UInt16'/>\n"
"   <data name='Size' inType='win:UInt32'/>\n"
"   <data name='Name' inType='win:UnicodeString'/>\n"
"   <data name='Numbers' inType='win:UInt32' count='Count'/>\n"
"   <data name='Pair' inType='win:Int16' count='2'/>\n"
"   <data name='Data' inType='win:Binary' length='Size'/>\n"
"   <data name='Color' inType='win:UInt32' map='Colors'/>\n"
"   <data name='Set' inType='win:UInt32' outType='win:HexInt32' map='Bits'/>\n"
"   <struct name='Points' count='Count'>\n"
"    <data name='X' inType='win:Int32'/>\n"
"    <data name='Label' inType='win:AnsiString'/>\n"
"   </struct>\n"
"   <data name='Where' inType='win:Pointer'/>\n"
"   <struct name='One'>\n"
"    <data name='A' inType='win:UInt8'/>\n"
"    <data name='B' inType='win:UInt16'/>\n"
"   </struct>\n"
"   <data name='Tail' inType='win:UInt64' outType='win:HexInt64'/>\n"
"  </template>\n"
"  <template tid='Flat'>\n"
"   <struct name='Pair' count='2'><data name='P' inType='win:UInt8'/></struct>\n"
"   <struct name='One'>\n"
"    <data name='Len' inType='win:UInt8'/><data name='Text' inType='win:AnsiString' length='Len'/>\n"
"   </struct>\n"
"   <data name='After' inType='win:UInt16'/>\n"
"  </template>\n"
"  <template tid='Small'><data name='Value' inType='win:Int32'/></template>\n"
" </templates>\n"
" <events>\n"
"  <event value='1' symbol='BigEvent' version='2' channel='Op' level='win:Error' task='Read'\n"
"   opcode='Half' keywords='Disk Net' template='Big' message='$(string.big)' name='TheBig'\n"
"   attributes='FILE=&quot;a;b.c&quot;;LINE=12'/>\n"
"  <event value='2' level='Loud' opcode='Own' task='Write' template='Small'/>\n"
"  <event value='3'/>\n"
"  <event value='4' template='Flat'/>\n"
" </events>\n"
" <namedQueries><patternMap name='Sites' format='winrxv1'>\n"
"  <map name='/(.*)/' value='/www.${1}.com/'/><map name='x' value=''/>\n"
" </patternMap></namedQueries>\n"
" <filters>\n"
"  <filter name='Sizes' value='7' version='1' tid='Small' message='$(string.sizes)'/>\n"
"  <filter name='Bare' value='8'/>\n"
" </filters>\n"
"</provider>\n"
"<provider name='Test-Tdh-6c0f2a5e7d544a399d4e2b9a1f0d8e02'\n"
"  guid='{6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e02}'\n"
"  controlGuid='{6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e03}' symbol='TestControl'\n"
"  resourceFileName='t.dll' messageFileName='t.dll'/>\n"
"</events></instrumentation>\n"
"<localization><resources culture='en-US'><stringTable>\n"
" <string id='provider' value='A provider of tests'/><string id='loud' value='Very loud'/>\n"
" <string id='write' value='Writing'/><string id='own' value='Our own'/>\n"
" <string id='net' value='The network'/><string id='red' value='Red'/>\n"
" <string id='green' value='Gr\xc3\xbcn'/><string id='one' value='One'/>\n"
" <string id='four' value='Four'/><string id='big' value='%3 has %1 of %2%n'/>\n"
" <string id='sizes' value='By size'/>\n"
"</stringTable></resources></localization>\n"
"</instrumentationManifest>\n";

/* The payload of BigEvent: two numbers, two points, and the string "Log" */
static const char big_payload[] =
	"\2\0" "\3\0\0\0" "L\0o\0g\0\0\0"
	"\x0a\0\0\0\x14\0\0\0" "\xff\xff\2\0" "xyz" "\2\0\0\0" "\5\0\0\0"
	"\1\0\0\0one\0" "\xfe\xff\xff\xfftwo\0"
	"\x88\x77\x66\x55\x44\x33\x22\x11" "\7" "\x09\1" "\xef\xbe\0\0\0\0\0\0";

static inline ULONG load_test_manifest(void)
{
	return TdhLoadManifestFromMemory(test_manifest, sizeof(test_manifest) - 1);
}

/* An event of the first provider. */
static inline EVENT_RECORD test_record(USHORT id, UCHAR version, const void *data, size_t size)
{
	EVENT_RECORD record;

	memset(&record, 0, sizeof(record));
	record.EventHeader.ProviderId = test_guid;
	record.EventHeader.EventDescriptor.Id = id;
	record.EventHeader.EventDescriptor.Version = version;
	record.EventHeader.Flags = EVENT_HEADER_FLAG_64_BIT_HEADER;
	record.UserData = (void *)(uintptr_t)data;
	record.UserDataLength = (USHORT)size;
	return record;
}

/* BigEvent, as the manifest describes it. */
static inline EVENT_RECORD big_record(void)
{
	EVENT_RECORD record = test_record(1, 2, big_payload, sizeof(big_payload) - 1);
	EVENT_DESCRIPTOR *desc = &record.EventHeader.EventDescriptor;

	desc->Channel = 16;
	desc->Level = 2;
	desc->Task = 1;
	desc->Opcode = 20;
	desc->Keyword = 0x8000000000000005ULL;
	return record;
}

/* Does this UTF-16 string equal this ASCII one? */
static inline int same16(const WCHAR *s, const char *want)
{
	if (!s)
		return 0;
	while (*want && *s == (unsigned char)*want)
		s++, want++;
	return !*s && !*want;
}

/* The schema of an event, to be freed; NULL: *error is TdhGetEventInformation()'s result. */
static inline TRACE_EVENT_INFO *event_info(EVENT_RECORD *record, ULONG *error)
{
	TRACE_EVENT_INFO *info;
	ULONG size = 0;

	*error = TdhGetEventInformation(record, 0, NULL, NULL, &size);
	if (*error != ERROR_INSUFFICIENT_BUFFER)
		return NULL;
	info = malloc(size);
	*error = TdhGetEventInformation(record, 0, NULL, info, &size);
	if (!*error)
		return info;
	free(info);
	return NULL;
}

#endif /* ETW_UNIT_TDH_TEST_H */
