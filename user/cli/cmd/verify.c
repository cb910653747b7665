/* SPDX-License-Identifier: MIT */
/*
 * verify.c - etw verify: is a trace complete?
 */
#include "cli/cli.h"
#include "cli/operand.h"
#include "cli/verify/verify.h"

static bool json;
static const struct cli_option options[] = { CLI_OPTION_JSON(json), CLI_OPTION_END };

static const struct cli_syntax syntax = {
	.what = "Say whether log files, or a running session, are complete; if not, list what is\n"
		"missing, why, and within which bounds.  Files of one session are judged\n"
		"together.  The exit status is 0 if nothing is missing, else 3; 1 if a file\n"
		"cannot be read.",
	.operands = { "SESSION|FILE..." },
	.options = options,
	.example = "etw verify disk.etl",
};

int cmd_verify(int argc, char **argv)
{
	char **operands = cli_parse(&syntax, argc, argv);
	int i;

	if (operand_is_file(operands[0])) {
		for (i = 0; operands[i]; i++)
			if (!operand_may_be_file(operands[i]))
				cli_usage("%s is neither a file nor named like one: it has no / and does not end in .etl",
					  cli_quote(operands[i]));
		return verify_files(operands, json ? verify_print_json : verify_print);
	}
	if (operands[1])
		cli_usage("unexpected argument %s: only one session can be judged",
			  cli_quote(operands[1]));
	return verify_session_named(cli_name("SESSION", operands[0]), json);
}
