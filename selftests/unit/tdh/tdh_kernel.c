// SPDX-License-Identifier: MIT
/*
 * tdh_kernel - handmade events of Windows' kernel logger, in every version that has a
 * schema
 */
#include "unit/decode/decode_event.h"

#include "tdh/kernel_logger/kernel_logger.h"

#define D1(n)	{ n, 0xfe05, 0x11d0, { 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c } }
#define PROCESS	D1(0x3d6fa8d0)
#define THREAD	D1(0x3d6fa8d1)
#define FAULT	D1(0x3d6fa8d3)
#define DISK	D1(0x3d6fa8d4)
#define IMAGE	{ 0x2cb15d1d, 0x5fc1, 0x11d2, { 0xab, 0xe1, 0x00, 0xa0, 0xc9, 0x11, 0xf5, 0x18 } }
#define FILEIO	{ 0x90cbdc39, 0x4a3e, 0x11d1, { 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 } }
#define REGISTRY { 0xae53722e, 0xc863, 0x11d2, { 0x86, 0x59, 0x00, 0xc0, 0x4f, 0xa3, 0x21, 0xa1 } }
#define TCP	{ 0x9a280ac0, 0xc8e0, 0x11d1, { 0x84, 0xe2, 0x00, 0xc0, 0x4f, 0xb9, 0x98, 0xa2 } }
#define UDP	{ 0xbf3a50c5, 0xa9c9, 0x4988, { 0xa0, 0x05, 0x2d, 0xf0, 0xb7, 0xc8, 0x0f, 0x80 } }
#define PERF	{ 0xce1dbfb4, 0x137e, 0x4da6, { 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc } }
#define CONFIG	{ 0x01853a65, 0x418f, 0x4f36, { 0xae, 0xfc, 0xdc, 0x0f, 0x1d, 0x2f, 0xd2, 0x35 } }
#define WALK	{ 0xdef2fe46, 0x7bd6, 0x4b80, { 0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d, 0x0c, 0xe3 } }
#define SPLIT	{ 0xd837ca92, 0x12b9, 0x44a5, { 0xad, 0x6a, 0x3a, 0x65, 0xb3, 0x57, 0x8a, 0xa8 } }

/* Addresses, a SID after a TOKEN_USER of either size, and texts */
#define P4	"01000080"
#define P8	"0100000080F8FFFF"
#define SYSTEM_SID	"0101000000000005 12000000"
#define USER4	"08000000 00000000" SYSTEM_SID
#define USER8	"0800000000000000 0000000000000000" SYSTEM_SID
#define A	"612E65786500"			/* a.exe */
#define W	"62002E0065000000"		/* b.e */
#define N(n)	#n "000000"			/* a small number of 32 bits */

