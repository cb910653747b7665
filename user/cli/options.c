/* SPDX-License-Identifier: MIT */
/*
 * options.c - parse a subcommand's command line by its table, print its help
 *
 * Long options are taken by their exact names only: an abbreviation that works
 * today would change its meaning with the next option.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/suggest.h"
#include "cli.h"

#define OPTIONS_MAX	128
#define OPTION_HELP	'h'
#define NAME_COLUMN	20

static const char *command_name;

static bool has_letter(const struct cli_option *option)
{
	return option->value > 0 && option->value < 128;
}

static void print_option(const struct cli_option *option)
{
	char left[64];

	snprintf(left, sizeof(left), "--%s%s%s", option->name,
		 option->arg ? " " : "", option->arg ? option->arg : "");
	if (has_letter(option))
		printf("  -%c, ", option->value);
	else
		printf("      ");
	printf("%-*s  %s\n", NAME_COLUMN, left, option->help);
}

static void print_help(const struct cli_syntax *syntax, const char *command)
{
	static const struct cli_option help = {
		"help", OPTION_HELP, NULL, "print this help", NULL
	};
	const struct cli_option *option;
	bool common = true;
	int i;

	printf("usage: etw %s%s", command, syntax->command ? " [option]..." : "");
	for (i = 0; syntax->operands[i]; i++)
		printf(" %s", syntax->operands[i]);
	printf("%s\n\n%s\n\noptions:\n", syntax->command ? "" : " [option]...", syntax->what);
	for (option = syntax->options; option->name; option++) {
		if (cli_is_heading(option) && common)
			print_option(&help);
		if (cli_is_heading(option))
			printf("\n%s:\n", option->help);
		else if (option->help)
			print_option(option);
		common &= !cli_is_heading(option);
	}
	if (common)
		print_option(&help);
	printf("\nexample:\n  %s\n", syntax->example);
}

static void (*show_help)(const struct cli_syntax *syntax, const char *command) = print_help;

/* What --help does from now on */
void cli_help_by(void (*fn)(const struct cli_syntax *syntax, const char *command))
{
	show_help = fn;
}

/* What getopt_long() takes; longs[i] is that of *table[i]. */
static void fill_getopt(const struct cli_syntax *syntax, struct option *longs,
			const struct cli_option **table, char *shorts)
{
	const struct cli_option *option = syntax->options;
	int n = 0;

	if (syntax->command)
		*shorts++ = '+';
	*shorts++ = ':';
	for (; option->name && n < OPTIONS_MAX; option++) {
		if (cli_is_heading(option))
			continue;
		longs[n].name = option->name;
		longs[n].has_arg = option->arg ? required_argument : no_argument;
		longs[n].val = option->value;
		table[n++] = option;
		if (!has_letter(option))
			continue;
		*shorts++ = (char)option->value;
		if (option->arg)
			*shorts++ = ':';
	}
	longs[n].name = "help";
	longs[n].val = OPTION_HELP;
	*shorts++ = OPTION_HELP;
	*shorts = '\0';
}

/* The word of the option that getopt_long() has just taken. */
static const char *taken_word(char **argv)
{
	if (optarg && optarg == argv[optind - 1])
		return argv[optind - 2];
	return argv[optind - 1];
}

static bool is_exact(const char *word, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(word, "--", 2) && !strncmp(word + 2, name, len) &&
	       (word[len + 2] == '\0' || word[len + 2] == '=');
}

static bool is_option(const struct cli_syntax *syntax, const char *word)
{
	const struct cli_option *option;

	for (option = syntax->options; option->name; option++) {
		if (!cli_is_heading(option) && is_exact(word, option->name))
			return true;
	}
	return is_exact(word, "help");
}

static _Noreturn void refuse_unknown(const struct cli_syntax *syntax, const char *word)
{
	const struct cli_option *option;
	struct suggest near;

	if (!strncmp(word, "--", 2)) {
		suggest_begin_len(&near, word + 2, strcspn(word + 2, "="));
		/* Old options, which have no help, are not recommended. */
		for (option = syntax->options; option->name; option++)
			if (!cli_is_heading(option) && option->help)
				suggest_try(&near, option->name);
	} else {
		suggest_begin(&near, "");
	}
	cli_usage("unknown option %s%s", cli_quote(word), cli_suggested(&near, "--"));
}

