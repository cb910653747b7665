// SPDX-License-Identifier: MIT
/*
 * tdh_kernel_all - every event of Windows' kernel logger that has a schema, with payloads
 * made from the schema, and those since Windows 8 with payloads made by hand
 */
#include "unit/decode/decode_event.h"

#include "tdh/kernel_logger/kernel_logger.h"

#define D1(n)	{ n, 0xfe05, 0x11d0, { 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c } }
#define PROCESS	D1(0x3d6fa8d0)
#define THREAD	D1(0x3d6fa8d1)
#define FAULT	D1(0x3d6fa8d3)
#define DISK	D1(0x3d6fa8d4)
#define FILEIO	{ 0x90cbdc39, 0x4a3e, 0x11d1, { 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 } }
#define REGISTRY { 0xae53722e, 0xc863, 0x11d2, { 0x86, 0x59, 0x00, 0xc0, 0x4f, 0xa3, 0x21, 0xa1 } }
#define PERF	{ 0xce1dbfb4, 0x137e, 0x4da6, { 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc } }
#define CONFIG	{ 0x01853a65, 0x418f, 0x4f36, { 0xae, 0xfc, 0xdc, 0x0f, 0x1d, 0x2f, 0xd2, 0x35 } }
#define WALK	{ 0xdef2fe46, 0x7bd6, 0x4b80, { 0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d, 0x0c, 0xe3 } }
#define OBJECT	{ 0x89497f50, 0xeffe, 0x4440, { 0x8c, 0xf2, 0xce, 0x6b, 0x1c, 0xdc, 0xac, 0xa7 } }
#define ALPC	{ 0x45d8cccd, 0x539f, 0x4b72, { 0xa8, 0xb7, 0x5c, 0x68, 0x31, 0x42, 0x60, 0x9a } }
#define IMAGEID	{ 0xb3e675d7, 0x2554, 0x4f18, { 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde } }
#define CONFIGX	{ 0x9b79ee91, 0xb5fd, 0x41c0, { 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 } }
#define HEAP	{ 0x222962ab, 0x6180, 0x4b88, { 0xa8, 0x25, 0x34, 0x6b, 0x75, 0xf2, 0xa2, 0x4a } }
#define TRACE	{ 0x68fdd900, 0x4a3e, 0x11d1, { 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 } }

#define P4	"01000080"
#define P8	"0100000080F8FFFF"
#define A	"612E65786500"			/* a.exe */
#define W	"62002E0065000000"		/* b.e */
#define N(n)	#n "000000"			/* a small number of 32 bits */
#define ID	"00112233 4455 6677 8899AABBCCDDEEFF"
#define ID_TEXT	"33221100-5544-7766-8899-aabbccddeeff"

