// SPDX-License-Identifier: MIT
/*
 * cli_merge_out - the files that etw merge and split leave when they fail or replace files,
 * and their summaries
 */
#include "unit/etl/etl_make.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include "cli_run.h"
#include "lib/tap.h"

static char out[64];	/* a file to write */

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

/* Run a shell command and return its exit status; $O is the prefix of output names. */
static int shell(const char *command)
{
	int status = setenv("O", out, 1) ? -1 : system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Old parts are removed when all new ones are complete, all at once. */
static void test_split_replace(void)
{
	static struct make m;

	make_begin(&m, 1);
	make_two(&m, 0, 1, 10, 40);
	make_two(&m, 1, 2, 20, 50);
	make_end(&m);
	is(shell("echo one >${O}_1.etl; echo two >${O}_2.etl; mkdir ${O}_3.etl"), 0, "old parts");
	is(run("split --by events=1 -o %s_%%d.etl --replace %s", out, m.path), 1, "one in the way");
	ok(run_reported("Is a directory"), "is reported");
	is(shell("test \"$(cat ${O}_[12].etl)\" = \"$(echo one; echo two)\""), 0,
	   "the old ones stay");
	is(shell("rmdir ${O}_3.etl; ls ${O}*[!1-4].etl* ${O}*part* 2>/dev/null"), 2,
	   "nothing else");
	is(run("split -q --by events=1 -o %s_%%d.etl --replace %s", out, m.path), 0, "replaced");
	is(shell("cat ${O}_[1-4].etl | grep -qx one"), 1, "the old parts are removed");
	is(run("merge -q -o %s %s_1.etl %s_2.etl %s_3.etl %s_4.etl", out, out, out, out, out), 0,
	   "there are four");
	is(shell("rm ${O}; for i in 1 2 3 4; do echo $i >${O}_$i.etl; done; mkdir ${O}_4.etl.old; "
		 "echo long ago >${O}_1.etl.old"), 0, "old parts");
	is(run("split --by events=1 -o %s_%%d.etl %s", out, m.path), 1, "one cannot be kept");
	is(shell("test \"$(cat ${O}_[1-4].etl ${O}_1.etl.old)\" = \"$(echo 1; echo 2; echo 3; "
		 "echo 4; echo long ago)\" && rmdir ${O}_4.etl.old"), 0, "all stay");
	is(run("split --by events=1 -o %s_%%d.etl %s", out, m.path), 0, "kept");
	ok(run_reported("4 older files are kept with .old"), "is reported");
	is(shell("test \"$(cat ${O}_[1-4].etl.old)\" = \"$(echo 1; echo 2; echo 3; echo 4)\""), 0,
	   "the old parts are there");
	is(shell("rm ${O}_[1-4].etl ${O}_[1-4].etl.old; ls ${O}* 2>/dev/null"), 2,
	   "and nothing else");
	unlink(m.path);
}

/* Two parts are one file through a link: no events are lost silently. */
static void test_split_linked(void)
{
	static struct make m;

	make_begin(&m, 1);
	make_two(&m, 0, 1, 10, 40);
	make_end(&m);
	is(shell("echo one >${O}_1.etl; ln -s ${O}_1.etl ${O}_2.etl"), 0,
	   "an old part, and a link");
	is(run("split --by events=1 -o %s_%%d.etl --replace %s", out, m.path), 1, "is refused");
	ok(run_reported("the file of another part"), "the error is reported");
	is(shell("test \"$(cat ${O}_1.etl)\" = one -a -h ${O}_2.etl && rm ${O}_[12].etl"), 0,
	   "both stay");
	is(shell("ls ${O}* 2>/dev/null"), 2, "and nothing else");
	unlink(m.path);
}

/* With files limited to 100 KB */
static int limited(const char *command, const char *path)
{
	const struct rlimit few = { 100000, RLIM_INFINITY };
	struct rlimit before;
	int status;

	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &few);
	status = run("%s %s", command, path);
	setrlimit(RLIMIT_FSIZE, &before);
	return status;
}

