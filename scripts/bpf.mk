# SPDX-License-Identifier: GPL-2.0-only
#
# BPF programs: the sample, and those of the tests. Part of the Makefile.
#
#   user/samples/sample_bpf/    build/samples/sample_bpf and sample_bpf.bpf.o beside it
#   selftests/bpf/NAME.bpf.c    build/selftests/bpf/NAME.bpf.o, which selftests/vm/bpf load
#                               and selftests/bench/tracepoint*
#
# They need clang, which alone has the target, and libbpf. Nothing else does.

CLANG ?= clang
has_bpf := $(shell command -v $(CLANG) >/dev/null && pkg-config --exists libbpf 2>/dev/null && echo yes)
bpf_tests := $(patsubst %.c,build/%.o,$(wildcard selftests/bpf/*.bpf.c))

ifeq ($(has_bpf),)
.PHONY: no-bpf
samples selftests: no-bpf
no-bpf:
	@echo "  SKIP    BPF programs, of the samples and the tests: no $(CLANG), or no pkgconf and libbpf-dev"
else
samples: build/samples/sample_bpf

# Atomic operations that return a value came with the third set of instructions.
bpf_flags = -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter $(werror) -MMD -MP \
	-Iinclude -I/usr/include/$(shell $(CC) -print-multiarch)

build/selftests/bpf/%.bpf.o: selftests/bpf/%.bpf.c
	@mkdir -p $(@D)
	$(call say,CLANG,$<)
	$(Q)$(CLANG) $(bpf_flags) -MF $(@:.o=.d) -c -o $@ $<

build/samples/%.bpf.o: user/samples/sample_bpf/%.bpf.c
	@mkdir -p $(@D)
	$(call say,CLANG,$<)
	$(Q)$(CLANG) $(bpf_flags) -MF $(@:.o=.d) -c -o $@ $<

build/samples/sample_bpf: libs_here = -lbpf
build/samples/sample_bpf: build/obj/user/samples/sample_bpf/sample_bpf.o build/libetw.a | build/samples/sample_bpf.bpf.o
	$(call say,LD,$@)
	$(link_program)

bpf_bench := tracepoint tracepoint_file
bpf_programs := build/selftests/bpf_events build/selftests/bpf_ring build/selftests/bpf_end $(bpf_bench:%=build/bench/%)
$(bpf_programs): libs_here = -lbpf
$(bpf_programs): | $(bpf_tests)
$(bpf_bench:%=build/obj/selftests/bench/%.o): private include_here = $(include_test) -isystem $(KSELFTEST) -DHAVE_BPF

-include $(wildcard build/selftests/bpf/*.d build/samples/*.d)
endif