static const struct sample {
	GUID guid;
	unsigned int type, version, bits;
	const char *hex, *task, *opcode, *text;
} samples[] = {
	{ PROCESS, 1, 0, 32, "04000000 08000000" USER4 A, "Process", "Start",
	  "ProcessId=0x4 ParentId=0x8 UserSID=S-1-5-18 ImageFileName=\"a.exe\"" },
	{ PROCESS, 2, 1, 32, P4 N(04) N(08) N(01) "FFFFFFFF" USER4 A, "Process", "End",
	  "PageDirectoryBase=0x80000001 ProcessId=4 ParentId=8 SessionId=1 ExitStatus=-1"
	  " UserSID=S-1-5-18 ImageFileName=\"a.exe\"" },
	{ PROCESS, 3, 2, 32, P4 N(04) N(08) N(01) N(03) USER4 A W, "Process", "DCStart",
	  "UniqueProcessKey=0x80000001 ProcessId=0x4 ParentId=0x8 SessionId=1 ExitStatus=3"
	  " UserSID=S-1-5-18 ImageFileName=\"a.exe\" CommandLine=\"b.e\"" },
	{ PROCESS, 4, 3, 64, P8 N(04) N(08) N(01) N(03) P8 USER8 A W, "Process", "DCEnd",
	  "UniqueProcessKey=0xfffff88000000001 ProcessId=0x4 ParentId=0x8 SessionId=1 ExitStatus=3"
	  " DirectoryTableBase=0xfffff88000000001 UserSID=S-1-5-18 ImageFileName=\"a.exe\""
	  " CommandLine=\"b.e\"" },
	{ PROCESS, 1, 4, 64, P8 N(04) N(08) N(01) N(03) P8 N(02) USER8 A W W W, "Process", "Start",
	  "UniqueProcessKey=0xfffff88000000001 ProcessId=0x4 ParentId=0x8 SessionId=1 ExitStatus=3"
	  " DirectoryTableBase=0xfffff88000000001 Flags=2 UserSID=S-1-5-18 ImageFileName=\"a.exe\""
	  " CommandLine=\"b.e\" PackageFullName=\"b.e\" ApplicationId=\"b.e\"" },
	{ PROCESS, 39, 3, 64, P8 N(04) N(08) N(01) N(03) P8 "00000000" A W, "Process", "Defunct",
	  "UniqueProcessKey=0xfffff88000000001 ProcessId=0x4 ParentId=0x8 SessionId=1 ExitStatus=3"
	  " DirectoryTableBase=0xfffff88000000001 UserSID= ImageFileName=\"a.exe\""
	  " CommandLine=\"b.e\"" },
	{ PROCESS, 32, 2, 32, N(04) N(05) N(06) N(00) N(01) N(02) N(03) N(04) N(05) N(06) N(07)
	  N(08) N(09) N(0A) N(0B), "Process", "PerfCtr",
	  "ProcessId=0x4 PageFaultCount=5 HandleCount=6 Reserved=0 PeakVirtualSize=0x1"
	  " PeakWorkingSetSize=0x2 PeakPagefileUsage=0x3 QuotaPeakPagedPoolUsage=0x4"
	  " QuotaPeakNonPagedPoolUsage=0x5 VirtualSize=0x6 WorkingSetSize=0x7 PagefileUsage=0x8"
	  " QuotaPagedPoolUsage=0x9 QuotaNonPagedPoolUsage=0xa PrivatePageCount=0xb" },
	{ THREAD, 1, 0, 32, N(05) N(04), "Thread", "Start", "TThreadId=0x5 ProcessId=0x4" },
	{ THREAD, 3, 1, 32, N(04) N(05) P4 P4 P4 P4 P4 P4 "FF", "Thread", "DCStart",
	  "ProcessId=4 TThreadId=5 StackBase=0x80000001 StackLimit=0x80000001"
	  " UserStackBase=0x80000001 UserStackLimit=0x80000001 StartAddr=0x80000001"
	  " Win32StartAddr=0x80000001 WaitMode=-1" },
	{ THREAD, 2, 1, 32, N(04) N(05), "Thread", "End", "ProcessId=4 TThreadId=5" },
	{ THREAD, 4, 2, 32, N(04) N(05) P4 P4 P4 P4 P4 P4 P4 N(07), "Thread", "DCEnd",
	  "ProcessId=0x4 TThreadId=0x5 StackBase=0x80000001 StackLimit=0x80000001"
	  " UserStackBase=0x80000001 UserStackLimit=0x80000001 StartAddr=0x80000001"
	  " Win32StartAddr=0x80000001 TebBase=0x80000001 SubProcessTag=0x7" },
	{ THREAD, 1, 3, 32, N(04) N(05) P4 P4 P4 P4 P4 P4 P4 N(07) "08 05 02 01", "Thread", "Start",
	  "ProcessId=0x4 TThreadId=0x5 StackBase=0x80000001 StackLimit=0x80000001"
	  " UserStackBase=0x80000001 UserStackLimit=0x80000001 Affinity=0x80000001"
	  " Win32StartAddr=0x80000001 TebBase=0x80000001 SubProcessTag=0x7 BasePriority=8"
	  " PagePriority=5 IoPriority=2 ThreadFlags=1" },
	{ THREAD, 36, 2, 64, N(05) N(06) "0A 0B 01 00 06 01 05 FF" N(07) N(00), "Thread", "CSwitch",
	  "NewThreadId=0x5 OldThreadId=0x6 NewThreadPriority=10 OldThreadPriority=11"
	  " PreviousCState=1 SpareByte=0 OldThreadWaitReason=6 OldThreadWaitMode=1 OldThreadState=5"
	  " OldThreadWaitIdealProcessor=-1 NewThreadWaitTime=0x7 Reserved=0" },
	{ THREAD, 50, 2, 64, N(05) "01 02 04 00", "Thread", "ReadyThread",
	  "TThreadId=0x5 AdjustReason=1 AdjustIncrement=2 Flag=4 Reserved=0" },
	{ IMAGE, 10, 0, 32, P4 N(10) W, "Image", "Load",
	  "BaseAddress=0x80000001 ModuleSize=16 ImageFileName=\"b.e\"" },
	{ IMAGE, 2, 1, 64, P8 "0010000000000000" N(04) W, "Image", "UnLoad",
	  "ImageBase=0xfffff88000000001 ImageSize=0x1000 ProcessId=4 FileName=\"b.e\"" },
	{ IMAGE, 3, 3, 32, P4 N(10) N(04) N(01) N(02) "0C010000" P4 N(00) N(00) N(00) N(00) W, "Image",
	  "DCStart", "ImageBase=0x80000001 ImageSize=0x10 ProcessId=4 ImageChecksum=1"
	  " TimeDateStamp=2 SignatureLevel=12 SignatureType=1 Reserved0=0 DefaultBase=0x80000001 Reserved1=0 Reserved2=0"
	  " Reserved3=0 Reserved4=0 FileName=\"b.e\"" },
	{ DISK, 10, 1, 32, N(01) N(02) N(03) N(04) "0500000000000000" P4 "0600000000000000",
	  "DiskIo", "Read", "DiskNumber=1 IrpFlags=0x2 TransferSize=3 ResponseTime=4 ByteOffset=5"
	  " FileObject=0x80000001 HighResResponseTime=6" },
	{ DISK, 11, 2, 32, N(01) N(02) N(03) N(04) "0500000000000000" P4 P4 "0600000000000000",
	  "DiskIo", "Write", "DiskNumber=1 IrpFlags=0x2 TransferSize=3 Reserved=4 ByteOffset=5"
	  " FileObject=0x80000001 Irp=0x80000001 HighResResponseTime=6" },
	{ DISK, 10, 3, 64, N(01) N(02) N(03) N(04) "FFFFFFFFFFFFFFFF" P8 P8 "0600000000000000" N(07),
	  "DiskIo", "Read", "DiskNumber=1 IrpFlags=0x2 TransferSize=3 Reserved=4 ByteOffset=-1"
	  " FileObject=0xfffff88000000001 Irp=0xfffff88000000001 HighResResponseTime=6"
	  " IssuingThreadId=7" },
	{ DISK, 15, 2, 64, P8, "DiskIo", "FlushInit", "Irp=0xfffff88000000001" },
	{ DISK, 12, 3, 64, P8 N(07), "DiskIo", "ReadInit",
	  "Irp=0xfffff88000000001 IssuingThreadId=7" },
	{ DISK, 14, 3, 64, N(01) N(02) "0600000000000000" P8 N(07), "DiskIo", "FlushBuffers",
	  "DiskNumber=1 IrpFlags=0x2 HighResResponseTime=6 Irp=0xfffff88000000001"
	  " IssuingThreadId=7" },
	{ SPLIT, 32, 2, 64, P8 P8, "SplitIo", "VolMgr",
	  "ParentIrp=0xfffff88000000001 ChildIrp=0xfffff88000000001" },
	{ FILEIO, 0, 2, 64, P8 W, "FileIo", "Name", "FileObject=0xfffff88000000001 FileName=\"b.e\"" },
	{ FILEIO, 64, 2, 64, P8 P8 P8 N(01) N(02) N(03) W, "FileIo", "Create",
	  "IrpPtr=0xfffff88000000001 TTID=0xfffff88000000001 FileObject=0xfffff88000000001"
	  " CreateOptions=1 FileAttributes=2 ShareAccess=3 OpenPath=\"b.e\"" },
	{ FILEIO, 64, 3, 64, P8 P8 N(09) N(01) N(02) N(03) W, "FileIo", "Create",
	  "IrpPtr=0xfffff88000000001 FileObject=0xfffff88000000001 TTID=9 CreateOptions=1"
	  " FileAttributes=2 ShareAccess=3 OpenPath=\"b.e\"" },
	{ FILEIO, 66, 2, 32, P4 P4 P4 P4, "FileIo", "Close",
	  "IrpPtr=0x80000001 TTID=0x80000001 FileObject=0x80000001 FileKey=0x80000001" },
	{ FILEIO, 73, 3, 32, P4 P4 P4 N(09), "FileIo", "Flush",
	  "IrpPtr=0x80000001 FileObject=0x80000001 FileKey=0x80000001 TTID=9" },
	{ FILEIO, 67, 2, 32, "0500000000000000" P4 P4 P4 P4 N(01) N(02), "FileIo", "Read",
	  "Offset=5 IrpPtr=0x80000001 TTID=0x80000001 FileObject=0x80000001 FileKey=0x80000001"
	  " IoSize=1 IoFlags=2" },
	{ FILEIO, 68, 3, 32, "0500000000000000" P4 P4 P4 N(09) N(01) N(02), "FileIo", "Write",
	  "Offset=5 IrpPtr=0x80000001 FileObject=0x80000001 FileKey=0x80000001 TTID=9 IoSize=1"
	  " IoFlags=2" },
	{ FILEIO, 71, 2, 32, P4 P4 P4 P4 P4 N(02), "FileIo", "Rename",
	  "IrpPtr=0x80000001 TTID=0x80000001 FileObject=0x80000001 FileKey=0x80000001"
	  " ExtraInfo=0x80000001 InfoClass=2" },
	{ FILEIO, 70, 3, 32, P4 P4 P4 P4 N(09) N(02), "FileIo", "Delete",
	  "IrpPtr=0x80000001 FileObject=0x80000001 FileKey=0x80000001 ExtraInfo=0x80000001 TTID=9"
	  " InfoClass=2" },
	{ FILEIO, 72, 2, 32, P4 P4 P4 P4 N(01) N(02) N(03) W, "FileIo", "DirEnum",
	  "IrpPtr=0x80000001 TTID=0x80000001 FileObject=0x80000001 FileKey=0x80000001 Length=1"
	  " InfoClass=2 FileIndex=3 FileName=\"b.e\"" },
	{ FILEIO, 77, 3, 32, P4 P4 P4 N(09) N(01) N(02) N(03) W, "FileIo", "DirNotify",
	  "IrpPtr=0x80000001 FileObject=0x80000001 FileKey=0x80000001 TTID=9 Length=1 InfoClass=2"
	  " FileIndex=3 FileName=\"b.e\"" },
	{ FILEIO, 76, 3, 64, P8 P8 "340000C0", "FileIo", "OperationEnd",
	  "IrpPtr=0xfffff88000000001 ExtraInfo=0xfffff88000000001 NtStatus=0xc0000034" },
	{ FAULT, 11, 2, 64, P8 P8, "PageFault", "DemandZeroFault",
	  "VirtualAddress=0xfffff88000000001 ProgramCounter=0xfffff88000000001" },
	{ FAULT, 32, 2, 64, "0500000000000000 0010000000000000" P8 P8 N(05) N(06), "PageFault",
	  "HardFault", "InitialTime=5 ReadOffset=0x1000 VirtualAddress=0xfffff88000000001"
	  " FileObject=0xfffff88000000001 TThreadId=0x5 ByteCount=6" },
	{ FAULT, 105, 2, 32, P4 N(01) "0200 0300", "PageFault", "ImageLoadBacked",
	  "FileObject=0x80000001 DeviceChar=0x1 FileChar=0x2 LoadFlags=0x3" },
	{ REGISTRY, 10, 0, 32, N(00) P4 "0500000000000000" W, "Registry", "Create",
	  "Status=0x0 KeyHandle=0x80000001 ElapsedTime=5 KeyName=\"b.e\"" },
	{ REGISTRY, 22, 1, 64, "0000000000000000" P8 "0500000000000000" N(03) W, "Registry",
	  "RunDown", "Status=0x0 KeyHandle=0xfffff88000000001 ElapsedTime=5 Index=3"
	  " KeyName=\"b.e\"" },
	{ REGISTRY, 11, 2, 64, "0500000000000000 340000C0" N(03) P8 W, "Registry", "Open",
	  "InitialTime=5 Status=0xc0000034 Index=3 KeyHandle=0xfffff88000000001 KeyName=\"b.e\"" },
	{ TCP, 12, 0, 32, "0A000001 0A000002 0050 C350" N(07) N(04), "TcpIp", "Connect",
	  "daddr=10.0.0.1 saddr=10.0.0.2 dport=80 sport=50000 size=7 PID=4" },
	{ TCP, 16, 1, 32, N(04) N(07) "0A000001 0A000002 0050 C350", "TcpIp", "Reconnect",
	  "PID=4 size=7 daddr=10.0.0.1 saddr=10.0.0.2 dport=80 sport=50000" },
	{ TCP, 11, 2, 64, N(04) N(07) "0A000001 0A000002 0050 C350" N(08) P8, "TcpIp", "RecvIPV4",
	  "PID=4 size=7 daddr=10.0.0.1 saddr=10.0.0.2 dport=80 sport=50000 seqnum=8"
	  " connid=0xfffff88000000001" },
	{ TCP, 10, 2, 32, N(04) N(07) "0A000001 0A000002 0050 C350" N(01) N(02) N(08) P4, "TcpIp",
	  "SendIPV4", "PID=4 size=7 daddr=10.0.0.1 saddr=10.0.0.2 dport=80 sport=50000 startime=1"
	  " endtime=2 seqnum=8 connid=0x80000001" },
	{ TCP, 15, 2, 32, N(04) N(07) "0A000001 0A000002 0050 C350 B405 0100 0000 0100" N(09)
	  "0800 FFFF" N(08) P4, "TcpIp", "AcceptIPV4",
	  "PID=4 size=7 daddr=10.0.0.1 saddr=10.0.0.2 dport=80 sport=50000 mss=1460 sackopt=1"
	  " tsopt=0 wsopt=1 rcvwin=9 rcvwinscale=8 sndwinscale=-1 seqnum=8 connid=0x80000001" },
	{ TCP, 29, 2, 32, N(04) N(07) "FE800000000000000000000000000001"
	  "00000000000000000000000000000001 0050 C350" N(08) P4, "TcpIp", "DisconnectIPV6",
	  "PID=4 size=7 daddr=fe80::1 saddr=::1 dport=80 sport=50000 seqnum=8 connid=0x80000001" },
	{ TCP, 17, 2, 64, "0200 0300", "TcpIp", "Fail", "Proto=2 FailureCode=3" },
	{ UDP, 10, 0, 32, P4 "0A000002 C350 0700 0A000001 0050 0800", "UdpIp", "Send",
	  "context=0x80000001 saddr=10.0.0.2 sport=50000 size=7 daddr=10.0.0.1 dport=80 dsize=8" },
	{ UDP, 11, 1, 32, N(04) N(07) "0A000001 0A000002 0050 C350", "UdpIp", "Recv",
	  "PID=4 size=7 daddr=10.0.0.1 saddr=10.0.0.2 dport=80 sport=50000" },
	{ UDP, 27, 2, 32, N(04) N(07) "FE800000000000000000000000000001"
	  "00000000000000000000000000000001 0050 C350" N(08) P4, "UdpIp", "RecvIPV6",
	  "PID=4 size=7 daddr=fe80::1 saddr=::1 dport=80 sport=50000 seqnum=8 connid=0x80000001" },
	{ PERF, 46, 2, 64, P8 N(05) N(01), "PerfInfo", "SampleProf",
	  "InstructionPointer=0xfffff88000000001 ThreadId=5 Count=1 Reserved=0" },
	{ PERF, 51, 2, 64, P8, "PerfInfo", "SysClEnter", "SysCallAddress=0xfffff88000000001" },
	{ PERF, 52, 2, 64, "340000C0", "PerfInfo", "SysClExit", "SysCallNtStatus=0xc0000034" },
	{ PERF, 68, 2, 64, "0500000000000000" P8, "PerfInfo", "DPC",
	  "InitialTime=5 Routine=0xfffff88000000001" },
	{ PERF, 67, 2, 64, "0500000000000000" P8 "01 3000 00", "PerfInfo", "ISR",
	  "InitialTime=5 Routine=0xfffff88000000001 ReturnValue=1 Vector=48 Reserved=0" },
	{ WALK, 32, 2, 64, "0500000000000000" N(04) N(05) P8 P8 P8, "StackWalk", "Stack",
	  "EventTimeStamp=5 StackProcess=0x4 StackThread=5 Stack1=0xfffff88000000001"
	  " Stack2=0xfffff88000000001 Stack3=0xfffff88000000001" },
	{ WALK, 32, 2, 32, "0500000000000000" N(04) N(05) P4, "StackWalk", "Stack",
	  "EventTimeStamp=5 StackProcess=0x4 StackThread=5 Stack1=0x80000001" },
	{ CONFIG, 13, 2, 64, "0102030405060000" N(06) N(02) N(03) W W W, "SystemConfig", "NIC",
	  "PhysicalAddr=0x60504030201 PhysicalAddrLen=6 Ipv4Index=2 Ipv6Index=3"
	  " NICDescription=\"b.e\" IpAddresses=\"b.e\" DnsServerAddresses=\"b.e\"" },
	{ CONFIG, 15, 2, 64, N(04) N(01) N(02) W W W, "SystemConfig", "Services",
	  "ProcessId=0x4 ServiceState=0x1 SubProcessTag=0x2 ServiceName=\"b.e\""
	  " DisplayName=\"b.e\" ProcessName=\"b.e\"" },
	{ CONFIG, 16, 2, 64, "01 00 01 01 00 00 00 00", "SystemConfig", "Power",
	  "S1=1 S2=0 S3=1 S4=1 S5=0 Pad1=0 Pad2=0 Pad3=0" },
	{ CONFIG, 17, 2, 64, N(01) N(02) N(03) N(04), "SystemConfig", "Network",
	  "TcbTablePartitions=1 MaxHashTableSize=2 MaxUserPort=3 TcpTimedWaitDelay=4" },
	{ CONFIG, 21, 2, 64, "0300000000000000" N(09) N(04) W, "SystemConfig", "IRQ",
	  "IRQAffinity=0x3 IRQNum=9 DeviceDescriptionLen=4 DeviceDescription=\"b.e\"" },
	{ CONFIG, 22, 2, 64, N(04) N(04) N(04) W W W, "SystemConfig", "PnP",
	  "IDLength=4 DescriptionLength=4 FriendlyNameLength=4 DeviceID=\"b.e\""
	  " DeviceDescription=\"b.e\" FriendlyName=\"b.e\"" },
	{ CONFIG, 23, 2, 64, N(01) N(02) N(03) N(04) W, "SystemConfig", "IDEChannel",
	  "TargetId=1 DeviceType=0x2 DeviceTimingMode=0x3 LocationInformationLen=4"
	  " LocationInformation=\"b.e\"" },
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
		ok(is_classic(event, "MSNT_SystemTrace", s->task, s->opcode), "%s is called that",
		   what);
		is_text(text(), s->text, what);
		/* Bytes that a newer version appends are returned as the rest, and do no harm. */
		bytes[size] = 0xEE;
		decode_classic(&s->guid, s->type, s->version, s->bits, bytes, size + 1);
		ok(!text_ret && !strncmp(text(), s->text, strlen(s->text)) &&
		   strstr(text(), " rest="), "%s, and a byte more", what);
		decode_classic(&s->guid, s->type, s->version, s->bits, bytes, size - 1);
		ok(!json_ret || text_ret, "%s, and a byte less", what);
	}
}