static const struct sample {
	GUID guid;
	unsigned int type, version, bits;
	const char *hex, *provider, *task, *opcode, *text;
} samples[] = {
	{ THREAD, 1, 4, 64, N(04) N(05) P8 P8 P8 P8 P8 P8 P8 N(07) "08 05 02 01" W, NULL, "Thread",
	  "Start", "ProcessId=0x4 TThreadId=0x5 StackBase=0xfffff88000000001"
	  " StackLimit=0xfffff88000000001 UserStackBase=0xfffff88000000001"
	  " UserStackLimit=0xfffff88000000001 Affinity=0xfffff88000000001"
	  " Win32StartAddr=0xfffff88000000001 TebBase=0xfffff88000000001 SubProcessTag=0x7"
	  " BasePriority=8 PagePriority=5 IoPriority=2 ThreadFlags=1 ThreadName=\"b.e\"" },
	{ THREAD, 4, 4, 32, N(04) N(05) P4 P4 P4 P4 P4 P4 P4 N(07) "08 05 02 01" W, NULL, "Thread",
	  "DCEnd", "ProcessId=0x4 TThreadId=0x5 StackBase=0x80000001 StackLimit=0x80000001"
	  " UserStackBase=0x80000001 UserStackLimit=0x80000001 Affinity=0x80000001"
	  " Win32StartAddr=0x80000001 TebBase=0x80000001 SubProcessTag=0x7 BasePriority=8"
	  " PagePriority=5 IoPriority=2 ThreadFlags=1 ThreadName=\"b.e\"" },
	{ THREAD, 72, 2, 64, N(04) N(05) W, NULL, "Thread", "SetName",
	  "ProcessId=0x4 ThreadId=0x5 ThreadName=\"b.e\"" },
	{ THREAD, 36, 1, 32, N(05) N(06) "0A 0B 01 02 06 01 05 FF", NULL, "Thread", "CSwitch",
	  "NewThreadId=0x5 OldThreadId=0x6 NewThreadPriority=10 OldThreadPriority=11"
	  " NewThreadQuantum=1 OldThreadQuantum=2 OldThreadWaitReason=6 OldThreadWaitMode=1"
	  " OldThreadState=5 OldThreadWaitIdealProcessor=-1" },
	{ THREAD, 36, 4, 64, N(05) N(06) "0A 0B 01 00 06 01 05 FF" N(07) N(00), NULL, "Thread",
	  "CSwitch", "NewThreadId=0x5 OldThreadId=0x6 NewThreadPriority=10 OldThreadPriority=11"
	  " PreviousCState=1 SpareByte=0 OldThreadWaitReason=6 ThreadFlags=1 OldThreadState=5"
	  " OldThreadWaitIdealProcessor=-1 NewThreadWaitTime=0x7 Reserved=0" },
	{ THREAD, 63, 2, 32, N(05) N(02) P4 P4, NULL, "Thread", "Kernel Queue Dequeue",
	  "ThreadId=0x5 EntryCount=2 Entries=[0x80000001, 0x80000001]" },
	{ PROCESS, 39, 5, 64, P8 N(04) N(08) N(01) N(03) P8 N(02) "00000000" A W W W
	  "0900000000000000", NULL, "Process", "Defunct", "UniqueProcessKey=0xfffff88000000001"
	  " ProcessId=0x4 ParentId=0x8 SessionId=1 ExitStatus=3 DirectoryTableBase=0xfffff88000000001"
	  " Flags=2 UserSID= ImageFileName=\"a.exe\" CommandLine=\"b.e\" PackageFullName=\"b.e\""
	  " ApplicationId=\"b.e\" ExitTime=9" },
	{ CONFIG, 15, 3, 64, N(04) N(01) N(02) W W W W W, NULL, "SystemConfig", "Services",
	  "ProcessId=0x4 ServiceState=0x1 SubProcessTag=0x2 ServiceName=\"b.e\" DisplayName=\"b.e\""
	  " ProcessName=\"b.e\" LoadOrderGroup=\"b.e\" SvchostGroup=\"b.e\"" },
	{ CONFIG, 22, 5, 64, ID N(02) N(01) N(03) N(04) W W W W W W W W, NULL, "SystemConfig", "PnP",
	  "ClassGuid=" ID_TEXT " UpperFiltersCount=2 LowerFiltersCount=1 DevStatus=3 DevProblem=4"
	  " DeviceID=\"b.e\" DeviceDescription=\"b.e\" FriendlyName=\"b.e\" PdoName=\"b.e\""
	  " ServiceName=\"b.e\" UpperFilters=[\"b.e\", \"b.e\"] LowerFilters=[\"b.e\"]" },
	{ CONFIG, 24, 2, 64, N(02) "FF00000000000000 00FF000000000000", NULL, "SystemConfig",
	  "NumaNode", "NodeCount=2 NodeMap=[255, 65280]" },
	{ CONFIG, 26, 3, 32, N(01) "0F000000", NULL, "SystemConfig", "ProcessorGroup",
	  "GroupCount=1 Affinity=[0xf]" },
	{ OBJECT, 32, 2, 32, P4 N(10) "0900" W, NULL, "Object", "CreateHandle",
	  "Object=0x80000001 Handle=0x10 ObjectType=9 ObjectName=\"b.e\"" },
	{ OBJECT, 33, 2, 64, P8 N(10) "0900" W, NULL, "Object", "CloseHandle",
	  "Object=0xfffff88000000001 Handle=0x10 ObjectType=9 ObjectName=\"b.e\"" },
	{ OBJECT, 34, 2, 64, P8 N(10) N(11) N(04) "0900", NULL, "Object", "DuplicateHandle",
	  "Object=0xfffff88000000001 SourceHandle=0x10 TargetHandle=0x11 TargetProcessId=0x4"
	  " ObjectType=9" },
	{ OBJECT, 36, 2, 64, "0900 0000" W, NULL, "Object", "TypeDCStart",
	  "ObjectType=9 Reserved=0 TypeName=\"b.e\"" },
	{ OBJECT, 39, 2, 64, P8 N(04) N(10) "0900" W, NULL, "Object", "HandleDCEnd",
	  "Object=0xfffff88000000001 ProcessId=0x4 Handle=0x10 ObjectType=9 ObjectName=\"b.e\"" },
	{ OBJECT, 49, 2, 32, P4 "0900", NULL, "Object", "DeleteObject",
	  "Object=0x80000001 ObjectType=9" },
	{ IMAGEID, 0, 2, 64, P8 "0010000000000000" N(00) N(02) W, "KernelTraceControl", "ImageId",
	  "Info", "ImageBase=0xfffff88000000001 ImageSize=0x1000 ProcessId=0 TimeDateStamp=2"
	  " OriginalFileName=\"b.e\"" },
	{ IMAGEID, 36, 2, 64, P8 N(04) ID N(01) A, "KernelTraceControl", "ImageId", "DbgID_RSDS",
	  "ImageBase=0xfffff88000000001 ProcessId=4 GuidSig=" ID_TEXT " Age=1 PdbFileName=\"a.exe\"" },
	{ IMAGEID, 37, 2, 32, P4 N(04) ID N(01) A, "KernelTraceControl", "ImageId", "DbgID_ILRSDS",
	  "ImageBase=0x80000001 ProcessId=4 GuidSig=" ID_TEXT " Age=1 PdbFileName=\"a.exe\"" },
	{ CONFIGX, 35, 0, 64, W W, "KernelTraceControl", "SystemConfigEx", "VolumeMapping",
	  "NtPath=\"b.e\" DosPath=\"b.e\"" },
	{ PERF, 46, 1, 32, P4 N(05) "0100", NULL, "PerfInfo", "SampleProf",
	  "InstructionPointer=0x80000001 ThreadId=5 Count=1" },
	{ PERF, 47, 2, 64, P8 N(05) "1300 0000", NULL, "PerfInfo", "PmcCounterProf",
	  "InstructionPointer=0xfffff88000000001 ThreadId=5 ProfileSource=19 Reserved=0" },
	{ PERF, 48, 2, 64, N(02) W W, NULL, "PerfInfo", "PmcCtrConfig",
	  "CounterCount=2 CounterName=[\"b.e\", \"b.e\"]" },
	{ PERF, 49, 2, 64, N(01) N(02) N(05) "0700000000000000" N(06) "0800000000000000", NULL,
	  "PerfInfo", "PmcCtrConrruption", "ProcessorNumber=1 CounterCount=2"
	  " CounterStatus=[{ProfileSource=5 LastKnownGoodTimestamp=7}, {ProfileSource=6"
	  " LastKnownGoodTimestamp=8}]" },
	{ PERF, 50, 2, 32, "0500000000000000" P4 "01 3000 00" N(03), NULL, "PerfInfo", "ISR-MSI",
	  "InitialTime=5 Routine=0x80000001 ReturnValue=1 Vector=48 Reserved=0 MessageNumber=3" },
	{ PERF, 66, 2, 32, "0500000000000000" P4, NULL, "PerfInfo", "ThreadedDPC",
	  "InitialTime=5 Routine=0x80000001" },
	{ PERF, 73, 3, 64, N(01) N(02) N(03) W, NULL, "PerfInfo", "CollectionStart",
	  "Source=1 NewInterval=2 OldInterval=3 SourceName=\"b.e\"" },
	{ FAULT, 98, 2, 64, P8 "0010000000000000" N(04) N(09), NULL, "PageFault", "VirtualAlloc",
	  "BaseAddress=0xfffff88000000001 RegionSize=0x1000 ProcessId=4 Flags=0x9" },
	{ FAULT, 100, 4, 32, P4 N(01) N(04) N(02) "0500000000000000", NULL, "PageFault", "HRRundown",
	  "HeapHandle=0x80000001 HRFlags=0x1 HRPid=0x4 HRRangeCount=2 HRHeapTag=5" },
	{ DISK, 34, 2, 64, N(03) N(00) P8 P8 P8 N(07), NULL, "DiskIo", "DrvMjFnCall",
	  "MajorFunction=3 MinorFunction=0 RoutineAddr=0xfffff88000000001"
	  " FileObject=0xfffff88000000001 Irp=0xfffff88000000001 UniqMatchId=7" },
	{ DISK, 55, 3, 32, N(01) N(02) N(03) N(04) "0500000000000000" P4 P4 "0600000000000000" N(07),
	  NULL, "DiskIo", "OpticalRead", "DiskNumber=1 IrpFlags=0x2 TransferSize=3 Reserved=4"
	  " ByteOffset=5 FileObject=0x80000001 Irp=0x80000001 HighResResponseTime=6"
	  " IssuingThreadId=7" },
	{ FILEIO, 37, 3, 32, P4 P4 "0700000000000000" N(10) N(04), NULL, "FileIo", "MapFile",
	  "ViewBase=0x80000001 FileObject=0x80000001 MiscInfo=0x7 ViewSize=0x10 ProcessId=4" },
	{ FILEIO, 80, 3, 64, P8 P8 P8 P8 N(09) N(02) W, NULL, "FileIo", "RenamePath",
	  "IrpPtr=0xfffff88000000001 FileObject=0xfffff88000000001 FileKey=0xfffff88000000001"
	  " ExtraInfo=0xfffff88000000001 TTID=9 InfoClass=2 FileName=\"b.e\"" },
	{ REGISTRY, 30, 2, 64, ID N(00) N(02) "0300000000000000" W, NULL, "Registry", "TxRCommit",
	  "TxrGUID=" ID_TEXT " Status=0x0 UowCount=2 OperationTime=3 Hive=\"b.e\"" },
	{ REGISTRY, 39, 2, 32, "0010000000000000" P4 N(02) W W, NULL, "Registry", "HiveDCEnd",
	  "Size=4096 Hive=0x80000001 LoadedKeyCount=2 FileName=\"b.e\" LinkPath=\"b.e\"" },
	{ ALPC, 36, 2, 64, N(01) A, NULL, "ALPC", "ALPC-Wait-For-New-Message",
	  "IsServerPort=1 PortName=\"a.exe\"" },
	{ WALK, 37, 2, 32, "0500000000000000" N(04) N(05) P4, NULL, "StackWalk", "StackKeyKernel",
	  "EventTimeStamp=5 StackProcess=0x4 StackThread=5 StackKey=0x80000001" },
	{ WALK, 36, 2, 64, P8 P8 P8, NULL, "StackWalk", "KeyRundown",
	  "Key=0xfffff88000000001 StackFrame=[0xfffff88000000001, 0xfffff88000000001]" },
	{ WALK, 34, 2, 32, P4 P4, NULL, "StackWalk", "KeyCreate",
	  "Key=0x80000001 StackFrame=[0x80000001]" },
	{ HEAP, 33, 3, 32, P4 N(20) P4 N(03), "HeapTraceProvider", "Heap", "Alloc",
	  "HeapHandle=0x80000001 AllocSize=0x20 AllocAddress=0x80000001 SourceId=3" },
	/* The record's version is 2; the payload's own tells how it goes on. */
	{ TRACE, 80, 2, 64, "0000 0000" N(01) "0500000000000000" ID ID, NULL, "EventTrace",
	  "PartitionInfoExtension", "EventVersion=0 Reserved=0 PartitionType=1 QpcOffsetFromRoot=5"
	  " PartitionId=" ID_TEXT " ParentId=" ID_TEXT },
	{ TRACE, 80, 2, 64, "0200 0000" N(01) "0500000000000000" W W, NULL, "EventTrace",
	  "PartitionInfoExtensionV2", "EventVersion=2 Reserved=0 PartitionType=1"
	  " QpcOffsetFromRoot=5 PartitionId=\"b.e\" ParentId=\"b.e\"" },
	{ TRACE, 5, 1, 64, N(01) N(02) N(03) N(04) N(05) N(06) N(07) N(08), NULL, "EventTrace",
	  "Extension", "GroupMask1=0x1 GroupMask2=0x2 GroupMask3=0x3 GroupMask4=0x4 GroupMask5=0x5"
	  " GroupMask6=0x6 GroupMask7=0x7 GroupMask8=0x8" },
	{ TRACE, 67, 2, 64, N(01) ID W, NULL, "EventTrace", "ProviderBinaryPath",
	  "GuidCount=1 Guid=[" ID_TEXT "] BinaryPath=\"b.e\"" },
};

