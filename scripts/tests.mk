# SPDX-License-Identifier: GPL-2.0-only
#
# Tests and benchmarks. Part of the Makefile.
#
#   selftests/lib/             build/obj/selftests/lib/libselftest.a, what the programs
#                              in the VM have in common
#   selftests/vm/*/NAME.c      build/selftests/NAME, run in the VM; linked with
#                              libselftest.a, libtdh.a and libetw.a; those of vm/bpf need
#                              what scripts/bpf.mk needs
#   selftests/vm/*/NAME_m32.c  the same, 32-bit, without libetw and with only the part
#                              of selftests/lib that needs nothing else
#   selftests/unit/*/NAME.c    build/unit/NAME, run on the host; all of it and
#                              of the libraries under ASan and UBSan
#   selftests/etl/*.c          build/etl/walk and build/etl/check, which read log
#                              files without any code of ours; and the same as a
#                              library for the tests in the VM and on the host
#   selftests/bench/NAME.c     build/bench/NAME, run by scripts/bench
#   selftests/fuzz/*.c         build/fuzz/etw_fuzz, run by scripts/fuzz
#   selftests/libfuzzer/NAME.c build/fuzz/NAME, of clang's libFuzzer, with the
#                              libraries likewise; and build/replay/NAME, without
#                              libFuzzer; run by scripts/fuzz-host

KSELFTEST := build/cache/linux-source/tools/testing/selftests

vm_src := $(filter-out $(if $(has_bpf),,selftests/vm/bpf/%),$(wildcard selftests/vm/*/*.c))
vm32_src := $(filter %_m32.c,$(vm_src))
vm64_src := $(filter-out %_m32.c,$(vm_src))
testlib := build/obj/selftests/lib/libselftest.a
testlib_src := $(wildcard $(addprefix selftests/lib/,*.c command/*.c driver/*.c fault/*.c))
testlib_list := $(call record,build/obj/testlib.list,$(testlib_src))
testlib32_obj := $(patsubst %,build/obj/m32/%.o,vm_dev vm_buf vm_items)
# etl_check.c uses the kernel's test harness, which scripts/setup fetches.
unit_src := $(filter-out $(if $(wildcard $(KSELFTEST)/kselftest_harness.h),,%/etl_check.c), \
	$(wildcard selftests/unit/*/*.c))
