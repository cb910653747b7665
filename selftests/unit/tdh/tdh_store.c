// SPDX-License-Identifier: GPL-2.0-only
/* Installed manifests: found by GUID, forgotten when they change, trusted owners */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tdh/store/folder.h"
#include "tdh/store/store.h"
#include "tdh_test.h"
#include "lib/tap.h"

static char folder[64], second[100];

static void path_of(char *path, const char *in, const char *name)
{
	snprintf(path, 256, "%s/%s", in, name);
}

static void write_file(const char *in, const char *name, const char *text)
{
	char path[256], temporary[256];
	FILE *f;

	path_of(path, in, name);
	path_of(temporary, in, ".new");
	f = fopen(temporary, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) || rename(temporary, path))
		ok(0, "cannot write %s", path);
}

static void link_to(const char *in, const GUID *guid, const char *target)
{
	char name[ETW_FOLDER_LINK], path[256];

	etw_folder_link_name(guid, name);
	path_of(path, in, name);
	unlink(path);
	if (symlink(target, path))
		ok(0, "cannot link %s", path);
}

/* The provider's name in the store; "": not found. */
static const char *found(const GUID *guid)
{
	static char name[300];
	const struct etw_mf_provider *provider;
	struct etw_manifest *manifest;

	provider = etw_store_find(guid, &manifest);
	if (!provider)
		return "";
	snprintf(name, sizeof(name), "%s", provider->name);
	etw_manifest_put(manifest);
	return name;
}

/* The manifest with the first provider renamed. */
static char *renamed(const char *name)
{
	const char *at = strstr(test_manifest, "Test-Tdh'"), *behind = at + strlen("Test-Tdh");
	char *text = malloc(sizeof(test_manifest) + strlen(name));

	sprintf(text, "%.*s%s%s", (int)(at - test_manifest), test_manifest, name, behind);
	return text;
}

/* Wait for a condition, long enough for a slow machine. */
#define WAIT(cond)							\
	({								\
		int waited;						\
									\
		for (waited = 0; !(cond) && waited < 600; waited++)	\
			usleep(50000);					\
		(cond);							\
	})

static void test_find(void)
{
	unsigned int generation;

	is(strcmp(found(&test_guid), ""), 0, "nothing is installed");
	write_file(folder, "test.man", test_manifest);
	link_to(folder, &test_guid, "test.man");
	link_to(folder, &enable_guid, "test.man");
	generation = etw_store_generation();
	ok(WAIT(etw_store_generation() != generation), "that something is, is noticed");
	is(strcmp(found(&test_guid), "Test-Tdh"), 0, "it is found");
	is(strncmp(found(&enable_guid), "Test-Tdh-", 9), 0, "by a control GUID, too");
	is(strcmp(found(&decode_guid), ""), 0, "not by a GUID that has no link");
	is(strcmp(found(&other_guid), ""), 0, "others are not");
}

/* Write into a file, again until its time is another: the sizes are the same. */
static void write_over(const char *path, const char *text)
{
	struct stat was, st;
	FILE *f;

	if (stat(path, &was))
		abort();
	do {
		f = fopen(path, "w");
		if (!f || fputs(text, f) < 0 || fclose(f) || stat(path, &st))
			abort();
	} while (st.st_mtim.tv_sec == was.st_mtim.tv_sec &&
		 st.st_mtim.tv_nsec == was.st_mtim.tv_nsec);
}

static void test_change(void)
{
	char *text = renamed("Changed"), path[256];

	write_file(folder, "test.man", text);
	ok(WAIT(!strcmp(found(&test_guid), "Changed")), "a file that is replaced");
	free(text);
	text = renamed("Inside!");
	path_of(path, folder, "test.man");
	write_over(path, text);
	free(text);
	ok(WAIT(!strcmp(found(&test_guid), "Inside!")), "a file that is written to");
	unlink(path);
	ok(WAIT(!strcmp(found(&test_guid), "")), "a file that is removed");
	write_file(folder, "test.man", test_manifest);
	ok(WAIT(!strcmp(found(&test_guid), "Test-Tdh")), "and that comes back");
}

