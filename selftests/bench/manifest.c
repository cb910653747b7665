// SPDX-License-Identifier: GPL-2.0-only
/*
 * manifest - CPU time to read and to compile a large manifest
 *
 *	manifest [--json FILE] [--events N]
 *
 * The manifest has N events (10,000), each with a template of four fields, a task, a
 * keyword, a symbol and a message of a string table: 5 MB. Every program that decodes
 * with the manifest reads it; compiling is "mc -um": reading it, and writing the header
 * and the resources.  The figures are user time of this process, the best of several
 * rounds.  Exceeding the budget for 10,000 events is a failure.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mc/mc.h"

#define ROUNDS	5
#define TASKS	100
#define KEYWORDS	40
#define READ_BUDGET	200	/* ms to read 10,000 events; and to compile them: */
#define COMPILE_BUDGET	2000

static double user_ms(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec * 1e3 + usage.ru_utime.tv_usec / 1e3;
}

static void write_provider(FILE *f, unsigned int events)
{
	unsigned int i;

	fputs("<events>\n", f);
	for (i = 0; i < events; i++)
		fprintf(f, "<event value=\"%u\" version=\"%u\" level=\"win:Informational\""
			" task=\"Task%u\" opcode=\"win:Info\" keywords=\"Keyword%u\""
			" template=\"Template%u\" symbol=\"Event%u\""
			" message=\"$(string.Event%u.message)\"/>\n",
			i % 65536, i / 65536, i % TASKS + 1, i % KEYWORDS, i, i, i);
	fputs("</events><tasks>\n", f);
	for (i = 1; i <= TASKS; i++)
		fprintf(f, "<task name=\"Task%u\" value=\"%u\" symbol=\"TASK_%u\"/>\n", i, i, i);
	fputs("</tasks><keywords>\n", f);
	for (i = 0; i < KEYWORDS; i++)
		fprintf(f, "<keyword name=\"Keyword%u\" mask=\"0x%llx\"/>\n", i, 1ull << i);
	fputs("</keywords><templates>\n", f);
	for (i = 0; i < events; i++)
		fprintf(f, "<template tid=\"Template%u\"><data name=\"Number\" inType=\"win:UInt32\"/>"
			"<data name=\"Size\" inType=\"win:UInt64\" outType=\"win:HexInt64\"/>"
			"<data name=\"Name\" inType=\"win:UnicodeString\"/>"
			"<data name=\"Path\" inType=\"win:AnsiString\" outType=\"win:Utf8\"/>"
			"</template>\n", i);
	fputs("</templates>\n", f);
}

/* The manifest as text; its size in bytes in *size. */
static char *make_manifest(unsigned int events, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);
	unsigned int i;

	if (!f)
		return NULL;
	fputs("<instrumentationManifest xmlns=\"http://schemas.microsoft.com/win/2004/08/events\""
	      " xmlns:win=\"http://manifests.microsoft.com/win/2004/08/windows/events\""
	      " xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n<instrumentation><events>"
	      "<provider name=\"Bench\" symbol=\"BENCH\" resourceFileName=\"b\" messageFileName=\"b\""
	      " guid=\"{12345678-1234-1234-1234-123456789abc}\">\n", f);
	write_provider(f, events);
	fputs("</provider></events></instrumentation><localization><resources culture=\"en-US\">"
	      "<stringTable>\n", f);
	for (i = 0; i < events; i++)
		fprintf(f, "<string id=\"Event%u.message\""
			" value=\"Event %u: %%1 of %%2 bytes in %%3 at %%4\"/>\n", i, i);
	fputs("</stringTable></resources></localization></instrumentationManifest>\n", f);
	if (fclose(f))
		return NULL;
	return text;
}

