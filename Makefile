# SPDX-License-Identifier: GPL-2.0-only
#
#   make                builds everything into build/
#   make demo           shows the main job in a virtual machine (ARGS=--json: only JSON lines)
#   make check          runs the tests, on the host and in virtual machines: 15 minutes
#   make check-debug    the module's tests on kernels that look for errors (KASAN,
#                       lockdep, KCSAN, ...; built the first time), and a short fuzz run
#   make check-models   all worlds and broken variants of the models
#   make check-matrix   everything on every kernel up to the newest one, and the models
#   make fuzz TIME=10m  fuzzes the libraries' readers on the host, each for that long,
#                       then the device on the debug kernel
#   make bench          runs the benchmarks and writes their figures into the documents
#   make modules KERNEL=$(uname -r)    only the kernel modules, for that kernel
#   make deb            builds Debian packages into build/deb/
#   make check-languages   lets programs in Rust, Go, Node and Python read each other's events
#   make check-packages builds them twice, and installs, uses and purges them in virtual machines
#   make check-system   installs, upgrades and purges them on a Debian 12 with systemd in one
#   make install, make uninstall       PREFIX, DESTDIR, KERNEL; see scripts/install.mk
#   make clean          removes what was built; "make distclean" also the downloads
#
# V=1 shows the commands. W=1 and C=1 reach kbuild. New sources are found by
# themselves: no file needs to be listed here.

VERSION := 0.1.0
SONAME := libetw.so.0
TDH_SONAME := libtdh.so.0

MAKEFLAGS += --no-builtin-rules --no-print-directory
# Variables given to this make are not for kbuild; it gets those it needs.
MAKEOVERRIDES :=
SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: all lib tdh cli no-ctf-reader modules samples selftests units bench-programs fuzzers replays FORCE
.PHONY: demo check check-debug check-models check-matrix fuzz adversary bench deb check-packages check-system check-unwind check-languages setup clean distclean

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin AR),default)
AR := ar
endif
ifeq ($(V),1)
Q :=
say :=
else
Q := @
ifeq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
say = @printf '  %-7s %s\n' '$(1)' '$(2)';
endif
endif

all: lib tdh cli modules samples selftests units bench-programs

# ---------------------------------------------------------------- user space

CFLAGS ?= -O2 -g
# -fexceptions: cleanup that runs when a thread is cancelled must also run when a callback
# leaves the library with a C++ exception.
cflags := -std=gnu11 -fexceptions -Wall -Wextra -Wno-varargs -fvisibility=hidden -fPIC -pthread -MMD -MP -D_FILE_OFFSET_BITS=64
# -Wno-varargs: TraceMessage() has Windows' signature, whose last named parameter is a USHORT.
# Warnings are errors in the project's own checks only, so that a newer compiler does not
# break a user's build. Objects are not rebuilt when this changes.
werror := $(if $(W)$(WERROR)$(filter true,$(CI)),-Werror)
# _GNU_SOURCE: empty, so that a file may define it for itself as well.
include_user := -Iinclude -Imodule -Iuser -D_GNU_SOURCE=
include_test := -Iinclude -Imodule -Iuser -Iselftests
# libxml2's headers lie in a directory of their own.
xml_flags := -isystem /usr/include/libxml2
xml_libs := -lxml2
# The kernel's trace events; its types and the programs, of which probes are made
trace_flags := -isystem /usr/include/tracefs -isystem /usr/include/traceevent
trace_libs := -ltracefs -ltraceevent -lbpf -ldw -lelf
# The functions of programs, their names, and profiles of them; only the command has them.
symbol_libs := -ldw -lelf -liberty -lz
# The screen of etw top
term_libs := -lncursesw -ltinfo

