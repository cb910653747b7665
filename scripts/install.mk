# SPDX-License-Identifier: GPL-2.0-only
#
# make install, make uninstall, make dkms. Part of the Makefile.
#
#   PREFIX=/usr/local   where the user-space parts go; the module and its symbols, for drivers
#                       that use it, go to /lib/modules/VERSION/extra
#   LIBDIR=PREFIX/lib   where the libraries go, for systems that have a folder for each architecture
#   PYTHONDIR=          where the Python module goes; default: where Debian's python3 looks below PREFIX
#   DESTDIR=            put before every path, to build a package
#   KERNEL=VERSION      the kernel to install the module for; "none" for no
#                       module; default: the running one

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
PYTHONDIR ?= $(PREFIX)/lib/$(if $(filter /usr,$(PREFIX)),python3,$(or $(python_version),python3))/dist-packages
DESTDIR ?=
INSTALL ?= install

.PHONY: install uninstall install-user install-module install-dkms dkms

# Below /usr there is one folder for all versions.
python_version := $(notdir $(realpath /usr/bin/python3))

module_kernel := $(or $(call full_version,$(KERNEL)),$(RUNNING_KERNEL))
module_to := $(DESTDIR)/lib/modules/$(module_kernel)/extra
user_to := $(DESTDIR)$(PREFIX)
lib_to := $(DESTDIR)$(LIBDIR)
python_to := $(DESTDIR)$(PYTHONDIR)
headers := $(shell find include -name '*.h' 2>/dev/null)
man_pages := $(wildcard user/man/*.[0-9])
completions := share/bash-completion/completions/etw share/zsh/site-functions/_etw
pc_files := libetw.pc libetw-win32.pc libtdh.pc

# Names of Windows' libraries that other languages open. In a folder of their own, for
# LD_LIBRARY_PATH, because another program may bring libraries of these names, too.
dll_names = $(foreach name,$(1),$(name) $(name).dll lib$(name).so)
etw_dlls := $(call dll_names,advapi32 Advapi32 ADVAPI32 sechost)
tdh_dlls := $(call dll_names,tdh Tdh TDH)

# Everything that is installed below LIBDIR and below PREFIX, for uninstall.
libraries := libetw.a libetw-win32.a libetw.so $(SONAME) libetw.so.$(VERSION) \
	libtdh.a libtdh.so $(TDH_SONAME) libtdh.so.$(VERSION) \
	$(addprefix etw-dll/,$(etw_dlls) $(tdh_dlls)) $(pc_files:%=pkgconfig/%)
installed := bin/etw $(ctf_reader:build/%=libexec/etw/%) \
	lib/udev/rules.d/90-etw.rules lib/modules-load.d/etw.conf \
	lib/systemd/system/etw-autologger.service \
	lib/sysusers.d/etw.conf lib/tmpfiles.d/etw.conf share/etw/access.conf \
	lib/systemd/system/sysinit.target.wants/etw-autologger.service \
	$(foreach m,$(man_pages),share/man/man$(subst .,,$(suffix $(m)))/$(notdir $(m))) \
	$(completions)
python_files := $(wildcard user/python/etw/*.py)
installed_paths := $(addprefix $(lib_to)/,$(libraries)) $(addprefix $(user_to)/,$(installed)) \
	$(python_files:user/python/%=$(python_to)/%)

# Where systemd looks for what it does at boot, which installing does at once: the access lists name
# the group etw, and at boot systemd makes it only after an update of /usr.
at_boot := $(filter /usr /usr/local,$(PREFIX))

# The module first: where it cannot be built nothing is installed.
install: $(if $(filter none,$(KERNEL)),,install-module) install-user

install-user: build/etw $(ctf_reader) build/libetw.a build/libetw-win32.a build/libetw.so build/libtdh.a build/libtdh.so
	$(Q)$(INSTALL) -d $(sort $(dir $(installed_paths)))
	$(Q)$(INSTALL) -m 755 build/etw $(user_to)/bin/
	$(if $(ctf_reader),$(Q)$(INSTALL) -m 755 $(ctf_reader) $(user_to)/libexec/etw/)
	$(Q)$(INSTALL) -m 644 build/libetw.a build/libetw-win32.a build/libtdh.a $(lib_to)/
	$(Q)$(INSTALL) -m 755 build/libetw.so.$(VERSION) build/libtdh.so.$(VERSION) $(lib_to)/
	$(Q)ln -sf libetw.so.$(VERSION) $(lib_to)/$(SONAME)
	$(Q)ln -sf $(SONAME) $(lib_to)/libetw.so
	$(Q)ln -sf libtdh.so.$(VERSION) $(lib_to)/$(TDH_SONAME)
	$(Q)ln -sf $(TDH_SONAME) $(lib_to)/libtdh.so
	$(Q)for name in $(etw_dlls); do ln -sf ../$(SONAME) $(lib_to)/etw-dll/$$name || exit 1; done
	$(Q)for name in $(tdh_dlls); do ln -sf ../$(TDH_SONAME) $(lib_to)/etw-dll/$$name || exit 1; done
	$(Q)$(INSTALL) -m 644 $(python_files) $(python_to)/etw/
	$(Q)for h in $(headers:include/%=%); do \
		$(INSTALL) -D -m 644 include/$$h $(user_to)/include/etw-linux/$$h || exit 1; done
	$(Q)umask 022 && scripts/spellings $(user_to)/include/etw-linux
	$(Q)for pc in $(pc_files); do \
		sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@LIBDIR@,$(LIBDIR),' -e 's,@VERSION@,$(VERSION),' \
			packaging/$$pc.in >$(lib_to)/pkgconfig/$$pc || exit 1; done
	$(Q)for page in $(man_pages); do \
		$(INSTALL) -m 644 $$page $(user_to)/share/man/man$${page##*.}/ || exit 1; done
	$(Q)sed -e 's,@PREFIX@,$(PREFIX),' packaging/90-etw.rules >$(user_to)/lib/udev/rules.d/90-etw.rules
	$(Q)$(INSTALL) -m 644 packaging/modules-load.d/etw.conf $(user_to)/lib/modules-load.d/
	$(Q)sed -e 's,@PREFIX@,$(PREFIX),' packaging/systemd/etw-autologger.service.in \
		>$(user_to)/lib/systemd/system/etw-autologger.service
	$(Q)$(INSTALL) -m 644 packaging/systemd/etw.sysusers $(user_to)/lib/sysusers.d/etw.conf
	$(Q)sed -e 's,@PREFIX@,$(PREFIX),' packaging/systemd/etw.tmpfiles.in >$(user_to)/lib/tmpfiles.d/etw.conf
	$(Q)$(INSTALL) -m 644 packaging/access.conf $(user_to)/share/etw/access.conf
	$(Q)ln -sf ../etw-autologger.service $(user_to)/lib/systemd/system/sysinit.target.wants/
	$(Q)for to in $(completions); do \
		$(INSTALL) -m 644 user/completion/$${to##*/} $(user_to)/$$to || exit 1; done