/* Read the manifest once: 0, and the user time in *ms. */
static int read_it(const char *text, size_t size, unsigned int events, double *ms)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest = NULL;
	double begin = user_ms();
	int err;

	err = etw_manifest_read_memory(text, size, "bench.man", &manifest, &problems);
	*ms = user_ms() - begin;
	if (!err && manifest->providers[0].event_count != events)
		err = -EINVAL;
	if (err)
		fprintf(stderr, "manifest: %s\n",
			problems.count ? problems.list[0].text : strerror(-err));
	etw_manifest_put(manifest);
	etw_problems_free(&problems);
	return err;
}

static int compile_it(const char *dir, double *ms)
{
	char input[100], error[200];
	char *argv[] = { "mc", "-um", "-h", (char *)dir, "-r", (char *)dir, input, NULL };
	struct etw_mc_options options = { 0 };
	double begin;
	int err;

	snprintf(input, sizeof(input), "%s/bench.man", dir);
	err = etw_mc_parse(7, argv, &options, error, sizeof(error));
	if (err) {
		fprintf(stderr, "manifest: %s\n", error);
		return err;
	}
	begin = user_ms();
	err = etw_mc_run(&options, stderr);
	*ms = user_ms() - begin;
	return err;
}

static int write_file(const char *dir, const char *text, size_t size)
{
	char path[100];
	FILE *f;
	bool good;

	snprintf(path, sizeof(path), "%s/bench.man", dir);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	good = fwrite(text, 1, size, f) == size;
	return fclose(f) || !good ? -EIO : 0;
}

static int measure(const char *dir, unsigned int events, double *reading, double *compiling)
{
	size_t size = 0;
	char *text = make_manifest(events, &size);
	int round, err = text ? write_file(dir, text, size) : -ENOMEM;
	double ms;

	for (round = 0; round < ROUNDS && !err; round++) {
		err = read_it(text, size, events, &ms);
		if (!err && (!round || ms < *reading))
			*reading = ms;
		if (!err)
			err = compile_it(dir, &ms);
		if (!err && (!round || ms < *compiling))
			*compiling = ms;
	}
	free(text);
	return err;
}

static void remove_files(const char *dir)
{
	const struct dirent *entry;
	DIR *files = opendir(dir);

	while (files && (entry = readdir(files)))
		if (*entry->d_name != '.')
			unlinkat(dirfd(files), entry->d_name, 0);
	if (files)
		closedir(files);
	if (rmdir(dir))
		perror(dir);
}

static int write_json(const char *path, unsigned int events, double reading, double compiling)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f, "{\n    \"unit\": \"ms of user time\",\n    \"events\": %u,\n    \"rows\": [\n"
		"      {\"key\": \"manifest_read\", \"ms\": %.1f},\n"
		"      {\"key\": \"manifest_compile\", \"ms\": %.1f}\n    ]\n  }\n",
		events, reading, compiling);
	return fclose(f);
}

int main(int argc, char **argv)
{
	const char *json = getenv("ETW_BENCH_JSON");
	char dir[] = "/tmp/etw-bench-XXXXXX";
	double reading = 0, compiling = 0;
	unsigned int events = 10000;
	int i, err;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--json"))
			json = argv[i + 1];
		else if (!strcmp(argv[i], "--events"))
			events = (unsigned int)atoi(argv[i + 1]);
		else
			break;
	}
	if (i < argc || !events || events > 200000) {
		fputs("usage: manifest [--json FILE] [--events N], N at most 200000\n", stderr);
		return 2;
	}
	if (!mkdtemp(dir))
		return 1;
	err = measure(dir, events, &reading, &compiling);
	remove_files(dir);
	if (err) {
		fprintf(stderr, "manifest: %s\n", strerror(-err));
		return 1;
	}
	printf("%-42s %14s %8s\n", "a manifest", "ms of user time", "budget");
	printf("%-42s %14.1f %8u\n", "read", reading, READ_BUDGET);
	printf("%-42s %14.1f %8u\n", "compiled: header and resources", compiling, COMPILE_BUDGET);
	if (json && write_json(json, events, reading, compiling))
		return 1;
	return events <= 10000 && (reading > READ_BUDGET || compiling > COMPILE_BUDGET);
}
