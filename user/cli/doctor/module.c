/* SPDX-License-Identifier: MIT */
/*
 * module.c - is the module there, built for this kernel, allowed to be loaded, and loaded?
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "checks.h"
#include "files.h"
#include "module_file.h"
#include "report.h"

/* ------------------------------------------------------------------ the file */

/* Is it etw.ko, maybe compressed? */
static bool is_module(const char *path, size_t len)
{
	static const char name[] = "etw.ko";
	const char *slash = memrchr(path, '/', len);
	size_t skip = slash ? (size_t)(slash - path) + 1 : 0;

	return len - skip >= sizeof(name) - 1 && !strncmp(path + skip, name, sizeof(name) - 1) &&
	       (len - skip == sizeof(name) - 1 || path[skip + sizeof(name) - 1] == '.');
}

/* Where modprobe finds it, by modules.dep; false: nowhere */
static bool find_listed(const struct doctor *doctor, char path[PATH_MAX])
{
	size_t got, len;
	char *list = doctor_read(&got, "/lib/modules/%s/modules.dep", doctor->release), *line;
	bool found = false;

	for (line = list; line && *line && !found; line += strcspn(line, "\n"),
	     line += *line == '\n') {
		len = strcspn(line, ":\n");
		found = is_module(line, len);
		if (found && *line == '/')
			snprintf(path, PATH_MAX, "%.*s", (int)len, line);
		else if (found)
			snprintf(path, PATH_MAX, "/lib/modules/%s/%.*s", doctor->release, (int)len,
				 line);
	}
	free(list);
	return found;
}

/* Where it was put without depmod; false: nowhere */
static bool find_unlisted(const struct doctor *doctor, char path[PATH_MAX])
{
	static const char *const folders[] = { "updates/dkms", "updates", "extra", "weak-updates" };
	static const char *const ends[] = { "", ".xz", ".zst", ".gz" };
	size_t i, j;

	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		for (j = 0; j < sizeof(ends) / sizeof(*ends); j++) {
			snprintf(path, PATH_MAX, "/lib/modules/%s/%s/etw.ko%s", doctor->release,
				 folders[i], ends[j]);
			if (doctor_exists("%s", path))
				return true;
		}
	}
	return false;
}

static const char *install_fix(const struct doctor *doctor)
{
	const char *fix = dkms_fix(doctor), *release = doctor_word(doctor->release);

	if (fix || dkms_refuses(doctor))
		return fix;
	/* In the tree: no repository need have the packages. */
	if (doctor_has_package("etw-tools"))
		return doctor_fix("make deb && sudo apt-get install linux-headers-%s ./build/deb/*.deb",
				   release);
	if (!doctor_exists("/lib/modules/%s/build/Makefile", doctor->release))
		return doctor_fix("sudo apt-get install linux-headers-%s && make modules KERNEL=%s && sudo make install",
				   release, release);
	return doctor_fix("make modules KERNEL=%s && sudo make install", release);
}

static void report_missing(const struct doctor *doctor)
{
	if (doctor->loaded && doctor->container)
		doctor_ok("module", "loaded by the container's host");
	else if (doctor->loaded)
		doctor_warn("module", install_fix(doctor),
			    "etw.ko is loaded, but not installed in /lib/modules/%s: it is gone after a reboot",
			    doctor->release);
	else if (doctor->container)
		doctor_wrong("module", doctor_fix("sudo modprobe etw"),
			     "etw.ko is not loaded; that is for the container's host to do");
	else if (!doctor_exists("/proc/modules"))
		doctor_wrong("module", NULL, "kernel %s cannot load modules", doctor->release);
	else
		doctor_wrong("module", install_fix(doctor), "there is no etw.ko in /lib/modules/%s",
			     doctor->release);
}

/* Is it for this kernel?  Reports it if not. */
static bool fits(const struct doctor *doctor, const struct module_file *file)
{
	size_t len = strcspn(file->vermagic, " ");

	if (len == strlen(doctor->release) && !strncmp(file->vermagic, doctor->release, len))
		return true;
	doctor_wrong("module", install_fix(doctor), "%s is built for kernel %.*s, and %s runs",
		     file->path, (int)len, file->vermagic, doctor->release);
	return false;
}

/* ---------------------------------------------------------------- signatures */

