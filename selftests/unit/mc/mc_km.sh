#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mc_km.sh - headers for kernel modules, on the host
#
# What "etw mc -km" makes of selftests/kmod/etw_km/etw_km.man has the names and the
# tests of mc.exe's, and refuses what a kernel stack cannot hold.  Then the headers of
# all manifests, those of the corpus of real ones too where there is one
# (../shared/corpus or $ETW_CORPUS), are compiled for each kernel whose headers are
# there, with W=1, every function in them, none with a frame over 2,048 bytes; and so
# is each header that a ported driver may include, alone and all together, and with
# ETW_DRIVER_LICENSE.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=scripts/tap.sh
. scripts/tap.sh

corpus=${ETW_CORPUS:-../shared/corpus}
mc=$PWD/build/mc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/rc"
scripts/spellings "$work/include"

[[ -x $mc ]] || { echo "1..0 # SKIP not built"; exit 4; }

# make_header MANIFEST NAME [OPTION...]: write $work/NAME.h, or print the error
make_header() {
	local manifest=$1 name=$2
	shift 2

	"$mc" -km "$@" -z "$name" -h "$work" -r "$work/rc" "$manifest" >"$work/log" 2>&1 ||
		cat "$work/log"
}

# has NAME PATTERN...: the header contains all patterns.
has() {
	local name=$1 pattern
	shift

	for pattern; do
		grep -qE -- "$pattern" "$work/$name.h" || echo "no \"$pattern\" in $name.h"
	done
}

# manifest FIELD...: print a manifest with an event of these data elements
manifest() {
	cat <<-'END'
	<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events"
	 xmlns:win="http://manifests.microsoft.com/win/2004/08/windows/events">
	<instrumentation><events><provider name="P-1" symbol="PROV"
	 guid="{5d1b6a0f-3f3c-4c39-9a51-7be0c1d2e3ff}" resourceFileName="p" messageFileName="p">
	<templates><template tid="T">
	END
	printf '%s\n' "$@"
	cat <<-'END'
	</template></templates><events><event value="1" symbol="AppEvent" template="T"/></events>
	</provider></events></instrumentation></instrumentationManifest>
	END
}

# fields N TYPE: print N data elements
fields() {
	local i

	for ((i = 0; i < $1; i++)); do
		echo "<data name=\"f$i\" inType=\"win:$2\"/>"
	done
}

check_names() {
	local object='^EXTERN_C __declspec\(selectany\)'

	make_header selftests/kmod/etw_km/etw_km.man names
	has names '^#include <etw/mc/kernel.h>$' \
		'define EventRegisterEtw_Km_Test\(\)' 'define EventUnregisterEtw_Km_Test\(\)' \
		'define EventRegisterByGuidEtw_Km_Test\(Guid\)' \
		'define EventRegister_ETW_KM_TRAITS\(\)' \
		'_mcgen_km_PROVIDER\(ETW_KM_TRAITS_Provider, \{0x5d1b6a0f, .*0x03\}\}\)' \
		'define EventEnabledKmScalars\(\) .*EnableBits, [0-9]+, ETW_KM_Provider, 4, 0x10ull\)' \
		'define EventEnabledKmQuiet\(\) .*EnableBits, [0-9]+, ETW_KM_Provider, 5, 0x10ull\)' \
		"$object DECLSPEC_CACHEALIGN ULONG Etw_Km_TestEnableBits\\[1\\];" \
		"$object const ULONGLONG Etw_Km_TestKeywords\\[[0-9]+\\] = " \
		"$object const unsigned char Etw_Km_TestLevels\\[[0-9]+\\] = " \
		"$object const EVENT_DESCRIPTOR KmScalars = " '^} McGenContext_Etw_Km_Test;$' \
		'^typedef McGenContext_Etw_Km_Test McGenContext_ETW_KM;$' \
		'define Etw_Km_TestHandle_ForContext\(pContext\)' \
		'define EventWriteKmNothing\(Activity\)' \
		'define EventWriteKmStrings\(Activity, wide, narrow, no_wide, no_narrow, sid, after\)' \
		'define EventWriteKmCounted_AssumeEnabled\(Activity, wide_Len_, wide, ' \
		'define EventWriteKmNames\(Activity, Arg_Name_1, Activity_, if\)' \
		'NTSTATUS McTemplateK0zszskh_EtwWriteTransfer' \
		'NTSTATUS _McTemplateK0culhdqixfgtjpmydi_EtwWriteTransfer' \
		'NTSTATUS McTemplateK0wae'
	# Consecutive numbers are one piece, strings are one each.
	has names '^#define McTemplateK0q_ARGCOUNT 1$' '^#define McTemplateK0zszskh_ARGCOUNT 6$' \
		'^#define McTemplateK0culhdqixfgtjpmydi_ARGCOUNT 1$'
	grep -q MCGEN_CALLOUT "$work/names.h" && echo "MCGEN_CALLOUT without -co"
	return 0
}