ifeq ($(DESTDIR),)
	$(Q)ldconfig 2>/dev/null || true
	$(if $(at_boot),$(Q)! command -v systemd-sysusers >/dev/null || systemd-sysusers $(PREFIX)/lib/sysusers.d/etw.conf || true)
	$(if $(at_boot),$(Q)! command -v systemd-tmpfiles >/dev/null || systemd-tmpfiles --create $(PREFIX)/lib/tmpfiles.d/etw.conf || true)
	$(Q)! command -v udevadm >/dev/null || udevadm control --reload 2>/dev/null || true
	$(Q)! command -v systemctl >/dev/null || systemctl daemon-reload 2>/dev/null || true
endif

install-module: build/modules/$(module_kernel)/etw.ko
	$(Q)$(INSTALL) -D -m 644 $< $(module_to)/etw.ko
	$(Q)umask 022 && sed 's,\t[^\t]*/etw\t,\textra/etw\t,' build/kmod/$(module_kernel)/Module.symvers \
		>$(module_to)/etw.symvers
ifeq ($(DESTDIR),)
	$(Q)PATH=$$PATH:/sbin:/usr/sbin depmod $(module_kernel)
endif

# The source of the module for DKMS, which builds it for each kernel
dkms_to := $(DESTDIR)/usr/src/etw-$(VERSION)
dkms_files := Kbuild $(wildcard module/*.[ch] module/*/*.[ch] include/*.h include/etw/*.h include/etw/*/*.h) \
	$(addprefix scripts/,probe module-btf btfids.c) $(wildcard scripts/probes/*.c)

install-dkms:
	$(Q)rm -rf $(dkms_to) && $(INSTALL) -d $(addprefix $(dkms_to)/,$(sort $(dir $(dkms_files))))
	$(Q)for file in $(dkms_files); do cp -p $$file $(dkms_to)/$$file || exit 1; done
	$(Q)$(INSTALL) -d $(dkms_to)/dkms && $(INSTALL) -m 755 packaging/dkms/* $(dkms_to)/dkms/
	$(Q)sed -e 's,@VERSION@,$(VERSION),' packaging/dkms.conf.in >$(dkms_to)/dkms.conf

dkms: install-dkms
	$(Q)dkms install --force etw/$(VERSION)

ifeq ($(filter $(module_kernel),$(KERNELS)),)
ifneq ($(module_src),)
$(eval $(call etw_rules,$(module_kernel)))
endif
endif

# The group stays, because files elsewhere may belong to it, and so do access lists that were changed.
uninstall:
ifeq ($(DESTDIR),)
	$(if $(at_boot),$(Q)! cmp -s $(PREFIX)/share/etw/access.conf /etc/etw/access.conf || \
		rm -f /etc/etw/access.conf /etc/etw/.access.conf.lock)
	$(if $(at_boot),$(Q)rmdir /etc/etw 2>/dev/null || true)
endif
	$(Q)rm -f $(installed_paths) $(user_to)/libexec/etw/etw-ctf-reader
	$(Q)rm -rf $(user_to)/include/etw-linux $(python_to)/etw
	$(Q)for k in $(if $(KERNEL),$(module_kernel),'*'); do rm -f $(DESTDIR)/lib/modules/$$k/extra/etw.ko $(DESTDIR)/lib/modules/$$k/extra/etw.symvers; done
ifeq ($(DESTDIR),)
	$(Q)PATH=$$PATH:/sbin:/usr/sbin depmod $(module_kernel) 2>/dev/null || true
	$(Q)ldconfig 2>/dev/null || true
endif