/* Texts with long fixed lengths */
static void test_config(void)
{
	static const GUID config = CONFIG;
	unsigned char bytes[8192] = { 0 };
	size_t n;

	n = from_hex("00100000 08000000 00400000 00100000 00000100", bytes);
	memcpy(bytes + n, "h\0o\0s\0t\0", 8);
	memcpy(bytes + n + 512, "d\0o\0m\0", 6);
	n += 512 + 264;
	bytes[n] = 0xFE;
	decode_classic(&config, 10, 1, 32, bytes, n + 4);
	ok(strstr(text(), " DomainName=\"dom\" HyperThreadingFlag=0xfe") && !strstr(text(), "rest="),
	   "SystemConfig/CPU of version 1");
	bytes[n] = 0;
	bytes[n + 4] = 0xFF;
	decode_classic(&config, 10, 2, 64, bytes, n + 12);
	is_text(text(), "MHz=4096 NumberOfProcessors=8 MemSize=16384 PageSize=4096"
		" AllocationGranularity=65536 ComputerName=\"host\" DomainName=\"dom\""
		" HyperThreadingFlag=0xff", "SystemConfig/CPU");
	decode_classic(&config, 10, 0, 32, bytes, n);
	is_text(text(), "MHz=4096 NumberOfProcessors=8 MemSize=16384 PageSize=4096"
		" AllocationGranularity=65536 ComputerName=\"host\" DomainName=\"dom\"",
		"SystemConfig/CPU of version 0");
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes + 40, "V\0", 2);
	decode_classic(&config, 11, 2, 64, bytes, 40 + 512 + 4 + 2 + 6 + 4);
	ok(!text_ret && strstr(text(), "Manufacturer=\"V\" PartitionCount=0 WriteCacheEnabled=0") &&
	   strstr(text(), "Spare=\"\"") && !strstr(text(), "rest="), "SystemConfig/PhyDisk");
	decode_classic(&config, 12, 2, 64, bytes, 28 + 8 + 20 + 16 + 32 + 8);
	ok(!text_ret && strstr(text(), "DriveLetterString=\"") && strstr(text(), "Pad3=0") &&
	   !strstr(text(), "rest="), "SystemConfig/LogDisk");
	decode_classic(&config, 14, 2, 64, bytes, 20 + 5 * 512 + 4);
	ok(!text_ret && strstr(text(), "StateFlags=0x0") && !strstr(text(), "rest="),
	   "SystemConfig/Video");
}

