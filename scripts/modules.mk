# SPDX-License-Identifier: GPL-2.0-only
#
# Kernel modules: build/modules/VERSION/NAME.ko for every kernel. Part of the
# Makefile. By default for the kernels that scripts/setup fetched, or if there are
# none for the running kernel; KERNEL=VERSION names one.
#
# Sample modules (user/samples/NAME/) and test modules (selftests/kmod/NAME/)
# have their own Kbuild, which need say no more than "obj-m := NAME.o":
# their include path has include/, the other spellings of header names
# (build/include/win32-km) and the results of the probes (etw_probes.h), and
# etw.ko's symbols are known to them. "etw mc -km" turns a manifest NAME.man
# beside them into NAME_events.h, which is on their path too.

comma := ,
RUNNING_KERNEL := $(shell uname -r)
cached_kernels := $(notdir $(realpath build/cache/kernel/6.1 build/cache/kernel/6.12))
# Kernels that tests can run on: those, and what scripts/kernel has built.
test_kernels := $(notdir $(realpath $(wildcard build/cache/kernel/*)))

# $(call full_version,V): "6.1" is short for the cached kernel of that series,
# "debug" for the one that scripts/kernel built.
full_version = $(if $(1),$(or $(notdir $(realpath build/cache/kernel/$(1))),$(1)))
# $(call kernel_build,VERSION): where to build modules for it.
kernel_build = $(firstword $(realpath $(wildcard build/cache/kernel/$(1)/lib/modules/$(1)/build \
	/lib/modules/$(1)/build)))

ifneq ($(KERNEL),)
KERNELS := $(foreach k,$(KERNEL),$(call full_version,$(k)))
else ifneq ($(cached_kernels),)
KERNELS := $(cached_kernels)
else
KERNELS := $(if $(call kernel_build,$(RUNNING_KERNEL)),$(RUNNING_KERNEL))
endif

module_src := $(wildcard module/*.[ch] module/*/*.[ch])
module_dep := $(module_src) Kbuild $(wildcard include/etw/*.h include/etw/*/*.h scripts/probes/*.c) scripts/probe scripts/mirror scripts/module-btf scripts/btfids.c
# A Windows sample's manifest, of the corpus of real ones, drives a test module.
evntdrv_dir := selftests/kmod/etw_evntdrv
evntdrv_man := $(firstword $(wildcard $(or $(ETW_CORPUS),../shared/corpus)/manifests/*__evntdrv.xml))
all_extra_dirs := $(filter-out $(if $(evntdrv_man),,$(evntdrv_dir)),$(patsubst %/Kbuild,%, \
	$(wildcard user/samples/*/Kbuild selftests/kmod/*/Kbuild)))
# $(call extra_dirs,VERSION): test modules only where tests can run.
extra_dirs = $(if $(filter $(1),$(test_kernels)),$(all_extra_dirs),$(filter user/%,$(all_extra_dirs)))
module_list := $(call record,build/obj/module.list,$(module_src))

kbuild_args := $(if $(V),V=$(V)) $(if $(W),W=$(W)) $(if $(C),C=$(C)) $(if $(CF),"CF=$(CF)")
# Kbuild itself knows when these make a difference.
kbuild_force := $(if $(W)$(C),FORCE)

# BTF for a module takes pahole and a vmlinux beside the headers, which not
# every kernel has; kbuild would fail or complain without them.  scripts/module-btf finds
# the kernel's BTF elsewhere, for etw.ko, whose functions BPF programs call.
no_btf = $(if $(and $(wildcard $(call kernel_build,$(1))/vmlinux),$(shell command -v pahole)),,CONFIG_DEBUG_INFO_BTF_MODULES=)

modules:
ifeq ($(KERNELS),)
	@echo "  SKIP    kernel modules: no kernel headers; install linux-headers-$$(uname -r) or run scripts/setup"
endif

# $(call etw_rules,VERSION)
define etw_rules
build/modules/$(1)/etw.ko: $(module_dep) $(module_list) $(kbuild_force)
	$$(if $(call kernel_build,$(1)),,$$(error no headers for kernel $(1): $(if $(wildcard selftests/config/$(1).config),scripts/kernel $(1),apt-get install linux-headers-$(1)), or KERNEL=VERSION for another kernel$(comma) or make install KERNEL=none for no module))
	$(Q)scripts/mirror build/kmod/$(1)
	+$(Q)$$(MAKE) -C $(call kernel_build,$(1)) M=$(CURDIR)/build/kmod/$(1) \
		$(kbuild_args) $(call no_btf,$(1)) modules
	$(Q)mkdir -p $$(@D) && cp build/kmod/$(1)/etw.ko $$@.tmp
	$(Q)scripts/module-btf $(1) $(call kernel_build,$(1)) $$@.tmp && mv $$@.tmp $$@
endef

# $(call manifest_headers,DIR): what is made of the manifests there. Tests find the
# manifests themselves beside the headers.
manifest_headers = $(patsubst %.man,build/gen/%_events.h,$(wildcard $(1)/*.man)) \
	$(patsubst %,build/gen/%,$(wildcard $(1)/*.man)) \
	$(if $(filter $(evntdrv_dir),$(1)),build/gen/$(1)/etw_evntdrv_events.h)

.PHONY: manifest-headers
manifest-headers: $(foreach d,$(all_extra_dirs),$(call manifest_headers,$(d)))

build/gen/%_events.h: %.man build/etw
	@mkdir -p $(@D)
	$(call say,MC,$<)
	$(Q)build/etw mc -km -h $(@D) -r $(@D) -z $(notdir $*)_events $<

build/gen/%.man: %.man
	@mkdir -p $(@D)
	$(Q)ln -sf $(realpath $<) $@

build/gen/$(evntdrv_dir)/etw_evntdrv_events.h: $(evntdrv_man) build/etw
	@mkdir -p $(@D)
	$(call say,MC,$<)
	$(Q)ln -sf $(realpath $<) $(@D)/evntdrv.xml
	$(Q)build/etw mc -km -h $(@D) -r $(@D) -z etw_evntdrv_events $<

# $(call extra_rules,VERSION,DIR): kbuild would not notice that the versions of
# etw.ko's symbols have changed.
define extra_rules
build/modules/$(1)/$(notdir $(2)).ko: build/modules/$(1)/etw.ko $(spellings) $(wildcard $(2)/*) $(call manifest_headers,$(2)) $(kbuild_force)
	$(Q)scripts/mirror build/kmod/$(1)
	$(Q)rm -f build/kmod/$(1)/$(2)/Module.symvers
	+$(Q)$$(MAKE) -C $(call kernel_build,$(1)) M=$(CURDIR)/build/kmod/$(1)/$(2) $(kbuild_args) $(call no_btf,$(1)) \
		KCFLAGS="$(addprefix -I$(CURDIR)/build/kmod/$(1)/,include module .probes/$(1)) -I$(CURDIR)/build/include/win32-km $(addprefix -I,$(abspath $(sort $(dir $(call manifest_headers,$(2))))))" \
		KBUILD_EXTRA_SYMBOLS=$(CURDIR)/build/kmod/$(1)/Module.symvers modules
	$(Q)cp build/kmod/$(1)/$(2)/*.ko $$(@D)/ && test -e $$@ && touch $$@
endef

ifneq ($(module_src),)
$(foreach k,$(KERNELS),$(eval $(call etw_rules,$(k))))
$(foreach k,$(KERNELS),$(foreach d,$(call extra_dirs,$(k)),$(eval $(call extra_rules,$(k),$(d)))))
modules: $(foreach k,$(KERNELS),$(foreach m,etw $(notdir $(call extra_dirs,$(k))),build/modules/$(k)/$(m).ko))
endif