/* A folder of ETW_MANIFEST_PATH hides later folders. */
static void test_order(void)
{
	char *text = renamed("Second");

	write_file(second, "test.man", text);
	link_to(second, &test_guid, "test.man");
	link_to(second, &other_guid, "test.man");
	etw_store_refresh();
	is(strcmp(found(&test_guid), "Test-Tdh"), 0, "the first folder's");
	write_file(folder, "test.man", "<broken");
	etw_store_refresh();
	is(strcmp(found(&test_guid), "Second"), 0, "a broken file does not hide others");
	is(strcmp(found(&other_guid), ""), 0,
	   "a link to a manifest without the provider is ignored");
	write_file(folder, "test.man", test_manifest);
	etw_store_refresh();
	is(strcmp(found(&test_guid), "Test-Tdh"), 0, "it is valid again");
	free(text);
}

static int reported(const char *what)
{
	unsigned int i;
	char *problem;
	int yes = 0;

	for (i = 0; (problem = etw_store_problem(i)); i++) {
		yes |= strstr(problem, what) != NULL;
		free(problem);
	}
	return yes;
}

static void test_trust(void)
{
	char path[256];

	path_of(path, folder, "test.man");
	chmod(path, 0666);
	etw_store_refresh();
	is(strcmp(found(&test_guid), "Second"), 0, "a file that others may write to is not read");
	ok(reported("others could have written it"), "which is reported");
	chmod(path, 0644);
	ok(WAIT(!strcmp(found(&test_guid), "Test-Tdh")), "it is read once they may not: noticed");
	chmod(folder, 0775);
	ok(WAIT(!strcmp(found(&test_guid), "Second")),
	   "nor a folder that a group may write to: noticed");
	ok(reported("others could have written to it"), "which is reported");
	chmod(folder, 0755);
	ok(WAIT(!strcmp(found(&test_guid), "Test-Tdh")), "it is read once they may not: noticed");
	link_to(folder, &test_guid, "../elsewhere");
	etw_store_refresh();
	is(strcmp(found(&test_guid), "Second"), 0, "links that lead out are not followed");
	link_to(folder, &test_guid, "loop");
	path_of(path, folder, "loop");
	if (symlink("loop", path))
		ok(0, "a loop");
	etw_store_refresh();
	is(strcmp(found(&test_guid), "Second"), 0, "nor loops");
	unlink(path);
	if (mkfifo(path, 0600))
		ok(0, "a pipe");
	etw_store_refresh();
	is(strcmp(found(&test_guid), "Second"), 0, "nor is a pipe read");
	unlink(path);
	link_to(folder, &test_guid, "test.man");
	if (!getuid()) {
		path_of(path, folder, "test.man");
		if (chown(path, 65534, 65534))
			ok(0, "cannot give a file away");
		etw_store_refresh();
		is(strcmp(found(&test_guid), "Second"), 0, "nor what another user owns");
		if (chown(path, 0, 0))
			ok(0, "cannot take it back");
	}
	etw_store_refresh();
	is(strcmp(found(&test_guid), "Test-Tdh"), 0, "all is well again");
}

/* Loaded manifests come first, the newest before all others. */
static void test_loaded(void)
{
	char *text = renamed("Loaded"), *newer = renamed("Newer");
	unsigned int generation = etw_store_generation();

	is(TdhLoadManifestFromMemory(text, (ULONG)strlen(text)), 0, "load one");
	ok(etw_store_generation() != generation, "which changes things");
	is(strcmp(found(&test_guid), "Loaded"), 0, "it precedes the installed one");
	is(TdhLoadManifestFromMemory(newer, (ULONG)strlen(newer)), 0, "load another");
	is(strcmp(found(&test_guid), "Newer"), 0, "it precedes that one");
	is(TdhUnloadManifestFromMemory(newer, (ULONG)strlen(newer)), 0, "unload it");
	is(strcmp(found(&test_guid), "Loaded"), 0, "the other one is back");
	is(TdhUnloadManifestFromMemory(text, (ULONG)strlen(text)), 0, "unload that");
	is(strcmp(found(&test_guid), "Test-Tdh"), 0, "the installed one is back");
	free(text);
	free(newer);
}

