/* SPDX-License-Identifier: MIT */
/*
 * recorded.h - the names of functions that a log file has itself: the events "Functions" of
 * Etw-Machine, see etw/format.h
 */
#ifndef ETW_CLI_SYMBOLS_RECORDED_H
#define ETW_CLI_SYMBOLS_RECORDED_H

#include "etl/info.h"
#include "etl/write.h"
#include "symbols/symbolizer.h"

/*
 * Learn those of a file; of_one: of the kernel and of compiled code as well, because all files are
 * of one boot. 0 or -errno
 */
int recorded_read(struct symbolizer *symbolizer, const char *path, bool of_one);

struct recorded_count {
	uint64_t places;	/* that have names now */
	uint64_t left_out;	/* whose names are too long for a buffer of the file */
};

/* Append all that were found. 0 or -errno */
int recorded_write(const struct symbolizer *symbolizer, struct etw_etl_writer *writer,
		   const struct etw_etl_info *info, struct recorded_count *count);

#endif /* ETW_CLI_SYMBOLS_RECORDED_H */