static _Noreturn void refuse(const struct cli_syntax *syntax, int c, char **argv)
{
	const char *word = argv[optind - 1];
	char letter[3] = { '-', (char)optopt, '\0' };
	bool is_long = !strncmp(word, "--", 2);

	if (c == ':')
		cli_usage("option %s needs a value",
			  cli_quote(is_long ? word : letter));
	if (is_long && is_option(syntax, word))
		cli_usage("%s: the option takes no value", cli_quote(word));
	refuse_unknown(syntax, is_long ? word : letter);
}

static void set(const struct cli_option *option, const char *value)
{
	const struct cli_set *set = option->set;
	char name[64];

	snprintf(name, sizeof(name), "--%s", option->name);
	if (set->flag)
		*set->flag = true;
	else if (set->text)
		*set->text = value;
	else if (set->bits)
		*set->bits |= set->max;
	else if (set->kilobytes)
		*set->kilobytes = cli_kilobytes(name, value, set->min, set->max);
	else if (set->number)
		*set->number = !option->arg ? set->min :
			       cli_number(name, value, set->min, set->max);
	else
		*set->millis = cli_millis(name, value, set->min, set->max);
}

void cli_join(struct cli_option *to, size_t max, const struct cli_option *first,
	      const struct cli_option *second)
{
	for (; first->name && max > 1; max--)
		*to++ = *first++;
	for (; second->name && max > 1; max--)
		*to++ = *second++;
	*to = (struct cli_option)CLI_OPTION_END;
}

/* Parse another command line from its start. */
void cli_restart(const char *name)
{
	cli_begin(name);
	optind = 0;
}

/**
 * cli_next() - the next option of the command line
 * @syntax: the subcommand's table
 * @argc: as the subcommand got it
 * @argv: as the subcommand got it
 *
 * Handles --help and wrong options itself, and exits.  Sets what the table says.
 *
 * Return: the value of an option that sets nothing, its argument in optarg; -1 after the
 * last one.
 */
int cli_next(const struct cli_syntax *syntax, int argc, char **argv)
{
	struct option longs[OPTIONS_MAX + 2] = { 0 };
	const struct cli_option *table[OPTIONS_MAX], *option;
	char shorts[2 * OPTIONS_MAX + 5];
	int index, c;

	command_name = argv[0];
	opterr = 0;
	fill_getopt(syntax, longs, table, shorts);
	for (;;) {
		index = -1;
		c = getopt_long(argc, argv, shorts, longs, &index);
		if (c == '?' || c == ':')
			refuse(syntax, c, argv);
		if (c == -1)
			return c;
		if (index >= 0 && !is_exact(taken_word(argv), longs[index].name))
			refuse_unknown(syntax, taken_word(argv));
		if (c == OPTION_HELP && syntax->in_file)
			cli_usage("--help: not in a file");
		if (c == OPTION_HELP) {
			show_help(syntax, command_name);
			exit(cli_finish(0));
		}
		for (option = syntax->options; index < 0 && option->value != c; option++)
			;
		if (index >= 0)
			option = table[index];
		if (!option->set)
			return c;
		set(option, optarg);
	}
}

/* May it come any number of times, from here to the end? */
static bool is_repeated(const char *name)
{
	size_t len = strlen(name);

	return len > 3 && !strcmp(name + len - 3, "...");
}

/**
 * cli_operands() - what is left after the options, checked against the table
 * @syntax: the subcommand's table
 * @argc: as the subcommand got it
 * @argv: as the subcommand got it
 *
 * Return: the operands, a NULL after the last; an optional one that is missing
 * is NULL.
 */
char **cli_operands(const struct cli_syntax *syntax, int argc, char **argv)
{
	int given = argc - optind;
	int i;

	for (i = 0; syntax->operands[i]; i++) {
		if (i >= given && syntax->operands[i][0] != '[')
			cli_usage("missing %s", syntax->operands[i]);
		if (is_repeated(syntax->operands[i]))
			return argv + optind;
	}
	if (given > i)
		cli_usage("unexpected argument %s", cli_quote(argv[optind + i]));
	return argv + optind;
}

char **cli_parse(const struct cli_syntax *syntax, int argc, char **argv)
{
	cli_next(syntax, argc, argv);
	return cli_operands(syntax, argc, argv);
}