bench_src := $(wildcard selftests/bench/*.c)

vm64_programs := $(patsubst %.c,build/selftests/%,$(notdir $(vm64_src)))
vm32_programs := $(patsubst %.c,build/selftests/%,$(notdir $(vm32_src)))

# Most of the compiler's time goes into the harness's macros; this halves it.
build/obj/selftests/vm/%.o: private CFLAGS += -Og -g1
# It reads its own types, which -g1 leaves out.
build/obj/selftests/vm/cli/cli_probe.o: private CFLAGS += -g

ifneq ($(wildcard $(KSELFTEST)/kselftest.h),)
ifneq ($(vm32_src),)
has_m32 := $(shell printf '%b' '\043include <stdio.h>\n' | $(CC) -m32 -fsyntax-only -x c - 2>/dev/null && echo yes)
endif
selftests: $(vm64_programs) $(if $(has_m32),$(vm32_programs))
ifneq ($(if $(has_m32),,$(vm32_src)),)
	@echo "  SKIP    32-bit tests: $(CC) -m32 does not work here (scripts/setup installs it)"
endif
else
selftests:
	@echo "  SKIP    selftests: run scripts/setup first, it fetches the kernel's test harness"
endif

# ------------------------------- the second reader of log files, and its checker

etl_src := $(filter-out %/walk.c %/check.c,$(wildcard selftests/etl/*.c))
etl_list := $(call record,build/obj/etl.list,$(etl_src))

.PHONY: etl-programs
etl-programs: build/etl/walk build/etl/check

# No directory of ours is on its path: it stands alone.
build/obj/selftests/etl/%.o build/san/selftests/etl/%.o: private include_here = -Iselftests/etl

build/etl/libetlcheck.a: $(etl_src:%.c=build/obj/%.o) $(etl_list)
build/san/libetlcheck.a: $(etl_src:%.c=build/san/%.o) $(etl_list)
build/etl/libetlcheck.a build/san/libetlcheck.a:
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

build/etl/walk build/etl/check: build/etl/%: build/obj/selftests/etl/%.o build/etl/libetlcheck.a
	$(call say,LD,$@)
	$(link_program)

# A program on headers that the message compiler makes for user mode.
build/gen/%_um.h: %.man build/etw
	@mkdir -p $(@D)
	$(call say,MC,$<)
	$(Q)build/etw mc -um -h $(@D) -r $(@D) -z $(notdir $*)_um $< 2>$(@D)/$(notdir $*).log || { cat $(@D)/$(notdir $*).log >&2; exit 1; }

build/obj/selftests/vm/provider/mc_um.o: build/gen/selftests/mc/names_um.h build/gen/selftests/mc/types_um.h
build/obj/selftests/vm/provider/mc_um.o: private include_here = $(include_test) -Ibuild/gen/selftests/mc -isystem $(KSELFTEST)

# As in the programs, see selftests/lib/vm.h.
testlib_warn := -Wno-sign-compare -Wno-unused-parameter
$(testlib_src:%.c=build/obj/%.o): private include_here = $(include_test) $(testlib_warn)
$(testlib): $(testlib_src:%.c=build/obj/%.o) $(testlib_list)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(vm64_programs): $(testlib) build/etl/libetlcheck.a build/libtdh.a build/libetw.a
	$(call say,LD,$@)
	$(link_program)

build/obj/m32/%.o: selftests/lib/%.c $(flags_file)
	@mkdir -p $(@D)
	$(call say,CC -m32,$<)
	$(Q)$(CC) $(cflags) $(werror) -m32 $(include_test) $(testlib_warn) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(vm32_programs): $(testlib32_obj) $(flags_file)
	@mkdir -p $(@D) build/obj/m32
	$(call say,CC -m32,$<)
	$(Q)$(CC) $(cflags) $(werror) -m32 $(include_test) -isystem $(KSELFTEST) $(CPPFLAGS) $(CFLAGS) \
		-MF build/obj/m32/$(@F).d -o $@ $(filter %.c %.o,$^)

# A program's name does not include the folder of its source.
$(foreach s,$(vm64_src),$(eval build/selftests/$(basename $(notdir $(s))): $(s:%.c=build/obj/%.o)))
$(foreach s,$(vm32_src),$(eval build/selftests/$(basename $(notdir $(s))): $(s)))

# ---------------------------------- sources as on Windows, by include paths alone

ported_src := $(wildcard selftests/ported/*.c selftests/ported/*.cpp)
ported := $(addprefix build/ported/,$(notdir $(basename $(ported_src))))
ported_flags := -fshort-wchar -DUNICODE -D_UNICODE -Iinclude -Iinclude/win32 -Ibuild/include/win32
CXX ?= g++

selftests: $(ported)

build/ported/courier.h: selftests/ported/courier.man build/etw
	@mkdir -p $(@D)
	$(call say,MC,$<)
	$(Q)build/etw mc -um -h $(@D) -r $(@D) -z courier $<

build/ported/%.o: private include_here = $(ported_flags) -Ibuild/ported -Iselftests/kmod/etw_ported
build/ported/%.o: selftests/ported/%.c build/ported/courier.h $(spellings) $(flags_file)
	$(call say,CC,$<)
	$(Q)$(CC) -std=c11 -Wall -Wextra $(werror) -MMD -MP $(include_here) $(CFLAGS) -c -o $@ $<

build/ported/%.o: selftests/ported/%.cpp build/ported/courier.h $(spellings) $(flags_file)
	$(call say,CXX,$<)
	$(Q)$(CXX) -std=c++17 -Wall -Wextra -Wno-unknown-pragmas $(werror) -MMD -MP $(include_here) \
		$(filter-out -std=%,$(CFLAGS)) -c -o $@ $<

$(ported): build/ported/%: build/ported/%.o build/libetw-win32.a build/libtdh.a build/libetw.a
	$(call say,LD,$@)
	$(Q)$(CXX) $(LDFLAGS) -pthread -o $@ $^ $(xml_libs) -lm

# What the files of user/cli/print want of user/cli/machine, for programs that include them
print_machine_src := $(filter-out %/append.c %/session.c,$(wildcard user/cli/machine/*.c))
symbols_src := $(wildcard user/symbols/*.c)
print_symbols_src := $(symbols_src) $(wildcard user/cli/symbols/*.c)

bench-programs: $(bench_src:selftests/bench/%.c=build/bench/%)

# It compiles what it has generated.
build/bench/manifest: $(patsubst %.c,build/obj/%.o,$(wildcard user/mc/*.c)) $(cli_list)
build/bench/cli_print: $(patsubst %.c,build/obj/%.o,$(print_machine_src) $(print_symbols_src))
build/bench/%: build/obj/selftests/bench/%.o $(testlib) build/libtdh.a build/libetw.a
	$(call say,LD,$@)
	$(link_program)

fuzz_obj := $(patsubst %.c,build/obj/%.o,$(wildcard selftests/fuzz/*.c))

build/fuzz/etw_fuzz: $(fuzz_obj)
	$(call say,LD,$@)
	$(link_program)

# ------------------------------------------- fuzzers of the libraries, by clang

fuzzer_src := $(wildcard selftests/libfuzzer/*.c)
fuzzers := $(fuzzer_src:selftests/libfuzzer/%.c=build/fuzz/%)
clang_flags := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
clang_flags_file := $(call record,build/clang/flags,$(CLANG) $(clang_flags) $(CPPFLAGS) $(cflags))

fuzzers: $(fuzzers)

build/clang/user/bridge/%.o: private include_here = $(include_user) $(trace_flags)
build/clang/user/tdh/%.o build/clang/user/mc/%.o: private include_here = $(include_user) $(xml_flags)

build/clang/selftests/%.o: private include_here = $(include_test) -isystem $(KSELFTEST)
build/clang/%.o: %.c $(clang_flags_file)
	@mkdir -p $(@D)
	$(call say,CLANG,$<)
	$(Q)$(CLANG) $(cflags) $(werror) $(or $(include_here),$(include_user)) $(CPPFLAGS) $(clang_flags) \
		-fsanitize=fuzzer-no-link -c -o $@ $<

build/clang/libetw.a: $(lib_src:%.c=build/clang/%.o) $(lib_list)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

build/clang/libtdh.a: $(tdh_src:%.c=build/clang/%.o) $(tdh_list)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

wevt_src := $(addprefix user/mc/,msgtable.c rc.c) \
	$(wildcard user/mc/wevt_*.c)
build/fuzz/wevt: $(wevt_src:%.c=build/clang/%.o)
convert_src := $(wildcard user/convert/*.c user/convert/*/*.c) $(symbols_src)
convert_list := $(call record,build/obj/convert.list,$(convert_src))
$(patsubst selftests/libfuzzer/%.c,build/fuzz/%,$(wildcard selftests/libfuzzer/convert_*.c)): \
	$(convert_src:%.c=build/clang/%.o) $(convert_list)
