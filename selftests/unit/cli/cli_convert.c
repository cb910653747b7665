// SPDX-License-Identifier: MIT
/* etw convert: its output is complete or absent, and replaces no foreign file; needs no device */
#define _GNU_SOURCE
#include "unit/etl/etl_make.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include "lib/tap.h"
#include "cli/progress.c"

void cli_wipe(const char *s)
{
	(void)s;
}

static char dir[] = "/tmp/etw-cli-convert-XXXXXX";
static struct make one, two, large;

/*
 * Run a command in the folder with its output in the files "out" and "err"; returns the
 * exit status.
 */
static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *format, ...)
{
	char command[1500], all[2000], top[500];
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(all, sizeof(all), "cd %s && export TZ=UTC ETW_DEVICE=/nonexistent E=%s/build/etw; "
		 "( %s ) >%s.out 2>%s.err", dir, getcwd(top, sizeof(top)), command, dir, dir);
	status = system(all);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char got[4096];

static bool in_err(const char *text)
{
	char path[100];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s.err", dir);
	f = fopen(path, "r");
	n = fread(got, 1, sizeof(got) - 1, f);
	got[n] = '\0';
	fclose(f);
	return strstr(got, text);
}

static bool reported(const char *text)
{
	if (in_err(text))
		return true;
	printf("# stderr: %s\n", got);
	return false;
}

/* The number of names in the folder, without hidden ones */
static unsigned int files(const char *part)
{
	struct dirent *entry;
	unsigned int n = 0;
	DIR *d = opendir(dir);

	while ((entry = readdir(d)))
		n += entry->d_name[0] != '.' && strstr(entry->d_name, part);
	closedir(d);
	return n;
}

static void make_files(void)
{
	unsigned int i;

	make_begin(&one, 1);
	make_two(&one, 0, 1, 10, 40);
	make_two(&one, 1, 2, 20, 50);
	make_end(&one);
	two.head.header.events_lost = 3;
	make_begin(&two, 1);
	make_two(&two, 0, 1, 30, 60);
	make_end(&two);
	make_begin(&large, 1);
	for (i = 0; i < 2000; i++) {
		make_buffer(&large, 0, i + 1);
		while (feed_event(&large.feed, 1000 + i * 100, 7, NULL, "abcdefgh", 8))
			;
		make_put(&large);
	}
	make_end(&large);
}

static void test_lines(void)
{
	is(run("$E dump %s %s >a; $E convert --to text %s %s >b; cmp a b && test -s a", one.path,
	       two.path, one.path, two.path), 0, "text equals the output of etw dump");
	is(run("$E dump --json %s %s >a; $E convert -o b.jsonl %s %s; cmp a b.jsonl && test -s a",
	       one.path, two.path, one.path, two.path), 0, "JSON lines equal it, too");
	is(run("$E convert -o c.csv %s", two.path), 0, "a file");
	ok(reported("c.csv\": 2 events, 2 of them without a schema") && reported("3 events lost"),
	   "its contents and omissions are reported");
	is(run("$E convert -q --to csv --fields id --filter 'id > 20' %s | tr -d '\\r\\n' | grep "
	       "-x id4050", one.path), 0, "only some of the events");
	is(run("$E convert -q --to csv --fields id --since +2us --until +4us %s | tr -d '\\r\\n' | "
	       "grep -x id2040", one.path), 0, "only of some time");
	is(run("$E convert --to csv --since +4us --until +2us %s", one.path), 2, "of no time");
	ok(reported("--until"), "is refused by the option's name");
	run("rm -f a b c.csv b.jsonl");
}

static void test_names(void)
{
	is(run("echo mine >x.csv; $E convert %s -o x.csv", one.path), 0, "a file that exists");
	ok(reported("the file of this name is now \"") && reported("x.csv.old"), "is kept");
	is(run("test \"$(cat x.csv.old)\" = mine && head -1 x.csv | grep -q time"), 0,
	   "under another name");
	is(run("echo a >y.csv; echo b >y.csv.old; $E convert %s -o y.csv && grep a y.csv.old && rm y.csv*",
	       one.path), 0, "once more");
	ok(reported("y.csv.old\", in place of an earlier one\n"), "does not lose the earliest in silence");
	is(run("cp x.csv.old k; $E convert %s -o x.csv --replace && head -1 x.csv | grep -q time && "
	       "cmp k x.csv.old", one.path), 0, "but not if asked");
	is(run("cp %s z.csv.old; $E convert z.csv.old --to csv -o z.csv; test $? = 1 && "
	       "cmp %s z.csv.old", one.path, one.path), 0, "an input is never the older file");
	is(run("$E convert -q %s -o x.csv --json >j 2>e && test \"$(cat j)\" = "
	       "'{\"output\":\"x.csv\",\"events\":2,\"without_schema\":2,\"moved\":\"'$PWD/x.csv.old'\"}' && "
	       "rm j e", two.path), 0, "the summary as JSON");
	is(run("$E convert --to csv --json %s", two.path), 2, "is not mixed into the output");
	is(run("ln -s k s.csv; $E convert %s -o s.csv && test -h s.csv.old -a ! -h s.csv && "
	       "rm k s.csv* z.csv.old x.csv.old", one.path), 0, "a link is kept itself");
	is(run("umask 027; $E convert %s -o m.csv && test $(stat -c %%a m.csv) = 640 && rm m.csv",
	       one.path), 0, "the file has the usual permissions");
	is(run("cp %s in.etl; ln in.etl hard.csv; ln -s in.etl soft.csv; "
	       "$E convert in.etl --to csv -o in.etl --replace", one.path), 1,
	   "the input is no output");
	ok(reported("is one of the files to convert"), "the error names the input");
	is(run("$E convert in.etl -o hard.csv --replace || $E convert in.etl -o soft.csv --replace"),
	   1, "nor under another name");
	is(run("cmp in.etl %s", one.path), 0, "the input is unchanged");
	is(run("echo mine >y.csv; chmod 604 y.csv; ln -s y.csv l.csv; ln -s nowhere n.csv; "
	       "$E convert in.etl -o n.csv --replace"), 1, "a link that leads nowhere");
	is(run("$E convert in.etl -o l.csv --replace && test -h l.csv -a -f y.csv && "
	       "grep -q time y.csv && test $(stat -c %%a y.csv) = 604"), 0,
	   "where a link leads is replaced, the link and permissions stay");
	is(run("test -h n.csv && rm l.csv n.csv y.csv"), 0, "the other link is replaced, too");
	is(run("rm hard.csv soft.csv; $E convert in.etl -o out.foo"), 2, "a suffix of no format");
	is(run("$E convert in.etl --to foo"), 2, "no format");
	is(run("$E convert in.etl --to json --fields a"), 2,
	   "columns for a format without columns");
	is(run("$E convert in.etl --to ctf"), 2, "a folder to standard output");
	is(run("$E convert in.etl --to ctf2 -o x"), 2, "CTF 2");
	ok(reported("use ctf"), "is refused, and the message names the replacement");
	is(run("$E convert /nonexistent.etl -o n.csv"), 1, "no input");
	is(run("$E convert in.etl -o nonexistent/n.csv"), 1, "no folder for it");
	is(run("$E convert in.etl --to csv -o - | grep -q time"), 0, "- is standard output");
	is(run("mkfifo f; cat f >g & $E convert in.etl --to csv -o f; wait; grep -q time g"), 0,
	   "a pipe is written to");
	is(run("test -p f && rm f g x.csv in.etl"), 0, "and stays one");
	is(files(""), 0, "nothing else is left");
}

static void test_damage(void)
{
	is(run("cp %s d.etl; printf '\\0\\0\\0\\0' | dd of=d.etl bs=1 seek=4096 conv=notrunc "
	       "2>/dev/null; $E convert d.etl -o d.csv --fields id", one.path), 0,
	   "a file with a bad buffer");
	ok(reported("at offset 4096: "), "is converted, and the damage is reported");
	is(run("tr -d '\\r\\n' <d.csv | grep -qx id02050"), 0, "the others are there");
	is(run("head -c 100 %s >d.etl; $E convert d.etl -o d.json", one.path), 1, "no log file");
	is(run("test ! -e d.json && rm d.etl d.csv"), 0, "leaves nothing");
	is(run("d=$(printf 'b\\033[31m.ctf'); mkdir \"$d\"; echo '/* CTF 1.8 */' >\"$d/metadata\"; "
	       "$E convert --from ctf \"$d\" -o b.etl"), 1, "a trace of nonsense");
	ok(reported("b\\u001b[31m.ctf") && !reported("\033"),
	   "no escape sequence reaches the terminal");
	is(run("rm -r b*.ctf; test ! -e b.etl"), 0, "nothing is left");
}

static void test_folders(void)
{
	is(run("$E convert %s -o t.ctf && test -s t.ctf/metadata", one.path), 0, "a folder");
	is(run("touch t.ctf/first; $E convert %s -o t.ctf/ && test -e t.ctf.old/first -a "
	       "! -e t.ctf/first", one.path), 0, "an existing folder is kept");
	is(run("touch t.ctf/second; $E convert %s -o t.ctf && test -e t.ctf.old/second -a "
	       "! -e t.ctf.old/first", one.path), 0, "instead of an earlier one");
	is(run("cp %s t.ctf.old/in.etl; $E convert t.ctf.old/in.etl -o t.ctf/", one.path), 1,
	   "but not one with the input");
	is(run("cmp %s t.ctf.old/in.etl && rm t.ctf.old/in.etl", one.path), 0, "which stays");
	is(run("rm t.ctf.old/metadata; touch t.ctf/third; $E convert %s -o t.ctf", one.path), 1,
	   "but only if that is a trace");
	is(run("test -e t.ctf.old/second -a -e t.ctf/third && rm -r t.ctf.old"), 0, "all stays");
	is(run("touch t.ctf/old; chmod 710 t.ctf; $E convert %s -o t.ctf/ --replace && "
	       "test -s t.ctf/metadata -a ! -e t.ctf/old", one.path), 0, "but asked, as a whole");
	is(run("test \"$(stat -c %%a t.ctf)\" = 710"), 0, "with its permissions");
	is(run("mkdir -p d.ctf/deep; echo mine >d.ctf/deep/x; $E convert %s -o d.ctf --replace",
	       one.path), 1, "a folder that is no trace is not replaced");
	is(run("test \"$(cat d.ctf/deep/x)\" = mine"), 0, "the folder is unchanged");
	is(run("mkdir -m 700 e.ctf; $E convert %s -o e.ctf --replace && test -s e.ctf/metadata",
	       one.path), 0, "unless it is empty");
	is(run("test \"$(stat -c %%a e.ctf)\" = 700"), 0, "with its permissions");
	is(run("ln -s e.ctf l.ctf; $E convert %s -o l.ctf/ --replace && test -h l.ctf -a -s "
	       "e.ctf/metadata && rm l.ctf", one.path), 0, "a link to one stays");
	is(run("cp %s in.etl; mkdir e.ctf/in; mv in.etl e.ctf/in/; ln -s e.ctf/in/in.etl in.etl; "
	       "$E convert in.etl -o e.ctf --replace", one.path), 1, "the input lies in it");
	ok(reported("it contains "), "the error is reported");
	is(run("$E convert e.ctf/in/../in/in.etl -o ./e.ctf --replace"), 1, "under any name");
	is(run("cd e.ctf/in; ln -sf %s link.etl; $E convert link.etl -o ../../e.ctf --replace",
	       one.path), 1, "or is a link there");
	is(run("cmp e.ctf/in/in.etl %s && test -s e.ctf/metadata && rm in.etl", one.path), 0,
	   "all stays");
	is(run("touch z.ctf; $E convert %s -o z.ctf --replace", one.path), 1,
	   "a file is not replaced by a folder");
	is(run("mkdir z.csv; $E convert %s -o z.csv --replace", one.path), 1,
	   "nor a folder by a file");
	is(files(".part-"), 0, "nothing half-made stays");
	run("rm -r t.ctf d.ctf e.ctf z.ctf z.csv");
}

static void test_full(void)
{
	static const char *const formats[] = { "text", "json", "csv", "chrome", "perfetto", "ctf" };
	unsigned int i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		is(run("ulimit -f 64; $E convert %s --to %s -o x", large.path, formats[i]), 1,
		   formats[i]);
		ok(reported("File too large"), "a file that cannot grow is reported");
		is(files(""), 0, "and nothing of it stays");
	}
	is(run("$E convert %s --to csv >/dev/full", large.path), 1, "a full disk");
	is(run("$E convert %s --to json >/dev/full", large.path), 1, "also for lines");
}