check_options() {
	manifest "$(fields 1 UInt32)" >"$work/options.man"
	make_header "$work/options.man" options -co -p Trace -P App
	has options 'define TraceEvent\(Activity, f0\)' 'define EventEnabledEvent\(\)' \
		'MCGEN_CALLOUT\(Context->RegistrationHandle, Descriptor, ' 'McTemplateCoK0q_'
	"$mc" -km -um "$work/options.man" -h "$work" -r "$work" >"$work/log" 2>&1 &&
		echo "-km and -um together"
	return 0
}

check_stack() {
	manifest "$(fields 74 AnsiString)" >"$work/most.man"
	make_header "$work/most.man" most
	manifest "$(fields 75 AnsiString)" >"$work/much.man"
	make_header "$work/much.man" much >"$work/said"
	grep -q 'much.man:5: error: template "T": its fields would take 1800 bytes' "$work/said" ||
		echo "75 strings are taken: $(<"$work/said")"
	[[ ! -e $work/much.h ]] || echo "a header is there after an error"
}

# tracelogging DIR: write a driver's TraceLogging source with the headers in both orders
tracelogging() {
	local text

	text='TRACELOGGING_DECLARE_PROVIDER(p);
NTSTATUS use(PETWENABLECALLBACK callback, const GUID *activity, LPGUID id);
NTSTATUS use(PETWENABLECALLBACK callback, const GUID *activity, LPGUID id)
{
	NTSTATUS status = TraceLoggingRegisterEx(p, callback, id);

	*id = TraceLoggingProviderId(p);
	TraceLoggingWriteActivity(p, "e", activity, id, TraceLoggingGuid(*id, "f"));
	TraceLoggingWriteEx(p, "e", 1, 0, NULL, NULL, TraceLoggingValue(*id, "f"));
	return status ? status : TraceLoggingSetInformation(p, EventProviderSetTraits, NULL, 0);
}'
	printf '#include <%s>\n#include <%s>\n%s\n' wdm.h TraceLoggingProvider.h "$text" \
		>"$1/tl_forth.c"
	printf '#include <%s>\n#include <%s>\n%s\n' TraceLoggingProvider.h wdm.h "$text" \
		>"$1/tl_back.c"
}

# driver DIR NAME [DEFINE...]: write a driver source that uses its context and the helpers
# of its header, after these lines
driver() {
	local file=$1/$2.c
	shift 2

	printf '%s\n' "$@" >"$file"
	cat >>"$file" <<-'END'
	#define MCGEN_PRIVATE_ENABLE_CALLBACK_V2 MyCallback
	#include <etw/nt/etw.h>
	static VOID MyCallback(LPCGUID SourceId, ULONG ControlCode, UCHAR Level, ULONGLONG Any,
			       ULONGLONG All, PEVENT_FILTER_DESCRIPTOR FilterData, PVOID Context);
	#include "m_etw_km.h"
	static ULONGLONG seen;
	static VOID MyCallback(LPCGUID SourceId, ULONG ControlCode, UCHAR Level, ULONGLONG Any,
			       ULONGLONG All, PEVENT_FILTER_DESCRIPTOR FilterData, PVOID Context)
	{
		PMCGEN_TRACE_CONTEXT c = Context;
		USHORT i;

		seen = c->Logger + Etw_Km_TestEnableBits[0] + Etw_Km_TestKeywords[0] + Etw_Km_TestLevels[0];
		for (i = 0; i < c->EnableBitsCount; i++)
			if (McGenLevelKeywordEnabled(c, c->EnableLevel[i], c->EnableKeyWords[i]))
				seen += c->EnableBitMask[i >> 5];
	}
	static McGenContext_Etw_Km_Test own;
	NTSTATUS test(void);
	NTSTATUS test(void)
	{
		static REGHANDLE other;
		NTSTATUS status = EventRegisterEtw_Km_Test();

		status |= McGenEventRegister(&ETW_KM, McGenControlCallbackV2, &ETW_KM_Context, &Etw_Km_TestHandle);
		status |= McGenEventRegister(&ETW_KM, NULL, NULL, &other);
		status |= McGenEventRegisterContext(&ETW_KM_TRAITS, McGenControlCallbackV2, &ETW_KM_TRAITS_Context);
		status |= McGenEventSetInformation(&ETW_KM_TRAITS_Context);
		status |= EventRegisterEtw_Km_Test_ForContext(&own);
		if (EventEnabledKmQuiet() && MCGEN_ENABLE_CHECK(ETW_KM_Context, KmQuiet))
			status |= EventWriteKmQuiet(NULL, 1);
		if (EventEnabledKmQuiet_ForContext(&own) && Etw_Km_TestHandle_ForContext(&own))
			status |= EventWriteKmQuiet_ForContext(&own, NULL, 1);
		return status | EventUnregisterEtw_Km_Test() | McGenEventUnregister(&other);
	}
	END
}