build/fuzz/convert_view: libs_here = -ljson-c
build/fuzz/autologconf: build/clang/user/cli/autologger/session_conf.o
build/fuzz/print: $(patsubst %.c,build/clang/%.o,$(print_machine_src) $(print_symbols_src))
$(fuzzers): build/fuzz/%: build/clang/selftests/libfuzzer/%.o build/clang/libtdh.a build/clang/libetw.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CLANG) $(clang_flags) -fsanitize=fuzzer $(LDFLAGS) -pthread -o $@ \
		$(filter %.o,$^) $(filter %libtdh.a,$^) $(filter %libetw.a,$^) $(libs_here) $(xml_libs) $(symbol_libs) $(trace_libs) -lm

# ------------------------------------------------ unit tests, with sanitizers

san_flags := -Og -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# It reads its own types.
build/san/selftests/unit/bridge/bridge_dwarf.o: san_flags += -g
san_obj := $(lib_src:%.c=build/san/%.o)

# What the tests of the message compiler, unit/mc_*.sh, work with.
mc_values_obj := $(patsubst %,build/san/selftests/mc/%.o,values fields)
mc_test := build/mc-test/values build/mc-test/fixture build/san/selftests/mc/runtime.o

units: $(patsubst %.c,build/unit/%,$(notdir $(unit_src))) $(mc_test) etl-programs build/fuzz/etw_fuzz

build/san/selftests/%.o: private include_here = $(include_test) -isystem $(KSELFTEST)
build/san/selftests/unit/manifest/manifest_memory.o: private include_here = $(include_test) $(xml_flags)
build/san/%.o: %.c $(flags_file)
	@mkdir -p $(@D)
	$(call say,CC SAN,$<)
	$(Q)$(CC) $(cflags) $(werror) $(or $(include_here),$(include_user)) $(CPPFLAGS) $(san_flags) -c -o $@ $<

build/san/libetw.a: $(san_obj) $(lib_list)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(san_obj)

build/san/libtdh.a: $(tdh_src:%.c=build/san/%.o) $(tdh_list)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