static void test_samples(void)
{
	unsigned char bytes[1024];

	for (size_t i = 0; i < COUNT(samples); i++) {
		const struct sample *s = &samples[i];
		size_t size = from_hex(s->hex, bytes);
		const struct etw_decoded *event;
		char what[128];

		event = decode_classic(&s->guid, s->type, s->version, s->bits, bytes, size);
		snprintf(what, sizeof(what), "%s/%s of version %u, %u bits", s->task, s->opcode,
			 s->version, s->bits);
		ok(is_classic(event, s->provider ? s->provider : "MSNT_SystemTrace", s->task,
			      s->opcode), "%s is called that", what);
		is_text(text(), s->text, what);
	}
}

/* --------------------------------------------------------------- payloads by rule */

#define ELEMENTS	2	/* of arrays whose number is a field */

struct payload {
	unsigned char bytes[8192];
	size_t size;
};

static void add(struct payload *p, const void *data, size_t size)
{
	memcpy(p->bytes + p->size, data, size);
	p->size += size;
}

static void add_number(struct payload *p, uint64_t value, size_t size)
{
	add(p, &value, size);
}

static bool counts(const struct etw_mf_template *template, unsigned int index)
{
	for (unsigned int i = 0; i < template->count; i++)
		if (template->fields[i].flags & ETW_MF_COUNT_FIELD && template->fields[i].count == index)
			return true;
	return false;
}

