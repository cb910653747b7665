/* SPDX-License-Identifier: MIT */
/*
 * perf.c - samples, system calls, interrupts and timers of Windows' kernel logger
 *
 * Sources: Microsoft's pages "SampledProfile class", "SysCallEnter class", "SysCallExit class",
 * "DPC class" and "ISR class"; for version 1, and for events without a page, wmicore.mof of the
 * WDK, which really has "PmcCtrConrruption". Times of the kernel's own are in ticks of the
 * session's clock.
 */
#include "kernel_logger.h"

KERNEL_TEMPLATE(mark, TEXT8("Message"), CHARS16("Padding", 1));
KERNEL_TEMPLATE(sample_v1, POINTER("InstructionPointer"), U32("ThreadId"), U16("Count"));
KERNEL_TEMPLATE(sample,
	POINTER("InstructionPointer"), U32("ThreadId"), U16("Count"), U16("Reserved"));
KERNEL_TEMPLATE(counter_sample,
	POINTER("InstructionPointer"), U32("ThreadId"), U16("ProfileSource"), U16("Reserved"));
KERNEL_TEMPLATE(interval_v2, U32("Source"), U32("NewInterval"), U32("OldInterval"));
KERNEL_TEMPLATE(interval_v3,
	U32("Source"), U32("NewInterval"), U32("OldInterval"), TEXT16("SourceName"));
KERNEL_TEMPLATE(counters,
	U32("CounterCount"), KERNEL_COUNTED("CounterName", UNICODESTRING, STRING, 0));
KERNEL_TEMPLATE(spin_config_v2,
	U32("SpinLockSpinThreshold"), U32("SpinLockContentionSampleRate"),
	U32("SpinLockAcquireSampleRate"));
KERNEL_TEMPLATE(spin_config_v3,
	U32("SpinLockSpinThreshold"), U32("SpinLockContentionSampleRate"),
	U32("SpinLockAcquireSampleRate"), U32("SpinLockHoldThreshold"));
KERNEL_TEMPLATE(call_enter, POINTER("SysCallAddress"));
KERNEL_TEMPLATE(call_exit, X32("SysCallNtStatus"));
KERNEL_TEMPLATE(isr_v1, U64("InitialTime"), POINTER("Routine"), U32("ReturnValue"));
KERNEL_TEMPLATE(isr,
	U64("InitialTime"), POINTER("Routine"), U8("ReturnValue"), U16("Vector"), U8("Reserved"));
KERNEL_TEMPLATE(isr_message,
	U64("InitialTime"), POINTER("Routine"), U8("ReturnValue"), U16("Vector"), U8("Reserved"),
	U32("MessageNumber"));
KERNEL_TEMPLATE(isr_unexpected, U16("Vector"));
KERNEL_TEMPLATE(dpc, U64("InitialTime"), POINTER("Routine"));
KERNEL_TEMPLATE(routine, POINTER("Routine"));
KERNEL_TEMPLATE(io_timer, POINTER("DeviceObject"), POINTER("TimerRoutine"));
KERNEL_TEMPLATE(timer2,
	U64("DueTime"), U64("MaximumDueTime"), U64("Period"), POINTER("Timer"),
	POINTER("Callback"), POINTER("CallbackContext"), U8("TimerFlags"));
KERNEL_TEMPLATE(timer2_cancel, POINTER("Timer"));
KERNEL_TEMPLATE(timer2_disable,
	POINTER("Timer"), POINTER("DisableCallback"), POINTER("DisableContext"), U8("TimerFlags"));
KERNEL_TEMPLATE(timer2_finalize,
	POINTER("Timer"), POINTER("DisableCallback"), POINTER("DisableContext"));
KERNEL_TEMPLATE(hypercall, U32("CallCode"), U8("IsFast"), U8("IsNested"));
KERNEL_TEMPLATE(registers_amd64,
	X64("Rip"), X64("Rax"), X64("Rcx"), X64("Rdx"), X64("Rbx"), X64("Rsp"), X64("Rbp"),
	X64("Rsi"), X64("Rdi"), X64("R8"), X64("R9"), X64("R10"), X64("R11"), X64("R12"),
	X64("R13"), X64("R14"), X64("R15"));
KERNEL_TEMPLATE(registers_arm64,
	X32("Cpsr"), X64("X0"), X64("X1"), X64("X2"), X64("X3"), X64("X4"), X64("X5"), X64("X6"),
	X64("X7"), X64("X8"), X64("X9"), X64("X10"), X64("X11"), X64("X12"), X64("X13"),
	X64("X14"), X64("X15"), X64("X16"), X64("X17"), X64("X18"), X64("X19"), X64("X20"),
	X64("X21"), X64("X22"), X64("X23"), X64("X24"), X64("X25"), X64("X26"), X64("X27"),
	X64("X28"), X64("Fp"), X64("Lr"), X64("Sp"), X64("Pc"));

/* The top level is followed by the members of each element. */
static const struct etw_mf_field corruption_fields[] = {
	U32("ProcessorNumber"), U32("CounterCount"),
	{ .name = "CounterStatus", .flags = ETW_MF_STRUCT | ETW_MF_COUNT_FIELD, .count = 1,
	  .first = 3, .members = 2 },
	U32("ProfileSource"), U64("LastKnownGoodTimestamp"),
};