# overrides: print lines that replace each function with one of the module's own
overrides() {
	cat <<-'END'
	#include <etw/nt/etw.h>
	typedef VOID MY_CALLBACK(LPCGUID, ULONG, UCHAR, ULONGLONG, ULONGLONG, PEVENT_FILTER_DESCRIPTOR, PVOID);
	#define MCGEN_PENABLECALLBACK MY_CALLBACK *
	#define MCGEN_EVENTREGISTER MyRegister
	#define MCGEN_EVENTUNREGISTER MyUnregister
	#define MCGEN_EVENTSETINFORMATION MySet
	#define MCGEN_EVENTWRITETRANSFER MyWrite
	#define _mcgen_EVENT_BIT_SET(EnableBits, BitPosition) MyBit(EnableBits, BitPosition)
	#define EtwRegister only_the_override
	#define EtwUnregister only_the_override
	#define EtwSetInformation only_the_override
	extern NTSTATUS MyRegister(LPCGUID Id, MY_CALLBACK *Callback, PVOID Context, PREGHANDLE Handle);
	extern NTSTATUS MyUnregister(REGHANDLE Handle);
	extern NTSTATUS MySet(REGHANDLE Handle, EVENT_INFO_CLASS Class, PVOID Data, ULONG Size);
	extern NTSTATUS MyWrite(REGHANDLE Handle, PCEVENT_DESCRIPTOR Descriptor, LPCGUID Activity,
				LPCGUID Related, ULONG Count, PEVENT_DATA_DESCRIPTOR Data);
	extern int MyBit(const ULONG *Bits, ULONG Position);
	END
}

# called DIR: print the module's own functions that the driver with overrides does not
# call
called() {
	local name

	for name in MyRegister MyUnregister MySet MyWrite MyBit; do
		nm -u "$1/d_overrides.o" 2>&1 | grep -qw "$name" || echo "$name is not called"
	done
}