/* Files removed and messages printed when writing fails or a signal arrives */
static void test_failing(void)
{
	static const char *const commands[] = { "merge -o %s", "split --by events=100 -o %s%%d" };
	static struct make m;
	char command[256], path[96];
	int i, k;

	make_begin(&m, 1);
	for (i = 0; i < 2000; i++)
		make_two(&m, (uint16_t)(i % 4), (uint64_t)i + 1, 10 * i, 10 * i + 5);
	make_end(&m);
	snprintf(path, sizeof(path), "%s1", out);
	for (k = 0; k < 2; k++) {
		snprintf(command, sizeof(command), commands[k], out);
		is(run("%s %s/nowhere", command, m.path), 1, "an input that is not there");
		ok(!exists(out) && !exists(path), "nothing is made");
		snprintf(command, sizeof(command),
			 k ? "split --by events=100 -o /nonexistent/%%d" :
			     "merge -o /nonexistent/x");
		is(run("%s %s", command, m.path), 1, "a folder that is not there");
		ok(run_reported("No such file"), "is reported");
	}
	is(run("merge --replace -o /dev/full %s", m.path), 1, "a device");
	ok(run_reported("/dev/full") && exists("/dev/full"), "is not written to");
	for (k = 0; k < 2; k++) {
		snprintf(command, sizeof(command), commands[k], out);
		snprintf(path, sizeof(path), "%s%s", out, k ? "1" : "");
		is(limited(command, m.path), 1, "a disk that is full");
		ok(!exists(path), "nothing stays");
	}
	unlink(m.path);
}

/* The reader of the damage reports has closed the pipe. */
static void test_unread(void)
{
	static struct make m;
	FILE *f;
	int i, status, p[2];
	pid_t pid;

	make_begin(&m, 1);
	for (i = 1; i < 6; i++)
		make_two(&m, 0, (uint64_t)i, 10 * i, 10 * i + 5);
	make_end(&m);
	f = fopen(m.path, "r+");
	for (i = 1; i < 5; i += 2) {
		fseek(f, i * MAKE_SIZE, SEEK_SET);
		fwrite("\0\0\0\0", 4, 1, f);
	}
	fclose(f);
	if (pipe(p))
		abort();
	close(p[0]);
	pid = fork();
	if (!pid) {
		dup2(p[1], STDERR_FILENO);
		execl("build/etw", "etw", "merge", "-o", out, m.path, NULL);
		_exit(127);
	}
	close(p[1]);
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE, "ends by SIGPIPE");
	is(shell("ls ${O}* 2>/dev/null"), 2, "and leaves nothing");
	unlink(m.path);
}

static const struct etw_guid other = ETW_GUID(0x12345678, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8);
static const struct etw_guid process = ETW_PROCESS_GUID;

static char dir[] = "/tmp/etw-summary-XXXXXX";
static struct make summed;

static void put(const struct etw_guid *provider, uint16_t id, const void *data, uint32_t len)
{
	uint32_t at = feed_header(&summed.feed)->offset;
	struct etw_event_header *h;

	if (!feed_event(&summed.feed, 1000 + id * 100, id, NULL, data, len))
		abort();
	h = (void *)(summed.data + at);
	h->provider = *provider;
	h->process_id = 20;
	if (provider != &process)
		return;
	h->desc.opcode = ETW_PROCESS_RUNDOWN;
	h->flags |= ETW_EVENT_KERNEL_MODE;
}

