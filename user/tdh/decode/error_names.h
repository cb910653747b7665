/* SPDX-License-Identifier: MIT */
/*
 * error_names.h - common error codes by name
 */
#ifndef ETW_TDH_DECODE_ERROR_NAMES_H
#define ETW_TDH_DECODE_ERROR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of an out-type's code, such as "ERROR_ACCESS_DENIED"; NULL: not a common code. */
const char *etw_error_name(uint16_t out_type, uint32_t code);
/* All codes of the type that have a name: *next is 0 at first; false: there are no more. */
bool etw_error_next(uint16_t out_type, size_t *next, uint32_t *code);

#endif /* ETW_TDH_DECODE_ERROR_NAMES_H */