static void add_value(struct payload *p, const struct etw_mf_field *field, uint64_t number,
		      size_t pointer)
{
	static const unsigned char text[] = "x\0\0";

	switch (field->in_type) {
	case TDH_INTYPE_INT8: case TDH_INTYPE_UINT8:
		return add_number(p, number, 1);
	case TDH_INTYPE_INT16: case TDH_INTYPE_UINT16:
		return add_number(p, number, 2);
	case TDH_INTYPE_INT32: case TDH_INTYPE_UINT32: case TDH_INTYPE_HEXINT32:
		return add_number(p, number, 4);
	case TDH_INTYPE_INT64: case TDH_INTYPE_UINT64: case TDH_INTYPE_HEXINT64:
	case TDH_INTYPE_FILETIME:
		return add_number(p, number, 8);
	case TDH_INTYPE_POINTER: case TDH_INTYPE_SIZET:
		return add_number(p, number, pointer);
	case TDH_INTYPE_GUID: case TDH_INTYPE_BINARY:
		return add(p, "0123456789abcdef", 16);
	case TDH_INTYPE_ANSISTRING:
		return add(p, "x", 2);
	case TDH_INTYPE_WBEMSID:
		return add_number(p, 0, 4);
	case TDH_INTYPE_UNICODESTRING:
		if (!(field->flags & ETW_MF_LENGTH_FIXED))
			return add(p, text, 4);
		memset(p->bytes + p->size, 0, (size_t)field->length * 2);
		p->size += (size_t)field->length * 2;
		return;
	default:
		ok(0, "field %s has type %d, which this test does not know", field->name,
		   field->in_type);
	}
}