static const struct etw_mf_template corruption = {
	.id = "", .fields = corruption_fields, .count = KERNEL_COUNT(corruption_fields), .top = 3,
};

static const struct etw_mf_task perf = { .name = "PerfInfo" };

static const struct etw_kernel_type perf_types[] = {
	KERNEL_TYPE(perf, 34, 0, 255, "Mark", mark),
	KERNEL_TYPE(perf, 46, 1, 1, "SampleProf", sample_v1),
	KERNEL_TYPE(perf, 46, 2, 255, "SampleProf", sample),
	KERNEL_TYPE(perf, 47, 2, 255, "PmcCounterProf", counter_sample),
	KERNEL_TYPE(perf, 48, 2, 255, "PmcCtrConfig", counters),
	KERNEL_TYPE(perf, 49, 2, 255, "PmcCtrConrruption", corruption),
	KERNEL_TYPE(perf, 50, 2, 255, "ISR-MSI", isr_message),
	KERNEL_TYPE(perf, 51, 2, 255, "SysClEnter", call_enter),
	KERNEL_TYPE(perf, 52, 2, 255, "SysClExit", call_exit),
	KERNEL_BARE(perf, 58, 2, 255, "DebuggerEnabled"),
	KERNEL_TYPE(perf, 66, 1, 255, "ThreadedDPC", dpc),
	KERNEL_TYPE(perf, 67, 1, 1, "ISR", isr_v1),
	KERNEL_TYPE(perf, 67, 2, 255, "ISR", isr),
	KERNEL_TYPE(perf, 68, 1, 255, "DPC", dpc),
	KERNEL_TYPE(perf, 69, 1, 255, "TimerDPC", dpc),
	KERNEL_TYPE(perf, 70, 2, 255, "IOTimer", dpc),
	KERNEL_TYPE(perf, 72, 2, 2, "SetInterval", interval_v2),
	KERNEL_TYPE(perf, 72, 3, 255, "SetInterval", interval_v3),
	KERNEL_TYPE(perf, 73, 2, 2, "CollectionStart", interval_v2),
	KERNEL_TYPE(perf, 73, 3, 255, "CollectionStart", interval_v3),
	KERNEL_TYPE(perf, 74, 2, 2, "CollectionEnd", interval_v2),
	KERNEL_TYPE(perf, 74, 3, 255, "CollectionEnd", interval_v3),
	KERNEL_TYPE(perf, 75, 2, 2, "CollectionStart", spin_config_v2),
	KERNEL_TYPE(perf, 75, 3, 255, "CollectionStart", spin_config_v3),
	KERNEL_TYPE(perf, 76, 2, 2, "CollectionEnd", spin_config_v2),
	KERNEL_TYPE(perf, 76, 3, 255, "CollectionEnd", spin_config_v3),
	KERNEL_TYPE(perf, 92, 2, 255, "ISR-Unexpected", isr_unexpected),
	KERNEL_TYPE(perf, 93, 2, 255, "IoStartTimer", io_timer),
	KERNEL_TYPE(perf, 94, 2, 255, "IoStopTimer", io_timer),
	KERNEL_TYPE(perf, 95, 1, 1, "ISR-PASS", isr_v1),
	KERNEL_TYPE(perf, 95, 2, 255, "ISR-PASS", isr),
	KERNEL_TYPE(perf, 96, 2, 255, "WdfISR", routine),
	KERNEL_TYPE(perf, 97, 2, 255, "WdfPassiveISR", routine),
	KERNEL_TYPE(perf, 98, 2, 255, "WdfDPC", routine),
	KERNEL_TYPE(perf, 103, 2, 255, "WdfWorkItem", routine),
	KERNEL_TYPE(perf, 104, 2, 255, "SetKTimer2", timer2),
	KERNEL_TYPE(perf, 105, 2, 255, "ExpireKTimer2", timer2),
	KERNEL_TYPE(perf, 106, 2, 255, "CancelKTimer2", timer2_cancel),
	KERNEL_TYPE(perf, 107, 2, 255, "DisableKTimer2", timer2_disable),
	KERNEL_TYPE(perf, 108, 2, 255, "FinalizeKTimer2", timer2_finalize),
	KERNEL_TYPE(perf, 114, 2, 255, "KernelHypercall", hypercall),
	KERNEL_TYPE(perf, 122, 2, 255, "ContextRegistersAMD64", registers_amd64),
	KERNEL_TYPE(perf, 123, 2, 255, "ContextRegistersARM64", registers_arm64),
};

const struct etw_kernel_class etw_kernel_perf = {
	{ 0xce1dbfb4, 0x137e, 0x4da6, { 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc } },
	perf_types, KERNEL_COUNT(perf_types), NULL
};

KERNEL_TEMPLATE(idle_exit,
	U32("Flags"), U32("PlatformState"), U32("ProcessorState"), U32("ReturnLatency"),
	U32("TotalLatency"));

static const struct etw_mf_task power = { .name = "Power" };

static const struct etw_kernel_type power_types[] = {
	KERNEL_TYPE(power, 60, 2, 255, "IdleExitLatency", idle_exit),
};

const struct etw_kernel_class etw_kernel_power = {
	{ 0xe43445e0, 0x0903, 0x48c3, { 0xb8, 0x78, 0xff, 0x0f, 0xcc, 0xeb, 0xdd, 0x04 } },
	power_types, KERNEL_COUNT(power_types), NULL
};
