/* SPDX-License-Identifier: MIT */
/*
 * mc.h - the message compiler: generates a C header and resources from a manifest
 *
 * If compilation fails, no output file is created.
 */
#ifndef ETW_MC_MC_H
#define ETW_MC_MC_H

#include <stdbool.h>
#include <stdio.h>
#include <etw/decode.h>
#include "tdh/model/model.h"

struct etw_mc_mode;

struct etw_mc_options {
	const struct etw_mc_mode *mode;	/* NULL: constants and descriptors only */
	const char *input;		/* the manifest */
	const char *header_dir;		/* -h; NULL: current directory */
	const char *resource_dir;	/* -r; NULL: current directory */
	const char *base;		/* -z; NULL: the manifest's name without its suffix */
	const char *extension;		/* -e: extension of the header */
	const char *prefix;		/* -p: prefix of the macros that write */
	const char *strip;		/* -P: prefix of symbols to omit in macros; NULL: none */
	bool callout;			/* -co */
	bool base_in_name;		/* -b: base_MSG00001.bin */
	bool verbose;			/* -v */
	unsigned int message_max;	/* -m, UTF-16 units; 0: no limit */
};

/*
 * Parse the command line of mc.exe.  0; 1: help was requested; -EINVAL: error (size
 * bytes) holds a message.
 */
int etw_mc_parse(int argc, char **argv, struct etw_mc_options *options, char *error,
		 size_t size);

/* Print the help of "mc -?". */
void etw_mc_help(FILE *to, const char *name);

/* Append the header for a manifest.  0; -EINVAL: problems has the reasons; -ENOMEM. */
int etw_mc_write_header(const struct etw_manifest *manifest,
			const struct etw_mc_options *options, struct etw_text *out,
			struct etw_problems *problems);

/*
 * Compile: read options->input and write all files, or none of them.  Prints problems, and
 * with options->verbose the names of written files, to err.  Returns 0, or -errno after a
 * message.
 */
int etw_mc_run(const struct etw_mc_options *options, FILE *err);

/*
 * Do the same for user mode with a manifest that was read, without writing files.  0;
 * -EINVAL: problems has the reasons; -ENOMEM.  What only -km refuses is a warning.
 */
int etw_mc_check(const struct etw_manifest *manifest, struct etw_problems *problems);

/* "FILE:LINE: error: TEXT" */
void etw_mc_print_problems(FILE *to, const char *path, const struct etw_problems *problems);

#endif /* ETW_MC_MC_H */