static void make_payload(struct payload *p, const struct etw_mf_template *template, size_t pointer)
{
	p->size = 0;
	for (unsigned int i = 0; i < template->top; i++) {
		const struct etw_mf_field *field = &template->fields[i];
		unsigned int n = field->flags & ETW_MF_COUNT_FIELD ? ELEMENTS : field->count;

		while (n--)
			if (field->flags & ETW_MF_STRUCT)
				for (unsigned int m = 0; m < field->members; m++)
					add_value(p, &template->fields[field->first + m], 1, pointer);
			else
				add_value(p, field, counts(template, i) ? ELEMENTS : 1, pointer);
	}
}

/* All fields in their order, and nothing else */
static bool has_fields(const char *line, const struct etw_mf_template *template)
{
	char name[128];

	for (unsigned int i = 0; i < template->top; i++) {
		snprintf(name, sizeof(name), "%s%s=", i ? " " : "", template->fields[i].name);
		line = strstr(line, name);
		if (!line)
			return false;
		line += strlen(name);
	}
	return !strstr(line, " rest=");
}

/* The event, as each version that has this schema, with pointers of both sizes */
static unsigned int try_event(const GUID *guid, const struct etw_kernel_type *type)
{
	const unsigned int versions[] = { type->first, type->last };
	const struct etw_mf_template *template = type->event.template;
	static struct payload p;
	unsigned int bad = 0;

	for (unsigned int i = 0; i < 4; i++) {
		const struct etw_decoded *event;
		unsigned int bits = i & 1 ? 32 : 64;

		p.size = 0;
		if (template)
			make_payload(&p, template, bits / 8);
		event = decode_classic(guid, type->type, versions[i / 2], bits, p.bytes, p.size);
		bad += decode_ret || !event->opcode || strcmp(event->opcode, type->event.opcode->name) ||
			strcmp(event->task, type->event.task->name) ||
			event->field_count != (template ? template->top : 0) ||
			(template && (!has_fields(text(), template) || text_ret));
		/* Cut off anywhere, it does no harm. */
		for (size_t size = p.size > 64 ? p.size - 64 : 0; size < p.size; size++)
			decode_classic(guid, type->type, versions[i / 2], bits, p.bytes, size);
	}
	if (bad)
		printf("# %s/%s: %s\n", type->event.task->name, type->event.opcode->name, text());
	return bad;
}

static void test_all(void)
{
	unsigned int bad = 0, all = 0;

	for (size_t c = 0; c < etw_kernel_class_count; c++)
		for (size_t i = 0; i < etw_kernel_classes[c]->count; i++, all++)
			bad += try_event(&etw_kernel_classes[c]->guid, &etw_kernel_classes[c]->types[i]);
	is(bad, 0, "every event decodes in every version, with pointers of 32 and 64 bits");
	ok(all > 300, "these are %u", all);
}

/* A count that the payload cannot hold */
static void test_counts(void)
{
	static const GUID config = CONFIG, perf = PERF;
	unsigned char bytes[64];
	size_t n = from_hex("FFFFFFFF 0100000000000000", bytes);

	decode_classic(&config, 24, 2, 64, bytes, n);
	ok(!decode_ret && text_ret, "4,294,967,295 nodes in 8 bytes");
	decode_classic(&perf, 49, 2, 64, bytes, n);
	ok(!decode_ret, "and as many counters in none");
}

int main(void)
{
	test_samples();
	test_all();
	test_counts();
	etw_decoder_free(decoder);
	etw_text_free(&out_text);
	etw_text_free(&out_json);
	return done_testing();
}