# The folders of user/ below tdh, and module/core, are one library; of the bridge all but
# probes, which need libraries that a program with events of its own does not want.
bridge_src := $(wildcard user/bridge/*.c)
probe_src := $(filter user/bridge/probe% user/bridge/usdt% user/bridge/elf_%,$(bridge_src))
lib_src := $(wildcard user/base/*.c user/etl/*.c user/etl/*/*.c user/device/*.c user/lib/*.c user/lib/*/*.c module/core/*.c) \
	$(filter-out $(probe_src),$(bridge_src))
lib_obj := $(lib_src:%.c=build/obj/%.o)
lib_map := $(wildcard user/lib/libetw.map)
tdh_src := $(wildcard user/tdh/*/*.c)
tdh_obj := $(tdh_src:%.c=build/obj/%.o)
tdh_map := $(wildcard user/tdh/libtdh.map)
# The command, with the names of functions, the message compiler, the converters and the reports.
cli_src := $(wildcard $(addprefix user/,cli/*.c cli/*/*.c symbols/*.c mc/*.c convert/*.c convert/*/*.c report/*.c report/*/*.c)) \
	$(probe_src)
# What "etw convert --from ctf" starts; libbabeltrace2 and glib stay out of etw.
ctf_reader_src := $(wildcard user/ctf_reader/*.c) \
	$(patsubst %,user/cli/%.c,error progress signals text)
ctf_reader := $(if $(shell pkg-config --exists babeltrace2 2>/dev/null && echo y),build/etw-ctf-reader)
sample_src := $(wildcard user/samples/*.c)

# $(call record,FILE,TEXT): FILE holds TEXT and is touched only when that
# changes; a target that depends on it notices removed files and new flags.
record = $(shell mkdir -p $(dir $(1)); printf '%s\n' '$(2)' | cmp -s - $(1) || printf '%s\n' '$(2)' >$(1))$(1)
flags_file := $(call record,build/obj/flags,$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(cflags))
lib_list := $(call record,build/obj/lib.list,$(lib_src))
tdh_list := $(call record,build/obj/tdh.list,$(tdh_src))
cli_list := $(call record,build/obj/cli.list,$(cli_src))

lib: $(if $(lib_src),build/libetw.a build/libetw.so build/libetw-win32.a)
tdh: $(if $(tdh_src),build/libtdh.a build/libtdh.so)
cli: $(if $(cli_src),build/etw build/mc $(or $(ctf_reader),no-ctf-reader))
samples: $(sample_src:user/samples/%.c=build/samples/%)

build/obj/user/tdh/%.o: private include_here = $(include_user) $(xml_flags)
build/obj/user/mc/%.o: private include_here = $(include_user) $(xml_flags)
build/obj/user/bridge/%.o: private include_here = $(include_user) $(trace_flags)
build/obj/selftests/%.o: private include_here = $(include_test) -isystem $(KSELFTEST)
build/obj/%.o: %.c $(flags_file)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(cflags) $(werror) $(or $(include_here),$(include_user)) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# The assembler reads these, see page.c.
$(addsuffix /user/report/html/page.o,build/obj build/san build/clang): \
	$(wildcard $(addprefix user/report/html/*.,html css js))

build/libetw.a: $(lib_obj) $(lib_list)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(lib_obj)

# The start of programs that have wmain(), and what uuid.lib has
build/libetw-win32.a: build/obj/user/win32/wmain.o build/obj/user/win32/guids.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# nodelete: its thread may run a moment longer than a callback that ended the last
# registration, so dlclose() must not take the code away.
build/libetw.so.$(VERSION): $(lib_obj) $(lib_list) $(lib_map)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -pthread -Wl,-soname,$(SONAME) -Wl,-z,defs \
		-Wl,-z,nodelete $(lib_map:%=-Wl,--version-script=%) -o $@ $(lib_obj)

build/libetw.so: build/libetw.so.$(VERSION)
	$(Q)ln -sf libetw.so.$(VERSION) build/$(SONAME) && ln -sf $(SONAME) $@

build/libtdh.a: $(tdh_obj) $(tdh_list)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(tdh_obj)

# Of libetw it takes what has no state of its own (text, GUIDs, payload filters), from
# the archive, so that a program that only decodes needs no libetw.so.
build/libtdh.so.$(VERSION): $(tdh_obj) $(tdh_list) $(tdh_map) build/libetw.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -pthread -Wl,-soname,$(TDH_SONAME) -Wl,-z,defs \
		$(tdh_map:%=-Wl,--version-script=%) -o $@ $(tdh_obj) build/libetw.a $(xml_libs) -lm

build/libtdh.so: build/libtdh.so.$(VERSION)
	$(Q)ln -sf libtdh.so.$(VERSION) build/$(TDH_SONAME) && ln -sf $(TDH_SONAME) $@

# $(call link_program): from the objects among the prerequisites and the libraries.
link_program = $(Q)mkdir -p $(@D) && \
	$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $(filter %.o,$^) $(filter %libselftest.a,$^) $(filter %libetlcheck.a,$^) \
		$(filter %libtdh.a,$^) $(filter %libetw.a,$^) -Wl,--as-needed $(libs_here) $(xml_libs) \
		$(symbol_libs) $(trace_libs) $(term_libs) -lm

build/etw: $(cli_src:%.c=build/obj/%.o) build/libtdh.a build/libetw.a $(cli_list)
	$(call say,LD,$@)
	$(link_program)

# The message compiler under its Windows name: the same as "etw mc".
build/mc: build/etw
	$(Q)ln -sf etw $@

build/etw-ctf-reader: libs_here = $(shell pkg-config --libs babeltrace2)
build/etw-ctf-reader: $(ctf_reader_src:%.c=build/obj/%.o) build/libetw.a
	$(call say,LD,$@)
	$(link_program)

no-ctf-reader:
	@echo "  SKIP    etw-ctf-reader: no libbabeltrace2-dev; \"etw convert --from ctf\" will not work"

build/samples/%: build/obj/user/samples/%.o build/libtdh.a build/libetw.a
	$(call say,LD,$@)
	$(link_program)

FORCE:

# Other spellings of header names, for ported sources: scripts/spellings.
spellings := build/include/.made
all: $(spellings)
$(spellings): include/win32/spellings include/win32-km/spellings scripts/spellings
	$(Q)scripts/spellings $(@D) && touch $@

include scripts/bpf.mk
include scripts/tests.mk
include scripts/modules.mk
include scripts/install.mk

# --------------------------------------------------------------- main targets

setup:
	@scripts/setup

# With --json, stdout carries only the events. The output of setup, build and tour goes
# into files, which are printed if something fails.
demo_kernel = $(or $(filter-out --%,$(ARGS)),6.1)
demo_build = scripts/setup --demo $(demo_kernel) && \
	$(MAKE) -s -j$$(nproc) KERNEL=$(demo_kernel) demo-parts
demo:
	@mkdir -p build
	+@if [ -n "$(findstring --json,$(ARGS))" ]; then \
		{ $(demo_build); } >build/demo-build.log 2>&1 || \
			{ cat build/demo-build.log >&2; exit 1; }; \
	else \
		$(demo_build) >&2; \
	fi
	@scripts/demo $(ARGS)

.PHONY: demo-parts
demo-parts: cli build/samples/sample_app $(foreach k,$(KERNELS),build/modules/$(k)/etw.ko build/modules/$(k)/etw_blk.ko)

check:
	+@scripts/check

check-debug:
	+@scripts/check debug

check-models:
	+@scripts/check models

check-matrix:
	+@scripts/check matrix

fuzz:
	+@scripts/setup && scripts/fuzz-host --time $(or $(TIME),2m)
	+@scripts/fuzz $(if $(TIME),--time $(TIME)) $(ARGS)

# Damaged log files for etw verify, RUNS of them
adversary: build/unit/etl_adversary
	$< --runs $(or $(RUNS),10000) --seed $(or $(SEED),1)

bench:
	+@scripts/setup && $(MAKE) -s -j$$(nproc) all >&2 && scripts/bench $(ARGS) && scripts/bench-tables

deb:
	@scripts/setup --deb && scripts/deb

check-packages:
	@scripts/check-packages

check-system:
	@scripts/check-system

check-unwind:
	@scripts/check-unwind

check-languages:
	+@scripts/setup --demo && scripts/setup --languages && selftests/languages/run.sh

clean:
	find build -mindepth 1 -maxdepth 1 ! -name cache -exec rm -rf {} + 2>/dev/null || true
	rm -rf .probes

distclean: clean
	rm -rf build

-include $(shell find build/obj build/san build/clang build/ported -name '*.d' 2>/dev/null)
