// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_machine - the machine in log files: seen in a made /proc and /sys, written, read; and the
 * kernel's names, which are those of the right kernel or none
 */
#include "unit/etl/etl_write.h"
#include "lib/etl_agree.h"
#include "cli_run.h"

#include <signal.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "base/guid.h"
#include "cli/machine/append.h"
#include "cli/machine/translate.h"
#include "core/record.h"

#include "cli/symbols/symbols_private.h"

#define TEXT		0xffffffff81000000ull
#define TEXT_END	0xffffffff82000000ull
#define FUNCTION	0xffffffff81234000ull
#define MODULE		0xffffffffc0100000ull	/* of "alpha", and its function */
#define OTHER_MODULE	0xffffffffc0200000ull	/* of "beta" */
#define SHIFT		0x2000000ull		/* between two boots */

static char root[64];

/* ---------------------------------------------------------------- a made machine */

static void put_bytes(const char *name, const void *data, size_t size)
{
	char full[256], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, name);
	for (slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		abort();
}

static void put_line(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

/* Notes as of a kernel: one of another kind first, then the build id, 20 bytes of value */
static void put_notes(const char *name, uint8_t value, uint32_t claimed)
{
	struct {
		uint32_t other[3];
		char linux_name[8];
		uint32_t version;
		uint32_t head[3];
		char gnu[4];
		uint8_t id[20];
	} notes = { { 6, 4, 257 }, "Linux", 7, { 4, claimed, 3 }, "GNU", { 0 } };

	memset(notes.id, value, sizeof(notes.id));
	put_bytes(name, &notes, sizeof(notes));
}

static void make_cpus(void)
{
	put_line("/sys/devices/system/cpu/online", "0-1,4\n");
	put_line("/sys/devices/system/cpu/smt/active", "1\n");
	put_line("/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
	put_line("/sys/devices/system/cpu/cpu0/topology/core_id", "3\n");
	put_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3500000\n");
	put_line("/sys/devices/system/cpu/cpu1/topology/physical_package_id", "-1\n");
	put_line("/sys/devices/system/cpu/cpu4/topology/physical_package_id", "1\n");
	put_line("/sys/devices/system/node/online", "0-1\n");
	put_line("/sys/devices/system/node/node0/cpulist", "0-1\n");
	put_line("/sys/devices/system/node/node1/cpulist", "4\n");
	put_line("/proc/cpuinfo",
		 "processor\t: 0\nmodel name\t: Model A\ncpu MHz\t\t: 1000.000\n\n"
		 "processor\t: 1\nmodel name\t: Model A\ncpu MHz\t\t: 2399.996\n\n"
		 "processor\t: 4\nmodel name\t: Model \303\204\n");
}

static void make_symbols(bool hidden)
{
	char text[1024];
	const uint64_t shown = hidden ? 0 : UINT64_MAX;

	snprintf(text, sizeof(text),
		 "0000000000000000 A fixed_percpu_data\n"
		 "%016llx T _stext\n%016llx T _text\n%016llx T right_function\n"
		 "%016llx T _etext\n%016llx t alpha_function\t[alpha]\n"
		 "%016llx t beta_function\t[beta]\n",
		 (unsigned long long)(TEXT & shown), (unsigned long long)(TEXT & shown),
		 (unsigned long long)(FUNCTION & shown), (unsigned long long)(TEXT_END & shown),
		 (unsigned long long)(MODULE & shown), (unsigned long long)(OTHER_MODULE & shown));
	put_line("/proc/kallsyms", text);
	snprintf(text, sizeof(text),
		 "alpha 65536 1 beta, Live 0x%016llx (OE)\nbeta 4096 0 - Live 0x%016llx\n",
		 (unsigned long long)(MODULE & shown), (unsigned long long)(OTHER_MODULE & shown));
	put_line("/proc/modules", text);
}

static void make_machine(void)
{
	snprintf(root, sizeof(root), "%s/root", dir);
	mkdir(root, 0700);
	put_line("/proc/sys/kernel/random/boot_id", "01234567-89ab-cdef-0123-456789abcdef\n");
	put_line("/proc/meminfo", "MemTotal:        2048 kB\nMemFree:  1 kB\n");
	put_line("/etc/os-release", "ID=x\nPRETTY_NAME=\"Some Linux 1\"\n");
	put_notes("/sys/kernel/notes", 0xAB, 20);
	put_notes("/sys/module/alpha/notes/.note.gnu.build-id", 0xA1, 20);
	make_cpus();
	make_symbols(false);
}

/* ----------------------------------------------------------------------- seeing */

static void check_cpus(const struct machine *m)
{
	const struct machine_cpu *cpus = m->cpus;

	if (!ok(m->cpu_count == 3 && m->processors == 3 && m->smt, "the CPUs that are online"))
		return;
	ok(cpus[0].number == 0 && cpus[1].number == 1 && cpus[2].number == 4, "their numbers");
	ok(cpus[0].package == 0 && cpus[0].core == 3 && cpus[2].package == 1 &&
	   cpus[1].package == MACHINE_UNKNOWN && cpus[1].core == MACHINE_UNKNOWN,
	   "packages and cores, as far as they are known");
	ok(cpus[0].node == 0 && cpus[1].node == 0 && cpus[2].node == 1, "NUMA nodes");
	ok(cpus[0].mhz == 3500 && cpus[1].mhz == 2400 && cpus[2].mhz == MACHINE_UNKNOWN,
	   "the greatest clock, or that of the moment");
	ok(!strcmp(cpus[1].model, "Model A") && !strcmp(cpus[2].model, "Model \303\204"), "models");
}

static void check_seen(void)
{
	struct machine m = { .host = "" };
	struct utsname names;

	uname(&names);
	machine_collect(&m, root);
	ok(!strcmp(m.host, names.nodename) && !strcmp(m.release, names.release) &&
	   !strcmp(m.version, names.version) && !strcmp(m.architecture, names.machine),
	   "the names are those of uname(2)");
	ok(m.boot.data1 == 0x01234567 && m.memory == 2 << 20 && m.page_size == (uint32_t)getpagesize() &&
	   !strcmp(m.distribution, "Some Linux 1"), "boot, memory, distribution");
	check_cpus(&m);
	ok(m.kernel.len == 20 && m.kernel.bytes[19] == 0xAB, "the kernel's build id");
	ok(m.text == TEXT && m.text_begin == TEXT && m.text_end == TEXT_END, "where its text is");
	ok(m.module_count == 2 && m.modules[0].address == MODULE && m.modules[0].size == 65536 &&
	   m.modules[0].id.len == 20 && m.modules[0].id.bytes[0] == 0xA1 && !m.modules[1].id.len,
	   "modules, one of which has no build id");
	machine_free(&m);
}

/* An address that is hidden is none, and a build id that does not fit its note neither. */
static void check_hidden(void)
{
	struct machine m = { .host = "" };

	make_symbols(true);
	put_notes("/sys/kernel/notes", 0xAB, 4000);
	machine_collect(&m, root);
	ok(!m.text && !m.text_begin && !m.text_end && !m.modules[0].address && !m.modules[1].address &&
	   m.module_count == 2, "hidden addresses are not known");
	ok(!m.kernel.len, "a build id that its note has no room for is not known");
	machine_free(&m);
	make_symbols(false);
	put_notes("/sys/kernel/notes", 0xAB, 20);
}

static int count_records(void *context, const void *record, size_t size)
{
	(void)record;
	(void)size;
	++*(int *)context;
	return 0;
}

static void check_nothing(void)
{
	struct machine m = { .host = "" };
	int count = 0;

	machine_collect(&m, "/nonexistent");
	ok(*m.host && etw_guid_is_zero(&m.boot) && !m.cpu_count && !m.module_count && !m.kernel.len &&
	   !m.memory, "without /proc and /sys only uname(2) is known");
	ok(!machine_records(&m, 0, count_records, &count) && count == 1,
	   "and nothing but that is written");
	machine_free(&m);
}

/* Does the command's output have this? Else show it. */
static bool has(const char *text)
{
	if (strstr(run_out, text) || strstr(run_err, text))
		return true;
	printf("# no %s in\n# %s\n# %s\n", text, run_out, run_err);
	return false;
}

/* ------------------------------------------------------------------------ files */

static struct machine seen;	/* the made one */

static int put_record(void *writer, const void *record, size_t size)
{
	return etw_etl_write(writer, 0, record, size);
}

/* An event with a stack of one address */
static void put_stack(struct etw_etl_writer *w, uint64_t address)
{
	uint64_t stack[2] = { 0, address };
	struct etw_ext_item item = { .size = sizeof(item) + sizeof(stack), .data_size = sizeof(stack),
				     .type = ETW_EXT_STACK_TRACE64 };
	struct etw_event_header header = {
		.size = sizeof(header) + sizeof(item) + sizeof(stack), .type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_EXTENDED_INFO | ETW_EVENT_NO_CPUTIME, .timestamp = 2000,
		.provider = { 0xABCD, 1, 2, { 3 } }, .desc = { .level = 4 },
	};
	uint8_t record[sizeof(header) + sizeof(item) + sizeof(stack)];

	memcpy(record, &header, sizeof(header));
	memcpy(record + sizeof(header), &item, sizeof(item));
	memcpy(record + sizeof(header) + sizeof(item), stack, sizeof(stack));
	if (etw_etl_write(w, 0, record, sizeof(record)))
		abort();
}

/* A file with an event that has a kernel address in its stack, of up to two machines */
static void make_file(uint64_t address, const struct machine *one, const struct machine *other)
{
	struct etw_etl_options options = { .like = &like, .logger = "s", .replace = true };
	struct etw_etl_writer *w;

	if (etw_etl_create(path, &options, &w))
		abort();
	put_stack(w, address);
	if ((one && machine_append(w, one, 3000)) || (other && machine_append(w, other, 3000)) ||
	    etw_etl_finish(w, 0, NULL))
		abort();
}

static bool same(const struct machine *a, const struct machine *b)
{
	return !memcmp(&a->boot, &b->boot, sizeof(a->boot)) && !strcmp(a->host, b->host) &&
	       !strcmp(a->release, b->release) && !strcmp(a->version, b->version) &&
	       !strcmp(a->distribution, b->distribution) && a->processors == b->processors &&
	       a->memory == b->memory && a->page_size == b->page_size &&
	       machine_same_build(&a->kernel, &b->kernel) && a->text == b->text &&
	       a->text_begin == b->text_begin && a->text_end == b->text_end &&
	       a->cpu_count == b->cpu_count && a->module_count == b->module_count;
}

static bool same_parts(const struct machine *a, const struct machine *b)
{
	bool equal = true;
	size_t i;

	for (i = 0; i < a->cpu_count; i++) {
		const struct machine_cpu *x = &a->cpus[i], *y = &b->cpus[i];

		equal &= x->number == y->number && x->package == y->package && x->core == y->core &&
			 x->node == y->node && x->mhz == y->mhz && !strcmp(x->model, y->model);
	}
	for (i = 0; i < a->module_count; i++) {
		const struct machine_module *x = &a->modules[i], *y = &b->modules[i];

		equal &= !strcmp(x->name, y->name) && x->address == y->address &&
			 x->size == y->size && x->id.len == y->id.len &&
			 !memcmp(x->id.bytes, y->id.bytes, x->id.len);
	}
	return equal;
}

static void check_read(void)
{
	struct machine other = seen;
	struct machines machines = { 0 };
	unsigned int undescribed = 0;

	make_file(FUNCTION, &seen, NULL);
	ok(!machines_read(&machines, path, &undescribed) && machines.count == 1 && !undescribed,
	   "a file describes its machine");
	ok(machines.count && same(machines.list, &seen) && same_parts(machines.list, &seen),
	   "what is read is what was written");
	/* The same once more, as of a merged file, and another boot */
	other.boot.data1++;
	make_file(FUNCTION, &seen, &other);
	ok(!machines_read(&machines, path, &undescribed) && machines.count == 2 &&
	   machines.list[0].module_count == 2 && machines.list[0].cpu_count == 3 &&
	   same(&machines.list[1], &other), "another boot is another machine, the same is not");
	make_file(FUNCTION, NULL, NULL);
	ok(!machines_read(&machines, path, &undescribed) && machines.count == 2 && undescribed == 1,
	   "a file that describes none");
	machines_free(&machines);
}

/* The checker of log files, which knows Windows' rules, and the largest size of the session */
static void check_rules(void)
{
	static struct etw_etl_info booted;	/* before it starts, as all machines are */
	struct etw_etl_options options = { .like = &booted, .logger = "s", .replace = true,
					   .buffer_size = BUFFER };
	struct etw_etl_writer *w;
	struct etl_agree agree;
	struct etw_etl_file *f;
	uint32_t limit = 8;	/* KB */
	FILE *file;

	booted = like;
	booted.header.BootTime.QuadPart = MAKE_START - 1;
	if (etw_etl_create(path, &options, &w))
		abort();
	put_stack(w, FUNCTION);
	if (etw_etl_finish(w, 0, NULL))
		abort();
	/* As a session's file that is full */
	file = fopen(path, "r+");
	if (!file || fseek(file, ETW_LOG_HEADER_AT + offsetof(TRACE_LOGFILE_HEADER, MaximumFileSize),
			   SEEK_SET) || fwrite(&limit, sizeof(limit), 1, file) != 1)
		abort();
	limit = EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_USE_KBYTES_FOR_SIZE;
	if (fwrite(&limit, sizeof(limit), 1, file) != 1 || fclose(file) || append_path(path, &w) ||
	    machine_append(w, &seen, 3000) || etw_etl_finish(w, 0, NULL) ||
	    etw_etl_open(path, NULL, NULL, &f))
		abort();
	ok(etw_etl_info(f)->header.MaximumFileSize > 8, "the largest size in the header grows");
	etw_etl_close(f);
	if (!ok(etl_agree(path, 0, &agree), "the file keeps all rules"))
		printf("# %s\n", agree.why);
}

/* A provider of that name may write anything. */
static void check_forged(void)
{
	struct etw_etl_options options = { .like = &like, .logger = "s", .replace = true };
	struct machines machines = { 0 };
	struct etw_event_header *header;
	unsigned int undescribed = 0, i;
	struct etw_etl_writer *w;
	uint8_t record[256] = { 0 };
	const struct {
		struct etw_system_header header;
	} windows = { {
		.version = 2, .type = ETW_TYPE_SYSTEM64, .size = sizeof(windows.header),
		.hook = ETW_CONFIG_GROUP << 8 | ETW_CONFIG_CPU, .timestamp = 2000,
		.thread_id = ETW_MACHINE_NOBODY, .process_id = ETW_MACHINE_NOBODY,
	} };

	if (etw_etl_create(path, &options, &w))
		abort();
	header = (struct etw_event_header *)record;
	*header = (struct etw_event_header){
		.size = sizeof(record), .type = ETW_TYPE_EVENT64, .flags = ETW_EVENT_NO_CPUTIME,
		.timestamp = 2000, .provider = ETW_MACHINE_GUID, .desc = { .channel = 11 },
	};
	put_record(w, record, sizeof(record));
	/* Of Windows' kernel, which may be nobody's, too */
	put_record(w, &windows, sizeof(windows.header));
	for (i = 0; i < 100; i++) {
		struct machine m = { .boot = { .data1 = i + 1 }, .host = "h" };

		if (machine_append(w, &m, 3000))
			abort();
	}
	if (etw_etl_finish(w, 0, NULL))
		abort();
	ok(!machines_read(&machines, path, &undescribed) && machines.count == 64,
	   "an event without a schema is none, and machines are bounded");
	machines_free(&machines);
	ok(!run("dump %s", path) && has("SystemConfig/CPU"), "what Windows' kernel says is an event");
}

/* A file with as many of them as it has room for does not keep its reader busy. */
static void check_many(void)
{
	struct etw_etl_options options = { .like = &like, .logger = "s", .replace = true };
	struct machine m = { .boot = { .data1 = 1 }, .host = "h" };
	struct machines machines = { 0 };
	unsigned int undescribed = 0, i;
	struct etw_etl_writer *w;

	if (etw_etl_create(path, &options, &w))
		abort();
	for (i = 0; i < 33000; i++)
		if (machine_append(w, &m, 3000))
			abort();
	m.boot.data1++;
	if (machine_append(w, &m, 3000) || etw_etl_finish(w, 0, NULL))
		abort();
	ok(!machines_read(&machines, path, &undescribed) && machines.count == 1 && !undescribed,
	   "the events of a file that are taken are bounded");
	machines_free(&machines);
}

/* --------------------------------------------------------------------- appending */

/* Are the kernel's addresses in the file, beside what is no secret? */
static bool tells_addresses(void)
{
	struct machines machines = { 0 };
	unsigned int undescribed = 0;
	const struct machine *m;
	bool tells;

	if (machines_read(&machines, path, &undescribed) || machines.count != 1 ||
	    machines.list->kernel.len != 20 || machines.list->module_count != 2)
		abort();
	m = machines.list;
	tells = m->text || m->text_begin || m->text_end || m->modules[0].address ||
		m->modules[1].address;
	machines_free(&machines);
	return tells;
}

static bool appended_tells(const struct machine *m, mode_t mode)
{
	make_file(FUNCTION, NULL, NULL);
	if (chmod(path, mode) || machine_append_file(path, 0, m, NULL, NULL))
		abort();
	return tells_addresses();
}

static void check_hides(void)
{
	struct machine locked = { .host = "" };
	struct stat other = { .st_mode = S_IFREG | 0600, .st_uid = geteuid() + 1 };

	ok(appended_tells(&seen, 0600), "addresses are in a file that its owner alone may read");
	ok(!appended_tells(&seen, 0640) && !appended_tells(&seen, 0604) &&
	   !appended_tells(&seen, 0620), "not in one that others may open");
	machine_hide(&locked, &other);
	ok(locked.hides, "nor in another user's");
	put_line("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	machine_collect(&locked, root);
	ok(appended_tells(&locked, 0600), "a lockdown for integrity hides nothing");
	machine_free(&locked);
	put_line("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	machine_collect(&locked, root);
	ok(!appended_tells(&locked, 0600), "one for confidentiality hides them from all");
	machine_free(&locked);
	put_line("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
}

static int more_result;

/* While something is appended no signal may end the command. */
static int more(void *context, struct etw_etl_writer *writer, const struct etw_etl_info *info)
{
	sigset_t held;

	(void)writer;
	sigprocmask(SIG_BLOCK, NULL, &held);
	*(bool *)context = sigismember(&held, SIGINT) && sigismember(&held, SIGTERM) &&
			   sigismember(&held, SIGHUP) && info->header.EndTime.QuadPart;
	return more_result;
}

static void check_appended(void)
{
	bool held = false;
	struct stat before, after;
	sigset_t now;
	int64_t started;
	struct etw_etl_file *f;

	make_file(FUNCTION, NULL, NULL);
	if (etw_etl_open(path, NULL, NULL, &f) || stat(path, &before))
		abort();
	started = etw_etl_info(f)->header.StartTime.QuadPart;
	etw_etl_close(f);
	ok(machine_append_file(path, started + 1, &seen, more, &held) == -ESTALE && !held,
	   "not to the file of another session");
	more_result = -E2BIG;
	ok(machine_append_file(path, started, &seen, more, &held) == -E2BIG && held,
	   "what fails before is returned, and signals wait");
	ok(!stat(path, &after) && after.st_size == before.st_size && !run("verify %s", path),
	   "and the file is as it was");
	more_result = 0;
	ok(!machine_append_file(path, started, &seen, more, &held) && !stat(path, &after) &&
	   after.st_size > before.st_size, "to its own file");
	sigprocmask(SIG_BLOCK, NULL, &now);
	ok(!sigismember(&now, SIGINT), "signals come again");
	ok(machine_append_file("/nonexistent", 0, &seen, NULL, NULL) == -ENOENT, "no file");
}

/* While another process appends the file is incomplete, but not for long. */
static void check_waits(void)
{
	int ready[2], status;
	struct machine other = seen;
	struct machines machines = { 0 };
	unsigned int undescribed = 0;
	struct etw_etl_writer *w;
	pid_t pid;
	char byte;

	make_file(FUNCTION, NULL, NULL);
	if (pipe(ready))
		abort();
	pid = fork();
	if (!pid) {
		if (append_path(path, &w) || write(ready[1], "", 1) != 1)
			_exit(1);
		usleep(200000);
		_exit(machine_append(w, &seen, 3000) || etw_etl_finish(w, 0, NULL));
	}
	other.boot.data1++;
	ok(read(ready[0], &byte, 1) == 1 &&
	   !machine_append_file(path, 0, &other, NULL, NULL), "it waits for another one");
	ok(waitpid(pid, &status, 0) == pid && !status, "who finishes");
	ok(!machines_read(&machines, path, &undescribed) && machines.count == 2,
	   "both have appended");
	machines_free(&machines);
	close(ready[0]);
	close(ready[1]);
}

/* Nor longer than the user wants */
static void check_ends(void)
{
	struct timespec begin, end;
	struct etw_etl_writer *w;
	sigset_t one, before;
	int number;

	make_file(FUNCTION, NULL, NULL);
	if (append_path(path, &w))
		abort();
	sigemptyset(&one);
	sigaddset(&one, SIGINT);
	sigprocmask(SIG_BLOCK, &one, &before);
	raise(SIGINT);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	ok(machine_append_file(path, 0, &seen, NULL, NULL) == -EBUSY, "another one that stays");
	clock_gettime(CLOCK_MONOTONIC, &end);
	ok(end.tv_sec - begin.tv_sec < 9, "is not waited for after a signal");
	sigwait(&one, &number);
	sigprocmask(SIG_SETMASK, &before, NULL);
	etw_etl_discard(w);
}

/* ---------------------------------------------------------------------- symbols */

/* The name that an address of that machine has here, "" if it has none */
static const char *name_of(const struct machine *there, uint64_t address, bool of_boot)
{
	const struct machines machines = { (struct machine *)there, there != NULL };
	const struct symbol_place place = { .address = address };
	struct symbols *s = symbols_new(&(struct symbols_request){ NULL, NULL });
	struct symbol_frame frames[SYMBOLIZER_FRAMES];
	static struct etw_text text;

	etw_text_cut(&text, 0);
	symbols_choose(s, &machines, there ? 0 : 1, of_boot);
	symbols_find(s, &place, false, frames);
	if (!frames->function || !symbols_add(&text, frames))
		etw_text_cut(&text, 0);
	if (s->refusal && s->refused != 1)
		text_check(&(struct etw_text){ .error = -ENOMEM });
	symbols_free(s);
	return text_data(&text);
}

static void shift_machine(struct machine *m, uint64_t shift)
{
	m->boot.data1++;
	m->text += shift;
	m->text_begin += shift;
	m->text_end += shift;
	m->modules[0].address += 2 * shift;
	m->modules[1].address += 2 * shift;
}

static void check_symbols(void)
{
	struct machine_module modules[2];
	struct machine there = seen;

	ok(!strcmp(name_of(&seen, FUNCTION + 0x10, false), "right_function+0x10") &&
	   !strcmp(name_of(&seen, MODULE + 1, false), "alpha_function+0x1 [alpha]"),
	   "names of the same boot");
	memcpy(modules, seen.modules, sizeof(modules));
	there.modules = modules;
	shift_machine(&there, SHIFT);
	ok(!strcmp(name_of(&there, FUNCTION + SHIFT + 0x10, false), "right_function+0x10"),
	   "in another boot of the same kernel addresses are shifted");
	ok(!*name_of(&there, FUNCTION, false) && !*name_of(&there, TEXT_END + SHIFT, false),
	   "an address outside that kernel's text has no name, though there is one here");
	ok(!strcmp(name_of(&there, MODULE + 2 * SHIFT + 4, false), "alpha_function+0x4 [alpha]"),
	   "a module is shifted by its own distance");
	ok(!*name_of(&there, OTHER_MODULE + 2 * SHIFT, false),
	   "a module without a build id has no names in another boot");
	modules[0].id.bytes[3]++;
	ok(!*name_of(&there, MODULE + 2 * SHIFT + 4, false), "nor has another build of it");
}

static void check_refused(void)
{
	struct machine_module modules[2];
	struct machine there = seen;

	there.boot.data1++;
	there.text = there.text_begin = 0;
	ok(!*name_of(&there, FUNCTION, true), "no names if another boot's addresses are not known");
	there = seen;
	there.boot.data1++;
	there.kernel.bytes[0]++;
	ok(!*name_of(&there, FUNCTION, true), "no names of another build, whatever its boot time is");
	there.kernel.len = 0;
	ok(!*name_of(&there, FUNCTION, true), "no names of an unknown build");
	ok(!*name_of(NULL, FUNCTION, false) && *name_of(NULL, FUNCTION, true),
	   "without a description the time of boot decides");
	/* In the same boot a module was removed, and another one is there now. */
	there = seen;
	memcpy(modules, seen.modules, sizeof(modules));
	there.modules = modules;
	strcpy(modules[0].name, "gamma");
	ok(!*name_of(&there, MODULE + 1, true) && *name_of(&there, OTHER_MODULE, true),
	   "no name of a module that is where another one was");
	/* The same module was loaded again, elsewhere. */
	memcpy(modules, seen.modules, sizeof(modules));
	modules[0].address -= SHIFT;
	ok(!strcmp(name_of(&there, MODULE - SHIFT + 2, true), "alpha_function+0x2 [alpha]"),
	   "the name of a module that was loaded again");
}

/* ------------------------------------------------------------------ the command */

static int occurrences(const char *text)
{
	const char *at;
	int count = 0;

	for (at = run_out; (at = strstr(at, text)); at++)
		count++;
	return count;
}

/* Does no line with the first come behind one with the second? */
static bool in_order(const char *first, const char *second)
{
	const char *at = strstr(run_out, second);

	if (strstr(run_out, first) && at && !strstr(at, first))
		return true;
	printf("# %s behind %s in\n# %s\n", first, second, run_out);
	return false;
}

static void check_command(void)
{
	struct machine there = seen;
	char want[512];

	there.boot.data1++;
	there.kernel.bytes[0]++;
	make_file(FUNCTION, &there, NULL);
	ok(!run("dump --stack %s", path) && has("0xffffffff81234000\n") &&
	   has("1 address of the kernel has no name: the trace is of another kernel"),
	   "dump --stack names no function of another kernel, and says why");
	ok(!run("dump %s", path) && !strstr(run_out, "Etw-Machine") && !strstr(run_out, "SystemConfig"),
	   "the description is not among the events");
	ok(!run("dump --machine %s", path) && has("Module info BootId=") && has("Name=\"alpha\"") &&
	   has("SystemConfig/CPU") && has("SystemConfig/Processors") && has("NodeMap=[3, 16]") &&
	   has("HyperThreadingFlag=0x13"), "--machine shows it");
	ok(!run("dump --provider Etw-Machine --json %s", path) && has("\"Package\":1") &&
	   !strstr(run_out, "SystemConfig"), "so does choosing the provider");
	snprintf(want, sizeof(want), "  of %s, Linux %s %s, build id acab", seen.host, seen.release,
		 seen.architecture);
	ok(run("verify %s", path) != 1 && has(want) && has(": 1 event in "),
	   "verify has it in a line, and counts the events without it");
	run("verify --json %s", path);
	ok(has("\"boot_id\":\"01234568-89ab-cdef-0123-456789abcdef\"") && has("\"modules\":2"),
	   "and in JSON");
	snprintf(want, sizeof(want), "  recorded on %s, Linux %s\n", seen.host, seen.release);
	ok(!run("report %s", path) && has(want) && !strstr(run_out, "several machines"),
	   "a report has it, too");
	ok(!run("report --json %s", path) && has("\"boot\":\"01234568-89ab-cdef-0123-456789abcdef\"") &&
	   has("\"mixed\":false"), "in JSON with its boot");
}

/* What merge, split and convert do with it */
static void check_copies(void)
{
	struct machine other = seen;

	other.boot.data1++;
	make_file(FUNCTION, &seen, NULL);
	ok(!run("merge --provider 0000abcd-0001-0002-0300-000000000000 -o %s/one.etl %s", dir, path) &&
	   has("1 event") && !run("verify --json %s/one.etl", dir) && has("\"modules\":2"),
	   "a merge of one provider keeps it");
	make_file(FUNCTION, &other, NULL);
	ok(!run("merge -o %s/all.etl %s %s/one.etl", dir, path, dir) &&
	   !run("dump --machine %s/all.etl", dir) &&
	   has("BootId=01234567-89ab-cdef-0123-456789abcdef Name=\"alpha\"") &&
	   has("BootId=01234568-89ab-cdef-0123-456789abcdef Name=\"alpha\""),
	   "a merge of two machines has both");
	ok(!run("report %s/all.etl", dir) && has("These are of several machines or boots") &&
	   !run("report --json %s/one.etl %s", dir, path) && has("\"mixed\":true") &&
	   !run("report --json %s/one.etl %s/one.etl", dir, dir) && has("\"mixed\":false"),
	   "a report says that it mixes them");
	/* Readers of a large file look at its ends. */
	ok(!run("dump --machine %s/all.etl", dir) && in_order("0000abcd", "Name=\"alpha\"") &&
	   occurrences("Name=\"alpha\"") == 2 && !run("verify %s/all.etl", dir),
	   "both behind all events");
	ok(!run("merge -o %s/twice.etl %s/one.etl %s/one.etl", dir, dir, dir) &&
	   !run("dump --machine %s/twice.etl", dir) && occurrences("Etw-Machine Machine") == 1 &&
	   occurrences("SystemConfig/CPU") == 1 && occurrences("Name=\"alpha\"") == 1,
	   "a merge of two files of one machine has it once");
	ok(!run("merge -o %s/two.etl %s/one.etl %s", dir, dir, path) &&
	   !run("split --by events=1 -o %s/part%%d.etl %s/two.etl", dir, dir) &&
	   !run("verify --json %s/part1.etl", dir) && occurrences("\"modules\":2") == 2 &&
	   !run("verify --json %s/part2.etl", dir) && occurrences("\"modules\":2") == 2,
	   "each part of a split has both machines");
	ok(!run("split --by provider -o %s/by%%d.etl %s/two.etl", dir, dir) &&
	   !run("verify --json %s/by1.etl", dir) && occurrences("\"modules\":2") == 2 &&
	   has("\"events\":2") && access("by2.etl", F_OK), "it is no provider with a part of its own");
	ok(!run("convert --to json --machine %s", path) && has("\"MemoryBytes\":2097152") &&
	   !run("convert --to json %s", path) && !strstr(run_out, "MemoryBytes"),
	   "convert has it if asked for");
	run("dump --stack %s/all.etl", dir);
	ok(has("of several boots"), "of several boots no address has a name");
}

/* With the kernel that runs here, if it shows its addresses */
static void check_here(void)
{
	struct machine here = { .host = "" };
	struct machine_module *modules;
	uint64_t address;
	char want[64];

	machine_collect(&here, "");
	if (!here.text || !here.text_end || !here.kernel.len) {
		printf("# this kernel shows no addresses or no build id\n");
		machine_free(&here);
		return;
	}
	address = here.text_begin;
	make_file(address + 1, &here, NULL);
	ok(!run("dump --stack %s", path) && has("+0x1"), "names of the boot that runs");
	snprintf(want, sizeof(want), "0x%016llx ", (unsigned long long)(address + 1 + SHIFT));
	modules = here.modules;
	here.modules = NULL;
	here.module_count = 0;
	here.boot.data1++;
	here.text += SHIFT;
	here.text_begin += SHIFT;
	here.text_end += SHIFT;
	make_file(address + 1 + SHIFT, &here, NULL);
	ok(!run("dump --stack %s", path) && has(want) && has("+0x1"),
	   "the same ones of a boot whose kernel lay elsewhere");
	free(modules);
	machine_free(&here);
}

int main(void)
{
	char command[128];

	set_up();
	make_machine();
	check_seen();
	check_hidden();
	check_nothing();
	symbols_root = root;
	machine_collect(&seen, root);
	check_read();
	check_rules();
	check_forged();
	check_many();
	check_hides();
	check_appended();
	check_waits();
	check_ends();
	check_symbols();
	check_refused();
	check_command();
	check_copies();
	check_here();
	machine_free(&seen);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		abort();
	return done_testing();
}