/* A stack has as many addresses as fit, up to 192. */
static void test_stacks(void)
{
	static const GUID walk = WALK;
	static unsigned char bytes[16 + 193 * 8];
	const struct etw_decoded *event;

	decode_classic(&walk, 32, 2, 64, bytes, 16 + 192 * 8);
	ok(!decode_ret && !text_ret && strstr(text(), " Stack99=0x0 Stack100=0x0") &&
	   strstr(text(), " Stack192=0x0") && !strstr(text(), "rest="), "192 addresses");
	event = decode_classic(&walk, 32, 2, 64, bytes, 16 + 8);
	ok(!decode_ret && event->field_count == 4 && !strstr(text(), "Stack2"), "then one");
	decode_classic(&walk, 32, 2, 64, bytes, 16 + 193 * 8);
	ok(decode_ret == -ENOENT, "more than there can be");
	decode_classic(&walk, 32, 2, 64, bytes, 16);
	ok(decode_ret == -ENOENT, "none");
	decode_classic(&walk, 32, 2, 64, bytes, 3);
	ok(decode_ret == -ENOENT, "not even a time");
}

/* Records of 64-bit kernels with 32-bit headers, and user SIDs without the pointer */
static void test_wrong_headers(void)
{
	static const GUID process = PROCESS;
	unsigned char bytes[256];
	size_t n = from_hex(P8 N(04) N(08) N(01) N(03) P8 USER8 A W, bytes);

	decode_classic(&process, 1, 3, 32, bytes, n);
	ok(strstr(text(), "ImageFileName=\"a.exe\" CommandLine=\"b.e\"") && !strstr(text(), "rest="),
	   "pointers of 64 bits in a record that says 32");
	n = from_hex(P4 N(04) N(08) N(01) N(03) P4 USER4 A W, bytes);
	decode_classic(&process, 1, 3, 64, bytes, n);
	ok(strstr(text(), "ImageFileName=\"a.exe\" CommandLine=\"b.e\"") && !strstr(text(), "rest="),
	   "and the other way");
	n = from_hex(P8 N(04) N(08) N(01) N(03) P8 "0000000000000000 0000000000000000" SYSTEM_SID A W,
		     bytes);
	decode_classic(&process, 1, 3, 64, bytes, n);
	ok(strstr(text(), "UserSID=S-1-5-18 ImageFileName=\"a.exe\""), "a user without a pointer");
	for (size_t i = 0; i < n; i++) {
		decode_classic(&process, 1, 3, 64, bytes, i);
		decode_classic(&process, 1, 3, 32, bytes, i);
	}
	ok(1, "cut off anywhere");
}