build/san/user/bridge/%.o: private include_here = $(include_user) $(trace_flags)
build/san/user/tdh/%.o build/san/user/mc/%.o: private include_here = $(include_user) $(xml_flags)
$(patsubst %.c,build/unit/%,$(notdir $(wildcard selftests/unit/convert/*.c))): \
	$(convert_src:%.c=build/san/%.o) $(convert_list)
$(patsubst %.c,build/unit/%,$(notdir $(wildcard selftests/unit/symbols/*.c))): \
	$(symbols_src:%.c=build/san/%.o)
build/unit/convert_chrome: libs_here = -ljson-c
build/unit/cli_print build/unit/cli_json build/unit/tl_corpus build/unit/report_html: libs_here = -ljson-c
cli_whole := $(addprefix build/unit/cli_,device interface live machine names recordfile stacks terminal) \
	$(addprefix build/unit/top_,batch screen)
$(cli_whole): $(patsubst %.c,build/san/%.o,$(filter-out user/cli/main.c,$(cli_src))) $(cli_list)
# These include the file that is left out.
build/unit/cli_access: $(patsubst %.c,build/san/%.o,$(filter-out user/cli/main.c \
	user/cli/cmd/access.c,$(cli_src))) $(cli_list)
build/unit/cli_autolog: $(patsubst %.c,build/san/%.o,$(filter-out user/cli/main.c \
	user/cli/autologger/state.c,$(cli_src))) $(cli_list)
# What the message compiler's binaries are tested with.
$(patsubst %.c,build/unit/%,$(notdir $(wildcard selftests/unit/wevt/*.c))): \
	$(patsubst %.c,build/san/%.o,$(wevt_src) $(wildcard selftests/lib/wevt/*.c))
build/unit/bridge_probe: $(addprefix build/san/user/bridge/,probe_spec.o probe_events.o)
build/unit/bridge_btf: $(addprefix build/san/user/bridge/,probe_btf.o probe_args.o probe_fields.o)
build/unit/bridge_dwarf: $(addprefix build/san/user/bridge/,probe_dwarf.o probe_args.o probe_fields.o)
build/unit/bridge_usdt: $(addprefix build/san/user/bridge/,elf_file.o usdt.o)
build/unit/cli_stack_items: build/san/user/cli/stacks.o
build/unit/cli_print build/unit/cli_json: $(patsubst %.c,build/san/%.o,$(print_machine_src) $(print_symbols_src))
build/unit/cli_operations: $(addprefix build/san/user/cli/,input/around.o input/kept_event.o \
	print/clock.o text.o error.o)
build/unit/cli_table: $(addprefix build/san/user/cli/,table.o screen.o text.o error.o args.o)
build/unit/report_html: $(addprefix build/san/user/report/html/,html.o page.o)
build/unit/cli_autologconf: build/san/user/cli/autologger/session_conf.o
build/unit/wevt_memory: libs_here = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strndup
build/unit/tdh_installed: libs_here = -Wl,--wrap=realloc
$(foreach s,$(unit_src),$(eval build/unit/$(basename $(notdir $(s))): $(s:%.c=build/san/%.o)))
build/unit/%: build/san/libetlcheck.a build/san/libtdh.a build/san/libetw.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(san_flags) $(LDFLAGS) -pthread -o $@ $(filter %.o,$^) \
		$(filter %libetlcheck.a,$^) $(filter %libtdh.a,$^) $(filter %libetw.a,$^) -Wl,--as-needed $(libs_here) $(xml_libs) \
		$(symbol_libs) $(trace_libs) $(term_libs) -lm

# The targets of libFuzzer, with saved inputs only.
replays := $(fuzzer_src:selftests/libfuzzer/%.c=build/replay/%)
replays: $(replays)
build/replay/wevt: $(wevt_src:%.c=build/san/%.o)
$(filter build/replay/convert_%,$(replays)): $(convert_src:%.c=build/san/%.o) $(convert_list)
build/replay/convert_view: libs_here = -ljson-c
build/replay/autologconf: build/san/user/cli/autologger/session_conf.o
build/replay/print: $(patsubst %.c,build/san/%.o,$(print_machine_src) $(print_symbols_src))
$(replays): build/replay/%: build/san/selftests/libfuzzer/%.o build/san/selftests/libfuzzer/replay/replay.o

build/mc-test/values: $(mc_values_obj)
build/mc-test/fixture: build/san/selftests/mc/fixture.o
build/mc-test/fixture: libs_here = -ljson-c
$(replays) build/mc-test/values build/mc-test/fixture: build/san/libtdh.a build/san/libetw.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(san_flags) $(LDFLAGS) -pthread -o $@ $(filter %.o,$^) \
		$(filter %libtdh.a,$^) $(filter %libetw.a,$^) -Wl,--as-needed $(libs_here) $(xml_libs) $(symbol_libs) $(trace_libs) -lm

.PRECIOUS: build/obj/%.o build/san/%.o build/clang/%.o
