# SPDX-License-Identifier: GPL-2.0-only
#
# Tests and benchmarks. Part of the Makefile.
#
#   selftests/vm/NAME.c        build/selftests/NAME, run in the VM; linked with
#                              libetw.a and all of selftests/lib
#   selftests/vm/NAME_m32.c    the same, 32-bit and without the library
#   selftests/unit/NAME.c      build/unit/NAME, run on the host; all of it and
#                              of libetw under ASan and UBSan
#   selftests/bench/NAME.c     build/bench/NAME, run by scripts/bench
#   selftests/fuzz/*.c         build/fuzz/etw_fuzz, run by scripts/fuzz

KSELFTEST := build/cache/linux-source/tools/testing/selftests

vm_src := $(wildcard selftests/vm/*.c)
vm32_src := $(filter %_m32.c,$(vm_src))
vm64_src := $(filter-out %_m32.c,$(vm_src))
testlib_obj := $(patsubst %.c,build/obj/%.o,$(wildcard selftests/lib/*.c))
unit_src := $(wildcard selftests/unit/*.c)
bench_src := $(wildcard selftests/bench/*.c)

vm64_programs := $(vm64_src:selftests/vm/%.c=build/selftests/%)
vm32_programs := $(vm32_src:selftests/vm/%.c=build/selftests/%)

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

$(vm64_programs): build/selftests/%: build/obj/selftests/vm/%.o $(testlib_obj) build/libetw.a
	$(call say,LD,$@)
	$(link_program)

$(vm32_programs): build/selftests/%: selftests/vm/%.c $(flags_file)
	@mkdir -p $(@D) build/obj/m32
	$(call say,CC -m32,$<)
	$(Q)$(CC) $(cflags) -m32 $(include_test) -isystem $(KSELFTEST) $(CPPFLAGS) $(CFLAGS) \
		-MF build/obj/m32/$*.d -o $@ $<

bench-programs: $(bench_src:selftests/bench/%.c=build/bench/%)

build/bench/%: build/obj/selftests/bench/%.o build/libetw.a
	$(call say,LD,$@)
	$(link_program)

fuzz_obj := $(patsubst %.c,build/obj/%.o,$(wildcard selftests/fuzz/*.c))

build/fuzz/etw_fuzz: $(fuzz_obj)
	$(call say,LD,$@)
	$(link_program)

# ------------------------------------------------ unit tests, with sanitizers

san_flags := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
san_obj := $(lib_src:%.c=build/san/%.o)

units: $(unit_src:selftests/unit/%.c=build/unit/%)

build/san/selftests/%.o: include_here = $(include_test) -isystem $(KSELFTEST)
build/san/%.o: %.c $(flags_file)
	@mkdir -p $(@D)
	$(call say,CC SAN,$<)
	$(Q)$(CC) $(cflags) $(or $(include_here),$(include_lib)) $(CPPFLAGS) $(san_flags) -c -o $@ $<

build/san/libetw.a: $(san_obj) $(lib_list)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(san_obj)

build/san/user/cli/%.o: include_here = $(include_cli)
build/unit/cli_event build/unit/cli_device: libs_here = -ljson-c
build/unit/cli_device: $(patsubst %.c,build/san/%.o,$(filter-out user/cli/etw.c,$(cli_src))) $(cli_list)
build/unit/%: build/san/selftests/unit/%.o build/san/libetw.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(san_flags) $(LDFLAGS) -pthread -o $@ $(filter %.o,$^) $(filter %.a,$^) $(libs_here) -lm

.PRECIOUS: build/obj/%.o build/san/%.o
