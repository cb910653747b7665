/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_print_manifest.h - a small manifest, for events with names
 */
#ifndef ETW_UNIT_CLI_PRINT_MANIFEST_H
#define ETW_UNIT_CLI_PRINT_MANIFEST_H

static const struct etw_guid known =
	ETW_GUID(0x89abcdef, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8);

static const char manifest_text[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
	" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>"
	"<instrumentation><events>"
	"<provider name='Known-Provider' symbol='KNOWN' resourceFileName='k' messageFileName='k'"
	" guid='{89abcdef-0001-0002-0102-030405060708}'>"
	"<levels><level name='Loud' symbol='LOUD' value='17'/></levels>"
	"<keywords><keyword name='Read' mask='0x1'/><keyword name='Write' mask='0x2'/></keywords>"
	"<tasks><task name='Disk' symbol='DISK' value='5'>"
	"<opcodes><opcode name='Spin' symbol='SPIN' value='20'/></opcodes></task></tasks>"
	"<maps><valueMap name='Op'><map value='0' message='$(string.Read)'/>"
	"<map value='1' message='$(string.Write)'/></valueMap></maps>"
	"<templates><template tid='T'><data name='Op' inType='win:UInt32' map='Op'/>"
	"<data name='Path' inType='win:UnicodeString'/></template></templates>"
	"<events>"
	"<event value='1' symbol='Opened' name='Opened' level='win:Error' keywords='Read Write'"
	" template='T' message='$(string.Opened)'/>"
	"<event value='2' symbol='Spun' task='Disk' opcode='Spin' level='Loud' template='T'/>"
	"<event value='3' symbol='Symbolic'/>"
	"<event value='14' symbol='Informed' task='Disk' opcode='win:Info' channel='TraceClassic'"
	" template='T'/>"
	"</events></provider></events></instrumentation>"
	"<localization><resources culture='en-US'><stringTable>"
	"<string id='Read' value='read'/><string id='Write' value='write'/>"
	"<string id='Opened' value='%2 was opened for &quot;%1&quot;%n.'/>"
	"</stringTable></resources></localization>"
	"</instrumentationManifest>";

static struct etw_manifest *load_manifest(void)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest = NULL;
	int err = etw_manifest_read_memory(manifest_text, sizeof(manifest_text) - 1, "test",
					   &manifest, &problems);

	ok(!err, "the manifest is read: %s", problems.count ? problems.list[0].text : "");
	etw_problems_free(&problems);
	if (err)
		exit(1);
	ok(!etw_store_add(manifest), "and known");
	return manifest;
}

static inline void unload_manifest(struct etw_manifest *manifest)
{
	etw_store_remove(manifest);
	etw_manifest_put(manifest);
}

/* Begin the event Opened or Spun, with an operation and a path. */
static inline void begin_known(struct sample *s, uint16_t id, uint32_t op, const char16_t *path,
			size_t units)
{
	begin(s, &known, id);
	s->header.desc.level = id == 1 ? 2 : 17;
	s->header.desc.keyword = id == 1 ? 3 : 0;
	s->header.desc.task = id == 2 ? 5 : 0;
	s->header.desc.opcode = id == 2 ? 20 : 0;
	add_u32(s, op);
	add(s, path, 2 * units);
}

#endif /* ETW_UNIT_CLI_PRINT_MANIFEST_H */