/* Convert n copies of the large file, and interrupt the command once output exists. */
static int interrupt(unsigned int n, const char *format, int number)
{
	char top[500], out[100];
	char *args[300];
	int status, i = 0;
	pid_t pid;

	snprintf(top, sizeof(top), "build/etw");
	snprintf(out, sizeof(out), "%s/x", dir);
	args[i++] = top;
	args[i++] = "convert";
	args[i++] = "-q";
	args[i++] = "--to";
	args[i++] = (char *)format;
	args[i++] = "-o";
	args[i++] = out;
	while (n--)
		args[i++] = large.path;
	args[i] = NULL;
	pid = fork();
	if (!pid) {
		execv(top, args);
		_exit(127);
	}
	while (!files("x.part-") && !files("x") && waitpid(pid, &status, WNOHANG) != pid)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	kill(pid, number);
	waitpid(pid, &status, 0);
	return status;
}

static void test_interrupted(const char *format, int number)
{
	unsigned int n;
	int status = 0;

	/* If the conversion ended before the signal, give it more input. */
	for (n = 8; n <= 256; n *= 2) {
		status = interrupt(n, format, number);
		if (!WIFEXITED(status))
			break;
		run("rm -rf x");
	}
	ok(WIFSIGNALED(status) && WTERMSIG(status) == number, "%s ends by signal %d", format, number);
	is(files(""), 0, "and leaves nothing");
}

