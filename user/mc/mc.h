/* SPDX-License-Identifier: MIT */
/*
 * mc.h - the message compiler: a manifest in, a C header and resources out
 *
 * It prints nothing but what etw_mc_print_problems() does, and leaves no file behind
 * when it fails.
 */
#ifndef ETW_MC_MC_H
#define ETW_MC_MC_H

#include <stdbool.h>
#include <stdio.h>
#include "tdh/model/model.h"

struct etw_mc_mode;

struct etw_mc_options {
	const struct etw_mc_mode *mode;	/* NULL: constants and descriptors only */
	const char *input;		/* the manifest */
	const char *header_dir;		/* -h; NULL: here */
	const char *resource_dir;	/* -r; likewise */
	const char *base;		/* -z; NULL: the manifest's name, without its end */
	const char *extension;		/* -e, of the header */
	const char *prefix;		/* -p: of the macros that write */
	const char *strip;		/* -P: taken from the symbols' begin for these; NULL: none */
	bool callout;			/* -co */
	bool base_in_name;		/* -b: base_MSG00001.bin */
	bool verbose;			/* -v */
	unsigned int message_max;	/* -m, UTF-16 units; 0: any */
};

/*
 * Read the command line of mc.exe.  0; 1: help is asked for; -EINVAL: error (of size
 * bytes) says what is wrong with it.
 */
int etw_mc_parse(int argc, char **argv, struct etw_mc_options *options, char *error,
		 size_t size);

/* What "mc -?" says, each line of it. */
void etw_mc_help(FILE *to, const char *name);

/*
 * Write the header for a manifest.  0; -EINVAL: problems say why; -ENOMEM, or what
 * writing said.
 */
int etw_mc_write_header(const struct etw_manifest *manifest,
			const struct etw_mc_options *options, FILE *out,
			struct etw_problems *problems);

/*
 * Do it all: read options->input and write the files, or none of them.  Problems, and
 * the names of written files if options->verbose, go to err.  0 or -errno, which err
 * was told.
 */
int etw_mc_run(const struct etw_mc_options *options, FILE *err);

/* "FILE:LINE: error: what", one line each. */
void etw_mc_print_problems(FILE *to, const char *file, const struct etw_problems *problems);

#endif /* ETW_MC_MC_H */