/* The kernel's lockdown; "": none, or it is not known */
static const char *lockdown(void)
{
	static char line[64];
	char *begin, *end;

	if (!doctor_line(line, sizeof(line), "/sys/kernel/security/lockdown"))
		return "";
	begin = strchr(line, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (!end)
		return "";
	*end = '\0';
	return strcmp(begin + 1, "none") ? begin + 1 : "";
}

static bool secure_boot(void)
{
	size_t size;
	char *data = doctor_read(&size, "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
	/* Four bytes of attributes come first. */
	bool on = data && size >= 5 && data[4] == 1;

	free(data);
	return on;
}

static const char *sign_fix(const struct doctor *doctor, const struct module_file *file)
{
	const char *fix = dkms_fix(doctor);

	/* The signature belongs into a compressed file. */
	if (!fix && file->compressed)
		return install_fix(doctor);
	return fix ? fix :
	       doctor_fix("sudo /lib/modules/%s/build/scripts/sign-file sha256 /var/lib/dkms/mok.key /var/lib/dkms/mok.pub %s",
			   doctor_word(doctor->release), doctor_word(file->path));
}

static void check_signature(const struct doctor *doctor, const struct module_file *file)
{
	const char *locked = lockdown();
	char enforced[8] = "N", why[128];
	bool boot = secure_boot();

	doctor_line(enforced, sizeof(enforced), "/sys/module/module/parameters/sig_enforce");
	snprintf(why, sizeof(why), "Secure Boot %s, lockdown %s, module.sig_enforce %s",
		 boot ? "on" : "off", *locked ? locked : "none", *enforced == 'Y' ? "on" : "off");
	if (file->unknown)
		doctor_unknown("signature", "%s cannot be decompressed here (%s)", file->path, why);
	else if (*enforced != 'Y' && !*locked)
		doctor_ok("signature", "%s, and this kernel asks for none (%s)",
			  file->is_signed ? "signed" : "not signed", why);
	else if (!file->is_signed)
		doctor_wrong("signature", sign_fix(doctor, file),
			     "not signed, and this kernel loads only signed modules (%s)", why);
	else if (doctor->loaded)
		doctor_ok("signature", "signed by a key that the kernel trusts (%s)", why);
	else
		doctor_warn("signature",
			    doctor_fix("sudo mokutil --import /var/lib/dkms/mok.pub"),
			    "signed; the kernel loads it only if its key is enrolled: give mokutil a password, reboot, and type it again (%s)",
			    why);
}

/* ------------------------------------------------------------------- loading */

/* Is the loaded module another build than the file? */
static bool is_other_build(const struct module_file *file)
{
	char source[64];
	size_t size, id = file->build_id_len;
	char *note;
	bool other = false;

	if (file->unknown)
		return false;
	note = doctor_read(&size, "/sys/module/etw/notes/.note.gnu.build-id");
	if (note && id && size >= id)
		other = memcmp(note + size - id, file->build_id, id);
	else if (*file->srcversion &&
		 doctor_line(source, sizeof(source), "/sys/module/etw/srcversion"))
		other = strcmp(source, file->srcversion);
	free(note);
	return other;
}

/* Does a line of a file of modprobe's forbid to load it at boot? */
static bool forbids(const char *text)
{
	char first[16], second[16];

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (sscanf(text, "%15s %15s", first, second) == 2 && !strcmp(second, "etw") &&
		    (!strcmp(first, "blacklist") || !strcmp(first, "install")))
			return true;
	return false;
}

/* What keeps it from being loaded at boot; "": nothing */
static const char *forbidden_by(void)
{
	static const char *const folders[] = {
		"/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d",
		"/usr/lib/modprobe.d", "/lib/modprobe.d",
	};
	static char path[PATH_MAX];
	size_t i, got;
	char **names, *text;
	int n, j;

	*path = '\0';
	for (i = 0; i < sizeof(folders) / sizeof(*folders) && !*path; i++) {
		n = folder_names(doctor_path("%s", folders[i]), ".conf", &names);
		for (j = 0; j < n && !*path; j++) {
			text = doctor_read(&got, "%s/%s.conf", folders[i], names[j]);
			if (text && forbids(text))
				snprintf(path, sizeof(path), "%s/%s.conf", folders[i], names[j]);
			free(text);
		}
		if (n >= 0)
			folder_names_free(names, n);
	}
	return path;
}

static void report_loaded(const struct module_file *file)
{
	char taint[32] = "", state[32] = "live";

	doctor_line(taint, sizeof(taint), "/sys/module/etw/taint");
	doctor_line(state, sizeof(state), "/sys/module/etw/initstate");
	if (strcmp(state, "live"))
		doctor_wrong("loaded", doctor_fix("sudo dmesg | grep etw"),
			     "the module is neither loaded nor unloaded: it is %s", state);
	else if (file && is_other_build(file))
		doctor_warn("loaded", doctor_fix("sudo modprobe -r etw && sudo modprobe etw"),
			    "another build of the module is loaded than %s", file->path);
	else
		doctor_ok("loaded", "yes%s%s%s%s", *taint ? "; it taints the kernel:" : "",
			  strchr(taint, 'O') ? " O (out of the kernel's tree)" : "",
			  strchr(taint, 'E') ? " E (not signed)" : "",
			  strpbrk(taint, "OE") || !*taint ? "" : taint);
}

static void check_loaded(const struct doctor *doctor, const struct module_file *file)
{
	const char *forbidden = forbidden_by();

	if (doctor->loaded)
		report_loaded(file);
	else if (file)
		doctor_wrong("loaded", doctor_fix("sudo modprobe etw"), "the module is not loaded");
	if (*forbidden)
		doctor_warn("loaded", doctor_fix("sudo sed -i '/^[[:blank:]]*\\(blacklist\\|install\\)[[:blank:]]\\+etw\\b/d' %s",
						  doctor_word(forbidden)),
			    "%s keeps the module from being loaded at boot", forbidden);
}

void doctor_module(const struct doctor *doctor)
{
	static struct module_file file;
	char path[PATH_MAX];
	bool listed = find_listed(doctor, path);
	int err;

	if (!listed && !find_unlisted(doctor, path)) {
		report_missing(doctor);
		check_loaded(doctor, NULL);
		return;
	}
	err = module_file_read(path, &file);
	if (err == -ENOEXEC) {
		doctor_wrong("module", install_fix(doctor), "%s is not a kernel module", path);
	} else if (err) {
		doctor_unknown("module", "%s: %s", path, strerror(-err));
	} else if (!listed) {
		doctor_wrong("module", doctor_fix("sudo depmod %s", doctor_word(doctor->release)),
			     "%s is not in modules.dep: modprobe does not find it", path);
	} else if (file.unknown) {
		doctor_unknown("module", "%s cannot be decompressed here, to see which kernel it is for",
			       path);
	} else if (fits(doctor, &file)) {
		doctor_ok("module", "%s, for this kernel", path);
	}
	if (!err)
		check_signature(doctor, &file);
	check_loaded(doctor, err ? NULL : &file);
}