/* Three events of one provider, two of another, and one that only names a process */
static void make_summed(void)
{
	struct {
		struct etw_process_payload id;
		char name[3], path[8];
	} __attribute__((__packed__)) dd = {
		{ .pid = 20, .start_key = 20, .start = MAKE_START }, "dd", "/bin/dd",
	};

	make_begin(&summed, 1);
	make_buffer(&summed, 0, 1);
	put(&process, 1, &dd, sizeof(dd));
	put(&feed_guid, 10, "abc", 3);
	put(&other, 20, "abc", 3);
	put(&feed_guid, 30, "abc", 3);
	put(&other, 40, "abc", 3);
	put(&feed_guid, 50, "abc", 3);
	make_put(&summed);
	make_end(&summed);
}

static long long size_of(const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &st) ? -1 : (long long)st.st_size;
}

/* Was exactly one object printed for this output, with what the file has? */
static bool tells(const char *name, unsigned int events, const char *rest)
{
	char want[512];
	const char *at;

	snprintf(want, sizeof(want), "{\"output\":\"%s/%s\",\"events\":%u,\"bytes\":%lld,%s}\n", dir,
		 name, events, size_of(name), rest);
	at = strstr(run_out, want);
	return at && !strstr(at + 1, want);
}

static unsigned int objects(void)
{
	const char *at = run_out;
	unsigned int n = 0;

	for (; (at = strstr(at, "{\"output\":")); at++)
		n++;
	return n;
}

static void summary_of_merge(void)
{
	char moved[128];

	is(run("merge --json -o %s/all.etl %s", dir, summed.path), 0, "merge");
	ok(objects() == 1 && tells("all.etl", 5, "\"moved\":null"), "its summary: %s", run_out);
	snprintf(moved, sizeof(moved), "\"moved\":\"%s/all.etl.old\"", dir);
	is(run("merge --json -q --filter 'id > 20' -o %s/all.etl %s", dir, summed.path), 0, "some of it");
	ok(tells("all.etl", 3, moved) && run_reported(""), "what became of the older file: %s", run_out);
	is(run("merge --json --provider Etw-Process -o %s/all.etl --replace %s", dir, summed.path), 0,
	   "the names alone");
	ok(tells("all.etl", 1, "\"moved\":null"), "count if they are selected: %s", run_out);
	ok(run("merge --json -o %s/none/all.etl %s", dir, summed.path) == 1 && !run_out[0],
	   "no summary of a failure");
}

static void summary_of_split(void)
{
	is(run("split --json --by events=2 -o %s/part_%%d.etl %s", dir, summed.path), 0, "split");
	ok(objects() == 3 && tells("part_1.etl", 2, "\"moved\":null") &&
	   tells("part_2.etl", 2, "\"moved\":null") && tells("part_3.etl", 1, "\"moved\":null"),
	   "a summary for each part: %s", run_out);
	is(run("split --by events=2 -o %s/part_%%d.etl --replace %s", dir, summed.path), 0, "as text");
	ok(strstr(run_out, "/part_1.etl\": 2 events, ") && strstr(run_out, "/part_3.etl\": 1 event, "),
	   "the same numbers: %s", run_out);
	is(run("split --json -q --by provider -o %s/of_%%d.etl --filter 'id > 1' %s", dir, summed.path),
	   0, "by provider");
	ok(objects() == 3 && strstr(run_out, "\"events\":3,") && strstr(run_out, "\"events\":2,") &&
	   strstr(run_out, "\"events\":1,") &&
	   strstr(run_out, "\"provider\":\"12345678-0001-0002-0102-030405060708\",\"provider_name\":null}"),
	   "whose each is: %s", run_out);
}

/* As JSON, against the files themselves */
static void test_summaries(void)
{
	if (!mkdtemp(dir))
		abort();
	make_summed();
	summary_of_merge();
	summary_of_split();
	setenv("D", dir, 1);
	is(shell("rm -r $D"), 0, "all is removed");
	unlink(summed.path);
}

int main(void)
{
	snprintf(out, sizeof(out), "/tmp/etw-merge-out-%d.etl", getpid());
	test_split_replace();
	test_split_linked();
	test_failing();
	test_unread();
	test_summaries();
	return done_testing();
}