static void test_progress(void)
{
	struct progress none;
	char line[160];

	progress_line(line, sizeof(line), 80, 0, 0, 0);
	ok(!strcmp(line, "[>                             ]   0.0%  0 events"), "begins");
	progress_line(line, sizeof(line), 80, 500, 123456, 10);
	ok(!strcmp(line, "[===============>              ]  50.0%  123456 events  12346/s  0:10 left"),
	   "goes on: %s", line);
	progress_line(line, sizeof(line), 60, 1000, 5, 10);
	ok(!strcmp(line, "[===============] 100.0%  5 events"), "ends: %s", line);
	progress_line(line, sizeof(line), 30, 250, 5, 100);
	ok(!strcmp(line, " 25.0%  5:00 left"), "has little room: %s", line);
	progress_line(line, sizeof(line), 5, 250, 5, 100);
	is(strlen(line), 4, "never fills the line");
	progress_begin(&none, false);
	ok(isatty(STDERR_FILENO) || !progress_due(&none), "nothing without a terminal");
	is(run("TERM=xterm $E convert %s --to csv -o p.csv", large.path), 0, "a conversion");
	ok(!in_err("\r") && !in_err("\033"), "draws nothing into a file");
	run("rm p.csv");
}

int main(void)
{
	char path[100];

	if (!mkdtemp(dir))
		abort();
	make_files();
	test_lines();
	test_names();
	test_damage();
	test_folders();
	test_full();
	test_interrupted("csv", SIGINT);
	test_interrupted("ctf", SIGTERM);
	test_progress();
	unlink(one.path);
	unlink(two.path);
	unlink(large.path);
	snprintf(path, sizeof(path), "%s.out", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s.err", dir);
	unlink(path);
	if (!ok(!rmdir(dir), "the folder is empty"))
		printf("# %s: %s\n", dir, strerror(errno));
	return done_testing();
}