# sources DIR: write a C file for each header of each manifest
sources() {
	local file name

	for file in selftests/kmod/*/*.man user/samples/*/*.man selftests/mc/*.man \
		"$work/most.man" "$work/options.man" "$corpus"/manifests/*; do
		[[ -e $file ]] || continue
		name=m_$(basename "${file%.*}" | tr -c 'A-Za-z0-9\n' _)
		make_header "$file" "$name"
		printf '#include "%s.h"\n#include "%s.h"\n' "$name" "$name" >"$1/$name.c"
		cp "$work/$name.h" "$1/"
	done
	for file in include/win32-km/*.h "$work"/include/win32-km/*.h; do
		name=h_$(basename "${file%.h}")
		printf '#include <%s.h>\n#include <linux/nls.h>\n' "$(basename "${file%.h}")" >"$1/$name.c"
		echo "#include <$(basename "$file")>" >>"$1/all_forth.c"
	done
	printf '#include <%s>\n' wmistr.h Wmistr.h WmiStr.h TraceLoggingProvider.h \
		traceloggingprovider.h TraceloggingProvider.h TraceLoggingActivity.h m_etw_km.h \
		>>"$1/all_forth.c"
	for name in wdm etw_driver; do
		printf '%s\n' "#define ETW_DRIVER_LICENSE \"GPL\"" "#include <$name.h>" \
			'NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path)' \
			'{ return STATUS_SUCCESS; }' >"$1/l_$name.c"
	done
	tracelogging "$1"
	tac "$1/all_forth.c" >"$1/all_back.c"
	driver "$1" d_plain
	driver "$1" d_overrides "$(overrides)"
}

# compile VERSION: print the compiler's messages only
compile() {
	local build dir=$work/k/$1

	build=$(realpath "build/cache/kernel/$1/lib/modules/$1/build")
	mkdir -p "$dir"
	sources "$dir" 2>&1
	(
		cd "$dir"
		echo "obj-m := $(printf '%s ' *.c | sed 's/\.c /.o /g')"
		echo "ccflags-y := -I$PWD -I$TOP_HERE/include -I$TOP_HERE/include/win32-km -I$work/include/win32-km"
		echo "ccflags-y += -fkeep-static-functions -Wframe-larger-than=2048 -Werror"
	) >"$dir/Kbuild"
	# shellcheck disable=SC2046 # one object for each word
	make -s -C "$build" M="$dir" W=1 "-j$(nproc)" \
		$(cd "$dir" && printf '%s\n' *.c | sed 's/c$/o/') 2>&1 | cat
	called "$dir"
}

# refuse VERSION: code with too much stack, and code that a kernel module cannot contain,
# does not compile
refuse() {
	local build dir=$work/refused/$1 what args

	build=$(realpath "build/cache/kernel/$1/lib/modules/$1/build")
	mkdir -p "$dir"
	for what in 73 74; do
		args=$(printf ', TraceLoggingUInt64(x, "x")%.0s' $(seq "$what"))
		printf '%s\n' '#include <TraceLoggingProvider.h>' 'void use(TraceLoggingHProvider p, u64 x);' \
			'void use(TraceLoggingHProvider p, u64 x)' \
			"{ TraceLoggingWrite(p, \"e\"$args); }" >"$dir/fields_$what.c"
	done
	printf '%s\n' "#define TLG_EVENT_REGISTER mine" '#include <TraceLoggingProvider.h>' \
		>"$dir/register.c"
	echo "obj-m := fields_73.o fields_74.o register.o
ccflags-y := -I$TOP_HERE/include -Wframe-larger-than=2048 -Werror" >"$dir/Kbuild"
	make -s -C "$build" M="$dir" fields_73.o 2>&1 | cat
	make -s -C "$build" M="$dir" fields_74.o >"$work/said" 2>&1 && echo "74 fields are taken"
	grep -q 'the fields of one event take over 1,792 bytes' "$work/said" ||
		echo "74 fields: $(<"$work/said")"
	make -s -C "$build" M="$dir" register.o >"$work/said" 2>&1 && echo "TLG_EVENT_REGISTER is taken"
	grep -q 'TLG_EVENT_REGISTER: a kernel' "$work/said" || echo "register: $(<"$work/said")"
	return 0
}

TOP_HERE=$PWD
# The headers for one kernel; for both with ETW_WHOLE=1 (make check-matrix).
links=(build/cache/kernel/6.12)
[[ -z ${ETW_WHOLE-} ]] || links=(build/cache/kernel/6.1 "${links[@]}")
versions=()
for link in "${links[@]}"; do
	[[ ! -e $link ]] || versions+=("$(basename "$(realpath "$link")")")
done

echo "1..$((2 * ${#versions[@]} + 4))"
tap_result "$(check_names)" "names and tests of generated code"
tap_result "$(check_options)" "-co, -p, -P"
tap_result "$(check_stack)" "the stack of a write has a bound"
for version in "${versions[@]}"; do
	tap_result "$(compile "$version")" "headers of all manifests compile for $version"
	tap_result "$(refuse "$version")" "TraceLogging that takes too much stack, for $version"
done
tap_number=$((tap_number + 1))
if [[ -d $corpus/manifests ]]; then
	echo "ok $tap_number - the corpus is there"
else
	echo "ok $tap_number - the corpus of real manifests # SKIP no $corpus"
fi
exit "$tap_status"