/* No two rows of a table match the same event, and versions older than all rows match none. */
static void test_tables(void)
{
	static const GUID thread = THREAD, nobody = { .Data1 = 0x3d6fa8d9 };
	unsigned int twice = 0, wrong = 0;

	for (size_t c = 0; c < etw_kernel_class_count; c++) {
		const struct etw_kernel_type *t = etw_kernel_classes[c]->types;

		for (size_t i = 0; i < etw_kernel_classes[c]->count; i++) {
			wrong += t[i].first > t[i].last || t[i].event.opcode->value != t[i].type;
			for (size_t j = 0; j < i; j++)
				twice += t[i].type == t[j].type && t[i].first <= t[j].last &&
					 t[j].first <= t[i].last;
		}
	}
	is(twice, 0, "each event has one schema");
	is(wrong, 0, "and its own name");
	decode_classic(&thread, 50, 1, 64, "", 0);
	is(decode_ret, -ENOENT, "an unknown version");
	decode_classic(&thread, 99, 3, 64, "", 0);
	is(decode_ret, -ENOENT, "an unknown type");
	decode_classic(&nobody, 1, 3, 64, "", 0);
	is(decode_ret, -ENOENT, "an unknown class");
}

int main(void)
{
	test_samples();
	test_config();
	test_stacks();
	test_wrong_headers();
	test_tables();
	etw_decoder_free(decoder);
	etw_text_free(&out_text);
	etw_text_free(&out_json);
	return done_testing();
}