/* Many unknown GUIDs: the table is restarted, and forgets no installed manifest. */
static void test_many(void)
{
	unsigned int i, wrong = 0;
	GUID guid = other_guid;

	for (i = 0; i < 5000; i++) {
		guid.Data1 = i;
		wrong += strcmp(found(&guid), "") != 0;
		wrong += !(i % 100) && strcmp(found(&test_guid), "Test-Tdh");
	}
	is(wrong, 0, "5,000 unknown providers");
}

static void *find_much(void *wrong)
{
	EVENT_RECORD record = big_record();
	unsigned int i;
	ULONG error;

	for (i = 0; i < 300; i++) {
		TRACE_EVENT_INFO *info = event_info(&record, &error);

		if (!info && error != ERROR_NOT_FOUND && error != ERROR_INSUFFICIENT_BUFFER)
			__atomic_add_fetch((int *)wrong, 1, __ATOMIC_RELAXED);
		free(info);
	}
	return NULL;
}

static void test_threads(void)
{
	char *text = renamed("Loaded");
	pthread_t threads[4];
	int wrong = 0, i;

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, find_much, &wrong);
	for (i = 0; i < 50; i++) {
		TdhLoadManifestFromMemory(text, (ULONG)strlen(text));
		etw_store_refresh();
		TdhUnloadManifestFromMemory(text, (ULONG)strlen(text));
	}
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	is(wrong, 0, "events are decoded while manifests come and go");
	free(text);
}

static void test_folders(void)
{
	static struct etw_folder list[ETW_FOLDERS_MAX];
	unsigned int count;

	unsetenv("ETW_MANIFEST_PATH");
	setenv("XDG_DATA_HOME", "/somewhere", 1);
	count = etw_folders(list);
	if (!geteuid()) {
		is(count, 3, "root: the machine's");
		ok(!strcmp(list[0].path, "/etc/etw/manifests"), "the administrator's first");
	} else {
		is(count, 4, "the user's and the machine's");
		ok(!strcmp(list[0].path, "/somewhere/etw/manifests"), "the user's first");
	}
	ok(!strcmp(list[count - 1].path, "/usr/share/etw/manifests"), "packages' last");
	setenv("ETW_MANIFEST_PATH", "relative:/a::/b", 1);
	is(etw_folders(list), 2, "those that are given and absolute");
	ok(!strcmp(list[0].path, "/a") && !strcmp(list[1].path, "/b"), "in their order");
	ok(etw_folder_is_link_name("6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e01.man"), "a GUID's name");
	ok(!etw_folder_is_link_name("6C0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e01.man"),
	   "upper case is not one");
	ok(!etw_folder_is_link_name("{6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e01}.man"),
	   "nor is one with braces");
	ok(!etw_folder_is_link_name("x.man") && !etw_folder_is_link_name(".man"), "nor are others");
}

int main(void)
{
	char path[200], command[200];

	strcpy(folder, "/tmp/tdh_store_XXXXXX");
	umask(022);
	if (!mkdtemp(folder) || chmod(folder, 0755)) {
		ok(0, "no folder");
		return done_testing();
	}
	snprintf(second, sizeof(second), "%s/second", folder);
	mkdir(second, 0755);
	snprintf(path, sizeof(path), "%s:%s", folder, second);
	setenv("ETW_MANIFEST_PATH", path, 1);
	test_find();
	test_change();
	test_order();
	test_trust();
	test_loaded();
	test_many();
	test_threads();
	test_folders();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) | done_testing();
}
